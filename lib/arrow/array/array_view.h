/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arrow arrays as the writer sees them: a tree of views with the structure of the fields, made once
 * for a schema and attached to one array after another.
 *
 *     field                                 views
 *     a: dictionary<int8, string>           a (int8)      its dictionary: a (string)
 *     b: list<item: int32>                  b (list)      children: b.item
 *     c: run_end_encoded<int32, string>     c             children: c.run_ends, c.values
 *
 * Slot i of a view is element `offset` + i of its buffers. Numbers in them need not be aligned.
 */
#ifndef LAM_ARROW_ARRAY_ARRAY_VIEW_H
#define LAM_ARROW_ARRAY_ARRAY_VIEW_H

#include <string.h>

#include "arrow/field/arrow_field.h"
#include "arrow/field/arrow_path.h"

typedef struct lam_array_view {
    const lam_arrow_field *field;
    lam_arrow_path path;
    lam_arrow_kind kind; /* of its slots: the index kind when they point into a dictionary */
    size_t child_count;
    struct lam_array_view *children;
    struct lam_array_view *dictionary; /* of the values that the slots are indexes of, or NULL */

    /* The attached array. Buffers that it does not have are NULL. */
    int64_t length;
    int64_t offset;
    int64_t null_count;        /* as the array has it, -1 when it is unknown */
    const uint8_t *validity;   /* a bit per slot */
    const uint8_t *slots;      /* values, indexes, offsets or string views, by kind */
    const uint8_t *extent;     /* bytes that offsets point into; sizes of list views */
    const void *const *data;   /* BINARY_VIEW, STRING_VIEW: buffers that views point into, ... */
    const uint8_t *data_sizes; /* ... int64_t: their sizes */
    size_t data_count;

    /* Findings about the slots that were checked (array_check.h). */
    bool has_nulls;
    bool needs_check; /* a value may not fit its Parquet type: the quick check cannot rule it out */
    int64_t run_count; /* run ends: how many were checked, from the first one on */
    int32_t longest;   /* string views: the most bytes of any that is not null */
} lam_array_view;

/*
 * Creates the views of a field, from `arena`; the field is borrowed. UNSUPPORTED for a dictionary
 * of nested values, NOMEM.
 */
lam_status lam_array_view_create(const lam_arrow_field *field, lam_arena *arena,
                                 lam_array_view **ret_view, lam_error *error);

/*
 * Attaches a view and those below it to an array, which is borrowed. INVALID, with the field's
 * path, when the array is released, has the wrong number of buffers or children, or an impossible
 * length or offset.
 */
lam_status lam_array_view_attach(lam_array_view *view, const struct ArrowArray *array,
                                 lam_error *error);

/* Fails with the path of the view's field in front of the message. */
lam_status lam_array_fail(const lam_array_view *view, int kind, lam_error *error,
                          const char *format, ...) LAM_PRINTF(4, 5);

/* Bytes of an element of `slots`; 0 if that is not a whole number. */
size_t lam_array_slot_size(const lam_array_view *view);

/* --- Numbers at any address ---------------------------------------------------------------- */

static inline int32_t lam_load_i32(const uint8_t *numbers, int64_t index) {
    int32_t number;
    memcpy(&number, numbers + index * (int64_t)sizeof number, sizeof number);
    return number;
}

static inline int64_t lam_load_i64(const uint8_t *numbers, int64_t index) {
    int64_t number;
    memcpy(&number, numbers + index * (int64_t)sizeof number, sizeof number);
    return number;
}

/* Whether offsets and sizes have 64 bits instead of 32. */
static inline bool lam_array_is_large(lam_arrow_kind kind) {
    return kind == LAM_ARROW_LARGE_BINARY || kind == LAM_ARROW_LARGE_STRING ||
           kind == LAM_ARROW_LARGE_LIST || kind == LAM_ARROW_LARGE_LIST_VIEW;
}

static inline int64_t lam_load_offset(bool is_large, const uint8_t *numbers, int64_t index) {
    return is_large ? lam_load_i64(numbers, index) : lam_load_i32(numbers, index);
}

/* The offset of slot i, from 0 to the view's length: where slot i starts and slot i - 1 ends. */
static inline int64_t lam_array_offset(const lam_array_view *view, int64_t slot) {
    return lam_load_offset(lam_array_is_large(view->kind), view->slots, view->offset + slot);
}

/* The element of the dictionary that slot i names. Null slots may hold any index. */
int64_t lam_array_index(const lam_array_view *view, int64_t slot);

/* The end of run i of a RUN_END_ENCODED's first child. */
int64_t lam_array_run_end(const lam_array_view *run_ends, int64_t run);
/* The first run that ends after a slot, or the number of checked runs if no run does. */
int64_t lam_array_find_run(const lam_array_view *run_ends, int64_t slot);

/*
 * One element of a BINARY_VIEW or STRING_VIEW: 16 bytes, with its value inside or elsewhere.
 *
 *     int32 size   up to 12 bytes of value
 *     int32 size   first 4 bytes of value   int32 buffer   int32 offset
 */
typedef struct lam_string_view {
    int32_t size;
    int32_t prefix;
    int32_t buffer;
    int32_t offset;
} lam_string_view;

enum { LAM_STRING_VIEW_INLINE = 12 };

static inline lam_string_view lam_array_string_view(const lam_array_view *view, int64_t slot) {
    lam_string_view at;
    memcpy(&at, view->slots + (view->offset + slot) * (int64_t)sizeof at, sizeof at);
    return at;
}

#endif
