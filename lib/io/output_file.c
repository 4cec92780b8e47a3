/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes files so that their name never shows half a file: takes a path, and bytes in order; after
 * finish the complete file has its name, and otherwise the old file keeps it.
 *
 *     create    a temporary name (leftover.h), a new file, locked (new_file.h)
 *     write     appended
 *     finish    fsync, close, rename over `path`, fsync of the folder
 *     close     without finish: the temporary name is removed
 *
 * A pipe, a device or a descriptor of the caller's has no name to protect and is written directly.
 * After a failed write every further one fails, since the file can never become complete again.
 */
#define _XOPEN_SOURCE 700
#define _FILE_OFFSET_BITS 64
#include <errno.h>
#include <fcntl.h>
#include <lamella/io.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/options.h"
#include "io/file_error.h"
#include "io/leftover.h"
#include "io/new_file.h"
#include "io/system_copy.h"

/* Bytes of one write, as some systems refuse more; names tried until one is new. */
enum { WRITE_STEP = 1 << 30, NAME_TRIES = 100 };

/* The state of an output: a descriptor, and the names when it is a file of ours. */
typedef struct file_output {
    lam_allocator allocator;
    int descriptor;
    bool owns_descriptor;
    bool failed;      /* a write failed: no later one can make it complete */
    bool has_partial; /* `partial` exists and belongs to this output */
    bool is_disposable;
    lam_file_name name; /* as the caller calls it */
    char path[PATH_MAX];
    char partial[PATH_MAX];
} file_output;

/* Reports errno and ends the output: later calls report that an earlier write failed. */
static lam_status fail_io(file_output *file, const char *what, lam_error *error) {
    file->failed = true;
    return lam_file_fail(&file->name, LAM_ERROR_CODE_FILE_WRITE, errno, what, error);
}

static lam_status output_file_fail_again(const file_output *file, lam_error *error) {
    return lam_file_refuse(&file->name, LAM_ERROR_CODE_WRITER_FAILED, "an earlier write failed",
                           error);
}

/* write(2) may take fewer bytes, or be interrupted by a signal: then it continues after them. */
static lam_status file_write(void *state, const void *data, size_t size, lam_error *error) {
    file_output *file = state;
    const uint8_t *next = data;
    if (file->failed)
        return output_file_fail_again(file, error);
    while (size > 0) {
        ssize_t done = write(file->descriptor, next, size < WRITE_STEP ? size : WRITE_STEP);
        if (done < 0 && errno == EINTR)
            continue;
        if (done < 0)
            return fail_io(file, "cannot write", error);
        next += done;
        size -= (size_t)done;
    }
    return LAM_STATUS_OK;
}

/*
 * Makes the rename itself durable: the name is an entry of the folder, which must reach the device.
 * A file system that cannot sync folders is not an error.
 */
static void sync_folder(const char *path) {
    char folder[PATH_MAX];
    const char *slash = strrchr(path, '/');
    /* Up to the slash, which may be all of it. */
    snprintf(folder, sizeof folder, "%.*s", slash != NULL ? (int)(slash + 1 - path) : 0, path);
    int descriptor = lam_file_open(slash == NULL ? "." : folder, O_RDONLY, 0);
    if (descriptor >= 0) {
        (void)lam_file_sync(descriptor);
        close(descriptor);
    }
}

/*
 * The order matters: the bytes are on the device before the name leads to them, so that a crash
 * leaves the old file or the new one. A descriptor of the caller's is left as it is.
 */
static lam_status file_finish(void *state, lam_error *error) {
    file_output *file = state;
    if (file->failed)
        return output_file_fail_again(file, error);
    if (!file->owns_descriptor)
        return LAM_STATUS_OK;
    if (file->has_partial && !lam_file_sync(file->descriptor))
        return fail_io(file, "cannot sync", error);
    /*
     * The second descriptor keeps the lock until the rename: without it the name could be taken for
     * a leftover after close.
     */
    int lock = file->has_partial ? fcntl(file->descriptor, F_DUPFD_CLOEXEC, 0) : -1;
    int descriptor = file->descriptor;
    file->descriptor = -1;
    lam_status status = LAM_STATUS_OK;
    if (close(descriptor) != 0)
        status = fail_io(file, "cannot close", error);
    else if (file->has_partial && rename(file->partial, file->path) != 0)
        status = fail_io(file, "cannot rename", error);
    else if (file->has_partial)
        sync_folder(file->path);
    file->has_partial = file->has_partial && status != LAM_STATUS_OK;
    if (lock >= 0)
        close(lock);
    return status;
}

/* A file that is not finished is removed, also after a failed rename. */
static void output_file_close(void *state) {
    file_output *file = state;
    if (file->owns_descriptor && file->descriptor >= 0)
        close(file->descriptor);
    if (file->has_partial)
        unlink(file->partial);
    lam_allocator allocator = file->allocator;
    lam_free(&allocator, file, sizeof *file);
}

