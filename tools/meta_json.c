/* SPDX-License-Identifier: Apache-2.0 */
/* A file as "lamella meta --json" prints it. */
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <lamella/reader.h>
#include <math.h>
#include <string.h>

#include "meta_print.h"
#include "tool.h"
#include "tool_bound.h"

static void print_text_or_null(const char *text) {
    if (text == NULL)
        tool_print("null");
    else
        tool_print_text(text, strlen(text));
}

static void print_bytes_or_null(lam_bytes text) {
    if (text.data == NULL)
        tool_print("null");
    else
        tool_print_text((const char *)text.data, text.size);
}

static void print_member(const char *name, int64_t number) {
    if (number >= 0)
        tool_print(",\"%s\":%" PRId64, name, number);
}

/* --- Column chunks --------------------------------------------------------------------------- */

static void print_bound(const lam_field *leaf, const char *name, lam_bytes bound) {
    if (bound.data == NULL)
        return;
    tool_print(",\"%s\":", name);
    tool_print_bound_json(leaf, bound);
}

static void print_flag(const char *name, int8_t flag) {
    if (flag >= 0)
        tool_print(",\"%s\":%s", name, flag != 0 ? "true" : "false");
}

static void print_statistics(const lam_field *leaf, const lam_statistics *statistics) {
    print_member("nulls", statistics->null_count);
    print_member("nans", statistics->nan_count);
    print_member("distinct", statistics->distinct_count);
    print_bound(leaf, "min", statistics->min_value);
    print_flag("min_is_exact", statistics->is_min_exact);
    print_bound(leaf, "max", statistics->max_value);
    print_flag("max_is_exact", statistics->is_max_exact);
    print_bound(leaf, "old_min", statistics->old_min);
    print_bound(leaf, "old_max", statistics->old_max);
}

static void print_histogram(const char *name, const lam_level_counts *levels) {
    if (levels->level_count == 0)
        return;
    tool_print(",\"%s\":[", name);
    for (size_t i = 0; i < levels->level_count; i++)
        tool_print("%s%" PRId64, i == 0 ? "" : ",", levels->counts[i]);
    tool_print("]");
}

/* JSON has no words for values that are no numbers. */
static void print_double(double number) {
    if (isfinite(number))
        tool_print("%.17g", number);
    else
        tool_print("\"%s\"", isnan(number) ? "NaN" : number > 0 ? "Infinity" : "-Infinity");
}

static void print_geospatial(const lam_geospatial_info *geospatial) {
    const char *before = "";
    if (!geospatial->is_stated)
        return;
    tool_print(",\"geospatial\":{\"types\":[");
    for (size_t i = 0; i < geospatial->type_count; i++)
        tool_print("%s%" PRId32, i == 0 ? "" : ",", geospatial->types[i]);
    tool_print("],\"box\":%s", geospatial->has_box ? "{" : "null");
    for (int axis = 0; axis < 4; axis++) {
        if (!geospatial->has_box || !geospatial->axes[axis].is_stated)
            continue;
        tool_print("%s\"%c\":[", before, "xyzm"[axis]);
        print_double(geospatial->axes[axis].least);
        tool_print(",");
        print_double(geospatial->axes[axis].most);
        tool_print("]");
        before = ",";
    }
    tool_print(geospatial->has_box ? "}}" : "}");
}

static lam_status print_page_counts(const lam_reader *reader, size_t row_group, size_t leaf,
                                    const lam_chunk_details *details, lam_error *error) {
    tool_print(",\"page_counts\":[");
    for (size_t i = 0; i < details->page_count_count; i++) {
        lam_page_count count = lam_page_count_default();
        lam_status status = lam_reader_page_count(reader, row_group, leaf, i, &count, error);
        if (status != LAM_STATUS_OK)
            return status;
        tool_print("%s{\"type\":\"%s\",\"encoding\":\"%s\",\"pages\":%" PRId32 "}",
                   i == 0 ? "" : ",", meta_page_type_name(count.page_type),
                   lam_encoding_name((lam_encoding)count.encoding), count.pages);
    }
    tool_print("]");
    return LAM_STATUS_OK;
}

