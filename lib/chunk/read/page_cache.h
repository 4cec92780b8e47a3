/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keeps uncompressed pages of one row group for the next reader of the same chunks. A filter reads
 * a chunk to find the wanted rows and puts its pages here as it leaves them; the scan then takes
 * those pages instead of uncompressing them again.
 *
 *   cache   budget
 *   chunk   of one leaf:  dictionary page, data page, data page, ...   by offset in the file
 *           and memory of dropped pages, for those that come
 *
 * Pages are kept as they would be in the file without compression, with their checksums verified.
 * Pages beyond the budget are not kept, nor are pages that were not compressed: both are read from
 * the file again.
 *
 * One thread at a time puts pages into a cache. After that, several threads may take them at once,
 * if no two use the same chunk.
 */
#ifndef LAM_CHUNK_READ_PAGE_CACHE_H
#define LAM_CHUNK_READ_PAGE_CACHE_H

#include "base/buffer.h"

typedef struct lam_cached_chunk lam_cached_chunk;

/* The cached chunks of a row group, and the rows that are decided so far. */
typedef struct lam_page_cache {
    lam_allocator allocator;
    const bool *leaves; /* by leaf: its chunks are read again; NULL means all */
    uint64_t budget;    /* bytes of all pages and memory kept, at most */
    uint64_t held;      /* bytes of the budget in use, until the first page is taken */
    /* Rows before `decided_end` are decided; none of them is wanted from `wanted_end` on. */
    uint64_t decided_end;
    uint64_t wanted_end;
    lam_cached_chunk *chunks;
} lam_page_cache;

/*
 * Makes an empty cache. `leaves` marks the leaves whose chunks are read again; it is borrowed until
 * finish, and NULL means all. A budget of 0 bytes keeps nothing.
 */
void lam_page_cache_init(lam_page_cache *cache, const bool *leaves, uint64_t budget,
                         const lam_allocator *allocator);
void lam_page_cache_finish(lam_page_cache *cache);

/*
 * Drops all pages before the next row group, and keeps their memory. No reader may use a chunk any
 * more.
 */
void lam_page_cache_clear(lam_page_cache *cache);

/*
 * Gives the cached chunk of a leaf, making it if necessary; it lives until finish. NULL if the leaf
 * is not cached. NOMEM.
 */
lam_status lam_page_cache_add_chunk(lam_page_cache *cache, size_t leaf_index,
                                    lam_cached_chunk **ret_chunk, lam_error *error);
/* Gives the cached chunk of a leaf; NULL if there is none. */
lam_cached_chunk *lam_page_cache_find_chunk(const lam_page_cache *cache, size_t leaf_index);

/*
 * Reports that rows before `decided_end` are decided, and that the last wanted one of them ends at
 * `wanted_end`: drops pages that have only rows from there to `decided_end`.
 */
void lam_page_cache_drop_unwanted(lam_page_cache *cache, uint64_t decided_end, uint64_t wanted_end);

/*
 * The offset of a page's header, and the rows of the page. A range that is too wide does no harm.
 */
typedef struct lam_page_rows_location {
    uint64_t offset;
    uint64_t first_row;
    uint64_t end_row;
} lam_page_rows_location;

/*
 * Moves the bytes of a page, unless `bytes` is empty, to the chunk. They are kept if the budget has
 * room, their rows may be wanted, and no other reader has put them there. NOMEM, with `bytes`
 * unchanged.
 */
lam_status lam_cached_chunk_put(lam_cached_chunk *chunk, lam_page_rows_location location,
                                lam_buffer *bytes, lam_error *error);
/* Gives the memory of a dropped page to a buffer that has none, if there is any. */
void lam_cached_chunk_lend(lam_cached_chunk *chunk, lam_buffer *bytes);

/* True if the chunk has the page whose header is at `offset`. */
bool lam_cached_chunk_has(const lam_cached_chunk *chunk, uint64_t offset);
/*
 * Moves a page of `size` bytes to `bytes`, and the memory of `bytes` to the chunk. False if the
 * page is not there, or of another size.
 */
bool lam_cached_chunk_take(lam_cached_chunk *chunk, uint64_t offset, size_t size,
                           lam_buffer *bytes);
/*
 * Moves the memory of `bytes` to the chunk if a page was taken without any; finish `bytes` all the
 * same.
 */
void lam_cached_chunk_give_back(lam_cached_chunk *chunk, lam_buffer *bytes);

#endif
