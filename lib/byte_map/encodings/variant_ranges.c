/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reports the bytes of VARIANTs; variant/value/variant_layout.h draws them. Takes any bytes, and
 * gives ranges that cover them:
 *
 *     metadata   header | count | offsets | name | name
 *     object     header | count | ids | offsets | value | gap | value
 *     array      header | count | offsets | value | value
 *     scalar     header | length or scale, if its type has one | bytes
 *
 * An object's values may be in any order, and the offsets of a hostile one may point anywhere:
 * values are reported in the order of their bytes, and one without bytes of its own is an empty
 * UNKNOWN range. The invariant: each byte is in one value, so that ranges are bounded by bytes, and
 * open objects and arrays are on a stack of fixed size. (VariantEncoding.md, "Metadata encoding",
 * "Value encoding")
 */
#include "byte_map/encodings/variant_ranges.h"

#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/budget.h"
#include "base/options.h"
#include "base/sort.h"
#include "byte_map/encodings/variant_text.h"
#include "byte_map/walk/byte_text.h"
#include "file/read/memory_limit.h"

enum {
    VARIANT_LEVELS = 64, /* objects and arrays inside each other that are opened */
    NUMBERS_SHOWN = 8    /* of a list */
};

/* --- Lists of numbers ---------------------------------------------------------------------- */

/* Ids or offsets, all of them in the view. */
typedef struct number_list {
    lam_byte_kind kind;
    lam_byte_kind item_kind;
    unsigned width;
    size_t count;
    const lam_variant_names_view *names; /* of ids; may be NULL */
    bool has_end;                        /* the last is the end of all, and of no item */
} number_list;

static lam_status report_numbers(lam_byte_walk *walk, lam_byte_view view, const void *what,
                                 lam_error *error) {
    const number_list *list = what;
    for (size_t i = 0; i < list->count; i++) {
        lam_byte_range range =
            lam_byte_range_in(list->item_kind, view, i * list->width, list->width);
        lam_byte_text text;
        lam_bytes name;
        uint32_t number = lam_variant_number(view.data, i, list->width);
        bool has_name = list->names != NULL && lam_variant_name_at(list->names, number, &name);
        lam_byte_text_of_id(number, has_name ? &name : NULL, &text);
        range.index = (int64_t)i;
        range.value = text.text;
        if (list->has_end && i + 1 == list->count)
            range.label = "end";
        if (list->names != NULL && !has_name)
            range.note = "the dictionary has no such name";
        LAM_TRY(lam_byte_leaf(walk, &range, error));
    }
    return LAM_STATUS_OK;
}

/* Reports a list, with its numbers as text if they are few; gives the end of it. */
static lam_status report_number_list(lam_byte_walk *walk, lam_byte_view view, size_t *at,
                                     const number_list *list, lam_error *error) {
    lam_byte_text text;
    uint64_t numbers[NUMBERS_SHOWN];
    size_t size = list->count * list->width;
    lam_byte_view bytes = lam_byte_view_cut(view, *at, size);
    lam_byte_range range = lam_byte_range_in(list->kind, bytes, 0, size);
    if (size == 0)
        return LAM_STATUS_OK;
    if (list->count <= NUMBERS_SHOWN) {
        for (size_t i = 0; i < list->count; i++)
            numbers[i] = lam_variant_number(bytes.data, i, list->width);
        lam_byte_text_of_numbers(numbers, list->count, false, &text);
        range.value = text.text;
    }
    range.count = (int64_t)list->count;
    range.is_expandable = true;
    *at += size;
    return lam_byte_enter_view(walk, &range, bytes, report_numbers, list, error);
}

/* Reports a count of `width` bytes; gives the end of it. */
static lam_status report_count(lam_byte_walk *walk, lam_byte_view view, size_t *at, unsigned width,
                               lam_error *error) {
    lam_byte_text text;
    lam_byte_range range = lam_byte_range_in(LAM_BYTE_VARIANT_COUNT, view, *at, width);
    uint64_t count = lam_variant_load(view.data + *at, width);
    lam_byte_text_of_numbers(&count, 1, false, &text);
    range.value = text.text;
    *at += width;
    return lam_byte_leaf(walk, &range, error);
}

static lam_status report_variant_header(lam_byte_walk *walk, lam_byte_view view,
                                        const lam_byte_text *text, lam_error *error) {
    lam_byte_range range = lam_byte_range_in(LAM_BYTE_VARIANT_HEADER, view, 0, 1);
    range.value = text->text;
    return lam_byte_leaf(walk, &range, error);
}

