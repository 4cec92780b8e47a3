/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks extension types against their definitions, and maps them to logical types and back. An
 * extension type is two key-values of a field's metadata, ARROW:extension:name and
 * ARROW:extension:metadata; the field's type is its storage. Simple definitions are checked here,
 * the others in extension_*.c.
 *
 * The invariant: the parameters of a schema that passes the check can be read again without a
 * fault, so annotating can fail only for want of memory. A name without a known definition is never
 * an error. (The C data interface, "Extension arrays"; Arrow, "Canonical Extension Types")
 */
#include "arrow/extension/arrow_extension.h"

#include <string.h>

#include "arrow/extension/extension_geo.h"
#include "arrow/extension/extension_parameters.h"
#include "arrow/extension/extension_tensor.h"
#include "arrow/extension/extension_variant.h"
#include "arrow/field/arrow_metadata_edit.h"
#include "base/error.h"
#include "base/recursion.h"

lam_bytes lam_arrow_extension_parameters(const lam_arrow_field *field) {
    lam_bytes none = {NULL, 0};
    const lam_bytes *found =
        lam_arrow_metadata_find(&field->metadata, LAM_ARROW_EXTENSION_METADATA_KEY);
    return found == NULL ? none : *found;
}

/* --- Checks ----------------------------------------------------------------------------------- */

/* The input of one check, and its result: a fault, or NULL. */
typedef struct extension_check {
    const lam_arrow_field *storage; /* the values, if the field is run-end encoded */
    lam_bytes parameters;
    lam_arena *arena;
    const char *fault;
} extension_check;

static bool is_string(lam_arrow_kind kind) {
    return kind == LAM_ARROW_STRING || kind == LAM_ARROW_LARGE_STRING ||
           kind == LAM_ARROW_STRING_VIEW;
}

static bool arrow_extension_is_binary(lam_arrow_kind kind) {
    return kind == LAM_ARROW_BINARY || kind == LAM_ARROW_LARGE_BINARY ||
           kind == LAM_ARROW_BINARY_VIEW;
}

/* Each of these returns a static text with the definition, or NULL when it is kept. */
static const char *uuid_fault(const extension_check *check) {
    const lam_arrow_type *type = &check->storage->type;
    if (type->kind != LAM_ARROW_FIXED_SIZE_BINARY || type->fixed_size != 16)
        return "arrow.uuid must be fixed_size_binary of 16 bytes";
    return check->parameters.size == 0 ? NULL : "arrow.uuid takes no parameters";
}

static const char *json_fault(const extension_check *check) {
    lam_parameter object;
    if (!is_string(check->storage->type.kind))
        return "arrow.json must be string, large_string or string_view";
    if (check->parameters.size == 0)
        return NULL;
    /*
     * An object without members, with white space or not: the first element of its inside does not
     * exist.
     */
    size_t first = 0;
    lam_parameter member;
    bool empty = lam_parameters_read(check->parameters, &object) &&
                 !lam_parameter_next(&object, &first, &member);
    return empty ? NULL : "arrow.json takes no parameters, or an empty object";
}

static const char *bool8_fault(const extension_check *check) {
    if (check->storage->type.kind != LAM_ARROW_INT8)
        return "arrow.bool8 must be int8";
    return check->parameters.size == 0 ? NULL : "arrow.bool8 takes no parameters";
}

static const char *opaque_fault(const extension_check *check) {
    lam_parameter object, value;
    if (!lam_parameters_read(check->parameters, &object))
        return "the parameters of arrow.opaque are not a JSON object";
    if (!lam_parameters_find(&object, "type_name", &value) || value.kind != LAM_PARAMETER_STRING)
        return "type_name of arrow.opaque is not one string";
    if (!lam_parameters_find(&object, "vendor_name", &value) || value.kind != LAM_PARAMETER_STRING)
        return "vendor_name of arrow.opaque is not one string";
    return NULL;
}

/* The logical type itself is not needed yet: reading the parameters checks them. */
static lam_status wkb_check(extension_check *check, lam_error *error) {
    lam_logical_type logical;
    if (!arrow_extension_is_binary(check->storage->type.kind)) {
        check->fault = "geoarrow.wkb must be binary, large_binary or binary_view";
        return LAM_STATUS_OK;
    }
    return lam_extension_geo_logical(check->parameters, check->arena, &logical, &check->fault,
                                     error);
}

/* The definitions that need no memory to be checked, and no path below the field. */
static const struct {
    const char *name;
    const char *(*fault)(const extension_check *check);
} simple_checks[] = {{LAM_EXTENSION_UUID, uuid_fault},
                     {LAM_EXTENSION_JSON, json_fault},
                     {LAM_EXTENSION_BOOL8, bool8_fault},
                     {LAM_EXTENSION_OPAQUE, opaque_fault}};

/*
 * Checks one field that has an extension type. The storage of a run-end encoded one is that of its
 * values, as the encoding hides the type but does not change it. A VARIANT's check names the field
 * below that is wrong, so it makes its error itself.
 */
