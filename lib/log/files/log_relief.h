/* SPDX-License-Identifier: Apache-2.0 */
/* Gives back the room that the journal of a log takes, when the disk is full or about to be. */
#ifndef LAM_LOG_FILES_LOG_RELIEF_H
#define LAM_LOG_FILES_LOG_RELIEF_H

#include "log/files/log_writers.h"

/* Makes the written bytes of a file as durable as the policy demands. */
lam_status lam_log_relief_sync(lam_log_files *files, lam_log_writer *file, lam_error *error);
/* A checkpoint of one file: its row group, perhaps a footer, a sync. */
lam_status lam_log_relief_checkpoint(lam_log_files *files, lam_log_writer *file, bool needs_footer,
                                     lam_error *error);

/*
 * Ends all row groups, makes them as durable as the policy demands, and cuts the journal, whose
 * records are all in the open files or in finished ones. A file that has ended is left as it is.
 */
lam_status lam_log_relieve(lam_log_files *files, lam_error *error);

/*
 * Appends what the journal has collected, all of whose records are in the files; with `syncs` it
 * becomes durable. A full disk is relieved of the journal, which then has no records to keep.
 */
lam_status lam_log_relief_keep(lam_log_files *files, bool syncs, lam_error *error);

/*
 * Tends the journal after a batch of `batch_bytes`: one that is too large, much larger than the
 * records that need it, or in the way of the row groups, is relieved; then retention looks for
 * room. `*ret_ends` is set when there is none even so and files that end may give way to later
 * ones.
 */
lam_status lam_log_relief_run(lam_log_files *files, uint64_t batch_bytes, bool *ret_ends,
                              lam_error *error);

#endif
