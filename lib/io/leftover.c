/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names and finds the temporary files of writers: takes the path of a file that is or was written,
 * and gives a new temporary name beside it; or finds the files with such names there, says whether
 * the writer of each is running, and removes them.
 *
 * A file counts as a leftover only while this process holds its lock (new_file.h): between finding
 * it and removing it no writer can claim it. In doubt (no lock available, no right to open) a file
 * is always taken for one that is being written, and stays.
 */
#define _XOPEN_SOURCE 700
#define _FILE_OFFSET_BITS 64
#include "io/leftover.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "io/file_error.h"
#include "io/new_file.h"

#define RECOVERABLE ".part"
#define DISPOSABLE ".tmp"

/* Bytes of a name in a folder, on all usual file systems. */
enum { LONGEST_NAME = 255 };

/* --- Names --------------------------------------------------------------------------------- */

/* The name of the file itself, after the last slash. */
static const char *last_component(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash == NULL ? path : slash + 1;
}

/*
 * Bytes of a file's name that its temporary names begin with: all, or as many as leave room for the
 * other bytes, cut at a character. Depends on the name alone, so that the search cuts as the writer
 * did.
 */
static size_t kept_size(const char *name) {
    enum { AROUND = sizeof LAM_LEFTOVER_MARK + 20 + 1 + LAM_NAME_DIGITS + sizeof RECOVERABLE };
    size_t size = strlen(name);
    if (size + AROUND <= LONGEST_NAME) /* the NULs that it counts are room for the "_" */
        return size;
    size = LONGEST_NAME - AROUND - 1;
    while (size > 0 && ((unsigned char)name[size] & 0xC0) == 0x80)
        size--;
    return size;
}

/* INVALID: a path that does not fit PATH_MAX. */
static lam_status refuse_length(const char *path, lam_error *error) {
    lam_file_name name = lam_file_name_of(path);
    return lam_file_refuse(&name, LAM_STATUS_INVALID, "the path is too long", error);
}

/* Reports errno; ENOMEM becomes NOMEM, as for any allocation. */
static lam_status fail_path(const char *path, const char *what, lam_error *error) {
    lam_file_name name = lam_file_name_of(path);
    if (errno == ENOMEM)
        return lam_file_refuse(&name, LAM_STATUS_NOMEM, what, error);
    return lam_file_fail(&name, LAM_ERROR_CODE_FILE_OPEN, errno, what, error);
}

lam_status lam_leftover_name(const char *path, bool is_disposable, char *name, size_t capacity,
                             lam_error *error) {
    char digits[LAM_NAME_DIGITS + 1];
    const char *last = last_component(path);
    size_t size = kept_size(last), folder = (size_t)(last - path);
    lam_name_digits(digits);
    int length = snprintf(name, capacity, "%.*s_%.*s%s" LAM_LEFTOVER_MARK "%ld-%s%s", (int)folder,
                          path, (int)size, last, last[size] == '\0' ? "" : "~", (long)getpid(),
                          digits, is_disposable ? DISPOSABLE : RECOVERABLE);
    if ((size_t)length >= capacity) /* also a negative one, of a path of billions of bytes */
        return refuse_length(path, error);
    return LAM_STATUS_OK;
}

/* Moves past `begin` if the text starts with it. */
static bool pass_over(const char **text, const char *begin, size_t size) {
    if (strncmp(*text, begin, size) != 0)
        return false;
    *text += size;
    return true;
}

/* Moves past a number of `least` to `most` digits. */
static bool pass_over_digits(const char **text, const char *digits, size_t least, size_t most) {
    size_t size = strspn(*text, digits);
    *text += size;
    return size >= least && size <= most;
}

/*
 * For "x.parquet" the names are "_x.parquet.lamella-4711-18a2b3c4d5e6f708.part" and the same with
 * ".tmp", or without "_"; every byte must match, as a file that matches may be removed.
 */
bool lam_leftover_is_of(const char *last, const char *name, bool *ret_is_disposable) {
    size_t size = kept_size(last);
    if (name[0] == '_' && strncmp(name + 1, last, size) == 0)
        name++;
    if (!pass_over(&name, last, size) || (last[size] != '\0' && !pass_over(&name, "~", 1)) ||
        !pass_over(&name, LAM_LEFTOVER_MARK, sizeof LAM_LEFTOVER_MARK - 1) ||
        !pass_over_digits(&name, "0123456789", 1, 20) || !pass_over(&name, "-", 1) ||
        !pass_over_digits(&name, "0123456789abcdef", LAM_NAME_DIGITS, LAM_NAME_DIGITS))
        return false;
    *ret_is_disposable = strcmp(name, DISPOSABLE) == 0;
    return *ret_is_disposable || strcmp(name, RECOVERABLE) == 0;
}

/*
 * Takes one step along a link: to the path in it, from the link's folder. False when `path` is no
 * link, or the name becomes too long. `capacity` is at most PATH_MAX.
 */
