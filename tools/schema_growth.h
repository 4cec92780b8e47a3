/* SPDX-License-Identifier: Apache-2.0 */
/* A schema that grows with those inferred from more records. */
#ifndef LAMELLA_TOOLS_SCHEMA_GROWTH_H
#define LAMELLA_TOOLS_SCHEMA_GROWTH_H

#include <lamella/schema.h>

/* How existing fields may change; all zero: not at all, and only new ones come. */
typedef struct schema_growth {
    bool widens;        /* they get the type that holds the values of both */
    bool relaxes;       /* required ones become optional */
    lam_clash on_clash; /* if types have none in common; ERROR: the field stays as it is */
} schema_growth;

/*
 * Makes a schema of the fields of `present`, which may be NULL, and after them those that only
 * `inferred`, which may be NULL, has, with an optional VARIANT named `rest`, unless that is NULL. A
 * field that is only null so far is left out; one with empty objects or arrays alone is a VARIANT.
 * `*ret_schema` is NULL when there are no new fields.
 */
lam_status schema_growth_make(const schema_growth *growth, const lam_schema *present,
                              const lam_schema *inferred, const char *rest, lam_schema **ret_schema,
                              lam_error *error);

#endif
