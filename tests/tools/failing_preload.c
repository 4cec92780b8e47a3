/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Preloaded into the program by cli_memory.py: memory that fails where the test wants it to.
 *
 *     LAMELLA_FAIL_AT     the allocation that fails, counted from 1; 0 fails none
 *     LAMELLA_FAIL_FROM   if set, those behind it fail too
 *     LAMELLA_FAIL_COUNT  a file that gets the number of allocations when the program ends
 *
 * Counted are malloc, calloc, realloc and what aligns, of all libraries that the program uses, from
 * main on: what their constructors do before it is not the program's. A program that dies of it
 * says on standard error in whose code, a line for each function that is left.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *memory, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

typedef int main_function(int argc, char **argv, char **environment);
typedef int start_function(main_function *main, int argc, char **argv, void (*init)(void),
                           void (*fini)(void), void (*loader_fini)(void), void *stack_end);

static atomic_ulong allocations;
static atomic_bool counts; /* main has begun */
static unsigned long fail_at;
static bool fails_on;
static main_function *real_main;
static pid_t process;

static void tell_place(int number) {
    void *frames[64];
    signal(number, SIG_DFL);
    if (getpid() == process)
        backtrace_symbols_fd(frames, backtrace(frames, 64), STDERR_FILENO);
    raise(number);
}

static int counted_main(int argc, char **argv, char **environment) {
    const char *at = getenv("LAMELLA_FAIL_AT");
    fail_at = at == NULL ? 0 : strtoul(at, NULL, 10);
    fails_on = getenv("LAMELLA_FAIL_FROM") != NULL;
    void *frame;
    process = getpid();
    (void)backtrace(&frame, 1); /* it takes memory the first time */
    static const int deaths[] = {SIGSEGV, SIGABRT, SIGTRAP};
    static char room[65536]; /* the stack may be what is used up */
    stack_t stack = {.ss_sp = room, .ss_size = sizeof room};
    struct sigaction action = {.sa_handler = tell_place, .sa_flags = SA_ONSTACK};
    sigaltstack(&stack, NULL);
    for (size_t i = 0; i < sizeof deaths / sizeof deaths[0]; i++)
        sigaction(deaths[i], &action, NULL);
    atomic_store(&counts, true);
    return real_main(argc, argv, environment);
}

/* What a program's first instructions call to get to main. */
int __libc_start_main(main_function *main, int argc, char **argv, void (*init)(void),
                      void (*fini)(void), void (*loader_fini)(void), void *stack_end);
int __libc_start_main(main_function *main, int argc, char **argv, void (*init)(void),
                      void (*fini)(void), void (*loader_fini)(void), void *stack_end) {
    start_function *start = (start_function *)dlsym(RTLD_NEXT, "__libc_start_main");
    real_main = main;
    return start(counted_main, argc, argv, init, fini, loader_fini, stack_end);
}

static bool fails(void) {
    if (!atomic_load(&counts))
        return false;
    unsigned long number = atomic_fetch_add(&allocations, 1) + 1;
    bool failed = fail_at != 0 && (number == fail_at || (fails_on && number > fail_at));
    if (failed)
        errno = ENOMEM;
    return failed;
}

__attribute__((destructor)) static void tell_count(void) {
    const char *path = getenv("LAMELLA_FAIL_COUNT");
    char text[32];
    if (path == NULL || getpid() != process)
        return;
    int size = snprintf(text, sizeof text, "%lu\n", atomic_load(&allocations));
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (file < 0 || write(file, text, (size_t)size) != size)
        _exit(99);
    close(file);
}

void *malloc(size_t size) {
    return fails() ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
    return fails() ? NULL : __libc_calloc(count, size);
}

void *realloc(void *memory, size_t size) {
    return fails() ? NULL : __libc_realloc(memory, size);
}

void *reallocarray(void *memory, size_t count, size_t size) {
    if (size != 0 && count > SIZE_MAX / size) {
        errno = ENOMEM;
        return NULL;
    }
    return realloc(memory, count * size);
}

void *memalign(size_t alignment, size_t size) {
    return fails() ? NULL : __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
    return memalign(alignment, size);
}

int posix_memalign(void **ret_memory, size_t alignment, size_t size) {
    void *memory = memalign(alignment, size);
    if (memory == NULL)
        return ENOMEM;
    *ret_memory = memory;
    return 0;
}
