/* SPDX-License-Identifier: Apache-2.0 */
/* Days, times and timestamps as text and back, to the ends of their ranges. */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <string.h>

#include "base/bytes.h"
#include "support/random.h"
#include "support/texts.h"
#include "text/time_text.h"

static void expect_date(int32_t days, const char *text) {
    char buffer[LAM_TIME_TEXT_MAX + 1];
    size_t size = lam_date_print(days, buffer);
    buffer[size] = '\0';
    cr_expect_str_eq(buffer, text);
    int32_t back = ~days;
    cr_expect(lam_date_parse(text, strlen(text), &back), "%s", text);
    cr_expect_eq(back, days, "%s", text);
}

Test(time_text, dates_of_known_days) {
    expect_date(0, "1970-01-01");
    expect_date(-1, "1969-12-31");
    expect_date(20020, "2024-10-24");
    expect_date(11016, "2000-02-29");
    expect_date(-719528, "0000-01-01");
    expect_date(-719529, "-0001-12-31");
    expect_date(2932896, "9999-12-31");
    expect_date(2932897, "+10000-01-01");
    expect_date(INT32_MAX, "+5881580-07-11");
    expect_date(INT32_MIN, "-5877641-06-23");
}

Test(time_text, every_day_of_four_centuries_comes_back) {
    int32_t previous_day = 2; /* -200000 is the 3rd of June 1422 */
    for (int32_t days = -200000; days < 200000; days++) {
        char buffer[LAM_TIME_TEXT_MAX];
        int32_t back;
        size_t size = lam_date_print(days, buffer);
        cr_assert_eq(size, 10);
        cr_assert(lam_date_parse(buffer, size, &back));
        cr_assert_eq(back, days);
        int32_t day = (buffer[8] - '0') * 10 + buffer[9] - '0';
        cr_assert(day == previous_day + 1 || day == 1);
        previous_day = day;
    }
}

Test(time_text, random_dates_split_and_join) {
    uint64_t seed = lam_test_seed(7);
    lam_random random = lam_random_start(seed);
    for (int round = 0; round < 100000; round++) {
        int64_t days = (int64_t)(lam_random_next(&random) >> (3 + lam_random_below(&random, 50)));
        int64_t year;
        int month, day;
        days = lam_random_chance(&random, 50) ? -days : days;
        lam_date_split(days, &year, &month, &day);
        cr_assert_eq(lam_date_join(year, month, day), days, "seed %" PRIu64, seed);
        cr_assert(month >= 1 && month <= 12 && day >= 1 && day <= 31);
        int64_t of_year = days - lam_date_join(year, 1, 1);
        cr_assert(of_year >= 0 && of_year < 366, "seed %" PRIu64, seed);
    }
}

Test(time_text, dates_that_are_none) {
    static const char *const texts[] =
        LAM_TEXTS("", "2024", "2024-02-30", "2023-02-29", "2024-13-01", "2024-00-10", "2024-01-00",
                  "2024-1-01", "24-01-01", "10000-01-01", "2024-01-01 ", "2024/01/01", "+999-01-01",
                  "2100-02-29", "--2024-01-01", "+5881580-07-12", "2024-01-01T", "2024-01-1",
                  "-5877641-06-22", "x");
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        int32_t days = 7;
        cr_expect_not(lam_date_parse(texts[i], strlen(texts[i]), &days), "%s", texts[i]);
        cr_expect_eq(days, 7);
    }
}

static void expect_timestamp(int64_t value, lam_time_unit unit, bool utc, const char *text) {
    char buffer[LAM_TIME_TEXT_MAX + 1];
    size_t size = lam_timestamp_print(value, unit, utc, buffer);
    buffer[size] = '\0';
    cr_expect_str_eq(buffer, text);
    int64_t back = ~value;
    cr_expect(lam_timestamp_parse(text, strlen(text), unit, utc, &back), "%s", text);
    cr_expect_eq(back, value, "%s", text);
}

