/* SPDX-License-Identifier: Apache-2.0 */
/* When two VARIANT values are equal, whatever their bytes. */
#include "variant_help.h"

static bool equal(const char *metadata_a, const char *a, const char *metadata_b, const char *b) {
    lam_variant x = hex_variant(metadata_a, a), y = hex_variant(metadata_b, b);
    bool result = lam_variant_equals(x, y);
    cr_expect_eq(lam_variant_equals(y, x), result, "%s and %s", a, b);
    free_variant(x);
    free_variant(y);
    return result;
}

static bool same(const char *a, const char *b) {
    return equal("010000", a, "010000", b);
}

Test(variant_equals, the_samples_equal_themselves_and_nothing_else) {
    if (!samples_are_here())
        cr_skip_test("no samples");
    for (size_t i = 0; i < SAMPLE_COUNT; i++)
        for (size_t j = 0; j < SAMPLE_COUNT; j++) {
            lam_variant a = sample(sample_names[i]), b = sample(sample_names[j]);
            cr_expect_eq(lam_variant_equals(a, b), i == j, "%s and %s", sample_names[i],
                         sample_names[j]);
            free_variant(a);
            free_variant(b);
        }
}

Test(variant_equals, exact_numbers_are_equal_by_value) {
    cr_expect(same("0C05", "10 0500"));
    cr_expect(same("0C05", "18 0500000000000000"));
    cr_expect(same("0C01", "28 02 64000000000000000000000000000000")); /* 1.00 */
    cr_expect(same("20 01 0A000000", "24 02 6400000000000000"));       /* 1.0 and 1.00 */
    cr_expect(same("0CFF", "20 03 18FCFFFF"));                         /* -1 and -1.000 */
    cr_expect_not(same("0C05", "0C06"));
    cr_expect_not(same("0C05", "0CFB"));
    cr_expect_not(same("20 01 0B000000", "24 02 6400000000000000"));
    cr_expect(same("20 05 00000000", "0C00"));
    cr_expect_not(same("0C01", "1C 000000000000F03F")); /* 1 and 1.0 as a double */
    /* 1 and 2^64 + 1 */
    cr_expect_not(same("0C01", "28 00 01000000000000000100000000000000"));
}

Test(variant_equals, floats_are_equal_bit_for_bit) {
    cr_expect(same("1C 000000000000F87F", "1C 000000000000F87F")); /* NaN */
    cr_expect_not(same("1C 0000000000000000", "1C 0000000000000080"));
    cr_expect_not(same("38 0000803F", "1C 000000000000F03F"));
}

Test(variant_equals, strings_are_equal_whatever_their_form) {
    cr_expect(same("0D 616263", "40 03000000 616263"));
    cr_expect_not(same("0D 616263", "3C 03000000 616263"));
    cr_expect_not(same("0D 616263", "0D 616264"));
    cr_expect_not(same("0D 616263", "09 6162"));
    cr_expect(same("01", "40 00000000"));
}

Test(variant_equals, timestamps_are_equal_whatever_their_unit) {
    cr_expect(same("30 0500000000000000", "48 8813000000000000"));
    cr_expect_not(same("30 0500000000000000", "48 8913000000000000"));
    cr_expect_not(same("30 0600000000000000", "48 8813000000000000"));
    cr_expect_not(same("30 0500000000000000", "34 0500000000000000"));
    cr_expect_not(same("30 0500000000000000", "4C 8813000000000000"));
    cr_expect(same("34 FFFFFFFFFFFFFFFF", "4C 18FCFFFFFFFFFFFF"));
}

Test(variant_equals, objects_are_equal_by_names) {
    /* {"a": 1, "b": 2} with other ids, widths and places of the values */
    cr_expect(equal("11 02 00 01 02 61 62", "02 02 00 01 00 02 04 0C01 0C02",
                    "01 02 00 01 02 62 61", "42 02000000 01 00 02 00 04 0C02 0C01"));
    cr_expect_not(
        equal("11 01 00 01 61", "02 01 00 00 01 00", "11 01 00 01 62", "02 01 00 00 01 00"));
    cr_expect_not(equal("11 01 00 01 61", "02 01 00 00 01 00", "11 01 00 01 61", "02 00 00"));
    cr_expect_not(same("02 00 00", "03 00 00"));
    cr_expect(same("02 00 00", "42 00000000 00"));
}

Test(variant_equals, arrays_are_equal_element_by_element) {
    cr_expect(same("03 02 00 02 03 0C01 00", "17 02000000 0000 0300 0400 100100 00"));
    cr_expect_not(same("03 02 00 02 03 0C01 00", "03 02 00 01 03 00 0C01"));
    cr_expect_not(same("03 01 00 01 00", "03 02 00 01 02 00 00"));
    cr_expect(same("03 02 00 03 06 030000 030000", "03 02 00 03 06 030000 030000"));
    cr_expect_not(same("03 02 00 03 06 030000 030000", "03 02 00 03 06 030000 020000"));
}

Test(variant_equals, what_is_not_well_formed_equals_nothing) {
    cr_expect_not(same("", ""));
    cr_expect_not(same("0C", "0C"));
    cr_expect_not(same("54", "54"));
    cr_expect_not(same("0C05", "0C"));
    cr_expect_not(same("04", "1C 00"));
    cr_expect_not(same("030000", "03"));
    cr_expect_not(same("03 01 00 01 00", "03 01 01 01 00"));
    cr_expect_not(equal("11 01 00 01 61", "02 01 00 00 01 00", "010000", "02 01 00 00 01 00"));
    cr_expect_not(same("03 01 01 01 00", "03 01 01 01 00"));
    cr_expect_not(same("02 01 00 00 01 00", "02 01 00 00 01 00"));
}

/* Elements that shared their bytes were walked once for each path to them, 2^60 times here. */
Test(variant_equals, elements_that_share_bytes_end_the_walk, .timeout = 20) {
    enum { DEPTH = 60, HEAD = 8 };
    uint8_t bytes[DEPTH * HEAD + 1] = {0};
    for (size_t i = 0; i < DEPTH; i++) {
        size_t behind = (DEPTH - 1 - i) * HEAD + 1;
        const uint8_t head[HEAD] = {7, 2, 0, 0, 0, 0, (uint8_t)behind, (uint8_t)(behind >> 8)};
        memcpy(bytes + i * HEAD, head, HEAD);
    }
    lam_variant a = {hex_bytes("010000"), {bytes, sizeof bytes}};
    cr_expect_neq(lam_variant_validate(a, 0, NULL), LAM_STATUS_OK);
    cr_expect_not(lam_variant_equals(a, a));
    free((void *)(uintptr_t)a.metadata.data);
}
