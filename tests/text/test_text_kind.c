/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether a text is a date, a time, a timestamp or a UUID; the parsers read what is recognized to
 * the same value.
 */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "support/random.h"
#include "support/texts.h"
#include "text/binary_text.h"
#include "text/text_kind.h"
#include "text/time_text.h"

static void expect_kind(const char *text, lam_text_kind kind, int64_t seconds, int32_t nanos) {
    lam_text_moment moment = {-7, -7};
    cr_expect_eq(lam_text_kind_of(text, strlen(text), &moment), kind, "%s", text);
    cr_expect_eq(moment.seconds, seconds, "%s: %" PRId64, text, moment.seconds);
    cr_expect_eq(moment.nanos, nanos, "%s: %" PRId32, text, moment.nanos);
}

Test(text_kind, dates_times_and_timestamps_in_their_spellings) {
    expect_kind("2024-10-24", LAM_TEXT_DATE, 1729728000, 0);
    expect_kind("0000-01-01", LAM_TEXT_DATE, -62167219200, 0);
    expect_kind("9999-12-31", LAM_TEXT_DATE, 253402214400, 0);
    expect_kind("2000-02-29", LAM_TEXT_DATE, 951782400, 0);
    expect_kind("12:34", LAM_TEXT_TIME, 45240, 0);
    expect_kind("12:34:56", LAM_TEXT_TIME, 45296, 0);
    expect_kind("23:59:59.999999999", LAM_TEXT_TIME, 86399, 999999999);
    expect_kind("00:00:00.5", LAM_TEXT_TIME, 0, 500000000);
    expect_kind("1970-01-01T00:00", LAM_TEXT_TIMESTAMP, 0, 0);
    expect_kind("1970-01-01 00:00:01", LAM_TEXT_TIMESTAMP, 1, 0);
    expect_kind("1969-12-31t23:59:59.25", LAM_TEXT_TIMESTAMP, -1, 250000000);
    expect_kind("1970-01-01T00:00:01Z", LAM_TEXT_TIMESTAMP_UTC, 1, 0);
    expect_kind("1970-01-01T00:00:01.0000000010z", LAM_TEXT_TIMESTAMP_UTC, 1, 1);
    expect_kind("1970-01-01T01:00+01", LAM_TEXT_TIMESTAMP_UTC, 0, 0);
    expect_kind("1970-01-01T01:00:00+0100", LAM_TEXT_TIMESTAMP_UTC, 0, 0);
    expect_kind("1970-01-01 01:00:00 +01:00", LAM_TEXT_TIMESTAMP_UTC, 0, 0);
    expect_kind("1969-12-31 18:30:00-05:30", LAM_TEXT_TIMESTAMP_UTC, 0, 0);
    expect_kind("1970-01-01 00:00:02 UTC", LAM_TEXT_TIMESTAMP_UTC, 2, 0);
}

Test(text_kind, uuids_leave_the_moment_alone) {
    expect_kind("00112233-4455-6677-8899-aabbccddeeff", LAM_TEXT_UUID, -7, -7);
    expect_kind("00112233-4455-6677-8899-AABBCCDDEEFF", LAM_TEXT_UUID, -7, -7);
    cr_expect_eq(lam_text_kind_of("2024-10-24", 10, NULL), LAM_TEXT_DATE);
}

Test(text_kind, other_texts_are_none_of_them) {
    static const char *const texts[] = LAM_TEXTS(
        "", "x", "12:3", "1:00:00", "24:00", "12:60", "12:34:60", "12:34:", "12:34:5", "12:34:56.",
        "12:34:56.x", "12:34.5", "12:34:56Z", "12:34:56.1234567891", "2024-1-01", "2024-13-01",
        "2024-00-01", "2023-02-29", "1900-02-29", "2024-04-31", "2024-04-00", "2024/10/24",
        "20241024", "+2024-10-24", "2024-10-24 ", "2024-10-24T", "2024-10-24T12", "2024-10-24T12:3",
        "2024-10-24_12:34", "2024-10-24T12:34:56ZZ", "2024-10-24T12:34:56 ", "2024-10-24T12:34:56+",
        "2024-10-24T12:34:56+1", "2024-10-24T12:34:56+010", "2024-10-24T12:34:56+24:00",
        "2024-10-24T12:34:56+01:60", "2024-10-24T12:34:56+01-00",
        "00112233-4455-6677-8899-aabbccddeefg", "00112233-4455-6677-8899-aabbccddeef",
        "001122334455-6677-8899-aabbccddeeff0");
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        expect_kind(texts[i], LAM_TEXT_OTHER, -7, -7);
}

