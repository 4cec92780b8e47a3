/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Turns repetition and definition levels into validity bitmaps and offsets, for one node at a time
 * and in blocks of LAM_LEVELS_BLOCK entries. A block becomes bitmaps with a bit for each entry,
 * which are then combined word by word: no step branches on a single level.
 *
 *     slots      R <= slot_repetition and D >= slot_definition
 *     valid      the slots where D >= present_definition
 *     elements   R <= slot_repetition + 1 and D >= element_definition
 *
 * The bits after the last entry of a block are always 0, so that counts need no mask. (The Dremel
 * paper, section 4.1; arrow_plan.h explains the members of a node)
 */
#include "arrow/array/array_levels.h"

#include <string.h>

#include "base/bytes.h"
#include "base/error.h"

enum { ARRAY_LEVELS_BLOCK = LAM_LEVELS_BLOCK, ARRAY_LEVELS_BLOCK_BYTES = ARRAY_LEVELS_BLOCK / 8 };

/* --- Entries ------------------------------------------------------------------------------- */

static void clear_bits(uint8_t *bits, const uint8_t *others, size_t size) {
    for (size_t i = 0; i < size; i++)
        bits[i] &= (uint8_t)~others[i];
}

/* Sets the first `count` bits, and clears the rest of the last byte. */
static void set_all(uint8_t *bits, size_t count) {
    memset(bits, 0xFF, count / 8);
    if (count % 8 != 0)
        bits[count / 8] = (uint8_t)((1u << count % 8) - 1);
}

/*
 * Marks the entries from `at` on whose levels are R <= repetition and D >= definition. A repetition
 * of the leaf's maximum or more is no condition; find_list passes UINT8_MAX - 1 for that, since the
 * kernel compares with the next higher number.
 */
static void find_entries(const lam_leaf_levels *levels, size_t at, size_t count, uint8_t repetition,
                         uint8_t definition, uint8_t *bits) {
    const lam_kernels *kernels = levels->kernels;
    if (levels->definition == NULL || definition == 0)
        set_all(bits, count);
    else
        kernels->at_least_u8(levels->definition + at, count, definition, bits);
    if (levels->repetition == NULL || repetition >= levels->max_repetition)
        return;
    uint8_t above[ARRAY_LEVELS_BLOCK_BYTES];
    kernels->at_least_u8(levels->repetition + at, count, (uint8_t)(repetition + 1), above);
    clear_bits(bits, above, (count + 7) / 8);
}

/* Bits past `count` are 0. Words are little-endian, so that a block can end within one. */
static size_t count_ones(const uint8_t *bits, size_t count) {
    static const uint8_t of_nibble[16] = {0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4};
    size_t ones = 0, at = 0;
    for (; count - at >= 64; at += 64) {
        uint64_t x = lam_load_le64(bits + at / 8);
        x -= x >> 1 & UINT64_C(0x5555555555555555);
        x = (x & UINT64_C(0x3333333333333333)) + (x >> 2 & UINT64_C(0x3333333333333333));
        x = (x + (x >> 4)) & UINT64_C(0x0F0F0F0F0F0F0F0F);
        ones += x * UINT64_C(0x0101010101010101) >> 56;
    }
    for (; at < count; at += 8)
        ones += of_nibble[bits[at / 8] & 15] + of_nibble[bits[at / 8] >> 4];
    return ones;
}

/* Entries of the block at `at`: a full block, or what remains. */
static size_t array_levels_block_at(const lam_leaf_levels *levels, size_t at) {
    return levels->count - at < ARRAY_LEVELS_BLOCK ? levels->count - at : ARRAY_LEVELS_BLOCK;
}

/* --- Validity ------------------------------------------------------------------------------ */

size_t lam_levels_leaf_bits(const lam_kernels *kernels, const uint8_t *definition, size_t count,
                            const lam_arrow_node *leaf, uint8_t *bits) {
    /* Outside of lists every entry is a slot. */
    if (leaf->slot_definition == 0) {
        kernels->at_least_u8(definition, count, leaf->present_definition, bits);
        return count;
    }
    uint8_t slots[ARRAY_LEVELS_BLOCK_BYTES], valid[ARRAY_LEVELS_BLOCK_BYTES];
    kernels->at_least_u8(definition, count, leaf->slot_definition, slots);
    kernels->at_least_u8(definition, count, leaf->present_definition, valid);
    return kernels->choose_bits(valid, slots, count, bits);
}

