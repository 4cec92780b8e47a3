/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keeps pages: takes those that one reader uncompresses, and gives them to the next, from one array
 * for each leaf, with the memory of dropped pages after them:
 *
 *   items   [page page page ...][memory memory ...]
 *           by offset            in any order
 *           decided   page_count            item count
 *
 * The invariant: a buffer belongs to exactly one of a page, free memory, or a reader. Putting,
 * dropping and lending move it between them, and `held` sums the buffers here, by their capacity
 * and not only by their bytes. Taking a page leaves `held` alone and changes one chunk only, so
 * that threads that share a cache but no chunk need no lock.
 */
#include "chunk/read/page_cache.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/list.h"
#include "base/search.h"

/* A page, or the memory of one that was dropped. */
typedef struct kept_page {
    lam_page_rows_location location;
    lam_buffer bytes; /* without bytes, and often without memory, if the page was taken */
} kept_page;

struct lam_cached_chunk {
    lam_cached_chunk *next; /* in the cache's list: one per leaf that is read, so short */
    size_t leaf_index;
    lam_page_cache *cache;
    LAM_LIST(kept_page) items; /* pages by their offsets, then free memory */
    size_t page_count;         /* pages in `items` */
    size_t decided;            /* this many of the first pages stay, whatever is decided later */
};

static size_t item_count(const lam_cached_chunk *chunk) {
    return chunk->items.count;
}

static kept_page *item_at(const lam_cached_chunk *chunk, size_t index) {
    return chunk->items.items + index;
}

/* Gives the bytes that an item takes of the budget. */
static uint64_t room_of(const lam_buffer *bytes) {
    return (uint64_t)bytes->capacity + sizeof(kept_page);
}

/* --- Chunks -------------------------------------------------------------------------------- */

void lam_page_cache_init(lam_page_cache *cache, const bool *leaves, uint64_t budget,
                         const lam_allocator *allocator) {
    memset(cache, 0, sizeof *cache);
    cache->allocator = *allocator;
    cache->leaves = leaves;
    cache->budget = budget;
}

void lam_page_cache_finish(lam_page_cache *cache) {
    while (cache->chunks != NULL) {
        lam_cached_chunk *chunk = cache->chunks;
        cache->chunks = chunk->next;
        for (size_t i = 0; i < item_count(chunk); i++)
            lam_buffer_finish(&item_at(chunk, i)->bytes);
        LAM_LIST_FINISH(&chunk->items);
        lam_free(&cache->allocator, chunk, sizeof *chunk);
    }
}

lam_cached_chunk *lam_page_cache_find_chunk(const lam_page_cache *cache, size_t leaf_index) {
    lam_cached_chunk *chunk = cache->chunks;
    while (chunk != NULL && chunk->leaf_index != leaf_index)
        chunk = chunk->next;
    return chunk;
}

lam_status lam_page_cache_add_chunk(lam_page_cache *cache, size_t leaf_index,
                                    lam_cached_chunk **ret_chunk, lam_error *error) {
    lam_cached_chunk *chunk = lam_page_cache_find_chunk(cache, leaf_index);
    bool keeps = cache->budget > 0 && (cache->leaves == NULL || cache->leaves[leaf_index]);
    if (chunk == NULL && keeps) {
        LAM_TRY(LAM_NEW(&cache->allocator, &chunk, error));
        chunk->leaf_index = leaf_index;
        chunk->cache = cache;
        LAM_LIST_INIT(&chunk->items, &cache->allocator);
        chunk->next = cache->chunks;
        cache->chunks = chunk;
    }
    *ret_chunk = chunk;
    return LAM_STATUS_OK;
}

/* --- Memory -------------------------------------------------------------------------------- */

/* Takes the last item, so that no page moves; its room leaves the budget with it. */
void lam_cached_chunk_lend(lam_cached_chunk *chunk, lam_buffer *bytes) {
    if (bytes->capacity > 0 || item_count(chunk) == chunk->page_count)
        return;
    chunk->items.count--;
    kept_page *last = item_at(chunk, item_count(chunk));
    chunk->cache->held -= room_of(&last->bytes);
    lam_buffer_clear(&last->bytes);
    *bytes = last->bytes;
}

/*
 * A reader without memory of its own leaves an empty item where it took its first page; the memory
 * goes there, and the next row group finds it.
 */
void lam_cached_chunk_give_back(lam_cached_chunk *chunk, lam_buffer *bytes) {
    for (size_t i = 0; i < chunk->page_count; i++) {
        kept_page *page = item_at(chunk, i);
        if (page->bytes.capacity > 0)
            continue;
        page->bytes = *bytes;
        lam_buffer_clear(&page->bytes);
        lam_buffer_init(bytes, &page->bytes.allocator);
        return;
    }
}

/*
 * Frees memory of dropped pages until the budget has room for `bytes` more; false if it still has
 * not.
 */
