/* SPDX-License-Identifier: Apache-2.0 */
/* One output of a rewrite: its writer, set up as the choices and the inputs demand. */
#ifndef LAM_REWRITE_ROWS_REWRITE_FILE_H
#define LAM_REWRITE_ROWS_REWRITE_FILE_H

#include "file/write/file_writer.h"
#include "rewrite/flow/rewrite_state.h"

/* A zeroed struct is closed. Must not move while it is open. */
typedef struct lam_rewrite_file {
    lam_writer *writer;
    lam_output output; /* the writer's own, for copying */
} lam_rewrite_file;

lam_status lam_rewrite_file_open(lam_rewrite *rewrite, const char *folder, uint64_t number,
                                 lam_rewrite_file *file, lam_error *error);
/* Writes the footer, counts the file in the report, and closes it. */
lam_status lam_rewrite_file_finish(lam_rewrite *rewrite, lam_rewrite_file *file, lam_error *error);
/* Without a finish before the output is abandoned. */
void lam_rewrite_file_close(lam_rewrite_file *file);

#endif
