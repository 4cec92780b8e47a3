/* Scalars as JSON text, whatever holds them: columns, and VARIANT values. (json.h draws the forms)
 */
#ifndef LAM_JSON_JSON_SCALAR_H
#define LAM_JSON_JSON_SCALAR_H

#include <lamella/json.h>

#include "base/buffer.h"

/* Room for any text but strings, coded bytes and decimals. */
enum { LAM_JSON_SCALAR_ROOM = 96 };

/* The printers write no NUL and return the length. */
/* "NaN", "Infinity" or "-Infinity", in quotes. */
size_t lam_json_put_special(char *out, bool nan, bool negative);
size_t lam_json_put_float(char *out, float value);
size_t lam_json_put_double(char *out, double value);
size_t lam_json_put_date(char *out, int32_t days);
/* A time outside of the day is a number. */
size_t lam_json_put_time(char *out, int64_t time, lam_time_unit unit);
size_t lam_json_put_timestamp(char *out, int64_t timestamp, lam_time_unit unit, bool utc);
/* 12 bytes, a count of 96 bits. */
size_t lam_json_put_timestamp_96(char *out, const uint8_t *bytes, lam_time_unit unit, bool utc);
/* 16 bytes. */
size_t lam_json_put_uuid(char *out, const uint8_t *bytes);

/* Appends bytes as a string in base64 or hex. */
lam_status lam_json_coded_write(lam_buffer *text, lam_bytes value, bool hex, lam_error *error);
/* Appends bytes as options say. INVALID for what is not UTF-8, unless it is replaced. */
lam_status lam_json_bytes_write(lam_buffer *text, lam_bytes value, lam_json_binary binary,
                                bool replace_invalid, lam_error *error);

#endif
