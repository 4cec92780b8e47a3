/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes the plan for writing. The imported schema, `arrays`, describes the arrays to come; a copy
 * without the encodings that a file cannot express, the plan's schema, decides the Parquet schema
 * and ARROW:schema:
 *
 *     arrays                                   schema
 *     run_end_encoded<int32, string>           string
 *     dictionary<int8, (uuid)>                 (uuid): files cannot say what the values are
 *     dictionary<int8, string>                 the same: ARROW:schema can say that
 *
 * The invariant: `field` and `array` of a node agree in their children, apart from the run ends,
 * which have no node. Levels come from the Parquet schema that lam_arrow_to_parquet makes of the
 * copy.
 */
#include <string.h>

#include "arrow/array/arrow_plan_build.h"
#include "arrow/extension/arrow_extension.h"
#include "arrow/field/arrow_metadata_edit.h"
#include "arrow/schema/arrow_to_parquet.h"
#include "base/alloc.h"

/* --- The schema as a file can hold it --------------------------------------------------------- */

/* Whether metadata has a key, which may be any bytes. */
static bool has_key(const lam_arrow_metadata *metadata, lam_bytes key) {
    for (size_t i = 0; i < metadata->count; i++) {
        lam_bytes other = metadata->key_values[i].key;
        if (other.size == key.size &&
            (key.size == 0 || memcmp(other.data, key.data, key.size) == 0))
            return true;
    }
    return false;
}

/* The key-values of an encoded field, followed by those that only its values have. */
static lam_status join_metadata(lam_arena *arena, const lam_arrow_metadata *encoded,
                                const lam_arrow_metadata *values, lam_arrow_metadata *joined,
                                lam_error *error) {
    lam_arrow_key_value *key_values;
    LAM_TRY(LAM_ARENA_ARRAY(arena, encoded->count + values->count, &key_values, error));
    size_t count = encoded->count;
    for (size_t i = 0; i < encoded->count; i++)
        key_values[i] = encoded->key_values[i];
    for (size_t i = 0; i < values->count; i++)
        if (!has_key(encoded, values->key_values[i].key))
            key_values[count++] = values->key_values[i];
    joined->key_values = key_values;
    joined->count = count;
    return LAM_STATUS_OK;
}

/*
 * Replaces a dictionary whose values have an extension type by these values: schemas in files can
 * name an extension type for a dictionary, but none for its values.
 */
static lam_status arrow_plan_decode_dictionary(lam_arena *arena, lam_arrow_field *field,
                                               lam_error *error) {
    if (!field->is_dictionary || lam_arrow_extension_name(field).size > 0 ||
        lam_arrow_metadata_find(&field->values_metadata, LAM_ARROW_EXTENSION_NAME_KEY) == NULL)
        return LAM_STATUS_OK;
    field->is_dictionary = false;
    field->dictionary_ordered = false;
    return join_metadata(arena, &field->metadata, &field->values_metadata, &field->metadata, error);
}

/*
 * Copies a field and all below it without run-end encoding: a run_end_encoded takes the type and
 * children of its values, and keeps its own name and nullability. One encoding inside another is
 * refused.
 */
static lam_status decode_field(lam_arena *arena, const lam_arrow_field *original,
                               const lam_arrow_path *outer, lam_arrow_field *decoded,
                               lam_error *error) {
    lam_arrow_path path = {outer, original->name};
    const lam_arrow_field *values = original;
    *decoded = *original;
    if (original->type.kind == LAM_ARROW_RUN_END_ENCODED) {
        values = &original->children[1];
        if (original->is_dictionary || values->type.kind == LAM_ARROW_RUN_END_ENCODED)
            return lam_arrow_fail_at(&path, LAM_ERROR_CODE_UNSUPPORTED_ARROW,
                                     "run ends inside run ends or of a dictionary", error);
        *decoded = *values;
        decoded->name = original->name;
        decoded->nullable = original->nullable;
        LAM_TRY(join_metadata(arena, &original->metadata, &values->metadata, &decoded->metadata,
                              error));
    }
    LAM_TRY(arrow_plan_decode_dictionary(arena, decoded, error));
    LAM_TRY(LAM_ARENA_ARRAY(arena, values->child_count, &decoded->children, error));
    for (size_t i = 0; i < values->child_count; i++)
        LAM_TRY(decode_field(arena, &values->children[i], &path, &decoded->children[i], error));
    return LAM_STATUS_OK;
}

/* --- The tree of nodes ------------------------------------------------------------------------ */

static lam_status plan_field(lam_arena *arena, const lam_field *parquet,
                             const lam_arrow_field *field, lam_arrow_node *node, lam_error *error);

/* A struct. The group has the same children in the same order, as it was made from these fields. */
static lam_status plan_struct(lam_arena *arena, const lam_field *parquet,
                              const lam_arrow_field *field, lam_arrow_node *node,
                              lam_error *error) {
    node->shape = LAM_ARROW_NODE_STRUCT;
    LAM_TRY(lam_arrow_node_children(arena, field->child_count, node, error));
    for (size_t i = 0; i < field->child_count; i++)
        LAM_TRY(plan_field(arena, lam_child_at(parquet, i), &field->children[i], &node->children[i],
                           error));
    return LAM_STATUS_OK;
}

