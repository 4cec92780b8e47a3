/* Every block is expanded as libsnappy does, in rooms that end where memory cannot be touched. */
#define _DEFAULT_SOURCE
#include "codec/snappy_expand.h"

#include <criterion/criterion.h>
#include <snappy-c.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "support/random.h"

enum { ROOM = 1 << 18 };

/* ROOM bytes with unreadable memory behind them. */
static uint8_t *guarded_room(void) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    uint8_t *room =
        mmap(NULL, ROOM + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    cr_assert_neq(room, MAP_FAILED);
    cr_assert_eq(mprotect(room + ROOM, page, PROT_NONE), 0);
    return room;
}

typedef struct rooms {
    uint8_t *in, *out, *expected;
} rooms;

static rooms set_up(void) {
    rooms r = {guarded_room(), guarded_room(), guarded_room()};
    return r;
}

static void tear_down(rooms r) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    munmap(r.in, ROOM + page);
    munmap(r.out, ROOM + page);
    munmap(r.expected, ROOM + page);
}

/* Expands a block at the end of the room of inputs, and demands what libsnappy says. */
static bool expand_as_libsnappy(rooms r, size_t block_size) {
    lam_bytes block = {r.in + ROOM - block_size, block_size};
    const char *text = (const char *)block.data;
    size_t stated = 0;
    uint32_t length = 0;
    bool has_length = snappy_uncompressed_length(text, block_size, &stated) == SNAPPY_OK;
    cr_assert_eq(lam_snappy_length(&block, &length), has_length);
    if (!has_length || stated > ROOM - 1)
        return false;
    cr_assert_eq(length, stated);
    uint8_t *out = r.out + ROOM - stated;
    out[-1] = 0xEE;
    bool good = snappy_uncompress(text, block_size, (char *)r.expected, &stated) == SNAPPY_OK;
    cr_assert_eq(lam_snappy_expand(block, out, stated), good);
    cr_assert_eq(out[-1], 0xEE);
    if (good)
        cr_assert_eq(memcmp(out, r.expected, stated), 0);
    return good;
}

/* Bytes as columns have them: numbers that differ little, words, noise, runs. */
static void random_text(lam_random *random, uint8_t *text, size_t size) {
    unsigned kind = (unsigned)lam_random_below(random, 5);
    uint64_t number = lam_random_next(random);
    for (size_t i = 0; i < size; i++) {
        if (kind == 0 && i % 8 == 0)
            number += lam_random_below(random, 1000);
        if (kind == 0)
            text[i] = (uint8_t)(number >> i % 8 * 8);
        else if (kind == 1)
            text[i] = (uint8_t)("wood floor"[lam_random_below(random, 10)]);
        else if (kind == 2)
            text[i] = (uint8_t)lam_random_next(random);
        else if (i > 0 && !lam_random_chance(random, kind == 3 ? 3 : 20))
            text[i] = text[i - 1 - lam_random_below(random, i < 30 ? i : 30)];
        else
            text[i] = (uint8_t)lam_random_next(random);
    }
}

static size_t compress_to_end(rooms r, const uint8_t *text, size_t size) {
    size_t room = snappy_max_compressed_length(size);
    char *block = malloc(room);
    cr_assert_eq(snappy_compress((const char *)text, size, block, &room), SNAPPY_OK);
    memcpy(r.in + ROOM - room, block, room);
    free(block);
    return room;
}

Test(snappy_expand, what_libsnappy_compresses_comes_back) {
    rooms r = set_up();
    lam_random random = lam_random_start(lam_test_seed(41));
    uint8_t *text = malloc(ROOM);
    for (int round = 0; round < 3000; round++) {
        size_t most = lam_random_chance(&random, 70) ? 600 : 100000;
        size_t size = (size_t)lam_random_below(&random, most);
        random_text(&random, text, size);
        cr_assert(expand_as_libsnappy(r, compress_to_end(r, text, size)));
        cr_assert_eq(memcmp(r.expected, text, size), 0);
    }
    free(text);
    tear_down(r);
}

