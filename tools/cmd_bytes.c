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

static bool is_chosen_leaf(const bytes_choice *choice, size_t leaf) {
    return choice->leaves == NULL || choice->leaves[leaf];
}

/* True if a chunk has that many pages, as far as they can be read. */
static bool has_page(const lam_reader *reader, size_t row_group, size_t leaf, uint64_t page) {
    lam_page_list *list;
    lam_page_info info = lam_page_info_default();
    uint64_t count = 0;
    bool more = true;
    if (lam_page_list_open(reader, row_group, leaf, &list, NULL) != LAM_STATUS_OK)
        return true; /* the map reports its fault */
    while (count <= page && more && lam_page_list_next(list, &info, &more, NULL) == LAM_STATUS_OK)
        count += more;
    lam_page_list_close(list);
    return count > page;
}

/* True if any of the chosen chunks has the page of --page. */
static bool has_chosen_page(const lam_reader *reader, const bytes_choice *choice) {
    for (size_t group = 0; group < lam_reader_row_group_count(reader); group++)
        for (size_t leaf = 0; leaf < choice->leaf_count; leaf++)
            if ((!choice->has_row_group || choice->row_group == group) &&
                is_chosen_leaf(choice, leaf) && has_page(reader, group, leaf, choice->page))
                return true;
    return false;
}

static int choose_in(const char *file, const lam_reader *reader, const bytes_options *options,
                     bytes_choice *choice, bool **ret_leaves) {
    size_t count = lam_reader_row_group_count(reader);
    if (choice->has_row_group && choice->row_group >= count) {
        tool_say("lamella: %s: no row group %" PRIu64 ": there are %zu\n", tool_name(file),
                 choice->row_group, count);
        return TOOL_BAD_USAGE;
    }
    choice->leaf_count = lam_schema_leaf_count(lam_reader_schema(reader));
    if (options->columns != NULL) {
        int result = tool_select(file, lam_reader_schema(reader), options->columns, ret_leaves);
        if (result != TOOL_OK)
            return result;
        choice->leaves = *ret_leaves;
    }
    if (choice->has_page && !has_chosen_page(reader, choice)) {
        tool_say("lamella: %s: no page %" PRIu64 " in what is chosen\n", tool_name(file),
                 choice->page);
        return TOOL_BAD_USAGE;
    }
    return TOOL_OK;
}

static void close_nothing(void *state) {
    (void)state;
}

/*
 * Checks that the options name ranges of the file, whose footer must be readable for that. The
 * input stays open.
 */
static int choose(const char *file, const lam_input *input, const bytes_options *options,
                  bytes_choice *choice, bool **ret_leaves) {
    lam_reader *reader;
    lam_error error = lam_error_none();
    lam_reader_options limits = tool_reader_options();
    lam_input shared = *input;
    if (options->columns == NULL && !choice->has_row_group && !choice->has_page)
        return TOOL_OK;
    shared.close = close_nothing;
    if (lam_reader_open(&shared, &limits, &reader, &error) != LAM_STATUS_OK)
        return tool_fail(file, &error);
    int result = choose_in(file, reader, options, choice, ret_leaves);
    lam_reader_close(reader);
    return result;
}

/* Damage was printed where it occurs; this reports it at the end. */
static int report_seen(const char *file, const bytes_choice *choice) {
    if (choice->seen->unknown == 0)
        return TOOL_OK;
    tool_push();
    tool_say("lamella: %s: ranges of bytes that are damaged or not understood: %" PRIu64 "\n",
             tool_name(file), choice->seen->unknown);
    return TOOL_BAD_INPUT;
}

static int print_map(const char *file, const lam_input *input, const bytes_options *options,
                     const bytes_choice *choice) {
    lam_error error = lam_error_none();
    lam_byte_map_options walk = lam_byte_map_options_default();
    walk.allocator = tool_allocator();
    walk.memory_limit = tool_limits_of_program()->memory_limit;
    walk.stop = tool_limits_of_program()->stop;
    lam_status status = options->json
                            ? bytes_print_json(tool_name(file), input, &walk, choice, &error)
                            : bytes_print_text(input, &walk, choice, options->hex, &error);
    return status == LAM_STATUS_OK ? report_seen(file, choice) : tool_fail(file, &error);
}

