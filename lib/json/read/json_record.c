/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Replays one parsed record into a sink: takes tokens, and gives events in the order of the text,
 * with every name resolved to a field and every value read into the type of its leaf.
 *
 * A frame is an open object, array or repeated group with the tokens that are left in it; one step
 * of the loop replays the next member or element of the innermost frame, so that the calls do not
 * nest as deep as the text. The depth of the frames is bounded by the schema, however deep the text
 * nests: a value deeper than its field is of the wrong kind. Every group that was opened is closed
 * in order; after a failure the sink is left in the middle of the record, and its next begin drops
 * that.
 *
 *     {"tags":["x",null]}       begin; open tags; open list; put element "x"; close list;
 *                               open list; close list; close tags; end
 */
#include "json/read/json_record.h"

#include <string.h>

#include "base/alloc.h"
#include "base/bytes.h"
#include "base/error.h"
#include "base/thread/stop.h"
#include "text/number_text.h"
#include "json/parse/json_locate.h"

/* The kind of a frame. Only arrays of repeated fields open no group: each element does. */
typedef enum frame_kind {
    IN_OBJECT,            /* members of `node` */
    JSON_RECORD_IN_ARRAY, /* elements of an array, each an occurrence of the repeated `node` */
    IN_LIST,              /* elements of the list `node` */
    IN_MAP,               /* members of the map `node` */
    IN_WRAPPER,           /* the one value in `node`, a wrapper or entry */
} frame_kind;

struct lam_json_frame {
    const lam_json_node *node;
    frame_kind kind;
    uint32_t next;      /* token of the next member or element */
    uint32_t end;       /* token after the last */
    uint32_t key;       /* token of the member that is replayed; 0 for none */
    size_t index;       /* of the element that is replayed, from 1 */
    uint64_t serial;    /* number of the object, as in `seen` */
    size_t required;    /* required members that came so far */
    uint32_t *guess;    /* the entry of `follow` for the next member */
    const char *absent; /* after a failure: the name of the member that is missing */
};

/* Passes a failure of the sink on, and notes that it is the sink's. */
#define REPLAY(call)                                                                               \
    do {                                                                                           \
        lam_status sink_status = (call);                                                           \
        if (sink_status != LAM_STATUS_OK) {                                                        \
            record->sink_failed = true;                                                            \
            return sink_status;                                                                    \
        }                                                                                          \
    } while (0)

/* Frees nothing on failure: finish does, and accepts an incomplete record. */
lam_status lam_json_record_init(lam_json_record *record, const lam_schema *schema,
                                const lam_json_reader_options *options,
                                const lam_allocator *allocator, lam_error *error) {
    memset(record, 0, sizeof *record);
    record->allocator = *allocator;
    record->manner = (lam_json_manner){
        options->binary,
        {options->exact_times, {options->time_formats, options->time_format_count}},
        options->values_as_text,
        options->epoch};
    record->stop = options->stop;
    record->ignore_unknown = options->ignore_unknown;
    record->ignore_unknown_nulls = options->ignore_unknown_nulls;
    record->exact_integers = options->exact_integers;
    record->whole_records = options->whole_records;
    lam_buffer_init(&record->name, allocator);
    lam_buffer_init(&record->scratch, allocator);
    size_t depth = 0;
    for (size_t i = 0; i < schema->field_count; i++)
        depth = schema->fields[i].depth > depth ? schema->fields[i].depth : depth;
    /* The shape comes first, as marking the VARIANT groups changes it. */
    LAM_TRY(lam_json_shape_init(&record->shape, schema, NULL, NULL, allocator, error));
    LAM_TRY(lam_json_variant_columns_init(&record->variants, &record->shape, options, allocator,
                                          error));
    if (options->whole_records && (schema->fields[0].child_count != 1 ||
                                   record->shape.nodes[1].form != LAM_JSON_FORM_VARIANT))
        LAM_FAIL(error, LAM_STATUS_INVALID,
                 "whole records go to a schema of one VARIANT, and not to its columns");
    LAM_TRY(lam_json_tokens_init(&record->parsed, allocator, error));
    record->parsed.stop = record->stop;
    /* Two for each level: an array, and the object or wrapper in it. */
    size_t frames = 2 * (depth + 1);
    LAM_TRY(LAM_ARRAY(allocator, frames, &record->frames, error));
    record->frame_capacity = frames;
    LAM_TRY(LAM_ARRAY(allocator, schema->field_count, &record->seen, error));
    LAM_TRY(LAM_ARRAY(allocator, 2 * schema->field_count, &record->follow, error));
    return LAM_STATUS_OK;
}

