/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reports everything that the footer states about a column and its chunks beyond what reading them
 * needs: column orders, sorting columns, sizes, level histograms, geospatial boxes, page counts,
 * key-value metadata.
 *
 * Nothing here is checked. A number that contradicts the pages is reported as it is stated, since
 * tools that inspect files want the statement; scan/prune/chunk_sanity.c decides what to believe.
 * Absence is always visible: -1 for a number, NULL data for bytes, false for a flag. Each call
 * decodes its chunk; bytes are borrowed from the reader's footer, lists from its chunk_lists.
 * (parquet.thrift, ColumnMetaData, SizeStatistics, GeospatialStatistics)
 */
#include <lamella/details.h>

#include <string.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/options.h"
#include "file/read/file_reader.h"
#include "file/read/statistics_info.h"
#include "stats/value_order.h"

/*
 * UNDEFINED if the footer has no orders, too few of them, or a member of the union that this
 * version does not know: all three leave the reader without an order to compare in.
 */
lam_column_order lam_reader_column_order(const lam_reader *reader, size_t leaf_index) {
    const lam_meta_file_view *meta = &reader->footer.meta;
    if ((meta->has & LAM_META_FILE_HAS_COLUMN_ORDERS) == 0 ||
        leaf_index >= meta->column_orders.count)
        return LAM_COLUMN_ORDER_UNDEFINED;
    int32_t kind = meta->column_orders.items[leaf_index].kind;
    bool known =
        kind >= LAM_META_COLUMN_ORDER_TYPE && kind <= LAM_META_COLUMN_ORDER_INT96_TIMESTAMP;
    return known ? (lam_column_order)kind : LAM_COLUMN_ORDER_UNDEFINED;
}

const char *lam_column_order_name(lam_column_order order) {
    static const char *const names[] = {"UNDEFINED", "TYPE_ORDER", "IEEE_754_TOTAL_ORDER",
                                        "INT96_TIMESTAMP_ORDER"};
    size_t index = (size_t)order;
    return index < sizeof names / sizeof names[0] ? names[index] : names[0];
}

int lam_bound_compare(const lam_field *leaf, lam_bytes a, lam_bytes b) {
    if (lam_field_physical_type(leaf) == LAM_PHYSICAL_GROUP || a.data == NULL || b.data == NULL)
        return 0;
    lam_value_order order = lam_value_order_of(leaf, LAM_META_COLUMN_ORDER_TYPE);
    if (!lam_value_fits(&order, a) || !lam_value_fits(&order, b) || lam_value_is_nan(&order, a) ||
        lam_value_is_nan(&order, b))
        return 0;
    return lam_value_compare(&order, a, b);
}

/*
 * Decodes the PLAIN bytes of a bound into a value. Only the size depends on the order, so the
 * signed order serves for all columns. A BOOLEAN takes one byte here, INT96 and byte arrays stay
 * bytes.
 */
lam_status lam_bound_value(const lam_field *leaf, lam_bytes bound, lam_value *ret_value,
                           lam_error *error) {
    lam_value_order order = lam_value_order_signed(leaf);
    lam_value value = {.bytes = bound};
    if (lam_field_physical_type(leaf) == LAM_PHYSICAL_GROUP || bound.data == NULL ||
        !lam_value_fits(&order, bound))
        LAM_FAIL(error, LAM_STATUS_INVALID, "a bound of %zu bytes is not a value of its column",
                 bound.size);
    switch (lam_field_physical_type(leaf)) {
    case LAM_PHYSICAL_BOOLEAN:
        value.boolean = bound.data[0] != 0;
        break;
    /*
     * The members of the union share their first byte, so the bits serve integers and floats alike.
     */
    case LAM_PHYSICAL_INT32:
    case LAM_PHYSICAL_FLOAT: {
        uint32_t bits = lam_load_le32(bound.data);
        memcpy(&value, &bits, sizeof bits);
        break;
    }
    case LAM_PHYSICAL_INT64:
    case LAM_PHYSICAL_DOUBLE: {
        uint64_t bits = lam_load_le64(bound.data);
        memcpy(&value, &bits, sizeof bits);
        break;
    }
    default:
        break;
    }
    *ret_value = value;
    return LAM_STATUS_OK;
}

