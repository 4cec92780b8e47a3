/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Turns the paths of a projection into the leaves to read and a tree of names for each VARIANT.
 *
 * Takes paths, one at a time, and gives `leaves` and `needs` for the reader, and the trees for
 * assembling. A path inside a VARIANT needs the columns at its end if it is shredded to there, else
 * the `value` of the last node on the way. Leaves that may turn out to have no values in a row
 * group are marked, so that they are not read there. The invariant: below each wanted object or
 * array, at least one leaf is always read, as its levels are the only trace of one that is empty. A
 * failed call leaves the projection as it was. (VariantShredding.md, "Objects", "Arrays")
 */
#include "variant/shred/variant_projection.h"

#include "base/alloc.h"
#include "base/error.h"
#include "schema/nesting.h"
#include "variant/value/variant_layout.h"

/*
 * One element more than the number of leaves, so that a schema without leaves has its arrays, too.
 */
lam_status lam_projection_create(const lam_schema *schema, const lam_allocator *allocator,
                                 lam_projection **ret_projection, lam_error *error) {
    lam_allocator own = lam_allocator_or_default(allocator);
    lam_status status;
    LAM_TRY(lam_schema_require(schema, error));
    lam_projection *projection;
    LAM_TRY(LAM_NEW(&own, &projection, error));
    projection->allocator = own;
    projection->schema = lam_schema_share(schema);
    lam_arena_init(&projection->arena, &own, 0);
    LAM_TRY_OUT(
        LAM_ARENA_ARRAY(&projection->arena, schema->leaf_count + 1, &projection->leaves, error));
    LAM_TRY_OUT(
        LAM_ARENA_ARRAY(&projection->arena, schema->leaf_count + 1, &projection->needs, error));
    *ret_projection = projection;
    return LAM_STATUS_OK;
out:
    lam_projection_destroy(projection);
    return status;
}

void lam_projection_destroy(lam_projection *projection) {
    if (projection == NULL)
        return;
    lam_allocator allocator = projection->allocator;
    for (lam_projection_tree *tree = projection->trees; tree != NULL; tree = tree->next)
        lam_variant_plan_finish(&tree->plan);
    lam_arena_finish(&projection->arena);
    lam_schema_destroy(projection->schema);
    lam_free(&allocator, projection, sizeof *projection);
}

const bool *lam_projection_leaves(const lam_projection *projection) {
    return projection->leaves;
}

/* --- Which leaves are needed ------------------------------------------------------------------ */

/*
 * Raises the need of a leaf: ALWAYS stays, LEVELS gives way to ALWAYS only, and the others are
 * replaced.
 */
static void need_leaf(lam_projection *projection, const lam_field *leaf, lam_leaf_need need) {
    uint8_t *known = &projection->needs[leaf->first_leaf];
    bool is_more = *known != LAM_NEED_LEVELS || need == LAM_NEED_ALWAYS;
    if (*known != LAM_NEED_ALWAYS && is_more)
        *known = (uint8_t)need;
    projection->leaves[leaf->first_leaf] = true;
}

/* A field of the schema, or an entire VARIANT: all leaves below. */
static void need_all(lam_projection *projection, const lam_field *field) {
    for (uint32_t i = 0; i < field->leaf_count; i++)
        need_leaf(projection, lam_leaf_at(projection->schema, field->first_leaf + i),
                  LAM_NEED_ALWAYS);
}

/* A `value` column needs the metadata that its field ids refer to. */
static void need_value(lam_projection *projection, const lam_variant_plan *plan,
                       const lam_field *value) {
    need_leaf(projection, value, LAM_NEED_VALUES);
    need_leaf(projection, plan->metadata, LAM_NEED_WITH_VALUES);
}

/*
 * If every leaf below a typed_value may be left out, the first one is read for its levels. Any is
 * as good: a leaf in an array inside would have more of them, but of such an array one leaf is read
 * already.
 */
static void need_levels(lam_projection *projection, const lam_field *typed) {
    for (uint32_t i = 0; i < typed->leaf_count; i++)
        if (projection->needs[typed->first_leaf + i] != LAM_NEED_VALUES)
            return;
    need_leaf(projection, lam_leaf_at(projection->schema, typed->first_leaf), LAM_NEED_LEVELS);
}

/*
 * Everything below a node. An object or array that is empty leaves no value anywhere: only the
 * levels of a leaf below its typed_value show that it is present.
 */