/*
 * A list or map. A map's entries are the repeated group itself, a list's element is the child of
 * it.
 */
static lam_status plan_list(lam_arena *arena, const lam_field *parquet,
                            const lam_arrow_field *field, lam_arrow_node *node, lam_error *error) {
    const lam_field *repeated = lam_child_at(parquet, 0);
    bool is_map = field->type.kind == LAM_ARROW_MAP;
    lam_arrow_node_list(node, repeated);
    LAM_TRY(lam_arrow_node_children(arena, 1, node, error));
    return plan_field(arena, is_map ? repeated : lam_child_at(repeated, 0), field->children,
                      node->children, error);
}

/*
 * Builds the node of a field; the kind of the field, not an annotation, decides how the group is
 * read.
 */
static lam_status plan_field(lam_arena *arena, const lam_field *parquet,
                             const lam_arrow_field *field, lam_arrow_node *node, lam_error *error) {
    lam_arrow_node_enter(node, parquet);
    if (!lam_is_group(parquet))
        node->shape = LAM_ARROW_NODE_VALUE;
    else if (field->type.kind == LAM_ARROW_STRUCT)
        return plan_struct(arena, parquet, field, node, error);
    else
        return plan_list(arena, parquet, field, node, error);
    return LAM_STATUS_OK;
}

/* Points each node at the field of its arrays, past run ends to the values. */
static void link_arrays(const lam_arrow_field *array, lam_arrow_node *node) {
    const lam_arrow_field *values = array;
    if (array->type.kind == LAM_ARROW_RUN_END_ENCODED)
        values = &array->children[1];
    node->array = array;
    for (size_t i = 0; i < node->child_count; i++)
        link_arrays(&values->children[i], &node->children[i]);
}

/* --- The plan --------------------------------------------------------------------------------- */

/* Checks the extension types of all columns. The root is no column, and may have any metadata. */
static lam_status check_extensions(lam_arrow_plan *plan, const lam_arrow_field *root,
                                   lam_error *error) {
    lam_arrow_path top = {NULL, NULL};
    for (size_t i = 0; i < root->child_count; i++) {
        lam_arrow_path path = {&top, root->children[i].name};
        LAM_TRY(lam_arrow_extension_check(&root->children[i], &plan->arena, &path, error));
    }
    return LAM_STATUS_OK;
}

/*
 * Imports the schema and makes the decoded copy. An ARROW:schema among its metadata, left from the
 * file where the arrays came from, is removed: the writer adds one of its own.
 */
static lam_status import_root(lam_arrow_plan *plan, const struct ArrowSchema *schema,
                              const lam_arrow_field **ret_arrays, lam_error *error) {
    lam_arrow_field *arrays;
    LAM_TRY(LAM_ARENA_NEW(&plan->arena, &arrays, error));
    LAM_TRY(lam_arrow_field_import(schema, &plan->arena, arrays, error));
    if (arrays->type.kind != LAM_ARROW_STRUCT || arrays->is_dictionary)
        LAM_FAIL(error, LAM_STATUS_INVALID, "schema: it is %s%s, not a struct of columns",
                 arrays->is_dictionary ? "a dictionary of " : "",
                 lam_arrow_kind_name(arrays->type.kind));
    LAM_TRY(check_extensions(plan, arrays, error));
    LAM_TRY(decode_field(&plan->arena, arrays, NULL, &plan->schema, error));
    *ret_arrays = arrays;
    return lam_arrow_metadata_drop(&plan->arena, &plan->schema.metadata, LAM_ARROW_SCHEMA_KEY,
                                   error);
}

/* Once made, the Parquet schema must be destroyed on every failure until it is handed over. */
static lam_status write_plan(lam_arrow_plan *plan, const struct ArrowSchema *schema,
                             lam_schema **ret_schema, lam_error *error) {
    const lam_arrow_field *arrays;
    lam_schema *parquet;
    LAM_TRY(import_root(plan, schema, &arrays, error));
    LAM_TRY(lam_arrow_to_parquet(&plan->schema, &plan->arena, &parquet, error));
    const lam_field *root = lam_schema_root(parquet);
    lam_arrow_node_enter(&plan->root, root);
    lam_status status = plan_struct(&plan->arena, root, &plan->schema, &plan->root, error);
    if (status == LAM_STATUS_OK)
        status = lam_arrow_plan_complete(plan, error);
    if (status != LAM_STATUS_OK) {
        lam_schema_destroy(parquet);
        return status;
    }
    lam_arrow_plan_link(&plan->schema, &plan->root);
    link_arrays(arrays, &plan->root);
    *ret_schema = parquet;
    return LAM_STATUS_OK;
}

lam_status lam_arrow_plan_write(lam_arrow_plan *plan, const struct ArrowSchema *schema,
                                const lam_allocator *allocator, lam_schema **ret_schema,
                                lam_error *error) {
    lam_allocator memory_of = lam_allocator_or_default(allocator);
    memset(plan, 0, sizeof *plan);
    lam_arena_init(&plan->arena, &memory_of, 0);
    lam_status status = write_plan(plan, schema, ret_schema, error);
    if (status != LAM_STATUS_OK)
        lam_arrow_plan_finish(plan);
    return status;
}
