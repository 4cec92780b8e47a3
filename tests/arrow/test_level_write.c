/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The levels and values that arrays are written as, compared with drawings made by hand: lists,
 * views, slices, runs and dictionaries.
 */
#include <lamella/column.h>

#include "arrow/write/level_frontier.h"
#include "arrow/write/level_write.h"

#include "arrow/hand_arrays.h"

/* The triples of each leaf: "r:d" and "=value" for INT32, separated by spaces, and a bar between
 * leaves. */
static void has_triples(const lam_reader *reader, const char *expected) {
    char text[400] = "";
    size_t at = 0;
    const lam_schema *schema = lam_reader_schema(reader);
    for (size_t leaf = 0; leaf < lam_schema_leaf_count(schema); leaf++) {
        size_t value = 0;
        lam_column_reader *column;
        lam_triples triples;
        cr_assert_eq(lam_column_reader_open(reader, 0, leaf, &column, NULL), LAM_STATUS_OK);
        cr_assert_eq(lam_column_reader_read(column, 100, &triples, NULL), LAM_STATUS_OK);
        uint8_t most = lam_field_max_definition(lam_schema_leaf(schema, leaf));
        for (size_t i = 0; i < triples.count; i++) {
            unsigned r = triples.repetition == NULL ? 0 : triples.repetition[i];
            unsigned d = triples.definition == NULL ? most : triples.definition[i];
            const char *before = i > 0 ? " " : leaf > 0 ? " | " : "";
            at += (size_t)snprintf(text + at, sizeof text - at, "%s%u:%u", before, r, d);
            if (d == most)
                at += (size_t)snprintf(text + at, sizeof text - at, "=%d",
                                       ((const int32_t *)triples.values)[value++]);
        }
        lam_column_reader_close(column);
    }
    cr_assert_str_eq(text, expected, "%s\nexpected %s", text, expected);
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

/* The triples that the columns of a root are written as. */
static void becomes(const char *columns, hand_array *root, const char *expected) {
    hand_writer hand;
    lam_reader *reader = written(&hand, columns, root);
    has_triples(reader, expected);
    finish(&hand, reader);
}

/* --- The drawings of seed 001 ----------------------------------------------------------------- */

enum { ANY = 77 }; /* "??": what lies beneath a null */

Test(level_write, three_records_of_structs_as_drawn) {
    hand_array *a = VALUES(3, BITS(0x03), INTS(1, 2, ANY));
    hand_array *b1 = VALUES(3, BITS(0x05), INTS(1, ANY, 5)), *b2 = VALUES(3, NULL, INTS(3, 4, 6));
    hand_array *c1 = VALUES(3, NULL, INTS(ANY, 6, 7)), *d1 = VALUES(3, NULL, INTS(1, 2, ANY));
    hand_array *d2 = VALUES(3, BITS(0x06), INTS(ANY, 1, ANY));
    becomes("a?:i b:+s[b1?:i b2:i] c?:+s[c1:i] d?:+s[d1:i d2?:i]",
            STRUCTS(3, NULL, a, STRUCTS(3, NULL, b1, b2), STRUCTS(3, BITS(0x06), c1),
                    STRUCTS(3, BITS(0x03), d1, d2)),
            "0:1=1 0:1=2 0:0 | 0:1=1 0:0 0:1=5 | 0:0=3 0:0=4 0:0=6 | 0:0 0:1=6 0:1=7 | "
            "0:1=1 0:1=2 0:0 | 0:1 0:2=1 0:0");
}

Test(level_write, four_records_of_a_list_as_drawn) {
    hand_array *child = VALUES(3, BITS(0x05), INTS(1, ANY, 2));
    becomes("a?:+l[element?:i]", STRUCTS(4, NULL, LISTS(4, BITS(0x0D), INTS(0, 1, 1, 1, 3), child)),
            "0:3=1 0:0 0:1 0:2 1:3=2");
}

/* --- What the layout allows ------------------------------------------------------------------ */

Test(level_write, the_drawing_at_its_head_is_what_comes_out) {
    hand_array *x = LISTS(4, BITS(0x07), INTS(0, 2, 2, 2, 2), VALUES(2, NULL, INTS(7, 8)));
    becomes("a?:+s[x?:+l[e:i]]", STRUCTS(4, NULL, STRUCTS(4, BITS(0x0D), x)),
            "0:3=7 1:3=8 0:0 0:2 0:1");
}

Test(level_write, null_lists_may_have_elements_that_nobody_sees) {
    hand_array *child = VALUES(6, NULL, INTS(ANY, 1, ANY, ANY, 2, ANY));
    becomes("a?:+l[element:i]", STRUCTS(3, NULL, LISTS(3, BITS(0x05), INTS(1, 2, 4, 5), child)),
            "0:2=1 0:0 0:2=2");
}

Test(level_write, list_views_come_in_any_order_and_over_each_other) {
    hand_array *child = VALUES(4, NULL, INTS(10, 11, 12, 13));
    becomes("a:+vl[element:i]",
            STRUCTS(4, NULL, VIEWS(4, NULL, INTS(2, 0, 3, 1), INTS(2, 3, 0, 1), child)),
            "0:1=12 1:1=13 0:1=10 1:1=11 1:1=12 0:0 0:1=11");
}

Test(level_write, slices_of_slices) {
    int32_t numbers[40];
    for (int32_t i = 0; i < 40; i++)
        numbers[i] = i;
    hand_array *child = VALUES(30, NULL, numbers), *x = STRUCTS(6, NULL, child);
    hand_array *a = STRUCTS(3, BITS(0xF7), x); /* slot 3 is null */
    hand_array *root = STRUCTS(2, NULL, a);
    root->array.offset = 1;
    a->array.offset = 1;
    x->array.offset = 2;
    child->array.offset = 5;
    /* Rows 0 and 1 are slots 1 and 2 of a, 2 and 3 of its buffers and slots of x, 4 and 5 of its
     * buffers: elements 12 to 14 and 15 to 17 of the child, behind its offset 17 to 19. */
    becomes("a?:+s[x:+w:3[element:i]]", root, "0:2=17 1:2=18 1:2=19 0:0");
}

Test(level_write, runs_above_lists_repeat_them) {
    hand_array *ends = VALUES(3, NULL, INTS(1, 3, 5)), *child = VALUES(3, NULL, INTS(7, 8, 9));
    hand_array *a = RUNS(4, ends, LISTS(3, BITS(0x06), INTS(0, 0, 2, 3), child));
    a->array.offset = 1;
    becomes("a?:+r[run_ends:i values?:+l[element:i]]", STRUCTS(4, NULL, a),
            "0:2=7 1:2=8 0:2=7 1:2=8 0:2=9 0:2=9");
}

Test(level_write, columns_without_values) {
    hand_writer hand;
    becomes("a?:n b?:i", STRUCTS(3, NULL, NULLS(3), VALUES(3, BITS(0x00), INTS(0, 0, 0))),
            "0:0 0:0 0:0 | 0:0 0:0 0:0");
    lam_reader *reader = written(&hand, "", STRUCTS(3, NULL, NULL));
    cr_assert_eq(lam_reader_row_count(reader), 3);
    finish(&hand, reader);
}

/* --- Rows of more elements than a page can have ----------------------------------------------- */

/* Nulls take no memory, so that lists of them can be as long as numbers go. */
#define MANY_NULLS NULLS(INT64_MAX / 2)

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
        too_many("a:+L[item?:n]", LISTS(1, NULL, offsets, MANY_NULLS));
    }
}

