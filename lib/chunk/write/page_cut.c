/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the end of a page in a batch of triples, and counts what the page has. Takes the page so
 * far and complete records, and gives the prefix that still belongs to the page.
 *
 * The invariant: the result is that of adding triple by triple and testing at each record boundary,
 * whatever batches the records come in:
 *
 *   page of 3 rows     r = 0 1 0 0 1 1 0   the batch is 0 1 0 0 1 1
 *   record                 1   2 3     4
 *
 * One addition over the entire batch avoids the loop if the page cannot become full.
 */
#include "chunk/write/page_cut.h"

#include <string.h>

#include "encoding/rle.h"
#include "schema/tree.h"

enum { BYTE = 8, INDEX_BITS = 32, LENGTH_BITS = 32 };

/* Gives the bits of a value in PLAIN; 0 for BYTE_ARRAY, whose schema has no length. */
static size_t bits_of_value(const lam_field *leaf) {
    return leaf->physical_type == LAM_PHYSICAL_BOOLEAN ? 1
                                                       : BYTE * (size_t)lam_field_type_length(leaf);
}

void lam_page_cut_init(lam_page_cut *cut, const lam_field *leaf, uint64_t page_bytes,
                       uint64_t page_rows) {
    memset(cut, 0, sizeof *cut);
    cut->page_bits = BYTE * page_bytes;
    cut->page_rows = page_rows;
    cut->fixed_bits = bits_of_value(leaf);
    cut->level_bits = lam_bit_width(leaf->max_repetition) + lam_bit_width(leaf->max_definition);
    cut->max_definition = leaf->max_definition;
}

void lam_page_cut_start(lam_page_cut *cut, bool in_dictionary) {
    cut->in_dictionary = in_dictionary;
    cut->triples = 0;
    cut->rows = 0;
    cut->bits = 0;
    cut->plain_bits = 0;
}

void lam_page_cut_leave_dictionary(lam_page_cut *cut) {
    cut->in_dictionary = false;
    cut->bits = cut->plain_bits + cut->triples * cut->level_bits;
}

/* Sums values in PLAIN: those of BYTE_ARRAY each have their length before them, 4 bytes. */
static uint64_t plain_bits_of(const lam_page_cut *cut, const void *values, size_t count) {
    if (cut->fixed_bits != 0)
        return (uint64_t)cut->fixed_bits * count;
    const lam_bytes *bytes = values;
    uint64_t total = 0;
    for (size_t i = 0; i < count; i++)
        total += bytes[i].size;
    return BYTE * total + (uint64_t)LENGTH_BITS * count;
}

/* Sums what values count for the cut. */
static uint64_t page_cut_cost_of(const lam_page_cut *cut, const void *values, size_t count) {
    return cut->in_dictionary ? (uint64_t)INDEX_BITS * count : plain_bits_of(cut, values, count);
}

/* Gives value `index`, to count it alone; values of one size all count the same, so any will do. */
static const void *page_cut_value_at(const lam_page_cut *cut, const void *values, size_t index) {
    return cut->fixed_bits != 0 ? values : (const lam_bytes *)values + index;
}

static bool starts_record(const lam_triples *triples, size_t index) {
    return triples->repetition == NULL || triples->repetition[index] == 0;
}

static bool has_value(const lam_page_cut *cut, const lam_triples *triples, size_t index) {
    return triples->definition == NULL || triples->definition[index] == cut->max_definition;
}

/* Gives the first `count` triples of `rest`, which have `value_count` values. */
static lam_triples batch_of(const lam_triples *rest, size_t count, size_t value_count) {
    lam_triples batch = *rest;
    batch.count = count;
    batch.value_count = value_count;
    return batch;
}

lam_triples lam_page_cut_batch(const lam_page_cut *cut, const lam_triples *rest) {
    uint64_t level_bits = (uint64_t)cut->level_bits * rest->count;
    if (rest->count <= cut->page_rows - cut->rows &&
        page_cut_cost_of(cut, rest->values, rest->value_count) + level_bits <
            cut->page_bits - cut->bits)
        return *rest; /* too few triples to be the rows that are missing, and too few bytes */
    uint64_t rows = cut->rows, bits = cut->bits;
    size_t values = 0, i = 0;
    for (; i < rest->count; i++) {
        if (starts_record(rest, i)) {
            if (i > 0 && (rows >= cut->page_rows || bits >= cut->page_bits))
                break;
            rows++;
        }
        bits += cut->level_bits;
        if (has_value(cut, rest, i)) {
            bits += page_cut_cost_of(cut, page_cut_value_at(cut, rest->values, values), 1);
            values++;
        }
    }
    return batch_of(rest, i, values);
}

/* Remembers the last record boundary, and stops at the value. */
lam_triples lam_page_cut_before_value(const lam_page_cut *cut, const lam_triples *rest,
                                      size_t value_index) {
    size_t values = 0, record = 0, record_values = 0;
    /* unreachable: the end, as the value is among those of `rest` */
    for (size_t i = 0; i < rest->count; i++) {
        if (starts_record(rest, i)) {
            record = i;
            record_values = values;
        }
        if (has_value(cut, rest, i) && values++ == value_index)
            break;
    }
    return batch_of(rest, record, record_values);
}

void lam_page_cut_add(lam_page_cut *cut, const lam_triples *added) {
    uint64_t rows = added->count;
    if (added->repetition != NULL) {
        rows = 0;
        for (size_t i = 0; i < added->count; i++)
            rows += added->repetition[i] == 0;
    }
    cut->triples += added->count;
    cut->rows += rows;
    uint64_t plain = plain_bits_of(cut, added->values, added->value_count);
    cut->bits += (cut->in_dictionary ? (uint64_t)INDEX_BITS * added->value_count : plain) +
                 (uint64_t)cut->level_bits * added->count;
    cut->plain_bits += plain;
}

lam_triples lam_triples_after(const lam_triples *rest, const lam_triples *batch,
                              size_t element_size) {
    lam_triples after = *rest;
    after.count -= batch->count;
    after.value_count -= batch->value_count;
    if (after.repetition != NULL)
        after.repetition += batch->count;
    if (after.definition != NULL)
        after.definition += batch->count;
    if (after.values != NULL)
        after.values = (const uint8_t *)after.values + batch->value_count * element_size;
    return after;
}