/*
 * Appends bits to the first `at` of `all`, which has room for one byte more than they need: the
 * byte after the bits is written, and the next block overwrites it.
 */
static void append_bits(uint8_t *all, size_t at, const uint8_t *bits, size_t count) {
    unsigned shift = at % 8;
    uint8_t *next = all + at / 8;
    size_t size = (count + 7) / 8;
    if (shift == 0) {
        memcpy(next, bits, size);
        return;
    }
    unsigned carry = *next & ((1u << shift) - 1);
    for (size_t i = 0; i < size; i++) {
        carry |= (unsigned)bits[i] << shift;
        next[i] = (uint8_t)carry;
        carry >>= 8;
    }
    next[size] = (uint8_t)carry;
}

/* Counts the slots of a node without writing its validity. */
static size_t count_slots(const lam_leaf_levels *levels, const lam_arrow_node *node) {
    size_t slots = 0;
    if (levels->repetition == NULL && (levels->definition == NULL || node->slot_definition == 0))
        return levels->count;
    for (size_t at = 0; at < levels->count; at += ARRAY_LEVELS_BLOCK) {
        uint8_t bits[ARRAY_LEVELS_BLOCK_BYTES];
        size_t count = array_levels_block_at(levels, at);
        find_entries(levels, at, count, node->slot_repetition, node->slot_definition, bits);
        slots += count_ones(bits, count);
    }
    return slots;
}

/* Writes the validity of all slots of the node; gives their number, and how many are null. */
static size_t write_validity(const lam_leaf_levels *levels, const lam_arrow_node *node,
                             uint8_t *validity, size_t *ret_nulls) {
    size_t slots = 0, valid_count = 0;
    for (size_t at = 0; at < levels->count; at += ARRAY_LEVELS_BLOCK) {
        uint8_t found[ARRAY_LEVELS_BLOCK_BYTES], valid[ARRAY_LEVELS_BLOCK_BYTES],
            bits[ARRAY_LEVELS_BLOCK_BYTES];
        size_t count = array_levels_block_at(levels, at);
        levels->kernels->at_least_u8(levels->definition + at, count, node->present_definition,
                                     valid);
        find_entries(levels, at, count, node->slot_repetition, node->slot_definition, found);
        size_t some = levels->kernels->choose_bits(valid, found, count, bits);
        append_bits(validity, slots, bits, some);
        valid_count += count_ones(bits, some);
        slots += some;
    }
    *ret_nulls = slots - valid_count;
    return slots;
}

lam_status lam_levels_set_validity(const lam_leaf_levels *levels, const lam_arrow_node *node,
                                   bool may_be_null, lam_array_store *store,
                                   struct ArrowArray *array, lam_error *error) {
    if (!may_be_null || levels->definition == NULL) {
        array->length = (int64_t)count_slots(levels, node);
        return LAM_STATUS_OK;
    }
    lam_array_block *validity;
    size_t nulls;
    /*
     * No more slots than entries, rounded up, and the byte that append_bits may write after them.
     */
    LAM_TRY(lam_array_block_create(store, levels->count / 8 + 2, &validity, error));
    array->length = (int64_t)write_validity(levels, node, validity->data, &nulls);
    array->null_count = (int64_t)nulls;
    if (nulls > 0 && array->n_buffers > 0)
        lam_array_give(array, 0, validity);
    else
        lam_array_block_drop(validity);
    return LAM_STATUS_OK;
}

/* --- Lists --------------------------------------------------------------------------------- */

static lam_status fail_elements(lam_error *error) {
    LAM_FAIL(error, LAM_STATUS_LIMIT,
             "lists of more than %d elements in one array: read smaller batches, or use a type "
             "with large offsets",
             INT32_MAX);
}

/* The entries of a block, by their role in a list. */
typedef struct list_bits {
    uint8_t starts[ARRAY_LEVELS_BLOCK_BYTES];   /* a slot of the list */
    uint8_t elements[ARRAY_LEVELS_BLOCK_BYTES]; /* an element of one, the first or a further one */
    uint8_t before; /* 1 when the entry before the block is an element */
} list_bits;

