/* SPDX-License-Identifier: Apache-2.0 */
/* Changes what is in a page: its levels, its values as their encoding has them, its codec. */
#ifndef LAM_FUZZ_PAGE_CHANGE_H
#define LAM_FUZZ_PAGE_CHANGE_H

#include "fuzz/file_draft.h"

/* What the body of a page means. */
typedef struct lam_fuzz_page_kind {
    int32_t codec; /* as in the format */
    int32_t type;  /* lam_physical_type */
    unsigned max_repetition;
    unsigned max_definition;
} lam_fuzz_page_kind;

/*
 * Changes one section of the page: levels, or values. The body is compressed again, and lengths of
 * sections and the sizes in the header are right. False when the page cannot be opened.
 */
bool lam_fuzz_page_change(lam_fuzz_draft *draft, lam_fuzz_page *page,
                          const lam_fuzz_page_kind *kind, lam_random *random);

/* Compresses the body by another codec; false when it stays as it was. */
bool lam_fuzz_page_recompress(lam_fuzz_draft *draft, lam_fuzz_page *page,
                              const lam_fuzz_page_kind *kind, int32_t codec);

#endif
