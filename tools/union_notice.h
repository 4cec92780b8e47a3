/* SPDX-License-Identifier: Apache-2.0 */
/* What commands say of files that are read as one, and the option for what they say it of. */
#ifndef LAMELLA_TOOLS_UNION_NOTICE_H
#define LAMELLA_TOOLS_UNION_NOTICE_H

#include <lamella/dataset.h>

#include "tool_option.h"

/* A row of a command whose options have a lam_clash. */
#define CLASH_ROW(type, member)                                                                    \
    {                                                                                              \
        .name = "on-clash", .kind = TOOL_OPTION_ENUM, .at = offsetof(type, member),                \
        .values = TOOL_VALUES("variant", "string", "error"), .least = LAM_CLASH_VARIANT,           \
        .help = union_clash_help                                                                   \
    }

extern const char union_clash_help[];

/*
 * Prints the notices of a union from number `*from` on, ten at most, and moves that behind them.
 * `writes`: the files become one, so that it matters if they have nothing in common.
 */
void union_say_notices(const lam_union *all, bool writes, size_t *from);

#endif
