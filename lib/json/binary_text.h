/*
 * Bytes as text.
 *
 *     base64    RFC 4648, section 4: A-Z a-z 0-9 + /, three bytes to four letters, padded with =
 *     hex       two digits a byte
 *     UUID      RFC 4122, section 3: 00112233-4455-6677-8899-aabbccddeeff
 */
#ifndef LAM_JSON_BINARY_TEXT_H
#define LAM_JSON_BINARY_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LAM_UUID_TEXT_SIZE 36

/* The printers write no NUL. Room for them: 4 letters for each 3 bytes begun; 2 for each byte. */
size_t lam_base64_print(const uint8_t *bytes, size_t size, char *text);
size_t lam_hex_print(const uint8_t *bytes, size_t size, char *text);
void lam_uuid_print(const uint8_t *bytes, char *text);

/* Need room for 3 bytes for each 4 letters, or 1 for each 2. False when the text is not whole. */
bool lam_base64_parse(const char *text, size_t size, uint8_t *bytes, size_t *ret_size);
bool lam_hex_parse(const char *text, size_t size, uint8_t *bytes, size_t *ret_size);
/* 16 bytes. */
bool lam_uuid_parse(const char *text, size_t size, uint8_t *bytes);

#endif
