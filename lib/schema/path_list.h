/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lists of paths, as lam_schema_select_text reads them: which leaves are selected, and which are
 * left out.
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

#include "schema/path_find.h"

typedef struct lam_path_item {
    lam_path path;
    size_t offset; /* of its first byte in the text, the sign included */
    bool excludes;
} lam_path_item;

/*
 * Reads a list; its memory is in `arena`, texts are borrowed. INVALID with the character, LIMIT for
 * a path of too many names, NOMEM.
 */
lam_status lam_path_list_read(const char *text, size_t size, lam_arena *arena,
                              const lam_path_item **ret_items, size_t *ret_count, lam_error *error);

/* Puts "character C: " of an item before the message of a failure. */
lam_status lam_path_item_locate(const lam_path_item *item, const char *text, lam_status status,
                                lam_error *error);

#endif
