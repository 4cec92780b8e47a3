/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks that an array is what its schema says, before anything of it is used. The C data interface
 * does not give the sizes of buffers, so these are trusted; everything that lengths, offsets and
 * children imply about each other is checked, for the slots in use.
 */
#ifndef LAM_ARROW_ARRAY_ARRAY_CHECK_H
#define LAM_ARROW_ARRAY_ARRAY_CHECK_H

#include "arrow/array/array_view.h"
#include "base/thread/task_runner.h"

/*
 * Attaches the views to an array and checks it: all slots of the array, and below it those slots
 * that they use. The children of a struct are tasks of the runner, with `costs` or NULL as
 * lam_task_runner_try takes them. INVALID, with the field's path,
 * when
 *
 *   - a buffer that they need is NULL, there are nulls without validity bits, or the null count is
 *     wrong,
 *   - offsets are negative, decrease, or point outside of the child,
 *   - a child has fewer slots than are used: as many as its struct, or, in a fixed-size list, its
 *     size times as many,
 *   - a list view points outside of the child, or a string view outside of its buffer,
 *   - run ends are null, do not increase, or end before the array, or
 *   - an index that is not null is outside of the dictionary.
 *
 * The views keep two findings: `has_nulls` where a slot in use may be null, and `needs_check` where
 * a value among the slots, even one beneath a null, may not fit its Parquet type.
 */
lam_status lam_array_check(lam_array_view *view, const struct ArrowArray *array,
                           const lam_task_runner *runner, lam_task_cost *costs, lam_error *error);

#endif
