/* Where errors are born and how they travel: a status up the stack, the words in lam_error. */
#ifndef LAM_BASE_ERROR_H
#define LAM_BASE_ERROR_H

#include <lamella/common.h>

/*
 * Fills `error` (NULL allowed) with a status and a printf-style message, clears its place, and
 * returns the status. Long messages are cut at a character boundary.
 */
lam_status lam_error_set(lam_error *error, lam_status status, const char *format, ...)
    LAM_PRINTF(3, 4);

/*
 * Makes one line of UTF-8 of a message in a room of `capacity` bytes: names and paths in it come
 * from files and may hold anything. What is no character, or a control, becomes a question mark; a
 * character that the end of the room tore is cut.
 */
void lam_error_make_line(char *text, size_t capacity);

/* Adds the place to an error that has none yet; the first one to know it wins. */
void lam_error_at_offset(lam_error *error, uint64_t offset);
void lam_error_at_row(lam_error *error, size_t row_group, uint64_t row);
void lam_error_at_chunk(lam_error *error, size_t row_group, size_t column);

/* The one place where an error is born: returns it from the function. */
#define LAM_FAIL(error, code, ...)                                                                 \
    do {                                                                                           \
        lam_error_set((error), (code), __VA_ARGS__);                                               \
        return (code);                                                                             \
    } while (0)

/* The same in a function that frees at `out:` and returns a local `status` there. */
#define LAM_FAIL_OUT(error, code, ...)                                                             \
    do {                                                                                           \
        lam_error_set((error), (code), __VA_ARGS__);                                               \
        status = (code);                                                                           \
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
