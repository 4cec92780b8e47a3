/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prints bytes as hexadecimal digits and as UUIDs, and parses both. Printers write lower-case
 * digits into room that the caller has made; parsers take either case.
 *
 * The parsers accept all of a text or fail. On failure the bytes written so far are of no use, and
 * the size is left alone. A UUID is sixteen bytes as hex, in five runs with a hyphen between them
 * (RFC 4122, section 3):
 *
 *     bytes    00112233 4455 6677 8899 aabbccddeeff
 *     text     00112233-4455-6677-8899-aabbccddeeff
 */
#include "text/binary_text.h"

#include "base/ascii.h"

static const char binary_digits[] = "0123456789abcdef";

size_t lam_hex_print(const uint8_t *bytes, size_t size, char *text) {
    for (size_t i = 0; i < size; i++) {
        text[2 * i] = binary_digits[bytes[i] >> 4];
        text[2 * i + 1] = binary_digits[bytes[i] & 15];
    }
    return 2 * size;
}

bool lam_hex_parse(const char *text, size_t size, uint8_t *bytes, size_t *ret_size) {
    if (size % 2 != 0)
        return false;
    for (size_t i = 0; i < size; i += 2) {
        uint32_t high = lam_ascii_hex(text[i]), low = lam_ascii_hex(text[i + 1]);
        if ((high | low) >= 16)
            return false;
        bytes[i / 2] = (uint8_t)(high << 4 | low);
    }
    *ret_size = size / 2;
    return true;
}

/* Bytes in each of the runs between hyphens; 16 in all. */
static const uint8_t uuid_runs[] = {4, 2, 2, 2, 6};

void lam_uuid_print(const uint8_t *bytes, char *text) {
    for (size_t run = 0; run < sizeof uuid_runs; run++) {
        if (run > 0)
            *text++ = '-';
        text += lam_hex_print(bytes, uuid_runs[run], text);
        bytes += uuid_runs[run];
    }
}

bool lam_uuid_parse(const char *text, size_t size, uint8_t *bytes) {
    if (size != LAM_UUID_TEXT_SIZE)
        return false;
    for (size_t run = 0; run < sizeof uuid_runs; run++) {
        size_t taken;
        if ((run > 0 && *text++ != '-') ||
            !lam_hex_parse(text, 2 * (size_t)uuid_runs[run], bytes, &taken))
            return false;
        text += 2 * taken;
        bytes += taken;
    }
    return true;
}
