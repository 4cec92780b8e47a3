/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Builds views for the fields of a schema and attaches them to arrays. Buffers are sorted by
 * meaning, whatever their number in the C data interface:
 *
 *     kind                    buffer 0    buffer 1           buffer 2       from buffer 3 on
 *     fixed sizes, indexes    validity    slots: values
 *     strings, bytes          validity    slots: offsets     extent: data
 *     lists, maps             validity    slots: offsets
 *     list views              validity    slots: offsets     extent: sizes
 *     string views            validity    slots: views       data ...       last one: sizes of data
 *
 * Attaching checks only counts: that as many buffers and children exist as the type demands.
 * array_check.c checks their contents. (The Arrow C data interface, "Structure definitions")
 */
#include "arrow/array/array_view.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/error.h"
#include "base/search.h"

/* The root's path is empty: its name is not part of a path, so the message says "array" instead. */
lam_status lam_array_fail(const lam_array_view *view, int kind, lam_error *error,
                          const char *format, ...) {
    char reason[sizeof error->message];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reason, sizeof reason, format, arguments);
    va_end(arguments);
    if (view->path.outer == NULL)
        return lam_error_set(error, kind, "array: %s", reason);
    return lam_arrow_fail_at(&view->path, kind, reason, error);
}

/* --- The tree ------------------------------------------------------------------------------ */

/*
 * Makes the view of a field and of all below it. A field with a dictionary becomes two views of one
 * path: the outer one of its indexes, and the inner one, first copied from it, of its values.
 */
static lam_status add_view(lam_array_view *view, const lam_arrow_field *field,
                           const lam_arrow_path *outer, lam_arena *arena, lam_error *error) {
    view->field = field;
    view->path.outer = outer;
    view->path.name = field->name;
    view->kind = field->type.kind;
    if (field->is_dictionary) {
        if (field->child_count > 0)
            return lam_array_fail(view, LAM_ERROR_CODE_UNSUPPORTED_ARROW, error,
                                  "a dictionary of nested values has no Parquet form");
        LAM_TRY(LAM_ARENA_NEW(arena, &view->dictionary, error));
        *view->dictionary = *view;
        view->dictionary->dictionary = NULL;
        view->kind = field->index_kind;
        return LAM_STATUS_OK;
    }
    LAM_TRY(LAM_ARENA_ARRAY(arena, field->child_count, &view->children, error));
    view->child_count = field->child_count;
    for (size_t i = 0; i < view->child_count; i++)
        LAM_TRY(add_view(&view->children[i], &field->children[i], &view->path, arena, error));
    return LAM_STATUS_OK;
}

lam_status lam_array_view_create(const lam_arrow_field *field, lam_arena *arena,
                                 lam_array_view **ret_view, lam_error *error) {
    lam_array_view *view;
    LAM_TRY(LAM_ARENA_NEW(arena, &view, error));
    LAM_TRY(add_view(view, field, NULL, arena, error));
    *ret_view = view;
    return LAM_STATUS_OK;
}

/* --- Kinds --------------------------------------------------------------------------------- */

size_t lam_array_slot_size(const lam_array_view *view) {
    return lam_arrow_slot_size(view->kind, &view->field->type);
}

static bool is_string_view(lam_arrow_kind kind) {
    return kind == LAM_ARROW_BINARY_VIEW || kind == LAM_ARROW_STRING_VIEW;
}

/*
 * Buffers of an array, the validity included; string views may have more, one for each data buffer.
 */
static int64_t array_view_buffer_count(lam_arrow_kind kind) {
    switch (kind) {
    case LAM_ARROW_NULL:
    case LAM_ARROW_RUN_END_ENCODED:
        return 0;
    case LAM_ARROW_STRUCT:
    case LAM_ARROW_FIXED_SIZE_LIST:
        return 1;
    case LAM_ARROW_BINARY:
    case LAM_ARROW_LARGE_BINARY:
    case LAM_ARROW_STRING:
    case LAM_ARROW_LARGE_STRING:
    case LAM_ARROW_LIST_VIEW:
    case LAM_ARROW_LARGE_LIST_VIEW:
    case LAM_ARROW_BINARY_VIEW:
    case LAM_ARROW_STRING_VIEW:
        return 3;
    default:
        return 2;
    }
}

/* --- Attaching ----------------------------------------------------------------------------- */

/*
 * Checks all numbers of an array's struct before any of its pointers is followed. The product of
 * slots and their size must stay below PTRDIFF_MAX, because later code computes addresses with it;
 * the one slot less leaves room for the offset after the last slot.
 */
