/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prints the events of records as lines of JSON, one object per line, with every projected field in
 * the order of the schema.
 *
 * Text is made as the events come. What a group has printed so far is in its frame: `next` is the
 * first child not yet printed, and the children before it that had no event are printed as absent
 * when a later one comes. Fields out of order are rare, and are put into order when their object
 * closes (json_reorder.h). A record that fails leaves no trace: `whole` bytes of the text are
 * complete lines, and all others are cut off.
 *
 *     begin; put a 1; open b; put b.x 2; close b; end        c is optional and has no event
 *     {"a":1      ,"b":{   "x":2      }       ,"c":null}
 */
#include "json/write/json_writer.h"

#include <string.h>

#include "base/error.h"
#include "record/value_rules.h"
#include "schema/leaf_error.h"
#include "json/value/json_value.h"
#include "json/value/json_variant.h"

/* --- Text. The caller has made room ---------------------------------------------------------- */

static void json_writer_put(lam_buffer *text, const char *bytes, size_t size) {
    memcpy(text->data + text->size, bytes, size);
    text->size += size;
}

static void put_byte(lam_buffer *text, char byte) {
    text->data[text->size++] = (uint8_t)byte;
}

/*
 * Prints a name, after a comma if it is not the first. Makes room for 8 bytes more than that:
 * enough for "null" or a bracket, which the caller puts without a check.
 */
static lam_status json_writer_put_name(lam_json_writer *writer, lam_json_writer_frame *top,
                                       const lam_json_node *member, lam_error *error) {
    LAM_TRY(lam_buffer_reserve(&writer->text, member->lead_size + 8, error));
    if (top->any)
        put_byte(&writer->text, ',');
    json_writer_put(&writer->text, member->lead, member->lead_size);
    top->any = true;
    return LAM_STATUS_OK;
}

/* --- Members, elements, entries -------------------------------------------------------------- */

/*
 * Prints the members from `next` up to `end` as absent. Stops before a required one, and gives it:
 * it is missing, or still to come out of order.
 */
static lam_status put_absent(lam_json_writer *writer, lam_json_writer_frame *top, uint32_t end,
                             const lam_json_node **ret_required, lam_error *error) {
    for (; top->next < end; top->next++) {
        const lam_json_node *member = lam_json_child(&writer->shape, top->node, top->next);
        if (!member->shown || lam_json_omits(&writer->shape, member))
            continue;
        const char *absent = lam_json_absent_text(member);
        if (absent == NULL) {
            *ret_required = member;
            break;
        }
        LAM_TRY(json_writer_put_name(writer, top, member, error));
        json_writer_put(&writer->text, absent, strlen(absent));
    }
    return LAM_STATUS_OK;
}

/*
 * Closes the array of a repeated field, if one is open. No event ends it: it ends when another
 * member comes, or its object closes. The caller has made room for a byte.
 */
static void leave_array(lam_json_writer *writer, lam_json_writer_frame *top) {
    if (top->in_array)
        put_byte(&writer->text, ']');
    top->in_array = false;
}

/*
 * Prints what comes before a value of a member: the members before it that are absent, its name,
 * and a bracket if it is repeated. Another value of the same repeated field is an element, and
 * needs a comma alone:
 *
 *     put a; put a; put b          "a":[1  ,2  ],"b":3
 *
 * A member before `next`, or after a required one that has not come, begins the reordering of the
 * object, which then notes the start of each member.
 */
static lam_status lead_member(lam_json_writer *writer, lam_json_writer_frame *top,
                              const lam_json_node *member, lam_error *error) {
    uint32_t ordinal = member->field->ordinal;
    if (top->in_array && ordinal + 1 == top->next)
        return lam_buffer_append_byte(&writer->text, ',', error);
    LAM_TRY(lam_buffer_reserve(&writer->text, 1, error));
    leave_array(writer, top);
    const lam_json_node *required = NULL;
    if (!top->reorder)
        LAM_TRY(put_absent(writer, top, ordinal, &required, error));
    /*
     * Out of order: the field has been passed already, or a required one before it has not come
     * yet. From here on, absent members are left out, and put in by the reordering.
     */
    if (!top->reorder && (ordinal < top->next || required != NULL)) {
        LAM_TRY(lam_json_reorder_begin(&writer->reorder, &writer->shape, top->node, top->next,
                                       &writer->text, top->start, &top->mark, error));
        top->reorder = true;
    }
    if (top->reorder)
        LAM_TRY(lam_json_reorder_note(&writer->reorder, ordinal, writer->text.size, error));
    LAM_TRY(json_writer_put_name(writer, top, member, error));
    /* json_writer_put_name has reserved room for it. */
    if (member->is_array)
        put_byte(&writer->text, '[');
    top->in_array = member->is_array;
    top->next = ordinal + 1;
    return LAM_STATUS_OK;
}

