/* SPDX-License-Identifier: Apache-2.0 */
/* lamella automaton: the finite-state machine by which records are assembled. */
#define _POSIX_C_SOURCE 200809L
#include <lamella/dremel.h>
#include <lamella/reader.h>
#include <stdio.h>
#include <stdlib.h>

#include "automaton_json.h"
#include "tool.h"

typedef enum automaton_format { FORMAT_TABLE, FORMAT_DOT, FORMAT_JSON } automaton_format;

typedef struct automaton_options {
    const char *schema;
    const char *columns;
    automaton_format format;
} automaton_options;

/* The levels that lead to the same state as `r`, the lowest of them: "0,1,2". */
static void print_levels(const lam_automaton *automaton, size_t state, unsigned r) {
    size_t next = lam_automaton_next(automaton, state, (uint8_t)r);
    unsigned max = lam_field_max_repetition(lam_automaton_leaf(automaton, state));
    tool_print("%u", r);
    for (unsigned more = r + 1; more <= max; more++)
        if (lam_automaton_next(automaton, state, (uint8_t)more) == next)
            tool_print(",%u", more);
}

static void print_table(const lam_automaton *automaton) {
    size_t count = lam_automaton_state_count(automaton);
    for (size_t state = 0; state < count; state++) {
        const lam_field *leaf = lam_automaton_leaf(automaton, state);
        tool_print("%zu  ", state + 1);
        tool_print_path(leaf);
        tool_print("\n");
        for (unsigned r = 0; r <= lam_field_max_repetition(leaf); r++) {
            size_t next = lam_automaton_next(automaton, state, (uint8_t)r);
            if (!automaton_is_first(automaton, state, r))
                continue;
            tool_print("     r ");
            print_levels(automaton, state, r);
            tool_print(" -> ");
            if (next == count) {
                tool_print("end\n");
                continue;
            }
            tool_print("%zu  ", next + 1);
            tool_print_path(lam_automaton_leaf(automaton, next));
            tool_print("\n");
        }
    }
}

static void print_dot_arrows(const lam_automaton *automaton, size_t state) {
    unsigned max = lam_field_max_repetition(lam_automaton_leaf(automaton, state));
    for (unsigned r = 0; r <= max; r++) {
        size_t next = lam_automaton_next(automaton, state, (uint8_t)r);
        if (!automaton_is_first(automaton, state, r))
            continue;
        if (next == lam_automaton_state_count(automaton))
            tool_print("  s%zu -> end", state);
        else
            tool_print("  s%zu -> s%zu", state, next);
        tool_print(" [label=\"");
        print_levels(automaton, state, r);
        tool_print("\"];\n");
    }
}

/* Arrows that lead from one state to the same other are one, as in the paper. */
static void print_dot(const lam_automaton *automaton) {
    size_t count = lam_automaton_state_count(automaton);
    tool_print("digraph automaton {\n  rankdir=LR;\n  start [shape=point];\n"
               "  end [shape=doublecircle];\n");
    for (size_t state = 0; state < count; state++) {
        const lam_field *leaf = lam_automaton_leaf(automaton, state);
        tool_print("  s%zu [shape=box, label=", state);
        tool_print_path_json(leaf);
        tool_print(" + \"\\nmax r %u\"];\n", lam_field_max_repetition(leaf));
    }
    tool_print("  start -> %s;\n", count == 0 ? "end" : "s0");
    for (size_t state = 0; state < count; state++)
        print_dot_arrows(automaton, state);
    tool_print("}\n");
}

static int print_automaton(const char *file, const lam_schema *schema, const char *columns,
                           automaton_format format) {
    bool *leaves;
    lam_error error = lam_error_none();
    int result = tool_select(file, schema, columns, &leaves);
    if (result != TOOL_OK)
        return result;
    lam_automaton *automaton;
    lam_status status = lam_automaton_create(schema, leaves, tool_allocator(), &automaton, &error);
    free(leaves);
    if (status != LAM_STATUS_OK)
        return tool_fail(file, &error);
    if (format == FORMAT_TABLE)
        print_table(automaton);
    else if (format == FORMAT_DOT)
        print_dot(automaton);
    else
        status = automaton_print_json(automaton, &error);
    lam_automaton_destroy(automaton);
    if (status != LAM_STATUS_OK)
        return tool_fail(file, &error);
    return tool_flush();
}

