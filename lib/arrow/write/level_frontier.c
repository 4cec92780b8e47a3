/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Carries a frontier one node down the tree of arrays. Takes entries with their levels, and ranges
 * of the slots of the present ones; gives the same for the next node.
 *
 *     step       entries             definition level                slots
 *     runs       same                same                            of the run's value, repeated
 *     nulls      same                + 1 where not null              those that are not null
 *     struct     same                same                            moved by the struct's offset
 *     lists      one per element,    that of an element; of an       those of the elements
 *                or one if none      empty list, that of the list
 *
 * The invariant: the ranges list the slots of present entries in the order of these entries, so the
 * n-th present entry has the n-th slot. (Dremel paper, section 4.1)
 */
#include "arrow/write/level_frontier.h"

#include "arrow/array/array_bits.h"
#include "base/error.h"

void lam_frontier_memory_init(lam_frontier_memory *memory, const lam_allocator *allocator) {
    lam_buffer_init(&memory->repetition, allocator);
    lam_buffer_init(&memory->definition, allocator);
    LAM_LIST_INIT(&memory->ranges, allocator);
}

void lam_frontier_memory_finish(lam_frontier_memory *memory) {
    lam_buffer_finish(&memory->repetition);
    lam_buffer_finish(&memory->definition);
    LAM_LIST_FINISH(&memory->ranges);
}

/*
 * Empties a buffer and makes room for `count` elements and one more, so that loops may write or
 * read one ahead.
 */
static lam_status level_frontier_make_room(lam_buffer *buffer, size_t count, size_t size,
                                           lam_error *error) {
    lam_buffer_clear(buffer);
    return lam_buffer_reserve(buffer, (count + 1) * size, error);
}

/* --- Ranges -------------------------------------------------------------------------------- */

/* Empties the list and makes room for `count` ranges; it is never NULL. */
static lam_status make_room_for_ranges(lam_frontier_memory *memory, size_t count,
                                       lam_error *error) {
    memory->ranges.count = 0;
    return LAM_LIST_RESERVE(&memory->ranges, count + 1, error);
}

/*
 * Adds slots to the ranges, extending the last one if they continue it, so that a complete array
 * stays one range. The caller has made the room.
 */
static inline void put_range(lam_frontier_memory *memory, int64_t start, int64_t count) {
    if (count == 0)
        return;
    lam_slot_range *end = memory->ranges.items + memory->ranges.count;
    if (memory->ranges.count > 0 && end[-1].start + end[-1].count == start) {
        end[-1].count += count;
        return;
    }
    end->start = start;
    end->count = count;
    memory->ranges.count++;
}

/* --- Runs ---------------------------------------------------------------------------------- */

/*
 * A slot of a run end encoded array is a position on a line that the run ends divide:
 *
 *     run ends 3 5, slots 1 to 4   ->   values 0 0 1 1, as ranges {0,1} {0,2} {1,1}
 */
lam_status lam_frontier_through_runs(const lam_level_frontier *frontier, const lam_array_view *view,
                                     lam_frontier_memory *memory, lam_level_frontier *ret_frontier,
                                     lam_error *error) {
    const lam_array_view *run_ends = &view->children[0];
    /* At most one range per slot, since a slot that is repeated starts a range of its own. */
    LAM_TRY(make_room_for_ranges(memory, frontier->present, error));
    for (size_t i = 0; i < frontier->range_count; i++) {
        int64_t at = view->offset + frontier->ranges[i].start;
        int64_t end = at + frontier->ranges[i].count;
        /* Find the first run by binary search, and the others one by one from there. */
        for (int64_t run = lam_array_find_run(run_ends, at); at < end; run++)
            for (int64_t stop = lam_array_run_end(run_ends, run); at < stop && at < end; at++)
                put_range(memory, run, 1);
    }
    *ret_frontier = *frontier;
    ret_frontier->ranges = memory->ranges.items;
    ret_frontier->range_count = memory->ranges.count;
    return LAM_STATUS_OK;
}

/* --- Nulls --------------------------------------------------------------------------------- */

/*
 * Clears the bytes of slots whose index means a null of the dictionary. Indexes of null slots may
 * be anything: they are not read.
 */
