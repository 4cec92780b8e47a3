/* SPDX-License-Identifier: Apache-2.0 */
/* Slots put between those of arrays that a stream gave, and whatever memory fails meanwhile. */
#include "arrow/array/array_gaps.h"

#include <string.h>

#include "arrow/any_columns.h"
#include "arrow/array_flaw.h"
#include "arrow/hand_arrays.h"
#include "arrow/same_slots.h"
#include "support/failing_alloc.h"
#include "support/test_file.h"

enum { LISTS = 17, WIDTH = 2, ROWS = 24 };

/* Of 17 lists, 12 are there. */
static const uint8_t valid[] = {0xD9, 0xAF, 0x01};

static const char every_kind[] =
    "a?:i b:s c?:u d?:U e?:+l[item?:i] f:+L[item:u] g?:+vl[item?:s] h?:+vL[item:l] i?:b"
    " j?:+w:3[item?:i] k?:{c}u l?:n m?:vu n?:d:5,2 o?:+m[entries:+s[key:u value?:i]] p?:Z"
    " q:{s}z r?:+s[x?:b y:+s[z?:L]] t?:+w:2[item?:+w:1[item?:{i}U]] v:w:5";

/* The columns in a file, and what a stream makes of them. */
typedef struct trial {
    lam_any_columns columns;
    lam_reader *reader;
    lam_arrow_plan plan;
} trial;

static void start(trial *t) {
    lam_random random = lam_random_start(lam_test_seed(1));
    lam_allocator heap = lam_allocator_default();
    lam_arrow_read_options options = lam_arrow_read_options_default();
    t->columns = lam_any_columns_from(every_kind, ROWS, &random);
    lam_any_columns_write(&t->columns, 0, 0);
    t->reader = lam_test_open(t->columns.file.data, t->columns.file.size, NULL);
    cr_assert_eq(lam_arrow_plan_read(&t->plan, t->reader, &options, &heap, NULL), LAM_STATUS_OK);
}

static void stop(trial *t) {
    lam_arrow_plan_finish(&t->plan);
    lam_reader_close(t->reader);
    lam_any_columns_finish(&t->columns);
}

static struct ArrowArray read_rows(const trial *t) {
    lam_arrow_read_options options = lam_arrow_read_options_default();
    struct ArrowArrayStream stream;
    struct ArrowArray array;
    cr_assert_eq(lam_arrow_read_stream(t->reader, &options, &stream, NULL), LAM_STATUS_OK);
    cr_assert_eq(stream.get_next(&stream, &array), 0);
    stream.release(&stream);
    return array;
}

/* --- Gaps ------------------------------------------------------------------------------------ */

static lam_status put_gaps(const trial *t, struct ArrowArray *array, const uint8_t *bits,
                           lam_array_store *store) {
    return lam_array_put_gaps(lam_kernels_get(), array, &t->plan.root, bits, LISTS, WIDTH, store,
                              NULL);
}

/* What nullable columns have in new slots: a null. */
static void expect_nulls(const trial *t, const struct ArrowArray *array, int64_t slot) {
    for (size_t i = 0; i < t->plan.schema.child_count; i++) {
        const lam_arrow_field *field = &t->plan.schema.children[i];
        if (field->nullable && field->type.kind != LAM_ARROW_NULL)
            cr_assert_not(lam_array_slot_valid(array->children[i], slot), "%s", field->name);
    }
}

static void expect_gaps(const trial *t, const struct ArrowArray *array, const uint8_t *bits,
                        const struct ArrowArray *before) {
    const char *flaw = lam_array_flaw(&t->plan.schema, array);
    int64_t old = 0;
    cr_assert_null(flaw, "%s", flaw);
    cr_assert_eq(array->length, LISTS * WIDTH);
    for (int64_t slot = 0; slot < LISTS * WIDTH; slot++) {
        int64_t list = slot / WIDTH;
        if ((bits[list / 8] >> list % 8 & 1) == 0) {
            expect_nulls(t, array, slot);
            continue;
        }
        cr_assert(lam_same_slot(&t->plan.schema, array, slot, &t->plan.schema, before, old),
                  "slot %d", (int)slot);
        old++;
    }
    cr_assert_eq(old, before->length);
}

