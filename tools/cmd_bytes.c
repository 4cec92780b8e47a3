/* SPDX-License-Identifier: Apache-2.0 */
/* lamella bytes: every byte of a file, and what it belongs to. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "bytes_json.h"
#include "bytes_text.h"
#include "tool.h"

enum { OUTLINE_DEPTH = 2 }; /* chunks and pages */

typedef struct bytes_options {
    const char *columns;
    uint64_t row_group; /* UINT64_MAX is all */
    uint64_t page;      /* likewise */
    uint64_t depth;     /* UINT64_MAX: as many as fit the other options */
    bool all;
    bool hex;
    bool json;
} bytes_options;

/* Marks the leaves of --columns, for which the schema must be readable. */
static int choose_leaves(const char *file, const char *columns, bool **ret_leaves,
                         size_t *ret_count) {
    lam_reader *reader;
    int result = tool_open(file, &reader);
    if (result != TOOL_OK)
        return result;
    result = tool_select(file, lam_reader_schema(reader), columns, ret_leaves);
    *ret_count = lam_schema_leaf_count(lam_reader_schema(reader));
    lam_reader_close(reader);
    return result;
}

static int print_map(const char *file, const bytes_options *options, const bytes_choice *choice) {
    lam_input input;
    lam_error error = lam_error_none();
    lam_byte_map_options walk = lam_byte_map_options_default();
    int result = tool_open_input(file, &input);
    if (result != TOOL_OK)
        return result;
    walk.memory_limit = tool_limits_of_program()->memory_limit;
    walk.stop = tool_limits_of_program()->stop;
    lam_status status = options->json
                            ? bytes_print_json(tool_name(file), &input, &walk, choice, &error)
                            : bytes_print_text(&input, &walk, choice, options->hex, &error);
    lam_input_close(&input);
    return status == LAM_STATUS_OK ? TOOL_OK : tool_fail(file, &error);
}

static int print_bytes(const char *file, void *state) {
    const bytes_options *options = state;
    bool *leaves = NULL;
    bytes_choice choice = {.has_row_group = options->row_group != UINT64_MAX,
                           .row_group = options->row_group,
                           .has_page = options->page != UINT64_MAX,
                           .page = options->page};
    choice.depth = options->depth != UINT64_MAX ? options->depth : OUTLINE_DEPTH;
    if (options->all || (options->depth == UINT64_MAX && choice.has_page))
        choice.depth = 0;
    if (options->columns != NULL) {
        int result = choose_leaves(file, options->columns, &leaves, &choice.leaf_count);
        if (result != TOOL_OK)
            return result;
        choice.leaves = leaves;
    }
    int result = print_map(file, options, &choice);
    free(leaves);
    return result;
}

static const tool_option option_rows[] = {
    {.name = "columns",
     .kind = TOOL_OPTION_PATHS,
     .at = offsetof(bytes_options, columns),
     .argument = "A,B.C",
     .help = "only what belongs to the leaves below these paths, as in cat: * is any characters of "
             "a name, and !A leaves out what is below A"},
    {.name = "row-group",
     .kind = TOOL_OPTION_COUNT,
     .at = offsetof(bytes_options, row_group),
     .argument = "N",
     .help = "only what belongs to this row group, counted from 0"},
    {.name = "page",
     .kind = TOOL_OPTION_COUNT,
     .at = offsetof(bytes_options, page),
     .argument = "N",
     .help = "only this page of each column chunk, counted from 0 with the dictionary page, and "
             "everything inside of it: header, levels by run, values by encoding"},
    {.name = "depth",
     .kind = TOOL_OPTION_COUNT,
     .at = offsetof(bytes_options, depth),
     .argument = "N",
     .least = 1,
     .help =
         "print ranges inside of ranges up to this depth; default: 2, the pages of chunks; with "
         "--page everything"},
    {.name = "all",
     .kind = TOOL_OPTION_FLAG,
     .at = offsetof(bytes_options, all),
     .help = "print everything, down to single values"},
    {.name = "hex",
     .kind = TOOL_OPTION_FLAG,
     .at = offsetof(bytes_options, hex),
     .help = "print the bytes themselves in hexadecimal digits, and what they mean beside them"},
    {.name = "json",
     .kind = TOOL_OPTION_FLAG,
     .at = offsetof(bytes_options, json),
     .help = "print one object with the tree of ranges"},
    TOOL_LIMIT_ROWS,
    {.name = NULL}};

static int run(int argc, char **argv) {
    bytes_options chosen = {NULL, UINT64_MAX, UINT64_MAX, UINT64_MAX, false, false, false};
    int operands, result = tool_take_options(&tool_bytes, argc, argv, &chosen, &operands);
    if (result >= 0)
        return result;
    if (chosen.hex && chosen.json)
        return tool_misuse(&tool_bytes, "--hex and --json exclude each other");
    if (chosen.all && chosen.depth != UINT64_MAX)
        return tool_misuse(&tool_bytes, "--all and --depth exclude each other");
    return tool_each_file(&tool_bytes, operands, argv + 1, print_bytes, &chosen);
}

const tool_command tool_bytes = {
    .name = "bytes",
    .summary = "print what each byte of a file belongs to",
    .usage = "[options] FILE...",
    .description =
        "Prints one line per range of bytes: where it begins, its length, and what it is, with "
        "ranges inside of it below. The ranges cover the file without overlap: magic, column "
        "chunks with their pages, page indexes, Bloom filters, the footer, and gaps, which are "
        "bytes that nothing in the footer refers to. Bytes that are damaged or not understood are "
        "\"unknown\", with the reason; everything else is printed all the same, so that FILE may "
        "be any file. FILE may be \"-\" for standard input.",
    .examples =
        (const char *const[]){"lamella bytes events.parquet",
                              "lamella bytes --columns Name.Url --row-group 0 --page 1 --hex "
                              "events.parquet",
                              "lamella bytes --all --json events.parquet", NULL},
    .options = option_rows,
    .run = run,
    .is_paged = true,
};
