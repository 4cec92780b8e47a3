/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each call of the system fails in what storages, inputs, outputs, leftovers and spill files do. A
 * signal changes nothing; any other errno is reported as it is, unless it is about something that
 * the result does not need; and nothing stays open. The calls are defined here, and pass on to the
 * C library unless a test has them fail.
 */
#define _GNU_SOURCE
#define _FILE_OFFSET_BITS 64
#include <criterion/criterion.h>
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <lamella/storage.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "io/spill_file.h"
#include "io/system_copy.h"

/* --- Calls of the system --------------------------------------------------------------------- */

/* Which of the calls fails, from 1, and how. */
static struct {
    bool is_on;
    bool stays; /* those behind it fail, too */
    int reason; /* an errno; EINTR only of calls that wait */
    size_t fails_at, calls;
} fault;

/* Other single faults. */
static bool lacks_nameless_files, is_always_locked;
static int moves_device, moves_file; /* what names lead to */

static bool fails(bool may_wait) {
    if (!fault.is_on || (fault.reason == EINTR && !may_wait))
        return false;
    fault.calls++;
    if (fault.calls != fault.fails_at && !(fault.stays && fault.calls > fault.fails_at))
        return false;
    errno = fault.reason;
    return true;
}

/*
 * The call behind one of this file, by its name for files of any size: with _FILE_OFFSET_BITS 64 it
 * is that on 32 bits, too, where the definitions here have it by themselves.
 */
#define STAT_CALL (sizeof(time_t) > sizeof(long) ? "__fstatat64_time64" : "fstatat64")
#define NEXT_CALL(call, name) (*(void **)&(call) = dlsym(RTLD_NEXT, name))
#define FAILING_CALL(type, name, next, may_wait, failure, parameters, arguments)                   \
    type name parameters {                                                                         \
        type(*call) parameters;                                                                    \
        NEXT_CALL(call, next);                                                                     \
        return fails(may_wait) ? (failure) : call arguments;                                       \
    }

int open(const char *path, int flags, ...) {
    int (*call)(const char *, int, ...);
    va_list rest;
    va_start(rest, flags);
    mode_t mode = va_arg(rest, mode_t);
    va_end(rest);
    if (lacks_nameless_files && (flags & O_TMPFILE) == O_TMPFILE) {
        errno = EOPNOTSUPP;
        return -1;
    }
    NEXT_CALL(call, "open64");
    return fails(true) ? -1 : call(path, flags, mode);
}

/* clang-format off */
FAILING_CALL(ssize_t, pread, "pread64", true, -1,
             (int file, void *data, size_t size, off_t offset), (file, data, size, offset))
FAILING_CALL(ssize_t, pwrite, "pwrite64", true, -1,
             (int file, const void *data, size_t size, off_t offset), (file, data, size, offset))
FAILING_CALL(ssize_t, write, "write", true, -1,
             (int file, const void *data, size_t size), (file, data, size))
FAILING_CALL(ssize_t, copy_file_range, "copy_file_range", true, -1,
             (int from, off64_t *start, int to, off64_t *at, size_t size, unsigned flags),
             (from, start, to, at, size, flags))
FAILING_CALL(int, fsync, "fsync", true, -1, (int file), (file))
FAILING_CALL(int, fdatasync, "fdatasync", true, -1, (int file), (file))
FAILING_CALL(int, ftruncate, "ftruncate64", true, -1, (int file, off_t size), (file, size))
FAILING_CALL(int, rename, "rename", false, -1, (const char *from, const char *to), (from, to))
FAILING_CALL(int, renameat2, "renameat2", false, -1,
             (int from, const char *old, int to, const char *new, unsigned flags),
             (from, old, to, new, flags))
FAILING_CALL(int, mkdir, "mkdir", false, -1, (const char *path, mode_t mode), (path, mode))
FAILING_CALL(int, fstatat, STAT_CALL, false, -1,
             (int folder, const char *path, struct stat *about, int flags),
             (folder, path, about, flags))
