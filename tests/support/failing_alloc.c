#include "support/failing_alloc.h"

#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

/* Each block carries its size in front, so that sizes named later can be compared. */
enum { FRONT = 2 * alignof(max_align_t) };

static bool fails(lam_failing_alloc *counter) {
    counter->requests++;
    return counter->requests == counter->fail_at;
}

static void count_in(lam_failing_alloc *counter, size_t size) {
    counter->live_bytes += size;
    if (counter->live_bytes > counter->peak_bytes)
        counter->peak_bytes = counter->live_bytes;
}

static size_t size_of(const void *memory) {
    size_t size;
    memcpy(&size, (const char *)memory - FRONT, sizeof size);
    return size;
}

static void *allocate(void *state, size_t size) {
    if (fails(state))
        return NULL;
    char *block = malloc(size + FRONT);
    if (block == NULL)
        return NULL;
    memcpy(block, &size, sizeof size);
    memset(block + FRONT, 0xA5, size);
    count_in(state, size);
    return block + FRONT;
}

static void release(void *state, void *memory, size_t size) {
    lam_failing_alloc *counter = state;
    counter->wrong_sizes += size_of(memory) != size;
    counter->live_bytes -= size_of(memory);
    free((char *)memory - FRONT);
}

/* Always moves, so that pointers into the old block are caught. */
static void *reallocate(void *state, void *memory, size_t old_size, size_t new_size) {
    void *moved = allocate(state, new_size);
    if (moved == NULL)
        return NULL;
    memcpy(moved, memory, old_size < new_size ? old_size : new_size);
    release(state, memory, old_size);
    return moved;
}

lam_allocator lam_failing_allocator(lam_failing_alloc *counter) {
    lam_allocator allocator = {counter, allocate, reallocate, release};
    return allocator;
}
