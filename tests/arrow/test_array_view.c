/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What an array looks like to those who read it: dictionaries without nested values, and children
 * that must be there.
 */
#include "arrow/array/array_view.h"

#include "arrow/hand_arrays.h"
#include "support/failing_alloc.h"

Test(array_view, a_dictionary_of_nested_values_has_no_view) {
    lam_arena arena = arrow_arena();
    lam_array_view *view;
    lam_error error = lam_error_none();
    const lam_arrow_field *fields = fields_of(&arena, "a?:{c}+s[x:i]");
    cr_assert_eq(lam_array_view_create(fields, &arena, &view, &error), LAM_STATUS_UNSUPPORTED);
    cr_assert_str_eq(error.message, "a: a dictionary of nested values has no Parquet form");
    lam_arena_finish(&arena);
}

Test(array_view, an_array_without_its_children_is_invalid) {
    lam_arena arena = arrow_arena();
    lam_array_view *view;
    lam_error error = lam_error_none();
    hand_array root = HAND(1, 1, NULL), column = HAND(1, 2, NULL, "1234");
    cr_assert_eq(lam_array_view_create(fields_of(&arena, "a:i"), &arena, &view, NULL),
                 LAM_STATUS_OK);
    hand_adopt(&root, &column);
    struct ArrowArray *array = hand_at(&root);
    cr_assert_eq(lam_array_view_attach(view, array, NULL), LAM_STATUS_OK);
    array->children = NULL;
    cr_assert_eq(lam_array_view_attach(view, array, &error), LAM_STATUS_INVALID);
    cr_assert_str_eq(error.message, "array: 1 children instead of 1");
    lam_arena_finish(&arena);
}

Test(array_view, any_allocation_that_fails_is_told) {
    lam_arena fields = arrow_arena();
    const lam_arrow_field *root =
        fields_of(&fields, "a?:{c}u b:+s[x:i y:+l[item?:{s}z]] c:+r[run_ends:i values?:u]");
    lam_status status = LAM_STATUS_NOMEM;
    for (size_t n = 1; status != LAM_STATUS_OK; n++) {
        lam_failing_alloc counter = {.fail_at = n};
        lam_allocator allocator = lam_failing_allocator(&counter);
        lam_arena arena;
        lam_array_view *view;
        lam_arena_init(&arena, &allocator, 0);
        status = lam_array_view_create(root, &arena, &view, NULL);
        cr_assert_eq(status, counter.requests < n ? LAM_STATUS_OK : LAM_STATUS_NOMEM);
        lam_arena_finish(&arena);
        cr_assert_eq(counter.live_bytes, 0);
    }
    lam_arena_finish(&fields);
}
