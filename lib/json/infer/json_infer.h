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
 *
 * Objects whose keys are data become a MAP: then their values have one node, the element.
 */
#ifndef LAM_JSON_INFER_JSON_INFER_H
#define LAM_JSON_INFER_JSON_INFER_H

#include <lamella/json.h>

#include "base/arena.h"
#include "base/budget.h"
#include "base/buffer.h"
#include "base/hash_index.h"
#include "base/wrap.h"
#include "schema/path_text.h"
#include "text/time_format.h"
#include "json/parse/json_tokens.h"

/* What was seen of a node, as bits, which are only ever set. */
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
    LAM_JSON_SAW_UNFIT = 1 << 11,
    /* of strings: by the kinds of text_kind.h */
    LAM_JSON_SAW_TEXT = 1 << 12, /* any other; then no further one is examined */
    LAM_JSON_SAW_DATE = 1 << 13,
    LAM_JSON_SAW_TIME = 1 << 14,
    LAM_JSON_SAW_TIMESTAMP = 1 << 15,
    LAM_JSON_SAW_TIMESTAMP_UTC = 1 << 16,
    LAM_JSON_SAW_UUID = 1 << 17,
    LAM_JSON_SAW_NANOS = 1 << 18,        /* a fraction of more than 6 digits */
    LAM_JSON_SAW_BEYOND_NANOS = 1 << 19, /* a timestamp that 64 bits of nanoseconds do not hold */
    /* of numbers, if decimals are wanted */
    LAM_JSON_SAW_NOT_DECIMAL = 1 << 20
};

/* Nodes are known by their index; 0, the root, means none in links. */
typedef struct lam_inferred_node {
    const char *name; /* NUL-terminated; "" for root and elements */
    uint32_t name_size;
    uint32_t parent;
    uint32_t saw; /* LAM_JSON_SAW_* */
    uint32_t first_member;
    uint32_t last_member;
    uint32_t next_member;  /* the next in the order in which they were first seen */
    uint32_t element;      /* of the arrays here, or the values of the MAPs */
    uint32_t guess_first;  /* the member that came first in the last object here */
    uint32_t guess_behind; /* the member that came after this one in the last object */
    uint32_t given;        /* number of the type that the caller wants, from 1; 0: none */
    uint32_t dotted;       /* the same, if no path leads there but by a dot in a name */
    uint64_t last_object;  /* number of the object in which this member came last */
    uint64_t seen;         /* objects that had this member */
    uint64_t objects;      /* objects with members that were here */
    uint64_t line;         /* of the first value that is not null, and of the first that clashes */
    uint64_t clash_line;
    uint64_t record; /* the same as numbers of records in their texts, from 1 */
    uint64_t clash_record;
    uint32_t source; /* number of the text of that line, from 0 */
    uint32_t clash_source;
    uint32_t members; /* how many there are */
    uint32_t forward; /* after a merge: the node that took this one's place */
    uint16_t digits;  /* most digits of decimals before the point, and after it */
    uint16_t scale;
    uint8_t kind; /* lam_json_kind of the first value, and of the first that clashes */
    uint8_t clash_kind;
    uint8_t depth;   /* of the field in a schema */
    bool is_element; /* of an array, or a value of a MAP */
    bool is_map;
    bool is_unlike; /* its members were merged, and are not alike */
    bool is_dead;   /* in no schema: it was merged, or is inside a VARIANT */
} lam_inferred_node;

/* How a given type leads to a node: by its path name by name, or only by a dot in a name. */
enum { LAM_JSON_GIVEN_NOWHERE, LAM_JSON_GIVEN_BY_DOTS, LAM_JSON_GIVEN_BY_NAMES };

struct lam_json_inference {
    lam_budget budget;
    lam_allocator allocator; /* of all memory but this struct, within the budget */
    size_t max_record;
    const lam_stop *stop;
    size_t max_fields;
    bool infers_times;
    lam_time_formats formats;
    bool infers_maps;
    bool infers_decimals;
    bool skips_bad; /* lines that are no record */
    lam_clash on_clash;
    lam_json_tokens parsed;
    lam_arena arena; /* names */
    lam_inferred_node *nodes;
    size_t node_count;
    size_t node_capacity;
    lam_hash_index members; /* by parent and name */
    uint64_t record_count;
    uint64_t skipped;      /* bad lines */
    uint64_t object_count; /* objects whose members were visited */
    uint64_t line;         /* of the record that is visited, and number of its text */
    uint32_t source;
    uint64_t record;        /* its number in that text, from 1 */
    lam_buffer name;        /* of a member, unescaped; a string */
    lam_buffer pairs;       /* of nodes that are merged */
    lam_buffer indexes;     /* uint32_t: the new index of each node, after a compaction */
    lam_json_column *given; /* types that the caller wants; their paths are in given_arena */
    lam_path *given_paths;
    uint8_t *given_seen; /* LAM_JSON_GIVEN_* */
    size_t given_count;
    lam_arena given_arena;
    lam_buffer notices;   /* lam_json_notice, whose paths are in given_arena */
    size_t limit_notices; /* how many of them are about the limit; these come first */
    size_t clash_notices; /* and after it about fields that are VARIANTs or STRINGs by on_clash */
};

