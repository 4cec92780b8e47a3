/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The dates and times of a column, from what users write into JSON.
 *
 *     exactly the texts that inference recognizes (text_kind.h), in a column of that kind
 *     otherwise also: printed forms (time_text.h), signed years; in a timestamp a date, which is
 *     its midnight; in a timestamp in UTC a text without a zone; a number, if its unit is known
 *     in both, forms that the caller names (time_format.h)
 */
#ifndef LAM_JSON_PARSE_JSON_INSTANT_H
#define LAM_JSON_PARSE_JSON_INSTANT_H

#include <lamella/json.h>

#include "base/buffer.h"
#include "text/time_format.h"

/* How the texts of a reader are taken. */
typedef struct lam_json_times {
    bool exact;
    lam_time_formats formats;
} lam_json_times;

/* Take a complete text; false when it has another form or is out of range. */
bool lam_json_date_take(const char *text, size_t size, const lam_json_times *times,
                        int32_t *ret_days);
/* Inference recognizes every form that a time has. */
bool lam_json_time_take(const char *text, size_t size, lam_time_unit unit,
                        const lam_json_times *times, int64_t *ret_time);
bool lam_json_timestamp_take(const char *text, size_t size, lam_time_unit unit, bool utc,
                             const lam_json_times *times, int64_t *ret_timestamp);
/* The same as a count of 96 bits, which is 12 bytes. */
bool lam_json_timestamp_96_take(const char *text, size_t size, lam_time_unit unit, bool utc,
                                const lam_json_times *times, uint8_t *ret_bytes);

/*
 * A JSON number that counts in `epoch`, not NONE, as a timestamp. INVALID for digits finer than the
 * unit of the column, and out of range; NOMEM. `scratch` is overwritten.
 */
lam_status lam_json_epoch_read(const char *text, size_t size, lam_json_epoch epoch,
                               lam_time_unit unit, lam_buffer *scratch, int64_t *ret_timestamp,
                               lam_error *error);

#endif
