/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Collects the nodes of one value and encodes them in two passes, as variant_encoder.h draws.
 *
 * Takes nodes in preorder, the bytes of scalars and a numbering of names, and gives the bytes of
 * the value with the narrowest ids, offsets and counts that hold it. The invariant: a child comes
 * after its container in the list, so the pass from the last node to the first has the size of
 * every child before it needs it, and the pass from the first to the last has the position of every
 * container before it writes it. Neither pass recurses, whatever the depth. (VariantEncoding.md,
 * "Value Data for Object", "Value Data for Array")
 */
#include "variant/value/variant_encoder.h"

#include "base/alloc.h"
#include "base/checked.h"
#include "base/error.h"
#include "variant/value/variant_layout.h"

void lam_variant_encoder_init(lam_variant_encoder *encoder, const lam_allocator *allocator) {
    memset(encoder, 0, sizeof *encoder);
    encoder->allocator = *allocator;
    lam_buffer_init(&encoder->source, allocator);
    LAM_LIST_INIT(&encoder->open, allocator);
    LAM_LIST_INIT(&encoder->keys, allocator);
    LAM_LIST_INIT(&encoder->order, allocator);
}

void lam_variant_encoder_finish(lam_variant_encoder *encoder) {
    lam_free(&encoder->allocator, encoder->nodes, encoder->capacity * sizeof *encoder->nodes);
    LAM_LIST_FINISH(&encoder->open);
    lam_buffer_finish(&encoder->source);
    LAM_LIST_FINISH(&encoder->keys);
    LAM_LIST_FINISH(&encoder->order);
    encoder->nodes = NULL;
    encoder->capacity = 0;
}

void lam_variant_encoder_rewind(lam_variant_encoder *encoder) {
    encoder->count = 0;
    encoder->open.count = 0;
}

void lam_variant_encoder_clear(lam_variant_encoder *encoder) {
    lam_variant_encoder_rewind(encoder);
    lam_buffer_clear(&encoder->source);
}

static lam_status variant_encoder_resize(lam_variant_encoder *encoder, size_t capacity,
                                         lam_error *error) {
    void *nodes = encoder->nodes;
    size_t bytes;
    if (!lam_mul_size(capacity, sizeof *encoder->nodes, &bytes))
        LAM_FAIL(error, LAM_STATUS_NOMEM, "no memory for %zu values", capacity);
    LAM_TRY(lam_realloc(&encoder->allocator, &nodes, encoder->capacity * sizeof *encoder->nodes,
                        bytes, error));
    encoder->nodes = nodes;
    encoder->capacity = capacity;
    return LAM_STATUS_OK;
}

/*
 * Nodes are numbered with 32 bits, and a subtree is counted with as many. They grow by their own
 * number, beyond 65,536 by half of it, and so are no list.
 */
lam_status lam_variant_encoder_grow(lam_variant_encoder *encoder, lam_error *error) {
    enum { VARIANT_ENCODER_SMALLEST = 16, VARIANT_ENCODER_LARGE = 1 << 16 };
    size_t capacity = encoder->capacity;
    if (encoder->count > UINT32_MAX / 2)
        LAM_FAIL(error, LAM_ERROR_CODE_VARIANT_LIMIT, "variant: more than %zu values in one",
                 encoder->count);
    size_t added = capacity == 0                      ? VARIANT_ENCODER_SMALLEST
                   : capacity < VARIANT_ENCODER_LARGE ? capacity
                                                      : capacity / 2;
    return variant_encoder_resize(encoder, capacity + added, error);
}

lam_status lam_variant_encoder_reserve(lam_variant_encoder *encoder, size_t count,
                                       lam_error *error) {
    if (count <= encoder->capacity)
        return LAM_STATUS_OK;
    if (encoder->count == 0) { /* no node is lost: freeing first spares the copy */
        lam_free(&encoder->allocator, encoder->nodes, encoder->capacity * sizeof *encoder->nodes);
        encoder->nodes = NULL;
        encoder->capacity = 0;
    }
    return variant_encoder_resize(encoder, count, error);
}

/*
 * The depth is checked before anything changes, so that a call that fails leaves the list as it
 * was.
 */
lam_status lam_variant_encoder_begin(lam_variant_encoder *encoder, lam_variant_node_kind kind,
                                     uint32_t name, lam_error *error) {
    lam_variant_node *node;
    if (encoder->open.count == LAM_VARIANT_DEPTH_MAX)
        LAM_FAIL(error, LAM_ERROR_CODE_VARIANT_LIMIT, "variant: nested deeper than %d",
                 LAM_VARIANT_DEPTH_MAX);
    LAM_TRY(LAM_LIST_RESERVE(&encoder->open, 1, error));
    LAM_TRY(lam_variant_encoder_add_node(encoder, kind, name, &node, error));
    encoder->open.items[encoder->open.count++] = (uint32_t)(node - encoder->nodes);
    return LAM_STATUS_OK;
}

