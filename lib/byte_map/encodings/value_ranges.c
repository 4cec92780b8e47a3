/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reports the values of a page, by encoding: PLAIN, runs of indexes and of booleans, and streams of
 * bytes here; differences and ALP in sources of their own. The ranges cover the uncompressed bytes,
 * whatever they are.
 *
 * A value is only ever reported if all of its bytes are there; bytes that remain after the last one
 * are one UNKNOWN range. (Encodings.md, "Plain", "Dictionary Encoding", "Run Length Encoding /
 * Bit-Packing Hybrid", "Byte Stream Split")
 */
#include "byte_map/encodings/value_ranges.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/bytes.h"
#include "byte_map/encodings/alp_ranges.h"
#include "byte_map/encodings/delta_ranges.h"
#include "byte_map/encodings/hybrid_ranges.h"
#include "byte_map/encodings/variant_ranges.h"
#include "byte_map/walk/byte_text.h"
#include "encoding/encoding.h"

/* --- PLAIN --------------------------------------------------------------------------------- */

static const char BEHIND_VALUES[] = "bytes behind the last value";

/* Booleans: 8 in each byte, the first in the lowest bit. */
static lam_status plain_booleans(lam_byte_walk *walk, lam_byte_view view, uint64_t count,
                                 lam_error *error) {
    lam_byte_packed packed = {.bit_width = 1, .count = count};
    size_t size = (count + 7) / 8 < view.size ? (size_t)((count + 7) / 8) : view.size;
    LAM_TRY(lam_byte_groups(walk, lam_byte_view_cut(view, 0, size), &packed, error));
    return lam_byte_unknown(walk, view, size, view.size - size, error, "%s", BEHIND_VALUES);
}

/* Numbers, and byte arrays of one length. */
static lam_status plain_fixed(lam_byte_walk *walk, lam_byte_view view,
                              const lam_byte_values *values, lam_error *error) {
    size_t size = (size_t)lam_field_type_length(values->leaf), at = 0;
    for (uint64_t i = 0; i < values->count && view.size - at >= size; i++) {
        lam_byte_text text;
        lam_byte_range range = lam_byte_range_in(LAM_BYTE_VALUE, view, at, size);
        lam_byte_text_of_value(values->leaf, (lam_bytes){view.data + at, size}, &text);
        range.first = (int64_t)i;
        range.count = 1;
        range.value = text.text;
        LAM_TRY(lam_byte_leaf(walk, &range, error));
        at += size;
    }
    return lam_byte_unknown(walk, view, at, view.size - at, error, "%s", BEHIND_VALUES);
}

/* A byte array as text, and its meaning in a VARIANT. */
typedef struct byte_array {
    lam_byte_text text;
    lam_byte_variant variant;
} byte_array;

/* The length of a byte array, and its bytes. */
static lam_status inside_of_byte_array(lam_byte_walk *walk, lam_byte_view view, const void *what,
                                       lam_error *error) {
    enum { LENGTH = 4 };
    const byte_array *array = what;
    lam_byte_text text;
    lam_byte_range length = lam_byte_range_in(LAM_BYTE_VALUE_LENGTH, view, 0, LENGTH);
    uint64_t number = lam_load_le32(view.data);
    lam_byte_text_of_numbers(&number, 1, false, &text);
    length.value = text.text;
    LAM_TRY(lam_byte_leaf(walk, &length, error));
    if (view.size == LENGTH)
        return LAM_STATUS_OK;
    if (array->variant != LAM_BYTE_VARIANT_NONE)
        return lam_byte_variant_inside(walk, lam_byte_view_cut(view, LENGTH, view.size - LENGTH),
                                       array->variant, error);
    lam_byte_range bytes =
        lam_byte_range_in(LAM_BYTE_VALUE_BYTES, view, LENGTH, view.size - LENGTH);
    bytes.value = array->text.text;
    return lam_byte_leaf(walk, &bytes, error);
}

static lam_status plain_byte_arrays(lam_byte_walk *walk, lam_byte_view view,
                                    const lam_byte_values *values, lam_error *error) {
    size_t at = 0;
    byte_array array = {.variant = lam_byte_variant_of_leaf(values->leaf)};
    for (uint64_t i = 0; i < values->count && view.size - at >= 4; i++) {
        uint32_t length = lam_load_le32(view.data + at);
        if (length > view.size - at - 4)
            return lam_byte_unknown(walk, view, at, view.size - at, error,
                                    "a value of %" PRIu32 " bytes, of which %zu are there", length,
                                    view.size - at - 4);
        lam_byte_view whole = lam_byte_view_cut(view, at, 4 + (size_t)length);
        lam_byte_range range = lam_byte_range_in(LAM_BYTE_VALUE, whole, 0, whole.size);
        lam_byte_text_of_value(values->leaf, (lam_bytes){whole.data + 4, length}, &array.text);
        range.first = (int64_t)i;
        range.count = 1;
        range.value = array.text.text;
        range.is_expandable = true;
        LAM_TRY(lam_byte_enter_view(walk, &range, whole, inside_of_byte_array, &array, error));
        at += whole.size;
    }
    return lam_byte_unknown(walk, view, at, view.size - at, error, "%s", BEHIND_VALUES);
}

static lam_status plain_values(lam_byte_walk *walk, lam_byte_view view,
                               const lam_byte_values *values, lam_error *error) {
    switch (lam_field_physical_type(values->leaf)) {
    case LAM_PHYSICAL_BOOLEAN:
        return plain_booleans(walk, view, values->count, error);
    case LAM_PHYSICAL_BYTE_ARRAY:
        return plain_byte_arrays(walk, view, values, error);
    default:
        return plain_fixed(walk, view, values, error);
    }
}

/* --- Runs ---------------------------------------------------------------------------------- */

/* Indexes: a byte with their bit width, then runs. */
static lam_status dictionary_indexes(lam_byte_walk *walk, lam_byte_view view, uint64_t count,
                                     lam_error *error) {
    lam_byte_text text;
    uint64_t width = view.data[0];
    lam_byte_range range = lam_byte_range_in(LAM_BYTE_BIT_WIDTH, view, 0, 1);
    lam_byte_text_of_numbers(&width, 1, false, &text);
    range.label = "of indexes";
    range.value = text.text;
    LAM_TRY(lam_byte_leaf(walk, &range, error));
    return lam_byte_runs(walk, lam_byte_view_cut(view, 1, view.size - 1), (unsigned)width, count,
                         error);
}

/* Booleans as runs, with the length of these before them. */
static lam_status rle_booleans(lam_byte_walk *walk, lam_byte_view view, uint64_t count,
                               lam_error *error) {
    enum { LENGTH = 4 };
    lam_byte_text text;
    if (view.size < LENGTH)
        return lam_byte_unknown(walk, view, 0, view.size, error,
                                "the bytes end inside the length of the runs");
    uint64_t length = lam_load_le32(view.data);
    lam_byte_range range = lam_byte_range_in(LAM_BYTE_RUNS_LENGTH, view, 0, LENGTH);
    lam_byte_text_of_numbers(&length, 1, false, &text);
    range.value = text.text;
    LAM_TRY(lam_byte_leaf(walk, &range, error));
    size_t size = length < view.size - LENGTH ? (size_t)length : view.size - LENGTH;
    LAM_TRY(lam_byte_runs(walk, lam_byte_view_cut(view, LENGTH, size), 1, count, error));
    return lam_byte_unknown(walk, view, LENGTH + size, view.size - LENGTH - size, error, "%s",
                            BEHIND_VALUES);
}

/* --- Streams ------------------------------------------------------------------------------- */

/* Stream i has byte i of each value; byte j of a stream belongs to value j. */
static lam_status byte_streams(lam_byte_walk *walk, lam_byte_view view, const lam_field *leaf,
                               lam_error *error) {
    size_t width = (size_t)lam_field_type_length(leaf);
    size_t count = view.size / width; /* the schema has no width 0 */
    for (size_t i = 0; i < width && count > 0; i++) {
        char label[40];
        lam_byte_range range = lam_byte_range_in(LAM_BYTE_STREAM, view, i * count, count);
        snprintf(label, sizeof label, "byte %zu of each value", i);
        range.label = label;
        range.first = 0;
        range.count = (int64_t)count;
        range.bit_width = 8;
        LAM_TRY(lam_byte_leaf(walk, &range, error));
    }
    return lam_byte_unknown(walk, view, width * count, view.size - width * count, error, "%s",
                            BEHIND_VALUES);
}

/* --- All encodings ------------------------------------------------------------------------- */

static lam_status by_encoding(lam_byte_walk *walk, lam_byte_view view, const void *what,
                              lam_error *error) {
    const lam_byte_values *values = what;
    lam_physical_type type = lam_field_physical_type(values->leaf);
    if (!lam_encoding_takes(values->encoding, type))
        return lam_byte_unknown(walk, view, 0, view.size, error, "%s values in the encoding %s",
                                lam_encoding_type_name(type), lam_encoding_name(values->encoding));
    switch (values->encoding) {
    case LAM_ENCODING_PLAIN:
        return plain_values(walk, view, values, error);
    case LAM_ENCODING_PLAIN_DICTIONARY:
    case LAM_ENCODING_RLE_DICTIONARY:
        return dictionary_indexes(walk, view, values->count, error);
    case LAM_ENCODING_RLE:
        return rle_booleans(walk, view, values->count, error);
    case LAM_ENCODING_DELTA_BINARY_PACKED:
        return lam_byte_delta_binary_packed(walk, view, values->leaf, error);
    case LAM_ENCODING_DELTA_LENGTH_BYTE_ARRAY:
        return lam_byte_delta_length(walk, view, values->leaf, error);
    case LAM_ENCODING_DELTA_BYTE_ARRAY:
        return lam_byte_delta_byte_array(walk, view, values->leaf, error);
    case LAM_ENCODING_BYTE_STREAM_SPLIT:
        return byte_streams(walk, view, values->leaf, error);
    default:
        return lam_byte_alp(walk, view, type == LAM_PHYSICAL_FLOAT ? 4 : 8, error);
    }
}

lam_status lam_byte_values_of(lam_byte_walk *walk, lam_byte_view view,
                              const lam_byte_values *values, lam_error *error) {
    lam_byte_range range = lam_byte_range_in(LAM_BYTE_VALUES, view, 0, view.size);
    range.label = lam_encoding_name(values->encoding);
    range.first = 0;
    range.count = (int64_t)values->count;
    range.is_expandable = true;
    if (view.size == 0)
        return LAM_STATUS_OK;
    return lam_byte_enter_view(walk, &range, view, by_encoding, values, error);
}
