/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compresses and uncompresses BROTLI streams with libbrotli. A page becomes one stream, whose
 * window is no larger than the page needs.
 *
 * The invariant: the library never ends the process. Some builds of libbrotli call exit when their
 * encoder gets no memory, so a refusal leaves the encoder by longjmp, and all of its blocks are
 * freed from a list. The decoder reports a lack of memory and needs none of this. (Compression.md,
 * section "BROTLI"; RFC 7932)
 */
#include "codec/codec_brotli.h"

#include <brotli/decode.h>
#include <brotli/encode.h>
#include <setjmp.h>
#include <stdalign.h>

#include "base/alloc.h"
#include "base/budget.h"
#include "base/checked.h"
#include "base/error.h"
#include "codec/codec_memory.h"

/* Bytes by which the output grows when the bound that the library gives is not enough. */
enum { MORE_ROOM = 1 << 16 };

/* --- The memory of an encoder -------------------------------------------------------------- */

/*
 * A block of the encoder, which follows this header. The library, as Debian and others build it,
 * ends the process if its allocator returns NULL. So the allocator jumps out of the encoder
 * instead, over C functions that hold only memory, and the list releases that memory: NULL is never
 * returned.
 *
 *   | next | previous | size | block of the encoder ... |
 *                             ^ what the encoder gets
 *
 * The alignment of the header makes its size a multiple of the strictest alignment, which the block
 * has too.
 */
typedef struct encoder_block {
    alignas(max_align_t) struct encoder_block *next;
    struct encoder_block *previous;
    size_t size;
} encoder_block;

/* All blocks that the encoder holds, the latest first, and where to continue without memory. */
typedef struct encoder_memory {
    const lam_allocator *allocator;
    encoder_block *blocks;
    jmp_buf refused;
} encoder_memory;

/* Allocates a block and links it; does not return when there is no memory. */
static void *encoder_allocate(void *state, size_t size) {
    encoder_memory *memory = state;
    void *allocated;
    if (!lam_add_size(size, sizeof(encoder_block), &size) ||
        lam_alloc(memory->allocator, size, &allocated, NULL) != LAM_STATUS_OK)
        longjmp(memory->refused, 1);
    encoder_block *block = allocated;
    block->next = memory->blocks;
    block->previous = NULL;
    block->size = size;
    if (block->next != NULL)
        block->next->previous = block;
    memory->blocks = block;
    return block + 1;
}

/* Unlinks and frees a block: called by the encoder, and for the remaining blocks after a jump. */
static void encoder_release(void *state, void *released) {
    encoder_memory *memory = state;
    if (released == NULL)
        return;
    encoder_block *block = (encoder_block *)released - 1;
    if (block->next != NULL)
        block->next->previous = block->previous;
    if (block->previous != NULL)
        block->previous->next = block->next;
    else
        memory->blocks = block->next;
    lam_free(memory->allocator, block, block->size);
}

/* --- Compression --------------------------------------------------------------------------- */

/*
 * Gives the window that holds a page of `size` bytes: a window of n bits holds 2^n - 16 bytes.
 * Encoder and decoder both allocate by it, so that a page of 1 KiB should not cost a window of 4
 * MiB.
 */
static uint32_t window_bits(size_t size) {
    uint32_t bits = BROTLI_MIN_WINDOW_BITS;
    while (bits < BROTLI_DEFAULT_WINDOW && ((size_t)1 << bits) - 16 < size)
        bits++;
    return bits;
}

/*
 * Encodes all of `in` as one stream; on failure `out` may have grown by half a stream, which the
 * caller drops.
 */
