/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Opens regular files, by path, for reads by position: as a lam_input that reads with pread, or one
 * over a mapping, which also lends ranges.
 *
 * pread never moves a shared offset, so that any number of threads may read at once without a lock.
 * The size is taken once, when the file is opened: a file that shrinks later fails to read (or,
 * mapped, raises SIGBUS), and one that grows is read as it was. Pipes and devices have no positions
 * and are refused.
 */
#define _POSIX_C_SOURCE 200809L
#define _FILE_OFFSET_BITS 64
#include "io/input_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/error.h"
#include "io/file_error.h"

enum { READ_STEP = 1 << 30 }; /* bytes; some systems refuse more in one call */

/* The state of either input: a descriptor or a mapping. */
typedef struct file_input {
    lam_allocator allocator;
    int descriptor;   /* -1 when mapped */
    uint8_t *mapping; /* NULL when not mapped */
    size_t mapped_size;
    lam_file_name name;
} file_input;

/* An errno of 0 means the end of the file: it is shorter than when it was opened. */
static lam_status refuse_read(const file_input *file, size_t size, int os_error, lam_error *error) {
    char what[80];
    snprintf(what, sizeof what, "cannot read %zu bytes%s", size,
             os_error == 0 ? ": the file ends before" : "");
    return os_error == 0
               ? lam_file_refuse(&file->name, LAM_ERROR_CODE_FILE_SHORT, what, error)
               : lam_file_fail(&file->name, LAM_ERROR_CODE_FILE_READ, os_error, what, error);
}

/*
 * Reads exactly `size` bytes. pread may return fewer, or be interrupted by a signal: then it
 * continues after them. The error has the offset at which reading stopped.
 */
static lam_status file_read_at(void *state, uint64_t offset, size_t size, void *buffer,
                               lam_error *error) {
    const file_input *file = state;
    uint8_t *next = buffer;
    while (size > 0) {
        ssize_t got =
            pread(file->descriptor, next, size < READ_STEP ? size : READ_STEP, (off_t)offset);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0) {
            lam_status status = refuse_read(file, size, got < 0 ? errno : 0, error);
            lam_error_at_offset(error, offset);
            return status;
        }
        next += got;
        offset += (uint64_t)got;
        size -= (size_t)got;
    }
    return LAM_STATUS_OK;
}

/* Copies, for readers that need the bytes in memory of their own. */
static lam_status map_read_at(void *state, uint64_t offset, size_t size, void *buffer,
                              lam_error *error) {
    const file_input *file = state;
    (void)error;
    if (size > 0)
        memcpy(buffer, file->mapping + offset, size);
    return LAM_STATUS_OK;
}

/* The mapping stays until close, so any range of it can be lent. */
static const uint8_t *map_borrow(void *state, uint64_t offset, size_t size) {
    const file_input *file = state;
    (void)size;
    return file->mapping + offset;
}

/* Also the end of an open that failed, in any state. */
static void input_file_close(void *state) {
    file_input *file = state;
    if (file->mapping != NULL)
        munmap(file->mapping, file->mapped_size);
    if (file->descriptor >= 0)
        close(file->descriptor);
    lam_allocator allocator = file->allocator;
    lam_free(&allocator, file, sizeof *file);
}

/*
 * Opens a regular file and gives its size. O_NONBLOCK keeps open(2) from waiting for the other end
 * of a pipe, which is refused right after; it does not affect a regular file.
 */
static lam_status open_regular(const char *path, file_input *file, uint64_t *ret_size,
                               lam_error *error) {
    struct stat about;
    file->name = lam_file_name_of(path);
    do
        file->descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    while (file->descriptor < 0 && errno == EINTR);
    if (file->descriptor < 0)
        return lam_file_fail(&file->name, LAM_ERROR_CODE_FILE_OPEN, errno, "cannot open", error);
    if (fstat(file->descriptor, &about) != 0)
        return lam_file_fail(&file->name, LAM_ERROR_CODE_FILE_READ, errno, "cannot read", error);
    if (S_ISDIR(about.st_mode))
        return lam_file_refuse(&file->name, LAM_ERROR_CODE_FILE_KIND, "cannot read: it is a folder",
                               error);
    if (!S_ISREG(about.st_mode))
        return lam_file_refuse(&file->name, LAM_ERROR_CODE_FILE_KIND,
                               "cannot read: it is not a regular file, and reading needs to seek",
                               error);
    *ret_size = (uint64_t)about.st_size;
    return LAM_STATUS_OK;
}

/* A state without a file: the descriptor of a cleared one would be 0, standard input. */
static lam_status new_file_input(const lam_allocator *allocator, file_input **ret_file,
                                 lam_error *error) {
    lam_allocator chosen = lam_allocator_or_default(allocator);
    file_input *file;
    LAM_TRY(LAM_NEW(&chosen, &file, error));
    file->allocator = chosen;
    file->descriptor = -1;
    *ret_file = file;
    return LAM_STATUS_OK;
}

lam_status lam_input_open_file(const char *path, const lam_allocator *allocator,
                               lam_input *ret_input, lam_error *error) {
    file_input *file;
    LAM_TRY(new_file_input(allocator, &file, error));
    uint64_t size;
    lam_status status = open_regular(path, file, &size, error);
    if (status != LAM_STATUS_OK) {
        input_file_close(file);
        return status;
    }
    lam_input input = {0};
    input.state = file;
    input.size = size;
    input.read_at = file_read_at;
    input.close = input_file_close;
    *ret_input = input;
    return LAM_STATUS_OK;
}

/* Maps the entire file. On 32 bits a file may be larger than the address space. */
static lam_status map_whole(file_input *file, uint64_t size, lam_error *error) {
    if (size > SIZE_MAX)
        LAM_FAIL(error, LAM_STATUS_LIMIT, "%s: the file is too large to map: %" PRIu64 " bytes",
                 file->name.text, size);
    void *mapping = mmap(NULL, (size_t)size, PROT_READ, MAP_PRIVATE, file->descriptor, 0);
    if (mapping == MAP_FAILED)
        return lam_file_fail(&file->name, LAM_ERROR_CODE_FILE_READ, errno, "cannot map", error);
    file->mapping = mapping;
    file->mapped_size = (size_t)size;
    return LAM_STATUS_OK;
}

/*
 * The descriptor is closed, as a mapping stays without it. An empty file cannot be mapped, and
 * needs no mapping.
 */
lam_status lam_input_map_file(const char *path, const lam_allocator *allocator,
                              lam_input *ret_input, lam_error *error) {
    lam_status status;
    file_input *file;
    LAM_TRY(new_file_input(allocator, &file, error));
    uint64_t size;
    LAM_TRY_OUT(open_regular(path, file, &size, error));
    if (size > 0)
        LAM_TRY_OUT(map_whole(file, size, error));
    close(file->descriptor);
    file->descriptor = -1;
    lam_input input = {0};
    input.state = file;
    input.size = size;
    input.read_at = map_read_at;
    input.borrow = size > 0 ? map_borrow : NULL;
    input.close = input_file_close;
    *ret_input = input;
    return LAM_STATUS_OK;
out:
    input_file_close(file);
    return status;
}

/* An input is one of this file when it has this `read_at`; a mapped one has no descriptor left. */
int lam_input_file_descriptor(const lam_input *input) {
    const file_input *file = input->read_at == file_read_at ? input->state : NULL;
    return file == NULL ? -1 : file->descriptor;
}
