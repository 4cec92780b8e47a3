/*
 * What a group that holds a VARIANT can hold: the plan that shredding and assembling follow.
 * (VariantShredding.md)
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
 * The children of a node stand side by side: an object's in the order of their names, so that they can
 * be walked beside the fields of a value.
 */
#ifndef LAM_VARIANT_VARIANT_SCHEMA_H
#define LAM_VARIANT_VARIANT_SCHEMA_H

#include <lamella/variant.h>

#include "schema/tree.h"

/* No node of a plan. */
#define LAM_VARIANT_NO_NODE UINT32_MAX

typedef enum lam_variant_form {
    LAM_VARIANT_UNTYPED, /* `value` alone */
    LAM_VARIANT_TYPED_SCALAR,
    LAM_VARIANT_TYPED_OBJECT,
    LAM_VARIANT_TYPED_ARRAY
} lam_variant_form;

/* A group of `value` and `typed_value`: the VARIANT itself, a shredded field, an element. */
typedef struct lam_variant_node_plan {
    const lam_field *field;
    const lam_field *value; /* NULL when there is none */
    const lam_field *typed; /* NULL when there is none; a leaf where it is a scalar */
    const lam_field *list;  /* of an array: the repeated group */
    uint32_t children;      /* the node of the first one */
    uint32_t child_count;   /* fields of an object, 1 for an array */
    bool is_field;          /* of a shredded object */
    bool has_floats;        /* it, or a part of it, is a column of floats or doubles */
    uint8_t form;           /* lam_variant_form */
    uint8_t kind;           /* lam_variant_kind of a scalar */
} lam_variant_node_plan;

/* What a field inside of the group is for. */
typedef enum lam_variant_role {
    LAM_VARIANT_ROLE_PAIR, /* it has value and typed_value */
    LAM_VARIANT_ROLE_METADATA,
    LAM_VARIANT_ROLE_VALUE,
    LAM_VARIANT_ROLE_TYPED,
    LAM_VARIANT_ROLE_LIST /* the repeated group of an array */
} lam_variant_role;

typedef struct lam_variant_field_role {
    uint32_t node;
    uint8_t role; /* lam_variant_role */
} lam_variant_field_role;

typedef struct lam_variant_plan {
    lam_allocator allocator;
    const lam_field *group;
    const lam_field *metadata;
    lam_variant_node_plan *nodes; /* [0] is the group itself */
    size_t node_count;
    lam_variant_field_role
        *roles; /* of the group and each field inside, by index less the group's */
} lam_variant_plan;

/*
 * `use` as for lam_variant_check_group, and the errors are its. Nothing to finish after a failure.
 */
lam_status lam_variant_plan_init(lam_variant_plan *plan, const lam_field *group,
                                 lam_variant_use use, const lam_allocator *allocator,
                                 lam_error *error);
/* Does nothing to a plan that is all zero. */
void lam_variant_plan_finish(lam_variant_plan *plan);

/* The node of a shredded field of an object's node, by its name; NO_NODE when there is none. */
uint32_t lam_variant_plan_find(const lam_variant_plan *plan, uint32_t object, lam_bytes name);

/* Gives the kind of a leaf named typed_value; UNKNOWN when no value may be shredded so. */
lam_variant_kind lam_variant_kind_of_leaf(const lam_field *leaf);

static inline lam_bytes lam_variant_field_name(const lam_variant_node_plan *node) {
    lam_bytes name = {(const uint8_t *)node->field->name, node->field->name_size};
    return name;
}

#endif
