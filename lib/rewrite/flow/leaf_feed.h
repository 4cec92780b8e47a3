/* SPDX-License-Identifier: Apache-2.0 */
/* The triples of one leaf of the target, batch by batch, from one row group of a source. */
#ifndef LAM_REWRITE_FLOW_LEAF_FEED_H
#define LAM_REWRITE_FLOW_LEAF_FEED_H

#include "chunk/read/column_cursor.h"
#include "dataset/union/leaf_map.h"
#include "dremel/column_buffer.h"
#include "scan/prune/row_ranges.h"

typedef struct lam_leaf_feed {
    const lam_leaf_map *map;
    lam_allocator allocator;
    lam_column_cursor *cursor; /* owned; NULL: the source has no leaf to read */
    const lam_field *source;   /* the leaf that the cursor reads */
    lam_column_buffer rows;    /* a batch that is not in one piece in the pages */
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

/*
 * How many rows to read at once. Without a bound of memory always the most; with one, a few at
 * first, then as many as take a share of it, by the batches before: the footer's size of a row may
 * be anything.
 */
typedef struct lam_feed_pace {
    uint64_t rows; /* of the next batch, at most */
    uint64_t most;
    uint64_t bytes; /* of a batch, about; 0: any */
} lam_feed_pace;

/* `bound` is that of the feeds' allocator, by lam_budget_bound. */
lam_feed_pace lam_feed_pace_start(uint64_t bound, uint64_t most);
/* Notes the bytes of a batch of `rows` rows. */
void lam_feed_pace_note(lam_feed_pace *pace, uint64_t bytes);
/* The bytes of triples of a leaf, values and levels. */
uint64_t lam_feed_byte_count(const lam_field *leaf, const lam_triples *triples);

#endif
