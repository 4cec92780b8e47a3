#include <stdio.h>
#include <string.h>

#include "arrow/arrow_pairs.h"
#include "arrow/arrow_plan_build.h"
#include "arrow/parquet_to_arrow.h"
#include "base/alloc.h"

typedef struct plan_reader {
    lam_arena *arena;
    const uint32_t *shown_before; /* projected leaves among the first i of the schema */
    lam_error *error;
} plan_reader;

static bool is_whole(const plan_reader *in, const lam_field *field) {
    return in->shown_before[field->first_leaf + field->leaf_count] -
               in->shown_before[field->first_leaf] ==
           field->leaf_count;
}

/* Whether a column at or below the field is projected; never for a group that has none. */
static bool is_shown(const plan_reader *in, const lam_field *field) {
    return in->shown_before[field->first_leaf + field->leaf_count] >
           in->shown_before[field->first_leaf];
}

/* --- Fields ----------------------------------------------------------------------------------- */

static lam_status set_extension(plan_reader *in, lam_arrow_field *field, const char *name,
                                lam_bytes parameters) {
    LAM_TRY(lam_arrow_pairs_set(in->arena, &field->metadata, LAM_ARROW_EXTENSION_NAME_KEY,
                                lam_arrow_text(name), in->error));
    return lam_arrow_pairs_set(in->arena, &field->metadata, LAM_ARROW_EXTENSION_METADATA_KEY,
                               parameters, in->error);
}

static lam_status set_id(plan_reader *in, const lam_field *parquet, lam_arrow_field *field) {
    char digits[16];
    char *copy;
    if (!parquet->has_id)
        return LAM_STATUS_OK;
    int size = snprintf(digits, sizeof digits, "%d", (int)parquet->id);
    LAM_TRY(lam_arena_copy(in->arena, digits, (size_t)size, &copy, in->error));
    return lam_arrow_pairs_set(in->arena, &field->metadata, LAM_ARROW_FIELD_ID_KEY,
                               lam_arrow_text(copy), in->error);
}

static void name_field(const lam_field *parquet, lam_arrow_field *field) {
    field->name = parquet->name;
    field->nullable = parquet->repetition == LAM_REPETITION_OPTIONAL;
}

static lam_status field_children(plan_reader *in, size_t count, lam_arrow_field *field,
                                 lam_arrow_node *node) {
    void *memory;
    LAM_TRY(lam_arena_array(in->arena, count, sizeof *field, &memory, in->error));
    field->children = memory;
    field->child_count = count;
    return lam_arrow_node_children(in->arena, count, node, in->error);
}

/* --- The tree --------------------------------------------------------------------------------- */

static lam_status read_field(plan_reader *in, const lam_field *parquet,
                             const lam_arrow_place *outer, lam_arrow_level around,
                             lam_arrow_field *field, lam_arrow_node *node);

static lam_status read_leaf(plan_reader *in, const lam_field *parquet, const lam_arrow_place *place,
                            lam_arrow_field *field, lam_arrow_node *node) {
    lam_bytes none = {NULL, 0};
    node->shape = LAM_ARROW_SHAPE_VALUE;
    const char *reason = lam_arrow_type_of_leaf(parquet, &field->type);
    if (reason != NULL)
        return lam_arrow_fail_at(place, LAM_STATUS_UNSUPPORTED, reason, in->error);
    if (parquet->logical_type.kind == LAM_LOGICAL_UUID)
        return set_extension(in, field, "arrow.uuid", none);
    if (parquet->logical_type.kind == LAM_LOGICAL_JSON)
        return set_extension(in, field, "arrow.json", none);
    return LAM_STATUS_OK;
}

static lam_status read_struct(plan_reader *in, const lam_field *parquet,
                              const lam_arrow_place *place, lam_arrow_level around,
                              lam_arrow_field *field, lam_arrow_node *node) {
    lam_bytes none = {NULL, 0};
    size_t count = 0;
    node->shape = LAM_ARROW_SHAPE_STRUCT;
    field->type.kind = LAM_ARROW_STRUCT;
    for (size_t i = 0; i < parquet->child_count; i++)
        count += is_shown(in, lam_child_at(parquet, i));
    LAM_TRY(field_children(in, count, field, node));
    for (size_t i = 0, at = 0; i < parquet->child_count; i++) {
        const lam_field *child = lam_child_at(parquet, i);
        if (!is_shown(in, child))
            continue;
        LAM_TRY(read_field(in, child, place, around, &field->children[at], &node->children[at]));
        at++;
    }
    if (parquet->logical_type.kind == LAM_LOGICAL_VARIANT && is_whole(in, parquet))
        return set_extension(in, field, "arrow.parquet.variant", none);
    return LAM_STATUS_OK;
}

/* Maps have keys that are never null, and both keys and values. What has not is a list. */
static bool is_arrow_map(const plan_reader *in, const lam_field *entry) {
    return entry->child_count == 2 && is_shown(in, lam_child_at(entry, 0)) &&
           is_shown(in, lam_child_at(entry, 1)) &&
           lam_child_at(entry, 0)->repetition == LAM_REPETITION_REQUIRED;
}

