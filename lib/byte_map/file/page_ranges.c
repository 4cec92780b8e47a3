/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reports the sections of a page. Takes a header that was read, and its position, and gives ranges:
 *
 *     data page V1      page_header | page_body: repetition levels, definition levels, values
 *     data page V2      page_header | repetition levels | definition levels | page_body: values
 *     dictionary page   page_header | page_body: values
 *
 * Sizes are always those of the header, as far as the page has room for them; what they leave over
 * is UNKNOWN. Ranges inside a compressed body cover its uncompressed bytes. (README.md of the
 * format, "Data Pages"; parquet.thrift, DataPageHeader, DataPageHeaderV2)
 */
#include "byte_map/file/page_ranges.h"

#include <inttypes.h>

#include "byte_map/encodings/level_ranges.h"
#include "byte_map/encodings/value_ranges.h"
#include "byte_map/walk/thrift_ranges.h"
#include "meta/known_faults.h"
#include "meta/page_header.h"
#include "meta/tables.h"
#include "schema/tree.h"

/* --- Header -------------------------------------------------------------------------------- */

static lam_status report_header(lam_byte_walk *walk, uint64_t begin, uint64_t size,
                                lam_error *error) {
    lam_byte_range range = lam_byte_range_of(LAM_BYTE_PAGE_HEADER, begin, size);
    range.label = lam_meta_page_header_table.name;
    range.is_expandable = true;
    return lam_byte_enter_bytes(walk, &range, lam_byte_struct_inside, &lam_meta_page_header_table,
                                error);
}

/* --- What the uncompressed body holds ------------------------------------------------------ */

/* A page body that is being reported. */
typedef struct body_walk {
    const lam_byte_page *page;
    bool is_compressed;
    uint64_t value_count; /* of V2 pages, whose levels precede the body */
} body_walk;

static lam_status inside_of_v1(lam_byte_walk *walk, lam_byte_view view, const lam_byte_page *page,
                               lam_error *error) {
    const lam_meta_data_page_header *v1 = page->header->data_page_header;
    uint64_t triples = v1->num_values > 0 ? (uint64_t)v1->num_values : 0;
    lam_byte_values values = {(lam_encoding)v1->encoding, page->leaf, triples};
    lam_byte_levels levels = {.kind = LAM_BYTE_REPETITION_LEVELS,
                              .encoding = (lam_encoding)v1->repetition_level_encoding,
                              .max_level = page->leaf->max_repetition,
                              .count = triples};
    size_t at = 0;
    LAM_TRY(lam_byte_levels_v1(walk, view, &at, &levels, error));
    levels.kind = LAM_BYTE_DEFINITION_LEVELS;
    levels.encoding = (lam_encoding)v1->definition_level_encoding;
    levels.max_level = page->leaf->max_definition;
    LAM_TRY(lam_byte_levels_v1(walk, view, &at, &levels, error));
    values.count = levels.value_count;
    return lam_byte_values_of(walk, lam_byte_view_cut(view, at, view.size - at), &values, error);
}

/* The body is uncompressed, or never was compressed. */
static lam_status inside_of_plain_body(lam_byte_walk *walk, lam_byte_view view,
                                       const body_walk *body, lam_error *error) {
    const lam_byte_page *page = body->page;
    const lam_meta_page_header *header = page->header;
    if (header->type == LAM_PAGE_DATA)
        return inside_of_v1(walk, view, page, error);
    lam_byte_values values = {LAM_ENCODING_PLAIN, page->leaf, body->value_count};
    if (header->type == LAM_PAGE_DATA_V2) {
        values.encoding = (lam_encoding)header->data_page_header_v2->encoding;
        return lam_byte_values_of(walk, view, &values, error);
    }
    const lam_meta_dictionary_page_header *dictionary = header->dictionary_page_header;
    values.count = dictionary->num_values > 0 ? (uint64_t)dictionary->num_values : 0;
    if (dictionary->encoding != LAM_ENCODING_PLAIN &&
        dictionary->encoding != LAM_ENCODING_PLAIN_DICTIONARY)
        return lam_byte_unknown(walk, view, 0, view.size, error, "a dictionary in the encoding %s",
                                lam_encoding_name((lam_encoding)dictionary->encoding));
    return lam_byte_values_of(walk, view, &values, error);
}

/*
 * Uncompresses the body to `size` bytes, at least one, and reports what it holds; the walk is
 * inside it meanwhile.
 */
static lam_status inside_of_compressed(lam_byte_walk *walk, lam_byte_view view,
                                       const body_walk *body, uint64_t size, lam_error *error) {
    lam_error cause = lam_error_none();
    lam_buffer plain;
    lam_byte_view inner = {NULL, (size_t)size, 0};
    lam_status status = LAM_STATUS_LIMIT;
    lam_buffer_init(&plain, &walk->allocator);
    if (size > walk->limit)
        lam_error_set(&cause, LAM_ERROR_CODE_MEMORY_LIMIT,
                      "a page of %" PRIu64 " bytes is above the memory limit (option memory_limit)",
                      size);
    else
        status = lam_buffer_reserve(&plain, (size_t)size, &cause);
    if (status == LAM_STATUS_OK)
        status =
            lam_codec_decompress(walk->codecs, body->page->codec, (lam_bytes){view.data, view.size},
                                 plain.data, (size_t)size, &cause);
    walk->is_in_body = true;
    if (status == LAM_STATUS_OK) {
        inner.data = plain.data;
        status = inside_of_plain_body(walk, inner, body, error);
    } else if (lam_byte_is_damage(status)) {
        status = lam_byte_unknown(walk, inner, 0, inner.size, error, "%s", cause.message);
    } else if (error != NULL) {
        *error = cause;
    }
    walk->is_in_body = false;
    lam_buffer_finish(&plain);
    return status;
}

