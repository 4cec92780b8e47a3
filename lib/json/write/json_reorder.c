/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rewrites the text of an object, by the positions of its members, so that these are in the order
 * of the schema. Only objects with a member out of order pay for it.
 *
 * A piece is the text of one member, and ends where the next piece starts. The pieces of an object
 * that is open inside another are above the other's on one stack; `mark` is where its own begin.
 * The invariant: pieces of one object are in the order of the text, without gaps, so sorting them
 * by ordinal and copying them gives the object again. A member that was printed as absent before it
 * came has two pieces, and the later one counts.
 *
 *     text     {"a":1,"b":null,"c":3,"b":2
 *     pieces   a      b        c     b        sorted: a, the second b, c
 */
#include "json/write/json_reorder.h"

#include <string.h>

#include "base/error.h"

/* A member in the text: `"name":value`, with the comma before it, if any. */
typedef struct piece {
    size_t start;
    size_t end;
    uint32_t ordinal; /* of the member in its group */
} piece;

void lam_json_reorder_init(lam_json_reorder *reorder, const lam_allocator *allocator) {
    lam_buffer_init(&reorder->pieces, allocator);
    lam_buffer_init(&reorder->sorted, allocator);
    lam_buffer_init(&reorder->text, allocator);
}

void lam_json_reorder_finish(lam_json_reorder *reorder) {
    lam_buffer_finish(&reorder->pieces);
    lam_buffer_finish(&reorder->sorted);
    lam_buffer_finish(&reorder->text);
}

/* Forgets the pieces of all objects; the contents of `sorted` and `text` are never read again. */
void lam_json_reorder_clear(lam_json_reorder *reorder) {
    lam_buffer_clear(&reorder->pieces);
}

/* A required field is absent only if it is a group without leaves, for which no event comes: {}. */
const char *lam_json_absent_text(const lam_json_node *member) {
    if (member->field->repetition == LAM_REPETITION_REQUIRED)
        return member->field->leaf_count > 0 ? NULL : "{}";
    return member->is_array ? "[]" : "null";
}

/* An array without elements and a group without fields are no nulls. */
bool lam_json_omits(const lam_json_shape *shape, const lam_json_node *member) {
    return shape->omits_nulls && member->field->repetition == LAM_REPETITION_OPTIONAL;
}

/* The end is not known yet: the value is still to be printed. */
lam_status lam_json_reorder_note(lam_json_reorder *reorder, uint32_t ordinal, size_t start,
                                 lam_error *error) {
    piece member = {start, 0, ordinal};
    return lam_buffer_append(&reorder->pieces, &member, sizeof member, error);
}

/*
 * Gives the end of the member that begins at `at`: the comma after it, or the end of the text. The
 * text was printed here, so its brackets match, and every other quote ends a string.
 */
static size_t end_of_member(const lam_buffer *text, size_t at) {
    size_t depth = 0;
    bool in_string = false;
    for (at += text->data[at] == ','; at < text->size; at++) {
        uint8_t c = text->data[at];
        if (in_string && c == '\\')
            at++;
        else if (c == '"')
            in_string = !in_string;
        else if (!in_string && (c == '{' || c == '['))
            depth++;
        else if (!in_string && (c == '}' || c == ']'))
            depth--;
        else if (!in_string && depth == 0 && c == ',')
            break;
    }
    return at;
}

/* False only for a member that was left out. */
static bool begins_at(const lam_buffer *text, size_t at, const lam_json_node *member) {
    at += at < text->size && text->data[at] == ',';
    return text->size - at >= member->lead_size &&
           memcmp(text->data + at, member->lead, member->lead_size) == 0;
}

/*
 * Finds the pieces of the members printed so far by scanning their text, as their positions were
 * not noted. This is once for an object, and linear in its text.
 */
lam_status lam_json_reorder_begin(lam_json_reorder *reorder, const lam_json_shape *shape,
                                  const lam_json_node *group, uint32_t next, const lam_buffer *text,
                                  size_t start, size_t *ret_mark, lam_error *error) {
    size_t mark = reorder->pieces.size;
    for (uint32_t i = 0; i < next; i++) {
        const lam_json_node *member = lam_json_child(shape, group, i);
        if (!member->shown || !begins_at(text, start, member))
            continue;
        LAM_TRY(lam_json_reorder_note(reorder, i, start, error));
        start = end_of_member(text, start);
    }
    *ret_mark = mark;
    return LAM_STATUS_OK;
}

/*
 * True when the piece was printed because its member had no event: then its text is name and absent
 * text alone.
 */
static bool is_absent(const lam_buffer *text, const piece *where, const lam_json_node *member) {
    const char *absent = lam_json_absent_text(member);
    size_t size = absent == NULL ? 0 : strlen(absent);
    size_t length = where->end - where->start;
    size_t comma = text->data[where->start] == ',';
    return absent != NULL && length == comma + member->lead_size + size &&
           memcmp(text->data + where->end - size, absent, size) == 0;
}

/*
 * Puts the pieces into slots by ordinal; a slot without a piece has an end of 0, as none ends
 * there. A second piece of a member replaces one that is absent, and is INVALID after any other.
 */
static lam_status sort_pieces(lam_json_reorder *reorder, const lam_json_shape *shape,
                              const lam_json_node *group, size_t mark, const lam_buffer *text,
                              lam_error *error) {
    size_t size = group->field->child_count * sizeof(piece);
    size_t count = (reorder->pieces.size - mark) / sizeof(piece);
    lam_buffer_clear(&reorder->sorted);
    LAM_TRY(lam_buffer_reserve(&reorder->sorted, size, error));
    memset(reorder->sorted.data, 0, size);
    piece *sorted = (piece *)(void *)reorder->sorted.data;
    piece *pieces = (piece *)(void *)(reorder->pieces.data + mark);
    for (size_t i = 0; i < count; i++) {
        pieces[i].end = i + 1 < count ? pieces[i + 1].start : text->size;
        piece *slot = &sorted[pieces[i].ordinal];
        const lam_json_node *member = lam_json_child(shape, group, pieces[i].ordinal);
        if (slot->end > 0 && !is_absent(text, slot, member))
            LAM_FAIL(error, LAM_ERROR_CODE_RECORD_FIELD_REPEATED, "%s: appears twice",
                     member->name);
        *slot = pieces[i];
    }
    return LAM_STATUS_OK;
}

/*
 * Writes the members in order, each with its own comma left out and a new one before all but the
 * first. Members without a piece are absent; a required one among them is INVALID.
 */
static lam_status put_sorted(lam_json_reorder *reorder, const lam_json_shape *shape,
                             const lam_json_node *group, const lam_buffer *text, lam_error *error) {
    const piece *sorted = (const piece *)(const void *)reorder->sorted.data;
    lam_buffer *out = &reorder->text;
    lam_buffer_clear(out);
    for (uint32_t i = 0; i < group->field->child_count; i++) {
        const lam_json_node *member = lam_json_child(shape, group, i);
        if (!member->shown || (sorted[i].end == 0 && lam_json_omits(shape, member)))
            continue;
        if (out->size > 0)
            LAM_TRY(lam_buffer_append_byte(out, ',', error));
        if (sorted[i].end > 0) {
            const uint8_t *from = text->data + sorted[i].start;
            size_t comma = *from == ',';
            LAM_TRY(lam_buffer_append(out, from + comma, sorted[i].end - sorted[i].start - comma,
                                      error));
            continue;
        }
        const char *absent = lam_json_absent_text(member);
        if (absent == NULL)
            LAM_FAIL(error, LAM_ERROR_CODE_RECORD_FIELD_MISSING, "%s: required, but missing",
                     member->name);
        LAM_TRY(lam_buffer_append(out, member->lead, member->lead_size, error));
        LAM_TRY(lam_buffer_append(out, absent, strlen(absent), error));
    }
    return LAM_STATUS_OK;
}

/* The pieces of objects around this one keep their starts: these are before this object's text. */
lam_status lam_json_reorder_end(lam_json_reorder *reorder, const lam_json_shape *shape,
                                const lam_json_node *group, size_t mark, lam_buffer *text,
                                size_t start, lam_error *error) {
    LAM_TRY(sort_pieces(reorder, shape, group, mark, text, error));
    LAM_TRY(put_sorted(reorder, shape, group, text, error));
    reorder->pieces.size = mark;
    text->size = start;
    return lam_buffer_append(text, reorder->text.data, reorder->text.size, error);
}
