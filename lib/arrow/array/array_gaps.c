/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Spreads the slots of an array so that new ones are between them, in every buffer of the array and
 * of the arrays below it. Lists of 2 elements, the second list null:
 *
 *     valid         1  0  1              bits      1 1 0 0 1 1
 *     values        7 8 9 5              becomes   7 8 0 0 9 5
 *     validity      1 1 0 1              becomes   1 1 0 0 0 1
 *
 * A struct passes the gaps on to its children, a nested list of fixed size a multiple of them; a
 * list with offsets only gets empty lists, and its child stays as it is. Each new buffer is
 * complete before it replaces the old one, so the array can be released after any failure. (Arrow
 * columnar format, "Fixed-size list layout")
 */
#include "arrow/array/array_gaps.h"

#include <string.h>

#include "base/checked.h"
#include "base/error.h"

/* The slots that the array gets. */
typedef struct gaps {
    const lam_kernels *kernels;
    lam_array_store *store;
    const uint8_t *bits; /* a 1 for each slot that is present, a 0 for each new one */
    size_t present;      /* ones in `bits`, the array's length so far */
    size_t count;        /* all slots, old and new */
} gaps;

/* --- One buffer ---------------------------------------------------------------------------- */

/*
 * Replaces buffer `index` by a block of its own in which the slots of `size` bytes are spread out.
 * New slots are zeros, which is a valid index, view of no bytes, or number.
 */
static lam_status spread_slots(struct ArrowArray *array, size_t index, size_t size, const gaps *to,
                               lam_error *error) {
    lam_array_block *block, *old = lam_array_block_of(array, index);
    LAM_TRY(lam_array_block_create(to->store, to->count * size, &block, error));
    if (size > 0 && to->present > 0)
        memcpy(block->data, old->data, to->present * size);
    if (size > 0)
        to->kernels->spread(block->data, size, to->present, to->bits, to->count);
    lam_array_block_drop(old);
    lam_array_give(array, index, block);
    return LAM_STATUS_OK;
}

/*
 * Does the same for bits, by way of a byte for each. Without a buffer all bits are 1: a validity
 * bitmap is left out while nothing is null.
 */
static lam_status spread_bits(struct ArrowArray *array, size_t index, const gaps *to,
                              lam_error *error) {
    const lam_kernels *kernels = to->kernels;
    lam_array_block *bytes, *block, *old = lam_array_block_of(array, index);
    LAM_TRY(lam_array_block_create(to->store, to->count, &bytes, error));
    lam_status status = lam_array_block_create(to->store, (to->count + 7) / 8, &block, error);
    if (status == LAM_STATUS_OK) {
        if (old != NULL)
            kernels->unpack_u8(old->data, 1, to->present, bytes->data);
        else
            memset(bytes->data, 1, to->present);
        kernels->spread(bytes->data, 1, to->present, to->bits, to->count);
        kernels->pack_bools(bytes->data, to->count, block->data);
        lam_array_block_drop(old);
        lam_array_give(array, index, block);
    }
    lam_array_block_drop(bytes);
    return status;
}

/*
 * Does the same for offsets: spreads the lengths, where new slots have length 0, and adds them up
 * again.
 *
 *     offsets 0 2 5  ->  lengths 2 3  ->  with a gap 2 0 3  ->  offsets 0 2 2 5
 */
static lam_status spread_offsets(struct ArrowArray *array, bool is_large, const gaps *to,
                                 lam_error *error) {
    const lam_kernels *kernels = to->kernels;
    size_t size = is_large ? sizeof(uint64_t) : sizeof(uint32_t);
    lam_array_block *block, *old = lam_array_block_of(array, 1);
    LAM_TRY(lam_array_block_create(to->store, (to->count + 1) * size, &block, error));
    /* The first offset of an array made here is 0. */
    memset(block->data, 0, size);
    void *lengths = block->data + size;
    if (is_large)
        kernels->deltas_u64((const uint64_t *)(const void *)old->data + 1, to->present, 0, lengths);
    else
        kernels->deltas_u32((const uint32_t *)(const void *)old->data + 1, to->present, 0, lengths);
    kernels->spread(lengths, size, to->present, to->bits, to->count);
    if (is_large)
        kernels->sum_u64(lengths, to->count, 0, 0);
    else
        kernels->sum_u32(lengths, to->count, 0, 0);
    lam_array_block_drop(old);
    lam_array_give(array, 1, block);
    return LAM_STATUS_OK;
}

/* --- One array ----------------------------------------------------------------------------- */

static lam_status put_gaps(struct ArrowArray *array, const lam_arrow_node *node, const gaps *to,
                           lam_error *error);

