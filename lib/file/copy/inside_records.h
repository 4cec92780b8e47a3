/* SPDX-License-Identifier: Apache-2.0 */
/* Finds pages of a chunk that begin inside records although the format does not allow it. */
#ifndef LAM_FILE_COPY_INSIDE_RECORDS_H
#define LAM_FILE_COPY_INSIDE_RECORDS_H

#include <lamella/reader.h>

#include "chunk/read/page_walk.h"

/* The pages of the kind that a chunk has. */
typedef struct lam_inside_records {
    bool by_index; /* an offset index leads to such pages */
    bool in_v2;    /* V2 pages are such */
} lam_inside_records;

/*
 * Looks at all pages of a chunk in `range`, as lam_chunk_find gives it: at the first repetition
 * level of V2 pages, and of all pages if there is an offset index. Pages that are damaged, or
 * compressed with a codec that this build does not read, are not known to be inside a record. As
 * the input, NOMEM, CANCELLED.
 */
lam_status lam_inside_records_find(const lam_reader *reader, const lam_field *leaf,
                                   const lam_meta_column_chunk *chunk, lam_chunk_range range,
                                   lam_inside_records *ret_found, lam_error *error);

/* UNSUPPORTED when pages may not stay as they are, whatever the index. */
lam_status lam_inside_records_refuse(const lam_inside_records *found, lam_error *error);

#endif
