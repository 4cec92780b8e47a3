/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tries to read a page that a walk has passed: finds the codecs that uncompress it to its stated
 * size, or the rows that begin in it.
 *
 * A failure of the bytes is always an answer and no error, so that only memory, input and limits
 * end a probe. A codec that gives exactly the stated number of bytes may still be the wrong one,
 * therefore pages are tried until one codec is left. (parquet.thrift, PageHeader; README.md of the
 * format, "Data Pages")
 */
#include "damage/unfinished/page_probe.h"

#include <lamella/format.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/wrap.h"
#include "chunk/read/page_walk.h"
#include "page/page.h"

enum { PROBE_LEVELS = 1024 }; /* that are decoded at once */

lam_status lam_page_probe_init(lam_page_probe *probe, const lam_input *input,
                               const lam_patched_input *gaps, uint64_t memory_limit,
                               const lam_stop *stop, const lam_allocator *allocator,
                               lam_error *error) {
    *probe = (lam_page_probe){.allocator = *allocator};
    probe->input = input;
    probe->gaps = gaps;
    probe->memory_limit = memory_limit;
    probe->stop = stop;
    lam_buffer_init(&probe->body, allocator);
    lam_buffer_init(&probe->output, allocator);
    return lam_codec_context_create(allocator, &probe->codecs, error);
}

void lam_page_probe_finish(lam_page_probe *probe) {
    lam_codec_context_destroy(probe->codecs);
    lam_buffer_finish(&probe->body);
    lam_buffer_finish(&probe->output);
}

/* True for a failure that says something about the page only. */
static bool is_of_page(lam_status status) {
    return status == LAM_STATUS_CORRUPT || status == LAM_STATUS_UNSUPPORTED;
}

/* True for a page some of whose bytes were passed when they were read. */
static bool is_unreadable(const lam_page_probe *probe, const lam_walked_page *page) {
    return probe->gaps != NULL &&
           lam_patched_input_has_gap(probe->gaps, page->offset, lam_walked_page_end(page), NULL);
}

/* --- Codecs -------------------------------------------------------------------------------- */

/*
 * Reads the bytes of a page that its codec compressed, all or, in V2, those after the levels, and
 * gives their size without compression; false when there are none, or the sizes are impossible.
 */
static lam_status read_compressed(lam_page_probe *probe, const lam_walked_page *page,
                                  size_t *ret_size, bool *ret_has, lam_error *error) {
    int64_t levels = 0;
    *ret_has = false;
    if (page->type == LAM_PAGE_DATA_V2)
        levels = (int64_t)page->definition_bytes + page->repetition_bytes;
    int64_t size = page->compressed_size - levels, plain = page->uncompressed_size - levels;
    if (levels < 0 || size <= 0 || plain <= 0 || !page->is_compressed || !page->is_sound ||
        (uint64_t)size > probe->memory_limit || (uint64_t)plain > probe->memory_limit)
        return LAM_STATUS_OK;
    lam_buffer_clear(&probe->body);
    lam_buffer_clear(&probe->output);
    LAM_TRY(lam_buffer_reserve(&probe->body, (size_t)size, error));
    LAM_TRY(lam_buffer_reserve(&probe->output, (size_t)plain, error));
    LAM_TRY(probe->input->read_at(probe->input->state,
                                  page->offset + page->header_size + (uint64_t)levels, (size_t)size,
                                  probe->body.data, error));
    probe->body.size = (size_t)size;
    *ret_size = (size_t)plain;
    *ret_has = !is_unreadable(probe, page);
    return LAM_STATUS_OK;
}

