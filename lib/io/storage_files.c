/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keeps the files of a log in folders of the operating system: takes paths, and bytes in order, and
 * gives files that grow at their end, names, and failures with their errno.
 *
 * A file that is open for writing is always locked (flock), from its creation on, and its
 * descriptor is the only writer. So its size is known without asking, and bytes go to positions,
 * which copy_file_range needs, too: it refuses descriptors that always append. A failed sync is
 * final: the system may have dropped the bytes and marked them as written, and would then report
 * success for the next try. A call is repeated only if a signal interrupted it.
 */
#if defined(__APPLE__)
#define _DARWIN_C_SOURCE
#elif defined(__linux__)
#define _GNU_SOURCE /* copy_file_range, renameat2 */
#else
#define _XOPEN_SOURCE 700
#endif
#define _FILE_OFFSET_BITS 64
#include <lamella/storage.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/error.h"
#include "io/file_error.h"
#include "io/input_file.h"
#include "io/leftover.h"
#include "io/new_file.h"
#include "io/storage_copy.h"
#include "io/system_copy.h"

enum { STORAGE_STEP = 1 << 30 }; /* bytes; some systems refuse more in one call */

/* The state of a file that is open for writing. */
typedef struct stored_file {
    int descriptor;
    bool failed;   /* a sync failed: no later one can be trusted */
    uint64_t size; /* where the next byte goes */
    lam_file_name name;
} stored_file;

/* Reports errno for a path. ENOMEM becomes NOMEM, as for any allocation. */
static lam_status fail_named(const lam_file_name *name, lam_error_code code, const char *what,
                             lam_error *error) {
    if (errno == ENOMEM)
        return lam_file_refuse(name, LAM_STATUS_NOMEM, what, error);
    return lam_file_fail(name, errno == EEXIST ? LAM_ERROR_CODE_FILE_EXISTS : code, errno, what,
                         error);
}

static lam_status fail_stored(const char *path, lam_error_code code, const char *what,
                              lam_error *error) {
    lam_file_name name = lam_file_name_of(path);
    return fail_named(&name, code, what, error);
}

/* --- One file -------------------------------------------------------------------------------- */

static lam_status check_stored(const stored_file *file, lam_error *error) {
    return file->failed ? lam_file_refuse(&file->name, LAM_ERROR_CODE_WRITER_FAILED,
                                          "an earlier sync failed", error)
                        : LAM_STATUS_OK;
}

/* pwrite may take fewer bytes, or be interrupted by a signal: then it continues after them. */
static lam_status stored_append(void *state, const void *data, size_t size, lam_error *error) {
    stored_file *file = state;
    const uint8_t *next = data;
    LAM_TRY(check_stored(file, error));
    while (size > 0) {
        ssize_t done = pwrite(file->descriptor, next, size < STORAGE_STEP ? size : STORAGE_STEP,
                              (off_t)file->size);
        if (done < 0 && errno == EINTR)
            continue;
        if (done < 0)
            return fail_named(&file->name, LAM_ERROR_CODE_FILE_WRITE, "cannot write", error);
        next += done;
        file->size += (uint64_t)done;
        size -= (size_t)done;
    }
    return LAM_STATUS_OK;
}

static lam_status stored_copy(void *state, const lam_input *input, uint64_t offset, uint64_t size,
                              lam_error *error) {
    stored_file *file = state;
    lam_storage_file plain = {.state = file, .append = stored_append};
    int from = lam_input_file_descriptor(input);
    uint64_t copied = 0;
    LAM_TRY(check_stored(file, error));
    if (from >= 0 && offset <= input->size && size <= input->size - offset)
        copied = lam_system_copy(from, offset, file->descriptor, &file->size, size);
    return lam_storage_copy_plain(&plain, input, offset + copied, size - copied, error);
}

/*
 * fdatasync also makes the size durable, which reading the bytes takes. On macOS only F_FULLFSYNC
 * goes further than the cache of the drive, and some file systems lack it.
 */
static int sync_descriptor(int descriptor) {
    int result;
    do {
#if defined(__APPLE__)
        result = fcntl(descriptor, F_FULLFSYNC);
        if (result != 0 && (errno == ENOTSUP || errno == EINVAL))
            result = fsync(descriptor);
#else
        result = fdatasync(descriptor);
#endif
    } while (result != 0 && errno == EINTR);
    return result;
}

static lam_status stored_sync(void *state, lam_error *error) {
    stored_file *file = state;
    LAM_TRY(check_stored(file, error));
    file->failed = sync_descriptor(file->descriptor) != 0;
    return file->failed ? fail_named(&file->name, LAM_ERROR_CODE_FILE_WRITE, "cannot sync", error)
                        : LAM_STATUS_OK;
}

