/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Refuses SNAPPY, GZIP and ZSTD in a library that is built without their libraries, into a web
 * page: every other build has them. Pages are UNSUPPORTED, as with any codec that a build lacks.
 *
 * No state is ever kept, so none is freed.
 */
#include "base/error.h"
#include "codec/codec_gzip.h"
#include "codec/codec_snappy.h"
#include "codec/codec_zstd.h"

static lam_status fail_without_library(lam_error *error) {
    LAM_FAIL(error, LAM_ERROR_CODE_UNSUPPORTED_CODEC,
             "this build has no compression: write and read UNCOMPRESSED pages");
}

void lam_gzip_finish(lam_gzip *gzip) {
    (void)gzip;
}

lam_status lam_gzip_compress(lam_gzip *gzip, int32_t level, lam_bytes in, lam_buffer *out,
                             lam_error *error) {
    (void)gzip, (void)level, (void)in, (void)out;
    return fail_without_library(error);
}

lam_status lam_gzip_decompress(lam_gzip *gzip, lam_bytes in, uint8_t *out, size_t size,
                               lam_error *error) {
    (void)gzip, (void)in, (void)out, (void)size;
    return fail_without_library(error);
}

void lam_zstd_finish(lam_zstd *zstd) {
    (void)zstd;
}

lam_status lam_zstd_compress(lam_zstd *zstd, int32_t level, lam_bytes in, lam_buffer *out,
                             lam_error *error) {
    (void)zstd, (void)level, (void)in, (void)out;
    return fail_without_library(error);
}

lam_status lam_zstd_decompress(lam_zstd *zstd, lam_bytes in, uint8_t *out, size_t size,
                               lam_error *error) {
    (void)zstd, (void)in, (void)out, (void)size;
    return fail_without_library(error);
}

lam_status lam_zstd_decompress_prefix(const lam_allocator *allocator, lam_bytes in, uint8_t *out,
                                      size_t size, size_t *ret_size, lam_error *error) {
    (void)allocator, (void)in, (void)out, (void)size, (void)ret_size;
    return fail_without_library(error);
}

lam_status lam_snappy_compress(lam_bytes in, lam_buffer *out, lam_error *error) {
    (void)in, (void)out;
    return fail_without_library(error);
}

lam_status lam_snappy_decompress(lam_bytes in, uint8_t *out, size_t size, lam_error *error) {
    (void)in, (void)out, (void)size;
    return fail_without_library(error);
}
