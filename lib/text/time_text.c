/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prints and parses dates, times and timestamps as ISO 8601 text, without locale, time zone data or
 * the C library's calendar: days since 1970-01-01 to year, month and day, and back.
 *
 * A count of units is split by divisions that round down, so that times before 1970 count upwards
 * within their day: -1 millisecond is 1969-12-31T23:59:59.999. Years can have many digits, hence
 * dates are computed within an era of 400 years. Parsers take all of a text or fail, and write
 * their result only on success; the parsers read all that the printers write back to the same
 * number. (LogicalTypes.md, "Temporal Types")
 *
 *     -1 ms  ->  day -1, time 86399999  ->  1969-12-31 23:59:59.999
 */
#include "text/time_text.h"

#include "base/ascii.h"
#include "base/floor_divide.h"
#include "base/wide_int.h"

/* Leap seconds do not exist here, as in the format. */
static const int64_t SECONDS_OF_DAY = 86400;
static const int64_t YEARS_OF_ERA = 400;
static const int64_t DAYS_OF_ERA = 146097;

/*
 * Digits of a year with a sign. 9 are enough for every int64_t of milliseconds, 292 million years,
 * and keep days within an int64_t by far; 19 for 96 bits of milliseconds, which are 1.3e18 years.
 */
enum { YEAR_DIGITS = 9, YEAR_DIGITS_96 = 19 };

int64_t lam_time_units(lam_time_unit unit) {
    return unit == LAM_TIME_UNIT_MILLIS   ? 1000
           : unit == LAM_TIME_UNIT_MICROS ? 1000000
                                          : 1000000000;
}

/*
 * The calendar repeats every 400 years, which are 146097 days: an era. Within it, years begin in
 * March, so that the leap day is the last day of its year, and month lengths follow one pattern of
 * 153 days in five months: 31 30 31 30 31.
 *
 *     month from March    0 (March)  1 (April)  2 (May)   11 (February)
 *     days before it      0          31         61        337            (153 * month + 2) / 5
 */
int64_t lam_date_join(int64_t year, int64_t month, int64_t day) {
    int64_t year_of_era;
    int64_t era = lam_floor_divide(month <= 2 ? year - 1 : year, YEARS_OF_ERA, &year_of_era);
    int64_t month_from_march = (month + 9) % 12;
    int64_t day_of_year = (153 * month_from_march + 2) / 5 + day - 1;
    int64_t day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    return era * DAYS_OF_ERA + day_of_era - 719468; /* days from 0000-03-01 to 1970-01-01 */
}

/*
 * The inverse. Takes the leap days out of the day of the era: one every 4 years (1460 days), but
 * none every 100 (36524), but one after 400 (146096), so that the remainder divides by 365.
 */
void lam_date_split(int64_t days, int64_t *ret_year, int *ret_month, int *ret_day) {
    int64_t day_of_era;
    int64_t era = lam_floor_divide(days + 719468, DAYS_OF_ERA, &day_of_era);
    int64_t year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
    int64_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    int64_t month_from_march = (5 * day_of_year + 2) / 153;
    *ret_day = (int)(day_of_year - (153 * month_from_march + 2) / 5 + 1);
    *ret_month = (int)(month_from_march < 10 ? month_from_march + 3 : month_from_march - 9);
    *ret_year = year_of_era + era * YEARS_OF_ERA + (*ret_month <= 2);
}

/* Writes a number with at least `width` digits. */
static char *put_digits(char *out, uint64_t number, int width) {
    char reversed[24];
    int count = 0;
    for (; number > 0 || count < width; number /= 10)
        reversed[count++] = (char)('0' + number % 10);
    while (count > 0)
        *out++ = reversed[--count];
    return out;
}

/* Writes two digits. */
static char *put_pair(char *out, uint32_t number) {
    out[0] = (char)('0' + number / 10);
    out[1] = (char)('0' + number % 10);
    return out + 2;
}