static void need_pair(lam_projection *projection, const lam_variant_plan *plan,
                      const lam_field *field) {
    for (uint32_t i = 0; i < field->leaf_count; i++) {
        const lam_field *leaf = lam_leaf_at(projection->schema, field->first_leaf + i);
        if (plan->roles[leaf->index - plan->group->index].role == LAM_VARIANT_ROLE_VALUE)
            need_value(projection, plan, leaf);
        else
            need_leaf(projection, leaf, LAM_NEED_ALWAYS);
    }
    for (size_t i = plan->node_count; i > 0; i--) { /* children come before their parents */
        const lam_variant_node_plan *node = &plan->nodes[i - 1];
        bool is_inside = node->field->index >= field->index &&
                         node->field->index - field->index < field->subtree_size;
        if (is_inside && node->form != LAM_VARIANT_TYPED_SCALAR && node->typed != NULL)
            need_levels(projection, node->typed);
    }
}

/*
 * The needs of a path that continues below a node without being shredded: its values are in that
 * node's `value`. Without that column the path is never present, but some leaf must show whether
 * the VARIANT itself is.
 */
static void need_rest(lam_projection *projection, const lam_variant_plan *plan,
                      const lam_variant_node_plan *node) {
    if (node->value != NULL) {
        need_value(projection, plan, node->value);
        return;
    }
    const lam_field *leaf = lam_leaf_at(projection->schema, node->typed->first_leaf);
    bool is_value = plan->roles[leaf->index - plan->group->index].role == LAM_VARIANT_ROLE_VALUE;
    need_leaf(projection, leaf, is_value ? LAM_NEED_LEVELS : LAM_NEED_ALWAYS);
}

/* --- Paths ------------------------------------------------------------------------------------ */

/* The link to the child with a name, or the link for it. */
static lam_projection_node **find_child(lam_projection_node *path, lam_bytes name,
                                        bool *ret_found) {
    lam_projection_node **at = &path->children;
    int order = 1;
    for (; *at != NULL; at = &(*at)->next) {
        order = lam_variant_compare_names((*at)->name, name);
        if (order >= 0)
            break;
    }
    *ret_found = *at != NULL && order == 0;
    return at;
}

/*
 * Gives the child of a path by its name, which is in the arena, and adds it if it is new. `*added`
 * is set by the first addition alone: undoing that one undoes the others, which hang below it.
 */
static lam_status enter_child(lam_projection *projection, lam_projection_tree *tree,
                              lam_projection_node *path, lam_bytes name,
                              lam_projection_node ***added, lam_projection_node **ret_child,
                              lam_error *error) {
    bool found;
    lam_projection_node **at = find_child(path, name, &found);
    if (!found) {
        lam_projection_node *child;
        LAM_TRY(LAM_ARENA_NEW(&projection->arena, &child, error));
        *child = (lam_projection_node){name, NULL, *at, 0, false};
        child->node = path->node == LAM_VARIANT_NO_NODE
                          ? LAM_VARIANT_NO_NODE
                          : lam_variant_plan_find(&tree->plan, path->node, name);
        if (child->node != LAM_VARIANT_NO_NODE)
            tree->paths[child->node] = child;
        *at = child;
        *added = *added == NULL ? at : *added;
    }
    *ret_child = *at;
    return LAM_STATUS_OK;
}

/*
 * Undoes the additions of a path: the first one, the only child in it, and so on. Memory stays in
 * the arena.
 */
static void forget_children(lam_projection_tree *tree, lam_projection_node **added) {
    lam_projection_node *first = *added;
    *added = first->next;
    for (const lam_projection_node *child = first; child != NULL; child = child->children)
        if (child->node != LAM_VARIANT_NO_NODE)
            tree->paths[child->node] = NULL;
}

/*
 * Enters the names of a path from the VARIANT on. `*ret_end` is its end, `*ret_holder` the last
 * node of the plan on the way, and `*ret_added` the first addition, also after a failure.
 */
static lam_status enter_path(lam_projection *projection, lam_projection_tree *tree,
                             const lam_path_word *words, size_t count,
                             lam_projection_node ***ret_added, lam_projection_node **ret_end,
                             uint32_t *ret_holder, lam_error *error) {
    lam_projection_node *path = &tree->root;
    lam_bytes name;
    if (count >= LAM_VARIANT_DEPTH_MAX)
        LAM_FAIL(error, LAM_ERROR_CODE_VARIANT_LIMIT, "a path of more than %d names",
                 LAM_VARIANT_DEPTH_MAX - 1);
    for (size_t i = 0; i < count; i++) {
        if (words[i].kind != LAM_PATH_NAME)
            LAM_FAIL(error, LAM_STATUS_INVALID, "a path into a VARIANT has names only, no * or []");
        LAM_TRY(lam_path_word_copy(&words[i], &projection->arena, &name, error));
        LAM_TRY(enter_child(projection, tree, path, name, ret_added, &path, error));
        if (path->node != LAM_VARIANT_NO_NODE)
            *ret_holder = path->node;
    }
    *ret_end = path;
    return LAM_STATUS_OK;
}