Test(snappy_expand, damaged_blocks_are_judged_as_libsnappy_does) {
    rooms r = set_up();
    lam_random random = lam_random_start(lam_test_seed(42));
    uint8_t text[2000];
    for (int round = 0; round < 20000; round++) {
        size_t size = (size_t)lam_random_below(&random, sizeof text);
        random_text(&random, text, size);
        size_t block = compress_to_end(r, text, size);
        for (size_t flips = 1 + lam_random_below(&random, 3); flips > 0; flips--)
            r.in[ROOM - 1 - lam_random_below(&random, block)] ^=
                (uint8_t)(1 + lam_random_below(&random, 255));
        expand_as_libsnappy(r, block);
        /* And cut: the front moves, so that the length is another or the block starts amid. */
        expand_as_libsnappy(r, (size_t)lam_random_below(&random, block + 1));
    }
    tear_down(r);
}

/* Elements one behind the other. */
typedef struct maker {
    uint8_t bytes[1000];
    size_t size;
} maker;

static void put(maker *m, uint64_t number, size_t size) {
    for (size_t i = 0; i < size; i++)
        m->bytes[m->size++] = (uint8_t)(number >> 8 * i);
}

static void put_copy(maker *m, unsigned kind, size_t size, size_t distance) {
    if (kind == 1) {
        put(m, distance >> 8 << 5 | (size - 4) << 2 | 1, 1);
        put(m, distance, 1);
    } else {
        put(m, (size - 1) << 2 | kind, 1);
        put(m, distance, kind == 2 ? 2 : 4);
    }
}

Test(snappy_expand, copies_of_every_kind_size_and_distance_near_the_ends_and_far) {
    rooms r = set_up();
    for (size_t behind = 0; behind <= 200; behind += 200) {
        for (unsigned kind = 1; kind <= 3; kind++) {
            for (size_t size = kind == 1 ? 4 : 1; size <= (kind == 1 ? 11 : 64); size++) {
                for (size_t distance = 0; distance <= 75; distance++) {
                    maker m = {.size = 0};
                    put(&m, (70 + size + behind) & 0x7F, 1);
                    m.bytes[0] |= 0x80;
                    put(&m, (70 + size + behind) >> 7, 1);
                    put(&m, 60 << 2, 1); /* a literal of 70 */
                    put(&m, 69, 1);
                    for (size_t i = 0; i < 70; i++)
                        put(&m, i + 1, 1);
                    put_copy(&m, kind, size, distance);
                    if (behind > 0) {
                        put(&m, 61 << 2, 1);
                        put(&m, behind - 1, 2);
                        for (size_t i = 0; i < behind; i++)
                            put(&m, i, 1);
                    }
                    memcpy(r.in + ROOM - m.size, m.bytes, m.size);
                    cr_assert_eq(expand_as_libsnappy(r, m.size), distance >= 1 && distance <= 70);
                }
            }
        }
    }
    tear_down(r);
}

Test(snappy_expand, literals_of_every_way_to_say_their_size) {
    rooms r = set_up();
    static const size_t sizes[] = {1, 4, 59, 60, 61, 64, 65, 255, 256, 257, 65535, 65536, 65537};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        for (size_t bytes = 0; bytes <= 4; bytes++) {
            size_t size = sizes[i];
            if ((bytes == 0 && size > 60) || (bytes > 0 && bytes < 4 && (size - 1) >> 8 * bytes))
                continue;
            maker m = {.size = 0};
            put(&m, (size & 0x7F) | 0x80, 1);
            put(&m, (size >> 7 & 0x7F) | 0x80, 1);
            put(&m, size >> 14, 1);
            put(&m, (bytes == 0 ? size - 1 : 59 + bytes) << 2, 1);
            put(&m, size - 1, bytes);
            uint8_t *block = r.in + ROOM - size - m.size;
            memcpy(block, m.bytes, m.size);
            for (size_t at = 0; at < size; at++)
                block[m.size + at] = (uint8_t)(at * 7);
            cr_assert(expand_as_libsnappy(r, m.size + size));
            /* With a byte less the literal is not whole. */
            memmove(block + 1, block, m.size);
            cr_assert_not(expand_as_libsnappy(r, m.size + size - 1));
        }
    }
    tear_down(r);
}
