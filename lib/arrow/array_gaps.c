#include "arrow/array_gaps.h"

#include <string.h>

#include "base/checked.h"
#include "base/error.h"
#include "kernel/kernel.h"

/* The slots that will be: a 1 for those that are there already. */
typedef struct gaps {
    lam_array_store *store;
    const uint8_t *bits;
    size_t present;
    size_t count;
} gaps;

/* --- One buffer ---------------------------------------------------------------------------- */

/* Buffer `index` becomes a block of its own in which the slots lie spread. */
static lam_status spread_slots(struct ArrowArray *array, size_t index, size_t size, const gaps *to,
                               lam_error *error) {
    lam_array_block *block, *old = lam_array_block_of(array, index);
    LAM_TRY(lam_array_block_create(to->store, to->count * size, &block, error));
    if (size > 0 && to->present > 0)
        memcpy(block->data, old->data, to->present * size);
    if (size > 0)
        lam_kernels_get()->spread(block->data, size, to->present, to->bits, to->count);
    lam_array_block_drop(old);
    lam_array_give(array, index, block);
    return LAM_STATUS_OK;
}

/* The same for bits. Where there are none, all are 1. */
static lam_status spread_bits(struct ArrowArray *array, size_t index, const gaps *to,
                              lam_error *error) {
    const lam_kernels *kernels = lam_kernels_get();
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

/* The same for offsets: lengths are spread, and those of new slots are 0. */
static lam_status spread_offsets(struct ArrowArray *array, bool is_large, const gaps *to,
                                 lam_error *error) {
    const lam_kernels *kernels = lam_kernels_get();
    size_t size = is_large ? sizeof(uint64_t) : sizeof(uint32_t);
    lam_array_block *block, *old = lam_array_block_of(array, 1);
    LAM_TRY(lam_array_block_create(to->store, (to->count + 1) * size, &block, error));
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

static lam_status repeat_gaps(struct ArrowArray *array, const lam_arrow_node *node, size_t width,
                              const gaps *of_lists, lam_error *error) {
    return lam_array_put_gaps(array, node, of_lists->bits, of_lists->count, width, of_lists->store,
                              error);
}

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

static lam_status put_gaps(struct ArrowArray *array, const lam_arrow_node *node, const gaps *to,
                           lam_error *error) {
    LAM_TRY(put_gaps_inside(array, node, to, error));
    array->length = (int64_t)to->count;
    /* There may be no value in a dictionary that a new slot could stand for. */
    if (!node->field->nullable && array->dictionary == NULL)
        return LAM_STATUS_OK;
    array->null_count += (int64_t)(to->count - to->present);
    bool has_bits = array->n_buffers > 0 && array->null_count > 0;
    return has_bits ? spread_bits(array, 0, to, error) : LAM_STATUS_OK;
}

lam_status lam_array_put_gaps(struct ArrowArray *array, const lam_arrow_node *node,
                              const uint8_t *valid, size_t list_count, size_t width,
                              lam_array_store *store, lam_error *error) {
    gaps to = {store, NULL, (size_t)array->length, 0};
    lam_array_block *bytes, *bits;
    if (!lam_mul_size(list_count, width, &to.count))
        LAM_FAIL(error, LAM_STATUS_NOMEM, "no memory for %zu lists of %zu", list_count, width);
    LAM_TRY(lam_array_block_create(store, to.count, &bytes, error));
    lam_status status = lam_array_block_create(store, (to.count + 7) / 8, &bits, error);
    if (status == LAM_STATUS_OK) {
        for (size_t i = 0; i < list_count && width > 0; i++)
            memset(bytes->data + i * width, valid[i / 8] >> i % 8 & 1, width);
        lam_kernels_get()->pack_bools(bytes->data, to.count, bits->data);
        to.bits = bits->data;
        status = put_gaps(array, node, &to, error);
        lam_array_block_drop(bits);
    }
    lam_array_block_drop(bytes);
    return status;
}
