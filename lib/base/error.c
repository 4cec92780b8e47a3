/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fills in the caller's lam_error with a kind, a printf-style message, and later a location, and
 * returns its status.
 *
 * A function that fails sets the error once, where the failure is found, and every caller up the
 * stack passes the status on (LAM_TRY). Callers that know where in the file they are add the
 * offset, the row or the column, each at most once. The message is always one line of UTF-8 that
 * ends with a NUL; names and paths in it are visible, whatever their bytes (base/visible.c).
 */
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/visible.h"

/* Programs keep lam_error on their stacks: a later version must not write beyond it. */
_Static_assert(sizeof(lam_error) == 512, "the layout of lam_error is frozen");

/* In the order of lam_status. */
const char *lam_status_name(lam_status status) {
    static const char *const names[] = {"ok",          "invalid",  "state",         "corrupt",
                                        "unsupported", "limit",    "out of memory", "io",
                                        "not found",   "cancelled"};
    size_t index = (size_t)status;
    return index < sizeof names / sizeof names[0] ? names[index] : "unknown";
}

/*
 * Cuts a message that filled its buffer so that it does not end inside a UTF-8 sequence: removes
 * the last character that has bytes of 0x80 and above, which may be complete or not.
 */
static void end_at_character(char *message, size_t size) {
    size_t length = strlen(message);
    if (length + 1 < size)
        return;
    size_t start = length;
    while (start > 0 && ((unsigned char)message[start - 1] & 0xC0) == 0x80)
        start--;
    if (start > 0 && ((unsigned char)message[start - 1] & 0x80) != 0)
        message[start - 1] = '\0';
}

void lam_error_make_line(char *text, size_t capacity) {
    end_at_character(text, capacity);
    lam_visible_make(text, capacity);
}

lam_status lam_error_set(lam_error *error, int kind, const char *format, ...) {
    const lam_status status = lam_kind_status(kind);
    if (error == NULL)
        return status;
    *error = lam_error_none();
    error->status = status;
    error->code = kind < LAM_KIND_CODES ? LAM_ERROR_CODE_NONE : (lam_error_code)kind;
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(error->message, sizeof error->message, format, arguments);
    va_end(arguments);
    /* vsnprintf failed and may have left anything in the buffer. */
    if (length < 0)
        error->message[0] = '\0';
    lam_error_make_line(error->message, sizeof error->message);
    return status;
}

/* An offset that no int64_t holds is left out, rather than shown wrong. */
void lam_error_at_offset(lam_error *error, uint64_t offset) {
    if (error != NULL && error->offset < 0 && offset <= INT64_MAX)
        error->offset = (int64_t)offset;
}

/* The row counts within its row group; each of the two is set if it is missing. */
void lam_error_at_row(lam_error *error, size_t row_group, uint64_t row) {
    if (error == NULL)
        return;
    if (error->row_group < 0 && row_group <= INT32_MAX)
        error->row_group = (int32_t)row_group;
    if (error->row < 0 && row <= INT64_MAX)
        error->row = (int64_t)row;
}
