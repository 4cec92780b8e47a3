/* SPDX-License-Identifier: Apache-2.0 */
/* Reading one column chunk as triples: levels and values, without records. */
#ifndef LAMELLA_COLUMN_H
#define LAMELLA_COLUMN_H

#include <lamella/common.h>
#include <lamella/reader.h>
#include <lamella/record.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Reads one column chunk from front to back. The reader must outlive it. One thread at a time. */
typedef struct lam_column_reader lam_column_reader;

/*
 * Chunks are in the order of the leaves; CORRUPT if the chunk in this position states that it
 * belongs to another column.
 */
LAM_PUBLIC LAM_NODISCARD lam_status lam_column_reader_open(const lam_reader *reader,
                                                           size_t row_group, size_t leaf_index,
                                                           lam_column_reader **ret_column,
                                                           lam_error *error);
/*
 * Gives up to `max_triples` triples, borrowed until the next call on this column reader; a count of
 * 0 is the end of the chunk. A batch may end anywhere (at a page's end, inside a record). CORRUPT
 * if the pages do not hold what the footer and their headers state.
 */
LAM_PUBLIC LAM_NODISCARD lam_status lam_column_reader_read(lam_column_reader *column,
                                                           size_t max_triples,
                                                           lam_triples *ret_triples,
                                                           lam_error *error);
/* NULL is allowed. */
LAM_PUBLIC void lam_column_reader_close(lam_column_reader *column);

#ifdef __cplusplus
}
#endif

#endif
