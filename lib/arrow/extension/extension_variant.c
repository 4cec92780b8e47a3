/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks the storage of a VARIANT from the outer struct down. Two rules alternate: a pair of value
 * and typed_value (at the top with metadata), and the type of a typed_value, whose elements or
 * fields are pairs again:
 *
 *     struct { metadata, value, typed_value }                     the VARIANT itself
 *       typed_value: struct { a: pair, b: pair }                  a shredded object
 *         a: struct { value, typed_value: list<pair> }            whose field a is a shredded array
 *
 * The invariant: a storage that passes maps to a Parquet group that VariantShredding.md allows,
 * with no types but those of the mapping. Recursion is bounded by the depth of the schema. (Arrow,
 * "Canonical Extension Types", "Parquet Variant"; VariantShredding.md, "Shredded Value Types")
 */
#include "arrow/extension/extension_variant.h"

#include <string.h>

#include "arrow/extension/arrow_extension.h"
#include "arrow/field/arrow_metadata_edit.h"
#include "base/error.h"

/* Whether a field holds bytes of any length. */
static bool extension_variant_is_binary(const lam_arrow_field *field) {
    lam_arrow_kind kind = field->type.kind;
    return kind == LAM_ARROW_BINARY || kind == LAM_ARROW_LARGE_BINARY ||
           kind == LAM_ARROW_BINARY_VIEW;
}

/* UINT64 has no wider signed type, so that it cannot be shredded. */
lam_arrow_kind lam_extension_variant_kind(lam_arrow_kind kind) {
    switch (kind) {
    case LAM_ARROW_UINT8:
        return LAM_ARROW_INT16;
    case LAM_ARROW_UINT16:
        return LAM_ARROW_INT32;
    case LAM_ARROW_UINT32:
        return LAM_ARROW_INT64;
    default:
        return kind;
    }
}

/*
 * Whether a type is one of the mapping of primitive types. VARIANT counts times of day in
 * microseconds, and timestamps in microseconds or nanoseconds, in UTC or without a zone. Decimals
 * have 38 digits at most. Of extension types only UUID is one of them.
 */
static bool is_primitive(const lam_arrow_field *field) {
    const lam_arrow_type *type = &field->type;
    bool is_uuid = lam_arrow_is_extension(field, LAM_EXTENSION_UUID);
    if (is_uuid || lam_arrow_extension_name(field).size > 0)
        return is_uuid;
    switch (type->kind) {
    case LAM_ARROW_NULL:
    case LAM_ARROW_BOOL:
    case LAM_ARROW_INT8:
    case LAM_ARROW_UINT8:
    case LAM_ARROW_INT16:
    case LAM_ARROW_UINT16:
    case LAM_ARROW_INT32:
    case LAM_ARROW_UINT32:
    case LAM_ARROW_INT64:
    case LAM_ARROW_FLOAT32:
    case LAM_ARROW_FLOAT64:
    case LAM_ARROW_DATE32:
    case LAM_ARROW_BINARY:
    case LAM_ARROW_LARGE_BINARY:
    case LAM_ARROW_BINARY_VIEW:
    case LAM_ARROW_STRING:
    case LAM_ARROW_LARGE_STRING:
    case LAM_ARROW_STRING_VIEW:
        return true;
    case LAM_ARROW_DECIMAL:
        return type->bit_width <= 128;
    case LAM_ARROW_TIME64:
        return type->unit == LAM_ARROW_MICROSECOND;
    case LAM_ARROW_TIMESTAMP:
        return (type->unit == LAM_ARROW_MICROSECOND || type->unit == LAM_ARROW_NANOSECOND) &&
               (type->timezone == NULL || strcmp(type->timezone, "UTC") == 0);
    default:
        return false;
    }
}

static lam_status extension_variant_fail(const lam_arrow_path *path, const char *fault,
                                         lam_error *error) {
    return lam_arrow_fail_at(path, LAM_STATUS_INVALID, fault, error);
}

static lam_status extension_variant_check_children(const lam_arrow_field *group, bool with_metadata,
                                                   const lam_arrow_path *path, lam_error *error);

