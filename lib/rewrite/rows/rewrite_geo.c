/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cuts the key-value "geo" to the columns of an output: takes a JSON object, and the schemas of a
 * file and of one with some of its columns, and gives the object without members about other
 * columns.
 *
 *     {"version": "1.1.0", "primary_column": "a", "columns": {
 *         "a": {"encoding": "WKB", "geometry_types": []},
 *         "b": {"encoding": "WKB", "geometry_types": [],
 *               "covering": {"bbox": {"xmin": ["box", "xmin"], ...}}}}}
 *
 *     without a      {"version":"1.1.0","primary_column":"b","columns":{"b":{...}}}
 *     without box    b without "covering", which names columns of bounds
 *     without both a and b   nothing
 *
 * The invariant: every named column is in the output, unchanged; members that are not cut keep
 * their bytes. If the primary column is not left, the first that is left becomes the primary one.
 * (GeoParquet 1.1, "File metadata", "Column metadata")
 */
#include "rewrite/rows/rewrite_geo.h"

#include "arrow/extension/extension_parameters.h"
#include "base/buffer.h"
#include "base/error.h"
#include "schema/schema_choose.h"

typedef struct geo_cut {
    const lam_field *from; /* the root of the file, and of the output */
    const lam_field *file;
    lam_arena *arena;  /* of texts without their escapes */
    lam_buffer text;   /* of the output */
    lam_bytes primary; /* the name of the primary column as it is written; no bytes: none is left */
} geo_cut;

/* --- Columns --------------------------------------------------------------------------------- */

/* The column with a name in the output, if it is the same there; else NULL. */
static lam_status geo_find_kept(geo_cut *cut, const lam_parameter *name,
                                const lam_field **ret_column, lam_error *error) {
    lam_bytes text;
    *ret_column = NULL;
    if (name->kind != LAM_PARAMETER_STRING)
        return LAM_STATUS_OK;
    LAM_TRY(lam_parameter_text(name, cut->arena, &text, error));
    const char *plain = (const char *)text.data;
    const lam_field *before = lam_field_child_named(cut->from, plain, text.size);
    const lam_field *now = lam_field_child_named(cut->file, plain, text.size);
    if (before != NULL && now != NULL && lam_field_same_shape(before, now))
        *ret_column = now;
    return LAM_STATUS_OK;
}

/* Whether a value is the path of a field of the output: ["box", "xmin"]. */
static lam_status leads_to_kept(geo_cut *cut, const lam_parameter *path, bool *ret_kept,
                                lam_error *error) {
    lam_parameter name;
    lam_bytes text;
    size_t position = 0;
    const lam_field *field = NULL;
    *ret_kept = false;
    if (path->kind != LAM_PARAMETER_ARRAY || !lam_parameter_next(path, &position, &name))
        return LAM_STATUS_OK;
    LAM_TRY(geo_find_kept(cut, &name, &field, error));
    while (field != NULL && lam_parameter_next(path, &position, &name)) {
        if (name.kind != LAM_PARAMETER_STRING)
            return LAM_STATUS_OK;
        LAM_TRY(lam_parameter_text(&name, cut->arena, &text, error));
        field = lam_field_child_named(field, (const char *)text.data, text.size);
    }
    *ret_kept = field != NULL;
    return LAM_STATUS_OK;
}

/* Whether all columns are there that a covering names: {"bbox": {"xmin": path, ...}}. */
static lam_status covering_is_kept(geo_cut *cut, const lam_parameter *covering, bool *ret_kept,
                                   lam_error *error) {
    lam_parameter name, box, path;
    size_t position = 0;
    *ret_kept = covering->kind == LAM_PARAMETER_OBJECT;
    while (*ret_kept && lam_parameter_next_member(covering, &position, &name, &box)) {
        size_t inner = 0;
        *ret_kept = box.kind == LAM_PARAMETER_OBJECT;
        while (*ret_kept && lam_parameter_next_member(&box, &inner, &name, &path))
            LAM_TRY(leads_to_kept(cut, &path, ret_kept, error));
    }
    return LAM_STATUS_OK;
}

/* --- Text ------------------------------------------------------------------------------------ */

/* Appends a name and a colon, after a comma unless the object begins here. */
static lam_status geo_put_name(geo_cut *cut, const lam_parameter *name, lam_error *error) {
    if (cut->text.data[cut->text.size - 1] != '{')
        LAM_TRY(lam_buffer_append_byte(&cut->text, ',', error));
    LAM_TRY(lam_buffer_append(&cut->text, name->text.data, name->text.size, error));
    return lam_buffer_append_byte(&cut->text, ':', error);
}

static lam_status geo_put_bytes(geo_cut *cut, lam_bytes bytes, lam_error *error) {
    return lam_buffer_append(&cut->text, bytes.data, bytes.size, error);
}

