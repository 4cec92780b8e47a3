/* The values of a leaf's slots without the gaps that nulls leave, as Arrow has them. */
#ifndef LAM_ARROW_VALUE_GATHER_H
#define LAM_ARROW_VALUE_GATHER_H

#include "arrow/level_write.h"
#include "base/buffer.h"

/*
 * Copies the values of slots of `ranges` whose byte of `valid` is not 0 (all, when it is NULL) to
 * `to`, which has room for one more than there are:
 *
 *     BOOL                          a byte, 0 or 1
 *     all kinds of strings, binary  a lam_bytes, borrowed from the array
 *     the others                    what lies in the array's slots
 */
void lam_values_gather(const lam_array_view *view, const lam_slot_range *ranges, size_t range_count,
                       const uint8_t *valid, uint8_t *to);

/* True where gather gives what lies in the slots: not for the others, even if they are as wide. */
bool lam_values_are_slots(const lam_array_view *view);

/* Bytes of an element that gather gives; 0 for the null type. */
size_t lam_values_gathered_size(const lam_array_view *view);

#endif
