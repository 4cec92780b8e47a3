/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks the values of a page: that they decode, as many as the levels ask for.
 *
 * Values are decoded in batches into chunk->values.elements, checked one by one
 * (check_single_values.c) and added to the summary of the page, from which statistics are checked
 * later; nothing keeps a value beyond its batch. Pages of indexes into strings go to
 * check_dictionary.c, which checks each entry once instead. (Encodings.md)
 */
#include "check/values/check_values.h"

#include <inttypes.h>

#include "base/alloc.h"
#include "base/error.h"
#include "check/chunk/check_delta.h"
#include "check/values/check_dictionary.h"
#include "check/values/check_rest.h"
#include "check/values/check_single_values.h"
#include "encoding/encoding.h"

enum {
    CHECK_VALUES_BATCH_BYTES = 64 << 10
}; /* of values that are decoded together, unless one is larger */

/*
 * Allocates room for a batch, once per chunk: up to LAM_CHECK_BATCH elements and 64 KiB, but at
 * least one element. The type length of a FIXED_LEN_BYTE_ARRAY comes from the schema and may be 2
 * GiB.
 */
static lam_status check_values_allocate(lam_chunk_check *chunk, lam_error *failure) {
    size_t element = lam_layout_size(chunk->layout);
    if (chunk->values.elements != NULL)
        return LAM_STATUS_OK;
    /* Not even one value is allowed: LIMIT. */
    if (element > chunk->checker->memory_limit)
        LAM_FAIL(failure, LAM_ERROR_CODE_MEMORY_LIMIT,
                 "a value of %zu bytes is above the memory limit of %" PRIu64, element,
                 chunk->checker->memory_limit);
    size_t batch = element > CHECK_VALUES_BATCH_BYTES ? 1 : CHECK_VALUES_BATCH_BYTES / element;
    chunk->values.batch = batch < LAM_CHECK_BATCH ? batch : LAM_CHECK_BATCH;
    return lam_alloc(&chunk->checker->allocator, chunk->values.batch * element,
                     &chunk->values.elements, failure);
}

/* PLAIN_DICTIONARY is the deprecated name, in data pages, of the same encoding. */
static bool is_dictionary_encoding(lam_encoding encoding) {
    return encoding == LAM_ENCODING_RLE_DICTIONARY || encoding == LAM_ENCODING_PLAIN_DICTIONARY;
}

/* Adds one decoded batch to the page and checks its values by themselves. */
static lam_status check_values_batch(lam_chunk_check *chunk, size_t count,
                                     lam_check_location location) {
    LAM_TRY(lam_value_summary_add(&chunk->values.page, chunk->values.elements, count,
                                  chunk->checker->error));
    return lam_check_single_values(chunk, chunk->values.elements, count, location);
}

/*
 * Starts the decoder of a page. Failures go to `failure`: they are findings about the page, unlike
 * those in checker->error.
 */
static lam_status check_values_start(lam_chunk_check *chunk, const lam_page *page,
                                     lam_decoder *decoder, lam_error *failure) {
    lam_arena_reset(&chunk->values.arena);
    LAM_TRY(check_values_allocate(chunk, failure));
    return lam_decoder_init(
        decoder, chunk->checker->kernels, page->encoding, chunk->layout, page->values,
        chunk->dictionary.reads ? &chunk->dictionary.entries : NULL, &chunk->values.arena, failure);
}

/*
 * Continues from the page before if the writer is known to, and reports it once: readers that do
 * not know the writer get other values, or none.
 */
static lam_status go_on(lam_chunk_check *chunk, const lam_page *page, lam_decoder *decoder,
                        lam_check_location location, lam_status *ret_status, lam_error *failure) {
    bool goes_on;
    *ret_status = lam_decoder_go_on(decoder, page->value_count,
                                    lam_buffer_bytes(&chunk->values.before), &goes_on, failure);
    if (*ret_status != LAM_STATUS_OK || !goes_on || chunk->reported[LAM_RULE_PAGE_VALUES])
        return LAM_STATUS_OK;
    chunk->reported[LAM_RULE_PAGE_VALUES] = true;
    return lam_check_report(chunk->checker, LAM_RULE_PAGE_VALUES, location,
                            "the values go on from the page before: readers that do not know the "
                            "writer get others, or none (PARQUET-246, apache/arrow-rs#3408)");
}

