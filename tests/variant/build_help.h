/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of the builder of values share: builders, and values that are compared. */
#ifndef LAM_TESTS_BUILD_HELP_H
#define LAM_TESTS_BUILD_HELP_H

#include "told_value.h"
#include "variant_help.h"

#define OK(call) cr_assert_eq((call), LAM_STATUS_OK, "%s", #call)

static inline lam_variant_builder *new_builder(bool last_wins) {
    lam_variant_builder_options options = lam_variant_builder_options_default();
    lam_variant_builder *builder;
    options.last_wins = last_wins;
    OK(lam_variant_builder_create(&options, NULL, &builder, NULL));
    return builder;
}

static inline void expect_hex(lam_variant variant, const char *metadata, const char *value) {
    lam_variant expected = hex_variant(metadata, value);
    char found[2][512];
    const lam_bytes runs[] = {variant.metadata, variant.value};
    for (size_t i = 0; i < 2; i++)
        for (size_t k = 0; k < runs[i].size && k < 200; k++)
            snprintf(found[i] + 2 * k, 3, "%02X", runs[i].data[k]);
    cr_assert_eq(variant.metadata.size, expected.metadata.size, "%s", found[0]);
    cr_assert_eq(variant.value.size, expected.value.size, "%s", found[1]);
    cr_expect_arr_eq(variant.metadata.data, expected.metadata.data, variant.metadata.size, "%s",
                     found[0]);
    cr_expect_arr_eq(variant.value.data, expected.value.data, variant.value.size, "%s", found[1]);
    cr_expect_eq(lam_variant_validate(variant, 0, NULL), LAM_STATUS_OK);
    free_variant(expected);
}

/* The bytes that the value of a text (told_value.h) is built as. */
static inline void expect_built(lam_variant_builder *builder, const char *text,
                                const char *metadata, const char *value) {
    lam_variant variant;
    put_value(builder, text);
    OK(lam_variant_builder_finish(builder, &variant, NULL));
    expect_hex(variant, metadata, value);
}

static inline void tell_field(lam_variant_builder *builder, const char *name, int64_t number) {
    OK(lam_variant_builder_field(builder, name, strlen(name), NULL));
    OK(lam_variant_builder_put_integer(builder, number, NULL));
}

#endif