/* --- Body ---------------------------------------------------------------------------------- */

/* The uncompressed size of a body, which in V2 pages lacks the levels; -1 if it is impossible. */
static int64_t plain_size(const lam_byte_page *page, uint64_t level_bytes) {
    int64_t size = page->header->uncompressed_page_size;
    return size < 0 || (uint64_t)size < level_bytes ? -1 : size - (int64_t)level_bytes;
}

static lam_status inside_of_body(lam_byte_walk *walk, lam_byte_view view, const void *what,
                                 lam_error *error) {
    const body_walk *body = what;
    uint64_t levels = view.begin - body->page->begin - body->page->header_size;
    if (body->is_compressed)
        return inside_of_compressed(walk, view, body, (uint64_t)plain_size(body->page, levels),
                                    error);
    return inside_of_plain_body(walk, view, body, error);
}

/* True if the body can be read. */
static bool has_contents(const lam_byte_page *page) {
    const lam_meta_page_header *header = page->header;
    return page->leaf != NULL && page->codec != LAM_CODEC_DEFAULT &&
           (lam_page_header_is_data(header) || header->type == LAM_PAGE_DICTIONARY);
}

/* Reports the body from `begin` on; in V2 pages, levels of `level_bytes` precede it. */
static lam_status report_body(lam_byte_walk *walk, body_walk *body, uint64_t begin, uint64_t size,
                              uint64_t level_bytes, lam_error *error) {
    const lam_byte_page *page = body->page;
    lam_byte_range range = lam_byte_range_of(LAM_BYTE_PAGE_BODY, begin, size);
    if (size == 0)
        return LAM_STATUS_OK;
    if (page->codec != LAM_CODEC_DEFAULT)
        range.label = lam_codec_name(body->is_compressed ? page->codec : LAM_CODEC_UNCOMPRESSED);
    range.is_expandable = has_contents(page);
    if (body->is_compressed) {
        range.uncompressed_size = plain_size(page, level_bytes);
        range.is_expandable = range.is_expandable && range.uncompressed_size > 0;
        if (range.uncompressed_size < 0)
            range.note = "the header states an impossible uncompressed size";
    }
    return lam_byte_enter_bytes(walk, &range, inside_of_body, body, error);
}

/* --- Pages --------------------------------------------------------------------------------- */

/*
 * Levels of V2 pages have their sizes in the header, and are not compressed. They are loaded even
 * if they are not to be shown, since they give the number of values.
 */
static lam_status report_v2_levels(lam_byte_walk *walk, body_walk *body, uint64_t begin,
                                   uint64_t size, uint64_t *ret_levels, lam_error *error) {
    const lam_byte_page *page = body->page;
    const lam_meta_data_page_header_v2 *v2 = page->header->data_page_header_v2;
    int64_t r = v2->repetition_levels_byte_length, d = v2->definition_levels_byte_length;
    lam_byte_levels levels = {.kind = LAM_BYTE_REPETITION_LEVELS,
                              .encoding = LAM_ENCODING_RLE,
                              .max_level = page->leaf->max_repetition,
                              .count = v2->num_values > 0 ? (uint64_t)v2->num_values : 0};
    *ret_levels = 0;
    if (r < 0 || d < 0 || (uint64_t)r + (uint64_t)d > size)
        return LAM_STATUS_OK; /* the body gets them, and cannot be read */
    LAM_TRY(lam_byte_levels_v2(walk, begin, (uint64_t)r, &levels, error));
    levels.kind = LAM_BYTE_DEFINITION_LEVELS;
    levels.max_level = page->leaf->max_definition;
    LAM_TRY(lam_byte_levels_v2(walk, begin + (uint64_t)r, (uint64_t)d, &levels, error));
    body->value_count = levels.value_count;
    *ret_levels = (uint64_t)r + (uint64_t)d;
    return LAM_STATUS_OK;
}

lam_status lam_byte_page_sections(lam_byte_walk *walk, const lam_byte_page *page,
                                  lam_error *error) {
    const lam_meta_page_header *header = page->header;
    uint64_t begin = page->begin + page->header_size, levels = 0;
    uint64_t size = (uint64_t)header->compressed_page_size;
    body_walk body = {page, page->codec > LAM_CODEC_UNCOMPRESSED, 0};
    LAM_TRY(report_header(walk, page->begin, page->header_size, error));
    if (header->type == LAM_PAGE_DATA_V2 && has_contents(page)) {
        LAM_TRY(report_v2_levels(walk, &body, begin, size, &levels, error));
        if (!header->data_page_header_v2->is_compressed &&
            (walk->faults & LAM_FAULT_V2_COMPRESSION) == 0)
            body.is_compressed = false;
    }
    return report_body(walk, &body, begin + levels, size - levels, levels, error);
}

lam_status lam_byte_lone_page(lam_byte_walk *walk, uint64_t begin, uint32_t header_size,
                              uint32_t body_size, lam_error *error) {
    lam_byte_range range =
        lam_byte_range_of(LAM_BYTE_PAGE, begin, (uint64_t)header_size + body_size);
    bool inside;
    range.is_expandable = true;
    range.note = "a page of no column chunk";
    LAM_TRY(lam_byte_enter(walk, &range, &inside, error));
    if (!inside)
        return LAM_STATUS_OK;
    LAM_TRY(report_header(walk, begin, header_size, error));
    lam_byte_range rest = lam_byte_range_of(LAM_BYTE_PAGE_BODY, begin + header_size, body_size);
    if (body_size > 0)
        LAM_TRY(lam_byte_leaf(walk, &rest, error));
    lam_byte_leave(walk);
    return LAM_STATUS_OK;
}
