/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One value for the entire contents of a field, for a VARIANT or a STRING that replaces it: made
 * from the field's events, one slot at a time. UNSUPPORTED in a build without JSON.
 */
#ifndef LAM_DATASET_UNION_WHOLE_VALUE_H
#define LAM_DATASET_UNION_WHOLE_VALUE_H

#include <lamella/record.h>
#include <lamella/variant.h>

typedef struct lam_whole_value lam_whole_value;

/*
 * `source` is the field, whose `repetition` may be another than its own: the element of a list is
 * required. A VARIANT is made, or the text of its JSON. The schema is held.
 */
lam_status lam_whole_value_create(const lam_field *source, lam_repetition repetition,
                                  bool is_variant, const lam_allocator *allocator,
                                  lam_whole_value **ret_whole, lam_error *error);
void lam_whole_value_destroy(lam_whole_value *whole);

/* Begins a slot; then the events of the field, its own open and close included, in their order. */
lam_status lam_whole_value_begin(lam_whole_value *whole, lam_error *error);
lam_status lam_whole_value_open(lam_whole_value *whole, const lam_field *group, lam_error *error);
lam_status lam_whole_value_put(lam_whole_value *whole, const lam_field *leaf, lam_value value,
                               lam_error *error);
lam_status lam_whole_value_close(lam_whole_value *whole, const lam_field *group, lam_error *error);
/*
 * Ends the slot: gives the VARIANT, or a text in `value`, borrowed until the next begin. Only if
 * there were events, unless the field repeats: then no events are an empty array.
 */
lam_status lam_whole_value_end(lam_whole_value *whole, lam_variant *ret_value, lam_error *error);

#endif
