/* SPDX-License-Identifier: Apache-2.0 */
/* Builds plans: the steps that the plan of reading and the plan of writing have in common. */
#ifndef LAM_ARROW_ARRAY_ARROW_PLAN_BUILD_H
#define LAM_ARROW_ARRAY_ARROW_PLAN_BUILD_H

#include "arrow/array/arrow_plan.h"
#include "arrow/field/arrow_path.h"
#include "base/error.h"
#include "schema/nesting.h"

/* Starts a node of that Parquet field, with its slots. Its `shape` is set later. */
void lam_arrow_node_enter(lam_arrow_node *node, const lam_field *parquet);

/* Makes a node a LIST that `repeated` repeats. */
void lam_arrow_node_list(lam_arrow_node *node, const lam_field *repeated);

/* Gives a node room for children, cleared. NOMEM. */
lam_status lam_arrow_node_children(lam_arena *arena, size_t count, lam_arrow_node *node,
                                   lam_error *error);

/* Points each node at its field; both form the same tree. */
void lam_arrow_plan_link(const lam_arrow_field *field, lam_arrow_node *node);

/* The last step: numbers the leaves below the root and lists them. NOMEM. */
lam_status lam_arrow_plan_complete(lam_arrow_plan *plan, lam_error *error);

#endif
