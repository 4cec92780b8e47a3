/* SPDX-License-Identifier: Apache-2.0 */
/* The order of values of two leaves of different types, by what they mean. */
#include <criterion/criterion.h>
#include <float.h>
#include <lamella/filter.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "scan/condition/filter_peer.h"
#include "scan/condition/filter_values.h"
#include "support/test_file.h"

/* The order of two values of leaves of these types; turned, it must be the other way round. */
static int order_of(const char *a, lam_value x, const char *b, lam_value y) {
    char text[200];
    lam_filter_builder *builder;
    lam_filter *filter;
    lam_bytes plain_x, plain_y;
    int orders[2];
    snprintf(text, sizeof text, "required %s; required %s;", a, b);
    lam_schema *schema = lam_test_parse(text);
    cr_assert_eq(lam_filter_builder_create(schema, NULL, &builder, NULL), LAM_STATUS_OK);
    const lam_field *left = lam_schema_leaf(schema, 0), *right = lam_schema_leaf(schema, 1);
    cr_assert_eq(lam_filter_copy_value(left, &x, &builder->arena, &plain_x, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_filter_copy_value(right, &y, &builder->arena, &plain_y, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_filter_builder_compare_fields(builder, "a", LAM_FILTER_EQUAL, "b", NULL),
                 LAM_STATUS_OK, "%s", text);
    cr_assert_eq(lam_filter_builder_compare_fields(builder, "b", LAM_FILTER_EQUAL, "a", NULL),
                 LAM_STATUS_OK);
    cr_assert_eq(lam_filter_builder_or(builder, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_filter_builder_finish(builder, &filter, NULL), LAM_STATUS_OK);
    orders[0] = lam_peer_compare(&filter->tests[0], plain_x, plain_y);
    orders[1] = lam_peer_compare(&filter->tests[1], plain_y, plain_x);
    cr_expect_eq((orders[0] > 0) - (orders[0] < 0), (orders[1] < 0) - (orders[1] > 0), "%s", text);
    lam_filter_destroy(filter);
    lam_filter_builder_destroy(builder);
    lam_schema_destroy(schema);
    return (orders[0] > 0) - (orders[0] < 0);
}

static lam_value whole(int64_t number) {
    return (lam_value){.int64 = number};
}

static lam_value small(int32_t number) {
    return (lam_value){.int32 = number};
}

static lam_value real(double number) {
    return (lam_value){.float64 = number};
}

static lam_value bytes(const char *data, size_t size) {
    return (lam_value){.bytes = {(const uint8_t *)data, size}};
}

Test(filter_peer_compare, integers_compare_with_doubles_by_value) {
    const char *a = "int64 a", *b = "double b", *u = "int64 a (INTEGER(64,false))";
    cr_expect_eq(order_of(a, whole(9007199254740993), b, real(9007199254740992.0)), 1);
    cr_expect_eq(order_of(a, whole(9007199254740992), b, real(9007199254740992.0)), 0);
    cr_expect_eq(order_of(a, whole(INT64_MAX), b, real(9223372036854775808.0)), -1);
    cr_expect_eq(order_of(a, whole(INT64_MIN), b, real(-9223372036854775808.0)), 0);
    cr_expect_eq(order_of(a, whole(INT64_MIN), b, real(-1e300)), 1);
    cr_expect_eq(order_of(a, whole(-3), b, real(-2.5)), -1);
    cr_expect_eq(order_of(a, whole(-2), b, real(-2.5)), 1);
    cr_expect_eq(order_of(a, whole(0), b, real(-0.0)), 0);
    cr_expect_eq(order_of(a, whole(0), b, real((double)NAN)), -1);
    cr_expect_eq(order_of(a, whole(0), b, real((double)INFINITY)), -1);
    cr_expect_eq(order_of(a, whole(0), b, real(-(double)INFINITY)), 1);
    cr_expect_eq(order_of(u, whole(-1), b, real(18446744073709551615.0)), -1); /* that is 2^64 */
    cr_expect_eq(order_of(u, whole(-1), "int64 b", whole(-1)), 1);
    cr_expect_eq(order_of("int32 a (INTEGER(32,false))", small(-1), "int64 b", whole(4294967295)),
                 0);
    cr_expect_eq(order_of("int32 a", small(-1), "int64 b", whole(-1)), 0);
    cr_expect_eq(order_of("int32 a (INTEGER(16,true))", small(-7), "int64 b", whole(-6)), -1);
}

Test(filter_peer_compare, decimals_of_different_scales_compare_by_all_digits) {
    const char *d2 = "int32 a (DECIMAL(9,2))", *d4 = "int64 b (DECIMAL(18,4))";
    const char *bytes38 = "fixed_len_byte_array(16) b (DECIMAL(38,20))";
    static const char most[16] = "\x7F\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF";
    static const char beyond[17] = "\x01";
    cr_expect_eq(order_of(d2, small(125), d4, whole(12500)), 0);
    cr_expect_eq(order_of(d2, small(125), d4, whole(12501)), -1);
    cr_expect_eq(order_of(d2, small(-125), d4, whole(-12501)), 1);
    cr_expect_eq(order_of(d2, small(0), d4, whole(0)), 0);
    cr_expect_eq(order_of(d2, small(INT32_MAX), bytes38, bytes(most, 16)), -1);
    cr_expect_eq(order_of("int64 a", whole(INT64_MAX), bytes38, bytes(most, 16)), 1);
    cr_expect_eq(
        order_of("int64 a", whole(INT64_MAX), "binary b (DECIMAL(38,2))", bytes(beyond, 17)),
        -1); /* more than 128 bits hold */
    cr_expect_eq(order_of("int64 a", whole(-1), "binary b (DECIMAL(38,0))", bytes("\xFF\xFF", 2)),
                 0);
    cr_expect_eq(order_of("int64 a (DECIMAL(18,18))", whole(INT64_MAX), "int64 b", whole(9)), 1);
    cr_expect_eq(order_of("int64 a (DECIMAL(18,18))", whole(1), "int64 b", whole(0)), 1);
}

/* Bytes beyond the 16 of 128 bits count unless they only repeat the sign. */
Test(filter_peer_compare, decimals_of_many_bytes_compare_by_their_value) {
    const char *wide = "binary a (DECIMAL(38,2))", *other = "fixed_len_byte_array(20) b "
                                                            "(DECIMAL(38,2))";
    static const char zero[20] = "", one[20] = {[19] = 1}, huge[20] = {1},
                      high[20] = {[4] = '\x80'};
    char minus[20], least[20];
    memset(minus, 0xFF, sizeof minus);
    memset(least, 0, sizeof least);
    least[0] = (char)0x80;
    cr_expect_eq(order_of(wide, bytes(one, 20), other, bytes(zero, 20)), 1);
    cr_expect_eq(order_of(wide, bytes(minus, 20), other, bytes(zero, 20)), -1);
    cr_expect_eq(order_of(wide, bytes(minus, 20), "int64 b (DECIMAL(18,2))", whole(-1)), 0);
    cr_expect_eq(order_of("int64 a", whole(INT64_MAX), "binary b (DECIMAL(38,2))", bytes(huge, 20)),
                 -1);
    cr_expect_eq(order_of(wide, bytes(huge, 20), "int64 b", whole(INT64_MAX)), 1);
    cr_expect_eq(order_of(wide, bytes(least, 20), "int64 b", whole(INT64_MIN)), -1);
    cr_expect_eq(order_of(wide, bytes(high, 20), "int64 b", whole(INT64_MAX)), 1); /* 2^127 */
    cr_expect_eq(order_of(wide, bytes(huge, 20), "double b", real(1e300)), 1);
    cr_expect_eq(order_of(wide, bytes(huge, 20), "double b", real((double)INFINITY)), -1);
    cr_expect_eq(order_of(wide, bytes(least, 20), "double b", real(-(double)INFINITY)), 1);
}

Test(filter_peer_compare, half_precision_has_infinities_nans_and_tiny_numbers) {
    const char *half = "fixed_len_byte_array(2) a (FLOAT16)";
    cr_expect_eq(order_of(half, bytes("\x00\x3C", 2), "double b", real(1)), 0);
    cr_expect_eq(order_of(half, bytes("\x00\xBC", 2), "double b", real(-1)), 0);
    cr_expect_eq(order_of(half, bytes("\x01\x00", 2), "double b", real(0x1p-24)), 0);
    cr_expect_eq(order_of(half, bytes("\x01\x80", 2), "double b", real(-0x1p-24)), 0);
    cr_expect_eq(order_of(half, bytes("\x00\xFC", 2), "double b", real(-(double)INFINITY)), 0);
    cr_expect_eq(order_of(half, bytes("\x01\x7C", 2), "double b", real((double)NAN)), 0);
    cr_expect_eq(order_of(half, bytes("\x01\x7C", 2), "double b", real(1e300)), 1);
    cr_expect_eq(order_of(half, bytes("\x00\x7C", 2), "int64 b", whole(INT64_MAX)), 1);
    cr_expect_eq(order_of("int32 a (DECIMAL(9,0))", small(65520),
                          "fixed_len_byte_array(2) b (FLOAT16)", bytes("\xFF\x7B", 2)),
                 1); /* rounds to infinity */
    cr_expect_eq(order_of("int32 a (DECIMAL(9,0))", small(-65520),
                          "fixed_len_byte_array(2) b (FLOAT16)", bytes("\xFF\xFB", 2)),
                 -1);
}

Test(filter_peer_compare, whole_numbers_that_need_more_than_64_bits_compare) {
    const char *least = "int64 a (DECIMAL(18,0))", *finest = "int64 b (DECIMAL(18,18))";
    cr_expect_eq(order_of(least, whole(INT64_MIN), finest, whole(INT64_MIN)), -1);
    cr_expect_eq(order_of(least, whole(INT64_MAX), finest, whole(INT64_MAX)), 1);
    cr_expect_eq(order_of("int64 a", whole(-1), "double b", real(1e19)), -1);
    cr_expect_eq(order_of("int64 a", whole(1), "double b", real(-1)), 1);
}

Test(filter_peer_compare, a_decimal_meets_the_nearest_floating_point_number) {
    const char *d = "int32 a (DECIMAL(9,2))", *d38 = "fixed_len_byte_array(16) a (DECIMAL(38,0))";
    static const char most[16] = "\x7F\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF";
    cr_expect_eq(order_of(d, small(10), "double b", real(0.1)), 0);
    cr_expect_eq(order_of(d, small(10), "float b", (lam_value){.float32 = 0.1f}), 0);
    cr_expect_eq(order_of("float a", (lam_value){.float32 = 0.1f}, "double b", real(0.1)), 1);
    cr_expect_eq(order_of(d, small(-10), "double b", real(-0.1)), 0);
    cr_expect_eq(order_of(d, small(0), "double b", real(-0.0)), 0);
    cr_expect_eq(
        order_of(d, small(10), "fixed_len_byte_array(2) b (FLOAT16)", bytes("\x66\x2E", 2)),
        0); /* 0.1 in half precision */
    cr_expect_eq(
        order_of(d38, bytes(most, 16), "fixed_len_byte_array(2) b (FLOAT16)", bytes("\xFF\x7B", 2)),
        1);
    cr_expect_eq(
        order_of(d38, bytes(most, 16), "fixed_len_byte_array(2) b (FLOAT16)", bytes("\x00\x7C", 2)),
        -1); /* infinity */
    cr_expect_eq(order_of(d38, bytes(most, 16), "double b", real(0x1p127)), 0);
    cr_expect_eq(order_of(d, small(1), "double b", real((double)NAN)), -1);
}

Test(filter_peer_compare, times_of_any_units_compare) {
    const char *ms = "int64 a (TIMESTAMP(MILLIS,false))", *ns = "int64 b (TIMESTAMP(NANOS,false))";
    cr_expect_eq(order_of(ms, whole(1), ns, whole(1000000)), 0);
    cr_expect_eq(order_of(ms, whole(-1), ns, whole(-1000001)), 1);
    cr_expect_eq(order_of(ms, whole(INT64_MAX), ns, whole(INT64_MAX)), 1);
    cr_expect_eq(order_of(ms, whole(INT64_MIN), ns, whole(INT64_MIN)), -1);
    cr_expect_eq(order_of("int32 a (DATE)", small(1), ns, whole(INT64_C(86400000000000))), 0);
    cr_expect_eq(order_of("int32 a (DATE)", small(INT32_MIN), ns, whole(INT64_MIN)), -1);
    cr_expect_eq(
        order_of("int32 a (DATE)", small(0), "int64 b (TIMESTAMP(MICROS,true))", whole(-1)), 1);
    cr_expect_eq(order_of("int96 a", bytes("\1\0\0\0\0\0\0\0\x8C\x3D\x25\0", 12), ns, whole(1)), 0);
    cr_expect_eq(order_of("int96 a", bytes("\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x8C\x3D\x25\0", 12),
                          ns, whole(-1)),
                 0);
    cr_expect_eq(order_of("int96 a", bytes("\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x8C\x3D\x25\0", 12),
                          "int96 b", bytes("\xFF\xFF\x4E\x91\x94\x4E\0\0\x8B\x3D\x25\0", 12)),
                 0);
    cr_expect_eq(order_of("int96 a", bytes("\0\0\0\0\0\0\0\0\x8D\x3D\x25\0", 12), "int32 b (DATE)",
                          small(1)),
                 0);
    cr_expect_eq(order_of("int32 a (TIME(MILLIS,true))", small(5), "int64 b (TIME(NANOS,false))",
                          whole(5000000)),
                 0);
    cr_expect_eq(order_of("binary a (STRING)", bytes("ab", 2), "binary b", bytes("abc", 3)), -1);
}

/* A file may have a decimal without bytes, which is 0. */
Test(filter_peer_compare, a_decimal_without_bytes_is_zero) {
    static const char text[] = "required binary a (DECIMAL(9,2)); required int64 b;";
    static const uint8_t none[1], zero[8], one[8] = {1};
    lam_filter_builder *builder;
    lam_filter *filter;
    lam_schema *schema = lam_test_parse(text);
    cr_assert_eq(lam_filter_builder_create(schema, NULL, &builder, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_filter_builder_compare_fields(builder, "a", LAM_FILTER_LESS, "b", NULL),
                 LAM_STATUS_OK);
    cr_assert_eq(lam_filter_builder_finish(builder, &filter, NULL), LAM_STATUS_OK);
    const lam_bytes nothing = {none, 0};
    cr_expect_eq(lam_peer_compare(&filter->tests[0], nothing, (lam_bytes){zero, 8}), 0);
    cr_expect_lt(lam_peer_compare(&filter->tests[0], nothing, (lam_bytes){one, 8}), 0);
    lam_filter_destroy(filter);
    lam_filter_builder_destroy(builder);
    lam_schema_destroy(schema);
}
