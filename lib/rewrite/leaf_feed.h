/* SPDX-License-Identifier: Apache-2.0 */
/* The triples of one leaf of the target, batch by batch, from one row group of a source. */
#ifndef LAM_REWRITE_LEAF_FEED_H
#define LAM_REWRITE_LEAF_FEED_H

#include "chunk/column_cursor.h"
#include "dremel/column_buffer.h"
#include "rewrite/leaf_map.h"
#include "scan/row_ranges.h"

typedef struct lam_leaf_feed {
    const lam_leaf_map *map;
    lam_allocator allocator;
    lam_column_cursor *cursor; /* owned; NULL: the source has no leaf to read */
    const lam_field *source;   /* the leaf that the cursor reads */
    lam_column_buffer rows;    /* a batch that does not lie in one piece in the pages */
    lam_leaf_scratch scratch;
    bool has_rows; /* `rows` is initialised */
} lam_leaf_feed;

/* The map is borrowed until finish. The feed must not move. */
void lam_leaf_feed_init(lam_leaf_feed *feed, const lam_leaf_map *map,
                        const lam_allocator *allocator);
void lam_leaf_feed_finish(lam_leaf_feed *feed);

/* Starts at row 0 of a chunk; the cursor, NULL if the map reads no leaf, becomes the feed's own. */
void lam_leaf_feed_start(lam_leaf_feed *feed, lam_column_cursor *cursor, const lam_field *source);
void lam_leaf_feed_stop(lam_leaf_feed *feed);

/*
 * Gives the triples of the rows in some ranges, which follow those of earlier calls and have `rows`
 * rows, as triples of the target; borrowed until the next call. CORRUPT when the chunk has fewer
 * rows; errors of the cursor.
 */
lam_status lam_leaf_feed_read(lam_leaf_feed *feed, const lam_row_range *ranges, size_t range_count,
                              uint64_t rows, lam_triples *ret_triples, lam_error *error);

/* Appends triples, whose bytes are copied. NOMEM leaves the column as it is, but for its room. */
lam_status lam_triples_append(lam_column_buffer *column, const lam_triples *triples,
                              lam_error *error);

#endif
