/* SPDX-License-Identifier: Apache-2.0 */
/* What a log asks of a storage before it touches a name. */
#ifndef LAM_LOG_STORAGE_QUERY_H
#define LAM_LOG_STORAGE_QUERY_H

#include <lamella/storage.h>

/*
 * Whether there is a file of that path; the failure where this cannot be determined. `ret_size`,
 * which may be NULL, gets its size.
 */
lam_status lam_storage_find(const lam_storage *storage, const char *path, bool *ret_found,
                            uint64_t *ret_size, lam_error *error);

/* FILE_EXISTS when there is a file of that path. */
lam_status lam_storage_check_free(const lam_storage *storage, const char *path, lam_error *error);

/* FILE_BUSY when somebody has the file open for writing, FILE_MISSING; IO. */
lam_status lam_storage_check_not_busy(const lam_storage *storage, const char *path,
                                      lam_error *error);

#endif
