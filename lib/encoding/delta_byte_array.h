/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The encoding DELTA_BYTE_ARRAY, plugged into decoder.h and encoder.h, for BYTE_ARRAY and
 * FIXED_LEN_BYTE_ARRAY; and an encoder of complete pages whose values are adjacent in memory.
 */
#ifndef LAM_ENCODING_DELTA_BYTE_ARRAY_H
#define LAM_ENCODING_DELTA_BYTE_ARRAY_H

#include "encoding/decoder.h"
#include "encoding/delta_binary_packed.h"
#include "encoding/encoder.h"

lam_status lam_delta_strings_open(lam_decoder *decoder, lam_bytes bytes, lam_error *error);

/*
 * For lam_decoder_go_on and lam_decoder_keep_last; the first gives the lengths of the suffixes, and
 * whether the first value has a prefix.
 */
lam_status lam_delta_strings_go_on(lam_decoder *decoder, lam_bytes before,
                                   const lam_delta_decoder **ret_suffixes, bool *ret_has_prefix,
                                   lam_error *error);
lam_bytes lam_delta_strings_last(const lam_decoder *decoder);

extern const lam_value_writer lam_delta_strings_writer;

/* The number of leading bytes that both have in common: of axis and axle 2. */
size_t lam_common_prefix(lam_bytes a, lam_bytes b);

/* Encodes pages of byte arrays in one call each. Its memory is kept from page to page. */
typedef struct lam_prefix_encoder {
    lam_delta_encoder prefixes;
    lam_delta_encoder suffixes;
    lam_buffer rest; /* the suffixes of the values */
} lam_prefix_encoder;

void lam_prefix_encoder_init(lam_prefix_encoder *prefix_encoder, const lam_kernels *kernels,
                             const lam_allocator *allocator);
void lam_prefix_encoder_finish(lam_prefix_encoder *prefix_encoder);
/*
 * Appends a page of `count` values, whose bytes are `values` and whose sizes, each at most
 * INT32_MAX, add up to that. On failure `out` is as it was.
 */
lam_status lam_prefix_encoder_append(lam_prefix_encoder *prefix_encoder, lam_bytes values,
                                     const uint32_t *sizes, size_t count, lam_buffer *out,
                                     lam_error *error);

#endif
