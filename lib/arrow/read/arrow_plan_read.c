/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes the plan for reading. One walk over the projected columns builds fields and nodes from the
 * Parquet schema alone; later steps only change types of fields, each on top of the one before:
 *
 *     walk of the Parquet schema      types, names, ids, extension types
 *     ARROW:schema                    the original types where they match
 *     units of timestamps             what the option, the statistics or the dictionaries demand
 *     lenient                         wider types
 *     requested                       the types that a consumer asks for, where they lose nothing
 *     dictionaries                    none, or indexes that are wide enough
 *     dictionary_leaves               dictionaries of single leaves
 *
 * The invariant: the tree of nodes is final after the first step. A damaged ARROW:schema costs only
 * the original types. (LogicalTypes.md, "Nested Types"; Arrow, "Canonical Extension Types")
 */
#include <stdio.h>
#include <string.h>

#include "arrow/array/arrow_plan_build.h"
#include "arrow/array/index_width.h"
#include "arrow/extension/arrow_extension.h"
#include "arrow/extension/extension_variant.h"
#include "arrow/field/arrow_metadata_edit.h"
#include "arrow/read/instant_unit.h"
#include "arrow/schema/arrow_original.h"
#include "arrow/schema/ipc_schema.h"
#include "arrow/schema/lenient_types.h"
#include "arrow/schema/parquet_to_arrow.h"
#include "base/alloc.h"
#include "base/options.h"
#include "base/recursion.h"
#include "base/utf8.h"
#include "file/read/file_reader.h"

/* The state of one walk. */
typedef struct arrow_plan_reader {
    lam_arena *arena;
    const uint32_t *shown_before; /* projected leaves among the first i leaves of the schema */
    lam_extension_file file;
    lam_error *error;
} arrow_plan_reader;

/* Whether all leaves below a field are projected: a difference of two counts. */
static bool arrow_plan_is_whole(const arrow_plan_reader *plan_reader, const lam_field *field) {
    return plan_reader->shown_before[field->first_leaf + field->leaf_count] -
               plan_reader->shown_before[field->first_leaf] ==
           field->leaf_count;
}

/* Whether any leaf at or below the field is projected; never for a group without leaves. */
static bool is_shown(const arrow_plan_reader *plan_reader, const lam_field *field) {
    return plan_reader->shown_before[field->first_leaf + field->leaf_count] >
           plan_reader->shown_before[field->first_leaf];
}

/* --- Fields ----------------------------------------------------------------------------------- */

/* Adds the field's id to the metadata, where Arrow keeps it: PARQUET:field_id = "42". */
LAM_APART static lam_status set_id(arrow_plan_reader *plan_reader, const lam_field *parquet,
                                   lam_arrow_field *field) {
    char digits[16];
    char *copy;
    if (!parquet->has_id)
        return LAM_STATUS_OK;
    int size = snprintf(digits, sizeof digits, "%d", (int)parquet->id);
    LAM_TRY(lam_arena_copy(plan_reader->arena, digits, (size_t)size, &copy, plan_reader->error));
    return lam_arrow_metadata_set(plan_reader->arena, &field->metadata, LAM_ARROW_FIELD_ID_KEY,
                                  lam_arrow_text(copy), plan_reader->error);
}

/*
 * Takes name and nullability. Names in a file may be any bytes but NUL, which opening a file
 * refuses; Arrow's are UTF-8.
 */
LAM_APART static lam_status name_field(arrow_plan_reader *plan_reader, const lam_field *parquet,
                                       const lam_arrow_path *path, lam_arrow_field *field) {
    const uint8_t *name = (const uint8_t *)parquet->name;
    if (lam_utf8_prefix(name, parquet->name_size) != parquet->name_size)
        return lam_arrow_fail_at(path, LAM_ERROR_CODE_UNSUPPORTED_ARROW, "the name is not UTF-8",
                                 plan_reader->error);
    field->name = parquet->name;
    field->nullable = parquet->repetition == LAM_REPETITION_OPTIONAL;
    return LAM_STATUS_OK;
}

