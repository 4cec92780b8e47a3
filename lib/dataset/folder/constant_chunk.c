/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes the column chunk of a constant, which is a value or a null for a number of rows, as pages
 * with their description for the footer.
 *
 *     value    dictionary page: the value        data page: levels, one run of 1; indexes, one run
 *     null                                       data page: levels, one run of 0
 *
 * The dictionary has one entry, so that indexes have 0 bits. A data page has at most a million
 * rows, because readers get the values of a page at once. The statistics are always exact, as
 * minimum and maximum are the value. A chunk without rows has no bounds. (README.md of the format,
 * section "Data Pages"; Encodings.md, "Dictionary Encoding"; parquet.thrift, ColumnMetaData)
 */
#include "dataset/folder/constant_chunk.h"

#include <inttypes.h>

#include "base/bytes.h"
#include "base/error.h"
#include "meta/compact.h"
#include "meta/wire.h"

enum { TEXT_LENGTH = 4 /* bytes of the length before a text */ };

/* --- Types --------------------------------------------------------------------------------- */

static lam_physical_type constant_physical_type(lam_constant_type type) {
    switch (type) {
    case LAM_CONSTANT_INT64:
        return LAM_PHYSICAL_INT64;
    case LAM_CONSTANT_DATE:
        return LAM_PHYSICAL_INT32;
    default:
        return LAM_PHYSICAL_BYTE_ARRAY;
    }
}

lam_meta_schema_element lam_constant_element(const lam_constant *constant) {
    static const lam_meta_logical_type string = {.kind = LAM_META_LOGICAL_STRING};
    static const lam_meta_logical_type date = {.kind = LAM_META_LOGICAL_DATE};
    lam_meta_schema_element element = {
        .has = LAM_META_SCHEMA_ELEMENT_HAS_TYPE | LAM_META_SCHEMA_ELEMENT_HAS_REPETITION_TYPE,
        .type = (int32_t)constant_physical_type(constant->type),
        .repetition_type = LAM_REPETITION_OPTIONAL,
        .name = {(const uint8_t *)constant->name, strlen(constant->name)}};
    if (constant->type == LAM_CONSTANT_STRING || constant->type == LAM_CONSTANT_DATE) {
        bool is_date = constant->type == LAM_CONSTANT_DATE;
        element.has |= LAM_META_SCHEMA_ELEMENT_HAS_CONVERTED_TYPE;
        element.converted_type = is_date ? LAM_META_CONVERTED_DATE : LAM_META_CONVERTED_UTF8;
        element.logical_type = is_date ? &date : &string;
    }
    return element;
}

/* Copies the bytes of a value as statistics have them: PLAIN, without the length of a text. */
static lam_status constant_bound(const lam_constant *constant, lam_arena *arena,
                                 lam_bytes *ret_bytes, lam_error *error) {
    uint8_t number[8];
    lam_bytes bytes = {number, sizeof number};
    if (constant->type == LAM_CONSTANT_INT64) {
        lam_store_le64(number, (uint64_t)constant->value.int64);
    } else if (constant->type == LAM_CONSTANT_DATE) {
        lam_store_le32(number, (uint32_t)constant->value.int32);
        bytes.size = 4;
    } else {
        bytes = constant->value.bytes;
        if (bytes.size > INT32_MAX - TEXT_LENGTH)
            LAM_FAIL(error, LAM_ERROR_CODE_FORMAT_LIMIT,
                     "a constant of %zu bytes is too large for a page", bytes.size);
    }
    char *copy;
    LAM_TRY(lam_arena_copy(arena, bytes.data, bytes.size, &copy, error));
    *ret_bytes = (lam_bytes){(const uint8_t *)copy, bytes.size};
    return LAM_STATUS_OK;
}

/* --- Pages --------------------------------------------------------------------------------- */

/* Appends a page header, and the body after it. */
static lam_status constant_put_page(lam_meta_page_header *header, const lam_buffer *body,
                                    lam_buffer *out, lam_error *error) {
    header->uncompressed_page_size = (int32_t)body->size;
    header->compressed_page_size = (int32_t)body->size;
    LAM_TRY(lam_meta_write_page_header(header, out, error));
    return lam_buffer_append(out, body->data, body->size, error);
}

/* The dictionary of one entry: its PLAIN bytes, which for a text begin with the length. */
static lam_status constant_put_dictionary(const lam_constant *constant, lam_bytes value,
                                          lam_buffer *body, lam_buffer *out, lam_error *error) {
    const lam_meta_dictionary_page_header dictionary = {.num_values = 1,
                                                        .encoding = LAM_ENCODING_PLAIN};
    lam_meta_page_header header = {.type = LAM_PAGE_DICTIONARY,
                                   .dictionary_page_header = &dictionary};
    uint8_t size[TEXT_LENGTH];
    lam_buffer_clear(body);
    lam_store_le32(size, (uint32_t)value.size);
    if (constant_physical_type(constant->type) == LAM_PHYSICAL_BYTE_ARRAY)
        LAM_TRY(lam_buffer_append(body, size, sizeof size, error));
    LAM_TRY(lam_buffer_append(body, value.data, value.size, error));
    return constant_put_page(&header, body, out, error);
}

/* Appends one repeated run to a body that has room for it. (Encodings.md, "RLE") */
static void constant_put_run(uint8_t value, size_t value_size, uint32_t count, lam_buffer *body) {
    lam_wire_put_varint(body, (uint64_t)count << 1);
    if (value_size > 0)
        body->data[body->size++] = value;
}

/*
 * A data page of version 1: the definition levels after their length, then for values the bit width
 * of the indexes, which is 0, and the indexes.
 */
