/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Turns a VARIANT value from a list of nodes in preorder into bytes. A value cannot be written from
 * front to back as its children arrive: the header of an object holds the width of its ids and
 * offsets, and its fields are in the order of their names. So the nodes are noted first,
 *
 *     {"b": [1, 2], "a": "x"}      node   0 object, subtree of 5 nodes
 *                                         1   b: array, subtree of 3
 *                                         2     bytes 0C 01
 *                                         3     bytes 0C 02
 *                                         4   a: bytes 05 78
 *
 * then a pass from the last node to the first sorts fields and adds up sizes, and one from the
 * first to the last writes every byte in its place. (VariantEncoding.md, "Value Data for Object")
 */
#ifndef LAM_VARIANT_VALUE_VARIANT_ENCODER_H
#define LAM_VARIANT_VALUE_VARIANT_ENCODER_H

#include <lamella/variant.h>

#include "base/buffer.h"
#include "base/list.h"

/* The kind of a node. */
typedef enum lam_variant_node_kind {
    LAM_VARIANT_NODE_BYTES, /* a value that is already encoded: a scalar, or a complete container */
    LAM_VARIANT_NODE_OBJECT,
    LAM_VARIANT_NODE_ARRAY,
    LAM_VARIANT_NODE_DROPPED /* a field that a later one with the same name replaces */
} lam_variant_node_kind;

/*
 * One value of the tree. Its `name`, `subtree_size` and `count` are set while nodes are added;
 * lam_variant_encoder_write fills in the other members in its first pass.
 */
typedef struct lam_variant_node {
    uint64_t offset;       /* of its bytes in the source; of a container, in the output */
    uint64_t size;         /* bytes, encoded */
    uint32_t name;         /* of a field: its number; its id, once the fields are sorted */
    uint32_t subtree_size; /* nodes of the subtree, this one included */
    uint32_t count;        /* children of a container */
    uint32_t children;     /* index in `order` of its first child, in their final order */
    uint8_t kind;          /* lam_variant_node_kind */
    uint8_t id_width;      /* bytes of an id; 0 for an array */
    uint8_t offset_width;  /* bytes of an offset */
} lam_variant_node;

/*
 * One value while it is put together. All memory is kept from value to value, so that after the
 * first few values none is allocated.
 */
typedef struct lam_variant_encoder {
    lam_allocator allocator;
    lam_variant_node *nodes; /* in preorder: [0] is the value itself */
    size_t count;
    size_t capacity;
    LAM_LIST(uint32_t) open;  /* nodes of the containers that are open, outermost first */
    lam_buffer source;        /* bytes that nodes may refer to */
    LAM_LIST(uint64_t) keys;  /* of the fields of one object, while they are sorted */
    LAM_LIST(uint32_t) order; /* the children of each container, as nodes in final order */
} lam_variant_encoder;

/* How the names, which the caller numbers as it likes, are ordered in the metadata. */
typedef struct lam_variant_naming {
    const uint32_t *rank; /* by number: the order of names; NULL when the numbers are in order */
    const uint32_t *id;   /* by number: the field id; NULL when it is the rank, or the number */
    bool is_number;       /* without `id`: the id is the number, not the rank */
    bool last_wins;       /* the later of two fields of one name counts; INVALID otherwise */
} lam_variant_naming;

/* Allocates nothing yet. */
void lam_variant_encoder_init(lam_variant_encoder *encoder, const lam_allocator *allocator);
void lam_variant_encoder_finish(lam_variant_encoder *encoder);
/* Removes all nodes and source bytes; memory is kept. */
void lam_variant_encoder_clear(lam_variant_encoder *encoder);
/*
 * Removes the nodes and keeps the source bytes, so that the same bytes can be used for another
 * value.
 */
void lam_variant_encoder_rewind(lam_variant_encoder *encoder);

/* Makes room for more nodes. NOMEM; LIMIT beyond 2^31 nodes. */
lam_status lam_variant_encoder_grow(lam_variant_encoder *encoder, lam_error *error);

/* Makes room for `count` nodes in all. NOMEM. */
lam_status lam_variant_encoder_reserve(lam_variant_encoder *encoder, size_t count,
                                       lam_error *error);

/*
 * Adds a node as a child of the innermost open container. `*ret_node` is valid until the next node
 * is added. The errors of lam_variant_encoder_grow.
 */
static inline lam_status lam_variant_encoder_add_node(lam_variant_encoder *encoder,
                                                      lam_variant_node_kind kind, uint32_t name,
                                                      lam_variant_node **ret_node,
                                                      lam_error *error) {
    if (encoder->count == encoder->capacity) {
        lam_status status = lam_variant_encoder_grow(encoder, error);
        if (status != LAM_STATUS_OK)
            return status;
    }
    if (encoder->open.count > 0)
        encoder->nodes[LAM_LIST_LAST(&encoder->open)].count++;
    lam_variant_node *node = &encoder->nodes[encoder->count++];
    node->kind = (uint8_t)kind;
    node->name = name;
    node->subtree_size = 1;
    node->count = 0;
    *ret_node = node;
    return LAM_STATUS_OK;
}

/*
 * Adds an encoded value of `size` bytes at `offset` of the source. `name` counts only inside an
 * object. The errors of lam_variant_encoder_grow.
 */
static inline lam_status lam_variant_encoder_add(lam_variant_encoder *encoder, uint32_t name,
                                                 uint64_t offset, uint64_t size, lam_error *error) {
    lam_variant_node *node;
    lam_status status =
        lam_variant_encoder_add_node(encoder, LAM_VARIANT_NODE_BYTES, name, &node, error);
    if (status == LAM_STATUS_OK) {
        node->offset = offset;
        node->size = size;
    }
    return status;
}

/*
 * Opens an object or array; nodes added until its end are its children. NOMEM; LIMIT beyond
 * LAM_VARIANT_DEPTH_MAX.
 */
lam_status lam_variant_encoder_begin(lam_variant_encoder *encoder, lam_variant_node_kind kind,
                                     uint32_t name, lam_error *error);
/* Closes the innermost container. */
void lam_variant_encoder_end(lam_variant_encoder *encoder);
/* Closes the innermost container and removes it, with everything inside it. */
void lam_variant_encoder_drop(lam_variant_encoder *encoder);

/*
 * Appends the bytes of the one value to `out`. Offsets of nodes count from `source`. Afterwards the
 * list can only be cleared or rewound. INVALID for a field that appears twice, with its node in
 * `*ret_twice`; LIMIT when the children of a container take more than 2^32 - 1 bytes; NOMEM.
 */
lam_status lam_variant_encoder_write(lam_variant_encoder *encoder, const lam_variant_naming *naming,
                                     const uint8_t *source, lam_buffer *out, uint32_t *ret_twice,
                                     lam_error *error);

#endif
