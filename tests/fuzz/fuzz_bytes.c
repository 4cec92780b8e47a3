/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The map of any bytes: ranges cover the file, and each other, without a byte left out or twice;
 * the outline covers it as well; a limit of memory is kept. (any_file.h)
 */
#include <lamella/byte_map.h>
#include <stdlib.h>

#include "base/utf8.h"
#include "fuzz/any_file.h"
#include "fuzz/harness.h"

enum { BYTES_LEVELS = 100, BYTES_LIMIT = 4 << 20, BYTES_RANGES_MOST = 2000000 };

typedef struct map_walk {
    uint32_t open;
    uint32_t depth; /* ranges below are not expanded; 0: all are */
    uint64_t left;  /* ranges until the visitor fails */
    unsigned sum;   /* of bytes */
    uint64_t next[BYTES_LEVELS];
    uint64_t end[BYTES_LEVELS];
} map_walk;

static void close_levels(map_walk *walk, uint32_t open) {
    for (; walk->open > open; walk->open--)
        LAM_FUZZ_EXPECT(walk->next[walk->open - 1] == walk->end[walk->open - 1]);
}

static void expect_text(const char *text) {
    size_t size = text == NULL ? 0 : strlen(text);
    LAM_FUZZ_EXPECT(lam_utf8_prefix((const uint8_t *)text, size) == size);
}

/* Reads all bytes that are at hand, so that the sanitizer sees where they end. */
static unsigned sum_of_bytes(const lam_byte_range *range) {
    unsigned sum = 0;
    for (uint64_t i = 0; range->bytes != NULL && i < range->length; i++)
        sum += range->bytes[i];
    return sum;
}

static lam_status visit(void *state, const lam_byte_range *range, bool *expand, lam_error *error) {
    map_walk *walk = state;
    uint32_t depth = range->depth;
    LAM_FUZZ_EXPECT(depth < walk->open);
    close_levels(walk, depth + 1);
    LAM_FUZZ_EXPECT(range->begin == walk->next[depth]);
    LAM_FUZZ_EXPECT(range->length <= walk->end[depth] - range->begin);
    walk->next[depth] += range->length;
    expect_text(range->label);
    expect_text(range->value);
    expect_text(range->note);
    if (walk->left-- == 0) {
        if (error != NULL)
            error->status = LAM_STATUS_STATE;
        return LAM_STATUS_STATE;
    }
    if (walk->depth != 0 && depth + 1 >= walk->depth)
        *expand = false;
    if (!*expand) {
        walk->sum += sum_of_bytes(range);
        return LAM_STATUS_OK;
    }
    LAM_FUZZ_EXPECT(range->is_expandable && walk->open < BYTES_LEVELS);
    bool is_packed = range->uncompressed_size >= 0;
    walk->next[walk->open] = is_packed ? 0 : range->begin;
    walk->end[walk->open] =
        is_packed ? (uint64_t)range->uncompressed_size : range->begin + range->length;
    walk->open++;
    return LAM_STATUS_OK;
}

static void map_bytes(const lam_fuzz_file *file, uint32_t depth) {
    lam_allocator allocator = lam_fuzz_allocator();
    lam_byte_map_options options = lam_byte_map_options_default();
    lam_error error = lam_error_none();
    lam_input input = lam_input_memory(file->bytes, file->size);
    map_walk walk = {.open = 1, .depth = depth, .left = BYTES_RANGES_MOST};
    walk.end[0] = input.size;
    options.allocator = &allocator;
    if (file->choice & LAM_FUZZ_FILE_SMALL_LIMIT)
        options.memory_limit = 10000;
    else
        options.memory_limit = BYTES_LIMIT;
    if (file->choice & LAM_FUZZ_FILE_NO_BORROW)
        input.borrow = NULL;
    lam_status status = lam_byte_map_walk(&input, &options, visit, &walk, &error);
    LAM_FUZZ_EXPECT(status == LAM_STATUS_OK || status == LAM_STATUS_STATE ||
                    status == LAM_STATUS_LIMIT);
    if (status == LAM_STATUS_OK)
        close_levels(&walk, 0);
    lam_input_close(&input);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    lam_fuzz_file file;
    lam_fuzz_file_open(&file, data, size);
    map_bytes(&file, 0);
    map_bytes(&file, 1 + file.seed % 6);
    lam_fuzz_file_close(&file);
    lam_fuzz_expect_no_leak();
    return 0;
}
