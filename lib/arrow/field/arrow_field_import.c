/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Imports struct ArrowSchema as a tree of fields. The structs come from another library in the same
 * process: their pointers must be trusted, but all else is checked before it is used, since a
 * producer may be wrong. Names, time zones, union ids and metadata are copied into the arena.
 *
 * The invariant: `fields` counts every struct before memory for it is taken, so that a schema with
 * a negative or enormous number of children fails before it allocates. Depth is bounded as well,
 * because the import recurses. (The C data interface, "Structure definitions")
 */
#include <string.h>

#include "arrow/field/arrow_field.h"
#include "arrow/field/arrow_format.h"
#include "arrow/field/arrow_metadata.h"
#include "arrow/field/arrow_path.h"
#include "base/error.h"
#include "base/recursion.h"
#include "base/utf8.h"

/* The state of one import. */
typedef struct field_importer {
    lam_arena *arena;
    size_t fields; /* counted so far, the root included */
    lam_error *error;
} field_importer;

/* UTF-8, up to the NUL. */
static bool arrow_field_is_text(const char *text) {
    size_t size = strlen(text);
    return lam_utf8_prefix((const uint8_t *)text, size) == size;
}

/* Parses the format of a struct, and copies what the type refers to into the arena. */
static lam_status import_type(field_importer *importer, const struct ArrowSchema *schema,
                              const lam_arrow_path *path, lam_arrow_type *ret_type) {
    uint8_t room[LAM_ARROW_UNION_MAX];
    if (schema->format == NULL || !arrow_field_is_text(schema->format))
        return lam_arrow_fail_at(path, LAM_STATUS_INVALID, "the format string is not text",
                                 importer->error);
    const char *fault = lam_arrow_format_parse(schema->format, room, ret_type);
    if (fault != NULL)
        return lam_arrow_fail_at(path, LAM_STATUS_INVALID, fault, importer->error);
    char *copy;
    if (ret_type->timezone != NULL) {
        LAM_TRY(lam_arena_copy(importer->arena, ret_type->timezone, strlen(ret_type->timezone),
                               &copy, importer->error));
        ret_type->timezone = copy;
    }
    if (ret_type->union_ids.data != NULL) {
        LAM_TRY(lam_arena_copy(importer->arena, room, ret_type->union_ids.size, &copy,
                               importer->error));
        ret_type->union_ids.data = (const uint8_t *)copy;
    }
    if (ret_type->kind == LAM_ARROW_MAP)
        ret_type->keys_sorted = (schema->flags & ARROW_FLAG_MAP_KEYS_SORTED) != 0;
    return LAM_STATUS_OK;
}

/*
 * Metadata has no length of its own: its numbers say where it ends, and are trusted to stay inside.
 */
static lam_status import_metadata(field_importer *importer, const struct ArrowSchema *schema,
                                  const lam_arrow_path *path, lam_arrow_metadata *ret_metadata) {
    size_t size = 0;
    if (schema->metadata != NULL) {
        const char *fault = lam_arrow_metadata_measure(schema->metadata, SIZE_MAX, &size);
        if (fault != NULL)
            return lam_arrow_fail_at(path, LAM_STATUS_INVALID, fault, importer->error);
    }
    return lam_arrow_metadata_import(schema->metadata, size, importer->arena, ret_metadata,
                                     importer->error);
}

/* Checks all that can be checked about the children before they are read, and counts them. */
static lam_status arrow_field_check_children(field_importer *importer,
                                             const struct ArrowSchema *schema,
                                             const lam_arrow_path *path) {
    if (schema->n_children < 0)
        return lam_arrow_fail_at(path, LAM_STATUS_INVALID, "the number of children is negative",
                                 importer->error);
    if (schema->n_children > (int64_t)(LAM_SCHEMA_FIELDS_MAX - importer->fields))
        return lam_arrow_fail_at(path, LAM_STATUS_LIMIT, "the schema has too many fields",
                                 importer->error);
    importer->fields += (size_t)schema->n_children;
    bool missing = schema->n_children > 0 && schema->children == NULL;
    for (int64_t i = 0; !missing && i < schema->n_children; i++)
        missing = schema->children[i] == NULL || schema->children[i]->release == NULL;
    return missing ? lam_arrow_fail_at(path, LAM_STATUS_INVALID, "a child is NULL or released",
                                       importer->error)
                   : LAM_STATUS_OK;
}