static int print_bytes(const char *file, void *state) {
    const bytes_options *options = state;
    lam_input input;
    bool *leaves = NULL;
    bytes_seen seen = {0};
    bytes_choice choice = {.has_row_group = options->row_group != UINT64_MAX,
                           .row_group = options->row_group,
                           .has_page = options->page != UINT64_MAX,
                           .page = options->page,
                           .seen = &seen};
    choice.depth = options->depth != UINT64_MAX ? options->depth : OUTLINE_DEPTH;
    if (options->all || (options->depth == UINT64_MAX && choice.has_page))
        choice.depth = 0;
    int result = tool_open_input(file, &input);
    if (result != TOOL_OK)
        return result;
    result = choose(file, &input, options, &choice, &leaves);
    if (result == TOOL_OK)
        result = print_map(file, &input, options, &choice);
    free(leaves);
    lam_input_close(&input);
    return result;
}

static const tool_option option_rows[] = {
    {.name = "columns",
     .kind = TOOL_OPTION_PATHS,
     .at = offsetof(bytes_options, columns),
     .argument = "A,B.C",
     .help = "only what belongs to the leaves below these paths, as in cat: * matches any "
             "characters of a name, and !A excludes what is below A"},
    {.name = "row-group",
     .kind = TOOL_OPTION_COUNT,
     .at = offsetof(bytes_options, row_group),
     .argument = "N",
     .help = "only what belongs to this row group, counted from 0"},
    {.name = "page",
     .kind = TOOL_OPTION_COUNT,
     .at = offsetof(bytes_options, page),
     .argument = "N",
     .help = "only this page of each column chunk, counted from 0 including the dictionary page, "
             "with everything inside: header, levels by run, values by encoding"},
    {.name = "depth",
     .kind = TOOL_OPTION_COUNT,
     .at = offsetof(bytes_options, depth),
     .argument = "N",
     .least = 1,
     .help = "print ranges inside ranges up to this depth; default: 2, the pages of chunks; with "
             "--page everything"},
    {.name = "all",
     .kind = TOOL_OPTION_FLAG,
     .at = offsetof(bytes_options, all),
     .help = "print everything, down to single values"},
    {.name = "hex",
     .kind = TOOL_OPTION_FLAG,
     .at = offsetof(bytes_options, hex),
     .help = "print the bytes in hexadecimal too, up to 256 of each range, with what they mean "
             "beside them"},
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
    tool_print_exactly(chosen.json);
    if (chosen.hex && chosen.json)
        return tool_misuse(&tool_bytes, "--hex and --json exclude each other");
    if (chosen.all && chosen.depth != UINT64_MAX)
        return tool_misuse(&tool_bytes, "--all and --depth exclude each other");
    return tool_each_file(&tool_bytes, operands, argv + 1, print_bytes, &chosen);
}

const tool_command tool_bytes = {
    .name = "bytes",
    .summary = "print what each byte of a file is for",
    .usage = "[options] FILE...",
    .description =
        "Prints one line per range of bytes: where it begins, its length, and what it is, with "
        "ranges inside it below. The ranges cover the file without overlap: magic, column chunks "
        "with their pages, page indexes, Bloom filters, the footer, and gaps, which are bytes "
        "that nothing in the footer refers to. Damaged bytes, and bytes that make no sense, are "
        "\"unknown\", with the reason; everything else is still printed. FILE may be any file, or "
        "\"-\" for standard input.\n\n[8 from 0] means eight values, levels or triples, starting "
        "with number 0 of their page; for pages, it counts the triples of the column chunk. An "
        "offset with a + counts in the uncompressed bytes of the page body above it.",
    .examples =
        (const char *const[]){"lamella bytes events.parquet",
                              "lamella bytes --columns Name.Url --row-group 0 --page 1 --hex "
                              "events.parquet",
                              "lamella bytes --all --json events.parquet", NULL},
    .options = option_rows,
    .run = run,
    .is_paged = true,
    .exits = TOOL_EXITS({0, "all that was printed is understood"},
                        {1, "some of it is damaged, or the file cannot be read"},
                        {2, TOOL_EXIT_MISNAME}),
};
