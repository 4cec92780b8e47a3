/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Looks through an array that came out of the library, and says in words what the rules of the
 * columnar format do not allow.
 */
#include "arrow/array_flaw.h"

#include <stdio.h>
#include <string.h>

#include "arrow/slot_width.h"
#include "base/utf8.h"
#include "support/host_order.h"

#define DEMAND(condition)                                                                          \
    do {                                                                                           \
        if (!(condition))                                                                          \
            return #condition;                                                                     \
    } while (0)

static volatile uint8_t sink; /* bytes that are looked at */

static void touch(const void *bytes, size_t size) {
    for (size_t i = 0; i < size; i++)
        sink ^= ((const uint8_t *)bytes)[i];
}

bool lam_array_slot_valid(const struct ArrowArray *array, int64_t slot) {
    const uint8_t *validity = array->n_buffers > 0 ? array->buffers[0] : NULL;
    return validity == NULL || (validity[slot / 8] >> slot % 8 & 1) != 0;
}

static int64_t number_at(const void *numbers, size_t size, int64_t index) {
    const uint8_t *at = (const uint8_t *)numbers + (size_t)index * size;
    int32_t narrow;
    int64_t wide;
    if (size == 4) {
        memcpy(&narrow, at, 4);
        return narrow;
    }
    memcpy(&wide, at, 8);
    return wide;
}

static size_t offset_size(lam_arrow_kind kind) {
    switch (kind) {
    case LAM_ARROW_BINARY:
    case LAM_ARROW_STRING:
    case LAM_ARROW_LIST:
    case LAM_ARROW_MAP:
    case LAM_ARROW_LIST_VIEW:
        return 4;
    default:
        return 8;
    }
}

lam_bytes lam_array_slot_bytes(const lam_arrow_field *field, const struct ArrowArray *array,
                               int64_t slot) {
    lam_arrow_kind kind = field->type.kind;
    lam_bytes bytes = {NULL, 0};
    if (kind == LAM_ARROW_BINARY_VIEW || kind == LAM_ARROW_STRING_VIEW) {
        const uint8_t *view = (const uint8_t *)array->buffers[1] + slot * 16;
        bytes.size = (size_t)number_at(view, 4, 0);
        bytes.data = bytes.size <= 12 ? view + 4
                                      : (const uint8_t *)array->buffers[2 + number_at(view, 4, 2)] +
                                            number_at(view, 4, 3);
        return bytes;
    }
    if (kind == LAM_ARROW_FIXED_SIZE_BINARY) {
        bytes.size = (size_t)field->type.fixed_size;
        bytes.data = (const uint8_t *)array->buffers[1] + (size_t)slot * bytes.size;
        return bytes;
    }
    size_t size = offset_size(kind);
    int64_t start = number_at(array->buffers[1], size, slot);
    bytes.size = (size_t)(number_at(array->buffers[1], size, slot + 1) - start);
    bytes.data = (const uint8_t *)array->buffers[2] + start;
    return bytes;
}

static const char *flaw_of_nulls(const lam_arrow_field *field, const struct ArrowArray *array) {
    int64_t nulls = 0;
    for (int64_t i = 0; i < array->length; i++)
        nulls += !lam_array_slot_valid(array, i);
    DEMAND(array->null_count == nulls);
    DEMAND((array->buffers[0] == NULL) == (nulls == 0));
    /* There may be no value in a dictionary that an empty slot could stand for. */
    DEMAND(field->nullable || nulls == 0 || array->dictionary != NULL);
    return NULL;
}

static const char *flaw_of_offsets(size_t size, const struct ArrowArray *array, int64_t *ret_end) {
    int64_t last = 0;
    DEMAND(array->buffers[1] != NULL && (uintptr_t)array->buffers[1] % 64 == 0);
    for (int64_t i = 0; i <= array->length; i++) {
        int64_t offset = number_at(array->buffers[1], size, i);
        DEMAND(i > 0 || offset == 0);
        DEMAND(offset >= last);
        last = offset;
    }
    *ret_end = last;
    return NULL;
}

/* Any number of data buffers, and behind them their sizes. */
static const char *flaw_of_views(const lam_arrow_field *field, const struct ArrowArray *array) {
    DEMAND(array->n_buffers >= 4 && array->buffers[array->n_buffers - 1] != NULL);
    int64_t data_count = array->n_buffers - 3;
    for (int64_t i = 0; i < data_count; i++) {
        DEMAND(array->buffers[2 + i] != NULL);
        touch(array->buffers[2 + i], (size_t)number_at(array->buffers[array->n_buffers - 1], 8, i));
    }
    for (int64_t i = 0; i < array->length; i++) {
        lam_bytes bytes = lam_array_slot_bytes(field, array, i);
        const uint8_t *view = (const uint8_t *)array->buffers[1] + i * 16;
        if (bytes.size <= 12)
            continue;
        int64_t number = number_at(view, 4, 2), start = number_at(view, 4, 3);
        DEMAND(number >= 0 && number < data_count && start >= 0);
        DEMAND(start + (int64_t)bytes.size <=
               number_at(array->buffers[array->n_buffers - 1], 8, number));
        DEMAND(memcmp(view + 4, bytes.data, 4) == 0);
    }
    return NULL;
}