/*
 * Gives the kinds that clash with each other: integers and reals are one kind, as a double may hold
 * both, and null is no kind.
 */
static inline unsigned lam_json_clashing_kinds(unsigned saw) {
    unsigned kinds = saw & (LAM_JSON_SAW_BOOLEAN | LAM_JSON_SAW_STRING | LAM_JSON_SAW_OBJECT |
                            LAM_JSON_SAW_ARRAY | LAM_JSON_SAW_INTEGER);
    return (saw & LAM_JSON_SAW_REAL) != 0 ? kinds | LAM_JSON_SAW_INTEGER : kinds;
}

/*
 * True when the node gets a column of its own whatever is inside, which then needs no nodes: the
 * caller named a type, or only a VARIANT remains.
 */
static inline bool lam_json_node_is_closed(const lam_inferred_node *node) {
    return (node->saw & LAM_JSON_SAW_UNFIT) != 0 ||
           lam_has_several_bits(lam_json_clashing_kinds(node->saw));
}

/* --- Nodes (json_infer_node.c) --------------------------------------------------------------- */

/* Adds a node that nothing links to yet. Nodes may move; names do not. */
lam_status lam_json_node_add(lam_json_inference *inference, uint32_t parent, unsigned depth,
                             const char *name, size_t size, uint32_t *ret_index, lam_error *error);
/* Adds the root, as node 0. */
lam_status lam_json_node_add_root(lam_json_inference *inference, lam_error *error);
/* True when a node is the member of that name at `parent`. */
bool lam_json_node_is_member(const lam_json_inference *inference, uint32_t index, uint32_t parent,
                             const char *name, size_t size);
/* Gives the member of that name, and makes it if it is new. */
lam_status lam_json_node_member(lam_json_inference *inference, uint32_t parent, const char *name,
                                size_t size, uint32_t *ret_index, lam_error *error);
/*
 * Gives the one node of all elements of the arrays at a node, or of all values of its MAPs; made if
 * it is new.
 */
lam_status lam_json_node_element(lam_json_inference *inference, uint32_t parent,
                                 uint32_t *ret_index, lam_error *error);
/* Drops the nodes from `count` on. */
void lam_json_node_drop(lam_json_inference *inference, size_t count);
/*
 * Drops all dead nodes, so that the others have new indexes: those of `indexes`, by the old ones. A
 * merged node has the index of the one that replaced it; a dropped one, and the root, have 0. The
 * learnt order of members is lost.
 */
lam_status lam_json_node_compact(lam_json_inference *inference, lam_error *error);
/* The node that took the place of a node that was merged; otherwise the node itself. */
uint32_t lam_json_node_resolve(const lam_json_inference *inference, uint32_t index);
/*
 * Gives a node a type. Its inside then needs no nodes, unless the type says only that it is a
 * group, or a MAP.
 */
void lam_json_node_give(lam_json_inference *inference, uint32_t index, uint32_t number);
/* Notes which of the given types have a node. */
void lam_json_node_note_given(lam_json_inference *inference);
/* Gives the path of a node as in a schema, in the arena of the given types. */
lam_status lam_json_node_path(lam_json_inference *inference, uint32_t index, const char **ret_path,
                              lam_error *error);

/* --- Types that are given (json_infer_given.c) ----------------------------------------------- */

/*
 * Gives the nodes to which paths lead by dots in names their types, if no node has the path name by
 * name. INVALID (FIELD_AMBIGUOUS) if there are several.
 */
lam_status lam_json_node_give_dotted(lam_json_inference *inference, lam_error *error);

/* --- MAPs (json_infer_map.c) ----------------------------------------------------------------- */

/* Makes a node a MAP, as the caller wants it, with the knowledge about its members. */
lam_status lam_json_make_map(lam_json_inference *inference, uint32_t index, lam_error *error);
/* Chooses the objects that become MAPs, and merges the nodes of their members. */
lam_status lam_json_choose_maps(lam_json_inference *inference, lam_error *error);
/*
 * Makes the number of nodes at most half of the limit: objects with many members become MAPs, or
 * VARIANTs if their members are not alike; or every record becomes a VARIANT. Nodes get new
 * indexes, as by a compaction.
 */
lam_status lam_json_shrink(lam_json_inference *inference, lam_error *error);

/* --- Notices (json_infer_notice.c) ----------------------------------------------------------- */

/* Adds a notice of a kind about a node. */
lam_status lam_json_notice_add(lam_json_inference *inference, uint32_t index,
                               lam_json_notice_kind kind, lam_error *error);
/* Notes how the limit changed a node. */
lam_status lam_json_notice_add_limit(lam_json_inference *inference, uint32_t index,
                                     lam_error *error);

#endif