/* A state without a file: the descriptor of a cleared one would be 0, standard input. */
static lam_status new_file_output(const lam_allocator *allocator, file_output **ret_file,
                                  lam_error *error) {
    lam_allocator chosen = lam_allocator_or_default(allocator);
    file_output *file;
    LAM_TRY(LAM_NEW(&chosen, &file, error));
    file->allocator = chosen;
    file->descriptor = -1;
    *ret_file = file;
    return LAM_STATUS_OK;
}

static lam_output as_output(file_output *file) {
    lam_output output = {file, file_write, file_finish, output_file_close};
    return output;
}

lam_status lam_output_descriptor(int descriptor, const lam_allocator *allocator,
                                 lam_output *ret_output, lam_error *error) {
    file_output *file;
    LAM_TRY(new_file_output(allocator, &file, error));
    file->descriptor = descriptor;
    *ret_output = as_output(file);
    return LAM_STATUS_OK;
}

/*
 * Creates a new file beside file->path, with the permissions, owner and group of the file that it
 * replaces. If somebody finds the file before it is locked, its name counts as taken.
 */
static lam_status open_partial(file_output *file, const lam_file_rights *like, lam_error *error) {
    for (unsigned try = 0; try < NAME_TRIES && !file->has_partial; try++) {
        LAM_TRY(lam_leftover_name(file->path, file->is_disposable, file->partial,
                                  sizeof file->partial, error));
        file->descriptor = lam_new_file(file->partial, like, LAM_NEW_FILE_GIVE_UP);
        file->has_partial = file->descriptor >= 0;
        if (!file->has_partial && errno != EEXIST)
            break;
    }
    return file->has_partial ? LAM_STATUS_OK
                             : lam_file_fail(&file->name, LAM_ERROR_CODE_FILE_OPEN, errno,
                                             "cannot create", error);
}

/*
 * Opens the output: under a temporary name, or directly when `path` is not a regular file. A path
 * that cannot be looked up may be a device, which no file must replace.
 */
static lam_status open_path(file_output *file, const char *path, lam_error *error) {
    struct stat about;
    lam_file_rights rights;
    bool exists = stat(path, &about) == 0;
    file->owns_descriptor = true;
    file->name = lam_file_name_of(path);
    if (!exists && errno != ENOENT && errno != ENAMETOOLONG)
        return lam_file_fail(&file->name, LAM_ERROR_CODE_FILE_OPEN, errno, "cannot create", error);
    if (exists && !S_ISREG(about.st_mode)) {
        file->descriptor = lam_file_open(path, O_WRONLY, 0);
        if (file->descriptor < 0)
            return lam_file_fail(&file->name, LAM_ERROR_CODE_FILE_OPEN, errno,
                                 "cannot open for writing", error);
        /* Between the two calls the name may have passed to a file that is not to be written. */
        if (fstat(file->descriptor, &about) != 0)
            return lam_file_fail(&file->name, LAM_ERROR_CODE_FILE_OPEN, errno,
                                 "cannot open for writing", error);
        if (S_ISREG(about.st_mode))
            return lam_file_refuse(&file->name, LAM_ERROR_CODE_FILE_KIND,
                                   "cannot open for writing: it has just become a file", error);
        return LAM_STATUS_OK;
    }
    LAM_TRY(lam_leftover_target(path, file->path, sizeof file->path, error));
    if (exists && !lam_file_rights_of(file->path, -1, &rights))
        return lam_file_fail(&file->name, LAM_ERROR_CODE_FILE_OPEN, errno, "cannot create", error);
    return open_partial(file, exists ? &rights : NULL, error);
}

lam_status lam_output_create_file(const char *path, const lam_output_file_options *given,
                                  const lam_allocator *allocator, lam_output *ret_output,
                                  lam_error *error) {
    file_output *file;
    lam_output_file_options options;
    LAM_TRY(LAM_OPTIONS_READ(lam_output_file_options, given, &options, error));
    LAM_TRY(new_file_output(allocator, &file, error));
    file->is_disposable = options.is_disposable;
    lam_status status = open_path(file, path, error);
    if (status != LAM_STATUS_OK) {
        output_file_close(file);
        return status;
    }
    *ret_output = as_output(file);
    return LAM_STATUS_OK;
}

/* An output is one of this file when it has this `write`. */
const char *lam_output_temporary_path(const lam_output *output) {
    const file_output *file = output->write == file_write ? output->state : NULL;
    return file != NULL && file->has_partial ? file->partial : NULL;
}

/* A failed output takes no more bytes. */
int lam_output_file_descriptor(const lam_output *output) {
    const file_output *file = output->write == file_write ? output->state : NULL;
    return file != NULL && file->has_partial && !file->failed ? file->descriptor : -1;
}