Test(array_gaps, slots_of_every_kind_stay_the_same_between_new_ones) {
    trial t;
    start(&t);
    lam_allocator heap = lam_allocator_default();
    struct ArrowArray before = read_rows(&t), array = read_rows(&t);
    lam_array_store *store;
    cr_assert_eq(lam_array_store_create(&heap, &store, NULL), LAM_STATUS_OK);
    cr_assert_eq(put_gaps(&t, &array, valid, store), LAM_STATUS_OK);
    lam_array_store_drop(store);
    expect_gaps(&t, &array, valid, &before);
    array.release(&array);
    before.release(&before);
    stop(&t);
}

Test(array_gaps, an_array_whose_lists_are_all_null_consists_of_new_slots) {
    static const uint8_t none[sizeof valid];
    trial t;
    start(&t);
    lam_allocator heap = lam_allocator_default();
    lam_array_store *store;
    cr_assert_eq(lam_array_store_create(&heap, &store, NULL), LAM_STATUS_OK);
    for (size_t i = 0; i < t.plan.leaf_count; i++) {
        const lam_arrow_node *leaf = t.plan.leaves[i];
        bool is_text = leaf->field->type.kind >= LAM_ARROW_BINARY &&
                       leaf->field->type.kind <= LAM_ARROW_STRING_VIEW;
        bool is_fixed =
            lam_arrow_slot_size(leaf->field->type.kind, &leaf->field->type) > 0 && !is_text;
        struct ArrowArray array;
        lam_array_block *empty;
        if (leaf->field->is_dictionary || !is_fixed)
            continue;
        cr_assert_eq(lam_array_create(store, 2, 0, false, &array, NULL), LAM_STATUS_OK);
        cr_assert_eq(lam_array_block_create(store, 0, &empty, NULL), LAM_STATUS_OK);
        lam_array_give(&array, 1, empty);
        cr_assert_eq(
            lam_array_put_gaps(lam_kernels_get(), &array, leaf, none, LISTS, WIDTH, store, NULL),
            LAM_STATUS_OK);
        const char *flaw = lam_array_flaw(leaf->field, &array);
        cr_assert_null(flaw, "%s: %s", leaf->field->name, flaw);
        cr_assert_eq(array.length, LISTS * WIDTH);
        cr_assert_eq(array.null_count, leaf->field->nullable ? LISTS * WIDTH : 0);
        array.release(&array);
    }
    lam_array_store_drop(store);
    stop(&t);
}

Test(array_gaps, any_allocation_that_fails_leaves_an_array_that_can_be_released) {
    trial t;
    start(&t);
    struct ArrowArray before = read_rows(&t);
    lam_status status = LAM_STATUS_NOMEM;
    size_t n = 2;
    for (; status != LAM_STATUS_OK; n++) {
        lam_failing_alloc counter = {.fail_at = n};
        lam_allocator allocator = lam_failing_allocator(&counter);
        struct ArrowArray array = read_rows(&t);
        lam_array_store *store;
        cr_assert_eq(lam_array_store_create(&allocator, &store, NULL), LAM_STATUS_OK);
        status = put_gaps(&t, &array, valid, store);
        cr_assert_eq(status, counter.requests < n ? LAM_STATUS_OK : LAM_STATUS_NOMEM);
        if (status == LAM_STATUS_OK)
            expect_gaps(&t, &array, valid, &before);
        array.release(&array);
        lam_array_store_drop(store);
        cr_assert_eq(counter.live_bytes, 0, "allocation %zu", n);
    }
    cr_assert_gt(n, 50);
    before.release(&before);
    stop(&t);
}

Test(array_gaps, more_slots_than_there_are_numbers_for_are_nomem) {
    trial t;
    start(&t);
    struct ArrowArray array = read_rows(&t);
    lam_error error = lam_error_none();
    cr_assert_eq(lam_array_put_gaps(lam_kernels_get(), &array, &t.plan.root, valid, SIZE_MAX / 2, 3,
                                    NULL, &error),
                 LAM_STATUS_NOMEM);
    cr_assert_not_null(strstr(error.message, "lists of 3"), "%s", error.message);
    const char *flaw = lam_array_flaw(&t.plan.schema, &array);
    cr_assert_null(flaw, "%s", flaw);
    cr_assert_eq(array.length, ROWS);
    array.release(&array);
    stop(&t);
}
