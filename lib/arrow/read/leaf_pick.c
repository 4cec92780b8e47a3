/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Turns marks of rows into positions of entries and values. A mark per row and the levels of a
 * block give ascending positions, of 16 bits because a block has at most 2048 entries.
 *
 * Each loop writes the position of every entry and advances only past those that are wanted, so
 * that no branch depends on the data: alternating marks cost no more than equal ones. The room of
 * lam_leaf_picks is always enough, because no loop writes more often than once for each entry.
 */
#include "arrow/read/leaf_pick.h"

#include <string.h>

/* Counts the ones of a byte: sums of pairs, of fours, of all eight. */
static inline size_t leaf_pick_ones(unsigned byte) {
    unsigned pairs = byte - (byte >> 1 & 0x55), fours = (pairs & 0x33) + (pairs >> 2 & 0x33);
    return (fours + (fours >> 4)) & 0x0F;
}

/* Flat leaves: every entry begins a row, so marks and entries advance together. */

/* Picks entries that are rows; `wanted` is the mark of the first. */
static void pick_rows(const uint8_t *wanted, const uint8_t *definition, size_t count,
                      uint8_t max_definition, lam_leaf_picks *picks) {
    size_t entries = 0, values = 0, all = 0;
    if (definition == NULL) {
        for (size_t i = 0; i < count; i++) {
            picks->entries[entries] = (uint16_t)i;
            entries += wanted[i];
        }
        memcpy(picks->values, picks->entries, entries * sizeof *picks->entries);
        values = entries;
        all = count;
    }
    /* With nulls, the position among the values is less than that among the entries. */
    for (size_t i = 0; definition != NULL && i < count; i++) {
        bool has_value = definition[i] == max_definition;
        picks->entries[entries] = (uint16_t)i;
        entries += wanted[i];
        picks->values[values] = (uint16_t)all;
        values += wanted[i] & has_value;
        all += has_value;
    }
    picks->entry_count = entries;
    picks->value_count = values;
    picks->all_values = all;
}

/*
 * Nested leaves: an entry belongs to the last row that has begun. `at` counts these, so marks[at]
 * is the mark of the current row, and marks[0], which is 0, that of entries before the first one.
 *
 *     repetition  0 1 0 0      at  1 1 2 3      marks  0 | 1 0 1      wanted  1 1 0 1
 */
void lam_leaf_pick(const uint8_t *marks, size_t *row, const uint8_t *repetition,
                   const uint8_t *definition, size_t count, uint8_t max_definition,
                   lam_leaf_picks *picks) {
    size_t entries = 0, values = 0, all = 0, at = *row;
    if (repetition == NULL) {
        /* Passes the mark before the first row, and those of rows in earlier blocks. */
        pick_rows(marks + 1 + at, definition, count, max_definition, picks);
        *row = at + count;
        return;
    }
    for (size_t i = 0; i < count; i++) {
        bool has_value = definition == NULL || definition[i] == max_definition;
        at += repetition[i] == 0;
        picks->entries[entries] = (uint16_t)i;
        entries += marks[at];
        picks->values[values] = (uint16_t)all;
        values += marks[at] & has_value;
        all += has_value;
    }
    picks->entry_count = entries;
    picks->value_count = values;
    picks->all_values = all;
    *row = at;
}

/*
 * A flat leaf whose wanted rows are listed costs as much as they are many. The number of values
 * before an entry is that before its byte of `bits`, and that of the ones below it in the byte:
 *
 *     bits     11011101 11110000      bit i: entry i has a value, the first entry on the right
 *     before   0        6        10
 */
static size_t leaf_pick_count_values(const uint8_t *bits, size_t count, uint16_t *before) {
    size_t values = 0;
    for (size_t i = 0; i < (count + 7) / 8; i++) {
        before[i] = (uint16_t)values;
        values += leaf_pick_ones(bits[i]);
    }
    return values;
}

void lam_leaf_pick_rows(const lam_kernels *kernels, const uint16_t *rows, size_t row_count,
                        size_t first, const uint8_t *definition, size_t count,
                        uint8_t max_definition, lam_leaf_picks *picks) {
    uint8_t bits[LAM_LEVELS_BLOCK / 8];
    uint16_t before[LAM_LEVELS_BLOCK / 8];
    size_t values = 0;
    for (size_t i = 0; i < row_count; i++)
        picks->entries[i] = (uint16_t)(rows[i] - first);
    picks->entry_count = row_count;
    picks->value_count = row_count;
    picks->all_values = count;
    if (definition == NULL) {
        memcpy(picks->values, picks->entries, row_count * sizeof *picks->entries);
        return;
    }
    kernels->at_least_u8(definition, count, max_definition, bits);
    picks->all_values = leaf_pick_count_values(bits, count, before);
    for (size_t i = 0; i < row_count; i++) {
        size_t entry = picks->entries[i];
        unsigned byte = bits[entry / 8], bit = entry % 8;
        picks->values[values] =
            (uint16_t)(before[entry / 8] + leaf_pick_ones(byte & ((1u << bit) - 1)));
        values += byte >> bit & 1;
    }
    picks->value_count = values;
}

void lam_leaf_pick_levels(const lam_leaf_picks *picks, const uint8_t *from, uint8_t *to) {
    /* In place: positions ascend from 0 or more, so no level is overwritten before it is read. */
    for (size_t i = 0; i < picks->entry_count; i++)
        to[i] = from[picks->entries[i]];
}

/* Sizes are constants here, so that an element is moved by one load and one store. */
#define MOVE_ALL(SIZE)                                                                             \
    for (size_t i = 0; i < count; i++) {                                                           \
        uint8_t element[SIZE];                                                                     \
        memcpy(element, bytes + (positions[i] - first) * (SIZE), SIZE);                            \
        memcpy(bytes + i * (SIZE), element, SIZE);                                                 \
    }                                                                                              \
    break

void lam_leaf_pick_elements(const uint16_t *positions, size_t count, size_t first, void *elements,
                            size_t size) {
    uint8_t *bytes = elements;
    switch (size) {
    /*
     * BOOLEAN, numbers, INT96, byte arrays as lam_bytes on machines of 64 bits, and slots: numbers,
     * views, decimals of up to 256 bits.
     */
    case 1:
        MOVE_ALL(1);
    case 2:
        MOVE_ALL(2);
    case 4:
        MOVE_ALL(4);
    case 8:
        MOVE_ALL(8);
    case 12:
        MOVE_ALL(12);
    case 16:
        MOVE_ALL(16);
    case 32:
        MOVE_ALL(32);
    /* FIXED_LEN_BYTE_ARRAY: an element may overlap the one that it replaces. */
    default:
        for (size_t i = 0; i < count && size > 0; i++)
            memmove(bytes + i * size, bytes + (positions[i] - first) * size, size);
    }
}
