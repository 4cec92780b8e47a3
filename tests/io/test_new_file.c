/* SPDX-License-Identifier: Apache-2.0 */
/*
 * New files, and those of earlier processes, in a folder in which strangers have put something. The
 * calls of the system that a test meddles with are defined here, and pass on to the kernel.
 */
#define _GNU_SOURCE
#include "io/new_file.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#if defined(__linux__)
#include <sys/xattr.h>
#endif

static char folder[] = "/tmp/lamella-new-XXXXXX";
static char path[64], precious[64];

/* --- Calls of the system --------------------------------------------------------------------- */

static void (*before_lock)(void); /* called before each lock is taken; NULL: nothing */
static bool no_group;             /* the process may not give its files to another group */
static mode_t widest;             /* what the file was open to, from its creation to its lock */

static mode_t mode_of(const char *name) {
    struct stat about;
    cr_assert_eq(lstat(name, &about), 0, "%s", name);
    return about.st_mode & 07777;
}

int flock(int descriptor, int operation) {
    if (before_lock != NULL)
        before_lock();
    return (int)syscall(SYS_flock, descriptor, operation);
}

int fchown(int descriptor, uid_t owner, gid_t group) {
    widest |= mode_of(path);
    if (no_group && group != getegid()) {
        errno = EPERM;
        return -1;
    }
    return (int)syscall(SYS_fchown, descriptor, owner, group);
}

int fchmod(int descriptor, mode_t mode) {
    widest |= mode_of(path);
    return (int)syscall(SYS_fchmod, descriptor, mode);
}

/* --- Help ------------------------------------------------------------------------------------ */

static void put(const char *name, const char *text, mode_t mode) {
    int descriptor = open(name, O_WRONLY | O_CREAT | O_EXCL, 0600);
    cr_assert_geq(descriptor, 0, "%s", name);
    cr_assert_eq(write(descriptor, text, strlen(text)), (ssize_t)strlen(text));
    cr_assert_eq(syscall(SYS_fchmod, descriptor, mode), 0);
    close(descriptor);
}

static void make_folder(void) {
    cr_assert_not_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/file", folder);
    snprintf(precious, sizeof precious, "%s/precious", folder);
}

static void remove_folder(void) {
    char command[80];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    cr_assert_eq(system(command), 0);
}

TestSuite(new_file, .init = make_folder, .fini = remove_folder);

static lam_file_rights rights(mode_t mode, uid_t owner, gid_t group) {
    return (lam_file_rights){.mode = mode, .owner = owner, .group = group};
}

/* Each kind of thing that somebody else may have put under a name. */
static void plant_link(void) {
    cr_assert_eq(symlink("precious", path), 0);
}

static void plant_dangling_link(void) {
    cr_assert_eq(symlink("nothing", path), 0);
}

static void plant_second_name(void) {
    cr_assert_eq(link(precious, path), 0);
}

static void plant_pipe(void) {
    cr_assert_eq(mkfifo(path, 0666), 0);
}

static void plant_folder(void) {
    cr_assert_eq(mkdir(path, 0777), 0);
}

static void (*const plants[])(void) = {plant_link, plant_dangling_link, plant_second_name,
                                       plant_pipe, plant_folder};
enum { PLANTS = sizeof plants / sizeof *plants };

static void unplant(void) {
    cr_assert_eq(remove(path), 0);
}

static void expect_precious(void) {
    char text[20] = "";
    int descriptor = open(precious, O_RDONLY);
    cr_assert_eq(read(descriptor, text, sizeof text - 1), 8);
    close(descriptor);
    cr_expect_str_eq(text, "precious");
    cr_expect_eq(mode_of(precious), 0600);
}

/* --- New files ------------------------------------------------------------------------------- */

Test(new_file, a_name_that_anything_has_is_not_written_through) {
    put(precious, "precious", 0600);
    for (size_t i = 0; i < PLANTS; i++) {
        const lam_file_rights like = rights(0644, geteuid(), getegid());
        plants[i]();
        for (int lock = LAM_NEW_FILE_GIVE_UP; lock <= LAM_NEW_FILE_WAIT; lock++) {
            cr_expect_eq(lam_new_file(path, &like, (lam_new_file_lock)lock), -1, "plant %zu", i);
            cr_expect_eq(errno, EEXIST, "plant %zu", i);
        }
        unplant();
        expect_precious();
    }
}

