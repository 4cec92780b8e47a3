/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Dispatches the pages of all codecs: one switch per direction. Takes a codec of the format and the
 * bytes of a page; gives its compressed or uncompressed form in the caller's buffer.
 *
 *   codec           numbers 0 to 7 of the format, one less than lam_codec's
 *   UNCOMPRESSED 0  SNAPPY 1  GZIP 2  LZO 3  BROTLI 4  LZ4 5  ZSTD 6  LZ4_RAW 7
 *
 * The invariant: each call is checked first against what this build can do, so that the switches
 * below see only codecs that are linked in, and UNCOMPRESSED remains for their default. No library
 * is trusted to report the true size: every decompressor compares its output with the size in the
 * page header. What the libraries keep from page to page serves one call at a time: a call takes it
 * from the context and gives it back, so that there are as many as threads that were at work at
 * once. (Compression.md; parquet.thrift, CompressionCodec)
 */
#include "codec/codec.h"

#include <pthread.h>

#include "base/alloc.h"
#include "base/budget.h"
#include "base/error.h"
#include "codec/codec_zstd.h"

#ifdef LAM_HAVE_SNAPPY
#include "codec/codec_snappy.h"
#endif
#ifdef LAM_HAVE_GZIP
#include "codec/codec_gzip.h"
#endif
#ifdef LAM_HAVE_BROTLI
#include "codec/codec_brotli.h"
#endif
#ifdef LAM_HAVE_LZ4
#include "codec/codec_lz4.h"
#include "codec/codec_lz4_raw.h"
#endif

/*
 * The contexts of the libraries, each made by its first use. BROTLI, SNAPPY and LZ4 have none, as
 * they keep no state from one page to the next.
 */
typedef struct kept_codecs {
    struct kept_codecs *next;
    lam_zstd zstd;
#ifdef LAM_HAVE_GZIP
    lam_gzip gzip;
#endif
#ifdef LAM_HAVE_LZ4
    lam_lz4_raw lz4_raw;
#endif
} kept_codecs;

struct lam_codec_context {
    lam_allocator allocator;
    pthread_mutex_t mutex; /* protects the list */
    kept_codecs *idle;     /* the ones that no call uses */
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
    lam_codec_context *context;
    LAM_TRY(LAM_NEW(allocator, &context, error));
    context->allocator = *allocator;
    if (pthread_mutex_init(&context->mutex, NULL) != 0) {
        lam_free(allocator, context, sizeof *context);
        LAM_FAIL(error, LAM_STATUS_NOMEM, "the system has no more locks");
    }
    *ret_context = context;
    return LAM_STATUS_OK;
}

void lam_codec_context_destroy(lam_codec_context *context) {
    if (context == NULL)
        return;
    lam_allocator allocator = context->allocator;
    while (context->idle != NULL) {
        kept_codecs *kept = context->idle;
        context->idle = kept->next;
        lam_zstd_finish(&kept->zstd);
#ifdef LAM_HAVE_GZIP
        lam_gzip_finish(&kept->gzip);
#endif
#ifdef LAM_HAVE_LZ4
        lam_lz4_raw_finish(&kept->lz4_raw);
#endif
        lam_free(&allocator, kept, sizeof *kept);
    }
    pthread_mutex_destroy(&context->mutex);
    lam_free(&allocator, context, sizeof *context);
}

/*
 * Takes the state that a call needs, or makes it: the memory is zeroed, which is the empty state of
 * each member. The libraries use the context's own copy of the allocator, so the context must not
 * move.
 */
static lam_status take_codecs(lam_codec_context *context, kept_codecs **ret_kept,
                              lam_error *error) {
    pthread_mutex_lock(&context->mutex);
    kept_codecs *kept = context->idle;
    if (kept != NULL)
        context->idle = kept->next;
    pthread_mutex_unlock(&context->mutex);
    if (kept == NULL) {
        LAM_TRY(LAM_NEW(&context->allocator, &kept, error));
        kept->zstd.allocator = &context->allocator;
#ifdef LAM_HAVE_LZ4
        kept->lz4_raw.allocator = &context->allocator;
#endif
    }
    *ret_kept = kept;
    return LAM_STATUS_OK;
}

