/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Takes the values of a leaf from array to column in up to three steps, each left out if it would
 * have no effect:
 *
 *     indexes -> slots of the dictionary      if the array has a dictionary
 *     slots -> values without gaps            unless they are one range without nulls
 *     values -> elements                      unless both formats have the same bytes
 *
 * An int64 column without nulls is thus written straight from the caller's array. A leaf of a batch
 * gives exactly as many elements as its triples have values, in their order. A value is refused by
 * its index among these, which gives its row.
 */
#include "arrow/write/value_write.h"

#include "arrow/write/value_convert.h"
#include "arrow/write/value_gather.h"
#include "base/checked.h"
#include "base/error.h"
#include "schema/tree.h"

void lam_value_memory_init(lam_value_memory *memory, const lam_kernels *kernels,
                           const lam_allocator *allocator) {
    memory->kernels = kernels;
    LAM_LIST_INIT(&memory->slots, allocator);
    lam_buffer_init(&memory->values, allocator);
    lam_buffer_init(&memory->elements, allocator);
}

void lam_value_memory_finish(lam_value_memory *memory) {
    LAM_LIST_FINISH(&memory->slots);
    lam_buffer_finish(&memory->values);
    lam_buffer_finish(&memory->elements);
}

/*
 * Empties a buffer and makes room for `count` elements and one more, which gathering may write;
 * never NULL.
 */
static lam_status value_make_room(lam_buffer *buffer, size_t count, size_t size, lam_error *error) {
    size_t bytes;
    lam_buffer_clear(buffer);
    if (!lam_mul_size(count + 1, size, &bytes))
        LAM_FAIL(error, LAM_STATUS_NOMEM, "no memory for %zu values", count);
    return lam_buffer_reserve(buffer, bytes, error);
}

/* Where to gather values from: slots of a view. */
typedef struct value_slots {
    const lam_array_view *view;
    const lam_slot_range *ranges;
    size_t range_count; /* of `ranges` */
    const uint8_t *valid;
} value_slots;

/*
 * Turns indexes that are not null into slots of the dictionary, one range each. Null indexes may be
 * anything and are not read; a null that an index means has been counted as a null of the leaf
 * already.
 */
static lam_status find_index(lam_value_memory *memory, const lam_leaf_batch *leaf,
                             value_slots *ret_slots, lam_error *error) {
    const uint8_t *valid = leaf->valid;
    LAM_TRY(LAM_LIST_RESIZE(&memory->slots, leaf->triples.value_count + 1, error));
    lam_slot_range *next = memory->slots.items;
    for (size_t i = 0; i < leaf->range_count; i++) {
        for (int64_t j = 0; j < leaf->ranges[i].count; j++) {
            if (valid != NULL && !*valid++)
                continue;
            next->start = lam_array_index(leaf->view, leaf->ranges[i].start + j);
            next->count = 1;
            next++;
        }
    }
    ret_slots->view = leaf->view->dictionary;
    ret_slots->ranges = memory->slots.items;
    ret_slots->range_count = leaf->triples.value_count;
    ret_slots->valid = NULL;
    return LAM_STATUS_OK;
}

/*
 * Elements of the same bytes are read as numbers later, so they need the alignment of their type;
 * buffers of a caller may lack it.
 */
static bool is_aligned(const void *address, size_t size) {
    size_t alignment = size % 8 == 0 ? 8 : size % 4 == 0 ? 4 : 1;
    return (uintptr_t)address % alignment == 0;
}

/*
 * Gives the values without gaps. They stay in the array if they are one range of slots without
 * nulls; `align` demands aligned ones, and copies others.
 */
static lam_status gather(lam_value_memory *memory, const value_slots *from, size_t count,
                         bool align, const uint8_t **ret_values, lam_error *error) {
    const lam_array_view *view = from->view;
    size_t size = lam_values_gathered_size(view);
    if (lam_values_are_slots(view) && from->range_count == 1 && from->valid == NULL) {
        *ret_values = view->slots + (view->offset + from->ranges[0].start) * (int64_t)size;
        if (!align || is_aligned(*ret_values, size))
            return LAM_STATUS_OK;
    }
    LAM_TRY(value_make_room(&memory->values, count, size, error));
    lam_values_gather(memory->kernels, view, from->ranges, from->range_count, from->valid,
                      memory->values.data);
    *ret_values = memory->values.data;
    return LAM_STATUS_OK;
}

/* Names the row of value number `index`, and the reason. */
static lam_status fail_value(const lam_leaf_batch *leaf, const lam_arrow_type *type, size_t index,
                             lam_error *error) {
    return lam_array_fail(leaf->view, LAM_ERROR_CODE_ARROW_ARRAY, error, "row %lld: %s",
                          (long long)lam_leaf_batch_row(leaf, index), lam_value_fault(type));
}

lam_status lam_value_write(lam_value_memory *memory, const lam_leaf_batch *leaf, bool check,
                           const void **ret_values, lam_error *error) {
    const lam_arrow_type *type = &leaf->view->field->type;
    const lam_field *column = leaf->node->leaf;
    value_slots from = {leaf->view, leaf->ranges, leaf->range_count, leaf->valid};
    size_t count = leaf->triples.value_count, done = count;
    bool is_same = lam_value_is_same(type, column);
    const uint8_t *values;
    if (count == 0) {
        *ret_values = NULL;
        return LAM_STATUS_OK;
    }
    /* Values of a dictionary are gathered as often as indexes mean them. */
    if (leaf->view->dictionary != NULL)
        LAM_TRY(find_index(memory, leaf, &from, error));
    LAM_TRY(gather(memory, &from, count, is_same, &values, error));
    const void *elements = values;
    if (!is_same) {
        LAM_TRY(value_make_room(&memory->elements, count, lam_element_size(column), error));
        elements = memory->elements.data;
        done = lam_value_convert(type, column, values, count, memory->elements.data);
        /* The quick check of the array has found a value that might not be good (array_check.h). */
    } else if (check) {
        done = lam_value_check_same(type, column, values, count);
    }
    if (done < count)
        return fail_value(leaf, type, done, error);
    *ret_values = elements;
    return LAM_STATUS_OK;
}