Test(time_text, timestamps_to_the_ends_of_their_range) {
    expect_timestamp(0, LAM_TIME_UNIT_MILLIS, true, "1970-01-01T00:00:00.000Z");
    expect_timestamp(-1, LAM_TIME_UNIT_MICROS, false, "1969-12-31T23:59:59.999999");
    expect_timestamp(1729773296789000, LAM_TIME_UNIT_MICROS, true, "2024-10-24T12:34:56.789000Z");
    expect_timestamp(INT64_MAX, LAM_TIME_UNIT_NANOS, true, "2262-04-11T23:47:16.854775807Z");
    expect_timestamp(INT64_MIN, LAM_TIME_UNIT_NANOS, true, "1677-09-21T00:12:43.145224192Z");
    expect_timestamp(INT64_MAX, LAM_TIME_UNIT_MICROS, true, "+294247-01-10T04:00:54.775807Z");
    expect_timestamp(INT64_MIN, LAM_TIME_UNIT_MICROS, true, "-290308-12-21T19:59:05.224192Z");
    expect_timestamp(INT64_MAX, LAM_TIME_UNIT_MILLIS, false, "+292278994-08-17T07:12:55.807");
    expect_timestamp(INT64_MIN, LAM_TIME_UNIT_MILLIS, false, "-292275055-05-16T16:47:04.192");
}

Test(time_text, random_timestamps_come_back) {
    lam_random random = lam_random_start(lam_test_seed(11));
    for (int i = 0; i < 100000; i++) {
        int64_t value = (int64_t)lam_random_next(&random) >> lam_random_below(&random, 64);
        lam_time_unit unit = (lam_time_unit)(1 + lam_random_below(&random, 3));
        char buffer[LAM_TIME_TEXT_MAX];
        int64_t back;
        size_t size = lam_timestamp_print(value, unit, i % 2, buffer);
        cr_assert(lam_timestamp_parse(buffer, size, unit, i % 2, &back), "%.*s", (int)size, buffer);
        cr_assert_eq(back, value);
    }
}

