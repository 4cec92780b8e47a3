/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes, locks and removes hidden folders: takes the path of the folder that a command makes, and
 * gives a new folder beside it, with a lock on it, and removes those without a process.
 *
 * A folder is only ever removed while this process holds its lock: in doubt (no lock available, no
 * right to open it, another owner, a name that is not exactly of this form) it stays. The folder of
 * a run that has not locked it yet is empty: that run sees that it is gone, and makes another. The
 * name cannot be guessed, and an existing folder with it is never used.
 */
#define _XOPEN_SOURCE 700
#define _DEFAULT_SOURCE /* flock */
#include "folder_leftover.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define LETTERS "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
#define RANDOM "XXXXXX" /* as mkdtemp has it */

enum {
    OPEN_FOLDERS = 16, /* at once, while one is removed */
    RANDOM_SIZE = sizeof RANDOM - 1
};

/* The name of the folder itself, after the last slash. */
static const char *base_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash == NULL ? path : slash + 1;
}

bool folder_leftover_make(const char *target, char *hidden, size_t capacity) {
    const char *base = base_name(target);
    int size = snprintf(hidden, capacity, "%.*s.%s" FOLDER_LEFTOVER_MARK "%ld-" RANDOM,
                        (int)(base - target), target, base, (long)getpid());
    if (size >= 0 && (size_t)size < capacity)
        return mkdtemp(hidden) != NULL;
    errno = ENAMETOOLONG;
    return false;
}

static int open_folder(const char *path) {
    return open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/* Opens a folder and locks it; -1 when another process has its lock. */
static int open_locked(const char *path) {
    int descriptor = open_folder(path);
    if (descriptor >= 0 && flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
        int reason = errno;
        close(descriptor);
        errno = reason;
        return -1;
    }
    return descriptor;
}

bool folder_leftover_is_there(const char *path, int descriptor) {
    struct stat named, open_one;
    if (lstat(path, &named) != 0 || fstat(descriptor, &open_one) != 0)
        return false;
    bool is_same = named.st_dev == open_one.st_dev && named.st_ino == open_one.st_ino &&
                   open_one.st_uid == geteuid();
    if (!is_same)
        errno = ESTALE;
    return is_same;
}

/* A file system without such locks opens the folder as well. */
int folder_leftover_open(const char *hidden) {
    int descriptor = open_folder(hidden);
    int reason = descriptor < 0 ? errno : 0;
    if (descriptor >= 0 && ((flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) ||
                            !folder_leftover_is_there(hidden, descriptor))) {
        reason = errno;
        close(descriptor);
        descriptor = -1;
    }
    if (descriptor < 0)
        errno = reason == ENOENT || reason == EWOULDBLOCK ? ESTALE : reason;
    return descriptor;
}

static int remove_entry(const char *path, const struct stat *about, int kind, struct FTW *where) {
    (void)about, (void)kind, (void)where;
    return remove(path);
}

/* Whether a name is that of a hidden folder of `base`: every byte must match. */
static bool is_hidden_name(const char *name, const char *base) {
    size_t size = strlen(base);
    if (name[0] != '.' || strncmp(name + 1, base, size) != 0)
        return false;
    const char *at = name + 1 + size;
    if (strncmp(at, FOLDER_LEFTOVER_MARK, sizeof FOLDER_LEFTOVER_MARK - 1) != 0)
        return false;
    at += sizeof FOLDER_LEFTOVER_MARK - 1;
    size_t digits = strspn(at, "0123456789");
    if (digits == 0 || at[digits] != '-')
        return false;
    at += digits + 1;
    return strlen(at) == RANDOM_SIZE && strspn(at, LETTERS) == RANDOM_SIZE;
}

static bool remove_dead(const char *path) {
    int descriptor = open_locked(path);
    bool is_gone = descriptor >= 0 && folder_leftover_is_there(path, descriptor) &&
                   nftw(path, remove_entry, OPEN_FOLDERS, FTW_DEPTH | FTW_PHYS) == 0;
    if (descriptor >= 0)
        close(descriptor);
    return is_gone;
}

size_t folder_leftover_remove(const char *target) {
    char path[PATH_MAX];
    const char *base = base_name(target);
    int folder = (int)(base - target);
    size_t removed = 0;
    snprintf(path, sizeof path, "%.*s", folder, target);
    DIR *entries = opendir(folder == 0 ? "." : path);
    if (entries == NULL)
        return 0;
    for (struct dirent *entry = readdir(entries); entry != NULL; entry = readdir(entries)) {
        int size = snprintf(path, sizeof path, "%.*s%s", folder, target, entry->d_name);
        if (is_hidden_name(entry->d_name, base) && size >= 0 && (size_t)size < sizeof path)
            removed += remove_dead(path);
    }
    closedir(entries);
    return removed;
}
