/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds objects whose keys are data: takes the tree of nodes, and merges the nodes of their members
 * into one, that of a MAP's values.
 *
 *     {"rates": {"EUR": 1.1}}       rates: object              rates: MAP
 *     {"rates": {"CHF": 1}}           EUR: real           ->     element: real, integer
 *                                     CHF: integer
 *
 * Keys are data if there are many of them and few in each object, and the values are alike: merged,
 * their kinds do not clash, and they have structures in common. Merging goes through a queue of
 * pairs, a node that takes and one that is taken. Whether values are alike is known only
 * afterwards, so the takers are new nodes, which are dropped if the values are not. The invariant:
 * nodes that are taken keep what they know, and `forward` gives their takers.
 */
#include <string.h>

#include "base/error.h"
#include "json/infer/json_infer.h"

enum {
    MANY_KEYS = 200,    /* above, keys are data if they are rare: */
    RARE_VALUES = 10,   /* in less than this many objects each, or half of the objects */
    SPARSE_KEYS = 16,   /* from here on they are if an object has few of them: */
    SPARSE_SHARE = 10,  /* less than one in this many */
    LEAST_MEMBERS = 2,  /* of an object that becomes a MAP or VARIANT because of the limit */
    TEXT_SHARE = 10,    /* more than one in this many of another kind of text: not alike */
    ALIKE_PERCENT = 40, /* of the nodes of merged values that each of them has */
    TYPED_TEXTS = LAM_JSON_SAW_DATE | LAM_JSON_SAW_TIME | LAM_JSON_SAW_TIMESTAMP |
                  LAM_JSON_SAW_TIMESTAMP_UTC | LAM_JSON_SAW_UUID
};

typedef struct node_pair {
    uint32_t to;
    uint32_t from;
} node_pair;

/* --- Merging --------------------------------------------------------------------------------- */

static lam_status push_pair(lam_json_inference *inference, uint32_t to, uint32_t from,
                            lam_error *error) {
    node_pair pair = {to, from};
    return lam_buffer_append(&inference->pairs, &pair, sizeof pair, error);
}

/* Takes the lines of a clash together, or those of the first value; two values may clash now. */
static void absorb_lines(lam_inferred_node *to, const lam_inferred_node *from) {
    if (to->line == 0 || (to->clash_line == 0 && from->clash_line != 0)) {
        to->line = from->line;
        to->source = from->source;
        to->kind = from->kind;
        to->clash_line = from->clash_line;
        to->clash_source = from->clash_source;
        to->clash_kind = from->clash_kind;
    } else if (to->clash_line == 0 && from->line != 0 &&
               lam_json_clashing_kinds(to->saw) != lam_json_clashing_kinds(from->saw)) {
        to->clash_line = from->line;
        to->clash_source = from->source;
        to->clash_kind = from->kind;
    }
}

/* Takes what is known about a node, without its inside. */
static void absorb(lam_inferred_node *to, const lam_inferred_node *from) {
    unsigned levels = from->saw & LAM_JSON_SAW_ARRAY ? 3 : from->saw & LAM_JSON_SAW_OBJECT ? 2 : 0;
    absorb_lines(to, from);
    to->saw |= from->saw;
    if (to->depth + levels > LAM_SCHEMA_DEPTH_MAX)
        to->saw |= LAM_JSON_SAW_UNFIT;
    to->is_unlike = to->is_unlike || from->is_unlike;
    to->seen += from->seen;
    to->objects += from->objects;
    to->last_object = from->last_object > to->last_object ? from->last_object : to->last_object;
    to->digits = from->digits > to->digits ? from->digits : to->digits;
    to->scale = from->scale > to->scale ? from->scale : to->scale;
}

/* Queues the members of a node to be taken by the element of `map`, which may be the same node. */
static lam_status queue_members(lam_json_inference *inference, uint32_t map, uint32_t from,
                                lam_error *error) {
    uint32_t element = 0;
    for (uint32_t at = inference->nodes[from].first_member; at != 0;
         at = inference->nodes[at].next_member) {
        LAM_TRY(lam_json_node_element(inference, map, &element, error));
        LAM_TRY(push_pair(inference, element, at, error));
    }
    return LAM_STATUS_OK;
}

/* Its members are in the queue, or were taken. */
static void forget_members(lam_json_inference *inference, uint32_t map) {
    lam_inferred_node *node = &inference->nodes[map];
    for (uint32_t at = node->first_member; at != 0; at = inference->nodes[at].next_member)
        inference->nodes[at].is_dead = true;
    node->first_member = node->last_member = node->guess_first = node->members = 0;
}

