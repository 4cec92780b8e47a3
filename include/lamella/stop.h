/*
 * Ending long calls from outside: by a deadline, or from another thread or a signal handler.
 */
#ifndef LAMELLA_STOP_H
#define LAMELLA_STOP_H

#include <lamella/common.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * When to stop. The options of every call that can take long have a pointer to one, borrowed as
 * long as the handle lives; NULL never stops. Calls look at it before each page and at least every
 * few thousand values, and then fail with CANCELLED. What is under way within one page of one codec
 * is finished first. Several handles may share one.
 */
typedef struct lam_stop {
    int32_t requested; /* not 0: stop now; set it with lam_stop_request */
    int64_t deadline;  /* of lam_deadline_after; 0: none. Not changed while handles use it */
} lam_stop;

/* Asks all calls that use `stop` to end. Safe from any thread and from signal handlers. */
LAM_PUBLIC void lam_stop_request(lam_stop *stop);

/* Whether `stop`, which may be NULL, asks to end by now. Safe from any thread. */
LAM_PUBLIC bool lam_stop_is_due(const lam_stop *stop);

/* A deadline that many nanoseconds from now, by a clock that nobody sets; never 0. */
LAM_PUBLIC int64_t lam_deadline_after(int64_t nanoseconds);

#ifdef __cplusplus
}
#endif

#endif
