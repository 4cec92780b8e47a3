/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Builds the schema tree from the footer's elements, and lists the elements of a tree. Takes a list
 * in preorder, in which only num_children shows the nesting, and gives a tree by way of the schema
 * builder, which checks names and types:
 *
 *   m 2 | a 1 | x | b   ->   m { a { x } b }
 *
 * The invariant: `left` has, for the root and each open group, the number of children still to
 * come; the list is one tree if every count is 0 at its end, and the root's not before. Depth is
 * bounded by the array, not by recursion. (parquet.thrift, SchemaElement)
 */
#include "meta/meta_schema.h"

#include <assert.h>
#include <string.h>

#include "base/error.h"
#include "meta/meta_logical.h"
#include "schema/text.h"
#include "schema/tree.h"

/* --- Import --------------------------------------------------------------------------------- */

/* The state of an import: the position in the list, and the groups that are open. */
typedef struct schema_importer {
    const lam_meta_schema_element *at;  /* the current element */
    const lam_meta_schema_element *end; /* after the last one */
    lam_schema_builder *builder;
    lam_arena arena;                        /* text of the current element */
    uint32_t depth;                         /* open groups, without the root */
    int32_t left[LAM_SCHEMA_DEPTH_MAX + 1]; /* children still to come, of each */
} schema_importer;

/* Turns INVALID into CORRUPT: the builder's input is the file's, not the caller's. */
static lam_status blame_file(lam_status status, lam_error *error) {
    if (status != LAM_STATUS_INVALID)
        return status;
    if (error != NULL) {
        error->status = LAM_STATUS_CORRUPT;
        error->code = LAM_ERROR_CODE_SCHEMA_ELEMENT;
    }
    return LAM_STATUS_CORRUPT;
}

/*
 * Copies a text of the file and ends it with a NUL. The format allows a NUL inside, too; a text cut
 * there would turn two names into one, or change a name that is written again: so it is refused.
 */
static lam_status meta_schema_copy_text(schema_importer *importer, const char *what, lam_bytes text,
                                        const char **ret_text, lam_error *error) {
    if (text.size > 0 && memchr(text.data, 0, text.size) != NULL)
        LAM_FAIL(error, LAM_STATUS_UNSUPPORTED,
                 "the %s '%s' in the schema holds a NUL byte, and texts end at one here", what,
                 lam_show((const char *)text.data, text.size).text);
    char *copy;
    LAM_TRY(lam_arena_copy(&importer->arena, text.data, text.size, &copy, error));
    *ret_text = copy;
    return LAM_STATUS_OK;
}

static bool meta_schema_has(const lam_meta_schema_element *element, uint32_t bit) {
    return (element->has & bit) != 0;
}

/*
 * Checks the numbers of an element. Only groups have children; a leaf may state that it has none.
 * An element with neither type nor number of children is an empty group, as from writers that leave
 * out numbers that are 0.
 */
static lam_status meta_schema_check_children(const lam_meta_schema_element *element,
                                             lam_error *error) {
    const char *problem = NULL;
    bool has_type = meta_schema_has(element, LAM_META_SCHEMA_ELEMENT_HAS_TYPE);
    if (element->num_children < 0)
        problem = "has a negative number of children";
    else if (has_type && element->num_children > 0)
        problem = "has both a physical type and children";
    else if (meta_schema_has(element, LAM_META_SCHEMA_ELEMENT_HAS_REPETITION_TYPE) &&
             (element->repetition_type < 0 || element->repetition_type > LAM_REPETITION_VECTOR))
        problem = "is neither required nor optional nor repeated";
    lam_bytes name = element->name;
    if (problem != NULL)
        LAM_FAIL(error, LAM_ERROR_CODE_SCHEMA_ELEMENT, "field '%s' %s",
                 lam_show((const char *)name.data, name.size).text, problem);
    if (has_type && (element->type < 0 || element->type >= LAM_PHYSICAL_GROUP))
        LAM_FAIL(error, LAM_STATUS_UNSUPPORTED, "field '%s' has the unknown physical type %d",
                 lam_show((const char *)name.data, name.size).text, element->type);
    return LAM_STATUS_OK;
}

