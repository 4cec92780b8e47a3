/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keeps bytes on disk that do not fit memory: appends blocks of bytes, and gives the same blocks by
 * position.
 *
 * The file is created under a name that nobody else has, and the name is removed before the first
 * byte is written; if the system has files without names it never gets one. The invariant: the
 * bytes belong to the descriptor alone and end with it, after a signal or a kill, too.
 */
#if defined(__linux__)
#define _GNU_SOURCE /* O_TMPFILE */
#else
#define _XOPEN_SOURCE 700
#endif
#define _FILE_OFFSET_BITS 64
#include "io/spill_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

#include "base/error.h"
#include "io/file_error.h"
#include "io/new_file.h"

enum { SPILL_STEP = 1 << 30 /* bytes of one call, as some systems refuse more */ };

static lam_status fail_spill(int code, const char *what, lam_error *error) {
    lam_file_name name = lam_file_name_of("spill file");
    return lam_file_fail(&name, code, errno, what, error);
}

/* A descriptor of a file without a name, or -1 with errno. */
static int open_nameless(const char *folder) {
    const lam_file_rights own = lam_file_rights_own();
    char path[PATH_MAX], digits[LAM_NAME_DIGITS + 1];
    int descriptor = -1;
#if defined(O_TMPFILE)
    descriptor = lam_file_open(folder, O_TMPFILE | O_RDWR, 0600);
    if (descriptor >= 0)
        return descriptor;
#endif
    lam_name_digits(digits);
    int size = snprintf(path, sizeof path, "%s/lamella-spill-%s", folder, digits);
    if ((size_t)size >= sizeof path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    descriptor = lam_new_file(path, &own, LAM_NEW_FILE_GIVE_UP);
    if (descriptor >= 0)
        unlink(path);
    return descriptor;
}

lam_status lam_spill_file_open(lam_spill_file *file, const char *folder, lam_error *error) {
    const char *chosen = folder != NULL ? folder : "/tmp";
    int descriptor = open_nameless(chosen);
    if (descriptor < 0) {
        lam_file_name name = lam_file_name_of(chosen);
        return lam_file_fail(&name, LAM_ERROR_CODE_FILE_OPEN, errno, "cannot create a spill file",
                             error);
    }
    *file = (lam_spill_file){descriptor, 0, true};
    return LAM_STATUS_OK;
}

lam_status lam_spill_file_append(lam_spill_file *file, const void *data, size_t size,
                                 lam_error *error) {
    const uint8_t *next = data;
    while (size > 0) {
        ssize_t done = pwrite(file->descriptor, next, size < SPILL_STEP ? size : SPILL_STEP,
                              (off_t)file->size);
        if (done < 0 && errno == EINTR)
            continue;
        if (done < 0)
            return fail_spill(LAM_ERROR_CODE_FILE_WRITE, "cannot write", error);
        next += done;
        size -= (size_t)done;
        file->size += (uint64_t)done;
    }
    return LAM_STATUS_OK;
}

lam_status lam_spill_file_read(const lam_spill_file *file, uint64_t offset, void *data, size_t size,
                               lam_error *error) {
    uint8_t *next = data;
    while (size > 0) {
        ssize_t done =
            pread(file->descriptor, next, size < SPILL_STEP ? size : SPILL_STEP, (off_t)offset);
        if (done < 0 && errno == EINTR)
            continue;
        if (done < 0)
            return fail_spill(LAM_ERROR_CODE_FILE_READ, "cannot read", error);
        if (done == 0)
            LAM_FAIL(error, LAM_ERROR_CODE_FILE_SHORT, "the spill file has become shorter");
        next += done;
        size -= (size_t)done;
        offset += (uint64_t)done;
    }
    return LAM_STATUS_OK;
}

lam_status lam_spill_file_empty(lam_spill_file *file, lam_error *error) {
    int result;
    do
        result = ftruncate(file->descriptor, 0);
    while (result != 0 && errno == EINTR);
    if (result != 0)
        return fail_spill(LAM_ERROR_CODE_FILE_WRITE, "cannot truncate", error);
    file->size = 0;
    return LAM_STATUS_OK;
}

void lam_spill_file_close(lam_spill_file *file) {
    if (file->is_open)
        close(file->descriptor);
    file->is_open = false;
}