/*
 * Prints what comes before a value or group, by the group around it. The children of an entry, key
 * and value, must come in order, because a key cannot be moved before a value that is printed
 * already.
 */
static lam_status lead(lam_json_writer *writer, const lam_json_node *node, lam_error *error) {
    lam_json_writer_frame *top = &writer->frames[writer->depth - 1];
    switch (top->node->form) {
    case LAM_JSON_FORM_OBJECT:
        return lead_member(writer, top, node, error);
    case LAM_JSON_FORM_LIST:
    case LAM_JSON_FORM_MAP:
        return top->next++ == 0 ? LAM_STATUS_OK : lam_buffer_append_byte(&writer->text, ',', error);
    case LAM_JSON_FORM_ENTRY:
        if (node->field->ordinal != top->next) {
            lam_error_set(error, LAM_STATUS_STATE, "not in schema order");
            return lam_json_at_field(node->field, error);
        }
        return top->next++ == 0 ? LAM_STATUS_OK : lam_buffer_append_byte(&writer->text, ':', error);
    default: /* LAM_JSON_FORM_WRAPPER */
        top->next++;
        return LAM_STATUS_OK;
    }
}

/*
 * Prints the end of an object: absent members, and the bracket. Fails if a required member is among
 * them. `trail` has made room for the end of an array.
 */
static lam_status trail_object(lam_json_writer *writer, lam_json_writer_frame *top,
                               lam_error *error) {
    const lam_json_node *required = NULL;
    leave_array(writer, top);
    if (top->reorder)
        LAM_TRY(lam_json_reorder_end(&writer->reorder, &writer->shape, top->node, top->mark,
                                     &writer->text, top->start, error));
    else
        LAM_TRY(put_absent(writer, top, top->node->field->child_count, &required, error));
    if (required != NULL) {
        lam_error_set(error, LAM_ERROR_CODE_RECORD_FIELD_MISSING, "required, but missing");
        return lam_json_at_field(required->field, error);
    }
    return lam_buffer_append_byte(&writer->text, '}', error);
}

/*
 * Prints the end of the innermost group. An entry without a value gets a null, and a wrapper
 * without a child is a null element.
 */
static lam_status trail(lam_json_writer *writer, lam_error *error) {
    lam_json_writer_frame *top = &writer->frames[writer->depth - 1];
    const lam_json_node *node = top->node;
    LAM_TRY(lam_buffer_reserve(&writer->text, 8, error));
    switch (node->form) {
    case LAM_JSON_FORM_OBJECT:
        return trail_object(writer, top, error);
    case LAM_JSON_FORM_LIST:
        put_byte(&writer->text, ']');
        break;
    case LAM_JSON_FORM_MAP:
        put_byte(&writer->text, '}');
        break;
    case LAM_JSON_FORM_ENTRY:
        if (top->next == 0) {
            lam_error_set(error, LAM_ERROR_CODE_RECORD_FIELD_MISSING, "an entry without a key");
            return lam_json_at_field(node->field, error);
        }
        if (top->next == 1)
            json_writer_put(&writer->text, ":null", 5);
        break;
    default: /* LAM_JSON_FORM_WRAPPER */
        if (top->next == 0)
            json_writer_put(&writer->text, "null", 4);
        break;
    }
    return LAM_STATUS_OK;
}

/*
 * Opens a frame; the text of the group starts here. The frames are as many as the schema is deep.
 */
static void json_writer_push(lam_json_writer *writer, const lam_json_node *node) {
    lam_json_writer_frame group = {node, 0, false, false, false, 0, writer->text.size};
    writer->frames[writer->depth++] = group;
}

/* --- The verbs ------------------------------------------------------------------------------- */

/* Drops the text of the record, after a failed verb or before a new record. */
static void drop(lam_json_writer *writer) {
    writer->text.size = writer->whole;
    lam_json_reorder_clear(&writer->reorder);
    writer->depth = 0;
    writer->skipped = 0;
}

