/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads a group of a schema as a VARIANT and makes its plan; fields that do not follow the
 * specification are refused with their path.
 *
 * The group becomes nodes and roles, as variant_schema.h draws them. Nodes are added level by
 * level: a node's own fields are read when its turn comes, so the array of nodes is also the queue,
 * and a child always comes after its parent. The invariant: every field inside the group gets
 * exactly one role, or the plan fails, so both arrays need no more elements than the group has
 * fields. Reading accepts more than writing produces: optional groups that should be required, as
 * some writers leave them. (VariantShredding.md, "Value Shredding", "Shredded Value Types")
 */
#include "variant/shred/variant_schema.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/search.h"
#include "base/sort.h"
#include "dremel/grammar.h"
#include "schema/logical_type.h"
#include "variant/value/variant_layout.h"

static lam_logical_kind annotation_of(const lam_field *field) {
    return field->logical_type.kind;
}

static bool variant_schema_is_group(const lam_field *field) {
    return field->physical_type == LAM_PHYSICAL_GROUP;
}

static bool variant_schema_is_named(const lam_field *field, const char *name) {
    return strcmp(field->name, name) == 0;
}

/* --- Scalars -------------------------------------------------------------------------------- */

/* Whether a leaf is annotated as a decimal that a variant can hold: at most 38 digits. */
static bool variant_schema_is_decimal(const lam_field *leaf) {
    return annotation_of(leaf) == LAM_LOGICAL_DECIMAL &&
           leaf->logical_type.precision <= LAM_VARIANT_SCALE_MAX;
}

/* INT32 without annotation is int32; unsigned integers are not in the table of shredded types. */
static lam_variant_kind kind_of_int32(const lam_field *leaf) {
    const lam_logical_type *type = &leaf->logical_type;
    switch (type->kind) {
    case LAM_LOGICAL_NONE:
        return LAM_VARIANT_INT32;
    case LAM_LOGICAL_INTEGER:
        if (!type->is_signed)
            return LAM_VARIANT_UNKNOWN;
        return type->bit_width == 8    ? LAM_VARIANT_INT8
               : type->bit_width == 16 ? LAM_VARIANT_INT16
                                       : LAM_VARIANT_INT32;
    case LAM_LOGICAL_DATE:
        return LAM_VARIANT_DATE;
    default:
        return variant_schema_is_decimal(leaf) ? LAM_VARIANT_DECIMAL4 : LAM_VARIANT_UNKNOWN;
    }
}

/*
 * Times are in microseconds and in no time zone only; timestamps in micro- and nanoseconds, with
 * and without. Milliseconds are not in the table.
 */
static lam_variant_kind kind_of_int64(const lam_field *leaf) {
    const lam_logical_type *type = &leaf->logical_type;
    bool utc = type->adjusted_to_utc;
    switch (type->kind) {
    case LAM_LOGICAL_NONE:
        return LAM_VARIANT_INT64;
    case LAM_LOGICAL_INTEGER:
        return type->is_signed ? LAM_VARIANT_INT64 : LAM_VARIANT_UNKNOWN;
    case LAM_LOGICAL_TIME:
        return type->unit == LAM_TIME_UNIT_MICROS && !utc ? LAM_VARIANT_TIME : LAM_VARIANT_UNKNOWN;
    case LAM_LOGICAL_TIMESTAMP:
        if (type->unit == LAM_TIME_UNIT_MICROS)
            return utc ? LAM_VARIANT_TIMESTAMP : LAM_VARIANT_TIMESTAMP_NTZ;
        if (type->unit == LAM_TIME_UNIT_NANOS)
            return utc ? LAM_VARIANT_TIMESTAMP_NANOS : LAM_VARIANT_TIMESTAMP_NTZ_NANOS;
        return LAM_VARIANT_UNKNOWN;
    default:
        return variant_schema_is_decimal(leaf) ? LAM_VARIANT_DECIMAL8 : LAM_VARIANT_UNKNOWN;
    }
}