/* Room for the same number of child fields and child nodes. */
LAM_APART static lam_status field_children(arrow_plan_reader *plan_reader, size_t count,
                                           lam_arrow_field *field, lam_arrow_node *node) {
    LAM_TRY(LAM_ARENA_ARRAY(plan_reader->arena, count, &field->children, plan_reader->error));
    field->child_count = count;
    return lam_arrow_node_children(plan_reader->arena, count, node, plan_reader->error);
}

/* --- The tree --------------------------------------------------------------------------------- */

static lam_status read_once(arrow_plan_reader *plan_reader, const lam_field *parquet,
                            const lam_arrow_path *outer, lam_arrow_field *field,
                            lam_arrow_node *node);

/* A column: its Arrow type, and the extension type of its logical type. */
LAM_APART static lam_status arrow_plan_read_leaf(arrow_plan_reader *plan_reader,
                                                 const lam_field *parquet,
                                                 const lam_arrow_path *path, lam_arrow_field *field,
                                                 lam_arrow_node *node) {
    node->shape = LAM_ARROW_NODE_VALUE;
    const char *reason = lam_arrow_type_of_leaf(parquet, &field->type);
    if (reason != NULL)
        return lam_arrow_fail_at(path, LAM_ERROR_CODE_UNSUPPORTED_ARROW, reason,
                                 plan_reader->error);
    return lam_arrow_extension_read(parquet, &plan_reader->file, plan_reader->arena, field,
                                    plan_reader->error);
}

/*
 * The metadata of the VARIANT extension type is never null; a file may still declare it optional.
 */
static bool has_nullable_metadata(const lam_field *parquet) {
    const lam_field *metadata = lam_field_child_named(parquet, "metadata", strlen("metadata"));
    return parquet->logical_type.kind == LAM_LOGICAL_VARIANT && metadata != NULL &&
           metadata->repetition != LAM_REPETITION_REQUIRED;
}

/* Makes a struct with room for its projected children, counted as fields and nodes are arrays. */
LAM_APART static lam_status begin_children(arrow_plan_reader *plan_reader, const lam_field *parquet,
                                           lam_arrow_field *field, lam_arrow_node *node) {
    size_t count = 0;
    node->shape = LAM_ARROW_NODE_STRUCT;
    field->type.kind = LAM_ARROW_STRUCT;
    for (size_t i = 0; i < parquet->child_count; i++)
        count += is_shown(plan_reader, lam_child_at(parquet, i));
    return field_children(plan_reader, count, field, node);
}

/* The extension type of a group: a VARIANT has all its columns, and required metadata. */
LAM_APART static lam_status extend_struct(arrow_plan_reader *plan_reader, const lam_field *parquet,
                                          lam_arrow_field *field) {
    if (!arrow_plan_is_whole(plan_reader, parquet) || has_nullable_metadata(parquet))
        return LAM_STATUS_OK;
    return lam_arrow_extension_read(parquet, &plan_reader->file, plan_reader->arena, field,
                                    plan_reader->error);
}

/*
 * A repeated field without an annotation is a list of itself, present wherever the group around it
 * is: it has the slots of that group.
 */
LAM_APART static lam_status begin_repeated(arrow_plan_reader *plan_reader, const lam_field *parquet,
                                           const lam_arrow_path *path, lam_arrow_field *field,
                                           lam_arrow_node *node) {
    LAM_TRY(name_field(plan_reader, parquet, path, field));
    field->type.kind = LAM_ARROW_LIST;
    lam_arrow_node_enter(node, lam_parent_of(parquet));
    node->parquet = parquet;
    lam_arrow_node_list(node, parquet);
    return field_children(plan_reader, 1, field, node);
}

/* Reads a field of a group, in the frame of the group. */
__attribute__((always_inline)) static inline lam_status
arrow_plan_read_field(arrow_plan_reader *plan_reader, const lam_field *parquet,
                      const lam_arrow_path *outer, lam_arrow_field *field, lam_arrow_node *node) {
    lam_arrow_path path = {outer, parquet->name};
    LAM_TRY(set_id(plan_reader, parquet, field));
    if (!lam_is_repeated(parquet))
        return read_once(plan_reader, parquet, outer, field, node);
    LAM_TRY(begin_repeated(plan_reader, parquet, &path, field, node));
    return read_once(plan_reader, parquet, &path, field->children, node->children);
}