static void give_codecs_back(lam_codec_context *context, kept_codecs *kept) {
    pthread_mutex_lock(&context->mutex);
    kept->next = context->idle;
    context->idle = kept;
    pthread_mutex_unlock(&context->mutex);
}

/* Names the build option that a codec needs and this build lacks; NULL if it lacks none. */
static const char *lacking_option(lam_codec codec) {
    switch (codec) {
#ifndef LAM_HAVE_SNAPPY
    case LAM_CODEC_SNAPPY:
        return "-Dsnappy=enabled";
#endif
#ifndef LAM_HAVE_GZIP
    case LAM_CODEC_GZIP:
        return "-Dgzip=enabled";
#endif
#ifndef LAM_HAVE_BROTLI
    case LAM_CODEC_BROTLI:
        return "-Dbrotli=enabled";
#endif
#ifndef LAM_HAVE_LZ4
    case LAM_CODEC_LZ4:
    case LAM_CODEC_LZ4_RAW:
        return "-Dlz4=enabled";
#endif
    default:
        return NULL;
    }
}

/*
 * Checks that this build has a codec. A caller can act on the failure: no version supports LZO, but
 * another build supports BROTLI. `verb` is the direction that the message names.
 */
static lam_status check_codec(lam_codec codec, const char *verb, lam_error *error) {
    const char *option = lacking_option(codec);
    if (codec == LAM_CODEC_DEFAULT || codec == LAM_CODEC_LZO || (unsigned)codec > LAM_CODEC_LZ4_RAW)
        LAM_FAIL(error, LAM_ERROR_CODE_UNSUPPORTED_CODEC,
                 "%s pages compressed with %s is not supported", verb, lam_codec_name(codec));
    /* unreachable: in a build with all codecs */
    if (option != NULL)
        LAM_FAIL(error, LAM_ERROR_CODE_UNSUPPORTED_CODEC,
                 "%s pages compressed with %s needs a Lamella built with %s", verb,
                 lam_codec_name(codec), option);
    return LAM_STATUS_OK;
}

lam_status lam_codec_check_read(lam_codec codec, lam_error *error) {
    return check_codec(codec, "reading", error);
}

bool lam_codec_is_readable(lam_codec codec) {
    return lam_codec_check_read(codec, NULL) == LAM_STATUS_OK;
}

bool lam_codec_is_writable(lam_codec codec) {
    return lam_codec_check_write(codec, 0, NULL) == LAM_STATUS_OK;
}

/* Gives the highest level of a codec; 0 if it has no levels. */
static int32_t level_max(lam_codec codec) {
    switch (codec) {
    case LAM_CODEC_ZSTD:
        return LAM_ZSTD_LEVEL_MAX;
#ifdef LAM_HAVE_GZIP
    case LAM_CODEC_GZIP:
        return LAM_GZIP_LEVEL_MAX;
#endif
#ifdef LAM_HAVE_BROTLI
    case LAM_CODEC_BROTLI:
        return LAM_BROTLI_LEVEL_MAX;
#endif
    default:
        return 0;
    }
}

/*
 * LZ4 is refused first: it is linked in with LZ4_RAW and only ever decompressed. Level 0, the
 * default, is valid for each codec, those without levels included.
 */
lam_status lam_codec_check_write(lam_codec codec, int32_t level, lam_error *error) {
    if (codec == LAM_CODEC_LZ4)
        LAM_FAIL(error, LAM_ERROR_CODE_UNSUPPORTED_CODEC,
                 "LZ4 is deprecated and only read; write LZ4_RAW instead");
    LAM_TRY(check_codec(codec, "writing", error));
    int32_t max = level_max(codec);
    if (level >= 0 && level <= max)
        return LAM_STATUS_OK;
    if (max == 0)
        LAM_FAIL(error, LAM_STATUS_INVALID, "%s has no compression level %d", lam_codec_name(codec),
                 (int)level);
    LAM_FAIL(error, LAM_STATUS_INVALID, "%s level %d; levels are 1 to %d", lam_codec_name(codec),
             (int)level, (int)max);
}

