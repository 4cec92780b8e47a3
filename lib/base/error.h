/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Creates errors and passes them on: the status is returned up the stack, the rest is in lam_error.
 */
#ifndef LAM_BASE_ERROR_H
#define LAM_BASE_ERROR_H

#include <lamella/common.h>

enum { LAM_KIND_CODES = 1000 }; /* from here on, a kind is a code: its thousands are a status */

/*
 * The status of a kind of failure. A kind is a lam_status, or a lam_error_code, which implies its
 * status (3202 is CORRUPT). CORRUPT always has a code, so that programs can distinguish the faults
 * of a file.
 */
static inline lam_status lam_kind_status(int kind) {
    return (lam_status)(kind < LAM_KIND_CODES ? kind : kind / LAM_KIND_CODES);
}

/* The kind that an error has, for callers that report the same in other words. */
static inline int lam_error_kind(const lam_error *error) {
    return error->code != LAM_ERROR_CODE_NONE ? (int)error->code : (int)error->status;
}

/*
 * Fills `error` (NULL allowed) with a kind and a printf-style message, clears its location, and
 * returns the status. Long messages are cut at a character boundary.
 */
lam_status lam_error_set(lam_error *error, int kind, const char *format, ...) LAM_PRINTF(3, 4);

/*
 * Turns a message in a room of `capacity` bytes into one line of UTF-8 that shows: names and paths
 * in it come from files and may hold any bytes. A character that the end of the room cut through is
 * removed; what does not show is escaped, as by lam_visible_make.
 */
void lam_error_make_line(char *text, size_t capacity);

/*
 * Add the location to an error that has none yet: the first caller that knows it sets it. For the
 * column see schema/leaf_error.h.
 */
void lam_error_at_offset(lam_error *error, uint64_t offset);
void lam_error_at_row(lam_error *error, size_t row_group, uint64_t row);

/* Creates an error and returns its status from the function. */
#define LAM_FAIL(error, kind, ...)                                                                 \
    do {                                                                                           \
        lam_error_set((error), (kind), __VA_ARGS__);                                               \
        return lam_kind_status(kind);                                                              \
    } while (0)

/* The same in a function that frees at `out:` and returns a local `status` there. */
#define LAM_FAIL_OUT(error, kind, ...)                                                             \
    do {                                                                                           \
        lam_error_set((error), (kind), __VA_ARGS__);                                               \
        status = lam_kind_status(kind);                                                            \
        goto out;                                                                                  \
    } while (0)

/* Passes a failure on to the caller. */
#define LAM_TRY(call)                                                                              \
    do {                                                                                           \
        lam_status lam_try_status = (call);                                                        \
        if (lam_try_status != LAM_STATUS_OK)                                                       \
            return lam_try_status;                                                                 \
    } while (0)

/* Passes a failure on by way of `out:`, where a local `status` is returned. */
#define LAM_TRY_OUT(call)                                                                          \
    do {                                                                                           \
        status = (call);                                                                           \
        if (status != LAM_STATUS_OK)                                                               \
            goto out;                                                                              \
    } while (0)

#endif