Test(new_file, permissions_are_those_of_the_other_file_and_never_more_before) {
    umask(022); /* which has no say in it */
    for (mode_t mode = 0; mode <= 0777; mode++) {
        const lam_file_rights like = rights(mode, geteuid(), getegid());
        widest = 0;
        int descriptor = lam_new_file(path, &like, LAM_NEW_FILE_GIVE_UP);
        cr_assert_geq(descriptor, 0, "mode %o", mode);
        cr_expect_eq(mode_of(path), mode, "mode %o", mode);
        cr_expect_eq(widest & ~mode, 0, "mode %o: it was %o", mode, widest);
        cr_assert_eq(write(descriptor, "x", 1), 1);
        close(descriptor);
        unplant();
    }
}

/* The group of the process gets no more than all others had. */
Test(new_file, a_group_that_cannot_be_given_takes_its_permissions_along) {
    static const struct {
        mode_t given, made;
    } modes[] = {{0660, 0600}, {0640, 0600}, {0664, 0644},
                 {0644, 0644}, {0604, 0604}, {0672, 0622}};
    no_group = true;
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        const lam_file_rights like = rights(modes[i].given, geteuid(), getegid() + 1);
        int descriptor = lam_new_file(path, &like, LAM_NEW_FILE_GIVE_UP);
        cr_assert_geq(descriptor, 0);
        close(descriptor);
        cr_expect_eq(mode_of(path), modes[i].made, "%o became %o", modes[i].given, mode_of(path));
        unplant();
    }
}

Test(new_file, owner_and_group_are_kept_where_the_process_may) {
    struct stat about;
    const lam_file_rights like = rights(0640, 1234, 4321);
    if (geteuid() != 0)
        cr_skip_test("files cannot be given away");
    close(lam_new_file(path, &like, LAM_NEW_FILE_GIVE_UP));
    cr_assert_eq(stat(path, &about), 0);
    cr_expect_eq(about.st_uid, 1234);
    cr_expect_eq(about.st_gid, 4321);
    cr_expect_eq(about.st_mode & 07777, 0640);
}

#if defined(__linux__)
/*
 * A list of version 2: the user may write and one other may read, who is in the mask, and the group
 * may nothing. (acl(5); linux/posix_acl_xattr.h)
 */
static const uint8_t private_list[] = {
    2,    0, 0, 0,                        /* version */
    1,    0, 6, 0, 255,  255,  255, 255,  /* the user */
    2,    0, 4, 0, 0xEB, 0x03, 0,   0,    /* user 1003 */
    4,    0, 0, 0, 255,  255,  255, 255,  /* the group */
    0x10, 0, 4, 0, 255,  255,  255, 255,  /* the mask, which the mode shows: 0640 */
    0x20, 0, 0, 0, 255,  255,  255, 255}; /* others */

/* The group of a file that was replaced could read it, as the mask was taken for its rights. */
Test(new_file, an_access_control_list_is_kept_or_its_group_gets_nothing) {
    uint8_t made[sizeof private_list] = {0};
    lam_file_rights like;
    put(precious, "precious", 0600);
    if (setxattr(precious, "system.posix_acl_access", private_list, sizeof private_list, 0) != 0)
        cr_skip_test("no access control lists");
    for (int is_lost = 0; is_lost <= 1; is_lost++) {
        cr_assert(lam_file_rights_of(precious, -1, &like));
        cr_expect_eq(like.acl_size, sizeof private_list);
        like.acl_size = is_lost ? sizeof like.acl + 1 : like.acl_size;
        widest = 0;
        close(lam_new_file(path, &like, LAM_NEW_FILE_GIVE_UP));
        cr_expect_eq(widest & 0077, 0);
        cr_expect_eq(mode_of(path), is_lost ? 0600 : 0640);
        ssize_t size = getxattr(path, "system.posix_acl_access", made, sizeof made);
        cr_expect_eq(size, is_lost ? -1 : (ssize_t)sizeof made);
        cr_expect(is_lost || memcmp(made, private_list, sizeof made) == 0);
        unplant();
    }
}

/* The folder of a stranger gave him the right to read what was replaced in it. */
Test(new_file, a_list_that_a_folder_gives_to_its_files_is_dropped) {
    const lam_file_rights like = rights(0640, geteuid(), getegid());
    if (setxattr(folder, "system.posix_acl_default", private_list, sizeof private_list, 0) != 0)
        cr_skip_test("no access control lists");
    close(lam_new_file(path, &like, LAM_NEW_FILE_GIVE_UP));
    cr_expect_eq(mode_of(path), 0640);
    cr_expect_eq(getxattr(path, "system.posix_acl_access", NULL, 0), -1);
    unplant();
}
#endif

