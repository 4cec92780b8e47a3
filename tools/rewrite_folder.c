/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes a folder of files as one unit. All files and folders are made below a hidden folder beside
 * the target, which this user alone can enter, and listed here first of all; at the end the hidden
 * folder gets the permissions that it is to have, and the target's name. The handler of a signal
 * removes those listed, the newest first, and then lets the signal have its default effect; while
 * the list changes signals wait.
 *
 * In a folder that others write they can give the hidden name to another file. So rights are given,
 * and files removed, by the descriptor of the hidden folder, and if only a path will do, the name
 * is compared with it first.
 */
#define _XOPEN_SOURCE 700
#include "rewrite_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "folder_leftover.h"
#include "tool.h"

static const int signals[] = {SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGALRM, SIGTERM, SIGXCPU, SIGXFSZ};

enum { SIGNAL_COUNT = sizeof signals / sizeof signals[0] };

/* All that was made, in order: the hidden folder first. Written while signals are blocked. */
static char **made;
static size_t made_count, made_capacity;
static char hidden[PATH_MAX], target[PATH_MAX];
static int inside = -1;      /* the hidden folder, locked */
static struct stat replaced; /* the rights that the target is to have */

/* The name of a made file or folder, as seen from the hidden folder. */
static const char *name_inside(const char *path) {
    return path + strlen(hidden) + 1;
}

/* Removes entry `index` of the list. The first is the hidden folder itself, which is empty then. */
static void remove_one(size_t index) {
    if (index == 0)
        rmdir(hidden);
    else if (unlinkat(inside, name_inside(made[index]), 0) != 0)
        unlinkat(inside, name_inside(made[index]), AT_REMOVEDIR);
}

static void remove_made(void) {
    while (made_count > 0)
        remove_one(--made_count);
}

static void on_signal(int number) {
    tool_remove_unfinished();
    signal(number, SIG_DFL);
    raise(number); /* comes as soon as the handler is left */
}

static void hold_signals(sigset_t *before) {
    sigset_t set;
    sigemptyset(&set);
    for (size_t i = 0; i < SIGNAL_COUNT; i++)
        sigaddset(&set, signals[i]);
    sigprocmask(SIG_BLOCK, &set, before);
}

/* Leaves ignored signals alone, as with nohup. */
static void catch_signals(void) {
    struct sigaction action, before;
    memset(&action, 0, sizeof action);
    action.sa_handler = on_signal;
    sigfillset(&action.sa_mask);
    for (size_t i = 0; i < SIGNAL_COUNT; i++)
        if (sigaction(signals[i], NULL, &before) == 0 && before.sa_handler == SIG_DFL)
            sigaction(signals[i], &action, NULL);
}

static lam_status fail(lam_status status, lam_error *error, const char *path, const char *what) {
    *error = lam_error_none();
    error->status = status;
    error->os_error = errno;
    snprintf(error->message, sizeof error->message, "%.180s: %s: %s", path, what, strerror(errno));
    return status;
}

static lam_status fail_memory(lam_error *error) {
    *error = lam_error_none();
    error->status = LAM_STATUS_NOMEM;
    snprintf(error->message, sizeof error->message, "no memory");
    return LAM_STATUS_NOMEM;
}

/* Signals are held. Room and copy come before the file, so that none is made unlisted. */
static bool list_path(const char *path) {
    if (made_count == made_capacity) {
        size_t grown = made_capacity == 0 ? 64 : 2 * made_capacity;
        char **moved = realloc(made, grown * sizeof *moved);
        if (moved == NULL)
            return false;
        made = moved;
        made_capacity = grown;
    }
    made[made_count] = strdup(path);
    if (made[made_count] == NULL)
        return false;
    made_count++;
    return true;
}

/* Refuses to continue if the hidden name leads to another file. */
static lam_status check_hidden(lam_error *error) {
    if (folder_leftover_is_there(hidden, inside))
        return LAM_STATUS_OK;
    return fail(LAM_STATUS_IO, error, target,
                errno == ESTALE ? "the unfinished folder was replaced"
                                : "cannot examine the unfinished folder");
}

