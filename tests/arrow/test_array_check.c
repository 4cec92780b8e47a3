/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arrays as strangers hand them over: lengths, offsets, validity, children and run ends are checked
 * before a value is read, and what is wrong is told by the path of its field.
 */
#include <lamella/writer.h>

#include "arrow/array/array_check.h"

#include "arrow/hand_arrays.h"

/* --- What is refused ------------------------------------------------------------------------- */

/* The array, as the column "a" of its own length, is refused with a message; nothing is written,
 * and the writer goes on. */
static void refused(const char *type, struct ArrowArray *column, const char *message) {
    lam_error error = lam_error_none();
    hand_writer hand = hand_open(type);
    cr_assert_eq(hand_write(&hand, column, column == NULL ? 1 : column->length, &error),
                 LAM_STATUS_INVALID, "%s: %s", type, message);
    cr_assert_str_eq(error.message, message);
    cr_assert_eq(lam_writer_record_count(hand.writer), 0);
    cr_assert_eq(lam_writer_finish(hand.writer, &error), LAM_STATUS_OK, "%s", error.message);
    hand_close(&hand);
}

static void taken(const char *type, struct ArrowArray *column) {
    lam_error error = lam_error_none();
    hand_writer hand = hand_open(type);
    cr_assert_eq(hand_write(&hand, column, column->length, &error), LAM_STATUS_OK, "%s: %s", type,
                 error.message);
    hand_close(&hand);
}

static const int32_t numbers[] = {1, 2, 3, 4, 5, 6, 7, 8};
static const uint8_t some[] = {0x05}; /* slots 0 and 2 */

Test(array_check, the_root_is_a_struct_without_nulls) {
    hand_writer hand = hand_open("a:i");
    lam_error error = lam_error_none();
    hand_array root = HAND(2, 1, some), numbers_of = HAND(2, 2, NULL, numbers);
    hand_adopt(&root, &numbers_of);
    cr_assert_eq(lam_arrow_write_array(hand.arrow, hand_at(&root), &error), LAM_STATUS_INVALID);
    cr_assert_str_eq(error.message, "array: row 1 has a null, and the field is not nullable");
    cr_assert_eq(lam_arrow_write_array(hand.arrow, NULL, &error), LAM_STATUS_INVALID);
    cr_assert_str_eq(error.message, "array: the array is NULL or released");
    root.array.release = NULL;
    cr_assert_eq(lam_arrow_write_array(hand.arrow, &root.array, &error), LAM_STATUS_INVALID);
    root.array.release = hand_release;
    root.array.null_count = 1;
    root.buffers[0] = NULL;
    cr_assert_eq(lam_arrow_write_array(hand.arrow, &root.array, &error), LAM_STATUS_INVALID);
    cr_assert_str_eq(error.message, "array: 1 nulls, but no validity");
    hand_close(&hand);
}

/* Checks an array as the field of a schema; the view stays in the arena. */
static lam_status check_as(lam_arena *arena, const lam_arrow_field *field,
                           const struct ArrowArray *array, lam_array_view **ret_view,
                           lam_error *error) {
    cr_assert_eq(lam_array_view_create(field, arena, ret_view, NULL), LAM_STATUS_OK);
    return lam_array_check(*ret_view, array, lam_task_runner_serial(), NULL, error);
}

Test(array_check, an_array_that_is_no_struct_is_checked_as_a_whole) {
    lam_arena arena = arrow_arena();
    lam_array_view *view;
    lam_error error = lam_error_none();
    hand_array column = HAND(4, 2, NULL, numbers);
    const lam_arrow_field *field = fields_of(&arena, "a?:i")->children;
    struct ArrowArray *array = hand_at(&column);
    cr_assert_eq(check_as(&arena, field, array, &view, NULL), LAM_STATUS_OK);
    cr_assert_not(view->has_nulls);
    column.buffers[0] = some;
    cr_assert_eq(check_as(&arena, field, array, &view, NULL), LAM_STATUS_OK);
    cr_assert(view->has_nulls);
    column.buffers[1] = NULL;
    cr_assert_eq(check_as(&arena, field, array, &view, &error), LAM_STATUS_INVALID);
    cr_assert_str_eq(error.message, "array: the buffer of values is NULL");
    lam_arena_finish(&arena);
}

