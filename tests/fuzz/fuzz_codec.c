/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every codec: decompresses any bytes into a block of the stated size, and compresses any bytes and
 * gets them back.
 *
 *     codec (1 byte, highest bit: compress), size (3), the bytes
 */
#include <stdlib.h>

#include "codec/codec.h"
#include "fuzz/harness.h"

enum { SIZE_MAX_STATED = 1 << 20 };

static void decompress(lam_codec_context *codecs, lam_codec codec, lam_bytes in, size_t size) {
    lam_error error = lam_error_none();
    uint8_t *out = lam_fuzz_block(size);
    lam_status status = lam_codec_decompress(codecs, codec, in, out, size, &error);
    if (lam_fuzz_judge(status, &error, LAM_FUZZ_OF_FILE)) {
        volatile uint64_t sum = lam_fuzz_hash(0, out, size); /* every byte was written */
        (void)sum;
    }
    free(out);
}

static void round_trip(lam_codec_context *codecs, lam_codec codec, lam_bytes in) {
    lam_allocator allocator = lam_fuzz_allocator();
    lam_buffer out;
    lam_buffer_init(&out, &allocator);
    if (lam_codec_check_write(codec, 0, NULL) == LAM_STATUS_OK) {
        LAM_FUZZ_OK(lam_codec_compress(codecs, codec, 0, in, &out, &fault));
        uint8_t *again = lam_fuzz_block(in.size);
        LAM_FUZZ_OK(
            lam_codec_decompress(codecs, codec, lam_buffer_bytes(&out), again, in.size, &fault));
        LAM_FUZZ_EXPECT(in.size == 0 || memcmp(again, in.data, in.size) == 0);
        free(again);
    }
    lam_buffer_finish(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    lam_fuzz_input input = {data, size};
    unsigned choice = (unsigned)lam_fuzz_number(&input, 1);
    lam_codec codec = (lam_codec)(LAM_CODEC_UNCOMPRESSED + choice % 8);
    size_t stated = (size_t)lam_fuzz_number(&input, 3) % (SIZE_MAX_STATED + 1);
    lam_allocator allocator = lam_fuzz_allocator();
    lam_codec_context *codecs;
    LAM_FUZZ_OK(lam_codec_context_create(&allocator, &codecs, &fault));
    lam_bytes bytes;
    uint8_t *block = lam_fuzz_rest(&input, &bytes);
    if (choice & 0x80)
        round_trip(codecs, codec, bytes);
    else
        decompress(codecs, codec, bytes, stated);
    free(block);
    lam_codec_context_destroy(codecs);
    lam_fuzz_expect_no_leak();
    return 0;
}
