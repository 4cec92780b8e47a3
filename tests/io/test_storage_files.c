/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The storage of the operating system, with the calls of the system that a test can have fail: each
 * is defined here and passes on to the kernel.
 */
#define _GNU_SOURCE
#define _FILE_OFFSET_BITS 64
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <lamella/storage.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[] = "/tmp/lamella-storage-XXXXXX";
static char path[64], other[64];
static lam_storage storage;

/* --- Calls of the system --------------------------------------------------------------------- */

/* The errnos of the next calls, 0 for the kernel's own answer; and the calls counted. */
static int sync_errno[2], copy_errno, rename_errno, lock_errno, folder_errno;
static size_t sync_calls, copy_calls, link_calls, most_copied, most_written;

static int answer(int reason) {
    errno = reason;
    return -1;
}

int fdatasync(int descriptor) {
    int reason = sync_calls < 2 ? sync_errno[sync_calls] : 0;
    sync_calls++;
    return reason != 0 ? answer(reason) : (int)syscall(SYS_fdatasync, descriptor);
}

int fsync(int descriptor) {
    return folder_errno != 0 ? answer(folder_errno) : (int)syscall(SYS_fsync, descriptor);
}

ssize_t copy_file_range(int from, off64_t *from_offset, int to, off64_t *to_offset, size_t size,
                        unsigned flags) {
    copy_calls++;
    if (most_copied > 0) {
        if (copy_calls % 2 == 0)
            return answer(EIO);
        size = size < most_copied ? size : most_copied;
    }
    return copy_errno != 0
               ? answer(copy_errno)
               : syscall(SYS_copy_file_range, from, from_offset, to, to_offset, size, flags);
}

int renameat2(int from_folder, const char *from, int to_folder, const char *to, unsigned flags) {
    return rename_errno != 0 ? answer(rename_errno)
                             : (int)syscall(SYS_renameat2, from_folder, from, to_folder, to, flags);
}

int link(const char *from, const char *to) {
    link_calls++;
    return (int)syscall(SYS_linkat, AT_FDCWD, from, AT_FDCWD, to, 0);
}

int flock(int descriptor, int operation) {
    return lock_errno != 0 ? answer(lock_errno) : (int)syscall(SYS_flock, descriptor, operation);
}

/* Writes at most `most_written` bytes, and is interrupted before each. */
ssize_t pwrite(int descriptor, const void *data, size_t size, off_t offset) {
    static bool interrupted;
    if (most_written > 0) {
        interrupted = !interrupted;
        if (interrupted)
            return answer(EINTR);
        size = size < most_written ? size : most_written;
    }
    return syscall(SYS_pwrite64, descriptor, data, size, offset);
}

/* --- Help ------------------------------------------------------------------------------------ */

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

TestSuite(storage_files, .init = make_folder, .fini = remove_folder);

static lam_storage_file create(const char *name) {
    lam_storage_file file = {0};
    lam_error error = lam_error_none();
    cr_assert_eq(storage.create(storage.state, name, &file, &error), LAM_STATUS_OK, "%s",
                 error.message);
    return file;
}

static void append(lam_storage_file *file, const char *text) {
    lam_error error = lam_error_none();
    cr_assert_eq(file->append(file->state, text, strlen(text), &error), LAM_STATUS_OK, "%s",
                 error.message);
}

static void write_file(const char *name, const char *text) {
    lam_storage_file file = create(name);
    append(&file, text);
    lam_storage_file_close(&file);
}

static void expect_content(const char *name, const char *text) {
    char bytes[256] = "";
    lam_input input;
    cr_assert_eq(storage.open_input(storage.state, name, &input, NULL), LAM_STATUS_OK);
    cr_assert_eq(input.size, strlen(text));
    cr_assert_eq(input.read_at(input.state, 0, input.size, bytes, NULL), LAM_STATUS_OK);
    cr_assert_str_eq(bytes, text);
    lam_input_close(&input);
}

