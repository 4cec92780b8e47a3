/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bytes as base64: A-Z a-z 0-9 + /, three bytes to four letters, padded with =. (RFC 4648, section
 * 4)
 */
#ifndef LAM_BASE_BASE64_H
#define LAM_BASE_BASE64_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Writes no NUL. Needs room for 4 letters for each 3 bytes begun; returns the number of letters. */
size_t lam_base64_print(const uint8_t *bytes, size_t size, char *text);

/* Needs room for 3 bytes for each 4 letters. False when the text is malformed. */
bool lam_base64_parse(const char *text, size_t size, uint8_t *bytes, size_t *ret_size);

#endif