/* Makes a folder below the hidden one unless it is there. */
static lam_status make_folder(const char *path, lam_error *error) {
    struct stat about;
    sigset_t before;
    lam_status status = LAM_STATUS_OK;
    const char *name = name_inside(path);
    if (fstatat(inside, name, &about, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(about.st_mode))
        return LAM_STATUS_OK;
    hold_signals(&before);
    if (!list_path(path)) {
        status = fail_memory(error);
    } else if (mkdirat(inside, name, 0777) != 0) {
        status = fail(LAM_STATUS_IO, error, path, "cannot make the folder");
        free(made[--made_count]);
    }
    sigprocmask(SIG_SETMASK, &before, NULL);
    return status;
}

/* Makes all folders of a path below the hidden one. */
static lam_status make_folders(const char *folder, lam_error *error) {
    char path[PATH_MAX];
    size_t base = (size_t)snprintf(path, sizeof path, "%s/%s", hidden, folder);
    if (base >= sizeof path) {
        errno = ENAMETOOLONG;
        return fail(LAM_STATUS_IO, error, target, "cannot make the folder");
    }
    for (char *at = path + strlen(hidden) + 1; *at != '\0'; at++) {
        if (*at != '/')
            continue;
        *at = '\0';
        lam_status status = make_folder(path, error);
        if (status != LAM_STATUS_OK)
            return status;
        *at = '/';
    }
    return folder[0] == '\0' ? LAM_STATUS_OK : make_folder(path, error);
}

/* A file has a temporary name first, and its own when it is finished: both are listed. */
static lam_status create_file(const char *name, lam_output *ret_output, lam_error *error) {
    char path[PATH_MAX];
    sigset_t before;
    lam_status status = LAM_STATUS_OK;
    lam_output_file_options options = lam_output_file_options_default();
    options.is_disposable = true;
    int size = snprintf(path, sizeof path, "%s/%s", hidden, name);
    if (size < 0 || (size_t)size >= sizeof path) {
        errno = ENAMETOOLONG;
        return fail(LAM_STATUS_IO, error, target, "cannot create a file");
    }
    hold_signals(&before);
    status = check_hidden(error);
    if (status == LAM_STATUS_OK && !list_path(path))
        status = fail_memory(error);
    if (status == LAM_STATUS_OK)
        status = lam_output_create_file(path, &options, NULL, ret_output, error);
    const char *temporary = status == LAM_STATUS_OK ? lam_output_temporary_path(ret_output) : NULL;
    if (temporary != NULL && !list_path(temporary)) {
        lam_output_close(ret_output);
        status = fail_memory(error);
    }
    sigprocmask(SIG_SETMASK, &before, NULL);
    return status;
}

static lam_status open_file(void *state, const char *folder, uint64_t number,
                            lam_output *ret_output, lam_error *error) {
    char name[PATH_MAX];
    (void)state;
    lam_status status = make_folders(folder, error);
    if (status != LAM_STATUS_OK)
        return status;
    int size = snprintf(name, sizeof name, "%s%spart-%05" PRIu64 ".parquet", folder,
                        folder[0] == '\0' ? "" : "/", number);
    if (size < 0 || (size_t)size >= sizeof name) {
        errno = ENAMETOOLONG;
        return fail(LAM_STATUS_IO, error, target, "cannot create a file");
    }
    return create_file(name, ret_output, error);
}

/* Makes a file below the hidden folder, where no other process makes any; -1 if that fails. */
static int make_file(const char *name, lam_error *error) {
    char path[PATH_MAX];
    sigset_t before;
    int size = snprintf(path, sizeof path, "%s/%s", hidden, name), file = -1;
    if (size < 0 || (size_t)size >= sizeof path) {
        errno = ENAMETOOLONG;
        fail(LAM_STATUS_IO, error, target, "cannot create a file");
        return -1;
    }
    hold_signals(&before);
    if (!list_path(path))
        fail_memory(error);
    else if ((file = openat(inside, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666)) < 0) {
        fail(LAM_STATUS_IO, error, target, "cannot create a file");
        free(made[--made_count]);
    }
    sigprocmask(SIG_SETMASK, &before, NULL);
    return file;
}

lam_status rewrite_folder_put(const char *name, const char *text, size_t size, lam_error *error) {
    int file = make_file(name, error);
    if (file < 0)
        return error->status;
    while (size > 0) {
        ssize_t written = write(file, text, size);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            break;
        text += written;
        size -= (size_t)written;
    }
    lam_status status = LAM_STATUS_OK;
    if (size > 0)
        status = fail(LAM_STATUS_IO, error, target, "cannot write");
    if (close(file) != 0 && status == LAM_STATUS_OK)
        status = fail(LAM_STATUS_IO, error, target, "cannot write");
    return status;
}

lam_rewrite_target rewrite_folder_target(void) {
    lam_rewrite_target files = {NULL, open_file};
    return files;
}

/* Sets `target`, without slashes at its end. */
static bool name_target(const char *path, lam_error *error) {
    size_t size = strlen(path);
    while (size > 1 && path[size - 1] == '/')
        size--;
    int written = snprintf(target, sizeof target, "%.*s", (int)size, path);
    if (written >= 0 && (size_t)written < sizeof target)
        return true;
    errno = ENAMETOOLONG;
    fail(LAM_STATUS_IO, error, path, "cannot make the folder");
    return false;
}

static void remove_leftovers(void) {
    size_t removed = folder_leftover_remove(target);
    if (removed > 0)
        tool_say("lamella: %s: removed %zu unfinished folder%s of runs that were killed\n", target,
                 removed, tool_s(removed));
}

/* Signals wait until it is listed. */
static bool make_hidden_once(lam_error *error) {
    sigset_t before;
    hold_signals(&before);
    bool is_made = folder_leftover_make(target, hidden, sizeof hidden);
    if (!is_made)
        fail(LAM_STATUS_IO, error, target, "cannot make the folder");
    if (is_made && !list_path(hidden)) {
        rmdir(hidden);
        fail_memory(error);
        is_made = false;
    }
    sigprocmask(SIG_SETMASK, &before, NULL);
    return is_made;
}

/* Makes the hidden folder and locks it, again if another run has just taken it for a leftover. */
static bool make_hidden(lam_error *error) {
    for (;;) {
        if (!make_hidden_once(error))
            return false;
        inside = folder_leftover_open(hidden);
        if (inside >= 0)
            return true;
        if (errno != ESTALE) {
            bool is_replaced = errno == ENOTDIR || errno == ELOOP;
            fail(LAM_STATUS_IO, error, target,
                 is_replaced ? "the unfinished folder was replaced"
                             : "cannot open the unfinished folder");
            return false;
        }
        rewrite_folder_drop();
    }
}

/* From here on another run may take what is left as its own. */
static void let_go(void) {
    if (inside >= 0)
        close(inside);
    inside = -1;
}

/* Whether a folder has no entries but those that every folder has. */
static bool is_empty(const char *path) {
    DIR *folder = opendir(path);
    if (folder == NULL)
        return false;
    errno = ENOTEMPTY;
    int count = 0;
    for (const struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder))
        count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    closedir(folder);
    errno = ENOTEMPTY;
    return count == 0;
}

