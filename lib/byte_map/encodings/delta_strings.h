/* SPDX-License-Identifier: Apache-2.0 */
/* Streams of differences inside other encodings. */
#ifndef LAM_BYTE_MAP_ENCODINGS_DELTA_STRINGS_H
#define LAM_BYTE_MAP_ENCODINGS_DELTA_STRINGS_H

#include "byte_map/walk/byte_walk.h"
#include "encoding/delta_binary_packed.h"

/*
 * Reports the stream that a view begins with, and gives its size, and a decoder at its first value;
 * one without values if the stream is damaged, which then takes the entire view.
 */
lam_status lam_byte_deltas(lam_byte_walk *walk, lam_byte_view view, unsigned bits,
                           const char *label, size_t *ret_size, lam_delta_decoder *ret_decoder,
                           lam_error *error);

#endif
