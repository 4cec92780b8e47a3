/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arrow arrays that lie. A right array is copied, each buffer into a block of its own, so that the
 * sanitizer sees every step beyond one; then some of its numbers are changed to others. What the
 * interface gives no means to find out stays true: the blocks of an array that is to be forged have
 * room behind them for what a forged length, offset or index may claim of them.
 */
#ifndef LAM_FUZZ_ARRAY_FORGE_H
#define LAM_FUZZ_ARRAY_FORGE_H

#include "arrow/field/arrow_field.h"
#include "fuzz/harness.h"

/* An array of the tree and what its buffers have. */
typedef struct lam_forged_node {
    const lam_arrow_field *field;
    struct ArrowArray *array;
    size_t slots;     /* that its buffers have */
    size_t data_size; /* of strings and bytes: of the buffer that offsets point into */
} lam_forged_node;

typedef struct lam_forged_array {
    lam_forged_node *nodes; /* the root first */
    size_t node_count;
    void **blocks;
    size_t block_count;
    bool has_room;
    bool is_shifted; /* buffers begin at odd addresses */
} lam_forged_array;

/* Copies an array and all below it. */
void lam_forged_array_init(lam_forged_array *forged, const lam_arrow_field *field,
                           const struct ArrowArray *array, bool has_room, bool is_shifted);
void lam_forged_array_finish(lam_forged_array *forged);

/* Changes one thing, as the next bytes of the input say; the array must have room. */
void lam_forge(lam_forged_array *forged, lam_fuzz_input *input);

#endif
