/*
 * Pages of a row group that were uncompressed once and are read again: one reader of a chunk, which
 * finds out the rows that are wanted, puts its pages here as it leaves them, and the next takes
 * them.
 *
 *     store   budget
 *     shelf   of one chunk: dictionary page, data page, data page, ...   by their offsets in the
 * file and memory of pages that are gone, for those that come
 *
 * Pages are as they would stand in the file without compression, and their checksums are verified.
 * What the budget has no room for is not kept, nor are pages that were not compressed: they are
 * read from the file again.
 *
 * All that puts pages to one store is one thread at a time. Then several threads may take them at
 * once, each from shelves that no other uses.
 */
#ifndef LAM_CHUNK_PAGE_STORE_H
#define LAM_CHUNK_PAGE_STORE_H

#include "base/buffer.h"

typedef struct lam_page_shelf lam_page_shelf;

typedef struct lam_page_store {
    lam_allocator allocator;
    const bool *leaves; /* that are read again */
    uint64_t budget;    /* bytes */
    uint64_t held;      /* by the shelves, as long as nothing is taken */
    /* Rows before `settled` were decided on, and none of them is wanted from `wanted_end` on. */
    uint64_t settled;
    uint64_t wanted_end;
    lam_page_shelf *shelves;
} lam_page_store;

/*
 * `leaves` marks those whose chunks are read again; it is borrowed until finish, and NULL means
 * all. With a budget of 0 bytes nothing is kept.
 */
void lam_page_store_init(lam_page_store *store, const bool *leaves, uint64_t budget,
                         const lam_allocator *allocator);
void lam_page_store_finish(lam_page_store *store);

/* Lets go of all pages: the next row group comes. No reader may use a shelf any more. */
void lam_page_store_clear(lam_page_store *store);

/* A shelf for a leaf, which lives until finish; NULL when nothing is kept of it. NOMEM. */
lam_status lam_page_store_make_shelf(lam_page_store *store, size_t leaf_index,
                                     lam_page_shelf **ret_shelf, lam_error *error);
/* NULL when nobody made one. */
lam_page_shelf *lam_page_store_find_shelf(const lam_page_store *store, size_t leaf_index);

/*
 * Rows before `settled` are decided on, and `wanted_end` is behind the last of them that is wanted:
 * pages that have only rows between are let go.
 */
void lam_page_store_settle(lam_page_store *store, uint64_t settled, uint64_t wanted_end);

/* Where the header of a page is, and which rows the page has; more than it has do no harm. */
typedef struct lam_page_rows_location {
    uint64_t offset;
    uint64_t first_row;
    uint64_t end_row;
} lam_page_rows_location;

/*
 * Moves the bytes of a page, unless `bytes` is empty, to the shelf, where they stay if there is
 * room for them, their rows may be wanted and no other reader has put them there. NOMEM, with
 * `bytes` as they were.
 */
lam_status lam_page_shelf_put(lam_page_shelf *shelf, lam_page_rows_location location, lam_buffer *bytes,
                              lam_error *error);
/* Gives memory for the next page to a buffer that has none, if there is any. */
void lam_page_shelf_lend(lam_page_shelf *shelf, lam_buffer *bytes);

bool lam_page_shelf_has(const lam_page_shelf *shelf, uint64_t offset);
/* Moves a page of `size` bytes to `bytes`, whose memory is kept; false when it is not there. */
bool lam_page_shelf_take(lam_page_shelf *shelf, uint64_t offset, size_t size, lam_buffer *bytes);
/* Gives memory back, if as much was taken; `bytes` is still to be finished. */
void lam_page_shelf_give_back(lam_page_shelf *shelf, lam_buffer *bytes);

#endif
