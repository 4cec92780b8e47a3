/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Picks the decimal scale that each vector of a page is written with. (AlpEncoding.md, section
 * "Parameter Selection")
 */
#ifndef LAM_ENCODING_ALP_SCALE_H
#define LAM_ENCODING_ALP_SCALE_H

#include "encoding/alp_decimal.h"

enum { LAM_ALP_PRESETS = 4 };

/*
 * Scales that served earlier vectors. Starts as zeros; the picks depend on the values of the page
 * alone.
 */
typedef struct lam_alp_picker {
    lam_alp_scale presets[LAM_ALP_PRESETS];
    unsigned searches; /* in all; the results of the last LAM_ALP_PRESETS are kept */
    size_t best_cost;  /* of the scale that was found last, in bits of a sample */
    unsigned vectors;  /* since the last search */
    unsigned pause;    /* vectors that pass before another search, when the presets do badly */
} lam_alp_picker;

/* The scale for the next vector, of floats or of doubles. */
lam_alp_scale lam_alp_pick_32(lam_alp_picker *picker, const float *numbers, size_t count);
lam_alp_scale lam_alp_pick_64(lam_alp_picker *picker, const double *numbers, size_t count);

#endif
