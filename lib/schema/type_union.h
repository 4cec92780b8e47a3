/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The one table of the types that hold the values of two others. Inference uses it for the values
 * of a text, and readers of several files as one use it for their columns.
 */
#ifndef LAM_SCHEMA_TYPE_UNION_H
#define LAM_SCHEMA_TYPE_UNION_H

#include "schema/tree.h"

/* The type of a leaf, without its field. */
typedef struct lam_leaf_type {
    lam_physical_type physical;
    int32_t type_length;      /* of FIXED_LEN_BYTE_ARRAY; else 0 */
    lam_logical_type logical; /* normal */
} lam_leaf_type;

/* How two types go together. */
typedef enum lam_type_fit {
    LAM_TYPES_UNITE,   /* each value of both is one of the union */
    LAM_TYPES_CHECKED, /* so are most; one that is beyond the union is refused when it comes */
    LAM_TYPES_CLASH    /* there is none: lam_clash decides about the field */
} lam_type_fit;

lam_leaf_type lam_leaf_type_of(const lam_field *leaf);
bool lam_leaf_type_equals(const lam_leaf_type *a, const lam_leaf_type *b);

/*
 * Gives the narrowest type that holds the values of both, for which no digit is lost. The order of
 * types does not matter, nor, of several, how they are grouped. `*ret_type` is untouched by a
 * clash, and may be one of the two.
 */
lam_type_fit lam_type_unite(const lam_leaf_type *a, const lam_leaf_type *b,
                            lam_leaf_type *ret_type);

#endif
