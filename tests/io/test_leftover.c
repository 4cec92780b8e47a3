/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What killed writers leave beside a file. Before, it stayed for ever, under names that said
 * nothing of whether the writer lives.
 */
#define _GNU_SOURCE
#include <criterion/criterion.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <lamella/io.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[] = "/tmp/lamella-leftover-XXXXXX";
static char path[64];

/* --- Locks that the test may meddle with ---------------------------------------------------- */

static int no_locks;              /* the errno of a file system without locks */
static void (*before_lock)(void); /* called once, before a lock is taken */

int flock(int descriptor, int operation) {
    void (*call)(void) = before_lock;
    before_lock = NULL;
    if (call != NULL)
        call();
    if (no_locks != 0) {
        errno = no_locks;
        return -1;
    }
    return (int)syscall(SYS_flock, descriptor, operation);
}

/* --- Help ----------------------------------------------------------------------------------- */

static void make_folder(void) {
    cr_assert_not_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/out", folder);
}

/* Calls for each file of the folder, and counts them. */
static size_t each_file(void (*call)(const char *name)) {
    size_t count = 0;
    DIR *entries = opendir(folder);
    for (struct dirent *entry; (entry = readdir(entries)) != NULL;) {
        char name[512];
        if (entry->d_name[0] == '.')
            continue;
        snprintf(name, sizeof name, "%s/%s", folder, entry->d_name);
        count++;
        if (call != NULL)
            call(name);
    }
    closedir(entries);
    return count;
}

static void remove_file(const char *name) {
    cr_assert_eq(unlink(name), 0);
}

static void remove_files(void) {
    each_file(remove_file);
}

static void remove_folder(void) {
    remove_files();
    rmdir(folder);
}

static void open_output(bool is_disposable, lam_output *ret_output) {
    lam_output_file_options options = lam_output_file_options_default();
    options.is_disposable = is_disposable;
    cr_assert_eq(lam_output_create_file(path, &options, NULL, ret_output, NULL), LAM_STATUS_OK);
    cr_assert_eq(ret_output->write(ret_output->state, "half", 4, NULL), LAM_STATUS_OK);
}

/* What a process leaves that is killed while it writes. */
static void leave(bool is_disposable) {
    pid_t child = fork();
    if (child == 0) {
        lam_output output;
        open_output(is_disposable, &output);
        raise(SIGKILL);
    }
    int status;
    cr_assert_eq(waitpid(child, &status, 0), child);
    cr_assert(WIFSIGNALED(status));
}

static size_t removed(void) {
    size_t count = 77;
    cr_assert_eq(lam_output_remove_leftovers(path, &count, NULL), LAM_STATUS_OK);
    return count;
}

typedef struct told {
    size_t written, disposable, all;
} told;

static lam_status report(void *state, const lam_leftover *leftover, lam_error *error) {
    told *counts = state;
    (void)error;
    cr_assert_eq(leftover->size, 4);
    const char *name = strrchr(path, '/') + 1, *found = strrchr(leftover->path, '/') + 1;
    cr_assert_eq(strncmp(leftover->path, path, (size_t)(name - path)), 0);
    cr_assert_eq(found[0], '_');
    cr_assert_eq(strncmp(found + 1, name, strlen(name)), 0);
    counts->written += leftover->is_written;
    counts->disposable += leftover->is_disposable;
    counts->all++;
    return LAM_STATUS_OK;
}

static void expect_told(size_t written, size_t disposable, size_t all) {
    told counts = {0, 0, 0};
    cr_assert_eq(lam_output_leftovers(path, report, &counts, NULL), LAM_STATUS_OK);
    cr_assert_eq(counts.written, written);
    cr_assert_eq(counts.disposable, disposable);
    cr_assert_eq(counts.all, all);
}

TestSuite(leftover, .init = make_folder, .fini = remove_folder);

/* --- Tests ---------------------------------------------------------------------------------- */

Test(leftover, only_what_is_disposable_is_removed_once_its_writer_is_dead) {
    lam_output output;
    leave(true);
    leave(false);
    open_output(true, &output);
    expect_told(1, 2, 3);
    cr_assert_eq(removed(), 1);
    expect_told(1, 1, 2);
    lam_output_close(&output);
    expect_told(0, 0, 1);
    cr_assert_eq(removed(), 0);
    cr_assert_eq(each_file(NULL), 1);
}

