/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decimals of every physical type and length become Arrow decimals of every width; digits beyond
 * the precision are corrupt.
 */
#include "arrow/read/leaf_decimal.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "support/host_order.h"
#include "support/random.h"
#include "support/test_file.h"

static lam_leaf_conversion conversion_of(const char *leaf, int32_t bits, int32_t precision) {
    char text[100];
    lam_leaf_conversion conversion;
    lam_arrow_type type = {.kind = LAM_ARROW_DECIMAL, .bit_width = bits, .precision = precision};
    snprintf(text, sizeof text, "message m { required %s; }", leaf);
    lam_schema *schema = lam_test_parse(text);
    cr_assert_eq(lam_leaf_conversion_init(&conversion, lam_kernels_get(),
                                          lam_schema_leaf(schema, 0), &type, NULL),
                 LAM_STATUS_OK, "%s", leaf);
    lam_schema_destroy(schema);
    cr_assert_eq(conversion.slot_size, (size_t)bits / 8);
    return conversion;
}

static lam_status convert(const lam_leaf_conversion *conversion, const void *elements, size_t count,
                          void *slots) {
    return conversion->convert(conversion, elements, count, slots, NULL);
}

/* A number of up to 64 bits in the lowest bytes, its sign in all above. */
static void expect_number(const uint8_t *slot, size_t size, int64_t number) {
    for (size_t i = 0; i < size; i++) {
        int64_t byte = i < 8 ? number >> 8 * i : number >> 63;
        cr_assert_eq(slot[lam_test_byte_place(size, i)], (uint8_t)byte);
    }
}

/* The same number, the highest byte first. */
static void put_number(uint8_t *bytes, size_t size, int64_t number) {
    for (size_t i = 0; i < size; i++) {
        size_t place = size - 1 - i;
        bytes[place] = (uint8_t)(i < 8 ? number >> 8 * i : number >> 63);
    }
}

Test(leaf_decimal, numbers_of_every_form_become_decimals_of_every_width) {
    static const int32_t widths[] = {32, 64, 128, 256}, digits[] = {9, 18, 38, 76};
    static const int64_t numbers[] = {0,    1,   -1,   123456, -123456,   127,
                                      -128, 128, -129, 32767,  999999999, -999999999};
    for (size_t w = 0; w < 4; w++) {
        for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
            int64_t number = numbers[i];
            int32_t narrow = (int32_t)number;
            uint8_t slot[32];
            lam_leaf_conversion c = conversion_of("int32 a", widths[w], digits[w]);
            cr_assert_eq(convert(&c, &narrow, 1, slot), LAM_STATUS_OK);
            expect_number(slot, c.slot_size, number);
            c = conversion_of("int64 a", widths[w], digits[w]);
            cr_assert_eq(convert(&c, &number, 1, slot), LAM_STATUS_OK);
            expect_number(slot, c.slot_size, number);
            for (size_t size = 4; size <= 40; size++) {
                char leaf[30];
                uint8_t bytes[80];
                snprintf(leaf, sizeof leaf, "fixed(%zu) a", size);
                put_number(bytes, size, number);
                put_number(bytes + size, size, -number);
                uint8_t slots[64];
                c = conversion_of(leaf, widths[w], digits[w]);
                cr_assert_eq(convert(&c, bytes, 2, slots), LAM_STATUS_OK, "%s", leaf);
                expect_number(slots, c.slot_size, number);
                expect_number(slots + c.slot_size, c.slot_size, -number);
                lam_bytes element = {bytes, size};
                c = conversion_of("binary a", widths[w], digits[w]);
                cr_assert_eq(convert(&c, &element, 1, slot), LAM_STATUS_OK);
                expect_number(slot, c.slot_size, number);
            }
        }
    }
}

Test(leaf_decimal, short_bytes_have_the_sign_of_their_first_one) {
    lam_leaf_conversion c = conversion_of("binary a", 128, 20);
    static const uint8_t bytes[] = {0xFE, 0x0C};
    lam_bytes elements[] = {{bytes, 0}, {NULL, 0}, {bytes, 1}, {bytes, 2}, {bytes + 1, 1}};
    static const int64_t numbers[] = {0, 0, -2, -500, 12};
    uint8_t slots[5 * 16];
    cr_assert_eq(convert(&c, elements, 5, slots), LAM_STATUS_OK);
    for (size_t i = 0; i < 5; i++)
        expect_number(slots + i * 16, 16, numbers[i]);
}

/* 10 to the power of `digits`, less 1, or itself; the lowest byte first. */
static void power(int digits, bool less_1, uint8_t *number) {
    memset(number, 0, 33);
    number[0] = 1;
    for (int d = 0; d < digits; d++) {
        unsigned carry = 0;
        for (size_t i = 0; i < 33; i++) {
            carry += number[i] * 10u;
            number[i] = (uint8_t)carry;
            carry >>= 8;
        }
    }
    for (size_t i = 0; less_1 && i < 33; i++)
        if (number[i]-- != 0)
            break;
}

static void negate(uint8_t *number) {
    unsigned carry = 1;
    for (size_t i = 0; i < 33; i++) {
        carry += (uint8_t)~number[i];
        number[i] = (uint8_t)carry;
        carry >>= 8;
    }
}

/*
 * The limits of a precision, in numbers of `size` bytes, of fixed size or not, by the loop that
 * this size has.
 */