Test(level_write, lists_of_one_row_count_together) {
    for (int64_t lists = 2; lists <= 4; lists++) {
        const int64_t half = INT64_C(1) << 30;
        const int64_t inner[] = {0, half, 2 * half, 3 * half, 4 * half}, offsets[] = {0, lists};
        too_many("a:+L[item:+L[item?:n]]",
                 LISTS(1, NULL, offsets, LISTS(lists, NULL, inner, MANY_NULLS)));
    }
}

Test(level_write, views_of_lists_may_stand_for_more_elements_than_there_are_numbers) {
    const int64_t most = INT64_MAX / 2, offsets[] = {0, 0, 0}, sizes[] = {most, most, most};
    too_many("a:+vL[item?:n]", VIEWS(3, NULL, offsets, sizes, MANY_NULLS));
}

Test(level_write, runs_of_lists_may_stand_for_more_elements_than_there_are_numbers) {
    const int64_t most = INT64_C(1) << 60, offsets[] = {0, most, 2 * most};
    too_many("a:+r[run_ends:i values:+L[item?:n]]",
             RUNS(1000, VALUES(2, NULL, INTS(500, 1000)), LISTS(2, NULL, offsets, MANY_NULLS)));
}

/* Whatever the indexes of such a dictionary are, they mean nulls. */
Test(level_write, a_dictionary_of_nulls_has_no_values) {
    const int8_t indexes[] = {0, 1, 0};
    hand_array *a = VALUES(3, BITS(0x03), indexes);
    a->array.dictionary = hand_at(NULLS(2));
    becomes("a?:{c}n", STRUCTS(3, NULL, a), "0:0 0:0 0:0");
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