/* Queues the nodes inside `from` to be taken by those inside `to`. */
static lam_status merge_inside(lam_json_inference *inference, uint32_t to, uint32_t from,
                               lam_error *error) {
    uint32_t taking = 0;
    if (inference->nodes[from].is_map && !inference->nodes[to].is_map) {
        inference->nodes[to].is_map = true;
        LAM_TRY(queue_members(inference, to, to, error));
        forget_members(inference, to);
    }
    if (inference->nodes[from].element != 0) {
        LAM_TRY(lam_json_node_element(inference, to, &taking, error));
        LAM_TRY(push_pair(inference, taking, inference->nodes[from].element, error));
    }
    if (inference->nodes[to].is_map)
        return queue_members(inference, to, from, error);
    for (uint32_t at = inference->nodes[from].first_member; at != 0;
         at = inference->nodes[at].next_member) {
        LAM_TRY(lam_json_node_member(inference, to, inference->nodes[at].name,
                                     inference->nodes[at].name_size, &taking, error));
        LAM_TRY(push_pair(inference, taking, at, error));
    }
    return LAM_STATUS_OK;
}

/* Merges the pairs of the queue from `first` on, until no more are added. */
static lam_status merge_pairs(lam_json_inference *inference, size_t first, lam_error *error) {
    for (size_t i = first; i < inference->pairs.size / sizeof(node_pair); i++) {
        node_pair pair = ((const node_pair *)(const void *)inference->pairs.data)[i];
        uint32_t to = lam_json_node_resolve(inference, pair.to);
        absorb(&inference->nodes[to], &inference->nodes[pair.from]);
        inference->nodes[pair.from].forward = to;
        if (!lam_json_node_is_closed(&inference->nodes[to]))
            LAM_TRY(merge_inside(inference, to, pair.from, error));
    }
    return LAM_STATUS_OK;
}

/* --- Whether values are alike ---------------------------------------------------------------- */

/* Marks nodes from `first` on that are inside a dead node, or of one that needs none inside. */
static size_t spread_death(lam_json_inference *inference, size_t first) {
    size_t live = 0;
    for (size_t i = first; i < inference->node_count; i++) {
        lam_inferred_node *node = &inference->nodes[i];
        const lam_inferred_node *parent = &inference->nodes[node->parent];
        node->is_dead =
            node->is_dead || (i != 0 && (parent->is_dead || lam_json_node_is_closed(parent)));
        live += !node->is_dead;
    }
    return live;
}

typedef struct key_use {
    uint64_t keys;
    uint64_t values; /* in all objects */
    uint64_t closed; /* keys whose values have a VARIANT or a type of their own */
    uint64_t typed;  /* keys whose values are texts of one kind, such as dates */
} key_use;

static key_use count_use(const lam_json_inference *inference, uint32_t index) {
    key_use use = {0};
    for (uint32_t at = inference->nodes[index].first_member; at != 0;
         at = inference->nodes[at].next_member) {
        const lam_inferred_node *node = &inference->nodes[at];
        use.keys++;
        use.values += node->seen;
        use.closed += lam_json_node_is_closed(node);
        use.typed += (node->saw & TYPED_TEXTS) != 0 && (node->saw & LAM_JSON_SAW_TEXT) == 0;
    }
    return use;
}

static bool has_many_keys(const lam_inferred_node *node, const key_use *use) {
    return use->keys > MANY_KEYS &&
           (use->values < use->keys * RARE_VALUES || use->values < node->objects * use->keys / 2);
}

/* Whether the numbers of keys alone say that they are data; not of the root, which is no MAP. */
static bool has_data_keys(const lam_json_inference *inference, uint32_t index) {
    const lam_inferred_node *node = &inference->nodes[index];
    if (node->is_map || node->is_unlike || node->given != 0 || node->members < SPARSE_KEYS ||
        lam_json_node_is_closed(node))
        return false;
    key_use use = count_use(inference, index);
    return has_many_keys(node, &use) || use.values < node->objects * use.keys / SPARSE_SHARE;
}

/*
 * Whether the members that were merged into `element`, with `taken` nodes in all, have values of
 * one kind. Nodes from `first` on are their takers.
 */
static bool are_alike(lam_json_inference *inference, uint32_t index, uint32_t element, size_t first,
                      size_t taken) {
    const lam_inferred_node *node = &inference->nodes[element];
    key_use use = count_use(inference, index);
    if (lam_json_node_is_closed(node))
        return use.closed * 2 >= use.keys;
    if (!has_many_keys(&inference->nodes[index], &use) && (node->saw & LAM_JSON_SAW_TEXT) != 0 &&
        use.typed > use.keys / TEXT_SHARE)
        return false;
    size_t live = spread_death(inference, first);
    return taken * 100 / ALIKE_PERCENT >= use.keys * live;
}

/* Takes back a merge. */
static void undo_map(lam_json_inference *inference, uint32_t index, size_t first, size_t pairs) {
    const node_pair *queue = (const void *)inference->pairs.data;
    for (size_t i = pairs; i < inference->pairs.size / sizeof *queue; i++)
        inference->nodes[queue[i].from].forward = 0;
    inference->nodes[index].is_map = false;
    inference->nodes[index].element = 0;
    lam_json_node_drop(inference, first);
}

