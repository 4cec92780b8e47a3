/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arrays told as records, the other way than the library goes: slot by slot, from the root down,
 * as the events that the assembler would give.
 */
#ifndef LAM_TESTS_ARRAY_RECORDS_H
#define LAM_TESTS_ARRAY_RECORDS_H

#include <lamella/record.h>

#include "arrow/array/arrow_plan.h"

/*
 * Tells all rows of a struct array to a sink. Types are those that columns have without
 * ARROW:schema; timestamps of INT96 are not among them.
 */
void lam_array_tell(const lam_arrow_plan *plan, const struct ArrowArray *array,
                    const lam_record_sink *sink);

#endif
