/* SPDX-License-Identifier: Apache-2.0 */
/* Trees of metadata structs by the tables of meta/tables.h: random ones, and whether two are
 * equal. */
#ifndef LAM_TESTS_META_TREE_H
#define LAM_TESTS_META_TREE_H

#include "base/arena.h"
#include "meta/tables.h"
#include "support/random.h"

/* Fills `out` with a struct or union whose strings have no NUL; `abundance` is the mean length of
 * the lists of structs. */
void lam_meta_tree_random(lam_random *random, const lam_meta_struct *table, unsigned abundance,
                          lam_arena *arena, void *out);

/* Equal in what is present and in its values; doubles by their bits. Unions that are empty or not
 * recognized are equal, as they are on the wire. */
bool lam_meta_tree_equals(const lam_meta_struct *table, const void *a, const void *b);

#endif
