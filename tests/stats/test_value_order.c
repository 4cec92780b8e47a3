/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The order of values of every type as the format has it, and minimum and maximum of runs against
 * comparing one by one.
 */
#include "stats/value_order.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "base/bytes.h"
#include "meta/metadata.h"
#include "schema/tree.h"
#include "support/random.h"
#include "support/test_file.h"

/* The order of a field given as message text. */
static lam_value_order order_of(const char *field, int32_t column_order) {
    lam_schema *schema = lam_test_parse(field);
    lam_value_order order = lam_value_order_of(lam_schema_leaf(schema, 0), column_order);
    lam_schema_destroy(schema);
    return order;
}

static lam_value_order signed_order_of(const char *field) {
    lam_schema *schema = lam_test_parse(field);
    lam_value_order order = lam_value_order_signed(lam_schema_leaf(schema, 0));
    lam_schema_destroy(schema);
    return order;
}

enum {
    TYPE_ORDER = LAM_META_COLUMN_ORDER_TYPE,
    TOTAL = LAM_META_COLUMN_ORDER_IEEE_754_TOTAL,
    INT96_ORDER = LAM_META_COLUMN_ORDER_INT96_TIMESTAMP
};

static lam_bytes bytes_of(const char *hex, uint8_t *out) {
    size_t size = strlen(hex) / 2;
    for (size_t i = 0; i < size; i++) {
        unsigned byte = 0;
        for (int digit = 0; digit < 2; digit++) {
            char c = hex[2 * i + (size_t)digit];
            byte = byte << 4 | (unsigned)(c <= '9' ? c - '0' : c - 'a' + 10);
        }
        out[i] = (uint8_t)byte;
    }
    return (lam_bytes){out, size};
}

/* Each value, as bytes in hexadecimal, comes before the next. */
static void expect_rising(lam_value_order order, const char *const *values, size_t count) {
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < count; k++) {
            uint8_t a[16], b[16];
            int found = lam_value_compare(&order, bytes_of(values[i], a), bytes_of(values[k], b));
            int expected = i < k ? -1 : i > k;
            cr_assert_eq((found > 0) - (found < 0), expected, "%s and %s", values[i], values[k]);
        }
    }
}

#define RISING(ORDER, ...)                                                                         \
    do {                                                                                           \
        const char *const values[] = {__VA_ARGS__};                                                \
        expect_rising(ORDER, values, sizeof values / sizeof values[0]);                            \
    } while (0)