static bool exists(const char *name) {
    return access(name, F_OK) == 0;
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

static void expect_open_fails(lam_error_code code, int os_error) {
    lam_storage_file file = {0};
    uint64_t size = 77;
    EXPECT_FAILURE(storage.open(storage.state, path, &file, &size, &error), code, os_error);
    cr_assert_null(file.state);
    cr_assert_eq(size, 77);
}

/* --- Files ----------------------------------------------------------------------------------- */

Test(storage_files, a_file_grows_is_cut_and_is_opened_again) {
    lam_storage_file file = create(path);
    append(&file, "one two");
    cr_assert_eq(file.truncate(file.state, 4, NULL), LAM_STATUS_OK);
    append(&file, "three");
    cr_assert_eq(file.sync(file.state, NULL), LAM_STATUS_OK);
    cr_assert_eq(file.truncate(file.state, 10, NULL), LAM_STATUS_INVALID);
    lam_storage_file_close(&file);
    lam_storage_file_close(&file);
    expect_content(path, "one three");

    uint64_t size;
    cr_assert_eq(storage.open(storage.state, path, &file, &size, NULL), LAM_STATUS_OK);
    cr_assert_eq(size, 9);
    append(&file, " four");
    lam_storage_file_close(&file);
    expect_content(path, "one three four");
}

Test(storage_files, a_new_file_has_the_permissions_of_the_mask) {
    struct stat about;
    umask(027);
    write_file(path, "");
    cr_assert_eq(stat(path, &about), 0);
    cr_assert_eq(about.st_mode & 0777, 0640);
    cr_assert_eq(storage.make_folder(storage.state, other, NULL), LAM_STATUS_OK);
    cr_assert_eq(stat(other, &about), 0);
    cr_assert_eq(about.st_mode & 0777, 0750);
}

Test(storage_files, a_name_that_exists_is_not_created) {
    lam_storage_file file = {0};
    write_file(path, "old");
    EXPECT_FAILURE(storage.create(NULL, path, &file, &error), LAM_ERROR_CODE_FILE_EXISTS, EEXIST);
    cr_assert_null(file.state);
    expect_content(path, "old");
}

Test(storage_files, what_is_missing_is_said_to_be) {
    lam_storage_file file;
    lam_input input;
    char below[80];
    snprintf(below, sizeof below, "%s/x", path);
    expect_open_fails(LAM_ERROR_CODE_FILE_MISSING, ENOENT);
    EXPECT_FAILURE(storage.open_input(NULL, path, &input, &error), LAM_ERROR_CODE_FILE_MISSING,
                   ENOENT);
    EXPECT_FAILURE(storage.create(NULL, below, &file, &error), LAM_ERROR_CODE_FILE_MISSING, ENOENT);
    EXPECT_FAILURE(storage.rename(NULL, path, other, &error), LAM_ERROR_CODE_FILE_MISSING, ENOENT);
    EXPECT_FAILURE(storage.replace(NULL, path, other, &error), LAM_ERROR_CODE_FILE_MISSING, ENOENT);
    EXPECT_FAILURE(storage.remove(NULL, path, &error), LAM_ERROR_CODE_FILE_MISSING, ENOENT);
    EXPECT_FAILURE(storage.make_folder(NULL, below, &error), LAM_ERROR_CODE_FILE_MISSING, ENOENT);
    EXPECT_FAILURE(storage.sync_folder(NULL, path, &error), LAM_ERROR_CODE_FILE_MISSING, ENOENT);
}

Test(storage_files, what_is_no_regular_file_is_not_opened) {
    cr_assert_eq(mkfifo(path, 0600), 0);
    expect_open_fails(LAM_ERROR_CODE_FILE_OPEN, ENXIO);
    cr_assert_eq(unlink(path), 0);
    cr_assert_eq(symlink("/dev/full", path), 0);
    lam_storage_file file;
    uint64_t size;
    lam_error error = lam_error_none();
    cr_assert_eq(storage.open(NULL, path, &file, &size, &error), LAM_STATUS_IO);
    cr_assert_eq(error.code, LAM_ERROR_CODE_FILE_KIND);
}

/* --- Locks ----------------------------------------------------------------------------------- */

Test(storage_files, a_file_is_open_for_writing_once) {
    lam_storage_file file = create(path);
    expect_open_fails(LAM_ERROR_CODE_FILE_BUSY, 0);
    lam_storage_file_close(&file);
    uint64_t size;
    cr_assert_eq(storage.open(NULL, path, &file, &size, NULL), LAM_STATUS_OK);
    expect_open_fails(LAM_ERROR_CODE_FILE_BUSY, 0);
    expect_content(path, "");
    lam_storage_file_close(&file);
}

Test(storage_files, the_lock_of_a_killed_process_is_gone) {
    int ready[2];
    char byte;
    cr_assert_eq(pipe(ready), 0);
    pid_t child = fork();
    if (child == 0) {
        lam_storage_file file = create(path);
        append(&file, "half");
        cr_assert_eq(write(ready[1], "x", 1), 1);
        alarm(60); /* should the test fail before its kill */
        pause();
    }
    cr_assert_eq(read(ready[0], &byte, 1), 1);
    expect_open_fails(LAM_ERROR_CODE_FILE_BUSY, 0);
    int status;
    cr_assert_eq(kill(child, SIGKILL), 0);
    cr_assert_eq(waitpid(child, &status, 0), child);
    lam_storage_file file;
    uint64_t size;
    cr_assert_eq(storage.open(NULL, path, &file, &size, NULL), LAM_STATUS_OK);
    cr_assert_eq(size, 4);
    lam_storage_file_close(&file);
}

Test(storage_files, without_locks_files_are_created_but_not_opened) {
    lock_errno = ENOLCK;
    write_file(path, "new");
    expect_open_fails(LAM_ERROR_CODE_FILE_BUSY, ENOLCK);
}

Test(storage_files, a_new_file_that_another_process_locks_first_stays_with_it) {
    lam_storage_file file;
    lock_errno = EWOULDBLOCK;
    EXPECT_FAILURE(storage.create(NULL, path, &file, &error), LAM_ERROR_CODE_FILE_BUSY, 0);
    cr_assert(exists(path));
}

/* --- Failures -------------------------------------------------------------------------------- */

Test(storage_files, short_and_interrupted_writes_go_on) {
    most_written = 3;
    write_file(path, "a text of more than three bytes");
    expect_content(path, "a text of more than three bytes");
}

Test(storage_files, an_interrupted_sync_is_repeated) {
    sync_errno[0] = EINTR;
    lam_storage_file file = create(path);
    cr_assert_eq(file.sync(file.state, NULL), LAM_STATUS_OK);
    cr_assert_eq(sync_calls, 2);
    lam_storage_file_close(&file);
}

/* The second sync would succeed, with the bytes lost: the system reports a failure once. */
Test(storage_files, after_a_failed_sync_everything_is_refused) {
    sync_errno[0] = EIO;
    lam_storage_file file = create(path);
    lam_input input = lam_input_memory("x", 1);
    append(&file, "x");
    EXPECT_FAILURE(file.sync(file.state, &error), LAM_ERROR_CODE_FILE_WRITE, EIO);
    EXPECT_FAILURE(file.sync(file.state, &error), LAM_ERROR_CODE_WRITER_FAILED, 0);
    EXPECT_FAILURE(file.append(file.state, "x", 1, &error), LAM_ERROR_CODE_WRITER_FAILED, 0);
    EXPECT_FAILURE(file.copy(file.state, &input, 0, 1, &error), LAM_ERROR_CODE_WRITER_FAILED, 0);
    EXPECT_FAILURE(file.truncate(file.state, 0, &error), LAM_ERROR_CODE_WRITER_FAILED, 0);
    cr_assert_eq(sync_calls, 1);
    lam_storage_file_close(&file);
}

Test(storage_files, a_write_that_stops_halfway_can_be_cut_off) {
    signal(SIGXFSZ, SIG_IGN);
    struct rlimit limit = {1000, 1000};
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
    char block[600];
    struct stat about;
    memset(block, 'x', sizeof block);
    lam_storage_file file = create(path);
    cr_assert_eq(file.append(file.state, block, sizeof block, NULL), LAM_STATUS_OK);
    EXPECT_FAILURE(file.append(file.state, block, sizeof block, &error), LAM_ERROR_CODE_FILE_WRITE,
                   EFBIG);
    cr_assert_eq(stat(path, &about), 0);
    cr_assert_eq(about.st_size, 1000);
    cr_assert_eq(file.truncate(file.state, 2, NULL), LAM_STATUS_OK);
    append(&file, "yz");
    lam_storage_file_close(&file);
    expect_content(path, "xxyz");
}

Test(storage_files, a_full_disk_has_a_code_of_its_own) {
    sync_errno[0] = ENOSPC; /* delayed allocation fails as late as that */
    lam_storage_file file = create(path);
    EXPECT_FAILURE(file.sync(file.state, &error), LAM_ERROR_CODE_DISK_FULL, ENOSPC);
    lam_storage_file_close(&file);
}

/* --- Copies ---------------------------------------------------------------------------------- */

static void expect_copies(void) {
    lam_input input;
    write_file(path, "0123456789");
    lam_storage_file file = create(other);
    append(&file, "<");
    cr_assert_eq(storage.open_input(NULL, path, &input, NULL), LAM_STATUS_OK);
    cr_assert_eq(file.copy(file.state, &input, 2, 5, NULL), LAM_STATUS_OK);
    cr_assert_eq(file.copy(file.state, &input, 10, 0, NULL), LAM_STATUS_OK);
    cr_assert_eq(file.copy(file.state, &input, 9, 1, NULL), LAM_STATUS_OK);
    cr_assert_eq(file.copy(file.state, &input, 9, 2, NULL), LAM_STATUS_INVALID);
    cr_assert_eq(file.copy(file.state, &input, UINT64_MAX, 2, NULL), LAM_STATUS_INVALID);
    append(&file, ">");
    lam_input_close(&input);
    lam_storage_file_close(&file);
    expect_content(other, "<234569>");
}

Test(storage_files, ranges_of_a_file_are_copied_by_the_system) {
    expect_copies();
    cr_assert_eq(copy_calls, 2);
}

Test(storage_files, where_the_system_cannot_copy_it_is_read_and_written) {
    copy_errno = EXDEV;
    expect_copies();
    cr_assert_eq(copy_calls, 2);
}

Test(storage_files, where_the_system_stops_halfway_the_rest_is_read_and_written) {
    most_copied = 2;
    expect_copies();
    cr_assert_eq(copy_calls, 3);
}

Test(storage_files, mapped_files_and_memory_are_copied) {
    lam_input input;
    write_file(path, "mapped");
    lam_storage_file file = create(other);
    cr_assert_eq(lam_input_map_file(path, NULL, &input, NULL), LAM_STATUS_OK);
    cr_assert_eq(file.copy(file.state, &input, 1, 4, NULL), LAM_STATUS_OK);
    lam_input_close(&input);
    input = lam_input_memory("memory", 6);
    cr_assert_eq(file.copy(file.state, &input, 1, 4, NULL), LAM_STATUS_OK);
    lam_storage_file_close(&file);
    expect_content(other, "appeemor");
    cr_assert_eq(copy_calls, 0);
}

Test(storage_files, an_input_that_has_become_shorter_fails_the_copy) {
    lam_input input;
    write_file(path, "0123456789");
    lam_storage_file file = create(other);
    cr_assert_eq(storage.open_input(NULL, path, &input, NULL), LAM_STATUS_OK);
    cr_assert_eq(truncate(path, 4), 0);
    EXPECT_FAILURE(file.copy(file.state, &input, 0, 10, &error), LAM_ERROR_CODE_FILE_SHORT, 0);
    lam_input_close(&input);
    cr_assert_eq(file.truncate(file.state, 3, NULL), LAM_STATUS_OK);
    lam_storage_file_close(&file);
    expect_content(other, "012");
}

/* --- Names ----------------------------------------------------------------------------------- */

static void expect_renames(void) {
    write_file(path, "new");
    cr_assert_eq(storage.rename(NULL, path, other, NULL), LAM_STATUS_OK);
    cr_assert(!exists(path));
    expect_content(other, "new");
    write_file(path, "newer");
    EXPECT_FAILURE(storage.rename(NULL, path, other, &error), LAM_ERROR_CODE_FILE_EXISTS, EEXIST);
    expect_content(path, "newer");
    expect_content(other, "new");
}

Test(storage_files, a_rename_replaces_nothing) {
    expect_renames();
}

Test(storage_files, a_rename_replaces_nothing_where_the_system_cannot_promise_it) {
    rename_errno = EINVAL;
    expect_renames();
}

/*
 * Such a rename was a link and a removal. After a crash between the two a finished file of a log
 * kept its ".part" name, too: when it was moved away, the next start made it again, and its rows
 * were there twice.
 */
Test(storage_files, a_file_never_has_two_names) {
    static const int reasons[] = {EINVAL, ENOSYS, ENOTSUP};
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++) {
        rename_errno = reasons[i];
        write_file(path, "new");
        cr_assert_eq(storage.rename(NULL, path, other, NULL), LAM_STATUS_OK);
        cr_assert_eq(link_calls, 0);
        cr_assert(!exists(path));
        cr_assert_eq(storage.remove(NULL, other, NULL), LAM_STATUS_OK);
    }
    EXPECT_FAILURE(storage.rename(NULL, path, other, &error), LAM_ERROR_CODE_FILE_MISSING, ENOENT);
}

