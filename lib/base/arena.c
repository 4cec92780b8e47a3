/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hands out memory from a list of blocks: addresses for the requested sizes, valid until a reset or
 * finish. Only the newest block has free bytes; what is left of a block that cannot serve a request
 * stays unused.
 *
 *     blocks ---> [ header | used ... | next .. left ] ---> [ header | used ... ] ---> NULL
 *
 * `used` counts the bytes handed out and their padding, never more than `budget`: the budget bounds
 * what a hostile file can make a reader allocate, whatever the blocks take beyond it.
 */
#include "base/arena.h"

#include <stdalign.h>
#include <string.h>

#include "base/alloc.h"
#include "base/checked.h"
#include "base/error.h"

struct lam_arena_block {
    lam_arena_block *older;
    size_t size; /* of the entire block, this header included */
};

/* Blocks start at twice FIRST_BLOCK, double, and from LARGEST_STEP on grow by that. */
enum { ARENA_ALIGNMENT = alignof(max_align_t), FIRST_BLOCK = 256, LARGEST_STEP = 1 << 20 };

/* Bytes of the header, rounded up so that the memory after it is aligned. */
static const size_t ARENA_HEADER =
    (sizeof(lam_arena_block) + ARENA_ALIGNMENT - 1) / ARENA_ALIGNMENT * ARENA_ALIGNMENT;

void lam_arena_init(lam_arena *arena, const lam_allocator *allocator, size_t budget) {
    memset(arena, 0, sizeof *arena);
    arena->allocator = *allocator;
    arena->budget = budget;
}

/* A reset takes the caller's memory back only in that a block replaces it. */
void lam_arena_init_in(lam_arena *arena, const lam_allocator *allocator, size_t budget,
                       void *memory, size_t size) {
    lam_arena_init(arena, allocator, budget);
    if (!LAM_ARENA_IS_APART) {
        arena->next = memory;
        arena->left = size;
    }
}

/* Frees a block and all older ones. */
static void free_blocks(lam_arena *arena, lam_arena_block *block) {
    while (block != NULL) {
        lam_arena_block *older = block->older;
        lam_free(&arena->allocator, block, block->size);
        block = older;
    }
}

void lam_arena_finish(lam_arena *arena) {
    free_blocks(arena, arena->blocks);
    arena->blocks = NULL;
    arena->next = NULL;
    arena->left = 0;
    arena->used = 0;
}

void lam_arena_reset(lam_arena *arena) {
    if (LAM_ARENA_IS_APART)
        lam_arena_finish(arena);
    arena->used = 0;
    /* unreachable: blocks are left, when each request has a block of its own */
    if (arena->blocks == NULL)
        return;
    free_blocks(arena, arena->blocks->older);
    arena->blocks->older = NULL;
    arena->next = (uint8_t *)arena->blocks + ARENA_HEADER;
    arena->left = arena->blocks->size - ARENA_HEADER;
}

/*
 * Adds a block with at least `size` free bytes: twice the last one, or a megabyte larger if that is
 * less.
 */
static lam_status add_block(lam_arena *arena, size_t size, lam_error *error) {
    size_t grown = arena->blocks == NULL ? FIRST_BLOCK : arena->blocks->size;
    grown += grown < LARGEST_STEP ? grown : LARGEST_STEP;
    if (LAM_ARENA_IS_APART)
        grown = 0;
    size_t needed;
    if (!lam_add_size(size, ARENA_HEADER, &needed))
        LAM_FAIL(error, LAM_STATUS_NOMEM, "no memory for %zu bytes", size);
    size_t total = grown > needed ? grown : needed;
    void *memory;
    LAM_TRY(lam_alloc(&arena->allocator, total, &memory, error));
    lam_arena_block *block = memory;
    block->older = arena->blocks;
    block->size = total;
    arena->blocks = block;
    arena->next = (uint8_t *)memory + ARENA_HEADER;
    arena->left = total - ARENA_HEADER;
    return LAM_STATUS_OK;
}

/*
 * Takes `size` bytes at an address that `alignment` divides. The budget is checked before a block
 * is added, by subtractions that cannot wrap: `used` is at most `budget`, and `size` at most what
 * is left when `padding` is compared.
 */
static lam_status arena_take(lam_arena *arena, size_t alignment, size_t size, void **ret_memory,
                             lam_error *error) {
    size_t misfit = (uintptr_t)arena->next % alignment;
    size_t padding = misfit == 0 ? 0 : alignment - misfit;
    size_t room = arena->budget == 0 ? SIZE_MAX : arena->budget - arena->used;
    bool fits = arena->next != NULL && size <= arena->left && padding <= arena->left - size;
    if (!fits)
        padding = 0; /* a new block starts aligned */
    /* unreachable: too much padding, when each request has a block of its own */
    if (size > room || padding > room - size)
        LAM_FAIL(error, LAM_ERROR_CODE_MEMORY_LIMIT,
                 "the memory limit of %zu bytes is reached (option memory_limit)", arena->budget);
    if (!fits)
        LAM_TRY(add_block(arena, size, error));
    *ret_memory = arena->next + padding;
    arena->next += padding + size;
    arena->left -= padding + size;
    arena->used += padding + size;
    return LAM_STATUS_OK;
}

lam_status lam_arena_alloc(lam_arena *arena, size_t size, void **ret_memory, lam_error *error) {
    return arena_take(arena, ARENA_ALIGNMENT, size, ret_memory, error);
}

/* lam_arena_alloc is never NULL, even for 0 bytes, so memset is always allowed. */
lam_status lam_arena_array(lam_arena *arena, size_t count, size_t size, void **ret_memory,
                           lam_error *error) {
    size_t bytes;
    if (!lam_mul_size(count, size, &bytes))
        LAM_FAIL(error, LAM_STATUS_NOMEM, "no memory for %zu elements of %zu bytes", count, size);
    LAM_TRY(lam_arena_alloc(arena, bytes, ret_memory, error));
    memset(*ret_memory, 0, bytes);
    return LAM_STATUS_OK;
}

lam_status lam_arena_array_at(lam_arena *arena, size_t count, size_t size, void *pointer,
                              lam_error *error) {
    void *memory;
    LAM_TRY(lam_arena_array(arena, count, size, &memory, error));
    memcpy(pointer, &memory, sizeof memory);
    return LAM_STATUS_OK;
}

lam_status lam_arena_bytes(lam_arena *arena, size_t size, uint8_t **ret_bytes, lam_error *error) {
    void *memory;
    LAM_TRY(arena_take(arena, 1, size, &memory, error));
    *ret_bytes = memory;
    return LAM_STATUS_OK;
}

lam_status lam_arena_copy(lam_arena *arena, const void *bytes, size_t size, char **ret_copy,
                          lam_error *error) {
    size_t with_nul;
    if (!lam_add_size(size, 1, &with_nul))
        LAM_FAIL(error, LAM_STATUS_NOMEM, "no memory for %zu bytes", size);
    uint8_t *copy;
    LAM_TRY(lam_arena_bytes(arena, with_nul, &copy, error));
    if (size > 0)
        memcpy(copy, bytes, size);
    copy[size] = '\0';
    *ret_copy = (char *)copy;
    return LAM_STATUS_OK;
}
