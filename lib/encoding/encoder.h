/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Encodes the values of one data page: the mirror of decoder.h. Takes elements of
 * lam_triples.values, and gives value bytes; each encoding implements the functions of
 * lam_value_writer.
 */
#ifndef LAM_ENCODING_ENCODER_H
#define LAM_ENCODING_ENCODER_H

#include <lamella/common.h>
#include <lamella/format.h>

#include "base/buffer.h"
#include "encoding/rle.h"
#include "encoding/value_layout.h"

struct lam_encoder;

/* How one encoding is written: the functions that implement those below. */
typedef struct lam_value_writer {
    size_t state_size; /* bytes of lam_encoder.state */
    /* Prepares the state, which is all zeros; frees what it holds. NULL: not needed. */
    void (*start)(struct lam_encoder *encoder);
    void (*finish)(struct lam_encoder *encoder);
    /* Adds values to the page; `count` is not 0. */
    lam_status (*write)(struct lam_encoder *encoder, const void *values, size_t count,
                        lam_error *error);
    /*
     * Appends the page; on failure the page is kept and `out` is as it was, except for bytes past
     * its size.
     */
    lam_status (*append)(struct lam_encoder *encoder, lam_buffer *out, lam_error *error);
    /* Forgets the page; the caller clears encoder->bytes. NULL: that is enough. */
    void (*restart)(struct lam_encoder *encoder);
    /* Bytes of the page besides those of encoder->bytes. NULL: none. */
    size_t (*byte_count)(const struct lam_encoder *encoder);
} lam_value_writer;

/*
 * Collects the values of one page. The bytes depend on the values only, never on how the calls are
 * split. Dictionary indexes are not written here: see dictionary.h.
 */
typedef struct lam_encoder {
    const lam_value_writer *writer;
    const lam_kernels *kernels;
    lam_encoding encoding;
    lam_value_layout layout;
    lam_buffer bytes;
    union {
        unsigned bit;         /* PLAIN booleans: bits used of the last byte, 0 when it is full */
        lam_rle_encoder runs; /* RLE */
    };
    void *state;      /* of the other encodings */
    bool is_deferred; /* it chooses, and gets its state with the first value */
} lam_encoder;

/* INVALID when the encoding does not take the type; UNSUPPORTED when it is not written; NOMEM. */
lam_status lam_encoder_init(lam_encoder *encoder, const lam_kernels *kernels, lam_encoding encoding,
                            lam_value_layout layout, const lam_allocator *allocator,
                            lam_error *error);
/*
 * Starts an encoder that chooses the encoding of each page by its values: PLAIN, or a delta
 * encoding that is smaller. `encoding` is that of the last page that ended. INVALID for groups;
 * NOMEM.
 */
lam_status lam_encoder_init_choosing(lam_encoder *encoder, const lam_kernels *kernels,
                                     lam_value_layout layout, const lam_allocator *allocator,
                                     lam_error *error);
void lam_encoder_finish(lam_encoder *encoder);
/*
 * `values` are elements of lam_triples.values, aligned for their type. LIMIT for a byte array of
 * 2 GiB or more, or for more values than a page can have.
 */
lam_status lam_encoder_write(lam_encoder *encoder, const void *values, size_t count,
                             lam_error *error);
/* Appends the page's value bytes to `out` and starts the next page; on failure the page is kept. */
lam_status lam_encoder_end_page(lam_encoder *encoder, lam_buffer *out, lam_error *error);
/* Bytes of the page so far, approximately: an open run or block is estimated. */
size_t lam_encoder_byte_count(const lam_encoder *encoder);

#endif