void lam_json_record_finish(lam_json_record *record) {
    const lam_allocator *allocator = &record->allocator;
    size_t fields = record->shape.nodes == NULL ? 0 : record->shape.schema->field_count;
    lam_free(allocator, record->frames, record->frame_capacity * sizeof *record->frames);
    lam_free(allocator, record->seen, fields * sizeof *record->seen);
    lam_free(allocator, record->follow, 2 * fields * sizeof *record->follow);
    lam_buffer_finish(&record->name);
    lam_buffer_finish(&record->scratch);
    lam_json_tokens_finish(&record->parsed);
    lam_json_variant_columns_finish(&record->variants);
    if (record->shape.nodes != NULL)
        lam_json_shape_finish(&record->shape);
}

static const lam_json_token *json_record_token_at(const lam_json_record *record, uint32_t index) {
    return &record->parsed.tokens[index];
}

static lam_status expect(const lam_json_token *token, lam_json_kind kind, lam_error *error) {
    if (token->kind == kind)
        return LAM_STATUS_OK;
    LAM_FAIL(error, LAM_ERROR_CODE_RECORD_VALUE_TYPE, "expected %s, found %s",
             lam_json_kind_name((uint8_t)kind), lam_json_kind_name(token->kind));
}

/*
 * Opens a frame over the content of the token at `container`. An object gets a number of its own,
 * so that `seen` need not be cleared between objects.
 */
static lam_json_frame *json_record_push(lam_json_record *record, const lam_json_node *node,
                                        frame_kind kind, uint32_t container) {
    lam_json_frame *frame = &record->frames[record->depth++];
    frame->node = node;
    frame->kind = kind;
    frame->next = container + 1;
    frame->end = json_record_token_at(record, container)->next;
    frame->key = 0;
    frame->index = 0;
    frame->absent = NULL;
    if (kind == IN_OBJECT) {
        frame->serial = ++record->serial;
        frame->required = 0;
        frame->guess = &record->follow[2 * node->field->index];
    }
    return frame;
}

/* Whether a DOUBLE leaf would take an integer and keep another number, which an option forbids. */
static bool loses_integer(const lam_json_record *record, const lam_json_node *node,
                          const lam_json_token *token) {
    return record->exact_integers && node->meaning == LAM_JSON_MEANS_DOUBLE &&
           token->kind == LAM_JSON_INTEGER &&
           !lam_double_keeps_integer(lam_json_token_text(&record->parsed, token),
                                     lam_json_token_size(token));
}

/*
 * Replays the group of a VARIANT, with any JSON as its value. `at` is then the token inside it at
 * which a failure occurred.
 */
static lam_status replay_variant(lam_json_record *record, const lam_json_node *node, uint32_t index,
                                 lam_error *error) {
    uint32_t at = index;
    lam_status status = lam_json_variant_columns_replay(&record->variants, node, &record->parsed,
                                                        index, &record->sink, &at, error);
    record->at = json_record_token_at(record, at)->start;
    return status;
}

/* Whether a value of the node is replayed at once, without a frame. */
static bool is_single(const lam_json_node *node) {
    return node->form == LAM_JSON_FORM_LEAF || node->form == LAM_JSON_FORM_VARIANT;
}

