/* SPDX-License-Identifier: Apache-2.0 */
/* Decimals of any length and scale as text, both ways, to the longest there is. */
#include <criterion/criterion.h>
#include <string.h>

#include "support/failing_alloc.h"
#include "support/random.h"
#include "text/decimal_text.h"

static lam_buffer start(void) {
    lam_allocator allocator = lam_allocator_default();
    lam_buffer buffer;
    lam_buffer_init(&buffer, &allocator);
    return buffer;
}

static void expect_text(lam_buffer *buffer, const char *text) {
    cr_expect_eq(buffer->size, strlen(text));
    cr_expect_eq(memcmp(buffer->data, text, buffer->size), 0, "%.*s is not %s", (int)buffer->size,
                 (char *)buffer->data, text);
    lam_buffer_clear(buffer);
}

Test(decimal_text, integers_with_a_point) {
    lam_buffer buffer = start();
    static const struct {
        int64_t unscaled;
        int32_t scale;
        const char *text;
    } cases[] = {{12345, 2, "123.45"}, {-5, 2, "-0.05"},
                 {7, 0, "7"},          {0, 3, "0.000"},
                 {0, 0, "0"},          {-100, 2, "-1.00"},
                 {10, 1, "1.0"},       {INT64_MIN, 18, "-9.223372036854775808"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cr_assert_eq(lam_decimal_print_int64(&buffer, cases[i].unscaled, cases[i].scale, NULL),
                     LAM_STATUS_OK);
        expect_text(&buffer, cases[i].text);
    }
    lam_buffer_finish(&buffer);
}

Test(decimal_text, bytes_of_any_length) {
    lam_buffer buffer = start();
    static const struct {
        const char *bytes;
        size_t size;
        int32_t scale;
        const char *text;
    } cases[] = {
        {"", 0, 0, "0"},
        {"\x00", 1, 2, "0.00"},
        {"\xFF", 1, 1, "-0.1"},
        {"\x80", 1, 0, "-128"},
        {"\x7F\xFF", 2, 0, "32767"},
        {"\xFF\xFF\xFF\xFF\xFF\x00", 6, 0, "-256"},
        {"\x00\x00\x00\x00\x00\x00\x00\x00\x80", 9, 0, "128"},
        {"\x80\x00\x00\x00\x00\x00\x00\x00", 8, 0, "-9223372036854775808"},
        {"\x4B\x3B\x4C\xA8\x5A\x86\xC4\x7A\x09\x8A\x22\x3F\xFF\xFF\xFF\xFF", 16, 10,
         "9999999999999999999999999999.9999999999"},
        {"\x80\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 16, 0, "-170141183460469231731687303715884105728"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lam_bytes bytes = {(const uint8_t *)cases[i].bytes, cases[i].size};
        cr_assert_eq(lam_decimal_print_bytes(&buffer, bytes, cases[i].scale, NULL), LAM_STATUS_OK);
        expect_text(&buffer, cases[i].text);
    }
    lam_buffer_finish(&buffer);
}

static void expect_bytes(const char *text, int32_t precision, int32_t scale, const char *bytes,
                         size_t size) {
    lam_buffer buffer = start();
    lam_error error = lam_error_none();
    cr_assert_eq(lam_decimal_parse(text, strlen(text), precision, scale, &buffer, &error),
                 LAM_STATUS_OK, "%s: %s", text, error.message);
    cr_expect_eq(buffer.size, size, "%s", text);
    cr_expect_eq(memcmp(buffer.data, bytes, size), 0, "%s", text);
    lam_buffer_finish(&buffer);
}

Test(decimal_text, numbers_in_every_notation) {
    expect_bytes("1.28", 9, 2, "\x00\x80", 2);
    expect_bytes("1.280000", 9, 2, "\x00\x80", 2);
    expect_bytes("128e-2", 9, 2, "\x00\x80", 2);
    expect_bytes("0.00128E+3", 9, 2, "\x00\x80", 2);
    expect_bytes("-1.28", 9, 2, "\x80", 1);
    expect_bytes("0", 9, 2, "\x00", 1);
    expect_bytes("-0.00", 9, 2, "\x00", 1);
    expect_bytes("0e999999999999", 9, 2, "\x00", 1);
    expect_bytes("12e3", 9, 0, "\x2E\xE0", 2);
    expect_bytes("1e-2", 9, 2, "\x01", 1);
    expect_bytes("0.01", 2, 2, "\x01", 1);
    expect_bytes("-9223372036854775808", 19, 0, "\x80\0\0\0\0\0\0\0", 8);
}

static void expect_refusal(const char *text, int32_t precision, int32_t scale, lam_status status) {
    lam_buffer buffer = start();
    cr_expect_eq(lam_decimal_parse(text, strlen(text), precision, scale, &buffer, NULL), status,
                 "%s", text);
    cr_expect_eq(buffer.size, 0);
    lam_buffer_finish(&buffer);
}

Test(decimal_text, numbers_that_do_not_fit) {
    expect_refusal("1.234", 9, 2, LAM_STATUS_INVALID);
    expect_refusal("1e-3", 9, 2, LAM_STATUS_INVALID);
    expect_refusal("1e-99999999999999999999", 9, 2, LAM_STATUS_INVALID);
    expect_refusal("1000", 5, 2, LAM_STATUS_INVALID);
    expect_refusal("1e9999999999999999999", 5, 2, LAM_STATUS_INVALID);
    expect_refusal("1e20000", INT32_MAX, 0, LAM_STATUS_LIMIT);
    expect_refusal("1", INT32_MAX, 20000, LAM_STATUS_LIMIT);
}

Test(decimal_text, random_bytes_come_back) {
    uint64_t seed = lam_test_seed(17);
    lam_random random = lam_random_start(seed);
    lam_buffer text = start(), back = start();
    for (int i = 0; i < 20000; i++) {
        uint8_t bytes[80];
        size_t size = 1 + lam_random_below(&random, i % 10 == 0 ? sizeof bytes : 16);
        for (size_t j = 0; j < size; j++)
            bytes[j] = (uint8_t)lam_random_next(&random);
        if (size > 1 && (bytes[0] == 0 || bytes[0] == 0xFF))
            bytes[0] ^= 0x55; /* else the bytes may not be the fewest */
        int32_t scale = (int32_t)lam_random_below(&random, 30);
        lam_bytes value = {bytes, size};
        lam_buffer_clear(&text);
        lam_buffer_clear(&back);
        cr_assert_eq(lam_decimal_print_bytes(&text, value, scale, NULL), LAM_STATUS_OK);
        cr_assert_eq(lam_decimal_parse((char *)text.data, text.size, 1000, scale, &back, NULL),
                     LAM_STATUS_OK, "seed %llu", (unsigned long long)seed);
        cr_assert_eq(back.size, size, "seed %llu", (unsigned long long)seed);
        cr_assert_eq(memcmp(back.data, bytes, size), 0, "seed %llu", (unsigned long long)seed);
    }
    lam_buffer_finish(&text);
    lam_buffer_finish(&back);
}

Test(decimal_text, the_longest_number_and_one_longer) {
    static uint8_t bytes[LAM_DECIMAL_BYTES_MAX + 8];
    lam_buffer text = start(), back = start();
    for (int first = 0x7F; first <= 0x80; first++) { /* the largest and the smallest */
        memset(bytes, first == 0x7F ? 0xFF : 0, sizeof bytes);
        bytes[0] = (uint8_t)first;
        lam_bytes value = {bytes, LAM_DECIMAL_BYTES_MAX};
        lam_buffer_clear(&text);
        lam_buffer_clear(&back);
        cr_assert_eq(lam_decimal_print_bytes(&text, value, 0, NULL), LAM_STATUS_OK);
        cr_expect_eq(lam_decimal_print_bytes(&text, (lam_bytes){bytes, sizeof bytes}, 0, NULL),
                     LAM_STATUS_LIMIT);
        cr_assert_eq(lam_decimal_parse((char *)text.data, text.size, 10000, 0, &back, NULL),
                     LAM_STATUS_OK);
        cr_expect_eq(back.size, LAM_DECIMAL_BYTES_MAX);
        cr_expect_eq(memcmp(back.data, bytes, back.size), 0);
    }
    memset(bytes, 0, sizeof bytes); /* zeros in front do not count */
    bytes[sizeof bytes - 1] = 17;
    lam_buffer_clear(&text);
    cr_assert_eq(lam_decimal_print_bytes(&text, (lam_bytes){bytes, sizeof bytes}, 0, NULL),
                 LAM_STATUS_OK);
    expect_text(&text, "17");
    lam_buffer_finish(&text);
    lam_buffer_finish(&back);
}

Test(decimal_text, a_scale_beyond_all_digits_is_a_limit) {
    lam_buffer text = start();
    cr_expect_eq(lam_decimal_print_int64(&text, 1, INT32_MAX, NULL), LAM_STATUS_LIMIT);
    lam_buffer_finish(&text);
}

Test(decimal_text, a_scale_below_zero_is_a_limit) {
    lam_buffer text = start();
    cr_expect_eq(lam_decimal_print_int64(&text, 1, -1, NULL), LAM_STATUS_LIMIT);
    cr_expect_eq(text.size, 0);
    lam_buffer_finish(&text);
}

/* Of a short scale and of one that needs the longer way. */
Test(decimal_text, without_memory_nothing_is_printed) {
    for (int32_t scale = 2; scale < 100; scale += 60) {
        lam_failing_alloc failing = {.fail_at = 1};
        lam_allocator allocator = lam_failing_allocator(&failing);
        lam_buffer text;
        lam_buffer_init(&text, &allocator);
        cr_expect_eq(lam_decimal_print_int64(&text, 128, scale, NULL), LAM_STATUS_NOMEM);
        cr_expect_eq(text.size, 0);
        cr_expect_eq(lam_decimal_print_int64(&text, 128, scale, NULL), LAM_STATUS_OK);
        cr_expect_eq(text.size, scale == 2 ? 4 : 2 + (size_t)scale);
        lam_buffer_finish(&text);
    }
}
