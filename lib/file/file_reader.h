/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The open file as the library sees it, and the session through which one handle reads it.
 */
#ifndef LAM_FILE_FILE_READER_H
#define LAM_FILE_FILE_READER_H

#include <lamella/reader.h>

#include "base/arena.h"
#include "base/budget.h"
#include "chunk/column_cursor.h"
#include "file/footer.h"

struct lam_reader {
    lam_allocator allocator;
    lam_input input;            /* owned */
    const lam_kernels *kernels; /* of every handle that reads the file */
    uint64_t memory_limit;      /* of each handle that reads */
    bool verify_crc;
    const lam_stop *stop;      /* or NULL */
    lam_codec_context *codecs; /* of a session that one thread uses; or NULL */
    lam_arena arena;           /* footer and texts */
    lam_footer footer;
    lam_schema *schema;
    uint64_t row_count;
    const char *created_by;
    uint32_t faults;     /* that its writer is known to have: lam_fault */
    const char **keys;   /* one per KeyValue, NUL-terminated */
    const char **values; /* likewise; NULL where the file gives none */
};

/*
 * Opening in two steps, for files whose footer comes from elsewhere: a reader without a footer,
 * whose arena is ready for one; then everything that follows from `reader->footer`, which moves the
 * input into the reader. After a failure of the second the reader can only be closed. `options` are
 * a whole struct.
 */
lam_status lam_reader_create(const lam_input *input, const lam_reader_options *options,
                             lam_reader **ret_reader, lam_error *error);
lam_status lam_reader_take_footer(lam_reader *reader, const lam_reader_options *options,
                                  lam_input *input, lam_error *error);

/*
 * The open file as one handle reads it: allocations through the session's reader draw on the memory
 * limit, and all calls end once the session's stop is requested. Must not move, as the allocator
 * refers to the budget.
 */
typedef struct lam_read_session {
    lam_reader reader; /* a copy, which owns nothing */
    lam_budget budget;
} lam_read_session;

/* `reader` must outlive the session. `stop` is borrowed as long; NULL keeps the reader's own. */
void lam_read_session_init(lam_read_session *session, const lam_reader *reader,
                           const lam_stop *stop);

/*
 * Gives the footer's description of a column chunk that is in this file and not encrypted. INVALID
 * if there is no such chunk, UNSUPPORTED if it is in another file or encrypted, CORRUPT if the
 * footer leaves it out or has another column's in its position. Errors name row group and column.
 */
lam_status lam_reader_find_column(const lam_reader *reader, size_t row_group, size_t leaf_index,
                                  const lam_meta_column **ret_column, lam_error *error);

/* Opens a column chunk; errors name row group and column. */
lam_status lam_reader_open_cursor(const lam_reader *reader, size_t row_group, size_t leaf_index,
                                  lam_column_cursor **ret_cursor, lam_error *error);

#endif
