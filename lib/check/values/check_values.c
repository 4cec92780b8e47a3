/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks the values of a page: that they decode, as many as the levels ask for, and that each is
 * what the column's logical type allows and what its Bloom filter knows.
 *
 * Values are decoded in batches into chunk->values and added to the summary of the page, from which
 * statistics are checked later; nothing keeps a value beyond its batch. Pages of indexes into
 * strings go to check_dictionary.c, which checks each entry once instead. Each rule about single
 * values is reported once in a column chunk. (Encodings.md; LogicalTypes.md; BloomFilter.md)
 */
#include <inttypes.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/int96.h"
#include "check/chunk/chunk_check.h"
#include "encoding/encoding.h"
#include "meta/known_faults.h"
#include "record/value_rules.h"
#include "stats/bloom.h"

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
    if (chunk->values != NULL)
        return LAM_STATUS_OK;
    /* Not even one value is allowed: LIMIT. */
    if (element > chunk->checker->memory_limit)
        LAM_FAIL(failure, LAM_ERROR_CODE_MEMORY_LIMIT,
                 "a value of %zu bytes is above the memory limit of %" PRIu64, element,
                 chunk->checker->memory_limit);
    size_t batch = element > CHECK_VALUES_BATCH_BYTES ? 1 : CHECK_VALUES_BATCH_BYTES / element;
    chunk->batch = batch < LAM_CHECK_BATCH ? batch : LAM_CHECK_BATCH;
    return lam_alloc(&chunk->checker->allocator, chunk->batch * element, &chunk->values, failure);
}

/* --- Logical types ------------------------------------------------------------------------- */

/*
 * Gives the rule that the logical type imposes on each value; false when any value will do. INTEGER
 * of 8 and 16 bits is stored in INT32 and has values outside of its range; of 32 and 64 bits it has
 * none.
 */
static bool check_values_rule_of(const lam_field *leaf, lam_rule *ret_rule) {
    switch (leaf->logical_type.kind) {
    case LAM_LOGICAL_STRING:
    case LAM_LOGICAL_ENUM:
    case LAM_LOGICAL_JSON:
        *ret_rule = LAM_RULE_UTF8;
        return true;
    case LAM_LOGICAL_UNKNOWN:
        *ret_rule = LAM_RULE_UNKNOWN_NULL;
        return true;
    case LAM_LOGICAL_INTEGER:
        *ret_rule = LAM_RULE_VALUE_RANGE;
        return leaf->logical_type.bit_width < 32;
    case LAM_LOGICAL_DECIMAL:
    case LAM_LOGICAL_TIME:
        *ret_rule = LAM_RULE_VALUE_RANGE;
        return true;
    default:
        return false;
    }
}

/* Wraps the values as triples, so that the same function checks them as when they are written. */
static lam_status check_values_logical(lam_chunk_check *chunk, const void *values, size_t count,
                                       lam_check_location location) {
    lam_rule rule;
    const lam_triples batch = {.count = count, .value_count = count, .values = values};
    if (!check_values_rule_of(chunk->leaf, &rule) || chunk->reported[rule])
        return LAM_STATUS_OK;
    /* Stops at the first value that breaks the rule: one finding per rule and column chunk. */
    for (size_t i = 0; i < count; i++) {
        lam_error failure = lam_error_none();
        lam_value value = lam_triples_value(&batch, chunk->leaf, i);
        if (lam_value_check(chunk->leaf, &value, &failure) == LAM_STATUS_OK)
            continue;
        chunk->reported[rule] = true;
        return lam_check_report(chunk->checker, rule, location, "%s", failure.message);
    }
    return LAM_STATUS_OK;
}

/*
 * Notes INT96 whose nanoseconds are outside of their day: readers that do not add the two up see
 * another time. (base/int96.h)
 */
static lam_status check_int96(lam_chunk_check *chunk, const void *values, size_t count,
                              lam_check_location location) {
    const uint8_t *value = values;
    if (chunk->leaf->physical_type != LAM_PHYSICAL_INT96 ||
        chunk->reported[LAM_RULE_INT96_NANOSECONDS])
        return LAM_STATUS_OK;
    for (size_t i = 0; i < count; i++, value += LAM_INT96_SIZE) {
        if (lam_int96_is_within_day(value))
            continue;
        chunk->reported[LAM_RULE_INT96_NANOSECONDS] = true;
        return lam_check_report(chunk->checker, LAM_RULE_INT96_NANOSECONDS, location,
                                "a timestamp of day %" PRId32 " and %" PRId64
                                " nanoseconds, which are added up",
                                (int32_t)lam_load_le32(value + 8), (int64_t)lam_load_le64(value));
    }
    return LAM_STATUS_OK;
}

/* --- Bloom filter -------------------------------------------------------------------------- */

/*
 * Every value of the chunk must be in its Bloom filter: a filter that denies one makes readers skip
 * rows that match. (BloomFilter.md, "Technical Approach")
 */