/* The bytes are not looked at: one value may be longer than a BYTE_ARRAY can be. */
Test(array_check, values_of_more_than_2_gigabytes_together_are_to_be_checked_one_by_one) {
    lam_arena arena = arrow_arena();
    lam_array_view *view;
    int64_t offsets[] = {0, INT32_MAX};
    hand_array column = HAND(1, 3, NULL, offsets, "");
    const lam_arrow_field *field = fields_of(&arena, "a?:Z")->children;
    cr_assert_eq(check_as(&arena, field, hand_at(&column), &view, NULL), LAM_STATUS_OK);
    cr_assert_not(view->needs_check);
    offsets[1]++;
    cr_assert_eq(check_as(&arena, field, hand_at(&column), &view, NULL), LAM_STATUS_OK);
    cr_assert(view->needs_check);
    lam_arena_finish(&arena);
}

Test(array_check, nulls_of_a_null_array_need_no_validity) {
    hand_array column = HAND(3, 0, NULL);
    column.array.null_count = 3;
    taken("a?:n", hand_at(&column));
}

Test(array_check, numbers_of_buffers_children_and_slots) {
    hand_array column = HAND(4, 2, NULL, numbers);
    struct ArrowArray *array = hand_at(&column), good = *array;
    refused("a:i", NULL, "a: the array is NULL or released");
    array->release = NULL;
    refused("a:i", array, "a: the array is NULL or released");
    *array = good;
    array->n_buffers = 1;
    refused("a:i", array, "a: 1 buffers instead of 2");
    array->n_buffers = 3;
    refused("a:i", array, "a: 3 buffers instead of 2");
    *array = good;
    array->buffers = NULL;
    refused("a:i", array, "a: the buffers are NULL");
    *array = good;
    array->n_children = 1;
    refused("a:i", array, "a: 1 children instead of 0");
    *array = good;
    array->dictionary = &good;
    refused("a:i", array, "a: the array has a dictionary");
    *array = good;
    refused("a:{c}i", array, "a: the array has no dictionary");
    column.buffers[1] = NULL;
    refused("a:i", array, "a: the buffer of values is NULL");
    array->length = 0;
    taken("a:i", array);
}

Test(array_check, lengths_offsets_and_null_counts) {
    hand_array column = HAND(4, 2, NULL, numbers);
    struct ArrowArray *array = hand_at(&column), good = *array;
    hand_writer hand = hand_open("a?:i");
    lam_error error = lam_error_none();
    array->length = -1;
    cr_assert_eq(hand_write(&hand, array, 4, &error), LAM_STATUS_INVALID);
    cr_assert_str_eq(error.message, "a: an array of length -1 at offset 0");
    *array = good;
    cr_assert_eq(hand_write(&hand, array, 5, &error), LAM_STATUS_INVALID);
    cr_assert_str_eq(error.message, "a: 4 slots where slots 0 to 4 are used");
    hand_close(&hand);
    array->offset = -1;
    refused("a:i", array, "a: an array of length 4 at offset -1");
    array->offset = INT64_MAX;
    refused("a:i", array, "a: an array of length 4 at offset 9223372036854775807");
    array->offset = INT64_MAX - 4;
    refused("a:i", array, "a: 9223372036854775807 slots of 4 bytes do not fit in memory");
    *array = good;
    array->null_count = 5;
    refused("a?:i", array, "a: 5 nulls in 4 slots");
    array->null_count = -2;
    refused("a?:i", array, "a: -2 nulls in 4 slots");
    array->null_count = 1;
    refused("a?:i", array, "a: 1 nulls, but no validity");
    column.buffers[0] = some;
    refused("a?:i", array, "a: 2 nulls where the null count says 1");
    array->null_count = 0;
    refused("a?:i", array, "a: 2 nulls where the null count says 0");
    array->null_count = 2;
    taken("a?:i", array);
    refused("a:i", array, "a: row 1 has a null, and the field is not nullable");
}