static lam_status stored_truncate(void *state, uint64_t size, lam_error *error) {
    stored_file *file = state;
    int result;
    LAM_TRY(check_stored(file, error));
    if (size > file->size)
        LAM_FAIL(error, LAM_STATUS_INVALID,
                 "%s: cannot truncate to %" PRIu64 " bytes: it has only %" PRIu64, file->name.text,
                 size, file->size);
    do
        result = ftruncate(file->descriptor, (off_t)size);
    while (result != 0 && errno == EINTR);
    if (result != 0)
        return fail_named(&file->name, LAM_ERROR_CODE_FILE_WRITE, "cannot truncate", error);
    file->size = size;
    return LAM_STATUS_OK;
}

/* Also the end of an open that failed. The lock ends with the descriptor. */
static void stored_close(void *state) {
    lam_allocator allocator = lam_allocator_default();
    stored_file *file = state;
    if (file->descriptor >= 0)
        close(file->descriptor);
    lam_free(&allocator, file, sizeof *file);
}

static lam_storage_file as_stored(stored_file *file) {
    lam_storage_file stored = {file,        stored_append,   stored_copy,
                               stored_sync, stored_truncate, stored_close};
    return stored;
}

/* --- Opening --------------------------------------------------------------------------------- */

/* Memory comes first, so that no failure follows a creation. There is no descriptor yet. */
static lam_status new_stored(const char *path, stored_file **ret_file, lam_error *error) {
    lam_allocator allocator = lam_allocator_default();
    stored_file *file;
    LAM_TRY(LAM_NEW(&allocator, &file, error));
    file->name = lam_file_name_of(path);
    file->descriptor = -1;
    *ret_file = file;
    return LAM_STATUS_OK;
}

/*
 * A process that found the new file before the lock, and took it for one without a writer, is
 * waited for; one that keeps it has it.
 */
static lam_status create_stored(const char *path, const lam_file_rights *like,
                                lam_storage_file *ret_file, lam_error *error) {
    stored_file *file;
    LAM_TRY(new_stored(path, &file, error));
    file->descriptor = lam_new_file(path, like, LAM_NEW_FILE_WAIT);
    if (file->descriptor < 0) {
        lam_status status =
            errno == EWOULDBLOCK
                ? lam_file_refuse(&file->name, LAM_ERROR_CODE_FILE_BUSY,
                                  "cannot create: another process has taken it", error)
                : fail_named(&file->name, LAM_ERROR_CODE_FILE_OPEN, "cannot create", error);
        stored_close(file);
        return status;
    }
    *ret_file = as_stored(file);
    return LAM_STATUS_OK;
}

static lam_status storage_create(void *state, const char *path, lam_storage_file *ret_file,
                                 lam_error *error) {
    (void)state;
    return create_stored(path, NULL, ret_file, error);
}

/* An input that does not say what it reads lets no other user read the file. */
static lam_status storage_create_like(void *state, const char *path, const lam_input *like,
                                      lam_storage_file *ret_file, lam_error *error) {
    lam_file_rights rights = lam_file_rights_own();
    int descriptor = lam_input_file_descriptor(like);
    (void)state;
    if (descriptor >= 0 && !lam_file_rights_of(NULL, descriptor, &rights))
        return fail_stored(path, LAM_ERROR_CODE_FILE_OPEN, "cannot create", error);
    return create_stored(path, &rights, ret_file, error);
}

/* Refuses anything but a regular file, and a file that is locked or cannot be. */
static lam_status lock_stored(const stored_file *file, lam_error *error) {
    struct stat about;
    if (fstat(file->descriptor, &about) != 0)
        return fail_named(&file->name, LAM_ERROR_CODE_FILE_OPEN, "cannot open for writing", error);
    if (!S_ISREG(about.st_mode))
        return lam_file_refuse(&file->name, LAM_ERROR_CODE_FILE_KIND,
                               "cannot open for writing: it is not a regular file", error);
    if (flock(file->descriptor, LOCK_EX | LOCK_NB) == 0)
        return LAM_STATUS_OK;
    if (errno == EWOULDBLOCK)
        return lam_file_refuse(&file->name, LAM_ERROR_CODE_FILE_BUSY, "it is being written already",
                               error);
    return lam_file_fail(&file->name, LAM_ERROR_CODE_FILE_BUSY, errno, "cannot lock", error);
}

/*
 * Between open and lock the name may have passed to another file, by a rename or a removal: then
 * somebody is at work on the path. The size counts from the lock on.
 */
