/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keeps the buffers of an array while it grows: reserve, append or write in place, spread, export.
 * Takes values without gaps, and a bit per slot; gives the buffers of one array, after which those
 * of the next start empty.
 *
 * The invariant: `count` slots are complete, and `pending` values follow them directly. Only this
 * file distinguishes the forms of buffers: values of fixed size are converted by leaf_convert.c,
 * bytes by leaf_text.c; booleans are bytes until the export packs them, so that spreading them is
 * the same as for other values.
 */
#include "arrow/read/leaf_values.h"

#include <string.h>

#include "arrow/read/leaf_text.h"
#include "base/checked.h"
#include "base/error.h"

enum { LEAF_VALUES_VIEW_SIZE = 16 };

/* --- Choice of form ------------------------------------------------------------------------ */

/* The buffers of a kind; kinds that are not named have slots of a fixed size. */
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

/*
 * Bytes of a slot. The forms that are not named take them from their conversion: BITS has a byte
 * here.
 */
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

/* Offsets are one more than the slots: the first is 0, and slot i ends at offset i + 1. */
static bool has_offsets(const lam_leaf_values *values) {
    return values->form == LAM_LEAF_FORM_OFFSETS_32 || values->form == LAM_LEAF_FORM_OFFSETS_64;
}

static bool has_data(const lam_leaf_values *values) {
    return has_offsets(values) || values->form == LAM_LEAF_FORM_VIEWS;
}

lam_status lam_leaf_values_init(lam_leaf_values *values, const lam_kernels *kernels,
                                const lam_field *leaf, const lam_arrow_type *type,
                                lam_array_store *store, lam_error *error) {
    lam_leaf_values fresh = {0};
    fresh.kernels = kernels;
    fresh.store = store;
    fresh.form = form_of(type->kind);
    fresh.is_text = type->kind == LAM_ARROW_STRING || type->kind == LAM_ARROW_LARGE_STRING ||
                    type->kind == LAM_ARROW_STRING_VIEW;
    /* Views hold the size and the offset as int32, as 32-bit offsets do. */
    fresh.data_most = fresh.form == LAM_LEAF_FORM_OFFSETS_64 ? SIZE_MAX / 4 : INT32_MAX;
    /* Strings of fixed length have no Arrow form with offsets here; fixed_size_binary is FIXED. */
    if (has_data(&fresh)) {
        char path[100];
        lam_field_path(leaf, path, sizeof path);
        if (leaf->physical_type != LAM_PHYSICAL_BYTE_ARRAY)
            LAM_FAIL(error, LAM_ERROR_CODE_UNSUPPORTED_ARROW, "%s: strings of fixed length", path);
        fresh.conversion.element_size = sizeof(lam_bytes);
    } else if (fresh.form == LAM_LEAF_FORM_NONE) {
        fresh.conversion.element_size = lam_element_size(leaf);
    } else {
        LAM_TRY(lam_leaf_conversion_init(&fresh.conversion, kernels, leaf, type, error));
    }
    fresh.slot_size = slot_size_of(&fresh);
    *values = fresh;
    return LAM_STATUS_OK;
}

/* Indexes are values of a fixed size, whose conversion depends on the index type alone. */
void lam_leaf_values_init_indexes(lam_leaf_values *values, const lam_kernels *kernels,
                                  lam_arrow_kind index_kind, lam_array_store *store) {
    lam_leaf_values fresh = {0};
    fresh.kernels = kernels;
    fresh.store = store;
    fresh.form = LAM_LEAF_FORM_FIXED;
    lam_leaf_conversion_init_index(&fresh.conversion, index_kind);
    fresh.slot_size = slot_size_of(&fresh);
    *values = fresh;
}

/*
 * Forgets the buffers, which were dropped or handed over, but not the sizes that are expected next.
 */
static void start_anew(lam_leaf_values *values) {
    values->slots = NULL;
    values->data = NULL;
    values->count = 0;
    values->pending = 0;
    values->data_size = 0;
    values->lent = NULL;
    values->lent_count = 0;
    values->lent_text = NULL;
}

/* Where something is lent. */
static lam_leaf_lent *lent_data(const lam_leaf_values *values) {
    return (lam_leaf_lent *)(void *)values->lent->data;
}

void lam_leaf_values_finish(lam_leaf_values *values) {
    for (size_t i = 0; i < values->lent_count; i++)
        lam_array_block_drop(lent_data(values)[i].block);
    lam_array_block_drop(values->lent);
    lam_array_block_drop(values->slots);
    lam_array_block_drop(values->data);
    start_anew(values);
}

