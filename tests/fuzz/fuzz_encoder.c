/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every encoding that is written, with any values: the split of the calls does not show, and the
 * values come back bit for bit.
 *
 *     encoding (1 byte), type (1), its length (1), seed of the split (1), values: as they lie in
 *     memory, or strings with a byte of length in front
 */
#include <stdlib.h>

#include "base/error.h"
#include "encoding/encoder.h"
#include "encoding/encoding.h"
#include "fuzz/harness.h"

enum { COUNT_MAX = 20000 };

typedef struct trial {
    lam_encoding encoding;
    lam_value_layout layout;
    const uint8_t *values;
    size_t count;
} trial;

/* Takes what is there for values; free() them. */
static uint8_t *take_values(lam_fuzz_input *input, trial *t) {
    size_t element = lam_layout_size(t->layout);
    if (t->layout.type != LAM_PHYSICAL_BYTE_ARRAY) {
        t->count = input->left / element < COUNT_MAX ? input->left / element : COUNT_MAX;
        uint8_t *values = lam_fuzz_block(t->count * element);
        if (t->count > 0)
            memcpy(values, input->next, t->count * element);
        for (size_t i = 0; i < t->count && t->layout.type == LAM_PHYSICAL_BOOLEAN; i++)
            values[i] &= 1;
        return values;
    }
    lam_bytes *strings = lam_fuzz_block(COUNT_MAX * sizeof *strings);
    for (t->count = 0; t->count < COUNT_MAX && input->left > 0; t->count++) {
        size_t size = (size_t)lam_fuzz_number(input, 1);
        lam_bytes string = {input->next, size < input->left ? size : input->left};
        input->next += string.size;
        input->left -= string.size;
        strings[t->count] = string;
    }
    return (uint8_t *)strings;
}

static void encode(const trial *t, uint32_t *split, lam_buffer *out) {
    lam_allocator allocator = lam_fuzz_allocator();
    lam_encoder encoder;
    LAM_FUZZ_OK(
        lam_encoder_init(&encoder, lam_kernels_get(), t->encoding, t->layout, &allocator, &fault));
    for (size_t at = 0, piece; at < t->count; at += piece) {
        piece = split == NULL ? t->count - at : lam_fuzz_piece(split, t->count - at);
        const uint8_t *from = t->values + at * lam_layout_size(t->layout);
        LAM_FUZZ_OK(lam_encoder_write(&encoder, from, piece, &fault));
    }
    LAM_FUZZ_OK(lam_encoder_end_page(&encoder, out, &fault));
    lam_encoder_finish(&encoder);
}

static void decode(const trial *t, const lam_buffer *encoded) {
    lam_allocator allocator = lam_fuzz_allocator();
    lam_arena arena;
    lam_decoder decoder;
    lam_fuzz_input copy = {encoded->data, encoded->size};
    lam_bytes bytes;
    uint8_t *block = lam_fuzz_rest(&copy, &bytes);
    void *values = lam_fuzz_block(t->count * lam_layout_size(t->layout));
    lam_arena_init(&arena, &allocator, 0);
    LAM_FUZZ_OK(lam_decoder_init(&decoder, lam_kernels_get(), t->encoding, t->layout, bytes, NULL,
                                 &arena, &fault));
    LAM_FUZZ_OK(lam_decoder_read(&decoder, t->count, values, &fault));
    LAM_FUZZ_OK(lam_decoder_find_rest(&decoder, &fault));
    LAM_FUZZ_EXPECT(lam_fuzz_values_equal(t->layout, values, t->values, t->count));
    lam_arena_finish(&arena);
    free(values);
    free(block);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const lam_encoding written[] = {
        LAM_ENCODING_PLAIN,
        LAM_ENCODING_RLE,
        LAM_ENCODING_DELTA_BINARY_PACKED,
        LAM_ENCODING_DELTA_LENGTH_BYTE_ARRAY,
        LAM_ENCODING_DELTA_BYTE_ARRAY,
        LAM_ENCODING_BYTE_STREAM_SPLIT,
        LAM_ENCODING_ALP,
    };
    lam_fuzz_input input = {data, size};
    trial t = {.encoding = written[lam_fuzz_number(&input, 1) % 7]};
    t.layout = lam_fuzz_layout(&input);
    uint32_t split = (uint32_t)lam_fuzz_number(&input, 1);
    if (!lam_encoding_takes(t.encoding, t.layout.type))
        return -1; /* not worth a place in the corpus */
    uint8_t *values = take_values(&input, &t);
    t.values = values;
    lam_allocator allocator = lam_fuzz_allocator();
    lam_buffer whole, pieces;
    lam_buffer_init(&whole, &allocator);
    lam_buffer_init(&pieces, &allocator);
    encode(&t, NULL, &whole);
    encode(&t, &split, &pieces);
    LAM_FUZZ_EXPECT(whole.size == pieces.size);
    LAM_FUZZ_EXPECT(whole.size == 0 || memcmp(whole.data, pieces.data, whole.size) == 0);
    decode(&t, &whole);
    lam_buffer_finish(&whole);
    lam_buffer_finish(&pieces);
    free(values);
    lam_fuzz_expect_no_leak();
    return 0;
}