static lam_status print_pairs(const lam_reader *reader, size_t row_group, size_t leaf,
                              const lam_chunk_details *details, lam_error *error) {
    if (details->key_value_count == 0)
        return LAM_STATUS_OK;
    tool_print(",\"key_value_metadata\":[");
    for (size_t i = 0; i < details->key_value_count; i++) {
        lam_bytes key, value;
        lam_status status =
            lam_reader_chunk_key_value(reader, row_group, leaf, i, &key, &value, error);
        if (status != LAM_STATUS_OK)
            return status;
        tool_print(i == 0 ? "{\"key\":" : ",{\"key\":");
        print_bytes_or_null(key);
        tool_print(",\"value\":");
        print_bytes_or_null(value);
        tool_print("}");
    }
    tool_print("]");
    return LAM_STATUS_OK;
}

static void print_numbers(const lam_column_chunk_info *info, const lam_chunk_details *details) {
    print_member("values", info->value_count);
    print_statistics(info->leaf, &details->statistics);
    print_member("total_compressed_size", info->total_compressed_size);
    print_member("total_uncompressed_size", info->total_uncompressed_size);
    print_member("unencoded_bytes", details->unencoded_bytes);
    print_histogram("repetition_histogram", &details->repetition);
    print_histogram("definition_histogram", &details->definition);
    print_geospatial(&details->geospatial);
    print_member("dictionary_page_offset", info->dictionary_page_offset);
    print_member("data_page_offset", info->data_page_offset);
    print_member("offset_index_offset", info->offset_index_offset);
    print_member("offset_index_length", details->offset_index_length);
    print_member("column_index_offset", info->column_index_offset);
    print_member("column_index_length", details->column_index_length);
    print_member("bloom_filter_offset", info->bloom_filter_offset);
    print_member("bloom_filter_length", details->bloom_filter_length);
}

/* A filter that is bad is told in its place, too. */
static lam_status print_bloom(const lam_reader *reader, size_t row_group, size_t leaf,
                              lam_error *error) {
    lam_bloom_info bloom = lam_bloom_info_default();
    lam_status status = lam_reader_bloom_filter(reader, row_group, leaf, &bloom, error);
    if (status != LAM_STATUS_OK) {
        tool_print(",\"bloom_error\":");
        tool_print_text(error->message, strlen(error->message));
        return status;
    }
    if (!bloom.is_there)
        return LAM_STATUS_OK;
    print_member("bloom_bitset_bytes", bloom.bitset_bytes);
    tool_print(",\"bloom_false_positives\":");
    print_double(bloom.false_positives);
    return LAM_STATUS_OK;
}

static lam_status print_chunk(const lam_reader *reader, size_t row_group,
                              const lam_column_chunk_info *info, bool reads_filters,
                              lam_error *error) {
    size_t leaf = lam_field_first_leaf(info->leaf);
    const char *before = "";
    lam_chunk_details details = lam_chunk_details_default();
    lam_status status = lam_reader_chunk_details(reader, row_group, leaf, &details, error);
    if (status != LAM_STATUS_OK)
        return status;
    tool_print("\"path\":");
    tool_print_path_json(info->leaf);
    tool_print(",\"type\":\"%s\",\"column_order\":\"%s\",\"codec\":\"%s\",\"encodings\":[",
               meta_type_name(info->leaf),
               lam_column_order_name(lam_reader_column_order(reader, leaf)), meta_codec_name(info));
    for (unsigned i = 0; i < 32; i++)
        if ((info->encodings >> i & 1) != 0) {
            tool_print("%s\"%s\"", before, lam_encoding_name((lam_encoding)i));
            before = ",";
        }
    tool_print("]");
    status = print_page_counts(reader, row_group, leaf, &details, error);
    if (status != LAM_STATUS_OK)
        return status;
    print_numbers(info, &details);
    lam_status bloom_status = LAM_STATUS_OK;
    if (reads_filters)
        bloom_status = print_bloom(reader, row_group, leaf, error);
    status = print_pairs(reader, row_group, leaf, &details,
                         bloom_status == LAM_STATUS_OK ? error : NULL);
    return bloom_status == LAM_STATUS_OK ? status : bloom_status;
}

/* --- Row groups ------------------------------------------------------------------------------ */

