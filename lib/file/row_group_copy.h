/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Copying row groups from file to file without uncompressing a page: lam_writer_copy_row_groups of
 * <lamella/recover.h>, and what other layers may set for it.
 */
#ifndef LAM_FILE_ROW_GROUP_COPY_H
#define LAM_FILE_ROW_GROUP_COPY_H

#include <lamella/recover.h>

#include "file/writer_state.h"

/*
 * Has bytes of pages appended by `copy`, as lam_storage_file has it, in place of reading and
 * writing them; `copy` must append to the writer's output. Borrowed until close.
 */
void lam_writer_set_copy(lam_writer *writer, lam_copy_bytes *copy, void *state);

/*
 * INVALID, naming the first field that differs, when triples of one schema do not go into a file of
 * the other; the names of the messages and field ids do not matter. The message calls the other
 * one `where`, as in "file that is copied".
 */
lam_status lam_writer_check_schemas(const lam_schema *own, const lam_schema *other,
                                    const char *where, lam_error *error);

/* Gives the output back to the caller of lam_writer_open_with; the writer is only to be closed. */
void lam_writer_release_output(lam_writer *writer);

#endif
