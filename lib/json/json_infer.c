/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Learns from JSON text which kinds of value occur where: records in, a tree of nodes out, from
 * which json_infer_schema.c makes a schema.
 *
 * Each record is parsed into tokens, and a walk with its own stack of frames notes the kind of
 * every value in its node; nodes are added when a name or element is seen first. What is learnt
 * only grows: bits of `saw` are never cleared, so the result does not depend on the order of the
 * records, except for the order of the fields. A node that can only become a VARIANT needs nothing
 * inside: the walk skips its values, and nodes that were already there stay without use. The depth
 * of the tree is bounded by that of a schema, the number of nodes by an option.
 */
#include "json/json_infer.h"

#include <string.h>

#include "base/alloc.h"
#include "base/bytes.h"
#include "base/error.h"
#include "base/options.h"
#include "base/stop.h"
#include "schema/name_index.h"
#include "text/number_text.h"
#include "json/json_locate.h"
#include "json/json_text.h"
#include "json/json_value.h"

enum { DEFAULT_FIELDS = 20000, JSON_INFER_SMALLEST_TABLE = 256 };

/* A real sets the bit of integers: the two do not clash, and a double may hold both. */
unsigned lam_json_clashing_kinds(unsigned saw) {
    unsigned kinds = saw & (LAM_JSON_SAW_BOOLEAN | LAM_JSON_SAW_STRING | LAM_JSON_SAW_OBJECT |
                            LAM_JSON_SAW_ARRAY | LAM_JSON_SAW_INTEGER);
    return saw & LAM_JSON_SAW_REAL ? kinds | LAM_JSON_SAW_INTEGER : kinds;
}

/*
 * True when the node can only become a VARIANT, so that what is inside needs no nodes. More than
 * one bit is set if clearing the lowest leaves one.
 */
static bool is_variant_only(const lam_inferred_node *node) {
    unsigned kinds = lam_json_clashing_kinds(node->saw);
    return (node->saw & LAM_JSON_SAW_UNFIT) != 0 || (kinds & (kinds - 1)) != 0;
}

/* --- Nodes by name --------------------------------------------------------------------------- */

/* True when a node is the member of that name at `parent`. */
static bool is_member(const lam_json_inference *inference, uint32_t index, uint32_t parent,
                      const char *name, size_t size) {
    const lam_inferred_node *node = &inference->nodes[index];
    return node->parent == parent && node->name_size == size &&
           lam_same_name(node->name, name, size);
}

/*
 * Gives the slot of a member in the table, or the free one where it belongs. The table is at most
 * half full, so the search ends. The seed differs from process to process, as it is an address: a
 * hostile text cannot choose names that collide.
 */
static uint32_t *json_infer_find_slot(const lam_json_inference *inference, uint32_t parent,
                                      const char *name, size_t size) {
    size_t mask = inference->table_size - 1;
    uint64_t seed = (uint64_t)(uintptr_t)inference + parent;
    size_t at = (size_t)lam_name_hash(name, size, seed) & mask;
    while (inference->table[at] != 0 &&
           !is_member(inference, inference->table[at], parent, name, size))
        at = (at + 1) & mask;
    return &inference->table[at];
}

/* Doubles the table, and puts each member into its new slot. */
static lam_status json_infer_grow_table(lam_json_inference *inference, lam_error *error) {
    size_t old_size = inference->table_size;
    uint32_t *old = inference->table;
    void *memory;
    size_t size = old_size == 0 ? JSON_INFER_SMALLEST_TABLE : old_size * 2;
    LAM_TRY(lam_alloc_array(&inference->allocator, size, sizeof *old, &memory, error));
    inference->table = memory;
    inference->table_size = size;
    for (size_t i = 0; i < old_size; i++) {
        if (old[i] == 0)
            continue;
        const lam_inferred_node *node = &inference->nodes[old[i]];
        *json_infer_find_slot(inference, node->parent, node->name, node->name_size) = old[i];
    }
    lam_free(&inference->allocator, old, old_size * sizeof *old);
    return LAM_STATUS_OK;
}

