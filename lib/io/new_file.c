/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Creates the file of a path, or takes one that an earlier process left: its descriptor is locked.
 *
 *     new     create, for its user alone        owner, group, permissions   lock   still linked?
 *     taken   no link, one name, own?   open   the same file, by its descriptor   lock
 *
 * The invariants: no file is opened through a link or under a name that existed before, except
 * files that this user has made, and that have no other name and no writer. No file is ever open to
 * more users than the one that it replaces.
 *
 * Both sides of the race between a writer and a remover are closed: a writer checks after locking
 * that its file still exists, a remover that the name still leads to the file that it locked.
 *
 *     writer    create   lock   still linked? -> write   rename     unlock
 *     remover            open   lock   same file? -> unlink   unlock
 */
#define _XOPEN_SOURCE 700
#define _FILE_OFFSET_BITS 64
#include "io/new_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#if defined(__linux__)
#include <sys/xattr.h>
#endif

#include "base/entropy.h"

/* How often a new file is locked or made again, a millisecond apart: a second. */
enum { LOCK_TRIES = 1000 };

int lam_file_open(const char *path, int flags, mode_t mode) {
    int descriptor;
    do
        descriptor = open(path, flags | O_CLOEXEC, mode);
    while (descriptor < 0 && errno == EINTR);
    return descriptor;
}

bool lam_file_sync(int descriptor) {
    int result;
    do
        result = fsync(descriptor);
    while (result != 0 && errno == EINTR);
    return result == 0;
}

/* --- New files ----------------------------------------------------------------------------- */

#if defined(__linux__)
#define ACL_NAME "system.posix_acl_access"

static void read_acl(const char *path, int descriptor, lam_file_rights *rights) {
    ssize_t size = descriptor >= 0
                       ? fgetxattr(descriptor, ACL_NAME, rights->acl, sizeof rights->acl)
                       : getxattr(path, ACL_NAME, rights->acl, sizeof rights->acl);
    bool is_there = size >= 0 || (errno != ENODATA && errno != ENOTSUP);
    rights->acl_size = size >= 0 ? (size_t)size : is_there ? sizeof rights->acl + 1 : 0;
}

/* A list that the folder gave to the new file goes. */
static void drop_acl(int descriptor) {
    (void)fremovexattr(descriptor, ACL_NAME);
}

static bool give_acl(int descriptor, const lam_file_rights *like) {
    return like->acl_size <= sizeof like->acl &&
           fsetxattr(descriptor, ACL_NAME, like->acl, like->acl_size, 0) == 0;
}
#else
static void read_acl(const char *path, int descriptor, lam_file_rights *rights) {
    (void)path, (void)descriptor;
    rights->acl_size = 0;
}

static void drop_acl(int descriptor) {
    (void)descriptor;
}

static bool give_acl(int descriptor, const lam_file_rights *like) {
    (void)descriptor, (void)like;
    return false;
}
#endif

lam_file_rights lam_file_rights_own(void) {
    return (lam_file_rights){.mode = 0600, .owner = geteuid(), .group = getegid()};
}

bool lam_file_rights_of(const char *path, int descriptor, lam_file_rights *ret_rights) {
    struct stat about;
    if ((descriptor >= 0 ? fstat(descriptor, &about) : stat(path, &about)) != 0)
        return false;
    *ret_rights = (lam_file_rights){
        .mode = about.st_mode & 0777, .owner = about.st_uid, .group = about.st_gid};
    read_acl(path, descriptor, ret_rights);
    return true;
}

/*
 * A group that cannot be given is replaced by the process's, for which the bits of all others are
 * enough. Without its access list, the group of a file that has one gets no rights: the bits do not
 * show them. A failure here leaves the file to its user alone.
 */
static void give_rights(int descriptor, const lam_file_rights *like) {
    struct stat made;
    mode_t mode = like->mode;
    int result = fchown(descriptor, like->owner, like->group);
    if (result != 0)
        result = fchown(descriptor, (uid_t)-1, like->group);
    drop_acl(descriptor);
    if (fstat(descriptor, &made) != 0)
        return;
    bool has_group = result == 0 || made.st_gid == like->group;
    if (like->acl_size > 0 && has_group && give_acl(descriptor, like))
        return;
    if (like->acl_size > 0)
        mode &= 0707;
    else if (!has_group)
        mode &= 0707 | (mode & 07) << 3;
    (void)fchmod(descriptor, mode);
}

/* The outcome of locking a new file. */
typedef enum new_file_claim { CLAIMED, LOCKED_BY_OTHERS, REMOVED_BY_OTHERS } new_file_claim;

/*
 * EWOULDBLOCK means that another process has the lock; any other failure, that the file system has
 * none. With the lock held, a file without a link was removed before it was locked.
 */
