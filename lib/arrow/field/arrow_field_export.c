/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Exports a tree of fields as struct ArrowSchema. A struct and all that it points to are in one
 * block:
 *
 *     schema_block | child structs | pointers to them | format | name | metadata
 *
 * A dictionary-encoded field becomes two structs: the outer one has the name, the metadata, the
 * flags and the type of the indexes, the inner one the type and the children of the values.
 *
 * The invariant: every struct frees its own block and nothing else, so that a consumer may move any
 * child out and release it before or after its parent. (The C data interface, "Structure
 * definitions", "Moving child arrays")
 */
#include <string.h>

#include "arrow/field/arrow_field.h"
#include "arrow/field/arrow_format.h"
#include "arrow/field/arrow_metadata.h"
#include "base/alloc.h"
#include "base/checked.h"
#include "base/error.h"
#include "base/recursion.h"

/*
 * What an exported struct owns, in the one block that `private_data` points to. The structs of its
 * children are in it too, but each owns another block: a child that is moved away keeps all it has
 * when this one is freed.
 */
typedef struct schema_block {
    lam_allocator allocator;
    size_t size; /* bytes of the entire block */
    struct ArrowSchema dictionary;
    /* Then the children, pointers to them, the format, the name and the metadata. */
} schema_block;

/* A struct that was moved away, or never made, has no release callback. */
static void release_below(struct ArrowSchema *schema) {
    if (schema != NULL && schema->release != NULL)
        schema->release(schema);
}

/* The release callback. The block is freed last, as the structs of the children are in it. */
static void release_schema(struct ArrowSchema *schema) {
    for (int64_t i = 0; i < schema->n_children; i++)
        release_below(schema->children[i]);
    release_below(schema->dictionary);
    schema_block *block = schema->private_data;
    lam_allocator allocator = block->allocator;
    schema->release = NULL;
    lam_free(&allocator, block, block->size);
}

/* The contents of one struct: of a field, of the indexes of a dictionary, or of its values. */
typedef struct outline {
    lam_arrow_type type;
    const char *name;
    lam_arrow_metadata metadata;
    int64_t flags;
    size_t child_count;
    bool has_dictionary;
} outline;

/* The values of a dictionary have no name and may be null; a field overwrites both. */
static outline outline_of_values(const lam_arrow_field *field) {
    outline values = {.type = field->type, .name = "", .child_count = field->child_count};
    values.flags = ARROW_FLAG_NULLABLE;
    if (field->type.kind == LAM_ARROW_MAP && field->type.keys_sorted)
        values.flags |= ARROW_FLAG_MAP_KEYS_SORTED;
    return values;
}

/* The struct of the field itself; with a dictionary, of its indexes, which have no children. */
static outline outline_of_field(const lam_arrow_field *field) {
    outline outer = outline_of_values(field);
    outer.name = field->name;
    outer.metadata = field->metadata;
    if (field->is_dictionary) {
        memset(&outer.type, 0, sizeof outer.type);
        outer.type.kind = field->index_kind;
        outer.flags = field->dictionary_ordered ? ARROW_FLAG_DICTIONARY_ORDERED : 0;
        outer.child_count = 0;
        outer.has_dictionary = true;
    }
    /* A map's flag of sorted keys stays. */
    outer.flags &= ~(int64_t)ARROW_FLAG_NULLABLE;
    if (field->nullable)
        outer.flags |= ARROW_FLAG_NULLABLE;
    return outer;
}

/*
 * Makes the block of a struct and fills in everything but the structs below it, which stay
 * released.
 */
static lam_status make_struct(const outline *of, const lam_allocator *allocator,
                              struct ArrowSchema *ret_schema, lam_error *error) {
    enum { ARROW_FIELD_CHILD = sizeof(struct ArrowSchema *) + sizeof(struct ArrowSchema) };
    size_t format_size = lam_arrow_format_print(&of->type, NULL, 0) + 1;
    size_t name_size = strlen(of->name) + 1;
    size_t metadata_size, size;
    LAM_TRY(lam_arrow_metadata_size(&of->metadata, &metadata_size, error));
    if (!lam_mul_size(of->child_count, ARROW_FIELD_CHILD, &size) ||
        !lam_add_size(size, sizeof(schema_block), &size) ||
        !lam_add_size(size, format_size, &size) || !lam_add_size(size, name_size, &size) ||
        !lam_add_size(size, metadata_size, &size))
        LAM_FAIL(error, LAM_STATUS_NOMEM, "no memory for a schema of %zu children",
                 of->child_count);
    /* Cleared, so that children are in the released state until they are made. */
    void *memory;
    LAM_TRY(lam_alloc_array(allocator, 1, size, &memory, error));
    schema_block *block = memory;
    block->allocator = *allocator;
    block->size = size;
    /* Structs first, then pointers, then text: alignment decreases, so no padding is needed. */
    struct ArrowSchema *children = (struct ArrowSchema *)(block + 1);
    struct ArrowSchema **pointers = (struct ArrowSchema **)(children + of->child_count);
    for (size_t i = 0; i < of->child_count; i++)
        pointers[i] = &children[i];
    char *format = (char *)(pointers + of->child_count);
    char *name = format + format_size;
    char *metadata = name + name_size;
    lam_arrow_format_print(&of->type, format, format_size);
    memcpy(name, of->name, name_size);
    lam_arrow_metadata_export(&of->metadata, metadata);
    memset(ret_schema, 0, sizeof *ret_schema);
    ret_schema->format = format;
    ret_schema->name = name;
    ret_schema->metadata = metadata_size > 0 ? metadata : NULL;
    ret_schema->flags = of->flags;
    ret_schema->n_children = (int64_t)of->child_count;
    ret_schema->children = of->child_count > 0 ? pointers : NULL;
    ret_schema->dictionary = of->has_dictionary ? &block->dictionary : NULL;
    ret_schema->release = release_schema;
    ret_schema->private_data = block;
    return LAM_STATUS_OK;
}

/* Exports a field without its children, and its dictionary if it has one. */
LAM_APART static lam_status export_alone(const lam_arrow_field *field,
                                         const lam_allocator *allocator, struct ArrowSchema *schema,
                                         lam_error *error) {
    outline of = outline_of_field(field);
    LAM_TRY(make_struct(&of, allocator, schema, error));
    if (!field->is_dictionary)
        return LAM_STATUS_OK;
    of = outline_of_values(field);
    return make_struct(&of, allocator, schema->dictionary, error);
}

/*
 * Exports a field and all below it into `schema`. A failure leaves a struct that can be released.
 */
static lam_status arrow_field_export_field(const lam_arrow_field *field,
                                           const lam_allocator *allocator,
                                           struct ArrowSchema *schema, lam_error *error) {
    LAM_TRY(export_alone(field, allocator, schema, error));
    if (field->is_dictionary)
        schema = schema->dictionary;
    for (size_t i = 0; i < field->child_count; i++)
        LAM_TRY(
            arrow_field_export_field(&field->children[i], allocator, schema->children[i], error));
    return LAM_STATUS_OK;
}

lam_status lam_arrow_field_export(const lam_arrow_field *field, const lam_allocator *allocator,
                                  struct ArrowSchema *ret_schema, lam_error *error) {
    struct ArrowSchema schema;
    memset(&schema, 0, sizeof schema);
    lam_status status = arrow_field_export_field(field, allocator, &schema, error);
    if (status == LAM_STATUS_OK)
        *ret_schema = schema;
    else
        release_below(&schema); /* as far as it was made */
    return status;
}
