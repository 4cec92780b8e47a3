/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Maps the fields of an Arrow schema to the columns of a Parquet schema: the plan that reading and
 * writing share. A node is one Arrow array; it knows from which definition level on its slots are
 * not null, and, if it is a list, which repetition level its elements have.
 *
 *     Parquet                               node     present  repetition  element
 *     message m {
 *       optional group a (LIST) {           LIST        1          1         2
 *         repeated group list {
 *           optional group element {        STRUCT      3
 *             required int32 x;             VALUE       3
 *             optional binary y; } } } }    VALUE       4
 *
 * The slots of a node are those of its field (dremel/slots.h). Wrapper groups of lists and maps
 * have no node of their own. A MAP is a LIST of STRUCTs. A repeated field outside of lists is a
 * LIST of itself. schema/nesting.h decides which groups are lists and maps.
 *
 * Nodes and fields form the same tree: child i of a node has child i of the node's field.
 */
#ifndef LAM_ARROW_ARRAY_ARROW_PLAN_H
#define LAM_ARROW_ARRAY_ARROW_PLAN_H

#include "arrow/field/arrow_field.h"
#include "schema/tree.h"

/* Nodes inside each other: the root, and for each Parquet level a list and its element. */
enum { LAM_ARROW_NODES_DEEP = 1 + 2 * LAM_SCHEMA_DEPTH_MAX };

typedef enum lam_arrow_node_kind {
    LAM_ARROW_NODE_VALUE,  /* a leaf */
    LAM_ARROW_NODE_STRUCT, /* a group; the root too */
    LAM_ARROW_NODE_LIST    /* any of the list kinds, and MAP; one child */
} lam_arrow_node_kind;

typedef struct lam_arrow_node {
    const lam_arrow_field *field; /* in the plan's schema */
    const lam_arrow_field *array; /* writing: the field of the arrays that come; not `field` itself
                                     if it is RUN_END_ENCODED, or a dictionary of values of an
                                     extension type, as `field` then has the type of the values.
                                     Children of nodes are those of the values */
    lam_arrow_node_kind shape;
    const lam_field *parquet;   /* the field of the Parquet schema; for a list its group, or the
                                   repeated field that is a list without a group */
    const lam_field *leaf;      /* VALUE: the column, which is `parquet` */
    uint8_t present_definition; /* not null from this definition level on */
    uint8_t slot_definition;    /* a slot exists from this definition level on */
    uint8_t slot_repetition;    /* repeated fields around the node: a slot starts at an entry whose
                                   repetition level is at most this */
    uint8_t element_definition; /* LIST: an element exists from this definition level on */
    bool nullable;              /* present_definition > slot_definition */
    bool cuts_instants;         /* VALUE: digits too fine for the unit of timestamps are cut */
    size_t first_leaf;          /* the leaves of the plan that are below the node: first_leaf ... */
    size_t leaf_count;          /* ... to first_leaf + leaf_count - 1 */
    size_t child_count;
    struct lam_arrow_node *children;
} lam_arrow_node;

typedef struct lam_arrow_plan {
    lam_arena arena;
    lam_arrow_field schema; /* the root: a struct of all columns */
    lam_arrow_node root;
    size_t leaf_count;             /* projected leaves, in schema order */
    const lam_arrow_node **leaves; /* their VALUE nodes */
} lam_arrow_plan;

/*
 * Makes the plan of reading: the projected leaves of a file with the Arrow types of their Parquet
 * types, or, unless the options exclude it, with those of ARROW:schema where they match; then
 * dictionary pages may be read as well. `leaves` and `dictionary_leaves` may be NULL as in
 * lam_arrow_read_options. The Parquet schema is borrowed until finish. Nothing to finish after a
 * failure. UNSUPPORTED names a field without Arrow form.
 */
lam_status lam_arrow_plan_read(lam_arrow_plan *plan, const lam_reader *reader,
                               const lam_arrow_read_options *options,
                               const lam_allocator *allocator, lam_error *error);

/*
 * Makes the plan of writing: the schema that lam_arrow_import_schema gives, with a node for each
 * array. The caller destroys the schema, after finish.
 */
lam_status lam_arrow_plan_write(lam_arrow_plan *plan, const struct ArrowSchema *schema,
                                const lam_allocator *allocator, lam_schema **ret_schema,
                                lam_error *error);

void lam_arrow_plan_finish(lam_arrow_plan *plan);

/* Prints the path of a node's field, as lam_field_path does. */
size_t lam_arrow_node_path(const lam_arrow_plan *plan, const lam_arrow_node *node, char *buffer,
                           size_t capacity);

#endif
