/* SPDX-License-Identifier: Apache-2.0 */
/* How far a possible page of a damaged chunk can be trusted, for page_find.c. */
#ifndef LAM_DAMAGE_CHUNK_PAGE_TRUST_H
#define LAM_DAMAGE_CHUNK_PAGE_TRUST_H

#include "damage/chunk/page_find.h"

/* The evidence for a header, from none to all. */
typedef enum lam_page_trust {
    LAM_PAGE_TRUST_NONE,   /* it is not one, or states the impossible */
    LAM_PAGE_TRUST_PARSES, /* its body is damaged, or it is not its body */
    LAM_PAGE_TRUST_SOUND
} lam_page_trust;

/*
 * Parses the header at `page->offset`, and describes the page that it states. The structs of the
 * header live until the next call.
 */
lam_status lam_page_read_header(lam_page_finder *finder, lam_found_page *page,
                                lam_meta_page_header *ret_header, bool *ret_is_header,
                                lam_error *error);
/*
 * Takes the numbers of a header, whose page begins its body at `page->body`; false when they cannot
 * be those of a page of the chunk.
 */
bool lam_page_describe(const lam_page_finder *finder, const lam_meta_page_header *header,
                       lam_found_page *page);
/* Compares the body with its header, which was parsed last: the checksum first, then the values. */
lam_status lam_page_confirm(lam_page_finder *finder, const lam_meta_page_header *header,
                            lam_found_page *page, lam_page_trust *ret_trust, lam_error *error);
/* Reads and confirms the bytes at an offset. */
lam_status lam_page_try(lam_page_finder *finder, uint64_t offset, lam_found_page *ret_page,
                        lam_page_trust *ret_trust, lam_error *error);
/* Whether another page, or the end of the chunk, follows a page. */
lam_status lam_page_is_followed(lam_page_finder *finder, const lam_found_page *page,
                                bool *ret_is_followed, lam_error *error);
/* Forgets the dictionary of the cursor, or the remains of one that could not be decoded. */
void lam_page_drop_dictionary(lam_column_cursor *cursor);

#endif
