/* SPDX-License-Identifier: Apache-2.0 */
/* lamella pages: the page headers of each column chunk. */
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <lamella/reader.h>
#include <stdio.h>
#include <stdlib.h>

#include "meta_print.h"
#include "page_index.h"
#include "pages_json.h"
#include "tool.h"
#include "tool_screen.h"
#include "tool_table.h"

typedef struct pages_options {
    const char *columns;
    uint64_t row_group; /* UINT64_MAX is all */
    bool json;
    bool index;
} pages_options;

enum {
    WIDE = 106,  /* width of the lines of pages */
    BATCH = 1000 /* pages of a table of its own, if a screen is not as wide */
};

static bool is_narrow(void) {
    size_t width = tool_screen_of_program()->width;
    return width > 0 && width < WIDE;
}

static const char *const titles[] = {"offset",   "type",   "values", "nulls", "rows",
                                     "encoding", "header", "stored", "plain", "crc"};
enum { COLUMNS = sizeof titles / sizeof titles[0], RIGHT = 0x1DD };

static void print_number(int64_t number) {
    if (number < 0)
        tool_print(" %8s", "-");
    else
        tool_print(" %8" PRId64, number);
}

static const char *encoding_of(const lam_page_info *page) {
    return page->encoding < 0 ? "-" : lam_encoding_name(page->encoding);
}

static void print_page(const lam_page_info *page) {
    tool_print("  %10" PRId64 "  %-10s", page->offset, meta_page_type_name(page->type));
    print_number(page->value_count);
    print_number(page->null_count);
    print_number(page->row_count);
    tool_print("  %-16s", encoding_of(page));
    print_number(page->header_size);
    print_number(page->compressed_size);
    print_number(page->uncompressed_size);
    if (page->has_crc)
        tool_print("  %08" PRIx32, page->crc);
    tool_print("\n");
}

static tool_table begin_table(void) {
    tool_table table = tool_table_start(COLUMNS, RIGHT);
    for (size_t i = 0; i < COLUMNS; i++)
        tool_table_add(&table, "%s", titles[i]);
    return table;
}

/* A table that is large enough is printed, and the next one begins. */
static void add_page(tool_table *table, const lam_page_info *page) {
    if (table->count > BATCH * COLUMNS) {
        tool_table_end(table);
        *table = begin_table();
    }
    tool_table_add(table, "%" PRId64, page->offset);
    tool_table_add(table, "%s", meta_page_type_name(page->type));
    tool_table_add_number(table, page->value_count);
    tool_table_add_number(table, page->null_count);
    tool_table_add_number(table, page->row_count);
    tool_table_add(table, "%s", encoding_of(page));
    tool_table_add_number(table, page->header_size);
    tool_table_add_number(table, page->compressed_size);
    tool_table_add_number(table, page->uncompressed_size);
    if (page->has_crc)
        tool_table_add(table, "%08" PRIx32, page->crc);
    else
        tool_table_add(table, "-");
}

static lam_status print_chunk(const lam_reader *reader, size_t row_group, const lam_field *leaf,
                              bool json, lam_error *error) {
    lam_page_list *list;
    lam_status status =
        lam_page_list_open(reader, row_group, lam_field_first_leaf(leaf), &list, error);
    if (status != LAM_STATUS_OK)
        return status;
    if (!json) {
        tool_print("row group %zu, ", row_group);
        tool_print_path(leaf);
        tool_print("\n");
    }
    lam_page_info page = lam_page_info_default();
    bool more = true, fits = json || !is_narrow();
    tool_table table = fits ? (tool_table){0} : begin_table();
    while ((status = lam_page_list_next(list, &page, &more, error)) == LAM_STATUS_OK && more) {
        if (json)
            pages_print_json(row_group, leaf, &page);
        else if (fits)
            print_page(&page);
        else
            add_page(&table, &page);
    }
    if (!fits)
        tool_table_end(&table);
    lam_page_list_close(list);
    return status;
}

