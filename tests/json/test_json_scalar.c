/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers, times and bytes as JSON text, in the form that is asked for. */
#include "json/parse/json_scalar.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#define EXPECT(call, expected)                                                                     \
    do {                                                                                           \
        char out[LAM_JSON_SCALAR_ROOM];                                                            \
        size_t size = (call);                                                                      \
        cr_assert_eq(size, strlen(expected), "%.*s", (int)size, out);                              \
        cr_expect_arr_eq(out, expected, size, "%.*s", (int)size, out);                             \
    } while (0)

Test(json_scalar, numbers_and_times_are_json) {
    static const uint8_t uuid[16] = {0xF2, 0x4F};
    EXPECT(lam_json_put_double(out, 0.1), "0.1");
    EXPECT(lam_json_put_double(out, (double)NAN), "\"NaN\"");
    EXPECT(lam_json_put_float(out, -INFINITY), "\"-Infinity\"");
    EXPECT(lam_json_put_float(out, INFINITY), "\"Infinity\"");
    EXPECT(lam_json_put_date(out, 0), "\"1970-01-01\"");
    EXPECT(lam_json_put_date(out, INT32_MIN), "\"-5877641-06-23\"");
    EXPECT(lam_json_put_time(out, 1, LAM_TIME_UNIT_MILLIS), "\"00:00:00.001\"");
    EXPECT(lam_json_put_time(out, 86400000, LAM_TIME_UNIT_MILLIS), "86400000");
    EXPECT(lam_json_put_time(out, -1, LAM_TIME_UNIT_NANOS), "-1");
    EXPECT(lam_json_put_timestamp(out, INT64_MIN, LAM_TIME_UNIT_MILLIS, true),
           "\"-292275055-05-16T16:47:04.192Z\"");
    EXPECT(lam_json_put_uuid(out, uuid), "\"f24f0000-0000-0000-0000-000000000000\"");
}

Test(json_scalar, bytes_are_in_the_form_that_is_asked_for) {
    static const char *const expected[] = {"\"YWI=\"", "\"6162\"", "\"ab\""};
    lam_allocator allocator = lam_allocator_default();
    lam_bytes bytes = {(const uint8_t *)"ab", 2}, other = {(const uint8_t *)"\xFF", 1};
    lam_buffer text;
    lam_buffer_init(&text, &allocator);
    for (int form = 0; form < 3; form++) {
        lam_buffer_clear(&text);
        cr_assert_eq(lam_json_bytes_write(&text, bytes, (lam_json_binary)form, false, NULL),
                     LAM_STATUS_OK);
        cr_assert_eq(text.size, strlen(expected[form]));
        cr_expect_arr_eq(text.data, expected[form], text.size);
    }
    cr_expect_eq(lam_json_bytes_write(&text, other, LAM_JSON_BINARY_UTF8, false, NULL),
                 LAM_STATUS_INVALID);
    cr_expect_eq(lam_json_bytes_write(&text, other, LAM_JSON_BINARY_UTF8, true, NULL),
                 LAM_STATUS_OK);
    lam_buffer_finish(&text);
}

/* Sizes of which no text fits into the address space; the bytes are never read. */
Test(json_scalar, bytes_beyond_all_memory_are_refused) {
    lam_allocator allocator = lam_allocator_default();
    const size_t sizes[] = {SIZE_MAX, SIZE_MAX / 2};
    lam_buffer text;
    lam_buffer_init(&text, &allocator);
    for (size_t i = 0; i < 2; i++) {
        lam_error error = lam_error_none();
        lam_bytes bytes = {(const uint8_t *)"", sizes[i]};
        cr_expect_eq(lam_json_bytes_write(&text, bytes, LAM_JSON_BINARY_HEX, false, &error),
                     LAM_STATUS_NOMEM);
        cr_expect_not_null(strstr(error.message, "bytes as text"), "%s", error.message);
    }
    cr_expect_null(text.data);
}