static lam_status check_bloom(lam_chunk_check *chunk, const void *values, size_t count,
                              lam_check_location location) {
    uint8_t scratch[LAM_VALUE_SCRATCH];
    if (chunk->bloom == NULL || chunk->reported[LAM_RULE_BLOOM_VALUE])
        return LAM_STATUS_OK;
    lam_value_order order = lam_value_order_signed(chunk->leaf);
    for (size_t i = 0; i < count; i++) {
        lam_bytes value = lam_value_plain(&order, values, i, scratch);
        if (lam_bloom_probe(chunk->bloom, chunk->bloom_blocks, lam_bloom_hash(value)))
            continue;
        chunk->reported[LAM_RULE_BLOOM_VALUE] = true;
        return lam_check_report(chunk->checker, LAM_RULE_BLOOM_VALUE, location,
                                "the Bloom filter denies the value %s",
                                lam_check_show(chunk->leaf, value).text);
    }
    return LAM_STATUS_OK;
}

/* --- Decoding ------------------------------------------------------------------------------ */

/* PLAIN_DICTIONARY is the deprecated name, in data pages, of the same encoding. */
static bool is_dictionary_encoding(lam_encoding encoding) {
    return encoding == LAM_ENCODING_RLE_DICTIONARY || encoding == LAM_ENCODING_PLAIN_DICTIONARY;
}

lam_status lam_check_single_values(lam_chunk_check *chunk, const void *values, size_t count,
                                   lam_check_location location) {
    if (chunk->has_signed)
        LAM_TRY(lam_value_summary_add(&chunk->signed_total, values, count, chunk->checker->error));
    LAM_TRY(check_values_logical(chunk, values, count, location));
    LAM_TRY(check_int96(chunk, values, count, location));
    LAM_TRY(lam_check_contents(chunk, values, count, location));
    return check_bloom(chunk, values, count, location);
}

/* Adds one decoded batch to the page and checks its values by themselves. */
static lam_status check_values_batch(lam_chunk_check *chunk, size_t count,
                                     lam_check_location location) {
    LAM_TRY(lam_value_summary_add(&chunk->page, chunk->values, count, chunk->checker->error));
    return lam_check_single_values(chunk, chunk->values, count, location);
}

/*
 * Starts the decoder of a page. Failures go to `failure`: they are findings about the page, unlike
 * those in checker->error.
 */
static lam_status check_values_start(lam_chunk_check *chunk, const lam_page *page,
                                     lam_decoder *decoder, lam_error *failure) {
    lam_arena_reset(&chunk->values_arena);
    LAM_TRY(check_values_allocate(chunk, failure));
    return lam_decoder_init(decoder, chunk->checker->kernels, page->encoding, chunk->layout,
                            page->values, chunk->dictionary_reads ? &chunk->dictionary : NULL,
                            &chunk->values_arena, failure);
}

bool lam_check_has_sequels(const lam_checker *checker, const lam_field *leaf) {
    uint32_t faults = lam_known_faults(checker->footer.meta.created_by);
    return (lam_known_faults_of_leaf(faults, leaf) & LAM_FAULT_SEQUEL_PAGES) != 0;
}

/*
 * Goes on from the page before where the writer is known to, and reports it once: readers that do
 * not know the writer get other values, or none.
 */
static lam_status go_on(lam_chunk_check *chunk, const lam_page *page, lam_decoder *decoder,
                        lam_check_location location, lam_status *ret_status, lam_error *failure) {
    bool goes_on;
    *ret_status = lam_decoder_go_on(decoder, page->value_count, lam_buffer_bytes(&chunk->before),
                                    &goes_on, failure);
    if (*ret_status != LAM_STATUS_OK || !goes_on || chunk->reported[LAM_RULE_PAGE_VALUES])
        return LAM_STATUS_OK;
    chunk->reported[LAM_RULE_PAGE_VALUES] = true;
    return lam_check_report(chunk->checker, LAM_RULE_PAGE_VALUES, location,
                            "the values go on from the page before: readers that do not know the "
                            "writer get others, or none (PARQUET-246, apache/arrow-rs#3408)");
}

/* Keeps what the next page goes on from; nothing behind a page that is lost. */
static lam_status check_keep_last(lam_chunk_check *chunk, const lam_decoder *decoder,
                                  bool is_read) {
    if (decoder->encoding == LAM_ENCODING_DELTA_BYTE_ARRAY && is_read)
        return lam_decoder_keep_last(decoder, &chunk->before, chunk->checker->error);
    lam_buffer_clear(&chunk->before);
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
 * A warning: readers get all values of the page. See lam_decoder_end for the one encoding where
 * leftovers are an error.
 */
lam_status lam_check_rest(lam_chunk_check *chunk, const lam_decoder *decoder,
                          lam_check_location location) {
    lam_error rest = lam_error_none();
    if (lam_decoder_find_rest(decoder, &rest) == LAM_STATUS_OK)
        return LAM_STATUS_OK;
    return lam_check_warn(chunk->checker, LAM_RULE_PAGE_VALUES, location, rest.message);
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
    if (is_dictionary_encoding(page->encoding) && !chunk->dictionary_reads) {
        if (chunk->has_dictionary || !lam_check_once(chunk, LAM_RULE_DICTIONARY_MISSING))
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
    bool has_sequels = chunk->has_sequels && status == LAM_STATUS_OK;
    if (has_sequels)
        LAM_TRY(go_on(chunk, page, &decoder, location, &status, &failure));
    uint64_t left = count;
    while (left > 0 && status == LAM_STATUS_OK) {
        size_t some = left < chunk->batch ? (size_t)left : chunk->batch;
        /* Once per batch: a page may hold 2^31 values. */
        LAM_TRY(lam_stop_check(chunk->checker->stop, chunk->checker->error));
        status = lam_decoder_read(&decoder, some, chunk->values, &failure);
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
