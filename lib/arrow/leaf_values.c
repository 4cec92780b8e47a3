#include "arrow/leaf_values.h"

#include <string.h>

#include "arrow/leaf_text.h"
#include "base/checked.h"
#include "base/error.h"
#include "kernel/kernel.h"

enum { LEAF_VALUES_VIEW_SIZE = 16 };

/* --- Choice of form ------------------------------------------------------------------------ */

static lam_leaf_form form_of(lam_arrow_kind kind) {
    switch (kind) {
    case LAM_ARROW_NULL:
        return LAM_LEAF_FORM_NONE;
    case LAM_ARROW_BOOL:
        return LAM_LEAF_FORM_BITS;
    case LAM_ARROW_BINARY:
    case LAM_ARROW_STRING:
        return LAM_LEAF_FORM_OFFSETS_32;
    case LAM_ARROW_LARGE_BINARY:
    case LAM_ARROW_LARGE_STRING:
        return LAM_LEAF_FORM_OFFSETS_64;
    case LAM_ARROW_BINARY_VIEW:
    case LAM_ARROW_STRING_VIEW:
        return LAM_LEAF_FORM_VIEWS;
    default:
        return LAM_LEAF_FORM_FIXED;
    }
}

static size_t slot_size_of(const lam_leaf_values *values) {
    switch (values->form) {
    case LAM_LEAF_FORM_NONE:
        return 0;
    case LAM_LEAF_FORM_OFFSETS_32:
        return sizeof(int32_t);
    case LAM_LEAF_FORM_OFFSETS_64:
        return sizeof(int64_t);
    case LAM_LEAF_FORM_VIEWS:
        return LEAF_VALUES_VIEW_SIZE;
    default:
        return values->conversion.slot_size;
    }
}

static bool has_offsets(const lam_leaf_values *values) {
    return values->form == LAM_LEAF_FORM_OFFSETS_32 || values->form == LAM_LEAF_FORM_OFFSETS_64;
}

static bool has_data(const lam_leaf_values *values) {
    return has_offsets(values) || values->form == LAM_LEAF_FORM_VIEWS;
}

lam_status lam_leaf_values_init(lam_leaf_values *values, const lam_field *leaf,
                                const lam_arrow_type *type, lam_array_store *store,
                                lam_error *error) {
    lam_leaf_values fresh = {0};
    fresh.store = store;
    fresh.form = form_of(type->kind);
    fresh.is_text = type->kind == LAM_ARROW_STRING || type->kind == LAM_ARROW_LARGE_STRING ||
                    type->kind == LAM_ARROW_STRING_VIEW;
    fresh.data_most = fresh.form == LAM_LEAF_FORM_OFFSETS_64 ? SIZE_MAX / 4 : INT32_MAX;
    if (has_data(&fresh)) {
        char path[100];
        lam_field_path(leaf, path, sizeof path);
        if (leaf->physical_type != LAM_PHYSICAL_BYTE_ARRAY)
            LAM_FAIL(error, LAM_ERROR_CODE_UNSUPPORTED_ARROW, "%s: strings of fixed length", path);
        fresh.conversion.element_size = sizeof(lam_bytes);
    } else if (fresh.form == LAM_LEAF_FORM_NONE) {
        fresh.conversion.element_size = lam_element_size(leaf);
    } else {
        LAM_TRY(lam_leaf_conversion_init(&fresh.conversion, leaf, type, error));
    }
    fresh.slot_size = slot_size_of(&fresh);
    *values = fresh;
    return LAM_STATUS_OK;
}

void lam_leaf_values_init_indexes(lam_leaf_values *values, lam_arrow_kind index_kind,
                                  lam_array_store *store) {
    lam_leaf_values fresh = {0};
    fresh.store = store;
    fresh.form = LAM_LEAF_FORM_FIXED;
    lam_leaf_conversion_init_index(&fresh.conversion, index_kind);
    fresh.slot_size = slot_size_of(&fresh);
    *values = fresh;
}

static void start_anew(lam_leaf_values *values) {
    values->slots = NULL;
    values->data = NULL;
    values->count = 0;
    values->pending = 0;
    values->data_size = 0;
}

void lam_leaf_values_finish(lam_leaf_values *values) {
    lam_array_block_drop(values->slots);
    lam_array_block_drop(values->data);
    start_anew(values);
}

void lam_leaf_values_expect(lam_leaf_values *values, size_t count, size_t data_size,
                            bool as_before) {
    size_t slots = count < SIZE_MAX ? count + has_offsets(values) : count;
    if (!as_before || slots > values->expected_count)
        values->expected_count = slots;
    if (!as_before || data_size > values->expected_data)
        values->expected_data = data_size;
}

/* --- Values -------------------------------------------------------------------------------- */

static lam_status reserve_slots(lam_leaf_values *values, size_t count, lam_error *error) {
    bool is_first = values->slots == NULL;
    size_t used = values->count + values->pending + has_offsets(values), wanted, size;
    if (!lam_add_size(used, count, &wanted) || !lam_mul_size(wanted, values->slot_size, &size))
        LAM_FAIL(error, LAM_STATUS_NOMEM, "no memory for %zu more values", count);
    size_t expected;
    if (is_first && lam_mul_size(values->expected_count, values->slot_size, &expected) &&
        size < expected)
        size = expected;
    used = is_first ? 0 : used * values->slot_size;
    LAM_TRY(lam_array_block_reserve(values->store, &values->slots, used, size, error));
    if (is_first && has_offsets(values))
        memset(values->slots->data, 0, values->slot_size);
    return LAM_STATUS_OK;
}