Test(array_check, offsets_do_not_decrease_and_stay_in_the_child) {
    int32_t offsets[] = {0, 2, 3, 3};
    int64_t large[] = {0, 2, 1, 3};
    hand_array child = HAND(3, 2, NULL, numbers), list = HAND(3, 2, NULL, offsets);
    hand_adopt(&list, &child);
    struct ArrowArray *array = hand_at(&list);
    taken("a:+l[item:i]", array);
    offsets[1] = 4;
    refused("a:+l[item:i]", array, "a: offsets 0 to 3 are negative or decrease");
    offsets[1] = offsets[0] = -1;
    refused("a:+l[item:i]", array, "a: offsets 0 to 3 are negative or decrease");
    offsets[0] = offsets[1] = 0;
    offsets[3] = 4;
    refused("a:+l[item:i]", array, "a.item: 3 slots where slots 0 to 3 are used");
    list.buffers[1] = NULL;
    refused("a:+l[item:i]", array, "a: the buffer of offsets is NULL");
    list.buffers[1] = large;
    refused("a:+L[item:i]", array, "a: offsets 0 to 3 are negative or decrease");
    large[2] = 2;
    taken("a:+L[item:i]", array);
}

Test(array_check, only_what_is_used_of_a_child_is_looked_at) {
    int32_t offsets[] = {9, -7, 1, 2, 3, 2};
    hand_array child = HAND(3, 2, NULL, numbers), list = HAND(2, 2, NULL, offsets);
    hand_adopt(&list, &child);
    struct ArrowArray *array = hand_at(&list);
    array->offset = 2;
    taken("a:+l[item:i]", array);
    array->length = 3;
    refused("a:+l[item:i]", array, "a: offsets 2 to 5 are negative or decrease");
}

Test(array_check, bytes_lie_between_offsets) {
    int32_t offsets[] = {0, 1, 3};
    hand_array column = HAND(2, 3, NULL, offsets, "abc");
    struct ArrowArray *array = hand_at(&column);
    taken("a:u", array);
    column.buffers[2] = NULL;
    refused("a:u", array, "a: the buffer of data is NULL");
    offsets[1] = offsets[2] = 0;
    taken("a:u", array);
    offsets[1] = 1;
    column.buffers[2] = "abc";
    refused("a:z", array, "a: offsets 0 to 2 are negative or decrease");
}

Test(array_check, list_views_lie_in_the_child) {
    int32_t offsets[] = {2, 0}, sizes[] = {1, 3};
    hand_array child = HAND(3, 2, NULL, numbers), list = HAND(2, 3, NULL, offsets, sizes);
    hand_adopt(&list, &child);
    struct ArrowArray *array = hand_at(&list);
    taken("a:+vl[item:i]", array);
    sizes[0] = 2;
    refused("a:+vl[item:i]", array, "a: list 0 of 2 elements from 2 on, where there are 3");
    sizes[0] = -1;
    refused("a:+vl[item:i]", array, "a: list 0 of -1 elements from 2 on, where there are 3");
    sizes[0] = 0;
    offsets[0] = -1;
    refused("a:+vl[item:i]", array, "a: list 0 of 0 elements from -1 on, where there are 3");
    offsets[0] = 4;
    refused("a:+vl[item:i]", array, "a: list 0 of 0 elements from 4 on, where there are 3");
    offsets[0] = 0;
    sizes[0] = 4;
    refused("a:+vl[item:i]", array, "a: list 0 of 4 elements from 0 on, where there are 3");
    list.buffers[2] = NULL;
    refused("a:+vl[item:i]", array, "a: the buffer of sizes is NULL");
    list.buffers[1] = NULL;
    refused("a:+vl[item:i]", array, "a: the buffer of offsets is NULL");
}

