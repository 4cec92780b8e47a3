/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reports ranges to the visitor and reads the bytes that they cover: takes ranges without location,
 * and gives them the row group, column and page of the walk.
 *
 * The invariant: `depth` is the number of ranges that were entered and not left.
 */
#include "byte_map/walk/byte_walk.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

lam_byte_range lam_byte_range_of(lam_byte_kind kind, uint64_t begin, uint64_t length) {
    return (lam_byte_range){.kind = kind,
                            .begin = begin,
                            .length = length,
                            .row_group = -1,
                            .column = -1,
                            .page = -1,
                            .first = -1,
                            .count = -1,
                            .bit_width = -1,
                            .uncompressed_size = -1,
                            .index = -1};
}

lam_byte_range lam_byte_range_in(lam_byte_kind kind, lam_byte_view view, size_t at, size_t size) {
    lam_byte_range range = lam_byte_range_of(kind, view.begin + at, size);
    range.bytes = view.data == NULL ? NULL : view.data + at;
    return range;
}

lam_status lam_byte_enter(lam_byte_walk *walk, lam_byte_range *range, bool *ret_inside,
                          lam_error *error) {
    bool expand = range->is_expandable;
    range->depth = walk->depth;
    range->is_in_body = walk->is_in_body;
    range->row_group = walk->row_group;
    range->column = walk->column;
    range->page = walk->page;
    LAM_TRY(lam_stop_check(walk->stop, error));
    LAM_TRY(walk->visitor(walk->state, range, &expand, error));
    *ret_inside = expand && range->is_expandable;
    if (*ret_inside)
        walk->depth++;
    return LAM_STATUS_OK;
}

void lam_byte_leave(lam_byte_walk *walk) {
    walk->depth--;
}

lam_status lam_byte_leaf(lam_byte_walk *walk, lam_byte_range *range, lam_error *error) {
    bool inside;
    range->is_expandable = false;
    return lam_byte_enter(walk, range, &inside, error);
}

lam_status lam_byte_unknown(lam_byte_walk *walk, lam_byte_view view, size_t at, size_t size,
                            lam_error *error, const char *format, ...) {
    char note[sizeof((lam_error *)NULL)->message];
    lam_byte_range range = lam_byte_range_in(LAM_BYTE_UNKNOWN, view, at, size);
    va_list arguments;
    if (size == 0)
        return LAM_STATUS_OK;
    va_start(arguments, format);
    vsnprintf(note, sizeof note, format, arguments);
    va_end(arguments);
    lam_error_make_line(note, sizeof note);
    range.note = note;
    return lam_byte_leaf(walk, &range, error);
}

lam_status lam_byte_load(lam_byte_walk *walk, uint64_t begin, uint64_t size, lam_buffer *buffer,
                         lam_byte_view *ret_view, lam_error *error) {
    const lam_input *input = walk->input;
    lam_byte_view view = {NULL, (size_t)size, begin};
    if (size > walk->limit || size > SIZE_MAX)
        LAM_FAIL(error, LAM_ERROR_CODE_MEMORY_LIMIT,
                 "%" PRIu64 " bytes are above the memory limit of %" PRIu64
                 " (option memory_limit)",
                 size, walk->limit);
    if (input->borrow != NULL)
        view.data = input->borrow(input->state, begin, view.size);
    if (view.data == NULL) {
        lam_buffer_clear(buffer);
        LAM_TRY(lam_buffer_reserve(buffer, view.size, error));
        LAM_TRY(input->read_at(input->state, begin, view.size, buffer->data, error));
        view.data = buffer->data;
    }
    *ret_view = view;
    return LAM_STATUS_OK;
}

lam_status lam_byte_enter_view(lam_byte_walk *walk, lam_byte_range *range, lam_byte_view view,
                               lam_byte_inside *inside, const void *what, lam_error *error) {
    bool is_wanted;
    LAM_TRY(lam_byte_enter(walk, range, &is_wanted, error));
    if (!is_wanted)
        return LAM_STATUS_OK;
    LAM_TRY(inside(walk, view, what, error));
    lam_byte_leave(walk);
    return LAM_STATUS_OK;
}

/* Loads and reports; a lack of memory limit is a note, other failures end the walk. */
static lam_status inside_of_file(lam_byte_walk *walk, const lam_byte_range *range,
                                 lam_byte_inside *inside, const void *what, lam_buffer *buffer,
                                 lam_error *error) {
    lam_error cause = lam_error_none();
    lam_byte_view view = {NULL, 0, range->begin};
    lam_status status = lam_byte_load(walk, range->begin, range->length, buffer, &view, &cause);
    if (status == LAM_STATUS_OK)
        return inside(walk, view, what, error);
    if (!lam_byte_is_damage(status)) {
        if (error != NULL)
            *error = cause;
        return status;
    }
    bool is_packed = range->uncompressed_size >= 0;
    lam_byte_range whole =
        lam_byte_range_of(LAM_BYTE_UNKNOWN, is_packed ? 0 : range->begin,
                          is_packed ? (uint64_t)range->uncompressed_size : range->length);
    whole.note = cause.message;
    walk->is_in_body = is_packed;
    status = lam_byte_leaf(walk, &whole, error);
    walk->is_in_body = false;
    return status;
}

lam_status lam_byte_enter_bytes(lam_byte_walk *walk, lam_byte_range *range, lam_byte_inside *inside,
                                const void *what, lam_error *error) {
    lam_buffer buffer;
    bool is_wanted;
    LAM_TRY(lam_byte_enter(walk, range, &is_wanted, error));
    if (!is_wanted)
        return LAM_STATUS_OK;
    lam_buffer_init(&buffer, &walk->allocator);
    lam_status status = inside_of_file(walk, range, inside, what, &buffer, error);
    lam_buffer_finish(&buffer);
    LAM_TRY(status);
    lam_byte_leave(walk);
    return LAM_STATUS_OK;
}