static bool page_cache_make_room(lam_page_cache *cache, uint64_t bytes) {
    for (lam_cached_chunk *chunk = cache->chunks; chunk != NULL; chunk = chunk->next) {
        lam_buffer memory;
        while (cache->held + bytes > cache->budget && item_count(chunk) > chunk->page_count) {
            lam_buffer_init(&memory, &cache->allocator);
            lam_cached_chunk_lend(chunk, &memory);
            lam_buffer_finish(&memory);
        }
    }
    return cache->held + bytes <= cache->budget;
}

/* Turns all pages of a chunk into free memory; items whose memory was taken go. */
static void clear_chunk(lam_cached_chunk *chunk) {
    size_t kept = 0;
    for (size_t i = 0; i < item_count(chunk); i++) {
        kept_page *item = item_at(chunk, i);
        if (item->bytes.capacity == 0)
            continue;
        chunk->cache->held += room_of(&item->bytes);
        *item_at(chunk, kept++) = *item;
    }
    chunk->items.count = kept;
    chunk->page_count = 0;
    chunk->decided = 0;
}

/* Sums `held` again: taking pages exchanged buffers without counting. */
void lam_page_cache_clear(lam_page_cache *cache) {
    cache->held = 0;
    cache->decided_end = 0;
    cache->wanted_end = 0;
    for (lam_cached_chunk *chunk = cache->chunks; chunk != NULL; chunk = chunk->next)
        clear_chunk(chunk);
    (void)page_cache_make_room(cache, 0); /* readers may have left more memory than they took */
}

/* --- Pages --------------------------------------------------------------------------------- */

/* Gives the index of the page at `offset`, or of the first one after it, by bisection. */
static size_t page_cache_find_page(const lam_cached_chunk *chunk, uint64_t offset) {
    size_t at;
    LAM_BISECT(at, 0, chunk->page_count, item_at(chunk, at)->location.offset < offset);
    return at;
}

bool lam_cached_chunk_has(const lam_cached_chunk *chunk, uint64_t offset) {
    size_t index = page_cache_find_page(chunk, offset);
    return index < chunk->page_count && item_at(chunk, index)->location.offset == offset;
}

/*
 * True if all rows of a page are decided and none is wanted. A page that continues a record counts
 * that record, too, so that a wanted record keeps all of its pages.
 */
static bool is_unwanted(const lam_page_cache *cache, lam_page_rows_location location) {
    return location.end_row <= cache->decided_end && location.first_row >= cache->wanted_end;
}

/*
 * Drops the unwanted pages of a chunk. Those that stay move forward in order, and the dropped ones
 * end up after them, as memory. Pages that are decided are not checked again, so that many small
 * decisions do not each pass over all pages.
 */
static void drop_unwanted(lam_cached_chunk *chunk) {
    size_t kept = chunk->decided;
    for (size_t i = kept; i < chunk->page_count; i++) {
        kept_page page = *item_at(chunk, i);
        if (is_unwanted(chunk->cache, page.location))
            continue;
        *item_at(chunk, i) = *item_at(chunk, kept);
        *item_at(chunk, kept++) = page;
    }
    chunk->page_count = kept;
    while (chunk->decided < kept &&
           item_at(chunk, chunk->decided)->location.end_row <= chunk->cache->decided_end)
        chunk->decided++;
}

void lam_page_cache_drop_unwanted(lam_page_cache *cache, uint64_t decided_end,
                                  uint64_t wanted_end) {
    cache->decided_end = decided_end;
    cache->wanted_end = wanted_end;
    for (lam_cached_chunk *chunk = cache->chunks; chunk != NULL; chunk = chunk->next)
        drop_unwanted(chunk);
}

/*
 * A page that is not kept becomes free memory at the end of the items. Nothing changes before the
 * last step that may fail.
 */
lam_status lam_cached_chunk_put(lam_cached_chunk *chunk, lam_page_rows_location location,
                                lam_buffer *bytes, lam_error *error) {
    lam_page_cache *cache = chunk->cache;
    uint64_t room = room_of(bytes);
    if (bytes->size == 0 || !page_cache_make_room(cache, room))
        return LAM_STATUS_OK;
    LAM_TRY(LAM_LIST_RESERVE(&chunk->items, 1, error));
    bool stays = !is_unwanted(cache, location) && !lam_cached_chunk_has(chunk, location.offset);
    size_t index = stays ? page_cache_find_page(chunk, location.offset) : item_count(chunk);
    chunk->items.count++;
    kept_page *item = item_at(chunk, index);
    memmove(item + 1, item, (item_count(chunk) - 1 - index) * sizeof *item);
    item->location = location;
    item->bytes = *bytes;
    lam_buffer_init(bytes, &cache->allocator);
    cache->held += room;
    chunk->page_count += stays;
    chunk->decided += index < chunk->decided;
    return LAM_STATUS_OK;
}

bool lam_cached_chunk_take(lam_cached_chunk *chunk, uint64_t offset, size_t size,
                           lam_buffer *bytes) {
    if (!lam_cached_chunk_has(chunk, offset))
        return false;
    kept_page *page = item_at(chunk, page_cache_find_page(chunk, offset));
    if (page->bytes.size != size)
        return false;
    lam_buffer taken = page->bytes;
    page->bytes = *bytes;
    lam_buffer_clear(&page->bytes);
    *bytes = taken;
    return true;
}
