/* SPDX-License-Identifier: Apache-2.0 */
/* What a log asks a storage before it touches a name. */
#ifndef LAM_LOG_FOLDER_STORAGE_QUERY_H
#define LAM_LOG_FOLDER_STORAGE_QUERY_H

#include <lamella/storage.h>

#include "base/buffer.h"

/*
 * Whether there is a file with that path; the failure if this cannot be determined. `ret_size`,
 * which may be NULL, gets its size.
 */
lam_status lam_storage_find(const lam_storage *storage, const char *path, bool *ret_found,
                            uint64_t *ret_size, lam_error *error);

/* The state of a name that only logs, and repairs of their files, give. */
typedef enum lam_stored {
    LAM_STORED_NONE,
    LAM_STORED_OWN,    /* it has no writer */
    LAM_STORED_BUSY,   /* somebody does, or that is unknown */
    LAM_STORED_FOREIGN /* not a file of this user alone: it is left as it is */
} lam_stored;

/*
 * Finds out what is there. If that is OWN, `ret_file` has it until it is closed, so that no other
 * process takes it, and `ret_size` its size; else `ret_file` is cleared. The failure if this cannot
 * be determined.
 */
lam_status lam_storage_take(const lam_storage *storage, const char *path,
                            lam_storage_file *ret_file, uint64_t *ret_size, lam_stored *ret_stored,
                            lam_error *error);
/* The same, and gives it back at once. */
lam_status lam_storage_examine(const lam_storage *storage, const char *path, lam_stored *ret_stored,
                               lam_error *error);

/* FILE_EXISTS when anything has the name. */
lam_status lam_storage_check_free(const lam_storage *storage, const char *path, lam_error *error);

/*
 * Gives a useless file a free name that says so: the first `kept` bytes of its path, with the mark
 * of log_name.h, and ".bad", ".2.bad" and so on.
 */
lam_status lam_storage_put_aside(const lam_storage *storage, const char *path, size_t kept,
                                 const lam_allocator *allocator, lam_error *error);

/*
 * create_like and open_own, or their substitutes if a storage has none; `like` may be NULL: create.
 */
lam_status lam_storage_create_like(const lam_storage *storage, const char *path,
                                   const lam_input *like, lam_storage_file *ret_file,
                                   lam_error *error);
lam_status lam_storage_open_own(const lam_storage *storage, const char *path,
                                const lam_input *beside, lam_storage_file *ret_file,
                                uint64_t *ret_size, lam_error *error);

/* Sets `out` to the path, NUL-terminated, of the file that a path leads to, through links. */
lam_status lam_storage_resolve(const lam_storage *storage, const char *path, lam_buffer *out,
                               lam_error *error);

#endif
