/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Builds a schema field by field, in preorder: takes begin_group, add_leaf and end_group, and gives
 * the fields that tree.h describes, with levels, numbers of leaves and checked options, to
 * lam_schema_seal.
 *
 * Every call checks and allocates first and changes the tree last, so a failure leaves it
 * unchanged. `fields` always is a valid tree in preorder whose open groups are those on the path to
 * `group`. The levels follow from the parent's (Dremel paper, section 4.1):
 *
 *     max_repetition = parent's + (repeated)
 *     max_definition = parent's + (optional or repeated)
 */
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/hash_index.h"
#include "base/list.h"
#include "base/utf8.h"
#include "schema/logical_type.h"
#include "schema/text.h"
#include "schema/tree.h"
#include "schema/tree_seal.h"
#include "schema/type_statement.h"

struct lam_schema_builder {
    lam_allocator allocator;
    lam_arena arena;            /* names and CRS texts of all fields but the root */
    char *root_name;            /* kept when a finish empties the builder */
    LAM_LIST(lam_field) fields; /* in preorder, the root first */
    uint32_t group;             /* index of the group that is open */
    lam_hash_index taken;       /* fields by parent and name; none of a lenient builder */
    bool lenient;
};

enum { FIRST_FIELDS = 16 };

/* --- Growth ----------------------------------------------------------------------------------- */

static uint32_t sibling_hash(const lam_schema_builder *builder, uint32_t parent, const char *name,
                             size_t size) {
    return lam_hash_index_hash_below(&builder->taken, parent, name, size);
}

/* Whether a group has a field with that name. */
static bool has_sibling(const lam_schema_builder *builder, uint32_t parent, const char *name,
                        size_t size) {
    const lam_field *fields = builder->fields.items;
    uint32_t hash = sibling_hash(builder, parent, name, size), found;
    LAM_HASH_INDEX_FIND(&builder->taken, hash, found,
                        fields[found].parent == parent && fields[found].name_size == size &&
                            memcmp(fields[found].name, name, size) == 0);
    return found != LAM_HASH_INDEX_NONE;
}

/* Makes room for one more field and its name. */
static lam_status reserve(lam_schema_builder *builder, lam_error *error) {
    LAM_TRY(LAM_LIST_RESERVE(&builder->fields, 1, error));
    return builder->lenient ? LAM_STATUS_OK : lam_hash_index_reserve(&builder->taken, error);
}

/* --- Checks ----------------------------------------------------------------------------------- */

/*
 * A name has at most INT32_MAX bytes, as a Thrift string does, and is UTF-8 unless a file has it.
 */
static lam_status builder_check_name(const char *name, const char *what, bool lenient,
                                     size_t *ret_size, lam_error *error) {
    if (name == NULL)
        LAM_FAIL(error, LAM_STATUS_INVALID, "a %s has no name", what);
    size_t size = strlen(name);
    if (size > INT32_MAX)
        LAM_FAIL(error, LAM_ERROR_CODE_SCHEMA_LIMIT, "a name has %zu bytes", size);
    if (!lenient && lam_utf8_prefix((const uint8_t *)name, size) != size)
        LAM_FAIL(error, LAM_STATUS_INVALID, "the name of %s %s is not UTF-8", what,
                 lam_show(name, size).text);
    *ret_size = size;
    return LAM_STATUS_OK;
}

/* Bounds depth and size (levels must fit a byte), and refuses a second sibling of the name. */
static lam_status check_parent(const lam_schema_builder *builder, const char *name, size_t size,
                               lam_error *error) {
    if (builder->fields.items[builder->group].depth >= LAM_SCHEMA_DEPTH_MAX)
        LAM_FAIL(error, LAM_ERROR_CODE_SCHEMA_LIMIT, "field '%s' lies deeper than %d levels",
                 lam_show(name, size).text, LAM_SCHEMA_DEPTH_MAX);
    if (builder->fields.count >= LAM_SCHEMA_FIELDS_MAX)
        LAM_FAIL(error, LAM_ERROR_CODE_SCHEMA_LIMIT, "the schema has more than %d fields",
                 LAM_SCHEMA_FIELDS_MAX);
    if (!builder->lenient && has_sibling(builder, builder->group, name, size))
        LAM_FAIL(error, LAM_STATUS_INVALID, "two fields of one group have the name '%s'",
                 lam_show(name, size).text);
    return LAM_STATUS_OK;
}

