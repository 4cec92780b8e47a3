/* SPDX-License-Identifier: Apache-2.0 */
/* One column chunk, from its place in the footer down to its values. */
#ifndef LAM_CHECK_DRIVER_CHECK_CHUNK_H
#define LAM_CHECK_DRIVER_CHECK_CHUNK_H

#include "check/report/report.h"

/*
 * Checks one column chunk down to its values; `*ret_whole` is true when all of it could be read and
 * its counts of values and rows agree with the footer.
 */
lam_status lam_check_chunk(lam_checker *checker, size_t row_group, size_t leaf_index,
                           bool *ret_whole);

#endif
