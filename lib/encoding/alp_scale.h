/*
 * Which decimal scale the vectors of a page are written with. (AlpEncoding.md, section "Parameter
 * Selection")
 */
#ifndef LAM_ENCODING_ALP_SCALE_H
#define LAM_ENCODING_ALP_SCALE_H

#include "encoding/alp_decimal.h"

enum { LAM_ALP_PRESETS = 4 };

/* Scales that served the vectors before. Starts as zeros; what it picks follows from the values
 * alone. */
typedef struct lam_alp_picker {
    lam_alp_scale presets[LAM_ALP_PRESETS];
    unsigned searches; /* what they found last is kept */
    size_t best_cost;  /* of the scale that was found last, in bits of a sample */
    unsigned vectors;  /* since then */
    unsigned pause;    /* vectors that pass before another search, when the presets do badly */
} lam_alp_picker;

/* The scale for the next vector, of floats or of doubles. */
lam_alp_scale lam_alp_pick_32(lam_alp_picker *picker, const float *numbers, size_t count);
lam_alp_scale lam_alp_pick_64(lam_alp_picker *picker, const double *numbers, size_t count);

#endif
