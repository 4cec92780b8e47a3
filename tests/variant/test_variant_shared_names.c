/* SPDX-License-Identifier: Apache-2.0 */
/* Names that values of one batch share are sorted behind those that were there before. */
#include "variant/value/variant_shared_names.h"

#include "variant_help.h"

#define OK(call) cr_assert_eq((call), LAM_STATUS_OK, "%s", #call)

static void expect_metadata(lam_variant_names *names, const char *hex) {
    lam_bytes metadata, expected = hex_bytes(hex);
    OK(lam_variant_names_metadata(names, &metadata, NULL));
    cr_assert_eq(metadata.size, expected.size);
    cr_expect_arr_eq(metadata.data, expected.data, expected.size);
    free((void *)(uintptr_t)expected.data);
}

static void add(lam_variant_names *names, const char *name) {
    OK(lam_variant_names_add(names, name, strlen(name), NULL));
}

Test(variant_shared_names, the_names_of_a_batch_are_sorted_and_stand_behind_those_before) {
    lam_variant_names *names;
    OK(lam_variant_names_create(NULL, &names, NULL));
    expect_metadata(names, "01 00 00");
    add(names, "b");
    add(names, "a");
    add(names, "b");
    expect_metadata(names, "11 02 00 01 02 61 62");
    add(names, "d");
    add(names, "c");
    expect_metadata(names, "11 04 00 01 02 03 04 61 62 63 64");
    add(names, "B");
    add(names, "e");
    expect_metadata(names, "01 06 00 01 02 03 04 05 06 61 62 63 64 42 65");
    add(names, "f");
    expect_metadata(names, "01 07 00 01 02 03 04 05 06 07 61 62 63 64 42 65 66");
    lam_variant_names_destroy(names);
}

Test(variant_shared_names, ids_stay_when_names_grow_in_number) {
    lam_variant_names *names;
    char name[16];
    OK(lam_variant_names_create(NULL, &names, NULL));
    for (unsigned i = 0; i < 1000; i++) {
        snprintf(name, sizeof name, "%u", i * 7 % 1000);
        add(names, name);
        if (i % 100 == 99)
            OK(lam_variant_names_fix(names, NULL));
        if (i == 99)
            cr_expect_eq(names->ids[0], 0); /* "0" of the first batch */
    }
    cr_expect_eq(names->ids[0], 0);
    for (unsigned i = 0; i < 1000; i++)
        cr_expect_eq(names->ids[names->numbers[i]], i);
    lam_variant_names_destroy(names);
    lam_variant_names_destroy(NULL);
}
