/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Says in lines of text what an inference has found about fields.
 *
 *     lamella: mix.ndjson: field a becomes a VARIANT: a number on line 1, a string on line 2 ...
 *     lamella: mix.csv: column a becomes a STRING: 99 integers, but 'NA' on line 17 ...
 *
 * The lines are made while the inference exists, and printed when the file does: a guessed schema
 * may turn out to be wrong. Paths come from the input: invisible characters are always escaped,
 * line breaks, too.
 */
#include "import_notice.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "csv_option.h"
#include "tool.h"
#include "tool_screen.h"

enum { NOTICES_MOST = 10, NOTICE_ROOM = 1024, NOTICE_PATH = 300, NOTICE_VALUE = 24 };

/* Lines that grow. */
typedef struct notice_text {
    char *text;
    size_t size;
} notice_text;

static LAM_PRINTF(2, 3) void add_line(notice_text *lines, const char *format, ...) {
    char line[NOTICE_ROOM];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    char *shown = tool_printable(line, strlen(line), SIZE_MAX, false);
    size_t length = strlen(shown);
    lines->text = tool_reallocate(lines->text, lines->size + length + 2, 1);
    memcpy(lines->text + lines->size, shown, length);
    lines->size += length;
    memcpy(lines->text + lines->size++, "\n", 2);
    free(shown);
}

static const char *input_name(const tool_text *inputs, int count, size_t source) {
    return source < (size_t)count ? inputs[source].name : "input";
}

/* The beginning of a record: its line, and which one it is if there are several on the line. */
static void place(const lam_json_notice *notice, int index, bool is_line, char *text, size_t size) {
    snprintf(text, size, is_line ? "on line %" PRIu64 : "in record %" PRIu64,
             is_line ? notice->lines[index] : notice->records[index]);
}

/* What users should know about a file with VARIANTs, once. */
static const char *readers_note(lam_clash on_clash, bool *was_said) {
    bool says = on_clash == LAM_CLASH_VARIANT && !*was_said;
    *was_said = *was_said || says;
    return says ? "; Polars and older readers cannot open a file with a VARIANT" : "";
}

/* The input is named once if both lines are in it. */
static void add_clash(notice_text *lines, const lam_json_notice *notice, const tool_text *inputs,
                      int count, lam_clash on_clash, bool *was_said) {
    static const char *const becomes[] = {" becomes a VARIANT", " becomes a STRING", ""};
    static const char *const others[] = {"--on-clash string or error, or --type, changes this",
                                         "--on-clash variant or error, or --type, changes this",
                                         "--on-clash variant or string, or --type, accepts this"};
    const char *first = input_name(inputs, count, notice->sources[0]);
    const char *second = input_name(inputs, count, notice->sources[1]);
    bool same = notice->sources[0] == notice->sources[1];
    bool are_lines =
        !same || notice->lines[0] != notice->lines[1] || notice->records[0] == notice->records[1];
    char places[2][40];
    for (int i = 0; i < 2; i++)
        place(notice, i, are_lines, places[i], sizeof places[i]);
    add_line(lines, "lamella: %s: field %.*s%s: %s %s, %s %s%s%s (%s%s)", first, NOTICE_PATH,
             notice->path, becomes[on_clash], notice->values[0], places[0], notice->values[1],
             places[1], same ? "" : " of ", same ? "" : second, others[on_clash],
             readers_note(on_clash, was_said));
}

/* A field whose values are of one kind, which no type of a column holds. */
static void add_unfit(notice_text *lines, const lam_json_notice *notice, const tool_text *inputs,
                      int count, lam_clash on_clash, bool *was_said) {
    lam_clash made = on_clash == LAM_CLASH_STRING ? on_clash : LAM_CLASH_VARIANT;
    add_line(lines, "lamella: %s: field %.*s becomes a %s: %s (%s%s)",
             input_name(inputs, count, notice->sources[0]), NOTICE_PATH, notice->path,
             made == LAM_CLASH_STRING ? "STRING" : "VARIANT",
             notice->kind == LAM_JSON_NOTICE_EMPTY ? "its objects are empty"
                                                   : "no type of numbers holds all of its values",
             made == LAM_CLASH_STRING ? "--on-clash variant, or --type, changes this"
                                      : "--on-clash string, or --type, changes this",
             readers_note(made, was_said));
}

/* A path of --records has no quotation marks, and nothing below a list. */
static void add_array(notice_text *lines, const lam_json_notice *notice, const tool_text *inputs,
                      int count) {
    char path[NOTICE_PATH];
    snprintf(path, sizeof path, "%s[]", notice->path);
    if (import_records_is_path(path))
        add_line(lines,
                 "lamella: %s: 1 record; its array %s has %" PRIu64 ": --records '%s' takes these",
                 input_name(inputs, count, 0), notice->path, notice->count, path);
}