static lam_status check_name(stored_file *file, const char *path, lam_error *error) {
    struct stat named, opened;
    if (fstat(file->descriptor, &opened) != 0)
        return fail_named(&file->name, LAM_ERROR_CODE_FILE_OPEN, "cannot open for writing", error);
    if (stat(path, &named) != 0 || named.st_dev != opened.st_dev || named.st_ino != opened.st_ino)
        return lam_file_refuse(&file->name, LAM_ERROR_CODE_FILE_BUSY,
                               "it has just been renamed or removed", error);
    file->size = (uint64_t)opened.st_size;
    return LAM_STATUS_OK;
}

static lam_status storage_open(void *state, const char *path, lam_storage_file *ret_file,
                               uint64_t *ret_size, lam_error *error) {
    lam_status status;
    stored_file *file;
    (void)state;
    LAM_TRY(new_stored(path, &file, error));
    file->descriptor = lam_file_open(path, O_WRONLY | O_NONBLOCK, 0);
    if (file->descriptor < 0) {
        status =
            fail_named(&file->name, LAM_ERROR_CODE_FILE_OPEN, "cannot open for writing", error);
        goto out;
    }
    LAM_TRY_OUT(lock_stored(file, error));
    LAM_TRY_OUT(check_name(file, path, error));
    *ret_size = file->size;
    *ret_file = as_stored(file);
    return LAM_STATUS_OK;
out:
    stored_close(file);
    return status;
}

static lam_status storage_open_input(void *state, const char *path, lam_input *ret_input,
                                     lam_error *error) {
    (void)state;
    return lam_input_open_file(path, NULL, ret_input, error);
}

/* The owner of the file that an input reads; this user if it does not say. */
static uid_t stored_owner(const lam_input *input) {
    struct stat about;
    int descriptor = input != NULL ? lam_input_file_descriptor(input) : -1;
    return descriptor >= 0 && fstat(descriptor, &about) == 0 ? about.st_uid : geteuid();
}

static lam_status fail_own(const lam_file_name *name, lam_own_file what, lam_error *error) {
    if (what == LAM_OWN_FILE_BUSY)
        return lam_file_refuse(name, LAM_ERROR_CODE_FILE_BUSY, "it is being written already",
                               error);
    if (what == LAM_OWN_FILE_FOREIGN)
        return lam_file_refuse(name, LAM_ERROR_CODE_FILE_KIND,
                               "it is not a file of this user alone", error);
    return fail_named(name, LAM_ERROR_CODE_FILE_OPEN, "cannot open for writing", error);
}

static lam_status storage_open_own(void *state, const char *path, const lam_input *beside,
                                   lam_storage_file *ret_file, uint64_t *ret_size,
                                   lam_error *error) {
    stored_file *file;
    (void)state;
    LAM_TRY(new_stored(path, &file, error));
    lam_own_file what =
        lam_own_file_take(path, stored_owner(beside), &file->descriptor, &file->size);
    if (what != LAM_OWN_FILE_TAKEN) {
        lam_status status = fail_own(&file->name, what, error);
        stored_close(file);
        return status;
    }
    *ret_size = file->size;
    *ret_file = as_stored(file);
    return LAM_STATUS_OK;
}

/* --- Names ----------------------------------------------------------------------------------- */

static lam_status storage_resolve(void *state, const char *path, char *target, size_t capacity,
                                  lam_error *error) {
    (void)state;
    return lam_leftover_target(path, target, capacity, error);
}

/* Renames in one step unless `to` exists; ENOSYS if the system has no such call. */
static int rename_in_system(const char *from, const char *to) {
#if defined(__APPLE__)
    return renamex_np(from, to, RENAME_EXCL);
#elif defined(RENAME_NOREPLACE)
    return renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE);
#else
    (void)from, (void)to;
    errno = ENOSYS;
    return -1;
#endif
}

/*
 * Renames in one step if the system does not check. A link, which replaces no name either, and a
 * removal are two: a crash between them leaves both names, and once somebody has moved the finished
 * file away, the other name cannot be told from a leftover's. So the name is checked first, and a
 * file that another program makes of it in between is replaced.
 */
static int rename_if_free(const char *from, const char *to) {
    struct stat about;
    if (lstat(to, &about) != 0)
        return errno == ENOENT ? rename(from, to) : -1;
    errno = EEXIST;
    return -1;
}

static lam_status storage_rename(void *state, const char *from, const char *to, lam_error *error) {
    (void)state;
    if (rename_in_system(from, to) == 0)
        return LAM_STATUS_OK;
    if ((errno == ENOSYS || errno == EINVAL || errno == ENOTSUP) && rename_if_free(from, to) == 0)
        return LAM_STATUS_OK;
    return fail_stored(errno == EEXIST ? to : from, LAM_ERROR_CODE_FILE_WRITE, "cannot rename",
                       error);
}

