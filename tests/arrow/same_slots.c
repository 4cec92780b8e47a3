/* SPDX-License-Identifier: Apache-2.0 */
/* Compares slots of two arrays by their values, whatever the arrays and their types are like. */
#include "arrow/same_slots.h"

#include <string.h>

#include "arrow/array/array_view.h"
#include "arrow/array_flaw.h"
#include "arrow/slot_width.h"
#include "support/host_order.h"

static int64_t number_at(const struct ArrowArray *array, size_t buffer, int64_t at, bool is_large) {
    return lam_load_offset(is_large, array->buffers[buffer], at);
}

/* The elements of a list in its child, from `begin` on. */
typedef struct list_slot {
    int64_t begin;
    int64_t size;
} list_slot;

static list_slot list_at(const lam_arrow_type *type, const struct ArrowArray *array, int64_t at) {
    bool is_large = lam_array_is_large(type->kind);
    if (type->kind == LAM_ARROW_FIXED_SIZE_LIST)
        return (list_slot){at * type->fixed_size, type->fixed_size};
    int64_t begin = number_at(array, 1, at, is_large);
    if (type->kind == LAM_ARROW_LIST_VIEW || type->kind == LAM_ARROW_LARGE_LIST_VIEW)
        return (list_slot){begin, number_at(array, 2, at, is_large)};
    return (list_slot){begin, number_at(array, 1, at + 1, is_large) - begin};
}

static bool same_lists(const lam_arrow_field *field_a, const struct ArrowArray *a, int64_t at_a,
                       const lam_arrow_field *field_b, const struct ArrowArray *b, int64_t at_b) {
    list_slot x = list_at(&field_a->type, a, at_a), y = list_at(&field_b->type, b, at_b);
    for (int64_t i = 0; x.size == y.size && i < x.size; i++)
        if (!lam_same_slot(field_a->children, a->children[0], x.begin + i, field_b->children,
                           b->children[0], y.begin + i))
            return false;
    return x.size == y.size;
}

/* A value of up to 32 bytes, the least one first, with the sign repeated above. */
typedef struct wide_value {
    uint8_t bytes[32];
} wide_value;

static wide_value widened(const uint8_t *value, size_t width) {
    wide_value wide;
    for (size_t i = 0; i < sizeof wide.bytes; i++)
        wide.bytes[i] = i >= width ? (uint8_t)(wide.bytes[width - 1] & 0x80 ? 0xff : 0)
                                   : value[lam_test_byte_place(width, i)];
    return wide;
}

static wide_value widened_number(int64_t number) {
    return widened((const uint8_t *)&number, sizeof number);
}

/* Days, and times in seconds, are counted in milliseconds; intervals are those with all parts. */
static wide_value value_at(const lam_arrow_type *type, const uint8_t *value) {
    size_t width = lam_test_slot_width(type, type->kind);
    struct {
        int32_t months, days;
        int64_t nanos;
    } interval = {0, 0, 0};
    bool seconds = type->unit == LAM_ARROW_SECOND;
    int32_t number = 0, millis;
    int64_t count = 0;
    if (width == sizeof number)
        memcpy(&number, value, width);
    if (width == sizeof count)
        memcpy(&count, value, width);
    if (type->kind == LAM_ARROW_DATE32)
        return widened_number(number * INT64_C(86400000));
    if (type->kind == LAM_ARROW_TIME32)
        return widened_number(number * (seconds ? INT64_C(1000) : 1));
    if (type->kind == LAM_ARROW_TIMESTAMP)
        return widened_number(count * (seconds ? 1000 : 1));
    if (type->kind == LAM_ARROW_INTERVAL_MONTHS) {
        interval.months = number;
        return widened((const uint8_t *)&interval, sizeof interval);
    }
    if (type->kind == LAM_ARROW_INTERVAL_DAY_TIME) {
        memcpy(&interval.days, value, sizeof interval.days);
        memcpy(&millis, value + 4, sizeof millis);
        interval.nanos = millis * INT64_C(1000000);
        return widened((const uint8_t *)&interval, sizeof interval);
    }
    return widened(value, width);
}

