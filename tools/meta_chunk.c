/* SPDX-License-Identifier: Apache-2.0 */
/* One column chunk as "lamella meta --verbose" prints it. */
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <lamella/reader.h>
#include <string.h>

#include "meta_print.h"
#include "tool.h"
#include "tool_bound.h"

enum { LONGEST_VALUE = 100 };

static void begin(const char *label) {
    tool_print("    %-14s", label);
}

static void print_type(const lam_reader *reader, const lam_column_chunk_info *info) {
    char logical[120];
    const lam_field *leaf = info->leaf;
    begin("type");
    tool_print("%s", meta_type_name(leaf));
    if (lam_field_physical_type(leaf) == LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY)
        tool_print("(%" PRId32 ")", lam_field_type_length(leaf));
    if (lam_logical_type_print(lam_field_logical_type(leaf), logical, sizeof logical) > 0)
        tool_print(" (%s)", logical);
    tool_print(", order %s\n",
               lam_column_order_name(lam_reader_column_order(reader, lam_field_first_leaf(leaf))));
}

static lam_status print_pages(const lam_reader *reader, size_t row_group,
                              const lam_column_chunk_info *info, const lam_chunk_details *details,
                              lam_error *error) {
    const char *before = "";
    begin("pages");
    for (size_t i = 0; i < details->page_count_count; i++) {
        lam_page_count count = lam_page_count_default();
        lam_status status = lam_reader_page_count(
            reader, row_group, lam_field_first_leaf(info->leaf), i, &count, error);
        if (status != LAM_STATUS_OK)
            return status;
        tool_print("%s%" PRId32 " %s in %s", before, count.pages,
                   meta_page_type_name(count.page_type),
                   lam_encoding_name((lam_encoding)count.encoding));
        before = ", ";
    }
    for (unsigned i = 0; i < 32 && details->page_count_count == 0; i++)
        if ((info->encodings >> i & 1) != 0) {
            tool_print("%s%s", before, lam_encoding_name((lam_encoding)i));
            before = ", ";
        }
    tool_print("; %s\n", meta_codec_name(info));
    return LAM_STATUS_OK;
}

static void print_count(int64_t count, const char *what) {
    if (count >= 0)
        tool_print(", %" PRId64 " %s", count, what);
}

static const char *exactness(int8_t is_exact) {
    return is_exact == 1 ? "" : is_exact == 0 ? " (not exact)" : " (may not be exact)";
}

/* Numbers are never cut, so missing statements about that need no word. */
static const char *exactness_of(const lam_field *leaf, int8_t is_exact) {
    bool may_be_cut = lam_field_physical_type(leaf) == LAM_PHYSICAL_BYTE_ARRAY ||
                      lam_field_physical_type(leaf) == LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY;
    return is_exact < 0 && !may_be_cut ? "" : exactness(is_exact);
}

static void print_bounds(const lam_field *leaf, const lam_statistics *statistics) {
    char text[TOOL_BOUND_TEXT];
    if (statistics->min_value.data != NULL || statistics->max_value.data != NULL) {
        begin("bounds");
        tool_print("%s%s", tool_bound_text(leaf, statistics->min_value, LONGEST_VALUE, text),
                   exactness_of(leaf, statistics->is_min_exact));
        tool_print(" to %s%s\n", tool_bound_text(leaf, statistics->max_value, LONGEST_VALUE, text),
                   exactness_of(leaf, statistics->is_max_exact));
    }
    if (statistics->old_min.data != NULL || statistics->old_max.data != NULL) {
        begin("old bounds");
        tool_print("%s", tool_bound_text(leaf, statistics->old_min, LONGEST_VALUE, text));
        tool_print(" to %s\n", tool_bound_text(leaf, statistics->old_max, LONGEST_VALUE, text));
    }
}

static void print_levels(const char *name, const lam_level_counts *levels, const char *before) {
    if (levels->level_count == 0)
        return;
    tool_print("%s%s", before, name);
    for (size_t i = 0; i < levels->level_count; i++)
        tool_print(" %" PRId64, levels->counts[i]);
}

static void print_sizes(const lam_column_chunk_info *info, const lam_chunk_details *details) {
    begin("bytes");
    tool_print("%" PRId64 " stored, %" PRId64 " uncompressed", info->total_compressed_size,
               info->total_uncompressed_size);
    print_count(details->unencoded_bytes, "in byte arrays");
    tool_print("\n");
    if (details->repetition.level_count + details->definition.level_count == 0)
        return;
    begin("levels");
    print_levels("repetition", &details->repetition, "");
    print_levels("definition", &details->definition,
                 details->repetition.level_count > 0 ? "; " : "");
    tool_print("\n");
}

