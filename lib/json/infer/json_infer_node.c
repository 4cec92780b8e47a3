/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keeps the nodes that inference makes: takes names and paths, and gives nodes, and later all but
 * the dead ones.
 *
 * All nodes are in one array, so that they may move when it grows, and know each other by index.
 * Members are found by the hash of their parent and name. Invariants: a node comes after its
 * parent, and the members of a node are linked in the order in which they were first seen, which is
 * that of the fields of the schema.
 */
#include <string.h>

#include "base/alloc.h"
#include "base/bytes.h"
#include "base/error.h"
#include "json/infer/json_infer.h"

bool lam_json_node_is_member(const lam_json_inference *inference, uint32_t index, uint32_t parent,
                             const char *name, size_t size) {
    const lam_inferred_node *node = &inference->nodes[index];
    return node->parent == parent && node->name_size == size &&
           lam_same_name(node->name, name, size);
}

/* The member of a node with this name, LAM_HASH_INDEX_NONE if there is none; and its hash. */
static uint32_t json_node_find_member(const lam_json_inference *inference, uint32_t parent,
                                      const char *name, size_t size, uint32_t *ret_hash) {
    uint32_t found;
    *ret_hash = lam_hash_index_hash_below(&inference->members, parent, name, size);
    LAM_HASH_INDEX_FIND(&inference->members, *ret_hash, found,
                        lam_json_node_is_member(inference, found, parent, name, size));
    return found;
}

/* The room is there: the members are among those that were in the index before. */
void lam_json_node_drop(lam_json_inference *inference, size_t count) {
    inference->node_count = count;
    lam_hash_index_clear(&inference->members);
    for (size_t i = 1; i < count; i++) {
        const lam_inferred_node *node = &inference->nodes[i];
        if (!node->is_element)
            lam_hash_index_put(&inference->members,
                               lam_hash_index_hash_below(&inference->members, node->parent,
                                                         node->name, node->name_size),
                               (uint32_t)i);
    }
}

/* --- Paths ----------------------------------------------------------------------------------- */

/*
 * How many words at the end of `count` lead from the parent of a node to it; 0 if they do not.
 *
 *     the member a         a, "a"
 *     the member a.b       "a.b", or the words a and b, by the dot
 *     the elements of a    [], or list and element
 *     the values of a MAP  key_value and value
 */
static size_t json_node_words(const lam_json_inference *inference, const lam_inferred_node *node,
                              const lam_path_word *words, size_t count) {
    const lam_path_word *last = &words[count - 1];
    if (node->is_element) {
        const char *inner =
            inference->nodes[node->parent].is_map ? "key_value.value" : "list.element";
        if (last->kind == LAM_PATH_ELEMENTS)
            return !inference->nodes[node->parent].is_map;
        return count > 1 && lam_path_words_are(last - 1, 2, inner, strlen(inner)) ? 2 : 0;
    }
    size_t used = 1;
    for (size_t i = 0; i < node->name_size && !last->is_quoted; i++)
        used += node->name[i] == '.';
    for (size_t i = 0; i < used && used <= count; i++)
        if (last[-(ptrdiff_t)i].kind != LAM_PATH_NAME ||
            (used > 1 && last[-(ptrdiff_t)i].is_quoted))
            return 0;
    bool is_name = used <= count && (last->is_quoted || last->size > 0 || used > 1) &&
                   lam_path_words_are(last + 1 - used, used, node->name, node->name_size);
    return is_name ? used : 0;
}

/*
 * How a path leads to a node, if it does. Compares from the last name to the first, as nodes know
 * only their parents:
 *
 *     node 2 in the header     a.list.element: list.element, then a, then the root
 */
static int json_node_led_to(const lam_json_inference *inference, uint32_t index,
                            const lam_path *path) {
    size_t left = path->count;
    bool by_dots = false;
    for (; index != 0 && left > 0; index = inference->nodes[index].parent) {
        const lam_inferred_node *node = &inference->nodes[index];
        size_t used = json_node_words(inference, node, path->words, left);
        if (used == 0)
            return LAM_JSON_GIVEN_NOWHERE;
        by_dots = by_dots || (!node->is_element && used > 1);
        left -= used;
    }
    return index != 0 || left > 0 ? LAM_JSON_GIVEN_NOWHERE
           : by_dots              ? LAM_JSON_GIVEN_BY_DOTS
                                  : LAM_JSON_GIVEN_BY_NAMES;
}

