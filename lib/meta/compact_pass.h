/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Passes over structs of the compact protocol that are not needed now.
 */
#ifndef LAM_META_COMPACT_PASS_H
#define LAM_META_COMPACT_PASS_H

#include "base/buffer.h"
#include "meta/tables.h"

/*
 * Gives the position after the struct at `at`, whose bytes end before `end`, if it is as writers
 * write it; compact_read.c then reads it without failure, memory aside. NULL if only compact_read.c
 * can decide.
 */
const uint8_t *lam_meta_pass(const lam_meta_struct *table, const uint8_t *at, const uint8_t *end);

/* The shapes of a list's structs, for the same structs of the next lists. */
typedef struct lam_meta_shapes {
    lam_buffer masks;  /* bits that led the way through the structs */
    lam_buffer shapes; /* pass_shape, one per struct */
    size_t misses;     /* structs of the current list that looked otherwise */
    size_t room;       /* most bytes of masks */
    bool is_complete;  /* there is a shape for each struct of the current list */
    bool is_recording; /* the current list makes shapes */
} lam_meta_shapes;

void lam_meta_shapes_init(lam_meta_shapes *shapes, const lam_allocator *allocator);
void lam_meta_shapes_finish(lam_meta_shapes *shapes);

/* Begins a list of `count` structs, with `bytes_left` from there to the end of the message. */
void lam_meta_shapes_begin(lam_meta_shapes *shapes, size_t count, size_t bytes_left);
/*
 * lam_meta_pass for struct `index` of the list; they come in their order. All bytes must outlive
 * the shapes. NOMEM and LIMIT are the only failures.
 */
lam_status lam_meta_shapes_pass(lam_meta_shapes *shapes, size_t index, const lam_meta_struct *table,
                                const uint8_t *at, const uint8_t *end, const uint8_t **ret_next,
                                lam_error *error);

#endif
