/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Paths into VARIANTs, matched with the columns that hold the values at them.
 *
 *     event.location.latitude, event.note     path         node of the plan
 *                                             (event)      0: value and an object
 *                                               location   2: value and an object
 *                                                 latitude 3: value and a double   <- wanted
 *                                               note       none: in the value of 0 <- wanted
 *
 * The tree of paths drives assembling (variant_construct_projected.c); the needs of leaves decide
 * which column chunks are read at all.
 */
#ifndef LAM_VARIANT_SHRED_VARIANT_PROJECTION_H
#define LAM_VARIANT_SHRED_VARIANT_PROJECTION_H

#include <lamella/projection.h>

#include "base/arena.h"
#include "schema/path_find.h"
#include "variant/shred/variant_schema.h"

/* One name of a path. Its children are a list, sorted by name. */
typedef struct lam_projection_node {
    lam_bytes name;                       /* empty for the VARIANT itself */
    struct lam_projection_node *children; /* the first child, in the order of names */
    struct lam_projection_node *next;     /* the next child of the same parent */
    uint32_t node;                        /* of the plan; NO_NODE if the path is not shredded */
    bool is_wanted;                       /* a path ends here: everything below is wanted */
} lam_projection_node;

/* The tree of wanted paths inside one VARIANT. */
typedef struct lam_projection_tree {
    struct lam_projection_tree *next; /* of another VARIANT of the projection */
    lam_variant_plan plan;
    lam_projection_node root;    /* the VARIANT itself */
    lam_projection_node **paths; /* by node of the plan; NULL where no path leads there */
} lam_projection_tree;

/* How a leaf is needed in a row group whose statistics say which columns have no values. */
typedef enum lam_leaf_need {
    LAM_NEED_NOT,         /* it is not read */
    LAM_NEED_ALWAYS,      /* it is read */
    LAM_NEED_VALUES,      /* read if the chunk has values that are not null: a `value` */
    LAM_NEED_WITH_VALUES, /* read if a `value` of its VARIANT is: the `metadata` */
    LAM_NEED_LEVELS       /* read: a `value` whose levels say which object or array is present */
} lam_leaf_need;

struct lam_projection {
    lam_allocator allocator;
    lam_arena arena;            /* all memory below, except that of plans */
    lam_schema *schema;         /* held */
    bool *leaves;               /* by leaf: it is needed in some way */
    uint8_t *needs;             /* by leaf: lam_leaf_need */
    lam_projection_tree *trees; /* VARIANTs with paths inside */
};

/*
 * Adds a path into a VARIANT: `group`, and the words that lead into its values. The failures are
 * those of lam_projection_add, and the projection is unchanged then.
 */
lam_status lam_projection_add_inside(lam_projection *projection, const lam_field *group,
                                     const lam_path_word *words, size_t count, lam_error *error);

/* The paths wanted inside a VARIANT; NULL when it is wanted entirely, or not at all. */
const lam_projection_tree *lam_projection_tree_of(const lam_projection *projection,
                                                  const lam_field *group);

#endif
