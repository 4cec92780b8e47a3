/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Evaluates tests of two leaves (scan/condition/filter_peer.h): their triples are read side by
 * side, and no record is assembled.
 */
#ifndef LAM_SCAN_MATCH_FILTER_PEER_WALK_H
#define LAM_SCAN_MATCH_FILTER_PEER_WALK_H

#include <lamella/dremel.h>

#include "scan/condition/filter_peer.h"

typedef struct lam_peer_walk lam_peer_walk;

/* Creates a walk for a test with a peer, which is borrowed until destroy. NOMEM. */
lam_status lam_peer_walk_create(const lam_filter_test *test, const lam_allocator *allocator,
                                lam_peer_walk **ret_walk, lam_error *error);
void lam_peer_walk_destroy(lam_peer_walk *walk);

/*
 * Sets where triples come from: of the test's leaf (0), and of the other one (1). Levels must be at
 * most the leaf's, as those of a cursor are.
 */
void lam_peer_walk_set_source(lam_peer_walk *walk, size_t column, lam_triple_source source);

/*
 * Reads `count` records, which are all that the sources give, and sets `outcomes[0]` and on. Gives
 * how many records there were; fewer mean that the columns have ended. CORRUPT, with the path of a
 * column, for levels that contradict those of the other; failures of the sources.
 */
lam_status lam_peer_walk_rows(lam_peer_walk *walk, size_t count, uint8_t *outcomes,
                              size_t *ret_rows, lam_error *error);

#endif
