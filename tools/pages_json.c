/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the statements of a page header as a JSON object; members for absent ones are left out. */
#define _POSIX_C_SOURCE 200809L
#include "pages_json.h"

#include <inttypes.h>

#include "meta_print.h"
#include "tool.h"
#include "tool_bound.h"

static void print_member(const char *name, int64_t number) {
    if (number >= 0)
        tool_print(",\"%s\":%" PRId64, name, number);
}

/* Statistics in the header; without any, their members are left out. */
static void print_statistics_json(const lam_field *leaf, const lam_statistics *statistics) {
    if (statistics->null_count >= 0)
        tool_print(",\"null_count\":%" PRId64, statistics->null_count);
    print_member("nans", statistics->nan_count);
    print_member("distinct", statistics->distinct_count);
    if (statistics->min_value.data != NULL) {
        tool_print(",\"min\":");
        tool_print_bound_json(leaf, statistics->min_value);
    }
    if (statistics->max_value.data != NULL) {
        tool_print(",\"max\":");
        tool_print_bound_json(leaf, statistics->max_value);
    }
}

void pages_print_json(size_t row_group, const lam_field *leaf, const lam_page_info *page) {
    tool_print("{\"row_group\":%zu,\"path\":", row_group);
    tool_print_path_json(leaf);
    tool_print(",\"type\":\"%s\",\"offset\":%" PRId64, meta_page_type_name(page->type),
               page->offset);
    if (page->encoding >= 0)
        tool_print(",\"encoding\":\"%s\"", lam_encoding_name(page->encoding));
    print_member("values", page->value_count);
    print_member("nulls", page->null_count);
    print_member("rows", page->row_count);
    print_member("header_size", page->header_size);
    print_member("compressed_size", page->compressed_size);
    print_member("uncompressed_size", page->uncompressed_size);
    print_member("definition_level_bytes", page->definition_level_bytes);
    print_member("repetition_level_bytes", page->repetition_level_bytes);
    if (page->has_crc)
        tool_print(",\"crc\":%" PRIu32, page->crc);
    if (page->type == LAM_PAGE_DATA_V2)
        tool_print(",\"is_compressed\":%s", page->is_compressed ? "true" : "false");
    print_statistics_json(leaf, &page->statistics);
    tool_print("}\n");
}
