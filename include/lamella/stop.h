/* SPDX-License-Identifier: Apache-2.0 */
/* Ends long calls from outside: by a deadline, or from another thread or a signal handler. */
#ifndef LAMELLA_STOP_H
#define LAMELLA_STOP_H

#include <lamella/common.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * When to stop. The options of every call that can take long have a pointer to one, borrowed as
 * long as the handle lives; NULL never stops. Calls check it before each page and at least every
 * few thousand values, and then fail with CANCELLED. The work of a codec on one page is completed
 * first. Several handles may share one.
 */
typedef struct lam_stop {
    int32_t requested; /* not 0: stop now; set it with lam_stop_request */
    int64_t deadline;  /* from lam_deadline_after; 0: none. Do not change it while handles use it */
} lam_stop;

/* Requests that all calls that use `stop` end. Safe from any thread and from signal handlers. */
LAM_PUBLIC void lam_stop_request(lam_stop *stop);

/* True when `stop`, which may be NULL, asks to end by now. Safe from any thread. */
LAM_PUBLIC bool lam_stop_is_due(const lam_stop *stop);

/* A deadline that many nanoseconds from now, on the monotonic clock; never 0. */
LAM_PUBLIC int64_t lam_deadline_after(int64_t nanoseconds);

#ifdef __cplusplus
}
#endif

#endif
