/* SPDX-License-Identifier: Apache-2.0 */
/* The footer of a file that is shown with the leaves of another schema. */
#ifndef LAM_DATASET_UNION_SHOWN_FOOTER_H
#define LAM_DATASET_UNION_SHOWN_FOOTER_H

#include "base/buffer.h"
#include "file/read/file_reader.h"

/* How a leaf of the shown schema is read. */
typedef enum lam_shown_kind {
    LAM_SHOWN_OWN,     /* as a leaf of the file, whatever its number and names */
    LAM_SHOWN_LEVELS,  /* with the values of one, and other levels */
    LAM_SHOWN_CHANGED, /* with other values */
    LAM_SHOWN_ABSENT   /* the file has none: nulls */
} lam_shown_kind;

typedef struct lam_shown_leaf {
    uint8_t how;       /* lam_shown_kind */
    bool counts_nulls; /* ABSENT: it has as many triples as the leaf that it follows */
    int32_t own;       /* leaf of the file: read, or followed; -1: none, one triple a row */
} lam_shown_leaf;

/*
 * Appends a footer to `tail`, which is empty: that of the reader's file with the fields of `schema`
 * and a chunk for each of its leaves in each row group. Derived chunks have no pages, and state
 * nothing about their values unless they are all null. NOMEM; LIMIT by the reader's memory limit.
 */
lam_status lam_shown_footer_write(const lam_reader *reader, const lam_schema *schema,
                                  const lam_shown_leaf *leaves, lam_buffer *tail, lam_error *error);

#endif
