/*
 * Paths into VARIANTs, beside the columns that hold them.
 *
 *     event.location.latitude, event.note     path         node of the plan
 *                                             (event)      0: value and an object
 *                                               location   2: value and an object
 *                                                 latitude 3: value and a double   <- wanted
 *                                               note       none: in the value of 0 <- wanted
 */
#ifndef LAM_VARIANT_VARIANT_PROJECTION_H
#define LAM_VARIANT_VARIANT_PROJECTION_H

#include <lamella/projection.h>

#include "base/arena.h"
#include "variant/variant_schema.h"

typedef struct lam_wish_path {
    lam_bytes name;              /* none of the VARIANT itself */
    struct lam_wish_path *parts; /* the first one, in the order of names */
    struct lam_wish_path *next;  /* beside it */
    uint32_t node;               /* of the plan; NO_NODE where it is not shredded */
    bool is_wanted;              /* with all that is below */
} lam_wish_path;

/* The parts of one VARIANT that are wanted. */
typedef struct lam_variant_wish {
    struct lam_variant_wish *next;
    lam_variant_plan plan;
    lam_wish_path root;
    lam_wish_path **paths; /* by node of the plan; NULL where none leads there */
} lam_variant_wish;

/* How a leaf is needed in a row group. */
typedef enum lam_leaf_need {
    LAM_NEED_NOT,
    LAM_NEED_ALWAYS,
    LAM_NEED_VALUES,      /* where it has any: a `value` */
    LAM_NEED_WITH_VALUES, /* where a `value` of its VARIANT is: the `metadata` */
    LAM_NEED_LEVELS       /* always: a `value` that tells which VARIANT, object or array is there */
} lam_leaf_need;

struct lam_projection {
    lam_allocator allocator;
    lam_arena arena; /* holds all below, but for what plans hold */
    lam_schema *schema;
    bool *leaves;
    uint8_t *needs; /* lam_leaf_need, by leaf */
    lam_variant_wish *wishes;
};

/* The parts of a VARIANT that are wanted; NULL when it is wanted as a whole, or not at all. */
const lam_variant_wish *lam_projection_wish(const lam_projection *projection,
                                            const lam_field *group);

#endif
