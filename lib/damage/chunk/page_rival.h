/* SPDX-License-Identifier: Apache-2.0 */
/* Finds page headers that contradict the pages of a damaged chunk. */
#ifndef LAM_DAMAGE_CHUNK_PAGE_RIVAL_H
#define LAM_DAMAGE_CHUNK_PAGE_RIVAL_H

#include "damage/chunk/page_find.h"

/*
 * Finds out whether a header after the beginning of the first of some pages, and at none of them,
 * states a page that ends where one of them begins, or where the chunk ends. The pages are in the
 * order of the file up to the end of the chunk, `size` bytes apart, and begin with a lam_found_page
 * each. True, too, when the work that trying may take was spent before all was tried.
 */
lam_status lam_page_find_rival(lam_page_finder *finder, const void *pages, size_t count,
                               size_t size, bool *ret_has_rival, lam_error *error);

#endif