Test(text_kind, moments_as_counts_of_units) {
    lam_text_moment moment = {-1, 250000000};
    int64_t count = 7;
    cr_expect_eq(lam_text_moment_unit(moment), LAM_TIME_UNIT_MILLIS);
    cr_expect(lam_text_moment_count(moment, LAM_TIME_UNIT_MILLIS, &count));
    cr_expect_eq(count, -750);
    moment.nanos = 1000;
    cr_expect_eq(lam_text_moment_unit(moment), LAM_TIME_UNIT_MICROS);
    cr_expect_not(lam_text_moment_count(moment, LAM_TIME_UNIT_MILLIS, &count));
    cr_expect_eq(count, -750);
    moment.nanos = 1;
    cr_expect_eq(lam_text_moment_unit(moment), LAM_TIME_UNIT_NANOS);
    /* The ends of 64 bits of nanoseconds: 2262-04-11T23:47:16.854775807, -292277022400 days. */
    moment = (lam_text_moment){INT64_MAX / 1000000000, 854775807};
    cr_expect(lam_text_moment_count(moment, LAM_TIME_UNIT_NANOS, &count));
    cr_expect_eq(count, INT64_MAX);
    moment.nanos++;
    cr_expect_not(lam_text_moment_count(moment, LAM_TIME_UNIT_NANOS, &count));
    moment = (lam_text_moment){INT64_MIN / 1000000000 - 1, 145224192};
    cr_expect(lam_text_moment_count(moment, LAM_TIME_UNIT_NANOS, &count));
    cr_expect_eq(count, INT64_MIN);
    moment.nanos--;
    cr_expect_not(lam_text_moment_count(moment, LAM_TIME_UNIT_NANOS, &count));
}

/* Texts of the right letters are often almost of a kind. */
static size_t make_text(lam_random *random, char *text) {
    static const char *const templates[] = {"2024-02-29",
                                            "12:34:56.789012",
                                            "2024-02-29T12:34:56.5Z",
                                            "1999-12-31 23:59+01:00",
                                            "2024-02-29 12:34:56 -0530",
                                            "00112233-4455-6677-8899-aabbccddeeff"};
    static const char letters[] = "0123456789:-+.TtZz UTC9a";
    const char *template = templates[lam_random_below(random, 6)];
    size_t size = strlen(template);
    memcpy(text, template, size);
    for (uint64_t i = lam_random_below(random, 4); i > 0; i--)
        text[lam_random_below(random, size)] =
            letters[lam_random_below(random, sizeof letters - 1)];
    return lam_random_chance(random, 20) ? (size_t)lam_random_below(random, size) : size;
}

Test(text_kind, whatever_is_recognized_the_parsers_read_to_the_same_value) {
    uint64_t seed = lam_test_seed(16);
    lam_random random = lam_random_start(seed);
    size_t found[6] = {0};
    for (int round = 0; round < 300000; round++) {
        char text[64];
        uint8_t uuid[16];
        size_t size = make_text(&random, text);
        lam_text_moment moment = {0, 0};
        lam_text_kind kind = lam_text_kind_of(text, size, &moment);
        int64_t parsed = 0, count = 0;
        int32_t days = 0;
        found[kind]++;
        bool is_utc = kind == LAM_TEXT_TIMESTAMP_UTC, reads = true;
        if (kind == LAM_TEXT_DATE) {
            reads = lam_date_parse(text, size, &days);
            parsed = (int64_t)days * 86400;
            count = moment.seconds;
        } else if (kind == LAM_TEXT_TIME) {
            reads = lam_time_parse(text, size, LAM_TIME_UNIT_NANOS, &parsed) &&
                    lam_text_moment_count(moment, LAM_TIME_UNIT_NANOS, &count);
        } else if (kind == LAM_TEXT_TIMESTAMP || is_utc) {
            lam_time_unit unit = lam_text_moment_unit(moment);
            /* Early years are beyond 64 bits of nanoseconds for both. */
            reads = lam_timestamp_parse(text, size, unit, is_utc, &parsed) ==
                    lam_text_moment_count(moment, unit, &count);
        } else if (kind == LAM_TEXT_UUID) {
            reads = lam_uuid_parse(text, size, uuid);
        }
        cr_assert(reads && parsed == count, "seed %" PRIu64 ": %.*s", seed, (int)size, text);
    }
    for (int kind = 0; kind < 6; kind++)
        cr_expect_gt(found[kind], 1000, "kind %d", kind);
}
