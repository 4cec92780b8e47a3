/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Preloaded into the program by cli_salvage.py and salvages.py: a disk with bad sectors.
 *
 *     LAMELLA_BAD_SECTORS  "BEGIN-END BEGIN-END ...", in order: pread of bytes from BEGIN on up to
 *                          END, which are multiples of 4096, fails with EIO, or gives the bytes
 *                          before them
 *     LAMELLA_BAD_READS    as many reads fail, and later ones do not; default: all
 *     LAMELLA_BAD_INODE    the number of the one file on it; default: all files
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

typedef ssize_t read_function(int file, void *buffer, size_t size, off_t offset);

static int is_on_disk(int file) {
    const char *inode = getenv("LAMELLA_BAD_INODE");
    struct stat status;
    return inode == NULL ||
           (fstat(file, &status) == 0 && status.st_ino == strtoull(inode, NULL, 10));
}

static int fails_again(void) {
    static int failed;
    const char *most = getenv("LAMELLA_BAD_READS");
    return most == NULL || failed++ < atoi(most);
}

/* Offsets have 64 bits, so that this is the program's pread64. */
ssize_t pread(int file, void *buffer, size_t size, off_t offset) {
    unsigned long long begin = 0, end = 0;
    int used = 0;
    const char *range = is_on_disk(file) ? getenv("LAMELLA_BAD_SECTORS") : NULL;
    read_function *next = (read_function *)(uintptr_t)dlsym(RTLD_NEXT, "pread64");
    for (; range != NULL && sscanf(range, "%llu-%llu%n", &begin, &end, &used) == 2; range += used) {
        uint64_t at = (uint64_t)offset;
        if (at >= begin && at < end && fails_again()) {
            errno = EIO;
            return -1;
        }
        if (at < begin && size > begin - at)
            size = (size_t)(begin - at);
    }
    return next(file, buffer, size, offset);
}
