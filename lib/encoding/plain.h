/* SPDX-License-Identifier: Apache-2.0 */
/* The PLAIN encoding, plugged into decoder.h and encoder.h. */
#ifndef LAM_ENCODING_PLAIN_H
#define LAM_ENCODING_PLAIN_H

#include "encoding/decoder.h"
#include "encoding/encoder.h"

/* Functions for lam_decoder.read: CORRUPT when fewer values are left. */
lam_status lam_plain_read_booleans(lam_decoder *decoder, size_t count, void *values,
                                   lam_error *error);
lam_status lam_plain_read_fixed(lam_decoder *decoder, size_t count, void *values, lam_error *error);
lam_status lam_plain_read_byte_arrays(lam_decoder *decoder, size_t count, void *values,
                                      lam_error *error);
/* Reads the picked ones of the next `count` values, for which alone bytes are moved. */
lam_status lam_plain_pick_fixed(lam_decoder *decoder, size_t count, const lam_value_picks *picks,
                                void *values, lam_error *error);
lam_status lam_plain_pick_byte_arrays(lam_decoder *decoder, size_t count,
                                      const lam_value_picks *picks, void *values, lam_error *error);
/* Functions for lam_decoder.skip. */
lam_status lam_plain_skip_booleans(lam_decoder *decoder, size_t count, lam_error *error);
lam_status lam_plain_skip_fixed(lam_decoder *decoder, size_t count, lam_error *error);
lam_status lam_plain_skip_byte_arrays(lam_decoder *decoder, size_t count, lam_error *error);
/* CORRUPT when bytes are left. */
lam_status lam_plain_read_end(const lam_decoder *decoder, lam_error *error);

/*
 * Converts numbers to little-endian bytes or back, in place; does nothing on little-endian
 * machines.
 */
void lam_plain_swap(lam_value_layout layout, void *elements, size_t count);

/* The function for lam_value_writer.write: appends to encoder->bytes, by encoder->layout. */
lam_status lam_plain_write(lam_encoder *encoder, const void *values, size_t count,
                           lam_error *error);

/* Appends elements as PLAIN bytes, as a dictionary page holds them. Not for BOOLEAN. */
lam_status lam_plain_append(lam_value_layout layout, const void *values, size_t count,
                            lam_buffer *out, lam_error *error);

#endif
