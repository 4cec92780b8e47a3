/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What import says of the fields that it inferred: an inference in, lines of text out.
 *
 *     lamella: mix.ndjson: field a becomes a VARIANT: a number on line 1, a string on line 2 ...
 *
 * The lines are made while the inference is there, and printed when the file is: a schema that is a
 * guess may turn out to be wrong. Paths come from the input: what does not show in a line is
 * escaped, line breaks too.
 */
#include "import_notice.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tool.h"
#include "tool_screen.h"

enum { NOTICES_MOST = 10, NOTICE_ROOM = 1024, NOTICE_PATH = 300 };

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

/* The input is named once where both lines are in it. */
static void add_clash(notice_text *lines, const lam_json_notice *notice, const tool_text *inputs,
                      int count, import_clash on_clash) {
    static const char *const becomes[] = {" becomes a VARIANT", " becomes a STRING", ""};
    static const char *const others[] = {"--on-clash string or error, or --type, changes this",
                                         "--on-clash variant or error, or --type, changes this",
                                         "--on-clash variant or string, or --type, accepts this"};
    const char *first = input_name(inputs, count, notice->sources[0]);
    const char *second = input_name(inputs, count, notice->sources[1]);
    bool same = notice->sources[0] == notice->sources[1];
    add_line(lines,
             "lamella: %s: field %.*s%s: %s on line %" PRIu64 ", %s on line %" PRIu64 "%s%s (%s)",
             first, NOTICE_PATH, notice->path, becomes[on_clash], notice->values[0],
             notice->lines[0], notice->values[1], notice->lines[1], same ? "" : " of ",
             same ? "" : second, others[on_clash]);
}

char *import_notices(const lam_json_inference *inference, const tool_text *inputs, int count,
                     import_clash on_clash, size_t max_fields, size_t *ret_clashes) {
    static const char *const becomes[] = {
        [LAM_JSON_NOTICE_MAP] = "a MAP",
        [LAM_JSON_NOTICE_VARIANT] = "a VARIANT",
    };
    notice_text lines = {NULL, 0};
    size_t total = lam_json_inference_notice_count(inference);
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
            add_clash(&lines, &notice, inputs, count, on_clash);
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