/* The rights of a new folder. */
static void set_new_rights(void) {
    mode_t mask = umask(0);
    umask(mask);
    replaced = (struct stat){.st_mode = 0777 & ~mask, .st_uid = (uid_t)-1, .st_gid = (gid_t)-1};
}

/* An empty folder may be replaced, by a rename, which removes no other file. */
bool rewrite_folder_begin(const char *path, lam_error *error) {
    if (!name_target(path, error))
        return false;
    remove_leftovers();
    if (lstat(target, &replaced) != 0) {
        set_new_rights();
    } else if (!S_ISDIR(replaced.st_mode) || !is_empty(target)) {
        errno = S_ISDIR(replaced.st_mode) ? errno : EEXIST;
        fail(LAM_STATUS_INVALID, error, path, "the folder must be new, or empty");
        return false;
    }
    catch_signals();
    tool_set_remover(remove_made);
    return make_hidden(error);
}

/* Makes the names in a folder durable; a file system may have no way to do that. */
static void sync_folder(const char *path) {
    int folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder < 0)
        return;
    (void)fsync(folder);
    close(folder);
}

static void sync_made(void) {
    struct stat about;
    for (size_t i = made_count; i > 0; i--)
        if (lstat(made[i - 1], &about) == 0 && S_ISDIR(about.st_mode))
            sync_folder(made[i - 1]);
}

/* As much of the rights of the folder that is replaced as the process may give, and never more. */
static void give_rights(void) {
    struct stat now;
    mode_t mode = replaced.st_mode & 03777;
    if (fstat(inside, &now) != 0)
        return;
    if (replaced.st_uid == (uid_t)-1)
        mode |= now.st_mode & S_ISGID; /* that of the folder around it */
    int result = fchown(inside, replaced.st_uid, replaced.st_gid);
    if (result != 0)
        result = fchown(inside, (uid_t)-1, replaced.st_gid);
    if (result != 0 && now.st_gid != replaced.st_gid)
        mode &= 01707 | (mode & 07) << 3;
    (void)fchmod(inside, mode);
}

static void sync_parent(void) {
    char *slash = strrchr(target, '/');
    if (slash == NULL)
        sync_folder(".");
    else if (slash == target)
        sync_folder("/");
    else {
        *slash = '\0';
        sync_folder(target);
        *slash = '/';
    }
}

bool rewrite_folder_end(lam_error *error) {
    sigset_t before;
    hold_signals(&before);
    bool is_done = check_hidden(error) == LAM_STATUS_OK;
    if (is_done) {
        sync_made();
        give_rights();
        is_done = rename(hidden, target) == 0;
        if (!is_done)
            fail(LAM_STATUS_IO, error, target, "cannot rename the folder");
    }
    while (is_done && made_count > 0)
        free(made[--made_count]);
    sigprocmask(SIG_SETMASK, &before, NULL);
    if (is_done)
        sync_parent();
    return is_done;
}

void rewrite_folder_drop(void) {
    sigset_t before;
    hold_signals(&before);
    while (made_count > 0) {
        remove_one(--made_count);
        free(made[made_count]);
    }
    free(made);
    made = NULL;
    made_capacity = 0;
    let_go();
    sigprocmask(SIG_SETMASK, &before, NULL);
}
