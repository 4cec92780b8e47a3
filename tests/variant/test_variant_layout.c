/* SPDX-License-Identifier: Apache-2.0 */
/* Widths, sizes and numbers of the VARIANT encoding, to 4 GiB. */
#include "variant/value/variant_layout.h"

#include "variant_help.h"

Test(variant_layout, a_width_is_the_fewest_bytes_of_a_number) {
    cr_expect_eq(lam_variant_width(0), 1);
    cr_expect_eq(lam_variant_width(0xFF), 1);
    cr_expect_eq(lam_variant_width(0x100), 2);
    cr_expect_eq(lam_variant_width(0xFFFF), 2);
    cr_expect_eq(lam_variant_width(0x10000), 3);
    cr_expect_eq(lam_variant_width(0xFFFFFF), 3);
    cr_expect_eq(lam_variant_width(0x1000000), 4);
    cr_expect_eq(lam_variant_width(UINT32_MAX), 4);
}

Test(variant_layout, numbers_of_all_widths_are_little_endian) {
    static const uint8_t bytes[] = {1, 2, 3, 4, 5, 6, 7, 8};
    cr_expect_eq(lam_variant_number(bytes, 1, 1), 2);
    cr_expect_eq(lam_variant_number(bytes, 1, 2), 0x0403);
    cr_expect_eq(lam_variant_number(bytes, 1, 3), 0x060504);
    cr_expect_eq(lam_variant_number(bytes, 1, 4), 0x08070605);
}

Test(variant_layout, sizes_of_all_types_are_those_of_the_format) {
    static const size_t sizes[] = {1, 1, 1, 2, 3, 5, 9, 9, 6, 10, 18,
                                   5, 9, 9, 5, 5, 5, 9, 9, 9, 17};
    for (unsigned type = 0; type < LAM_VARIANT_TYPE_COUNT; type++) {
        uint8_t bytes[32] = {(uint8_t)(type << 2)};
        lam_bytes value = {bytes, sizeof bytes};
        size_t size;
        cr_assert_null(lam_variant_measure(value, &size));
        cr_expect_eq(size, sizes[type], "type %u", type);
        value.size = sizes[type] - 1;
        cr_expect_not_null(lam_variant_measure(value, &size), "type %u", type);
    }
}

Test(variant_layout, a_value_near_4_gib_does_not_overflow) {
    lam_bytes value = hex_bytes("40 FFFFFFFF");
    size_t size;
    cr_expect_str_eq(lam_variant_measure(value, &size), "a value ends early");
    free((void *)(uintptr_t)value.data);
    value = hex_bytes("7E FFFFFFFF");
    cr_expect_str_eq(lam_variant_measure(value, &size), "a value ends early");
    free((void *)(uintptr_t)value.data);
}

Test(variant_layout, names_are_compared_as_unsigned_bytes) {
    lam_bytes a = {(const uint8_t *)"a", 1}, ab = {(const uint8_t *)"ab", 2};
    lam_bytes high = {(const uint8_t *)"\xC3\xA9", 2}, none = {NULL, 0};
    cr_expect_lt(lam_variant_compare_names(a, ab), 0);
    cr_expect_gt(lam_variant_compare_names(high, ab), 0);
    cr_expect_lt(lam_variant_compare_names(none, a), 0);
    cr_expect_eq(lam_variant_compare_names(ab, ab), 0);
    cr_expect_eq(lam_variant_compare_names(none, none), 0);
}