/* LogicalTypes.md, section "TIMESTAMP", as 12 bytes. The texts are from Python's whole numbers. */
Test(time_text, timestamps_of_96_bits_to_the_ends_of_their_range) {
    static const struct {
        const char *bytes;
        lam_time_unit unit;
        bool utc;
        const char *text;
    } cases[] = {
        {"\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00", LAM_TIME_UNIT_MILLIS, true,
         "1970-01-01T00:00:00.000Z"},
        {"\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", LAM_TIME_UNIT_MILLIS, true,
         "1969-12-31T23:59:59.999Z"},
        {"\xff\xff\xff\xff\xff\xff\xff\x7f\x00\x00\x00\x00", LAM_TIME_UNIT_MILLIS, true,
         "+292278994-08-17T07:12:55.807Z"},
        {"\x00\x00\x00\x00\x00\x00\x00\x80\x00\x00\x00\x00", LAM_TIME_UNIT_MILLIS, true,
         "+292278994-08-17T07:12:55.808Z"},
        {"\xff\xff\xff\xff\xff\xff\xff\x7f\xff\xff\xff\xff", LAM_TIME_UNIT_MILLIS, true,
         "-292275055-05-16T16:47:04.191Z"},
        {"\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x7f", LAM_TIME_UNIT_MILLIS, true,
         "+1255320262144843106-08-25T12:39:35.167Z"},
        {"\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x80", LAM_TIME_UNIT_MILLIS, true,
         "-1255320262144839167-05-09T11:20:24.832Z"},
        {"\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00", LAM_TIME_UNIT_MICROS, false,
         "1970-01-01T00:00:00.000000"},
        {"\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", LAM_TIME_UNIT_MICROS, false,
         "1969-12-31T23:59:59.999999"},
        {"\xff\xff\xff\xff\xff\xff\xff\x7f\x00\x00\x00\x00", LAM_TIME_UNIT_MICROS, false,
         "+294247-01-10T04:00:54.775807"},
        {"\x00\x00\x00\x00\x00\x00\x00\x80\x00\x00\x00\x00", LAM_TIME_UNIT_MICROS, false,
         "+294247-01-10T04:00:54.775808"},
        {"\xff\xff\xff\xff\xff\xff\xff\x7f\xff\xff\xff\xff", LAM_TIME_UNIT_MICROS, false,
         "-290308-12-21T19:59:05.224191"},
        {"\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x7f", LAM_TIME_UNIT_MICROS, false,
         "+1255320262146811-02-19T20:26:11.975167"},
        {"\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x80", LAM_TIME_UNIT_MICROS, false,
         "-1255320262142872-11-12T03:33:48.024832"},
        {"\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00", LAM_TIME_UNIT_NANOS, true,
         "1970-01-01T00:00:00.000000000Z"},
        {"\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", LAM_TIME_UNIT_NANOS, true,
         "1969-12-31T23:59:59.999999999Z"},
        {"\xff\xff\xff\xff\xff\xff\xff\x7f\x00\x00\x00\x00", LAM_TIME_UNIT_NANOS, true,
         "2262-04-11T23:47:16.854775807Z"},
        {"\x00\x00\x00\x00\x00\x00\x00\x80\x00\x00\x00\x00", LAM_TIME_UNIT_NANOS, true,
         "2262-04-11T23:47:16.854775808Z"},
        {"\xff\xff\xff\xff\xff\xff\xff\x7f\xff\xff\xff\xff", LAM_TIME_UNIT_NANOS, true,
         "1677-09-21T00:12:43.145224191Z"},
        {"\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x7f", LAM_TIME_UNIT_NANOS, true,
         "+1255320264114-11-04T03:19:56.771975167Z"},
        {"\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x80", LAM_TIME_UNIT_NANOS, true,
         "-1255320260175-02-27T20:40:03.228024832Z"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char buffer[LAM_TIME_TEXT_MAX + 1];
        uint8_t back[12];
        size_t size = lam_timestamp_96_print((const uint8_t *)cases[i].bytes, cases[i].unit,
                                             cases[i].utc, buffer);
        buffer[size] = '\0';
        cr_expect_str_eq(buffer, cases[i].text);
        cr_expect(lam_timestamp_96_parse(cases[i].text, size, cases[i].unit, cases[i].utc, back),
                  "%s", cases[i].text);
        cr_expect_eq(memcmp(back, cases[i].bytes, sizeof back), 0, "%s", cases[i].text);
    }
}

Test(time_text, random_timestamps_of_96_bits_come_back) {
    lam_random random = lam_random_start(lam_test_seed(12));
    for (int i = 0; i < 100000; i++) {
        uint8_t bytes[16], back[12];
        lam_store_le64(bytes, lam_random_next(&random));
        lam_store_le64(bytes + 8, lam_random_next(&random));
        size_t kept = 1 + (size_t)lam_random_below(&random, 12);
        memset(bytes + kept, bytes[kept - 1] >> 7 ? 0xFF : 0, sizeof bytes - kept);
        lam_time_unit unit = (lam_time_unit)(1 + lam_random_below(&random, 3));
        char buffer[LAM_TIME_TEXT_MAX];
        size_t size = lam_timestamp_96_print(bytes, unit, i % 2, buffer);
        cr_assert_leq(size, sizeof buffer);
        cr_assert(lam_timestamp_96_parse(buffer, size, unit, i % 2, back), "%.*s", (int)size,
                  buffer);
        cr_assert_eq(memcmp(back, bytes, sizeof back), 0, "%.*s", (int)size, buffer);
        if (kept > 8)
            continue;
        char narrow[LAM_TIME_TEXT_MAX]; /* as the same number of 64 bits is spelled */
        cr_assert_eq(lam_timestamp_print((int64_t)lam_load_le64(bytes), unit, i % 2, narrow), size);
        cr_assert_eq(memcmp(narrow, buffer, size), 0, "%.*s", (int)size, buffer);
    }
}

Test(time_text, timestamps_beyond_96_bits_are_none) {
    static const char *const texts[] = {"+1255320262144843106-08-25T12:39:35.168Z",
                                        "-1255320262144839167-05-09T11:20:24.831Z",
                                        "+9999999999999999999-01-01T00:00:00Z",
                                        "-9223372036854775799-01-01T00:00:00Z",
                                        "+99999999999999999999-01-01T00:00:00Z",
                                        "1970-01-01T00:00:00",
                                        "1970-01-01T00:00:00.0001Z",
                                        "10000-01-01T00:00:00Z",
                                        ""};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        uint8_t bytes[12] = {7};
        cr_expect_not(
            lam_timestamp_96_parse(texts[i], strlen(texts[i]), LAM_TIME_UNIT_MILLIS, true, bytes),
            "%s", texts[i]);
        cr_expect_eq(bytes[0], 7);
    }
}