/* The repetition exists, and exactly FIXED_LEN_BYTE_ARRAY has a length. */
static lam_status check_numbers(const lam_field *field, int32_t given_length, bool lenient,
                                lam_error *error) {
    if (field->repetition == LAM_REPETITION_VECTOR && !lenient)
        LAM_FAIL(error, LAM_STATUS_INVALID, "field '%s' is a VECTOR, and only files have those",
                 lam_show(field->name, field->name_size).text);
    if (field->repetition > LAM_REPETITION_VECTOR)
        LAM_FAIL(error, LAM_STATUS_INVALID, "field '%s' has a repetition that does not exist",
                 lam_show(field->name, field->name_size).text);
    bool fixed = field->physical_type == LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY;
    if (fixed && given_length < 1)
        LAM_FAIL(error, LAM_STATUS_INVALID,
                 "field '%s' is a fixed_len_byte_array of %d bytes, at least 1 is needed",
                 lam_show(field->name, field->name_size).text, (int)given_length);
    if (!fixed && given_length != 0 && !lenient)
        LAM_FAIL(error, LAM_STATUS_INVALID, "field '%s' is %s, which takes no length",
                 lam_show(field->name, field->name_size).text,
                 lam_physical_type_name((lam_physical_type)field->physical_type));
    return LAM_STATUS_OK;
}

/*
 * Checks that the logical type may annotate the field. In lenient mode a type that may not is
 * dropped. Its writer may have ordered the bounds of byte arrays as the numbers that it meant, so
 * the order of such a column is unknown: UNRECOGNIZED keeps readers from using them.
 */
static lam_status builder_check_logical(lam_field *field, bool lenient, lam_error *error) {
    const char *problem = lam_logical_type_problem(
        &field->logical_type, (lam_physical_type)field->physical_type, field->type_length);
    if (problem == NULL)
        return LAM_STATUS_OK;
    if (!lenient)
        LAM_FAIL(error, LAM_STATUS_INVALID, "field '%s' of type %s: %s %s",
                 lam_show(field->name, field->name_size).text,
                 lam_physical_type_name((lam_physical_type)field->physical_type),
                 lam_logical_kind_name(field->logical_type.kind), problem);
    lam_logical_kind kind = field->logical_type.kind;
    const lam_type_statement *statement = field->logical_type.statement;
    bool is_number = kind == LAM_LOGICAL_DECIMAL || kind == LAM_LOGICAL_INTEGER ||
                     kind == LAM_LOGICAL_FLOAT16 || kind == LAM_LOGICAL_DATE ||
                     kind == LAM_LOGICAL_TIME || kind == LAM_LOGICAL_TIMESTAMP;
    bool is_bytes = field->physical_type == LAM_PHYSICAL_BYTE_ARRAY ||
                    field->physical_type == LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY;
    memset(&field->logical_type, 0, sizeof field->logical_type);
    field->logical_type.statement = statement;
    if (is_number && is_bytes)
        field->logical_type.kind = LAM_LOGICAL_UNRECOGNIZED;
    return LAM_STATUS_OK;
}

/* --- Fields ----------------------------------------------------------------------------------- */

/* Takes over the options, checked and normal, and copies what they point at. */
static lam_status describe(lam_schema_builder *builder, lam_field *field,
                           const lam_field_options *options, lam_error *error) {
    static const lam_field_options none;
    if (options == NULL)
        options = &none;
    LAM_TRY(check_numbers(field, options->type_length, builder->lenient, error));
    field->type_length =
        lam_physical_type_length((lam_physical_type)field->physical_type, options->type_length);
    field->has_id = options->has_id;
    field->id = options->has_id ? options->id : 0;
    field->logical_type = lam_logical_type_normal(&options->logical_type);
    const lam_type_statement *statement = field->logical_type.statement;
    if (statement != NULL &&
        !lam_type_statement_fits(statement, &field->logical_type,
                                 (lam_physical_type)field->physical_type, field->type_length))
        field->logical_type.statement = NULL;
    LAM_TRY(builder_check_logical(field, builder->lenient, error));
    return lam_logical_type_keep(&field->logical_type, &builder->arena, error);
}

