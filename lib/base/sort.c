/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sorts with Heapsort: takes items of one size and their order, and gives the same items sorted. It
 * needs no memory, so that it never fails, and O(n log n) comparisons for any input: no file can
 * make it slow, as it could make a quicksort.
 *
 * In the heap no item comes after its parent, which for item i is number (i - 1) / 2:
 *
 *     0
 *     1   2
 *     3 4 5 6
 */
#include "base/sort.h"

#include <stdbool.h>
#include <stdint.h>

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