/*
 * Gives the repetition of an element. All but the root must state one (parquet.thrift,
 * SchemaElement.repetition_type); writers that leave out numbers that are 0, hyparquet's among
 * them, mean REQUIRED.
 */
static lam_repetition repetition_of(const lam_meta_schema_element *element) {
    bool stated = meta_schema_has(element, LAM_META_SCHEMA_ELEMENT_HAS_REPETITION_TYPE);
    return stated ? (lam_repetition)element->repetition_type : LAM_REPETITION_REQUIRED;
}

/*
 * True if a FILE is a VECTOR of the draft parquet-format#592, which used the number that FILE has
 * in the format: its first child is then a vector.
 */
static bool is_vector_draft(const schema_importer *importer, const lam_logical_type *type) {
    const lam_meta_schema_element *child = importer->at + 1;
    return type->kind == LAM_LOGICAL_FILE && child < importer->end &&
           meta_schema_has(child, LAM_META_SCHEMA_ELEMENT_HAS_REPETITION_TYPE) &&
           child->repetition_type == LAM_REPETITION_VECTOR;
}

/* Gives the annotations of the current element; texts live until the next element. */
static lam_status import_options(schema_importer *importer, lam_field_options *ret_options,
                                 lam_error *error) {
    const lam_meta_schema_element *element = importer->at;
    lam_field_options options = LAM_ZERO_INIT;
    lam_bytes crs;
    lam_meta_logical_import(element, &options.logical_type, &crs);
    if (is_vector_draft(importer, &options.logical_type))
        options.logical_type.kind = LAM_LOGICAL_UNRECOGNIZED;
    if (crs.data != NULL)
        LAM_TRY(meta_schema_copy_text(importer, "CRS", crs, &options.logical_type.crs, error));
    LAM_TRY(lam_meta_logical_statement(element, &options.logical_type, &importer->arena,
                                       &options.logical_type.statement, error));
    if (meta_schema_has(element, LAM_META_SCHEMA_ELEMENT_HAS_TYPE) &&
        element->type == LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY)
        options.type_length = element->type_length;
    options.has_id = meta_schema_has(element, LAM_META_SCHEMA_ELEMENT_HAS_FIELD_ID);
    options.id = element->field_id;
    *ret_options = options;
    return LAM_STATUS_OK;
}

/* Adds the current element to the open group, which it opens in turn if it is a group. */
static lam_status import_element(schema_importer *importer, lam_error *error) {
    const lam_meta_schema_element *element = importer->at;
    const char *name;
    lam_field_options options;
    lam_arena_reset(&importer->arena);
    LAM_TRY(meta_schema_copy_text(importer, "name", element->name, &name, error));
    LAM_TRY(meta_schema_check_children(element, error));
    LAM_TRY(import_options(importer, &options, error));
    lam_repetition repetition = repetition_of(element);
    if (meta_schema_has(element, LAM_META_SCHEMA_ELEMENT_HAS_TYPE))
        return blame_file(lam_schema_builder_add_leaf(importer->builder, name, repetition,
                                                      (lam_physical_type)element->type, &options,
                                                      error),
                          error);
    if (importer->depth == LAM_SCHEMA_DEPTH_MAX)
        LAM_FAIL(error, LAM_STATUS_LIMIT, "the schema is deeper than %d", LAM_SCHEMA_DEPTH_MAX);
    LAM_TRY(blame_file(
        lam_schema_builder_begin_group(importer->builder, name, repetition, &options, error),
        error));
    importer->left[++importer->depth] = element->num_children;
    return LAM_STATUS_OK;
}

/* Ends the open groups that have all their children, from the inside out. */
static void end_groups(schema_importer *importer) {
    while (importer->depth > 0 && importer->left[importer->depth] == 0) {
        lam_status status = lam_schema_builder_end_group(importer->builder, NULL);
        assert(status == LAM_STATUS_OK); /* a lenient builder ends any group that is open */
        (void)status;
        importer->depth--;
    }
}

/*
 * Adds all elements after the root. Groups end as late as the next element or the end of the list,
 * so that an empty group ends, too.
 */
