/* The encoding DELTA_BYTE_ARRAY, plugged into decoder.h and encoder.h. */
#ifndef LAM_ENCODING_DELTA_BYTE_ARRAY_H
#define LAM_ENCODING_DELTA_BYTE_ARRAY_H

#include "encoding/decoder.h"
#include "encoding/encoder.h"

lam_status lam_delta_strings_open(lam_decoder *decoder, lam_bytes bytes, lam_error *error);

extern const lam_value_writer lam_delta_strings_writer;

#endif