/* Made from its end, in room that is enough: two marks and a dot for each name, marks doubled. */
lam_status lam_json_node_path(lam_json_inference *inference, uint32_t index, const char **ret_path,
                              lam_error *error) {
    size_t size = 1;
    void *memory;
    for (uint32_t at = index; at != 0; at = inference->nodes[at].parent)
        size += inference->nodes[at].is_element ? sizeof "key_value.value"
                                                : 2 * (size_t)inference->nodes[at].name_size + 3;
    LAM_TRY(lam_arena_alloc(&inference->given_arena, size, &memory, error));
    char *begin = (char *)memory + size - 1;
    *begin = '\0';
    for (uint32_t at = index; at != 0; at = inference->nodes[at].parent) {
        const lam_inferred_node *node = &inference->nodes[at];
        const char *inner =
            inference->nodes[node->parent].is_map ? "key_value.value" : "list.element";
        if (at != index)
            *--begin = '.';
        if (node->is_element)
            begin = memcpy(begin - strlen(inner), inner, strlen(inner));
        else
            begin = lam_path_name_before(begin, node->name, node->name_size);
    }
    *ret_path = begin;
    return LAM_STATUS_OK;
}

void lam_json_node_give(lam_json_inference *inference, uint32_t index, uint32_t number) {
    const lam_json_column *given = &inference->given[number - 1];
    lam_inferred_node *node = &inference->nodes[index];
    bool is_group = given->type == LAM_PHYSICAL_GROUP;
    node->given = number;
    node->is_map = is_group && given->options.logical_type.kind == LAM_LOGICAL_MAP;
    if (!node->is_map && !(is_group && given->options.logical_type.kind == LAM_LOGICAL_NONE))
        node->saw |= LAM_JSON_SAW_UNFIT;
}

/*
 * Notes at a new node the type that the caller wants there. The node must be linked, and its
 * ancestors final, as its path depends on them. A node at which a path arrives only by a dot in a
 * name waits: one that is there name by name may come yet.
 */
static void json_node_find_given(lam_json_inference *inference, uint32_t index) {
    for (uint32_t i = 0; i < inference->given_count; i++) {
        int way = json_node_led_to(inference, index, &inference->given_paths[i]);
        if (way == LAM_JSON_GIVEN_BY_NAMES)
            lam_json_node_give(inference, index, i + 1);
        else if (way == LAM_JSON_GIVEN_BY_DOTS)
            inference->nodes[index].dotted = i + 1;
    }
}

void lam_json_node_note_given(lam_json_inference *inference) {
    for (size_t i = 0; i < inference->node_count; i++) {
        const lam_inferred_node *node = &inference->nodes[i];
        if (node->dotted != 0 && inference->given_seen[node->dotted - 1] == LAM_JSON_GIVEN_NOWHERE)
            inference->given_seen[node->dotted - 1] = LAM_JSON_GIVEN_BY_DOTS;
        if (node->given != 0 && node->given != node->dotted)
            inference->given_seen[node->given - 1] = LAM_JSON_GIVEN_BY_NAMES;
    }
}

/* --- Making nodes ---------------------------------------------------------------------------- */

lam_status lam_json_node_add(lam_json_inference *inference, uint32_t parent, unsigned depth,
                             const char *name, size_t size, uint32_t *ret_index, lam_error *error) {
    if (inference->node_count == inference->node_capacity) {
        size_t capacity = inference->node_capacity == 0 ? 64 : inference->node_capacity * 2;
        void *nodes = inference->nodes;
        if (capacity > INT32_MAX)
            LAM_FAIL(error, LAM_ERROR_CODE_SCHEMA_LIMIT, "too many different fields");
        LAM_TRY(lam_realloc(&inference->allocator, &nodes,
                            inference->node_capacity * sizeof(lam_inferred_node),
                            capacity * sizeof(lam_inferred_node), error));
        inference->nodes = nodes;
        inference->node_capacity = capacity;
    }
    char *copy;
    LAM_TRY(lam_arena_copy(&inference->arena, name, size, &copy, error));
    lam_inferred_node node = {0};
    node.name = copy;
    node.name_size = (uint32_t)size;
    node.parent = parent;
    node.depth = (uint8_t)depth;
    *ret_index = (uint32_t)inference->node_count;
    inference->nodes[inference->node_count++] = node;
    return LAM_STATUS_OK;
}

lam_status lam_json_node_add_root(lam_json_inference *inference, lam_error *error) {
    uint32_t root;
    return lam_json_node_add(inference, 0, 0, "", 0, &root, error);
}

