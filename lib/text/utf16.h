/* SPDX-License-Identifier: Apache-2.0 */
/* UTF-16, as bytes in either order, to UTF-8. */
#ifndef LAM_TEXT_UTF16_H
#define LAM_TEXT_UTF16_H

#include <lamella/common.h>

/* What the first bytes of a text show. */
typedef enum lam_text_encoding {
    LAM_TEXT_UNKNOWN, /* before the first bytes */
    LAM_TEXT_UTF8,
    LAM_TEXT_UTF16_LE, /* the low byte of a unit comes first */
    LAM_TEXT_UTF16_BE
} lam_text_encoding;

/* Gives the encoding by the byte order mark, and the size of the mark, 0 if there is none. */
lam_text_encoding lam_text_encoding_of(const uint8_t *bytes, size_t size, size_t *ret_mark);

/* The units of a character: one, or two with the second missing or invalid. */
typedef enum lam_utf16_end {
    LAM_UTF16_CUT,  /* all was taken, except up to 3 bytes of an incomplete character */
    LAM_UTF16_LONE, /* a surrogate without its other half follows */
} lam_utf16_end;

/*
 * Converts complete characters of UTF-16 to `out`, which has room for 3 bytes for each 2 of
 * `bytes`. Gives the bytes written, and through `ret_used` those that were read.
 */
size_t lam_utf16_to_utf8(lam_text_encoding encoding, const uint8_t *bytes, size_t size,
                         uint8_t *out, size_t *ret_used, lam_utf16_end *ret_end);

/* The unit at `bytes`. */
static inline uint32_t lam_utf16_unit(lam_text_encoding encoding, const uint8_t *bytes) {
    return encoding == LAM_TEXT_UTF16_LE ? bytes[0] | (uint32_t)bytes[1] << 8
                                         : bytes[1] | (uint32_t)bytes[0] << 8;
}

#endif