/*
 * Reads the outer one of the two structs of a dictionary-encoded field: it has the name, the flags
 * and, as its format, the type of the indexes; the inner one has the type and the children of the
 * values.
 *
 *     a: dictionary<int8, string>     outer   name a, format "c", flags, metadata
 *                                     inner   format "u", its own metadata
 */
static lam_status arrow_field_check_dictionary(field_importer *importer,
                                               const struct ArrowSchema *schema,
                                               const lam_arrow_path *path, lam_arrow_field *field) {
    lam_arrow_type index;
    LAM_TRY(import_type(importer, schema, path, &index));
    field->is_dictionary = true;
    field->dictionary_ordered = (schema->flags & ARROW_FLAG_DICTIONARY_ORDERED) != 0;
    field->index_kind = index.kind;
    if (schema->n_children != 0)
        return lam_arrow_fail_at(path, LAM_STATUS_INVALID,
                                 "the indices of a dictionary must not have children",
                                 importer->error);
    if (schema->dictionary->release == NULL)
        return lam_arrow_fail_at(path, LAM_STATUS_INVALID, "the dictionary is released",
                                 importer->error);
    if (schema->dictionary->dictionary != NULL)
        return lam_arrow_fail_at(path, LAM_ERROR_CODE_UNSUPPORTED_ARROW,
                                 "a dictionary's values are dictionary encoded", importer->error);
    return LAM_STATUS_OK;
}

/*
 * Imports a field, and makes room for its children. From `values` on, a dictionary's inner struct
 * takes the place of the outer one: its type and children become those of the field.
 */
LAM_APART static lam_status import_alone(field_importer *importer, const struct ArrowSchema *schema,
                                         const lam_arrow_path *path, lam_arrow_field *field) {
    const char *name = schema->name == NULL ? "" : schema->name;
    char *copy;
    if (!arrow_field_is_text(name))
        return lam_arrow_fail_at(path, LAM_STATUS_INVALID, "the name is not UTF-8",
                                 importer->error);
    LAM_TRY(lam_arena_copy(importer->arena, name, strlen(name), &copy, importer->error));
    field->name = copy;
    field->nullable = (schema->flags & ARROW_FLAG_NULLABLE) != 0;
    LAM_TRY(import_metadata(importer, schema, path, &field->metadata));
    const struct ArrowSchema *values = schema;
    if (schema->dictionary != NULL) {
        LAM_TRY(arrow_field_check_dictionary(importer, schema, path, field));
        values = schema->dictionary;
        LAM_TRY(import_metadata(importer, values, path, &field->values_metadata));
    }
    LAM_TRY(import_type(importer, values, path, &field->type));
    LAM_TRY(arrow_field_check_children(importer, values, path));
    field->child_count = (size_t)values->n_children;
    LAM_TRY(
        LAM_ARENA_ARRAY(importer->arena, field->child_count, &field->children, importer->error));
    return LAM_STATUS_OK;
}

/* Imports a field and all below it. */
static lam_status import_field(field_importer *importer, const struct ArrowSchema *schema,
                               const lam_arrow_path *outer, size_t depth, lam_arrow_field *field) {
    lam_arrow_path path = {outer, schema->name};
    if (depth > LAM_ARROW_DEPTH_MAX)
        return lam_arrow_fail_at(&path, LAM_STATUS_LIMIT, "the field is nested too deep",
                                 importer->error);
    LAM_TRY(import_alone(importer, schema, &path, field));
    const struct ArrowSchema *values = schema->dictionary != NULL ? schema->dictionary : schema;
    for (size_t i = 0; i < field->child_count; i++)
        LAM_TRY(import_field(importer, values->children[i], &path, depth + 1, &field->children[i]));
    /* Last, as it needs the children: a map, for one, checks its entries. */
    const char *fault = lam_arrow_field_complete(field);
    if (fault != NULL)
        return lam_arrow_fail_at(&path, LAM_STATUS_INVALID, fault, importer->error);
    return LAM_STATUS_OK;
}

/* `ret_field` is untouched on failure; the arena keeps what was copied until it is finished. */
lam_status lam_arrow_field_import(const struct ArrowSchema *schema, lam_arena *arena,
                                  lam_arrow_field *ret_field, lam_error *error) {
    field_importer importer = {arena, 1, error};
    lam_arrow_field field;
    memset(&field, 0, sizeof field);
    if (schema == NULL || schema->release == NULL)
        LAM_FAIL(error, LAM_STATUS_INVALID, "the schema is NULL or released");
    LAM_TRY(import_field(&importer, schema, NULL, 0, &field));
    *ret_field = field;
    return LAM_STATUS_OK;
}