static int meddled;

/* A start that takes the file for a leftover: it has the lock for a while. */
static void lock_for_a_while(void) {
    static int other = -1;
    if (meddled == 0) {
        other = open(path, O_RDONLY | O_CLOEXEC);
        cr_assert_eq(syscall(SYS_flock, other, LOCK_EX | LOCK_NB), 0);
    }
    if (++meddled == 4)
        close(other);
}

static void remove_first(void) {
    if (meddled++ == 0)
        unplant();
}

Test(new_file, who_has_just_found_it_is_waited_for) {
    meddled = 0;
    before_lock = lock_for_a_while;
    int descriptor = lam_new_file(path, NULL, LAM_NEW_FILE_WAIT);
    cr_assert_geq(descriptor, 0);
    cr_expect_eq(meddled, 4);
    close(descriptor);
}

Test(new_file, a_file_that_was_taken_for_a_leftover_is_made_again) {
    struct stat named, opened;
    meddled = 0;
    before_lock = remove_first;
    int descriptor = lam_new_file(path, NULL, LAM_NEW_FILE_WAIT);
    cr_assert_geq(descriptor, 0);
    cr_expect_eq(meddled, 2);
    cr_assert_eq(stat(path, &named), 0);
    cr_assert_eq(fstat(descriptor, &opened), 0);
    cr_expect_eq(named.st_ino, opened.st_ino);
    close(descriptor);
}

/* --- Files of earlier processes -------------------------------------------------------------- */

static lam_own_file take(void) {
    int descriptor;
    uint64_t size = 0;
    lam_own_file result = lam_own_file_take(path, geteuid(), &descriptor, &size);
    cr_expect_eq(descriptor >= 0, result == LAM_OWN_FILE_TAKEN);
    if (result == LAM_OWN_FILE_TAKEN)
        cr_expect_eq(size, 4);
    if (descriptor >= 0)
        close(descriptor);
    return result;
}

Test(new_file, only_a_file_of_this_user_with_one_name_is_taken) {
    put(precious, "precious", 0600);
    for (size_t i = 0; i < PLANTS; i++) {
        plants[i]();
        cr_expect_eq(take(), LAM_OWN_FILE_FOREIGN, "plant %zu", i);
        unplant();
        expect_precious();
    }
    cr_expect_eq(take(), LAM_OWN_FILE_FAILED);
    cr_expect_eq(errno, ENOENT);
    put(path, "left", 0400);
    cr_expect_eq(take(), LAM_OWN_FILE_TAKEN);
    int other = open(path, O_RDONLY);
    cr_assert_eq(flock(other, LOCK_EX), 0);
    cr_expect_eq(take(), LAM_OWN_FILE_BUSY);
    close(other);
    cr_expect_eq(take(), LAM_OWN_FILE_TAKEN);
}

Test(new_file, a_file_of_another_user_counts_only_if_that_user_does) {
    int descriptor;
    uint64_t size;
    if (geteuid() != 0)
        cr_skip_test("files cannot be given away");
    put(path, "left", 0666);
    cr_assert_eq(chown(path, 1234, 4321), 0);
    cr_expect_eq(take(), LAM_OWN_FILE_FOREIGN);
    cr_expect_eq(lam_own_file_take(path, 1234, &descriptor, &size), LAM_OWN_FILE_TAKEN);
    close(descriptor);
}

/* Somebody puts a link there once the file is open. */
static void put_link_there(void) {
    unplant();
    plant_link();
}

Test(new_file, a_name_that_goes_elsewhere_meanwhile_is_not_taken) {
    put(precious, "precious", 0600);
    put(path, "left", 0600);
    before_lock = put_link_there;
    cr_expect_eq(take(), LAM_OWN_FILE_BUSY);
    expect_precious();
}

/* --- Names ----------------------------------------------------------------------------------- */

Test(new_file, digits_of_names_differ) {
    char one[LAM_NAME_DIGITS + 1], other[LAM_NAME_DIGITS + 1];
    lam_name_digits(one);
    lam_name_digits(other);
    cr_expect_eq(strspn(one, "0123456789abcdef"), LAM_NAME_DIGITS);
    cr_expect_str_neq(one, other);
}