/* Keeps the value from which the next page continues; none after a lost page. */
static lam_status check_keep_last(lam_chunk_check *chunk, const lam_decoder *decoder,
                                  bool is_read) {
    if (decoder->encoding == LAM_ENCODING_DELTA_BYTE_ARRAY && is_read)
        return lam_decoder_keep_last(decoder, &chunk->values.before, chunk->checker->error);
    lam_buffer_clear(&chunk->values.before);
    return LAM_STATUS_OK;
}

/*
 * Reports why values cannot be read; an encoding that this build lacks is reported once per chunk.
 */
static lam_status report_bad(lam_chunk_check *chunk, lam_rule rule, lam_check_location location,
                             lam_status status, const lam_error *failure, bool *ret_good) {
    *ret_good = false;
    if (status == LAM_STATUS_UNSUPPORTED && !lam_check_once(chunk, LAM_RULE_UNSUPPORTED))
        return LAM_STATUS_OK;
    return lam_check_report_failure(chunk->checker, rule, location, status, failure);
}

/*
 * Checks the encoding before anything is decoded; `*ret_good` is false when the values cannot be
 * read. Names of unknown encodings start with 'U' (UNKNOWN): those are left to the decoder, which
 * reports them as unsupported.
 */
static lam_status check_values_encoding(lam_chunk_check *chunk, const lam_page *page,
                                        lam_check_location location, bool *ret_good) {
    bool known = lam_encoding_name(page->encoding)[0] != 'U';
    *ret_good = false;
    /* For instance, DELTA_BINARY_PACKED goes only with INT32 and INT64. */
    if (known && !lam_encoding_takes(page->encoding, chunk->layout.type))
        return lam_check_report(
            chunk->checker, LAM_RULE_PAGE_ENCODING, location, "%s values are in the encoding %s",
            lam_encoding_type_name(chunk->layout.type), lam_encoding_name(page->encoding));
    if (is_dictionary_encoding(page->encoding) && !chunk->dictionary.reads) {
        if (chunk->dictionary.is_met || !lam_check_once(chunk, LAM_RULE_DICTIONARY_MISSING))
            return LAM_STATUS_OK; /* its damage or absence has been reported */
        return lam_check_report(chunk->checker, LAM_RULE_DICTIONARY_MISSING, location,
                                "a page in the encoding %s, but no dictionary page before it",
                                lam_encoding_name(page->encoding));
    }
    *ret_good = true;
    return LAM_STATUS_OK;
}

/*
 * Reads the values batch by batch; the first failure ends the page, and batches before it have been
 * checked. A page without values need not have bytes.
 */
lam_status lam_check_values(lam_chunk_check *chunk, const lam_page *page, uint64_t count,
                            lam_check_location location, bool *ret_good) {
    lam_decoder decoder;
    lam_error failure = lam_error_none();
    *ret_good = true;
    if (count == 0)
        return LAM_STATUS_OK;
    LAM_TRY(check_values_encoding(chunk, page, location, ret_good));
    if (!*ret_good)
        return LAM_STATUS_OK;
    if (is_dictionary_encoding(page->encoding) && lam_check_takes_ranks(chunk))
        return lam_check_indexes(chunk, page, count, location, ret_good);
    lam_status status = check_values_start(chunk, page, &decoder, &failure);
    bool has_sequels = chunk->values.has_sequels && status == LAM_STATUS_OK;
    if (has_sequels)
        LAM_TRY(go_on(chunk, page, &decoder, location, &status, &failure));
    uint64_t left = count;
    while (left > 0 && status == LAM_STATUS_OK) {
        size_t some = left < chunk->values.batch ? (size_t)left : chunk->values.batch;
        /* Once per batch: a page may hold 2^31 values. */
        LAM_TRY(lam_stop_check(chunk->checker->stop, chunk->checker->error));
        status = lam_decoder_read(&decoder, some, chunk->values.elements, &failure);
        if (status == LAM_STATUS_OK)
            LAM_TRY(check_values_batch(chunk, some, location));
        left -= some;
    }
    if (has_sequels)
        LAM_TRY(check_keep_last(chunk, &decoder, status == LAM_STATUS_OK));
    if (status == LAM_STATUS_OK)
        status = lam_decoder_end(&decoder, &failure);
    if (status == LAM_STATUS_OK) {
        LAM_TRY(lam_check_rest(chunk, &decoder, location));
        return lam_check_delta_widths(chunk, page, location);
    }
    /* An index beyond the dictionary has a rule of its own. */
    lam_rule rule = failure.code == LAM_ERROR_CODE_DICTIONARY_INDEX ? LAM_RULE_DICTIONARY_INDEX
                                                                    : LAM_RULE_PAGE_VALUES;
    return report_bad(chunk, rule, location, status, &failure, ret_good);
}
