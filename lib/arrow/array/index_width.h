/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Widens the index types of dictionary columns that are too narrow for the dictionaries of a file.
 * ARROW:schema records the type of the arrays that were written, and each of those may have had a
 * dictionary of its own; a column chunk has one dictionary for all of them, which may need wider
 * indexes:
 *
 *     written    three arrays of dictionary<int8, string>, 100 values each, all different
 *     the file   one chunk whose dictionary page has 300 values: its indexes need int32
 */
#ifndef LAM_ARROW_ARRAY_INDEX_WIDTH_H
#define LAM_ARROW_ARRAY_INDEX_WIDTH_H

#include "arrow/array/arrow_plan.h"

/*
 * Changes index types of 8 and 16 bits to int32 if they cannot number the dictionary page of a
 * chunk. All row groups count, whichever are read, so that a file always has the same type. Chunks
 * with no more values than the type can number are skipped unread, and damaged ones are ignored
 * here: their reader reports it. The plan must be complete. IO, NOMEM.
 */
lam_status lam_index_width_choose(lam_arrow_plan *plan, const lam_reader *reader, lam_error *error);

#endif
