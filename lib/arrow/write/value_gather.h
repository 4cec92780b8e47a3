/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Copies the values of a leaf's slots together, without the gaps that nulls leave, in the form that
 * Arrow has them.
 */
#ifndef LAM_ARROW_WRITE_VALUE_GATHER_H
#define LAM_ARROW_WRITE_VALUE_GATHER_H

#include "arrow/write/level_write.h"
#include "base/buffer.h"

/*
 * Copies the values of slots of `ranges` whose byte of `valid` is not 0 (all, when it is NULL) to
 * `to`, which has room for one more than there are:
 *
 *     BOOL                          a byte, 0 or 1
 *     all kinds of strings, binary  a lam_bytes, borrowed from the array
 *     other types                   the bytes of the slot
 */
void lam_values_gather(const lam_kernels *kernels, const lam_array_view *view,
                       const lam_slot_range *ranges, size_t range_count, const uint8_t *valid,
                       uint8_t *to);

/* True if gather copies bytes of slots; false for all others, even if they are as wide. */
bool lam_values_are_slots(const lam_array_view *view);

/* Bytes of an element that gather writes; 0 for the null type. */
size_t lam_values_gathered_size(const lam_array_view *view);

#endif
