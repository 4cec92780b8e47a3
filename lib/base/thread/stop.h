/* SPDX-License-Identifier: Apache-2.0 */
/* Checks in long calls whether they are to end. */
#ifndef LAM_BASE_THREAD_STOP_H
#define LAM_BASE_THREAD_STOP_H

#include <lamella/stop.h>

/* CANCELLED, with the reason: a request or the deadline. */
lam_status lam_stop_fail(const lam_stop *stop, lam_error *error);

/* CANCELLED when `stop`, which may be NULL, asks to end. */
static inline lam_status lam_stop_check(const lam_stop *stop, lam_error *error) {
    return stop != NULL && lam_stop_is_due(stop) ? lam_stop_fail(stop, error) : LAM_STATUS_OK;
}

/*
 * The same for loops whose steps are too small to ask at each: asks in every LAM_STOP_STEPS of
 * them, which `*steps` counts from any number on.
 */
enum { LAM_STOP_STEPS = 4096 };

static inline lam_status lam_stop_step(const lam_stop *stop, uint64_t *steps, lam_error *error) {
    return ++*steps % LAM_STOP_STEPS != 0 ? LAM_STATUS_OK : lam_stop_check(stop, error);
}

#endif
