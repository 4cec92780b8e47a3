/* SPDX-License-Identifier: Apache-2.0 */
/* lamella meta: what the footer says. */
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
    bool verbose;
} meta_options;

const char *meta_codec_name(const lam_column_chunk_info *info) {
    return info->codec == LAM_CODEC_DEFAULT ? "UNKNOWN" : lam_codec_name(info->codec);
}

const char *meta_type_name(const lam_field *leaf) {
    static const char *const names[] = {"BOOLEAN", "INT32",  "INT64",      "INT96",
                                        "FLOAT",   "DOUBLE", "BYTE_ARRAY", "FIXED_LEN_BYTE_ARRAY"};
    return names[lam_field_physical_type(leaf)];
}

const char *meta_page_type_name(lam_page_type type) {
    static const char *const names[] = {"data", "index", "dictionary", "data v2"};
    size_t index = (size_t)type;
    return index < sizeof names / sizeof names[0] ? names[index] : "unknown";
}

static void print_head(const char *file, const lam_reader *reader) {
    const char *created_by = lam_reader_created_by(reader);
    size_t groups = lam_reader_row_group_count(reader);
    tool_print("file:        %s\n", file);
    tool_print("size:        %" PRIu64 " bytes, footer %" PRIu32 " bytes\n",
               lam_reader_file_size(reader), lam_reader_footer_size(reader));
    tool_print("version:     %" PRId32 "\n", lam_reader_version(reader));
    tool_print("created by:  %s\n", created_by == NULL ? "-" : created_by);
    for (size_t i = 0; lam_reader_known_fault(reader, i) != NULL; i++)
        tool_print("known fault: %s\n", lam_reader_known_fault(reader, i));
    tool_print("rows:        %" PRIu64 " in %zu row group%s\n", lam_reader_row_count(reader),
               groups, groups == 1 ? "" : "s");
    tool_print("columns:     %zu\n", lam_schema_leaf_count(lam_reader_schema(reader)));
    for (size_t i = 0; i < lam_reader_key_value_count(reader); i++) {
        const char *value = lam_reader_value(reader, i);
        tool_print("key:         %s = %.*s%s\n", lam_reader_key(reader, i), LONGEST_VALUE,
                   value == NULL ? "-" : value,
                   value != NULL && strlen(value) > LONGEST_VALUE ? "..." : "");
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
    tool_print("\nrow group %zu: %" PRIu64 " rows", row_group, group.row_count);
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

static int print_lines(const char *file, const lam_reader *reader, size_t row_group) {
    static const char *const titles[] = {"column", "type",   "codec",        "encodings", "values",
                                         "nulls",  "stored", "uncompressed", "bounds"};
    enum { COLUMNS = sizeof titles / sizeof titles[0], RIGHT = 0xF0 };
    int result = TOOL_OK;
    tool_table table = tool_table_start(COLUMNS, RIGHT);
    for (size_t i = 0; i < COLUMNS; i++)
        tool_table_add(&table, "%s", titles[i]);
    for (size_t leaf = 0; leaf < lam_schema_leaf_count(lam_reader_schema(reader)); leaf++) {
        lam_error error = lam_error_none();
        lam_column_chunk_info info = lam_column_chunk_info_default();
        if (lam_reader_column_chunk(reader, row_group, leaf, &info, &error) == LAM_STATUS_OK)
            add_chunk(&table, &info);
        else
            result = tool_fail(file, &error);
    }
    tool_table_end(&table);
    return result;
}

static int print_chunks(const char *file, const lam_reader *reader, size_t row_group) {
    int result = TOOL_OK;
    for (size_t leaf = 0; leaf < lam_schema_leaf_count(lam_reader_schema(reader)); leaf++) {
        lam_error error = lam_error_none();
        lam_column_chunk_info info = lam_column_chunk_info_default();
        lam_status status = lam_reader_column_chunk(reader, row_group, leaf, &info, &error);
        if (status == LAM_STATUS_OK)
            status = meta_print_chunk(reader, row_group, &info, &error);
        if (status != LAM_STATUS_OK)
            result = tool_fail(file, &error);
    }
    return result;
}

static int print_table(const char *file, const lam_reader *reader, bool verbose) {
    int result = TOOL_OK;
    print_head(file, reader);
    for (size_t i = 0; i < lam_reader_row_group_count(reader); i++) {
        lam_error error = lam_error_none();
        if (print_group_line(reader, i, &error) != LAM_STATUS_OK)
            return tool_fail(file, &error);
        int one = verbose ? print_chunks(file, reader, i) : print_lines(file, reader, i);
        result = one > result ? one : result;
    }
    return result;
}

static int print_meta(const char *file, void *state) {
    const meta_options *options = state;
    lam_reader *reader;
    int result = tool_open(file, &reader);
    if (result != TOOL_OK)
        return result;
    result = options->json ? meta_print_json(file, reader, options->verbose)
                           : print_table(file, reader, options->verbose);
    lam_reader_close(reader);
    return result;
}

static const tool_option option_rows[] = {
    {.name = "verbose",
     .kind = TOOL_OPTION_FLAG,
     .at = offsetof(meta_options, verbose),
     .help =
         "print everything stated about each column chunk on several lines, and its Bloom filter: "
         "counts of NaNs and of distinct values, whether bounds are exact, sizes, levels, "
         "geospatial statistics, pages by encoding, offsets in the file, key-value metadata"},
    {.name = "json",
     .kind = TOOL_OPTION_FLAG,
     .at = offsetof(meta_options, json),
     .help = "print one object per file that holds all of this; Bloom filters are read only with "
             "--verbose"},
    TOOL_LIMIT_ROWS,
    {.name = NULL}};

static int run(int argc, char **argv) {
    meta_options chosen = {false, false};
    int operands, result = tool_take_options(&tool_meta, argc, argv, &chosen, &operands);
    if (result >= 0)
        return result;
    return tool_each_file(&tool_meta, operands, argv + 1, print_meta, &chosen);
}

const tool_command tool_meta = {
    .name = "meta",
    .summary = "print what the footer says",
    .usage = "[options] FILE...",
    .description =
        "Prints what the footer of each file states: version, writer, key-value metadata, and for "
        "each row group its rows, bytes and sorting columns, and a line for each of its column "
        "chunks: type, codec, encodings, number of values (including nulls) and of nulls, bytes "
        "stored and uncompressed, and the lowest and highest value. \"-\" stands for what a file "
        "does not state, \"...\" for what is cut off. FILE may be \"-\" for standard input."
        "\n\n"
        "\"lamella pages --index\" prints the page indexes.",
    .examples = (const char *const[]){"lamella meta events.parquet",
                                      "lamella meta --verbose events.parquet", NULL},
    .options = option_rows,
    .run = run,
};
