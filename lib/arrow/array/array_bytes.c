/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bounds the bytes of slots from the shape of an array: for a range of slots of a checked view,
 * finds a number of bytes that their triples do not exceed.
 *
 *     fixed width            slots * width, at least FIXED_MOST each: they may become INT96
 *     strings, binary        the bytes between the first offset and the last
 *     string views           slots * the longest, which array_check.h finds
 *     dictionary             slots * the longest entry
 *     lists                  the elements between the first offset and the last
 *
 * The bound is never too small for what the format can make of the slots; nulls count as values.
 */
#include "arrow/array/array_bytes.h"

enum {
    FIXED_MOST = 16,       /* bytes of a value that its own width does not exceed */
    TEXT_LENGTH_BYTES = 4, /* before a BYTE_ARRAY in PLAIN */
    SLOT_BYTES = TEXT_LENGTH_BYTES + LAM_TRIPLE_BYTES
};

static uint64_t cap(uint64_t bytes) {
    return bytes < LAM_ARRAY_BYTES_UNKNOWN ? bytes : LAM_ARRAY_BYTES_UNKNOWN;
}

/* `bytes` of a slot: at least one. */
static uint64_t times(int64_t count, uint64_t bytes) {
    bool is_large = (uint64_t)count > LAM_ARRAY_BYTES_UNKNOWN / bytes;
    return is_large ? LAM_ARRAY_BYTES_UNKNOWN : (uint64_t)count * bytes;
}

/* The leaves below a view, each of which has a triple for an empty list. */
static uint64_t leaf_count_of(const lam_array_view *view) {
    uint64_t leaves = view->child_count == 0;
    for (size_t i = 0; i < view->child_count; i++)
        leaves += leaf_count_of(&view->children[i]);
    return leaves;
}

static uint64_t bytes_of_text(const lam_array_view *view, int64_t start, int64_t count) {
    int64_t first = lam_array_offset(view, start), end = lam_array_offset(view, start + count);
    return cap(times(count, SLOT_BYTES) + (uint64_t)(end - first));
}

/* The longest entry of a dictionary, whose entries are never nested (array_view.c). */
static uint64_t longest_entry(const lam_array_view *dictionary) {
    uint64_t most = FIXED_MOST;
    for (int64_t i = 0; i < dictionary->length; i++) {
        uint64_t bytes = lam_array_bytes_most(dictionary, i, 1);
        most = bytes > most ? bytes : most;
    }
    return most;
}

/*
 * A dictionary no longer than the slots was checked entirely, a longer one only where it is used.
 */
static uint64_t bytes_of_dictionary(const lam_array_view *view, int64_t count) {
    if (view->dictionary->length > count)
        return LAM_ARRAY_BYTES_UNKNOWN;
    return times(count, longest_entry(view->dictionary));
}

static uint64_t bytes_of_lists(const lam_array_view *view, int64_t start, int64_t count) {
    const lam_array_view *element = &view->children[0];
    int64_t at = view->offset + start, first = at * view->field->type.fixed_size, elements;
    if (view->kind == LAM_ARROW_FIXED_SIZE_LIST) {
        elements = count * view->field->type.fixed_size;
    } else {
        first = lam_array_offset(view, start);
        elements = lam_array_offset(view, start + count) - first;
    }
    return cap(times(count, SLOT_BYTES * leaf_count_of(element)) +
               lam_array_bytes_most(element, first, elements));
}

static uint64_t bytes_of_structs(const lam_array_view *view, int64_t start, int64_t count) {
    uint64_t bytes = 0;
    for (size_t i = 0; i < view->child_count && bytes < LAM_ARRAY_BYTES_UNKNOWN; i++)
        bytes += lam_array_bytes_most(&view->children[i], view->offset + start, count);
    return cap(bytes);
}

static uint64_t bytes_of_fixed(const lam_array_view *view, int64_t count) {
    size_t width = lam_array_slot_size(view);
    return times(count, (width > FIXED_MOST ? width : FIXED_MOST) + LAM_TRIPLE_BYTES);
}

uint64_t lam_array_bytes_most(const lam_array_view *view, int64_t start, int64_t count) {
    if (count == 0)
        return 0;
    if (view->dictionary != NULL)
        return bytes_of_dictionary(view, count);
    switch (view->kind) {
    case LAM_ARROW_BINARY:
    case LAM_ARROW_LARGE_BINARY:
    case LAM_ARROW_STRING:
    case LAM_ARROW_LARGE_STRING:
        return bytes_of_text(view, start, count);
    case LAM_ARROW_BINARY_VIEW:
    case LAM_ARROW_STRING_VIEW:
        return times(count, SLOT_BYTES + (uint64_t)view->longest);
    case LAM_ARROW_LIST:
    case LAM_ARROW_LARGE_LIST:
    case LAM_ARROW_MAP:
    case LAM_ARROW_FIXED_SIZE_LIST:
        return bytes_of_lists(view, start, count);
    case LAM_ARROW_STRUCT:
        return bytes_of_structs(view, start, count);
    case LAM_ARROW_LIST_VIEW:
    case LAM_ARROW_LARGE_LIST_VIEW:
    case LAM_ARROW_RUN_END_ENCODED:
        return LAM_ARRAY_BYTES_UNKNOWN;
    default:
        return bytes_of_fixed(view, count);
    }
}
