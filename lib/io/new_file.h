/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How files are created, and how those of earlier runs are taken: the system calls beneath outputs,
 * storages and spill files. A folder may be shared with strangers, who put links, pipes and files
 * of their own under any name in it.
 */
#ifndef LAM_IO_NEW_FILE_H
#define LAM_IO_NEW_FILE_H

#include <lamella/common.h>
#include <sys/types.h>

/* As open, which a signal interrupts on file systems that answer slowly. -1 with errno. */
int lam_file_open(const char *path, int flags, mode_t mode);

/* fsync, in spite of signals; false with errno. */
bool lam_file_sync(int descriptor);

/* Who may do what with a file. */
enum { LAM_FILE_ACL_ROOM = 2048 };
typedef struct lam_file_rights {
    mode_t mode; /* of an access control list the bits of the group are the mask */
    uid_t owner;
    gid_t group;
    size_t acl_size; /* 0: no list; above the room: one that is not known */
    uint8_t acl[LAM_FILE_ACL_ROOM];
} lam_file_rights;

/* Of this user alone. */
lam_file_rights lam_file_rights_own(void);
/* Of the open file, or of the one at `path` if `descriptor` is -1; false with errno. */
bool lam_file_rights_of(const char *path, int descriptor, lam_file_rights *ret_rights);

/* How to handle a new file that another process has locked before its maker could. */
typedef enum lam_new_file_lock {
    LAM_NEW_FILE_GIVE_UP, /* remove it: errno is EEXIST, as for a name that is taken */
    LAM_NEW_FILE_WAIT     /* for a while; then errno is EWOULDBLOCK, and the file stays */
} lam_new_file_lock;

/*
 * Creates a file that must not exist yet, a link included, and locks it. It gets the rights `like`,
 * access control list (Linux), owner and group, as far as the process may give them and from its
 * first byte on never more; those of the process's mask if `like` is NULL. Returns a descriptor
 * that reads and writes; -1 with errno.
 */
int lam_new_file(const char *path, const lam_file_rights *like, lam_new_file_lock lock);

/* The state of a file with a name that only this program gives. */
typedef enum lam_own_file {
    LAM_OWN_FILE_TAKEN,   /* it is open and locked */
    LAM_OWN_FILE_BUSY,    /* another process has the lock, or that is unknown */
    LAM_OWN_FILE_FOREIGN, /* a link, no regular file, of another user, or with a second name */
    LAM_OWN_FILE_FAILED   /* errno says why; ENOENT: it does not exist */
} lam_own_file;

/*
 * Takes a file that an earlier process of the same user left; one of the user `also` counts as
 * well. No other file is opened. `*ret_descriptor` is -1 unless it is TAKEN, and reads at least;
 * `ret_size` is set for TAKEN and BUSY.
 */
lam_own_file lam_own_file_take(const char *path, uid_t also, int *ret_descriptor,
                               uint64_t *ret_size);

/* How many random digits a name gets, which nobody can guess. */
enum { LAM_NAME_DIGITS = 16 };

/* Writes random hexadecimal digits and a NUL. */
void lam_name_digits(char digits[LAM_NAME_DIGITS + 1]);

#endif
