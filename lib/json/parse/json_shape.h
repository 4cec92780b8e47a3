/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How the fields of a schema show in JSON: the view that reader and writer share.
 *
 *     schema                                        form      in JSON
 *     group a { ... }                               OBJECT    {"x":..,"y":..}
 *     group a (LIST) {                              LIST      [..]
 *       repeated group list { T element; } }        WRAPPER   nothing: its child is the element
 *     group a (LIST) { repeated T element; }        LIST      [..], T is the element
 *     group a (MAP) {                               MAP       {"k1":..,"k2":..}
 *       repeated group key_value {                  ENTRY     one member
 *         required binary key (STRING); T value; } }
 *     group a (MAP) {                               LIST      [..]
 *       repeated group key_value { K key; V value; } } OBJECT   {"key":..,"value":..}
 *     int32 a                                       LEAF      17
 *     group a (VARIANT) { ... }                     VARIANT   any value (json_variant.h)
 *
 * Any other repeated field is an array under its own name. schema/nesting.h decides which group is
 * a list or a map, and whether a list's repeated child is an element or a wrapper.
 */
#ifndef LAM_JSON_PARSE_JSON_SHAPE_H
#define LAM_JSON_PARSE_JSON_SHAPE_H

#include <lamella/json.h>

#include "base/arena.h"
#include "schema/tree.h"

typedef enum lam_json_form {
    LAM_JSON_FORM_LEAF,
    LAM_JSON_FORM_OBJECT,
    LAM_JSON_FORM_LIST,
    LAM_JSON_FORM_WRAPPER,
    LAM_JSON_FORM_MAP,
    LAM_JSON_FORM_ENTRY,
    LAM_JSON_FORM_VARIANT
} lam_json_form;

/* The meaning of a value, which decides the form of its text. */
typedef enum lam_json_meaning {
    LAM_JSON_MEANS_BOOLEAN,
    LAM_JSON_MEANS_INT32,
    LAM_JSON_MEANS_INT64,
    LAM_JSON_MEANS_UINT32,
    LAM_JSON_MEANS_UINT64,
    LAM_JSON_MEANS_FLOAT,
    LAM_JSON_MEANS_DOUBLE,
    LAM_JSON_MEANS_FLOAT16,
    LAM_JSON_MEANS_DECIMAL,
    LAM_JSON_MEANS_TEXT,
    LAM_JSON_MEANS_BYTES,
    LAM_JSON_MEANS_DATE,
    LAM_JSON_MEANS_TIME,
    LAM_JSON_MEANS_TIMESTAMP,
    LAM_JSON_MEANS_TIMESTAMP_96,
    LAM_JSON_MEANS_INT96,
    LAM_JSON_MEANS_UUID,
    LAM_JSON_MEANS_INTERVAL,
    LAM_JSON_MEANS_FREE,   /* the text of a JSON value, which prints as the value */
    LAM_JSON_MEANS_NOTHING /* UNKNOWN: never a value */
} lam_json_meaning;

typedef struct lam_json_node {
    const lam_field *field;
    const uint32_t *children; /* indexes of their nodes, by ordinal */
    const char *name;         /* of the member of an object */
    size_t name_size;
    const char *lead; /* `"name":`, escaped and ready to print */
    size_t lead_size;
    size_t required; /* OBJECT: children that must be present, of those that have leaves */
    uint8_t form;    /* lam_json_form */
    uint8_t meaning; /* lam_json_meaning, of a leaf */
    bool shown;      /* it or a field below it is projected */
    bool is_array;   /* repeated without a LIST or MAP around it: an array under its name */
    bool is_entry;   /* the OBJECT of a map that prints as a LIST: its members are "key", "value" */
} lam_json_node;

typedef struct lam_json_shape {
    lam_schema *schema;
    lam_json_node *nodes; /* one per field, in preorder */
    bool omits_nulls;     /* members that are null are left out; set by the writer */
    lam_arena arena;      /* owns the nodes and their names */
} lam_json_shape;

/*
 * `leaves` is the projection, NULL for all; `free_leaves` marks the leaves that hold free JSON,
 * NULL for none. Needs no finish after a failure. NOMEM.
 */
lam_status lam_json_shape_init(lam_json_shape *shape, const lam_schema *schema, const bool *leaves,
                               const bool *free_leaves, const lam_allocator *allocator,
                               lam_error *error);
void lam_json_shape_finish(lam_json_shape *shape);

lam_json_meaning lam_json_meaning_of(const lam_field *leaf);

static inline const lam_json_node *lam_json_node_of(const lam_json_shape *shape,
                                                    const lam_field *field) {
    return &shape->nodes[field->index];
}

static inline const lam_json_node *lam_json_child(const lam_json_shape *shape,
                                                  const lam_json_node *group, size_t ordinal) {
    return &shape->nodes[group->children[ordinal]];
}

#endif