/* A verb failed, and with it the record. */
static lam_status json_writer_keep_failure(lam_json_writer *writer, lam_status status,
                                           lam_error *error) {
    if (status == LAM_STATUS_OK)
        return status;
    drop(writer);
    return lam_record_failure_keep(&writer->failure, status, error);
}

/* The event is not one that the schema allows here: the fault of the driver of the verbs. */
static lam_status misplaced(const lam_field *field, lam_error *error) {
    if (field == NULL)
        return lam_field_fail_missing(error, "");
    LAM_FAIL(error, LAM_STATUS_STATE, "field %s is not where it belongs", field->name);
}

/*
 * True when the field is a child of the innermost group. Inside groups that are not projected only
 * the schema is checked: they do not print, and have no frames.
 */
static bool belongs(const lam_json_writer *writer, const lam_field *field, bool group) {
    if (writer->depth == 0 || field == NULL || field->schema != writer->shape.schema ||
        field->index == 0 || (field->physical_type == LAM_PHYSICAL_GROUP) != group)
        return false;
    return writer->skipped > 0 ||
           field->parent == writer->frames[writer->depth - 1].node->field->index;
}

static lam_status write_begin(void *state, lam_error *error) {
    lam_json_writer *writer = state;
    lam_record_failure_clear(&writer->failure);
    drop(writer);
    lam_status status = lam_buffer_append_byte(&writer->text, '{', &writer->failure.error);
    if (status == LAM_STATUS_OK)
        json_writer_push(writer, &writer->shape.nodes[0]);
    return json_writer_keep_failure(writer, status, error);
}

/* A group that is not projected is counted, with all groups inside, until it closes. */
static lam_status json_writer_open_group(lam_json_writer *writer, const lam_field *group,
                                         lam_error *error) {
    if (!belongs(writer, group, true))
        return misplaced(group, error);
    const lam_json_node *node = lam_json_node_of(&writer->shape, group);
    if (writer->skipped > 0 || !node->shown) {
        writer->skipped++;
        return LAM_STATUS_OK;
    }
    LAM_TRY(lead(writer, node, error));
    if (node->form == LAM_JSON_FORM_LIST)
        LAM_TRY(lam_buffer_append_byte(&writer->text, '[', error));
    if (node->form == LAM_JSON_FORM_OBJECT || node->form == LAM_JSON_FORM_MAP)
        LAM_TRY(lam_buffer_append_byte(&writer->text, '{', error));
    json_writer_push(writer, node);
    return LAM_STATUS_OK;
}

static lam_status write_open(void *state, const lam_field *group, lam_error *error) {
    lam_json_writer *writer = state;
    LAM_TRY(lam_record_failure_status(&writer->failure));
    return json_writer_keep_failure(
        writer, json_writer_open_group(writer, group, &writer->failure.error), error);
}

/*
 * Text of free JSON is checked before it prints, as it becomes JSON of the line rather than a
 * string in it.
 */
static lam_status put_value(lam_json_writer *writer, const lam_field *leaf, lam_value value,
                            lam_error *error) {
    lam_status status;
    if (!belongs(writer, leaf, false))
        return misplaced(leaf, error);
    const lam_json_node *node = lam_json_node_of(&writer->shape, leaf);
    if (writer->skipped > 0 || !node->shown)
        return LAM_STATUS_OK;
    LAM_TRY(lam_value_check_bytes(leaf, &value, error));
    LAM_TRY(lead(writer, node, error));
    if (node->meaning == LAM_JSON_MEANS_FREE)
        status = lam_json_free_append(&writer->free_parser, value.bytes, &writer->text, error);
    else
        status = lam_json_value_write(&writer->text, leaf, (lam_json_meaning)node->meaning, value,
                                      writer->binary, writer->replace_invalid, error);
    return status == LAM_STATUS_OK ? status : lam_json_at_field(leaf, error);
}

static lam_status write_put(void *state, const lam_field *leaf, lam_value value, lam_error *error) {
    lam_json_writer *writer = state;
    LAM_TRY(lam_record_failure_status(&writer->failure));
    return json_writer_keep_failure(writer, put_value(writer, leaf, value, &writer->failure.error),
                                    error);
}

static lam_status put_variant(lam_json_writer *writer, const lam_field *group, lam_variant variant,
                              lam_error *error) {
    if (!belongs(writer, group, true))
        return misplaced(group, error);
    LAM_TRY(lead(writer, lam_json_node_of(&writer->shape, group), error));
    lam_status status =
        lam_json_variant_write(&writer->text, variant, writer->variant, writer->binary, error);
    return status == LAM_STATUS_OK ? status : lam_json_at_field(group, error);
}