/* One case per physical type; INT96 is not in the table. */
lam_variant_kind lam_variant_kind_of_leaf(const lam_field *leaf) {
    bool plain = annotation_of(leaf) == LAM_LOGICAL_NONE;
    switch (leaf->physical_type) {
    case LAM_PHYSICAL_BOOLEAN:
        return plain ? LAM_VARIANT_BOOLEAN : LAM_VARIANT_UNKNOWN;
    case LAM_PHYSICAL_INT32:
        return kind_of_int32(leaf);
    case LAM_PHYSICAL_INT64:
        return kind_of_int64(leaf);
    case LAM_PHYSICAL_FLOAT:
        return plain ? LAM_VARIANT_FLOAT : LAM_VARIANT_UNKNOWN;
    case LAM_PHYSICAL_DOUBLE:
        return plain ? LAM_VARIANT_DOUBLE : LAM_VARIANT_UNKNOWN;
    case LAM_PHYSICAL_BYTE_ARRAY:
        if (annotation_of(leaf) == LAM_LOGICAL_STRING)
            return LAM_VARIANT_STRING;
        if (plain)
            return LAM_VARIANT_BINARY;
        return variant_schema_is_decimal(leaf) ? LAM_VARIANT_DECIMAL16 : LAM_VARIANT_UNKNOWN;
    case LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY:
        if (annotation_of(leaf) == LAM_LOGICAL_UUID)
            return LAM_VARIANT_UUID;
        return variant_schema_is_decimal(leaf) ? LAM_VARIANT_DECIMAL16 : LAM_VARIANT_UNKNOWN;
    default:
        return LAM_VARIANT_UNKNOWN;
    }
}

/* --- Groups --------------------------------------------------------------------------------- */

/* What every step of planning needs. */
typedef struct plan_builder {
    lam_variant_plan *plan;
    lam_variant_use use;
    lam_error *error;
} plan_builder;

/* Fails with INVALID and the path of the field that is wrong. */
#define REFUSE(builder, field, ...)                                                                \
    lam_field_fail((builder)->error, LAM_STATUS_INVALID, (field), __VA_ARGS__)

/* Records the meaning of a field. */
static void set_role(plan_builder *builder, const lam_field *field, uint32_t node,
                     lam_variant_role role) {
    lam_variant_field_role *field_role =
        &builder->plan->roles[field->index - builder->plan->group->index];
    field_role->node = node;
    field_role->role = (uint8_t)role;
}

/* Metadata is required binary; an optional one is accepted when reading. */
static lam_status variant_schema_check_metadata(plan_builder *builder, const lam_field *field) {
    bool optional =
        field->repetition == LAM_REPETITION_OPTIONAL && builder->use == LAM_VARIANT_READ;
    if (field->physical_type != LAM_PHYSICAL_BYTE_ARRAY ||
        annotation_of(field) != LAM_LOGICAL_NONE ||
        (field->repetition != LAM_REPETITION_REQUIRED && !optional))
        return REFUSE(builder, field, "the metadata of a VARIANT must be required binary");
    builder->plan->metadata = field;
    set_role(builder, field, 0, LAM_VARIANT_ROLE_METADATA);
    return LAM_STATUS_OK;
}

/* A `value` is binary, required or optional; which of the two depends on the node (plan_node). */
static lam_status variant_schema_check_value(plan_builder *builder, const lam_field *field) {
    if (field->physical_type != LAM_PHYSICAL_BYTE_ARRAY ||
        annotation_of(field) != LAM_LOGICAL_NONE || field->repetition == LAM_REPETITION_REPEATED)
        return REFUSE(builder, field, "the value of a VARIANT must be binary");
    return LAM_STATUS_OK;
}

/*
 * Appends the node of a child. Its own fields are read when its turn comes; `what` begins the
 * error.
 */
static lam_status variant_schema_add_child(plan_builder *builder, const lam_field *field,
                                           const char *what) {
    bool optional =
        field->repetition == LAM_REPETITION_OPTIONAL && builder->use == LAM_VARIANT_READ;
    if (!variant_schema_is_group(field) || annotation_of(field) != LAM_LOGICAL_NONE)
        return REFUSE(builder, field, "%s must be a group of value and typed_value", what);
    if (field->repetition != LAM_REPETITION_REQUIRED && !optional)
        return REFUSE(builder, field, "%s must be a required group", what);
    uint32_t node = (uint32_t)builder->plan->node_count++;
    builder->plan->nodes[node].field = field;
    set_role(builder, field, node, LAM_VARIANT_ROLE_PAIR);
    return LAM_STATUS_OK;
}

/*
 * A list of three levels, typed_value (LIST) { repeated list { element } }, by position and not by
 * name, since names of lists differ between writers. (LogicalTypes.md, "Lists")
 */
static lam_status plan_array(plan_builder *builder, lam_variant_node_plan *node) {
    const lam_field *typed = node->typed;
    const lam_field *list = typed->child_count == 1 ? lam_child_at(typed, 0) : NULL;
    if (list == NULL || !variant_schema_is_group(list) ||
        list->repetition != LAM_REPETITION_REPEATED || annotation_of(list) != LAM_LOGICAL_NONE ||
        list->child_count != 1)
        return REFUSE(builder, typed, "a shredded array must be a list of three levels");
    node->form = LAM_VARIANT_TYPED_ARRAY;
    node->list = list;
    node->child_count = 1;
    set_role(builder, list, (uint32_t)(node - builder->plan->nodes), LAM_VARIANT_ROLE_LIST);
    return variant_schema_add_child(builder, lam_child_at(list, 0),
                                    "the element of a shredded array");
}

