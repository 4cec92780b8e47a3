/* SPDX-License-Identifier: Apache-2.0 */
/* Checks text for UTF-8, and reads its characters. */
#ifndef LAM_BASE_UTF8_H
#define LAM_BASE_UTF8_H

#include <stddef.h>
#include <stdint.h>

/*
 * Number of bytes from the start that are complete, well-formed characters: `size` when all are.
 * Overlong forms, surrogates and numbers above U+10FFFF are not well-formed. (RFC 3629, section 4)
 */
size_t lam_utf8_prefix(const uint8_t *text, size_t size);

/*
 * Gives the character at the start of a text and returns its bytes, or 0 if it is not complete and
 * well-formed, and then gives no character.
 */
size_t lam_utf8_decode(const uint8_t *text, size_t size, uint32_t *ret_code);

#endif