/* --- Metadata ------------------------------------------------------------------------------ */

/*
 * Names are adjacent, each up to the beginning of the next; after a false offset no name is known.
 */
static lam_status report_names(lam_byte_walk *walk, lam_byte_view view,
                               const lam_variant_names_view *names, lam_error *error) {
    size_t at = lam_variant_number(names->offsets, 0, names->width);
    const char *rest = "bytes behind the last name";
    at = at < view.size ? at : view.size;
    LAM_TRY(lam_byte_unknown(walk, view, 0, at, error, "bytes before the first name"));
    for (size_t i = 0; i < names->count; i++) {
        lam_byte_text text;
        lam_bytes name;
        if (!lam_variant_name_at(names, i, &name)) {
            rest = "offsets of names that fall, or lie outside";
            break;
        }
        lam_byte_range range = lam_byte_range_in(LAM_BYTE_VARIANT_NAME, view, at, name.size);
        lam_byte_text_of_bytes(name, &text);
        range.index = (int64_t)i;
        range.value = text.text;
        LAM_TRY(lam_byte_leaf(walk, &range, error));
        at += name.size;
    }
    return lam_byte_unknown(walk, view, at, view.size - at, error, "%s", rest);
}

static lam_status inside_of_metadata(lam_byte_walk *walk, lam_byte_view view, const void *what,
                                     lam_error *error) {
    lam_variant_names_view names;
    lam_byte_text text;
    size_t at = 1;
    const char *problem = lam_variant_open_names((lam_bytes){view.data, view.size}, &names);
    (void)what;
    lam_byte_text_of_names_header(view.data[0], &text);
    LAM_TRY(report_variant_header(walk, view, &text, error));
    if (problem != NULL)
        return lam_byte_unknown(walk, view, at, view.size - at, error, "%s", problem);
    LAM_TRY(report_count(walk, view, &at, names.width, error));
    number_list offsets = {LAM_BYTE_VARIANT_OFFSETS,
                           LAM_BYTE_VARIANT_OFFSET,
                           names.width,
                           at == view.size ? 0 : names.count + 1, /* the form without an offset */
                           NULL,
                           true};
    LAM_TRY(report_number_list(walk, view, &at, &offsets, error));
    return report_names(walk, lam_byte_view_cut(view, at, view.size - at), &names, error);
}

static lam_status report_metadata(lam_byte_walk *walk, lam_byte_view view, lam_error *error) {
    lam_variant_names_view names;
    lam_byte_range range = lam_byte_range_in(LAM_BYTE_VARIANT_METADATA, view, 0, view.size);
    if (view.size == 0)
        return LAM_STATUS_OK;
    if (lam_variant_open_names((lam_bytes){view.data, view.size}, &names) == NULL)
        range.count = (int64_t)names.count;
    range.is_expandable = true;
    return lam_byte_enter_view(walk, &range, view, inside_of_metadata, NULL, error);
}

/* --- Scalars ------------------------------------------------------------------------------- */

/* The bytes of a number in front of a payload: a length of 4, or a scale of 1. */
static lam_status report_before(lam_byte_walk *walk, lam_byte_view view, size_t size,
                                lam_byte_kind kind, const char *label, lam_error *error) {
    lam_byte_text text;
    lam_byte_range range = lam_byte_range_in(kind, view, 1, size);
    uint64_t number = lam_variant_load(view.data + 1, (unsigned)size);
    lam_byte_text_of_numbers(&number, 1, false, &text);
    range.value = text.text;
    range.label = label;
    return lam_byte_leaf(walk, &range, error);
}