static int print_of_file(const char *file, const char *columns, automaton_format format) {
    lam_reader *reader;
    int result = tool_open(file, &reader);
    if (result != TOOL_OK)
        return result;
    result = print_automaton(file, lam_reader_schema(reader), columns, format);
    lam_reader_close(reader);
    return result;
}

static int print_of_schema(const char *text, const char *columns, automaton_format format) {
    lam_schema *schema;
    int result = tool_read_schema(text, &schema);
    if (result != TOOL_OK)
        return result;
    result = print_automaton("schema", schema, columns, format);
    lam_schema_destroy(schema);
    return result;
}

static const tool_option option_rows[] = {
    {.name = "schema",
     .kind = TOOL_OPTION_SCHEMA,
     .at = offsetof(automaton_options, schema),
     .argument = "FILE|TEXT",
     .help = "the schema, as message text or a file that holds it"},
    {.name = "columns",
     .kind = TOOL_OPTION_PATHS,
     .at = offsetof(automaton_options, columns),
     .argument = "A,B.C",
     .help = "only the leaves below these paths, as in cat: * matches any characters of a name, "
             "and !A excludes what is below A"},
    {.name = "dot",
     .kind = TOOL_OPTION_PICK,
     .at = offsetof(automaton_options, format),
     .least = FORMAT_DOT,
     .help = "print a graph for Graphviz: a box for each leaf with its maximum repetition level, "
             "and one arrow for all levels that lead from one leaf to the same next one"},
    {.name = "json",
     .kind = TOOL_OPTION_PICK,
     .at = offsetof(automaton_options, format),
     .least = FORMAT_JSON,
     .help =
         "print {\"leaves\":[...], \"max_repetition\":[...], \"next\":[[...], ...], "
         "\"edges\":[{\"from\":..., \"to\":..., \"r\":[...], \"words\":[...]}, ...]}: next[i][r] "
         "is the index in \"leaves\" of the next leaf, from 0; the number of leaves stands for "
         "the end; \"edges\" are the same arrows, each once, with a reason for each level"},
    TOOL_LIMIT_ROWS,
    {.name = NULL}};

static int run(int argc, char **argv) {
    automaton_options chosen = {NULL, NULL, FORMAT_TABLE};
    int operands, result = tool_take_options(&tool_automaton, argc, argv, &chosen, &operands);
    if (result >= 0)
        return result;
    tool_print_exactly(chosen.format == FORMAT_JSON);
    if (chosen.schema != NULL && operands == 0)
        return print_of_schema(chosen.schema, chosen.columns, chosen.format);
    if (chosen.schema != NULL || operands != 1)
        return tool_misuse(&tool_automaton, "give one file or one schema");
    return print_of_file(argv[1], chosen.columns, chosen.format);
}

const tool_command tool_automaton = {
    .name = "automaton",
    .summary = "print the automaton that assembles records",
    .usage = "[options] FILE\n[options] --schema FILE|TEXT",
    .description =
        "Prints the automaton that assembles records from columns: one state per leaf and, for "
        "each repetition level that may come next in its column, the leaf to read next. \"end\" "
        "ends the record. \"lamella trace\" follows it step by step. FILE may be \"-\" for "
        "standard input.\n\nIt is the one of section 4.3 and appendix C of Sergey Melnik et al., "
        "\"Dremel: Interactive Analysis of Web-Scale Datasets\", Proceedings of the VLDB "
        "Endowment 3(1), 2010. docs/levels.md goes through the example of section 4.",
    .examples =
        (const char *const[]){
            "lamella automaton events.parquet",
            "lamella automaton --columns Name.Language.Country --schema document.schema",
            "lamella automaton --dot events.parquet | dot -Tsvg > automaton.svg", NULL},
    .options = option_rows,
    .run = run,
    .is_paged = true,
};
