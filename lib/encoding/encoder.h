/*
 * The mirror of decoder.h: values in, the value bytes of one data page out.
 */
#ifndef LAM_ENCODING_ENCODER_H
#define LAM_ENCODING_ENCODER_H

#include <lamella/common.h>
#include <lamella/reader.h>

#include "base/buffer.h"
#include "encoding/decoder.h"

/*
 * Collects the values of one page. The bytes depend on the values only, never on how the calls are
 * split. Dictionary indexes do not pass here: see dictionary.h.
 */
typedef struct lam_encoder {
    lam_encoding encoding;
    lam_value_layout layout;
    lam_buffer bytes;
    unsigned bit;         /* PLAIN booleans: bits used of the last byte, 0 when it is full */
    lam_rle_encoder runs; /* RLE */
} lam_encoder;

/* INVALID when the encoding does not go with the type; UNSUPPORTED when it is not written. */
lam_status lam_encoder_init(lam_encoder *encoder, lam_encoding encoding, lam_value_layout layout,
                            const lam_allocator *allocator, lam_error *error);
void lam_encoder_finish(lam_encoder *encoder);
/* `values` are elements of lam_triples.values. LIMIT for a byte array of 2 GiB or more. */
lam_status lam_encoder_write(lam_encoder *encoder, const void *values, size_t count,
                             lam_error *error);
/* Appends the page's value bytes to `out` and starts the next page. */
lam_status lam_encoder_end_page(lam_encoder *encoder, lam_buffer *out, lam_error *error);
/* Bytes of the page so far, about. */
size_t lam_encoder_byte_count(const lam_encoder *encoder);

#endif
