/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recognizes dates, times, timestamps and UUIDs in texts of any kind, for inference and for reading
 * inferred columns: takes a text, and gives its kind, and the moment that it states.
 *
 * All of them have digits and marks at fixed places, so that most other texts are refused by their
 * length or one byte. The invariant: a text that is recognized here is also accepted by the parsers
 * of time_text.h and binary_text.h, with the same value, in a unit that holds it.
 */
#include "text/text_kind.h"

#include <string.h>

#include "base/ascii.h"
#include "text/binary_text.h"
#include "text/time_text.h"

enum { DATE_SIZE = 10, TIME_SIZE_MIN = 5 };

/* Two digits as a number, 100 or more if one of them is not a digit. */
static inline unsigned text_two(const char *text) {
    unsigned tens = (uint8_t)(text[0] - '0'), ones = (uint8_t)(text[1] - '0');
    return tens > 9 || ones > 9 ? 100 : tens * 10 + ones;
}

/* Days by a table of months: leap days are those of the years before, the year 0 included. */
bool lam_text_take_date(const char *text, size_t size, int32_t *ret_days) {
    static const uint8_t lengths[] = {0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    static const uint16_t before[] = {0, 0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334};
    if (size != DATE_SIZE || text[4] != '-' || text[7] != '-')
        return false;
    unsigned century = text_two(text), of_century = text_two(text + 2);
    unsigned month = text_two(text + 5), day = text_two(text + 8);
    if (century > 99 || of_century > 99 || month < 1 || month > 12 || day < 1)
        return false;
    unsigned year = century * 100 + of_century;
    bool is_leap = year % 4 == 0 && (of_century != 0 || century % 4 == 0);
    if (day > lengths[month] + (is_leap && month == 2 ? 1u : 0))
        return false;
    unsigned leaps = year == 0 ? 0 : (year - 1) / 4 - (year - 1) / 100 + (year - 1) / 400 + 1;
    *ret_days =
        (int32_t)(year * 365 + leaps + before[month] + (is_leap && month > 2) + day - 1) - 719528;
    return true;
}

size_t lam_text_take_fraction(const char *text, size_t size, int32_t *ret_nanos) {
    int32_t unit = 100000000, nanos = 0;
    size_t i = 0;
    for (; i < size && lam_ascii_is_digit(text[i]); i++, unit /= 10) {
        if (unit == 0 && text[i] != '0')
            return 0;
        nanos += (text[i] - '0') * unit;
    }
    *ret_nanos = nanos;
    return i;
}

/*
 * Takes HH:MM[:SS[.f]] from the start of a text that is long enough for HH:MM; gives the bytes
 * taken, 0 if there is no time.
 */
static size_t text_take_start(const char *text, size_t size, lam_text_moment *ret_moment) {
    if (text[2] != ':')
        return 0;
    unsigned hour = text_two(text), minute = text_two(text + 3), second = 0;
    size_t taken = TIME_SIZE_MIN, digits = 0;
    int32_t nanos = 0;
    if (size > taken && text[taken] == ':') {
        second = size < 8 ? 100 : text_two(text + 6);
        taken = 8;
    }
    if (hour > 23 || minute > 59 || second > 59)
        return 0;
    if (taken == 8 && size > taken && text[taken] == '.') {
        digits = lam_text_take_fraction(text + 9, size - 9, &nanos);
        if (digits == 0)
            return 0;
        taken = 9 + digits;
    }
    *ret_moment = (lam_text_moment){(int64_t)hour * 3600 + minute * 60 + second, nanos};
    return taken;
}

bool lam_text_take_time(const char *text, size_t size, lam_text_moment *ret_moment) {
    lam_text_moment moment;
    if (size < TIME_SIZE_MIN || text_take_start(text, size, &moment) != size)
        return false;
    *ret_moment = moment;
    return true;
}

bool lam_text_take_zone(const char *text, size_t size, int64_t *ret_offset) {
    if (size > 1 && text[0] == ' ') {
        text++;
        size--;
    }
    if ((size == 1 && (text[0] == 'Z' || text[0] == 'z')) ||
        (size == 3 && memcmp(text, "UTC", 3) == 0)) {
        *ret_offset = 0;
        return true;
    }
    if ((size != 3 && size != 5 && size != 6) || (text[0] != '+' && text[0] != '-') ||
        (size == 6 && text[3] != ':'))
        return false;
    unsigned hours = text_two(text + 1), minutes = size == 3 ? 0 : text_two(text + size - 2);
    if (hours > 23 || minutes > 59)
        return false;
    *ret_offset = (text[0] == '-' ? -1 : 1) * (int64_t)(hours * 3600 + minutes * 60);
    return true;
}

bool lam_text_take_timestamp(const char *text, size_t size, lam_text_moment *ret_moment,
                             bool *ret_has_zone) {
    lam_text_moment moment;
    int64_t offset = 0;
    int32_t days;
    if (size < DATE_SIZE + 1 + TIME_SIZE_MIN ||
        (text[DATE_SIZE] != 'T' && text[DATE_SIZE] != ' ' && text[DATE_SIZE] != 't') ||
        !lam_text_take_date(text, DATE_SIZE, &days))
        return false;
    text += DATE_SIZE + 1;
    size -= DATE_SIZE + 1;
    size_t taken = text_take_start(text, size, &moment);
    if (taken == 0 || (taken < size && !lam_text_take_zone(text + taken, size - taken, &offset)))
        return false;
    moment.seconds += (int64_t)days * 86400 - offset;
    *ret_moment = moment;
    *ret_has_zone = taken < size;
    return true;
}

lam_text_kind lam_text_kind_of(const char *text, size_t size, lam_text_moment *ret_moment) {
    lam_text_moment moment = {0, 0};
    uint8_t uuid[16];
    int32_t days;
    bool has_zone;
    lam_text_kind kind = LAM_TEXT_OTHER;
    /* The shortest is a time; of 4 bytes, one tells most other texts from all kinds. */
    if (size < TIME_SIZE_MIN)
        return LAM_TEXT_OTHER;
    if (text[2] == ':') {
        kind = lam_text_take_time(text, size, &moment) ? LAM_TEXT_TIME : LAM_TEXT_OTHER;
    } else if (size == DATE_SIZE && lam_text_take_date(text, size, &days)) {
        kind = LAM_TEXT_DATE;
        moment.seconds = (int64_t)days * 86400;
    } else if (text[4] == '-' && lam_text_take_timestamp(text, size, &moment, &has_zone)) {
        kind = has_zone ? LAM_TEXT_TIMESTAMP_UTC : LAM_TEXT_TIMESTAMP;
    } else if (size == LAM_UUID_TEXT_SIZE && lam_uuid_parse(text, size, uuid)) {
        return LAM_TEXT_UUID;
    }
    if (kind != LAM_TEXT_OTHER && ret_moment != NULL)
        *ret_moment = moment;
    return kind;
}

lam_time_unit lam_text_moment_unit(lam_text_moment moment) {
    return moment.nanos % 1000000 == 0 ? LAM_TIME_UNIT_MILLIS
           : moment.nanos % 1000 == 0  ? LAM_TIME_UNIT_MICROS
                                       : LAM_TIME_UNIT_NANOS;
}

bool lam_text_moment_count(lam_text_moment moment, lam_time_unit unit, int64_t *ret_count) {
    const int64_t units = lam_time_units(unit), nanos = 1000000000 / units;
    int64_t seconds = moment.seconds, fraction = moment.nanos / nanos;
    if (moment.nanos % nanos != 0)
        return false;
    /* Below 0, the second is taken upwards, so that the product stays within the range. */
    if (seconds < 0 && fraction > 0) {
        seconds++;
        fraction -= units;
    }
    if (seconds > INT64_MAX / units || seconds < INT64_MIN / units)
        return false;
    int64_t count = seconds * units;
    if (fraction > 0 ? count > INT64_MAX - fraction : count < INT64_MIN - fraction)
        return false;
    *ret_count = count + fraction;
    return true;
}
