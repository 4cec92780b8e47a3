/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bytes as text.
 *
 *     hex       two digits a byte
 *     UUID      RFC 4122, section 3: 00112233-4455-6677-8899-aabbccddeeff
 */
#ifndef LAM_TEXT_BINARY_TEXT_H
#define LAM_TEXT_BINARY_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LAM_UUID_TEXT_SIZE 36

/*
 * The printers write no NUL. Hex needs room for 2 letters for each byte, a UUID for
 * LAM_UUID_TEXT_SIZE. `lam_hex_print` returns the number of letters.
 */
size_t lam_hex_print(const uint8_t *bytes, size_t size, char *text);
void lam_uuid_print(const uint8_t *bytes, char *text);

/*
 * Needs room for 1 byte for each 2 letters. False for an odd number of letters and for anything but
 * digits.
 */
bool lam_hex_parse(const char *text, size_t size, uint8_t *bytes, size_t *ret_size);
/* Writes 16 bytes. */
bool lam_uuid_parse(const char *text, size_t size, uint8_t *bytes);

#endif