/*
 * Whether `path` is the path of a node in the schema. Compares from the last name to the first, as
 * nodes know only their parents:
 *
 *     node 2 in the header     "a.list.element": element, then a, then the root
 */
static bool json_infer_is_path_of(const lam_json_inference *inference, uint32_t index,
                                  const char *path) {
    static const char element[] = "list.element";
    size_t left = strlen(path);
    for (;;) {
        const lam_inferred_node *node = &inference->nodes[index];
        bool is_element = inference->nodes[node->parent].element == index;
        const char *name = is_element ? element : node->name;
        size_t size = is_element ? sizeof element - 1 : node->name_size;
        if (left < size || memcmp(path + left - size, name, size) != 0)
            return false;
        left -= size;
        index = node->parent;
        if (index == 0 || left == 0)
            return index == 0 && left == 0;
        if (path[--left] != '.')
            return false;
    }
}

/*
 * Marks a new node if the caller wants a VARIANT there, and notes that the path was seen. The node
 * must be linked, as an element is known by its parent's link.
 */
static void find_variant(lam_json_inference *inference, uint32_t index) {
    for (size_t i = 0; i < inference->variant_count; i++) {
        if (!json_infer_is_path_of(inference, index, inference->variants[i]))
            continue;
        inference->nodes[index].saw |= LAM_JSON_SAW_UNFIT;
        inference->variants_seen[i] = true;
    }
}

/*
 * Adds a node that nothing links to yet. Nodes may move; names do not. The limit leaves out the
 * root.
 */
