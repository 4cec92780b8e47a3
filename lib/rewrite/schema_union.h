/* SPDX-License-Identifier: Apache-2.0 */
/* The schema that holds the rows of several files, as <lamella/rewrite.h> has the rule. */
#ifndef LAM_REWRITE_SCHEMA_UNION_H
#define LAM_REWRITE_SCHEMA_UNION_H

#include <lamella/schema.h>

/* Two schemas, and what messages call them. */
typedef struct lam_schema_pair {
    const lam_schema *first;
    const lam_schema *second;
    const char *first_name;
    const char *second_name;
} lam_schema_pair;

/*
 * True when rows of one schema need no change to be rows of the other: names, types, repetitions
 * and logical types are equal. The name of the message and field ids do not matter.
 */
bool lam_schema_same_shape(const lam_schema *a, const lam_schema *b);

/* The same for two fields, with everything below them. */
bool lam_field_same_shape(const lam_field *a, const lam_field *b);

/*
 * The child of a group that is one with a field of a group that it is united with: of its name, or,
 * in lists and maps, at its position. NULL when there is none.
 */
const lam_field *lam_union_partner(const lam_field *group, const lam_field *field);

/*
 * Unites two schemas: that of `first` with the fields of `second`. The result is to be destroyed;
 * it is `first` itself, shared, where nothing is added. INVALID, naming the field and both types,
 * when a field cannot hold the values of both, or a VARIANT is shredded into other
 * fields in one than in the other; UNSUPPORTED where the shapes differ in a group with
 * two fields of one name.
 */
lam_status lam_schema_unite(const lam_schema_pair *pair, const lam_allocator *allocator,
                            lam_schema **ret_schema, lam_error *error);

/*
 * The schema of some leaves, one bool each, with the groups above them. Groups without leaves are
 * left out, unless all leaves are wanted: then it is `schema` itself, shared. A group that is no
 * longer whole has no logical type: lam_group_keeps_type.
 */
lam_status lam_schema_choose(const lam_schema *schema, const bool *leaves,
                             const lam_allocator *allocator, lam_schema **ret_schema,
                             lam_error *error);

#endif