static void find_nulls(const lam_level_frontier *frontier, const lam_array_view *view,
                       uint8_t *valid) {
    for (size_t i = 0; i < frontier->range_count; i++) {
        for (int64_t j = 0; j < frontier->ranges[i].count; j++, valid++) {
            if (*valid) {
                int64_t index = lam_array_index(view, frontier->ranges[i].start + j);
                *valid = view->dictionary->kind != LAM_ARROW_NULL &&
                         lam_bit_at(view->dictionary->validity, view->dictionary->offset + index);
            }
        }
    }
}

lam_status lam_frontier_valid(const lam_kernels *kernels, const lam_level_frontier *frontier,
                              const lam_array_view *view, lam_buffer *room,
                              const uint8_t **ret_valid, lam_error *error) {
    bool null_entries = view->dictionary != NULL && view->dictionary->has_nulls;
    *ret_valid = NULL;
    if ((!view->has_nulls && !null_entries) || frontier->present == 0)
        return LAM_STATUS_OK;
    LAM_TRY(level_frontier_make_room(room, frontier->present, 1, error));
    uint8_t *valid = room->data;
    /* The null type has no validity buffer: all of its slots are null. */
    if (view->kind == LAM_ARROW_NULL) {
        memset(valid, 0, frontier->present);
    } else if (view->has_nulls) {
        uint8_t *next = valid;
        for (size_t i = 0; i < frontier->range_count; i++) {
            lam_bits_to_bytes(kernels, view->validity, view->offset + frontier->ranges[i].start,
                              frontier->ranges[i].count, next);
            next += frontier->ranges[i].count;
        }
    } else {
        memset(valid, 1, frontier->present);
    }
    if (null_entries)
        find_nulls(frontier, view, valid);
    /* One more byte, for loops that read one ahead (raise_valid). */
    valid[frontier->present] = 0;
    /* The array has nulls, but perhaps not in these rows. */
    if (memchr(valid, 0, frontier->present) != NULL)
        *ret_valid = valid;
    return LAM_STATUS_OK;
}

/*
 * Three loops make the definition levels of the next node, so that each is free of branches. This
 * one: all entries are present, and some slots are null.
 */
static void raise_level(uint8_t level, const uint8_t *restrict valid, size_t count,
                        uint8_t *restrict raised) {
    for (size_t i = 0; i < count; i++)
        raised[i] = (uint8_t)(level + valid[i]);
}

/* Some entries are not present; no slot is null. */
static void level_frontier_raise_present(uint8_t level, const uint8_t *restrict levels,
                                         size_t count, uint8_t *restrict raised) {
    for (size_t i = 0; i < count; i++)
        raised[i] = (uint8_t)(levels[i] + (levels[i] == level));
}

/*
 * Some entries are not present, and some slots are null. `slot` counts present entries, whose slots
 * have the bytes.
 */
static void raise_valid(uint8_t level, const uint8_t *restrict levels,
                        const uint8_t *restrict valid, size_t count, uint8_t *restrict raised) {
    size_t slot = 0;
    for (size_t i = 0; i < count; i++) {
        uint8_t is_present = levels[i] == level;
        raised[i] = (uint8_t)(levels[i] + (is_present & valid[slot]));
        slot += is_present;
    }
}

static void raise_levels(const lam_level_frontier *frontier, const uint8_t *valid,
                         uint8_t *raised) {
    if (frontier->definition == NULL)
        raise_level(frontier->level, valid, frontier->count, raised);
    else if (valid == NULL)
        level_frontier_raise_present(frontier->level, frontier->definition, frontier->count,
                                     raised);
    else
        raise_valid(frontier->level, frontier->definition, valid, frontier->count, raised);
}

/*
 * Removes null slots from the ranges: finds each run of valid bytes and adds it as a range.
 *
 *     range {4,5}, valid 1 1 0 1 0   ->   {4,2} {7,1}
 */
static void cut_ranges(const lam_level_frontier *frontier, const uint8_t *valid,
                       lam_frontier_memory *memory) {
    for (size_t i = 0; i < frontier->range_count; i++) {
        int64_t start = frontier->ranges[i].start;
        size_t left = (size_t)frontier->ranges[i].count;
        while (left > 0) {
            const uint8_t *end = memchr(valid, 0, left);
            size_t some = end == NULL ? left : (size_t)(end - valid);
            put_range(memory, start, (int64_t)some);
            some += end != NULL;
            start += (int64_t)some;
            valid += some;
            left -= some;
        }
    }
}

