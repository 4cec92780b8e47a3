/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes any number of random bytes, which never repeat, in this process or another, so that ids and
 * file names made from them are unique.
 *
 * It cannot fail: if the operating system refuses (a chroot without devices, a filter of system
 * calls, no file handle left), whatever differs between two calls is hashed instead. Nor does it
 * wait: soon after a machine starts, the kernel's pool may not be ready, and a log must not hang on
 * it. No state is kept, hence a forked process does not repeat its parent's bytes.
 */
#define _POSIX_C_SOURCE 200809L
#define _DEFAULT_SOURCE
#include "base/entropy.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <xxhash.h>

#if defined(__linux__) && defined(__has_include)
#if __has_include(<sys/random.h>)
#include <sys/random.h>
#endif
#endif

/* GRND_NONBLOCK is a macro of the header that declares getrandom. */
#ifdef GRND_NONBLOCK
static bool entropy_from_call(uint8_t *bytes, size_t size) {
    while (size > 0) {
        ssize_t count = getrandom(bytes, size, GRND_NONBLOCK);
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            return false;
        bytes += count;
        size -= (size_t)count;
    }
    return true;
}
#else
static bool entropy_from_call(uint8_t *bytes, size_t size) {
    (void)bytes;
    return size == 0;
}
#endif

/*
 * Reads the device; false when it is missing or gives too little. A page in a browser has no files,
 * and must not ask for any: the C library there ends a module that opens files and is given none.
 */
#ifdef __wasi__
static bool entropy_from_device(uint8_t *bytes, size_t size) {
    (void)bytes;
    return size == 0;
}
#else
static bool entropy_from_device(uint8_t *bytes, size_t size) {
    int descriptor = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
    if (descriptor < 0)
        return false;
    while (size > 0) {
        ssize_t count = read(descriptor, bytes, size);
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            break;
        bytes += count;
        size -= (size_t)count;
    }
    close(descriptor);
    return size == 0;
}
#endif

/* Of the process and its parent; a page in a browser has neither. */
static uint64_t entropy_process(void) {
#ifdef __wasi__
    return 0;
#else
    return (uint64_t)getpid() << 32 ^ (uint64_t)getppid();
#endif
}

/* Nanoseconds of a clock; 0 if it does not exist. */
static uint64_t entropy_clock(clockid_t clock) {
    struct timespec now = {0, 0};
    if (clock_gettime(clock, &now) != 0)
        return 0;
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/*
 * Processes of one moment differ in their id; calls of one process, in the counter; machines that
 * start alike, in their clocks and in the addresses that the kernel chose.
 */
void lam_entropy_guess(uint8_t *bytes, size_t size) {
    static atomic_size_t calls;
    uint64_t sources[8] = {
        (uint64_t)atomic_fetch_add(&calls, 1),
        entropy_process(),
        entropy_clock(CLOCK_REALTIME),
        entropy_clock(CLOCK_MONOTONIC),
        entropy_clock(CLOCK_PROCESS_CPUTIME_ID),
        (uint64_t)(uintptr_t)&size,  /* the stack */
        (uint64_t)(uintptr_t)&calls, /* the library */
        (uint64_t)(uintptr_t)bytes,
    };
    for (uint64_t block = 0; size > 0; block++) {
        uint64_t hash = XXH3_64bits_withSeed(sources, sizeof sources, block);
        size_t count = size < sizeof hash ? size : sizeof hash;
        memcpy(bytes, &hash, count);
        bytes += count;
        size -= count;
    }
}

void lam_entropy(uint8_t *bytes, size_t size) {
    int before = errno;
    if (!entropy_from_call(bytes, size) && !entropy_from_device(bytes, size))
        lam_entropy_guess(bytes, size);
    errno = before;
}