Test(value_order, equal_values_have_other_bytes_in_floats_and_padded_decimals_only) {
    static const struct {
        const char *field;
        int32_t column_order;
        bool one_form;
    } cases[] = {
        {"required int32 a;", TYPE_ORDER, true},
        {"required binary a (STRING);", TYPE_ORDER, true},
        {"required double a;", TYPE_ORDER, false},
        {"required double a;", TOTAL, true},
        {"required fixed_len_byte_array(2) a (FLOAT16);", TYPE_ORDER, false},
        {"required binary a (DECIMAL(9, 2));", TYPE_ORDER, false},
        {"required fixed_len_byte_array(4) a (DECIMAL(9, 2));", TYPE_ORDER, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        lam_value_order order = order_of(cases[i].field, cases[i].column_order);
        cr_expect_eq(lam_value_order_has_one_form(&order), cases[i].one_form, "%s", cases[i].field);
    }
}

Test(value_order, numbers_have_the_sign_of_their_type) {
    RISING(order_of("required int32 a;", TYPE_ORDER), "00000080", "ffffffff", "00000000",
           "ffffff7f");
    RISING(order_of("required uint32 a;", TYPE_ORDER), "00000000", "ffffff7f", "00000080",
           "ffffffff");
    RISING(order_of("required int32 a (INTEGER(16,true));", TYPE_ORDER), "0080ffff", "ffffffff",
           "00000000", "ff7f0000");
    RISING(order_of("required int32 a (DATE);", TYPE_ORDER), "00000080", "ffffffff", "01000000");
    RISING(order_of("required int64 a;", TYPE_ORDER), "0000000000000080", "ffffffffffffffff",
           "0000000000000000", "ffffffffffffff7f");
    RISING(order_of("required uint64 a;", TYPE_ORDER), "0000000000000000", "ffffffffffffff7f",
           "ffffffffffffffff");
    RISING(order_of("required boolean a;", TYPE_ORDER), "00", "01");
}

Test(value_order, bytes_are_unsigned_and_a_prefix_comes_first) {
    RISING(order_of("required binary a (STRING);", TYPE_ORDER), "", "00", "0000", "61", "6161",
           "62", "c3bc", "ff");
    RISING(order_of("required fixed(2) a;", TYPE_ORDER), "0000", "00ff", "7f00", "8000");
    RISING(signed_order_of("required binary a;"), "", "80", "ff", "00", "7f");
}

Test(value_order, decimals_compare_by_value_whatever_their_length) {
    RISING(order_of("required binary a (DECIMAL(9,2));", TYPE_ORDER), "80000000", "ff00", "80",
           "ff", "00", "01", "0080", "007f80");
    lam_value_order order = order_of("required binary a (DECIMAL(9,2));", TYPE_ORDER);
    uint8_t a[4], b[4];
    cr_assert_eq(lam_value_compare(&order, bytes_of("fffe", a), bytes_of("fe", b)), 0);
    cr_assert_not(lam_value_fits(&order, (lam_bytes){NULL, 0}));
    RISING(order_of("required fixed(2) a (DECIMAL(4,2));", TYPE_ORDER), "8000", "ffff", "0000",
           "7fff");
    RISING(order_of("required int32 a (DECIMAL(9,2));", TYPE_ORDER), "ffffffff", "00000000");
}

Test(value_order, floats_compare_by_value_and_zeros_are_equal) {
    lam_value_order order = order_of("required float a;", TYPE_ORDER);
    uint8_t a[4], b[4];
    RISING(order, "000080ff", "0000c0bf", "01000080", "00000000", "01000000", "0000803f",
           "0000807f");
    cr_assert_eq(lam_value_compare(&order, bytes_of("00000080", a), bytes_of("00000000", b)), 0);
    cr_assert(lam_value_is_nan(&order, bytes_of("0000c07f", a)));
    cr_assert(lam_value_is_nan(&order, bytes_of("010080ff", a)));
    cr_assert_not(lam_value_is_nan(&order, bytes_of("000080ff", a)));
    RISING(order_of("required fixed(2) a (FLOAT16);", TYPE_ORDER), "00fc", "00bc", "0000", "003c",
           "007c");
}

/* IEEE 754-2008, section 5.10: -NaN, -Infinity ... -0, +0 ... Infinity, NaN. */
Test(value_order, total_order_has_a_place_for_everything) {
    RISING(order_of("required float a;", TOTAL), "ffffffff", "0100c0ff", "0000c0ff", "000080ff",
           "000080bf", "01000080", "00000080", "00000000", "0000803f", "0000807f", "0000c07f",
           "ffffff7f");
    RISING(order_of("required fixed(2) a (FLOAT16);", TOTAL), "ffff", "00fc", "0080", "0000",
           "007c", "007e");
    RISING(order_of("required double a;", TOTAL), "ffffffffffffffff", "0000000000000080",
           "0000000000000000", "000000000000f87f");
}

Test(value_order, int96_is_a_day_and_its_nanoseconds) {
    RISING(order_of("required int96 a;", INT96_ORDER), "ffffffffffffff7fffffffff",
           "0000000000000000"
           "00000000",
           "0100000000000000"
           "00000000",
           "0000000000000000"
           "01000000");
}

Test(value_order, int96_of_rows_is_the_time_that_day_and_nanoseconds_add_up_to) {
    static const char text[] = "required int96 a;";
    lam_schema *schema = lam_test_parse(text);
    lam_value_order order = lam_value_order_of_rows(lam_schema_leaf(schema, 0), INT96_ORDER);
    RISING(order, "ffffffffffffffff00000000", "000000000000000000000000",
           "010000000000000000000000", "ffff4e91944e000000000000", "000000000000000001000000",
           "ffffffffffffff7fffffffff");
    cr_assert_eq(order.comparison, LAM_COMPARISON_INT96_TIME);
    cr_assert_not(lam_value_order_has_one_form(&order));
    order = lam_value_order_of_rows(lam_schema_leaf(schema, 0), TYPE_ORDER);
    cr_assert_eq(order.comparison, LAM_COMPARISON_UNDEFINED);
    lam_schema_destroy(schema);
}

/* LogicalTypes.md, section "TIMESTAMP": the number counts, whose bytes begin with the lowest. */
Test(value_order, timestamps_of_12_bytes_compare_as_numbers) {
    static const char *const fields[] = {"required fixed(12) a (TIMESTAMP(MILLIS,true));",
                                         "required fixed(12) a (TIMESTAMP(MICROS,false));",
                                         "required fixed(12) a (TIMESTAMP(NANOS,true));"};
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        RISING(order_of(fields[i], TYPE_ORDER), "000000000000000000000080",
               "ffffffffffffff7fffffffff", "0000000000000080ffffffff", "00000000ffffffffffffffff",
               "ffffffffffffffffffffffff", "000000000000000000000000", "010000000000000000000000",
               "ff0000000000000000000000", "000100000000000000000000", "000000800000000000000000",
               "000000000100000000000000", "ffffffffffffff7f00000000", "000000000000008000000000",
               "ffffffffffffffff00000000", "000000000000000001000000", "ffffffffffffffffffffff7f");
        RISING(signed_order_of(fields[i]), "ffffffffffffffffffffffff", "000000000000000000000000");
        cr_assert_eq(order_of(fields[i], INT96_ORDER).comparison, LAM_COMPARISON_UNDEFINED);
        cr_assert_eq(order_of(fields[i], TOTAL).comparison, LAM_COMPARISON_UNDEFINED);
    }
}

