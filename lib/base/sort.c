/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sorts in two ways: takes items and their order, and gives the same items sorted, after
 * O(n log n) comparisons for any input: no file can make it slow, as it could make a quicksort.
 *
 * Heapsort needs no memory, so that it cannot fail. In the heap no item comes after its parent,
 * which for item i is number (i - 1) / 2:
 *
 *     0
 *     1   2
 *     3 4 5 6
 *
 * Numbers that stand for something are merged, run by run, in a second array; equals stay in turn.
 */
#include "base/sort.h"

#include <string.h>

typedef struct sort_heap {
    uint8_t *items;
    size_t size; /* bytes of an item */
    lam_order *order;
    const void *state;
} sort_heap;

/* Compares the items number `a` and `b`. */
static bool comes_after(const sort_heap *heap, size_t a, size_t b) {
    return heap->order(heap->state, heap->items + a * heap->size, heap->items + b * heap->size) > 0;
}

/* Byte by byte: items are small, and may have any size and alignment. */
static void swap(const sort_heap *heap, size_t a, size_t b) {
    uint8_t *x = heap->items + a * heap->size, *y = heap->items + b * heap->size;
    for (size_t i = 0; i < heap->size; i++) {
        uint8_t byte = x[i];
        x[i] = y[i];
        y[i] = byte;
    }
}

/* Moves an item down to where both its children, of the first `count` items, come no later. */
static void sink(const sort_heap *heap, size_t at, size_t count) {
    for (size_t below = 2 * at + 1; below < count; below = 2 * at + 1) {
        below += below + 1 < count && comes_after(heap, below + 1, below);
        if (!comes_after(heap, below, at))
            return;
        swap(heap, below, at);
        at = below;
    }
}

void lam_sort(void *items, size_t count, size_t size, lam_order *order, const void *state) {
    const sort_heap heap = {items, size, order, state};
    /* Makes the heap from the last item that has a child upwards. */
    for (size_t i = count / 2; i > 0; i--)
        sink(&heap, i - 1, count);
    /* The first `left` items are a heap; the others are sorted and come after them. */
    for (size_t left = count; left > 1; left--) {
        swap(&heap, 0, left - 1); /* the greatest of the heap goes after it */
        sink(&heap, 0, left - 1);
    }
}

/*
 * Merges [left, middle) and [middle, right); of equals the left one goes first, which keeps them in
 * turn.
 */
static void sort_merge(const uint32_t *from, size_t left, size_t middle, size_t right, uint32_t *to,
                       lam_number_behind *is_behind, const void *state) {
    size_t a = left, b = middle;
    for (size_t i = left; i < right; i++)
        to[i] = a < middle && (b >= right || !is_behind(state, from[a], from[b])) ? from[a++]
                                                                                  : from[b++];
}

/*
 * From the bottom up: each round doubles the sorted runs and swaps the two arrays, so the result
 * may end up in `spare` and is copied back.
 */
void lam_sort_numbers(uint32_t *numbers, size_t count, uint32_t *spare,
                      lam_number_behind *is_behind, const void *state) {
    uint32_t *from = numbers, *to = spare;
    for (size_t run = 1; run < count; run *= 2) {
        for (size_t left = 0; left < count; left += 2 * run) {
            size_t middle = count - left < run ? count : left + run;
            size_t right = count - left < 2 * run ? count : left + 2 * run;
            sort_merge(from, left, middle, right, to, is_behind, state);
        }
        uint32_t *other = from;
        from = to;
        to = other;
    }
    if (from != numbers)
        memcpy(numbers, from, count * sizeof *numbers);
}