Test(leftover, two_writers_of_one_path_stay_whole) {
    lam_output one, two;
    open_output(true, &one);
    open_output(true, &two);
    cr_assert_eq(removed(), 0);
    cr_assert_str_neq(lam_output_temporary_path(&one), lam_output_temporary_path(&two));
    cr_assert_eq(one.finish(one.state, NULL), LAM_STATUS_OK);
    cr_assert_eq(two.finish(two.state, NULL), LAM_STATUS_OK);
    cr_assert_null(lam_output_temporary_path(&one));
    lam_output_close(&one);
    lam_output_close(&two);
    cr_assert_eq(each_file(NULL), 1);
}

Test(leftover, outputs_of_other_kinds_have_no_temporary_name) {
    lam_output output;
    cr_assert_eq(lam_output_memory(NULL, &output, NULL), LAM_STATUS_OK);
    cr_assert_null(lam_output_temporary_path(&output));
    lam_output_close(&output);
    cr_assert_eq(lam_output_descriptor(1, NULL, &output, NULL), LAM_STATUS_OK);
    cr_assert_null(lam_output_temporary_path(&output));
    lam_output_close(&output);
    cr_assert_eq(lam_output_create_file("/dev/null", NULL, NULL, &output, NULL), LAM_STATUS_OK);
    cr_assert_null(lam_output_temporary_path(&output));
    lam_output_close(&output);
}

Test(leftover, where_there_are_no_locks_nothing_is_known_to_be_one) {
    static const int causes[] = {ENOLCK, EOPNOTSUPP, ENOSYS, EINVAL};
    leave(true);
    for (size_t i = 0; i < sizeof causes / sizeof causes[0]; i++) {
        lam_output output;
        no_locks = causes[i];
        expect_told(1, 1, 1);
        cr_assert_eq(removed(), 0);
        open_output(true, &output);
        cr_assert_eq(output.finish(output.state, NULL), LAM_STATUS_OK);
        lam_output_close(&output);
        cr_assert_eq(each_file(NULL), 2);
    }
}

Test(leftover, a_writer_whose_new_file_is_removed_before_its_lock_makes_another) {
    lam_output output;
    before_lock = remove_files;
    open_output(true, &output);
    cr_assert_eq(access(lam_output_temporary_path(&output), F_OK), 0);
    cr_assert_eq(output.finish(output.state, NULL), LAM_STATUS_OK);
    lam_output_close(&output);
    cr_assert_eq(each_file(NULL), 1);
}

static int other_lock;

static void lock_file(const char *name) {
    other_lock = open(name, O_RDONLY | O_CLOEXEC);
    cr_assert_eq(flock(other_lock, LOCK_EX | LOCK_NB), 0);
}

static void lock_files(void) {
    each_file(lock_file);
}

Test(leftover, a_writer_whose_new_file_is_locked_by_others_makes_another) {
    lam_output output;
    before_lock = lock_files;
    open_output(true, &output);
    close(other_lock);
    cr_assert_eq(each_file(NULL), 1);
    expect_told(1, 1, 1);
    lam_output_close(&output);
    cr_assert_eq(each_file(NULL), 0);
}

static char moved_from[512];

static void move_file(const char *name) {
    snprintf(moved_from, sizeof moved_from, "%s", name);
    cr_assert_eq(rename(name, path), 0);
    int other = open(name, O_WRONLY | O_CREAT | O_EXCL, 0666);
    cr_assert_geq(other, 0);
    close(other);
}

static void move_files(void) {
    each_file(move_file);
}

Test(leftover, a_name_that_has_gone_to_another_file_is_not_removed) {
    leave(true);
    before_lock = move_files;
    cr_assert_eq(removed(), 0);
    cr_assert_eq(access(moved_from, F_OK), 0);
    cr_assert_eq(access(path, F_OK), 0);
}

static bool removes_before_rename;