static const char *flaw_of_text(const lam_arrow_field *field, const struct ArrowArray *array) {
    lam_arrow_kind kind = field->type.kind;
    bool is_view = kind == LAM_ARROW_BINARY_VIEW || kind == LAM_ARROW_STRING_VIEW;
    bool is_text =
        kind == LAM_ARROW_STRING || kind == LAM_ARROW_LARGE_STRING || kind == LAM_ARROW_STRING_VIEW;
    int64_t end = 0;
    DEMAND(is_view || (array->n_buffers == 3 && array->buffers[2] != NULL));
    const char *flaw =
        is_view ? flaw_of_views(field, array) : flaw_of_offsets(offset_size(kind), array, &end);
    if (flaw != NULL)
        return flaw;
    if (!is_view)
        touch(array->buffers[2], (size_t)end);
    for (int64_t i = 0; i < array->length; i++) {
        lam_bytes bytes = lam_array_slot_bytes(field, array, i);
        DEMAND(!is_text || lam_utf8_prefix(bytes.data, bytes.size) == bytes.size);
    }
    return NULL;
}

static const char *flaw_of_indexes(const lam_arrow_field *field, const struct ArrowArray *array) {
    size_t size = lam_test_slot_width(&field->type, field->index_kind);
    DEMAND(array->n_buffers == 2 && array->dictionary != NULL);
    for (int64_t i = 0; i < array->length; i++) {
        const uint8_t *at = (const uint8_t *)array->buffers[1] + (size_t)i * size;
        uint64_t index = lam_test_load(at, size);
        if (lam_array_slot_valid(array, i))
            DEMAND(index < (uint64_t)array->dictionary->length);
    }
    lam_arrow_field values = *field;
    values.is_dictionary = false;
    values.nullable = false;
    return lam_array_flaw(&values, array->dictionary);
}

static const char *flaw_of_value(const lam_arrow_field *field, const struct ArrowArray *array) {
    DEMAND(array->n_children == 0);
    if (field->is_dictionary)
        return flaw_of_indexes(field, array);
    DEMAND(array->dictionary == NULL);
    switch (field->type.kind) {
    case LAM_ARROW_BINARY:
    case LAM_ARROW_LARGE_BINARY:
    case LAM_ARROW_BINARY_VIEW:
    case LAM_ARROW_STRING:
    case LAM_ARROW_LARGE_STRING:
    case LAM_ARROW_STRING_VIEW:
        return flaw_of_text(field, array);
    case LAM_ARROW_BOOL:
        DEMAND(array->n_buffers == 2 && array->buffers[1] != NULL);
        touch(array->buffers[1], (size_t)(array->length + 7) / 8);
        return NULL;
    default:
        DEMAND(array->n_buffers == 2 && array->buffers[1] != NULL);
        DEMAND((uintptr_t)array->buffers[1] % 64 == 0);
        touch(array->buffers[1],
              (size_t)array->length * lam_test_slot_width(&field->type, field->type.kind));
        return NULL;
    }
}

static const char *flaw_of_list(const lam_arrow_field *field, const struct ArrowArray *array) {
    lam_arrow_kind kind = field->type.kind;
    bool is_view = kind == LAM_ARROW_LIST_VIEW || kind == LAM_ARROW_LARGE_LIST_VIEW;
    const struct ArrowArray *child;
    DEMAND(array->n_children == 1 && field->child_count == 1);
    child = array->children[0];
    if (kind == LAM_ARROW_FIXED_SIZE_LIST) {
        DEMAND(array->n_buffers == 1);
        DEMAND(child->length == array->length * field->type.fixed_size);
    } else if (is_view) {
        size_t size = offset_size(kind);
        DEMAND(array->n_buffers == 3);
        for (int64_t i = 0; i < array->length; i++) {
            int64_t offset = number_at(array->buffers[1], size, i);
            int64_t count = number_at(array->buffers[2], size, i);
            DEMAND(offset >= 0 && count >= 0 && offset <= child->length - count);
        }
    } else {
        int64_t end = 0;
        DEMAND(array->n_buffers == 2);
        const char *flaw = flaw_of_offsets(offset_size(kind), array, &end);
        if (flaw != NULL)
            return flaw;
        DEMAND(end == child->length);
    }
    if (kind == LAM_ARROW_MAP)
        DEMAND(child->null_count == 0 && child->children[0]->null_count == 0);
    return lam_array_flaw(field->children, child);
}

static const char *flaw_of_struct(const lam_arrow_field *field, const struct ArrowArray *array) {
    DEMAND(array->n_buffers == 1 && array->n_children == (int64_t)field->child_count);
    for (size_t i = 0; i < field->child_count; i++) {
        DEMAND(array->children[i]->length == array->length);
        const char *flaw = lam_array_flaw(&field->children[i], array->children[i]);
        if (flaw != NULL)
            return flaw;
    }
    return NULL;
}

const char *lam_array_flaw(const lam_arrow_field *field, const struct ArrowArray *array) {
    DEMAND(array->release != NULL);
    DEMAND(array->length >= 0 && array->offset == 0);
    if (field->type.kind == LAM_ARROW_NULL && !field->is_dictionary) {
        DEMAND(array->n_buffers == 0 && array->null_count == array->length);
        return NULL;
    }
    DEMAND(array->n_buffers > 0);
    const char *flaw = flaw_of_nulls(field, array);
    if (flaw != NULL)
        return flaw;
    switch (field->type.kind) {
    case LAM_ARROW_STRUCT:
        return flaw_of_struct(field, array);
    case LAM_ARROW_LIST:
    case LAM_ARROW_LARGE_LIST:
    case LAM_ARROW_LIST_VIEW:
    case LAM_ARROW_LARGE_LIST_VIEW:
    case LAM_ARROW_FIXED_SIZE_LIST:
    case LAM_ARROW_MAP:
        return flaw_of_list(field, array);
    default:
        return flaw_of_value(field, array);
    }
}
