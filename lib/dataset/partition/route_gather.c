/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Gathers triples by group: takes columns of complete records, and runs of records with a group
 * each, and gives for each leaf arrays that hold the triples of group 0, then of group 1, and so
 * on.
 *
 * Each leaf takes two passes over the runs: the first measures their triples and values, which
 * gives the groups their offsets; the second copies. If runs are short, a leaf with one value per
 * record is picked by the records' numbers instead. All arrays are in one block, which only grows,
 * so that batches of a usual size take no new memory. Arrays that are NULL (levels that are all the
 * same) always stay NULL. Values of byte arrays are views, and still point to the caller's bytes.
 *
 *     runs       0 0 | 1 1 | 0          triples   aa bb c        gathered   aa c | bb
 */
#include "dataset/partition/route_gather.h"

#include "base/checked.h"
#include "base/error.h"
#include "schema/tree.h"

/* Where arrays of values begin, for every type. */
enum { ROUTE_ALIGNMENT = 16 };

void lam_route_gather_init(lam_route_gather *gather, const lam_schema *schema,
                           const lam_allocator *allocator) {
    memset(gather, 0, sizeof *gather);
    gather->schema = schema;
    gather->kernels = lam_kernels_get();
    LAM_LIST_INIT(&gather->extents, allocator);
    LAM_LIST_INIT(&gather->ends, allocator);
    LAM_LIST_INIT(&gather->arrays, allocator);
    LAM_LIST_INIT(&gather->group, allocator);
    lam_buffer_init(&gather->memory, allocator);
}

void lam_route_gather_finish(lam_route_gather *gather) {
    LAM_LIST_FINISH(&gather->extents);
    LAM_LIST_FINISH(&gather->ends);
    LAM_LIST_FINISH(&gather->arrays);
    LAM_LIST_FINISH(&gather->group);
    lam_buffer_finish(&gather->memory);
}

/* --- Memory -------------------------------------------------------------------------------- */

static size_t route_aligned(size_t size) {
    return (size + ROUTE_ALIGNMENT - 1) / ROUTE_ALIGNMENT * ROUTE_ALIGNMENT;
}

/* Adds the bytes of an array that is in memory, so that only the padding and the sum can wrap. */
static bool route_add_array(size_t bytes, size_t *total) {
    return bytes <= SIZE_MAX - ROUTE_ALIGNMENT && lam_add_size(*total, route_aligned(bytes), total);
}

/* The room of an array, past which `*at` moves; NULL for an absent one. */
static uint8_t *route_take_room(uint8_t **at, const void *given, size_t bytes) {
    uint8_t *room = *at;
    if (given == NULL || bytes == 0)
        return NULL;
    *at += route_aligned(bytes);
    return room;
}

/* Lays the arrays of all leaves into one block. */
static lam_status route_lay_out(lam_route_gather *gather, const lam_triples *given,
                                lam_error *error) {
    size_t leaves = gather->schema->leaf_count, total = 0;
    bool fits = true;
    for (size_t i = 0; i < leaves; i++) {
        fits = fits &&
               route_add_array(
                   given[i].value_count * lam_element_size(lam_leaf_at(gather->schema, i)), &total);
        fits = fits && route_add_array(given[i].repetition != NULL ? given[i].count : 0, &total);
        fits = fits && route_add_array(given[i].definition != NULL ? given[i].count : 0, &total);
    }
    if (!fits)
        LAM_FAIL(error, LAM_STATUS_NOMEM, "no memory for a batch of %zu columns", leaves);
    lam_buffer_clear(&gather->memory);
    LAM_TRY(lam_buffer_reserve(&gather->memory, total, error));
    LAM_TRY(LAM_LIST_RESIZE(&gather->arrays, leaves, error));
    lam_route_arrays *arrays = gather->arrays.items;
    uint8_t *at = gather->memory.data;
    for (size_t i = 0; i < leaves; i++) {
        size_t size = lam_element_size(lam_leaf_at(gather->schema, i));
        arrays[i].values = route_take_room(&at, given[i].values, given[i].value_count * size);
        arrays[i].repetition = route_take_room(&at, given[i].repetition, given[i].count);
        arrays[i].definition = route_take_room(&at, given[i].definition, given[i].count);
    }
    return LAM_STATUS_OK;
}

/* --- Copying ------------------------------------------------------------------------------- */

/* The end of `count` records that begin at triple `at`. */
static size_t route_find_end(const lam_triples *triples, size_t at, size_t count) {
    if (triples->repetition == NULL)
        return at + count;
    const uint8_t *repetition = triples->repetition;
    for (at++; at < triples->count; at++)
        if (repetition[at] == 0 && --count == 0)
            return at;
    return triples->count;
}

/* Calls of a kernel cost more than a few comparisons. */
static size_t route_count_values(const lam_route_gather *gather, const lam_triples *triples,
                                 size_t at, size_t count, uint8_t max_definition) {
    enum { FEW = 8 };
    size_t values = 0;
    if (triples->definition == NULL)
        return count;
    if (count > FEW)
        return gather->kernels->count_u8(triples->definition + at, count, max_definition);
    for (size_t i = 0; i < count; i++)
        values += triples->definition[at + i] == max_definition;
    return values;
}

/*
 * Copies one element or more. Runs of one record are usual when partitions alternate: a copy of
 * known size is no call.
 */
static void route_copy(uint8_t *to, const void *from, size_t count, size_t size) {
    if (count == 1 && size == 8)
        memcpy(to, from, 8);
    else if (count == 1 && size == 4)
        memcpy(to, from, 4);
    else if (count == 1 && size == 1)
        *to = *(const uint8_t *)from;
    else if (count == 1 && size == 16)
        memcpy(to, from, 16);
    else
        memcpy(to, from, count * size);
}

