#include "codec/codec.h"

#include "base/alloc.h"
#include "base/error.h"
#include "codec/codec_snappy.h"
#include "codec/codec_zstd.h"

struct lam_codec_context {
    lam_allocator allocator;
    lam_zstd zstd;
};

const char *lam_codec_name(lam_codec codec) {
    switch (codec) {
    case LAM_CODEC_DEFAULT:
        return "DEFAULT";
    case LAM_CODEC_UNCOMPRESSED:
        return "UNCOMPRESSED";
    case LAM_CODEC_SNAPPY:
        return "SNAPPY";
    case LAM_CODEC_GZIP:
        return "GZIP";
    case LAM_CODEC_LZO:
        return "LZO";
    case LAM_CODEC_BROTLI:
        return "BROTLI";
    case LAM_CODEC_LZ4:
        return "LZ4";
    case LAM_CODEC_ZSTD:
        return "ZSTD";
    case LAM_CODEC_LZ4_RAW:
        return "LZ4_RAW";
    }
    return "UNKNOWN";
}

lam_status lam_codec_context_create(const lam_allocator *allocator, lam_codec_context **ret_context,
                                    lam_error *error) {
    void *memory;
    LAM_TRY(lam_alloc_array(allocator, 1, sizeof(lam_codec_context), &memory, error));
    lam_codec_context *context = memory;
    context->allocator = *allocator;
    context->zstd.allocator = &context->allocator;
    *ret_context = context;
    return LAM_STATUS_OK;
}

void lam_codec_context_destroy(lam_codec_context *context) {
    if (context == NULL)
        return;
    lam_zstd_finish(&context->zstd);
    lam_allocator allocator = context->allocator;
    lam_free(&allocator, context, sizeof *context);
}

static lam_status check_codec(lam_codec codec, const char *verb, lam_error *error) {
    switch (codec) {
    case LAM_CODEC_UNCOMPRESSED:
    case LAM_CODEC_SNAPPY:
    case LAM_CODEC_ZSTD:
        return LAM_STATUS_OK;
    default:
        LAM_FAIL(error, LAM_STATUS_UNSUPPORTED, "%s pages compressed with %s is not supported",
                 verb, lam_codec_name(codec));
    }
}

lam_status lam_codec_check_read(lam_codec codec, lam_error *error) {
    return check_codec(codec, "reading", error);
}

lam_status lam_codec_check_write(lam_codec codec, int32_t level, lam_error *error) {
    LAM_TRY(check_codec(codec, "writing", error));
    int32_t max = codec == LAM_CODEC_ZSTD ? LAM_ZSTD_LEVEL_MAX : 0;
    if (level >= 0 && level <= max)
        return LAM_STATUS_OK;
    if (max == 0)
        LAM_FAIL(error, LAM_STATUS_INVALID, "%s has no compression level %d", lam_codec_name(codec),
                 (int)level);
    LAM_FAIL(error, LAM_STATUS_INVALID, "%s level %d; levels are 1 to %d", lam_codec_name(codec),
             (int)level, (int)max);
}

lam_status lam_codec_compress(lam_codec_context *context, lam_codec codec, int32_t level,
                              lam_bytes in, lam_buffer *out, lam_error *error) {
    LAM_TRY(lam_codec_check_write(codec, level, error));
    if (codec == LAM_CODEC_SNAPPY)
        return lam_snappy_compress(in, out, error);
    if (codec == LAM_CODEC_ZSTD)
        return lam_zstd_compress(&context->zstd, level, in, out, error);
    return lam_buffer_append(out, in.data, in.size, error);
}

lam_status lam_codec_decompress(lam_codec_context *context, lam_codec codec, lam_bytes in,
                                uint8_t *out, size_t size, lam_error *error) {
    LAM_TRY(lam_codec_check_read(codec, error));
    if (in.size == 0 && size == 0)
        return LAM_STATUS_OK; /* a page without values that its writer did not compress */
    if (codec == LAM_CODEC_SNAPPY)
        return lam_snappy_decompress(in, out, size, error);
    if (codec == LAM_CODEC_ZSTD)
        return lam_zstd_decompress(&context->zstd, in, out, size, error);
    if (in.size != size)
        LAM_FAIL(error, LAM_STATUS_CORRUPT, "%zu uncompressed bytes where %zu are stated", in.size,
                 size);
    memcpy(out, in.data, size);
    return LAM_STATUS_OK;
}
