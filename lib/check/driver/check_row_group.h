/* SPDX-License-Identifier: Apache-2.0 */
/* Row groups, one after the other. */
#ifndef LAM_CHECK_DRIVER_CHECK_ROW_GROUP_H
#define LAM_CHECK_DRIVER_CHECK_ROW_GROUP_H

#include "check/report/report.h"

/* Checks all row groups with all their chunks, up to max_rows. */
lam_status lam_check_row_groups(lam_checker *checker);

#endif
