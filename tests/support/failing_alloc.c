/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An allocator that counts, moves each block that grows, and refuses the request that a test names.
 */
#include "support/failing_alloc.h"

#include <pthread.h>
#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

/* Each block carries its size in front, so that sizes named later can be compared. */
enum { FRONT = 2 * alignof(max_align_t) };

/* Over the members of all counters: arrays are made and released on several threads. */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static size_t size_of(const void *memory) {
    size_t size;
    memcpy(&size, (const char *)memory - FRONT, sizeof size);
    return size;
}

/* Counts a request; false when it is the one that fails. */
static bool count_request(lam_failing_alloc *counter) {
    pthread_mutex_lock(&mutex);
    size_t number = ++counter->requests;
    bool fails = number == counter->fail_at ||
                 (counter->fails_on && counter->fail_at != 0 && number > counter->fail_at);
    pthread_mutex_unlock(&mutex);
    return !fails;
}

static void count_in(lam_failing_alloc *counter, size_t size) {
    pthread_mutex_lock(&mutex);
    counter->live_bytes += size;
    if (counter->live_bytes > counter->peak_bytes)
        counter->peak_bytes = counter->live_bytes;
    pthread_mutex_unlock(&mutex);
}

static void count_out(lam_failing_alloc *counter, size_t size, size_t named_size) {
    pthread_mutex_lock(&mutex);
    counter->wrong_sizes += size != named_size;
    counter->live_bytes -= size;
    pthread_mutex_unlock(&mutex);
}

static void *allocate(void *state, size_t size) {
    if (!count_request(state) || size > SIZE_MAX - FRONT)
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
    count_out(state, size_of(memory), size);
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
