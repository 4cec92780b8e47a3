/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The contents that groups with the meaning of one value must have: LIST, MAP, VARIANT and FILE;
 * and whether one is still as annotated when some of its leaves are left out. (LogicalTypes.md,
 * sections "Lists", "Maps", "VARIANT", "FILE")
 */
#ifndef LAM_SCHEMA_GROUP_SHAPE_H
#define LAM_SCHEMA_GROUP_SHAPE_H

#include "schema/tree.h"

/* What is wrong with a group. */
typedef struct lam_group_problem {
    const lam_field *field; /* the group, or the field inside it that is wrong */
    const char *what;       /* a phrase that follows "field a.b": "is a LIST without ..."; NULL for
                               none */
} lam_group_problem;

/*
 * Finds why readers cannot understand a group as annotated. Forms that only older writers made are
 * no problem, nor are groups without an annotation. Columns shredded within a VARIANT are not
 * checked.
 */
lam_group_problem lam_group_find_problem(const lam_field *group);

/* The same for one field of a FILE: NULL when it may be there. */
const char *lam_file_member_problem(const lam_field *field);

/* How a group that lam_group_find_problem refuses is written: message text for a message. */
const char *lam_group_model(const lam_field *group);

/*
 * True when a group without the leaves that are not marked, of all leaves of the schema, is still
 * of its logical type: a VARIANT or FILE with all its leaves, a MAP with its keys and, unless it
 * had none, something of its values, a LIST whose elements are the same field as before. A type
 * that this version does not know needs all leaves.
 */
bool lam_group_keeps_type(const lam_field *group, const bool *leaves);

#endif
