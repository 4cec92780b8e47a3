/*
 * A VARIANT value as a list of nodes in preorder, and how it becomes bytes. A value cannot be
 * written from front to back as its children come: the header of an object tells how wide its ids and
 * offsets are, and its fields stand in the order of their names. So the children are noted first,
 *
 *     {"b": [1, 2], "a": "x"}      node   0 object, subtree_size 5
 *                                         1   b: array, subtree_size 3
 *                                         2     bytes 0C 01
 *                                         3     bytes 0C 02
 *                                         4   a: bytes 05 78
 *
 * then a pass from the last node to the first sorts fields and adds up sizes, and one from the
 * first to the last puts every byte in its place.
 */
#ifndef LAM_VARIANT_VARIANT_ENCODER_H
#define LAM_VARIANT_VARIANT_ENCODER_H

#include <lamella/variant.h>

#include "base/buffer.h"

typedef enum lam_variant_node_kind {
    LAM_VARIANT_NODE_BYTES, /* a value that is encoded already */
    LAM_VARIANT_NODE_OBJECT,
    LAM_VARIANT_NODE_ARRAY,
    LAM_VARIANT_NODE_DROPPED /* a field that a later one of its name replaces */
} lam_variant_node_kind;

typedef struct lam_variant_node {
    uint64_t offset;       /* of its bytes in the source; of a container, where it goes to */
    uint64_t size;         /* encoded */
    uint32_t name;         /* of a field; its id, once it is sorted */
    uint32_t subtree_size; /* nodes of the subtree, this one included */
    uint32_t count;        /* children of a container */
    uint32_t children;     /* where they stand in `order`, as nodes in their final order */
    uint8_t kind;          /* lam_variant_node_kind */
    uint8_t id_width;
    uint8_t offset_width;
} lam_variant_node;

typedef struct lam_variant_encoder {
    lam_allocator allocator;
    lam_variant_node *nodes;
    size_t count;
    size_t capacity;
    uint32_t *open; /* containers that are open, outermost first */
    size_t depth;
    size_t open_capacity;
    lam_buffer source; /* bytes that nodes may refer to */
    lam_buffer keys;   /* of the fields of one object, while they are sorted */
    lam_buffer order;
} lam_variant_encoder;

/* How names, numbered by whoever fills the encoder, stand in the metadata. */
typedef struct lam_variant_naming {
    const uint32_t *rank; /* by number: the order of names; NULL when the numbers are in order */
    const uint32_t *id;   /* by number: the field id; NULL when it is the rank, or the number */
    bool is_number;       /* the id is the number */
    bool last_wins;       /* of two fields of one name; INVALID otherwise */
} lam_variant_naming;

/* Allocates nothing yet. */
void lam_variant_encoder_init(lam_variant_encoder *encoder, const lam_allocator *allocator);
void lam_variant_encoder_finish(lam_variant_encoder *encoder);
/* Forgets all nodes and bytes. */
void lam_variant_encoder_clear(lam_variant_encoder *encoder);
/* Forgets the nodes alone. */
void lam_variant_encoder_rewind(lam_variant_encoder *encoder);

/* Makes room for more nodes. NOMEM; LIMIT with too many of them. */
lam_status lam_variant_encoder_grow(lam_variant_encoder *encoder, lam_error *error);

/* Makes room for `count` nodes in all. */
lam_status lam_variant_encoder_reserve(lam_variant_encoder *encoder, size_t count,
                                       lam_error *error);

/* Adds a node, which counts as a part of the open container. The errors of grow. */
static inline lam_status lam_variant_encoder_add_node(lam_variant_encoder *encoder,
                                                      lam_variant_node_kind kind, uint32_t name,
                                                      lam_variant_node **ret_node,
                                                      lam_error *error) {
    if (encoder->count == encoder->capacity) {
        lam_status status = lam_variant_encoder_grow(encoder, error);
        if (status != LAM_STATUS_OK)
            return status;
    }
    if (encoder->depth > 0)
        encoder->nodes[encoder->open[encoder->depth - 1]].count++;
    lam_variant_node *node = &encoder->nodes[encoder->count++];
    node->kind = (uint8_t)kind;
    node->name = name;
    node->subtree_size = 1;
    node->count = 0;
    *ret_node = node;
    return LAM_STATUS_OK;
}

/*
 * Adds a value of `size` bytes at `offset` of the source. `name` is looked at where the open
 * container is an object. The errors of grow.
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

/* Opens an object or array. LIMIT beyond LAM_VARIANT_DEPTH_MAX. */
lam_status lam_variant_encoder_begin(lam_variant_encoder *encoder, lam_variant_node_kind kind,
                                     uint32_t name, lam_error *error);
/* Closes the innermost container. */
void lam_variant_encoder_end(lam_variant_encoder *encoder);
/* Closes it and takes it out of the encoder, with all that is in it. */
void lam_variant_encoder_drop(lam_variant_encoder *encoder);

/*
 * Appends the bytes of the one value in the encoder to `out`. `source` is what the offsets of its
 * nodes count from. After it the encoder can only be cleared. INVALID for a field that comes twice,
 * whose node is then `*ret_twice`; LIMIT when the children of a container take more than 2^32 - 1
 * bytes.
 */
lam_status lam_variant_encoder_write(lam_variant_encoder *encoder, const lam_variant_naming *naming,
                                     const uint8_t *source, lam_buffer *out, uint32_t *ret_twice,
                                     lam_error *error);

#endif
