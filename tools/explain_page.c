/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Puts data, a JSON object, into the page, which is HTML. The invariant: the element that holds the
 * object has no "<", ">" or "&", and no line end that JSON allows but early JavaScript does not
 * (U+2028, U+2029): they occur only in strings, where an escape means the same.
 */
#include "explain_page.h"

#include <stdbool.h>
#include <string.h>

/* The escape for the character at a byte, and its length there; NULL: the byte stays. */
static const char *escape_of(const uint8_t *at, size_t left, size_t *ret_length) {
    *ret_length = 1;
    switch (*at) {
    case '<':
        return "\\u003c";
    case '>':
        return "\\u003e";
    case '&':
        return "\\u0026";
    case 0xE2:
        *ret_length = 3;
        if (left >= 3 && at[1] == 0x80 && (at[2] & 0xFE) == 0xA8)
            return at[2] == 0xA8 ? "\\u2028" : "\\u2029";
        return NULL;
    default:
        return NULL;
    }
}

static lam_status write_json(lam_bytes json, lam_output *output, lam_error *error) {
    size_t begin = 0, i = 0, length;
    lam_status status = LAM_STATUS_OK;
    for (; i < json.size && status == LAM_STATUS_OK; i++) {
        const char *escape = escape_of(json.data + i, json.size - i, &length);
        if (escape == NULL)
            continue;
        status = output->write(output->state, json.data + begin, i - begin, error);
        if (status == LAM_STATUS_OK)
            status = output->write(output->state, escape, strlen(escape), error);
        i += length - 1;
        begin = i + 1;
    }
    if (status == LAM_STATUS_OK)
        status = output->write(output->state, json.data + begin, json.size - begin, error);
    return status;
}

lam_status explain_write_page(lam_bytes json, lam_output *output, lam_error *error) {
    lam_status status =
        output->write(output->state, explain_page_head, explain_page_head_size, error);
    if (status == LAM_STATUS_OK)
        status = write_json(json, output, error);
    if (status == LAM_STATUS_OK)
        status = output->write(output->state, explain_page_tail, explain_page_tail_size, error);
    return status;
}
