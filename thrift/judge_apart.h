/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The judge in a process of its own: GLib ends its process when memory runs out, and what Apache
 * Thrift makes of a footer takes some twenty times its size. Neither reaches the caller.
 */
#ifndef LAM_JUDGE_APART_H
#define LAM_JUDGE_APART_H

#include <stddef.h>
#include <stdint.h>

typedef enum lam_judge_outcome {
    LAM_JUDGE_OUTCOME_SAME,    /* it writes the expected bytes again */
    LAM_JUDGE_OUTCOME_OTHER,   /* it reads something else, or nothing: a message says what */
    LAM_JUDGE_OUTCOME_UNASKED, /* no process, or none that answered: a message says why */
} lam_judge_outcome;

/*
 * Has a footer read and written again, and compares with `expected`. The process ends with the
 * call: when it has not answered after a minute it is killed. Not for a process that has other
 * threads, since the child goes on with what they held.
 */
lam_judge_outcome lam_judge_footer_apart(const uint8_t *footer, size_t size,
                                         const uint8_t *expected, size_t expected_size,
                                         char *message, size_t capacity);

#endif
