/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The plan of a VARIANT group: which column or group of the schema has which meaning, as shredding
 * and assembling follow it. (VariantShredding.md, "Value Shredding")
 *
 *     group event (VARIANT) {                          node 0: value and an object
 *       required binary metadata;
 *       optional binary value;
 *       optional group typed_value {
 *         required group tags {                        node 1: value and an array
 *           optional binary value;
 *           optional group typed_value (LIST) {
 *             repeated group list {
 *               required group element {               node 3: a string alone
 *                 optional binary typed_value (STRING);
 *         } } } }
 *         required group time {                        node 2: value alone
 *           optional binary value;
 *     } } }
 *
 * The children of a node are side by side, those of an object in the order of their names, so that
 * they can be walked along with the fields of a value. A child has a larger number than its parent.
 */
#ifndef LAM_VARIANT_SHRED_VARIANT_SCHEMA_H
#define LAM_VARIANT_SHRED_VARIANT_SCHEMA_H

#include <lamella/variant.h>

#include "schema/tree.h"

/* No node of a plan. */
#define LAM_VARIANT_NO_NODE UINT32_MAX

/* What the typed_value of a node can hold. */
typedef enum lam_variant_form {
    LAM_VARIANT_UNTYPED,      /* there is none: only `value` */
    LAM_VARIANT_TYPED_SCALAR, /* a leaf */
    LAM_VARIANT_TYPED_OBJECT, /* a group with a group for each shredded field */
    LAM_VARIANT_TYPED_ARRAY   /* a list of three levels */
} lam_variant_form;

/* A group of `value` and `typed_value`: the VARIANT itself, a shredded field, or an element. */
typedef struct lam_variant_node_plan {
    const lam_field *field; /* the group */
    const lam_field *value; /* NULL when there is none */
    const lam_field *typed; /* NULL when there is none; a leaf if it is a scalar */
    const lam_field *list;  /* of an array: the repeated group */
    uint32_t children;      /* the number of the first child */
    uint32_t child_count;   /* fields of an object, 1 for an array */
    bool is_field;          /* it is a field of a shredded object */
    bool has_floats;        /* it or a node below it is a column of floats or doubles */
    uint8_t form;           /* lam_variant_form */
    uint8_t kind;           /* lam_variant_kind of a scalar */
} lam_variant_node_plan;

/* The purpose of a field inside the group. */
typedef enum lam_variant_role {
    LAM_VARIANT_ROLE_PAIR, /* a node of the plan: it has value, typed_value or both */
    LAM_VARIANT_ROLE_METADATA,
    LAM_VARIANT_ROLE_VALUE,
    LAM_VARIANT_ROLE_TYPED,
    LAM_VARIANT_ROLE_LIST /* the repeated group of an array */
} lam_variant_role;

/* The meaning of one field of the schema: its role, and the node that it belongs to. */
typedef struct lam_variant_field_role {
    uint32_t node;
    uint8_t role; /* lam_variant_role */
} lam_variant_field_role;

/* The nodes of one VARIANT, and the way back from fields of the schema to them. */
typedef struct lam_variant_plan {
    lam_allocator allocator;
    const lam_field *group;       /* the VARIANT */
    const lam_field *metadata;    /* its leaf for the dictionary */
    lam_variant_node_plan *nodes; /* [0] is the group itself */
    size_t node_count;
    lam_variant_field_role
        *roles; /* of the group and each field inside, by index less the group's */
} lam_variant_plan;

/*
 * Makes the plan of a group, whose schema is borrowed. `use` and the errors are those of
 * lam_variant_check_group; NOMEM. After a failure it needs no freeing.
 */
lam_status lam_variant_plan_init(lam_variant_plan *plan, const lam_field *group,
                                 lam_variant_use use, const lam_allocator *allocator,
                                 lam_error *error);
/* Has no effect on a plan that is all zero. */
void lam_variant_plan_finish(lam_variant_plan *plan);

/*
 * Finds the node of a shredded field of an object's node by its name; NO_NODE when the field is not
 * shredded, or the node is not a shredded object.
 */
uint32_t lam_variant_plan_find(const lam_variant_plan *plan, uint32_t object, lam_bytes name);

/*
 * The kind of the values in a leaf named typed_value; UNKNOWN when its type is not one of the table
 * in VariantShredding.md, "Shredded Value Types".
 */
lam_variant_kind lam_variant_kind_of_leaf(const lam_field *leaf);

static inline lam_bytes lam_variant_field_name(const lam_variant_node_plan *node) {
    lam_bytes name = {(const uint8_t *)node->field->name, node->field->name_size};
    return name;
}

#endif
