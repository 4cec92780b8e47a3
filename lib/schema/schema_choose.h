/* SPDX-License-Identifier: Apache-2.0 */
/* Copies of fields and schemas, and whether two are built alike. */
#ifndef LAM_SCHEMA_SCHEMA_CHOOSE_H
#define LAM_SCHEMA_SCHEMA_CHOOSE_H

#include "schema/tree.h"

/*
 * True when rows of one schema need no change to be rows of the other: names, types, repetitions
 * and logical types are equal. The name of the message and field ids do not matter.
 */
bool lam_schema_same_shape(const lam_schema *a, const lam_schema *b);

/* The same of two fields and all that is below them. */
bool lam_field_same_shape(const lam_field *a, const lam_field *b);

/* Begins a group, or adds a leaf. */
lam_status lam_schema_put_field(lam_schema_builder *builder, const char *name,
                                lam_repetition repetition, lam_physical_type type,
                                const lam_field_options *options, lam_error *error);

/*
 * Adds a copy of a field with all that is below it, under a name and with a repetition of its own;
 * `leaves`, of the entire schema, chooses among its leaves, or is NULL.
 */
lam_status lam_schema_copy_field(lam_schema_builder *builder, const lam_field *field,
                                 const char *name, lam_repetition repetition, const bool *leaves,
                                 lam_error *error);

/*
 * The schema of some leaves, one bool each, with the groups above them. Groups without leaves are
 * left out, unless all leaves are wanted: then it is `schema` itself, shared. A group that becomes
 * incomplete has no logical type: lam_group_keeps_type.
 */
lam_status lam_schema_choose(const lam_schema *schema, const bool *leaves,
                             const lam_allocator *allocator, lam_schema **ret_schema,
                             lam_error *error);

#endif