/* --- Row groups ---------------------------------------------------------------------------- */

lam_status lam_reader_sorting_column(const lam_reader *reader, size_t row_group, size_t index,
                                     lam_sorting_column *ret_column, lam_error *error) {
    lam_row_group_info group = lam_row_group_info_default();
    lam_sorting_column column = lam_sorting_column_default();
    LAM_TRY(lam_reader_row_group(reader, row_group, &group, error));
    if (index >= group.sorting_column_count)
        LAM_FAIL(error, LAM_STATUS_INVALID, "no sorting column %zu: there are %zu", index,
                 group.sorting_column_count);
    const lam_meta_sorting_column *stated =
        &lam_reader_row_group_view(reader, row_group)->sorting_columns.items[index];
    column.leaf_index = stated->column_idx;
    column.descending = stated->descending;
    column.nulls_first = stated->nulls_first;
    return LAM_INFO_WRITE(lam_sorting_column, &column, ret_column, error);
}

/* --- Column chunks ------------------------------------------------------------------------- */

/*
 * One axis of a box. `ends` are the two bits that say that it is stated; 0 for X and Y, which the
 * struct requires.
 */
static lam_box_axis axis_of(const lam_meta_bounding_box *box, uint32_t ends, double least,
                            double most) {
    lam_box_axis axis = {(box->has & ends) == ends, least, most};
    return axis;
}

/* In the order of lam_geospatial_info.axes: X, Y, Z, M. Types are ISO WKB codes, as stated. */
static lam_geospatial_info geospatial_of(const lam_meta_geospatial_statistics *stated) {
    lam_geospatial_info info = {0};
    if (stated == NULL)
        return info;
    info.is_stated = true;
    info.types = stated->geospatial_types.items;
    info.type_count = stated->geospatial_types.count;
    const lam_meta_bounding_box *box = stated->bbox;
    if (box == NULL)
        return info;
    info.has_box = true;
    info.axes[0] = axis_of(box, 0, box->xmin, box->xmax);
    info.axes[1] = axis_of(box, 0, box->ymin, box->ymax);
    info.axes[2] = axis_of(box, LAM_META_BOUNDING_BOX_HAS_ZMIN | LAM_META_BOUNDING_BOX_HAS_ZMAX,
                           box->zmin, box->zmax);
    info.axes[3] = axis_of(box, LAM_META_BOUNDING_BOX_HAS_MMIN | LAM_META_BOUNDING_BOX_HAS_MMAX,
                           box->mmin, box->mmax);
    return info;
}

/* Leaves -1 and empty histograms if the chunk has no size statistics. */
static void fill_sizes(const lam_meta_size_statistics *sizes, lam_chunk_details *details) {
    details->unencoded_bytes = -1;
    if (sizes == NULL)
        return;
    if ((sizes->has & LAM_META_SIZE_STATISTICS_HAS_UNENCODED_BYTE_ARRAY_DATA_BYTES) != 0)
        details->unencoded_bytes = sizes->unencoded_byte_array_data_bytes;
    details->repetition = lam_level_counts_of(&sizes->repetition_level_histogram);
    details->definition = lam_level_counts_of(&sizes->definition_level_histogram);
}

/* The number if its bit says that it is stated, else -1. */
static int64_t chunk_details_if_has(uint32_t has, uint32_t bit, int64_t number) {
    return (has & bit) != 0 ? number : -1;
}

/* The lists of the chunk must be those that the reader keeps. */
static lam_chunk_details details_of(const lam_meta_column_chunk *chunk) {
    const lam_meta_column *column = chunk->meta_data;
    lam_chunk_details details = lam_chunk_details_default();
    details.statistics = lam_statistics_of(column->statistics);
    fill_sizes(column->size_statistics, &details);
    details.geospatial = geospatial_of(column->geospatial_statistics);
    details.page_count_count = column->encoding_stats.count;
    details.key_value_count = column->key_value_metadata.count;
    details.offset_index_length = chunk_details_if_has(
        chunk->has, LAM_META_COLUMN_CHUNK_HAS_OFFSET_INDEX_LENGTH, chunk->offset_index_length);
    details.column_index_length = chunk_details_if_has(
        chunk->has, LAM_META_COLUMN_CHUNK_HAS_COLUMN_INDEX_LENGTH, chunk->column_index_length);
    details.bloom_filter_length = chunk_details_if_has(
        column->has, LAM_META_COLUMN_HAS_BLOOM_FILTER_LENGTH, column->bloom_filter_length);
    details.file_offset = chunk->file_offset;
    return details;
}

