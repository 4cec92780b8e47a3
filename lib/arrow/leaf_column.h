/*
 * One leaf's share of a batch: the levels of all entries of its rows, and the array of its values,
 * a slot for each entry that has one.
 */
#ifndef LAM_ARROW_LEAF_COLUMN_H
#define LAM_ARROW_LEAF_COLUMN_H

#include "arrow/array_levels.h"
#include "arrow/arrow_plan.h"
#include "arrow/leaf_dictionary.h"
#include "arrow/leaf_values.h"
#include "chunk/chunk.h"
#include "scan/row_cursor.h"
#include "scan/scan.h"

typedef struct lam_leaf_column {
    const lam_reader *reader;   /* borrowed */
    const lam_arrow_node *node; /* borrowed; a VALUE */
    lam_array_store *store;     /* borrowed */
    size_t row_group;
    const lam_meta_column *meta; /* what the footer says of the chunk */
    uint64_t group_rows;
    uint64_t last_rows;       /* of the batch before */
    lam_chunk_reader *chunk;  /* of the row group that is open, or NULL */
    lam_arena arena;          /* its page locations */
    uint64_t index_bytes;     /* read to know that, of all row groups so far */
    lam_row_cursor rows;      /* wanted ones */
    lam_buffer marks;         /* of its batches */
    uint64_t row;             /* where the chunk stands */
    uint64_t row_batch_begin; /* the first row of the rows that are read together */
    bool is_picked;           /* some rows of it are not wanted */
    size_t row_batch_begun;   /* rows of it that have begun */
    size_t fault;           /* the value of a block that its type does not take; SIZE_MAX is none */
    lam_leaf_values values; /* of indexes, when there is a dictionary */
    bool has_dictionary;
    lam_leaf_dictionary dictionary;
    lam_buffer repetition; /* room for levels */
    lam_buffer definition;
    bool has_repetition; /* levels of the batch were written there */
    bool has_definition;
    lam_buffer scratch; /* a block of elements */
    lam_buffer indexes; /* a block of indexes */
    size_t block;       /* elements that scratch has room for, of the row group that is open */
    size_t count;       /* entries of the batch so far */
} lam_leaf_column;

/*
 * UNSUPPORTED when the leaf's values cannot become those of its field. Nothing to finish after a
 * failure.
 */
lam_status lam_leaf_column_init(lam_leaf_column *column, const lam_reader *reader,
                                const lam_arrow_node *node, lam_array_store *store,
                                lam_error *error);
void lam_leaf_column_finish(lam_leaf_column *column);

/*
 * Opens the column's chunk of the row group at which a scan stands, in place of the one before. The
 * scan's ranges are borrowed until close, and must not change.
 */
lam_status lam_leaf_column_open(lam_leaf_column *column, const lam_scan *scan, size_t row_group,
                                lam_error *error);
/*
 * The same at the row where a cursor over these ranges stands: after a failed read, too, which left
 * the column of no other use.
 */
lam_status lam_leaf_column_open_at(lam_leaf_column *column, const lam_scan *scan, size_t row_group,
                                   const lam_row_cursor *rows, lam_error *error);
void lam_leaf_column_close(lam_leaf_column *column);

/*
 * Reads the next `rows` wanted rows of the chunk, of which there must be so many. The levels are
 * borrowed until the next read; the array is the caller's. Errors name row group and column, and
 * the row of a value that does not fit.
 */
lam_status lam_leaf_column_read(lam_leaf_column *column, uint64_t rows, lam_leaf_levels *ret_levels,
                                struct ArrowArray *ret_array, lam_error *error);

#endif