/*
 * Counts the ones, at most 255 at a time: their sum has room in a byte, so that vector code adds
 * bytes, not wider numbers.
 */
static size_t count_valid(const uint8_t *valid, size_t count) {
    size_t ones = 0;
    while (count > 0) {
        size_t some = count < UINT8_MAX ? count : UINT8_MAX;
        uint8_t sum = 0;
        for (size_t i = 0; i < some; i++)
            sum = (uint8_t)(sum + valid[i]);
        ones += sum;
        valid += some;
        count -= some;
    }
    return ones;
}

lam_status lam_frontier_without_nulls(const lam_level_frontier *frontier, const uint8_t *valid,
                                      bool with_ranges, lam_frontier_memory *memory,
                                      lam_level_frontier *ret_frontier, lam_error *error) {
    lam_level_frontier result = *frontier;
    /* The levels stay unwritten only while all entries are present at every node so far. */
    result.level++;
    if (frontier->definition != NULL || valid != NULL) {
        LAM_TRY(level_frontier_make_room(&memory->definition, frontier->count, 1, error));
        raise_levels(frontier, valid, memory->definition.data);
        result.definition = memory->definition.data;
    }
    if (valid != NULL)
        result.present = count_valid(valid, frontier->present);
    if (valid != NULL && with_ranges) {
        LAM_TRY(make_room_for_ranges(memory, frontier->present, error));
        cut_ranges(frontier, valid, memory);
        result.ranges = memory->ranges.items;
        result.range_count = memory->ranges.count;
    }
    *ret_frontier = result;
    return LAM_STATUS_OK;
}

/*
 * Children of a struct are not sliced with it: slot i of the struct is slot `offset` + i of each
 * child.
 */
lam_status lam_frontier_shift(const lam_level_frontier *frontier, int64_t offset,
                              lam_frontier_memory *memory, lam_level_frontier *ret_frontier,
                              lam_error *error) {
    LAM_TRY(make_room_for_ranges(memory, frontier->range_count, error));
    for (size_t i = 0; i < frontier->range_count; i++)
        put_range(memory, frontier->ranges[i].start + offset, frontier->ranges[i].count);
    *ret_frontier = *frontier;
    ret_frontier->ranges = memory->ranges.items;
    ret_frontier->range_count = memory->ranges.count;
    return LAM_STATUS_OK;
}

/* --- Lists --------------------------------------------------------------------------------- */

/*
 * Measures the lists, whose offsets and sizes were checked with the array. Returns the number of
 * elements, or SIZE_MAX when there are more than INT32_MAX, which ends the loop before the sum
 * could overflow.
 */
static size_t measure_lists(const lam_level_frontier *frontier, const lam_array_view *view,
                            uint32_t *lengths) {
    bool is_large = lam_array_is_large(view->kind);
    uint64_t sum = 0;
    for (size_t i = 0; i < frontier->range_count; i++) {
        int64_t at = view->offset + frontier->ranges[i].start, count = frontier->ranges[i].count;
        for (int64_t j = 0; j < count; j++) {
            int64_t length;
            if (view->kind == LAM_ARROW_FIXED_SIZE_LIST)
                length = view->field->type.fixed_size;
            /* List views have sizes of their own; lists end where the next one starts. */
            else if (view->extent != NULL)
                length = lam_load_offset(is_large, view->extent, at + j);
            else
                length = lam_load_offset(is_large, view->slots, at + j + 1) -
                         lam_load_offset(is_large, view->slots, at + j);
            if (length > INT32_MAX || sum > INT32_MAX)
                return SIZE_MAX;
            *lengths++ = (uint32_t)length;
            sum += (uint64_t)length;
        }
    }
    return sum > INT32_MAX ? SIZE_MAX : (size_t)sum;
}

/*
 * Replaces each entry by as many as its list has elements, or by one if it has none. The first
 * element keeps the repetition level of the entry; those after it repeat at the list:
 *
 *     lists of 2, 0 and 1 elements; R 0 0 1, D 3 3 3   ->   R 0 2 0 1, D 4 4 3 4
 */
