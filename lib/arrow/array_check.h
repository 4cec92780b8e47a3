/*
 * Whether an array is what its schema says, before anything of it is used. The C data interface
 * does not give the sizes of buffers, so that they are the producer's word; everything that
 * lengths, offsets and children say of each other is looked at, for the slots in use.
 */
#ifndef LAM_ARROW_ARRAY_CHECK_H
#define LAM_ARROW_ARRAY_CHECK_H

#include "arrow/array_view.h"

/*
 * Attaches the views to an array and checks it: all slots of the array, and below it those slots
 * that they use. INVALID, with the field's path, when
 *
 *   - a buffer that they need is NULL, or nulls are there without validity bits or against the null
 *     count,
 *   - offsets are negative or decrease, or leave the child,
 *   - a child has fewer slots than are used: of a struct as many as the struct, of a fixed-size
 * list its size times as many,
 *   - a list view or a string view leaves the child or its buffer,
 *   - run ends are null, do not increase, or end before the array, or
 *   - an index that is not null is outside of the dictionary.
 *
 * What it found besides is left in the views: `has_nulls` where a slot in use may be null, and
 * `needs_check` where a value among them, be it beneath a null, may not fit its Parquet type.
 */
lam_status lam_array_check(lam_array_view *view, const struct ArrowArray *array, lam_error *error);

#endif
