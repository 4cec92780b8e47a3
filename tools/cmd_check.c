/* SPDX-License-Identifier: Apache-2.0 */
/* lamella check: what a file states against what it holds. */
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tool.h"
#include "tool_progress.h"
#include "tool_screen.h"

#ifdef LAMELLA_JUDGE
#include "judge_apart.h"
#endif

enum { SHOWN = 5, RULES_MOST = 256, INDENT = 4, SEVERITIES = LAM_SEVERITY_ERROR + 1 };

typedef struct check_options {
    bool all;
    bool json;
    bool quiet;
    bool strict;
    bool rules;
    uint64_t max_rows; /* 0: all */
} check_options;

typedef struct check_run {
    const check_options *options;
    const char *file;
    uint64_t found[RULES_MOST][SEVERITIES]; /* findings by rule */
} check_run;

/* --- Findings ------------------------------------------------------------------------------ */

static void print_location(FILE *line, const lam_finding *finding) {
    const char *separator = " (";
    if (finding->row_group >= 0) {
        fprintf(line, "%srow group %" PRId32, separator, finding->row_group);
        separator = ", ";
    }
    if (finding->path != NULL) {
        fprintf(line, "%scolumn %s", separator, finding->path);
        separator = ", ";
    }
    if (finding->row >= 0) {
        fprintf(line, "%srow %" PRId64, separator, finding->row);
        separator = ", ";
    }
    if (finding->offset >= 0) {
        fprintf(line, "%soffset %" PRId64, separator, finding->offset);
        separator = ", ";
    }
    if (separator[0] == ',')
        fprintf(line, ")");
}

static tool_colour colour_of(lam_severity severity) {
    return severity == LAM_SEVERITY_ERROR     ? TOOL_COLOUR_RED
           : severity == LAM_SEVERITY_WARNING ? TOOL_COLOUR_YELLOW
                                              : TOOL_COLOUR_CYAN;
}

static void print_severity(const char *file, lam_severity severity) {
    tool_print("%s: ", tool_name(file));
    tool_set_colour(colour_of(severity));
    tool_print("%s", lam_severity_name(severity));
    tool_set_colour(TOOL_COLOUR_NONE);
}

/* In one line, on a screen in as many as it takes. */
static void print_finding(const char *file, const lam_finding *finding) {
    const lam_check_rule *rule = finding->rule;
    tool_memory line;
    tool_memory_begin(&line, file);
    fprintf(line.file, "%s: %s", rule->id, finding->message);
    print_location(line.file, finding);
    fprintf(line.file, " [%s]", rule->section);
    tool_memory_end(&line, true);
    char *shown = tool_printable(line.text, line.size, SIZE_MAX, false);
    free(line.text);
    print_severity(file, finding->severity);
    tool_print(" ");
    tool_print_wrapped(
        shown, tool_text_width(tool_name(file)) + strlen(lam_severity_name(finding->severity)) + 3,
        INDENT, tool_screen_of_program()->width);
    tool_print("\n");
    free(shown);
}

static void print_member(const char *name, const char *text) {
    tool_print(",\"%s\":", name);
    tool_print_text(text, strlen(text));
}

static void print_finding_json(const char *file, const lam_finding *finding) {
    const lam_check_rule *rule = finding->rule;
    tool_print("{\"file\":");
    tool_print_text(file, strlen(file));
    print_member("severity", lam_severity_name(finding->severity));
    print_member("rule", rule->id);
    if (finding->row_group >= 0)
        tool_print(",\"row_group\":%" PRId32, finding->row_group);
    if (finding->path != NULL)
        print_member("column", finding->path);
    if (finding->row >= 0)
        tool_print(",\"row\":%" PRId64, finding->row);
    if (finding->offset >= 0)
        tool_print(",\"offset\":%" PRId64, finding->offset);
    print_member("message", finding->message);
    print_member("section", rule->section);
    tool_print("}\n");
}

static size_t index_of(const lam_check_rule *rule) {
    size_t index = 0;
    while (index + 1 < RULES_MOST && lam_check_rule_at(index) != rule)
        index++;
    return index;
}

static lam_status found(void *state, const lam_finding *finding, lam_error *error) {
    check_run *run = state;
    const check_options *options = run->options;
    (void)error;
    if (options->quiet && finding->severity == LAM_SEVERITY_NOTE)
        return LAM_STATUS_OK;
    uint64_t number = ++run->found[index_of(finding->rule)][finding->severity];
    if (options->json)
        print_finding_json(run->file, finding);
    else if (options->all || number <= SHOWN)
        print_finding(run->file, finding);
    return LAM_STATUS_OK;
}

static void print_more(const check_run *run, lam_severity severity, const lam_check_rule *rule,
                       uint64_t count) {
    print_severity(run->file, severity);
    tool_print(" %s: %" PRIu64 " more (--all prints them)\n", rule->id, count);
}

static void print_rest(const check_run *run) {
    for (size_t i = 0; lam_check_rule_at(i) != NULL && i < RULES_MOST; i++)
        for (int severity = 0; severity < SEVERITIES; severity++)
            if (run->found[i][severity] > SHOWN)
                print_more(run, (lam_severity)severity, lam_check_rule_at(i),
                           run->found[i][severity] - SHOWN);
}

/* --- Files --------------------------------------------------------------------------------- */

#ifdef LAMELLA_JUDGE
/* Apache Thrift reads the footer and must write what the library writes. */
static lam_verdict ask_thrift(void *state, lam_bytes footer, lam_bytes rewritten, char *message,
                              size_t capacity) {
    (void)state;
    switch (lam_judge_footer_apart(footer.data, footer.size, rewritten.data, rewritten.size,
                                   message, capacity)) {
    case LAM_JUDGE_OUTCOME_SAME:
        return LAM_VERDICT_AGREES;
    case LAM_JUDGE_OUTCOME_OTHER:
        return LAM_VERDICT_DISAGREES;
    default:
        return LAM_VERDICT_NONE;
    }
}
#endif