/* The last step, which cannot fail: the field joins its group. The root counts all leaves. */
static void builder_append(lam_schema_builder *builder, const lam_field *field) {
    lam_field *parent = &builder->fields.items[builder->group];
    if (!builder->lenient)
        lam_hash_index_put(&builder->taken,
                           sibling_hash(builder, field->parent, field->name, field->name_size),
                           field->index);
    builder->fields.items[builder->fields.count++] = *field;
    parent->child_count++;
    if (field->physical_type == LAM_PHYSICAL_GROUP)
        builder->group = field->index;
    else
        builder->fields.items[0].leaf_count++;
}

/*
 * Makes a field in a local struct, complete but for the counts that its end determines. The paper's
 * Document gets
 *
 *     field         repetition   max_repetition   max_definition   first_leaf   leaf_count
 *     Document      (root)       0                0                0            6
 *       DocId       required     0                0                0            1
 *       Links       optional     0                1                1            2
 *         Backward  repeated     1                2                1            1
 *         Forward   repeated     1                2                2            1
 *       Name        repeated     1                1                3            3
 *         Language  repeated     2                2                3            2
 *           Code    required     2                2                3            1
 *           Country optional     2                3                4            1
 *         Url       optional     1                2                5            1
 */
static lam_status builder_add_field(lam_schema_builder *builder, const char *name,
                                    lam_repetition repetition, lam_physical_type type,
                                    const lam_field_options *options, lam_error *error) {
    size_t size;
    LAM_TRY(builder_check_name(name, "field", builder->lenient, &size, error));
    LAM_TRY(reserve(builder, error));
    LAM_TRY(check_parent(builder, name, size, error));
    const lam_field *parent = &builder->fields.items[builder->group];
    lam_field field;
    memset(&field, 0, sizeof field);
    field.name = name;
    field.name_size = (uint32_t)size;
    field.index = (uint32_t)builder->fields.count;
    field.parent = builder->group;
    field.ordinal = parent->child_count;
    field.physical_type = (uint8_t)type;
    /* A number beyond a byte must not wrap into a valid one before check_numbers. */
    field.repetition = (uint8_t)((unsigned)repetition <= UINT8_MAX ? repetition : UINT8_MAX);
    field.subtree_size = 1;
    field.first_leaf = builder->fields.items[0].leaf_count;
    field.leaf_count = type == LAM_PHYSICAL_GROUP ? 0 : 1;
    field.depth = (uint8_t)(parent->depth + 1);
    field.max_repetition =
        (uint8_t)(parent->max_repetition + (repetition == LAM_REPETITION_REPEATED));
    field.max_definition =
        (uint8_t)(parent->max_definition +
                  (repetition == LAM_REPETITION_OPTIONAL || repetition == LAM_REPETITION_REPEATED));
    LAM_TRY(describe(builder, &field, options, error));
    char *copy;
    LAM_TRY(lam_arena_copy(&builder->arena, name, size, &copy, error));
    field.name = copy;
    builder_append(builder, &field);
    return LAM_STATUS_OK;
}

/* The group becomes the open one. */
lam_status lam_schema_builder_begin_group(lam_schema_builder *builder, const char *name,
                                          lam_repetition repetition,
                                          const lam_field_options *options, lam_error *error) {
    return builder_add_field(builder, name, repetition, LAM_PHYSICAL_GROUP, options, error);
}

/* A number beyond the enumeration must not become a group, nor index the table of lengths. */
lam_status lam_schema_builder_add_leaf(lam_schema_builder *builder, const char *name,
                                       lam_repetition repetition, lam_physical_type type,
                                       const lam_field_options *options, lam_error *error) {
    if ((unsigned)type >= LAM_PHYSICAL_GROUP)
        LAM_FAIL(error, LAM_STATUS_INVALID, "a leaf has the physical type %d", (int)type);
    return builder_add_field(builder, name, repetition, type, options, error);
}

/*
 * Completes the counts of the open group: all fields and leaves added since it began are below it.
 */
static void builder_close_group(lam_schema_builder *builder) {
    lam_field *group = &builder->fields.items[builder->group];
    group->subtree_size = (uint32_t)builder->fields.count - group->index;
    group->leaf_count = builder->fields.items[0].leaf_count - group->first_leaf;
    builder->group = group->parent;
}

