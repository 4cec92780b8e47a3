/* SPDX-License-Identifier: Apache-2.0 */
/* How much of a file system is free. */
#ifndef LAM_LOG_FOLDER_DISK_ROOM_H
#define LAM_LOG_FOLDER_DISK_ROOM_H

#include <lamella/common.h>

/*
 * The bytes that this user can still write to the file system around a path, and all that it has
 * for data. IO.
 */
lam_status lam_disk_room(const char *path, uint64_t *ret_free, uint64_t *ret_size,
                         lam_error *error);

#endif
