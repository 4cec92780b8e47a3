/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prints scalars as JSON for the two writers that have them: leaves of columns, and values of
 * VARIANTs. A value of the same meaning prints alike in both.
 *
 * The callers have made LAM_JSON_SCALAR_ROOM bytes of room, so the short forms cannot fail; strings
 * and bytes make their own. Texts are printed one byte to the right, and then get their quotes.
 *
 *     17897 days        "2019-01-01"
 *     -1 ms of a day    -1                 no time of the day has this text
 *     0.0 / 0.0         "NaN"
 */
#include "json/parse/json_scalar.h"

#include <string.h>

#include "base/base64.h"
#include "base/checked.h"
#include "base/error.h"
#include "base/int96.h"
#include "text/binary_text.h"
#include "text/json_string.h"
#include "text/number_text.h"
#include "text/time_text.h"

size_t lam_json_put_special(char *out, bool nan, bool negative) {
    const char *text = nan ? "\"NaN\"" : negative ? "\"-Infinity\"" : "\"Infinity\"";
    size_t size = strlen(text);
    memcpy(out, text, size);
    return size;
}

/* The difference of a number with itself is 0, but NaN for NaN and the infinities. */
size_t lam_json_put_float(char *out, float value) {
    bool finite = value - value == 0;
    return finite ? lam_float_print(value, out)
                  : lam_json_put_special(out, value != value, value < 0);
}

size_t lam_json_put_double(char *out, double value) {
    bool finite = value - value == 0;
    return finite ? lam_double_print(value, out)
                  : lam_json_put_special(out, value != value, value < 0);
}

/* Puts quotes around a text that was printed at `out + 1`; returns the length with both. */
static size_t quote(char *out, size_t size) {
    out[0] = '"';
    out[size + 1] = '"';
    return size + 2;
}

size_t lam_json_put_date(char *out, int32_t days) {
    return quote(out, lam_date_print(days, out + 1));
}

/*
 * A time outside of the day has no text, so its number prints: no reader can mistake it for a time.
 */
size_t lam_json_put_time(char *out, int64_t time, lam_time_unit unit) {
    if (time < 0 || time >= 86400 * lam_time_units(unit))
        return lam_int64_print(time, out);
    return quote(out, lam_time_print(time, unit, out + 1));
}

size_t lam_json_put_timestamp(char *out, int64_t timestamp, lam_time_unit unit, bool utc) {
    return quote(out, lam_timestamp_print(timestamp, unit, utc, out + 1));
}

size_t lam_json_put_timestamp_96(char *out, const uint8_t *bytes, lam_time_unit unit, bool utc) {
    return quote(out, lam_timestamp_96_print(bytes, unit, utc, out + 1));
}

size_t lam_json_put_int96(char *out, const uint8_t *bytes) {
    lam_int96 time = lam_int96_load(bytes);
    return quote(out, lam_day_time_print(time.day, time.nanos, out + 1));
}

size_t lam_json_put_uuid(char *out, const uint8_t *bytes) {
    lam_uuid_print(bytes, out + 1);
    return quote(out, LAM_UUID_TEXT_SIZE);
}

/*
 * Appends bytes as a string in base64 or hex. Both codings need at most two letters for a byte:
 * base64 takes 4 for 3, and pads to a multiple of 4.
 */
static lam_status json_coded_write(lam_buffer *text, lam_bytes value, bool hex, lam_error *error) {
    size_t room;
    if (!lam_mul_size(value.size, 2, &room) || !lam_add_size(room, 8, &room))
        LAM_FAIL(error, LAM_STATUS_NOMEM, "no memory for %zu bytes as text", value.size);
    LAM_TRY(lam_buffer_reserve(text, room, error));
    char *out = (char *)text->data + text->size;
    size_t size = hex ? lam_hex_print(value.data, value.size, out + 1)
                      : lam_base64_print(value.data, value.size, out + 1);
    text->size += quote(out, size);
    return LAM_STATUS_OK;
}

lam_status lam_json_bytes_write(lam_buffer *text, lam_bytes value, lam_json_binary binary,
                                bool replace_invalid, lam_error *error) {
    if (binary == LAM_JSON_BINARY_UTF8)
        return lam_json_string_print(text, value.data, value.size, replace_invalid, error);
    return json_coded_write(text, value, binary == LAM_JSON_BINARY_HEX, error);
}