static int print_row_group(const char *file, const lam_reader *reader, size_t row_group,
                           const bool *leaves, const pages_options *options) {
    const lam_schema *schema = lam_reader_schema(reader);
    int result = TOOL_OK;
    for (size_t i = 0; i < lam_schema_leaf_count(schema); i++) {
        lam_error error = lam_error_none();
        if (leaves != NULL && !leaves[i])
            continue;
        const lam_field *leaf = lam_schema_leaf(schema, i);
        lam_status status = options->index
                                ? page_index_print(reader, row_group, leaf, options->json, &error)
                                : print_chunk(reader, row_group, leaf, options->json, &error);
        if (status != LAM_STATUS_OK)
            result = tool_fail(file, &error);
    }
    return result;
}

static int print_row_groups(const char *file, const lam_reader *reader,
                            const pages_options *options) {
    bool *leaves;
    size_t count = lam_reader_row_group_count(reader);
    if (options->row_group != UINT64_MAX && options->row_group >= count) {
        tool_say("lamella: %s: no row group %" PRIu64 ": there are %zu\n", tool_name(file),
                 options->row_group, count);
        return TOOL_BAD_USAGE;
    }
    int result = tool_select(file, lam_reader_schema(reader), options->columns, &leaves);
    if (result != TOOL_OK)
        return result;
    if (!options->json && !options->index && !is_narrow())
        tool_print("  %10s  %-10s %8s %8s %8s  %-16s %8s %8s %8s  %s\n", titles[0], titles[1],
                   titles[2], titles[3], titles[4], titles[5], titles[6], titles[7], titles[8],
                   titles[9]);
    for (size_t i = 0; i < count; i++)
        if (options->row_group == UINT64_MAX || options->row_group == i) {
            int one = print_row_group(file, reader, i, leaves, options);
            result = one > result ? one : result;
        }
    free(leaves);
    return result;
}

static int print_pages(const char *file, void *state) {
    lam_reader *reader;
    int result = tool_open(file, &reader);
    if (result != TOOL_OK)
        return result;
    result = print_row_groups(file, reader, state);
    lam_reader_close(reader);
    return result;
}

static const tool_option option_rows[] = {
    {.name = "columns",
     .kind = TOOL_OPTION_PATHS,
     .at = offsetof(pages_options, columns),
     .argument = "A,B.C",
     .help = "only the leaves below these paths, as in cat: * matches any characters of a name, "
             "and !A excludes what is below A"},
    {.name = "row-group",
     .kind = TOOL_OPTION_COUNT,
     .at = offsetof(pages_options, row_group),
     .argument = "N",
     .help = "only this row group, counted from 0"},
    {.name = "index",
     .kind = TOOL_OPTION_FLAG,
     .at = offsetof(pages_options, index),
     .help = "print the page index instead: where each data page starts, its stored bytes, its "
             "first row in the row group, its nulls and NaNs, its lowest and highest value, and "
             "whether these rise or fall from page to page"},
    {.name = "json",
     .kind = TOOL_OPTION_FLAG,
     .at = offsetof(pages_options, json),
     .help = "print one object per page with everything that is known of it, including statistics "
             "in page headers and counts of levels in the index"},
    TOOL_LIMIT_ROWS,
    {.name = NULL}};

static int run(int argc, char **argv) {
    pages_options chosen = {NULL, UINT64_MAX, false, false};
    int operands, result = tool_take_options(&tool_pages, argc, argv, &chosen, &operands);
    if (result >= 0)
        return result;
    tool_print_exactly(chosen.json);
    return tool_each_file(&tool_pages, operands, argv + 1, print_pages, &chosen);
}

const tool_command tool_pages = {
    .name = "pages",
    .summary = "print the pages of each column chunk",
    .usage = "[options] FILE...",
    .description = "Prints one line per page, by row group and column: where its header starts in "
                   "the file, its type, how many values (including nulls) and, in V2 pages, how "
                   "many nulls and rows it holds, its encoding, the sizes of its header, of the "
                   "stored page and of the uncompressed page, and its checksum. \"-\" stands for "
                   "what a page does not say. Pages are not decoded. FILE may be \"-\" for "
                   "standard input.",
    .examples =
        (const char *const[]){"lamella pages events.parquet",
                              "lamella pages --columns Name.Url --row-group 0 events.parquet",
                              NULL},
    .options = option_rows,
    .run = run,
    .is_paged = true,
};