/* Measures the runs; `ends` becomes where each group begins. */
static void route_measure(const lam_route_gather *gather, const lam_field *leaf,
                          const lam_triples *given, const lam_route_division *division,
                          lam_route_extent *ends) {
    const lam_route_run *runs = division->runs;
    lam_route_extent *extents = gather->extents.items;
    lam_route_extent before = {0, 0};
    memset(ends, 0, gather->group_count * sizeof *ends);
    for (size_t i = 0, at = 0; i < division->run_count; i++) {
        size_t triples = route_find_end(given, at, runs[i].count) - at;
        size_t values = route_count_values(gather, given, at, triples, leaf->max_definition);
        extents[i].triples = triples;
        extents[i].values = values;
        ends[runs[i].group].triples += triples;
        ends[runs[i].group].values += values;
        at += triples;
    }
    for (size_t i = 0; i < gather->group_count; i++) {
        lam_route_extent size = ends[i];
        ends[i] = before;
        before.triples += size.triples;
        before.values += size.values;
    }
}

/* Copies the runs; `ends` is where each group begins, and becomes where it ends. */
static void route_copy_leaf(const lam_route_gather *gather, size_t leaf_index,
                            const lam_triples *given, const lam_route_division *division,
                            lam_route_extent *ends) {
    const lam_route_run *runs = division->runs;
    const lam_route_extent *extents = gather->extents.items;
    const lam_route_arrays *arrays = gather->arrays.items + leaf_index;
    size_t size = lam_element_size(lam_leaf_at(gather->schema, leaf_index));
    lam_route_extent from = {0, 0};
    for (size_t i = 0; i < division->run_count; i++) {
        lam_route_extent *to = &ends[runs[i].group];
        if (arrays->repetition != NULL)
            route_copy(arrays->repetition + to->triples, given->repetition + from.triples,
                       extents[i].triples, 1);
        if (arrays->definition != NULL)
            route_copy(arrays->definition + to->triples, given->definition + from.triples,
                       extents[i].triples, 1);
        if (extents[i].values > 0)
            route_copy(arrays->values + to->values * size,
                       (const uint8_t *)given->values + from.values * size, extents[i].values,
                       size);
        to->triples += extents[i].triples;
        to->values += extents[i].values;
        from.triples += extents[i].triples;
        from.values += extents[i].values;
    }
}

/* True when each record of a leaf is one value, and most runs are short. */
static bool route_is_dense(const lam_triples *given, const lam_route_division *division) {
    enum { SHORT = 8 };
    return given->repetition == NULL && given->definition == NULL &&
           division->run_count > division->record_count / SHORT;
}

/* The same as measuring and copying the runs of such a leaf: its values are picked one by one. */
static void route_pick(const lam_route_gather *gather, size_t leaf_index, const lam_triples *given,
                       const lam_route_division *division, lam_route_extent *ends) {
    const lam_route_arrays *arrays = gather->arrays.items + leaf_index;
    size_t end = 0;
    memset(ends, 0, gather->group_count * sizeof *ends);
    for (size_t i = 0; i < division->run_count; i++)
        ends[division->runs[i].group].triples += division->runs[i].count;
    for (size_t i = 0; i < gather->group_count; i++) {
        end += ends[i].triples;
        ends[i].triples = ends[i].values = end;
    }
    gather->kernels->gather(given->values,
                            lam_element_size(lam_leaf_at(gather->schema, leaf_index)),
                            division->records, division->record_count, arrays->values);
}

lam_status lam_route_gather_all(lam_route_gather *gather, const lam_triples *columns,
                                const lam_route_division *division, lam_error *error) {
    size_t leaves = gather->schema->leaf_count, groups = division->group_count, count;
    if (!lam_mul_size(leaves, groups, &count))
        LAM_FAIL(error, LAM_STATUS_NOMEM, "no memory for %zu partitions", groups);
    gather->group_count = groups;
    LAM_TRY(LAM_LIST_RESIZE(&gather->extents, division->run_count, error));
    LAM_TRY(LAM_LIST_RESIZE(&gather->ends, count, error));
    LAM_TRY(LAM_LIST_RESIZE(&gather->group, leaves, error));
    LAM_TRY(route_lay_out(gather, columns, error));
    for (size_t i = 0; i < leaves; i++) {
        lam_route_extent *ends = gather->ends.items + i * groups;
        if (route_is_dense(&columns[i], division)) {
            route_pick(gather, i, &columns[i], division, ends);
            continue;
        }
        route_measure(gather, lam_leaf_at(gather->schema, i), &columns[i], division, ends);
        route_copy_leaf(gather, i, &columns[i], division, ends);
    }
    return LAM_STATUS_OK;
}

static const uint8_t *route_at(const uint8_t *array, size_t offset) {
    return array == NULL ? NULL : array + offset;
}

const lam_triples *lam_route_gather_take(lam_route_gather *gather, size_t group) {
    lam_triples *taken = gather->group.items;
    const lam_route_arrays *arrays = gather->arrays.items;
    for (size_t i = 0; i < gather->schema->leaf_count; i++) {
        const lam_route_extent *ends = gather->ends.items + i * gather->group_count;
        size_t size = lam_element_size(lam_leaf_at(gather->schema, i));
        lam_route_extent first = {0, 0}, end = ends[group];
        if (group > 0)
            first = ends[group - 1];
        taken[i].count = end.triples - first.triples;
        taken[i].value_count = end.values - first.values;
        taken[i].repetition = route_at(arrays[i].repetition, first.triples);
        taken[i].definition = route_at(arrays[i].definition, first.triples);
        taken[i].values = route_at(arrays[i].values, first.values * size);
    }
    return taken;
}
