/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The treatment of lines that are no record, or do not fit: counted, and written to a file if
 * --rejects names one, as an object in a line each:
 *
 *     {"input":"a.csv","line":3,"reason":"1 field, but the first record has 2","text":"x"}
 */
#ifndef LAMELLA_TOOLS_BAD_LINES_H
#define LAMELLA_TOOLS_BAD_LINES_H

#include <lamella/lamella.h>
#include <stdio.h>

#include "tool_option.h"

typedef struct bad_lines {
    bool skips;       /* else the first one is an error */
    const char *path; /* of the file, or NULL */
    FILE *file;       /* while it is open */
    bool appends;
    bool has_failed; /* not all is in the file, which was said */
    uint64_t count;  /* since it was said last */
} bad_lines;

bool bad_lines_take_file(const tool_option *option, const char *value, void *chosen);

/* Rows of a command whose options have a bad_lines named `bad`. */
#define BAD_LINES_ROWS(options)                                                                    \
    {.name = "skip-bad-lines",                                                                     \
     .kind = TOOL_OPTION_FLAG,                                                                     \
     .at = offsetof(options, bad.skips),                                                           \
     .holds = TOOL_HOLDS_JSON | TOOL_HOLDS_CSV,                                                    \
     .group = "lines that are not records, or do not fit",                                         \
     .help = "skip and count them, in CSV, and in JSON with one record per line"},                 \
    {                                                                                              \
        .name = "rejects", .kind = TOOL_OPTION_FILE, .at = offsetof(options, bad),                 \
        .argument = "FILE", .take = bad_lines_take_file, .must = "the name of a file",             \
        .holds = TOOL_HOLDS_JSON | TOOL_HOLDS_CSV,                                                 \
        .help = "skip them, and write each to FILE as a line of JSON: input, line, reason, and "   \
                "text, cut after 64KiB"                                                            \
    }

/*
 * Makes the file, or, if it `appends`, continues at its end; without a file, has no effect. On
 * failure prints why and gives the exit status.
 */
int bad_lines_open(bad_lines *bad, bool appends);
/* Whether a failure to read is one of a line that is skipped, whose text is there. */
bool bad_lines_skip(const bad_lines *bad, const lam_error *error, lam_bytes text);
/*
 * Counts a line; `message` is of its failure, and may begin with its number. A failure to write is
 * to be said, once.
 */
lam_status bad_lines_add(bad_lines *bad, const char *input, uint64_t line, const char *message,
                         lam_bytes text, lam_error *error);
/* Says how many were skipped, if any were. */
void bad_lines_say(bad_lines *bad, const char *input);
/* Gives the exit status, also of a failure to write; prints why, unless that was said. */
int bad_lines_close(bad_lines *bad);

#endif