Test(value_order, what_has_no_order_has_none) {
    static const char *const fields[] = {"required int96 a;", "required fixed(12) a (INTERVAL);",
                                         "required binary a (GEOMETRY);",
                                         "required binary a (GEOGRAPHY);"};
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++)
        cr_assert_eq(order_of(fields[i], TYPE_ORDER).comparison, LAM_COMPARISON_UNDEFINED, "%s",
                     fields[i]);
    cr_assert_eq(order_of("required int32 a;", TOTAL).comparison, LAM_COMPARISON_UNDEFINED);
    cr_assert_eq(order_of("required int32 a;", INT96_ORDER).comparison, LAM_COMPARISON_UNDEFINED);
    cr_assert_eq(order_of("required int32 a;", LAM_META_UNION_EMPTY).comparison,
                 LAM_COMPARISON_UNDEFINED);
    cr_assert_eq(order_of("required int32 a;", 4).comparison, LAM_COMPARISON_UNDEFINED);
}

Test(value_order, a_value_has_the_size_of_its_type) {
    lam_value_order order = order_of("required int32 a;", TYPE_ORDER);
    uint8_t a[8];
    cr_assert(lam_value_fits(&order, bytes_of("00000000", a)));
    cr_assert_not(lam_value_fits(&order, bytes_of("0000000000", a)));
    order = order_of("required boolean a;", TYPE_ORDER);
    cr_assert(lam_value_fits(&order, bytes_of("01", a)));
    cr_assert_not(lam_value_fits(&order, bytes_of("02", a)));
    order = order_of("required binary a;", TYPE_ORDER);
    cr_assert(lam_value_fits(&order, bytes_of("", a)));
}

/* --- Scanning ------------------------------------------------------------------------------- */

static const char *const scanned[] = {"required boolean a;",
                                      "required int32 a;",
                                      "required uint32 a;",
                                      "required int64 a;",
                                      "required uint64 a;",
                                      "required float a;",
                                      "required double a;",
                                      "required fixed(2) a (FLOAT16);",
                                      "required fixed(3) a;",
                                      "required fixed(2) a (DECIMAL(3,1));",
                                      "required fixed(9) a;",
                                      "required fixed(10) a (DECIMAL(20,1));",
                                      "required fixed(12) a (TIMESTAMP(NANOS,true));"};

/* The extremes of a scan are those that comparing one by one finds. */
static void expect_scan(const lam_value_order *order, const uint8_t *values, size_t count) {
    uint8_t scratch[3][LAM_VALUE_SCRATCH];
    lam_value_extremes found = lam_value_scan(lam_kernels_get(), order, values, count);
    size_t nans = 0, min = SIZE_MAX, max = SIZE_MAX;
    for (int pass = 0; pass < 2 && min == SIZE_MAX; pass++) {
        for (size_t i = 0; i < count; i++) {
            lam_bytes value = lam_value_plain(order, values, i, scratch[0]);
            bool is_nan = lam_value_is_nan(order, value);
            nans += is_nan && pass == 0;
            if (is_nan != (pass == 1))
                continue;
            if (min == SIZE_MAX ||
                lam_value_compare(order, value, lam_value_plain(order, values, min, scratch[1])) <
                    0)
                min = i;
            if (max == SIZE_MAX ||
                lam_value_compare(order, value, lam_value_plain(order, values, max, scratch[2])) >
                    0)
                max = i;
        }
    }
    cr_assert_eq(found.nan_count, nans);
    if (nans == count && !order->is_total)
        return;
    cr_assert_eq(found.min, min);
    cr_assert_eq(found.max, max);
}

