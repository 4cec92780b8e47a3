/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compares the records of two files by their position, and finds those that differ, in order.
 * Columns say which rows may differ at all; of those, hashes of the records as text are aligned,
 * window by window, so that inserted or removed records move the others instead of changing them. A
 * window grows until most of it is aligned, or memory ends. After a shift, columns are compared
 * again from there on.
 *
 * In a gap between equal records, equally many on both sides are changed, one by one; otherwise
 * those of the first file are removed and those of the second added.
 */
#include <stdlib.h>
#include <string.h>

#include "diff.h"

enum {
    WINDOW_LEAST = 1 << 14, /* records of each file */
    ROW_BYTES = 160,        /* that a record of a window takes in all, on both sides */
    NEAR = 64,              /* rows that are equal between two that differ, and belong to both */
    SHIFT_WORTH = 1 << 17,  /* rows from which on columns are compared again */
    SHIFTS_MOST = 16
};

/* Hashes of consecutive records of a file. */
typedef struct hash_window {
    const diff_match *match;
    diff_lines *lines;
    uint64_t first; /* record of the first hash */
    uint64_t end;   /* of the records that count */
    uint64_t *hashes;
    size_t count;
    size_t capacity;
} hash_window;

typedef struct gap_list {
    diff_gap *gaps;
    size_t count;
    size_t capacity;
} gap_list;

typedef struct position_run {
    const diff_match *match;
    diff_report *report;
    diff_records *records;
    hash_window windows[2];
    gap_list gaps;
    unsigned shifts_left;
    bool is_shifted; /* set: compare columns again from the windows' first records on */
} position_run;

uint64_t diff_memory_limit(void) {
    uint64_t limit = tool_limits_of_program()->memory_limit;
    return limit == 0 ? UINT64_C(1) << 30 : limit;
}

/* --- Windows ------------------------------------------------------------------------------- */

static void take_hash(void *state, const char *line, size_t size) {
    hash_window *window = state;
    window->hashes[window->count++] = diff_hash_line(window->match, line, size).low;
}

static int window_open(hash_window *window, const diff_match *match, int side) {
    window->match = match;
    diff_lines_close(window->lines);
    window->lines =
        diff_lines_open(&match->files[side], match->files[side].compared, take_hash, window);
    return window->lines == NULL ? DIFF_TROUBLE : TOOL_OK;
}

/* Reads on until there are `wanted` hashes, or all of them. */
static int window_fill(hash_window *window, size_t wanted) {
    uint64_t left = window->end - window->first;
    wanted = left < wanted ? (size_t)left : wanted;
    if (wanted <= window->count)
        return TOOL_OK;
    if (wanted > window->capacity) {
        window->hashes = tool_reallocate(window->hashes, wanted, sizeof *window->hashes);
        window->capacity = wanted;
    }
    int result = diff_lines_skip_to(window->lines, window->first + window->count);
    return result == TOOL_OK ? diff_lines_read(window->lines, wanted - window->count) : result;
}

static bool window_is_last(const hash_window *window) {
    return window->first + window->count == window->end;
}

static void window_drop(hash_window *window, size_t count) {
    window->first += count;
    window->count -= count;
    if (window->count > 0)
        memmove(window->hashes, window->hashes + count, window->count * sizeof *window->hashes);
}

/* --- Gaps ---------------------------------------------------------------------------------- */

static void keep_gap(void *state, const diff_gap *gap) {
    gap_list *list = state;
    if (list->count == list->capacity) {
        list->capacity = 2 * list->capacity + 16;
        list->gaps = tool_reallocate(list->gaps, list->capacity, sizeof *list->gaps);
    }
    list->gaps[list->count++] = *gap;
}

static void report_gap(position_run *run, const diff_gap *gap) {
    uint64_t a = run->windows[0].first + gap->first[0], b = run->windows[1].first + gap->first[1];
    if (gap->counts[0] == gap->counts[1]) {
        for (uint64_t i = 0; i < gap->counts[0]; i++)
            diff_records_add(run->records, run->report, a + i, b + i);
        return;
    }
    for (uint64_t i = 0; i < gap->counts[0]; i++)
        diff_records_add(run->records, run->report, a + i, DIFF_NONE);
    for (uint64_t i = 0; i < gap->counts[1]; i++)
        diff_records_add(run->records, run->report, DIFF_NONE, b + i);
}

/* --- One window after the other ------------------------------------------------------------ */

/*
 * Reports the gaps of the windows and passes what is aligned, without the gap at their end, which
 * later records may close. False when that is most of a window, which should first grow.
 */
