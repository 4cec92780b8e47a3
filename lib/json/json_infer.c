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

unsigned lam_json_clashing_kinds(unsigned saw) {
    unsigned kinds = saw & (LAM_JSON_SAW_BOOLEAN | LAM_JSON_SAW_STRING | LAM_JSON_SAW_OBJECT |
                            LAM_JSON_SAW_ARRAY | LAM_JSON_SAW_INTEGER);
    return saw & LAM_JSON_SAW_REAL ? kinds | LAM_JSON_SAW_INTEGER : kinds;
}

/* True when the place can only be a VARIANT, so that what is inside needs no places. */
static bool is_variant_only(const lam_inferred_node *node) {
    unsigned kinds = lam_json_clashing_kinds(node->saw);
    return (node->saw & LAM_JSON_SAW_UNFIT) != 0 || (kinds & (kinds - 1)) != 0;
}

/* --- Places by name -------------------------------------------------------------------------- */

static bool is_member(const lam_json_inference *inference, uint32_t index, uint32_t parent,
                      const char *name, size_t size) {
    const lam_inferred_node *node = &inference->nodes[index];
    return node->parent == parent && node->name_size == size &&
           lam_same_name(node->name, name, size);
}

/* The slot of a member, or the free one where it belongs. */
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

/* Whether `path`, of which the last bytes are compared first, is that of a place. */
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

/* Settles a place that is to be a VARIANT, once it is linked. */
static void find_variant(lam_json_inference *inference, uint32_t index) {
    for (size_t i = 0; i < inference->variant_count; i++) {
        if (!json_infer_is_path_of(inference, index, inference->variants[i]))
            continue;
        inference->nodes[index].saw |= LAM_JSON_SAW_UNFIT;
        inference->variants_seen[i] = true;
    }
}

/* Adds a place that is linked nowhere yet. */
static lam_status add_node(lam_json_inference *inference, uint32_t parent, unsigned depth,
                           const char *name, size_t size, uint32_t *ret_index, lam_error *error) {
    if (inference->node_count > inference->max_fields)
        LAM_FAIL(error, LAM_ERROR_CODE_SCHEMA_LIMIT,
                 "more than %zu different fields: keys that are data, not names, need a schema "
                 "with a MAP",
                 inference->max_fields);
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

/* The place of a member; `guess` is where the last object left which one comes here. */
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

static unsigned classify_integer(const char *text, size_t size) {
    const int64_t exact = INT64_C(1) << 53; /* doubles hold every integer up to here */
    int64_t number;
    uint64_t above;
    unsigned saw = LAM_JSON_SAW_INTEGER;
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

static unsigned classify_real(const char *text, size_t size) {
    enum { DIGITS_OF_DOUBLE = 308 };
    double value;
    bool plain = size <= DIGITS_OF_DOUBLE && memchr(text, 'e', size) == NULL &&
                 memchr(text, 'E', size) == NULL;
    if (plain || lam_double_parse(text, size, &value))
        return LAM_JSON_SAW_REAL;
    return LAM_JSON_SAW_REAL | LAM_JSON_SAW_UNFIT;
}

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

/* An object or array that is looked at. */
typedef struct json_infer_frame {
    uint32_t node;
    uint32_t last;  /* the member that came last in the object, 0 before the first */
    uint32_t first; /* tokens: of the first member or element, ... */
    uint32_t next;  /* ... of the next one, ... */
    uint32_t end;   /* ... behind the last */
    bool is_array;
    uint64_t object; /* its number, from 1 */
} json_infer_frame;

static json_infer_frame frame_over(lam_json_inference *inference, uint32_t node,
                                   uint32_t container) {
    const lam_json_token *token = &inference->parsed.tokens[container];
    uint32_t first = container + 1;
    bool is_array = token->kind == LAM_JSON_ARRAY;
    uint64_t object = is_array ? 0 : ++inference->object_count;
    return (json_infer_frame){node, 0, first, first, token->next, is_array, object};
}

/* Notes the value at a place; gives whether to look inside, too. */
static bool json_infer_note(lam_json_inference *inference, uint32_t index,
                            const lam_json_token *token) {
    lam_inferred_node *node = &inference->nodes[index];
    node->saw |= (uint16_t)classify(&inference->parsed, token);
    if (token->kind > LAM_JSON_ARRAY)
        return false;
    /* What is inside may become a VARIANT, with a column inside of its group. */
    unsigned levels = token->kind == LAM_JSON_ARRAY ? 3 : 2;
    if (node->depth + levels > LAM_SCHEMA_DEPTH_MAX)
        node->saw |= LAM_JSON_SAW_UNFIT;
    bool empty = token->next == (size_t)(token - inference->parsed.tokens) + 1;
    return !empty && !is_variant_only(node);
}

/* The place of the next member of an object; 0 when it has none. */
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

/* Looks at the next value in a frame, and gives the frame over what is inside it, if any. */
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

/* After a failure at the next value of the last frame: which value that is. */
static void find_path(const lam_json_inference *inference, const json_infer_frame *frames,
                      size_t depth, lam_json_path *path) {
    const lam_json_token *tokens = inference->parsed.tokens;
    for (size_t i = 0; i < depth; i++) {
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

/* Looks at every value of the parsed record; an INVALID one is named by its path and offset.
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
