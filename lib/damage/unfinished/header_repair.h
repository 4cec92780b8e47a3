/* SPDX-License-Identifier: Apache-2.0 */
/* Repairs page headers with one wrong bit, in files that say nothing else of their pages. */
#ifndef LAM_DAMAGE_UNFINISHED_HEADER_REPAIR_H
#define LAM_DAMAGE_UNFINISHED_HEADER_REPAIR_H

#include "damage/unfinished/file_item.h"
#include "io/patched_input.h"

typedef struct lam_header_repair {
    lam_patched_input patched; /* the file with the bits that were turned over */
    lam_arena arena;           /* of the header that is tried */
    lam_buffer written;        /* a header, as it would be written */
    uint64_t crc_begin;        /* the last checksum that was computed, and of what */
    uint64_t crc_end;
    uint32_t crc;
    uint64_t work_left;  /* bytes that may still be summed for what may be a page */
    size_t headers_left; /* that may still be tried */
    bool found_damage;   /* a page that does not match its checksum, and was not repaired */
} lam_header_repair;

/* The input is borrowed until finish; the struct must not move until then. Cannot fail. */
void lam_header_repair_init(lam_header_repair *repair, const lam_input *input,
                            const lam_allocator *allocator);
void lam_header_repair_finish(lam_header_repair *repair);

/*
 * Gives the next item, as lam_file_items_next does. Where that is none, or a page that does not
 * match its checksum, the one bit is turned over with which a page begins there that does, if there
 * is exactly one such page; else it is_wrong. An item whose header is in a gap is UNKNOWN. `items`
 * must read the patched input; NULL repairs nothing.
 */
lam_status lam_header_repair_next(lam_header_repair *repair, lam_file_items *items,
                                  lam_file_item *ret_item, lam_error *error);

#endif
