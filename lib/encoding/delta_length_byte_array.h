/* SPDX-License-Identifier: Apache-2.0 */
/* The encoding DELTA_LENGTH_BYTE_ARRAY, plugged into decoder.h and encoder.h: BYTE_ARRAY only. */
#ifndef LAM_ENCODING_DELTA_LENGTH_BYTE_ARRAY_H
#define LAM_ENCODING_DELTA_LENGTH_BYTE_ARRAY_H

#include "encoding/decoder.h"
#include "encoding/encoder.h"

/*
 * Fills in the functions of a decoder. CORRUPT when the lengths cannot be; values are checked when
 * read.
 */
lam_status lam_delta_length_open(lam_decoder *decoder, lam_bytes bytes, lam_error *error);

extern const lam_value_writer lam_delta_length_writer;

#endif