FAILING_CALL(DIR *, opendir, "opendir", true, NULL, (const char *path), (path))
FAILING_CALL(struct dirent *, readdir, "readdir64", false, NULL, (DIR *folder), (folder))
FAILING_CALL(char *, realpath, "realpath", false, NULL, (const char *path, char *found),
             (path, found))
FAILING_CALL(void *, mmap, "mmap64", false, MAP_FAILED,
             (void *at, size_t size, int protection, int flags, int file, off_t offset),
             (at, size, protection, flags, file, offset))
/* clang-format on */

/* The descriptor is gone all the same. */
int close(int descriptor) {
    int (*call)(int);
    NEXT_CALL(call, "close");
    int result = call(descriptor);
    return fails(false) ? -1 : result;
}

int flock(int descriptor, int operation) {
    int (*call)(int, int);
    if (is_always_locked) {
        errno = EWOULDBLOCK;
        return -1;
    }
    NEXT_CALL(call, "flock");
    return fails(false) ? -1 : call(descriptor, operation);
}

static int stat_name(const char *path, struct stat *about, int flags) {
    if (fstatat(AT_FDCWD, path, about, flags) != 0)
        return -1;
    about->st_dev += (dev_t)moves_device;
    about->st_ino += (ino_t)moves_file;
    return 0;
}

int stat(const char *path, struct stat *about) {
    return stat_name(path, about, 0);
}

int lstat(const char *path, struct stat *about) {
    return stat_name(path, about, AT_SYMLINK_NOFOLLOW);
}

int fstat(int descriptor, struct stat *about) {
    return fstatat(descriptor, "", about, AT_EMPTY_PATH);
}

/* --- Help ------------------------------------------------------------------------------------ */

static char folder[] = "/tmp/lamella-calls-XXXXXX";
static lam_storage storage;

