/* SPDX-License-Identifier: Apache-2.0 */
/* Tells leftovers of a log in which no record was durable from damaged files. */
#ifndef LAM_DAMAGE_UNFINISHED_EMPTY_LEFTOVER_H
#define LAM_DAMAGE_UNFINISHED_EMPTY_LEFTOVER_H

#include "damage/unfinished/recovery_walk.h"

/*
 * True when a leftover has no complete page: it has no byte after the magic, only zeros from some
 * place in its first page on, or ends inside that page. `walk` is one that was run over it; NULL
 * when it does not begin with the magic. Bytes that could be the magic of a recovery record make it
 * a damaged file.
 */
lam_status lam_leftover_is_empty(const lam_input *input, const lam_recovery_walk *walk,
                                 const lam_stop *stop, const lam_allocator *allocator,
                                 bool *ret_is_empty, lam_error *error);

#endif
