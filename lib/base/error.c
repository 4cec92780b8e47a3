#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"

_Static_assert(sizeof(lam_error) == 512, "the layout of lam_error is frozen");

const char *lam_status_name(lam_status status) {
    static const char *const names[] = {"ok",          "invalid",  "state",         "corrupt",
                                        "unsupported", "limit",    "out of memory", "io",
                                        "not found",   "cancelled"};
    size_t index = (size_t)status;
    return index < sizeof names / sizeof names[0] ? names[index] : "unknown";
}

/* Cuts a message that filled its buffer so that it does not end inside a UTF-8 sequence. */
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
    size_t left = strlen(text), whole;
    for (uint8_t *at = (uint8_t *)text; (whole = lam_utf8_prefix(at, left)) < left; left -= whole) {
        at += whole;
        *at = '?';
    }
    for (char *at = text; *at != '\0'; at++)
        if ((unsigned char)*at < ' ' || *at == 0x7F)
            *at = '?';
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
    if (length < 0)
        error->message[0] = '\0';
    lam_error_make_line(error->message, sizeof error->message);
    return status;
}

void lam_error_at_offset(lam_error *error, uint64_t offset) {
    if (error != NULL && error->offset < 0 && offset <= INT64_MAX)
        error->offset = (int64_t)offset;
}

void lam_error_at_row(lam_error *error, size_t row_group, uint64_t row) {
    if (error == NULL)
        return;
    if (error->row_group < 0 && row_group <= INT32_MAX)
        error->row_group = (int32_t)row_group;
    if (error->row < 0 && row <= INT64_MAX)
        error->row = (int64_t)row;
}
