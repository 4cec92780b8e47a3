/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes values in PLAIN or, if that takes fewer bytes, as differences: DELTA_BINARY_PACKED for
 * integers, DELTA_BYTE_ARRAY or DELTA_LENGTH_BYTE_ARRAY for byte arrays. The choice is made for
 * each page by its values alone. Sequences, times and row numbers shrink to a fraction before a
 * codec sees them; texts are mostly smaller and faster for a codec, too, without the lengths
 * between them and without the prefix that each shares with the one before.
 */
#ifndef LAM_ENCODING_AUTO_ENCODER_H
#define LAM_ENCODING_AUTO_ENCODER_H

#include "encoding/encoder.h"

/*
 * For INT32 and INT64, and for BYTE_ARRAY. The encoder's `encoding` is that of the last page that
 * ended.
 */
extern const lam_value_writer lam_auto_integers_writer;
extern const lam_value_writer lam_auto_bytes_writer;

#endif
