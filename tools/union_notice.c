/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reports how a union has united the fields of several files, in lines on standard error.
 *
 *     lamella: b.parquet: field v becomes a VARIANT: int64 in a.parquet, binary (STRING) here ...
 *
 * Paths come from the files: invisible characters are escaped, line breaks, too.
 */
#include "union_notice.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tool.h"
#include "tool_screen.h"

enum { UNION_NOTICES_MOST = 10, UNION_NOTICE_ROOM = 1024, UNION_NOTICE_PATH = 300 };

const char union_clash_help[] = CLASH_HELP "variant";

static LAM_PRINTF(1, 2) void say_line(const char *format, ...) {
    char line[UNION_NOTICE_ROOM];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    char *shown = tool_printable(line, strlen(line), SIZE_MAX, false);
    tool_say("%s\n", shown);
    free(shown);
}

static void say_notice(const lam_union_notice *notice) {
    const char *first = tool_name(notice->names[0]), *second = tool_name(notice->names[1]);
    bool is_variant = notice->became == LAM_CLASH_VARIANT;
    if (notice->kind == LAM_UNION_NOTICE_UNRELATED)
        say_line("lamella: %s: no field of this file is one of %s: the columns of both stand side "
                 "by side",
                 second, first);
    else
        say_line("lamella: %s: field %.*s becomes a %s: %s in %s, %s here (--on-clash %s or error "
                 "changes this)",
                 second, UNION_NOTICE_PATH, notice->path, is_variant ? "VARIANT" : "STRING",
                 notice->types[0], first, notice->types[1], is_variant ? "string" : "variant");
}

void union_say_notices(const lam_union *all, bool writes, size_t *from) {
    size_t count = lam_union_notice_count(all);
    for (; *from < count; ++*from) {
        lam_union_notice notice = lam_union_notice_default();
        if (*from == UNION_NOTICES_MOST)
            say_line("lamella: the same for %zu more fields or files", count - *from);
        if (*from < UNION_NOTICES_MOST &&
            lam_union_notice_at(all, *from, &notice, NULL) == LAM_STATUS_OK &&
            (writes || notice.kind == LAM_UNION_NOTICE_CLASH))
            say_notice(&notice);
    }
}
