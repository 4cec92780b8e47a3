/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A visitor that writes one line for each range, for walks over bytes made by hand:
 *
 *     depth begin+length kind label: value -- note
 */
#ifndef LAM_TESTS_RANGE_LINES_H
#define LAM_TESTS_RANGE_LINES_H

#include "byte_map/walk/byte_walk.h"

typedef struct lam_range_lines {
    char text[8192];
    size_t size;
    uint64_t ranges;
    uint64_t fail_at; /* the range at which the visitor fails, from 1; 0: at none */
    bool is_outline;  /* no range is expanded */
} lam_range_lines;

/* A walk without file, schema and location that writes its lines there. */
lam_byte_walk lam_range_lines_walk(lam_range_lines *lines);

/* A walk of the caller. */
typedef lam_status lam_range_call(lam_byte_walk *walk, const void *what, lam_error *error);

/*
 * Makes the call with walks like this one: its lines must be the expected ones, though the visitor
 * asks to expand all ranges, and it must end with the failure of the visitor at each of them.
 */
void lam_range_lines_expect(const lam_byte_walk *like, lam_range_call *call, const void *what,
                            const char *expected);

#endif