static new_file_claim new_file_lock_once(int descriptor) {
    struct stat about;
    if (flock(descriptor, LOCK_EX | LOCK_NB) != 0)
        return errno == EWOULDBLOCK ? LOCKED_BY_OTHERS : CLAIMED;
    return fstat(descriptor, &about) == 0 && about.st_nlink == 0 ? REMOVED_BY_OTHERS : CLAIMED;
}

static void pause_for_lock(void) {
    const struct timespec millisecond = {0, 1000000};
    nanosleep(&millisecond, NULL);
}

static new_file_claim new_file_lock_for(int descriptor, lam_new_file_lock lock, int *tries) {
    new_file_claim result = new_file_lock_once(descriptor);
    while (result == LOCKED_BY_OTHERS && lock == LAM_NEW_FILE_WAIT && ++*tries < LOCK_TRIES) {
        pause_for_lock();
        result = new_file_lock_once(descriptor);
    }
    return result;
}

/*
 * A process that finds the file before its lock takes it for one without a writer, and may remove
 * it: then it is made again.
 */
int lam_new_file(const char *path, const lam_file_rights *like, lam_new_file_lock lock) {
    for (int tries = 0;;) {
        int descriptor = lam_file_open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW,
                                       like != NULL ? like->mode & 0700 : 0666);
        if (descriptor < 0)
            return -1;
        if (like != NULL)
            give_rights(descriptor, like);
        new_file_claim result = new_file_lock_for(descriptor, lock, &tries);
        if (result == CLAIMED)
            return descriptor;
        if (lock == LAM_NEW_FILE_GIVE_UP)
            unlink(path); /* it may be gone already */
        close(descriptor);
        errno = lock == LAM_NEW_FILE_GIVE_UP ? EEXIST : EWOULDBLOCK;
        if (lock == LAM_NEW_FILE_GIVE_UP || result == LOCKED_BY_OTHERS || ++tries >= LOCK_TRIES)
            return -1;
    }
}

/* --- Files of earlier processes ------------------------------------------------------------ */

static bool is_own(const struct stat *about, uid_t also) {
    return S_ISREG(about->st_mode) && about->st_nlink == 1 &&
           (about->st_uid == geteuid() || about->st_uid == also);
}

static bool own_file_is_same(const struct stat *one, const struct stat *other) {
    return one->st_dev == other->st_dev && one->st_ino == other->st_ino;
}

/* A file that may only be read can be locked as well. */
static int open_existing(const char *path) {
    const int flags = O_NOFOLLOW | O_NONBLOCK;
    int descriptor = lam_file_open(path, O_RDWR | flags, 0);
    return descriptor < 0 ? lam_file_open(path, O_RDONLY | flags, 0) : descriptor;
}

/*
 * The open file is not always the one that was examined: between the two the name may have passed
 * on.
 */
static lam_own_file lock_own(const char *path, uid_t also, int descriptor) {
    struct stat named, opened;
    if (fstat(descriptor, &opened) != 0)
        return LAM_OWN_FILE_BUSY;
    if (!is_own(&opened, also) && opened.st_nlink > 0)
        return LAM_OWN_FILE_FOREIGN;
    if (flock(descriptor, LOCK_EX | LOCK_NB) != 0 || lstat(path, &named) != 0 ||
        !own_file_is_same(&named, &opened))
        return LAM_OWN_FILE_BUSY;
    return LAM_OWN_FILE_TAKEN;
}

lam_own_file lam_own_file_take(const char *path, uid_t also, int *ret_descriptor,
                               uint64_t *ret_size) {
    struct stat named;
    *ret_descriptor = -1;
    if (lstat(path, &named) != 0)
        return LAM_OWN_FILE_FAILED;
    if (!is_own(&named, also))
        return LAM_OWN_FILE_FOREIGN;
    *ret_size = (uint64_t)named.st_size;
    int descriptor = open_existing(path);
    if (descriptor < 0)
        return errno == ENOENT ? LAM_OWN_FILE_FAILED : LAM_OWN_FILE_BUSY;
    lam_own_file result = lock_own(path, also, descriptor);
    if (result == LAM_OWN_FILE_TAKEN && fstat(descriptor, &named) == 0)
        *ret_size = (uint64_t)named.st_size;
    if (result == LAM_OWN_FILE_TAKEN)
        *ret_descriptor = descriptor;
    else
        close(descriptor);
    return result;
}

/* --- Names --------------------------------------------------------------------------------- */

void lam_name_digits(char digits[LAM_NAME_DIGITS + 1]) {
    uint8_t bytes[LAM_NAME_DIGITS / 2];
    lam_entropy(bytes, sizeof bytes);
    for (size_t i = 0; i < sizeof bytes; i++)
        snprintf(digits + 2 * i, 3, "%02x", bytes[i]);
}