/*
 * Makes the objects at a node a MAP, if their values are alike or the caller wants one. Only
 * merging may show that keys inside the values are data, too; the calls nest no deeper than keys
 * become more by that, the logarithm of the number of nodes. Nodes that are not alike are not tried
 * again, nor are their takers.
 */
static lam_status try_map(lam_json_inference *inference, uint32_t index, bool *ret_is_map,
                          lam_error *error) {
    size_t first = inference->node_count, pairs = inference->pairs.size / sizeof(node_pair);
    bool is_inner = false;
    uint32_t element = 0;
    inference->nodes[index].is_map = true;
    LAM_TRY(lam_json_node_element(inference, index, &element, error));
    LAM_TRY(queue_members(inference, index, index, error));
    LAM_TRY(merge_pairs(inference, pairs, error));
    size_t taken = inference->pairs.size / sizeof(node_pair) - pairs;
    (void)spread_death(inference, first);
    for (size_t i = inference->node_count; i-- > first;)
        if (!inference->nodes[i].is_dead && has_data_keys(inference, (uint32_t)i))
            LAM_TRY(try_map(inference, (uint32_t)i, &is_inner, error));
    *ret_is_map =
        inference->nodes[index].given != 0 || are_alike(inference, index, element, first, taken);
    if (*ret_is_map)
        forget_members(inference, index);
    else
        undo_map(inference, index, first, pairs);
    inference->nodes[index].is_unlike = !*ret_is_map;
    return LAM_STATUS_OK;
}

lam_status lam_json_make_map(lam_json_inference *inference, uint32_t index, lam_error *error) {
    bool is_map;
    lam_buffer_clear(&inference->pairs);
    return try_map(inference, index, &is_map, error);
}

/* --- Choosing -------------------------------------------------------------------------------- */

/* The inside of a node comes after it, and so is tried before it. */
lam_status lam_json_choose_maps(lam_json_inference *inference, lam_error *error) {
    bool is_map;
    (void)spread_death(inference, 0);
    for (size_t i = inference->node_count; inference->infers_maps && i-- > 1;) {
        lam_buffer_clear(&inference->pairs);
        if (!inference->nodes[i].is_dead && has_data_keys(inference, (uint32_t)i))
            LAM_TRY(try_map(inference, (uint32_t)i, &is_map, error));
    }
    (void)spread_death(inference, 0);
    return LAM_STATUS_OK;
}

static bool may_shrink(const lam_inferred_node *node) {
    return !node->is_dead && !node->is_map && !lam_json_node_is_closed(node) &&
           node->members >= LEAST_MEMBERS;
}

static lam_status shrink_node(lam_json_inference *inference, uint32_t index, lam_error *error) {
    bool is_map = false;
    lam_buffer_clear(&inference->pairs);
    if (inference->infers_maps)
        LAM_TRY(try_map(inference, index, &is_map, error));
    if (!is_map)
        inference->nodes[index].saw |= LAM_JSON_SAW_UNFIT;
    return lam_json_notice_add_limit(inference, index, error);
}

/* Shrinks all objects that have more than half of the most members that one has. */
static lam_status shrink_widest(lam_json_inference *inference, bool *ret_any, lam_error *error) {
    size_t count = inference->node_count;
    uint32_t most = 0;
    for (size_t i = 1; i < count; i++)
        if (may_shrink(&inference->nodes[i]) && inference->nodes[i].members > most)
            most = inference->nodes[i].members;
    *ret_any = most > 0;
    for (size_t i = 1; i < count && most > 0; i++) {
        lam_inferred_node *node = &inference->nodes[i];
        const lam_inferred_node *parent = &inference->nodes[node->parent];
        node->is_dead = node->is_dead || parent->is_dead || lam_json_node_is_closed(parent);
        if (may_shrink(node) && node->members > most / 2)
            LAM_TRY(shrink_node(inference, (uint32_t)i, error));
    }
    return LAM_STATUS_OK;
}

/* The root cannot be a MAP; its members are the reason if most nodes are among them. */
lam_status lam_json_shrink(lam_json_inference *inference, lam_error *error) {
    bool any = true;
    size_t live = spread_death(inference, 0);
    while (live > inference->max_fields / 2 + 1) {
        if (inference->nodes[0].members <= live / 2)
            LAM_TRY(shrink_widest(inference, &any, error));
        if (!any || inference->nodes[0].members > live / 2) {
            inference->nodes[0].saw |= LAM_JSON_SAW_UNFIT;
            LAM_TRY(lam_json_notice_add_limit(inference, 0, error));
        }
        live = spread_death(inference, 0);
    }
    return lam_json_node_compact(inference, error);
}
