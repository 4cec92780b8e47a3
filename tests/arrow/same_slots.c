/* SPDX-License-Identifier: Apache-2.0 */
/* Compares slots of two arrays by their values, whatever the arrays have besides. */
#include "arrow/same_slots.h"

#include <string.h>

#include "arrow/array/array_view.h"
#include "arrow/array_flaw.h"
#include "arrow/slot_width.h"
#include "support/host_order.h"

static int64_t number_at(const struct ArrowArray *array, size_t buffer, int64_t at, bool is_large) {
    return lam_load_offset(is_large, array->buffers[buffer], at);
}

static bool same_elements(const lam_arrow_field *list, const struct ArrowArray *a, int64_t from_a,
                          const struct ArrowArray *b, int64_t from_b, int64_t count) {
    for (int64_t i = 0; i < count; i++)
        if (!lam_same_slot(list->children, a->children[0], from_a + i, b->children[0], from_b + i))
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
    lam_arrow_kind kind = field->type.kind;
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

/* Indexes may differ where the values that they name do not. */
static bool same_entries(const lam_arrow_field *field, const struct ArrowArray *a, int64_t at_a,
                         const struct ArrowArray *b, int64_t at_b) {
    size_t width = lam_test_slot_width(&field->type, field->index_kind);
    lam_arrow_field values = *field;
    const uint8_t *of_a = a->buffers[1], *of_b = b->buffers[1];
    values.is_dictionary = false;
    return lam_same_slot(&values, a->dictionary,
                         (int64_t)lam_test_load(of_a + (size_t)at_a * width, width), b->dictionary,
                         (int64_t)lam_test_load(of_b + (size_t)at_b * width, width));
}

bool lam_same_slot(const lam_arrow_field *field, const struct ArrowArray *a, int64_t at_a,
                   const struct ArrowArray *b, int64_t at_b) {
    int32_t size = field->type.fixed_size;
    if (lam_array_slot_valid(a, at_a) != lam_array_slot_valid(b, at_b))
        return false;
    if (!lam_array_slot_valid(a, at_a))
        return true;
    if (field->is_dictionary)
        return same_entries(field, a, at_a, b, at_b);
    switch (field->type.kind) {
    case LAM_ARROW_NULL:
        return true;
    case LAM_ARROW_FIXED_SIZE_LIST:
        return same_elements(field, a, at_a * size, b, at_b * size, size);
    case LAM_ARROW_STRUCT:
        for (size_t i = 0; i < field->child_count; i++)
            if (!lam_same_slot(&field->children[i], a->children[i], at_a, b->children[i], at_b))
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