int rename(const char *from, const char *to) {
    if (removes_before_rename)
        cr_assert_eq(removed(), 0);
    return (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
}

/* The file must be locked until it has its name, though it is closed before, for its errors. */
Test(leftover, a_file_that_is_about_to_get_its_name_is_not_removed) {
    lam_output output;
    open_output(true, &output);
    removes_before_rename = true;
    cr_assert_eq(output.finish(output.state, NULL), LAM_STATUS_OK);
    lam_output_close(&output);
    cr_assert_eq(access(path, F_OK), 0);
}

Test(leftover, names_that_leave_no_room_are_cut_at_a_character) {
    char name[256], long_path[512];
    struct stat about;
    for (size_t size = 200; size <= 255; size++) {
        lam_output output;
        for (size_t i = 0; i < size; i++) /* two bytes each, from the first or the second on */
            name[i] = (i + size) % 2 == 0 ? '\xC3' : '\xA4';
        name[0] = 'x';
        name[size] = '\0';
        snprintf(long_path, sizeof long_path, "%s/%s", folder, name);
        cr_assert_eq(lam_output_create_file(long_path, NULL, NULL, &output, NULL), LAM_STATUS_OK);
        const char *temporary = strrchr(lam_output_temporary_path(&output), '/') + 1;
        size_t kept = (size_t)(strstr(temporary, ".lamella-") - temporary) - 1;
        cr_assert_eq(temporary[0], '_');
        cr_assert(kept == size || temporary[kept] == '~');
        cr_assert(kept == size || ((unsigned char)name[kept - 1] & 0xC0) != 0x80);
        cr_assert_leq(strlen(temporary), 255);
        cr_assert_eq(output.finish(output.state, NULL), LAM_STATUS_OK);
        lam_output_close(&output);
        cr_assert_eq(stat(long_path, &about), 0);
        cr_assert_eq(unlink(long_path), 0);
    }
}

/* A name that is cut has "~" behind it, and what has none is of another file. Bytes that begin no
 * character leave nothing of a name. */
Test(leftover, names_that_are_cut_are_found_again) {
    for (int way = 0; way < 2; way++) {
        char name[256], long_path[512], other[600];
        size_t count = 77;
        lam_output output;
        memset(name, way == 0 ? 'x' : '\x84', 255);
        name[255] = '\0';
        snprintf(long_path, sizeof long_path, "%s/%s", folder, name);
        cr_assert_eq(lam_output_create_file(long_path, NULL, NULL, &output, NULL), LAM_STATUS_OK);
        const char *temporary = strrchr(lam_output_temporary_path(&output), '/') + 1;
        size_t kept = (size_t)(strchr(temporary, '~') - temporary) - 1;
        cr_assert(way == 0 ? kept > 200 : kept == 0);
        static const char *const ends[] = {"", "~", "~.lamella-x",
                                           "y.lamella-1-0123456789abcdef.tmp",
                                           "~.lamella-1-0123456789abcdef.tmp"};
        for (size_t i = 0; i < 10; i++) { /* names of earlier builds have no mark */
            snprintf(other, sizeof other, "%s/%s%.*s%s", folder, i < 5 ? "_" : "", (int)kept, name,
                     ends[i % 5]);
            FILE *file = fopen(other, "wb");
            cr_assert(file != NULL || (kept == 0 && i % 5 == 0), "%s", other);
            if (file != NULL)
                fclose(file);
        }
        cr_assert_eq(lam_output_remove_leftovers(long_path, &count, NULL), LAM_STATUS_OK);
        cr_assert_eq(count, 2);
        lam_output_close(&output);
        remove_files();
    }
}

static lam_status refuse(void *state, const lam_leftover *leftover, lam_error *error) {
    ++*(size_t *)state;
    (void)leftover;
    (void)error;
    return LAM_STATUS_STATE;
}

Test(leftover, a_failure_of_the_caller_ends_the_list) {
    size_t calls = 0;
    leave(true);
    leave(true);
    cr_assert_eq(lam_output_leftovers(path, refuse, &calls, NULL), LAM_STATUS_STATE);
    cr_assert_eq(calls, 1);
}

Test(leftover, a_folder_that_is_not_there_is_an_error) {
    size_t count = 77;
    lam_error error = lam_error_none();
    cr_assert_eq(lam_output_remove_leftovers("/nonexistent/x", &count, &error), LAM_STATUS_IO);
    cr_assert_eq(count, 77);
    cr_assert_str_eq(error.message,
                     "/nonexistent/x: cannot list the folder: No such file or directory");
}

Test(leftover, options_of_another_size_are_refused) {
    lam_output output = {0};
    lam_output_file_options options = lam_output_file_options_default();
    options.struct_size--;
    cr_assert_eq(lam_output_create_file(path, &options, NULL, &output, NULL), LAM_STATUS_INVALID);
    cr_assert_null(output.state);
}
