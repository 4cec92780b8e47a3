/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where a log keeps its files: the folders of the operating system, or the caller's own callbacks,
 * for flash without a file system, or for tests.
 */
#ifndef LAMELLA_STORAGE_H
#define LAMELLA_STORAGE_H

#include <lamella/common.h>
#include <lamella/io.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * A file that is being written, at its end only. While it is open nothing else can open it for
 * writing, in this process or another. A file is used by one thread at a time, a storage by
 * several.
 *
 * append    appends all `size` bytes or fails; after a failure the file may have some of them, and
 *           truncate can remove them.
 * copy      appends `size` bytes of `input` from `offset` on, by the shortest way that the system
 *           has, and fails as append does. INVALID beyond the end of the input. NULL: by read_at
 *           and append.
 * sync      makes everything appended or truncated durable. After a failure nothing may be assumed
 *           about any byte since the last success, and another try proves nothing: the file
 *           refuses everything but close (WRITER_FAILED).
 * truncate  shortens the file to `size` bytes; INVALID when it has fewer.
 * close     frees the state, cannot fail, and makes nothing durable.
 */
typedef struct lam_storage_file {
    void *state;
    lam_status (*append)(void *state, const void *data, size_t size, lam_error *error);
    lam_status (*copy)(void *state, const lam_input *input, uint64_t offset, uint64_t size,
                       lam_error *error);
    lam_status (*sync)(void *state, lam_error *error);
    lam_status (*truncate)(void *state, uint64_t size, lam_error *error);
    void (*close)(void *state);
} lam_storage_file;

/* One entry of a folder. */
typedef struct lam_storage_entry {
    const char *name; /* without the folder; borrowed for the call */
    uint64_t size;    /* bytes; 0 for a folder */
    bool is_folder;
    bool is_foreign; /* it belongs to another user */
} lam_storage_entry;

/*
 * Files and folders by path; components are separated by '/'. What is created, renamed or removed
 * is durable only once its folder is synced, and a file's content only once the file is. Calls may
 * come from any thread.
 *
 * A failure is IO, with errno in `os_error` where there is one, and FILE_MISSING, FILE_EXISTS,
 * FILE_BUSY or DISK_FULL as its code where that is the reason.
 *
 * create       creates a file that must not exist yet (FILE_EXISTS), nor anything else by its
 *              name.
 * open         opens an existing file to append to it. FILE_BUSY while it is open for writing, or
 *              when this cannot be determined; FILE_MISSING.
 * open_input   opens a file for reading, with the size that it has now. FILE_MISSING.
 * rename       gives a file a name that must not exist yet in the same folder (FILE_EXISTS), in one
 *              step: if a crash leaves both names, a log may recover from the old one a file that
 *              was finished and moved away under the new one.
 * replace      gives a file a name in the same folder, in place of the file that has it.
 * remove       removes a file, or an empty folder.
 * make_folder  makes a folder whose parent exists; does nothing if it exists already. A link to a
 *              folder is none.
 * sync_folder  makes the names in a folder durable.
 * list         reports each file and folder of a folder, in any order, and nothing else that is
 *              in it; a failure of `each` ends it.
 *
 * A storage whose files have owners, permissions and links has three more; each may be NULL.
 *
 * create_like  creates a file that is made of the one that `like` reads, or takes its place, as
 *              create does: with its permissions, owner and group, as far as the process may give
 *              them, and never with more, from the first byte on. Where `like` does not show them
 *              nobody else may read the file. NULL: create.
 * open_own     opens what an earlier process left, as open does: FILE_KIND for what is not a file
 *              of the user alone: a link, a file of another user, or one that has a second name.
 *              Files of the owner of what `beside`, which may be NULL, reads count as well. NULL:
 *              open.
 * resolve      writes the path of the file that `path` leads to where it is a link, and `path`
 *              itself where it is none, with a NUL; INVALID when it does not fit. A link to nothing
 *              leads to where a file would be. NULL: nothing is a link.
 */
typedef struct lam_storage {
    void *state; /* outlives all files of the storage */
    lam_status (*create)(void *state, const char *path, lam_storage_file *ret_file,
                         lam_error *error);
    lam_status (*open)(void *state, const char *path, lam_storage_file *ret_file,
                       uint64_t *ret_size, lam_error *error);
    lam_status (*open_input)(void *state, const char *path, lam_input *ret_input, lam_error *error);
    lam_status (*rename)(void *state, const char *from, const char *to, lam_error *error);
    lam_status (*replace)(void *state, const char *from, const char *to, lam_error *error);
    lam_status (*remove)(void *state, const char *path, lam_error *error);
    lam_status (*make_folder)(void *state, const char *path, lam_error *error);
    lam_status (*sync_folder)(void *state, const char *path, lam_error *error);
    lam_status (*list)(void *state, const char *path,
                       lam_status (*each)(void *each_state, const lam_storage_entry *entry,
                                          lam_error *error),
                       void *each_state, lam_error *error);
    lam_status (*create_like)(void *state, const char *path, const lam_input *like,
                              lam_storage_file *ret_file, lam_error *error);
    lam_status (*open_own)(void *state, const char *path, const lam_input *beside,
                           lam_storage_file *ret_file, uint64_t *ret_size, lam_error *error);
    lam_status (*resolve)(void *state, const char *path, char *target, size_t capacity,
                          lam_error *error);
} lam_storage;

/*
 * The files of the operating system. Its state is static. Files are locked (flock) while they are
 * open for writing, which ends with the process; where the file system has no locks, `open` finds
 * every file busy. A link to a file is opened as that file; `list` reports no links.
 */
LAM_PUBLIC lam_storage lam_storage_files(void);

/* Closes a file and clears it; does nothing to one that is cleared. */
static inline void lam_storage_file_close(lam_storage_file *file) {
    lam_storage_file cleared = LAM_ZERO_INIT;
    if (file->close != NULL)
        file->close(file->state);
    *file = cleared;
}

/* Time, as a log sees it. */
typedef struct lam_clock {
    void *state;
    int64_t (*utc)(void *state);        /* nanoseconds since 1970-01-01 00:00 UTC; may jump */
    uint64_t (*monotonic)(void *state); /* nanoseconds since any moment; never goes back */
} lam_clock;

#ifdef __cplusplus
}
#endif

#endif
