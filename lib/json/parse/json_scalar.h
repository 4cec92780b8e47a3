/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Scalars as JSON text, both those of columns and those of VARIANT values. (json.h draws the forms)
 */
#ifndef LAM_JSON_PARSE_JSON_SCALAR_H
#define LAM_JSON_PARSE_JSON_SCALAR_H

#include <lamella/json.h>

#include "base/buffer.h"

/* Room for the text of any scalar but strings, bytes and decimals. */
enum { LAM_JSON_SCALAR_ROOM = 96 };

/*
 * The printers write no NUL, and return the length. `out` has LAM_JSON_SCALAR_ROOM bytes. This one
 * prints "NaN", "Infinity" or "-Infinity", in quotes.
 */
size_t lam_json_put_special(char *out, bool nan, bool negative);
size_t lam_json_put_float(char *out, float value);
size_t lam_json_put_double(char *out, double value);
size_t lam_json_put_date(char *out, int32_t days);
/* A time outside of the day prints as a number. */
size_t lam_json_put_time(char *out, int64_t time, lam_time_unit unit);
size_t lam_json_put_timestamp(char *out, int64_t timestamp, lam_time_unit unit, bool utc);
/* 12 bytes that hold a count of 96 bits. */
size_t lam_json_put_timestamp_96(char *out, const uint8_t *bytes, lam_time_unit unit, bool utc);
/* 12 bytes that hold an INT96; all forms of one time print alike. */
size_t lam_json_put_int96(char *out, const uint8_t *bytes);
/* 16 bytes. */
size_t lam_json_put_uuid(char *out, const uint8_t *bytes);

/*
 * Appends bytes in the form that the options chose. INVALID for bytes that are not UTF-8 and are
 * not replaced.
 */
lam_status lam_json_bytes_write(lam_buffer *text, lam_bytes value, lam_json_binary binary,
                                bool replace_invalid, lam_error *error);

#endif