/* The subtree ends with the last node of the list: nodes are only ever added at the end. */
void lam_variant_encoder_end(lam_variant_encoder *encoder) {
    uint32_t index = encoder->open.items[--encoder->open.count];
    encoder->nodes[index].subtree_size = (uint32_t)(encoder->count - index);
}

/* The container counted as a child of the one around it when it was opened; take that back. */
void lam_variant_encoder_drop(lam_variant_encoder *encoder) {
    encoder->count = encoder->open.items[--encoder->open.count];
    if (encoder->open.count > 0)
        encoder->nodes[LAM_LIST_LAST(&encoder->open)].count--;
}

/* --- From the last node to the first: order and sizes ---------------------------------------- */

/* Insertion sort: for short runs, where it beats merging, and linear for keys that are in order. */
static void insert_keys(uint64_t *keys, size_t count) {
    for (size_t i = 1; i < count; i++) {
        uint64_t key = keys[i];
        size_t at = i;
        for (; at > 0 && keys[at - 1] > key; at--)
            keys[at] = keys[at - 1];
        keys[at] = key;
    }
}

/*
 * Merges [left, middle) and [middle, right). On equality the left one goes first, but keys hold the
 * node and are never equal.
 */
static void merge_keys(const uint64_t *from, size_t left, size_t middle, size_t right,
                       uint64_t *to) {
    size_t a = left, b = middle;
    for (size_t i = left; i < right; i++)
        to[i] = a < middle && (b >= right || from[a] <= from[b]) ? from[a++] : from[b++];
}

/*
 * Merge sort from the bottom up, over runs of 16 that are sorted by insertion; `spare` has room for
 * as many keys. O(n log n) on any input: the order of fields is in the hands of the caller.
 */
static void sort_keys(uint64_t *keys, size_t count, uint64_t *spare) {
    enum { RUN = 16 };
    for (size_t i = 0; i < count; i += RUN)
        insert_keys(keys + i, count - i < RUN ? count - i : RUN);
    uint64_t *from = keys, *to = spare;
    for (size_t run = RUN; run < count; run *= 2) {
        for (size_t left = 0; left < count; left += 2 * run) {
            size_t middle = count - left < run ? count : left + run;
            size_t right = count - left < 2 * run ? count : left + 2 * run;
            merge_keys(from, left, middle, right, to);
        }
        uint64_t *other = from;
        from = to;
        to = other;
    }
    if (from != keys)
        memcpy(keys, from, count * sizeof *keys);
}

/*
 * The key of a field: the rank of its name in the upper 32 bits, its node in the lower ones. Fields
 * of one name are neighbors then, in the order in which they were added.
 */
static uint64_t variant_encoder_key_of(const lam_variant_encoder *encoder,
                                       const lam_variant_naming *naming, uint32_t node) {
    uint32_t name = encoder->nodes[node].name;
    return (uint64_t)(naming->rank == NULL ? name : naming->rank[name]) << 32 | node;
}

/*
 * Keeps the last of the fields of each name, and marks the nodes of the others as dropped. The keys
 * are sorted. Returns how many are left. Without `last_wins` stops at the first repetition.
 */
static size_t drop_twins(lam_variant_encoder *encoder, uint64_t *keys, size_t count, bool last_wins,
                         uint32_t *ret_twice) {
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (i + 1 < count && keys[i] >> 32 == keys[i + 1] >> 32) {
            *ret_twice = (uint32_t)keys[i + 1];
            if (!last_wins)
                return 0;
            encoder->nodes[(uint32_t)keys[i]].kind = LAM_VARIANT_NODE_DROPPED;
        } else {
            keys[kept++] = keys[i];
        }
    }
    return kept;
}

/*
 * Leaves in encoder->keys the keys of an object's fields, in order and each name once. Most objects
 * arrive in order, which the loop that makes the keys notices: they are not sorted again.
 */
static lam_status sort_fields(lam_variant_encoder *encoder, const lam_variant_naming *naming,
                              uint32_t object, uint32_t *ret_twice, lam_error *error) {
    lam_variant_node *node = &encoder->nodes[object];
    size_t count = node->count;
    bool rises = true, unique = true;
    uint64_t before = 0;
    /* The second half is the room that merging needs. */
    LAM_TRY(LAM_LIST_RESERVE(&encoder->keys, 2 * count, error));
    uint64_t *keys = encoder->keys.items;
    uint32_t child = object + 1;
    for (size_t i = 0; i < count; i++) {
        uint64_t key = variant_encoder_key_of(encoder, naming, child);
        rises &= i == 0 || before >> 32 < key >> 32;
        keys[i] = before = key;
        child += encoder->nodes[child].subtree_size;
    }
    if (rises)
        return LAM_STATUS_OK;
    sort_keys(keys, count, keys + count);
    for (size_t i = 1; i < count; i++)
        unique &= keys[i - 1] >> 32 != keys[i] >> 32;
    if (!unique) {
        count = drop_twins(encoder, keys, count, naming->last_wins, ret_twice);
        if (!naming->last_wins)
            LAM_FAIL(error, LAM_STATUS_INVALID, "variant: a name appears twice in its object");
        node->count = (uint32_t)count;
    }
    return LAM_STATUS_OK;
}