static lam_status codec_brotli_encode(BrotliEncoderState *encoder, lam_bytes in, lam_buffer *out,
                                      lam_error *error) {
    size_t room = BrotliEncoderMaxCompressedSize(in.size);
    do {
        LAM_TRY(lam_buffer_reserve(out, room, error));
        size_t free_bytes = out->capacity - out->size;
        uint8_t *next = out->data + out->size;
        if (!BrotliEncoderCompressStream(encoder, BROTLI_OPERATION_FINISH, &in.size, &in.data,
                                         &free_bytes, &next, NULL))
            LAM_FAIL(error, LAM_STATUS_NOMEM, "BROTLI compression failed");
        out->size = out->capacity - free_bytes;
        room = MORE_ROOM; /* at the lowest level the first bound may be too low */
    } while (!BrotliEncoderIsFinished(encoder));
    return LAM_STATUS_OK;
}

/*
 * Does all that may jump. An encoder that is left by a jump is not destroyed: its memory is in the
 * list.
 */
static lam_status create_and_encode(encoder_memory *memory, uint32_t quality, lam_bytes in,
                                    lam_buffer *out, lam_error *error) {
    BrotliEncoderState *encoder =
        BrotliEncoderCreateInstance(encoder_allocate, encoder_release, memory);
    /* unreachable: encoder_allocate() jumps when it has no memory */
    if (encoder == NULL)
        LAM_FAIL(error, LAM_STATUS_NOMEM, "no memory for a BROTLI compressor");
    BrotliEncoderSetParameter(encoder, BROTLI_PARAM_QUALITY, quality);
    BrotliEncoderSetParameter(encoder, BROTLI_PARAM_LGWIN, window_bits(in.size));
    BrotliEncoderSetParameter(encoder, BROTLI_PARAM_SIZE_HINT, (uint32_t)in.size);
    lam_status status = codec_brotli_encode(encoder, in, out, error);
    BrotliEncoderDestroyInstance(encoder);
    return status;
}

/*
 * Catches the jump. The function has no locals of its own, since those that change after setjmp
 * have no certain value after the jump.
 */
static lam_status encode_or_land(encoder_memory *memory, uint32_t quality, lam_bytes in,
                                 lam_buffer *out, lam_error *error) {
    if (setjmp(memory->refused) != 0)
        LAM_FAIL(error, LAM_STATUS_NOMEM, "no memory for BROTLI compression");
    return create_and_encode(memory, quality, in, out, error);
}

/* Encodes, and leaves only the stream. */
static lam_status encode_within(encoder_memory *memory, uint32_t quality, lam_bytes in,
                                lam_buffer *out, lam_error *error) {
    size_t start = out->size;
    lam_status status = encode_or_land(memory, quality, in, out, error);
    while (memory->blocks != NULL)
        encoder_release(memory, memory->blocks + 1);
    if (status != LAM_STATUS_OK)
        out->size = start;
    return status;
}

/* The bound of 2^31 - 1 bytes is that of a page, and keeps the size hint within its 32 bits. */
lam_status lam_brotli_compress(const lam_allocator *allocator, int32_t level, lam_bytes in,
                               lam_buffer *out, lam_error *error) {
    if (in.size > INT32_MAX)
        LAM_FAIL(error, LAM_ERROR_CODE_FORMAT_LIMIT, "%zu bytes are too many for BROTLI", in.size);
    encoder_memory memory;
    memory.allocator = allocator;
    memory.blocks = NULL;
    uint32_t quality = (uint32_t)(level == 0 ? LAM_BROTLI_LEVEL_DEFAULT : level);
    lam_status status = encode_within(&memory, quality, in, out, error);
    /* Higher ones take 32 MiB and more, which a bound of memory may not leave. */
    if (status == LAM_STATUS_NOMEM && quality > LAM_BROTLI_LEVEL_DEFAULT &&
        lam_budget_bound(allocator) != 0)
        status = encode_within(&memory, LAM_BROTLI_LEVEL_DEFAULT, in, out, error);
    return status;
}

/* --- Decompression ------------------------------------------------------------------------- */

