/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Chooses the unit in which timestamps of more than 64 bits become Arrow timestamps of 64 bits: the
 * finest that counts all that is known of the column, because Arrow wants the schema before the
 * first row.
 *
 *     known before the first row                source
 *     bounds of the chunks of all row groups    statistics, where their order is that of instants
 *     else values of the first chunks           dictionary pages, unless ARROW:schema has a unit
 *     else nothing                              the unit stays as it is
 *
 * A dictionary page may hold only some of the values: one that the unit cannot count fails when it
 * is read. All row groups count, whichever are read, so that a file always has the same unit.
 * (parquet.thrift, ColumnOrder.INT96_TIMESTAMP_ORDER)
 */
#ifndef LAM_ARROW_READ_INSTANT_UNIT_H
#define LAM_ARROW_READ_INSTANT_UNIT_H

#include "arrow/array/arrow_plan.h"

/*
 * Sets the unit of such columns of a plan: to `requested`, which cuts digits, or, if that is 0, to
 * the one found as above, never finer than the unit that the field already has. `is_original`: the
 * fields have the units of ARROW:schema. The plan must be complete. INVALID when no such unit
 * exists, IO, NOMEM; damage is left for those who read the rows.
 */
lam_status lam_instant_unit_choose(lam_arrow_plan *plan, const lam_reader *reader,
                                   lam_time_unit requested, bool is_original, lam_error *error);

#endif
