/* SPDX-License-Identifier: Apache-2.0 */
/* A file that is made from others, and appears under its name when it is complete. */
#ifndef LAM_LOG_FOLDER_LOG_TARGET_H
#define LAM_LOG_FOLDER_LOG_TARGET_H

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
 * Creates a file beside PATH, under a name of its own (leftover.h), with the rights of the file
 * that `like` reads; NULL: those of any new file. finish is allowed after a failure.
 */
lam_status lam_log_target_create(lam_log_target *target, const lam_storage *storage,
                                 const char *path, const lam_input *like,
                                 const lam_allocator *allocator, lam_error *error);
/*
 * Removes files that killed runs have begun for PATH, as far as they can be found and removed.
 * NOMEM.
 */
lam_status lam_log_target_clean(const lam_storage *storage, const char *path,
                                const lam_allocator *allocator, lam_error *error);
/* Removes a file that a killed run has begun; not one that has a writer, or is somebody else's. */
void lam_log_target_remove_dead(const lam_storage *storage, const char *open_path);
/* Appends to the file; its finish and close have no effect. Borrows the target. */
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