Test(array_check, children_are_long_enough) {
    hand_array child = HAND(5, 2, NULL, numbers), fixed = HAND(2, 1, NULL);
    hand_adopt(&fixed, &child);
    struct ArrowArray *array = hand_at(&fixed);
    taken("a:+w:2[item:i]", array);
    refused("a:+w:3[item:i]", array, "a.item: 5 slots where 2 lists of 3 are used");
    array->offset = 1;
    refused("a:+w:2[item:i]", array, "a.item: 5 slots where 3 lists of 2 are used");
    taken("a:+s[item:i]", array);
    array->offset = 4;
    refused("a:+s[item:i]", array, "a.item: 5 slots where slots 4 to 5 are used");
    array->offset = 6;
    refused("a:+s[item:i]", array, "a.item: 5 slots where slots 6 to 7 are used");
}

/* A string view of a buffer. */
static void put_view(uint8_t *view, int32_t size, int32_t buffer, int32_t offset) {
    memcpy(view, &size, 4);
    memcpy(view + 8, &buffer, 4);
    memcpy(view + 12, &offset, 4);
}

Test(array_check, string_views_lie_in_their_buffers) {
    static uint8_t views[32];
    int64_t sizes[] = {20};
    hand_array column = HAND(2, 4, some, views, "a text of 20 letters", sizes);
    struct ArrowArray *array = hand_at(&column);
    put_view(views, 20, 0, 0);
    put_view(views + 16, -1, 77, -5); /* is null */
    taken("a?:vu", array);
    put_view(views, 20, 0, 1);
    refused("a?:vu", array, "a: slot 0 of 20 bytes at 1 of buffer 0 is outside of it");
    put_view(views, 13, 1, 0);
    refused("a?:vz", array, "a: slot 0 of 13 bytes at 0 of buffer 1 is outside of it");
    put_view(views, 13, -1, 0);
    refused("a?:vz", array, "a: slot 0 of 13 bytes at 0 of buffer -1 is outside of it");
    put_view(views, 13, 0, -1);
    refused("a?:vz", array, "a: slot 0 of 13 bytes at -1 of buffer 0 is outside of it");
    put_view(views, -1, 0, 0);
    refused("a?:vz", array, "a: slot 0 of -1 bytes at 0 of buffer 0 is outside of it");
    put_view(views, 12, 77, -5); /* inline */
    taken("a?:vz", array);
    array->n_buffers = 2;
    refused("a?:vz", array, "a: 2 buffers instead of 3");
    array->n_buffers = 3; /* no buffer of data */
    taken("a?:vz", array);
    put_view(views, 13, 0, 0);
    refused("a?:vz", array, "a: slot 0 of 13 bytes at 0 of buffer 0 is outside of it");
    array->n_buffers = 4;
    column.buffers[2] = NULL;
    refused("a?:vz", array, "a: slot 0 of 13 bytes at 0 of buffer 0 is outside of it");
    column.buffers[3] = NULL;
    refused("a?:vz", array, "a: the buffer of sizes is NULL");
    column.buffers[1] = NULL;
    refused("a?:vz", array, "a: the buffer of views is NULL");
}

Test(array_check, indexes_are_inside_of_the_dictionary) {
    int8_t indexes[] = {0, 1, 2};
    hand_array values = HAND(3, 2, NULL, numbers), column = HAND(3, 2, NULL, indexes);
    struct ArrowArray *array = hand_at(&column);
    array->dictionary = hand_at(&values);
    taken("a?:{c}i", array);
    indexes[1] = 3;
    refused("a?:{c}i", array, "a: slot 1 has index 3 of a dictionary of 3 values");
    indexes[1] = -1;
    refused("a?:{c}i", array, "a: slot 1 has index 255 of a dictionary of 3 values");
    values.array.length = 300; /* more than there are slots: looked up one by one */
    refused("a?:{c}i", array, "a: slot 1 has index 255 of a dictionary of 300 values");
    column.buffers[0] = some;
    taken("a?:{c}i", array);
    values.array.length = 3;
    taken("a?:{c}i", array);
    values.array.null_count = 1;
    refused("a?:{c}i", array, "a: 1 nulls, but no validity");
}