/* A link that leads to nothing is a name as well. */
Test(storage_files, a_rename_replaces_no_link_where_the_system_cannot_promise_it) {
    rename_errno = EINVAL;
    write_file(path, "new");
    cr_assert_eq(symlink("/nowhere/at/all", other), 0);
    EXPECT_FAILURE(storage.rename(NULL, path, other, &error), LAM_ERROR_CODE_FILE_EXISTS, EEXIST);
    expect_content(path, "new");
}

Test(storage_files, a_replacement_replaces_and_a_file_stays_open_under_its_new_name) {
    write_file(other, "old");
    lam_storage_file file = create(path);
    append(&file, "ne");
    cr_assert_eq(storage.replace(NULL, path, other, NULL), LAM_STATUS_OK);
    append(&file, "w");
    lam_storage_file_close(&file);
    expect_content(other, "new");
    cr_assert(!exists(path));
}

Test(storage_files, files_and_empty_folders_are_removed) {
    char below[80];
    snprintf(below, sizeof below, "%s/x", path);
    cr_assert_eq(storage.make_folder(NULL, path, NULL), LAM_STATUS_OK);
    cr_assert_eq(storage.make_folder(NULL, path, NULL), LAM_STATUS_OK, "it exists already");
    write_file(below, "");
    EXPECT_FAILURE(storage.make_folder(NULL, below, &error), LAM_ERROR_CODE_FILE_EXISTS, EEXIST);
    EXPECT_FAILURE(storage.remove(NULL, path, &error), LAM_ERROR_CODE_FILE_WRITE, ENOTEMPTY);
    cr_assert_eq(storage.remove(NULL, below, NULL), LAM_STATUS_OK);
    cr_assert_eq(storage.remove(NULL, path, NULL), LAM_STATUS_OK);
    cr_assert(!exists(path));
}