/* Removes the codecs from a set, one bit each, that cannot have compressed a page. */
static lam_status rule_out(lam_page_probe *probe, const lam_walked_page *page, uint32_t *codecs,
                           lam_error *error) {
    size_t size = 0;
    bool has;
    LAM_TRY(read_compressed(probe, page, &size, &has, error));
    for (int codec = LAM_CODEC_UNCOMPRESSED; has && codec <= LAM_CODEC_LZ4_RAW; codec++) {
        lam_error failure = lam_error_none();
        if ((*codecs & 1u << codec) == 0)
            continue;
        if (codec == LAM_CODEC_UNCOMPRESSED) {
            if (size != probe->body.size)
                *codecs &= ~(1u << codec);
            continue;
        }
        lam_status status =
            lam_codec_decompress(probe->codecs, (lam_codec)codec, lam_buffer_bytes(&probe->body),
                                 probe->output.data, size, &failure);
        if (status == LAM_STATUS_OK)
            continue;
        *codecs &= ~(1u << codec);
        if (is_of_page(status))
            continue;
        if (error != NULL)
            *error = failure;
        return status;
    }
    return LAM_STATUS_OK;
}

/* Number 5 is read in three formats, one of them LZ4_RAW, so it is never the only one. */
static uint32_t without_old_lz4(uint32_t codecs) {
    return (codecs & 1u << LAM_CODEC_LZ4_RAW) != 0 ? codecs & ~(1u << LAM_CODEC_LZ4) : codecs;
}

lam_status lam_page_probe_codec(lam_page_probe *probe, const lam_walked_page *pages, size_t count,
                                lam_codec *ret_codec, lam_error *error) {
    uint32_t codecs = 0;
    for (int codec = LAM_CODEC_UNCOMPRESSED; codec <= LAM_CODEC_LZ4_RAW; codec++)
        if (lam_codec_check_read((lam_codec)codec, NULL) == LAM_STATUS_OK)
            codecs |= 1u << codec;
    for (size_t i = 0; i < count; i++) {
        uint32_t left = without_old_lz4(codecs);
        if (!lam_has_several_bits(left))
            break;
        LAM_TRY(rule_out(probe, &pages[i], &codecs, error));
    }
    codecs = without_old_lz4(codecs);
    if (codecs == 0)
        LAM_FAIL(error, LAM_ERROR_CODE_PAGE_BODY, "no codec uncompresses all pages of the file");
    if (lam_has_several_bits(codecs) && (codecs & 1u << LAM_CODEC_UNCOMPRESSED) == 0)
        LAM_FAIL(error, LAM_ERROR_CODE_PAGE_BODY,
                 "more than one codec uncompresses the pages of the file");
    int codec = LAM_CODEC_UNCOMPRESSED;
    while ((codecs & 1u << codec) == 0)
        codec++;
    *ret_codec = (lam_codec)codec;
    return LAM_STATUS_OK;
}

/* --- Rows ---------------------------------------------------------------------------------- */

/*
 * Counts the repetition levels of 0, and the values: triples whose definition level is the maximum.
 * A level above its maximum is CORRUPT.
 */
static lam_status count_page_levels(lam_page *page, const lam_field *leaf, const lam_stop *stop,
                                    lam_page_fit *fit, uint64_t *ret_values, lam_error *error) {
    uint8_t repetition[PROBE_LEVELS] = {0}, definition[PROBE_LEVELS] = {0};
    *ret_values = 0;
    for (uint32_t done = 0; done < page->value_count;) {
        LAM_TRY(lam_stop_check(stop, error));
        uint32_t left = page->value_count - done;
        uint32_t some = left < PROBE_LEVELS ? left : PROBE_LEVELS;
        if (leaf->max_repetition > 0)
            LAM_TRY(lam_rle_read_levels(&page->repetition, some, repetition, error));
        if (leaf->max_definition > 0)
            LAM_TRY(lam_rle_read_levels(&page->definition, some, definition, error));
        for (uint32_t i = 0; i < some; i++) {
            if (repetition[i] > leaf->max_repetition || definition[i] > leaf->max_definition)
                LAM_FAIL(error, LAM_ERROR_CODE_LEVELS_RANGE, "a level beyond the maximum");
            fit->rows += repetition[i] == 0;
            *ret_values += definition[i] == leaf->max_definition;
        }
        if (done == 0)
            fit->begins = repetition[0] == 0;
        done += some;
    }
    return LAM_STATUS_OK;
}