static void expect_limits(int digits, size_t width, size_t size, bool is_fixed) {
    char leaf[30];
    snprintf(leaf, sizeof leaf, "fixed(%zu) a", size);
    lam_leaf_conversion c = conversion_of(is_fixed ? leaf : "binary a", (int32_t)width, digits);
    for (int way = 0; way < 4; way++) {
        bool negative = way % 2 != 0, too_many = way / 2 != 0;
        /* Three numbers, of which the second is at the limit. */
        uint8_t number[33], bytes[3 * 33] = {0}, slots[3 * 32];
        power(digits, !too_many, number);
        if (negative)
            negate(number);
        for (size_t i = 0; i < size; i++)
            bytes[size + i] = number[size - 1 - i];
        lam_bytes elements[] = {{bytes, size}, {bytes + size, size}, {bytes + 2 * size, size}};
        cr_assert_eq(convert(&c, is_fixed ? (const void *)bytes : elements, 3, slots),
                     too_many ? LAM_STATUS_CORRUPT : LAM_STATUS_OK, "%d digits in %zu bytes",
                     digits, size);
        for (size_t i = 0; !too_many && i < width / 8; i++)
            cr_assert_eq(slots[width / 8 + lam_test_byte_place(width / 8, i)], number[i]);
    }
}

Test(leaf_decimal, a_number_of_more_digits_than_the_precision_is_corrupt) {
    for (int digits = 1; digits <= 76; digits++) {
        size_t width = digits <= 9 ? 32 : digits <= 18 ? 64 : digits <= 38 ? 128 : 256;
        for (size_t size = width / 8; size <= 33; size++)
            for (int is_fixed = 0; is_fixed < 2; is_fixed++)
                expect_limits(digits, width, size, is_fixed != 0);
        /* Slots may be wider than the number needs. */
        expect_limits(digits, 256, width / 8, true);
        expect_limits(digits, 256, width / 8, false);
    }
}

/* 10^18 - 1 < 2^63 - 1 < 10^19 - 1 < 2^64 - 1 */
Test(leaf_decimal, precisions_of_19_digits_and_more_hold_all_64_bits) {
    static const int64_t numbers[] = {INT64_MIN, -1, INT64_MAX}, least = INT64_MIN;
    static const int32_t narrow[] = {INT32_MIN, INT32_MAX};
    for (int32_t digits = 18; digits <= 21; digits++) {
        lam_status expected = digits == 18 ? LAM_STATUS_CORRUPT : LAM_STATUS_OK;
        uint8_t slots[3 * 16], bytes[8];
        lam_leaf_conversion c = conversion_of("int64 a", 128, digits);
        cr_assert_eq(convert(&c, numbers, 3, slots), expected, "%d digits", (int)digits);
        for (size_t i = 0; digits > 18 && i < 3; i++)
            expect_number(slots + i * 16, 16, numbers[i]);
        put_number(bytes, 8, least);
        lam_bytes element = {bytes, 8};
        c = conversion_of("binary a", 128, digits);
        cr_assert_eq(convert(&c, &element, 1, slots), expected, "%d digits", (int)digits);
        c = conversion_of("int32 a", 128, digits);
        cr_assert_eq(convert(&c, narrow, 2, slots), LAM_STATUS_OK);
        expect_number(slots, 16, INT32_MIN);
    }
}

Test(leaf_decimal, what_does_not_even_fit_256_bits_is_corrupt) {
    lam_leaf_conversion c = conversion_of("fixed(40) a", 256, 76);
    uint8_t bytes[40] = {0}, slot[32];
    bytes[8] = 0x80; /* 2 to the power of 255, and not its negative */
    cr_assert_eq(convert(&c, bytes, 1, slot), LAM_STATUS_CORRUPT);
    bytes[8] = 0;
    bytes[7] = 1;
    cr_assert_eq(convert(&c, bytes, 1, slot), LAM_STATUS_CORRUPT);
    memset(bytes, 0xFF, 40);
    cr_assert_eq(convert(&c, bytes, 1, slot), LAM_STATUS_OK);
    expect_number(slot, 32, -1);
    bytes[0] = 0xFE;
    cr_assert_eq(convert(&c, bytes, 1, slot), LAM_STATUS_CORRUPT);
    lam_bytes element = {bytes, sizeof bytes};
    c = conversion_of("binary a", 256, 76);
    cr_assert_eq(convert(&c, &element, 1, slot), LAM_STATUS_CORRUPT);
    bytes[0] = 0xFF;
    cr_assert_eq(convert(&c, &element, 1, slot), LAM_STATUS_OK);
    expect_number(slot, 32, -1);
}

Test(leaf_decimal, more_digits_than_the_width_can_hold_are_unsupported) {
    static const int32_t widths[] = {32, 64, 128, 256}, digits[] = {9, 18, 38, 76};
    const char *text = "message m { required int32 a; required float b; }";
    lam_schema *schema = lam_test_parse(text);
    for (size_t i = 0; i < 4; i++) {
        lam_leaf_conversion c;
        lam_arrow_type type = {.kind = LAM_ARROW_DECIMAL, .bit_width = widths[i]};
        for (size_t at = 0; at < 2; at++) {
            type.precision = at == 0 ? digits[i] + 1 : 0;
            cr_assert_eq(lam_leaf_conversion_init(&c, lam_kernels_get(), lam_schema_leaf(schema, 0),
                                                  &type, NULL),
                         LAM_STATUS_UNSUPPORTED);
        }
        type.precision = digits[i];
        cr_assert_eq(lam_leaf_conversion_init(&c, lam_kernels_get(), lam_schema_leaf(schema, 1),
                                              &type, NULL),
                     LAM_STATUS_UNSUPPORTED);
    }
    lam_schema_destroy(schema);
}
