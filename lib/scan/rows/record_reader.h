/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The other way to read the records of a scan: a taker gets the columns of a row group itself,
 * instead of the events that the record reader makes of them.
 */
#ifndef LAM_SCAN_ROWS_RECORD_READER_H
#define LAM_SCAN_ROWS_RECORD_READER_H

#include <lamella/scan.h>

#include "dremel/assembly.h"
#include "file/read/file_reader.h"
#include "scan/evaluate/leaf_rows.h"

/* Takes columns; its verbs are called in the order open, read.., close for each row group. */
typedef struct lam_row_taker {
    void *state;
    /*
     * Makes the assembler of a row group with sources of its own, whose columns are those with a
     * cursor, in the order of leaves; the record reader destroys it. Declines by leaving it NULL:
     * then the records become events, and close is not called.
     */
    lam_status (*open)(void *state, const lam_reader *reader, const bool *leaves,
                       lam_leaf_rows *columns, size_t column_count, lam_assembler **ret_assembler,
                       lam_error *error);
    /*
     * Reads records, as lam_assembler_read does; with `passes` they are dropped. May decline the
     * remainder of the row group after `*ret_records`: close follows, and they become events.
     */
    lam_status (*read)(void *state, lam_assembler *assembler, size_t max_records, bool passes,
                       size_t *ret_records, bool *ret_declines, lam_error *error);
    void (*close)(void *state);
} lam_row_taker;

/*
 * As lam_record_reader_read, but the taker gets the columns of each row group, and the sink the
 * records of those that it declines. The taker is borrowed until the reader is closed.
 */
lam_status lam_record_reader_take(lam_record_reader *records, const lam_row_taker *taker,
                                  const lam_record_sink *sink, uint64_t max_records,
                                  uint64_t *ret_records, lam_error *error);

/*
 * Goes to some rows of a row group, at least one: the reader has only these from here on, of its
 * marked leaves. It was opened without a filter and without a projection. Visits in the order of
 * rows open each chunk once. A visit may follow a failure. NOMEM, CANCELLED.
 */
lam_status lam_record_reader_visit(lam_record_reader *records, size_t row_group,
                                   lam_row_range range, const bool *leaves, lam_error *error);

#endif
