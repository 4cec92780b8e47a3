/* The encoding ALP, plugged into decoder.h and encoder.h. */
#ifndef LAM_ENCODING_ALP_H
#define LAM_ENCODING_ALP_H

#include "encoding/decoder.h"
#include "encoding/encoder.h"

lam_status lam_alp_open(lam_decoder *decoder, lam_bytes bytes, lam_error *error);

extern const lam_value_writer lam_alp_writer;

#endif
