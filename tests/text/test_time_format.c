/* SPDX-License-Identifier: Apache-2.0 */
/* Dates and times in forms that a user names. */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <string.h>

#include "text/time_format.h"
#include "text/time_text.h"

static lam_text_kind take(const char *form, const char *text, lam_text_moment *ret_moment) {
    lam_time_formats formats = {&form, 1};
    lam_error error = lam_error_none();
    cr_assert_eq(lam_time_formats_check(formats, &error), LAM_STATUS_OK, "%s: %s", form,
                 error.message);
    return lam_time_formats_take(formats, text, strlen(text), ret_moment);
}

static void expect_moment(const char *form, const char *text, lam_text_kind kind, int64_t seconds,
                          int32_t nanos) {
    lam_text_moment moment = {-7, -7};
    cr_expect_eq(take(form, text, &moment), kind, "%s of %s", form, text);
    cr_expect_eq(moment.seconds, seconds, "%s of %s: %" PRId64, form, text, moment.seconds);
    cr_expect_eq(moment.nanos, nanos, "%s of %s: %" PRId32, form, text, moment.nanos);
}

static void expect_none(const char *form, const char *text) {
    lam_text_moment moment = {-7, -7};
    cr_expect_eq(take(form, text, &moment), LAM_TEXT_OTHER, "%s of %s", form, text);
    cr_expect(moment.seconds == -7 && moment.nanos == -7);
}

static void expect_refused(const char *form, const char *message) {
    lam_error error = lam_error_none();
    cr_expect_eq(lam_time_formats_check((lam_time_formats){&form, 1}, &error), LAM_STATUS_INVALID,
                 "%s", form);
    cr_expect_str_eq(error.message, message);
}

Test(time_format, dates_in_the_orders_of_several_countries) {
    const int64_t day = lam_date_join(2024, 1, 31) * 86400;
    expect_moment("%m/%d/%Y", "1/31/2024", LAM_TEXT_DATE, day, 0);
    expect_moment("%m/%d/%Y", "01/31/2024", LAM_TEXT_DATE, day, 0);
    expect_moment("%d.%m.%y", "31.01.24", LAM_TEXT_DATE, day, 0);
    expect_moment("%Y%m%d", "20240131", LAM_TEXT_DATE, day, 0);
    expect_moment("%d %b %Y", "31 JAN 2024", LAM_TEXT_DATE, day, 0);
    expect_moment("%B %d, %Y", "january 31, 2024", LAM_TEXT_DATE, day, 0);
    expect_moment("%d.%m.%y", "1.1.69", LAM_TEXT_DATE, lam_date_join(1969, 1, 1) * 86400, 0);
    expect_moment("%d.%m.%y", "1.1.68", LAM_TEXT_DATE, lam_date_join(2068, 1, 1) * 86400, 0);
    expect_moment("%b %d %Y", "May 1 2024", LAM_TEXT_DATE, lam_date_join(2024, 5, 1) * 86400, 0);
}

Test(time_format, times_and_timestamps) {
    expect_moment("%H.%M", "7.05", LAM_TEXT_TIME, 7 * 3600 + 300, 0);
    expect_moment("%I:%M %p", "12:30 AM", LAM_TEXT_TIME, 1800, 0);
    expect_moment("%I:%M %p", "12:30 pm", LAM_TEXT_TIME, 12 * 3600 + 1800, 0);
    expect_moment("%I%p", "11pm", LAM_TEXT_TIME, 23 * 3600, 0);
    expect_moment("%d/%m/%Y %T", "01/01/1970 00:00:01", LAM_TEXT_TIMESTAMP, 1, 0);
    expect_moment("%d/%m/%Y %T,%f", "31/12/1969 23:59:59,25", LAM_TEXT_TIMESTAMP, -1, 250000000);
    expect_moment("%F at %H", "1970-01-02 at 1", LAM_TEXT_TIMESTAMP, 90000, 0);
    expect_moment("%H%% of %F", "1% of 1970-01-02", LAM_TEXT_TIMESTAMP, 90000, 0);
}

Test(time_format, a_zone_makes_a_timestamp_in_utc) {
    static const char *const texts[] = {"1970/01/01 01:00+01", "1970/01/01 01:00+01:00",
                                        "1970/01/01 01:00+0100", "1970/01/01 00:00Z",
                                        "1970/01/01 00:00UTC"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        expect_moment("%Y/%m/%d %H:%M%z", texts[i], LAM_TEXT_TIMESTAMP_UTC, 0, 0);
    expect_moment("[%d/%b/%Y:%T %z]", "[10/Oct/2000:13:55:36 -0700]", LAM_TEXT_TIMESTAMP_UTC,
                  lam_date_join(2000, 10, 10) * 86400 + 20 * 3600 + 55 * 60 + 36, 0);
}

Test(time_format, other_texts_are_none) {
    static const char *const texts[] = {"",           "1/31/202",   "1/31/20245", "13/1/2024",
                                        "2/30/2024",  "2/29/2023",  "0/1/2024",   "1/0/2024",
                                        " 1/31/2024", "1/31/2024 ", "1-31-2024",  "1/31"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        expect_none("%m/%d/%Y", texts[i]);
    expect_none("%H:%M", "24:00");
    expect_none("%H:%M", "12:60");
    expect_none("%I %p", "0 AM");
    expect_none("%I %p", "13 PM");
    expect_none("%I %p", "1 xm");
    expect_none("%d %b %Y", "1 Foo 2024");
    expect_none("%T.%f", "12:00:00.");
    expect_none("%F %H%z", "1970-01-01 00 Z");
    expect_none("%F %H%z", "1970-01-01 00");
}

Test(time_format, the_first_form_that_fits_counts) {
    static const char *const forms[] = {"%m/%d/%Y", "%d/%m/%Y"};
    lam_time_formats formats = {forms, 2};
    lam_text_moment moment;
    cr_expect_eq(lam_time_formats_take(formats, "02/01/1970", 10, &moment), LAM_TEXT_DATE);
    cr_expect_eq(moment.seconds, 31 * 86400);
    cr_expect_eq(lam_time_formats_take(formats, "31/01/1970", 10, &moment), LAM_TEXT_DATE);
    cr_expect_eq(moment.seconds, 30 * 86400);
    cr_expect_eq(lam_time_formats_take((lam_time_formats){NULL, 0}, "x", 1, &moment),
                 LAM_TEXT_OTHER);
}

Test(time_format, half_a_form_is_refused) {
    expect_refused("", "'' lacks a date or a time of the day");
    expect_refused("2024", "'2024' lacks a date or a time of the day");
    expect_refused("%p", "'%p' lacks a date or a time of the day");
    expect_refused("%d.%m.", "'%d.%m.' lacks year, month and day together");
    expect_refused("%F :%M", "'%F :%M' lacks the hour");
    expect_refused("%F %z", "'%F %z' lacks the hour");
    expect_refused("%H:%S", "'%H:%S' lacks the minute");
    expect_refused("%H:%M.%f", "'%H:%M.%f' lacks the second");
    expect_refused("%T%z", "'%T%z' lacks the date of a time with a zone");
    expect_refused("%I:%M", "'%I:%M' lacks %I and %p together");
    expect_refused("%H %p", "'%H %p' lacks %I and %p together");
    expect_refused("%F %Q", "'%F %Q': no date or time has a %Q");
    expect_refused("%F %", "'%F %': no date or time has a % ");
    expect_refused("%F %y", "'%F %y': what %y states is there twice");
    expect_refused("%T %I", "'%T %I': what %I states is there twice");
}