/*
 * Checks the pair of an element of a shredded list, or of a field of a shredded object. A missing
 * field of an object is a pair whose members are both null, so that the pair itself never is.
 */
static lam_status check_shredded(const lam_arrow_field *field, const lam_arrow_path *outer,
                                 lam_error *error) {
    lam_arrow_path path = {outer, field->name};
    if (field->type.kind != LAM_ARROW_STRUCT || field->is_dictionary || field->nullable)
        return extension_variant_fail(
            &path, "a shredded field of arrow.parquet.variant must be a struct and not nullable",
            error);
    return extension_variant_check_children(field, false, &path, error);
}

/*
 * Lists and structs hold pairs; any other type is a scalar of the mapping, not dictionary encoded.
 */
static lam_status check_typed_value(const lam_arrow_field *field, const lam_arrow_path *path,
                                    lam_error *error) {
    switch (field->type.kind) {
    case LAM_ARROW_LIST:
    case LAM_ARROW_LARGE_LIST:
    case LAM_ARROW_LIST_VIEW:
    case LAM_ARROW_STRUCT:
        for (size_t i = 0; i < field->child_count; i++)
            LAM_TRY(check_shredded(&field->children[i], path, error));
        return LAM_STATUS_OK;
    default:
        if (!is_primitive(field) || field->is_dictionary)
            return extension_variant_fail(
                path, "arrow.parquet.variant has no typed_value of this type", error);
        return LAM_STATUS_OK;
    }
}

/* Many values share one metadata, so it may be encoded by a dictionary or by runs. */
static lam_status extension_variant_check_metadata(const lam_arrow_field *field,
                                                   const lam_arrow_path *path, lam_error *error) {
    const lam_arrow_field *values = field;
    if (field->type.kind == LAM_ARROW_RUN_END_ENCODED)
        values = &field->children[1];
    if (!extension_variant_is_binary(values) || field->nullable)
        return extension_variant_fail(
            path, "metadata of arrow.parquet.variant must be binary and not nullable", error);
    return LAM_STATUS_OK;
}

/*
 * Checks the members of a pair, by name and in any order. Siblings of one name need no check here,
 * because lam_schema_builder refuses them.
 */
static lam_status extension_variant_check_children(const lam_arrow_field *group, bool with_metadata,
                                                   const lam_arrow_path *path, lam_error *error) {
    /* Only the outermost pair has metadata; the pairs inside share it. */
    bool has_metadata = !with_metadata;
    bool has_value = false;
    for (size_t i = 0; i < group->child_count; i++) {
        const lam_arrow_field *field = &group->children[i];
        lam_arrow_path below = {path, field->name};
        if (with_metadata && strcmp(field->name, "metadata") == 0) {
            has_metadata = true;
            LAM_TRY(extension_variant_check_metadata(field, &below, error));
        } else if (strcmp(field->name, "value") == 0) {
            has_value = true;
            if (!extension_variant_is_binary(field) || field->is_dictionary)
                return extension_variant_fail(
                    &below, "value of arrow.parquet.variant must be binary", error);
        } else if (strcmp(field->name, "typed_value") == 0) {
            has_value = true;
            LAM_TRY(check_typed_value(field, &below, error));
        } else {
            return extension_variant_fail(&below, "arrow.parquet.variant has no field of this name",
                                          error);
        }
    }
    if (!has_metadata)
        return extension_variant_fail(path, "arrow.parquet.variant has no metadata", error);
    if (!has_value)
        return extension_variant_fail(
            path, "arrow.parquet.variant has neither value nor typed_value", error);
    return LAM_STATUS_OK;
}

lam_status lam_extension_variant(const lam_arrow_field *storage, lam_bytes parameters,
                                 const lam_arrow_path *path, lam_error *error) {
    if (storage->type.kind != LAM_ARROW_STRUCT || storage->is_dictionary)
        return extension_variant_fail(path, "arrow.parquet.variant must be a struct", error);
    if (parameters.size > 0)
        return extension_variant_fail(path, "arrow.parquet.variant takes no parameters", error);
    return extension_variant_check_children(storage, true, path, error);
}
