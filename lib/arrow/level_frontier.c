#include "arrow/level_frontier.h"

#include "arrow/array_bits.h"
#include "base/error.h"

void lam_frontier_memory_init(lam_frontier_memory *memory, const lam_allocator *allocator) {
    lam_buffer_init(&memory->repetition, allocator);
    lam_buffer_init(&memory->definition, allocator);
    lam_buffer_init(&memory->ranges, allocator);
}

void lam_frontier_memory_finish(lam_frontier_memory *memory) {
    lam_buffer_finish(&memory->repetition);
    lam_buffer_finish(&memory->definition);
    lam_buffer_finish(&memory->ranges);
}

/* Room for `count` elements and one more, so that a loop may look one ahead. */
static lam_status level_frontier_make_room(lam_buffer *buffer, size_t count, size_t size,
                                           lam_error *error) {
    lam_buffer_clear(buffer);
    return lam_buffer_reserve(buffer, (count + 1) * size, error);
}

/* --- Ranges -------------------------------------------------------------------------------- */

static const lam_slot_range *ranges_of(const lam_frontier_memory *memory) {
    return (const lam_slot_range *)(const void *)memory->ranges.data;
}

static size_t range_count_of(const lam_frontier_memory *memory) {
    return memory->ranges.size / sizeof(lam_slot_range);
}

/* Adds slots behind the ones so far, to the last range where they go on from it. There is room. */
static inline void put_range(lam_frontier_memory *memory, int64_t start, int64_t count) {
    if (count == 0)
        return;
    lam_slot_range *end = (lam_slot_range *)(void *)(memory->ranges.data + memory->ranges.size);
    if (memory->ranges.size > 0 && end[-1].start + end[-1].count == start) {
        end[-1].count += count;
        return;
    }
    end->start = start;
    end->count = count;
    memory->ranges.size += sizeof *end;
}

/* --- Runs ---------------------------------------------------------------------------------- */

lam_status lam_frontier_through_runs(const lam_level_frontier *frontier, const lam_array_view *view,
                                     lam_frontier_memory *memory, lam_level_frontier *ret_frontier,
                                     lam_error *error) {
    const lam_array_view *run_ends = &view->children[0];
    LAM_TRY(level_frontier_make_room(&memory->ranges, frontier->present, sizeof(lam_slot_range),
                                     error));
    for (size_t i = 0; i < frontier->range_count; i++) {
        int64_t at = view->offset + frontier->ranges[i].start;
        int64_t end = at + frontier->ranges[i].count;
        for (int64_t run = lam_array_find_run(run_ends, at); at < end; run++)
            for (int64_t stop = lam_array_run_end(run_ends, run); at < stop && at < end; at++)
                put_range(memory, run, 1);
    }
    *ret_frontier = *frontier;
    ret_frontier->ranges = ranges_of(memory);
    ret_frontier->range_count = range_count_of(memory);
    return LAM_STATUS_OK;
}

/* --- Nulls --------------------------------------------------------------------------------- */

/* Clears the bytes of slots whose index points to a null of the dictionary. */
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

lam_status lam_frontier_valid(const lam_level_frontier *frontier, const lam_array_view *view,
                              lam_buffer *room, const uint8_t **ret_valid, lam_error *error) {
    bool null_entries = view->dictionary != NULL && view->dictionary->has_nulls;
    *ret_valid = NULL;
    if ((!view->has_nulls && !null_entries) || frontier->present == 0)
        return LAM_STATUS_OK;
    LAM_TRY(level_frontier_make_room(room, frontier->present, 1, error));
    uint8_t *valid = room->data;
    if (view->kind == LAM_ARROW_NULL) {
        memset(valid, 0, frontier->present);
    } else if (view->has_nulls) {
        uint8_t *next = valid;
        for (size_t i = 0; i < frontier->range_count; i++) {
            lam_bits_to_bytes(view->validity, view->offset + frontier->ranges[i].start,
                              frontier->ranges[i].count, next);
            next += frontier->ranges[i].count;
        }
    } else {
        memset(valid, 1, frontier->present);
    }
    if (null_entries)
        find_nulls(frontier, view, valid);
    valid[frontier->present] = 0;
    if (memchr(valid, 0, frontier->present) != NULL)
        *ret_valid = valid;
    return LAM_STATUS_OK;
}