/*
 * A group as a struct of its projected children. A group of columns that are not projected does not
 * appear at all. Inlined, so that each group takes one frame of the stack.
 */
__attribute__((always_inline)) static inline lam_status
arrow_plan_read_struct(arrow_plan_reader *plan_reader, const lam_field *parquet,
                       const lam_arrow_path *path, lam_arrow_field *field, lam_arrow_node *node) {
    LAM_TRY(begin_children(plan_reader, parquet, field, node));
    for (size_t i = 0, at = 0; i < parquet->child_count; i++) {
        const lam_field *child = lam_child_at(parquet, i);
        if (!is_shown(plan_reader, child))
            continue;
        LAM_TRY(arrow_plan_read_field(plan_reader, child, path, &field->children[at],
                                      &node->children[at]));
        at++;
    }
    return extend_struct(plan_reader, parquet, field);
}

/*
 * An Arrow map has both keys and values, and keys that are never null. Any other is a list of
 * entries.
 */
static bool is_arrow_map(const arrow_plan_reader *plan_reader, const lam_field *entry) {
    return entry->child_count == 2 && is_shown(plan_reader, lam_child_at(entry, 0)) &&
           is_shown(plan_reader, lam_child_at(entry, 1)) &&
           lam_child_at(entry, 0)->repetition == LAM_REPETITION_REQUIRED;
}

/*
 * A map, or a list if it cannot be one; either way with one node for the map and one for its
 * entries.
 */
LAM_APART static lam_status read_map(arrow_plan_reader *plan_reader, const lam_field *parquet,
                                     const lam_arrow_path *path, lam_arrow_field *field,
                                     lam_arrow_node *node) {
    const lam_field *entry = lam_child_at(parquet, 0);
    lam_arrow_node_list(node, entry);
    field->type.kind = is_arrow_map(plan_reader, entry) ? LAM_ARROW_MAP : LAM_ARROW_LIST;
    LAM_TRY(field_children(plan_reader, 1, field, node));
    lam_arrow_path entry_path = {path, entry->name};
    LAM_TRY(name_field(plan_reader, entry, &entry_path, field->children));
    LAM_TRY(set_id(plan_reader, entry, field->children));
    lam_arrow_node_enter(node->children, entry);
    return arrow_plan_read_struct(plan_reader, entry, &entry_path, field->children, node->children);
}

/*
 * Reads a field as what each of its repetitions is, or as itself if it is not repeated. A list
 * reads its element the same way: of a list without wrapper, the element is the repeated field.
 *
 *     group a (LIST) { repeated group list { T element; } }      LIST a, then T
 *     group a (LIST) { repeated T array; }                       LIST a, then T
 */
static lam_status read_once(arrow_plan_reader *plan_reader, const lam_field *parquet,
                            const lam_arrow_path *outer, lam_arrow_field *field,
                            lam_arrow_node *node) {
    lam_arrow_path path = {outer, parquet->name};
    LAM_TRY(name_field(plan_reader, parquet, &path, field));
    lam_arrow_node_enter(node, parquet);
    if (!lam_is_group(parquet))
        return arrow_plan_read_leaf(plan_reader, parquet, &path, field, node);
    if (lam_is_map(parquet))
        return read_map(plan_reader, parquet, &path, field, node);
    if (!lam_is_list(parquet))
        return arrow_plan_read_struct(plan_reader, parquet, &path, field, node);
    const lam_field *repeated = lam_child_at(parquet, 0);
    lam_arrow_node_list(node, repeated);
    const lam_field *element = lam_list_has_wrapper(parquet) ? lam_child_at(repeated, 0) : repeated;
    field->type.kind = LAM_ARROW_LIST;
    LAM_TRY(field_children(plan_reader, 1, field, node));
    /* An element gets its id here, as it does not pass through arrow_plan_read_field. */
    LAM_TRY(set_id(plan_reader, element, field->children));
    return read_once(plan_reader, element, &path, field->children, node->children);
}

