/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Patterns of texts, as LIKE and ILIKE of SQL have them: % means any characters, _ any one. A
 * pattern is cut at its % into pieces, which a text must have one after the other:
 *
 *     abc%        abc at the start            prefix "abc", and no more to check
 *     a_c%x%yz    a_c at the start, x anywhere after it, yz at the end       prefix "a"
 *     %           anything
 *
 * A character is UTF-8's. In bytes that are not UTF-8, each byte that continues a character belongs
 * to the one before it.
 */
#ifndef LAM_SCAN_CONDITION_FILTER_PATTERN_H
#define LAM_SCAN_CONDITION_FILTER_PATTERN_H

#include <lamella/common.h>

#include "base/arena.h"

/* A character of a pattern. */
typedef struct lam_pattern_item {
    lam_bytes bytes; /* without data: any character */
    uint32_t lower;  /* its small letter, or above all characters for bytes that are not UTF-8 */
} lam_pattern_item;

/* The characters between two %. */
typedef struct lam_pattern_piece {
    const lam_pattern_item *items;
    size_t count;
    lam_bytes text; /* all of it, if it has no _; else without data */
} lam_pattern_piece;

struct lam_filter_pattern {
    const lam_pattern_piece *pieces; /* at least one, the first and the last may be empty */
    size_t piece_count;              /* one more than the number of % */
    bool ignores_case;
    lam_bytes prefix; /* the beginning of each text; empty with ignores_case */
    bool is_whole;    /* the texts are the prefix and no others */
    bool is_prefix;   /* the texts are all those that begin with the prefix */
};

typedef struct lam_filter_pattern lam_filter_pattern;

/*
 * Reads a pattern. `escape` is a character that makes the next one mean itself, or empty. Memory is
 * in `arena`, and none is borrowed. INVALID when no character follows the escape character, or it
 * is not a single character; NOMEM.
 */
lam_status lam_pattern_read(lam_bytes text, lam_bytes escape, bool ignores_case, lam_arena *arena,
                            lam_filter_pattern *ret_pattern, lam_error *error);

/* Makes the pattern of all texts that begin with `prefix`, which has no special characters. */
lam_status lam_pattern_of_prefix(lam_bytes prefix, lam_arena *arena,
                                 lam_filter_pattern *ret_pattern, lam_error *error);

/* True when a text is one of the pattern. */
bool lam_pattern_matches(const lam_filter_pattern *pattern, lam_bytes text);

#endif
