/* SPDX-License-Identifier: Apache-2.0 */
/* The encoding ALP, plugged into decoder.h and encoder.h: FLOAT and DOUBLE. (AlpEncoding.md) */
#ifndef LAM_ENCODING_ALP_H
#define LAM_ENCODING_ALP_H

#include "encoding/decoder.h"
#include "encoding/encoder.h"

/*
 * Fills in `read` and `read_end` of a decoder whose layout and arena are set; state is taken from
 * the arena.
 */
lam_status lam_alp_open(lam_decoder *decoder, lam_bytes bytes, lam_error *error);

extern const lam_value_writer lam_alp_writer;

#endif