/* Picks the library of a codec that keeps something; the codec has been checked. */
static lam_status compress_with(kept_codecs *kept, lam_codec codec, int32_t level, lam_bytes in,
                                lam_buffer *out, lam_error *error) {
    switch (codec) {
#ifdef LAM_HAVE_GZIP
    case LAM_CODEC_GZIP:
        return lam_gzip_compress(&kept->gzip, level, in, out, error);
#endif
#ifdef LAM_HAVE_LZ4
    case LAM_CODEC_LZ4_RAW:
        return lam_lz4_raw_compress(&kept->lz4_raw, in, out, error);
#endif
    default:
        return lam_zstd_compress(&kept->zstd, level, in, out, error);
    }
}

static lam_status compress_any(lam_codec_context *context, lam_codec codec, int32_t level,
                               lam_bytes in, lam_buffer *out, lam_error *error) {
    kept_codecs *kept;
    switch (codec) {
    case LAM_CODEC_UNCOMPRESSED:
        return lam_buffer_append(out, in.data, in.size, error);
#ifdef LAM_HAVE_SNAPPY
    case LAM_CODEC_SNAPPY:
        return lam_snappy_compress(in, out, error);
#endif
#ifdef LAM_HAVE_BROTLI
    case LAM_CODEC_BROTLI:
        return lam_brotli_compress(&context->allocator, level, in, out, error);
#endif
    default:
        LAM_TRY(take_codecs(context, &kept, error));
        lam_status status = compress_with(kept, codec, level, in, out, error);
        give_codecs_back(context, kept);
        return status;
    }
}

/* As in lam_codec_decompress: a budget's refusal is LIMIT. */
lam_status lam_codec_compress(lam_codec_context *context, lam_codec codec, int32_t level,
                              lam_bytes in, lam_buffer *out, lam_error *error) {
    LAM_TRY(lam_codec_check_write(codec, level, error));
    lam_status status = compress_any(context, codec, level, in, out, error);
    return lam_budget_blame(&context->allocator, status, error);
}

/*
 * UNCOMPRESSED. A chunk of this codec still states both sizes in its page headers, which a damaged
 * file may state differently: the copy is bounded by `size`, never by the input.
 */
static lam_status copy(lam_bytes in, uint8_t *out, size_t size, lam_error *error) {
    if (in.size != size)
        LAM_FAIL(error, LAM_ERROR_CODE_PAGE_BODY, "%zu uncompressed bytes where %zu are stated",
                 in.size, size);
    memcpy(out, in.data, size);
    return LAM_STATUS_OK;
}

/* Picks the library of a codec that keeps something to decompress; the codec has been checked. */
static lam_status decompress_with(kept_codecs *kept, lam_codec codec, lam_bytes in, uint8_t *out,
                                  size_t size, lam_error *error) {
    switch (codec) {
#ifdef LAM_HAVE_GZIP
    case LAM_CODEC_GZIP:
        return lam_gzip_decompress(&kept->gzip, in, out, size, error);
#endif
    default:
        return lam_zstd_decompress(&kept->zstd, in, out, size, error);
    }
}

