/* SPDX-License-Identifier: Apache-2.0 */
/* Allocates memory through a lam_allocator and reports failures as errors. */
#ifndef LAM_BASE_ALLOC_H
#define LAM_BASE_ALLOC_H

#include <lamella/common.h>

/* The given allocator, or the default one when it is NULL. */
lam_allocator lam_allocator_or_default(const lam_allocator *allocator);

/* Allocates `size` bytes, not cleared; a size of 0 gives NULL. NOMEM, or LIMIT beyond a budget. */
lam_status lam_alloc(const lam_allocator *allocator, size_t size, void **ret_memory,
                     lam_error *error);

/*
 * Allocates `count` elements of `size` bytes, cleared. NOMEM, also when the product overflows;
 * LIMIT beyond a budget.
 */
lam_status lam_alloc_array(const lam_allocator *allocator, size_t count, size_t size,
                           void **ret_memory, lam_error *error);

/*
 * Allocates as many elements of the type that `*pointer` points to, cleared, and sets it; on
 * failure it stays as it is. NOMEM, LIMIT.
 *
 *     lam_field *fields;
 *     LAM_TRY(LAM_ARRAY(allocator, count, &fields, error));
 */
#define LAM_ARRAY(allocator, count, pointer, error)                                                \
    lam_alloc_at((allocator), (count), sizeof **(pointer), (pointer), (error))

/* The same with one element. */
#define LAM_NEW(allocator, pointer, error) LAM_ARRAY(allocator, 1, pointer, error)

/* The function of LAM_ARRAY; `pointer` is the address of one. */
lam_status lam_alloc_at(const lam_allocator *allocator, size_t count, size_t size, void *pointer,
                        lam_error *error);

/*
 * Grows or shrinks `*memory` from `old_size` to `new_size` bytes and keeps the bytes that both
 * have. On failure the old block stays.
 */
lam_status lam_realloc(const lam_allocator *allocator, void **memory, size_t old_size,
                       size_t new_size, lam_error *error);

/*
 * Counts bytes that other code takes past the allocator against its budget, LIMIT if they would
 * pass it; lam_free_elsewhere stops counting them.
 */
lam_status lam_alloc_elsewhere(const lam_allocator *allocator, size_t size, lam_error *error);
void lam_free_elsewhere(const lam_allocator *allocator, size_t size);

/* Gives memory back; NULL is allowed. */
void lam_free(const lam_allocator *allocator, void *memory, size_t size);

#endif
