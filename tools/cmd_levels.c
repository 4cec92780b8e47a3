/* SPDX-License-Identifier: Apache-2.0 */
/* lamella levels: the triples of each leaf, as the Dremel paper draws them. */
#define _POSIX_C_SOURCE 200809L
#include <lamella/column.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tool.h"

typedef struct levels_options {
    const char *columns;
    bool json;
    uint64_t max_rows;
    bool names_files;
} levels_options;

/* What of a leaf is printed in one pass over its column: JSON needs three, one per array. */
typedef enum levels_pass { PASS_ALL, PASS_R, PASS_D, PASS_VALUES } levels_pass;

typedef struct leaf_printer {
    const lam_field *leaf;
    levels_pass pass;
    bool any;      /* an element of the array was printed */
    uint64_t rows; /* that may still begin */
} leaf_printer;

static unsigned level_at(const uint8_t *levels, size_t index, unsigned otherwise) {
    return levels == NULL ? otherwise : levels[index];
}

static lam_status print_value(leaf_printer *printer, const lam_triples *run, size_t index,
                              lam_error *error) {
    return tool_print_value(printer->leaf, lam_triples_value(run, printer->leaf, index), error);
}

static lam_status print_lines(leaf_printer *printer, const lam_triples *run, lam_error *error) {
    unsigned max_d = lam_field_max_definition(printer->leaf);
    lam_status status = LAM_STATUS_OK;
    size_t value = 0;
    for (size_t i = 0; i < run->count && status == LAM_STATUS_OK; i++) {
        unsigned d = level_at(run->definition, i, max_d);
        tool_print("  %u %u ", level_at(run->repetition, i, 0), d);
        if (d == max_d)
            status = print_value(printer, run, value++, error);
        else
            tool_print("NULL");
        tool_print("\n");
    }
    return status;
}

static lam_status print_elements(leaf_printer *printer, const lam_triples *run, lam_error *error) {
    unsigned max_d = lam_field_max_definition(printer->leaf);
    size_t count = printer->pass == PASS_VALUES ? run->value_count : run->count;
    lam_status status = LAM_STATUS_OK;
    for (size_t i = 0; i < count && status == LAM_STATUS_OK; i++) {
        tool_print(printer->any ? "," : "");
        printer->any = true;
        if (printer->pass == PASS_R)
            tool_print("%u", level_at(run->repetition, i, 0));
        else if (printer->pass == PASS_D)
            tool_print("%u", level_at(run->definition, i, max_d));
        else
            status = print_value(printer, run, i, error);
    }
    if (status != LAM_STATUS_OK)
        tool_print("null"); /* in place of the value that cannot be told */
    return status;
}

/* Reads one chunk of the leaf and prints it. */
/* Cuts a run before the first row too many. */
static void cut_rows(leaf_printer *printer, lam_triples *run) {
    for (size_t i = 0; i < run->count; i++) {
        if (level_at(run->repetition, i, 0) != 0)
            continue;
        if (printer->rows == 0)
            run->count = i;
        else
            printer->rows--;
    }
}

static lam_status print_chunk(const lam_reader *reader, size_t row_group, leaf_printer *printer,
                              lam_error *error) {
    lam_column_reader *column;
    lam_status status = lam_column_reader_open(reader, row_group,
                                               lam_field_first_leaf(printer->leaf), &column, error);
    if (status != LAM_STATUS_OK)
        return status;
    lam_triples run;
    do {
        status = lam_column_reader_read(column, SIZE_MAX, &run, error);
        if (status != LAM_STATUS_OK)
            break;
        cut_rows(printer, &run);
        if (run.count == 0)
            break;
        status = printer->pass == PASS_ALL ? print_lines(printer, &run, error)
                                           : print_elements(printer, &run, error);
    } while (status == LAM_STATUS_OK);
    lam_column_reader_close(column);
    return status;
}

static lam_status print_pass(const lam_reader *reader, const lam_field *leaf, levels_pass pass,
                             uint64_t rows, lam_error *error) {
    leaf_printer printer = {leaf, pass, false, rows};
    lam_status status = LAM_STATUS_OK;
    for (size_t i = 0;
         i < lam_reader_row_group_count(reader) && status == LAM_STATUS_OK && printer.rows > 0; i++)
        status = print_chunk(reader, i, &printer, error);
    return status;
}