/*
 * Marks where the slots and the elements of a list begin. An entry with R = slot_repetition + 1 is
 * a further element: both it and the entry before it must reach element_definition. Returns false
 * when one does not, as no writer that follows the format makes such levels.
 *
 *     optional list of required elements        R  0  1  0  0  1
 *                                               D  2  2  1  0  2     [a, b], [], null, then wrong:
 *                                                                    null continues with an element
 */
static bool find_list(const lam_leaf_levels *levels, size_t at, size_t count,
                      const lam_arrow_node *list, list_bits *bits) {
    const lam_kernels *kernels = levels->kernels;
    uint8_t further[ARRAY_LEVELS_BLOCK_BYTES], inside[ARRAY_LEVELS_BLOCK_BYTES], wrong = 0;
    find_entries(levels, at, count, UINT8_MAX - 1, list->slot_definition, bits->starts);
    find_entries(levels, at, count, UINT8_MAX - 1, list->element_definition, bits->elements);
    if (levels->repetition == NULL)
        return true;
    const uint8_t *repetition = levels->repetition + at;
    kernels->at_least_u8(repetition, count, (uint8_t)(list->slot_repetition + 1), further);
    kernels->at_least_u8(repetition, count, (uint8_t)(list->slot_repetition + 2), inside);
    for (size_t i = 0; i < (count + 7) / 8; i++) {
        /*
         * Shifted by one entry, `before` says for each entry whether the one before it is an
         * element.
         */
        uint8_t there = bits->elements[i], before = (uint8_t)(there << 1 | bits->before);
        wrong |= (uint8_t)(further[i] & ~inside[i] & ~(there & before));
        bits->before = there >> 7;
        bits->starts[i] &= (uint8_t)~further[i];
        bits->elements[i] &= (uint8_t)~inside[i];
    }
    return wrong == 0;
}

/*
 * Writes the offsets: for each slot the number of elements before it, and all of them at the end.
 * False as find_list.
 */
static bool write_offsets(const lam_leaf_levels *levels, const lam_arrow_node *list, bool is_large,
                          lam_array_block *offsets) {
    const lam_kernels *kernels = levels->kernels;
    uint64_t *wide = (uint64_t *)(void *)offsets->data, elements = 0;
    uint32_t *narrow = (uint32_t *)(void *)offsets->data;
    size_t slots = 0;
    bool right = true;
    list_bits bits = {.before = 0};
    for (size_t at = 0; at < levels->count; at += ARRAY_LEVELS_BLOCK) {
        size_t count = array_levels_block_at(levels, at);
        right &= find_list(levels, at, count, list, &bits);
        elements += is_large ? kernels->count_before_64(bits.starts, bits.elements, count, elements,
                                                        wide + slots)
                             : kernels->count_before_32(bits.starts, bits.elements, count,
                                                        (uint32_t)elements, narrow + slots);
        slots += count_ones(bits.starts, count);
    }
    if (is_large)
        wide[slots] = elements;
    else
        narrow[slots] = (uint32_t)elements;
    return right;
}

lam_status lam_levels_offsets(const lam_leaf_levels *levels, const lam_arrow_node *list,
                              size_t slot_count, bool is_large, lam_array_store *store,
                              lam_array_block **ret_offsets, lam_error *error) {
    lam_array_block *offsets;
    size_t size = is_large ? sizeof(int64_t) : sizeof(int32_t);
    /* There are no more elements than entries, so the sums cannot overflow. */
    if (!is_large && levels->count > INT32_MAX)
        return fail_elements(error);
    LAM_TRY(lam_array_block_create(store, (slot_count + 1) * size, &offsets, error));
    if (!write_offsets(levels, list, is_large, offsets)) {
        lam_array_block_drop(offsets);
        LAM_FAIL(error, LAM_ERROR_CODE_LEVELS_STRUCTURE,
                 "levels continue a list that is empty or null");
    }
    *ret_offsets = offsets;
    return LAM_STATUS_OK;
}

/* --- Agreement ----------------------------------------------------------------------------- */

/*
 * A block of a leaf's entries, each of which begins a slot of the node above, or marks a missing
 * one.
 */
typedef struct above_entries {
    size_t count;
    const uint8_t *repetition; /* NULL when all are 0 */
    const uint8_t *definition; /* NULL when all are the leaf's maximum */
} above_entries;