static lam_status read_map(plan_reader *in, const lam_field *parquet, const lam_arrow_place *place,
                           lam_arrow_field *field, lam_arrow_node *node) {
    const lam_field *entry = lam_child_at(parquet, 0);
    lam_arrow_level inside = lam_arrow_node_list(node, entry);
    field->type.kind = is_arrow_map(in, entry) ? LAM_ARROW_MAP : LAM_ARROW_LIST;
    LAM_TRY(field_children(in, 1, field, node));
    lam_arrow_place entry_place = {place, entry->name};
    name_field(entry, field->children);
    LAM_TRY(set_id(in, entry, field->children));
    lam_arrow_node_enter(node->children, entry, inside);
    return read_struct(in, entry, &entry_place, inside, field->children, node->children);
}

/* What a field is each time that it is there. */
static lam_status read_once(plan_reader *in, const lam_field *parquet, const lam_arrow_place *outer,
                            lam_arrow_level around, lam_arrow_field *field, lam_arrow_node *node) {
    lam_arrow_place place = {outer, parquet->name};
    name_field(parquet, field);
    lam_arrow_node_enter(node, parquet, around);
    if (!lam_is_group(parquet))
        return read_leaf(in, parquet, &place, field, node);
    if (lam_is_map(parquet))
        return read_map(in, parquet, &place, field, node);
    if (!lam_is_list(parquet))
        return read_struct(in, parquet, &place, around, field, node);
    const lam_field *repeated = lam_child_at(parquet, 0);
    lam_arrow_level inside = lam_arrow_node_list(node, repeated);
    const lam_field *element = lam_list_has_wrapper(parquet) ? lam_child_at(repeated, 0) : repeated;
    field->type.kind = LAM_ARROW_LIST;
    LAM_TRY(field_children(in, 1, field, node));
    LAM_TRY(set_id(in, element, field->children));
    return read_once(in, element, &place, inside, field->children, node->children);
}

/* A repeated field in its place is a list, never null, of what it is each time. */
static lam_status read_field(plan_reader *in, const lam_field *parquet,
                             const lam_arrow_place *outer, lam_arrow_level around,
                             lam_arrow_field *field, lam_arrow_node *node) {
    LAM_TRY(set_id(in, parquet, field));
    if (!lam_is_repeated(parquet))
        return read_once(in, parquet, outer, around, field, node);
    lam_arrow_place place = {outer, parquet->name};
    name_field(parquet, field);
    field->type.kind = LAM_ARROW_LIST;
    lam_arrow_node_enter(node, parquet, around);
    lam_arrow_level inside = lam_arrow_node_list(node, parquet);
    node->present_definition = (uint8_t)(parquet->max_definition - 1);
    LAM_TRY(field_children(in, 1, field, node));
    return read_once(in, parquet, &place, inside, field->children, node->children);
}

/* --- The plan --------------------------------------------------------------------------------- */

static lam_status count_shown(plan_reader *in, const lam_schema *schema, const bool *leaves) {
    void *memory;
    LAM_TRY(
        lam_arena_array(in->arena, schema->leaf_count + 1, sizeof(uint32_t), &memory, in->error));
    uint32_t *shown_before = memory;
    for (size_t i = 0; i < schema->leaf_count; i++)
        shown_before[i + 1] = shown_before[i] + (leaves == NULL || leaves[i]);
    in->shown_before = shown_before;
    return LAM_STATUS_OK;
}

/* The footer's pairs, but for the Arrow schema among them. */
static lam_status read_pairs(plan_reader *in, const lam_reader *reader, lam_arrow_field *root) {
    void *memory;
    size_t count = lam_reader_key_value_count(reader);
    LAM_TRY(lam_arena_array(in->arena, count, sizeof(lam_arrow_pair), &memory, in->error));
    lam_arrow_pair *pairs = memory;
    for (size_t i = 0; i < count; i++) {
        const char *value = lam_reader_value(reader, i);
        if (strcmp(lam_reader_key(reader, i), LAM_ARROW_SCHEMA_KEY) == 0)
            continue;
        pairs[root->metadata.count].key = lam_arrow_text(lam_reader_key(reader, i));
        pairs[root->metadata.count].value = lam_arrow_text(value == NULL ? "" : value);
        root->metadata.count++;
    }
    root->metadata.pairs = pairs;
    return LAM_STATUS_OK;
}

static lam_status read_plan(lam_arrow_plan *plan, const lam_reader *reader,
                            const lam_arrow_read_options *options, lam_error *error) {
    const lam_schema *schema = lam_reader_schema(reader);
    const lam_field *root = lam_schema_root(schema);
    plan_reader in = {&plan->arena, NULL, error};
    lam_arrow_place place = {NULL, NULL};
    lam_arrow_level top = {0, 0};
    LAM_TRY(count_shown(&in, schema, options == NULL ? NULL : options->leaves));
    plan->schema.name = "";
    lam_arrow_node_enter(&plan->root, root, top);
    LAM_TRY(read_struct(&in, root, &place, top, &plan->schema, &plan->root));
    LAM_TRY(read_pairs(&in, reader, &plan->schema));
    lam_arrow_plan_link(&plan->schema, &plan->root);
    return lam_arrow_plan_complete(plan, error);
}

lam_status lam_arrow_plan_read(lam_arrow_plan *plan, const lam_reader *reader,
                               const lam_arrow_read_options *options,
                               const lam_allocator *allocator, lam_error *error) {
    lam_allocator memory_of = lam_allocator_or_default(allocator);
    memset(plan, 0, sizeof *plan);
    lam_arena_init(&plan->arena, &memory_of, 0);
    lam_status status = read_plan(plan, reader, options, error);
    if (status != LAM_STATUS_OK)
        lam_arrow_plan_finish(plan);
    return status;
}
