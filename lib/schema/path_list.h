/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lists of paths, as lam_schema_select_text reads them: what is selected, and what is left out.
 *
 *     id, user.*, "Price, EUR", !user.secret
 *     item                      excludes    words
 *     id                        no          id
 *     user.*                    no          user, * (a pattern)
 *     "Price, EUR"              no          Price, EUR
 *     !user.secret              yes         user, secret
 */
#ifndef LAM_SCHEMA_PATH_LIST_H
#define LAM_SCHEMA_PATH_LIST_H

#include <lamella/schema.h>

#include "base/arena.h"
#include "base/buffer.h"

/* A name of a path, or []. */
typedef struct lam_path_word {
    lam_bytes name;
    bool is_pattern;  /* each * stands for any characters */
    bool is_elements; /* [], without a name */
} lam_path_word;

typedef struct lam_path_item {
    size_t offset; /* of its first byte in the text */
    lam_bytes text;
    bool excludes;
    const lam_path_word *words;
    size_t word_count;
} lam_path_item;

/* Where a path arrives: a field, and how many of its words led there. */
typedef struct lam_path_match {
    uint32_t field;
    uint32_t used;
} lam_path_match;

/*
 * Reads a list; names are in `arena`, texts are borrowed. INVALID with the character, LIMIT for a
 * path of too many names, NOMEM.
 */
lam_status lam_path_list_read(const char *text, size_t size, lam_arena *arena,
                              const lam_path_item **ret_items, size_t *ret_count, lam_error *error);

/*
 * Replaces `matches` by the fields that a path leads to, as lam_path_match: all of its words are
 * used, or, with `stops_at_variants`, the field is a VARIANT and the others lead into it. NOT_FOUND
 * when there is none.
 */
lam_status lam_path_item_find(const lam_schema *schema, const lam_path_item *item,
                              bool stops_at_variants, const char *text, lam_buffer *matches,
                              lam_error *error);

/* Puts "character C: " of an item before the message of a failure. */
lam_status lam_path_item_locate(const lam_path_item *item, const char *text, lam_status status,
                                lam_error *error);

#endif
