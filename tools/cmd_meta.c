/* SPDX-License-Identifier: Apache-2.0 */
/* lamella meta: what the footer states. */
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <lamella/reader.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "meta_print.h"
#include "tool.h"
#include "tool_bound.h"
#include "tool_table.h"

enum { LONGEST_VALUE = 200, LONGEST_BOUND = 28 };

typedef struct meta_options {
    bool json;
    const char *columns;
    meta_choice choice;
} meta_options;

static void print_head(const char *file, const lam_reader *reader) {
    const lam_file_info info = tool_file_info(reader);
    const char *key, *value;
    size_t groups = lam_reader_row_group_count(reader);
    tool_print("file:        %s\n", file);
    tool_print("size:        %" PRIu64 " bytes, footer %" PRIu32 " bytes\n", info.file_size,
               info.footer_size);
    tool_print("version:     %" PRId32 "\n", info.version);
    tool_print("created by:  %s\n", info.created_by == NULL ? "-" : info.created_by);
    for (size_t i = 0; lam_reader_known_fault(reader, i) != NULL; i++)
        tool_print("known fault: %s\n", lam_reader_known_fault(reader, i));
    tool_print("rows:        %" PRIu64 " in %zu row group%s\n", lam_reader_row_count(reader),
               groups, tool_s(groups));
    tool_print("columns:     %zu\n", lam_schema_leaf_count(lam_reader_schema(reader)));
    for (size_t i = 0; lam_reader_key_value(reader, i, &key, &value); i++) {
        tool_print("key:         %s = ", key);
        if (value == NULL)
            value = "-";
        tool_print_beginning(value, strlen(value), LONGEST_VALUE);
        tool_print("\n");
    }
}

/* --- Row groups ------------------------------------------------------------------------------ */

static lam_status print_sorting(const lam_reader *reader, size_t row_group, size_t count,
                                lam_error *error) {
    for (size_t i = 0; i < count; i++) {
        lam_sorting_column column = lam_sorting_column_default();
        lam_status status = lam_reader_sorting_column(reader, row_group, i, &column, error);
        if (status != LAM_STATUS_OK)
            return status;
        const lam_field *leaf = column.leaf_index < 0 ? NULL
                                                      : lam_schema_leaf(lam_reader_schema(reader),
                                                                        (size_t)column.leaf_index);
        tool_print(i == 0 ? "; sorted by " : ", then ");
        if (leaf == NULL)
            tool_print("column %" PRId32 ", which does not exist", column.leaf_index);
        else
            tool_print_path(leaf);
        tool_print("%s%s", column.descending ? " descending" : "",
                   column.nulls_first ? " nulls first" : "");
    }
    return LAM_STATUS_OK;
}

static lam_status print_group_line(const lam_reader *reader, size_t row_group, lam_error *error) {
    lam_row_group_info group = lam_row_group_info_default();
    lam_status status = lam_reader_row_group(reader, row_group, &group, error);
    if (status != LAM_STATUS_OK)
        return status;
    tool_print("\nrow group %zu: %" PRIu64 " row%s", row_group, group.row_count,
               tool_s(group.row_count));
    if (group.total_compressed_size >= 0)
        tool_print(", %" PRId64 " bytes stored", group.total_compressed_size);
    tool_print(", %" PRId64 " bytes uncompressed", group.total_byte_size);
    status = print_sorting(reader, row_group, group.sorting_column_count, error);
    tool_print("\n");
    return status;
}

/* --- A line per column chunk ----------------------------------------------------------------- */

static void add_encodings(tool_table *table, uint32_t encodings) {
    char text[400];
    size_t size = 0;
    text[0] = '\0';
    for (unsigned i = 0; i < 32; i++)
        if ((encodings >> i & 1) != 0 && size < sizeof text)
            size += (size_t)snprintf(text + size, sizeof text - size, "%s%s", size == 0 ? "" : " ",
                                     lam_encoding_name((lam_encoding)i));
    tool_table_add(table, "%s", text);
}

static void add_path(tool_table *table, const lam_field *leaf) {
    char *path = tool_path_of(leaf);
    tool_table_add(table, "%s", path);
    free(path);
}