static bool step_along_link(char *path, size_t capacity) {
    char held[PATH_MAX], next[PATH_MAX];
    ssize_t size = readlink(path, held, sizeof held - 1);
    if (size <= 0)
        return false;
    held[size] = '\0';
    int folder = held[0] == '/' ? 0 : (int)(last_component(path) - path);
    int length = snprintf(next, sizeof next, "%.*s%s", folder, path, held);
    if ((size_t)length >= capacity)
        return false;
    memcpy(path, next, (size_t)length + 1);
    return true;
}

/*
 * Resolves the last name, so that a file is replaced where it is and not the link to it; a link to
 * a missing file leads to where the file will be. The temporary name must be in that folder, too:
 * rename does not cross file systems. Links before the last name may stay, as the system follows
 * them.
 */
lam_status lam_leftover_target(const char *path, char *target, size_t capacity, lam_error *error) {
    enum { LINKS_MAX = 40 };
    struct stat about;
    if (stat(path, &about) != 0 && errno != ENOENT && errno != ENAMETOOLONG)
        return fail_path(path, "cannot open for writing", error);
    if (strlen(path) >= capacity)
        return refuse_length(path, error);
    strcpy(target, path);
    for (int i = 0; i < LINKS_MAX && step_along_link(target, capacity); i++)
        continue;
    return LAM_STATUS_OK;
}

/* --- Folders ------------------------------------------------------------------------------- */

/* Called with the full path of each temporary name. */
typedef lam_status each_name(void *state, const char *path, bool is_disposable, lam_error *error);

/* Calls `each` for the entries that are temporary names of `target`; all others are ignored. */
static lam_status walk_folder(DIR *folder, const char *target, each_name *each, void *state,
                              lam_error *error) {
    const char *last = last_component(target);
    struct dirent *entry;
    while ((entry = readdir(folder)) != NULL) {
        char path[PATH_MAX];
        bool is_disposable;
        if (!lam_leftover_is_of(last, entry->d_name, &is_disposable))
            continue;
        int length =
            snprintf(path, sizeof path, "%.*s%s", (int)(last - target), target, entry->d_name);
        if ((size_t)length < sizeof path)
            LAM_TRY(each(state, path, is_disposable, error));
    }
    return LAM_STATUS_OK;
}

/* Calls `each` for every temporary name of the file. */
static lam_status walk(const char *path, each_name *each, void *state, lam_error *error) {
    char target[PATH_MAX], folder[PATH_MAX];
    LAM_TRY(lam_leftover_target(path, target, sizeof target, error));
    snprintf(folder, sizeof folder, "%.*s", (int)(last_component(target) - target), target);
    DIR *entries;
    do
        entries = opendir(folder[0] == '\0' ? "." : folder);
    while (entries == NULL && errno == EINTR);
    if (entries == NULL)
        return fail_path(path, "cannot list the folder", error);
    lam_status status = walk_folder(entries, target, each, state, error);
    closedir(entries);
    return status;
}

/* The callback of lam_output_leftovers. */
typedef struct leftover_reporter {
    lam_status (*each)(void *state, const lam_leftover *leftover, lam_error *error);
    void *state;
} leftover_reporter;

/* The lock is held while `each` runs, so that it may move or remove the file. */
static lam_status leftover_report(void *state, const char *path, bool is_disposable,
                                  lam_error *error) {
    const leftover_reporter *to = state;
    uint64_t size;
    int descriptor;
    lam_own_file what = lam_own_file_take(path, geteuid(), &descriptor, &size);
    if (what != LAM_OWN_FILE_TAKEN && what != LAM_OWN_FILE_BUSY)
        return LAM_STATUS_OK;
    const lam_leftover leftover = {path, size, is_disposable, what == LAM_OWN_FILE_BUSY};
    lam_status status = to->each(to->state, &leftover, error);
    if (descriptor >= 0)
        close(descriptor);
    return status;
}

lam_status lam_output_leftovers(const char *path,
                                lam_status (*each)(void *state, const lam_leftover *leftover,
                                                   lam_error *error),
                                void *state, lam_error *error) {
    leftover_reporter to = {each, state};
    return walk(path, leftover_report, &to, error);
}

/*
 * Removes one file if it is disposable and without a writer. A file that cannot be removed stays.
 */
static lam_status remove_dead(void *state, const char *path, bool is_disposable, lam_error *error) {
    size_t *removed = state;
    uint64_t size;
    int descriptor;
    (void)error;
    if (!is_disposable ||
        lam_own_file_take(path, geteuid(), &descriptor, &size) != LAM_OWN_FILE_TAKEN)
        return LAM_STATUS_OK;
    *removed += unlink(path) == 0;
    close(descriptor); /* only now: until here the name is this file's */
    return LAM_STATUS_OK;
}

lam_status lam_output_remove_leftovers(const char *path, size_t *ret_removed, lam_error *error) {
    size_t removed = 0;
    LAM_TRY(walk(path, remove_dead, &removed, error));
    *ret_removed = removed;
    return LAM_STATUS_OK;
}
