/* SPDX-License-Identifier: Apache-2.0 */
/* VARIANTs, as values that several columns hold. */
#ifndef LAM_CHECK_VALUES_CHECK_VARIANTS_H
#define LAM_CHECK_VALUES_CHECK_VARIANTS_H

#include "check/report/report.h"

/*
 * Checks the VARIANTs of a row group as values. `sound` says for each leaf that its column is
 * flawless by itself; a VARIANT is checked when all of its columns are.
 */
lam_status lam_check_variants(lam_checker *checker, size_t row_group, const bool *sound);

#endif
