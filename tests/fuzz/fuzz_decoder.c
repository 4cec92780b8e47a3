/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every encoding of every type, from any bytes: one call and many small ones give the same values,
 * or both fail.
 *
 *     encoding (1 byte), type (1), its length (1), size of the dictionary (1), seed of the split
 *     (1), count (2), the page's value bytes
 */
#include <stdlib.h>

#include "base/error.h"
#include "encoding/encoding.h"
#include "fuzz/harness.h"

/* DELTA_BYTE_ARRAY may build any number of copies of one long string. */
enum { BUDGET = 1 << 20, OUTPUT_MAX = 1 << 20 };

typedef struct page {
    lam_encoding encoding;
    lam_value_layout layout;
    lam_bytes bytes;
    const lam_dictionary *dictionary;
    size_t count;
    uint32_t split;
} page;

/* The hash of all values; a block per piece, of the exact size. */
static lam_status decode(const page *p, bool in_pieces, uint64_t *ret_hash, lam_error *error) {
    lam_allocator allocator = lam_fuzz_allocator();
    lam_status status;
    lam_decoder decoder;
    lam_arena arena;
    uint32_t split = p->split;
    uint64_t hash = 0;
    size_t element = lam_layout_size(p->layout);
    lam_arena_init(&arena, &allocator, BUDGET);
    LAM_TRY_OUT(lam_decoder_init(&decoder, lam_kernels_get(), p->encoding, p->layout, p->bytes,
                                 p->dictionary, &arena, error));
    for (size_t left = p->count, piece; left > 0; left -= piece) {
        piece = in_pieces ? lam_fuzz_piece(&split, left) : left;
        void *values = lam_fuzz_block(piece * element);
        status = lam_decoder_read(&decoder, piece, values, error);
        if (status == LAM_STATUS_OK)
            hash = lam_fuzz_hash_values(hash, p->layout, values, piece);
        free(values);
        if (status != LAM_STATUS_OK)
            goto out;
    }
    LAM_TRY_OUT(lam_decoder_end(&decoder, error));
    *ret_hash = hash * 2 + (lam_decoder_find_rest(&decoder, NULL) == LAM_STATUS_OK);
out:
    lam_arena_finish(&arena);
    return status;
}

static void compare(const page *p) {
    lam_error error = lam_error_none();
    uint64_t whole = 0, pieces = 0;
    lam_status first = decode(p, false, &whole, &error);
    lam_fuzz_judge(first, &error, LAM_FUZZ_OF_FILE);
    lam_status second = decode(p, true, &pieces, &error);
    lam_fuzz_judge(second, &error, LAM_FUZZ_OF_FILE);
    /* What a decoder builds at once counts against the arena, so a limit depends on the split. */
    if (first == LAM_STATUS_LIMIT || second == LAM_STATUS_LIMIT)
        return;
    LAM_FUZZ_EXPECT(first == second);
    LAM_FUZZ_EXPECT(first != LAM_STATUS_OK || whole == pieces);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    lam_fuzz_input input = {data, size};
    page p = {.encoding = (lam_encoding)(lam_fuzz_number(&input, 1) % 12)};
    p.layout = lam_fuzz_layout(&input);
    lam_dictionary dictionary = {.count = (size_t)lam_fuzz_number(&input, 1)};
    p.split = (uint32_t)lam_fuzz_number(&input, 1);
    p.count = (size_t)lam_fuzz_number(&input, 2);
    size_t element = lam_layout_size(p.layout);
    if (p.count * element > OUTPUT_MAX)
        p.count = OUTPUT_MAX / element;
    uint8_t *entries = lam_fuzz_block(dictionary.count * element);
    memset(entries, 0, dictionary.count * element);
    for (size_t i = 0; i < dictionary.count; i++)
        memset(entries + i * element, p.layout.type == LAM_PHYSICAL_BYTE_ARRAY ? 0 : (int)i,
               element);
    dictionary.values = entries;
    if (dictionary.count > 0 || (p.split & 1))
        p.dictionary = &dictionary;
    uint8_t *block = lam_fuzz_rest(&input, &p.bytes);
    compare(&p);
    free(block);
    free(entries);
    lam_fuzz_expect_no_leak();
    return 0;
}
