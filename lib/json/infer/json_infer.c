/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Learns from JSON records which kinds of value occur where: builds a tree of nodes, from which
 * json_infer_schema.c makes a schema.
 *
 * Each record is parsed into tokens, and a walk with its own stack of frames notes the kind of
 * every value in its node; nodes are added when a name or element is seen first. Knowledge only
 * ever grows: bits of `saw` are never cleared, so the result does not depend on the order of the
 * records, except for the order of the fields. A node that can only become a VARIANT needs no nodes
 * inside: the walk skips its values, and nodes that were already there stay without use. The depth
 * of the tree is bounded by that of a schema, the number of nodes by an option.
 */
#include "json/infer/json_infer.h"

#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/options.h"
#include "base/thread/stop.h"
#include "text/number_text.h"
#include "text/text_kind.h"
#include "json/parse/json_locate.h"
#include "json/parse/json_text.h"
#include "json/value/json_value.h"

enum { DEFAULT_FIELDS = 20000 };

/* --- Members --------------------------------------------------------------------------------- */

/*
 * Gives the node of a member, and makes it if it is new. `guess` is the member that came here in
 * the object before, and nearly always right. 0 for a name with U+0000, which a schema cannot hold:
 * then the group becomes a VARIANT, and at the root the record is INVALID, as the root cannot be
 * one.
 */
