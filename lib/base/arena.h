/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An arena: many small allocations that are freed together, from blocks that double, under a byte
 * budget. Its memory never moves.
 */
#ifndef LAM_BASE_ARENA_H
#define LAM_BASE_ARENA_H

#include <lamella/common.h>

/*
 * Builds with AddressSanitizer or with counters of branches give each request a block of its own,
 * so that a byte too far is seen, and so that each request can fail.
 */
#ifdef LAM_ARENA_APART
enum { LAM_ARENA_IS_APART = true };
#else
enum { LAM_ARENA_IS_APART = false };
#endif

typedef struct lam_arena_block lam_arena_block;

typedef struct lam_arena {
    lam_allocator allocator;
    lam_arena_block *blocks; /* newest first */
    uint8_t *next;           /* free bytes of the newest block */
    size_t left;
    size_t used;   /* bytes handed out, padding included, since init or the last reset */
    size_t budget; /* most bytes it may hand out; 0 is no bound */
} lam_arena;

/* Starts empty; allocates nothing yet. `budget` of 0 is no bound. */
void lam_arena_init(lam_arena *arena, const lam_allocator *allocator, size_t budget);
/* The same with memory of the caller, aligned for any type, that is handed out before any block. */
void lam_arena_init_in(lam_arena *arena, const lam_allocator *allocator, size_t budget,
                       void *memory, size_t size);
void lam_arena_finish(lam_arena *arena);

/* Takes back all memory and keeps the newest (largest) block for reuse. */
void lam_arena_reset(lam_arena *arena);

/*
 * Memory aligned for any type, not cleared; never NULL. NOMEM, or LIMIT when the budget is spent.
 */
lam_status lam_arena_alloc(lam_arena *arena, size_t size, void **ret_memory, lam_error *error);

/* `count` elements of `size` bytes, aligned and cleared. */
lam_status lam_arena_array(lam_arena *arena, size_t count, size_t size, void **ret_memory,
                           lam_error *error);

/*
 * Takes as many elements of the type that `*pointer` points to, cleared, and sets it; on failure it
 * stays as it is. It is the LAM_ARRAY of an arena. NOMEM, LIMIT.
 */
#define LAM_ARENA_ARRAY(arena, count, pointer, error)                                              \
    lam_arena_array_at((arena), (count), sizeof **(pointer), (pointer), (error))

/* The same with one element. */
#define LAM_ARENA_NEW(arena, pointer, error) LAM_ARENA_ARRAY(arena, 1, pointer, error)

/* The function of LAM_ARENA_ARRAY; `pointer` is the address of one. */
lam_status lam_arena_array_at(lam_arena *arena, size_t count, size_t size, void *pointer,
                              lam_error *error);

/* A copy followed by a NUL, without alignment: for text and byte values. */
lam_status lam_arena_copy(lam_arena *arena, const void *bytes, size_t size, char **ret_copy,
                          lam_error *error);

/* `size` bytes without alignment, not cleared. */
lam_status lam_arena_bytes(lam_arena *arena, size_t size, uint8_t **ret_bytes, lam_error *error);

#endif