/* --- The plan --------------------------------------------------------------------------------- */

/* Counts the projected leaves from the left, so that any range of leaves takes two reads. */
static lam_status count_shown(arrow_plan_reader *plan_reader, const lam_schema *schema,
                              const bool *leaves) {
    uint32_t *shown_before;
    LAM_TRY(LAM_ARENA_ARRAY(plan_reader->arena, schema->leaf_count + 1, &shown_before,
                            plan_reader->error));
    for (size_t i = 0; i < schema->leaf_count; i++)
        shown_before[i + 1] = shown_before[i] + (leaves == NULL || leaves[i]);
    plan_reader->shown_before = shown_before;
    return LAM_STATUS_OK;
}

/*
 * Takes the footer's key-values except ARROW:schema, from the parsed footer as bytes: the texts
 * that the reader gives end at the first NUL.
 */
static lam_status read_key_values(arrow_plan_reader *plan_reader, const lam_reader *reader,
                                  lam_arrow_field *root) {
    const lam_meta_key_value_list *stored = &reader->footer.meta.key_value_metadata;
    lam_arrow_key_value *key_values;
    LAM_TRY(LAM_ARENA_ARRAY(plan_reader->arena, stored->count, &key_values, plan_reader->error));
    for (uint32_t i = 0; i < stored->count; i++) {
        const lam_meta_key_value *key_value = &stored->items[i];
        if (lam_arrow_bytes_equal(key_value->key, LAM_ARROW_SCHEMA_KEY))
            continue;
        key_values[root->metadata.count].key = key_value->key;
        key_values[root->metadata.count].value = key_value->value;
        root->metadata.count++;
    }
    root->metadata.key_values = key_values;
    return LAM_STATUS_OK;
}

/* The value of ARROW:schema; empty if the file has none. */
static lam_bytes schema_text(const lam_reader *reader) {
    lam_bytes none = {NULL, 0};
    const lam_meta_key_value_list *stored = &reader->footer.meta.key_value_metadata;
    for (uint32_t i = 0; i < stored->count; i++)
        if (lam_arrow_bytes_equal(stored->items[i].key, LAM_ARROW_SCHEMA_KEY) &&
            (stored->items[i].has & LAM_META_KEY_VALUE_HAS_VALUE) != 0)
            return stored->items[i].value;
    return none;
}

/*
 * Restores the original types. A damaged ARROW:schema is ignored, because the columns can be read
 * without it; only a lack of memory is an error. `ret_restored` reports whether there was a good
 * one.
 */
static lam_status restore_original(lam_arrow_plan *plan, const lam_reader *reader,
                                   bool *ret_restored, lam_error *error) {
    lam_arrow_field original;
    lam_error cause = lam_error_none();
    lam_bytes text = schema_text(reader);
    *ret_restored = false;
    if (text.size == 0)
        return LAM_STATUS_OK;
    lam_status status = lam_ipc_schema_read(text, &plan->arena, &original, &cause);
    if (status == LAM_STATUS_NOMEM)
        LAM_FAIL(error, lam_error_kind(&cause), "%s", cause.message);
    *ret_restored = status == LAM_STATUS_OK;
    return *ret_restored ? lam_arrow_original_restore(plan, &original, error) : LAM_STATUS_OK;
}

/*
 * Lays the requested schema over the fields. One that breaks the interface is an error; one with
 * what cannot be read at all, such as dictionaries of dictionaries, is passed over.
 */
static lam_status take_request(lam_arrow_plan *plan, const struct ArrowSchema *schema,
                               lam_error *error) {
    lam_arrow_field requested;
    lam_error cause = lam_error_none();
    lam_status status = lam_arrow_field_import(schema, &plan->arena, &requested, &cause);
    if (status == LAM_STATUS_INVALID || status == LAM_STATUS_NOMEM)
        LAM_FAIL(error, lam_error_kind(&cause), "the requested schema: %s", cause.message);
    return status == LAM_STATUS_OK ? lam_arrow_original_request(plan, &requested, error)
                                   : LAM_STATUS_OK;
}