/*
 * Puts the date of a day, counted from 1970-01-01, in a year moved by `era` * 400. Years outside of
 * 0000 to 9999 get a sign: -0044-03-15, +12024-01-01.
 */
static char *put_date_in_era(char *out, int64_t era, int64_t days) {
    int64_t year;
    int month, day;
    lam_date_split(days, &year, &month, &day);
    year += era * YEARS_OF_ERA;
    if (year < 0 || year > 9999)
        *out++ = year < 0 ? '-' : '+';
    if (year >= 0 && year <= 9999)
        out = put_pair(put_pair(out, (uint32_t)year / 100), (uint32_t)year % 100);
    else
        out = put_digits(out, (uint64_t)(year < 0 ? -year : year), 4);
    *out++ = '-';
    out = put_pair(out, (uint32_t)month);
    *out++ = '-';
    return put_pair(out, (uint32_t)day);
}

static char *put_date(char *out, int64_t days) {
    return put_date_in_era(out, 0, days);
}

/* Puts a time of the day, 0 or more, with all digits of its unit. */
static char *put_time(char *out, int64_t time, int64_t units) {
    uint32_t second = (uint32_t)(time / units);
    uint32_t fraction = (uint32_t)(time - second * units);
    out = put_pair(out, second / 3600);
    *out++ = ':';
    out = put_pair(out, second / 60 % 60);
    *out++ = ':';
    out = put_pair(out, second % 60);
    *out++ = '.';
    int digits = units == 1000 ? 3 : units == 1000000 ? 6 : 9;
    for (int i = digits; i > 0; i--, fraction /= 10)
        out[i - 1] = (char)('0' + fraction % 10);
    return out + digits;
}

size_t lam_date_print(int64_t days, char *buffer) {
    return (size_t)(put_date(buffer, days) - buffer);
}

size_t lam_time_print(int64_t time, lam_time_unit unit, char *buffer) {
    return (size_t)(put_time(buffer, time, lam_time_units(unit)) - buffer);
}

size_t lam_timestamp_print(int64_t timestamp, lam_time_unit unit, bool utc, char *buffer) {
    int64_t units = lam_time_units(unit);
    int64_t time;
    char *out = put_date(buffer, lam_floor_divide(timestamp, units * SECONDS_OF_DAY, &time));
    *out++ = 'T';
    out = put_time(out, time, units);
    if (utc)
        *out++ = 'Z';
    return (size_t)(out - buffer);
}

/*
 * Divides step by step by numbers that fit 32 bits: units, seconds of the day, days of the era. The
 * quotient is the number of eras, 3.1e15 at most.
 */
size_t lam_timestamp_96_print(const uint8_t *bytes, lam_time_unit unit, bool utc, char *buffer) {
    int64_t units = lam_time_units(unit), era = 0;
    uint32_t fraction, second, day;
    lam_wide_int rest = lam_wide_int_load(bytes);
    rest = lam_wide_int_divide(&rest, (uint32_t)units, &fraction);
    rest = lam_wide_int_divide(&rest, (uint32_t)SECONDS_OF_DAY, &second);
    rest = lam_wide_int_divide(&rest, (uint32_t)DAYS_OF_ERA, &day);
    (void)lam_wide_int_to_int64(&rest, &era); /* 2^95 milliseconds are 3.1e15 eras */
    char *out = put_date_in_era(buffer, era, day);
    *out++ = 'T';
    out = put_time(out, second * units + fraction, units);
    if (utc)
        *out++ = 'Z';
    return (size_t)(out - buffer);
}

size_t lam_day_time_print(int64_t days, int64_t nanos, char *buffer) {
    char *out = put_date(buffer, days);
    *out++ = 'T';
    return (size_t)(put_time(out, nanos, 1000000000) - buffer);
}

/* The rest of the text that is being parsed. */
typedef struct cursor {
    const char *at;
    const char *end;
} cursor;

/* Takes a given byte, if it is next. */
static bool time_take(cursor *text, char c) {
    if (text->at == text->end || *text->at != c)
        return false;
    text->at++;
    return true;
}

