/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Columns of random triples of one leaf: made, turned into values, and compared with what was read.
 * Any levels that are in range may come.
 */
#include "chunk/triple_column.h"

#include <criterion/criterion.h>
#include <lamella/record.h>
#include <string.h>

#include "schema/tree.h"

static void *allocate(lam_triple_column *column, size_t count, size_t size) {
    void *memory;
    cr_assert_eq(lam_arena_array(&column->arena, count, size, &memory, NULL), LAM_STATUS_OK);
    return memory;
}

/* Writes the element that a number stands for: equal numbers, equal values. */
static void put_element(lam_triple_column *column, const lam_triple_shape *shape, uint64_t number,
                        uint8_t *element) {
    lam_random random = lam_random_start(number);
    uint64_t bits = lam_random_next(&random);
    size_t size = lam_element_size(column->leaf);
    if (column->leaf->physical_type == LAM_PHYSICAL_BOOLEAN) {
        *element = bits & 1;
        return;
    }
    if (column->leaf->physical_type != LAM_PHYSICAL_BYTE_ARRAY) {
        for (size_t i = 0; i < size; i++)
            element[i] = (uint8_t)lam_random_next(&random);
        return;
    }
    lam_bytes bytes = {NULL, (size_t)(bits % (shape->bytes_max + 1))};
    uint8_t *data = allocate(column, bytes.size, 1);
    for (size_t i = 0; i < bytes.size; i++)
        data[i] = (uint8_t)lam_random_next(&random);
    bytes.data = data;
    memcpy(element, &bytes, sizeof bytes);
}

static void put_starts(lam_triple_column *column, const lam_triple_shape *shape,
                       lam_random *random) {
    size_t count = 0;
    column->starts = allocate(column, shape->record_count + 1, sizeof(size_t));
    column->value_starts = allocate(column, shape->record_count + 1, sizeof(size_t));
    for (size_t i = 0; i < shape->record_count; i++) {
        column->starts[i] = count++;
        while (column->leaf->max_repetition > 0 && lam_random_chance(random, shape->more_percent))
            count++;
    }
    column->starts[shape->record_count] = count;
    column->triples.count = count;
}

void lam_triple_column_init(lam_triple_column *column, const lam_field *leaf,
                            const lam_triple_shape *shape, lam_random *random) {
    lam_allocator allocator = lam_allocator_default();
    memset(column, 0, sizeof *column);
    column->leaf = leaf;
    column->record_count = shape->record_count;
    lam_arena_init(&column->arena, &allocator, 0);
    put_starts(column, shape, random);
    size_t count = column->triples.count, size = lam_element_size(leaf);
    uint8_t *repetition = allocate(column, count, 1), *definition = allocate(column, count, 1);
    uint8_t *values = allocate(column, count, size);
    size_t record = 0, value_count = 0;
    for (size_t i = 0; i < count; i++) {
        if (i == column->starts[record])
            column->value_starts[record++] = value_count;
        else
            repetition[i] = (uint8_t)(1 + lam_random_below(random, leaf->max_repetition));
        definition[i] = leaf->max_definition;
        if (leaf->max_definition > 0 && lam_random_chance(random, shape->null_percent)) {
            definition[i] = (uint8_t)lam_random_below(random, leaf->max_definition);
            continue;
        }
        uint64_t number = lam_random_next(random);
        put_element(column, shape, shape->distinct == 0 ? number : number % shape->distinct,
                    values + value_count++ * size);
    }
    column->value_starts[column->record_count] = value_count;
    column->triples.value_count = value_count;
    column->triples.repetition = repetition;
    column->triples.definition = definition;
    column->triples.values = values;
}

void lam_triple_column_finish(lam_triple_column *column) {
    lam_arena_finish(&column->arena);
}

static const uint8_t *levels_or_null(const uint8_t *levels, size_t count, uint8_t same,
                                     lam_random *random) {
    for (size_t i = 0; i < count; i++)
        if (levels[i] != same)
            return levels;
    return random != NULL && lam_random_chance(random, 50) ? NULL : levels;
}

lam_triples lam_triple_column_slice(const lam_triple_column *column, size_t first, size_t count,
                                    lam_random *random) {
    size_t start = column->starts[first], value_start = column->value_starts[first];
    lam_triples slice = column->triples;
    slice.count = column->starts[first + count] - start;
    slice.value_count = column->value_starts[first + count] - value_start;
    slice.repetition = levels_or_null(slice.repetition + start, slice.count, 0, random);
    slice.definition =
        levels_or_null(slice.definition + start, slice.count, column->leaf->max_definition, random);
    slice.values = (const uint8_t *)slice.values + value_start * lam_element_size(column->leaf);
    return slice;
}

static bool equal_values(const lam_field *leaf, const void *a, const void *b, size_t count) {
    if (leaf->physical_type != LAM_PHYSICAL_BYTE_ARRAY)
        return count == 0 || memcmp(a, b, count * lam_element_size(leaf)) == 0;
    const lam_bytes *first = a, *second = b;
    for (size_t i = 0; i < count; i++)
        if (first[i].size != second[i].size ||
            (first[i].size > 0 && memcmp(first[i].data, second[i].data, first[i].size) != 0))
            return false;
    return true;
}

bool lam_triple_match_next(lam_triple_match *match, const lam_triples *run) {
    const lam_triple_column *column = match->column;
    const lam_triples *all = &column->triples;
    if (run->count > all->count - match->at ||
        run->value_count > all->value_count - match->value_at)
        return false;
    for (size_t i = 0; i < run->count; i++) {
        uint8_t r = run->repetition != NULL ? run->repetition[i] : 0;
        uint8_t d = run->definition != NULL ? run->definition[i] : column->leaf->max_definition;
        if (r != all->repetition[match->at + i] || d != all->definition[match->at + i])
            return false;
    }
    const uint8_t *values = all->values;
    values += match->value_at * lam_element_size(column->leaf);
    if (!equal_values(column->leaf, run->values, values, run->value_count))
        return false;
    match->at += run->count;
    match->value_at += run->value_count;
    return true;
}

bool lam_triple_match_at_end(const lam_triple_match *match) {
    const lam_triples *all = &match->column->triples;
    return match->at == all->count && match->value_at == all->value_count;
}
