/* SPDX-License-Identifier: Apache-2.0 */
/* What helpers of tests cannot go on without: a call that must succeed, or the program ends. */
#ifndef LAM_TESTS_VARIANT_TAKE_H
#define LAM_TESTS_VARIANT_TAKE_H

#include <stdio.h>
#include <stdlib.h>

/* The call gives `&take_error` to whatever it calls, or NULL. */
#define TAKE(call)                                                                                 \
    do {                                                                                           \
        lam_error take_error = lam_error_none();                                                   \
        if ((call) != LAM_STATUS_OK) {                                                             \
            fprintf(stderr, "%s: %s\n", #call, take_error.message);                                \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

#endif