/* Picks the library. The codec has been checked, so the default is UNCOMPRESSED. */
static lam_status decompress(lam_codec_context *context, lam_codec codec, lam_bytes in,
                             uint8_t *out, size_t size, lam_error *error) {
    kept_codecs *kept;
    lam_status status;
    switch (codec) {
#ifdef LAM_HAVE_SNAPPY
    case LAM_CODEC_SNAPPY:
        return lam_snappy_decompress(in, out, size, error);
#endif
#ifdef LAM_HAVE_BROTLI
    case LAM_CODEC_BROTLI:
        return lam_brotli_decompress(&context->allocator, in, out, size, error);
#endif
#ifdef LAM_HAVE_LZ4
    case LAM_CODEC_LZ4:
        return lam_lz4_decompress(in, out, size, error);
    case LAM_CODEC_LZ4_RAW:
        return lam_lz4_raw_decompress(in, out, size, error);
#endif
    case LAM_CODEC_GZIP:
    case LAM_CODEC_ZSTD:
        LAM_TRY(take_codecs(context, &kept, error));
        status = decompress_with(kept, codec, in, out, size, error);
        give_codecs_back(context, kept);
        return status;
    default:
        return copy(in, out, size, error);
    }
}

/*
 * Reports LIMIT, not NOMEM, if the allocator's budget refused the library's request: the libraries
 * return no more than "out of memory", and a page that needs more than the memory limit is not the
 * machine's fault.
 */
lam_status lam_codec_decompress(lam_codec_context *context, lam_codec codec, lam_bytes in,
                                uint8_t *out, size_t size, lam_error *error) {
    LAM_TRY(lam_codec_check_read(codec, error));
    if (in.size == 0 && size == 0)
        return LAM_STATUS_OK; /* writers leave the empty body of a page uncompressed */
    lam_status status = decompress(context, codec, in, out, size, error);
    return lam_budget_blame(&context->allocator, status, error);
}

/* --- The beginning of a page --------------------------------------------------------------- */

/*
 * ZSTD gives complete blocks, of up to 128 KiB, after at most 21 bytes of headers; as much is
 * enough for BROTLI. A length of LZ4 takes a byte for 255, and may be that of a page of 16 MiB.
 * GZIP's library and the older LZ4 decompress all or nothing.
 */
size_t lam_codec_prefix_input(lam_codec codec) {
    switch (codec) {
    case LAM_CODEC_UNCOMPRESSED:
        return LAM_CODEC_PREFIX;
    case LAM_CODEC_SNAPPY:
        return 8 * LAM_CODEC_PREFIX; /* an element of 5 bytes gives one at least */
    case LAM_CODEC_LZ4_RAW:
        return 64 << 10;
    case LAM_CODEC_ZSTD:
    case LAM_CODEC_BROTLI:
        return (128 << 10) + 21;
    default:
        return 0;
    }
}

static lam_status decompress_prefix(lam_codec_context *context, lam_codec codec, lam_bytes in,
                                    uint8_t *out, size_t size, size_t *ret_size, lam_error *error) {
    switch (codec) {
    case LAM_CODEC_UNCOMPRESSED:
        *ret_size = in.size < size ? in.size : size;
        memcpy(out, in.data, *ret_size);
        return LAM_STATUS_OK;
#ifdef LAM_HAVE_SNAPPY
    case LAM_CODEC_SNAPPY:
        *ret_size = lam_snappy_decompress_prefix(in, out, size);
        return LAM_STATUS_OK;
#endif
    case LAM_CODEC_ZSTD:
        return lam_zstd_decompress_prefix(&context->allocator, in, out, size, ret_size, error);
#ifdef LAM_HAVE_BROTLI
    case LAM_CODEC_BROTLI:
        return lam_brotli_decompress_prefix(&context->allocator, in, out, size, ret_size, error);
#endif
#ifdef LAM_HAVE_LZ4
    case LAM_CODEC_LZ4_RAW:
        *ret_size = lam_lz4_raw_decompress_prefix(in, out, size);
        return LAM_STATUS_OK;
#endif
    default:
        *ret_size = 0;
        return LAM_STATUS_OK;
    }
}

lam_status lam_codec_decompress_prefix(lam_codec_context *context, lam_codec codec, lam_bytes in,
                                       uint8_t *out, size_t size, size_t *ret_size,
                                       lam_error *error) {
    *ret_size = 0;
    if (in.size == 0)
        return LAM_STATUS_OK;
    lam_status status = decompress_prefix(context, codec, in, out, size, ret_size, error);
    return lam_budget_blame(&context->allocator, status, error);
}