/* True when bytes are `count` strings in PLAIN: each after its length, and no byte after them. */
static bool are_plain_strings(lam_bytes bytes, uint64_t count) {
    size_t at = 0;
    for (; count > 0; count--) {
        if (bytes.size - at < sizeof(uint32_t))
            return false;
        uint32_t size = lam_load_le32(bytes.data + at);
        at += sizeof size;
        if (size > bytes.size - at)
            return false;
        at += size;
    }
    return at == bytes.size;
}

/* Whether the bytes of a PLAIN page are as many as its values take; true in other encodings. */
static bool has_plain_size(const lam_page *page, const lam_field *leaf, uint64_t values) {
    if (page->encoding != LAM_ENCODING_PLAIN)
        return true;
    if (leaf->physical_type == LAM_PHYSICAL_BYTE_ARRAY)
        return are_plain_strings(page->values, values);
    if (leaf->physical_type == LAM_PHYSICAL_BOOLEAN)
        return page->values.size == (values + 7) / 8;
    return page->values.size == values * (uint64_t)leaf->type_length;
}

/* Opens the page at the start of a walk, as the leaf's, and counts its rows. */
static lam_status open_and_count(lam_page_walk *walk, lam_page_reader *reader,
                                 const lam_field *leaf, const lam_stop *stop, lam_page_fit *fit,
                                 lam_error *error) {
    lam_meta_page_header header;
    uint64_t offset;
    lam_bytes body;
    lam_page page;
    LAM_TRY(lam_page_walk_next(walk, &header, &offset, error));
    LAM_TRY(lam_page_check_sizes(reader, &header, error));
    LAM_TRY(lam_page_walk_body(walk, &body, error));
    LAM_TRY(lam_page_read_data(reader, &header, body, &page, error));
    uint64_t values;
    LAM_TRY(count_page_levels(&page, leaf, stop, fit, &values, error));
    if (!has_plain_size(&page, leaf, values))
        LAM_FAIL(error, LAM_ERROR_CODE_PAGE_VALUES, "the values are not as many as their bytes");
    return LAM_STATUS_OK;
}

/* What a page's header says about its rows, if anything. (parquet.thrift, DataPageHeaderV2) */
static lam_page_fit fit_of_header(const lam_walked_page *page, const lam_field *leaf) {
    if (leaf->max_repetition == 0)
        return (lam_page_fit){true, true, (uint64_t)page->value_count};
    if (page->type == LAM_PAGE_DATA_V2 && page->row_count >= 0)
        return (lam_page_fit){true, true, (uint64_t)page->row_count};
    return (lam_page_fit){.fits = false};
}

lam_status lam_page_probe_rows(lam_page_probe *probe, const lam_walked_page *page,
                               const lam_field *leaf, lam_codec codec, lam_page_fit *ret_fit,
                               lam_error *error) {
    lam_page_walk walk;
    lam_page_reader reader;
    lam_error failure = lam_error_none();
    lam_page_fit fit = {true, true, 0};
    lam_chunk_range range = {page->offset, lam_walked_page_end(page) - page->offset, 0};
    lam_page_walk_init(&walk, probe->input, range, &probe->allocator);
    lam_page_reader_init(&reader, lam_kernels_get(), codec, leaf, false, probe->memory_limit,
                         probe->codecs, &probe->allocator);
    lam_status status = open_and_count(&walk, &reader, leaf, probe->stop, &fit, &failure);
    lam_page_reader_finish(&reader);
    lam_page_walk_finish(&walk);
    fit.fits = status == LAM_STATUS_OK;
    if ((fit.fits || is_of_page(status)) && is_unreadable(probe, page)) {
        *ret_fit = fit_of_header(page, leaf);
        return LAM_STATUS_OK;
    }
    if (fit.fits || is_of_page(status)) {
        *ret_fit = fit;
        return LAM_STATUS_OK;
    }
    if (error != NULL)
        *error = failure;
    return status;
}
