/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A file that is made from others, and appears under its name when it is whole.
 */
#ifndef LAM_LOG_LOG_TARGET_H
#define LAM_LOG_LOG_TARGET_H

#include <lamella/io.h>
#include <lamella/storage.h>

#include "base/buffer.h"

/* A zeroed struct is finished already. */
typedef struct lam_log_target {
    lam_storage storage;
    lam_storage_file file;
    lam_buffer path;      /* NUL-terminated, as all of them */
    lam_buffer open_path; /* the name while it is made */
    lam_buffer folder;
    bool is_published;
} lam_log_target;

/*
 * Creates PATH and the suffix, or takes over what an interrupted call left of it. FILE_BUSY when
 * somebody else is making it. finish is allowed after a failure.
 */
lam_status lam_log_target_create(lam_log_target *target, const lam_storage *storage,
                                 const char *path, const char *suffix,
                                 const lam_allocator *allocator, lam_error *error);
/* Appends to the file; its finish and close do nothing. Borrows the target. */
lam_output lam_log_target_output(lam_log_target *target);
/* Syncs the file, gives it its name, which must be free (FILE_EXISTS), and syncs the folder. */
lam_status lam_log_target_publish(lam_log_target *target, lam_error *error);
/* True when the file that has the name is the same byte by byte, and none has to be published. */
bool lam_log_target_is_there(const lam_log_target *target);
/* The same as publish, in place of the file that has the name. */
lam_status lam_log_target_replace(lam_log_target *target, lam_error *error);
/* Closes, and removes the file unless it was published. */
void lam_log_target_finish(lam_log_target *target);

#endif
