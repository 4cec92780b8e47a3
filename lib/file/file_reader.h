/* The open file, as the parts of the reader see it. */
#ifndef LAM_FILE_FILE_READER_H
#define LAM_FILE_FILE_READER_H

#include <lamella/reader.h>

#include "base/arena.h"
#include "base/budget.h"
#include "chunk/chunk.h"
#include "file/footer.h"

struct lam_reader {
    lam_allocator allocator;
    lam_input input;
    const lam_kernels *kernels; /* of every handle that reads the file */
    uint64_t memory_limit;      /* of each handle that reads */
    bool verify_crc;
    const lam_stop *stop;      /* or NULL */
    lam_codec_context *codecs; /* of a session that one thread reads with; or NULL */
    lam_arena arena;           /* footer and texts */
    lam_footer footer;
    lam_schema *schema;
    uint64_t row_count;
    const char *created_by;
    uint32_t faults;   /* that its writer is known to have: lam_fault */
    const char **keys; /* one per pair, NUL-terminated */
    const char **values;
};

/*
 * The open file as one handle reads it: what is allocated through the reader of the session draws
 * on the memory limit, and all calls end when the session's stop is due. Stays where it is.
 */
typedef struct lam_read_session {
    lam_reader reader; /* a copy, which owns nothing */
    lam_budget budget;
} lam_read_session;

/* `reader` must outlive the session. `stop` is borrowed as long; NULL: the reader's own. */
void lam_read_session_init(lam_read_session *session, const lam_reader *reader,
                           const lam_stop *stop);

/*
 * What the footer says of a column chunk that is in this file and not encrypted. INVALID when there
 * is no such chunk, UNSUPPORTED when it is elsewhere or encrypted, CORRUPT when the footer leaves
 * it out or has another column's in its place.
 */
lam_status lam_reader_find_column(const lam_reader *reader, size_t row_group, size_t leaf_index,
                                  const lam_meta_column **ret_column, lam_error *error);

/* Opens a column chunk for reading; errors name the place. */
lam_status lam_reader_open_chunk(const lam_reader *reader, size_t row_group, size_t leaf_index,
                                 lam_chunk_reader **ret_chunk, lam_error *error);

#endif