static void add_chunk(tool_table *table, const lam_column_chunk_info *info) {
    char min[TOOL_BOUND_TEXT], max[TOOL_BOUND_TEXT];
    add_path(table, info->leaf);
    tool_table_add(table, "%s", meta_type_name(info->leaf));
    tool_table_add(table, "%s", meta_codec_name(info));
    add_encodings(table, info->encodings);
    tool_table_add_number(table, info->value_count);
    tool_table_add_number(table, info->null_count);
    tool_table_add_number(table, info->total_compressed_size);
    tool_table_add_number(table, info->total_uncompressed_size);
    if (info->min_value.data == NULL && info->max_value.data == NULL) {
        tool_table_add(table, "-");
        return;
    }
    tool_bound_text(info->leaf, info->min_value, LONGEST_BOUND, min);
    tool_bound_text(info->leaf, info->max_value, LONGEST_BOUND, max);
    tool_table_add(table, "%s to %s", min, max);
}

/* The bytes of a row group's printed chunks together. */
typedef struct meta_total {
    size_t chunks;
    int64_t stored;
    int64_t uncompressed;
} meta_total;

static void add_total(tool_table *table, const meta_total *total) {
    tool_table_add(table, "total");
    for (int i = 0; i < 5; i++)
        tool_table_add(table, "%s", "");
    tool_table_add_number(table, total->stored);
    tool_table_add_number(table, total->uncompressed);
    tool_table_add(table, "%s", "");
}

static int print_lines(const char *file, const lam_reader *reader, size_t row_group,
                       const meta_choice *choice) {
    static const char *const titles[] = {"column", "type",   "codec",        "encodings", "values",
                                         "nulls",  "stored", "uncompressed", "bounds"};
    enum { COLUMNS = sizeof titles / sizeof titles[0], RIGHT = 0xF0 };
    int result = TOOL_OK;
    meta_total total = {0, 0, 0};
    tool_table table = tool_table_start(COLUMNS, RIGHT);
    for (size_t i = 0; i < COLUMNS; i++)
        tool_table_add(&table, "%s", titles[i]);
    for (size_t leaf = 0; leaf < lam_schema_leaf_count(lam_reader_schema(reader)); leaf++) {
        lam_error error = lam_error_none();
        lam_column_chunk_info info = lam_column_chunk_info_default();
        if (!meta_has_leaf(choice, leaf))
            continue;
        if (lam_reader_column_chunk(reader, row_group, leaf, &info, &error) != LAM_STATUS_OK) {
            result = tool_fail(file, &error);
            continue;
        }
        add_chunk(&table, &info);
        total.chunks++;
        total.stored = meta_add(total.stored, info.total_compressed_size);
        total.uncompressed = meta_add(total.uncompressed, info.total_uncompressed_size);
    }
    if (choice->leaves != NULL && total.chunks > 1) /* of all chunks the row group says it */
        add_total(&table, &total);
    tool_table_end(&table);
    return result;
}

static int print_chunks(const char *file, const lam_reader *reader, size_t row_group,
                        const meta_choice *choice) {
    int result = TOOL_OK;
    for (size_t leaf = 0; leaf < lam_schema_leaf_count(lam_reader_schema(reader)); leaf++) {
        lam_error error = lam_error_none();
        lam_column_chunk_info info = lam_column_chunk_info_default();
        if (!meta_has_leaf(choice, leaf))
            continue;
        lam_status status = lam_reader_column_chunk(reader, row_group, leaf, &info, &error);
        if (status == LAM_STATUS_OK)
            status = meta_print_chunk(reader, row_group, &info, &error);
        if (status != LAM_STATUS_OK)
            result = tool_fail(file, &error);
    }
    return result;
}

/* The bytes of several row groups together. */
static void print_all_groups(const lam_reader *reader) {
    size_t count = lam_reader_row_group_count(reader);
    int64_t stored = 0, uncompressed = 0;
    for (size_t i = 0; i < count; i++) {
        lam_row_group_info group = lam_row_group_info_default();
        if (lam_reader_row_group(reader, i, &group, NULL) != LAM_STATUS_OK)
            return;
        uncompressed = meta_add(uncompressed, group.total_byte_size);
        if (group.total_compressed_size < 0)
            return;
        stored = meta_add(stored, group.total_compressed_size);
    }
    if (count > 1)
        tool_print("\nall row groups: %" PRIu64 " rows, %" PRId64 " bytes stored, %" PRId64
                   " bytes uncompressed\n",
                   lam_reader_row_count(reader), stored, uncompressed);
}

