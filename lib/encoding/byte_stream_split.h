/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The encoding BYTE_STREAM_SPLIT, plugged into decoder.h and encoder.h: INT32, INT64, FLOAT, DOUBLE
 * and FIXED_LEN_BYTE_ARRAY.
 */
#ifndef LAM_ENCODING_BYTE_STREAM_SPLIT_H
#define LAM_ENCODING_BYTE_STREAM_SPLIT_H

#include "encoding/decoder.h"
#include "encoding/encoder.h"

/* Fills in the functions of a decoder whose layout is set. Cannot fail: any bytes are streams. */
void lam_byte_streams_open(lam_decoder *decoder, lam_bytes bytes);

extern const lam_value_writer lam_byte_streams_writer;

#endif
