/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Texts that are dates, times, timestamps or UUIDs, as inference of a schema recognizes them.
 *
 *     date        2024-10-24                    year 0000 to 9999
 *     time        12:34   12:34:56   12:34:56.789        a fraction of 1 to 9 digits
 *     timestamp   date, then T or a space, then time, then, in UTC, a zone:
 *                 Z   +01   +0100   +01:00   UTC         a space may precede it
 *     UUID        00112233-4455-6677-8899-aabbccddeeff
 *
 * T and Z may be small letters. Zeros beyond the ninth digit of a fraction are ignored, other
 * digits there make it a text like any other.
 */
#ifndef LAM_TEXT_TEXT_KIND_H
#define LAM_TEXT_TEXT_KIND_H

#include <lamella/format.h>

typedef enum lam_text_kind {
    LAM_TEXT_OTHER = 0,
    LAM_TEXT_DATE = 1,
    LAM_TEXT_TIME = 2,
    LAM_TEXT_TIMESTAMP = 3,     /* local: without a zone */
    LAM_TEXT_TIMESTAMP_UTC = 4, /* with one */
    LAM_TEXT_UUID = 5
} lam_text_kind;

/* A time of the day, or a point in time; of a date, its midnight. */
typedef struct lam_text_moment {
    int64_t seconds; /* of the day, or since 1970-01-01T00:00:00, in UTC if there is a zone */
    int32_t nanos;   /* of the second, 0 to 999999999 */
} lam_text_moment;

/*
 * The kind of all of `text`. Writes `*ret_moment`, which may be NULL, for a date, a time and a
 * timestamp only.
 */
lam_text_kind lam_text_kind_of(const char *text, size_t size, lam_text_moment *ret_moment);

/* The same for a date, as days since 1970-01-01, a time, and a timestamp; dates are none. */
bool lam_text_take_date(const char *text, size_t size, int32_t *ret_days);
bool lam_text_take_time(const char *text, size_t size, lam_text_moment *ret_moment);
bool lam_text_take_timestamp(const char *text, size_t size, lam_text_moment *ret_moment,
                             bool *ret_has_zone);

/* Takes the digits after a point; gives the bytes taken, 0 if there is no fraction. */
size_t lam_text_take_fraction(const char *text, size_t size, int32_t *ret_nanos);
/* All of a zone, as seconds east of UTC. */
bool lam_text_take_zone(const char *text, size_t size, int64_t *ret_offset);

/* The coarsest unit that holds a moment. */
lam_time_unit lam_text_moment_unit(lam_text_moment moment);
/* A moment as a count of units; false if it has finer digits, or 64 bits do not hold it. */
bool lam_text_moment_count(lam_text_moment moment, lam_time_unit unit, int64_t *ret_count);

#endif
