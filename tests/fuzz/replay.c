/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The main() of a fuzz target in a build without libFuzzer: hands it every file below the folders
 * that are named, as it is and then changed in a few places, always in the same way; and, as they
 * are, inputs that fuzzing has found and keep_inputs.py has kept:
 *
 *     fuzz_x [--rounds N] [--inputs FILE] FOLDER...
 *
 *     FILE    | "lamfuzz1" | size | bytes | size | bytes | ... |
 *
 * A size is 4 bytes, little-endian. Inputs are in order of their sizes and then bytes.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/bytes.h"
#include "fuzz/harness.h"
#include "support/random.h"
#include "support/shared.h"

enum { CHANGED_SIZE_MAX = 64 << 10, GROWTH = 4096 };

typedef struct replay {
    unsigned rounds;
    size_t inputs;
} replay;

static lam_random dice;
static lam_bytes last; /* the file before this one, as it was */

/* What libFuzzer calls its default mutator, in small. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size) {
    static const uint8_t edges[] = {0x00, 0x01, 0x7F, 0x80, 0xFF, 0xFE, 0x10, 0x20};
    size_t at = (size_t)lam_random_below(&dice, size);
    size_t length = 1 + (size_t)lam_random_below(&dice, 8);
    switch (lam_random_below(&dice, 5)) {
    case 0:
        if (size > 0)
            data[at] ^= (uint8_t)(1u << lam_random_below(&dice, 8));
        return size;
    case 1:
        if (size > 0)
            data[at] = edges[lam_random_below(&dice, sizeof edges)];
        return size;
    case 2: /* leave out */
        if (length > size - at)
            length = size - at;
        memmove(data + at, data + at + length, size - at - length);
        return size - length;
    case 3: /* repeat */
        if (length > size - at)
            length = size - at;
        if (length > max_size - size)
            return size;
        memmove(data + at + length, data + at, size - at);
        return size + length;
    default:
        if (size > 0)
            data[at] = (uint8_t)lam_random_next(&dice);
        return size;
    }
}

/* LAM_FUZZ_LAST names a file for the input that runs, which a finding leaves behind. */
static void save_input(const uint8_t *bytes, size_t size) {
    const char *path = getenv("LAM_FUZZ_LAST");
    FILE *file = path == NULL ? NULL : fopen(path, "wb");
    if (file != NULL) {
        (void)fwrite(bytes, 1, size, file);
        fclose(file);
    }
}

static void run(const uint8_t *bytes, size_t size) {
    save_input(bytes, size);
    uint8_t *block = lam_fuzz_block(size);
    if (size > 0)
        memcpy(block, bytes, size);
    LLVMFuzzerTestOneInput(block, size);
    free(block);
}

/* Now and then by something of the file before it, which is kept in `last`. */
static size_t change(uint8_t *bytes, size_t size, size_t max_size) {
#ifdef LAM_FUZZ_MUTATOR
    if (last.data != NULL && lam_random_chance(&dice, 15)) {
        uint8_t *crossed = lam_fuzz_block(max_size);
        size_t crossed_size = LLVMFuzzerCustomCrossOver(bytes, size, last.data, last.size, crossed,
                                                        max_size, (unsigned)lam_random_next(&dice));
        if (crossed_size > 0)
            memcpy(bytes, crossed, crossed_size);
        free(crossed);
        return crossed_size > 0 ? crossed_size : size;
    }
    return LLVMFuzzerCustomMutator(bytes, size, max_size, (unsigned)lam_random_next(&dice));
#else
    return LLVMFuzzerMutate(bytes, size, max_size);
#endif
}

static void replay_file(void *state, const char *path) {
    replay *all = state;
    size_t size;
    char *text = lam_test_read_file(path, &size);
    if (text == NULL) {
        fprintf(stderr, "%s: cannot be read\n", path);
        exit(1);
    }
    run((const uint8_t *)text, size);
    all->inputs++;
    size_t max_size = size + GROWTH;
    uint8_t *changed = lam_fuzz_block(max_size);
    dice = lam_random_start(lam_test_seed(size));
    for (unsigned i = 0; i < all->rounds && size <= CHANGED_SIZE_MAX; i++) {
        memcpy(changed, text, size);
        size_t changed_size = change(changed, size, max_size);
        for (uint64_t more = lam_random_below(&dice, 3); more > 0; more--)
            changed_size = change(changed, changed_size, max_size);
        run(changed, changed_size);
        all->inputs++;
    }
    free(changed);
    free((void *)last.data);
    last = (lam_bytes){(const uint8_t *)text, size};
}

/* False for a file that is not there, or not what it should be. */
static bool replay_inputs(replay *all, const char *path) {
    static const char magic[] = "lamfuzz1";
    size_t size = 0, at = sizeof magic - 1;
    char *text = lam_test_read_file(path, &size);
    bool good = text != NULL && size >= at && memcmp(text, magic, at) == 0;
    while (good && at < size) {
        good = size - at >= 4;
        size_t length = good ? lam_load_le32((const uint8_t *)text + at) : 0;
        good = good && length <= size - at - 4;
        if (good)
            run((const uint8_t *)text + at + 4, length);
        at += 4 + length;
        all->inputs++;
    }
    if (!good)
        fprintf(stderr, "%s: no kept inputs\n", path);
    free(text);
    return good;
}

int main(int argc, char **argv) {
    replay all = {0};
    size_t files = 0;
    run(NULL, 0);
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--rounds") == 0 && i + 1 < argc) {
            all.rounds = (unsigned)atoi(argv[++i]);
            continue;
        }
        if (strcmp(argv[i], "--inputs") == 0 && i + 1 < argc) {
            if (!replay_inputs(&all, argv[++i]))
                return 1;
            files++;
            continue;
        }
        size_t found = lam_test_each_file(argv[i], replay_file, &all);
        if (found == 0)
            printf("skipped: nothing in %s\n", argv[i]);
        files += found;
    }
    free((void *)last.data);
    printf("%zu files, %zu inputs\n", files, all.inputs);
    return files > 0 ? 0 : 1;
}