/* The bytes are exactly those of the scalar. `value` is its text. */
static lam_status report_scalar(lam_byte_walk *walk, lam_byte_view view, const char *value,
                                lam_error *error) {
    lam_variant variant = {{NULL, 0}, {view.data, view.size}};
    lam_variant_kind kind = lam_variant_kind_of(variant);
    lam_byte_kind payload = LAM_BYTE_VALUE_BYTES;
    lam_byte_text text;
    size_t at = 1;
    const char *label = NULL;
    bool is_short = (view.data[0] & 3) == LAM_VARIANT_BASIC_SHORT_STRING;
    lam_byte_text_of_variant_header(view.data[0], &text);
    LAM_TRY(report_variant_header(walk, view, &text, error));
    if (!is_short && (kind == LAM_VARIANT_STRING || kind == LAM_VARIANT_BINARY)) {
        at = 5;
        LAM_TRY(report_before(walk, view, 4, LAM_BYTE_VALUE_LENGTH, NULL, error));
    } else if (kind >= LAM_VARIANT_DECIMAL4 && kind <= LAM_VARIANT_DECIMAL16) {
        lam_variant_scalar scalar;
        at = 2;
        LAM_TRY(report_before(walk, view, 1, LAM_BYTE_NUMBER, "scale", error));
        lam_variant_load_scalar(variant.value, &scalar);
        lam_byte_text_of_unscaled(&scalar.as.decimal, &text);
        value = text.text;
        label = "unscaled";
        payload = LAM_BYTE_NUMBER;
    }
    if (at == view.size)
        return LAM_STATUS_OK;
    lam_byte_range range = lam_byte_range_in(payload, view, at, view.size - at);
    range.label = label;
    range.value = value;
    return lam_byte_leaf(walk, &range, error);
}

/* --- Values -------------------------------------------------------------------------------- */

/* Where a field or element begins. */
typedef struct variant_child {
    uint32_t offset;
    uint32_t index;
} variant_child;

/* An object or array that is open. */
typedef struct variant_bytes_frame {
    lam_byte_view values;
    variant_child *children; /* in the order of their bytes */
    size_t count;
    size_t next;
    size_t at; /* end of the values that were reported */
} variant_bytes_frame;

typedef struct variant_bytes_walk {
    lam_byte_walk *walk;
    const lam_variant_names_view *names; /* or NULL */
    size_t depth;
    variant_bytes_frame frames[VARIANT_LEVELS];
} variant_bytes_walk;

/* Why the value that bytes begin with cannot be reported, or NULL; gives its size. */
static const char *problem_of_value(lam_byte_view view, size_t *ret_size) {
    const char *problem = lam_variant_measure((lam_bytes){view.data, view.size}, ret_size);
    if (problem == NULL && (view.data[0] & 3) == LAM_VARIANT_BASIC_PRIMITIVE &&
        view.data[0] >> 2 >= LAM_VARIANT_TYPE_COUNT)
        return "a value of a type that is not known";
    return problem;
}

static int compare_children(const void *state, const void *a, const void *b) {
    const variant_child *left = a, *right = b;
    (void)state;
    if (left->offset != right->offset)
        return left->offset < right->offset ? -1 : 1;
    return left->index < right->index ? -1 : 1;
}

/* Pushes the children of a container. LIMIT, NOMEM. */
static lam_status push_children(variant_bytes_walk *values, lam_byte_view view,
                                const lam_variant_container *container, lam_error *error) {
    variant_bytes_frame *frame = &values->frames[values->depth];
    bool is_sorted = true;
    LAM_TRY(LAM_ARRAY(&values->walk->allocator, container->count, &frame->children, error));
    frame->count = container->count;
    frame->values = view;
    frame->next = 0;
    frame->at = 0;
    for (uint32_t i = 0; i < container->count; i++) {
        frame->children[i].index = i;
        frame->children[i].offset =
            lam_variant_number(container->offsets, i, container->offset_width);
        is_sorted &= i == 0 || frame->children[i - 1].offset < frame->children[i].offset;
    }
    if (!is_sorted)
        lam_sort(frame->children, frame->count, sizeof(variant_child), compare_children, NULL);
    values->depth++;
    return LAM_STATUS_OK;
}

static void pop_children(variant_bytes_walk *values) {
    variant_bytes_frame *frame = &values->frames[--values->depth];
    lam_free(&values->walk->allocator, frame->children, frame->count * sizeof(variant_child));
}

