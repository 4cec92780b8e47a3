/* SPDX-License-Identifier: Apache-2.0 */
/* Slots put between those of arrays that a stream gave, and whatever memory fails meanwhile. */
#include "arrow/array_gaps.h"

#include <string.h>

#include "arrow/any_columns.h"
#include "arrow/array_flaw.h"
#include "arrow/array_view.h"
#include "arrow/hand_arrays.h"
#include "arrow/slot_width.h"
#include "support/failing_alloc.h"

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
    lam_input input = lam_input_memory(t->columns.file.data, t->columns.file.size);
    cr_assert_eq(lam_reader_open(&input, NULL, &t->reader, NULL), LAM_STATUS_OK);
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

/* --- Slots that are the same ----------------------------------------------------------------- */

static int64_t number_at(const struct ArrowArray *array, size_t buffer, int64_t at, bool is_large) {
    return lam_load_offset(is_large, array->buffers[buffer], at);
}

static bool same_slot(const lam_arrow_field *field, const struct ArrowArray *a, int64_t at_a,
                      const struct ArrowArray *b, int64_t at_b);

static bool same_elements(const lam_arrow_field *list, const struct ArrowArray *a, int64_t from_a,
                          const struct ArrowArray *b, int64_t from_b, int64_t count) {
    for (int64_t i = 0; i < count; i++)
        if (!same_slot(list->children, a->children[0], from_a + i, b->children[0], from_b + i))
            return false;
    return true;
}

static int64_t size_of_list(lam_arrow_kind kind, const struct ArrowArray *array, int64_t at) {
    bool is_large = lam_array_is_large(kind);
    if (kind == LAM_ARROW_LIST_VIEW || kind == LAM_ARROW_LARGE_LIST_VIEW)
        return number_at(array, 2, at, is_large);
    return number_at(array, 1, at + 1, is_large) - number_at(array, 1, at, is_large);
}

static bool same_lists(const lam_arrow_field *field, const struct ArrowArray *a, int64_t at_a,
                       const struct ArrowArray *b, int64_t at_b) {
    bool is_large = lam_array_is_large(field->type.kind);
    int64_t size = size_of_list(field->type.kind, a, at_a);
    return size == size_of_list(field->type.kind, b, at_b) &&
           same_elements(field, a, number_at(a, 1, at_a, is_large), b,
                         number_at(b, 1, at_b, is_large), size);
}

static bool same_values(const lam_arrow_field *field, const struct ArrowArray *a, int64_t at_a,
                        const struct ArrowArray *b, int64_t at_b) {
    lam_arrow_kind kind = field->is_dictionary ? field->index_kind : field->type.kind;
    size_t width = lam_test_slot_width(&field->type, kind);
    const uint8_t *of_a = a->buffers[1], *of_b = b->buffers[1];
    if (kind == LAM_ARROW_BOOL)
        return (of_a[at_a / 8] >> at_a % 8 & 1) == (of_b[at_b / 8] >> at_b % 8 & 1);
    if (kind >= LAM_ARROW_BINARY && kind <= LAM_ARROW_STRING_VIEW) {
        lam_bytes x = lam_array_slot_bytes(field, a, at_a),
                  y = lam_array_slot_bytes(field, b, at_b);
        return x.size == y.size && memcmp(x.data, y.data, x.size) == 0;
    }
    return memcmp(of_a + (size_t)at_a * width, of_b + (size_t)at_b * width, width) == 0;
}

static bool same_slot(const lam_arrow_field *field, const struct ArrowArray *a, int64_t at_a,
                      const struct ArrowArray *b, int64_t at_b) {
    int32_t size = field->type.fixed_size;
    if (field->type.kind == LAM_ARROW_NULL)
        return true;
    if (lam_array_slot_valid(a, at_a) != lam_array_slot_valid(b, at_b))
        return false;
    if (!lam_array_slot_valid(a, at_a))
        return true;
    switch (field->type.kind) {
    case LAM_ARROW_FIXED_SIZE_LIST:
        return same_elements(field, a, at_a * size, b, at_b * size, size);
    case LAM_ARROW_STRUCT:
        for (size_t i = 0; i < field->child_count; i++)
            if (!same_slot(&field->children[i], a->children[i], at_a, b->children[i], at_b))
                return false;
        return true;
    case LAM_ARROW_LIST:
    case LAM_ARROW_LARGE_LIST:
    case LAM_ARROW_LIST_VIEW:
    case LAM_ARROW_LARGE_LIST_VIEW:
    case LAM_ARROW_MAP:
        return same_lists(field, a, at_a, b, at_b);
    default:
        return same_values(field, a, at_a, b, at_b);
    }
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
        cr_assert(same_slot(&t->plan.schema, array, slot, before, old), "slot %d", (int)slot);
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