/* A group without fields has no column to store it; files have such groups. */
lam_status lam_schema_builder_end_group(lam_schema_builder *builder, lam_error *error) {
    const lam_field *group = &builder->fields.items[builder->group];
    if (builder->group == 0)
        LAM_FAIL(error, LAM_STATUS_STATE, "no group is open");
    if (group->child_count == 0 && !builder->lenient)
        LAM_FAIL(error, LAM_STATUS_INVALID, "group '%s' has no fields",
                 lam_show(group->name, group->name_size).text);
    builder_close_group(builder);
    return LAM_STATUS_OK;
}

/* --- Life ------------------------------------------------------------------------------------- */

/* Starts with the root alone, whose leaf_count counts the leaves while the tree grows. */
static void builder_start(lam_schema_builder *builder) {
    lam_field *root = &builder->fields.items[0];
    memset(root, 0, sizeof *root);
    root->name = builder->root_name;
    root->name_size = (uint32_t)strlen(builder->root_name);
    root->physical_type = LAM_PHYSICAL_GROUP;
    root->repetition = LAM_REPETITION_REQUIRED;
    root->subtree_size = 1;
    builder->fields.count = 1;
    builder->group = 0;
    lam_hash_index_clear(&builder->taken);
    lam_arena_reset(&builder->arena);
}

/* Allocates the root's name and the first fields; names are allocated as they come. */
lam_status lam_schema_builder_create(const char *message_name, const lam_allocator *allocator,
                                     lam_schema_builder **ret_builder, lam_error *error) {
    lam_allocator memory_of = lam_allocator_or_default(allocator);
    size_t size;
    /* UTF-8 is checked at the end, when it is known whether the builder is lenient. */
    LAM_TRY(builder_check_name(message_name, "message", true, &size, error));
    void *memory;
    lam_schema_builder *builder;
    LAM_TRY(LAM_NEW(&memory_of, &builder, error));
    builder->allocator = memory_of;
    lam_arena_init(&builder->arena, &memory_of, 0);
    LAM_LIST_INIT(&builder->fields, &memory_of);
    lam_hash_index_init(&builder->taken, &memory_of);
    lam_status status;
    LAM_TRY_OUT(lam_alloc(&memory_of, size + 1, &memory, error));
    builder->root_name = memory;
    memcpy(builder->root_name, message_name, size + 1);
    LAM_TRY_OUT(LAM_LIST_RESERVE(&builder->fields, FIRST_FIELDS, error));
    builder_start(builder);
    *ret_builder = builder;
    return LAM_STATUS_OK;
out:
    lam_schema_builder_destroy(builder);
    return status;
}

void lam_schema_builder_set_lenient(lam_schema_builder *builder) {
    builder->lenient = true;
}

/* Seals a copy, and starts again with the same root. */
lam_status lam_schema_builder_finish(lam_schema_builder *builder, lam_schema **ret_schema,
                                     lam_error *error) {
    const lam_field *group = &builder->fields.items[builder->group];
    if (builder->group != 0)
        LAM_FAIL(error, LAM_STATUS_STATE, "group '%s' is still open",
                 lam_show(group->name, group->name_size).text);
    size_t root_name_size;
    LAM_TRY(builder_check_name(builder->root_name, "message", builder->lenient, &root_name_size,
                               error));
    builder_close_group(builder);
    LAM_TRY(lam_schema_seal(builder->fields.items, (uint32_t)builder->fields.count,
                            &builder->allocator, ret_schema, error));
    (*ret_schema)->is_of_file = builder->lenient;
    builder_start(builder);
    return LAM_STATUS_OK;
}

/* Also the end of a create that failed: members that were not made are NULL. */
void lam_schema_builder_destroy(lam_schema_builder *builder) {
    if (builder == NULL)
        return;
    lam_allocator allocator = builder->allocator;
    lam_arena_finish(&builder->arena);
    if (builder->root_name != NULL)
        lam_free(&allocator, builder->root_name, strlen(builder->root_name) + 1);
    LAM_LIST_FINISH(&builder->fields);
    lam_hash_index_finish(&builder->taken);
    lam_free(&allocator, builder, sizeof *builder);
}