/* Whether null is a value like any other: VARIANTs have a null of their own. */
static bool takes_null(const lam_json_node *node) {
    return node->form == LAM_JSON_FORM_VARIANT;
}

/*
 * Replays one value of `node` that is not null: puts a leaf, or opens a group and a frame over it.
 */
static lam_status json_record_replay_value(lam_json_record *record, const lam_json_node *node,
                                           uint32_t index, lam_error *error) {
    const lam_record_sink *sink = &record->sink;
    const lam_json_token *token = json_record_token_at(record, index);
    record->at = token->start;
    if (node->form == LAM_JSON_FORM_VARIANT)
        return replay_variant(record, node, index, error);
    if (node->form == LAM_JSON_FORM_LEAF) {
        lam_value value;
        if (loses_integer(record, node, token))
            LAM_FAIL(error, LAM_ERROR_CODE_RECORD_VALUE_RANGE,
                     "an integer that a double does not keep");
        LAM_TRY(lam_json_value_read(&record->parsed, token, node->field,
                                    (lam_json_meaning)node->meaning, &record->manner,
                                    &record->scratch, &value, error));
        REPLAY(sink->put(sink->state, node->field, value, error));
        return LAM_STATUS_OK;
    }
    LAM_TRY(
        expect(token, node->form == LAM_JSON_FORM_LIST ? LAM_JSON_ARRAY : LAM_JSON_OBJECT, error));
    REPLAY(sink->open(sink->state, node->field, error));
    json_record_push(record, node,
                     node->form == LAM_JSON_FORM_LIST  ? IN_LIST
                     : node->form == LAM_JSON_FORM_MAP ? IN_MAP
                                                       : IN_OBJECT,
                     index);
    return LAM_STATUS_OK;
}

static bool is_optional(const lam_json_node *node) {
    return node->field->repetition == LAM_REPETITION_OPTIONAL;
}

/*
 * Replays a value that may be null. In an optional field, null is the absence of any event; in a
 * required VARIANT it is a value, and in any other required field INVALID.
 */
static lam_status replay_nullable(lam_json_record *record, const lam_json_node *node,
                                  uint32_t index, lam_error *error) {
    const lam_json_token *token = json_record_token_at(record, index);
    if (token->kind != LAM_JSON_NULL)
        return json_record_replay_value(record, node, index, error);
    if (is_optional(node))
        return LAM_STATUS_OK;
    if (takes_null(node))
        return json_record_replay_value(record, node, index, error);
    record->at = token->start;
    LAM_FAIL(error, LAM_ERROR_CODE_RECORD_FIELD_MISSING, "required, but null");
}

/* --- Members of an object -------------------------------------------------------------------- */

static bool json_record_is_named(const lam_json_node *node, const char *name, size_t size) {
    return node->name_size == size && lam_same_name(node->name, name, size);
}

/* Finds a member by name. The two members of a map's entry have names other than their fields'. */
static const lam_json_node *json_record_find_member(const lam_json_record *record,
                                                    const lam_json_node *group, const char *name,
                                                    size_t size) {
    if (group->is_entry) {
        for (size_t i = 0; i < group->field->child_count; i++)
            if (json_record_is_named(lam_json_child(&record->shape, group, i), name, size))
                return lam_json_child(&record->shape, group, i);
        return NULL;
    }
    const lam_field *child = lam_field_child_named(group->field, name, size);
    return child == NULL ? NULL : lam_json_node_of(&record->shape, child);
}

/*
 * Gives the member that the key names; NULL for none. Most objects have their keys in the order of
 * the object before, so the member that came next then is tried first, which saves the lookup.
 * `follow` learns from each object:
 *
 *     {"a":..,"b":..}      follow: first of the group = a, after a = b
 *     {"a":..,"c":..}      a by the guess; b is not c, so c by name; after a = c
 */