static void print_location(const char *label, int64_t offset, int64_t length) {
    if (offset < 0)
        return;
    begin(label);
    tool_print("at %" PRId64, offset);
    if (length >= 0)
        tool_print(", %" PRId64 " bytes", length);
    tool_print("\n");
}

/* A filter that is bad is told in its line, too. */
static lam_status print_bloom(const lam_reader *reader, size_t row_group,
                              const lam_column_chunk_info *info, const lam_chunk_details *details,
                              lam_error *error) {
    lam_bloom_info bloom = lam_bloom_info_default();
    if (info->bloom_filter_offset < 0)
        return LAM_STATUS_OK;
    lam_status status =
        lam_reader_bloom_filter(reader, row_group, lam_field_first_leaf(info->leaf), &bloom, error);
    begin("Bloom filter");
    tool_print("at %" PRId64, info->bloom_filter_offset);
    print_count(details->bloom_filter_length, "bytes");
    if (status != LAM_STATUS_OK) {
        tool_print(": %s\n", error->message);
        return status;
    }
    tool_print(", bitset of %" PRIu32 ", %.3g false positives\n", bloom.bitset_bytes,
               bloom.false_positives);
    return LAM_STATUS_OK;
}

static void print_geospatial(const lam_geospatial_info *geospatial) {
    const char *before = "";
    if (!geospatial->is_stated)
        return;
    begin("geospatial");
    for (int axis = 0; axis < 4; axis++)
        if (geospatial->has_box && geospatial->axes[axis].is_stated) {
            tool_print("%s%c %.17g to %.17g", before, "xyzm"[axis], geospatial -> axes[axis].least,
                       geospatial->axes[axis].most);
            before = ", ";
        }
    tool_print("%s%s", geospatial->has_box ? "; " : "no box; ",
               geospatial->type_count == 0 ? "types not known" : "types");
    for (size_t i = 0; i < geospatial->type_count; i++)
        tool_print(" %" PRId32, geospatial->types[i]);
    tool_print("\n");
}

static lam_status print_pairs(const lam_reader *reader, size_t row_group, const lam_field *leaf,
                              const lam_chunk_details *details, lam_error *error) {
    for (size_t i = 0; i < details->key_value_count; i++) {
        lam_bytes key, value;
        lam_status status = lam_reader_chunk_key_value(
            reader, row_group, lam_field_first_leaf(leaf), i, &key, &value, error);
        if (status != LAM_STATUS_OK)
            return status;
        begin("key");
        tool_print_shown((const char *)key.data, key.size);
        tool_print(" = ");
        if (value.data == NULL)
            tool_print("-");
        tool_print_beginning((const char *)value.data, value.size, LONGEST_VALUE);
        tool_print("\n");
    }
    return LAM_STATUS_OK;
}

lam_status meta_print_chunk(const lam_reader *reader, size_t row_group,
                            const lam_column_chunk_info *info, lam_error *error) {
    lam_chunk_details details = lam_chunk_details_default();
    lam_status status = lam_reader_chunk_details(reader, row_group,
                                                 lam_field_first_leaf(info->leaf), &details, error);
    if (status != LAM_STATUS_OK)
        return status;
    tool_print("  ");
    tool_print_path(info->leaf);
    tool_print("\n");
    print_type(reader, info);
    status = print_pages(reader, row_group, info, &details, error);
    if (status != LAM_STATUS_OK)
        return status;
    begin("values");
    tool_print("%" PRId64, info->value_count);
    print_count(details.statistics.null_count, "nulls");
    print_count(details.statistics.nan_count, "NaNs");
    print_count(details.statistics.distinct_count, "distinct");
    tool_print("\n");
    print_bounds(info->leaf, &details.statistics);
    print_sizes(info, &details);
    print_geospatial(&details.geospatial);
    print_location("dictionary", info->dictionary_page_offset, -1);
    print_location("data pages", info->data_page_offset, -1);
    print_location("column index", info->column_index_offset, details.column_index_length);
    print_location("offset index", info->offset_index_offset, details.offset_index_length);
    lam_status bloom_status = print_bloom(reader, row_group, info, &details, error);
    status = print_pairs(reader, row_group, info->leaf, &details,
                         bloom_status == LAM_STATUS_OK ? error : NULL);
    return bloom_status == LAM_STATUS_OK ? status : bloom_status;
}
