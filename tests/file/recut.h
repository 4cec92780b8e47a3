/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files whose columns that repeat have pages which do not begin with records, or an offset index
 * that is wrong, as some writers make them.
 */
#ifndef LAM_TESTS_RECUT_H
#define LAM_TESTS_RECUT_H

#include <lamella/format.h>

#include "base/buffer.h"
#include "support/random.h"

/* Where pages begin, and how the offset index counts their rows. */
typedef enum lam_recut_kind {
    LAM_RECUT_AT_RECORDS, /* as an index requires it */
    LAM_RECUT_INSIDE,     /* of records; it counts those that began before, as arrow-go does */
    LAM_RECUT_BACK,       /* the same, but it counts back to the record that goes on */
    LAM_RECUT_SHIFTED,    /* at records, and one of its numbers is off by one */
    LAM_RECUT_KINDS
} lam_recut_kind;

typedef struct lam_recut {
    lam_recut_kind kind;
    int32_t version; /* of the data pages */
    lam_codec codec;
    size_t triples; /* of a page, at most, unless no record begins among them */
} lam_recut;

/*
 * Gives all chunks of leaves that repeat new pages, PLAIN, and a page index that has bounds, right
 * for each page, and no histograms. Ends the test when it cannot.
 */
void lam_recut_file(lam_buffer *file, const lam_recut *how, lam_random *random);

#endif