/* Reports what precedes the values of a container, and pushes them; the walk stays inside. */
static lam_status open_values(variant_bytes_walk *values, lam_byte_view view,
                              const lam_variant_container *container, lam_error *error) {
    lam_byte_walk *walk = values->walk;
    lam_error cause = lam_error_none();
    lam_byte_text text;
    number_list ids = {.kind = LAM_BYTE_VARIANT_IDS,
                       .item_kind = LAM_BYTE_VARIANT_ID,
                       .width = container->id_width,
                       .count = container->count,
                       .names = values->names};
    number_list offsets = {.kind = LAM_BYTE_VARIANT_OFFSETS,
                           .item_kind = LAM_BYTE_VARIANT_OFFSET,
                           .width = container->offset_width,
                           .count = (size_t)container->count + 1,
                           .has_end = true};
    size_t at = 1, ids_begin = (size_t)(container->ids - view.data);
    lam_byte_text_of_variant_header(view.data[0], &text);
    LAM_TRY(report_variant_header(walk, view, &text, error));
    LAM_TRY(report_count(walk, view, &at, (unsigned)(ids_begin - at), error));
    if (container->id_width > 0)
        LAM_TRY(report_number_list(walk, view, &at, &ids, error));
    LAM_TRY(report_number_list(walk, view, &at, &offsets, error));
    lam_byte_view rest = lam_byte_view_cut(view, at, view.size - at);
    lam_status status = push_children(values, rest, container, &cause);
    if (status == LAM_STATUS_OK)
        return status;
    if (!lam_byte_is_damage(status)) {
        if (error != NULL)
            *error = cause;
        return status;
    }
    LAM_TRY(lam_byte_unknown(walk, rest, 0, rest.size, error, "%s", cause.message));
    lam_byte_leave(walk);
    return LAM_STATUS_OK;
}

/* Reports a value that has exactly these bytes. A container is left when its children are done. */
static lam_status report_value(variant_bytes_walk *values, lam_byte_view view, int64_t index,
                               lam_error *error) {
    lam_byte_walk *walk = values->walk;
    lam_variant variant = {{NULL, 0}, {view.data, view.size}};
    lam_byte_range range = lam_byte_range_in(LAM_BYTE_VARIANT_VALUE, view, 0, view.size);
    bool inside, is_container = lam_variant_is_container(variant.value);
    lam_variant_container container;
    lam_byte_text text;
    range.label = lam_variant_kind_name(lam_variant_kind_of(variant));
    range.index = index;
    range.is_expandable = true;
    if (is_container) {
        (void)lam_variant_open_container(variant.value, &container); /* it was measured */
        range.count = container.count;
        range.is_expandable = values->depth < VARIANT_LEVELS;
        range.note = range.is_expandable ? NULL : "nested too deep to be opened here";
    } else {
        lam_byte_text_of_scalar(variant.value, &text);
        range.value = text.text;
    }
    LAM_TRY(lam_byte_enter(walk, &range, &inside, error));
    if (!inside)
        return LAM_STATUS_OK;
    if (is_container)
        return open_values(values, view, &container, error);
    LAM_TRY(report_scalar(walk, view, text.text, error));
    lam_byte_leave(walk);
    return LAM_STATUS_OK;
}

/* Reports a child that has no bytes of its own, or bytes up to `end` that are no value. */
static lam_status report_lost(variant_bytes_walk *values, const variant_child *child, size_t end,
                              const char *note, lam_error *error) {
    variant_bytes_frame *frame = &values->frames[values->depth - 1];
    lam_byte_range range =
        lam_byte_range_in(LAM_BYTE_UNKNOWN, frame->values, frame->at, end - frame->at);
    range.index = child->index;
    range.note = note;
    frame->at = end;
    return lam_byte_leaf(values->walk, &range, error);
}

/* Reports the bytes before the next value, which belong to none. */
static lam_status report_between(variant_bytes_walk *values, size_t end, lam_error *error) {
    variant_bytes_frame *frame = &values->frames[values->depth - 1];
    lam_byte_range range =
        lam_byte_range_in(LAM_BYTE_GAP, frame->values, frame->at, end - frame->at);
    if (frame->at == end)
        return LAM_STATUS_OK;
    range.note = "of no field or element";
    frame->at = end;
    return lam_byte_leaf(values->walk, &range, error);
}

/* Reports the next child of the innermost container. */
static lam_status report_child(variant_bytes_walk *values, const variant_child *child,
                               lam_error *error) {
    variant_bytes_frame *frame = &values->frames[values->depth - 1];
    size_t size, end = frame->values.size;
    if (child->offset >= frame->values.size)
        return report_lost(values, child, frame->at, "an offset outside of its object or array",
                           error);
    if (child->offset < frame->at)
        return report_lost(values, child, frame->at, "its bytes belong to another value", error);
    LAM_TRY(report_between(values, child->offset, error));
    lam_byte_view rest = lam_byte_view_cut(frame->values, frame->at, end - frame->at);
    const char *problem = problem_of_value(rest, &size);
    if (problem != NULL) {
        if (frame->next < frame->count && frame->children[frame->next].offset < end)
            end = frame->children[frame->next].offset;
        return report_lost(values, child, end, problem, error);
    }
    frame->at += size;
    return report_value(values, lam_byte_view_cut(rest, 0, size), child->index, error);
}