/* The definition levels one node further down, where all are the same so far, ... */
static void raise_level(uint8_t level, const uint8_t *restrict valid, size_t count,
                        uint8_t *restrict raised) {
    for (size_t i = 0; i < count; i++)
        raised[i] = (uint8_t)(level + valid[i]);
}

/* ... where no slot is null, ... */
static void level_frontier_raise_present(uint8_t level, const uint8_t *restrict levels,
                                         size_t count, uint8_t *restrict raised) {
    for (size_t i = 0; i < count; i++)
        raised[i] = (uint8_t)(levels[i] + (levels[i] == level));
}

/* ... and where both differ. */
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

/* In parts whose sum is a byte's, so that a vector holds many sums. */
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
    result.level++;
    if (frontier->definition != NULL || valid != NULL) {
        LAM_TRY(level_frontier_make_room(&memory->definition, frontier->count, 1, error));
        raise_levels(frontier, valid, memory->definition.data);
        result.definition = memory->definition.data;
    }
    if (valid != NULL)
        result.present = count_valid(valid, frontier->present);
    if (valid != NULL && with_ranges) {
        LAM_TRY(level_frontier_make_room(&memory->ranges, frontier->present, sizeof(lam_slot_range),
                                         error));
        cut_ranges(frontier, valid, memory);
        result.ranges = ranges_of(memory);
        result.range_count = range_count_of(memory);
    }
    *ret_frontier = result;
    return LAM_STATUS_OK;
}

lam_status lam_frontier_shift(const lam_level_frontier *frontier, int64_t offset,
                              lam_frontier_memory *memory, lam_level_frontier *ret_frontier,
                              lam_error *error) {
    LAM_TRY(level_frontier_make_room(&memory->ranges, frontier->range_count, sizeof(lam_slot_range),
                                     error));
    for (size_t i = 0; i < frontier->range_count; i++)
        put_range(memory, frontier->ranges[i].start + offset, frontier->ranges[i].count);
    *ret_frontier = *frontier;
    ret_frontier->ranges = ranges_of(memory);
    ret_frontier->range_count = range_count_of(memory);
    return LAM_STATUS_OK;
}

/* --- Lists --------------------------------------------------------------------------------- */

/* How many elements each of the lists has, which is less than 2^31; gives the sum, or SIZE_MAX. */
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

/* An entry becomes as many as its list has elements, or stays one when that is none. */
static void spread_levels(const lam_level_frontier *frontier, const uint32_t *lengths, size_t count,
                          const lam_arrow_node *node, uint8_t *repetition, uint8_t *definition) {
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
    result.definition = others + empty == 0 ? NULL : memory->definition.data;
    size_t range_count = view->extent == NULL ? frontier->range_count : frontier->present;
    LAM_TRY(level_frontier_make_room(&memory->ranges, range_count, sizeof(lam_slot_range), error));
    spread_ranges(frontier, view, memory);
    result.ranges = ranges_of(memory);
    result.range_count = range_count_of(memory);
    *ret_frontier = result;
    return LAM_STATUS_OK;
}

/* --- Rows ---------------------------------------------------------------------------------- */

int64_t lam_level_row(size_t count, const uint8_t *repetition, const uint8_t *definition,
                      uint8_t level, size_t index) {
    int64_t row = -1;
    for (size_t i = 0; i < count; i++) {
        row += repetition == NULL || repetition[i] == 0;
        if ((definition == NULL || definition[i] == level) && index-- == 0)
            break;
    }
    return row;
}
