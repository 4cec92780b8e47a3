/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The levels and values that arrays are written as, compared with drawings made by hand: lists,
 * views, slices, runs and dictionaries.
 */
#include <lamella/column.h>

#include "arrow/write/level_frontier.h"
#include "arrow/write/level_write.h"

#include "arrow/hand_arrays.h"

/* The triples of a leaf: "r:d" and "=value" for INT32, separated by spaces. */
static void has_triples(const lam_reader *reader, size_t leaf, const char *expected) {
    char text[400] = "";
    size_t at = 0, value = 0;
    lam_column_reader *column;
    lam_triples triples;
    cr_assert_eq(lam_column_reader_open(reader, 0, leaf, &column, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_column_reader_read(column, 100, &triples, NULL), LAM_STATUS_OK);
    uint8_t most = lam_field_max_definition(lam_schema_leaf(lam_reader_schema(reader), leaf));
    for (size_t i = 0; i < triples.count; i++) {
        unsigned r = triples.repetition == NULL ? 0 : triples.repetition[i];
        unsigned d = triples.definition == NULL ? most : triples.definition[i];
        at += (size_t)snprintf(text + at, sizeof text - at, "%s%u:%u", i > 0 ? " " : "", r, d);
        if (d == most)
            at += (size_t)snprintf(text + at, sizeof text - at, "=%d",
                                   ((const int32_t *)triples.values)[value++]);
    }
    cr_assert_str_eq(text, expected);
    lam_column_reader_close(column);
}

/* Writes the columns of a root, and opens the file. */
static lam_reader *written(hand_writer *hand, const char *columns, hand_array *root) {
    lam_error error = lam_error_none();
    *hand = hand_open(columns);
    cr_assert_eq(lam_arrow_write_array(hand->arrow, hand_at(root), &error), LAM_STATUS_OK, "%s",
                 error.message);
    return hand_read(hand);
}

static void finish(hand_writer *hand, lam_reader *reader) {
    lam_reader_close(reader);
    hand_close(hand);
}

/* --- The drawings of seed 001 ----------------------------------------------------------------- */

enum { ANY = 77 }; /* "??": what lies beneath a null */

Test(level_write, three_records_of_structs_as_drawn) {
    hand_writer hand;
    hand_array root = HAND(3, 1, NULL);
    hand_array a = HAND(3, 2, (const uint8_t[]){0x03}, (const int32_t[]){1, 2, ANY});
    hand_array b = HAND(3, 1, NULL);
    hand_array b1 = HAND(3, 2, (const uint8_t[]){0x05}, (const int32_t[]){1, ANY, 5});
    hand_array b2 = HAND(3, 2, NULL, (const int32_t[]){3, 4, 6});
    hand_array c = HAND(3, 1, (const uint8_t[]){0x06});
    hand_array c1 = HAND(3, 2, NULL, (const int32_t[]){ANY, 6, 7});
    hand_array d = HAND(3, 1, (const uint8_t[]){0x03});
    hand_array d1 = HAND(3, 2, NULL, (const int32_t[]){1, 2, ANY});
    hand_array d2 = HAND(3, 2, (const uint8_t[]){0x06}, (const int32_t[]){ANY, 1, ANY});
    hand_adopt(&root, &a);
    hand_adopt(&b, &b1);
    hand_adopt(&b, &b2);
    hand_adopt(&root, &b);
    hand_adopt(&c, &c1);
    hand_adopt(&root, &c);
    hand_adopt(&d, &d1);
    hand_adopt(&d, &d2);
    hand_adopt(&root, &d);
    lam_reader *reader =
        written(&hand, "a?:i b:+s[b1?:i b2:i] c?:+s[c1:i] d?:+s[d1:i d2?:i]", &root);
    has_triples(reader, 0, "0:1=1 0:1=2 0:0");
    has_triples(reader, 1, "0:1=1 0:0 0:1=5");
    has_triples(reader, 2, "0:0=3 0:0=4 0:0=6");
    has_triples(reader, 3, "0:0 0:1=6 0:1=7");
    has_triples(reader, 4, "0:1=1 0:1=2 0:0");
    has_triples(reader, 5, "0:1 0:2=1 0:0");
    finish(&hand, reader);
}

Test(level_write, four_records_of_a_list_as_drawn) {
    hand_writer hand;
    hand_array root = HAND(4, 1, NULL);
    hand_array a = HAND(4, 2, (const uint8_t[]){0x0D}, (const int32_t[]){0, 1, 1, 1, 3});
    hand_array child = HAND(3, 2, (const uint8_t[]){0x05}, (const int32_t[]){1, ANY, 2});
    hand_adopt(&a, &child);
    hand_adopt(&root, &a);
    lam_reader *reader = written(&hand, "a?:+l[element?:i]", &root);
    has_triples(reader, 0, "0:3=1 0:0 0:1 0:2 1:3=2");
    finish(&hand, reader);
}

/* --- What the layout allows ------------------------------------------------------------------ */

Test(level_write, the_drawing_at_its_head_is_what_comes_out) {
    hand_writer hand;
    hand_array root = HAND(4, 1, NULL), a = HAND(4, 1, (const uint8_t[]){0x0D});
    hand_array x = HAND(4, 2, (const uint8_t[]){0x07}, (const int32_t[]){0, 2, 2, 2, 2});
    hand_array e = HAND(2, 2, NULL, (const int32_t[]){7, 8});
    hand_adopt(&x, &e);
    hand_adopt(&a, &x);
    hand_adopt(&root, &a);
    lam_reader *reader = written(&hand, "a?:+s[x?:+l[e:i]]", &root);
    has_triples(reader, 0, "0:3=7 1:3=8 0:0 0:2 0:1");
    finish(&hand, reader);
}

Test(level_write, null_lists_may_have_elements_that_nobody_sees) {
    hand_writer hand;
    hand_array root = HAND(3, 1, NULL);
    hand_array a = HAND(3, 2, (const uint8_t[]){0x05}, (const int32_t[]){1, 2, 4, 5});
    hand_array child = HAND(6, 2, NULL, (const int32_t[]){ANY, 1, ANY, ANY, 2, ANY});
    hand_adopt(&a, &child);
    hand_adopt(&root, &a);
    lam_reader *reader = written(&hand, "a?:+l[element:i]", &root);
    has_triples(reader, 0, "0:2=1 0:0 0:2=2");
    finish(&hand, reader);
}

Test(level_write, list_views_come_in_any_order_and_over_each_other) {
    hand_writer hand;
    hand_array root = HAND(4, 1, NULL);
    hand_array a = HAND(4, 3, NULL, (const int32_t[]){2, 0, 3, 1}, (const int32_t[]){2, 3, 0, 1});
    hand_array child = HAND(4, 2, NULL, (const int32_t[]){10, 11, 12, 13});
    hand_adopt(&a, &child);
    hand_adopt(&root, &a);
    lam_reader *reader = written(&hand, "a:+vl[element:i]", &root);
    has_triples(reader, 0, "0:1=12 1:1=13 0:1=10 1:1=11 1:1=12 0:0 0:1=11");
    finish(&hand, reader);
}

Test(level_write, slices_of_slices) {
    hand_writer hand;
    hand_array root = HAND(2, 1, NULL);
    hand_array a = HAND(3, 1, (const uint8_t[]){0xF7}); /* slot 3 is null */
    hand_array x = HAND(6, 1, NULL);
    hand_array child = HAND(30, 2, NULL, NULL);
    int32_t numbers[40];
    for (int32_t i = 0; i < 40; i++)
        numbers[i] = i;
    child.buffers[1] = numbers;
    root.array.offset = 1;
    a.array.offset = 1;
    x.array.offset = 2;
    child.array.offset = 5;
    hand_adopt(&x, &child);
    hand_adopt(&a, &x);
    hand_adopt(&root, &a);
    /* Rows 0 and 1 are slots 1 and 2 of a, 2 and 3 of its buffers and slots of x, 4 and 5 of its
     * buffers: elements 12 to 14 and 15 to 17 of the child, behind its offset 17 to 19. */
    lam_reader *reader = written(&hand, "a?:+s[x:+w:3[element:i]]", &root);
    has_triples(reader, 0, "0:2=17 1:2=18 1:2=19 0:0");
    finish(&hand, reader);
}

Test(level_write, runs_above_lists_repeat_them) {
    hand_writer hand;
    hand_array root = HAND(4, 1, NULL), a = HAND(4, 0, NULL);
    hand_array ends = HAND(3, 2, NULL, (const int32_t[]){1, 3, 5});
    hand_array lists = HAND(3, 2, (const uint8_t[]){0x06}, (const int32_t[]){0, 0, 2, 3});
    hand_array child = HAND(3, 2, NULL, (const int32_t[]){7, 8, 9});
    a.array.offset = 1;
    hand_adopt(&lists, &child);
    hand_adopt(&a, &ends);
    hand_adopt(&a, &lists);
    hand_adopt(&root, &a);
    lam_reader *reader = written(&hand, "a?:+r[run_ends:i values?:+l[element:i]]", &root);
    has_triples(reader, 0, "0:2=7 1:2=8 0:2=7 1:2=8 0:2=9 0:2=9");
    finish(&hand, reader);
}

Test(level_write, columns_without_values) {
    hand_writer hand;
    hand_array root = HAND(3, 1, NULL), a = HAND(3, 0, NULL);
    hand_array b = HAND(3, 2, (const uint8_t[]){0x00}, (const int32_t[]){0, 0, 0});
    hand_adopt(&root, &a);
    hand_adopt(&root, &b);
    lam_reader *reader = written(&hand, "a?:n b?:i", &root);
    has_triples(reader, 0, "0:0 0:0 0:0");
    has_triples(reader, 1, "0:0 0:0 0:0");
    finish(&hand, reader);
    root.array.n_children = 0;
    reader = written(&hand, "", &root);
    cr_assert_eq(lam_reader_row_count(reader), 3);
    finish(&hand, reader);
}

/* --- Rows of more elements than a page can have ----------------------------------------------- */

/* Nulls take no memory, so that lists of them can be as long as numbers go. */
static hand_array many_nulls(void) {
    hand_array nulls = HAND(INT64_MAX / 2, 0, NULL);
    return nulls;
}

static void too_many(const char *type, hand_array *column) {
    lam_error error = lam_error_none();
    hand_writer hand = hand_open(type);
    cr_assert_eq(hand_write(&hand, hand_at(column), column->array.length, &error), LAM_STATUS_LIMIT,
                 "%s: %s", type, error.message);
    cr_assert_not_null(strstr(error.message, "one row has too many elements for a page"), "%s",
                       error.message);
    hand_close(&hand);
}

Test(level_write, a_list_of_more_than_2_to_the_31_elements_is_above_the_limit) {
    static const int64_t lengths[] = {INT32_MAX, INT64_C(1) << 31, INT64_C(1) << 61};
    for (size_t i = 0; i < 3; i++) {
        const int64_t offsets[] = {0, lengths[i]};
        hand_array nulls = many_nulls(), list = HAND(1, 2, NULL, offsets);
        hand_adopt(&list, &nulls);
        too_many("a:+L[item?:n]", &list);
    }
}

Test(level_write, lists_of_one_row_count_together) {
    for (int64_t lists = 2; lists <= 4; lists++) {
        const int64_t half = INT64_C(1) << 30;
        const int64_t inner_offsets[] = {0, half, 2 * half, 3 * half, 4 * half};
        const int64_t offsets[] = {0, lists};
        hand_array nulls = many_nulls(), inner = HAND(lists, 2, NULL, inner_offsets);
        hand_array list = HAND(1, 2, NULL, offsets);
        hand_adopt(&inner, &nulls);
        hand_adopt(&list, &inner);
        too_many("a:+L[item:+L[item?:n]]", &list);
    }
}

Test(level_write, views_of_lists_may_stand_for_more_elements_than_there_are_numbers) {
    const int64_t most = INT64_MAX / 2, offsets[] = {0, 0, 0}, sizes[] = {most, most, most};
    hand_array nulls = many_nulls(), list = HAND(3, 3, NULL, offsets, sizes);
    hand_adopt(&list, &nulls);
    too_many("a:+vL[item?:n]", &list);
}

Test(level_write, runs_of_lists_may_stand_for_more_elements_than_there_are_numbers) {
    const int32_t ends[] = {500, 1000};
    const int64_t most = INT64_C(1) << 60, offsets[] = {0, most, 2 * most};
    hand_array nulls = many_nulls(), lists = HAND(2, 2, NULL, offsets);
    hand_array run_ends = HAND(2, 2, NULL, ends), runs = HAND(1000, 0, NULL);
    hand_adopt(&lists, &nulls);
    hand_adopt(&runs, &run_ends);
    hand_adopt(&runs, &lists);
    too_many("a:+r[run_ends:i values:+L[item?:n]]", &runs);
}

/* Whatever the indexes of such a dictionary are, they mean nulls. */
Test(level_write, a_dictionary_of_nulls_has_no_values) {
    hand_writer hand;
    const int8_t indexes[] = {0, 1, 0};
    hand_array root = HAND(3, 1, NULL), a = HAND(3, 2, (const uint8_t[]){0x03}, indexes);
    hand_array nulls = HAND(2, 0, NULL);
    a.array.dictionary = hand_at(&nulls);
    hand_adopt(&root, &a);
    lam_reader *reader = written(&hand, "a?:{c}n", &root);
    has_triples(reader, 0, "0:0 0:0 0:0");
    finish(&hand, reader);
}

/* Only rows of values that are there are asked for. */
Test(level_write, a_value_that_no_entry_has_is_in_the_last_row) {
    static const uint8_t repetition[] = {0, 1, 0, 0}, definition[] = {1, 1, 0, 1};
    cr_assert_eq(lam_level_row(4, repetition, definition, 1, 0), 0);
    cr_assert_eq(lam_level_row(4, repetition, definition, 1, 1), 0);
    cr_assert_eq(lam_level_row(4, repetition, definition, 1, 2), 2);
    cr_assert_eq(lam_level_row(4, repetition, definition, 1, 3), 2);
    cr_assert_eq(lam_level_row(4, NULL, NULL, 1, 3), 3);
}