/* --- VARIANTs of the schema ------------------------------------------------------------------- */

/* The tree of a VARIANT; a list is enough for the few VARIANTs of a schema. */
static lam_projection_tree *find_tree(const lam_projection *projection, const lam_field *group) {
    lam_projection_tree *tree = projection->trees;
    while (tree != NULL && tree->plan.group != group)
        tree = tree->next;
    return tree;
}

/* Adds a tree without paths. It is linked last, when no failure is possible. */
static lam_status add_tree(lam_projection *projection, const lam_field *group,
                           lam_projection_tree **ret_tree, lam_error *error) {
    lam_projection_tree *tree;
    LAM_TRY(LAM_ARENA_NEW(&projection->arena, &tree, error));
    LAM_TRY(LAM_ARENA_ARRAY(&projection->arena, group->subtree_size, &tree->paths, error));
    LAM_TRY(
        lam_variant_plan_init(&tree->plan, group, LAM_VARIANT_READ, &projection->allocator, error));
    tree->paths[0] = &tree->root;
    tree->next = projection->trees;
    projection->trees = tree;
    *ret_tree = tree;
    return LAM_STATUS_OK;
}

/* Adds the path to the tree first, then to the needs of leaves, which cannot fail. */
lam_status lam_projection_add_inside(lam_projection *projection, const lam_field *group,
                                     const lam_path_word *words, size_t count, lam_error *error) {
    lam_projection_tree *tree = find_tree(projection, group);
    lam_projection_node *end = NULL, **added = NULL;
    uint32_t holder = 0;
    if (tree == NULL)
        LAM_TRY(add_tree(projection, group, &tree, error));
    lam_status status = enter_path(projection, tree, words, count, &added, &end, &holder, error);
    if (status != LAM_STATUS_OK && added != NULL)
        forget_children(tree, added);
    LAM_TRY(status);
    end->is_wanted = true;
    if (end->node != LAM_VARIANT_NO_NODE)
        need_pair(projection, &tree->plan, tree->plan.nodes[end->node].field);
    else
        need_rest(projection, &tree->plan, &tree->plan.nodes[holder]);
    return LAM_STATUS_OK;
}

/* Several fields with one name are all meant, but a path continues in only one VARIANT. */
static lam_status variant_projection_add_path(lam_projection *projection, const lam_path *path,
                                              lam_error *error) {
    lam_path_search search;
    lam_path_match match;
    LAM_TRY(
        lam_path_search_start(&search, projection->schema, path, LAM_PATH_INTO_VARIANTS, error));
    while (lam_path_search_next(&search, &match)) {
        if (match.used < path->count) {
            LAM_TRY(lam_path_find(projection->schema, path, LAM_PATH_INTO_VARIANTS, &match, error));
            return lam_projection_add_inside(projection, match.field, path->words + match.used,
                                             path->count - match.used, error);
        }
        need_all(projection, match.field);
    }
    return LAM_STATUS_OK;
}

lam_status lam_projection_add(lam_projection *projection, const char *path, lam_error *error) {
    lam_status status;
    lam_arena arena;
    lam_path read;
    if (*path == '\0') {
        need_all(projection, lam_schema_root(projection->schema));
        return LAM_STATUS_OK;
    }
    lam_arena_init(&arena, &projection->allocator, 0);
    LAM_TRY_OUT(lam_path_read_text(path, &arena, &read, error));
    LAM_TRY_OUT(variant_projection_add_path(projection, &read, error));
out:
    lam_arena_finish(&arena);
    return status;
}

const lam_projection_tree *lam_projection_tree_of(const lam_projection *projection,
                                                  const lam_field *group) {
    const lam_projection_tree *tree =
        projection == NULL || group == NULL ? NULL : find_tree(projection, group);
    /* Metadata is always needed only for a VARIANT that is wanted entirely. */
    if (tree == NULL || tree->root.children == NULL ||
        projection->needs[tree->plan.metadata->first_leaf] == LAM_NEED_ALWAYS)
        return NULL;
    return tree;
}