Test(storage_files, a_folder_that_cannot_be_synced_is_an_error_unless_none_can) {
    cr_assert_eq(storage.sync_folder(NULL, folder, NULL), LAM_STATUS_OK);
    folder_errno = EINVAL;
    cr_assert_eq(storage.sync_folder(NULL, folder, NULL), LAM_STATUS_OK);
    folder_errno = EIO;
    EXPECT_FAILURE(storage.sync_folder(NULL, folder, &error), LAM_ERROR_CODE_FILE_WRITE, EIO);
}

/* --- Listing --------------------------------------------------------------------------------- */

typedef struct listing {
    size_t files, folders, bytes, fail_at;
} listing;

static lam_status count_entry(void *state, const lam_storage_entry *entry, lam_error *error) {
    listing *found = state;
    (void)error;
    cr_assert_null(strchr(entry->name, '/'));
    found->files += !entry->is_folder;
    found->folders += entry->is_folder;
    found->bytes += entry->size;
    return found->files + found->folders == found->fail_at ? LAM_STATUS_CANCELLED : LAM_STATUS_OK;
}

Test(storage_files, files_and_folders_are_listed_and_nothing_else) {
    listing found = {0};
    char name[80];
    write_file(path, "four");
    write_file(other, "five5");
    snprintf(name, sizeof name, "%s/link", folder);
    cr_assert_eq(symlink(path, name), 0);
    snprintf(name, sizeof name, "%s/pipe", folder);
    cr_assert_eq(mkfifo(name, 0600), 0);
    snprintf(name, sizeof name, "%s/below", folder);
    cr_assert_eq(storage.make_folder(NULL, name, NULL), LAM_STATUS_OK);
    cr_assert_eq(storage.list(NULL, folder, count_entry, &found, NULL), LAM_STATUS_OK);
    cr_assert_eq(found.files, 2);
    cr_assert_eq(found.folders, 1);
    cr_assert_eq(found.bytes, 9);

    listing ended = {.fail_at = 2};
    cr_assert_eq(storage.list(NULL, folder, count_entry, &ended, NULL), LAM_STATUS_CANCELLED);
    cr_assert_eq(ended.files + ended.folders, 2);
}

