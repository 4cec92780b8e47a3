/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whose the files of the operating system's storage are, who may read them, and where links lead.
 */
#define _XOPEN_SOURCE 700
#include <criterion/criterion.h>
#include <errno.h>
#include <lamella/storage.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/lamella-rights-XXXXXX";
static char path[64], other[64];
static lam_storage storage;

static void make_folder(void) {
    cr_assert_not_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/log", folder);
    snprintf(other, sizeof other, "%s/other", folder);
    storage = lam_storage_files();
}

static void remove_folder(void) {
    char command[80];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    cr_assert_eq(system(command), 0);
}

TestSuite(storage_rights, .init = make_folder, .fini = remove_folder);

static void write_file(const char *name, const char *text) {
    lam_storage_file file;
    cr_assert_eq(storage.create(NULL, name, &file, NULL), LAM_STATUS_OK);
    cr_assert_eq(file.append(file.state, text, strlen(text), NULL), LAM_STATUS_OK);
    lam_storage_file_close(&file);
}

/* A call that must fail with a code, an errno (0: none), and the path in its message. */
#define EXPECT_FAILURE(call, expected_code, expected_errno)                                        \
    do {                                                                                           \
        lam_error error = lam_error_none();                                                        \
        cr_assert_eq((call), expected_code / 1000);                                                \
        cr_assert_eq(error.code, expected_code, "%s", error.message);                              \
        cr_assert_eq(error.os_error, expected_errno, "%s", error.message);                         \
        cr_assert_not_null(strstr(error.message, folder), "%s", error.message);                    \
    } while (0)

static mode_t mode_of(const char *name) {
    struct stat about;
    cr_assert_eq(lstat(name, &about), 0);
    return about.st_mode & 07777;
}

Test(storage_rights, a_file_has_the_permissions_of_what_it_is_made_of) {
    lam_storage_file file;
    lam_input like, mapped;
    umask(022);
    write_file(other, "secret");
    cr_assert_eq(chmod(other, 0662), 0);
    cr_assert_eq(storage.open_input(NULL, other, &like, NULL), LAM_STATUS_OK);
    cr_assert_eq(storage.create_like(NULL, path, &like, &file, NULL), LAM_STATUS_OK);
    lam_storage_file_close(&file);
    cr_expect_eq(mode_of(path), 0662);
    EXPECT_FAILURE(storage.create_like(NULL, path, &like, &file, &error),
                   LAM_ERROR_CODE_FILE_EXISTS, EEXIST);
    lam_input_close(&like);
    cr_assert_eq(unlink(path), 0);
    /* Of an input without a descriptor nobody knows who may read it. */
    cr_assert_eq(lam_input_map_file(other, NULL, &mapped, NULL), LAM_STATUS_OK);
    cr_assert_eq(storage.create_like(NULL, path, &mapped, &file, NULL), LAM_STATUS_OK);
    lam_storage_file_close(&file);
    cr_expect_eq(mode_of(path), 0600);
    lam_input_close(&mapped);
}

Test(storage_rights, leftovers_are_files_of_this_user_alone) {
    lam_storage_file file, again;
    uint64_t size;
    write_file(other, "four");
    EXPECT_FAILURE(storage.open_own(NULL, path, NULL, &file, &size, &error),
                   LAM_ERROR_CODE_FILE_MISSING, ENOENT);
    cr_assert_eq(symlink(other, path), 0);
    EXPECT_FAILURE(storage.open_own(NULL, path, NULL, &file, &size, &error),
                   LAM_ERROR_CODE_FILE_KIND, 0);
    cr_assert_eq(storage.open_own(NULL, other, NULL, &file, &size, NULL), LAM_STATUS_OK);
    cr_expect_eq(size, 4);
    EXPECT_FAILURE(storage.open_own(NULL, other, NULL, &again, &size, &error),
                   LAM_ERROR_CODE_FILE_BUSY, 0);
    lam_storage_file_close(&file);
}

Test(storage_rights, a_file_of_another_user_counts_beside_one_of_the_same) {
    lam_storage_file file;
    lam_input beside;
    uint64_t size;
    if (geteuid() != 0)
        cr_skip_test("files cannot be given away");
    write_file(path, "note");
    write_file(other, "original");
    cr_assert_eq(chown(path, 1234, 4321), 0);
    cr_assert_eq(storage.open_input(NULL, other, &beside, NULL), LAM_STATUS_OK);
    EXPECT_FAILURE(storage.open_own(NULL, path, &beside, &file, &size, &error),
                   LAM_ERROR_CODE_FILE_KIND, 0);
    cr_assert_eq(chown(other, 1234, 4321), 0);
    cr_assert_eq(storage.open_own(NULL, path, &beside, &file, &size, NULL), LAM_STATUS_OK);
    lam_storage_file_close(&file);
    lam_input_close(&beside);
}

Test(storage_rights, a_link_leads_to_its_file_and_a_folder_is_none) {
    char target[256], small[4];
    write_file(other, "four");
    cr_assert_eq(storage.resolve(NULL, other, target, sizeof target, NULL), LAM_STATUS_OK);
    cr_expect_str_eq(target, other);
    cr_assert_eq(symlink("other", path), 0);
    cr_assert_eq(storage.resolve(NULL, path, target, sizeof target, NULL), LAM_STATUS_OK);
    cr_expect_str_eq(target, other);
    cr_expect_eq(storage.resolve(NULL, path, small, sizeof small, NULL), LAM_STATUS_INVALID);
    cr_assert_eq(unlink(other), 0);
    cr_assert_eq(mkdir(other, 0777), 0);
    EXPECT_FAILURE(storage.make_folder(NULL, path, &error), LAM_ERROR_CODE_FILE_EXISTS, EEXIST);
    cr_assert_eq(storage.make_folder(NULL, other, NULL), LAM_STATUS_OK);
}
