#define _XOPEN_SOURCE 700
#define _FILE_OFFSET_BITS 64
#include "io/leftover.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "io/file_error.h"

#define MARK ".lamella-"
#define RECOVERABLE ".part"
#define DISPOSABLE ".tmp"

enum { LONGEST_NAME = 255, TIME_DIGITS = 16 };

/* --- Names --------------------------------------------------------------------------------- */

static const char *last_component(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash == NULL ? path : slash + 1;
}

/* How much of a file's name stands in temporary ones: all, or what leaves room for the rest. */
static size_t kept_size(const char *name) {
    enum { BEHIND = sizeof MARK + 20 + 1 + TIME_DIGITS + sizeof RECOVERABLE };
    size_t size = strlen(name);
    if (size + BEHIND <= LONGEST_NAME)
        return size;
    size = LONGEST_NAME - BEHIND - 1;
    while (size > 0 && ((unsigned char)name[size] & 0xC0) == 0x80)
        size--;
    return size;
}

static lam_status refuse_length(const char *path, lam_error *error) {
    lam_file_name name = lam_file_name_of(path);
    return lam_file_refuse(&name, LAM_STATUS_INVALID, "the path is too long", error);
}

static lam_status fail_path(const char *path, const char *what, lam_error *error) {
    lam_file_name name = lam_file_name_of(path);
    if (errno == ENOMEM)
        return lam_file_refuse(&name, LAM_STATUS_NOMEM, what, error);
    return lam_file_fail(&name, LAM_ERROR_CODE_FILE_OPEN, errno, what, error);
}

lam_status lam_leftover_name(const char *path, bool is_disposable, unsigned try, char *name,
                             size_t capacity, lam_error *error) {
    struct timespec now = {0, 0};
    const char *last = last_component(path);
    size_t size = kept_size(last), folder = (size_t)(last - path);
    clock_gettime(CLOCK_REALTIME, &now);
    uint64_t time = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec + try;
    int length = folder > INT_MAX / 2
                     ? -1
                     : snprintf(name, capacity, "%.*s%s" MARK "%ld-%016" PRIx64 "%s",
                                (int)(folder + size), path, last[size] == '\0' ? "" : "~",
                                (long)getpid(), time, is_disposable ? DISPOSABLE : RECOVERABLE);
    if (length < 0 || (size_t)length >= capacity)
        return refuse_length(path, error);
    return LAM_STATUS_OK;
}

/* Passes over what both begin with; false when they do not. */
static bool pass_over(const char **text, const char *begin, size_t size) {
    if (strncmp(*text, begin, size) != 0)
        return false;
    *text += size;
    return true;
}

static bool pass_over_digits(const char **text, const char *digits, size_t least, size_t most) {
    size_t size = strspn(*text, digits);
    *text += size;
    return size >= least && size <= most;
}

/* Whether `name` is a temporary one of the file whose name is `last`. */
static bool is_name_of(const char *last, const char *name, bool *ret_is_disposable) {
    size_t size = kept_size(last);
    if (!pass_over(&name, last, size) || (last[size] != '\0' && !pass_over(&name, "~", 1)) ||
        !pass_over(&name, MARK, sizeof MARK - 1) || !pass_over_digits(&name, "0123456789", 1, 20) ||
        !pass_over(&name, "-", 1) ||
        !pass_over_digits(&name, "0123456789abcdef", TIME_DIGITS, TIME_DIGITS))
        return false;
    *ret_is_disposable = strcmp(name, DISPOSABLE) == 0;
    return *ret_is_disposable || strcmp(name, RECOVERABLE) == 0;
}

lam_status lam_leftover_target(const char *path, char *target, size_t capacity, lam_error *error) {
    char resolved[PATH_MAX];
    struct stat about;
    bool exists = stat(path, &about) == 0;
    if (exists && realpath(path, resolved) == NULL)
        return fail_path(path, "cannot open for writing", error);
    const char *chosen = exists ? resolved : path;
    if (strlen(chosen) >= capacity)
        return refuse_length(path, error);
    strcpy(target, chosen);
    return LAM_STATUS_OK;
}