/* The library's codes of failed allocations are a range of negative numbers: -30 to -21. */
static bool lacks_memory(const BrotliDecoderState *decoder) {
    BrotliDecoderErrorCode code = BrotliDecoderGetErrorCode(decoder);
    return code <= BROTLI_DECODER_ERROR_ALLOC_CONTEXT_MODES &&
           code >= BROTLI_DECODER_ERROR_ALLOC_BLOCK_TYPE_TREES;
}

/*
 * Decodes a complete stream into exactly `size` bytes. The library writes no further than that, so
 * a stream of gigabytes costs no more than a page; bytes that follow the stream are an error, too.
 */
static lam_status codec_brotli_decode(BrotliDecoderState *decoder, lam_bytes in, uint8_t *out,
                                      size_t size, lam_error *error) {
    size_t missing = size;
    BrotliDecoderResult result =
        BrotliDecoderDecompressStream(decoder, &in.size, &in.data, &missing, &out, NULL);
    switch (result) {
    case BROTLI_DECODER_RESULT_SUCCESS:
        break;
    case BROTLI_DECODER_RESULT_NEEDS_MORE_INPUT:
        LAM_FAIL(error, LAM_ERROR_CODE_PAGE_BODY, "a BROTLI stream cut short");
    case BROTLI_DECODER_RESULT_NEEDS_MORE_OUTPUT:
        LAM_FAIL(error, LAM_ERROR_CODE_PAGE_BODY, "BROTLI gives more than the %zu bytes stated",
                 size);
    default:
        if (lacks_memory(decoder))
            LAM_FAIL(error, LAM_STATUS_NOMEM, "no memory for BROTLI decompression");
        LAM_FAIL(error, LAM_ERROR_CODE_PAGE_BODY, "a damaged BROTLI stream: %s",
                 BrotliDecoderErrorString(BrotliDecoderGetErrorCode(decoder)));
    }
    if (missing > 0)
        LAM_FAIL(error, LAM_ERROR_CODE_PAGE_BODY, "BROTLI gives %zu bytes where %zu are stated",
                 size - missing, size);
    if (in.size > 0)
        LAM_FAIL(error, LAM_ERROR_CODE_PAGE_BODY, "%zu bytes after the end of a BROTLI stream",
                 in.size);
    return LAM_STATUS_OK;
}

static lam_status create_decoder(const lam_allocator *allocator, BrotliDecoderState **ret_decoder,
                                 lam_error *error) {
    *ret_decoder = BrotliDecoderCreateInstance(lam_codec_memory_allocate, lam_codec_memory_release,
                                               (void *)(uintptr_t)allocator);
    if (*ret_decoder == NULL)
        LAM_FAIL(error, LAM_STATUS_NOMEM, "no memory for a BROTLI decompressor");
    return LAM_STATUS_OK;
}

lam_status lam_brotli_decompress(const lam_allocator *allocator, lam_bytes in, uint8_t *out,
                                 size_t size, lam_error *error) {
    /* A page of 0 bytes has no output, and the library wants a pointer that is not NULL. */
    uint8_t nothing[1];
    BrotliDecoderState *decoder;
    LAM_TRY(create_decoder(allocator, &decoder, error));
    lam_status status = codec_brotli_decode(decoder, in, size > 0 ? out : nothing, size, error);
    BrotliDecoderDestroyInstance(decoder);
    return status;
}

lam_status lam_brotli_decompress_prefix(const lam_allocator *allocator, lam_bytes in, uint8_t *out,
                                        size_t size, size_t *ret_size, lam_error *error) {
    size_t missing = size;
    BrotliDecoderState *decoder;
    LAM_TRY(create_decoder(allocator, &decoder, error));
    (void)BrotliDecoderDecompressStream(decoder, &in.size, &in.data, &missing, &out, NULL);
    bool has_memory = !lacks_memory(decoder);
    BrotliDecoderDestroyInstance(decoder);
    if (!has_memory)
        LAM_FAIL(error, LAM_STATUS_NOMEM, "no memory for BROTLI decompression");
    *ret_size = size - missing;
    return LAM_STATUS_OK;
}
