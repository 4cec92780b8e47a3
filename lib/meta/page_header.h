/* SPDX-License-Identifier: Apache-2.0 */
/* What a page header that was read certainly has, and what it says about its page. */
#ifndef LAM_META_PAGE_HEADER_H
#define LAM_META_PAGE_HEADER_H

#include <lamella/format.h>

#include "meta/metadata.h"

/*
 * CORRUPT unless the header has the struct that goes with its type. Reading calls this, so that
 * every header that was read has it. Pages of other types than data and dictionaries, which readers
 * skip, need none.
 */
lam_status lam_page_header_check(const lam_meta_page_header *header, lam_error *error);

/*
 * The triples of a data page, or the entries of a dictionary, as stated: a false number may be
 * negative. -1 for pages of other types.
 */
int32_t lam_page_header_count(const lam_meta_page_header *header);

/* The encoding of the values of a data page or dictionary; -1 for pages of other types. */
int32_t lam_page_header_encoding(const lam_meta_page_header *header);

/* A data page's statistics; NULL without any, and for pages of other types. */
const lam_meta_statistics *lam_page_header_statistics(const lam_meta_page_header *header);

/* True for the two types of pages that hold triples. */
static inline bool lam_page_header_is_data(const lam_meta_page_header *header) {
    return header->type == LAM_PAGE_DATA || header->type == LAM_PAGE_DATA_V2;
}

#endif