/* lam_reader_find_column checks that the chunk is in this file and has metadata. */
lam_status lam_reader_chunk_details(const lam_reader *reader, size_t row_group, size_t leaf_index,
                                    lam_chunk_details *ret_details, lam_error *error) {
    lam_status status;
    lam_meta_column_chunk chunk;
    lam_chunk_details details;
    lam_chunk_room room;
    lam_arena arena = lam_reader_chunk_arena_in(reader, &room);
    size_t number = row_group * lam_schema_leaf_count(reader->schema) + leaf_index;
    LAM_TRY_OUT(lam_reader_find_column(reader, row_group, leaf_index, &arena, &chunk, error));
    /* The structs have just been decoded into the arena, so that they may be changed. */
    LAM_TRY_OUT(lam_chunk_lists_keep(
        reader->lists, number, reader->memory_limit,
        (lam_meta_size_statistics *)(uintptr_t)chunk.meta_data->size_statistics,
        (lam_meta_geospatial_statistics *)(uintptr_t)chunk.meta_data->geospatial_statistics,
        error));
    details = details_of(&chunk);
    status = LAM_INFO_WRITE(lam_chunk_details, &details, ret_details, error);
out:
    lam_arena_finish(&arena);
    return status;
}

/*
 * One entry of encoding_stats: how many pages have this type and this encoding. The type is not
 * checked to be a known one.
 */
lam_status lam_reader_page_count(const lam_reader *reader, size_t row_group, size_t leaf_index,
                                 size_t index, lam_page_count *ret_count, lam_error *error) {
    lam_meta_column_chunk chunk;
    lam_page_count count = lam_page_count_default();
    lam_chunk_room room;
    lam_arena arena = lam_reader_chunk_arena_in(reader, &room);
    lam_status status =
        lam_reader_find_column(reader, row_group, leaf_index, &arena, &chunk, error);
    if (status == LAM_STATUS_OK && index >= chunk.meta_data->encoding_stats.count) {
        status = lam_error_set(error, LAM_STATUS_INVALID, "no count of pages %zu: there are %u",
                               index, (unsigned)chunk.meta_data->encoding_stats.count);
    } else if (status == LAM_STATUS_OK) {
        const lam_meta_page_encoding_stats *stated = &chunk.meta_data->encoding_stats.items[index];
        count.page_type = (lam_page_type)stated->page_type;
        count.encoding = stated->encoding;
        count.pages = stated->count;
        status = LAM_INFO_WRITE(lam_page_count, &count, ret_count, error);
    }
    lam_arena_finish(&arena);
    return status;
}

/* The value is optional in the format; NULL data when it is absent. */
lam_status lam_reader_chunk_key_value(const lam_reader *reader, size_t row_group, size_t leaf_index,
                                      size_t index, lam_bytes *ret_key, lam_bytes *ret_value,
                                      lam_error *error) {
    lam_meta_column_chunk chunk;
    lam_chunk_room room;
    lam_arena arena = lam_reader_chunk_arena_in(reader, &room);
    lam_status status =
        lam_reader_find_column(reader, row_group, leaf_index, &arena, &chunk, error);
    if (status == LAM_STATUS_OK && index >= chunk.meta_data->key_value_metadata.count) {
        status = lam_error_set(error, LAM_STATUS_INVALID, "no pair %zu: there are %u", index,
                               (unsigned)chunk.meta_data->key_value_metadata.count);
    } else if (status == LAM_STATUS_OK) {
        const lam_meta_key_value *key_value = &chunk.meta_data->key_value_metadata.items[index];
        *ret_key = key_value->key;
        *ret_value =
            lam_stated_bytes(key_value->has, LAM_META_KEY_VALUE_HAS_VALUE, key_value->value);
    }
    lam_arena_finish(&arena);
    return status;
}
