/*
 * All that a writer says of a column chunk and its pages besides their bytes: statistics, size
 * statistics, column index and offset index, collected page by page.
 * (parquet.thrift, Statistics, SizeStatistics, ColumnIndex, OffsetIndex; PageIndex.md)
 */
#ifndef LAM_STATS_CHUNK_SUMMARY_H
#define LAM_STATS_CHUNK_SUMMARY_H

#include <lamella/record.h>

#include "base/arena.h"
#include "encoding/decoder.h"
#include "meta/metadata.h"
#include "stats/bound.h"
#include "stats/value_summary.h"

typedef struct lam_chunk_summary {
    const lam_field *leaf;
    lam_value_order order;
    lam_bound_kind bound_kind;
    size_t bound_limit;
    lam_value_summary page;  /* the open page */
    lam_value_summary chunk; /* the pages before it */
    uint64_t page_nulls;
    uint64_t chunk_nulls;
    uint64_t rows;         /* of the pages before the open one */
    lam_buffer pages;      /* page_entry */
    lam_buffer bounds;     /* bytes of all bounds of pages */
    lam_buffer histograms; /* int64_t: of each page, repetition levels, then definition levels */
    lam_buffer seen;       /* scratch: which entries of a dictionary the open page has */
    lam_buffer entries;    /* scratch: those entries */
    bool has_column_index; /* still possible */
    bool ascending;        /* so far */
    bool descending;
    size_t last_bounded; /* the last page with bounds, plus 1 */
} lam_chunk_summary;

/*
 * `column_order` is a lam_meta_column_order_kind; bounds of strings and plain byte arrays are cut
 * to `bound_limit` bytes. The leaf is borrowed until finish. NOMEM; finish is allowed then, too.
 */
lam_status lam_chunk_summary_init(lam_chunk_summary *summary, const lam_field *leaf,
                                  int32_t column_order, size_t bound_limit,
                                  const lam_allocator *allocator, lam_error *error);
void lam_chunk_summary_finish(lam_chunk_summary *summary);
/* Starts the next chunk with the memory of the last one. */
void lam_chunk_summary_restart(lam_chunk_summary *summary);

/* Adds levels to the open page, NULL arrays as in lam_triples; their values come apart from them.
 */
void lam_chunk_summary_add_levels(lam_chunk_summary *summary, const lam_triples *triples);
lam_status lam_chunk_summary_add_values(lam_chunk_summary *summary, const void *values,
                                        size_t count, lam_error *error);
/* Values as indexes into a dictionary: only entries that are there are looked at, each once. */
lam_status lam_chunk_summary_add_indexes(lam_chunk_summary *summary,
                                         const lam_dictionary *dictionary, const uint32_t *indexes,
                                         size_t count, lam_error *error);

/*
 * Ends the open page, which has `row_count` rows and lies `offset` bytes behind the chunk's first
 * data page, with `size` bytes including its header.
 */
lam_status lam_chunk_summary_end_page(lam_chunk_summary *summary, uint64_t row_count,
                                      uint64_t offset, uint64_t size, lam_error *error);

/* What the footer says of the chunk; memory of `arena`. */
lam_status lam_chunk_summary_statistics(const lam_chunk_summary *summary, lam_arena *arena,
                                        lam_meta_statistics *ret_statistics, lam_error *error);
lam_status lam_chunk_summary_sizes(const lam_chunk_summary *summary, lam_arena *arena,
                                   lam_meta_size_statistics *ret_sizes, lam_error *error);

/*
 * The indexes; memory of `arena`, or borrowed until restart. `*ret_has` is false when the format
 * forbids a column index: the column has no order, or a page has only NaNs and no order for them.
 */
lam_status lam_chunk_summary_column_index(const lam_chunk_summary *summary, lam_arena *arena,
                                          lam_meta_column_index *ret_index, bool *ret_has,
                                          lam_error *error);
/* `first_page` is the file offset of the chunk's first data page. */
lam_status lam_chunk_summary_offset_index(const lam_chunk_summary *summary, uint64_t first_page,
                                          lam_arena *arena, lam_meta_offset_index *ret_index,
                                          lam_error *error);

#endif
