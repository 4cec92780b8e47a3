/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The notices of commands about files that are read as one, and the option for which they give
 * them.
 */
#ifndef LAMELLA_TOOLS_UNION_NOTICE_H
#define LAMELLA_TOOLS_UNION_NOTICE_H

#include <lamella/dataset.h>

#include "tool_option.h"

/* A row of a command whose options have a lam_clash; with its own text, by another default. */
#define CLASH_ROW(type, member) CLASH_ROW_WITH(type, member, union_clash_help)
#define CLASH_ROW_WITH(type, member, text)                                                         \
    {                                                                                              \
        .name = "on-clash", .kind = TOOL_OPTION_ENUM, .at = offsetof(type, member),                \
        .values = TOOL_VALUES("variant", "string", "error"), .least = LAM_CLASH_VARIANT,           \
        .help = text                                                                               \
    }

#define CLASH_HELP                                                                                 \
    "what becomes of a field whose types in several files clash, such as int64 and binary "        \
    "(STRING): a VARIANT, a STRING with other values as JSON text, or an error; default: "

extern const char union_clash_help[];

/*
 * Prints the notices of a union from number `*from` on, ten at most, and moves that past them.
 * `writes`: the files become one, so that it matters if they have nothing in common.
 */
void union_say_notices(const lam_union *all, bool writes, size_t *from);

#endif