static void print_totals(const char *file, const lam_check_totals *totals) {
    tool_print("%s: %" PRIu64 " error%s, %" PRIu64 " warning%s, %" PRIu64 " note%s in %" PRIu64
               " row group%s, %" PRIu64 " column chunk%s, %" PRIu64 " page%s, %" PRIu64 " value%s",
               tool_name(file), totals->errors, tool_s(totals->errors), totals->warnings,
               tool_s(totals->warnings), totals->notes, tool_s(totals->notes), totals->row_groups,
               tool_s(totals->row_groups), totals->chunks, tool_s(totals->chunks), totals->pages,
               tool_s(totals->pages), totals->values, tool_s(totals->values));
    if (totals->passed_over > 0)
        tool_print("; not everything was checked: %" PRIu64 " of these say why",
                   totals->passed_over);
    tool_print("\n");
}

static int check_file(const char *file, void *state) {
    const check_options *chosen = state;
    lam_input input;
    lam_check_totals totals = lam_check_totals_default();
    lam_error error = lam_error_none();
    int result = tool_open_input(file, &input);
    if (result != TOOL_OK)
        return result;
    lam_check_options options = lam_check_options_default();
#ifdef LAMELLA_JUDGE
    options.judge = ask_thrift;
#endif
    options.allocator = tool_allocator();
    options.memory_limit = tool_limits_of_program()->memory_limit;
    options.stop = tool_limits_of_program()->stop;
    options.max_rows = chosen->max_rows;
    check_run run = {.options = chosen, .file = file};
    lam_status status = lam_check(&input, &options, found, &run, &totals, &error);
    lam_input_close(&input);
    if (status != LAM_STATUS_OK)
        return tool_fail(file, &error);
    if (!chosen->json && !chosen->all)
        print_rest(&run);
    if (!chosen->json &&
        (!chosen->quiet || totals.errors + totals.warnings + totals.passed_over > 0))
        print_totals(file, &totals);
    bool fails = totals.errors > 0 || (chosen->strict && totals.passed_over > 0);
    return fails ? TOOL_BAD_INPUT : TOOL_OK;
}

static int print_rules(void) {
    tool_print("| rule | severity | what holds | specification |\n|---|---|---|---|\n");
    const lam_check_rule *rule;
    for (size_t i = 0; (rule = lam_check_rule_at(i)) != NULL; i++) {
        tool_print("| `%s` | %s | %s | %s |\n", rule->id, lam_severity_name(rule->severity),
                   rule->summary, rule->section);
    }
    return tool_flush();
}

static const tool_option option_rows[] = {
    {.name = "all",
     .kind = TOOL_OPTION_FLAG,
     .at = offsetof(check_options, all),
     .help = "print every finding, not only the first 5 of each rule"},
    {.name = "json",
     .kind = TOOL_OPTION_FLAG,
     .at = offsetof(check_options, json),
     .help = "print every finding, one object each"},
    {.name = "quiet",
     .kind = TOOL_OPTION_FLAG,
     .at = offsetof(check_options, quiet),
     .help = "print only errors and warnings; nothing for a file that was checked completely and "
             "has none"},
    {.name = "strict",
     .kind = TOOL_OPTION_FLAG,
     .at = offsetof(check_options, strict),
     .help = "exit with 1 if anything was skipped, too"},
    {.name = "rules",
     .kind = TOOL_OPTION_FLAG,
     .at = offsetof(check_options, rules),
     .help = "print all rules as a table, and check nothing"},
    {.name = "max-rows",
     .kind = TOOL_OPTION_COUNT,
     .at = offsetof(check_options, max_rows),
     .argument = "N",
     .help = "skip row groups with rows after the first N"},
    TOOL_LIMIT_ROWS,
    {.name = NULL}};

static int run(int argc, char **argv) {
    check_options chosen = {.all = false};
    int operands, result = tool_take_options(&tool_check, argc, argv, &chosen, &operands);
    if (result >= 0)
        return result;
    tool_print_exactly(chosen.json);
    if (chosen.rules && operands == 0)
        return print_rules();
    if (chosen.rules)
        return tool_misuse(&tool_check, "--rules takes no file");
    tool_progress_begin_files(operands, argv + 1, NULL);
    result = tool_each_file(&tool_check, operands, argv + 1, check_file, &chosen);
    tool_progress_end();
    return result;
}

const tool_command tool_check = {
    .name = "check",
    .summary = "check a file against everything that it says about itself",
    .usage = "[options] FILE...",
    .description =
        "Reads everything in a file and compares it with what the file says about itself: "
        "structure, levels, counts, checksums, statistics, page index, Bloom filters. Each "
        "finding is one line that names its severity, its rule, its location and the section of "
        "the specification; the last line for a file counts them. Damaged parts are skipped, and "
        "everything else is still checked. Parts that are skipped for another reason, such as a "
        "page above the memory limit or a column with an unknown codec, are reported too; "
        "--strict makes that a failure. FILE may be \"-\" for standard input.",
    .examples = (const char *const[]){"lamella check events.parquet",
                                      "lamella check --quiet *.parquet", NULL},
    .options = option_rows,
    .exits = TOOL_EXITS({0, "no errors, though perhaps warnings and notes"},
                        {1, "errors, or a file that cannot be read; with --strict, also if "
                            "something was skipped"},
                        {2, TOOL_EXIT_MISUSE}),
    .run = run,
    .is_paged = true,
};