static lam_status constant_put_data(bool is_null, uint32_t rows, lam_buffer *body, lam_buffer *out,
                                    lam_error *error) {
    enum { LENGTH = 4, RUN_MOST = LAM_WIRE_VARINT_MAX + 1, INDEX_WIDTH = 1 };
    const lam_meta_data_page_header data = {.num_values = (int32_t)rows,
                                            .encoding = is_null ? LAM_ENCODING_PLAIN
                                                                : LAM_ENCODING_RLE_DICTIONARY,
                                            .definition_level_encoding = LAM_ENCODING_RLE,
                                            .repetition_level_encoding = LAM_ENCODING_RLE};
    lam_meta_page_header header = {.type = LAM_PAGE_DATA, .data_page_header = &data};
    lam_buffer_clear(body);
    LAM_TRY(lam_buffer_reserve(body, LENGTH + 2 * RUN_MOST + INDEX_WIDTH, error));
    body->size = LENGTH;
    constant_put_run(!is_null, 1, rows, body);
    lam_store_le32(body->data, (uint32_t)(body->size - LENGTH));
    if (!is_null) {
        body->data[body->size++] = 0;
        constant_put_run(0, 0, rows, body);
    }
    return constant_put_page(&header, body, out, error);
}

/* --- The chunk ----------------------------------------------------------------------------- */

/* A chunk being described, with all that its metadata point at. */
typedef struct constant_description {
    lam_meta_column column;
    lam_meta_statistics statistics;
    lam_bytes path;
    int32_t encodings[2];
    lam_meta_page_encoding_stats pages[2];
} constant_description;

static void constant_describe(const lam_constant *constant, bool has_value, uint64_t rows,
                              lam_bytes value, constant_description *about) {
    about->path = lam_constant_element(constant).name;
    about->encodings[0] = has_value ? LAM_ENCODING_RLE_DICTIONARY : LAM_ENCODING_PLAIN;
    about->encodings[1] = LAM_ENCODING_RLE;
    about->statistics.has = LAM_META_STATISTICS_HAS_NULL_COUNT;
    about->statistics.null_count = constant->is_null ? (int64_t)rows : 0;
    if (has_value) {
        about->statistics.has |=
            LAM_META_STATISTICS_HAS_DISTINCT_COUNT | LAM_META_STATISTICS_HAS_MIN_VALUE |
            LAM_META_STATISTICS_HAS_MAX_VALUE | LAM_META_STATISTICS_HAS_IS_MIN_VALUE_EXACT |
            LAM_META_STATISTICS_HAS_IS_MAX_VALUE_EXACT;
        about->statistics.distinct_count = 1;
        about->statistics.is_min_value_exact = true;
        about->statistics.is_max_value_exact = true;
        about->statistics.min_value = value;
        about->statistics.max_value = value;
    }
    about->column.type = (int32_t)constant_physical_type(constant->type);
    about->column.encodings = (lam_meta_i32_list){about->encodings, 2};
    about->column.path_in_schema = (lam_meta_bytes_list){&about->path, 1};
    about->column.num_values = (int64_t)rows;
    about->column.statistics = &about->statistics;
    about->column.encoding_stats = (lam_meta_page_encoding_stats_list){about->pages, 0};
    about->column.has = LAM_META_COLUMN_HAS_ENCODING_STATS;
}

static void constant_count_pages(constant_description *about, int32_t type, int32_t encoding,
                                 int32_t count) {
    about->pages[about->column.encoding_stats.count++] =
        (lam_meta_page_encoding_stats){.page_type = type, .encoding = encoding, .count = count};
}

lam_status lam_constant_chunk_write(const lam_constant *constant, uint64_t rows, uint64_t first,
                                    lam_arena *arena, lam_buffer *out,
                                    lam_meta_column_chunk *ret_chunk, lam_error *error) {
    lam_status status;
    size_t before = out->size;
    lam_bytes value = {NULL, 0};
    bool has_value = !constant->is_null && rows > 0;
    int32_t page_count = 0;
    lam_buffer body;
    lam_buffer_init(&body, &out->allocator);
    if (rows > LAM_CONSTANT_ROWS_MAX)
        LAM_FAIL_OUT(error, LAM_STATUS_LIMIT,
                     "a row group of %" PRIu64 " rows is too large for a constant column", rows);
    constant_description *about;
    LAM_TRY_OUT(LAM_ARENA_NEW(arena, &about, error));
    if (has_value) {
        LAM_TRY_OUT(constant_bound(constant, arena, &value, error));
        LAM_TRY_OUT(constant_put_dictionary(constant, value, &body, out, error));
    }
    constant_describe(constant, has_value, rows, value, about);
    about->column.data_page_offset = (int64_t)(first + (out->size - before));
    for (uint64_t left = rows; left > 0; page_count++) {
        uint64_t count = left < LAM_CONSTANT_PAGE_ROWS ? left : LAM_CONSTANT_PAGE_ROWS;
        LAM_TRY_OUT(constant_put_data(!has_value, (uint32_t)count, &body, out, error));
        left -= count;
    }
    if (has_value) {
        about->column.has |= LAM_META_COLUMN_HAS_DICTIONARY_PAGE_OFFSET;
        about->column.dictionary_page_offset = (int64_t)first;
        constant_count_pages(about, LAM_PAGE_DICTIONARY, LAM_ENCODING_PLAIN, 1);
    }
    if (page_count > 0)
        constant_count_pages(about, LAM_PAGE_DATA, about->encodings[0], page_count);
    about->column.total_compressed_size = (int64_t)(out->size - before);
    about->column.total_uncompressed_size = about->column.total_compressed_size;
    *ret_chunk = (lam_meta_column_chunk){.meta_data = &about->column};
out:
    if (status != LAM_STATUS_OK)
        out->size = before;
    lam_buffer_finish(&body);
    return status;
}