static lam_status match_key(lam_json_record *record, lam_json_frame *frame,
                            const lam_json_token *key, const lam_json_node **ret_member,
                            lam_error *error) {
    const char *text = lam_json_token_text(&record->parsed, key);
    size_t size = lam_json_token_size(key);
    /* Names with escapes are resolved first; all others are compared where they are in the text. */
    if (key->escaped) {
        lam_bytes name;
        LAM_TRY(lam_json_text_read(&record->parsed, key, &record->name, &name, error));
        text = (const char *)name.data;
        size = name.size;
    }
    /* Index 0 is the root, which is no member, and so means unknown. */
    const lam_json_node *member = &record->shape.nodes[*frame->guess];
    if (*frame->guess == 0 || !json_record_is_named(member, text, size))
        member = json_record_find_member(record, frame->node, text, size);
    if (member != NULL) {
        uint32_t index = (uint32_t)(member - record->shape.nodes);
        *frame->guess = index;
        frame->guess = &record->follow[2 * index + 1];
    }
    *ret_member = member;
    return LAM_STATUS_OK;
}

/*
 * Replays the next member of an object. A name may come once: `seen` has the number of the object
 * in which it came last. An absent repeated field is an array without elements, but null is no
 * array.
 */
static lam_status replay_member(lam_json_record *record, lam_json_frame *frame, lam_error *error) {
    uint32_t index = frame->next;
    const lam_json_token *key = json_record_token_at(record, index);
    const lam_json_node *member = NULL;
    frame->key = index;
    frame->next = key[1].next;
    record->at = key->start;
    LAM_TRY(match_key(record, frame, key, &member, error));
    if (member == NULL &&
        (record->ignore_unknown || (record->ignore_unknown_nulls && key[1].kind == LAM_JSON_NULL)))
        return LAM_STATUS_OK;
    if (member == NULL)
        LAM_FAIL(error, LAM_ERROR_CODE_RECORD_FIELD_UNKNOWN, "the schema has no such field");
    if (record->seen[member->field->index] == frame->serial)
        LAM_FAIL(error, LAM_ERROR_CODE_RECORD_FIELD_REPEATED,
                 "the name appears twice in its object");
    record->seen[member->field->index] = frame->serial;
    if (!member->is_array) {
        frame->required +=
            member->field->repetition == LAM_REPETITION_REQUIRED && member->field->leaf_count > 0;
        return replay_nullable(record, member, index + 1, error);
    }
    /* A repeated field: its value must be an array. */
    record->at = key[1].start;
    LAM_TRY(expect(&key[1], LAM_JSON_ARRAY, error));
    json_record_push(record, member, JSON_RECORD_IN_ARRAY, index + 1);
    return LAM_STATUS_OK;
}

/*
 * Fails when a required member did not come. The numbers are compared first; only a failure
 * searches for the name.
 */
static lam_status check_required(const lam_json_record *record, lam_json_frame *frame,
                                 lam_error *error) {
    const lam_json_node *group = frame->node;
    if (frame->required == group->required)
        return LAM_STATUS_OK;
    const lam_json_node *child;
    size_t i = 0;
    do /* ends, as the numbers differ */
        child = lam_json_child(&record->shape, group, i++);
    while (child->field->repetition != LAM_REPETITION_REQUIRED || child->field->leaf_count == 0 ||
           record->seen[child->field->index] == frame->serial);
    frame->absent = child->name;
    LAM_FAIL(error, LAM_ERROR_CODE_RECORD_FIELD_MISSING, "required, but missing");
}

/* --- Elements of arrays, entries of maps ----------------------------------------------------- */

/* Replays an element that is one occurrence of a repeated field, and so cannot be null. */
static lam_status replay_occurrence(lam_json_record *record, const lam_json_node *node,
                                    uint32_t index, lam_error *error) {
    record->at = json_record_token_at(record, index)->start;
    if (json_record_token_at(record, index)->kind == LAM_JSON_NULL && !takes_null(node))
        LAM_FAIL(error, LAM_ERROR_CODE_RECORD_VALUE_TYPE, "expected an element, found null");
    return json_record_replay_value(record, node, index, error);
}

