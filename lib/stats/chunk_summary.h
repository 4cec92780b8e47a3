/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All that a writer states about a column chunk and its pages besides their bytes: statistics, size
 * statistics, column index and offset index, collected page by page. (parquet.thrift, Statistics,
 * SizeStatistics, ColumnIndex, OffsetIndex; PageIndex.md)
 *
 *     add_levels, add_values or add_indexes, ...   end_page     for each page
 *     statistics, sizes, column_index, offset_index             when the chunk ends
 *     restart                                                   for the next chunk
 */
#ifndef LAM_STATS_CHUNK_SUMMARY_H
#define LAM_STATS_CHUNK_SUMMARY_H

#include <lamella/record.h>

#include "base/arena.h"
#include "base/list.h"
#include "encoding/value_layout.h"
#include "meta/metadata.h"
#include "stats/bound.h"
#include "stats/value_summary.h"

/* One column chunk while it is written. */
typedef struct lam_chunk_summary {
    const lam_kernels *kernels;
    const lam_field *leaf;
    lam_value_order order;
    lam_bound_kind bound_kind;
    size_t bound_limit;      /* bytes of a bound that may be cut */
    lam_value_summary page;  /* the open page */
    lam_value_summary chunk; /* the pages before it, together */
    uint64_t page_nulls;     /* triples without a value, in the open page */
    uint64_t chunk_nulls;
    uint64_t rows;                 /* of the pages before the open one */
    lam_buffer pages;              /* page_entry */
    lam_buffer bounds;             /* bytes of the bounds of all pages */
    LAM_LIST(uint64_t) histograms; /* of each page, repetition levels, then definition levels */
    lam_buffer seen;               /* scratch: which entries of a dictionary occur, and how often */
    lam_buffer entries;            /* scratch: those entries, one after the other */
    bool has_column_index;         /* so far: one is possible */
    bool ascending;                /* so far: bounds rise from page to page */
    bool descending;               /* so far: they fall */
    size_t last_bounded;           /* the last page with bounds, plus 1; 0: none */
    bool is_ambiguous;             /* readers do not agree on the order of its values: no bounds */
} lam_chunk_summary;

/*
 * Starts empty. `column_order` is a lam_meta_column_order_kind; bounds of strings and plain byte
 * arrays are cut to `bound_limit` bytes. The leaf is borrowed until finish. NOMEM; finish is
 * allowed then, too.
 */
lam_status lam_chunk_summary_init(lam_chunk_summary *summary, const lam_kernels *kernels,
                                  const lam_field *leaf, int32_t column_order, size_t bound_limit,
                                  const lam_allocator *allocator, lam_error *error);
void lam_chunk_summary_finish(lam_chunk_summary *summary);
/* Starts the next chunk with the memory of the last one. */
void lam_chunk_summary_restart(lam_chunk_summary *summary);

/* Adds levels to the open page, NULL arrays as in lam_triples. Values are added separately. */
void lam_chunk_summary_add_levels(lam_chunk_summary *summary, const lam_triples *triples);
/* Adds `count` elements of lam_triples.values to the open page. NOMEM. */
lam_status lam_chunk_summary_add_values(lam_chunk_summary *summary, const void *values,
                                        size_t count, lam_error *error);
/*
 * Adds values as indexes into a dictionary. Bounds are found from the entries in use, each once.
 * NOMEM.
 */
lam_status lam_chunk_summary_add_indexes(lam_chunk_summary *summary,
                                         const lam_dictionary *dictionary, const uint32_t *indexes,
                                         size_t count, lam_error *error);

/*
 * Ends the open page, which has `row_count` rows and `size` bytes including its header, and begins
 * `offset` bytes after the start of the chunk's first data page. NOMEM.
 */
lam_status lam_chunk_summary_end_page(lam_chunk_summary *summary, uint64_t row_count,
                                      uint64_t offset, uint64_t size, lam_error *error);

/* Gives the chunk's statistics for the footer; memory of `arena`. NOMEM. */
lam_status lam_chunk_summary_statistics(const lam_chunk_summary *summary, lam_arena *arena,
                                        lam_meta_statistics *ret_statistics, lam_error *error);
lam_status lam_chunk_summary_sizes(const lam_chunk_summary *summary, lam_arena *arena,
                                   lam_meta_size_statistics *ret_sizes, lam_error *error);

/*
 * Give the indexes; memory of `arena`, or borrowed until restart. `*ret_has` is false when the
 * format forbids a column index: the column has no order, or a page has only NaNs in an order
 * without them; or when a bound is too long to be written. NOMEM.
 */
lam_status lam_chunk_summary_column_index(const lam_chunk_summary *summary, lam_arena *arena,
                                          lam_meta_column_index *ret_index, bool *ret_has,
                                          lam_error *error);
/* `first_page` is the file offset of the chunk's first data page. */
lam_status lam_chunk_summary_offset_index(const lam_chunk_summary *summary, uint64_t first_page,
                                          lam_arena *arena, lam_meta_offset_index *ret_index,
                                          lam_error *error);

#endif
