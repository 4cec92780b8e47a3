/*
 * Values in PLAIN or, when that takes fewer bytes, as differences: DELTA_BINARY_PACKED for
 * integers, DELTA_BYTE_ARRAY or DELTA_LENGTH_BYTE_ARRAY for byte arrays. Settled for each page by
 * its values alone. Sequences, times and numbers of rows shrink to a fraction before a codec has
 * looked at them, and without the lengths between them and without what each has in common with the
 * one before it, texts are mostly smaller and quicker for a codec, too.
 */
#ifndef LAM_ENCODING_AUTO_ENCODER_H
#define LAM_ENCODING_AUTO_ENCODER_H

#include "encoding/encoder.h"

/* Of INT32 and INT64, and of BYTE_ARRAY. The encoder's `encoding` is that of the last page. */
extern const lam_value_writer lam_auto_integers_writer;
extern const lam_value_writer lam_auto_bytes_writer;

#endif
