/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hybrid runs and BIT_PACKED levels: any split of the calls, peeking and skipping give the same.
 *
 *     bit width (1 byte), kind (1), seed of the split (1), count (2), the runs
 */
#include <stdlib.h>

#include "base/error.h"
#include "encoding/bit_packed.h"
#include "encoding/rle.h"
#include "fuzz/harness.h"

enum { KIND_INDEXES, KIND_LEVELS, KIND_BIT_PACKED, KINDS };

typedef struct stream {
    unsigned width;
    bool levels;
    size_t count;
    uint32_t split;
} stream;

static lam_status read_values(lam_rle_decoder *decoder, const stream *s, size_t count,
                              uint32_t *values, lam_error *error) {
    if (!s->levels)
        return lam_rle_read_indexes(decoder, count, values, error);
    uint8_t *levels = lam_fuzz_block(count);
    lam_status status = lam_rle_read_levels(decoder, count, levels, error);
    for (size_t i = 0; i < count && status == LAM_STATUS_OK; i++)
        values[i] = levels[i];
    free(levels);
    return status;
}

/* Reads, peeks or skips piece by piece, and compares with what one call gave. */
static lam_status read_pieces(lam_rle_decoder decoder, const stream *s, const uint32_t *expected,
                              lam_error *error) {
    uint32_t split = s->split;
    for (size_t at = 0; at < s->count;) {
        size_t piece = lam_fuzz_piece(&split, s->count - at), length;
        if (split >> 7 & 1) {
            LAM_TRY(lam_rle_skip(&decoder, piece, error));
            at += piece;
            continue;
        }
        uint32_t value;
        bool packed;
        if (piece > 0) {
            LAM_TRY(lam_rle_peek_run(&decoder, piece, &length, &value, &packed, error));
            LAM_FUZZ_EXPECT(length > 0 && length <= piece);
            for (size_t i = 0; i < length && !packed && expected != NULL; i++)
                LAM_FUZZ_EXPECT(expected[at + i] == value);
        }
        uint32_t *values = lam_fuzz_block(piece * sizeof *values);
        lam_status status = read_values(&decoder, s, piece, values, error);
        bool same = status != LAM_STATUS_OK || expected == NULL || piece == 0 ||
                    memcmp(values, expected + at, piece * sizeof *values) == 0;
        free(values);
        LAM_FUZZ_EXPECT(same);
        LAM_TRY(status);
        at += piece;
    }
    return LAM_STATUS_OK;
}

/* What was read is written, and is the same when it is read again. */
static void write_again(const stream *s, const uint32_t *values) {
    lam_allocator allocator = lam_fuzz_allocator();
    lam_buffer out;
    lam_rle_encoder encoder;
    lam_rle_decoder decoder;
    lam_buffer_init(&out, &allocator);
    lam_rle_encoder_init(&encoder, lam_kernels_get(), s->width, &out);
    LAM_FUZZ_OK(lam_rle_write_indexes(&encoder, values, s->count, &fault));
    LAM_FUZZ_OK(lam_rle_encoder_flush(&encoder, &fault));
    LAM_FUZZ_OK(lam_rle_decoder_init(&decoder, lam_kernels_get(), lam_buffer_bytes(&out), s->width,
                                     &fault));
    LAM_FUZZ_OK(read_pieces(decoder, s, values, &fault));
    lam_buffer_finish(&out);
}

static void read_runs(lam_bytes bytes, const stream *s) {
    lam_error error = lam_error_none();
    lam_rle_decoder decoder;
    if (!lam_fuzz_judge(lam_rle_decoder_init(&decoder, lam_kernels_get(), bytes, s->width, &error),
                        &error, LAM_FUZZ_OF_FILE))
        return;
    lam_rle_decoder start = decoder;
    uint32_t *values = lam_fuzz_block(s->count * sizeof *values);
    if (lam_fuzz_judge(read_values(&decoder, s, s->count, values, &error), &error,
                       LAM_FUZZ_OF_FILE)) {
        for (size_t i = 0; i < s->count && s->width < 32; i++)
            LAM_FUZZ_EXPECT(values[i] >> s->width == 0);
        LAM_FUZZ_OK(read_pieces(start, s, values, &fault));
        write_again(s, values);
    } else {
        lam_fuzz_judge(read_pieces(start, s, NULL, &error), &error, LAM_FUZZ_OF_FILE);
    }
    free(values);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    lam_fuzz_input input = {data, size};
    stream s = {.width = (unsigned)lam_fuzz_number(&input, 1) % 40};
    unsigned kind = (unsigned)lam_fuzz_number(&input, 1) % KINDS;
    s.split = (uint32_t)lam_fuzz_number(&input, 1);
    s.count = (size_t)lam_fuzz_number(&input, 2);
    s.levels = kind != KIND_INDEXES;
    if (s.levels)
        s.width %= 9;
    lam_bytes bytes;
    uint8_t *block = lam_fuzz_rest(&input, &bytes);
    if (kind == KIND_BIT_PACKED) {
        lam_allocator allocator = lam_fuzz_allocator();
        lam_buffer runs;
        lam_buffer_init(&runs, &allocator);
        size_t needed = (size_t)lam_bit_packed_size((uint32_t)s.count, s.width);
        if (bytes.size >= needed) {
            bytes.size = needed;
            LAM_FUZZ_OK(lam_bit_packed_to_runs(lam_kernels_get(), bytes, (uint32_t)s.count, s.width,
                                               &runs, &fault));
            read_runs(lam_buffer_bytes(&runs), &s);
        }
        lam_buffer_finish(&runs);
    } else {
        read_runs(bytes, &s);
    }
    free(block);
    lam_fuzz_expect_no_leak();
    return 0;
}