static lam_status check_field(const lam_arrow_field *field, lam_arena *arena,
                              const lam_arrow_path *path, lam_error *error) {
    lam_bytes name = lam_arrow_extension_name(field);
    extension_check check = {field, lam_arrow_extension_parameters(field), arena, NULL};
    if (field->type.kind == LAM_ARROW_RUN_END_ENCODED)
        check.storage = &field->children[1];
    for (size_t i = 0; i < sizeof simple_checks / sizeof simple_checks[0]; i++)
        if (lam_arrow_bytes_equal(name, simple_checks[i].name))
            check.fault = simple_checks[i].fault(&check);
    if (lam_arrow_bytes_equal(name, LAM_EXTENSION_WKB))
        LAM_TRY(wkb_check(&check, error));
    else if (lam_arrow_bytes_equal(name, LAM_EXTENSION_FIXED_TENSOR))
        LAM_TRY(lam_extension_fixed_tensor(check.storage, check.parameters, arena, &check.fault,
                                           error));
    else if (lam_arrow_bytes_equal(name, LAM_EXTENSION_VARIABLE_TENSOR))
        LAM_TRY(lam_extension_variable_tensor(check.storage, check.parameters, arena, &check.fault,
                                              error));
    else if (lam_arrow_bytes_equal(name, LAM_EXTENSION_VARIANT))
        return lam_extension_variant(check.storage, check.parameters, path, error);
    if (check.fault != NULL)
        return lam_arrow_fail_at(path, LAM_STATUS_INVALID, check.fault, error);
    return LAM_STATUS_OK;
}

/*
 * A dictionary-encoded field may have an extension type outside, for the dictionary itself, and
 * another one for its values; the copy `values` has the same storage and the inner metadata.
 */
LAM_APART static lam_status check_both(const lam_arrow_field *field, lam_arena *arena,
                                       const lam_arrow_path *path, lam_error *error) {
    lam_arrow_field values = *field;
    values.metadata = field->values_metadata;
    if (lam_arrow_extension_name(field).size > 0)
        LAM_TRY(check_field(field, arena, path, error));
    if (lam_arrow_extension_name(&values).size > 0)
        LAM_TRY(check_field(&values, arena, path, error));
    return LAM_STATUS_OK;
}

lam_status lam_arrow_extension_check(const lam_arrow_field *field, lam_arena *arena,
                                     const lam_arrow_path *path, lam_error *error) {
    LAM_TRY(check_both(field, arena, path, error));
    for (size_t i = 0; i < field->child_count; i++) {
        lam_arrow_path below = {path, field->children[i].name};
        LAM_TRY(lam_arrow_extension_check(&field->children[i], arena, &below, error));
    }
    return LAM_STATUS_OK;
}

/* --- To and from Parquet ---------------------------------------------------------------------- */

/* The fault of a CRS is ignored, because the check has found none. */
lam_status lam_arrow_extension_annotate(const lam_arrow_field *field, lam_arena *arena,
                                        lam_logical_type *logical, lam_error *error) {
    const char *fault;
    if (lam_arrow_is_extension(field, LAM_EXTENSION_UUID))
        logical->kind = LAM_LOGICAL_UUID;
    else if (lam_arrow_is_extension(field, LAM_EXTENSION_JSON))
        logical->kind = LAM_LOGICAL_JSON;
    else if (lam_arrow_is_extension(field, LAM_EXTENSION_WKB))
        return lam_extension_geo_logical(lam_arrow_extension_parameters(field), arena, logical,
                                         &fault, error);
    else if (lam_arrow_is_extension(field, LAM_EXTENSION_VARIANT)) {
        logical->kind = LAM_LOGICAL_VARIANT;
        logical->version = 1;
    }
    return LAM_STATUS_OK;
}

/*
 * Sets the two keys of an extension type. `parameters` is NULL for definitions without parameters;
 * then the key for them is left out. JSON and VARIANT have the key, with an empty value.
 *
 *     UUID        ARROW:extension:name = arrow.uuid
 *     GEOMETRY    ARROW:extension:name = geoarrow.wkb
 *                 ARROW:extension:metadata = {"crs":"OGC:CRS84","crs_type":"authority_code"}
 */
static lam_status set_extension(lam_arrow_field *field, const char *name,
                                const lam_bytes *parameters, lam_arena *arena, lam_error *error) {
    LAM_TRY(lam_arrow_metadata_set(arena, &field->metadata, LAM_ARROW_EXTENSION_NAME_KEY,
                                   lam_arrow_text(name), error));
    if (parameters == NULL)
        return LAM_STATUS_OK;
    return lam_arrow_metadata_set(arena, &field->metadata, LAM_ARROW_EXTENSION_METADATA_KEY,
                                  *parameters, error);
}

lam_status lam_arrow_extension_read(const lam_field *parquet, lam_extension_file *file,
                                    lam_arena *arena, lam_arrow_field *field, lam_error *error) {
    lam_bytes parameters = {NULL, 0};
    switch (parquet->logical_type.kind) {
    case LAM_LOGICAL_UUID:
        return set_extension(field, LAM_EXTENSION_UUID, NULL, arena, error);
    case LAM_LOGICAL_JSON:
        return set_extension(field, LAM_EXTENSION_JSON, &parameters, arena, error);
    case LAM_LOGICAL_VARIANT:
        return set_extension(field, LAM_EXTENSION_VARIANT, &parameters, arena, error);
    case LAM_LOGICAL_GEOMETRY:
    case LAM_LOGICAL_GEOGRAPHY:
        LAM_TRY(
            lam_extension_geo_parameters(&parquet->logical_type, file, arena, &parameters, error));
        return set_extension(field, LAM_EXTENSION_WKB, parameters.size > 0 ? &parameters : NULL,
                             arena, error);
    default:
        return LAM_STATUS_OK;
    }
}

lam_status lam_arrow_extension_drop(lam_arena *arena, lam_arrow_field *field, lam_error *error) {
    LAM_TRY(lam_arrow_metadata_drop(arena, &field->metadata, LAM_ARROW_EXTENSION_NAME_KEY, error));
    return lam_arrow_metadata_drop(arena, &field->metadata, LAM_ARROW_EXTENSION_METADATA_KEY,
                                   error);
}
