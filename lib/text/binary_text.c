#include "text/binary_text.h"

static const char binary_digits[] = "0123456789abcdef";

size_t lam_hex_print(const uint8_t *bytes, size_t size, char *text) {
    for (size_t i = 0; i < size; i++) {
        text[2 * i] = binary_digits[bytes[i] >> 4];
        text[2 * i + 1] = binary_digits[bytes[i] & 15];
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
