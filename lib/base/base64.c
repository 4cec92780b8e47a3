/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Converts bytes to base64 and back: for the Arrow schema in the key-value metadata, and for bytes
 * in JSON. Takes and gives complete texts of known size. Bytes have exactly one text that parses,
 * the canonical one: no white space, padding only at the end, and its unused bits 0.
 *
 *     "M"    4D         010011 010000               TQ==
 *     "Ma"   4D 61      010011 010110 0001 00       TWE=
 *     "Man"  4D 61 6E   010011 010110 000101 101110 TWFu
 */
#include "base/base64.h"

static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

size_t lam_base64_print(const uint8_t *bytes, size_t size, char *text) {
    char *out = text;
    size_t i = 0;
    for (; size - i >= 3; i += 3) {
        uint32_t three = (uint32_t)bytes[i] << 16 | (uint32_t)bytes[i + 1] << 8 | bytes[i + 2];
        *out++ = letters[three >> 18];
        *out++ = letters[three >> 12 & 63];
        *out++ = letters[three >> 6 & 63];
        *out++ = letters[three & 63];
    }
    if (i < size) {
        bool two = size - i == 2;
        uint32_t rest = (uint32_t)bytes[i] << 16 | (two ? (uint32_t)bytes[i + 1] << 8 : 0);
        *out++ = letters[rest >> 18];
        *out++ = letters[rest >> 12 & 63];
        *out++ = two ? letters[rest >> 6 & 63] : '=';
        *out++ = '=';
    }
    return (size_t)(out - text);
}

/* The six bits of a letter; 64 for any other character. */
static uint32_t letter_value(char c) {
    if (c >= 'A' && c <= 'Z')
        return (uint32_t)(c - 'A');
    if (c >= 'a' && c <= 'z')
        return (uint32_t)(c - 'a') + 26;
    if (c >= '0' && c <= '9')
        return (uint32_t)(c - '0') + 52;
    return c == '+' ? 62 : c == '/' ? 63 : 64;
}

bool lam_base64_parse(const char *text, size_t size, uint8_t *bytes, size_t *ret_size) {
    if (size % 4 != 0)
        return false;
    /* The = at the end: 0, 1 or 2. A = elsewhere is no letter, and fails there. */
    size_t padding = size == 0 || text[size - 1] != '=' ? 0 : text[size - 2] != '=' ? 1 : 2;
    uint8_t *out = bytes;
    for (size_t i = 0; i < size; i += 4) {
        size_t missing = i + 4 == size ? padding : 0;
        uint32_t three = 0, seen = 0;
        for (size_t j = 0; j < 4; j++) {
            uint32_t value = j >= 4 - missing ? 0 : letter_value(text[i + j]);
            seen |= value;
            three = three << 6 | value;
        }
        /* `seen` collects the 64 of any bad letter; the bits below the last byte must be 0. */
        if (seen >= 64 || (three & ((UINT32_C(1) << 8 * missing) - 1)) != 0)
            return false;
        for (size_t j = 0; j < 3 - missing; j++)
            *out++ = (uint8_t)(three >> (16 - 8 * j));
    }
    *ret_size = (size_t)(out - bytes);
    return true;
}