/* One column, without a covering that names missing columns. */
static lam_status geo_put_column(geo_cut *cut, const lam_parameter *column, lam_error *error) {
    lam_parameter covering, name, value;
    bool is_kept = true;
    size_t position = 0;
    if (column->kind == LAM_PARAMETER_OBJECT) {
        is_kept = lam_parameters_find(column, "covering", &covering);
        if (is_kept && covering.kind != LAM_PARAMETER_ABSENT)
            LAM_TRY(covering_is_kept(cut, &covering, &is_kept, error));
    }
    if (is_kept)
        return geo_put_bytes(cut, column->text, error);
    LAM_TRY(lam_buffer_append_byte(&cut->text, '{', error));
    while (lam_parameter_next_member(column, &position, &name, &value)) {
        if (lam_parameter_is(&name, "covering"))
            continue;
        LAM_TRY(geo_put_name(cut, &name, error));
        LAM_TRY(geo_put_bytes(cut, value.text, error));
    }
    return lam_buffer_append_byte(&cut->text, '}', error);
}

static lam_status geo_put_columns(geo_cut *cut, const lam_parameter *columns, lam_error *error) {
    lam_parameter name, value;
    const lam_field *kept;
    size_t position = 0;
    LAM_TRY(lam_buffer_append_byte(&cut->text, '{', error));
    while (lam_parameter_next_member(columns, &position, &name, &value)) {
        LAM_TRY(geo_find_kept(cut, &name, &kept, error));
        if (kept == NULL)
            continue;
        LAM_TRY(geo_put_name(cut, &name, error));
        LAM_TRY(geo_put_column(cut, &value, error));
    }
    return lam_buffer_append_byte(&cut->text, '}', error);
}

/* Finds the primary column of the output: the one of the file, or the first that is left. */
static lam_status geo_find_primary(geo_cut *cut, const lam_parameter *object,
                                   const lam_parameter *columns, lam_error *error) {
    lam_parameter primary, name, value;
    const lam_field *kept = NULL;
    size_t position = 0;
    cut->primary = (lam_bytes){NULL, 0};
    if (lam_parameters_find(object, "primary_column", &primary))
        LAM_TRY(geo_find_kept(cut, &primary, &kept, error));
    if (kept != NULL) {
        cut->primary = primary.text;
        return LAM_STATUS_OK;
    }
    while (kept == NULL && lam_parameter_next_member(columns, &position, &name, &value))
        LAM_TRY(geo_find_kept(cut, &name, &kept, error));
    if (kept != NULL)
        cut->primary = name.text;
    return LAM_STATUS_OK;
}

static lam_status geo_put_object(geo_cut *cut, const lam_parameter *object,
                                 const lam_parameter *columns, lam_error *error) {
    lam_parameter name, value;
    size_t position = 0;
    LAM_TRY(lam_buffer_append_byte(&cut->text, '{', error));
    while (lam_parameter_next_member(object, &position, &name, &value)) {
        LAM_TRY(geo_put_name(cut, &name, error));
        if (lam_parameter_is(&name, "columns"))
            LAM_TRY(geo_put_columns(cut, columns, error));
        else if (lam_parameter_is(&name, "primary_column"))
            LAM_TRY(geo_put_bytes(cut, cut->primary, error));
        else
            LAM_TRY(geo_put_bytes(cut, value.text, error));
    }
    return lam_buffer_append_byte(&cut->text, '}', error);
}

lam_status lam_rewrite_cut_geo(lam_bytes value, const lam_schema *from, const lam_schema *file,
                               lam_arena *arena, lam_bytes *ret_value, lam_error *error) {
    lam_status status = LAM_STATUS_OK;
    lam_parameter object, columns;
    char *copy;
    geo_cut cut;
    *ret_value = (lam_bytes){NULL, 0};
    if (!lam_parameters_read(value, &object) ||
        !lam_parameters_find(&object, "columns", &columns) || columns.kind != LAM_PARAMETER_OBJECT)
        return LAM_STATUS_OK;
    cut.from = lam_schema_root(from);
    cut.file = lam_schema_root(file);
    cut.arena = arena;
    lam_buffer_init(&cut.text, &arena->allocator);
    LAM_TRY_OUT(geo_find_primary(&cut, &object, &columns, error));
    if (cut.primary.size > 0) {
        LAM_TRY_OUT(geo_put_object(&cut, &object, &columns, error));
        LAM_TRY_OUT(
            lam_arena_copy(arena, (const char *)cut.text.data, cut.text.size, &copy, error));
        *ret_value = (lam_bytes){(const uint8_t *)copy, cut.text.size};
    }
out:
    lam_buffer_finish(&cut.text);
    return status;
}
