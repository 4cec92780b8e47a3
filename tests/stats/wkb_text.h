/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Geometries for tests, in a notation as short as their bytes: numbers are uint32, numbers with a
 * point are doubles, "<" and ">" set the byte order from there on, and write it.
 */
#ifndef LAM_TESTS_WKB_TEXT_H
#define LAM_TESTS_WKB_TEXT_H

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/bytes.h"

static inline void wkb_text_put(lam_buffer *out, uint64_t bits, size_t size, bool little) {
    uint8_t bytes[8];
    for (size_t i = 0; i < size; i++)
        bytes[little ? i : size - 1 - i] = (uint8_t)(bits >> 8 * i);
    cr_assert_eq(lam_buffer_append(out, bytes, size, NULL), LAM_STATUS_OK);
}

/* Appends the bytes of "< 1 30.0 10.0", a point. */
static inline void wkb_text_append(lam_buffer *out, const char *text) {
    bool little = true;
    while (*(text += strspn(text, " ")) != '\0') {
        size_t length = strcspn(text, " ");
        if (*text == '<' || *text == '>') {
            little = *text == '<';
            cr_assert_eq(lam_buffer_append_byte(out, little, NULL), LAM_STATUS_OK);
        } else if (memchr(text, '.', length) != NULL || memchr(text, 'n', length) != NULL) {
            double number = strtod(text, NULL);
            uint64_t bits;
            memcpy(&bits, &number, sizeof bits);
            wkb_text_put(out, bits, 8, little);
        } else {
            wkb_text_put(out, strtoul(text, NULL, 0), 4, little);
        }
        text += length;
    }
}

#endif