Test(value_order, a_scan_finds_what_comparing_finds) {
    lam_random random = lam_random_start(lam_test_seed(2));
    for (size_t f = 0; f < sizeof scanned / sizeof scanned[0]; f++) {
        for (int round = 0; round < 400; round++) {
            lam_value_order order = order_of(scanned[f], TYPE_ORDER);
            if (order.has_nans && round % 2)
                order.is_total = true;
            uint64_t aligned[64];
            uint8_t *values = (uint8_t *)aligned;
            for (size_t i = 0; i < 64; i++)
                aligned[i] = lam_random_next(&random);
            /* NaNs and zeros are rare among random bits. */
            for (size_t i = 0; i + 8 <= sizeof aligned; i += 1 + lam_random_below(&random, 9))
                if (lam_random_chance(&random, 50))
                    memset(values + i, lam_random_chance(&random, 50) ? 0xFF : 0, 8);
            for (size_t i = 0; order.comparison == LAM_COMPARISON_BOOLEAN && i < 512; i++)
                values[i] &= 1;
            size_t most = sizeof aligned / order.size;
            expect_scan(&order, values, 1 + (size_t)lam_random_below(&random, most));
        }
    }
}

/* Short and long ones of few different bytes, so that many begin alike and some are equal. */
Test(value_order, a_scan_of_byte_arrays_finds_what_comparing_finds) {
    static const char *const fields[] = {"required binary a;", "required binary a (DECIMAL(9,2));"};
    static const uint8_t digits[] = {0, 'a', 0x80, 0xFF};
    lam_random random = lam_random_start(lam_test_seed(3));
    for (int round = 0; round < 4000; round++) {
        lam_value_order order = order_of(fields[round % 2], TYPE_ORDER);
        uint8_t bytes[20][12];
        lam_bytes values[20];
        unsigned same = (unsigned)lam_random_below(&random, 101);
        for (size_t i = 0; i < 20; i++) {
            for (size_t j = 0; j < 12; j++)
                bytes[i][j] =
                    lam_random_chance(&random, same) ? 'a' : digits[lam_random_below(&random, 4)];
            values[i] = (lam_bytes){bytes[i], 1 + (size_t)lam_random_below(&random, 12)};
        }
        expect_scan(&order, (const uint8_t *)values, 1 + (size_t)lam_random_below(&random, 20));
    }
}

Test(value_order, byte_arrays_are_scanned) {
    lam_value_order order = order_of("required binary a;", TYPE_ORDER);
    lam_bytes values[4] = {{(const uint8_t *)"m", 1},
                           {(const uint8_t *)"aa", 2},
                           {(const uint8_t *)"z", 1},
                           {NULL, 0}};
    lam_value_extremes found = lam_value_scan(lam_kernels_get(), &order, values, 3);
    cr_assert_eq(found.min, 1);
    cr_assert_eq(found.max, 2);
    cr_assert_eq(lam_value_scan(lam_kernels_get(), &order, values, 4).min, 3);
}

Test(value_order, without_an_order_all_values_are_alike) {
    lam_value_order order = order_of("required int96 a;", TYPE_ORDER);
    uint8_t a[24];
    lam_bytes values = bytes_of("010000000000000000000000020000000000000000000000", a);
    lam_bytes first = {a, 12}, second = {a + 12, 12};
    cr_assert_eq(lam_value_compare(&order, first, second), 0);
    cr_assert_eq(lam_value_compare(&order, second, first), 0);
    lam_value_extremes found = lam_value_scan(lam_kernels_get(), &order, values.data, 2);
    cr_assert_eq(found.min, 0);
    cr_assert_eq(found.max, 0);
    cr_assert_eq(found.nan_count, 0);
}
