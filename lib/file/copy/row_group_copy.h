/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Row groups of another file: copied without uncompressing a page, which is
 * lam_writer_copy_row_groups of <lamella/recover.h>, or with some chunks encoded again.
 */
#ifndef LAM_FILE_COPY_ROW_GROUP_COPY_H
#define LAM_FILE_COPY_ROW_GROUP_COPY_H

#include <lamella/recover.h>

#include "file/write/writer_state.h"

/*
 * Has bytes of pages appended by `copy`, as lam_storage_file has it, in place of reading and
 * writing them; `copy` must append to the writer's output. Borrowed until close.
 */
void lam_writer_set_copy(lam_writer *writer, lam_copy_bytes *copy, void *state);

/*
 * INVALID, naming the first field that differs, when triples of one schema do not fit a file of the
 * other; the names of the messages and field ids do not matter. The message calls the other one
 * `where`, as in "file that is copied".
 */
lam_status lam_writer_check_schemas(const lam_schema *own, const lam_schema *other,
                                    const char *where, lam_error *error);

/* How a chunk of a row group is made. */
typedef enum lam_chunk_manner {
    LAM_CHUNK_COPIED,       /* byte by byte */
    LAM_CHUNK_RECOMPRESSED, /* pages with the codec of the writer, values as they are encoded */
    LAM_CHUNK_ENCODED       /* from triples */
} lam_chunk_manner;

typedef struct lam_chunk_job {
    lam_chunk_manner manner;
    size_t source; /* the leaf of the reader that the values come from; SIZE_MAX: of none */
} lam_chunk_job;

/* What a caller does for the chunks of a row group. */
typedef struct lam_chunk_work {
    void *state;
    /* Adds all triples of a leaf of the writer, as lam_writer_add_leaf takes them. */
    lam_status (*encode)(void *state, size_t leaf_index, lam_error *error);
    void (*done)(void *state, size_t leaf_index); /* a chunk is written; may be NULL */
} lam_chunk_work;

/*
 * Writes a row group with the rows of one of another file, whose chunks are made as `jobs` has it,
 * one for each leaf of the writer. A leaf that is copied must have the type and levels of its
 * source. Ends the open row group before. Errors as those of lam_writer_copy_row_groups, and of
 * `work->encode`.
 */
lam_status lam_writer_compose_row_group(lam_writer *writer, const lam_reader *reader,
                                        size_t row_group, const lam_chunk_job *jobs,
                                        const lam_chunk_work *work, lam_error *error);

/* Copies row groups that exist in a file of the same schema, as lam_writer_copy_row_groups. */
lam_status lam_writer_copy_range(lam_writer *writer, const lam_reader *reader, size_t first,
                                 size_t count, lam_error *error);

/*
 * Copies all row groups of a file that is to stay the same: like lam_writer_copy_row_groups, but
 * chunks whose page headers cannot be read are copied as they are, and are as readable as before.
 */
lam_status lam_writer_restore_row_groups(lam_writer *writer, const lam_reader *reader,
                                         lam_error *error);

/* Gives the output back to the caller of lam_writer_open_with; the writer is only to be closed. */
void lam_writer_release_output(lam_writer *writer);

#endif