static lam_status print_leaf(const lam_reader *reader, const lam_field *leaf, uint64_t rows,
                             lam_error *error) {
    tool_print_path(leaf);
    tool_print("  (max r %u, max d %u)\n", lam_field_max_repetition(leaf),
               lam_field_max_definition(leaf));
    return print_pass(reader, leaf, PASS_ALL, rows, error);
}

static lam_status print_leaf_json(const lam_reader *reader, const lam_field *leaf, uint64_t rows,
                                  lam_error *error) {
    static const char *const names[] = {"r", "d", "values"};
    tool_print("{\"path\":");
    tool_print_path_json(leaf);
    tool_print(",\"max_repetition\":%u,\"max_definition\":%u", lam_field_max_repetition(leaf),
               lam_field_max_definition(leaf));
    for (int pass = PASS_R; pass <= PASS_VALUES; pass++) {
        tool_print(",\"%s\":[", names[pass - PASS_R]);
        lam_status status = print_pass(reader, leaf, (levels_pass)pass, rows, error);
        tool_print("]");
        if (status != LAM_STATUS_OK) {
            tool_print(",\"error\":");
            tool_print_text(error->message, strlen(error->message));
            tool_print("}");
            return status;
        }
    }
    tool_print("}\n");
    return LAM_STATUS_OK;
}

static int print_leaves(const char *file, const lam_reader *reader, const levels_options *options) {
    bool *leaves;
    const lam_schema *schema = lam_reader_schema(reader);
    int result = tool_select(file, schema, options->columns, &leaves);
    if (result != TOOL_OK)
        return result;
    for (size_t i = 0; i < lam_schema_leaf_count(schema); i++) {
        if (leaves != NULL && !leaves[i])
            continue;
        lam_error error = lam_error_none();
        const lam_field *leaf = lam_schema_leaf(schema, i);
        lam_status status = options->json ? print_leaf_json(reader, leaf, options->max_rows, &error)
                                          : print_leaf(reader, leaf, options->max_rows, &error);
        if (status != LAM_STATUS_OK) {
            tool_print("\n");
            result = tool_fail(file, &error);
        }
    }
    free(leaves);
    return result;
}

static int print_levels(const char *file, void *state) {
    lam_reader *reader;
    const levels_options *options = state;
    int result = tool_open(file, &reader);
    if (result != TOOL_OK)
        return result;
    if (options->names_files)
        tool_print("# %s\n", tool_name(file));
    result = print_leaves(file, reader, options);
    lam_reader_close(reader);
    return result;
}

static const tool_option option_rows[] = {
    {.name = "columns",
     .kind = TOOL_OPTION_PATHS,
     .at = offsetof(levels_options, columns),
     .argument = "A,B.C",
     .help = "only the leaves below these paths, as in cat: * is any characters of a name, and !A "
             "leaves out what is below A"},
    {.name = "json",
     .kind = TOOL_OPTION_FLAG,
     .at = offsetof(levels_options, json),
     .help =
         "print one object per leaf: {\"path\":..., \"max_repetition\":..., "
         "\"max_definition\":..., \"r\":[...], \"d\":[...], \"values\":[...]}; \"values\" leaves "
         "out the nulls; if a column is damaged, \"error\" says how, in place of the rest"},
    {.name = "max-rows",
     .kind = TOOL_OPTION_COUNT,
     .at = offsetof(levels_options, max_rows),
     .argument = "N",
     .help = "print only the first N rows"},
    TOOL_LIMIT_ROWS,
    {.name = NULL}};

static int run(int argc, char **argv) {
    levels_options chosen = {.max_rows = UINT64_MAX};
    int operands, result = tool_take_options(&tool_levels, argc, argv, &chosen, &operands);
    if (result >= 0)
        return result;
    chosen.names_files = operands > 1 && !chosen.json;
    return tool_each_file(&tool_levels, operands, argv + 1, print_levels, &chosen);
}

const tool_command tool_levels = {
    .name = "levels",
    .summary = "print repetition levels, definition levels and values",
    .usage = "[options] FILE...",
    .description = "Prints what a file stores for each leaf: one line per triple with its "
                   "repetition level r, its definition level d, and its value, or NULL if the "
                   "definition level is below the leaf's maximum."
                   "\n\n"
                   "r says at which repeated field of the path something new begins (0 is a new "
                   "record); d says how many of the optional and repeated fields on the path are "
                   "present. FILE may be \"-\" for standard input.",
    .examples =
        (const char *const[]){"lamella levels events.parquet",
                              "lamella levels --columns Name.Language.Code events.parquet", NULL},
    .options = option_rows,
    .run = run,
    .is_paged = true,
};