static bool is_bytes(lam_arrow_kind kind) {
    return kind >= LAM_ARROW_BINARY && kind <= LAM_ARROW_FIXED_SIZE_BINARY;
}

static bool same_values(const lam_arrow_field *field_a, const struct ArrowArray *a, int64_t at_a,
                        const lam_arrow_field *field_b, const struct ArrowArray *b, int64_t at_b) {
    const lam_arrow_type *type_a = &field_a->type, *type_b = &field_b->type;
    const uint8_t *of_a = a->buffers[1], *of_b = b->buffers[1];
    if (is_bytes(type_a->kind) || is_bytes(type_b->kind)) {
        if (!is_bytes(type_a->kind) || !is_bytes(type_b->kind))
            return false;
        lam_bytes x = lam_array_slot_bytes(field_a, a, at_a),
                  y = lam_array_slot_bytes(field_b, b, at_b);
        return x.size == y.size && memcmp(x.data, y.data, x.size) == 0;
    }
    if (type_a->kind == LAM_ARROW_BOOL || type_b->kind == LAM_ARROW_BOOL)
        return type_a->kind == type_b->kind &&
               (of_a[at_a / 8] >> at_a % 8 & 1) == (of_b[at_b / 8] >> at_b % 8 & 1);
    wide_value x =
        value_at(type_a, of_a + (size_t)at_a * lam_test_slot_width(type_a, type_a->kind));
    wide_value y =
        value_at(type_b, of_b + (size_t)at_b * lam_test_slot_width(type_b, type_b->kind));
    return memcmp(&x, &y, sizeof x) == 0;
}

/* Moves from a dictionary to its values: indexes may differ where the values do not. */
static void enter_dictionary(lam_arrow_field *field, const struct ArrowArray **array, int64_t *at) {
    if (!field->is_dictionary)
        return;
    size_t width = lam_test_slot_width(&field->type, field->index_kind);
    const uint8_t *indexes = (*array)->buffers[1];
    *at = (int64_t)lam_test_load(indexes + (size_t)*at * width, width);
    *array = (*array)->dictionary;
    field->is_dictionary = false;
}

static bool is_there(const lam_arrow_field *field, const struct ArrowArray *array, int64_t at) {
    return lam_array_slot_valid(array, at) &&
           (field->is_dictionary || field->type.kind != LAM_ARROW_NULL);
}

bool lam_same_slot(const lam_arrow_field *field_a, const struct ArrowArray *a, int64_t at_a,
                   const lam_arrow_field *field_b, const struct ArrowArray *b, int64_t at_b) {
    lam_arrow_field plain_a = *field_a, plain_b = *field_b;
    bool there = is_there(field_a, a, at_a);
    if (there != is_there(field_b, b, at_b))
        return false;
    if (!there)
        return true;
    enter_dictionary(&plain_a, &a, &at_a);
    enter_dictionary(&plain_b, &b, &at_b);
    if (plain_a.child_count != plain_b.child_count)
        return false;
    switch (plain_a.type.kind) {
    case LAM_ARROW_STRUCT:
        for (size_t i = 0; i < plain_a.child_count; i++)
            if (!lam_same_slot(&plain_a.children[i], a->children[i], at_a, &plain_b.children[i],
                               b->children[i], at_b))
                return false;
        return true;
    case LAM_ARROW_LIST:
    case LAM_ARROW_LARGE_LIST:
    case LAM_ARROW_LIST_VIEW:
    case LAM_ARROW_LARGE_LIST_VIEW:
    case LAM_ARROW_FIXED_SIZE_LIST:
    case LAM_ARROW_MAP:
        return same_lists(&plain_a, a, at_a, &plain_b, b, at_b);
    default:
        return same_values(&plain_a, a, at_a, &plain_b, b, at_b);
    }
}