/* Gives all fields at or below one the type of their values. */
static void drop_dictionaries(lam_arrow_field *field) {
    field->is_dictionary = false;
    for (size_t i = 0; i < field->child_count; i++)
        drop_dictionaries(&field->children[i]);
}

/* Of the kinds of leaves, those of bytes and strings are the last in the enum. */
static bool may_be_dictionary(lam_arrow_kind kind) {
    return kind >= LAM_ARROW_BINARY;
}

/* Turns a leaf's type into a dictionary of it with int32 indexes. */
static lam_status make_dictionary(const lam_arrow_node *node, lam_arrow_field *field,
                                  lam_error *error) {
    if (!may_be_dictionary(field->type.kind)) {
        char path[96];
        lam_field_path(node->leaf, path, sizeof path);
        LAM_FAIL(error, LAM_STATUS_INVALID, "%s: values of type %s cannot be read as a dictionary",
                 path, lam_arrow_kind_name(field->type.kind));
    }
    field->is_dictionary = true;
    field->index_kind = LAM_ARROW_INT32;
    return LAM_STATUS_OK;
}

/*
 * Among extension types, only a VARIANT allows dictionaries, as its metadata; its own check
 * decides.
 */
static bool allows_dictionary(const lam_arrow_field *field) {
    lam_arrow_path nowhere = {NULL, NULL};
    return lam_arrow_extension_name(field).size == 0 ||
           (lam_arrow_is_extension(field, LAM_EXTENSION_VARIANT) &&
            lam_extension_variant(field, lam_arrow_extension_parameters(field), &nowhere, NULL) ==
                LAM_STATUS_OK);
}

/*
 * Makes dictionaries of the marked leaves below a node; `ret_any` reports whether there were any. A
 * field above one loses its extension type if the definition does not allow that: it would be
 * invalid.
 */
static lam_status make_dictionaries(lam_arrow_plan *plan, const lam_arrow_node *node,
                                    lam_arrow_field *field, const bool *leaves, bool *ret_any,
                                    lam_error *error) {
    bool any = node->shape == LAM_ARROW_NODE_VALUE && leaves[node->leaf->first_leaf] &&
               !field->is_dictionary;
    if (any)
        LAM_TRY(make_dictionary(node, field, error));
    for (size_t i = 0; i < node->child_count; i++) {
        bool below;
        LAM_TRY(make_dictionaries(plan, &node->children[i], &field->children[i], leaves, &below,
                                  error));
        any |= below;
    }
    *ret_any = any;
    return any && !allows_dictionary(field) ? lam_arrow_extension_drop(&plan->arena, field, error)
                                            : LAM_STATUS_OK;
}

/* The projected leaves, as the caller marked them or named them by path; NULL means all. */
static lam_status arrow_plan_choose_leaves(arrow_plan_reader *plan_reader, const lam_schema *schema,
                                           const lam_arrow_read_options *options,
                                           const bool **ret_leaves) {
    lam_error *error = plan_reader->error;
    *ret_leaves = options->leaves;
    if (options->columns == NULL && options->column_count > 0)
        LAM_FAIL(error, LAM_STATUS_INVALID, "%zu columns are requested, but none is given",
                 options->column_count);
    if (options->columns == NULL && options->select == NULL)
        return LAM_STATUS_OK;
    if (options->leaves != NULL || (options->columns != NULL && options->select != NULL))
        LAM_FAIL(error, LAM_STATUS_INVALID, "choose columns by leaves or by paths, not both");
    bool *leaves;
    LAM_TRY(LAM_ARENA_ARRAY(plan_reader->arena, lam_schema_leaf_count(schema), &leaves, error));
    if (options->select != NULL)
        LAM_TRY(lam_schema_select_text(schema, options->select, strlen(options->select),
                                       &plan_reader->arena->allocator, leaves, error));
    for (size_t i = 0; i < options->column_count; i++)
        LAM_TRY(lam_schema_select(schema, options->columns[i], leaves, error));
    *ret_leaves = leaves;
    return LAM_STATUS_OK;
}