/* The order of the fields of an object: unsigned bytes of the names. */
static int variant_schema_order(const void *state, const void *a, const void *b) {
    (void)state;
    return lam_variant_compare_names(lam_variant_field_name(a), lam_variant_field_name(b));
}

/*
 * Adds a node for each field and sorts these nodes; roles are recorded again because the nodes
 * moved. Two fields of one name, which a schema may have, would make a value ambiguous.
 */
static lam_status plan_object(plan_builder *builder, lam_variant_node_plan *node) {
    const lam_field *typed = node->typed;
    node->form = LAM_VARIANT_TYPED_OBJECT;
    node->child_count = typed->child_count;
    for (size_t i = 0; i < typed->child_count; i++)
        LAM_TRY(variant_schema_add_child(builder, lam_child_at(typed, i),
                                         "a field of a shredded object"));
    if (typed->child_count == 0)
        return REFUSE(builder, typed, "a shredded object must have a field");
    lam_variant_node_plan *children = builder->plan->nodes + node->children;
    lam_sort(children, node->child_count, sizeof *children, variant_schema_order, NULL);
    for (uint32_t i = 0; i < node->child_count; i++) {
        set_role(builder, children[i].field, node->children + i, LAM_VARIANT_ROLE_PAIR);
        children[i].is_field = true;
        if (i > 0 && variant_schema_order(NULL, &children[i - 1], &children[i]) == 0)
            return REFUSE(builder, children[i].field,
                          "two fields of a shredded object have the same name");
    }
    return LAM_STATUS_OK;
}

/*
 * Decides by type what a typed_value holds. A writer must leave it optional, as it is null whenever
 * a value has another type.
 */
static lam_status plan_typed(plan_builder *builder, lam_variant_node_plan *node) {
    const lam_field *typed = node->typed;
    if (typed->repetition == LAM_REPETITION_REPEATED ||
        (builder->use == LAM_VARIANT_WRITE && typed->repetition != LAM_REPETITION_OPTIONAL))
        return REFUSE(builder, typed, "typed_value is optional");
    if (variant_schema_is_group(typed) && annotation_of(typed) == LAM_LOGICAL_LIST)
        return plan_array(builder, node);
    if (variant_schema_is_group(typed) && annotation_of(typed) == LAM_LOGICAL_NONE)
        return plan_object(builder, node);
    node->form = LAM_VARIANT_TYPED_SCALAR;
    node->kind = variant_schema_is_group(typed) ? LAM_VARIANT_UNKNOWN
                                                : (uint8_t)lam_variant_kind_of_leaf(typed);
    if (node->kind != LAM_VARIANT_UNKNOWN)
        return LAM_STATUS_OK;
    char type[64];
    (void)lam_logical_type_print(&typed->logical_type, type, sizeof type);
    return lam_field_fail(builder->error, LAM_ERROR_CODE_UNSUPPORTED_VARIANT, typed,
                          "no value is shredded as %s%s%s%s",
                          lam_physical_type_name((lam_physical_type)typed->physical_type),
                          type[0] == '\0' ? "" : " (", type, type[0] == '\0' ? "" : ")");
}

/*
 * Finds `value` and `typed_value` of a node, and `metadata` of the first one, by their names in any
 * order. Any other field, or one of these a second time, is refused.
 */
static lam_status plan_node(plan_builder *builder, uint32_t index) {
    lam_variant_node_plan *node = &builder->plan->nodes[index];
    for (size_t i = 0; i < node->field->child_count; i++) {
        const lam_field *child = lam_child_at(node->field, i);
        if (variant_schema_is_named(child, "value") && node->value == NULL) {
            LAM_TRY(variant_schema_check_value(builder, child));
            node->value = child;
            set_role(builder, child, index, LAM_VARIANT_ROLE_VALUE);
        } else if (variant_schema_is_named(child, "typed_value") && node->typed == NULL) {
            node->typed = child;
            set_role(builder, child, index, LAM_VARIANT_ROLE_TYPED);
        } else if (index == 0 && variant_schema_is_named(child, "metadata") &&
                   builder->plan->metadata == NULL) {
            LAM_TRY(variant_schema_check_metadata(builder, child));
        } else {
            return REFUSE(builder, child, "a VARIANT has no such field here");
        }
    }
    if (node->value == NULL && node->typed == NULL)
        return REFUSE(builder, node->field, "neither value nor typed_value");
    /* Only an unshredded VARIANT always has bytes in `value`. */
    if (builder->use == LAM_VARIANT_WRITE && node->value != NULL &&
        (node->value->repetition == LAM_REPETITION_REQUIRED) != (index == 0 && node->typed == NULL))
        return REFUSE(builder, node->value,
                      "value must be required where nothing is shredded, and optional elsewhere");
    node->children = (uint32_t)builder->plan->node_count;
    return node->typed == NULL ? LAM_STATUS_OK : plan_typed(builder, node);
}

