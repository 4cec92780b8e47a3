/*
 * Pages of a row group that were uncompressed once and are read again: one reader of a chunk, which
 * finds out the rows that are wanted, puts its pages here as it leaves them, and the next takes
 * them.
 *
 *     cache   budget
 *     chunk   of one leaf:  dictionary page, data page, data page, ...   by their offsets in the
 * file and memory of pages that are gone, for those that come
 *
 * Pages are as they would stand in the file without compression, and their checksums are verified.
 * What the budget has no room for is not kept, nor are pages that were not compressed: they are
 * read from the file again.
 *
 * All that puts pages to one cache is one thread at a time. Then several threads may take them at
 * once, each from chunks that no other uses.
 */
#ifndef LAM_CHUNK_PAGE_CACHE_H
#define LAM_CHUNK_PAGE_CACHE_H

#include "base/buffer.h"

typedef struct lam_cached_chunk lam_cached_chunk;

typedef struct lam_page_cache {
    lam_allocator allocator;
    const bool *leaves; /* that are read again */
    uint64_t budget;    /* bytes */
    uint64_t held;      /* by the chunks, as long as nothing is taken */
    /* Rows before `decided_end` were decided on, and none of them is wanted from `wanted_end` on. */
    uint64_t decided_end;
    uint64_t wanted_end;
    lam_cached_chunk *chunks;
} lam_page_cache;

/*
 * `leaves` marks those whose chunks are read again; it is borrowed until finish, and NULL means
 * all. With a budget of 0 bytes nothing is kept.
 */
void lam_page_cache_init(lam_page_cache *cache, const bool *leaves, uint64_t budget,
                         const lam_allocator *allocator);
void lam_page_cache_finish(lam_page_cache *cache);

/* Lets go of all pages: the next row group comes. No reader may use a chunk any more. */
void lam_page_cache_clear(lam_page_cache *cache);

/* The cached chunk of a leaf, which lives until finish; NULL when nothing is kept of it. NOMEM. */
lam_status lam_page_cache_add_chunk(lam_page_cache *cache, size_t leaf_index,
                                    lam_cached_chunk **ret_chunk, lam_error *error);
/* NULL when nobody made one. */
lam_cached_chunk *lam_page_cache_find_chunk(const lam_page_cache *cache, size_t leaf_index);

/*
 * Rows before `decided_end` are decided on, and `wanted_end` is behind the last of them that is wanted:
 * pages that have only rows between are let go.
 */
void lam_page_cache_drop_unwanted(lam_page_cache *cache, uint64_t decided_end, uint64_t wanted_end);

/* Where the header of a page is, and which rows the page has; more than it has do no harm. */
typedef struct lam_page_rows_location {
    uint64_t offset;
    uint64_t first_row;
    uint64_t end_row;
} lam_page_rows_location;

/*
 * Moves the bytes of a page, unless `bytes` is empty, to the chunk, where they stay if there is
 * room for them, their rows may be wanted and no other reader has put them there. NOMEM, with
 * `bytes` as they were.
 */
lam_status lam_cached_chunk_put(lam_cached_chunk *chunk, lam_page_rows_location location,
                                lam_buffer *bytes, lam_error *error);
/* Gives memory for the next page to a buffer that has none, if there is any. */
void lam_cached_chunk_lend(lam_cached_chunk *chunk, lam_buffer *bytes);

bool lam_cached_chunk_has(const lam_cached_chunk *chunk, uint64_t offset);
/* Moves a page of `size` bytes to `bytes`, whose memory is kept; false when it is not there. */
bool lam_cached_chunk_take(lam_cached_chunk *chunk, uint64_t offset, size_t size,
                           lam_buffer *bytes);
/* Gives memory back, if as much was taken; `bytes` is still to be finished. */
void lam_cached_chunk_give_back(lam_cached_chunk *chunk, lam_buffer *bytes);

#endif