Test(storage_files, folders_that_cannot_be_read_are_reported) {
    listing found = {0};
    EXPECT_FAILURE(storage.list(NULL, path, count_entry, &found, &error),
                   LAM_ERROR_CODE_FILE_MISSING, ENOENT);
    write_file(path, "");
    EXPECT_FAILURE(storage.list(NULL, path, count_entry, &found, &error), LAM_ERROR_CODE_FILE_OPEN,
                   ENOTDIR);
    EXPECT_FAILURE(storage.sync_folder(NULL, path, &error), LAM_ERROR_CODE_FILE_OPEN, ENOTDIR);
    cr_assert_eq(chmod(folder, 0), 0);
    if (geteuid() == 0 && seteuid(65534) != 0) /* root reads everything */
        cr_skip_test("root cannot become another user here");
    EXPECT_FAILURE(storage.list(NULL, folder, count_entry, &found, &error),
                   LAM_ERROR_CODE_FILE_OPEN, EACCES);
    EXPECT_FAILURE(storage.sync_folder(NULL, folder, &error), LAM_ERROR_CODE_FILE_OPEN, EACCES);
    cr_assert_eq(seteuid(getuid()), 0);
    cr_assert_eq(chmod(folder, 0700), 0);
}

static lam_status remove_others(void *state, const lam_storage_entry *entry, lam_error *error) {
    (void)error;
    ++*(size_t *)state;
    for (int i = 0; i < 20; i++) {
        char name[80];
        snprintf(name, sizeof name, "%s/f%d", folder, i);
        if (strcmp(name + strlen(folder) + 1, entry->name) != 0)
            (void)unlink(name);
    }
    return LAM_STATUS_OK;
}

/* Names are read many at a time. */
Test(storage_files, files_that_vanish_while_they_are_listed_are_ignored) {
    size_t entries = 0;
    for (int i = 0; i < 20; i++) {
        char name[80];
        snprintf(name, sizeof name, "%s/f%d", folder, i);
        write_file(name, "x");
    }
    cr_assert_eq(storage.list(storage.state, folder, remove_others, &entries, NULL), LAM_STATUS_OK);
    cr_assert_eq(entries, 1);
}