/* Reports children until all containers are done. */
static lam_status report_children(variant_bytes_walk *values, lam_error *error) {
    while (values->depth > 0) {
        variant_bytes_frame *frame = &values->frames[values->depth - 1];
        if (frame->next < frame->count) {
            LAM_TRY(report_child(values, &frame->children[frame->next++], error));
            continue;
        }
        LAM_TRY(report_between(values, frame->values.size, error));
        pop_children(values);
        lam_byte_leave(values->walk);
    }
    return LAM_STATUS_OK;
}

/* `names` may be NULL. The walk takes about 4 KiB of stack. */
static lam_status report_whole_value(lam_byte_walk *walk, lam_byte_view view,
                                     const lam_variant_names_view *names, lam_error *error) {
    variant_bytes_walk values;
    size_t size;
    if (view.size == 0)
        return LAM_STATUS_OK;
    const char *problem = problem_of_value(view, &size);
    if (problem != NULL)
        return lam_byte_unknown(walk, view, 0, view.size, error, "%s", problem);
    values.walk = walk;
    values.names = names;
    values.depth = 0;
    lam_status status = report_value(&values, lam_byte_view_cut(view, 0, size), -1, error);
    if (status == LAM_STATUS_OK)
        status = report_children(&values, error);
    while (values.depth > 0)
        pop_children(&values);
    LAM_TRY(status);
    return lam_byte_unknown(walk, view, size, view.size - size, error, "bytes behind the value");
}

/* --- Columns, and values in memory --------------------------------------------------------- */

lam_byte_variant lam_byte_variant_of_leaf(const lam_field *leaf) {
    const lam_field *parent = lam_field_parent(leaf);
    if (lam_field_physical_type(leaf) != LAM_PHYSICAL_BYTE_ARRAY)
        return LAM_BYTE_VARIANT_NONE;
    if (strcmp(lam_field_name(leaf), "metadata") == 0 &&
        lam_field_logical_type(parent)->kind == LAM_LOGICAL_VARIANT)
        return LAM_BYTE_OF_VARIANT_METADATA;
    if (strcmp(lam_field_name(leaf), "value") != 0)
        return LAM_BYTE_VARIANT_NONE;
    while (parent != NULL && lam_field_logical_type(parent)->kind != LAM_LOGICAL_VARIANT)
        parent = lam_field_parent(parent);
    return parent == NULL ? LAM_BYTE_VARIANT_NONE : LAM_BYTE_OF_VARIANT_VALUE;
}

lam_status lam_byte_variant_inside(lam_byte_walk *walk, lam_byte_view view, lam_byte_variant role,
                                   lam_error *error) {
    if (role == LAM_BYTE_OF_VARIANT_METADATA)
        return report_metadata(walk, view, error);
    return report_whole_value(walk, view, NULL, error);
}

lam_status lam_byte_map_walk_variant(lam_bytes metadata, lam_bytes value,
                                     const lam_byte_map_options *options, lam_byte_visitor visitor,
                                     void *state, lam_error *error) {
    lam_byte_map_options chosen;
    lam_variant_names_view names;
    lam_budget budget;
    LAM_TRY(LAM_OPTIONS_READ(lam_byte_map_options, options, &chosen, error));
    lam_allocator beneath = lam_allocator_or_default(chosen.allocator);
    uint64_t limit = chosen.memory_limit != 0 ? lam_memory_limit_cap(chosen.memory_limit)
                                              : lam_memory_limit_of_file(value.size);
    lam_byte_walk walk = {.limit = limit,
                          .stop = chosen.stop,
                          .visitor = visitor,
                          .state = state,
                          .row_group = -1,
                          .column = -1,
                          .page = -1};
    lam_budget_init(&budget, &beneath, (size_t)limit);
    walk.allocator = lam_budget_allocator(&budget);
    bool has_names = lam_variant_open_names(metadata, &names) == NULL;
    LAM_TRY(report_metadata(&walk, (lam_byte_view){metadata.data, metadata.size, 0}, error));
    return report_whole_value(&walk, (lam_byte_view){value.data, value.size, 0},
                              has_names ? &names : NULL, error);
}