/*
 * Takes `least` to `most` digits. False when there are fewer, or the number leaves the int64_t
 * range, which 19 digits can.
 */
static bool time_take_digits(cursor *text, int least, int most, int64_t *ret_number) {
    int64_t number = 0;
    int count = 0;
    for (; count < most && text->at < text->end && lam_ascii_is_digit(*text->at); count++) {
        if (number > INT64_MAX / 10 - 1)
            return false;
        number = number * 10 + (*text->at++ - '0');
    }
    *ret_number = number;
    return count >= least;
}

/*
 * Takes a date, as a day in an era as put_date_in_era has it; either may be below 0. Without a sign
 * the year has exactly four digits, and the era is 0.
 */
static bool take_date(cursor *text, int year_digits, int64_t *ret_era, int64_t *ret_days) {
    static const int lengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    int64_t year, month, day;
    bool negative = time_take(text, '-');
    bool sign = negative || time_take(text, '+');
    if (!time_take_digits(text, 4, sign ? year_digits : 4, &year) || !time_take(text, '-') ||
        !time_take_digits(text, 2, 2, &month) || !time_take(text, '-') ||
        !time_take_digits(text, 2, 2, &day))
        return false;
    year = negative ? -year : year;
    if (month < 1 || month > 12 || day < 1)
        return false;
    bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    if (day > lengths[month - 1] + (month == 2 && leap))
        return false;
    *ret_era = sign ? lam_floor_divide(year, YEARS_OF_ERA, &year) : 0; /* others have 4 digits */
    *ret_days = lam_date_join(year, month, day);
    return true;
}

/*
 * Takes the digits after a point, as `units` of a second. Finer digits must be 0, as times are not
 * rounded: .120000 is 120 milliseconds, .1234 is invalid.
 */
static bool take_fraction(cursor *text, int64_t units, int64_t *ret_fraction) {
    int64_t fraction = 0;
    const char *first = text->at;
    for (; text->at < text->end && lam_ascii_is_digit(*text->at); text->at++) {
        if (units == 1 && *text->at != '0')
            return false;
        if (units > 1) {
            units /= 10;
            fraction += (*text->at - '0') * units;
        }
    }
    *ret_fraction = fraction;
    return text->at > first;
}

/* Takes HH:MM, or HH:MM:SS with an optional fraction. 24:00:00 and leap seconds are refused. */
static bool time_take_time(cursor *text, int64_t units, int64_t *ret_time) {
    int64_t hour, minute, second = 0, fraction = 0;
    if (!time_take_digits(text, 2, 2, &hour) || !time_take(text, ':') ||
        !time_take_digits(text, 2, 2, &minute))
        return false;
    bool has_second = time_take(text, ':');
    if (has_second && !time_take_digits(text, 2, 2, &second))
        return false;
    if (hour > 23 || minute > 59 || second > 59)
        return false;
    if (has_second && time_take(text, '.') && !take_fraction(text, units, &fraction))
        return false;
    *ret_time = (hour * 3600 + minute * 60 + second) * units + fraction;
    return true;
}

/* Takes Z, UTC, or an offset from it in seconds: +01:00, +0100, +01. A space may precede it. */
static bool take_zone(cursor *text, int64_t *ret_offset) {
    int64_t hour, minute = 0;
    *ret_offset = 0;
    (void)time_take(text, ' ');
    if (time_take(text, 'Z') || time_take(text, 'z'))
        return true;
    if (time_take(text, 'U'))
        return time_take(text, 'T') && time_take(text, 'C');
    bool west = time_take(text, '-');
    if ((!west && !time_take(text, '+')) || !time_take_digits(text, 2, 2, &hour))
        return false;
    if ((time_take(text, ':') || text->at < text->end) && !time_take_digits(text, 2, 2, &minute))
        return false;
    if (hour > 23 || minute > 59)
        return false;
    *ret_offset = (west ? -1 : 1) * (hour * 3600 + minute * 60);
    return true;
}