void lam_leaf_values_expect(lam_leaf_values *values, size_t count, size_t data_size,
                            bool as_before) {
    /* OFFSETS take one more; the guess must not wrap around. */
    size_t slots = count < SIZE_MAX ? count + has_offsets(values) : count;
    if (!as_before || slots > values->expected_count)
        values->expected_count = slots;
    if (!as_before || data_size > values->expected_data)
        values->expected_data = data_size;
}

/* --- Values -------------------------------------------------------------------------------- */

/*
 * Makes room for `count` more slots. The first room of an array is as much as the caller expects,
 * if that is more, so that it grows once. Sizes are checked before they are multiplied.
 */
static lam_status reserve_slots(lam_leaf_values *values, size_t count, lam_error *error) {
    bool is_first = values->slots == NULL;
    /* In slots, the first offset included. */
    size_t used = values->count + values->pending + has_offsets(values), wanted, size;
    if (!lam_add_size(used, count, &wanted) || !lam_mul_size(wanted, values->slot_size, &size))
        LAM_FAIL(error, LAM_STATUS_NOMEM, "no memory for %zu more values", count);
    size_t expected;
    if (is_first && lam_mul_size(values->expected_count, values->slot_size, &expected) &&
        size < expected)
        size = expected;
    used = is_first ? 0 : used * values->slot_size;
    LAM_TRY(lam_array_block_reserve(values->store, &values->slots, used, size, error));
    /* The first offset of an array is 0; the others are summed up from it. */
    if (is_first && has_offsets(values))
        memset(values->slots->data, 0, values->slot_size);
    return LAM_STATUS_OK;
}

lam_status lam_leaf_values_reserve(lam_leaf_values *values, size_t count, lam_error *error) {
    return values->form == LAM_LEAF_FORM_NONE ? LAM_STATUS_OK : reserve_slots(values, count, error);
}

/* The slot after the pending values, for forms without offsets. */
static uint8_t *next_slot(const lam_leaf_values *values) {
    return values->slots->data + (values->count + values->pending) * values->slot_size;
}

/* Values whose bytes are the same in both formats are decoded directly into the array. */
void *lam_leaf_values_room(lam_leaf_values *values) {
    /* BITS has a byte per slot so far, the same as booleans of the cursor. */
    bool is_plain = (values->form == LAM_LEAF_FORM_FIXED || values->form == LAM_LEAF_FORM_BITS) &&
                    values->conversion.convert == NULL;
    return is_plain ? next_slot(values) : NULL;
}

void *lam_leaf_values_slots(lam_leaf_values *values) {
    return next_slot(values);
}

lam_status lam_leaf_values_lend(lam_leaf_values *values, size_t number, lam_array_block *block,
                                size_t size, lam_error *error) {
    size_t count = values->lent_count;
    if (number <= count && lent_data(values)[number - 1].block == block)
        return LAM_STATUS_OK;
    /* Buffers may be lent in any order: numbers below this one that are not used stay NULL. */
    size_t wanted = number > count ? number : count;
    LAM_TRY(lam_array_block_reserve(values->store, &values->lent, count * sizeof(lam_leaf_lent),
                                    wanted * sizeof(lam_leaf_lent), error));
    lam_leaf_lent *lent = lent_data(values);
    for (; count < wanted; count++)
        lent[count] = (lam_leaf_lent){NULL, 0};
    lent[number - 1] = (lam_leaf_lent){lam_array_block_share(block), size};
    values->lent_count = count;
    return LAM_STATUS_OK;
}

lam_status lam_leaf_values_lend_page(lam_leaf_values *values, lam_array_block *block, size_t size,
                                     lam_error *error) {
    size_t count = values->lent_count;
    if (count >= LAM_LEAF_PAGE_DATA && lent_data(values)[count - 1].block == block)
        return LAM_STATUS_OK;
    size_t number = count + 1 > LAM_LEAF_PAGE_DATA ? count + 1 : LAM_LEAF_PAGE_DATA;
    return lam_leaf_values_lend(values, number, block, size, error);
}

/*
 * Finds the first element of a failed block by converting one at a time, into the room that the
 * block would have had. Conversions report that a block is bad, not which value (leaf_convert.c).
 */
static size_t find_fault(const lam_leaf_values *values, const uint8_t *elements, size_t count) {
    const lam_leaf_conversion *conversion = &values->conversion;
    /* unreachable: a block is bad because one of its values is */
    for (size_t i = 0; i < count; i++)
        if (conversion->convert(conversion, elements + i * conversion->element_size, 1,
                                next_slot(values), NULL) != LAM_STATUS_OK)
            return i;
    return SIZE_MAX;
}