/* A path in the folder of the test. */
static const char *in_folder(const char *name) {
    static char paths[8][80];
    static unsigned next;
    char *path = paths[next++ % 8];
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

static void run_command(const char *format) {
    char command[300];
    snprintf(command, sizeof command, format, folder, folder, folder, folder);
    cr_assert_eq(system(command), 0, "%s", command);
}

static void make_folder(void) {
    cr_assert_not_null(mkdtemp(folder));
    storage = lam_storage_files();
}

static void remove_folder(void) {
    run_command("rm -rf %s");
}

TestSuite(system_calls, .init = make_folder, .fini = remove_folder);

/* The lowest descriptor that is free. */
static int free_descriptor(void) {
    int descriptor = dup(0);
    close(descriptor);
    return descriptor;
}

static void expect_content(const char *name, const char *text) {
    char bytes[200] = "";
    FILE *file = fopen(in_folder(name), "rb");
    cr_assert_not_null(file, "%s", name);
    size_t size = fread(bytes, 1, sizeof bytes - 1, file);
    fclose(file);
    cr_assert_eq(size, strlen(text), "%s has \"%s\"", name, bytes);
    cr_assert_str_eq(bytes, text);
}

/* --- What is done ---------------------------------------------------------------------------- */

static lam_status count_entry(void *state, const lam_storage_entry *entry, lam_error *error) {
    (void)entry, (void)error;
    ++*(size_t *)state;
    return LAM_STATUS_OK;
}

/* Writes a file, and goes on with it. */
static lam_status write_stored(lam_storage_file *file, lam_error *error) {
    uint64_t size;
    LAM_TRY(storage.create(storage.state, in_folder("log"), file, error));
    LAM_TRY(file->append(file->state, "one two three", 13, error));
    LAM_TRY(file->sync(file->state, error));
    LAM_TRY(file->truncate(file->state, 7, error));
    lam_storage_file_close(file);
    LAM_TRY(storage.open(storage.state, in_folder("log"), file, &size, error));
    LAM_TRY(file->append(file->state, ", three", 7, error));
    return file->sync(file->state, error);
}

static lam_status copy_stored(lam_storage_file *file, lam_error *error) {
    lam_input input;
    LAM_TRY(storage.open_input(storage.state, in_folder("log"), &input, error));
    lam_status status = storage.create(storage.state, in_folder("copy"), file, error);
    if (status == LAM_STATUS_OK)
        status = file->copy(file->state, &input, 0, input.size, error);
    lam_input_close(&input);
    return status;
}

static lam_status use_storage(lam_error *error) {
    lam_storage_file file = {0};
    size_t entries = 0;
    lam_status status = write_stored(&file, error);
    lam_storage_file_close(&file);
    LAM_TRY(status);
    status = copy_stored(&file, error);
    lam_storage_file_close(&file);
    LAM_TRY(status);
    LAM_TRY(storage.make_folder(storage.state, in_folder("sub"), error));
    LAM_TRY(storage.make_folder(storage.state, in_folder("sub"), error));
    LAM_TRY(storage.sync_folder(storage.state, folder, error));
    LAM_TRY(storage.rename(storage.state, in_folder("copy"), in_folder("moved"), error));
    LAM_TRY(storage.list(storage.state, folder, count_entry, &entries, error));
    fault.is_on = false;
    cr_assert_eq(entries, 8); /* all but the link */
    expect_content("log", "one two, three");
    expect_content("moved", "one two, three");
    fault.is_on = true;
    return storage.replace(storage.state, in_folder("moved"), in_folder("log"), error);
}

static lam_status write_output(lam_output *output, lam_error *error) {
    lam_input input;
    LAM_TRY(lam_input_open_file(in_folder("old"), NULL, &input, error));
    lam_status status = output->write(output->state, "new ", 4, error);
    if (status == LAM_STATUS_OK)
        status = lam_output_copy(output, &input, 0, input.size, error);
    lam_input_close(&input);
    return status == LAM_STATUS_OK ? output->finish(output->state, error) : status;
}

/* Replaces a file, through a link; the old one stays unless the new one is whole. */
static lam_status use_output(lam_error *error) {
    lam_output output;
    LAM_TRY(lam_output_create_file(in_folder("link"), NULL, NULL, &output, error));
    lam_status status = write_output(&output, error);
    lam_output_close(&output);
    fault.is_on = false;
    expect_content("out", status == LAM_STATUS_OK ? "new old" : "before");
    return status;
}

/* A pipe has no name to protect, and stays one: a file that could not be looked up was taken for
 * one that is missing, and a device of that name was replaced by a file. */
static lam_status use_pipe(lam_error *error) {
    lam_output output;
    struct stat about;
    fault.is_on = false;
    int reader = open(in_folder("pipe"), O_RDONLY | O_NONBLOCK);
    fault.is_on = true;
    lam_status status = lam_output_create_file(in_folder("pipe"), NULL, NULL, &output, error);
    if (status == LAM_STATUS_OK) {
        status = write_output(&output, error);
        lam_output_close(&output);
    }
    fault.is_on = false;
    close(reader);
    cr_assert_eq(lstat(in_folder("pipe"), &about), 0);
    cr_assert(S_ISFIFO(about.st_mode), "call %zu: a file is in its place", fault.fails_at);
    return status;
}

static lam_status read_input(const lam_input *input, lam_error *error) {
    char bytes[4] = "";
    LAM_TRY(input->read_at(input->state, 1, 2, bytes, error));
    cr_assert_str_eq(bytes, "ld");
    return input->read_at(input->state, 3, 0, bytes, error);
}

static lam_status use_inputs(lam_error *error) {
    lam_input input;
    LAM_TRY(lam_input_open_file(in_folder("old"), NULL, &input, error));
    lam_status status = read_input(&input, error);
    lam_input_close(&input);
    LAM_TRY(status);
    LAM_TRY(lam_input_map_file(in_folder("old"), NULL, &input, error));
    status = read_input(&input, error);
    lam_input_close(&input);
    return status;
}

static lam_status count_leftover(void *state, const lam_leftover *leftover, lam_error *error) {
    (void)error;
    *(size_t *)state += !leftover->is_written;
    return LAM_STATUS_OK;
}

/* One that cannot be opened or locked counts as being written, and stays. */
static lam_status use_leftovers(lam_error *error) {
    size_t dead = 0, removed = 0;
    LAM_TRY(lam_output_leftovers(in_folder("out"), count_leftover, &dead, error));
    LAM_TRY(lam_output_remove_leftovers(in_folder("out"), &removed, error));
    cr_assert_leq(dead, 2);
    cr_assert_leq(removed, 1);
    return LAM_STATUS_OK;
}

static lam_status use_spill(lam_error *error) {
    lam_spill_file file = {0};
    char bytes[5] = "";
    LAM_TRY(lam_spill_file_open(&file, folder, error));
    lam_status status = lam_spill_file_append(&file, "spilt", 5, error);
    if (status == LAM_STATUS_OK)
        status = lam_spill_file_read(&file, 1, bytes, 4, error);
    if (status == LAM_STATUS_OK) {
        cr_assert_str_eq(bytes, "pilt");
        status = lam_spill_file_empty(&file, error);
    }
    lam_spill_file_close(&file);
    return status;
}

static const struct {
    const char *name;
    lam_status (*use)(lam_error *error);
} uses[] = {{"storage", use_storage}, {"output", use_output},       {"pipe", use_pipe},
            {"inputs", use_inputs},   {"leftovers", use_leftovers}, {"spill", use_spill}};
enum { USES = sizeof uses / sizeof uses[0] };

/* --- The sweep ------------------------------------------------------------------------------- */

static void prepare(void) {
    run_command(
        "cd %s; rm -rf *; printf old > old; printf before > out; ln -s out link; mkfifo "
        "pipe; printf half "
        "> _out.lamella-99-00000000000000ff.tmp; printf half > "
        "_out.lamella-99-00000000000000fe.part; mkdir _out.lamella-99-00000000000000fd.tmp");
}

/* Uses once while a call fails; true when there was such a call. */
static bool use_once(size_t which, int reason, bool stays, size_t at) {
    lam_error error = lam_error_none();
    char label[100];
    snprintf(label, sizeof label, "%s, call %zu: %s", uses[which].name, at, strerror(reason));
    prepare();
    int before = free_descriptor();
    fault.fails_at = at;
    fault.calls = 0;
    fault.reason = reason;
    fault.stays = stays;
    fault.is_on = true;
    lam_status status = uses[which].use(&error);
    fault.is_on = false;
    cr_assert_eq(free_descriptor(), before, "%s: a descriptor stays open", label);
    if (reason == EINTR)
        cr_assert_eq(status, LAM_STATUS_OK, "%s: %s", label, error.message);
    if (status == LAM_STATUS_OK)
        return fault.calls >= at;
    bool is_nomem = reason == ENOMEM && status == LAM_STATUS_NOMEM;
    cr_assert(is_nomem || status == LAM_STATUS_IO, "%s: %s", label, error.message);
    /* A name that is taken is one even if nobody can tell by what. */
    if (!is_nomem && error.code != LAM_ERROR_CODE_FILE_BUSY && error.os_error != EEXIST)
        cr_assert_eq(error.os_error, reason, "%s: %s", label, error.message);
    return true;
}

static void sweep(int reason, bool stays) {
    for (size_t which = 0; which < USES; which++)
        for (size_t at = 1; use_once(which, reason, stays, at); at++)
            continue;
}

Test(system_calls, a_signal_changes_nothing) {
    sweep(EINTR, false);
}

Test(system_calls, a_call_that_fails_is_reported_unless_the_result_does_not_need_it) {
    sweep(EIO, false);
    sweep(EIO, true);
    sweep(ENOSPC, false);
    sweep(ENOTSUP, false);
    sweep(ENOSYS, true);
}

Test(system_calls, a_system_without_memory_is_none_without_files) {
    sweep(ENOMEM, false);
    sweep(ENOMEM, true);
}

/* --- Single faults --------------------------------------------------------------------------- */

Test(system_calls, where_files_have_names_a_spill_file_loses_its_own) {
    lam_error error = lam_error_none();
    prepare();
    lacks_nameless_files = true;
    cr_assert_eq(use_spill(&error), LAM_STATUS_OK, "%s", error.message);
    lacks_nameless_files = false;
    DIR *entries = opendir(folder);
    for (struct dirent *entry; (entry = readdir(entries)) != NULL;)
        cr_assert_null(strstr(entry->d_name, "spill"), "%s", entry->d_name);
    closedir(entries);
}

/* Both numbers of a file count: that of the device, and its own. */
Test(system_calls, a_name_that_leads_elsewhere_now_is_of_another_file) {
    lam_error error = lam_error_none();
    lam_storage_file file;
    size_t dead = 0, removed = 0;
    uint64_t size;
    prepare();
    for (int way = 0; way < 2; way++) {
        moves_device = way == 0;
        moves_file = way == 1;
        cr_assert_eq(storage.open(storage.state, in_folder("old"), &file, &size, &error),
                     LAM_STATUS_IO);
        cr_assert_eq(error.code, LAM_ERROR_CODE_FILE_BUSY, "%s", error.message);
        cr_assert_eq(lam_output_leftovers(in_folder("out"), count_leftover, &dead, &error),
                     LAM_STATUS_OK);
        cr_assert_eq(lam_output_remove_leftovers(in_folder("out"), &removed, &error),
                     LAM_STATUS_OK);
        moves_device = moves_file = 0;
        cr_assert_eq(dead + removed, 0);
    }
}

/* Each new file is taken for a leftover by somebody else. */
Test(system_calls, names_are_tried_for_a_while) {
    lam_error error = lam_error_none();
    lam_output output;
    prepare();
    is_always_locked = true;
    cr_assert_eq(lam_output_create_file(in_folder("new"), NULL, NULL, &output, &error),
                 LAM_STATUS_IO);
    is_always_locked = false;
    cr_assert_eq(error.os_error, EEXIST, "%s", error.message);
}

/* A descriptor of the caller's has no name that an error could begin with. */
Test(system_calls, a_descriptor_that_is_closed_takes_nothing) {
    lam_error error = lam_error_none();
    lam_output output;
    lam_input input;
    prepare();
    int closed = free_descriptor();
    cr_assert_eq(lam_output_descriptor(closed, NULL, &output, &error), LAM_STATUS_OK);
    cr_assert_eq(output.write(output.state, "x", 1, &error), LAM_STATUS_IO);
    cr_assert_eq(error.os_error, EBADF, "%s", error.message);
    cr_assert_neq(output.write(output.state, "x", 1, &error), LAM_STATUS_OK);
    cr_assert_str_eq(error.message, "an earlier write failed");
    lam_output_close(&output);
    /* Nor does a file take a copy after a failure, or one of what the input does not have. */
    cr_assert_eq(lam_input_open_file(in_folder("old"), NULL, &input, &error), LAM_STATUS_OK);
    cr_assert_eq(lam_output_create_file(in_folder("new"), NULL, NULL, &output, &error),
                 LAM_STATUS_OK);
    cr_assert_eq(lam_output_copy(&output, &input, 4, 1, &error), LAM_STATUS_INVALID);
    cr_assert_eq(lam_output_copy(&output, &input, 1, 3, &error), LAM_STATUS_INVALID);
    fault.fails_at = 1;
    fault.calls = 0;
    fault.stays = true;
    fault.reason = EIO;
    fault.is_on = true;
    cr_assert_eq(output.write(output.state, "x", 1, &error), LAM_STATUS_IO);
    fault.is_on = false;
    cr_assert_neq(lam_output_copy(&output, &input, 0, 3, &error), LAM_STATUS_OK);
    cr_assert_eq(error.code, LAM_ERROR_CODE_WRITER_FAILED, "%s", error.message);
    lam_output_close(&output);
    lam_input_close(&input);
}

Test(system_calls, leftovers_of_other_users_are_none_of_ours) {
    size_t dead = 0, removed = 0;
    prepare();
    if (chown(in_folder("_out.lamella-99-00000000000000ff.tmp"), 1, (gid_t)-1) != 0)
        cr_skip_test("files cannot be given away");
    cr_assert_eq(lam_output_leftovers(in_folder("out"), count_leftover, &dead, NULL),
                 LAM_STATUS_OK);
    cr_assert_eq(dead, 1);
    cr_assert_eq(lam_output_remove_leftovers(in_folder("out"), &removed, NULL), LAM_STATUS_OK);
    cr_assert_eq(removed, 0);
}

/* --- Paths that are too long ----------------------------------------------------------------- */

/* The folder, steps that go nowhere up to `size` bytes, and a name. */
static char *long_path(size_t size, const char *name) {
    char *path = malloc(size + strlen(name) + 2);
    cr_assert_not_null(path);
    size_t at = (size_t)sprintf(path, "%s", folder);
    while (at + 2 < size)
        at += (size_t)sprintf(path + at, "/.");
    sprintf(path + at, "%s/%s", at < size ? "/" : "", name);
    return path;
}

static void expect_too_long(const char *path) {
    lam_output output;
    lam_error error = lam_error_none();
    cr_assert_eq(lam_output_create_file(path, NULL, NULL, &output, &error), LAM_STATUS_INVALID,
                 "%zu bytes: %s", strlen(path), error.message);
    cr_assert_not_null(strstr(error.message, "the path is too long"), "%s", error.message);
}

Test(system_calls, a_path_without_room_for_a_temporary_name_is_refused) {
    size_t dead = 0;
    char *beyond = long_path(5000, "new"), *full = long_path(4080, "new"),
         *linked = long_path(4060, "dangling"), *listed = long_path(4060, "out2");
    expect_too_long(beyond);
    expect_too_long(full);
    /* A link to nothing, by a name that does not fit behind its folder. */
    char to[100];
    memset(to, 'x', sizeof to - 1);
    to[sizeof to - 1] = '\0';
    cr_assert_eq(symlink(to, in_folder("dangling")), 0);
    expect_too_long(linked);
    /* A leftover whose path is too long is none that could be reported. */
    prepare();
    run_command("cd %s; printf half > _out2.lamella-99-00000000000000ff.tmp");
    cr_assert_eq(lam_output_leftovers(listed, count_leftover, &dead, NULL), LAM_STATUS_OK);
    cr_assert_eq(dead, 0);
    cr_assert_eq(lam_output_leftovers(in_folder("out2"), count_leftover, &dead, NULL),
                 LAM_STATUS_OK);
    cr_assert_eq(dead, 1);
    free(beyond);
    free(full);
    free(linked);
    free(listed);
}

/* As many as the system follows. */
Test(system_calls, forty_links_to_nothing_are_followed_and_one_more_is_not) {
    lam_output output;
    lam_error error = lam_error_none();
    char name[20], next[20];
    for (int i = 0; i < 41; i++) {
        snprintf(name, sizeof name, "l%d", i);
        snprintf(next, sizeof next, i == 0 ? "end" : "l%d", i - 1);
        cr_assert_eq(symlink(next, in_folder(name)), 0);
    }
    cr_assert_eq(lam_output_create_file(in_folder("l39"), NULL, NULL, &output, &error),
                 LAM_STATUS_OK, "%s", error.message);
    cr_assert_eq(output.write(output.state, "x", 1, NULL), LAM_STATUS_OK);
    cr_assert_eq(output.finish(output.state, NULL), LAM_STATUS_OK);
    lam_output_close(&output);
    expect_content("end", "x");
    cr_assert_eq(unlink(in_folder("end")), 0);
    cr_assert_eq(lam_output_create_file(in_folder("l40"), NULL, NULL, &output, &error),
                 LAM_STATUS_IO);
    cr_assert_eq(error.os_error, ELOOP, "%s", error.message);
    size_t dead = 0;
    cr_assert_eq(lam_output_leftovers(in_folder("l40"), count_leftover, &dead, &error),
                 LAM_STATUS_IO);
}