lam_status lam_leaf_values_reserve(lam_leaf_values *values, size_t count, lam_error *error) {
    return values->form == LAM_LEAF_FORM_NONE ? LAM_STATUS_OK : reserve_slots(values, count, error);
}

static uint8_t *next_slot(const lam_leaf_values *values) {
    return values->slots->data + (values->count + values->pending) * values->slot_size;
}

void *lam_leaf_values_room(lam_leaf_values *values) {
    bool is_plain = (values->form == LAM_LEAF_FORM_FIXED || values->form == LAM_LEAF_FORM_BITS) &&
                    values->conversion.convert == NULL;
    return is_plain ? next_slot(values) : NULL;
}

/* The first element that fails alone, in the room of the next slot. */
static size_t find_fault(const lam_leaf_values *values, const uint8_t *elements, size_t count) {
    const lam_leaf_conversion *conversion = &values->conversion;
    for (size_t i = 0; i < count; i++)
        if (conversion->convert(conversion, elements + i * conversion->element_size, 1,
                                next_slot(values), NULL) != LAM_STATUS_OK)
            return i;
    return SIZE_MAX;
}

static lam_status leaf_values_convert(lam_leaf_values *values, const void *elements, size_t count,
                                      lam_error *error) {
    lam_status status =
        values->conversion.convert(&values->conversion, elements, count, next_slot(values), error);
    if (status != LAM_STATUS_OK)
        values->fault = find_fault(values, elements, count);
    return status;
}

lam_status lam_leaf_values_append(lam_leaf_values *values, const void *elements, size_t count,
                                  lam_error *error) {
    values->fault = SIZE_MAX;
    if (count == 0)
        return LAM_STATUS_OK;
    if (values->form == LAM_LEAF_FORM_NONE)
        LAM_FAIL(error, LAM_ERROR_CODE_UNKNOWN_NULL, "a value in a column that has only nulls");
    if (has_data(values)) {
        LAM_TRY(lam_leaf_text_append(values, elements, count, error));
    } else if (values->conversion.convert != NULL) {
        LAM_TRY(leaf_values_convert(values, elements, count, error));
    } else if (values->slot_size > 0) {
        memcpy(next_slot(values), elements, count * values->slot_size);
    }
    values->pending += count;
    return LAM_STATUS_OK;
}

void lam_leaf_values_spread(lam_leaf_values *values, const uint8_t *bits, size_t count) {
    if (has_offsets(values))
        lam_leaf_text_spread(values, bits, count);
    else if (bits != NULL && values->pending < count && values->slot_size > 0)
        lam_kernels_get()->spread(values->slots->data + values->count * values->slot_size,
                                  values->slot_size, values->pending, bits, count);
    values->count += count;
    values->pending = 0;
}

/* --- Buffers ------------------------------------------------------------------------------- */

size_t lam_leaf_values_buffer_count(const lam_leaf_values *values) {
    switch (values->form) {
    case LAM_LEAF_FORM_NONE:
        return 0;
    case LAM_LEAF_FORM_OFFSETS_32:
    case LAM_LEAF_FORM_OFFSETS_64:
        return 2;
    case LAM_LEAF_FORM_VIEWS:
        return 3; /* views, data, sizes of the data buffers */
    default:
        return 1;
    }
}

static lam_status give_bits(const lam_leaf_values *values, struct ArrowArray *array,
                            lam_error *error) {
    lam_array_block *bits;
    LAM_TRY(lam_array_block_create(values->store, (values->count + 7) / 8, &bits, error));
    lam_kernels_get()->pack_bools(values->slots->data, values->count, bits->data);
    lam_array_give(array, 1, bits);
    return LAM_STATUS_OK;
}

static lam_status give_data_sizes(const lam_leaf_values *values, struct ArrowArray *array,
                                  lam_error *error) {
    lam_array_block *sizes;
    int64_t size = (int64_t)values->data_size;
    LAM_TRY(lam_array_block_create(values->store, sizeof size, &sizes, error));
    memcpy(sizes->data, &size, sizeof size);
    lam_array_give(array, 3, sizes);
    return LAM_STATUS_OK;
}

lam_status lam_leaf_values_export(lam_leaf_values *values, bool keep, struct ArrowArray *array,
                                  lam_error *error) {
    if (values->form == LAM_LEAF_FORM_NONE) {
        start_anew(values);
        return LAM_STATUS_OK;
    }
    /* Buffers are there even when nothing is in them: offsets have one number at least. */
    LAM_TRY(reserve_slots(values, 0, error));
    if (has_data(values))
        LAM_TRY(lam_array_block_reserve(values->store, &values->data, values->data_size,
                                        values->data_size, error));
    if (values->form == LAM_LEAF_FORM_VIEWS)
        LAM_TRY(give_data_sizes(values, array, error));
    if (values->form == LAM_LEAF_FORM_BITS)
        LAM_TRY(give_bits(values, array, error));
    else
        lam_array_give(array, 1, lam_array_block_share(values->slots));
    if (has_data(values))
        lam_array_give(array, 2, lam_array_block_share(values->data));
    values->expected_count = values->count + has_offsets(values);
    values->expected_data = values->data_size;
    if (!keep)
        lam_leaf_values_finish(values);
    return LAM_STATUS_OK;
}
