/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Puts the members of an object that were printed in another order into the order of the schema.
 * Nearly always they come in order, and print as they come, with the absent ones in between:
 *
 *     put a, put c             {"a":1,"b":null,"c":3
 *     put b, out of order      {"a":1,"b":null,"c":3,"b":2      from here on, positions are noted
 *     close                    {"a":1,"b":2,"c":3}
 */
#ifndef LAM_JSON_WRITE_JSON_REORDER_H
#define LAM_JSON_WRITE_JSON_REORDER_H

#include "base/buffer.h"
#include "json/parse/json_shape.h"

typedef struct lam_json_reorder {
    lam_buffer pieces; /* members of all open objects that are out of order, as a stack */
    lam_buffer sorted; /* the pieces of one object by ordinal, while it is put in order */
    lam_buffer text;   /* its new text */
} lam_json_reorder;

void lam_json_reorder_init(lam_json_reorder *reorder, const lam_allocator *allocator);
void lam_json_reorder_finish(lam_json_reorder *reorder);
/* Forgets all objects. */
void lam_json_reorder_clear(lam_json_reorder *reorder);

/*
 * Begins with an object that has printed all shown members before `next`, from `start` on in the
 * text. Gives the mark to end it with.
 */
lam_status lam_json_reorder_begin(lam_json_reorder *reorder, const lam_json_shape *shape,
                                  const lam_json_node *group, uint32_t next, const lam_buffer *text,
                                  size_t start, size_t *ret_mark, lam_error *error);
/* Notes that a member is printed from `start` on, its comma included. */
lam_status lam_json_reorder_note(lam_json_reorder *reorder, uint32_t ordinal, size_t start,
                                 lam_error *error);
/* Rewrites the text from `start` on. INVALID when a member came twice, or a required one never. */
lam_status lam_json_reorder_end(lam_json_reorder *reorder, const lam_json_shape *shape,
                                const lam_json_node *group, size_t mark, lam_buffer *text,
                                size_t start, lam_error *error);

/* The text of a member that is absent: null, [] or {}; NULL when it is required. */
const char *lam_json_absent_text(const lam_json_node *member);
/* Whether an absent member prints nothing at all. */
bool lam_json_omits(const lam_json_shape *shape, const lam_json_node *member);

#endif
