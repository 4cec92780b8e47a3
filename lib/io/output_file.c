/*
 * Files written so that their name never shows half a file:
 *
 *     create    path.PID-N.part  made new, nobody else's
 *     write     appended
 *     finish    fsync, close, rename over path, fsync of the folder
 *     close     without finish: the .part file is removed
 */
#define _XOPEN_SOURCE 700
#define _FILE_OFFSET_BITS 64
#include <errno.h>
#include <fcntl.h>
#include <lamella/io.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/error.h"

enum { WRITE_STEP = 1 << 30, NAME_TRIES = 100 };

typedef struct file_output {
    lam_allocator allocator;
    int descriptor;
    bool owns_descriptor;
    bool failed;   /* a write failed: nothing that follows can make it whole */
    bool has_part; /* `part` exists and belongs to this output */
    char path[PATH_MAX];
    char part[PATH_MAX];
} file_output;

static lam_status fail_io(file_output *file, const char *what, lam_error *error) {
    file->failed = true;
    LAM_FAIL(error, LAM_STATUS_IO, "cannot %s: %s", what, strerror(errno));
}

static lam_status file_write(void *state, const void *data, size_t size, lam_error *error) {
    file_output *file = state;
    const uint8_t *next = data;
    if (file->failed)
        LAM_FAIL(error, LAM_STATUS_STATE, "an earlier write failed");
    while (size > 0) {
        ssize_t done = write(file->descriptor, next, size < WRITE_STEP ? size : WRITE_STEP);
        if (done < 0 && errno == EINTR)
            continue;
        if (done < 0)
            return fail_io(file, "write", error);
        next += done;
        size -= (size_t)done;
    }
    return LAM_STATUS_OK;
}

/* Makes the rename itself durable; a file system that cannot sync folders is not an error. */
static void sync_folder(const char *path) {
    char folder[PATH_MAX];
    snprintf(folder, sizeof folder, "%s", path);
    char *slash = strrchr(folder, '/');
    if (slash == folder)
        slash[1] = '\0';
    else if (slash != NULL)
        *slash = '\0';
    int descriptor = open(slash == NULL ? "." : folder, O_RDONLY | O_CLOEXEC);
    if (descriptor >= 0) {
        (void)fsync(descriptor);
        close(descriptor);
    }
}

static lam_status file_finish(void *state, lam_error *error) {
    file_output *file = state;
    if (file->failed)
        LAM_FAIL(error, LAM_STATUS_STATE, "an earlier write failed");
    if (!file->owns_descriptor)
        return LAM_STATUS_OK;
    if (file->has_part && fsync(file->descriptor) != 0)
        return fail_io(file, "sync", error);
    int descriptor = file->descriptor;
    file->descriptor = -1;
    if (close(descriptor) != 0)
        return fail_io(file, "close", error);
    if (!file->has_part)
        return LAM_STATUS_OK;
    if (rename(file->part, file->path) != 0)
        return fail_io(file, "rename", error);
    file->has_part = false;
    sync_folder(file->path);
    return LAM_STATUS_OK;
}

static void file_close(void *state) {
    file_output *file = state;
    if (file->owns_descriptor && file->descriptor >= 0)
        close(file->descriptor);
    if (file->has_part)
        unlink(file->part);
    lam_allocator allocator = file->allocator;
    lam_free(&allocator, file, sizeof *file);
}

static lam_status new_file_output(const lam_allocator *allocator, file_output **ret_file,
                                  lam_error *error) {
    lam_allocator chosen = lam_allocator_or_default(allocator);
    void *memory;
    LAM_TRY(lam_alloc_array(&chosen, 1, sizeof(file_output), &memory, error));
    file_output *file = memory;
    file->allocator = chosen;
    file->descriptor = -1;
    *ret_file = file;
    return LAM_STATUS_OK;
}

static lam_output as_output(file_output *file) {
    lam_output output = {file, file_write, file_finish, file_close};
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

/* Opens a new file beside file->path, with the permissions that `path` has or would get. */
static lam_status open_part(file_output *file, mode_t mode, lam_error *error) {
    for (int try = 0; try < NAME_TRIES; try++) {
        int length = snprintf(file->part, sizeof file->part, "%s.%ld-%d.part", file->path,
                              (long)getpid(), try);
        if (length < 0 || (size_t)length >= sizeof file->part)
            LAM_FAIL(error, LAM_STATUS_INVALID, "the path is too long");
        file->descriptor = open(file->part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
        if (file->descriptor >= 0) {
            file->has_part = true;
            return LAM_STATUS_OK;
        }
        if (errno != EEXIST)
            break;
    }
    LAM_FAIL(error, LAM_STATUS_IO, "cannot create: %s", strerror(errno));
}

/* Opens the file: by way of a .part file, or directly when `path` is no regular file. */
static lam_status open_path(file_output *file, const char *path, lam_error *error) {
    struct stat about;
    bool exists = stat(path, &about) == 0;
    file->owns_descriptor = true;
    if (exists && !S_ISREG(about.st_mode)) {
        file->descriptor = open(path, O_WRONLY | O_CLOEXEC);
        if (file->descriptor < 0)
            LAM_FAIL(error, LAM_STATUS_IO, "cannot open for writing: %s", strerror(errno));
        return LAM_STATUS_OK;
    }
    if (exists && realpath(path, file->path) == NULL)
        LAM_FAIL(error, LAM_STATUS_IO, "cannot open for writing: %s", strerror(errno));
    if (!exists) {
        if (strlen(path) >= sizeof file->path)
            LAM_FAIL(error, LAM_STATUS_INVALID, "the path is too long");
        strcpy(file->path, path);
    }
    return open_part(file, exists ? about.st_mode & 0777 : 0666, error);
}

lam_status lam_output_create_file(const char *path, const lam_allocator *allocator,
                                  lam_output *ret_output, lam_error *error) {
    file_output *file;
    LAM_TRY(new_file_output(allocator, &file, error));
    lam_status status = open_path(file, path, error);
    if (status != LAM_STATUS_OK) {
        file_close(file);
        return status;
    }
    *ret_output = as_output(file);
    return LAM_STATUS_OK;
}
