/* What the plans of reading and of writing are put together with. */
#ifndef LAM_ARROW_ARROW_PLAN_BUILD_H
#define LAM_ARROW_ARROW_PLAN_BUILD_H

#include "arrow/arrow_path.h"
#include "arrow/arrow_plan.h"
#include "base/error.h"
#include "schema/nesting.h"

/* Where slots of a place in the schema are: at the root 0 and 0, inside a list its elements'. */
typedef struct lam_arrow_level {
    uint8_t definition;
    uint8_t repetition;
} lam_arrow_level;

/* A node of that Parquet field, whose slots are those `around` it. Its shape is still to be said.
 */
void lam_arrow_node_enter(lam_arrow_node *node, const lam_field *parquet, lam_arrow_level around);

/* Makes a node a LIST that is repeated by `repeated`; returns the level inside of it. */
lam_arrow_level lam_arrow_node_list(lam_arrow_node *node, const lam_field *repeated);

/* Room for children, cleared. NOMEM. */
lam_status lam_arrow_node_children(lam_arena *arena, size_t count, lam_arrow_node *node,
                                   lam_error *error);

/* Points the nodes at their fields, which form the same tree. */
void lam_arrow_plan_link(const lam_arrow_field *field, lam_arrow_node *node);

/* The last step: numbers the leaves of a tree of nodes and lists them. NOMEM. */
lam_status lam_arrow_plan_complete(lam_arrow_plan *plan, lam_error *error);

#endif
