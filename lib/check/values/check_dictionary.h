/* SPDX-License-Identifier: Apache-2.0 */
/* The dictionary page of a column chunk, and pages of indexes into it. */
#ifndef LAM_CHECK_VALUES_CHECK_DICTIONARY_H
#define LAM_CHECK_VALUES_CHECK_DICTIONARY_H

#include "check/chunk/chunk_check.h"

/* `offset` is that of the page's header. The walk is past the page. */
lam_status lam_check_dictionary_page(lam_chunk_check *chunk, const lam_meta_page_header *header,
                                     uint64_t offset);
/* Whether pages of indexes are checked by entry (lam_check_indexes) instead of value by value. */
bool lam_check_takes_ranks(const lam_chunk_check *chunk);
/* Does what lam_check_values does, for a page of indexes into a dictionary that could be read. */
lam_status lam_check_indexes(lam_chunk_check *chunk, const lam_page *page, uint64_t count,
                             lam_check_location location, bool *ret_good);
void lam_check_free_dictionary(lam_chunk_check *chunk);

#endif
