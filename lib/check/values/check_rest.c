/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks that nothing follows the last value of a page.
 *
 * The decoder has given all values and knows what it has not used: bytes, or values that its
 * encoding holds beyond those of the page. It stays where it is.
 */
#include "check/values/check_rest.h"

#include "base/error.h"

/*
 * A warning: readers get all values of the page. See lam_decoder_end for the one encoding where
 * leftovers are an error.
 */
lam_status lam_check_rest(lam_chunk_check *chunk, const lam_decoder *decoder,
                          lam_check_location location) {
    lam_error rest = lam_error_none();
    if (lam_decoder_find_rest(decoder, &rest) == LAM_STATUS_OK)
        return LAM_STATUS_OK;
    return lam_check_warn(chunk->checker, LAM_RULE_PAGE_VALUES, location, rest.message);
}
