/* SPDX-License-Identifier: Apache-2.0 */
/* What a log asks of a storage before it touches a name. */
#ifndef LAM_LOG_STORAGE_QUERY_H
#define LAM_LOG_STORAGE_QUERY_H

#include <lamella/storage.h>

/*
 * True when there is a file of that path, or this cannot be determined; `ret_size`, which may be
 * NULL, gets its size and is 0 where that is unknown.
 */
bool lam_storage_has_file(const lam_storage *storage, const char *path, uint64_t *ret_size);

/* FILE_BUSY when somebody has the file open for writing, FILE_MISSING; IO. */
lam_status lam_storage_check_not_busy(const lam_storage *storage, const char *path,
                                      lam_error *error);

#endif
