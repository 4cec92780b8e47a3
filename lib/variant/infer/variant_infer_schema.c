/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes the schema of a choice: each VARIANT that is shredded gets a typed_value, and `value`
 * becomes optional. (VariantShredding.md, "Value Shredding")
 *
 *     paths: "" object, name string            optional group typed_value {
 *                                                required group name {
 *                                                  optional binary value;
 *                                                  optional binary typed_value (STRING);
 *                                              } }
 *
 * Takes the trees of paths, and gives a schema that is otherwise the same. Every field and element
 * always keeps a `value` beside its typed_value, so that any value can be written, not only those
 * like the sample.
 */
#include "base/error.h"
#include "variant/infer/variant_infer.h"
#include "variant/infer/variant_relayout.h"

/* Adds a leaf; all leaves of a shredded VARIANT are optional. */
static lam_status variant_infer_schema_add_leaf(lam_schema_builder *builder, const char *name,
                                                lam_physical_type type, lam_logical_type logical,
                                                int32_t length, lam_error *error) {
    lam_field_options options = {logical, length, false, 0};
    return lam_schema_builder_add_leaf(builder, name, LAM_REPETITION_OPTIONAL, type, &options,
                                       error);
}

/* --- Scalars: the table of "Shredded Value Types" --------------------------------------------- */

/* Adds the typed_value of a scalar. A decimal has the smallest physical type for its digits. */
static lam_status variant_infer_schema_add_scalar(lam_schema_builder *builder,
                                                  const lam_variant_type_choice *type,
                                                  lam_error *error) {
    static const lam_logical_type plain = {.kind = LAM_LOGICAL_NONE};
    lam_logical_type logical = plain;
    lam_physical_type physical = LAM_PHYSICAL_INT64;
    int32_t length = 0;
    switch (type->kind) {
    case LAM_VARIANT_BOOLEAN:
        physical = LAM_PHYSICAL_BOOLEAN;
        break;
    case LAM_VARIANT_INT8:
    case LAM_VARIANT_INT16:
        physical = LAM_PHYSICAL_INT32;
        logical.kind = LAM_LOGICAL_INTEGER;
        logical.bit_width = type->kind == LAM_VARIANT_INT8 ? 8 : 16;
        logical.is_signed = true;
        break;
    case LAM_VARIANT_INT32:
        physical = LAM_PHYSICAL_INT32;
        break;
    case LAM_VARIANT_FLOAT:
        physical = LAM_PHYSICAL_FLOAT;
        break;
    case LAM_VARIANT_DOUBLE:
        physical = LAM_PHYSICAL_DOUBLE;
        break;
    case LAM_VARIANT_DECIMAL4:
    case LAM_VARIANT_DECIMAL8:
    case LAM_VARIANT_DECIMAL16:
        physical = type->kind == LAM_VARIANT_DECIMAL4   ? LAM_PHYSICAL_INT32
                   : type->kind == LAM_VARIANT_DECIMAL8 ? LAM_PHYSICAL_INT64
                                                        : LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY;
        length = type->kind == LAM_VARIANT_DECIMAL16 ? 16 : 0;
        logical.kind = LAM_LOGICAL_DECIMAL;
        logical.precision = type->digits;
        logical.scale = type->scale;
        break;
    case LAM_VARIANT_DATE:
        physical = LAM_PHYSICAL_INT32;
        logical.kind = LAM_LOGICAL_DATE;
        break;
    case LAM_VARIANT_TIME:
        logical.kind = LAM_LOGICAL_TIME;
        logical.unit = LAM_TIME_UNIT_MICROS;
        break;
    case LAM_VARIANT_TIMESTAMP:
    case LAM_VARIANT_TIMESTAMP_NTZ:
    case LAM_VARIANT_TIMESTAMP_NANOS:
    case LAM_VARIANT_TIMESTAMP_NTZ_NANOS:
        logical.kind = LAM_LOGICAL_TIMESTAMP;
        logical.unit =
            type->kind == LAM_VARIANT_TIMESTAMP || type->kind == LAM_VARIANT_TIMESTAMP_NTZ
                ? LAM_TIME_UNIT_MICROS
                : LAM_TIME_UNIT_NANOS;
        logical.adjusted_to_utc =
            type->kind == LAM_VARIANT_TIMESTAMP || type->kind == LAM_VARIANT_TIMESTAMP_NANOS;
        break;
    case LAM_VARIANT_BINARY:
        physical = LAM_PHYSICAL_BYTE_ARRAY;
        break;
    case LAM_VARIANT_STRING:
        physical = LAM_PHYSICAL_BYTE_ARRAY;
        logical.kind = LAM_LOGICAL_STRING;
        break;
    case LAM_VARIANT_UUID:
        physical = LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY;
        length = 16;
        logical.kind = LAM_LOGICAL_UUID;
        break;
    default: /* INT64 */
        break;
    }
    return variant_infer_schema_add_leaf(builder, "typed_value", physical, logical, length, error);
}

