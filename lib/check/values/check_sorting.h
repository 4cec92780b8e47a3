/* SPDX-License-Identifier: Apache-2.0 */
/* The order of the rows of a row group. */
#ifndef LAM_CHECK_VALUES_CHECK_SORTING_H
#define LAM_CHECK_VALUES_CHECK_SORTING_H

#include "check/report/report.h"

enum { LAM_CHECK_SORTING_MOST = 16 }; /* sorting columns that are verified, side by side */

/*
 * Checks the order of the rows in a row group. All of its sorting columns must have been read
 * without loss.
 */
lam_status lam_check_sorting(lam_checker *checker, size_t row_group);

#endif