/* Takes the separator between a date and a time. */
static bool take_between(cursor *text) {
    return time_take(text, 'T') || time_take(text, ' ') || time_take(text, 't');
}

/* Takes a date and a time with T or a space between them. */
static bool take_day_and_time(cursor *text, int64_t units, int64_t *ret_days, int64_t *ret_time) {
    int64_t era = 0;
    bool good = take_date(text, YEAR_DIGITS, &era, ret_days) && take_between(text) &&
                time_take_time(text, units, ret_time);
    if (good)
        *ret_days += era * DAYS_OF_ERA;
    return good;
}

bool lam_date_parse(const char *text, size_t size, int32_t *ret_days) {
    cursor rest = {text, text + size};
    int64_t era, days;
    if (!take_date(&rest, YEAR_DIGITS, &era, &days) || rest.at != rest.end)
        return false;
    days += era * DAYS_OF_ERA;
    if (days < INT32_MIN || days > INT32_MAX)
        return false;
    *ret_days = (int32_t)days;
    return true;
}

bool lam_time_parse(const char *text, size_t size, lam_time_unit unit, int64_t *ret_time) {
    cursor rest = {text, text + size};
    int64_t time;
    if (!time_take_time(&rest, lam_time_units(unit), &time) || rest.at != rest.end)
        return false;
    *ret_time = time;
    return true;
}

bool lam_timestamp_parse(const char *text, size_t size, lam_time_unit unit, bool utc,
                         int64_t *ret_timestamp) {
    cursor rest = {text, text + size};
    int64_t units = lam_time_units(unit);
    int64_t days, time, offset = 0, fraction;
    if (!take_day_and_time(&rest, units, &days, &time) || (utc && !take_zone(&rest, &offset)) ||
        rest.at != rest.end)
        return false;
    /*
     * At most 9 digits of years: no overflow here, but perhaps in the multiplication by `units`,
     * which is checked below.
     */
    int64_t seconds = days * SECONDS_OF_DAY + time / units - offset;
    fraction = time % units;
    if (seconds < 0 && fraction > 0) { /* the least timestamp: seconds * units is below the range */
        seconds++;
        fraction -= units;
    }
    if (seconds > INT64_MAX / units || seconds < INT64_MIN / units)
        return false;
    int64_t timestamp = seconds * units;
    if (fraction > 0 ? timestamp > INT64_MAX - fraction : timestamp < INT64_MIN - fraction)
        return false;
    *ret_timestamp = timestamp + fraction;
    return true;
}

bool lam_timestamp_96_parse(const char *text, size_t size, lam_time_unit unit, bool utc,
                            uint8_t *ret_bytes) {
    cursor rest = {text, text + size};
    int64_t units = lam_time_units(unit);
    int64_t era, days, time, offset = 0;
    if (!take_date(&rest, YEAR_DIGITS_96, &era, &days) || !take_between(&rest) ||
        !time_take_time(&rest, units, &time) || (utc && !take_zone(&rest, &offset)) ||
        rest.at != rest.end)
        return false;
    /*
     * 19 digits of years are below 2^118 nanoseconds, so that 128 bits cannot overflow here. The
     * store refuses numbers that need more than 96.
     */
    lam_wide_int count = lam_wide_int_of(era);
    count = lam_wide_int_multiply_add(&count, (uint32_t)DAYS_OF_ERA, days);
    count = lam_wide_int_multiply_add(&count, (uint32_t)SECONDS_OF_DAY, time / units - offset);
    count = lam_wide_int_multiply_add(&count, (uint32_t)units, time % units);
    return lam_wide_int_store(&count, ret_bytes);
}

bool lam_day_time_parse(const char *text, size_t size, int64_t *ret_days, int64_t *ret_nanos) {
    cursor rest = {text, text + size};
    int64_t days, nanos;
    if (!take_day_and_time(&rest, 1000000000, &days, &nanos) || rest.at != rest.end)
        return false;
    *ret_days = days;
    *ret_nanos = nanos;
    return true;
}