/* --- Groups, which nest as deep as max_depth allows ------------------------------------------- */

static lam_status add_typed_value(const lam_variant_paths *paths, uint32_t index,
                                  lam_schema_builder *builder, lam_error *error);

/*
 * Adds the group of a field or an element, with `value` and, for a path that has a type,
 * typed_value.
 */
static lam_status variant_infer_schema_add_child(const lam_variant_paths *paths, uint32_t index,
                                                 const char *name, lam_schema_builder *builder,
                                                 lam_error *error) {
    static const lam_logical_type plain = {.kind = LAM_LOGICAL_NONE};
    LAM_TRY(lam_schema_builder_begin_group(builder, name, LAM_REPETITION_REQUIRED, NULL, error));
    LAM_TRY(
        variant_infer_schema_add_leaf(builder, "value", LAM_PHYSICAL_BYTE_ARRAY, plain, 0, error));
    if (paths->list.items[index].choice == LAM_VARIANT_SHREDDED)
        LAM_TRY(add_typed_value(paths, index, builder, error));
    return lam_schema_builder_end_group(builder, error);
}

/* Adds a group with the fields that are shredded, in the order of their first occurrence. */
static lam_status add_object(const lam_variant_paths *paths, const lam_variant_path *path,
                             lam_schema_builder *builder, lam_error *error) {
    LAM_TRY(lam_schema_builder_begin_group(builder, "typed_value", LAM_REPETITION_OPTIONAL, NULL,
                                           error));
    for (uint32_t child = path->first_child; child != 0;
         child = paths->list.items[child].next_child)
        if (paths->list.items[child].choice != LAM_VARIANT_NOT_SHREDDED)
            LAM_TRY(variant_infer_schema_add_child(paths, child, paths->list.items[child].name,
                                                   builder, error));
    return lam_schema_builder_end_group(builder, error);
}

/* Adds a list of three levels with the names of the specification. (LogicalTypes.md, "Lists") */
static lam_status add_array(const lam_variant_paths *paths, const lam_variant_path *path,
                            lam_schema_builder *builder, lam_error *error) {
    lam_field_options list = {{0}, 0, false, 0};
    list.logical_type.kind = LAM_LOGICAL_LIST;
    LAM_TRY(lam_schema_builder_begin_group(builder, "typed_value", LAM_REPETITION_OPTIONAL, &list,
                                           error));
    LAM_TRY(lam_schema_builder_begin_group(builder, "list", LAM_REPETITION_REPEATED, NULL, error));
    LAM_TRY(variant_infer_schema_add_child(paths, path->element, "element", builder, error));
    /* unreachable: the list is open, and has its element */
    LAM_TRY(lam_schema_builder_end_group(builder, error));
    return lam_schema_builder_end_group(builder, error);
}

/* Adds the typed_value of a path that has a type. */
static lam_status add_typed_value(const lam_variant_paths *paths, uint32_t index,
                                  lam_schema_builder *builder, lam_error *error) {
    const lam_variant_path *path = &paths->list.items[index];
    if (path->type.kind == LAM_VARIANT_OBJECT)
        return add_object(paths, path, builder, error);
    if (path->type.kind == LAM_VARIANT_ARRAY)
        return add_array(paths, path, builder, error);
    return variant_infer_schema_add_scalar(builder, &path->type, error);
}

/* --- The schema ------------------------------------------------------------------------------- */

/* For lam_variant_relayout: whether the VARIANT gets a typed_value. */
static bool is_shredded(void *state, const lam_field *group) {
    const lam_variant_paths *paths = lam_variant_paths_of(state, group);
    return paths != NULL && paths->list.items[0].choice == LAM_VARIANT_SHREDDED;
}

/* For lam_variant_relayout: adds the typed_value of the value itself. */
static lam_status add_chosen(void *state, const lam_field *group, lam_schema_builder *builder,
                             lam_error *error) {
    return add_typed_value(lam_variant_paths_of(state, group), 0, builder, error);
}

/* The schema comes from the allocator beneath the budget: it outlives the inference. */
lam_status lam_variant_inference_schema(lam_variant_inference *inference, lam_schema **ret_schema,
                                        lam_error *error) {
    lam_variant_relayout relayout = {inference, is_shredded, add_chosen};
    for (size_t i = 0; i < inference->variant_count; i++) {
        lam_variant_paths *paths = &inference->variants[i];
        LAM_TRY(lam_variant_choose(paths, paths->group->depth, error));
    }
    LAM_TRY(lam_variant_report(inference, error));
    return lam_variant_relayout_schema(inference->schema, &relayout, &inference->budget.beneath,
                                       ret_schema, error);
}
