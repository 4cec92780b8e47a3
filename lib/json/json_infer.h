/* SPDX-License-Identifier: Apache-2.0 */
/*
  * The tree of nodes that inference learns. A node represents the values at one position of the
 * structure, whichever record they are in: the root, a member of the objects at a node, or the
 * elements of the arrays at a node. It notes the kinds of value that were seen there.
 *
 *     {"a": [1, null]}      node 0  root          object
 *     {"a": [], "b": 2.5}   node 1    a           array
 *                           node 2      element   integer, null
 *                           node 3    b           real
 */
#ifndef LAM_JSON_INFER_H
#define LAM_JSON_INFER_H

#include <lamella/json.h>

#include "base/arena.h"
#include "base/budget.h"
#include "base/buffer.h"
#include "json/json_tokens.h"

/* What was seen of a node, as bits. */
enum {
    LAM_JSON_SAW_NULL = 1 << 0,
    LAM_JSON_SAW_BOOLEAN = 1 << 1,
    LAM_JSON_SAW_STRING = 1 << 2,
    LAM_JSON_SAW_INTEGER = 1 << 3,
    LAM_JSON_SAW_REAL = 1 << 4,
    LAM_JSON_SAW_OBJECT = 1 << 5,
    LAM_JSON_SAW_ARRAY = 1 << 6,
    /* of integers */
    LAM_JSON_SAW_NEGATIVE = 1 << 7,
    LAM_JSON_SAW_ABOVE_INT64 = 1 << 8, /* 2^63 to 2^64 - 1 */
    LAM_JSON_SAW_BEYOND_64 = 1 << 9,   /* outside of int64 and uint64 */
    LAM_JSON_SAW_NOT_DOUBLE = 1 << 10, /* no double keeps it */
    /* values that no column type holds: a real beyond double, a name with U+0000, too deep a
       nesting; or the caller wants a VARIANT here */
    LAM_JSON_SAW_UNFIT = 1 << 11
};

/* Nodes are known by their index; 0, the root, means none in links. */
typedef struct lam_inferred_node {
    const char *name; /* NUL-terminated; "" for root and elements */
    uint32_t name_size;
    uint32_t parent;
    uint32_t first_member;
    uint32_t last_member;
    uint32_t next_member;  /* the next in the order in which they were first seen */
    uint32_t element;      /* of the arrays here */
    uint32_t guess_first;  /* the member that came first in the last object here */
    uint32_t guess_behind; /* the member that came after this one in the last object */
    uint64_t last_object;  /* number of the object in which this member came last */
    uint16_t saw;          /* LAM_JSON_SAW_* */
    uint8_t depth;         /* of the field in a schema */
} lam_inferred_node;

struct lam_json_inference {
    lam_budget budget;
    lam_allocator allocator; /* of all memory but this struct, within the budget */
    size_t max_record;
    const lam_stop *stop;
    size_t max_fields;
    lam_json_tokens parsed;
    lam_arena arena; /* names */
    lam_inferred_node *nodes;
    size_t node_count;
    size_t node_capacity;
    uint32_t *table; /* members by parent and name: open addressing, at most half full */
    size_t table_size;
    uint64_t record_count;
    uint64_t object_count; /* objects whose members were visited */
    lam_buffer name;       /* of a member, unescaped */
    char **variants;       /* paths that become VARIANTs */
    bool *variants_seen;
    size_t variant_count;
};

/* Gives the kinds that clash with each other: integers and reals are one kind, null is none. */
unsigned lam_json_clashing_kinds(unsigned saw);

#endif
