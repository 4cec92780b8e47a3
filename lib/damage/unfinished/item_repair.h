/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Repairs page headers with one wrong bit, in files that have no other statements about their
 * pages.
 */
#ifndef LAM_DAMAGE_UNFINISHED_ITEM_REPAIR_H
#define LAM_DAMAGE_UNFINISHED_ITEM_REPAIR_H

#include "damage/chunk/header_repair.h"
#include "damage/unfinished/file_item.h"

typedef struct lam_item_repair {
    lam_patched_input patched; /* the file with the flipped bits */
    lam_header_repair headers;
    size_t headers_left; /* that may still be tried */
    bool found_damage;   /* a page that does not match its checksum, and was not repaired */
} lam_item_repair;

/* The input is borrowed until finish; the struct must not move until then. Cannot fail. */
void lam_item_repair_init(lam_item_repair *repair, const lam_input *input,
                          const lam_allocator *allocator);
void lam_item_repair_finish(lam_item_repair *repair);

/*
 * Gives the next item, as lam_file_items_next does. If that is none, or a page that does not match
 * its checksum, the one bit is flipped with which a page begins there that does, if there is
 * exactly one such page; else it is_wrong. An item whose header is in a gap is UNKNOWN. `items`
 * must read the patched input; NULL does not repair.
 */
lam_status lam_item_repair_next(lam_item_repair *repair, lam_file_items *items,
                                lam_file_item *ret_item, lam_error *error);

#endif