static lam_status print_sorting(const lam_reader *reader, size_t row_group, size_t count,
                                lam_error *error) {
    if (count == 0)
        return LAM_STATUS_OK;
    tool_print(",\"sorting_columns\":[");
    for (size_t i = 0; i < count; i++) {
        lam_sorting_column column = lam_sorting_column_default();
        lam_status status = lam_reader_sorting_column(reader, row_group, i, &column, error);
        if (status != LAM_STATUS_OK)
            return status;
        const lam_field *leaf = column.leaf_index < 0 ? NULL
                                                      : lam_schema_leaf(lam_reader_schema(reader),
                                                                        (size_t)column.leaf_index);
        tool_print("%s{\"column\":%" PRId32 ",\"path\":", i == 0 ? "" : ",", column.leaf_index);
        if (leaf == NULL)
            tool_print("null");
        else
            tool_print_path_json(leaf);
        tool_print(",\"descending\":%s,\"nulls_first\":%s}", column.descending ? "true" : "false",
                   column.nulls_first ? "true" : "false");
    }
    tool_print("]");
    return LAM_STATUS_OK;
}

/* Prints a row group; an unreadable column costs only that column. */
static int print_row_group(const char *file, const lam_reader *reader, size_t row_group,
                           const meta_choice *choice) {
    int result = TOOL_OK;
    const char *before = "";
    lam_error error = lam_error_none();
    lam_row_group_info group = lam_row_group_info_default();
    tool_print(row_group == 0 || choice->row_group == row_group ? "{" : ",{");
    lam_status status = lam_reader_row_group(reader, row_group, &group, &error);
    if (status == LAM_STATUS_OK) {
        tool_print("\"rows\":%" PRIu64, group.row_count);
        print_member("ordinal", group.ordinal);
        print_member("total_byte_size", group.total_byte_size);
        print_member("total_compressed_size", group.total_compressed_size);
        print_member("file_offset", group.file_offset);
        status = print_sorting(reader, row_group, group.sorting_column_count, &error);
    }
    if (status != LAM_STATUS_OK)
        result = tool_fail(file, &error);
    tool_print(",\"columns\":[");
    for (size_t leaf = 0; leaf < lam_schema_leaf_count(lam_reader_schema(reader)); leaf++) {
        lam_column_chunk_info info = lam_column_chunk_info_default();
        error = lam_error_none();
        if (!meta_has_leaf(choice, leaf))
            continue;
        tool_print("%s", before);
        before = ",";
        status = lam_reader_column_chunk(reader, row_group, leaf, &info, &error);
        tool_print(status == LAM_STATUS_OK ? "{" : "null");
        if (status == LAM_STATUS_OK) {
            status = print_chunk(reader, row_group, &info, choice->is_verbose, &error);
            tool_print("}");
        }
        if (status != LAM_STATUS_OK)
            result = tool_fail(file, &error);
    }
    tool_print("]}");
    return result;
}

/* --- The file -------------------------------------------------------------------------------- */

static void print_head(const char *file, const lam_reader *reader) {
    const lam_file_info info = tool_file_info(reader);
    const char *key, *value;
    tool_print("{\"file\":");
    tool_print_text(file, strlen(file));
    tool_print(",\"size\":%" PRIu64 ",\"footer_size\":%" PRIu32 ",\"version\":%" PRId32,
               info.file_size, info.footer_size, info.version);
    tool_print(",\"created_by\":");
    print_text_or_null(info.created_by);
    for (size_t i = 0; lam_reader_known_fault(reader, i) != NULL; i++) {
        const char *fault = lam_reader_known_fault(reader, i);
        tool_print(i == 0 ? ",\"known_faults\":[" : ",");
        tool_print_text(fault, strlen(fault));
        tool_print(lam_reader_known_fault(reader, i + 1) == NULL ? "]" : "");
    }
    tool_print(",\"rows\":%" PRIu64 ",\"key_value_metadata\":[", lam_reader_row_count(reader));
    for (size_t i = 0; lam_reader_key_value(reader, i, &key, &value); i++) {
        tool_print(i == 0 ? "{\"key\":" : ",{\"key\":");
        print_text_or_null(key);
        tool_print(",\"value\":");
        print_text_or_null(value);
        tool_print("}");
    }
    tool_print("],\"row_groups\":[");
}

int meta_print_json(const char *file, const lam_reader *reader, const meta_choice *choice) {
    int result = TOOL_OK;
    print_head(file, reader);
    for (size_t i = 0; i < lam_reader_row_group_count(reader); i++) {
        if (!meta_has_group(choice, i))
            continue;
        int one = print_row_group(file, reader, i, choice);
        result = one > result ? one : result;
    }
    tool_print("]}\n");
    return result;
}
