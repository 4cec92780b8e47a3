/*
 * Arrow arrays as writing sees them: a tree of views in the shape of the fields, made once for a
 * schema and attached to one array after the other.
 *
 *     field                                 views
 *     a: dictionary<int8, string>           a (int8)      its dictionary: a (string)
 *     b: list<item: int32>                  b (list)      children: b.item
 *     c: run_end_encoded<int32, string>     c             children: c.run_ends, c.values
 *
 * Slot i of a view is element `offset` + i of its buffers. Numbers in them need not be aligned.
 */
#ifndef LAM_ARROW_ARRAY_VIEW_H
#define LAM_ARROW_ARRAY_VIEW_H

#include <string.h>

#include "arrow/arrow_field.h"
#include "arrow/arrow_path.h"

typedef struct lam_array_view {
    const lam_arrow_field *field;
    lam_arrow_path path;
    lam_arrow_kind kind; /* of its slots: the index kind where they point into a dictionary */
    size_t child_count;
    struct lam_array_view *children;
    struct lam_array_view *dictionary; /* of the values that the slots are indexes of, or NULL */

    /* The array that is attached. Its buffers, NULL where it has none: */
    int64_t length;
    int64_t offset;
    int64_t null_count;        /* as the array has it, -1 when it is not known */
    const uint8_t *validity;   /* a bit per slot */
    const uint8_t *slots;      /* values, indexes, offsets or string views, by kind */
    const uint8_t *extent;     /* bytes that offsets point into; sizes of list views */
    const void *const *data;   /* BINARY_VIEW, STRING_VIEW: buffers that views point into, ... */
    const uint8_t *data_sizes; /* ... int64_t: their sizes */
    size_t data_count;

    /* What was found of the slots that were checked (array_check.h). */
    bool has_nulls;
    bool needs_check;  /* a value may not fit its Parquet type: the quick look does not tell */
    int64_t run_count; /* of run ends: from the first one on */
} lam_array_view;

/*
 * The views of a field, from `arena`; the field is borrowed. UNSUPPORTED for a dictionary of nested
 * values, NOMEM.
 */
lam_status lam_array_view_create(const lam_arrow_field *field, lam_arena *arena,
                                 lam_array_view **ret_view, lam_error *error);

/*
 * Attaches a view and those below it to an array, which is borrowed. INVALID, with the field's
 * path, when the array is released, or has the wrong numbers of buffers or children, or lengths and
 * offsets that cannot be.
 */
lam_status lam_array_view_attach(lam_array_view *view, const struct ArrowArray *array,
                                 lam_error *error);

/* Fails with the path of the view's field in front. */
lam_status lam_array_fail(const lam_array_view *view, int kind, lam_error *error,
                          const char *format, ...) LAM_PRINTF(4, 5);

/* Bytes of an element of `slots`; 0 where that is not a whole number. */
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

/* Offsets and sizes have 32 bits or 64. */
static inline bool lam_array_is_large(lam_arrow_kind kind) {
    return kind == LAM_ARROW_LARGE_BINARY || kind == LAM_ARROW_LARGE_STRING ||
           kind == LAM_ARROW_LARGE_LIST || kind == LAM_ARROW_LARGE_LIST_VIEW;
}

static inline int64_t lam_load_offset(bool is_large, const uint8_t *numbers, int64_t index) {
    return is_large ? lam_load_i64(numbers, index) : lam_load_i32(numbers, index);
}

/* Offset of slot i, from 0 to the view's length: where it starts and the one before it ends. */
static inline int64_t lam_array_offset(const lam_array_view *view, int64_t slot) {
    return lam_load_offset(lam_array_is_large(view->kind), view->slots, view->offset + slot);
}

/* Where slot i of an array with a dictionary points into it. Null slots may hold anything. */
int64_t lam_array_index(const lam_array_view *view, int64_t slot);

/* The end of run i of a RUN_END_ENCODED's first child. */
int64_t lam_array_run_end(const lam_array_view *run_ends, int64_t run);
/* The first run that ends behind a slot, or the number of those that were checked. */
int64_t lam_array_find_run(const lam_array_view *run_ends, int64_t slot);

/* One element of a BINARY_VIEW or STRING_VIEW: 16 bytes, with its value inside or elsewhere.
 *
 *     int32 size   up to 12 bytes
 *     int32 size   4 bytes   int32 buffer   int32 offset
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
