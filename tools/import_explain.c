/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the findings about shredding, as a table on standard error. */
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "import_schema.h"
#include "tool.h"
#include "tool_screen.h"

enum { COLUMNS = 5, NOT_SHREDDED_MAX = 6, KINDS_ROOM = 40 * LAM_VARIANT_UNKNOWN };

typedef struct explain_line {
    char *cells[COLUMNS];
} explain_line;

typedef struct explain_table {
    explain_line *lines;
    size_t count;
    size_t widths[COLUMNS]; /* in characters */
} explain_table;

static void add_line(explain_table *table, const char *const cells[COLUMNS]) {
    explain_line *line = &table->lines[table->count++];
    for (int i = 0; i < COLUMNS; i++) {
        line->cells[i] = tool_printable(cells[i], strlen(cells[i]), SIZE_MAX, false);
        size_t width = tool_character_count(line->cells[i]);
        table->widths[i] = width > table->widths[i] ? width : table->widths[i];
    }
}

static void print_lines(explain_table *table) {
    for (size_t i = 0; i < table->count; i++) {
        tool_say(" ");
        for (int k = 0; k < COLUMNS; k++) {
            const char *cell = table->lines[i].cells[k];
            size_t pad = k + 1 < COLUMNS ? table->widths[k] - tool_character_count(cell) : 0;
            tool_say(" %s%*s", cell, (int)pad, "");
            free(table->lines[i].cells[k]);
        }
        tool_say("\n");
    }
    table->count = 0;
    memset(table->widths, 0, sizeof table->widths);
}

/* --- Cells --------------------------------------------------------------------------------- */

/* "string 90, null 10", the commonest first. */
static void print_kinds(const lam_variant_finding *finding, char *text) {
    bool told[LAM_VARIANT_UNKNOWN] = {false};
    size_t at = 0;
    for (;;) {
        int next = -1;
        for (int kind = 0; kind < LAM_VARIANT_UNKNOWN; kind++)
            if (!told[kind] && finding->kinds[kind] > 0 &&
                (next < 0 || finding->kinds[kind] > finding->kinds[next]))
                next = kind;
        if (next < 0)
            return;
        told[next] = true;
        at += (size_t)snprintf(text + at, KINDS_ROOM - at, "%s%s %" PRIu64, at == 0 ? "" : ", ",
                               lam_variant_kind_name((lam_variant_kind)next), finding->kinds[next]);
    }
}

static void add_finding(explain_table *table, const lam_variant_finding *finding) {
    static const char *const choices[] = {"no: ", "value alone: ", "value, typed_value"};
    char kinds[KINDS_ROOM] = "", present[16], type[48] = "-", choice[96];
    snprintf(present, sizeof present, "%5.1f%%", 100 * finding->presence);
    if (finding->type[0] != '\0')
        snprintf(type, sizeof type, "%s %.1f%%", finding->type, 100 * finding->uniformity);
    snprintf(choice, sizeof choice, "%s%s", choices[finding->choice],
             lam_variant_reason_text(finding->reason));
    print_kinds(finding, kinds);
    const char *const cells[COLUMNS] = {finding->path[0] == '\0' ? "(the value)" : finding->path,
                                        present, type, choice, kinds};
    add_line(table, cells);
}

/* --- Groups -------------------------------------------------------------------------------- */

static void print_group_line(const lam_variant_finding *first, size_t paths) {
    char *path = tool_path_of(first->group);
    tool_say("shredding of %s, from %" PRIu64 " value%s with %zu path%s:\n", path, first->values,
             tool_s(first->values), paths, tool_s(paths));
    free(path);
}

/* The dot before the last name of a path; NULL if it is the only one. */
static const char *last_dot(const char *path) {
    const char *last = NULL;
    for (size_t at = tool_mark_from(path, 0, '.'); path[at] != '\0';
         at = tool_mark_from(path, at + 1, '.'))
        last = path + at;
    return last;
}

/* Whether two paths are fields of the same objects; names that are data come one after another. */
static bool have_one_parent(const lam_variant_finding *a, const lam_variant_finding *b) {
    const char *dot_a = last_dot(a->path), *dot_b = last_dot(b->path);
    size_t size = dot_a == NULL ? 0 : (size_t)(dot_a - a->path);
    return (dot_a == NULL) == (dot_b == NULL) &&
           (dot_a == NULL ||
            ((size_t)(dot_b - b->path) == size && memcmp(a->path, b->path, size) == 0));
}

/* Findings [from, end), which are of one group. */
static void explain_group(const lam_variant_inference *inference, explain_table *table, size_t from,
                          size_t end) {
    static const char *const head[COLUMNS] = {"path", "present", "type", "columns", "kinds"};
    const lam_variant_finding *first = lam_variant_inference_finding(inference, from);
    uint64_t passed_over = lam_variant_inference_passed_over(inference, first->group);
    size_t hidden = 0, shown = 0;
    print_group_line(first, end - from);
    add_line(table, head);
    for (size_t i = from; i < end; i++) {
        const lam_variant_finding *finding = lam_variant_inference_finding(inference, i);
        bool is_shredded = finding->choice != LAM_VARIANT_NOT_SHREDDED || i == from;
        bool is_inside = finding->reason == LAM_VARIANT_REASON_INSIDE;
        if (i == from || !have_one_parent(lam_variant_inference_finding(inference, i - 1), finding))
            shown = 0;
        if (!is_shredded && (is_inside || shown >= NOT_SHREDDED_MAX)) {
            hidden++;
            continue;
        }
        shown += !is_shredded;
        add_finding(table, finding);
    }
    print_lines(table);
    if (hidden > 0)
        tool_say("  and %zu more that are not shredded\n", hidden);
    if (passed_over > 0)
        tool_say("  %" PRIu64 " field%s ignored: there are too many names\n", passed_over,
                 passed_over == 1 ? " was" : "s were");
}

static void explain_thresholds(const lam_variant_inference *inference) {
    lam_variant_inference_options chosen = lam_variant_inference_options_default();
    if (lam_variant_inference_chosen(inference, &chosen, NULL) == LAM_STATUS_OK)
        import_thresholds_explain(&chosen);
}

void import_explain(const lam_variant_inference *inference) {
    size_t count = 0;
    while (inference != NULL && lam_variant_inference_finding(inference, count) != NULL)
        count++;
    explain_table table = {tool_allocate(count + 1, sizeof(explain_line)), 0, {0}};
    if (count == 0)
        tool_say("shredding: no VARIANT has inferred columns\n");
    else
        explain_thresholds(inference);
    for (size_t i = 0, end; i < count; i = end) {
        const lam_field *group = lam_variant_inference_finding(inference, i)->group;
        for (end = i + 1; end < count; end++)
            if (lam_variant_inference_finding(inference, end)->group != group)
                break;
        explain_group(inference, &table, i, end);
    }
    free(table.lines);
}
