/* SPDX-License-Identifier: Apache-2.0 */
/* Names of kinds. */
#include <criterion/criterion.h>
#include <lamella/byte_map.h>
#include <string.h>

TestSuite(byte_kind);

Test(byte_kind, every_kind_has_a_name_of_its_own) {
    const char *names[LAM_BYTE_VARIANT_NAME + 1];
    size_t count = 0;
    for (int kind = 0; kind <= LAM_BYTE_VARIANT_NAME; kind++) {
        const char *name = lam_byte_kind_name((lam_byte_kind)kind);
        if (kind != LAM_BYTE_UNKNOWN && strcmp(name, "unknown") == 0)
            continue; /* a number between two groups of kinds */
        for (size_t i = 0; i < count; i++)
            cr_assert_str_neq(names[i], name);
        names[count++] = name;
    }
    cr_assert_eq(count, 58, "%zu", count);
}

Test(byte_kind, other_numbers_are_unknown) {
    cr_assert_str_eq(lam_byte_kind_name((lam_byte_kind)-1), "unknown");
    cr_assert_str_eq(lam_byte_kind_name((lam_byte_kind)(LAM_BYTE_VARIANT_NAME + 1)), "unknown");
    cr_assert_str_eq(lam_byte_kind_name((lam_byte_kind)15), "unknown");
}
