/* SPDX-License-Identifier: Apache-2.0 */
/* What a comparison gives where a leaf has no value, by its definition level. */
#ifndef LAM_SCAN_MATCH_FILTER_LEVEL_OUTCOMES_H
#define LAM_SCAN_MATCH_FILTER_LEVEL_OUTCOMES_H

#include <string.h>

#include "scan/condition/filter_program.h"

/*
 * Finds the outcome of a comparison for each definition level below the maximum: FALSE where a
 * repeated field has no element, since an empty list holds no value to compare, and UNKNOWN where
 * something is null. For optional a, repeated b, optional c:
 *
 *     definition    0: a is null    1: b is empty    2: c is null    3: a value
 *     outcome       UNKNOWN         FALSE            UNKNOWN         by comparison
 */
static inline void lam_filter_level_outcomes(const lam_field *leaf,
                                             uint8_t outcomes[LAM_SCHEMA_DEPTH_MAX + 1]) {
    memset(outcomes, LAM_OUTCOME_UNKNOWN, leaf->max_definition + (size_t)1);
    for (const lam_field *field = leaf; field->index > 0; field = lam_parent_of(field))
        if (field->repetition == LAM_REPETITION_REPEATED)
            outcomes[field->max_definition - 1] = LAM_OUTCOME_FALSE;
}

#endif