/*
 * A VARIANT comes from the assembler as one value, instead of the events of its group. The
 * assembler stops at the first failure, so that none is kept here.
 */
static lam_status write_variant(void *state, const lam_field *group, lam_variant variant,
                                lam_error *error) {
    lam_json_writer *writer = state;
    return json_writer_keep_failure(
        writer, put_variant(writer, group, variant, &writer->failure.error), error);
}

/* The innermost group must be the one that closes; the root is closed by `end` alone. */
static lam_status close_group(lam_json_writer *writer, const lam_field *group, lam_error *error) {
    if (writer->skipped > 0) {
        writer->skipped--;
        return LAM_STATUS_OK;
    }
    if (writer->depth < 2 || writer->frames[writer->depth - 1].node->field != group)
        return misplaced(group, error);
    LAM_TRY(trail(writer, error));
    writer->depth--;
    return LAM_STATUS_OK;
}

static lam_status write_close(void *state, const lam_field *group, lam_error *error) {
    lam_json_writer *writer = state;
    LAM_TRY(lam_record_failure_status(&writer->failure));
    return json_writer_keep_failure(writer, close_group(writer, group, &writer->failure.error),
                                    error);
}

/* Ends the line of a record. */
static lam_status end_record(lam_json_writer *writer, lam_error *error) {
    if (writer->depth != 1 || writer->skipped > 0)
        LAM_FAIL(error, LAM_STATUS_STATE,
                 writer->depth == 0 ? "a record ends that did not begin"
                                    : "a record ends inside a group");
    LAM_TRY(trail(writer, error));
    return lam_buffer_append_byte(&writer->text, '\n', error);
}

/* The line is complete only here, so that the output never gets half of one. */
static lam_status write_end(void *state, lam_error *error) {
    lam_json_writer *writer = state;
    if (lam_record_failure_status(&writer->failure) == LAM_STATUS_OK)
        (void)json_writer_keep_failure(writer, end_record(writer, &writer->failure.error), NULL);
    LAM_TRY(lam_record_failure_end(&writer->failure, error));
    writer->depth = 0;
    writer->whole = writer->text.size;
    return writer->whole < LAM_JSON_FLUSH_AT ? LAM_STATUS_OK : lam_json_writer_flush(writer, error);
}

static lam_status write_fail(void *state, const lam_error *failure, lam_error *error) {
    lam_json_writer *writer = state;
    drop(writer);
    return lam_record_failure_take(&writer->failure, failure, error);
}

/* The verbs themselves, which get VARIANTs as they are stored. */
static lam_record_sink verbs_of(lam_json_writer *writer) {
    lam_record_sink sink = {writer,      write_begin, write_open, write_put,
                            write_close, write_end,   write_fail};
    return sink;
}

lam_status lam_json_writer_set_variants(lam_json_writer *writer,
                                        const lam_json_writer_options *options, lam_error *error) {
    lam_variant_assembler_options assembling = lam_variant_assembler_options_default();
    lam_variant_sink next = {verbs_of(writer), write_variant};
    writer->variant = options->variant;
    assembling.tolerate_conflicts = options->tolerate_conflicts;
    assembling.projection = options->projection;
    if (!lam_json_variant_mark(&writer->shape, options->leaves, options->projection,
                               options->variant))
        return LAM_STATUS_OK;
    return lam_variant_assembler_create(writer->shape.schema, options->leaves, &assembling, &next,
                                        &writer->allocator, &writer->assembler, error);
}

/* --- What others see ------------------------------------------------------------------------ */

/* The driver sees one sink in either case. */
lam_record_sink lam_json_writer_sink(lam_json_writer *writer) {
    return writer->assembler != NULL ? lam_variant_assembler_sink(writer->assembler)
                                     : verbs_of(writer);
}

/* Writes the complete lines, and moves the beginning of the open record, if any, to the start. */
lam_status lam_json_writer_flush(lam_json_writer *writer, lam_error *error) {
    size_t whole = writer->whole;
    if (whole == 0)
        return LAM_STATUS_OK;
    LAM_TRY(writer->output->write(writer->output->state, writer->text.data, whole, error));
    memmove(writer->text.data, writer->text.data + whole, writer->text.size - whole);
    writer->text.size -= whole;
    writer->whole = 0;
    return LAM_STATUS_OK;
}