/* The field id of a name, by the three ways a lam_variant_naming can give it. */
static uint32_t id_of(const lam_variant_naming *naming, uint32_t name) {
    if (naming->id != NULL)
        return naming->id[name];
    return naming->rank == NULL || naming->is_number ? name : naming->rank[name];
}

/* Sums over the children of a container, from which its widths and size follow. */
typedef struct child_sum {
    uint64_t bytes;   /* of all children, encoded */
    uint32_t highest; /* the largest field id */
} child_sum;

/*
 * Puts the fields of an object into `order`, sorted by name, and replaces their names by field ids.
 */
static lam_status order_fields(lam_variant_encoder *encoder, const lam_variant_naming *naming,
                               uint32_t object, uint32_t *order, child_sum *sum,
                               uint32_t *ret_twice, lam_error *error) {
    LAM_TRY(sort_fields(encoder, naming, object, ret_twice, error));
    const uint64_t *keys = encoder->keys.items;
    for (uint32_t i = 0; i < encoder->nodes[object].count; i++) {
        lam_variant_node *field = &encoder->nodes[(uint32_t)keys[i]];
        uint32_t id = id_of(naming, field->name);
        order[i] = (uint32_t)keys[i];
        field->name = id;
        sum->bytes += field->size;
        sum->highest = id > sum->highest ? id : sum->highest;
    }
    return LAM_STATUS_OK;
}

/* Puts the elements of an array into `order`, in the order in which they were added. */
static void order_elements(const lam_variant_encoder *encoder, uint32_t array, uint32_t *order,
                           child_sum *sum) {
    uint32_t child = array + 1;
    for (uint32_t i = 0; i < encoder->nodes[array].count; i++) {
        order[i] = child;
        sum->bytes += encoder->nodes[child].size;
        child += encoder->nodes[child].subtree_size;
    }
}

/*
 * Chooses the narrowest widths and computes the size: header, count, ids, offsets (one more than
 * there are children), values. A count above 255 makes the container large, with a count of 4
 * bytes.
 */
static void set_size(lam_variant_node *node, const child_sum *sum) {
    node->offset_width = (uint8_t)lam_variant_width((uint32_t)sum->bytes);
    node->id_width = 0;
    if (node->kind == LAM_VARIANT_NODE_OBJECT)
        node->id_width = (uint8_t)lam_variant_width(sum->highest);
    node->size = 1 + (node->count > 255 ? 4u : 1u) +
                 (uint64_t)node->count * (node->id_width + node->offset_width) +
                 node->offset_width + sum->bytes;
}

/*
 * First pass: from the last node to the first, so that all children of a container have their size
 * and their ids before it is reached. `order` has room for every node but the root, and each is the
 * child of exactly one container.
 */
static lam_status variant_encoder_measure(lam_variant_encoder *encoder,
                                          const lam_variant_naming *naming, uint32_t *ret_twice,
                                          lam_error *error) {
    uint32_t *order = encoder->order.items;
    uint32_t ordered = 0;
    for (size_t i = encoder->count; i > 0; i--) {
        uint32_t index = (uint32_t)i - 1;
        lam_variant_node *node = &encoder->nodes[index];
        if (node->kind == LAM_VARIANT_NODE_BYTES)
            continue;
        child_sum sum = {0, 0};
        node->children = ordered;
        ordered += node->count;
        if (node->kind == LAM_VARIANT_NODE_OBJECT)
            LAM_TRY(order_fields(encoder, naming, index, order + node->children, &sum, ret_twice,
                                 error));
        else
            order_elements(encoder, index, order + node->children, &sum);
        if (sum.bytes > UINT32_MAX)
            LAM_FAIL(error, LAM_ERROR_CODE_VARIANT_LIMIT,
                     "variant: an object or array of more than 2^32 - 1 bytes");
        set_size(node, &sum);
    }
    return LAM_STATUS_OK;
}

/* --- From the first node to the last: bytes --------------------------------------------------- */

