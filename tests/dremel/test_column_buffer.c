/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The triples of one leaf grow in memory, go back to a mark, and stay whole when memory runs out.
 */
#include "dremel/column_buffer.h"

#include <criterion/criterion.h>
#include <lamella/record.h>

#include "reference/paper.h"
#include "schema/tree.h"
#include "support/failing_alloc.h"

static lam_schema *schema;
static lam_failing_alloc counter;
static lam_allocator allocator;
static lam_column_buffer column;

static void start(void) {
    schema = lam_paper_schema();
    allocator = lam_failing_allocator(&counter);
    lam_column_buffer_init(&column, lam_schema_find(schema, "Links.Forward"), &allocator);
}

static void finish(void) {
    lam_column_buffer_finish(&column);
    cr_assert_eq(counter.live_bytes, 0);
    cr_assert_eq(counter.wrong_sizes, 0);
    lam_schema_destroy(schema);
}

TestSuite(column_buffer, .init = start, .fini = finish);

/* Every third triple is a null, and levels and values tell their place. */
static lam_status append(size_t place) {
    uint8_t definition = place % 3 == 0 ? 1 : 2;
    lam_status status = lam_column_put_levels(&column, place % 2, definition, NULL);
    if (status == LAM_STATUS_OK && definition == 2)
        status = lam_column_put_value(&column, lam_paper_number((int64_t)place), NULL);
    return status;
}

static void expect(const lam_column_buffer *buffer, size_t count) {
    lam_triples triples = lam_column_triples(buffer, buffer->count, buffer->value_count);
    cr_assert_eq(triples.count, count);
    size_t value = 0;
    for (size_t i = 0; i < count; i++) {
        cr_assert_eq(triples.repetition[i], i % 2);
        cr_assert_eq(triples.definition[i], i % 3 == 0 ? 1 : 2);
        if (i % 3 != 0)
            cr_assert_eq(((const int64_t *)triples.values)[value++], (int64_t)i);
    }
    cr_assert_eq(triples.value_count, value);
}

Test(column_buffer, what_goes_in_stays_while_the_arrays_grow) {
    enum { COUNT = 100000 };
    for (size_t i = 0; i < COUNT; i++)
        cr_assert_eq(append(i), LAM_STATUS_OK);
    expect(&column, COUNT);
    cr_assert_leq(counter.requests, 3 * 12, "arrays double");
    cr_assert_eq(lam_column_byte_count(&column), COUNT * 2 + column.value_count * 8);
}

Test(column_buffer, going_back_to_the_mark_forgets_triples_and_values) {
    for (size_t i = 0; i < 100; i++)
        cr_assert_eq(append(i), LAM_STATUS_OK);
    lam_column_set_mark(&column);
    for (size_t i = 100; i < 300; i++)
        cr_assert_eq(append(i), LAM_STATUS_OK);
    lam_column_rewind(&column);
    expect(&column, 100);
    for (size_t i = 100; i < 500; i++)
        cr_assert_eq(append(i), LAM_STATUS_OK);
    expect(&column, 500);
}

Test(column_buffer, no_memory_for_any_of_the_arrays_can_be_tried_again) {
    size_t refused = 0;
    for (size_t i = 0; i < 10000;) {
        lam_column_set_mark(&column);
        counter.fail_at = counter.requests + 1 + refused % 2; /* one array or the next */
        lam_status status = append(i);
        if (status == LAM_STATUS_OK) {
            i++;
            continue;
        }
        cr_assert_eq(status, LAM_STATUS_NOMEM);
        lam_column_rewind(&column);
        expect(&column, i);
        refused++;
        counter.fail_at = 0;
        cr_assert_eq(append(i), LAM_STATUS_OK);
        i++;
    }
    expect(&column, 10000);
    cr_assert_gt(refused, 4);
}

Test(column_buffer, a_leaf_without_levels_keeps_none) {
    lam_column_buffer flat;
    lam_column_buffer_init(&flat, lam_schema_find(schema, "DocId"), &allocator);
    for (int64_t i = 0; i < 1000; i++) {
        cr_assert_eq(lam_column_put_levels(&flat, 0, 0, NULL), LAM_STATUS_OK);
        cr_assert_eq(lam_column_put_value(&flat, lam_paper_number(i), NULL), LAM_STATUS_OK);
    }
    lam_triples triples = lam_column_triples(&flat, flat.count, flat.value_count);
    cr_assert_eq(triples.count, 1000);
    cr_assert_null(triples.repetition);
    cr_assert_null(triples.definition);
    cr_assert_eq(((const int64_t *)triples.values)[999], 999);
    cr_assert_eq(lam_column_byte_count(&flat), 8000);
    lam_column_buffer_finish(&flat);
}

Test(column_buffer, more_values_than_memory_has_room_for_are_refused) {
    lam_column_buffer wide;
    lam_error error = lam_error_none();
    lam_column_buffer_init(&wide, lam_schema_find(schema, "DocId"), &allocator);
    wide.element_size = SIZE_MAX / 4; /* larger than any that a schema can have on 64 bits */
    wide.value_capacity = wide.value_count = 4;
    cr_assert_eq(lam_column_put_levels(&wide, 0, 0, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_column_put_value(&wide, lam_paper_number(1), &error), LAM_STATUS_NOMEM);
    cr_assert_eq(error.status, LAM_STATUS_NOMEM);
    wide.value_capacity = 0;
    lam_column_buffer_finish(&wide);
}

Test(column_buffer, a_long_type_takes_room_for_few_values_and_none_for_what_is_refused) {
    enum { LENGTH = 1 << 20 };
    static uint8_t bytes[LENGTH];
    lam_column_buffer wide;
    lam_value value = {.bytes = {bytes, LENGTH - 1}};
    lam_schema *long_one;
    cr_assert_eq(
        lam_schema_parse_text("message m { required fixed(1048576) a; }", NULL, &long_one, NULL),
        LAM_STATUS_OK);
    lam_column_buffer_init(&wide, lam_schema_leaf(long_one, 0), &allocator);
    cr_assert_eq(lam_column_put_value(&wide, value, NULL), LAM_STATUS_INVALID);
    cr_assert_eq(counter.live_bytes, 0);
    value.bytes.size = LENGTH;
    for (size_t i = 0; i < 3; i++) {
        cr_assert_eq(lam_column_put_value(&wide, value, NULL), LAM_STATUS_OK);
        cr_assert_leq(counter.live_bytes, (i + 1) * 2 * LENGTH);
    }
    lam_column_buffer_finish(&wide);
    lam_schema_destroy(long_one);
}
