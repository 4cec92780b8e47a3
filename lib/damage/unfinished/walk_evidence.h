/* SPDX-License-Identifier: Apache-2.0 */
/* Asks the rest of a file whether a walk has arrived where it must not be: inside a page. */
#ifndef LAM_DAMAGE_UNFINISHED_WALK_EVIDENCE_H
#define LAM_DAMAGE_UNFINISHED_WALK_EVIDENCE_H

#include "base/thread/stop.h"
#include "damage/unfinished/file_item.h"

/* How a file is asked, and the cost that this may have. */
typedef struct lam_walk_evidence {
    const lam_input *input;
    const lam_allocator *allocator;
    uint64_t memory_limit; /* of the metadata of one record */
    uint64_t sums_left;    /* bytes that may still be summed to find where pages end */
    uint64_t search_left;  /* bytes that may still be searched for rivals */
    const lam_stop *stop;  /* or NULL */
} lam_walk_evidence;

/* All are borrowed while the file is asked; `stop` may be NULL. */
void lam_walk_evidence_init(lam_walk_evidence *evidence, const lam_input *input,
                            uint64_t memory_limit, const lam_stop *stop,
                            const lam_allocator *allocator);

/*
 * True when the checksum of a page, which its body does not match, is that of fewer or more bytes
 * after the header, and an item begins after them: the size is wrong, and not the body.
 */
lam_status lam_walk_evidence_size_is_wrong(lam_walk_evidence *evidence, const lam_walked_page *page,
                                           bool *ret_is_wrong, lam_error *error);

/*
 * True when metadata at `at` have a rival: a record FIRST after the start of the page at `from` and
 * right after its column chunks, one of which has that page, or `at`, inside it. True, too, when no
 * work is left to find out.
 */
lam_status lam_walk_evidence_has_rival(lam_walk_evidence *evidence, uint64_t from, uint64_t at,
                                       bool *ret_has_rival, lam_error *error);

#endif
