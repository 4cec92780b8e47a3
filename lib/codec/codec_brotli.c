#include "codec/codec_brotli.h"

#include <brotli/decode.h>
#include <brotli/encode.h>
#include <setjmp.h>
#include <stdalign.h>

#include "base/alloc.h"
#include "base/checked.h"
#include "base/error.h"
#include "codec/codec_memory.h"

enum { MORE_ROOM = 1 << 16 };

/* --- The memory of an encoder -------------------------------------------------------------- */

/*
 * The encoder must not be told that there is no memory: as Debian and others build it, it ends the
 * process then. So the allocator jumps out of the encoder, over frames of C that hold nothing but
 * memory, and all blocks are released by this list.
 */
typedef struct encoder_block {
    alignas(max_align_t) struct encoder_block *next;
    struct encoder_block *previous;
    size_t size;
} encoder_block;

typedef struct encoder_memory {
    const lam_allocator *allocator;
    encoder_block *blocks;
    jmp_buf refused;
} encoder_memory;

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

/* A window that holds all of a small page: both sides allocate by it. */
static uint32_t window_bits(size_t size) {
    uint32_t bits = BROTLI_MIN_WINDOW_BITS;
    while (bits < BROTLI_DEFAULT_WINDOW && ((size_t)1 << bits) - 16 < size)
        bits++;
    return bits;
}

/* Encodes all of `in`; on failure `out` may have grown by half a stream. */
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
        room = MORE_ROOM; /* at the lowest level the bound above may be passed */
    } while (!BrotliEncoderIsFinished(encoder));
    return LAM_STATUS_OK;
}

static lam_status create_and_encode(encoder_memory *memory, uint32_t quality, lam_bytes in,
                                    lam_buffer *out, lam_error *error) {
    BrotliEncoderState *encoder =
        BrotliEncoderCreateInstance(encoder_allocate, encoder_release, memory);
    if (encoder == NULL)
        LAM_FAIL(error, LAM_STATUS_NOMEM, "no memory for a BROTLI compressor");
    BrotliEncoderSetParameter(encoder, BROTLI_PARAM_QUALITY, quality);
    BrotliEncoderSetParameter(encoder, BROTLI_PARAM_LGWIN, window_bits(in.size));
    BrotliEncoderSetParameter(encoder, BROTLI_PARAM_SIZE_HINT, (uint32_t)in.size);
    lam_status status = codec_brotli_encode(encoder, in, out, error);
    BrotliEncoderDestroyInstance(encoder);
    return status;
}

/* The landing place has no locals, so that none is lost. */
static lam_status encode_or_land(encoder_memory *memory, uint32_t quality, lam_bytes in,
                                 lam_buffer *out, lam_error *error) {
    if (setjmp(memory->refused) != 0)
        LAM_FAIL(error, LAM_STATUS_NOMEM, "no memory for BROTLI compression");
    return create_and_encode(memory, quality, in, out, error);
}

lam_status lam_brotli_compress(const lam_allocator *allocator, int32_t level, lam_bytes in,
                               lam_buffer *out, lam_error *error) {
    size_t start = out->size;
    if (in.size > INT32_MAX)
        LAM_FAIL(error, LAM_ERROR_CODE_FORMAT_LIMIT, "%zu bytes are too many for BROTLI", in.size);
    encoder_memory memory;
    memory.allocator = allocator;
    memory.blocks = NULL;
    uint32_t quality = (uint32_t)(level == 0 ? LAM_BROTLI_LEVEL_DEFAULT : level);
    lam_status status = encode_or_land(&memory, quality, in, out, error);
    while (memory.blocks != NULL)
        encoder_release(&memory, memory.blocks + 1);
    if (status != LAM_STATUS_OK)
        out->size = start;
    return status;
}

/* --- Decompression ------------------------------------------------------------------------- */

static bool lacks_memory(const BrotliDecoderState *decoder) {
    BrotliDecoderErrorCode code = BrotliDecoderGetErrorCode(decoder);
    return code <= BROTLI_DECODER_ERROR_ALLOC_CONTEXT_MODES &&
           code >= BROTLI_DECODER_ERROR_ALLOC_BLOCK_TYPE_TREES;
}

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

lam_status lam_brotli_decompress(const lam_allocator *allocator, lam_bytes in, uint8_t *out,
                                 size_t size, lam_error *error) {
    uint8_t nothing[1];
    BrotliDecoderState *decoder = BrotliDecoderCreateInstance(
        lam_codec_memory_allocate, lam_codec_memory_release, (void *)(uintptr_t)allocator);
    if (decoder == NULL)
        LAM_FAIL(error, LAM_STATUS_NOMEM, "no memory for a BROTLI decompressor");
    lam_status status = codec_brotli_decode(decoder, in, size > 0 ? out : nothing, size, error);
    BrotliDecoderDestroyInstance(decoder);
    return status;
}