static bool parse_utc(const char *text, int64_t *ret_value) {
    return lam_timestamp_parse(text, strlen(text), LAM_TIME_UNIT_MILLIS, true, ret_value);
}

Test(time_text, timestamps_in_other_forms) {
    int64_t value;
    cr_expect(parse_utc("1970-01-01 00:00:01Z", &value));
    cr_expect_eq(value, 1000);
    cr_expect(parse_utc("1970-01-01T01:00:00.5+01:00", &value));
    cr_expect_eq(value, 500);
    cr_expect(parse_utc("1969-12-31T22:30:00-01:30", &value));
    cr_expect_eq(value, 0);
    cr_expect(parse_utc("1970-01-01T00:00:00.123000000Z", &value));
    cr_expect_eq(value, 123);
    cr_expect(parse_utc("1970-01-01t00:01z", &value));
    cr_expect_eq(value, 60000);
    cr_expect(parse_utc("1970-01-01 01:00:00+01", &value));
    cr_expect_eq(value, 0);
    cr_expect(parse_utc("1969-12-31 18:30:00 -0530", &value));
    cr_expect_eq(value, 0);
    cr_expect(parse_utc("1970-01-01 00:00:02.5 UTC", &value));
    cr_expect_eq(value, 2500);
}

Test(time_text, timestamps_that_are_none) {
    static const char *const texts[] =
        LAM_TEXTS("1970-01-01T00:00:00", "1970-01-01T00:00:00.1234Z", "1970-01-01T24:00:00Z",
                  "1970-01-01T00:60:00Z", "1970-01-01T00:00:60Z", "1970-01-01T00:00:00.Z",
                  "1970-01-01T00:00:00+24:00", "1970-01-01T00:00:00+010", "1970-01-01T00:00:00+1",
                  "1970-01-01T00:00:00UT", "1970-01-01T00:00:00UX", "1970-01-01T00:00:00+01:60",
                  "1970-01-01T00:00:Z", "1970-01-01T00:00:00  Z", "1970-01-01T00:00.5Z",
                  "1970-01-01T00Z", "1970-01-01", "+292278994-08-17T07:12:55.808Z",
                  "-292275055-05-16T16:47:04.191Z", "+999999999-01-01T00:00:00Z");
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        int64_t value = 7;
        cr_expect_not(parse_utc(texts[i], &value), "%s", texts[i]);
        cr_expect_eq(value, 7);
    }
    int64_t value;
    cr_expect_not(
        lam_timestamp_parse("1970-01-01T00:00:00Z", 20, LAM_TIME_UNIT_MILLIS, false, &value));
}

Test(time_text, times_of_day) {
    char buffer[LAM_TIME_TEXT_MAX];
    int64_t time;
    cr_expect_eq(lam_time_print(45296789, LAM_TIME_UNIT_MILLIS, buffer), 12);
    cr_expect_eq(memcmp(buffer, "12:34:56.789", 12), 0);
    cr_expect_eq(lam_time_print(86399999999999, LAM_TIME_UNIT_NANOS, buffer), 18);
    cr_expect_eq(memcmp(buffer, "23:59:59.999999999", 18), 0);
    cr_expect(lam_time_parse("12:34:56.7", 10, LAM_TIME_UNIT_MICROS, &time));
    cr_expect_eq(time, 45296700000);
    cr_expect(lam_time_parse("00:00:00", 8, LAM_TIME_UNIT_MILLIS, &time));
    cr_expect_eq(time, 0);
    cr_expect_not(lam_time_parse("24:00:00", 8, LAM_TIME_UNIT_MILLIS, &time));
    cr_expect_not(lam_time_parse("1:00:00", 7, LAM_TIME_UNIT_MILLIS, &time));
    cr_expect_not(lam_time_parse("", 0, LAM_TIME_UNIT_MILLIS, &time));
    cr_expect_not(lam_time_parse("00:00:00 ", 9, LAM_TIME_UNIT_MILLIS, &time));
    cr_expect_eq(time, 0);
}
