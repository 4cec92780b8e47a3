/* SPDX-License-Identifier: Apache-2.0 */
/* What follows the values of a page. */
#ifndef LAM_CHECK_VALUES_CHECK_REST_H
#define LAM_CHECK_VALUES_CHECK_REST_H

#include "check/chunk/chunk_check.h"
#include "encoding/decoder.h"

/*
 * After the last value of a page was read: reports bytes or values that are left over, as a
 * warning.
 */
lam_status lam_check_rest(lam_chunk_check *chunk, const lam_decoder *decoder,
                          lam_check_location location);

#endif