/* Marks nodes with floats below them. Children follow their parents: one pass from the back. */
static void find_floats(lam_variant_plan *plan) {
    for (size_t i = plan->node_count; i > 0; i--) {
        lam_variant_node_plan *node = &plan->nodes[i - 1];
        node->has_floats = node->form == LAM_VARIANT_TYPED_SCALAR &&
                           (node->kind == LAM_VARIANT_FLOAT || node->kind == LAM_VARIANT_DOUBLE);
        for (uint32_t child = 0; child < node->child_count; child++)
            node->has_floats |= plan->nodes[node->children + child].has_floats;
    }
}

/*
 * The loop ends when every node of the queue is planned; the schema bounds its depth and its size.
 */
static lam_status plan_group(plan_builder *builder, const lam_field *group) {
    if (!variant_schema_is_group(group) || group->index == 0)
        return REFUSE(builder, group, "not a group that could hold a VARIANT");
    if (annotation_of(group) == LAM_LOGICAL_VARIANT && group->logical_type.version > 1)
        return lam_field_fail(builder->error, LAM_ERROR_CODE_UNSUPPORTED_VARIANT, group,
                              "version %d of VARIANT", group->logical_type.version);
    builder->plan->nodes[0].field = group;
    builder->plan->node_count = 1;
    set_role(builder, group, 0, LAM_VARIANT_ROLE_PAIR);
    for (uint32_t i = 0; i < builder->plan->node_count; i++)
        LAM_TRY(plan_node(builder, i));
    if (builder->plan->metadata == NULL)
        return REFUSE(builder, group, "a VARIANT without metadata");
    find_floats(builder->plan);
    return LAM_STATUS_OK;
}

/* Both arrays have an element for each field in the group's subtree, which no plan exceeds. */
lam_status lam_variant_plan_init(lam_variant_plan *plan, const lam_field *group,
                                 lam_variant_use use, const lam_allocator *allocator,
                                 lam_error *error) {
    plan_builder builder = {plan, use, error};
    lam_status status;
    memset(plan, 0, sizeof *plan);
    plan->allocator = *allocator;
    plan->group = group;
    LAM_TRY_OUT(LAM_ARRAY(allocator, group->subtree_size, &plan->nodes, error));
    LAM_TRY_OUT(LAM_ARRAY(allocator, group->subtree_size, &plan->roles, error));
    LAM_TRY_OUT(plan_group(&builder, group));
    return LAM_STATUS_OK;
out:
    lam_variant_plan_finish(plan);
    return status;
}

void lam_variant_plan_finish(lam_variant_plan *plan) {
    if (plan->group == NULL)
        return;
    size_t fields = plan->group->subtree_size;
    if (plan->nodes != NULL)
        lam_free(&plan->allocator, plan->nodes, fields * sizeof *plan->nodes);
    if (plan->roles != NULL)
        lam_free(&plan->allocator, plan->roles, fields * sizeof *plan->roles);
    memset(plan, 0, sizeof *plan);
}

/* Binary search among the children, which plan_object has sorted. */
uint32_t lam_variant_plan_find(const lam_variant_plan *plan, uint32_t object, lam_bytes name) {
    const lam_variant_node_plan *node = &plan->nodes[object];
    size_t at, end = node->children;
    if (node->form == LAM_VARIANT_TYPED_OBJECT)
        end += node->child_count;
    LAM_BISECT_EQUAL(at, node->children, end,
                     lam_variant_compare_names(lam_variant_field_name(&plan->nodes[at]), name));
    return at < end ? (uint32_t)at : LAM_VARIANT_NO_NODE;
}

lam_status lam_variant_check_group(const lam_field *group, lam_variant_use use, lam_error *error) {
    lam_allocator allocator = lam_allocator_default();
    lam_variant_plan plan;
    if (group == NULL || (use != LAM_VARIANT_READ && use != LAM_VARIANT_WRITE))
        LAM_FAIL(error, LAM_STATUS_INVALID, "not a group, or not one in use");
    LAM_TRY(lam_variant_plan_init(&plan, group, use, &allocator, error));
    lam_variant_plan_finish(&plan);
    return LAM_STATUS_OK;
}