static lam_status add_node(lam_json_inference *inference, uint32_t parent, unsigned depth,
                           const char *name, size_t size, uint32_t *ret_index, lam_error *error) {
    if (inference->node_count > inference->max_fields)
        LAM_FAIL(error, LAM_ERROR_CODE_SCHEMA_LIMIT,
                 "more than %zu different fields: keys that are data, not names, need a schema "
                 "with a MAP",
                 inference->max_fields);
    /* The nodes are in one array, found by index, so that they may move when it grows. */
    if (inference->node_count == inference->node_capacity) {
        size_t capacity = inference->node_capacity == 0 ? 64 : inference->node_capacity * 2;
        void *nodes = inference->nodes;
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

/*
 * Adds a member to the table, and to the end of the list of its group's members: the fields of the
 * schema are in this order.
 */
static lam_status add_member(lam_json_inference *inference, uint32_t parent, const char *name,
                             size_t size, uint32_t *ret_index, lam_error *error) {
    if ((inference->node_count + 1) * 2 > inference->table_size)
        LAM_TRY(json_infer_grow_table(inference, error));
    uint32_t index = 0;
    unsigned depth = inference->nodes[parent].depth + 1u;
    LAM_TRY(add_node(inference, parent, depth, name, size, &index, error));
    *json_infer_find_slot(inference, parent, name, size) = index;
    lam_inferred_node *group = &inference->nodes[parent];
    if (group->first_member == 0)
        group->first_member = index;
    else
        inference->nodes[group->last_member].next_member = index;
    group->last_member = index;
    find_variant(inference, index);
    *ret_index = index;
    return LAM_STATUS_OK;
}

/*
 * Gives the node of a member, which is made if there is none. `guess` is the member that came here
 * in the object before, and nearly always right. 0 for a name with U+0000, which a schema cannot
 * hold: then the group becomes a VARIANT, and at the root the record is INVALID, as the root cannot
 * be one.
 */
static lam_status json_infer_find_member(lam_json_inference *inference, uint32_t parent,
                                         uint32_t guess, const lam_json_token *key,
                                         uint32_t *ret_index, lam_error *error) {
    lam_bytes text;
    LAM_TRY(lam_json_text_read(&inference->parsed, key, &inference->name, &text, error));
    const char *name = (const char *)text.data;
    if (guess != 0 && is_member(inference, guess, parent, name, text.size)) {
        *ret_index = guess;
        return LAM_STATUS_OK;
    }
    /* Only an escape can make a NUL: the tokens refuse control characters in strings. */
    if (key->escaped && memchr(name, '\0', text.size) != NULL) {
        if (parent == 0)
            LAM_FAIL(error, LAM_STATUS_INVALID, "a field name holds U+0000, which no schema can");
        inference->nodes[parent].saw |= LAM_JSON_SAW_UNFIT;
        *ret_index = 0;
        return LAM_STATUS_OK;
    }
    if (inference->table_size > 0) {
        *ret_index = *json_infer_find_slot(inference, parent, name, text.size);
        if (*ret_index != 0)
            return LAM_STATUS_OK;
    }
    return add_member(inference, parent, name, text.size, ret_index, error);
}

/* --- Values ---------------------------------------------------------------------------------- */

/*
 * Gives the bits of an integer: its sign, the type that holds it, and whether a double keeps it,
 * which counts if reals come to the same node. Small integers, nearly all, take one parse.
 */
static unsigned classify_integer(const char *text, size_t size) {
    const int64_t exact = INT64_C(1) << 53; /* doubles hold every integer up to here */
    int64_t number;
    uint64_t above;
    unsigned saw = LAM_JSON_SAW_INTEGER;
    /* Integers up to 2^53 need no further test, and are nearly all. */
    if (lam_int64_parse(text, size, &number)) {
        saw |= number < 0 ? LAM_JSON_SAW_NEGATIVE : 0;
        if (number >= -exact && number <= exact)
            return saw;
    } else {
        saw |= lam_uint64_parse(text, size, &above) ? LAM_JSON_SAW_ABOVE_INT64
                                                    : LAM_JSON_SAW_BEYOND_64;
    }
    return lam_double_keeps_integer(text, size) ? saw : saw | LAM_JSON_SAW_NOT_DOUBLE;
}

/*
 * Gives the bits of a real. Up to 308 digits without an exponent stay below the largest double, so
 * most reals are not parsed at all.
 */
static unsigned classify_real(const char *text, size_t size) {
    enum { DIGITS_OF_DOUBLE = 308 };
    double value;
    bool plain = size <= DIGITS_OF_DOUBLE && memchr(text, 'e', size) == NULL &&
                 memchr(text, 'E', size) == NULL;
    if (plain || lam_double_parse(text, size, &value))
        return LAM_JSON_SAW_REAL;
    return LAM_JSON_SAW_REAL | LAM_JSON_SAW_UNFIT;
}

/* Gives the bits of a value, without those of what is inside it. */
static unsigned classify(const lam_json_tokens *parsed, const lam_json_token *token) {
    const char *text = lam_json_token_text(parsed, token);
    size_t size = lam_json_token_size(token);
    switch (token->kind) {
    case LAM_JSON_OBJECT:
        return LAM_JSON_SAW_OBJECT;
    case LAM_JSON_ARRAY:
        return LAM_JSON_SAW_ARRAY;
    case LAM_JSON_STRING:
        return LAM_JSON_SAW_STRING;
    case LAM_JSON_INTEGER:
        return classify_integer(text, size);
    case LAM_JSON_REAL:
        return classify_real(text, size);
    case LAM_JSON_NULL:
        return LAM_JSON_SAW_NULL;
    default:
        return LAM_JSON_SAW_BOOLEAN;
    }
}

/* An object or array whose content is visited. */
typedef struct json_infer_frame {
    uint32_t node;
    uint32_t last;  /* the member that came last in the object, 0 before the first */
    uint32_t first; /* token of the first member or element */
    uint32_t next;  /* token of the next one */
    uint32_t end;   /* token after the last */
    bool is_array;
    uint64_t object; /* number of the object, from 1; 0 for an array */
} json_infer_frame;

/*
 * Makes a frame over the content of the token at `container`, and numbers objects, so that a member
 * that comes twice in one is found without clearing anything between objects.
 */
static json_infer_frame frame_over(lam_json_inference *inference, uint32_t node,
                                   uint32_t container) {
    const lam_json_token *token = &inference->parsed.tokens[container];
    uint32_t first = container + 1;
    bool is_array = token->kind == LAM_JSON_ARRAY;
    uint64_t object = is_array ? 0 : ++inference->object_count;
    return (json_infer_frame){node, 0, first, first, token->next, is_array, object};
}

/*
 * Notes the value at a node; returns whether its content is to be visited: not if it is empty, or
 * the node can only become a VARIANT.
 */
static bool json_infer_note(lam_json_inference *inference, uint32_t index,
                            const lam_json_token *token) {
    lam_inferred_node *node = &inference->nodes[index];
    node->saw |= (uint16_t)classify(&inference->parsed, token);
    if (token->kind > LAM_JSON_ARRAY)
        return false;
    /*
     * A member or element may become a VARIANT, which has a column inside of its group. For an
     * element, the repeated group between comes on top.
     */
    unsigned levels = token->kind == LAM_JSON_ARRAY ? 3 : 2;
    if (node->depth + levels > LAM_SCHEMA_DEPTH_MAX)
        node->saw |= LAM_JSON_SAW_UNFIT;
    /* A container without content has its own next token right after it. */
    bool empty = token->next == (size_t)(token - inference->parsed.tokens) + 1;
    return !empty && !is_variant_only(node);
}

/*
 * Gives the node of the next member of an object; 0 when it has none. Learns the order of the
 * members: `guess_first` and `guess_behind` are what came last time.
 */
static lam_status json_infer_next_member(lam_json_inference *inference, json_infer_frame *top,
                                         uint32_t *ret_node, lam_error *error) {
    const lam_json_token *key = &inference->parsed.tokens[top->next];
    uint32_t guess = top->last == 0 ? inference->nodes[top->node].guess_first
                                    : inference->nodes[top->last].guess_behind;
    uint32_t index = 0;
    LAM_TRY(json_infer_find_member(inference, top->node, guess, key, &index, error));
    if (index != 0 && top->last == 0)
        inference->nodes[top->node].guess_first = index;
    else if (index != 0)
        inference->nodes[top->last].guess_behind = index;
    /* Twice in one object, the name would need two columns. */
    if (index != 0) {
        if (inference->nodes[index].last_object == top->object)
            LAM_FAIL(error, LAM_ERROR_CODE_RECORD_FIELD_REPEATED,
                     "the name appears twice in its object");
        inference->nodes[index].last_object = top->object;
        top->last = index;
    }
    *ret_node = index;
    return LAM_STATUS_OK;
}

/*
 * Gives the one node of all elements of the arrays at a node. It is two levels deeper: a LIST has a
 * repeated group between.
 */
static lam_status next_element(lam_json_inference *inference, json_infer_frame *top,
                               uint32_t *ret_node, lam_error *error) {
    if (inference->nodes[top->node].element == 0) {
        uint32_t index = 0;
        unsigned depth = inference->nodes[top->node].depth + 2u;
        LAM_TRY(add_node(inference, top->node, depth, "", 0, &index, error));
        inference->nodes[top->node].element = index;
        find_variant(inference, index);
    }
    *ret_node = inference->nodes[top->node].element;
    return LAM_STATUS_OK;
}

/*
 * Visits the next value of a frame, and makes a frame over its content, if that is to be visited.
 * `next` moves only when all went well, so that a failure finds the value there.
 */
static lam_status infer_next(lam_json_inference *inference, json_infer_frame *top,
                             json_infer_frame *ret_inside, bool *ret_deeper, lam_error *error) {
    uint32_t node = 0;
    if (top->is_array)
        LAM_TRY(next_element(inference, top, &node, error));
    else
        LAM_TRY(json_infer_next_member(inference, top, &node, error));
    uint32_t value = top->next + !top->is_array;
    const lam_json_token *token = &inference->parsed.tokens[value];
    top->next = token->next;
    *ret_deeper = node != 0 && json_infer_note(inference, node, token);
    if (*ret_deeper)
        *ret_inside = frame_over(inference, node, value);
    return LAM_STATUS_OK;
}

/*
 * After a failure at the next value of the innermost frame: makes the path of that value. Frames
 * hold tokens rather than names and indexes, so elements are counted here, once, and not for each
 * value.
 */
static void find_path(const lam_json_inference *inference, const json_infer_frame *frames,
                      size_t depth, lam_json_path *path) {
    const lam_json_token *tokens = inference->parsed.tokens;
    for (size_t i = 0; i < depth; i++) {
        /*
         * The token of the value in frame i: the container of the next frame, or the value that
         * failed. The first token in a container is one after the container's own.
         */
        uint32_t value = i + 1 < depth ? frames[i + 1].first - 1 : frames[i].next;
        if (frames[i].is_array) {
            size_t index = 0;
            for (uint32_t at = frames[i].first; at < value; at = tokens[at].next)
                index++;
            lam_json_path_add_index(path, index);
        } else {
            const lam_json_token *key = &tokens[i + 1 < depth ? value - 1 : value];
            lam_json_path_add_name(path, lam_json_token_text(&inference->parsed, key),
                                   lam_json_token_size(key));
        }
    }
    lam_json_path_end(path);
}

/*
 * Visits every value of the parsed record. A failure gives the path and offset of the value it is
 * at.
 */
static lam_status infer_record(lam_json_inference *inference, lam_json_path *path,
                               size_t *ret_offset, lam_error *error) {
    json_infer_frame frames[LAM_SCHEMA_DEPTH_MAX + 1];
    const lam_json_token *tokens = inference->parsed.tokens;
    size_t depth = 0;
    if (inference->parsed.count == 0 || tokens[0].kind != LAM_JSON_OBJECT)
        LAM_FAIL(error, LAM_ERROR_CODE_RECORD_VALUE_TYPE, "expected an object, found %s",
                 inference->parsed.count == 0 ? "nothing" : lam_json_kind_name(tokens[0].kind));
    if (json_infer_note(inference, 0, &tokens[0]))
        frames[depth++] = frame_over(inference, 0, 0);
    while (depth > 0) {
        json_infer_frame *top = &frames[depth - 1];
        /* A node may become a VARIANT while its content is visited: the rest is of no use then. */
        if (top->next == top->end || is_variant_only(&inference->nodes[top->node])) {
            depth--;
            continue;
        }
        bool deeper = false;
        lam_status status = infer_next(inference, top, &frames[depth], &deeper, error);
        if (status != LAM_STATUS_OK) {
            find_path(inference, frames, depth, path);
            *ret_offset = tokens[top->next].start;
            return status;
        }
        depth += deeper;
    }
    inference->record_count++;
    return LAM_STATUS_OK;
}

/* Parses and visits one record, and puts its position before the message of a failure. */
static lam_status add_record(lam_json_inference *inference, const lam_json_piece *piece,
                             lam_error *error) {
    enum { JSON_INFER_PATH_ROOM = 100 };
    char text[JSON_INFER_PATH_ROOM];
    lam_json_path path;
    size_t offset = 0;
    lam_status status = lam_json_tokens_parse(&inference->parsed, piece->text, piece->size, error);
    if (status != LAM_STATUS_OK)
        return lam_json_locate_syntax(piece, inference->parsed.problem, status, error);
    lam_json_path_start(&path, text, sizeof text);
    status = infer_record(inference, &path, &offset, error);
    if (status == LAM_STATUS_OK)
        return LAM_STATUS_OK;
    return lam_json_locate_value(piece, offset, text, status, error);
}

/* --- The public object ----------------------------------------------------------------------- */

/*
 * Copies the paths of the fields that become VARIANTs: options are borrowed for the call of create.
 */
static lam_status take_variants(lam_json_inference *inference,
                                const lam_json_inference_options *options, lam_error *error) {
    void *memory;
    size_t count = options->variant_count;
    LAM_TRY(lam_alloc_array(&inference->allocator, count, sizeof(char *), &memory, error));
    inference->variants = memory;
    inference->variant_count = count;
    LAM_TRY(lam_alloc_array(&inference->allocator, count, sizeof(bool), &memory, error));
    inference->variants_seen = memory;
    for (size_t i = 0; i < count; i++)
        LAM_TRY(lam_arena_copy(&inference->arena, options->variants[i],
                               strlen(options->variants[i]), &inference->variants[i], error));
    return LAM_STATUS_OK;
}

LAM_GROWING_INIT(lam_json_inference_options)

/* The root is node 0, added before anything can link to it. */
lam_status lam_json_inference_create(const lam_json_inference_options *options,
                                     const lam_allocator *allocator,
                                     lam_json_inference **ret_inference, lam_error *error) {
    lam_allocator own = lam_allocator_or_default(allocator);
    lam_json_inference_options chosen;
    lam_status status;
    void *memory;
    uint32_t root;
    LAM_TRY(LAM_OPTIONS_READ(lam_json_inference_options, options, &chosen, error));
    if (chosen.max_fields > INT32_MAX / 2)
        LAM_FAIL(error, LAM_STATUS_INVALID, "a limit of %zu fields is too high", chosen.max_fields);
    LAM_TRY(lam_json_check_limit(chosen.max_record_bytes, chosen.memory_limit, error));
    LAM_TRY(lam_alloc_array(&own, 1, sizeof(lam_json_inference), &memory, error));
    lam_json_inference *inference = memory;
    lam_budget_init(&inference->budget, &own,
                    lam_json_memory_limit(chosen.memory_limit, chosen.max_record_bytes));
    inference->allocator = lam_budget_allocator(&inference->budget);
    inference->max_record = lam_json_limit(chosen.max_record_bytes);
    inference->stop = chosen.stop;
    inference->max_fields = chosen.max_fields == 0 ? DEFAULT_FIELDS : chosen.max_fields;
    lam_arena_init(&inference->arena, &inference->allocator, 0);
    lam_buffer_init(&inference->name, &inference->allocator);
    LAM_TRY_OUT(lam_json_tokens_init(&inference->parsed, &inference->allocator, error));
    LAM_TRY_OUT(add_node(inference, 0, 0, "", 0, &root, error));
    LAM_TRY_OUT(take_variants(inference, &chosen, error));
    *ret_inference = inference;
    return LAM_STATUS_OK;
out:
    lam_json_inference_destroy(inference);
    return status;
}

/* The text has a window of its own; the tokens are those of the inference, and are kept. */
lam_status lam_json_inference_add(lam_json_inference *inference, const lam_json_source *source,
                                  lam_error *error) {
    lam_status status = LAM_STATUS_OK;
    lam_json_text text;
    lam_json_piece piece = {0};
    lam_json_text_init(&text, source, inference->max_record, &inference->allocator);
    for (;;) {
        LAM_TRY_OUT(lam_stop_check(inference->stop, error));
        LAM_TRY_OUT(lam_json_text_next(&text, &piece, error));
        if (piece.text == NULL)
            break;
        LAM_TRY_OUT(add_record(inference, &piece, error));
    }
out:
    lam_json_text_finish(&text);
    return status;
}

uint64_t lam_json_inference_record_count(const lam_json_inference *inference) {
    return inference->record_count;
}

void lam_json_inference_destroy(lam_json_inference *inference) {
    if (inference == NULL)
        return;
    lam_allocator own = inference->budget.beneath, allocator = inference->allocator;
    lam_free(&allocator, inference->nodes, inference->node_capacity * sizeof(lam_inferred_node));
    lam_free(&allocator, inference->table, inference->table_size * sizeof *inference->table);
    lam_arena_finish(&inference->arena);
    lam_buffer_finish(&inference->name);
    lam_free(&allocator, inference->variants,
             inference->variant_count * sizeof *inference->variants);
    lam_free(&allocator, inference->variants_seen,
             inference->variant_count * sizeof *inference->variants_seen);
    lam_json_tokens_finish(&inference->parsed);
    lam_free(&own, inference, sizeof *inference);
}