static lam_status leaf_values_convert(lam_leaf_values *values, const void *elements, size_t count,
                                      lam_error *error) {
    values->conversion.text_end = values->text_end;
    lam_status status =
        values->conversion.convert(&values->conversion, elements, count, next_slot(values), error);
    if (status != LAM_STATUS_OK)
        values->fault = find_fault(values, elements, count);
    return status;
}

/* A failed append leaves nothing pending that was not before; slots beyond those are undefined. */
lam_status lam_leaf_values_append(lam_leaf_values *values, const void *elements, size_t count,
                                  lam_error *error) {
    values->fault = SIZE_MAX;
    if (count == 0)
        return LAM_STATUS_OK;
    /* The logical type UNKNOWN allows nulls only (LogicalTypes.md). */
    if (values->form == LAM_LEAF_FORM_NONE)
        LAM_FAIL(error, LAM_ERROR_CODE_UNKNOWN_NULL, "a value in a column that has only nulls");
    if (has_data(values)) {
        LAM_TRY(lam_leaf_text_append(values, elements, count, error));
    } else if (values->conversion.convert != NULL) {
        LAM_TRY(leaf_values_convert(values, elements, count, error));
    } else {
        memcpy(next_slot(values), elements, count * values->slot_size);
    }
    values->pending += count;
    return LAM_STATUS_OK;
}

/* In place: the kernel moves the values apart, and fills the slots between them with zeros. */
void lam_leaf_values_spread(lam_leaf_values *values, const uint8_t *bits, size_t count) {
    if (has_offsets(values))
        lam_leaf_text_spread(values, bits, count);
    /* Without gaps the values are in their slots already. */
    else if (bits != NULL && values->pending < count && values->slot_size > 0)
        values->kernels->spread(values->slots->data + values->count * values->slot_size,
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
        return 3 + values->lent_count; /* views, data, sizes of the data buffers */
    default:
        return 1;
    }
}

/* Packs bytes of 0 or 1 into bits, the lowest bit first, as Arrow has booleans. */
static lam_status give_bits(const lam_leaf_values *values, struct ArrowArray *array,
                            lam_error *error) {
    lam_array_block *bits;
    LAM_TRY(lam_array_block_create(values->store, (values->count + 7) / 8, &bits, error));
    values->kernels->pack_bools(values->slots->data, values->count, bits->data);
    lam_array_give(array, 1, bits);
    return LAM_STATUS_OK;
}

/*
 * Gives the data buffers that are lent, with the bytes of the array's own for numbers that are not
 * used. The C data interface ends the buffers of a view array with the sizes of its data buffers.
 */
static lam_status give_lent(lam_leaf_values *values, struct ArrowArray *array, lam_error *error) {
    lam_array_block *sizes;
    size_t count = 1 + values->lent_count;
    LAM_TRY(lam_array_block_create(values->store, count * sizeof(int64_t), &sizes, error));
    for (size_t i = 0; i < count; i++) {
        const lam_leaf_lent *lent = i == 0 ? NULL : &lent_data(values)[i - 1];
        bool is_used = lent != NULL && lent->block != NULL;
        int64_t size = i == 0 ? (int64_t)values->data_size : is_used ? (int64_t)lent->size : 0;
        memcpy(sizes->data + i * sizeof size, &size, sizeof size);
        if (i > 0)
            lam_array_give(array, 2 + i,
                           lam_array_block_share(is_used ? lent->block : values->data));
    }
    lam_array_give(array, 2 + count, sizes);
    return LAM_STATUS_OK;
}

lam_status lam_leaf_values_export(lam_leaf_values *values, bool keep, struct ArrowArray *array,
                                  lam_error *error) {
    if (values->form == LAM_LEAF_FORM_NONE) {
        start_anew(values);
        return LAM_STATUS_OK;
    }
    /* An empty array has its buffers too: its offsets have one number at least. */
    LAM_TRY(reserve_slots(values, 0, error));
    if (has_data(values))
        LAM_TRY(lam_array_block_reserve(values->store, &values->data, values->data_size,
                                        values->data_size, error));
    /* Allocate before sharing: a failed export leaves the values as they were. */
    if (values->form == LAM_LEAF_FORM_VIEWS)
        LAM_TRY(give_lent(values, array, error));
    if (values->form == LAM_LEAF_FORM_BITS)
        LAM_TRY(give_bits(values, array, error));
    else
        /* The array gets a reference of its own; that of the values is dropped below, or kept. */
        lam_array_give(array, 1, lam_array_block_share(values->slots));
    if (has_data(values))
        lam_array_give(array, 2, lam_array_block_share(values->data));
    /* Until the caller says better, expect the same again. */
    values->expected_count = values->count + has_offsets(values);
    values->expected_data = values->data_size;
    if (!keep)
        lam_leaf_values_finish(values);
    return LAM_STATUS_OK;
}