/* Replays the next element of the array of a repeated field: one occurrence of that field. */
static lam_status replay_repeated(lam_json_record *record, lam_json_frame *frame,
                                  lam_error *error) {
    uint32_t index = frame->next;
    frame->index++;
    frame->next = json_record_token_at(record, index)->next;
    return replay_occurrence(record, frame->node, index, error);
}

/*
 * Replays the value inside `around`, which the caller has opened, and closes that: at once for a
 * single value, or when the frame of the value ends. That frame is above one of kind IN_WRAPPER,
 * which closes `around` when its turn comes.
 */
static lam_status replay_wrapped(lam_json_record *record, const lam_json_node *around,
                                 const lam_json_node *inside, uint32_t index, lam_error *error) {
    const lam_record_sink *sink = &record->sink;
    const lam_json_token *token = json_record_token_at(record, index);
    if (!is_single(inside) && token->kind != LAM_JSON_NULL) {
        json_record_push(record, around, IN_WRAPPER, index);
        return json_record_replay_value(record, inside, index, error);
    }
    LAM_TRY(replay_nullable(record, inside, index, error));
    REPLAY(sink->close(sink->state, around->field, error));
    return LAM_STATUS_OK;
}

/*
 * Replays the next element of a LIST. With a wrapper, null is a group without a child:
 *
 *     ["x",null]     open list; put element; close list; open list; close list
 */
static lam_status replay_element(lam_json_record *record, lam_json_frame *frame, lam_error *error) {
    const lam_json_node *node = lam_json_child(&record->shape, frame->node, 0);
    uint32_t index = frame->next;
    frame->index++;
    frame->next = json_record_token_at(record, index)->next;
    if (node->form != LAM_JSON_FORM_WRAPPER)
        return replay_occurrence(record, node, index, error);
    REPLAY(record->sink.open(record->sink.state, node->field, error));
    return replay_wrapped(record, node, lam_json_child(&record->shape, node, 0), index, error);
}

/*
 * Replays the next member of an object that is a MAP: opens an entry, puts the name as the key, and
 * replays the value. An entry without a value field takes null alone.
 */
static lam_status replay_entry(lam_json_record *record, lam_json_frame *frame, lam_error *error) {
    const lam_record_sink *sink = &record->sink;
    const lam_json_node *entry = lam_json_child(&record->shape, frame->node, 0);
    uint32_t index = frame->next;
    frame->key = index;
    frame->next = json_record_token_at(record, index + 1)->next;
    REPLAY(sink->open(sink->state, entry->field, error));
    LAM_TRY(
        json_record_replay_value(record, lam_json_child(&record->shape, entry, 0), index, error));
    if (entry->field->child_count == 2)
        return replay_wrapped(record, entry, lam_json_child(&record->shape, entry, 1), index + 1,
                              error);
    /* No value field: only null can be the value. */
    record->at = json_record_token_at(record, index + 1)->start;
    LAM_TRY(expect(json_record_token_at(record, index + 1), LAM_JSON_NULL, error));
    REPLAY(sink->close(sink->state, entry->field, error));
    return LAM_STATUS_OK;
}

/* --- The walk -------------------------------------------------------------------------------- */

/*
 * Ends the frame, and closes the group that it opened, if it did: the root is ended by the caller,
 * and an array opens no group.
 */
static lam_status json_record_leave(lam_json_record *record, lam_json_frame *frame,
                                    lam_error *error) {
    if (frame->kind == IN_OBJECT)
        LAM_TRY(check_required(record, frame, error));
    record->depth--;
    /* The frame stays readable below: popping does not clear it. */
    if (record->depth > 0 && frame->kind != JSON_RECORD_IN_ARRAY)
        REPLAY(record->sink.close(record->sink.state, frame->node->field, error));
    return LAM_STATUS_OK;
}

