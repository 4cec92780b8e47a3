/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Allocates memory from the caller's allocator or the heap, and fails with an error that
 * distinguishes a spent budget (LIMIT, with the option's name) from an allocator that refuses
 * (NOMEM). No other source calls malloc, realloc or free.
 *
 * An allocator is never asked for 0 bytes, nor to free NULL, so that a caller's callbacks need no
 * cases for them; and it gets the size of every block back when the block is freed.
 */
#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

#include "base/budget.h"
#include "base/checked.h"
#include "base/error.h"

/* The heap keeps sizes itself and ignores the given ones. */
static void *heap_allocate(void *state, size_t size) {
    (void)state;
    return malloc(size);
}

static void *heap_reallocate(void *state, void *memory, size_t old_size, size_t new_size) {
    (void)state;
    (void)old_size;
    return realloc(memory, new_size);
}

static void heap_release(void *state, void *memory, size_t size) {
    (void)state;
    (void)size;
    free(memory);
}

lam_allocator lam_allocator_default(void) {
    lam_allocator allocator = {NULL, heap_allocate, heap_reallocate, heap_release};
    return allocator;
}

lam_allocator lam_allocator_or_default(const lam_allocator *allocator) {
    return allocator != NULL ? *allocator : lam_allocator_default();
}

/*
 * Reports that `size` more bytes were refused. The budget is asked again afterwards: another thread
 * may have freed memory in between, which then reads as NOMEM; the status never claims a bound that
 * would have allowed the bytes.
 */
static lam_status alloc_fail(const lam_allocator *allocator, size_t size, lam_error *error) {
    LAM_TRY(lam_budget_check(allocator, size, error));
    LAM_FAIL(error, LAM_STATUS_NOMEM, "no memory for %zu bytes", size);
}

lam_status lam_alloc(const lam_allocator *allocator, size_t size, void **ret_memory,
                     lam_error *error) {
    void *memory = NULL;
    if (size > 0) {
        memory = allocator->allocate(allocator->state, size);
        if (memory == NULL)
            return alloc_fail(allocator, size, error);
    }
    *ret_memory = memory;
    return LAM_STATUS_OK;
}

lam_status lam_alloc_array(const lam_allocator *allocator, size_t count, size_t size,
                           void **ret_memory, lam_error *error) {
    size_t bytes;
    if (!lam_mul_size(count, size, &bytes))
        LAM_FAIL(error, LAM_STATUS_NOMEM, "no memory for %zu elements of %zu bytes", count, size);
    LAM_TRY(lam_alloc(allocator, bytes, ret_memory, error));
    if (bytes > 0)
        memset(*ret_memory, 0, bytes);
    return LAM_STATUS_OK;
}

lam_status lam_alloc_at(const lam_allocator *allocator, size_t count, size_t size, void *pointer,
                        lam_error *error) {
    void *memory;
    LAM_TRY(lam_alloc_array(allocator, count, size, &memory, error));
    memcpy(pointer, &memory, sizeof memory);
    return LAM_STATUS_OK;
}

/*
 * Covers the four cases that realloc(3) mixes: new, grown or shrunk, freed, and nothing to nothing.
 */
lam_status lam_realloc(const lam_allocator *allocator, void **memory, size_t old_size,
                       size_t new_size, lam_error *error) {
    if (*memory == NULL || old_size == 0)
        return lam_alloc(allocator, new_size, memory, error);
    if (new_size == 0) {
        lam_free(allocator, *memory, old_size);
        *memory = NULL;
        return LAM_STATUS_OK;
    }
    void *moved = allocator->reallocate(allocator->state, *memory, old_size, new_size);
    if (moved == NULL)
        return alloc_fail(allocator, new_size, error);
    *memory = moved;
    return LAM_STATUS_OK;
}

lam_status lam_alloc_elsewhere(const lam_allocator *allocator, size_t size, lam_error *error) {
    return lam_budget_draw(allocator, size) ? LAM_STATUS_OK : alloc_fail(allocator, size, error);
}

void lam_free_elsewhere(const lam_allocator *allocator, size_t size) {
    lam_budget_give_back(allocator, size);
}

void lam_free(const lam_allocator *allocator, void *memory, size_t size) {
    if (memory != NULL)
        allocator->release(allocator->state, memory, size);
}