char *import_notices(const lam_json_inference *inference, const tool_text *inputs, int count,
                     lam_clash on_clash, size_t max_fields, size_t *ret_clashes) {
    static const char *const becomes[] = {
        [LAM_JSON_NOTICE_MAP] = "a MAP",
        [LAM_JSON_NOTICE_VARIANT] = "a VARIANT",
    };
    notice_text lines = {NULL, 0};
    lam_json_inference_info info = lam_json_inference_info_default();
    size_t total = lam_json_inference_get_info(inference, &info, NULL) == LAM_STATUS_OK
                       ? info.notice_count
                       : 0;
    bool was_said = false;
    *ret_clashes = 0;
    for (size_t i = 0; i < total; i++) {
        lam_json_notice notice = lam_json_notice_default();
        if (lam_json_inference_notice(inference, i, &notice, NULL) != LAM_STATUS_OK)
            continue;
        *ret_clashes += notice.kind == LAM_JSON_NOTICE_CLASH;
        if (i == NOTICES_MOST)
            add_line(&lines, "lamella: the same for %zu more field%s", total - i,
                     tool_s(total - i));
        if (i >= NOTICES_MOST)
            continue;
        if (notice.kind == LAM_JSON_NOTICE_CLASH)
            add_clash(&lines, &notice, inputs, count, on_clash, &was_said);
        else if (notice.kind == LAM_JSON_NOTICE_EMPTY || notice.kind == LAM_JSON_NOTICE_NUMBERS)
            add_unfit(&lines, &notice, inputs, count, on_clash, &was_said);
        else if (notice.kind == LAM_JSON_NOTICE_ARRAY)
            add_array(&lines, &notice, inputs, count);
        else if (notice.kind == LAM_JSON_NOTICE_RECORDS)
            add_line(&lines,
                     "lamella: more than %zu different fields: each record becomes a VARIANT, the "
                     "column record",
                     max_fields);
        else
            add_line(&lines, "lamella: more than %zu different fields: %.*s becomes %s", max_fields,
                     NOTICE_PATH, notice.path, becomes[notice.kind]);
    }
    return lines.text;
}

/* --- CSV ----------------------------------------------------------------------------------- */

/* Whether a text may mean a null, and is safe between the quotation marks of a shell. */
static bool may_be_null(lam_bytes text) {
    for (size_t i = 0; i < text.size; i++)
        if (text.data[i] < ' ' || text.data[i] == 0x7f || text.data[i] == '\'' ||
            (text.data[i] >= '0' && text.data[i] <= '9'))
            return false;
    return text.size > 0 && text.size <= NOTICE_VALUE;
}

static void add_column(notice_text *lines, const lam_csv_notice *notice, const tool_text *inputs,
                       int count, const char *null_text) {
    const int size = (int)(notice->other.size < NOTICE_VALUE ? notice->other.size : NOTICE_VALUE);
    const char *text = (const char *)notice->other.data;
    char more[60] = "", null[60] = "";
    if (notice->others > 1)
        snprintf(more, sizeof more, " and %" PRIu64 " more value%s", notice->others - 1,
                 tool_s(notice->others - 1));
    if (null_text == NULL && may_be_null(notice->other))
        snprintf(null, sizeof null, "--null '%.*s' makes it null, ", size, text);
    add_line(lines,
             "lamella: %s: column %.*s becomes a STRING: %" PRIu64 " %s%s, but '%.*s' on line "
             "%" PRIu64 "%s (%s--type and --rejects leave its record out)",
             input_name(inputs, count, notice->source), NOTICE_PATH, notice->column,
             notice->fitting, notice->kind, tool_s(notice->fitting), size, text, notice->line, more,
             null);
}

char *import_csv_notices(const lam_csv_inference *inference, const tool_text *inputs, int count,
                         const char *null_text,
                         bool (*is_given)(const void *state, const char *column),
                         const void *state) {
    notice_text lines = {NULL, 0};
    const size_t total = csv_inference_info(inference).notice_count;
    size_t said = 0;
    for (size_t i = 0; i < total; i++) {
        lam_csv_notice notice = lam_csv_notice_default();
        if (lam_csv_inference_notice(inference, i, &notice, NULL) != LAM_STATUS_OK ||
            is_given(state, notice.column))
            continue;
        if (said++ < NOTICES_MOST)
            add_column(&lines, &notice, inputs, count, null_text);
    }
    if (said > NOTICES_MOST)
        add_line(&lines, "lamella: the same for %zu more column%s", said - NOTICES_MOST,
                 tool_s(said - NOTICES_MOST));
    return lines.text;
}