/*
 * Replays the next member or element of the frame; ends it if there is none. The value in a wrapper
 * has been replayed when the turn comes to its frame.
 */
static lam_status json_record_step(lam_json_record *record, lam_json_frame *frame,
                                   lam_error *error) {
    if (frame->kind == IN_WRAPPER || frame->next == frame->end)
        return json_record_leave(record, frame, error);
    switch (frame->kind) {
    case IN_OBJECT:
        return replay_member(record, frame, error);
    case IN_LIST:
        return replay_element(record, frame, error);
    case IN_MAP:
        return replay_entry(record, frame, error);
    default: /* JSON_RECORD_IN_ARRAY */
        return replay_repeated(record, frame, error);
    }
}

/* Replays a record that is the value of the one field, whatever its JSON is. */
static lam_status replay_whole(lam_json_record *record, lam_error *error) {
    const lam_record_sink *sink = &record->sink;
    REPLAY(sink->begin(sink->state, error));
    LAM_TRY(replay_nullable(record, &record->shape.nodes[1], 0, error));
    REPLAY(sink->end(sink->state, error));
    return LAM_STATUS_OK;
}

/* Gives memory back that one long string took. */
static void json_record_drop_large(lam_buffer *buffer) {
    enum { JSON_RECORD_LARGE = 1 << 20 };
    if (buffer->capacity > JSON_RECORD_LARGE)
        lam_buffer_finish(buffer);
}

void lam_json_record_give_back(lam_json_record *record) {
    json_record_drop_large(&record->name);
    json_record_drop_large(&record->scratch);
    lam_json_tokens_give_back(&record->parsed);
    lam_json_variant_columns_give_back(&record->variants);
}

/* The frames are the only stack here; they are empty before and, unless the record fails, after. */
lam_status lam_json_record_replay(lam_json_record *record, const lam_record_sink *sink,
                                  lam_error *error) {
    record->sink = *sink;
    record->sink_failed = false;
    record->depth = 0;
    record->at = 0;
    json_record_drop_large(&record->name);
    json_record_drop_large(&record->scratch);
    if (record->parsed.count == 0)
        LAM_FAIL(error, LAM_ERROR_CODE_RECORD_VALUE_TYPE, "expected %s, found nothing",
                 record->whole_records ? "a value" : "an object");
    if (record->whole_records)
        return replay_whole(record, error);
    record->at = record->parsed.tokens[0].start;
    LAM_TRY(expect(&record->parsed.tokens[0], LAM_JSON_OBJECT, error));
    /*
     * The begin comes after the check of the outermost kind, so a record that is no object has no
     * events.
     */
    REPLAY(sink->begin(sink->state, error));
    json_record_push(record, &record->shape.nodes[0], IN_OBJECT, 0);
    while (record->depth > 0) {
        LAM_TRY(lam_stop_step(record->stop, &record->steps, error));
        LAM_TRY(json_record_step(record, &record->frames[record->depth - 1], error));
    }
    REPLAY(sink->end(sink->state, error));
    return LAM_STATUS_OK;
}

/* --- The location of a failure --------------------------------------------------------------- */

/*
 * The frames that a failure left open are the path: each has the member or element that was
 * replayed.
 */
void lam_json_record_path(const lam_json_record *record, char *path, size_t capacity) {
    lam_json_path out;
    lam_json_path_start(&out, path, capacity);
    for (size_t i = 0; i < record->depth; i++) {
        const lam_json_frame *frame = &record->frames[i];
        const lam_json_token *key = json_record_token_at(record, frame->key);
        if (frame->index > 0)
            lam_json_path_add_index(&out, frame->index - 1);
        else if (frame->absent != NULL)
            lam_json_path_add_name(&out, frame->absent, strlen(frame->absent));
        else if (frame->key > 0)
            lam_json_path_add_name(&out, lam_json_token_text(&record->parsed, key),
                                   lam_json_token_size(key));
    }
    lam_json_path_end(&out);
}
