/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The schema tree in memory: one array of fields in preorder, so that a subtree is a range and a
 * walk is a loop. The paper's Document:
 *
 *     index    0     1       2       3          4         5      6          7     8         9
 *     field    root  DocId   Links   Backward   Forward   Name   Language   Code  Country   Url
 *     parent   0     0       0       2          2         0      5          6     6         5
 *     leaf           0               1          2                           3     4         5
 *     subtree  of Links: [2, 2 + subtree_size) = fields 2, 3, 4
 *
 * Leaves are numbered in the same order, so that the leaves below a field are a range, too: those
 * of Name are 3 (first_leaf) to 5 (leaf_count 3).
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
    uint32_t ordinal;    /* among the parent's children */
    uint32_t first_leaf; /* leaf index of the first leaf at or below it */
    uint32_t leaf_count; /* leaves at or below it */
    uint32_t children;   /* where the child indexes start in the schema's `children` */
    uint32_t name_slots; /* where its hash table starts in the schema's `name_slots` */
    uint32_t next_named; /* ordinal plus 1 of the next sibling with its name; 0: none */
    int32_t type_length; /* bytes of a value; 0 for BYTE_ARRAY and groups */
    int32_t id;
    uint8_t physical_type;  /* lam_physical_type */
    uint8_t repetition;     /* lam_repetition */
    uint8_t depth;          /* number of ancestors */
    uint8_t max_repetition; /* repeated fields on the path, itself included */
    uint8_t max_definition; /* optional and repeated fields on the path */
    bool has_id;
    lam_logical_type logical_type;
};

struct lam_schema {
    atomic_size_t holders; /* the creator's caller, and handles that were made from the schema */
    lam_allocator allocator;
    lam_arena arena; /* holds all below */
    lam_field *fields;
    size_t field_count;
    uint32_t *children; /* field indexes, the children of each group side by side */
    uint32_t *leaves;   /* field indexes, in schema order */
    size_t leaf_count;
    uint32_t *name_slots; /* children by name, of wide groups (name_index.h) */
    uint64_t name_seed;   /* of the hash of names */
    bool is_of_file;      /* a lenient builder made it: it may break rules of new schemas */
};

static inline const lam_field *lam_leaf_at(const lam_schema *schema, size_t leaf_index) {
    return &schema->fields[schema->leaves[leaf_index]];
}

/* The root's parent is the root. */
static inline const lam_field *lam_parent_of(const lam_field *field) {
    return &field->schema->fields[field->parent];
}

/* The field of the root that a field is, or is below. */
static inline const lam_field *lam_top_of(const lam_field *field) {
    while (field->depth > 1)
        field = lam_parent_of(field);
    return field;
}

/* The nearest field that both are, or are below. */
static inline const lam_field *lam_common_field(const lam_field *a, const lam_field *b) {
    while (a != b) {
        if (a->depth >= b->depth)
            a = lam_parent_of(a);
        else
            b = lam_parent_of(b);
    }
    return a;
}

static inline const lam_field *lam_child_at(const lam_field *group, size_t ordinal) {
    const lam_schema *schema = group->schema;
    return &schema->fields[schema->children[group->children + ordinal]];
}

/* True for a VECTOR and for every field below one: their levels are unknown. */
bool lam_is_in_vector(const lam_field *field);

/* True when the schemas are equal, but perhaps for the names of their roots. */
bool lam_schema_holds_same(const lam_schema *a, const lam_schema *b);

/* Bytes of one element of lam_triples.values for this leaf. */
static inline size_t lam_element_size(const lam_field *leaf) {
    return leaf->physical_type == LAM_PHYSICAL_BYTE_ARRAY ? sizeof(lam_bytes)
                                                          : (size_t)leaf->type_length;
}

/* What a builder needs besides name, repetition and physical type to make the same field. */
static inline lam_field_options lam_options_of_field(const lam_field *field) {
    bool is_fixed = field->physical_type == LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY;
    lam_field_options options = {.logical_type = field->logical_type,
                                 .type_length = is_fixed ? field->type_length : 0,
                                 .has_id = field->has_id,
                                 .id = field->id};
    return options;
}

/*
 * Makes the builder accept the fields of existing files: siblings of one name, groups without
 * fields, VECTORs, names that are not UTF-8, and logical types that do not go with their physical
 * type. Such a type becomes NONE, or UNRECOGNIZED if values may have been compared as another type
 * than that of their bytes.
 */
void lam_schema_builder_set_lenient(lam_schema_builder *builder);

/* Adds a holder, who releases the schema with lam_schema_destroy. */
lam_schema *lam_schema_share(const lam_schema *schema);

/* INVALID when the schema is NULL. */
lam_status lam_schema_require(const lam_schema *schema, lam_error *error);

#endif