static lam_status import_children(schema_importer *importer,
                                  const lam_meta_schema_element_list *elements, lam_error *error) {
    importer->end = elements->items + elements->count;
    importer->left[0] = elements->items[0].num_children;
    if (importer->left[0] < 0)
        LAM_FAIL(error, LAM_ERROR_CODE_SCHEMA_TREE, "the root has %d children", importer->left[0]);
    for (uint32_t i = 1; i < elements->count; i++) {
        importer->at = &elements->items[i];
        end_groups(importer);
        if (importer->left[importer->depth] == 0)
            LAM_FAIL(error, LAM_ERROR_CODE_SCHEMA_TREE,
                     "the schema is one tree of %u elements out of %u", i, elements->count);
        /* The element is a child of the innermost open group, and may open a group of its own. */
        importer->left[importer->depth]--;
        LAM_TRY(import_element(importer, error));
    }
    end_groups(importer);
    if (importer->left[importer->depth] > 0)
        LAM_FAIL(error, LAM_ERROR_CODE_SCHEMA_TREE, "the schema lacks %d fields or more",
                 importer->left[importer->depth]);
    return LAM_STATUS_OK;
}

/* The builder is lenient: it accepts names and annotations that a new file must not have. */
lam_status lam_meta_schema_import(const lam_meta_schema_element_list *elements,
                                  const lam_allocator *allocator, lam_schema **ret_schema,
                                  lam_error *error) {
    if (elements->count == 0)
        LAM_FAIL(error, LAM_ERROR_CODE_SCHEMA_TREE, "the schema has no root");
    lam_status status;
    schema_importer importer;
    importer.builder = NULL;
    importer.depth = 0;
    lam_arena_init(&importer.arena, allocator, 0);
    const char *name;
    LAM_TRY_OUT(meta_schema_copy_text(&importer, "name", elements->items[0].name, &name, error));
    LAM_TRY_OUT(
        blame_file(lam_schema_builder_create(name, allocator, &importer.builder, error), error));
    lam_schema_builder_set_lenient(importer.builder);
    LAM_TRY_OUT(import_children(&importer, elements, error));
    LAM_TRY_OUT(blame_file(lam_schema_builder_finish(importer.builder, ret_schema, error), error));
out:
    lam_schema_builder_destroy(importer.builder);
    lam_arena_finish(&importer.arena);
    return status;
}

/* --- Export --------------------------------------------------------------------------------- */

/* Fills one element, whose memory is zeroed; each number that is stated has its bit. */
static lam_status meta_schema_export_field(const lam_field *field, lam_arena *arena,
                                           lam_meta_schema_element *element, lam_error *error) {
    lam_physical_type type = lam_field_physical_type(field);
    element->name = (lam_bytes){(const uint8_t *)field->name, field->name_size};
    if (type == LAM_PHYSICAL_GROUP) {
        element->has |= LAM_META_SCHEMA_ELEMENT_HAS_NUM_CHILDREN;
        element->num_children = (int32_t)field->child_count;
    } else {
        element->has |= LAM_META_SCHEMA_ELEMENT_HAS_TYPE;
        element->type = (int32_t)type;
    }
    if (type == LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY) {
        element->has |= LAM_META_SCHEMA_ELEMENT_HAS_TYPE_LENGTH;
        element->type_length = field->type_length;
    }
    if (field->index > 0) { /* the root has none */
        element->has |= LAM_META_SCHEMA_ELEMENT_HAS_REPETITION_TYPE;
        element->repetition_type = field->repetition;
    }
    if (field->has_id) {
        element->has |= LAM_META_SCHEMA_ELEMENT_HAS_FIELD_ID;
        element->field_id = field->id;
    }
    return lam_meta_logical_export(&field->logical_type, arena, element, error);
}

/* The fields of a schema are in preorder, as the list has to be. */
lam_status lam_meta_schema_export(const lam_schema *schema, lam_arena *arena,
                                  lam_meta_schema_element_list *ret_elements, lam_error *error) {
    lam_meta_schema_element *elements;
    LAM_TRY(LAM_ARENA_ARRAY(arena, schema->field_count, &elements, error));
    for (size_t i = 0; i < schema->field_count; i++)
        LAM_TRY(meta_schema_export_field(&schema->fields[i], arena, &elements[i], error));
    ret_elements->items = elements;
    ret_elements->count = (uint32_t)schema->field_count;
    return LAM_STATUS_OK;
}