static lam_status json_infer_find_member(lam_json_inference *inference, uint32_t parent,
                                         uint32_t guess, const lam_json_token *key,
                                         uint32_t *ret_index, lam_error *error) {
    lam_bytes text;
    LAM_TRY(lam_json_text_read(&inference->parsed, key, &inference->name, &text, error));
    const char *name = (const char *)text.data;
    if (guess != 0 && lam_json_node_is_member(inference, guess, parent, name, text.size)) {
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
    return lam_json_node_member(inference, parent, name, text.size, ret_index, error);
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

/*
 * Gives the bits of a string. A node that can only be a STRING is not examined any more, so this
 * costs nothing after the first text of no kind.
 */
static lam_status classify_string(lam_json_inference *inference, const lam_json_token *token,
                                  unsigned *ret_saw, lam_error *error) {
    static const unsigned bits[] = {
        [LAM_TEXT_OTHER] = LAM_JSON_SAW_TEXT,
        [LAM_TEXT_DATE] = LAM_JSON_SAW_DATE,
        [LAM_TEXT_TIME] = LAM_JSON_SAW_TIME,
        [LAM_TEXT_TIMESTAMP] = LAM_JSON_SAW_TIMESTAMP,
        [LAM_TEXT_TIMESTAMP_UTC] = LAM_JSON_SAW_TIMESTAMP_UTC,
        [LAM_TEXT_UUID] = LAM_JSON_SAW_UUID,
    };
    lam_bytes text;
    lam_text_moment moment = {0, 0};
    int64_t count;
    LAM_TRY(lam_json_text_read(&inference->parsed, token, &inference->name, &text, error));
    lam_text_kind kind = lam_text_kind_of((const char *)text.data, text.size, &moment);
    if (kind == LAM_TEXT_OTHER)
        kind =
            lam_time_formats_take(inference->formats, (const char *)text.data, text.size, &moment);
    *ret_saw |= bits[kind];
    if (kind != LAM_TEXT_UUID && !inference->infers_times)
        *ret_saw |= LAM_JSON_SAW_TEXT;
    if (moment.nanos % 1000 != 0)
        *ret_saw |= LAM_JSON_SAW_NANOS;
    if (moment.seconds != 0 && !lam_text_moment_count(moment, LAM_TIME_UNIT_NANOS, &count))
        *ret_saw |= LAM_JSON_SAW_BEYOND_NANOS;
    return LAM_STATUS_OK;
}

/*
 * Counts the digits of a number, before the point without leading zeros, and after it; moved by the
 * exponent. Too many make no decimal, nor does the negative zero, as decimals have none.
 */
static void count_digits(const char *text, size_t size, lam_inferred_node *node) {
    enum { EXPONENT_DIGITS = 4, DIGITS_MOST = 38 };
    int64_t before = 0, behind = 0, exponent = 0;
    bool point = false, zero = true;
    size_t i = text[0] == '-';
    for (; i < size && text[i] != 'e' && text[i] != 'E'; i++) {
        point = point || text[i] == '.';
        zero = zero && (text[i] == '0' || text[i] == '.');
        behind += point && text[i] != '.';
        before += !point && (before > 0 || text[i] != '0');
    }
    if (i < size) {
        bool negative = text[i + 1] == '-';
        i += 1u + (negative || text[i + 1] == '+');
        if (size - i > EXPONENT_DIGITS)
            node->saw |= LAM_JSON_SAW_NOT_DECIMAL;
        for (; i < size && (node->saw & LAM_JSON_SAW_NOT_DECIMAL) == 0; i++)
            exponent = exponent * 10 + (text[i] - '0');
        exponent = negative ? -exponent : exponent;
    }
    before = before + exponent > 0 ? before + exponent : 0;
    behind = behind - exponent > 0 ? behind - exponent : 0;
    if (before > DIGITS_MOST || behind > DIGITS_MOST || (zero && text[0] == '-')) {
        node->saw |= LAM_JSON_SAW_NOT_DECIMAL;
        return;
    }
    node->digits = before > node->digits ? (uint16_t)before : node->digits;
    node->scale = behind > node->scale ? (uint16_t)behind : node->scale;
}

/* Gives the bits of a value, without those of values inside it. */
static lam_status classify(lam_json_inference *inference, uint32_t index,
                           const lam_json_token *token, unsigned *ret_saw, lam_error *error) {
    static const unsigned bits[] = {
        [LAM_JSON_OBJECT] = LAM_JSON_SAW_OBJECT, [LAM_JSON_ARRAY] = LAM_JSON_SAW_ARRAY,
        [LAM_JSON_STRING] = LAM_JSON_SAW_STRING, [LAM_JSON_INTEGER] = LAM_JSON_SAW_INTEGER,
        [LAM_JSON_REAL] = LAM_JSON_SAW_REAL,     [LAM_JSON_TRUE] = LAM_JSON_SAW_BOOLEAN,
        [LAM_JSON_FALSE] = LAM_JSON_SAW_BOOLEAN, [LAM_JSON_NULL] = LAM_JSON_SAW_NULL,
    };
    const char *text = lam_json_token_text(&inference->parsed, token);
    size_t size = lam_json_token_size(token);
    *ret_saw = bits[token->kind];
    if (token->kind == LAM_JSON_STRING && (inference->nodes[index].saw & LAM_JSON_SAW_TEXT) == 0)
        return classify_string(inference, token, ret_saw, error);
    if (token->kind != LAM_JSON_INTEGER && token->kind != LAM_JSON_REAL)
        return LAM_STATUS_OK;
    *ret_saw |=
        token->kind == LAM_JSON_INTEGER ? classify_integer(text, size) : classify_real(text, size);
    if (inference->infers_decimals)
        count_digits(text, size, &inference->nodes[index]);
    return LAM_STATUS_OK;
}

/* Keeps the lines of the first value and of the first that clashes with it, for a notice. */
static void note_line(const lam_json_inference *inference, lam_inferred_node *node, unsigned added,
                      uint8_t kind) {
    unsigned before = lam_json_clashing_kinds(node->saw);
    unsigned after = lam_json_clashing_kinds(node->saw | added);
    if (before == after)
        return;
    if (before == 0) {
        node->line = inference->line;
        node->source = inference->source;
        node->record = inference->record;
        node->kind = kind;
    } else if (node->clash_line == 0) {
        node->clash_line = inference->line;
        node->clash_source = inference->source;
        node->clash_record = inference->record;
        node->clash_kind = kind;
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
    inference->nodes[node].objects += !is_array;
    return (json_infer_frame){node, 0, first, first, token->next, is_array, object};
}

/*
 * Notes the value at a node; gives whether its content is to be visited: not if it is empty, or the
 * node gets a column of its own.
 */
static lam_status json_infer_note(lam_json_inference *inference, uint32_t index,
                                  const lam_json_token *token, bool *ret_deeper, lam_error *error) {
    unsigned saw;
    LAM_TRY(classify(inference, index, token, &saw, error));
    lam_inferred_node *node = &inference->nodes[index];
    if ((node->saw | saw) != node->saw) {
        note_line(inference, node, saw, token->kind);
        node->saw |= saw;
    }
    *ret_deeper = false;
    if (token->kind > LAM_JSON_ARRAY)
        return LAM_STATUS_OK;
    /*
     * A member or element may become a VARIANT, which has a column inside its group. For an
     * element, the repeated group between comes on top, and for the value of a MAP.
     */
    unsigned levels = token->kind == LAM_JSON_ARRAY || node->is_map ? 3 : 2;
    if (node->depth + levels > LAM_SCHEMA_DEPTH_MAX)
        node->saw |= LAM_JSON_SAW_UNFIT;
    /* A container without content has its own next token right after it. */
    bool empty = token->next == (size_t)(token - inference->parsed.tokens) + 1;
    *ret_deeper = !empty && !lam_json_node_is_closed(node);
    return LAM_STATUS_OK;
}

/*
 * Gives the node of the next member of an object; 0 when it has none. Learns the order of the
 * members: `guess_first` and `guess_behind` are the members that came last time.
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
        inference->nodes[index].seen++;
        top->last = index;
    }
    *ret_node = index;
    return LAM_STATUS_OK;
}

/*
 * Visits the next value of a frame, and makes a frame over its content, if that is to be visited.
 * `next` moves only when all went well, so that a failure finds the value there.
 */
static lam_status infer_next(lam_json_inference *inference, json_infer_frame *top,
                             json_infer_frame *ret_inside, bool *ret_deeper, lam_error *error) {
    uint32_t node = 0;
    if (top->is_array || inference->nodes[top->node].is_map)
        LAM_TRY(lam_json_node_element(inference, top->node, &node, error));
    else
        LAM_TRY(json_infer_next_member(inference, top, &node, error));
    uint32_t value = top->next + !top->is_array;
    const lam_json_token *token = &inference->parsed.tokens[value];
    if (node != 0)
        LAM_TRY(json_infer_note(inference, node, token, ret_deeper, error));
    top->next = token->next;
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
 * Merges nodes, as there are too many. The frames follow their nodes; those over removed nodes end.
 */
static lam_status shrink(lam_json_inference *inference, json_infer_frame *frames, size_t *depth,
                         lam_error *error) {
    size_t kept = 0;
    LAM_TRY(lam_json_shrink(inference, error));
    const uint32_t *indexes = (const void *)inference->indexes.data;
    while (kept < *depth && (kept == 0 || indexes[frames[kept].node] != 0)) {
        frames[kept].node = indexes[frames[kept].node];
        frames[kept++].last = 0;
    }
    *depth = kept;
    return LAM_STATUS_OK;
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
    uint64_t steps = 0;
    /* There is a token, as a piece does not begin with white space (json_text.c). */
    if (tokens[0].kind != LAM_JSON_OBJECT)
        LAM_FAIL(error, LAM_ERROR_CODE_RECORD_VALUE_TYPE, "expected an object, found %s",
                 lam_json_kind_name(tokens[0].kind));
    bool deeper = false;
    /* unreachable: only the text of a string takes memory, and this is an object */
    LAM_TRY(json_infer_note(inference, 0, &tokens[0], &deeper, error));
    if (deeper)
        frames[depth++] = frame_over(inference, 0, 0);
    while (depth > 0) {
        json_infer_frame *top = &frames[depth - 1];
        LAM_TRY(lam_stop_step(inference->stop, &steps, error));
        /*
         * A node may become a VARIANT while its content is visited, which makes the remaining
         * content useless.
         */
        if (top->next == top->end || lam_json_node_is_closed(&inference->nodes[top->node])) {
            depth--;
            continue;
        }
        deeper = false;
        lam_status status = infer_next(inference, top, &frames[depth], &deeper, error);
        if (status != LAM_STATUS_OK) {
            find_path(inference, frames, depth, path);
            *ret_offset = tokens[top->next].start;
            return status;
        }
        depth += deeper;
        if (inference->node_count > inference->max_fields + 1)
            LAM_TRY(shrink(inference, frames, &depth, error));
    }
    inference->record_count++;
    return LAM_STATUS_OK;
}

static lam_status skip_line(lam_json_inference *inference) {
    inference->skipped++;
    return LAM_STATUS_OK;
}

/* Parses and visits one record, and puts its position before the message of a failure. */
static lam_status add_record(lam_json_inference *inference, const lam_json_piece *piece,
                             lam_error *error) {
    enum { JSON_INFER_PATH_ROOM = 100 };
    char text[JSON_INFER_PATH_ROOM];
    lam_json_path path;
    size_t offset = 0;
    inference->line = piece->line;
    inference->record++;
    lam_status status = lam_json_tokens_parse(&inference->parsed, piece->text, piece->size, error);
    if (status == LAM_STATUS_LIMIT && inference->skips_bad) {
        lam_json_tokens_give_back(&inference->parsed);
        return skip_line(inference);
    }
    if (status == LAM_STATUS_INVALID && inference->skips_bad)
        return skip_line(inference);
    if (status != LAM_STATUS_OK)
        return lam_json_locate_syntax(piece, inference->parsed.problem, status, error);
    lam_json_path_start(&path, text, sizeof text);
    status = infer_record(inference, &path, &offset, error);
    if (status == LAM_STATUS_OK || status == LAM_STATUS_CANCELLED)
        return status;
    if (status == LAM_STATUS_INVALID && inference->skips_bad)
        return skip_line(inference);
    return lam_json_locate_value(piece, offset, text, status, error);
}

/* --- The public object ----------------------------------------------------------------------- */

/* Copies the types that the caller wants: options are borrowed for the call of create. */
static lam_status take_columns(lam_json_inference *inference,
                               const lam_json_inference_options *options, lam_error *error) {
    char *path;
    size_t count = options->variant_count + options->column_count;
    LAM_TRY(LAM_ARENA_ARRAY(&inference->given_arena, count + 1, &inference->given, error));
    LAM_TRY(LAM_ARENA_ARRAY(&inference->given_arena, count + 1, &inference->given_paths, error));
    LAM_TRY(LAM_ARENA_ARRAY(&inference->given_arena, count + 1, &inference->given_seen, error));
    inference->given_count = count;
    for (size_t i = 0; i < count; i++) {
        lam_json_column *given = &inference->given[i];
        if (i < options->variant_count) {
            given->path = options->variants[i];
            given->type = LAM_PHYSICAL_GROUP;
            given->options.logical_type.kind = LAM_LOGICAL_VARIANT;
        } else {
            *given = options->columns[i - options->variant_count];
        }
        LAM_TRY(lam_arena_copy(&inference->given_arena, given->path, strlen(given->path), &path,
                               error));
        given->path = path;
        if (*path != '\0') /* the root is no field */
            LAM_TRY(lam_path_read_text(path, &inference->given_arena, &inference->given_paths[i],
                                       error));
    }
    return LAM_STATUS_OK;
}

static lam_status json_infer_check_options(const lam_json_inference_options *options,
                                           lam_error *error) {
    if (options->max_fields > INT32_MAX / 2)
        LAM_FAIL(error, LAM_STATUS_INVALID, "a limit of %zu fields is too high",
                 options->max_fields);
    if ((unsigned)options->on_clash > LAM_CLASH_ERROR)
        LAM_FAIL(error, LAM_STATUS_INVALID, "unknown treatment %d of clashes",
                 (int)options->on_clash);
    LAM_TRY(lam_switch_check(options->infer_times, "infer_times", error));
    LAM_TRY(lam_switch_check(options->infer_maps, "infer_maps", error));
    LAM_TRY(lam_time_formats_check(
        (lam_time_formats){options->time_formats, options->time_format_count}, error));
    return lam_json_check_limit(options->max_record_bytes, options->memory_limit, error);
}

/* The root is node 0, added before anything can link to it. */
lam_status lam_json_inference_create(const lam_json_inference_options *options,
                                     const lam_allocator *allocator,
                                     lam_json_inference **ret_inference, lam_error *error) {
    lam_allocator own = lam_allocator_or_default(allocator);
    lam_json_inference_options chosen;
    lam_status status;
    LAM_TRY(LAM_OPTIONS_READ(lam_json_inference_options, options, &chosen, error));
    LAM_TRY(json_infer_check_options(&chosen, error));
    lam_json_inference *inference;
    LAM_TRY(LAM_NEW(&own, &inference, error));
    lam_budget_init(&inference->budget, &own,
                    lam_json_memory_limit(chosen.memory_limit, chosen.max_record_bytes));
    inference->allocator = lam_budget_allocator(&inference->budget);
    inference->max_record = lam_json_limit(chosen.max_record_bytes);
    inference->stop = chosen.stop;
    inference->max_fields = chosen.max_fields == 0 ? DEFAULT_FIELDS : chosen.max_fields;
    lam_arena_init(&inference->arena, &inference->allocator, 0);
    lam_hash_index_init(&inference->members, &inference->allocator);
    inference->infers_times = lam_switch_is_on(chosen.infer_times);
    inference->formats = (lam_time_formats){chosen.time_formats, chosen.time_format_count};
    inference->infers_maps = lam_switch_is_on(chosen.infer_maps);
    inference->infers_decimals = chosen.infer_decimals;
    inference->skips_bad = chosen.skip_bad_lines;
    inference->on_clash = chosen.on_clash;
    lam_arena_init(&inference->given_arena, &inference->allocator, 0);
    lam_buffer_init(&inference->name, &inference->allocator);
    lam_buffer_init(&inference->pairs, &inference->allocator);
    lam_buffer_init(&inference->indexes, &inference->allocator);
    lam_buffer_init(&inference->notices, &inference->allocator);
    LAM_TRY_OUT(lam_json_tokens_init(&inference->parsed, &inference->allocator, error));
    inference->parsed.stop = inference->stop;
    LAM_TRY_OUT(lam_json_node_add_root(inference, error));
    LAM_TRY_OUT(take_columns(inference, &chosen, error));
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
    text.only_lines = inference->skips_bad;
    inference->record = 0;
    for (;;) {
        LAM_TRY_OUT(lam_stop_check(inference->stop, error));
        status = lam_json_text_next(&text, &piece, error);
        if (status == LAM_STATUS_LIMIT && inference->skips_bad && !text.failed) {
            status = skip_line(inference);
            continue;
        }
        LAM_TRY_OUT(status);
        if (piece.text == NULL)
            break;
        LAM_TRY_OUT(add_record(inference, &piece, error));
    }
    inference->source++;
out:
    lam_json_text_finish(&text);
    return status;
}

void lam_json_inference_destroy(lam_json_inference *inference) {
    if (inference == NULL)
        return;
    lam_allocator own = inference->budget.beneath, allocator = inference->allocator;
    lam_free(&allocator, inference->nodes, inference->node_capacity * sizeof(lam_inferred_node));
    lam_hash_index_finish(&inference->members);
    lam_arena_finish(&inference->arena);
    lam_arena_finish(&inference->given_arena);
    lam_buffer_finish(&inference->name);
    lam_buffer_finish(&inference->pairs);
    lam_buffer_finish(&inference->indexes);
    lam_buffer_finish(&inference->notices);
    lam_json_tokens_finish(&inference->parsed);
    lam_free(&own, inference, sizeof *inference);
}