/* --- Locks --------------------------------------------------------------------------------- */

bool lam_leftover_claim(int descriptor) {
    struct stat about;
    if (flock(descriptor, LOCK_EX | LOCK_NB) != 0)
        return errno != EWOULDBLOCK;
    return fstat(descriptor, &about) == 0 && about.st_nlink > 0;
}

/*
 * Opens a file of one's own that nobody writes any more, and holds its lock; -1 when it is none of
 * that, or cannot be told. Gives its size where there is such a file at all, else -1.
 */
static int open_dead(const char *path, int64_t *ret_size) {
    struct stat named, opened;
    *ret_size = -1;
    if (lstat(path, &named) != 0 || !S_ISREG(named.st_mode) || named.st_uid != geteuid())
        return -1;
    int flags = O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
    int descriptor = open(path, O_RDWR | flags);
    if (descriptor < 0)
        descriptor = open(path, O_RDONLY | flags);
    *ret_size = (int64_t)named.st_size;
    if (descriptor < 0)
        return -1;
    /* The name may have gone to another file before the lock was there. */
    if (flock(descriptor, LOCK_EX | LOCK_NB) == 0 && fstat(descriptor, &opened) == 0 &&
        lstat(path, &named) == 0 && named.st_dev == opened.st_dev && named.st_ino == opened.st_ino)
        return descriptor;
    close(descriptor);
    return -1;
}

/* --- Folders ------------------------------------------------------------------------------- */

typedef lam_status each_name(void *state, const char *path, bool is_disposable, lam_error *error);

static lam_status walk_folder(DIR *folder, const char *target, each_name *each, void *state,
                              lam_error *error) {
    const char *last = last_component(target);
    struct dirent *entry;
    while ((entry = readdir(folder)) != NULL) {
        char path[PATH_MAX];
        bool is_disposable;
        if (!is_name_of(last, entry->d_name, &is_disposable))
            continue;
        int length =
            snprintf(path, sizeof path, "%.*s%s", (int)(last - target), target, entry->d_name);
        if (length > 0 && (size_t)length < sizeof path)
            LAM_TRY(each(state, path, is_disposable, error));
    }
    return LAM_STATUS_OK;
}

/* Calls `each` for every temporary name of the file. */
static lam_status walk(const char *path, each_name *each, void *state, lam_error *error) {
    char target[PATH_MAX], folder[PATH_MAX];
    LAM_TRY(lam_leftover_target(path, target, sizeof target, error));
    snprintf(folder, sizeof folder, "%.*s", (int)(last_component(target) - target), target);
    DIR *entries = opendir(folder[0] == '\0' ? "." : folder);
    if (entries == NULL)
        return fail_path(path, "cannot list the folder", error);
    lam_status status = walk_folder(entries, target, each, state, error);
    closedir(entries);
    return status;
}

typedef struct leftover_reporter {
    lam_status (*each)(void *state, const lam_leftover *leftover, lam_error *error);
    void *state;
} leftover_reporter;

static lam_status leftover_report(void *state, const char *path, bool is_disposable,
                                  lam_error *error) {
    const leftover_reporter *to = state;
    int64_t size;
    int descriptor = open_dead(path, &size);
    lam_leftover leftover = {path, (uint64_t)size, is_disposable, descriptor < 0};
    lam_status status = size < 0 ? LAM_STATUS_OK : to->each(to->state, &leftover, error);
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

static lam_status remove_dead(void *state, const char *path, bool is_disposable, lam_error *error) {
    size_t *removed = state;
    int64_t size;
    (void)error;
    int descriptor = is_disposable ? open_dead(path, &size) : -1;
    if (descriptor < 0)
        return LAM_STATUS_OK;
    *removed += unlink(path) == 0;
    close(descriptor); /* only now: until here the name is that of this file */
    return LAM_STATUS_OK;
}

lam_status lam_output_remove_leftovers(const char *path, size_t *ret_removed, lam_error *error) {
    size_t removed = 0;
    LAM_TRY(walk(path, remove_dead, &removed, error));
    *ret_removed = removed;
    return LAM_STATUS_OK;
}