static lam_status storage_replace(void *state, const char *from, const char *to, lam_error *error) {
    (void)state;
    return rename(from, to) == 0
               ? LAM_STATUS_OK
               : fail_stored(from, LAM_ERROR_CODE_FILE_WRITE, "cannot rename", error);
}

/* remove(3) is unlink or rmdir. */
static lam_status storage_remove(void *state, const char *path, lam_error *error) {
    (void)state;
    return remove(path) == 0 ? LAM_STATUS_OK
                             : fail_stored(path, LAM_ERROR_CODE_FILE_WRITE, "cannot remove", error);
}

/* --- Folders --------------------------------------------------------------------------------- */

static lam_status storage_make_folder(void *state, const char *path, lam_error *error) {
    struct stat about;
    (void)state;
    if (mkdir(path, 0777) == 0)
        return LAM_STATUS_OK;
    int reason = errno;
    if (reason == EEXIST && lstat(path, &about) == 0 && S_ISDIR(about.st_mode))
        return LAM_STATUS_OK;
    errno = reason;
    return fail_stored(path, LAM_ERROR_CODE_FILE_OPEN, "cannot make the folder", error);
}

/*
 * A file system that cannot sync folders says so by EINVAL or ENOTSUP: its names are as durable as
 * they get. The descriptor is new, so that no earlier failure is forgotten by it.
 */
static lam_status storage_sync_folder(void *state, const char *path, lam_error *error) {
    int result, descriptor;
    (void)state;
    descriptor = lam_file_open(path, O_RDONLY | O_DIRECTORY, 0);
    if (descriptor < 0)
        return fail_stored(path, LAM_ERROR_CODE_FILE_OPEN, "cannot sync the folder", error);
    do
        result = fsync(descriptor);
    while (result != 0 && errno == EINTR);
    int reason = result == 0 ? 0 : errno;
    close(descriptor);
    if (reason == 0 || reason == EINVAL || reason == ENOTSUP)
        return LAM_STATUS_OK;
    errno = reason;
    return fail_stored(path, LAM_ERROR_CODE_FILE_WRITE, "cannot sync the folder", error);
}

typedef lam_status each_entry(void *state, const lam_storage_entry *entry, lam_error *error);

/* Reports a file or a folder; all others, and a name that has vanished meanwhile, are ignored. */
static lam_status report_entry(DIR *folder, const char *path, const char *name, each_entry *each,
                               void *each_state, lam_error *error) {
    struct stat about;
    if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
        return LAM_STATUS_OK;
    if (fstatat(dirfd(folder), name, &about, AT_SYMLINK_NOFOLLOW) != 0)
        return errno == ENOENT
                   ? LAM_STATUS_OK
                   : fail_stored(path, LAM_ERROR_CODE_FILE_OPEN, "cannot list the folder", error);
    bool is_folder = S_ISDIR(about.st_mode);
    if (!is_folder && !S_ISREG(about.st_mode))
        return LAM_STATUS_OK;
    lam_storage_entry entry = {name, is_folder ? 0 : (uint64_t)about.st_size, is_folder,
                               about.st_uid != geteuid()};
    return each(each_state, &entry, error);
}

static lam_status storage_list(void *state, const char *path, each_entry *each, void *each_state,
                               lam_error *error) {
    lam_status status = LAM_STATUS_OK;
    (void)state;
    DIR *folder;
    do
        folder = opendir(path);
    while (folder == NULL && errno == EINTR);
    if (folder == NULL)
        return fail_stored(path, LAM_ERROR_CODE_FILE_OPEN, "cannot list the folder", error);
    while (status == LAM_STATUS_OK) {
        errno = 0; /* NULL is the end, or a failure */
        struct dirent *entry = readdir(folder);
        if (entry != NULL)
            status = report_entry(folder, path, entry->d_name, each, each_state, error);
        else if (errno != 0)
            status = fail_stored(path, LAM_ERROR_CODE_FILE_OPEN, "cannot list the folder", error);
        else
            break;
    }
    closedir(folder);
    return status;
}

/* --- The storage ----------------------------------------------------------------------------- */

lam_storage lam_storage_files(void) {
    lam_storage storage = {NULL,
                           storage_create,
                           storage_open,
                           storage_open_input,
                           storage_rename,
                           storage_replace,
                           storage_remove,
                           storage_make_folder,
                           storage_sync_folder,
                           storage_list,
                           storage_create_like,
                           storage_open_own,
                           storage_resolve};
    return storage;
}
