/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Asks the operating system for the room on the disk of a path: the free bytes, and all bytes, both
 * for this user: room reserved for the administrator never counts as free. Numbers that do not fit
 * are the largest that do.
 */
#define _XOPEN_SOURCE 700
#define _FILE_OFFSET_BITS 64
#include "log/folder/disk_room.h"

#include <errno.h>
#include <sys/statvfs.h>

#include "base/error.h"
#include "io/file_error.h"

static uint64_t bytes_of_blocks(uint64_t blocks, uint64_t block_size) {
    return block_size > 0 && blocks > UINT64_MAX / block_size ? UINT64_MAX : blocks * block_size;
}

lam_status lam_disk_room(const char *path, uint64_t *ret_free, uint64_t *ret_size,
                         lam_error *error) {
    struct statvfs about;
    int result;
    do {
        result = statvfs(path, &about);
    } while (result != 0 && errno == EINTR);
    if (result != 0) {
        const lam_file_name name = lam_file_name_of(path);
        return lam_file_fail(&name, LAM_ERROR_CODE_FILE_READ, errno,
                             "cannot find out how much room the disk has", error);
    }
    *ret_free = bytes_of_blocks(about.f_bavail, about.f_frsize);
    *ret_size = bytes_of_blocks(about.f_blocks, about.f_frsize);
    return LAM_STATUS_OK;
}

lam_status lam_log_disk_room(const lam_log_settings *settings, const char *path, uint64_t *ret_free,
                             uint64_t *ret_size, lam_error *error) {
    const lam_log_options *options = &settings->options;
    if (options->measure_disk != NULL)
        return options->measure_disk(options->callback_state, path, ret_free, ret_size, error);
    if (settings->has_own_storage)
        LAM_FAIL(error, LAM_STATUS_INVALID, "nothing measures the storage");
    return lam_disk_room(path, ret_free, ret_size, error);
}
