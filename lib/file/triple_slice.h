/* Whole columns of triples, cut at record boundaries and checked before they are written. */
#ifndef LAM_FILE_TRIPLE_SLICE_H
#define LAM_FILE_TRIPLE_SLICE_H

#include <lamella/record.h>

/*
 * INVALID when the triples are not exactly `record_count` records of the leaf: levels out of range,
 * counts that disagree, arrays that are missing, byte arrays too long for the format.
 */
lam_status lam_triples_check(const lam_field *leaf, const lam_triples *triples, size_t record_count,
                             lam_error *error);

/* Takes the first `record_count` records from the front of `rest`, which has at least as many. */
lam_triples lam_triples_take(const lam_field *leaf, lam_triples *rest, size_t record_count);

#endif
