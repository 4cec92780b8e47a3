/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random ids differ from call to call and from process to process, with the operating system's help
 * or without.
 */
#define _POSIX_C_SOURCE 200809L
#include "base/entropy.h"

#include <criterion/criterion.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

typedef void fill_with(uint8_t *bytes, size_t size);

static int by_bytes(const void *a, const void *b) {
    return memcmp(a, b, 8);
}

/* All calls differ, and each bit is set in about half of them. */
static void expect_random(fill_with *fill) {
    enum { CALLS = 20000 };
    static uint8_t ids[CALLS][8];
    size_t ones[64] = {0};
    for (size_t i = 0; i < CALLS; i++) {
        fill(ids[i], sizeof ids[i]);
        for (size_t bit = 0; bit < 64; bit++)
            ones[bit] += ids[i][bit / 8] >> bit % 8 & 1;
    }
    /* A fair bit has a standard deviation of 71 here: fourteen of them. */
    for (size_t bit = 0; bit < 64; bit++)
        cr_assert(ones[bit] > CALLS / 2 - 1000 && ones[bit] < CALLS / 2 + 1000, "bit %zu: %zu", bit,
                  ones[bit]);
    qsort(ids, CALLS, sizeof ids[0], by_bytes);
    for (size_t i = 1; i < CALLS; i++)
        cr_assert_neq(memcmp(ids[i - 1], ids[i], sizeof ids[i]), 0);
}

Test(entropy, ids_are_random) {
    expect_random(lam_entropy);
}

Test(entropy, ids_are_random_without_the_operating_system) {
    expect_random(lam_entropy_guess);
}

/* Exactly `size` bytes are written, and each of them changes from call to call. */
static void expect_exact(fill_with *fill) {
    for (size_t size = 0; size <= 40; size++) {
        uint8_t bytes[50], changed[50] = {0}, first[50];
        memset(bytes, 0xA5, sizeof bytes);
        fill(bytes, size);
        memcpy(first, bytes, sizeof first);
        for (size_t i = size; i < sizeof bytes; i++)
            cr_assert_eq(bytes[i], 0xA5);
        for (int round = 0; round < 20; round++) {
            fill(bytes, size);
            for (size_t i = 0; i < size; i++)
                changed[i] |= bytes[i] != first[i];
        }
        for (size_t i = 0; i < size; i++)
            cr_assert(changed[i], "byte %zu of %zu", i, size);
    }
}

Test(entropy, any_size_is_filled_exactly) {
    expect_exact(lam_entropy);
    expect_exact(lam_entropy_guess);
}

Test(entropy, a_forked_process_has_other_ids) {
    uint8_t ours[2][16], theirs[2][16];
    int ends[2];
    cr_assert_eq(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        lam_entropy(theirs[0], 16);
        lam_entropy_guess(theirs[1], 16);
        _exit(write(ends[1], theirs, sizeof theirs) == (ssize_t)sizeof theirs ? 0 : 1);
    }
    lam_entropy(ours[0], 16);
    lam_entropy_guess(ours[1], 16);
    int status;
    cr_assert_eq(waitpid(child, &status, 0), child);
    cr_assert_eq(status, 0);
    cr_assert_eq(read(ends[0], theirs, sizeof theirs), (ssize_t)sizeof theirs);
    cr_assert_neq(memcmp(ours[0], theirs[0], 16), 0);
    cr_assert_neq(memcmp(ours[1], theirs[1], 16), 0);
}

Test(entropy, no_file_handle_is_needed_nor_left_open) {
    struct rlimit before, none;
    uint8_t a[16], b[16];
    cr_assert_eq(getrlimit(RLIMIT_NOFILE, &before), 0);
    none = before;
    none.rlim_cur = 3;
    cr_assert_eq(setrlimit(RLIMIT_NOFILE, &none), 0);
    for (int i = 0; i < 10; i++) {
        lam_entropy(a, sizeof a);
        lam_entropy(b, sizeof b);
        cr_assert_neq(memcmp(a, b, sizeof a), 0);
    }
    cr_assert_eq(setrlimit(RLIMIT_NOFILE, &before), 0);
}
