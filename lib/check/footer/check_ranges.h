/* SPDX-License-Identifier: Apache-2.0 */
/* Which bytes of the file are claimed, and by what. */
#ifndef LAM_CHECK_FOOTER_CHECK_RANGES_H
#define LAM_CHECK_FOOTER_CHECK_RANGES_H

#include "check/report/report.h"

/* Bytes of the file that no other range may use. */
typedef struct lam_check_range {
    uint64_t offset;
    uint64_t size;
    int32_t row_group;
    int32_t column;
    const char *what; /* for messages, "the column chunk"; static */
} lam_check_range;

/* Notes a range; an empty one is ignored. The caller has checked that it is within the file. */
lam_status lam_check_add_range(lam_checker *checker, lam_check_location location, uint64_t offset,
                               uint64_t size, const char *what);
/* Reports each range that overlaps another one; sorts the ranges. */
lam_status lam_check_ranges(lam_checker *checker);

#endif
