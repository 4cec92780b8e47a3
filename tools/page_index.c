/* SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "page_index.h"

#include <inttypes.h>
#include <string.h>

#include "tool.h"
#include "tool_bound.h"
#include "tool_table.h"

enum { LONGEST_BOUND = 28 };

static const char *order_name(int32_t order) {
    static const char *const names[] = {"unordered", "ascending", "descending"};
    return order >= 0 && order < 3 ? names[order] : "unknown";
}

/* --- Text ------------------------------------------------------------------------------------ */

static void print_heading(size_t row_group, const lam_field *leaf, lam_page_index_info info) {
    tool_print("row group %zu, ", row_group);
    tool_print_path(leaf);
    if (!info.has_offsets && !info.has_bounds)
        tool_print(": no page index\n");
    else if (!info.has_bounds)
        tool_print(": offset index only\n");
    else
        tool_print(": %s%s\n", order_name(info.boundary_order),
                   info.has_offsets ? "" : ", column index only");
}

static void add_page(tool_table *table, const lam_field *leaf, size_t page,
                     const lam_page_index_entry *entry) {
    char min[TOOL_BOUND_TEXT], max[TOOL_BOUND_TEXT];
    tool_table_add(table, "%zu", page);
    tool_table_add_number(table, entry->offset);
    tool_table_add_number(table, entry->compressed_size);
    tool_table_add_number(table, entry->first_row);
    tool_table_add_number(table, entry->null_count);
    tool_table_add_number(table, entry->nan_count);
    if (!entry->has_bounds) {
        tool_table_add(table, "-");
    } else if (entry->is_null) {
        tool_table_add(table, "all null");
    } else {
        tool_bound_text(leaf, entry->min_value, LONGEST_BOUND, min);
        tool_bound_text(leaf, entry->max_value, LONGEST_BOUND, max);
        tool_table_add(table, "%s to %s", min, max);
    }
}

static lam_status print_text(const lam_page_index_reader *index, size_t row_group,
                             const lam_field *leaf, lam_error *error) {
    static const char *const titles[] = {"page",  "offset", "stored", "first row",
                                         "nulls", "NaNs",   "bounds"};
    enum { COLUMNS = sizeof titles / sizeof titles[0], RIGHT = 0x3F };
    lam_page_index_info info = lam_page_index_info_default();
    lam_status status = lam_page_index_reader_info(index, &info, error);
    if (status != LAM_STATUS_OK)
        return status;
    print_heading(row_group, leaf, info);
    if (info.page_count == 0)
        return LAM_STATUS_OK;
    tool_table table = tool_table_start(COLUMNS, RIGHT);
    for (size_t i = 0; i < COLUMNS; i++)
        tool_table_add(&table, "%s", titles[i]);
    for (size_t page = 0; page < info.page_count && status == LAM_STATUS_OK; page++) {
        lam_page_index_entry entry = lam_page_index_entry_default();
        status = lam_page_index_reader_page(index, page, &entry, error);
        if (status == LAM_STATUS_OK)
            add_page(&table, leaf, page, &entry);
    }
    tool_table_end(&table);
    return status;
}

/* --- JSON ------------------------------------------------------------------------------------ */

static void print_member(const char *name, int64_t number) {
    if (number >= 0)
        tool_print(",\"%s\":%" PRId64, name, number);
}

static void print_histogram(const char *name, const lam_level_counts *levels) {
    if (levels->level_count == 0)
        return;
    tool_print(",\"%s\":[", name);
    for (size_t i = 0; i < levels->level_count; i++)
        tool_print("%s%" PRId64, i == 0 ? "" : ",", levels->counts[i]);
    tool_print("]");
}

static void print_page(size_t row_group, const lam_field *leaf, lam_page_index_info info,
                       size_t page, const lam_page_index_entry *entry) {
    tool_print("{\"row_group\":%zu,\"path\":", row_group);
    tool_print_path_json(leaf);
    tool_print(",\"page\":%zu", page);
    print_member("offset", entry->offset);
    print_member("compressed_size", entry->compressed_size);
    print_member("first_row", entry->first_row);
    print_member("unencoded_bytes", entry->unencoded_bytes);
    if (entry->has_bounds) {
        tool_print(",\"boundary_order\":\"%s\",\"is_null\":%s", order_name(info.boundary_order),
                   entry->is_null ? "true" : "false");
        print_member("nulls", entry->null_count);
        print_member("nans", entry->nan_count);
        if (!entry->is_null) {
            tool_print(",\"min\":");
            tool_print_bound_json(leaf, entry->min_value);
            tool_print(",\"max\":");
            tool_print_bound_json(leaf, entry->max_value);
        }
        print_histogram("repetition_histogram", &entry->repetition);
        print_histogram("definition_histogram", &entry->definition);
    }
    tool_print("}\n");
}

static lam_status print_json(const lam_page_index_reader *index, size_t row_group,
                             const lam_field *leaf, lam_error *error) {
    lam_page_index_info info = lam_page_index_info_default();
    lam_status status = lam_page_index_reader_info(index, &info, error);
    for (size_t page = 0; page < info.page_count; page++) {
        lam_page_index_entry entry = lam_page_index_entry_default();
        status = lam_page_index_reader_page(index, page, &entry, error);
        if (status != LAM_STATUS_OK)
            return status;
        print_page(row_group, leaf, info, page, &entry);
    }
    return status;
}

/* --- Both ------------------------------------------------------------------------------------ */

/* A bad index is reported in its place. */
static void print_failure(size_t row_group, const lam_field *leaf, bool json,
                          const lam_error *error) {
    if (json) {
        tool_print("{\"row_group\":%zu,\"path\":", row_group);
        tool_print_path_json(leaf);
        tool_print(",\"error\":");
        tool_print_text(error->message, strlen(error->message));
        tool_print("}\n");
    } else {
        tool_print("row group %zu, ", row_group);
        tool_print_path(leaf);
        tool_print(": %s\n", error->message);
    }
}

lam_status page_index_print(const lam_reader *reader, size_t row_group, const lam_field *leaf,
                            bool json, lam_error *error) {
    lam_page_index_reader *index;
    lam_status status =
        lam_page_index_reader_open(reader, row_group, lam_field_first_leaf(leaf), &index, error);
    if (status == LAM_STATUS_OK) {
        status = json ? print_json(index, row_group, leaf, error)
                      : print_text(index, row_group, leaf, error);
        lam_page_index_reader_close(index);
    }
    if (status != LAM_STATUS_OK)
        print_failure(row_group, leaf, json, error);
    return status;
}