/* Makes the dictionaries that the caller marked, unless he wants none at all. */
static lam_status mark_dictionaries(lam_arrow_plan *plan, const lam_arrow_read_options *options,
                                    lam_error *error) {
    bool any = false;
    if (options->dictionary_leaves == NULL)
        return LAM_STATUS_OK;
    for (size_t i = 0; !lam_switch_is_on(options->dictionaries) && i < plan->leaf_count; i++)
        any |= options->dictionary_leaves[plan->leaves[i]->leaf->first_leaf];
    if (any)
        LAM_FAIL(error, LAM_STATUS_INVALID,
                 "choose leaves that are returned as dictionaries, or no dictionaries, not both");
    return make_dictionaries(plan, &plan->root, &plan->schema, options->dictionary_leaves, &any,
                             error);
}

/* Changes types by all that is known beyond the Parquet schema, in the order of the table above. */
static lam_status choose_types(lam_arrow_plan *plan, const lam_reader *reader,
                               const lam_arrow_read_options *options, lam_error *error) {
    bool is_original = false;
    LAM_TRY(lam_switch_check(options->arrow_schema, "arrow_schema", error));
    LAM_TRY(lam_switch_check(options->dictionaries, "dictionaries", error));
    if (lam_switch_is_on(options->arrow_schema))
        LAM_TRY(restore_original(plan, reader, &is_original, error));
    LAM_TRY(lam_instant_unit_choose(plan, reader, options->timestamp96_unit, is_original, error));
    if (options->lenient)
        lam_lenient_types_widen(plan);
    if (options->requested != NULL)
        LAM_TRY(take_request(plan, options->requested, error));
    if (!lam_switch_is_on(options->dictionaries))
        drop_dictionaries(&plan->schema);
    LAM_TRY(lam_index_width_choose(plan, reader, error));
    return mark_dictionaries(plan, options, error);
}

/* Makes the complete plan; a failure leaves the caller to finish it. */
static lam_status read_plan(lam_arrow_plan *plan, const lam_reader *reader,
                            const lam_arrow_read_options *options, lam_error *error) {
    const lam_schema *schema = lam_reader_schema(reader);
    const lam_field *root = lam_schema_root(schema);
    arrow_plan_reader plan_reader = {
        &plan->arena, NULL, {reader, LAM_EXTENSION_FILE_BUDGET}, error};
    lam_arrow_path path = {NULL, NULL};
    const bool *leaves;
    LAM_TRY(arrow_plan_choose_leaves(&plan_reader, schema, options, &leaves));
    LAM_TRY(count_shown(&plan_reader, schema, leaves));
    plan->schema.name = "";
    lam_arrow_node_enter(&plan->root, root);
    LAM_TRY(arrow_plan_read_struct(&plan_reader, root, &path, &plan->schema, &plan->root));
    LAM_TRY(read_key_values(&plan_reader, reader, &plan->schema));
    lam_arrow_plan_link(&plan->schema, &plan->root);
    LAM_TRY(lam_arrow_plan_complete(plan, error));
    return choose_types(plan, reader, options, error);
}

lam_status lam_arrow_plan_read(lam_arrow_plan *plan, const lam_reader *reader,
                               const lam_arrow_read_options *given, const lam_allocator *allocator,
                               lam_error *error) {
    lam_allocator memory_of = lam_allocator_or_default(allocator);
    lam_arrow_read_options options;
    LAM_TRY(LAM_OPTIONS_READ(lam_arrow_read_options, given, &options, error));
    memset(plan, 0, sizeof *plan);
    lam_arena_init(&plan->arena, &memory_of, 0);
    lam_status status = read_plan(plan, reader, &options, error);
    if (status != LAM_STATUS_OK)
        lam_arrow_plan_finish(plan);
    return status;
}