Test(array_check, an_entry_of_a_long_dictionary_is_checked_where_it_is_used) {
    int8_t indexes[] = {0, 2};
    int32_t offsets[] = {0, 1, 0, 1};
    hand_array values = HAND(3, 3, NULL, offsets, "x"), column = HAND(2, 2, NULL, indexes);
    struct ArrowArray *array = hand_at(&column);
    array->dictionary = hand_at(&values);
    taken("a?:{c}u", array);
    indexes[0] = 1;
    refused("a?:{c}u", array, "a: offsets 1 to 2 are negative or decrease");
    column.buffers[1] = NULL;
    refused("a?:{c}u", array, "a: the buffer of indexes is NULL");
}

Test(array_check, run_ends_increase_and_reach_the_end) {
    int32_t ends[] = {2, 3, 5};
    hand_array run_ends = HAND(3, 2, NULL, ends), values = HAND(3, 2, NULL, numbers);
    hand_array column = HAND(5, 0, NULL);
    hand_adopt(&column, &run_ends);
    hand_adopt(&column, &values);
    struct ArrowArray *array = hand_at(&column);
    const char type[] = "a?:+r[run_ends:i values?:i]";
    taken(type, array);
    array->offset = 1;
    refused(type, array, "a: the runs end at 5, before the array does at 6");
    array->offset = 0;
    ends[1] = 2;
    refused(type, array, "a.run_ends: run 1 ends at 2, and the run before it at 2");
    ends[0] = 0;
    refused(type, array, "a.run_ends: run 0 ends at 0, and the run before it at 0");
    ends[0] = 1;
    values.array.length = 2;
    refused(type, array, "a.values: 2 slots where slots 0 to 2 are used");
    values.array.length = 3;
    run_ends.array.null_count = 1;
    refused(type, array, "a.run_ends: 1 nulls, but no validity");
    run_ends.buffers[0] = some;
    refused(type, array, "a.run_ends: a run end is null");
    run_ends.array.null_count = 0;
    refused(type, array, "a.run_ends: 1 nulls where the null count says 0");
    run_ends.array.null_count = -1;
    run_ends.buffers[0] = run_ends.buffers[1] = NULL;
    refused(type, array, "a.run_ends: the buffer of run ends is NULL");
    run_ends.array.length = 0;
    refused(type, array, "a: the runs end at 0, before the array does at 5");
    array->length = 0;
    taken(type, array);
}

/* --- Nulls that count and nulls that do not --------------------------------------------------- */

Test(array_check, a_null_beneath_a_null_is_no_null_of_a_required_field) {
    const uint8_t first[] = {0x01};
    hand_array child = HAND(2, 2, first, numbers), parent = HAND(2, 1, first);
    hand_adopt(&parent, &child);
    struct ArrowArray *array = hand_at(&parent);
    taken("a?:+s[x:i]", array);
    parent.buffers[0] = NULL;
    refused("a?:+s[x:i]", array, "a.x: row 1 has a null, and the field is not nullable");
}

Test(array_check, keys_of_maps_are_there) {
    const uint8_t first[] = {0x01};
    int32_t offsets[] = {0, 1, 2};
    hand_array key = HAND(2, 2, first, numbers), value = HAND(2, 2, NULL, numbers);
    hand_array entries = HAND(2, 1, NULL), map = HAND(2, 2, NULL, offsets);
    hand_adopt(&entries, &key);
    hand_adopt(&entries, &value);
    hand_adopt(&map, &entries);
    const char type[] = "a?:+m[entries:+s[key:i value?:i]]";
    refused(type, hand_at(&map), "a.entries.key: row 1 has a null, and the field is not nullable");
    key.buffers[0] = NULL;
    entries.buffers[0] = first;
    refused(type, hand_at(&map), "a.entries: row 1 has a null, and the field is not nullable");
    offsets[2] = 1;
    taken(type, hand_at(&map));
}

Test(array_check, a_null_of_a_dictionary_counts_where_it_is_used) {
    const uint8_t first[] = {0x01};
    int8_t indexes[] = {0, 1};
    hand_array values = HAND(2, 2, first, numbers), column = HAND(2, 2, NULL, indexes);
    struct ArrowArray *array = hand_at(&column);
    array->dictionary = hand_at(&values);
    taken("a?:{c}i", array);
    refused("a:{c}i", array, "a: row 1 has a null, and the field is not nullable");
    indexes[1] = 0;
    taken("a:{c}i", array);
}
