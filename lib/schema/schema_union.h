/* SPDX-License-Identifier: Apache-2.0 */
/* The schema that holds the rows of several files. */
#ifndef LAM_SCHEMA_SCHEMA_UNION_H
#define LAM_SCHEMA_SCHEMA_UNION_H

#include "schema/tree.h"

/* Two schemas, their names in messages, and the treatment of fields that clash. */
typedef struct lam_schema_pair {
    const lam_schema *first;
    const lam_schema *second;
    const char *first_name;
    const char *second_name;
    lam_clash on_clash;
    /* Called for each field that clashes, unless that is an error; NULL: not wanted. */
    lam_status (*note)(void *state, const lam_field *first, const lam_field *second,
                       lam_error *error);
    void *state;
} lam_schema_pair;

/* A field as text for a message: "optional int32 (DATE)". */
typedef struct lam_field_text {
    char text[96];
} lam_field_text;

lam_field_text lam_field_describe(const lam_field *field);
/* The same without its repetition, unless that is repeated: "int32 (DATE)". */
lam_field_text lam_field_type_text(const lam_field *field);

/* True when a field is a leaf that has nulls alone, by its type. */
bool lam_field_is_nothing(const lam_field *field);

/*
 * True when values of the second VARIANT can be in the columns of the first as they are in its own:
 * the same is shredded in both.
 */
bool lam_variant_covers(const lam_field *variant, const lam_field *other);

/*
 * Unites two schemas: that of `first` with the fields of `second`. The result is to be destroyed;
 * it is `first` itself, shared, if that has all fields. INVALID, naming the field and both types,
 * for a clash that is an error, and for a VECTOR that is not the same in both; UNSUPPORTED if the
 * shapes differ in a group with two fields of one name; the errors of `note`.
 */
lam_status lam_schema_unite(const lam_schema_pair *pair, const lam_allocator *allocator,
                            lam_schema **ret_schema, lam_error *error);

/*
 * Gives the first field of the union of two schemas that the first schema lacks or has otherwise,
 * in `*ret_both`, which is that union and to be destroyed; NULL both if each row of the second
 * schema is one of the first, with a STRING for any value if `on_clash` says so. The errors of
 * lam_schema_unite.
 */
lam_status lam_schema_find_beyond(const lam_schema *schema, const lam_schema *other,
                                  lam_clash on_clash, const lam_allocator *allocator,
                                  lam_schema **ret_both, const lam_field **ret_field,
                                  lam_error *error);
/* The field of a schema with the names of another one, from the root down; NULL: none. */
const lam_field *lam_schema_field_like(const lam_schema *schema, const lam_field *field);

/* True when a field of one root has the name of a field of the other, or one has no fields. */
bool lam_schema_shares_fields(const lam_schema *a, const lam_schema *b);

#endif
