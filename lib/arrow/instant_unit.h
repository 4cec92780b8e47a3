/*
 * The unit in which timestamps of more than 64 bits in the file go to the 64 bits of Arrow: the
 * finest that holds what is known of the column, because a schema is needed before any row.
 *
 *     what is known                             from
 *     bounds of the chunks of all row groups    statistics, where their order is that of instants
 *     else values of the first chunks           dictionary pages, but where ARROW:schema says a
 * unit else nothing                              the unit stays
 *
 * Dictionary pages may be only some of the values: one that does not fit is found when it is read.
 * All row groups count, whichever are read, so that the unit is one of the file.
 * (parquet.thrift, ColumnOrder.INT96_TIMESTAMP_ORDER)
 */
#ifndef LAM_ARROW_INSTANT_UNIT_H
#define LAM_ARROW_INSTANT_UNIT_H

#include "arrow/arrow_plan.h"

/*
 * Gives such columns of a plan their unit: `requested`, which cuts digits, or, where that is 0, one as
 * above that is no finer than the one that the field has. `is_original`: the fields have the units
 * of ARROW:schema. The plan is whole. INVALID when there is no such unit, IO, NOMEM; what is
 * damaged is left for those who read it.
 */
lam_status lam_instant_unit_choose(lam_arrow_plan *plan, const lam_reader *reader,
                                   lam_time_unit requested, bool is_original, lam_error *error);

#endif