/* Writes a number of 1 to 4 bytes and returns the position after it. */
static uint8_t *variant_encoder_put_number(uint8_t *at, uint32_t number, unsigned width) {
    at[0] = (uint8_t)number;
    switch (width) {
    case 1:
        break;
    case 2:
        lam_store_le16(at, (uint16_t)number);
        break;
    case 3:
        lam_store_le16(at, (uint16_t)number);
        at[2] = (uint8_t)(number >> 16);
        break;
    default:
        lam_store_le32(at, number);
    }
    return at + width;
}

/* Writes the header byte and the count; variant_layout.h has the bits. */
static uint8_t *put_header(uint8_t *at, const lam_variant_node *node) {
    bool is_large = node->count > 255;
    unsigned widths = node->offset_width - 1u;
    if (node->kind == LAM_VARIANT_NODE_OBJECT)
        *at++ = (uint8_t)(LAM_VARIANT_BASIC_OBJECT |
                          (widths | (node->id_width - 1u) << 2 | (unsigned)is_large << 4) << 2);
    else
        *at++ = (uint8_t)(LAM_VARIANT_BASIC_ARRAY | (widths | (unsigned)is_large << 2) << 2);
    return variant_encoder_put_number(at, node->count, is_large ? 4 : 1);
}

/*
 * Writes a container, and the children of it that are encoded bytes. A child that is a container
 * gets its position, and is written when the pass reaches its node. Called with constant widths for
 * the common ones, so that the compiler makes a copy of the loop without branches for each.
 */
static inline void variant_encoder_put_children(lam_variant_encoder *encoder,
                                                const lam_variant_node *node, const uint8_t *source,
                                                uint8_t *first, unsigned id_width,
                                                unsigned offset_width) {
    const uint32_t *children = encoder->order.items + node->children;
    uint32_t count = node->count, offset = 0;
    uint8_t *at = put_header(first + node->offset, node);
    uint8_t *offsets = at + (size_t)count * id_width;
    uint8_t *values = offsets + ((size_t)count + 1) * offset_width;
    for (uint32_t i = 0; i < count; i++) {
        lam_variant_node *child = &encoder->nodes[children[i]];
        if (id_width > 0)
            at = variant_encoder_put_number(at, child->name, id_width);
        offsets = variant_encoder_put_number(offsets, offset, offset_width);
        if (child->kind == LAM_VARIANT_NODE_BYTES)
            memcpy(values + offset, source + child->offset, (size_t)child->size);
        else
            child->offset = (uint64_t)(values + offset - first);
        offset += (uint32_t)child->size;
    }
    (void)variant_encoder_put_number(offsets, offset, offset_width);
}

/* Picks the copy of variant_encoder_put_children for the widths of the node. */
static void put_container(lam_variant_encoder *encoder, const lam_variant_node *node,
                          const uint8_t *source, uint8_t *first) {
    if (node->id_width == 1 && node->offset_width == 1)
        variant_encoder_put_children(encoder, node, source, first, 1, 1);
    else if (node->id_width == 1 && node->offset_width == 2)
        variant_encoder_put_children(encoder, node, source, first, 1, 2);
    else if (node->id_width == 0 && node->offset_width == 1)
        variant_encoder_put_children(encoder, node, source, first, 0, 1);
    else
        variant_encoder_put_children(encoder, node, source, first, node->id_width,
                                     node->offset_width);
}

/*
 * Room for the entire value is reserved at once, as its size is known after the first pass; the
 * second one cannot fail.
 */
lam_status lam_variant_encoder_write(lam_variant_encoder *encoder, const lam_variant_naming *naming,
                                     const uint8_t *source, lam_buffer *out, uint32_t *ret_twice,
                                     lam_error *error) {
    LAM_TRY(LAM_LIST_RESERVE(&encoder->order, encoder->count, error));
    LAM_TRY(variant_encoder_measure(encoder, naming, ret_twice, error));
    lam_variant_node *root = &encoder->nodes[0];
    if (root->size > SIZE_MAX)
        LAM_FAIL(error, LAM_STATUS_NOMEM, "no memory for a variant");
    LAM_TRY(lam_buffer_reserve(out, (size_t)root->size, error));
    uint8_t *first = out->data + out->size;
    out->size += (size_t)root->size;
    if (root->kind == LAM_VARIANT_NODE_BYTES) {
        memcpy(first, source + root->offset, (size_t)root->size);
        return LAM_STATUS_OK;
    }
    root->offset = 0;
    for (size_t i = 0; i < encoder->count;) {
        const lam_variant_node *node = &encoder->nodes[i];
        if (node->kind == LAM_VARIANT_NODE_OBJECT || node->kind == LAM_VARIANT_NODE_ARRAY)
            put_container(encoder, node, source, first);
        /* A dropped field has no position: pass over everything inside it. */
        i += node->kind == LAM_VARIANT_NODE_DROPPED ? node->subtree_size : 1;
    }
    return LAM_STATUS_OK;
}
