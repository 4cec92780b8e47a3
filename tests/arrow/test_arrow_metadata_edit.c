/* SPDX-License-Identifier: Apache-2.0 */
/* Pairs of a field's metadata are replaced, added and removed, compared by their bytes. */
#include "arrow/field/arrow_metadata_edit.h"

#include <criterion/criterion.h>

#include "arrow_text.h"

/* The metadata of a field as text; static. */
static const char *shown(const lam_arrow_metadata *metadata) {
    static char text[256];
    arrow_printer out = {NULL, 0};
    put_text(&out, "");
    put_metadata(&out, metadata);
    snprintf(text, sizeof text, "%s", out.text);
    free(out.text);
    return text;
}

Test(arrow_metadata_edit, a_pair_is_replaced_in_its_place_or_added_at_the_end) {
    lam_arena arena = arrow_arena();
    lam_arrow_metadata metadata = {0, NULL};
    cr_assert_eq(lam_arrow_metadata_set(&arena, &metadata, "a", lam_arrow_text("1"), NULL), 0);
    cr_assert_eq(lam_arrow_metadata_set(&arena, &metadata, "b", lam_arrow_text("2"), NULL), 0);
    cr_assert_str_eq(shown(&metadata), "`a=1``b=2`");
    lam_arrow_metadata before = metadata;
    cr_assert_eq(lam_arrow_metadata_set(&arena, &metadata, "a", lam_arrow_text(""), NULL), 0);
    cr_assert_str_eq(shown(&metadata), "`a=``b=2`");
    cr_assert_str_eq(shown(&before), "`a=1``b=2`");
    lam_arena_finish(&arena);
}

Test(arrow_metadata_edit, all_pairs_of_a_key_go) {
    lam_arena arena = arrow_arena();
    const lam_arrow_key_value key_values[] = {{lam_arrow_text("a"), lam_arrow_text("1")},
                                              {lam_arrow_text("b"), lam_arrow_text("2")},
                                              {lam_arrow_text("a"), lam_arrow_text("3")},
                                              {lam_arrow_text("c"), lam_arrow_text("4")}};
    lam_arrow_metadata metadata = {4, key_values};
    cr_assert_eq(lam_arrow_metadata_set(&arena, &metadata, "a", lam_arrow_text("x"), NULL), 0);
    cr_assert_str_eq(shown(&metadata), "`a=x``b=2``c=4`");
    metadata = (lam_arrow_metadata){4, key_values};
    cr_assert_eq(lam_arrow_metadata_drop(&arena, &metadata, "a", NULL), 0);
    cr_assert_str_eq(shown(&metadata), "`b=2``c=4`");
    cr_assert_eq(lam_arrow_metadata_drop(&arena, &metadata, "", NULL), 0);
    cr_assert_str_eq(shown(&metadata), "`b=2``c=4`");
    lam_arena_finish(&arena);
}

Test(arrow_metadata_edit, bytes_are_compared_with_text) {
    cr_assert(lam_arrow_bytes_equal(lam_arrow_text("abc"), "abc"));
    cr_assert(lam_arrow_bytes_equal((lam_bytes){NULL, 0}, ""));
    cr_assert_not(lam_arrow_bytes_equal(lam_arrow_text("abc"), "ab"));
    cr_assert_not(lam_arrow_bytes_equal(lam_arrow_text("abc"), "abd"));
    cr_assert_not(lam_arrow_bytes_equal((lam_bytes){(const uint8_t *)"a\0", 2}, "a"));
}
