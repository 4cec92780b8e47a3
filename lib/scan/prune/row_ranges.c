/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keeps ranges of rows in ascending order. Ranges are appended, never inserted, because all code
 * that finds rows works through a row group from its start; so adding takes constant time.
 *
 * The invariant: ranges are not empty, rise, and neither overlap nor touch, so the same rows always
 * give the same list; `rows` is their sum. Adding [0, 5), [5, 7), [9, 10) leaves [0, 7) and [9,
 * 10).
 */
#include "scan/prune/row_ranges.h"

#include <string.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/wrap.h"

enum { RANGES_WORD_BITS = 64 };

void lam_row_ranges_init(lam_row_ranges *ranges, const lam_allocator *allocator) {
    LAM_LIST_INIT(&ranges->list, allocator);
    ranges->rows = 0;
}

void lam_row_ranges_finish(lam_row_ranges *ranges) {
    LAM_LIST_FINISH(&ranges->list);
}

void lam_row_ranges_clear(lam_row_ranges *ranges) {
    ranges->list.count = 0;
    ranges->rows = 0;
}

/*
 * Extends the last range if the new rows follow it at once. `rows` changes only after the append.
 */
lam_status lam_row_ranges_add(lam_row_ranges *ranges, uint64_t begin, uint64_t end,
                              lam_error *error) {
    if (begin >= end)
        return LAM_STATUS_OK;
    lam_row_range *last = ranges->list.count > 0 ? &LAM_LIST_LAST(&ranges->list) : NULL;
    if (last != NULL && last->end == begin) {
        last->end = end;
    } else {
        lam_row_range range = {begin, end};
        LAM_TRY(LAM_LIST_RESERVE(&ranges->list, 1, error));
        ranges->list.items[ranges->list.count++] = range;
    }
    ranges->rows += end - begin;
    return LAM_STATUS_OK;
}

/* Loads up to 64 bits from bit `at` on, a multiple of 64; those past the last are 0. */
static uint64_t row_ranges_word(const uint8_t *bits, size_t at, size_t count) {
    uint8_t last[sizeof(uint64_t)] = {0};
    size_t left = count - at;
    if (left >= RANGES_WORD_BITS)
        return lam_load_le64(bits + at / 8);
    memcpy(last, bits + at / 8, (left + 7) / 8);
    return lam_load_le64(last) & (((uint64_t)1 << left) - 1);
}

/*
 * Ranges in memory are the rows at which wanted ones begin and end, in turns, so each change from
 * one bit to the next is one number to write, whether it begins or ends one:
 *
 *     bits 0 1 1 0 1 1, from row 8 on   ->   9 11 12, and 14 at the end   ->   [9, 11) [12, 14)
 *
 * The last range continues if it ends at `begin` and the first bit is 1: then its end is taken
 * back. `rows` wraps around from the begin of a range to its end.
 */
LAM_WRAPS lam_status lam_row_ranges_add_bits(lam_row_ranges *ranges, uint64_t begin,
                                             const uint8_t *bits, size_t count, lam_error *error) {
    LAM_TRY(LAM_LIST_RESERVE(&ranges->list, count / 2 + 1, error));
    uint64_t *edges = &ranges->list.items->begin;
    size_t next = 2 * ranges->list.count;
    uint64_t before = next > 0 && edges[next - 1] == begin; /* the bit before the next word's */
    next -= before;
    ranges->rows -= before * begin;
    for (size_t at = 0; at < count; at += RANGES_WORD_BITS) {
        uint64_t word = row_ranges_word(bits, at, count);
        uint64_t changes = word ^ (word << 1 | before);
        before = word >> (RANGES_WORD_BITS - 1);
        for (; changes != 0; changes &= changes - 1) {
            uint64_t edge = begin + at + (unsigned)__builtin_ctzll(changes);
            ranges->rows += next % 2 == 0 ? 0 - edge : edge;
            edges[next++] = edge;
        }
    }
    if (next % 2 != 0) {
        ranges->rows += begin + count;
        edges[next++] = begin + count;
    }
    ranges->list.count = next / 2;
    return LAM_STATUS_OK;
}

/* Linear in the ranges: it serves error messages. */
uint64_t lam_row_ranges_row(const lam_row_ranges *ranges, uint64_t index) {
    size_t next = 0;
    lam_row_range range = lam_row_ranges_at(ranges, 0);
    while (index >= range.end - range.begin) {
        index -= range.end - range.begin;
        range = lam_row_ranges_at(ranges, ++next);
    }
    return range.begin + index;
}

/* Works in place, since no range grows and none is added: `kept` never overtakes `i`. */
void lam_row_ranges_cut(lam_row_ranges *ranges, uint64_t skip, uint64_t most) {
    lam_row_range *items = ranges->list.items;
    size_t count = lam_row_ranges_count(ranges), kept = 0;
    uint64_t rows = 0;
    if (skip == 0 && most >= ranges->rows)
        return;
    for (size_t i = 0; i < count && rows < most; i++) {
        lam_row_range range = items[i];
        uint64_t size = range.end - range.begin;
        uint64_t drop = skip < size ? skip : size;
        skip -= drop;
        range.begin += drop;
        size -= drop;
        if (size > most - rows)
            size = most - rows;
        range.end = range.begin + size;
        if (size > 0)
            /* A range that is dropped entirely leaves no gap in the list. */
            items[kept++] = range;
        rows += size;
    }
    ranges->list.count = kept;
    ranges->rows = rows;
}
