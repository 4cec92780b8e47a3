/* SPDX-License-Identifier: Apache-2.0 */
/* How much of a file system is free. */
#ifndef LAM_LOG_FOLDER_DISK_ROOM_H
#define LAM_LOG_FOLDER_DISK_ROOM_H

#include "log/folder/log_options.h"

/*
 * The bytes that this user can still write to the file system around a path, and all that it has
 * for data. IO.
 */
lam_status lam_disk_room(const char *path, uint64_t *ret_free, uint64_t *ret_size,
                         lam_error *error);

/*
 * The same of the file system around a folder of a log, as its options measure it. INVALID for a
 * storage of the caller's that they do not measure.
 */
lam_status lam_log_disk_room(const lam_log_settings *settings, const char *path, uint64_t *ret_free,
                             uint64_t *ret_size, lam_error *error);

#endif
