/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inputs and outputs of kernels that end where unreadable memory begins, bit-by-bit packing, and
 * the driver that holds every version of a kernel against a naive one.
 */
#ifndef LAM_TESTS_KERNEL_ROOMS_H
#define LAM_TESTS_KERNEL_ROOMS_H

#include <criterion/criterion.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "kernel/kernel.h"
#include "support/random.h"

enum { ROOM = 1 << 17, MOST = 2000 };

/* ROOM bytes with unreadable memory behind them. */
static inline uint8_t *guarded_room(void) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    uint8_t *room =
        mmap(NULL, ROOM + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    cr_assert_neq(room, MAP_FAILED);
    cr_assert_eq(mprotect(room + ROOM, page, PROT_NONE), 0);
    return room;
}

typedef struct rooms {
    uint8_t *in, *out, *expected;
    lam_random random;
    uint64_t seed;
} rooms;

static inline rooms set_up(uint64_t seed) {
    rooms r = {guarded_room(), guarded_room(), guarded_room(), {0}, lam_test_seed(seed)};
    r.random = lam_random_start(r.seed);
    return r;
}

static inline void tear_down(rooms r) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    munmap(r.in, ROOM + page);
    munmap(r.out, ROOM + page);
    munmap(r.expected, ROOM + page);
}

/* The last `size` bytes before the guard. */
static inline void *last(uint8_t *room, size_t size) {
    return room + ROOM - size;
}

static inline uint8_t *random_bytes(rooms *r, size_t size) {
    uint8_t *bytes = last(r->in, size);
    for (size_t i = 0; i < size; i++)
        bytes[i] = (uint8_t)lam_random_next(&r->random);
    return bytes;
}

/* Small counts are tried more often: they are all edges. */
static inline size_t random_count(rooms *r) {
    size_t most = lam_random_chance(&r->random, 60) ? 100 : MOST;
    return (size_t)lam_random_below(&r->random, most + 1);
}

/* One byte before the output must stay as it is, too. */
static inline uint8_t *fresh_output(rooms *r, size_t size) {
    memset(last(r->out, size + 1), 0xEE, size + 1);
    return last(r->out, size);
}

static inline void expect_output(rooms *r, const uint8_t *expected, size_t size, const char *name,
                                 unsigned width, size_t count) {
    const uint8_t *out = last(r->out, size);
    cr_assert_eq(out[-1], 0xEE, "%s writes in front of its output", name);
    cr_assert(size == 0 || memcmp(out, expected, size) == 0,
              "%s differs: width %u, count %zu, seed %llu", name, width, count,
              (unsigned long long)r->seed);
}

/* --- Every version against a naive one ------------------------------------------------------- */

/* One round: what a version gets, and how many bytes it must write. */
typedef struct kernel_round {
    rooms *r;
    unsigned width; /* of a value: bits or bytes, as the kernel takes it */
    size_t count;
    const uint8_t *in;
    uint8_t *expected;
    size_t size; /* of the output */
} kernel_round;

/* Lets the naive kernel write `size` bytes, which are cleared. */
static inline void expect_bytes_of(kernel_round *k, size_t size) {
    k->size = size;
    k->expected = last(k->r->expected, size);
    memset(k->expected, 0, size);
}

/*
 * The test of a kernel: draws rounds with `draw`, which also writes what is expected, and compares
 * what each version makes of them by the call that follows: of `kernels`, for `k`, into `out`.
 */
#define EVERY_VERSION(suite_name, test_name, first_seed, rounds, draw, call)                       \
    Test(suite_name, test_name) {                                                                  \
        rooms r = set_up(first_seed);                                                              \
        for (int round = 0; round < (rounds); round++) {                                           \
            kernel_round k = {.r = &r, .count = random_count(&r)};                                 \
            draw(&k);                                                                              \
            for (size_t v = 0; lam_kernels_version(v) != NULL; v++) {                              \
                const lam_kernels *kernels = lam_kernels_version(v);                               \
                void *out = fresh_output(&r, k.size);                                              \
                kernels->call;                                                                     \
                expect_output(&r, k.expected, k.size, kernels->name, k.width, k.count);            \
            }                                                                                      \
        }                                                                                          \
        tear_down(r);                                                                              \
    }

static inline uint64_t naive_value(const uint8_t *packed, unsigned width, size_t at) {
    uint64_t value = 0;
    for (unsigned i = 0; i < width; i++) {
        size_t bit = at * width + i;
        value |= (uint64_t)(packed[bit / 8] >> bit % 8 & 1) << i;
    }
    return value;
}

static inline void naive_put(uint8_t *packed, unsigned width, size_t at, uint64_t value) {
    for (unsigned i = 0; i < width; i++) {
        size_t bit = at * width + i;
        packed[bit / 8] |= (uint8_t)((value >> i & 1) << bit % 8);
    }
}

#endif
