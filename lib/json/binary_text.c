#include "json/binary_text.h"

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

/* The six bits of a letter; 64 for what is none. */
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
        if (seen >= 64 || (three & ((UINT32_C(1) << 8 * missing) - 1)) != 0)
            return false;
        for (size_t j = 0; j < 3 - missing; j++)
            *out++ = (uint8_t)(three >> (16 - 8 * j));
    }
    *ret_size = (size_t)(out - bytes);
    return true;
}

static const char digits[] = "0123456789abcdef";

size_t lam_hex_print(const uint8_t *bytes, size_t size, char *text) {
    for (size_t i = 0; i < size; i++) {
        text[2 * i] = digits[bytes[i] >> 4];
        text[2 * i + 1] = digits[bytes[i] & 15];
    }
    return 2 * size;
}

static uint32_t digit_value(char c) {
    if (c >= '0' && c <= '9')
        return (uint32_t)(c - '0');
    if (c >= 'a' && c <= 'f')
        return (uint32_t)(c - 'a') + 10;
    return c >= 'A' && c <= 'F' ? (uint32_t)(c - 'A') + 10 : 16;
}

bool lam_hex_parse(const char *text, size_t size, uint8_t *bytes, size_t *ret_size) {
    if (size % 2 != 0)
        return false;
    for (size_t i = 0; i < size; i += 2) {
        uint32_t high = digit_value(text[i]), low = digit_value(text[i + 1]);
        if ((high | low) >= 16)
            return false;
        bytes[i / 2] = (uint8_t)(high << 4 | low);
    }
    *ret_size = size / 2;
    return true;
}

/* Bytes between the hyphens of a UUID. */
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
