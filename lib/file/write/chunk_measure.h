/* SPDX-License-Identifier: Apache-2.0 */
/* What the page headers of a column chunk say about it, for code that describes it again. */
#ifndef LAM_FILE_WRITE_CHUNK_MEASURE_H
#define LAM_FILE_WRITE_CHUNK_MEASURE_H

#include <lamella/reader.h>

#include "chunk/read/page_walk.h"

/*
 * The pages of a chunk: from its dictionary or first data page, with which the footer has it begin,
 * to its last data page. Sizes count headers.
 */
typedef struct lam_chunk_measure {
    lam_chunk_range range;      /* of the pages: may differ from the stated number */
    uint64_t uncompressed_size; /* of the same pages */
    uint64_t first_data;        /* offset of the first data page */
    uint64_t dictionary;        /* offset of the dictionary page; UINT64_MAX: none */
    bool denies_compression;    /* a V2 page says that its values are not compressed */
    uint32_t page_statistics;   /* stated by data pages: bits of lam_meta_statistics.has */
} lam_chunk_measure;

/*
 * Walks over the headers of a chunk in `range`, as lam_chunk_find gives it; a chunk without values
 * has no pages. CORRUPT with the offset if reading the chunk would fail for its headers: a header
 * that cannot be read, pages with fewer or more values than the chunk has, a dictionary after data.
 * Else as the input, and CANCELLED.
 */
lam_status lam_chunk_measure_pages(const lam_reader *reader, const lam_meta_column *column,
                                   lam_chunk_range range, lam_chunk_measure *ret_measure,
                                   lam_error *error);

/* The same by the footer, for a chunk that is kept as it is, damage and all. */
lam_chunk_measure lam_chunk_measure_stated(const lam_meta_column *column, lam_chunk_range range);

#endif
