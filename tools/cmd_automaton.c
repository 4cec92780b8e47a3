/* SPDX-License-Identifier: Apache-2.0 */
/* lamella automaton: the finite-state machine by which records are assembled. */
#define _POSIX_C_SOURCE 200809L
#include <getopt.h>
#include <lamella/dremel.h>
#include <lamella/reader.h>
#include <stdio.h>
#include <stdlib.h>

#include "tool.h"

static const char help[] =
    "usage: lamella automaton [options] FILE\n"
    "       lamella automaton [options] --schema FILE|TEXT\n"
    "\n"
    "Prints the automaton that assembles records from columns, as in the Dremel\n"
    "paper: one state per leaf, and for each repetition level that can come next in\n"
    "that leaf's column, the leaf to read next. \"end\" ends the record. FILE may be\n"
    "\"-\" for standard input.\n"
    "\n"
    "  lamella automaton events.parquet\n"
    "  lamella automaton --columns Name.Language.Country --schema document.schema\n"
    "  lamella automaton --dot events.parquet | dot -Tsvg > automaton.svg\n"
    "\n"
    "options:\n"
    "  --schema FILE|TEXT   read the schema from message text, or from a file of it\n"
    "  --columns A,B.C      only the leaves below these paths\n"
    "  --dot                print a graph for Graphviz\n"
    "  --json               print {\"leaves\":[...],\"next\":[[...],...]}: next[i][r] is\n"
    "                       the index in \"leaves\" of the next leaf, counted from 0;\n"
    "                       the number of leaves stands for the end\n" TOOL_LIMIT_HELP;

typedef enum automaton_format { FORMAT_TABLE, FORMAT_DOT, FORMAT_JSON } automaton_format;

static void print_table(const lam_automaton *automaton) {
    size_t count = lam_automaton_state_count(automaton);
    for (size_t state = 0; state < count; state++) {
        const lam_field *leaf = lam_automaton_leaf(automaton, state);
        tool_print("%zu  ", state + 1);
        tool_print_path(leaf);
        tool_print("\n");
        for (unsigned r = 0; r <= lam_field_max_repetition(leaf); r++) {
            size_t next = lam_automaton_next(automaton, state, (uint8_t)r);
            tool_print("     r %u -> ", r);
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

static void print_dot(const lam_automaton *automaton) {
    size_t count = lam_automaton_state_count(automaton);
    tool_print("digraph automaton {\n  rankdir=LR;\n  end [shape=doublecircle];\n");
    for (size_t state = 0; state < count; state++) {
        tool_print("  s%zu [shape=box, label=", state);
        tool_print_path_json(lam_automaton_leaf(automaton, state));
        tool_print("];\n");
    }
    for (size_t state = 0; state < count; state++) {
        unsigned max = lam_field_max_repetition(lam_automaton_leaf(automaton, state));
        for (unsigned r = 0; r <= max; r++) {
            size_t next = lam_automaton_next(automaton, state, (uint8_t)r);
            if (next == count)
                tool_print("  s%zu -> end [label=\"%u\"];\n", state, r);
            else
                tool_print("  s%zu -> s%zu [label=\"%u\"];\n", state, next, r);
        }
    }
    tool_print("}\n");
}

static void print_json(const lam_automaton *automaton) {
    size_t count = lam_automaton_state_count(automaton);
    tool_print("{\"leaves\":[");
    for (size_t state = 0; state < count; state++) {
        tool_print(state == 0 ? "" : ",");
        tool_print_path_json(lam_automaton_leaf(automaton, state));
    }
    tool_print("],\"next\":[");
    for (size_t state = 0; state < count; state++) {
        tool_print(state == 0 ? "[" : ",[");
        unsigned max = lam_field_max_repetition(lam_automaton_leaf(automaton, state));
        for (unsigned r = 0; r <= max; r++)
            tool_print(r == 0 ? "%zu" : ",%zu", lam_automaton_next(automaton, state, (uint8_t)r));
        tool_print("]");
    }
    tool_print("]}\n");
}

static int print_automaton(const char *file, const lam_schema *schema, const char *columns,
                           automaton_format format) {
    bool *leaves;
    lam_error error = lam_error_none();
    int result = tool_select(file, schema, columns, &leaves);
    if (result != TOOL_OK)
        return result;
    lam_automaton *automaton;
    lam_status status = lam_automaton_create(schema, leaves, NULL, &automaton, &error);
    free(leaves);
    if (status != LAM_STATUS_OK)
        return tool_fail(file, &error);
    if (format == FORMAT_TABLE)
        print_table(automaton);
    else if (format == FORMAT_DOT)
        print_dot(automaton);
    else
        print_json(automaton);
    lam_automaton_destroy(automaton);
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

static int run(int argc, char **argv) {
    static const struct option options[] = {{"schema", required_argument, NULL, 's'},
                                            {"columns", required_argument, NULL, 'c'},
                                            {"dot", no_argument, NULL, 'd'},
                                            {"json", no_argument, NULL, 'j'},
                                            TOOL_LIMIT_OPTIONS};
    const char *schema = NULL, *columns = NULL;
    automaton_format format = FORMAT_TABLE;
    int option, result;
    while ((option = tool_next_option(&tool_automaton, argc, argv, options, &result)) != -1) {
        if (option == 's')
            schema = optarg;
        else if (option == 'c')
            columns = optarg;
        else
            format = option == 'd' ? FORMAT_DOT : FORMAT_JSON;
    }
    if (result >= 0)
        return result;
    if (schema != NULL && optind == argc)
        return print_of_schema(schema, columns, format);
    if (schema != NULL || optind + 1 != argc)
        return tool_misuse(&tool_automaton, "give one file or one schema");
    return print_of_file(argv[optind], columns, format);
}

const tool_command tool_automaton = {"automaton", "print the automaton that assembles records",
                                     help, run};