/* Levels that are left out are all 0. */
static bool same_repetition(const lam_kernels *kernels, const above_entries *a,
                            const above_entries *b) {
    if (a->repetition == NULL && b->repetition == NULL)
        return true;
    if (a->repetition != NULL && b->repetition != NULL)
        return memcmp(a->repetition, b->repetition, a->count) == 0;
    const uint8_t *levels = a->repetition != NULL ? a->repetition : b->repetition;
    return kernels->max_u8(levels, a->count) == 0;
}

/*
 * Compares definition levels up to `most`; higher ones only describe levels below the node. They
 * agree when for each level from 1 to `most` the same entries reach it, which takes one comparison
 * of bitmaps per level. A NULL level array is the leaf's maximum, which reaches all of them.
 */
static bool same_definition(const lam_kernels *kernels, const above_entries *a,
                            const above_entries *b, uint8_t most) {
    if (a->definition == NULL && b->definition == NULL)
        return true;
    for (unsigned level = most; level > 0; level--) {
        uint8_t of_a[ARRAY_LEVELS_BLOCK_BYTES], of_b[ARRAY_LEVELS_BLOCK_BYTES];
        set_all(of_a, a->count);
        set_all(of_b, b->count);
        if (a->definition != NULL)
            kernels->at_least_u8(a->definition, a->count, (uint8_t)level, of_a);
        if (b->definition != NULL)
            kernels->at_least_u8(b->definition, b->count, (uint8_t)level, of_b);
        if (memcmp(of_a, of_b, (a->count + 7) / 8) != 0)
            return false;
    }
    return true;
}

/*
 * How far the comparison has come in a leaf, and room for a block of entries, gathered when entries
 * of lists below the node come between them.
 */
typedef struct above_cursor {
    const lam_leaf_levels *levels;
    bool is_dense; /* every entry of the leaf counts */
    size_t at;
    uint8_t repetition[ARRAY_LEVELS_BLOCK];
    uint8_t definition[ARRAY_LEVELS_BLOCK];
} above_cursor;

static const uint8_t *array_levels_level_at(const uint8_t *levels, size_t at) {
    return levels == NULL ? NULL : levels + at;
}

/*
 * The next block of entries with R <= repetition, or what remains. Each level is stored at the end
 * of the block, and the block grows only if it counts: no branch depends on the data.
 */
static above_entries next_entries(above_cursor *cursor, uint8_t repetition) {
    const lam_leaf_levels *levels = cursor->levels;
    above_entries entries = {0};
    if (cursor->is_dense) {
        entries.count = array_levels_block_at(levels, cursor->at);
        entries.repetition = array_levels_level_at(levels->repetition, cursor->at);
        entries.definition = array_levels_level_at(levels->definition, cursor->at);
        cursor->at += entries.count;
        return entries;
    }
    for (; cursor->at < levels->count && entries.count < ARRAY_LEVELS_BLOCK; cursor->at++) {
        uint8_t level = levels->repetition[cursor->at];
        cursor->repetition[entries.count] = level;
        if (levels->definition != NULL)
            cursor->definition[entries.count] = levels->definition[cursor->at];
        entries.count += level <= repetition;
    }
    entries.repetition = cursor->repetition;
    entries.definition = levels->definition != NULL ? cursor->definition : NULL;
    return entries;
}

/*
 * Leaves with lists below the node have further entries, which are skipped; those that remain must
 * be as many, with the same repetition levels and the same definition levels up to the node's own.
 */
bool lam_levels_agree(const lam_leaf_levels *a, const lam_leaf_levels *b,
                      const lam_arrow_node *above) {
    above_cursor left = {.levels = a}, right = {.levels = b};
    left.is_dense = a->repetition == NULL || a->max_repetition <= above->slot_repetition;
    right.is_dense = b->repetition == NULL || b->max_repetition <= above->slot_repetition;
    for (;;) {
        above_entries of_a = next_entries(&left, above->slot_repetition);
        above_entries of_b = next_entries(&right, above->slot_repetition);
        if (of_a.count != of_b.count || !same_repetition(a->kernels, &of_a, &of_b) ||
            !same_definition(a->kernels, &of_a, &of_b, above->present_definition))
            return false;
        if (of_a.count == 0)
            return true;
    }
}