/* Adds a member to the index, and to the end of the list of its group's members. */
static lam_status json_node_add_member(lam_json_inference *inference, uint32_t parent,
                                       const char *name, size_t size, uint32_t hash,
                                       uint32_t *ret_index, lam_error *error) {
    uint32_t index = 0;
    unsigned depth = inference->nodes[parent].depth + 1u;
    LAM_TRY(lam_hash_index_reserve(&inference->members, error));
    LAM_TRY(lam_json_node_add(inference, parent, depth, name, size, &index, error));
    lam_hash_index_put(&inference->members, hash, index);
    lam_inferred_node *group = &inference->nodes[parent];
    if (group->first_member == 0)
        group->first_member = index;
    else
        inference->nodes[group->last_member].next_member = index;
    group->last_member = index;
    group->members++;
    json_node_find_given(inference, index);
    *ret_index = index;
    return LAM_STATUS_OK;
}

lam_status lam_json_node_member(lam_json_inference *inference, uint32_t parent, const char *name,
                                size_t size, uint32_t *ret_index, lam_error *error) {
    uint32_t hash, found = json_node_find_member(inference, parent, name, size, &hash);
    if (found == LAM_HASH_INDEX_NONE)
        return json_node_add_member(inference, parent, name, size, hash, ret_index, error);
    *ret_index = found;
    return LAM_STATUS_OK;
}

/* It is two levels deeper: a LIST, like a MAP, has a repeated group between. */
lam_status lam_json_node_element(lam_json_inference *inference, uint32_t parent,
                                 uint32_t *ret_index, lam_error *error) {
    if (inference->nodes[parent].element == 0) {
        uint32_t index = 0;
        unsigned depth = inference->nodes[parent].depth + 2u;
        LAM_TRY(lam_json_node_add(inference, parent, depth, "", 0, &index, error));
        inference->nodes[index].is_element = true;
        inference->nodes[parent].element = index;
        json_node_find_given(inference, index);
    }
    *ret_index = inference->nodes[parent].element;
    return LAM_STATUS_OK;
}

/* --- Dropping nodes -------------------------------------------------------------------------- */

uint32_t lam_json_node_resolve(const lam_json_inference *inference, uint32_t index) {
    while (inference->nodes[index].forward != 0)
        index = inference->nodes[index].forward;
    return index;
}

/* Moves a node to its new index. Its name is copied, so that the old ones can be freed. */
static lam_status json_node_move(lam_json_inference *inference, size_t i, lam_arena *arena,
                                 lam_error *error) {
    const uint32_t *indexes = (const void *)inference->indexes.data;
    lam_inferred_node node = inference->nodes[i];
    char *name;
    LAM_TRY(lam_arena_copy(arena, node.name, node.name_size, &name, error));
    node.name = name;
    node.parent = indexes[node.parent];
    node.element = indexes[node.element];
    node.first_member = indexes[node.first_member];
    node.last_member = indexes[node.last_member];
    node.next_member = indexes[node.next_member];
    node.guess_first = node.guess_behind = node.forward = 0;
    inference->nodes[indexes[i]] = node;
    return LAM_STATUS_OK;
}

/* Gives each node its new index. The nodes themselves do not move. */
static lam_status json_node_number(lam_json_inference *inference, uint32_t *ret_count,
                                   lam_error *error) {
    lam_buffer *buffer = &inference->indexes;
    uint32_t count = 0;
    lam_buffer_clear(buffer);
    LAM_TRY(lam_buffer_reserve(buffer, inference->node_count * sizeof(uint32_t), error));
    uint32_t *indexes = (void *)buffer->data;
    for (size_t i = 0; i < inference->node_count; i++)
        indexes[i] = inference->nodes[i].is_dead ? 0 : count++;
    for (size_t i = 0; i < inference->node_count; i++)
        if (inference->nodes[i].is_dead)
            indexes[i] = indexes[lam_json_node_resolve(inference, (uint32_t)i)];
    *ret_count = count;
    return LAM_STATUS_OK;
}

/* A node never moves to a higher index, so that none is overwritten before it has moved. */
lam_status lam_json_node_compact(lam_json_inference *inference, lam_error *error) {
    lam_status status = LAM_STATUS_OK;
    lam_arena arena;
    uint32_t count;
    lam_json_node_note_given(inference);
    LAM_TRY(json_node_number(inference, &count, error));
    lam_arena_init(&arena, &inference->allocator, 0);
    for (size_t i = 0; i < inference->node_count && status == LAM_STATUS_OK; i++)
        if (!inference->nodes[i].is_dead)
            status = json_node_move(inference, i, &arena, error);
    if (status != LAM_STATUS_OK) {
        lam_arena_finish(&arena);
        return status;
    }
    lam_arena_finish(&inference->arena);
    inference->arena = arena;
    lam_json_node_drop(inference, count);
    return LAM_STATUS_OK;
}
