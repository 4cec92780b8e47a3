/*
 * The schema tree in memory: one array of fields in preorder, so that a subtree is a range and a
 * walk is a loop.
 *
 *     index    0     1       2       3        4      5
 *     field    root  DocId   Links   Backward Forward Name ...
 *     subtree  of Links: [2, 2 + subtree_size) = fields 2, 3, 4
 */
#ifndef LAM_SCHEMA_TREE_H
#define LAM_SCHEMA_TREE_H

#include <lamella/schema.h>
#include <stdatomic.h>

#include "base/arena.h"

struct lam_field {
    const lam_schema *schema;
    const char *name; /* NUL-terminated, in the schema's arena */
    uint32_t name_size;
    uint32_t index;        /* in preorder */
    uint32_t parent;       /* index; its own for the root */
    uint32_t subtree_size; /* fields, this one included */
    uint32_t child_count;
    uint32_t ordinal; /* among the parent's children */
    uint32_t first_leaf;
    uint32_t leaf_count;
    uint32_t children;   /* where the child indexes start in the schema's `children` */
    uint32_t name_slots; /* where its hash table starts in the schema's `name_slots` */
    int32_t type_length;
    int32_t id;
    uint8_t physical_type; /* lam_physical_type */
    uint8_t repetition;    /* lam_repetition */
    uint8_t depth;
    uint8_t max_repetition;
    uint8_t max_definition;
    bool has_id;
    lam_logical_type logical_type;
};

struct lam_schema {
    atomic_size_t holders; /* the caller of the creator, and what was made from the schema */
    lam_allocator allocator;
    lam_arena arena; /* holds all below */
    lam_field *fields;
    size_t field_count;
    uint32_t *children; /* field indexes, the children of each group side by side */
    uint32_t *leaves;   /* field indexes, in schema order */
    size_t leaf_count;
    uint32_t *name_slots; /* children by name, of wide groups (name_index.h) */
    uint64_t name_seed;
};

static inline const lam_field *lam_leaf_at(const lam_schema *schema, size_t leaf_index) {
    return &schema->fields[schema->leaves[leaf_index]];
}

static inline const lam_field *lam_parent_of(const lam_field *field) {
    return &field->schema->fields[field->parent];
}

static inline const lam_field *lam_child_at(const lam_field *group, size_t ordinal) {
    const lam_schema *schema = group->schema;
    return &schema->fields[schema->children[group->children + ordinal]];
}

/* True of a VECTOR and of what is below one: nothing is known of its levels. */
bool lam_is_in_vector(const lam_field *field);

/* Bytes of one element of lam_triples.values for this leaf. */
static inline size_t lam_element_size(const lam_field *leaf) {
    return leaf->physical_type == LAM_PHYSICAL_BYTE_ARRAY ? sizeof(lam_bytes)
                                                          : (size_t)leaf->type_length;
}

/*
 * Makes the builder take what files in the wild have: siblings of one name, groups without fields,
 * VECTORs, logical types that do not go with their physical type (which become NONE, or
 * UNRECOGNIZED where values were perhaps compared as another type than their bytes say).
 */
void lam_schema_builder_set_lenient(lam_schema_builder *builder);

/* One more holder of the schema, who lets go of it with lam_schema_destroy. */
lam_schema *lam_schema_share(const lam_schema *schema);

/* INVALID when the schema is NULL. */
lam_status lam_schema_require(const lam_schema *schema, lam_error *error);

#endif
