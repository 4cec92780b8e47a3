/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Preloaded into programs that log: the system call that changes files, of all threads, with which
 * something goes wrong.
 *
 *     LAMELLA_CALL_AT     the call, counted from 1; 0: none
 *     LAMELLA_CALL_STAYS  if set, those behind it fail too
 *     LAMELLA_CALL_DOES   "kill" and "kill-after" end the process before and behind it, "short"
 *                         writes half of the bytes, a number is the errno with which it fails
 *     LAMELLA_CALL_NAMES  a file that gets the name of each call that was counted, a line each
 *
 * Counted are calls about regular files and folders by a path that is not absolute, so that the
 * test's folder is meant and not what the C library or the system has. "short" counts writes alone,
 * and EINTR the calls that may give it, for the file systems that have it.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef enum call_fate {
    CALL_GOES,
    CALL_FAILS,
    CALL_KILLS,
    CALL_KILLS_AFTER,
    CALL_SHORT
} call_fate;

static atomic_ulong calls;
static _Thread_local bool inside; /* of a call that counts: the C library may call others */

static const char *variable(const char *name) {
    const char *text = getenv(name);
    return text != NULL ? text : "";
}

static void note_name(const char *name) {
    const char *path = variable("LAMELLA_CALL_NAMES");
    char line[40];
    if (*path == '\0')
        return;
    int size = snprintf(line, sizeof line, "%s\n", name);
    FILE *file = fopen(path, "ae");
    if (file == NULL || fwrite(line, 1, (size_t)size, file) != (size_t)size)
        _exit(99);
    fclose(file);
}

static void kill_process(void) {
    kill(getpid(), SIGKILL);
    for (;;)
        pause();
}

/* What becomes of a call. One that fails has errno set. */
static call_fate fate_of(const char *name, bool writes, bool may_be_interrupted) {
    const char *does = variable("LAMELLA_CALL_DOES");
    unsigned long at = strtoul(variable("LAMELLA_CALL_AT"), NULL, 10);
    bool is_short = strcmp(does, "short") == 0;
    int number = atoi(does);
    if ((is_short && !writes) || (number == EINTR && !may_be_interrupted))
        return CALL_GOES;
    inside = true;
    note_name(name);
    inside = false;
    unsigned long count = atomic_fetch_add(&calls, 1) + 1;
    if (at == 0 || count < at || (count > at && getenv("LAMELLA_CALL_STAYS") == NULL))
        return CALL_GOES;
    if (strcmp(does, "kill") == 0)
        kill_process();
    errno = number;
    return is_short ? CALL_SHORT : number > 0 ? CALL_FAILS : CALL_KILLS_AFTER;
}

static bool is_path_of_test(const char *path) {
    return !inside && path[0] != '/';
}

static bool is_file_of_test(int descriptor) {
    struct stat about;
    return !inside && descriptor > STDERR_FILENO && fstat(descriptor, &about) == 0 &&
           (S_ISREG(about.st_mode) || S_ISDIR(about.st_mode));
}

/* The C library's function of that name. */
#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

/* Calls the real function, or not. */
#define CALL(counts, name, writes, may_be_interrupted, call)                                       \
    do {                                                                                           \
        call_fate fate = (counts) ? fate_of(#name, writes, may_be_interrupted) : CALL_GOES;        \
        if (fate == CALL_FAILS)                                                                    \
            return -1;                                                                             \
        __typeof__(call) result = call;                                                            \
        if (fate == CALL_KILLS_AFTER)                                                              \
            kill_process();                                                                        \
        return result;                                                                             \
    } while (0)

ssize_t write(int descriptor, const void *data, size_t size) {
    size_t half = size > 1 ? size / 2 : size;
    call_fate fate = is_file_of_test(descriptor) ? fate_of("write", true, true) : CALL_GOES;
    if (fate == CALL_FAILS)
        return -1;
    ssize_t done = REAL(write)(descriptor, data, fate == CALL_SHORT ? half : size);
    if (fate == CALL_KILLS_AFTER)
        kill_process();
    return done;
}

ssize_t pwrite64(int descriptor, const void *data, size_t size, off64_t offset) {
    size_t half = size > 1 ? size / 2 : size;
    call_fate fate = is_file_of_test(descriptor) ? fate_of("pwrite64", true, true) : CALL_GOES;
    if (fate == CALL_FAILS)
        return -1;
    ssize_t done = REAL(pwrite64)(descriptor, data, fate == CALL_SHORT ? half : size, offset);
    if (fate == CALL_KILLS_AFTER)
        kill_process();
    return done;
}

ssize_t copy_file_range(int from, off64_t *from_at, int to, off64_t *to_at, size_t size,
                        unsigned flags) {
    size_t half = size > 1 ? size / 2 : size;
    call_fate fate = is_file_of_test(to) ? fate_of("copy_file_range", true, true) : CALL_GOES;
    if (fate == CALL_FAILS)
        return -1;
    ssize_t done =
        REAL(copy_file_range)(from, from_at, to, to_at, fate == CALL_SHORT ? half : size, flags);
    if (fate == CALL_KILLS_AFTER)
        kill_process();
    return done;
}

int open64(const char *path, int flags, ...) {
    va_list arguments;
    va_start(arguments, flags);
    mode_t mode = (flags & O_CREAT) != 0 ? va_arg(arguments, mode_t) : 0;
    va_end(arguments);
    CALL(is_path_of_test(path), openat, false, true, REAL(open64)(path, flags, mode));
}

int ftruncate64(int descriptor, off64_t size) {
    CALL(is_file_of_test(descriptor), ftruncate, false, true, REAL(ftruncate64)(descriptor, size));
}

int fsync(int descriptor) {
    CALL(is_file_of_test(descriptor), fsync, false, true, REAL(fsync)(descriptor));
}

int fdatasync(int descriptor) {
    CALL(is_file_of_test(descriptor), fdatasync, false, true, REAL(fdatasync)(descriptor));
}

int rename(const char *from, const char *to) {
    CALL(is_path_of_test(from), rename, false, false, REAL(rename)(from, to));
}

int renameat2(int from_folder, const char *from, int to_folder, const char *to, unsigned flags) {
    CALL(is_path_of_test(from), renameat2, false, false,
         REAL(renameat2)(from_folder, from, to_folder, to, flags));
}

int link(const char *from, const char *to) {
    CALL(is_path_of_test(from), link, false, false, REAL(link)(from, to));
}

int unlink(const char *path) {
    CALL(is_path_of_test(path), unlink, false, false, REAL(unlink)(path));
}

int remove(const char *path) {
    CALL(is_path_of_test(path), unlink, false, false, REAL(remove)(path));
}

int mkdir(const char *path, mode_t mode) {
    CALL(is_path_of_test(path), mkdir, false, false, REAL(mkdir)(path, mode));
}
