/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How a file's footer states the logical type of a field, if this library would state it otherwise:
 * without one of the two annotations, with fields that this version does not know, or as a type
 * that it does not know at all. Kept so that a copy states the same. (LogicalTypes.md, section
 * "Compatibility")
 */
#ifndef LAM_SCHEMA_TYPE_STATEMENT_H
#define LAM_SCHEMA_TYPE_STATEMENT_H

#include <lamella/schema.h>

#include "base/arena.h"

struct lam_type_statement {
    lam_logical_type means;          /* the type that it was taken for, without a statement */
    lam_physical_type physical_type; /* of the field */
    int32_t type_length;
    lam_bytes logical;  /* LogicalType, in Thrift's compact protocol; data NULL: not there */
    bool has_converted; /* and so on: which of the next three are there */
    bool has_scale;
    bool has_precision;
    int32_t converted; /* ConvertedType, of any number */
    int32_t scale;
    int32_t precision;
};

/* True while the type, in a field with these values, is the one that was stated. */
bool lam_type_statement_fits(const lam_type_statement *statement, const lam_logical_type *type,
                             lam_physical_type physical_type, int32_t type_length);

/* True when two statements are equal byte by byte. Both may be NULL, which is a statement, too. */
bool lam_type_statement_equals(const lam_type_statement *a, const lam_type_statement *b);

/* Copies a statement, which from now on means `means`, whose CRS is borrowed. NOMEM. */
lam_status lam_type_statement_copy(const lam_type_statement *statement,
                                   const lam_logical_type *means, lam_arena *arena,
                                   const lam_type_statement **ret_statement, lam_error *error);

#endif
