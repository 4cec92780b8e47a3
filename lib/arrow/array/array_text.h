/* SPDX-License-Identifier: Apache-2.0 */
/* Checks quickly whether strings are UTF-8. */
#ifndef LAM_ARROW_ARRAY_ARRAY_TEXT_H
#define LAM_ARROW_ARRAY_ARRAY_TEXT_H

#include "arrow/array/array_view.h"

/*
 * Whether each of the slots of a STRING or LARGE_STRING, whose offsets are checked, is UTF-8. Null
 * slots count as well: false says that some bytes between the offsets are not UTF-8, maybe those of
 * a null.
 */
bool lam_array_is_text(const lam_array_view *view, int64_t start, int64_t count);

/* The same for one slot of a STRING_VIEW, which is checked and not null. */
bool lam_array_view_is_text(const lam_array_view *view, int64_t slot);

/* The value of a slot of a BINARY_VIEW or STRING_VIEW, which is checked and not null. */
lam_bytes lam_array_view_bytes(const lam_array_view *view, int64_t slot);

#endif
