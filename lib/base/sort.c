/*
 * Heapsort: it needs no memory, and no order of the items makes it slow. In the heap no item comes
 * after the one above it, which is number (i - 1) / 2 for item i.
 */
#include "base/sort.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct sort_heap {
    uint8_t *items;
    size_t size; /* of an item */
    lam_order *order;
    const void *state;
} sort_heap;

static bool comes_after(const sort_heap *heap, size_t a, size_t b) {
    return heap->order(heap->state, heap->items + a * heap->size, heap->items + b * heap->size) > 0;
}

static void swap(const sort_heap *heap, size_t a, size_t b) {
    uint8_t *x = heap->items + a * heap->size, *y = heap->items + b * heap->size;
    for (size_t i = 0; i < heap->size; i++) {
        uint8_t byte = x[i];
        x[i] = y[i];
        y[i] = byte;
    }
}

/* Moves an item down to where both below it, of the first `count`, come no later. */
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
    for (size_t i = count / 2; i > 0; i--)
        sink(&heap, i - 1, count);
    for (size_t left = count; left > 1; left--) {
        swap(&heap, 0, left - 1); /* the last of them is in its place */
        sink(&heap, 0, left - 1);
    }
}