static int print_table(const char *file, const lam_reader *reader, const meta_choice *choice) {
    int result = TOOL_OK;
    print_head(file, reader);
    for (size_t i = 0; i < lam_reader_row_group_count(reader); i++) {
        lam_error error = lam_error_none();
        if (!meta_has_group(choice, i))
            continue;
        if (print_group_line(reader, i, &error) != LAM_STATUS_OK)
            return tool_fail(file, &error);
        int one = choice->is_verbose ? print_chunks(file, reader, i, choice)
                                     : print_lines(file, reader, i, choice);
        result = one > result ? one : result;
    }
    if (choice->row_group == UINT64_MAX && choice->leaves == NULL)
        print_all_groups(reader);
    return result;
}

static int print_chosen(const char *file, const lam_reader *reader, const meta_options *options) {
    meta_choice choice = options->choice;
    size_t groups = lam_reader_row_group_count(reader);
    bool *leaves;
    if (choice.row_group != UINT64_MAX && choice.row_group >= groups) {
        tool_say("lamella: %s: no row group %" PRIu64 ": there are %zu\n", tool_name(file),
                 choice.row_group, groups);
        return TOOL_BAD_USAGE;
    }
    int result = tool_select(file, lam_reader_schema(reader), options->columns, &leaves);
    if (result != TOOL_OK)
        return result;
    choice.leaves = leaves;
    result =
        options->json ? meta_print_json(file, reader, &choice) : print_table(file, reader, &choice);
    free(leaves);
    return result;
}

static int print_meta(const char *file, void *state) {
    lam_reader *reader;
    int result = tool_open(file, &reader);
    if (result != TOOL_OK)
        return result;
    result = print_chosen(file, reader, state);
    lam_reader_close(reader);
    return result;
}

static const tool_option option_rows[] = {
    {.name = "columns",
     .kind = TOOL_OPTION_PATHS,
     .at = offsetof(meta_options, columns),
     .argument = "A,B.C",
     .help = "only the leaves below these paths"},
    {.name = "row-group",
     .kind = TOOL_OPTION_COUNT,
     .at = offsetof(meta_options, choice.row_group),
     .argument = "N",
     .help = "only this row group; the first is 0"},
    {.name = "verbose",
     .kind = TOOL_OPTION_FLAG,
     .at = offsetof(meta_options, choice.is_verbose),
     .help =
         "print everything that is known of each column chunk, on several lines: its Bloom "
         "filter, counts of NaNs and of distinct values, whether bounds are exact, sizes, levels, "
         "geospatial statistics, pages by encoding, offsets in the file, key-value metadata"},
    {.name = "json",
     .kind = TOOL_OPTION_FLAG,
     .at = offsetof(meta_options, json),
     .help = "print one object per file that holds all of this; Bloom filters are read only with "
             "--verbose"},
    TOOL_LIMIT_ROWS,
    {.name = NULL}};

static int run(int argc, char **argv) {
    meta_options chosen = {.choice = {.row_group = UINT64_MAX}};
    int operands, result = tool_take_options(&tool_meta, argc, argv, &chosen, &operands);
    if (result >= 0)
        return result;
    tool_print_exactly(chosen.json);
    return tool_each_file(&tool_meta, operands, argv + 1, print_meta, &chosen);
}

const tool_command tool_meta = {
    .name = "meta",
    .summary = "print what the footer says",
    .usage = "[options] FILE...",
    .description =
        "Prints what the footer of each file says: version, writer, key-value metadata, and for "
        "each row group its rows, bytes and sorting columns, and a line for each of its column "
        "chunks: type, codec, encodings, number of values (including nulls) and of nulls, bytes "
        "stored and uncompressed, and the lowest and highest value. \"-\" stands for what a file "
        "does not say, \"...\" for what is cut off. FILE may be \"-\" for standard "
        "input.\n\n\"lamella pages --index\" prints the page indexes, \"lamella summary\" a line "
        "for each column over all row groups and files.",
    .examples = (const char *const[]){"lamella meta events.parquet",
                                      "lamella meta --verbose --columns id events.parquet", NULL},
    .options = option_rows,
    .run = run,
    .is_paged = true,
};