static void spread_levels(const lam_level_frontier *frontier, const uint32_t *lengths, size_t count,
                          const lam_arrow_node *node, uint8_t *repetition, uint8_t *definition) {
    /*
     * Assume the common case, an element that is not the first of its list, and then write the
     * others.
     */
    memset(repetition, node->slot_repetition + 1, count);
    memset(definition, node->element_definition, count);
    size_t at = 0;
    for (size_t i = 0; i < frontier->count; i++) {
        repetition[at] = frontier->repetition != NULL ? frontier->repetition[i] : 0;
        if (frontier->definition != NULL && frontier->definition[i] != frontier->level) {
            definition[at++] = frontier->definition[i];
            continue;
        }
        uint32_t length = *lengths++;
        if (length == 0)
            definition[at] = frontier->level;
        at += length + (length == 0);
    }
}

/*
 * Makes the ranges of the elements. Lists of one range are adjacent, so their elements are one
 * range, too; only views, which may overlap or be in any order, need one per list.
 */
static void spread_ranges(const lam_level_frontier *frontier, const lam_array_view *view,
                          lam_frontier_memory *memory) {
    bool is_large = lam_array_is_large(view->kind);
    int64_t size = view->field->type.fixed_size;
    for (size_t i = 0; i < frontier->range_count; i++) {
        int64_t at = view->offset + frontier->ranges[i].start, count = frontier->ranges[i].count;
        if (view->kind == LAM_ARROW_FIXED_SIZE_LIST) {
            put_range(memory, at * size, count * size);
        } else if (view->extent == NULL) {
            int64_t start = lam_load_offset(is_large, view->slots, at);
            put_range(memory, start, lam_load_offset(is_large, view->slots, at + count) - start);
        } else {
            for (int64_t j = 0; j < count; j++)
                put_range(memory, lam_load_offset(is_large, view->slots, at + j),
                          lam_load_offset(is_large, view->extent, at + j));
        }
    }
}

/* An empty list has an entry and no slot. */
static size_t count_empty(const uint32_t *lengths, size_t count) {
    size_t empty = 0;
    for (size_t i = 0; i < count; i++)
        empty += lengths[i] == 0;
    return empty;
}

lam_status lam_frontier_through_lists(const lam_level_frontier *frontier,
                                      const lam_array_view *view, const lam_arrow_node *node,
                                      lam_frontier_memory *memory, lam_buffer *scratch,
                                      lam_level_frontier *ret_frontier, lam_error *error) {
    LAM_TRY(level_frontier_make_room(scratch, frontier->present, sizeof(uint32_t), error));
    uint32_t *lengths = (uint32_t *)(void *)scratch->data;
    size_t elements = measure_lists(frontier, view, lengths);
    size_t others = frontier->count - frontier->present;
    /* Also true of SIZE_MAX. A page has at most INT32_MAX triples, and a row is never split. */
    if (elements > INT32_MAX - frontier->count)
        return lam_array_fail(view, LAM_STATUS_LIMIT, error,
                              "one row has too many elements for a page");
    size_t empty = count_empty(lengths, frontier->present);
    lam_level_frontier result = *frontier;
    result.level = node->element_definition;
    result.count = others + elements + empty;
    result.present = elements;
    LAM_TRY(level_frontier_make_room(&memory->repetition, result.count, 1, error));
    LAM_TRY(level_frontier_make_room(&memory->definition, result.count, 1, error));
    spread_levels(frontier, lengths, result.count, node, memory->repetition.data,
                  memory->definition.data);
    result.repetition = memory->repetition.data;
    /* All entries are elements: their levels need not be written. */
    result.definition = others + empty == 0 ? NULL : memory->definition.data;
    size_t range_count = view->extent == NULL ? frontier->range_count : frontier->present;
    LAM_TRY(make_room_for_ranges(memory, range_count, error));
    spread_ranges(frontier, view, memory);
    result.ranges = memory->ranges.items;
    result.range_count = memory->ranges.count;
    *ret_frontier = result;
    return LAM_STATUS_OK;
}

/* --- Rows ---------------------------------------------------------------------------------- */

/* Only failures come here, so that a linear pass is fast enough. */
int64_t lam_level_row(size_t count, const uint8_t *repetition, const uint8_t *definition,
                      uint8_t level, size_t index) {
    int64_t row = -1;
    for (size_t i = 0; i < count; i++) {
        row += repetition == NULL || repetition[i] == 0;
        if (definition != NULL && definition[i] != level)
            continue;
        if (index == 0)
            break;
        index--;
    }
    return row;
}