/* An inner list of fixed size gets `width` new elements for each new slot. */
static lam_status repeat_gaps(struct ArrowArray *array, const lam_arrow_node *node, size_t width,
                              const gaps *of_lists, lam_error *error) {
    return lam_array_put_gaps(of_lists->kernels, array, node, of_lists->bits, of_lists->count,
                              width, of_lists->store, error);
}

/*
 * Spreads the rest of an array, besides its validity: the other buffers of the kind, or the
 * children.
 */
static lam_status put_gaps_inside(struct ArrowArray *array, const lam_arrow_node *node,
                                  const gaps *to, lam_error *error) {
    const lam_arrow_field *field = node->field;
    lam_arrow_kind kind = field->is_dictionary ? field->index_kind : field->type.kind;
    switch (kind) {
    case LAM_ARROW_NULL:
        return LAM_STATUS_OK;
    case LAM_ARROW_BOOL:
        return spread_bits(array, 1, to, error);
    case LAM_ARROW_BINARY:
    case LAM_ARROW_STRING:
    case LAM_ARROW_LIST:
    case LAM_ARROW_MAP:
        return spread_offsets(array, false, to, error);
    case LAM_ARROW_LARGE_BINARY:
    case LAM_ARROW_LARGE_STRING:
    case LAM_ARROW_LARGE_LIST:
        return spread_offsets(array, true, to, error);
    case LAM_ARROW_LIST_VIEW:
        LAM_TRY(spread_slots(array, 1, sizeof(int32_t), to, error));
        return spread_slots(array, 2, sizeof(int32_t), to, error);
    case LAM_ARROW_LARGE_LIST_VIEW:
        LAM_TRY(spread_slots(array, 1, sizeof(int64_t), to, error));
        return spread_slots(array, 2, sizeof(int64_t), to, error);
    case LAM_ARROW_FIXED_SIZE_LIST:
        return repeat_gaps(array->children[0], node->children, (size_t)field->type.fixed_size, to,
                           error);
    case LAM_ARROW_STRUCT:
        for (size_t i = 0; i < node->child_count; i++)
            LAM_TRY(put_gaps(array->children[i], &node->children[i], to, error));
        return LAM_STATUS_OK;
    default:
        return spread_slots(array, 1, lam_arrow_slot_size(kind, &field->type), to, error);
    }
}

/*
 * Spreads an array and all below it. A node whose field may not be null gets slots that look valid;
 * they are beneath a null list, where no reader sees them.
 */
static lam_status put_gaps(struct ArrowArray *array, const lam_arrow_node *node, const gaps *to,
                           lam_error *error) {
    LAM_TRY(put_gaps_inside(array, node, to, error));
    array->length = (int64_t)to->count;
    /* A new index must be null even if the field is not nullable: the dictionary may have no value
     * that it could name. */
    if (!node->field->nullable && array->dictionary == NULL)
        return LAM_STATUS_OK;
    array->null_count += (int64_t)(to->count - to->present);
    /* NULL arrays count nulls without bits. */
    bool has_bits = array->n_buffers > 0 && array->null_count > 0;
    return has_bits ? spread_bits(array, 0, to, error) : LAM_STATUS_OK;
}

lam_status lam_array_put_gaps(const lam_kernels *kernels, struct ArrowArray *array,
                              const lam_arrow_node *node, const uint8_t *valid, size_t list_count,
                              size_t width, lam_array_store *store, lam_error *error) {
    /*
     * Each list's bit is repeated for its `width` elements. The block of one byte per slot comes
     * first, so that a `count` too large for memory fails here, before sizes are derived from it.
     */
    gaps to = {kernels, store, NULL, (size_t)array->length, 0};
    lam_array_block *bytes, *bits;
    if (!lam_mul_size(list_count, width, &to.count))
        LAM_FAIL(error, LAM_STATUS_NOMEM, "no memory for %zu lists of %zu", list_count, width);
    LAM_TRY(lam_array_block_create(store, to.count, &bytes, error));
    lam_status status = lam_array_block_create(store, (to.count + 7) / 8, &bits, error);
    if (status == LAM_STATUS_OK) {
        for (size_t i = 0; i < list_count && width > 0; i++)
            memset(bytes->data + i * width, valid[i / 8] >> i % 8 & 1, width);
        kernels->pack_bools(bytes->data, to.count, bits->data);
        to.bits = bits->data;
        status = put_gaps(array, node, &to, error);
        lam_array_block_drop(bits);
    }
    lam_array_block_drop(bytes);
    return status;
}