static bool pass_windows(position_run *run, bool may_grow) {
    hash_window *a = &run->windows[0], *b = &run->windows[1];
    bool is_last = window_is_last(a) && window_is_last(b);
    run->gaps.count = 0;
    diff_align(a->hashes, a->count, b->hashes, b->count, keep_gap, &run->gaps);
    size_t count = run->gaps.count, drop_a = a->count, drop_b = b->count;
    diff_gap *last = count == 0 ? NULL : &run->gaps.gaps[count - 1];
    bool ends_in_gap = last != NULL && last->first[0] + last->counts[0] == a->count &&
                       last->first[1] + last->counts[1] == b->count;
    if (ends_in_gap && !is_last) {
        bool is_most = last->counts[0] > a->count / 2 || last->counts[1] > b->count / 2;
        if (is_most && may_grow)
            return false;
        if (!is_most) {
            drop_a = (size_t)last->first[0];
            drop_b = (size_t)last->first[1];
            count--;
        }
    }
    for (size_t i = 0; i < count; i++)
        report_gap(run, &run->gaps.gaps[i]);
    window_drop(a, drop_a);
    window_drop(b, drop_b);
    return true;
}

/* By how many records the windows are apart. */
static int64_t shift_of(const position_run *run) {
    return (int64_t)run->windows[0].first - (int64_t)run->windows[1].first;
}

static bool is_worth_columns(const position_run *run, int64_t shift) {
    const hash_window *a = &run->windows[0], *b = &run->windows[1];
    uint64_t left_a = a->end - a->first, left_b = b->end - b->first;
    return run->shifts_left > 0 && shift_of(run) != shift && left_a > SHIFT_WORTH &&
           left_b > SHIFT_WORTH && run->match->has_all_pairs;
}

/* Compares records from the windows' first to their ends. */
static int compare_region(position_run *run) {
    hash_window *a = &run->windows[0], *b = &run->windows[1];
    uint64_t most = diff_memory_limit() / ROW_BYTES;
    int64_t shift = shift_of(run);
    size_t wanted = WINDOW_LEAST;
    while (a->first < a->end || b->first < b->end) {
        int result = window_fill(a, wanted);
        if (result == TOOL_OK)
            result = window_fill(b, wanted);
        if (result != TOOL_OK)
            return result;
        if (lam_stop_is_due(tool_limits_of_program()->stop)) {
            tool_say("lamella: diff: the time limit has expired\n");
            return DIFF_TROUBLE;
        }
        if (!pass_windows(run, 2 * wanted <= most)) {
            wanted *= 2;
            continue;
        }
        if (diff_report_is_over(run->report))
            break;
        run->is_shifted = is_worth_columns(run, shift);
        if (run->is_shifted)
            break;
    }
    return TOOL_OK;
}

/* ------------------------------------------------------------------------------------------- */

/* Opens the windows on rows that both counted from the start of `dirt`. */
static int open_region(position_run *run, const diff_dirt *dirt, uint64_t first, uint64_t end) {
    for (int side = 0; side < 2; side++) {
        hash_window *window = &run->windows[side];
        uint64_t start = dirt->first[side];
        window->count = 0;
        window->first = start + first;
        window->end = end == dirt->rows ? run->match->files[side].rows : start + end;
        if (window->lines == NULL && window_open(window, run->match, side) != TOOL_OK)
            return DIFF_TROUBLE;
    }
    return TOOL_OK;
}

/* Rows that may differ, those near to each other together. */
static bool next_region(const diff_dirt *dirt, uint64_t from, uint64_t *ret_first,
                        uint64_t *ret_end) {
    uint64_t first, end;
    if (!diff_dirt_next(dirt, from, ret_first, ret_end))
        return false;
    while (diff_dirt_next(dirt, *ret_end, &first, &end) && first - *ret_end <= NEAR)
        *ret_end = end;
    return true;
}

static int compare_regions(position_run *run, const diff_dirt *dirt) {
    uint64_t first, end, from = 0;
    bool has_tail = dirt->first[0] + dirt->rows < run->match->files[0].rows ||
                    dirt->first[1] + dirt->rows < run->match->files[1].rows;
    int result = TOOL_OK;
    while (result == TOOL_OK && !run->is_shifted && !diff_report_is_over(run->report)) {
        bool more = next_region(dirt, from, &first, &end);
        if (!more && !has_tail)
            break;
        if (!more || end + NEAR >= dirt->rows) {
            first = more ? first : dirt->rows;
            end = dirt->rows;
        }
        from = end;
        has_tail = has_tail && end != dirt->rows;
        result = open_region(run, dirt, first, end);
        if (result == TOOL_OK)
            result = compare_region(run);
    }
    return result;
}

int diff_by_position(const diff_match *match, diff_report *report, diff_records *records) {
    position_run run = {
        .match = match, .report = report, .records = records, .shifts_left = SHIFTS_MOST};
    uint64_t a = 0, b = 0;
    int result;
    do {
        diff_dirt dirt;
        run.is_shifted = false;
        result = diff_compare_columns(match, a, b, &dirt);
        if (result == TOOL_OK)
            result = compare_regions(&run, &dirt);
        diff_dirt_finish(&dirt);
        a = run.windows[0].first;
        b = run.windows[1].first;
        run.shifts_left--;
        for (int side = 0; side < 2 && run.is_shifted; side++) {
            diff_lines_close(run.windows[side].lines);
            run.windows[side].lines = NULL;
        }
    } while (result == TOOL_OK && run.is_shifted);
    for (int side = 0; side < 2; side++) {
        diff_lines_close(run.windows[side].lines);
        free(run.windows[side].hashes);
    }
    free(run.gaps.gaps);
    return result;
}
