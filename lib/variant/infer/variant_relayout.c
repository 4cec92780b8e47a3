/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Copies a schema field by field, and adds a typed_value to the VARIANTs that are to have one.
 *
 *     group event (VARIANT) {              group event (VARIANT) {
 *       required binary metadata;            required binary metadata;
 *       required binary value;               optional binary value;
 *     }                                      optional .. typed_value ..
 *                                          }
 *
 * Takes a schema and two callbacks, or one VARIANT and the typed_value of another schema, and gives
 * a new schema. The invariant: all fields before the first added typed_value keep their index.
 * (VariantShredding.md, "Value Shredding")
 */
#include "variant/infer/variant_relayout.h"

#include <lamella/variant_inference.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "dremel/grammar.h"

static bool variant_relayout_is_group(const lam_field *field) {
    return field->physical_type == LAM_PHYSICAL_GROUP;
}

/*
 * Copies one field without its children, with its annotation, its length and its id; a group stays
 * open.
 */
static lam_status copy_field(lam_schema_builder *builder, const lam_field *field, bool optional,
                             lam_error *error) {
    lam_repetition repetition =
        optional ? LAM_REPETITION_OPTIONAL : (lam_repetition)field->repetition;
    bool has_length = field->physical_type == LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY;
    lam_field_options options = {field->logical_type, has_length ? field->type_length : 0,
                                 field->has_id, field->id};
    if (variant_relayout_is_group(field))
        return lam_schema_builder_begin_group(builder, field->name, repetition, &options, error);
    return lam_schema_builder_add_leaf(builder, field->name, repetition,
                                       (lam_physical_type)field->physical_type, &options, error);
}

/*
 * Copies the fields [first, end) of a schema, which are complete subtrees side by side; groups are
 * closed where their subtree ends. `relayout` may be NULL.
 */
static lam_status copy_fields(lam_schema_builder *builder, const lam_schema *schema, uint32_t first,
                              uint32_t end, const lam_variant_relayout *relayout,
                              lam_error *error) {
    uint32_t groups[LAM_SCHEMA_DEPTH_MAX + 1];
    const lam_field *variant = NULL; /* the open VARIANT that gets a typed_value: it has leaves */
    size_t depth = 0;
    for (uint32_t i = first; i < end || depth > 0;) {
        const lam_field *top = depth == 0 ? NULL : &schema->fields[groups[depth - 1]];
        /* The innermost group has no more fields: add the fields that it gets, and close it. */
        if (top != NULL && i == top->index + top->subtree_size) {
            if (variant == top)
                LAM_TRY(relayout->add(relayout->state, top, builder, error));
            variant = variant == top ? NULL : variant;
            LAM_TRY(lam_schema_builder_end_group(builder, error));
            depth--;
            continue;
        }
        const lam_field *field = &schema->fields[i++];
        bool is_value = variant != NULL && strcmp(field->name, "value") == 0;
        LAM_TRY(copy_field(builder, field, is_value, error));
        if (!variant_relayout_is_group(field))
            continue;
        groups[depth++] = field->index;
        if (relayout != NULL && relayout->takes(relayout->state, field))
            variant = field;
    }
    return LAM_STATUS_OK;
}

lam_status lam_variant_relayout_schema(const lam_schema *schema,
                                       const lam_variant_relayout *relayout,
                                       const lam_allocator *allocator, lam_schema **ret_schema,
                                       lam_error *error) {
    lam_schema_builder *builder = NULL;
    lam_schema *made;
    lam_status status;
    LAM_TRY_OUT(lam_schema_builder_create(schema->fields[0].name, allocator, &builder, error));
    LAM_TRY_OUT(copy_fields(builder, schema, 1, (uint32_t)schema->field_count, relayout, error));
    LAM_TRY_OUT(lam_schema_builder_finish(builder, &made, error));
    *ret_schema = made;
out:
    lam_schema_builder_destroy(builder);
    return status;
}

/* --- A layout that is given ------------------------------------------------------------------- */

/* The state of the callbacks for one group and the typed_value that a caller has. */
typedef struct given_layout {
    const lam_field *group;
    const lam_field *typed_value;
} given_layout;

/* For lam_variant_relayout: the one group that gets a typed_value. */
static bool is_given(void *state, const lam_field *group) {
    return group == ((const given_layout *)state)->group;
}

/* For lam_variant_relayout: copies typed_value from its schema. */
static lam_status add_given(void *state, const lam_field *group, lam_schema_builder *builder,
                            lam_error *error) {
    const lam_field *typed = ((const given_layout *)state)->typed_value;
    (void)group;
    return copy_fields(builder, typed->schema, typed->index, typed->index + typed->subtree_size,
                       NULL, error);
}

/*
 * The complete result is checked, rather than the field before: only inside the group it shows
 * whether a typed_value can be written.
 */
lam_status lam_variant_shred_group(const lam_schema *schema, const lam_field *group,
                                   const lam_field *typed_value, const lam_allocator *allocator,
                                   lam_schema **ret_schema, lam_error *error) {
    lam_allocator own = lam_allocator_or_default(allocator);
    given_layout given = {group, typed_value};
    lam_variant_relayout relayout = {&given, is_given, add_given};
    lam_schema *made = NULL;
    if (group == NULL || group->schema != schema || typed_value == NULL)
        LAM_FAIL(error, LAM_STATUS_INVALID, "no group of the schema, or no typed_value for it");
    LAM_TRY(lam_variant_check_group(group, LAM_VARIANT_READ, error));
    if (lam_field_child_named(group, "typed_value", strlen("typed_value")) != NULL)
        return lam_field_fail(error, LAM_STATUS_INVALID, group, "it has a typed_value");
    if (strcmp(typed_value->name, "typed_value") != 0)
        LAM_FAIL(error, LAM_STATUS_INVALID, "a field named %s, not typed_value", typed_value->name);
    LAM_TRY(lam_variant_relayout_schema(schema, &relayout, &own, &made, error));
    lam_status status =
        lam_variant_check_group(&made->fields[group->index], LAM_VARIANT_WRITE, error);
    if (status != LAM_STATUS_OK) {
        lam_schema_destroy(made);
        return status;
    }
    *ret_schema = made;
    return LAM_STATUS_OK;
}
