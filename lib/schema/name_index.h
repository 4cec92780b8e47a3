/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds children by name. A narrow group is searched from its first child on; a wide one has a hash
 * table, made once with the schema: a power of two of slots, at least twice as many as children,
 * each 0 or a child's ordinal plus 1, with linear probing. Among siblings of one name the first one
 * is found, and knows the next. The tables are not of base/hash_index.h, since a schema only grows
 * while it is made: they lie in one array of its arena, with a third of the bytes.
 */
#ifndef LAM_SCHEMA_NAME_INDEX_H
#define LAM_SCHEMA_NAME_INDEX_H

#include "schema/path_text.h"
#include "schema/tree.h"

/* Makes the tables of a schema whose fields and children are set. NOMEM. */
lam_status lam_name_index_build(lam_schema *schema, lam_error *error);

/*
 * The first child whose name is that of `count` words with dots between them, of any marks; NULL
 * when there is none.
 */
const lam_field *lam_field_child_of_words(const lam_field *field, const lam_path_word *words,
                                          size_t count);

/* The next sibling with the same name, which files may have; NULL when there is none. */
const lam_field *lam_field_next_named(const lam_field *field);

#endif