static lam_status array_view_check_counts(const lam_array_view *view,
                                          const struct ArrowArray *array, lam_error *error) {
    if (array == NULL || array->release == NULL)
        return lam_array_fail(view, LAM_ERROR_CODE_ARROW_ARRAY, error,
                              "the array is NULL or released");
    if (array->length < 0 || array->offset < 0 || array->offset > INT64_MAX - array->length)
        return lam_array_fail(view, LAM_ERROR_CODE_ARROW_ARRAY, error,
                              "an array of length %lld at offset %lld", (long long)array->length,
                              (long long)array->offset);
    int64_t size = (int64_t)lam_array_slot_size(view);
    if (size > 0 && array->offset + array->length >= PTRDIFF_MAX / size)
        return lam_array_fail(view, LAM_ERROR_CODE_ARROW_ARRAY, error,
                              "%lld slots of %lld bytes do not fit in memory",
                              (long long)(array->offset + array->length), (long long)size);
    if (array->null_count < -1 || array->null_count > array->length)
        return lam_array_fail(view, LAM_ERROR_CODE_ARROW_ARRAY, error, "%lld nulls in %lld slots",
                              (long long)array->null_count, (long long)array->length);
    int64_t buffers = array_view_buffer_count(view->kind);
    int64_t most = is_string_view(view->kind) ? buffers + INT32_MAX : buffers;
    if (array->n_buffers < buffers || array->n_buffers > most)
        return lam_array_fail(view, LAM_ERROR_CODE_ARROW_ARRAY, error,
                              "%lld buffers instead of %lld", (long long)array->n_buffers,
                              (long long)buffers);
    if (buffers > 0 && array->buffers == NULL)
        return lam_array_fail(view, LAM_ERROR_CODE_ARROW_ARRAY, error, "the buffers are NULL");
    if (array->n_children != (int64_t)view->child_count ||
        (view->child_count > 0 && array->children == NULL))
        return lam_array_fail(view, LAM_ERROR_CODE_ARROW_ARRAY, error,
                              "%lld children instead of %zu", (long long)array->n_children,
                              view->child_count);
    if ((array->dictionary != NULL) != (view->dictionary != NULL))
        return lam_array_fail(view, LAM_ERROR_CODE_ARROW_ARRAY, error,
                              "the array has %s dictionary",
                              array->dictionary != NULL ? "a" : "no");
    return LAM_STATUS_OK;
}

/* Sorts the buffers into the view, by the table above. */
static void take_buffers(lam_array_view *view, const struct ArrowArray *array) {
    int64_t count = array_view_buffer_count(view->kind);
    view->validity = count > 0 ? array->buffers[0] : NULL;
    view->slots = count > 1 ? array->buffers[1] : NULL;
    view->extent = NULL;
    view->data = NULL;
    view->data_sizes = NULL;
    view->data_count = 0;
    if (is_string_view(view->kind)) {
        view->data = array->buffers + 2;
        view->data_count = (size_t)(array->n_buffers - count);
        view->data_sizes = array->buffers[array->n_buffers - 1];
    } else if (count > 2) {
        view->extent = array->buffers[2];
    }
}

/*
 * Resets the findings of the array before. A dictionary is an array of its own, with its own
 * offset.
 */
lam_status lam_array_view_attach(lam_array_view *view, const struct ArrowArray *array,
                                 lam_error *error) {
    LAM_TRY(array_view_check_counts(view, array, error));
    view->length = array->length;
    view->offset = array->offset;
    view->null_count = array->null_count;
    view->has_nulls = false;
    view->needs_check = false;
    view->run_count = 0;
    view->longest = 0;
    take_buffers(view, array);
    for (size_t i = 0; i < view->child_count; i++)
        LAM_TRY(lam_array_view_attach(&view->children[i], array->children[i], error));
    if (view->dictionary != NULL)
        return lam_array_view_attach(view->dictionary, array->dictionary, error);
    return LAM_STATUS_OK;
}

/* --- Indexes and runs ---------------------------------------------------------------------- */

/* Shorter indexes are read as unsigned: array_check.c has refused negative ones. */
int64_t lam_array_index(const lam_array_view *view, int64_t slot) {
    const uint8_t *at = view->slots + (view->offset + slot) * (int64_t)lam_array_slot_size(view);
    uint8_t byte;
    uint16_t half;
    uint32_t word;
    switch (lam_array_slot_size(view)) {
    case 1:
        memcpy(&byte, at, sizeof byte);
        return byte;
    case 2:
        memcpy(&half, at, sizeof half);
        return half;
    case 4:
        memcpy(&word, at, sizeof word);
        return word;
    default:
        return lam_load_i64(at, 0);
    }
}

int64_t lam_array_run_end(const lam_array_view *run_ends, int64_t run) {
    int64_t at = run_ends->offset + run;
    if (run_ends->kind == LAM_ARROW_INT64)
        return lam_load_i64(run_ends->slots, at);
    if (run_ends->kind == LAM_ARROW_INT32)
        return lam_load_i32(run_ends->slots, at);
    int16_t end;
    memcpy(&end, run_ends->slots + at * (int64_t)sizeof end, sizeof end);
    return end;
}

/*
 * Bisects the checked run ends: below `low` all end at the slot or before it, from `high` on after
 * it.
 */
int64_t lam_array_find_run(const lam_array_view *run_ends, int64_t slot) {
    size_t at;
    LAM_BISECT(at, 0, (size_t)run_ends->run_count,
               lam_array_run_end(run_ends, (int64_t)at) <= slot);
    return (int64_t)at;
}
