/* The encoding BYTE_STREAM_SPLIT, plugged into decoder.h and encoder.h. */
#ifndef LAM_ENCODING_BYTE_STREAM_SPLIT_H
#define LAM_ENCODING_BYTE_STREAM_SPLIT_H

#include "encoding/decoder.h"
#include "encoding/encoder.h"

void lam_byte_streams_open(lam_decoder *decoder, lam_bytes bytes);

extern const lam_value_writer lam_byte_streams_writer;

#endif
