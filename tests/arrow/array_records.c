/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tells arrays as records, slot by slot from the root down: the way back from what the library
 * does, for comparisons with what it read as records.
 */
#include "arrow/array_records.h"

#include <criterion/criterion.h>
#include <lamella/record.h>
#include <string.h>

#include "arrow/array_flaw.h"
#include "support/host_order.h"

#define GOOD(call) cr_assert_eq((call), LAM_STATUS_OK)

static void tell(const lam_arrow_node *node, const struct ArrowArray *array, int64_t slot,
                 const lam_record_sink *sink);

static int64_t integer_at(const void *numbers, size_t size, bool is_signed, int64_t slot) {
    const uint8_t *at = (const uint8_t *)numbers + (size_t)slot * size;
    uint64_t x = lam_test_load(at, size);
    if (is_signed && size < 8 && x >> (8 * size - 1))
        x |= UINT64_MAX << 8 * size;
    return (int64_t)x;
}

static int64_t small_integer(const lam_arrow_field *field, const void *numbers, int64_t slot) {
    switch (field->type.kind) {
    case LAM_ARROW_INT8:
        return integer_at(numbers, 1, true, slot);
    case LAM_ARROW_UINT8:
        return integer_at(numbers, 1, false, slot);
    case LAM_ARROW_INT16:
        return integer_at(numbers, 2, true, slot);
    case LAM_ARROW_UINT16:
        return integer_at(numbers, 2, false, slot);
    case LAM_ARROW_DECIMAL:
        return integer_at(numbers, (size_t)field->type.bit_width / 8, true, slot);
    default:
        return integer_at(numbers, 4, true, slot);
    }
}

static lam_value value_at(const lam_arrow_node *node, const struct ArrowArray *array,
                          int64_t slot) {
    const lam_arrow_field *field = node->field;
    const uint8_t *slots = array->buffers[1];
    lam_value value = {0};
    switch ((lam_physical_type)node->leaf->physical_type) {
    case LAM_PHYSICAL_BOOLEAN:
        value.boolean = slots[slot / 8] >> slot % 8 & 1;
        break;
    case LAM_PHYSICAL_INT32:
        value.int32 = (int32_t)small_integer(field, slots, slot);
        break;
    case LAM_PHYSICAL_INT64:
        value.int64 = field->type.kind == LAM_ARROW_DECIMAL ? small_integer(field, slots, slot)
                                                            : integer_at(slots, 8, true, slot);
        break;
    case LAM_PHYSICAL_FLOAT:
        memcpy(&value.float32, slots + slot * 4, 4);
        break;
    case LAM_PHYSICAL_DOUBLE:
        memcpy(&value.float64, slots + slot * 8, 8);
        break;
    default:
        value.bytes = lam_array_slot_bytes(field, array, slot);
        break;
    }
    return value;
}

static void tell_value(const lam_arrow_node *node, const struct ArrowArray *array, int64_t slot,
                       const lam_record_sink *sink) {
    if (!node->field->is_dictionary) {
        GOOD(sink->put(sink->state, node->leaf, value_at(node, array, slot), NULL));
        return;
    }
    cr_assert_eq(node->field->index_kind, LAM_ARROW_INT32);
    int64_t index = integer_at(array->buffers[1], 4, true, slot);
    lam_arrow_field field = *node->field;
    lam_arrow_node values = *node;
    field.is_dictionary = false;
    values.field = &field;
    GOOD(sink->put(sink->state, node->leaf, value_at(&values, array->dictionary, index), NULL));
}

static void tell_list(const lam_arrow_node *node, const struct ArrowArray *array, int64_t slot,
                      const lam_record_sink *sink) {
    int64_t at = integer_at(array->buffers[1], 4, true, slot);
    int64_t end = integer_at(array->buffers[1], 4, true, slot + 1);
    const lam_field *group = node->parquet, *element = node->children->parquet;
    if (group == element) { /* a repeated field, of which each element is one */
        for (; at < end; at++)
            tell(node->children, array->children[0], at, sink);
        return;
    }
    const lam_field *repeated = lam_field_child(group, 0);
    GOOD(sink->open(sink->state, group, NULL));
    for (; at < end; at++) {
        if (repeated != element)
            GOOD(sink->open(sink->state, repeated, NULL));
        tell(node->children, array->children[0], at, sink);
        if (repeated != element)
            GOOD(sink->close(sink->state, repeated, NULL));
    }
    GOOD(sink->close(sink->state, group, NULL));
}

static void tell(const lam_arrow_node *node, const struct ArrowArray *array, int64_t slot,
                 const lam_record_sink *sink) {
    cr_assert_lt(slot, array->length);
    if (!lam_array_slot_valid(array, slot))
        return;
    if (node->shape == LAM_ARROW_NODE_VALUE) {
        tell_value(node, array, slot, sink);
    } else if (node->shape == LAM_ARROW_NODE_LIST) {
        tell_list(node, array, slot, sink);
    } else {
        GOOD(sink->open(sink->state, node->parquet, NULL));
        for (size_t i = 0; i < node->child_count; i++)
            tell(&node->children[i], array->children[i], slot, sink);
        GOOD(sink->close(sink->state, node->parquet, NULL));
    }
}

void lam_array_tell(const lam_arrow_plan *plan, const struct ArrowArray *array,
                    const lam_record_sink *sink) {
    const lam_arrow_node *root = &plan->root;
    for (int64_t row = 0; row < array->length; row++) {
        GOOD(sink->begin(sink->state, NULL));
        for (size_t i = 0; i < root->child_count; i++)
            tell(&root->children[i], array->children[i], row, sink);
        GOOD(sink->end(sink->state, NULL));
    }
}
