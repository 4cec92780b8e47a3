/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads one leaf's share of a batch of rows: the levels of all entries of the rows, and an array of
 * the values, with a slot for each entry that has one. The array is complete but for its parents:
 * lists and structs are built around it from the levels (array_nesting.h).
 *
 *     row group -> open -> read, read, ... -> close          one column chunk at a time
 *
 * A leaf never refers to other leaves, so that each may be read on a thread of its own.
 */
#ifndef LAM_ARROW_READ_LEAF_COLUMN_H
#define LAM_ARROW_READ_LEAF_COLUMN_H

#include "arrow/array/array_levels.h"
#include "arrow/array/arrow_plan.h"
#include "arrow/read/leaf_dictionary.h"
#include "arrow/read/leaf_pages.h"
#include "arrow/read/leaf_table.h"
#include "arrow/read/leaf_values.h"
#include "chunk/read/column_cursor.h"
#include "scan/evaluate/row_list.h"
#include "scan/rows/scan.h"

typedef struct lam_leaf_column {
    const lam_reader *reader;   /* borrowed */
    const lam_arrow_node *node; /* borrowed; a VALUE */
    lam_array_store *store;     /* borrowed */
    size_t row_group;
    const lam_meta_column *meta; /* of the chunk by the footer, borrowed from `cursor` */
    uint64_t group_rows;         /* rows of the row group, wanted or not */
    uint64_t last_rows;          /* read for the batch before */
    lam_column_cursor *cursor;   /* of the row group that is open, or NULL */
    lam_arena arena;             /* memory of page locations */
    uint64_t index_bytes;     /* of indexes, read for those locations, in all row groups so far */
    lam_row_cursor rows;      /* the wanted rows that come next */
    lam_buffer marks;         /* room for the marks of `rows`; a flat leaf has none */
    uint64_t row_batch_begin; /* first row of the row batch that is being read */
    bool is_picked;           /* some of its rows are not wanted */
    const uint16_t *offsets;  /* the wanted ones, in a flat leaf that is picked; else NULL */
    size_t row_batch_begun;   /* its rows that have begun so far */
    size_t row_batch_wanted;  /* its wanted rows */
    size_t row_batch_picked;  /* those of them that were picked so far, by their offsets */
    size_t fault;             /* value of a failed block that its type refuses; SIZE_MAX: none */
    lam_leaf_values values;   /* of the batch; indexes when there is a dictionary */
    lam_leaf_table table;     /* the chunk's dictionary as slots, unless has_dictionary */
    lam_leaf_pages pages;     /* memory of the chunk's pages */
    size_t batch_entries;     /* of the chunk batch that is being read */
    bool has_dictionary;
    lam_leaf_dictionary dictionary;
    lam_buffer repetition; /* levels of the batch, a byte each */
    lam_buffer definition;
    bool has_repetition; /* false: all are 0, and none is written */
    bool has_definition; /* false: all are the leaf's maximum */
    lam_buffer scratch;  /* elements of one block, as the cursor gives them */
    lam_buffer indexes;  /* indexes of one block */
    size_t block;        /* elements that one block may have */
    size_t count;        /* entries of the batch so far, wanted ones only */
} lam_leaf_column;

/*
 * UNSUPPORTED when a leaf cannot be converted to the type of its field. Nothing to finish after a
 * failure.
 */
lam_status lam_leaf_column_init(lam_leaf_column *column, const lam_reader *reader,
                                const lam_arrow_node *node, lam_array_store *store,
                                lam_error *error);
void lam_leaf_column_finish(lam_leaf_column *column);

/*
 * Opens the column's chunk of the row group of a scan, and closes the one before. The ranges of the
 * scan are borrowed until close and must not change.
 */
lam_status lam_leaf_column_open(lam_leaf_column *column, const lam_scan *scan, size_t row_group,
                                lam_error *error);
/*
 * The same, starting at the row of a cursor over these ranges. Also the way to go on after a failed
 * read, which leaves the column usable for this, close and finish only.
 */
lam_status lam_leaf_column_open_at(lam_leaf_column *column, const lam_scan *scan, size_t row_group,
                                   const lam_row_cursor *rows, lam_error *error);
void lam_leaf_column_close(lam_leaf_column *column);

/*
 * Reads the next `rows` wanted rows of the chunk, which must have that many left; `list` has
 * them for flat leaves. The levels are borrowed until the next read; the array is the caller's.
 * Errors name row group and column, and the row of a value that its type refuses.
 */
lam_status lam_leaf_column_read(lam_leaf_column *column, uint64_t rows, const lam_row_list *list,
                                lam_leaf_levels *ret_levels, struct ArrowArray *ret_array,
                                lam_error *error);

#endif
