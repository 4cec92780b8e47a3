/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reports ALP pages as encoding/alp.c draws them: header, offsets, and for each vector its header,
 * the packed integers and the exceptions. The texts of packed integers are the numbers that they
 * become: integer * 10^factor * 10^-exponent. Exceptions have no numbers there.
 *
 * A vector is always reported right after the one before, as the decoder demands, and only if it is
 * complete. (AlpEncoding.md, "Page Layout")
 */
#include "byte_map/encodings/alp_ranges.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/bytes.h"
#include "byte_map/encodings/hybrid_ranges.h"
#include "byte_map/walk/byte_text.h"
#include "encoding/alp_decimal.h"
#include "text/number_text.h"

enum {
    ALP_PAGE_HEADER = 7,
    ALP_OFFSET = 4,
    ALP_POSITION = 2,
    ALP_SCALE = 4, /* exponent, factor, number of exceptions */
    ALP_GROUP = 8,
    ALP_LOG2_MOST = 15
};

/* A vector whose header was read. */
typedef struct alp_vector_layout {
    size_t size;   /* bytes of a number */
    size_t header; /* bytes of the vector's header */
    size_t packed;
    size_t exceptions;
    unsigned width;
    lam_alp_scale scale;
    uint64_t frame;
    uint64_t first;
    uint64_t count;
} alp_vector_layout;

/* Reports a little-endian number. */
static lam_status alp_number(lam_byte_walk *walk, lam_byte_view view, size_t at, size_t size,
                             const char *label, bool is_signed, lam_error *error) {
    lam_byte_text text;
    lam_byte_range range = lam_byte_range_in(LAM_BYTE_NUMBER, view, at, size);
    uint64_t number = 0;
    for (size_t i = size; i > 0; i--)
        number = number << 8 | view.data[at + i - 1];
    if (is_signed && size == 4)
        number = (uint64_t)(int64_t)(int32_t)(uint32_t)number;
    lam_byte_text_of_numbers(&number, 1, is_signed, &text);
    range.label = label;
    range.value = text.text;
    return lam_byte_leaf(walk, &range, error);
}

static lam_status inside_of_alp_header(lam_byte_walk *walk, lam_byte_view view, const void *what,
                                       lam_error *error) {
    (void)what;
    LAM_TRY(alp_number(walk, view, 0, 1, "mode", false, error));
    LAM_TRY(alp_number(walk, view, 1, 1, "integer_encoding", false, error));
    LAM_TRY(alp_number(walk, view, 2, 1, "log2_vector_size", false, error));
    return alp_number(walk, view, 3, 4, "values", false, error);
}

static lam_status inside_of_offsets(lam_byte_walk *walk, lam_byte_view view, const void *what,
                                    lam_error *error) {
    (void)what;
    for (size_t at = 0; at < view.size; at += ALP_OFFSET)
        LAM_TRY(alp_number(walk, view, at, ALP_OFFSET, "offset", false, error));
    return LAM_STATUS_OK;
}

/* --- Vectors ------------------------------------------------------------------------------- */

/* The number that a packed integer becomes, as a text. */
static size_t text_of_packed(const alp_vector_layout *vector, uint64_t stored, char *text) {
    if (vector->size == 4) {
        uint32_t stored_32 = (uint32_t)stored;
        float number;
        lam_alp_to_floats(&stored_32, 1, (uint32_t)vector->frame, vector->scale, &number);
        return lam_float_print(number, text);
    }
    double number;
    lam_alp_to_doubles(&stored, 1, vector->frame, vector->scale, &number);
    return lam_double_print(number, text);
}

/* Scales are checked, so that the products of integers and powers of ten are finite. */
static lam_status report_packed(lam_byte_walk *walk, lam_byte_view view, size_t at, size_t size,
                                const alp_vector_layout *vector, uint64_t index, unsigned count,
                                lam_error *error) {
    char text[ALP_GROUP * (LAM_NUMBER_TEXT_MAX + 1)];
    size_t length = 0;
    lam_byte_range range = lam_byte_range_in(LAM_BYTE_PACKED_GROUP, view, at, size);
    for (unsigned i = 0; i < count; i++) {
        if (i > 0)
            text[length++] = ' ';
        uint64_t stored = lam_byte_unpack(view.data + at, size, vector->width, i, false);
        length += text_of_packed(vector, stored, text + length);
    }
    text[length] = '\0';
    range.first = (int64_t)(vector->first + index);
    range.count = count;
    range.bit_width = (int32_t)vector->width;
    range.value = text;
    return lam_byte_leaf(walk, &range, error);
}

static lam_status inside_of_packed(lam_byte_walk *walk, lam_byte_view view, const void *what,
                                   lam_error *error) {
    const alp_vector_layout *vector = what;
    size_t at = 0; /* each group has bytes: its width, the last one perhaps fewer */
    for (uint64_t done = 0; done < vector->count; done += ALP_GROUP) {
        size_t size = vector->width < view.size - at ? vector->width : view.size - at;
        uint64_t left = vector->count - done;
        LAM_TRY(report_packed(walk, view, at, size, vector, done,
                              left < ALP_GROUP ? (unsigned)left : ALP_GROUP, error));
        at += size;
    }
    return LAM_STATUS_OK;
}

/* Positions first, which are numbers in the vector, then the values at these. */
static lam_status inside_of_exceptions(lam_byte_walk *walk, lam_byte_view view, const void *what,
                                       lam_error *error) {
    const alp_vector_layout *vector = what;
    size_t values = vector->exceptions * ALP_POSITION;
    for (size_t i = 0; i < vector->exceptions; i++)
        LAM_TRY(alp_number(walk, view, i * ALP_POSITION, ALP_POSITION, "position", false, error));
    for (size_t i = 0; i < vector->exceptions; i++) {
        lam_byte_text text;
        size_t at = values + i * vector->size;
        lam_byte_range range = lam_byte_range_in(LAM_BYTE_VALUE, view, at, vector->size);
        lam_byte_text_of_number(view.data + at, vector->size, &text);
        range.first = (int64_t)(vector->first + lam_load_le16(view.data + i * ALP_POSITION));
        range.count = 1;
        range.label = "exception";
        range.value = text.text;
        LAM_TRY(lam_byte_leaf(walk, &range, error));
    }
    return LAM_STATUS_OK;
}

static lam_status inside_of_vector(lam_byte_walk *walk, lam_byte_view view, const void *what,
                                   lam_error *error) {
    const alp_vector_layout *vector = what;
    LAM_TRY(alp_number(walk, view, 0, 1, "exponent", false, error));
    LAM_TRY(alp_number(walk, view, 1, 1, "factor", false, error));
    LAM_TRY(alp_number(walk, view, 2, 2, "exceptions", false, error));
    LAM_TRY(alp_number(walk, view, ALP_SCALE, vector->size, "frame", true, error));
    LAM_TRY(alp_number(walk, view, ALP_SCALE + vector->size, 1, "bit_width", false, error));
    lam_byte_view bits = lam_byte_view_cut(view, vector->header, vector->packed);
    lam_byte_range packed = lam_byte_range_in(LAM_BYTE_ALP_PACKED, bits, 0, bits.size);
    packed.first = (int64_t)vector->first;
    packed.count = (int64_t)vector->count;
    packed.bit_width = (int32_t)vector->width;
    packed.is_expandable = bits.size > 0;
    char text[LAM_NUMBER_TEXT_MAX + 1];
    if (bits.size == 0) { /* all integers are the frame */
        text[text_of_packed(vector, 0, text)] = '\0';
        packed.value = text;
    }
    LAM_TRY(lam_byte_enter_view(walk, &packed, bits, inside_of_packed, vector, error));
    size_t behind = vector->header + vector->packed;
    if (vector->exceptions == 0)
        return LAM_STATUS_OK;
    lam_byte_view rest = lam_byte_view_cut(view, behind, view.size - behind);
    lam_byte_range exceptions = lam_byte_range_in(LAM_BYTE_ALP_EXCEPTIONS, rest, 0, rest.size);
    exceptions.count = (int64_t)vector->exceptions;
    exceptions.is_expandable = true;
    return lam_byte_enter_view(walk, &exceptions, rest, inside_of_exceptions, vector, error);
}

/* Reads the header of a vector; false if not all of the vector is there, or it is impossible. */
static bool read_vector(lam_byte_view view, alp_vector_layout *vector, size_t *ret_size) {
    vector->header = ALP_SCALE + vector->size + 1;
    if (view.size < vector->header)
        return false;
    vector->scale = (lam_alp_scale){view.data[0], view.data[1]};
    vector->exceptions = lam_load_le16(view.data + 2);
    vector->frame = vector->size == 4 ? lam_load_le32(view.data + ALP_SCALE)
                                      : lam_load_le64(view.data + ALP_SCALE);
    vector->width = view.data[ALP_SCALE + vector->size];
    unsigned most = vector->size == 4 ? LAM_ALP_MAX_EXPONENT_32 : LAM_ALP_MAX_EXPONENT_64;
    if (vector->width > 8 * vector->size || vector->exceptions > vector->count ||
        vector->scale.exponent > most || vector->scale.factor > vector->scale.exponent)
        return false;
    vector->packed = (size_t)((vector->count * vector->width + 7) / 8);
    *ret_size =
        vector->header + vector->packed + vector->exceptions * (ALP_POSITION + vector->size);
    return *ret_size <= view.size;
}

static lam_status report_vectors(lam_byte_walk *walk, lam_byte_view view, size_t at, size_t size,
                                 uint64_t count, unsigned log2, lam_error *error) {
    for (uint64_t done = 0; done < count;) {
        alp_vector_layout vector = {.size = size, .first = done};
        size_t bytes;
        vector.count = count - done < (UINT64_C(1) << log2) ? count - done : UINT64_C(1) << log2;
        if (!read_vector(lam_byte_view_cut(view, at, view.size - at), &vector, &bytes))
            return lam_byte_unknown(walk, view, at, view.size - at, error,
                                    "no vector of %" PRIu64 " values", vector.count);
        lam_byte_view whole = lam_byte_view_cut(view, at, bytes);
        lam_byte_range range = lam_byte_range_in(LAM_BYTE_ALP_VECTOR, whole, 0, bytes);
        range.first = (int64_t)done;
        range.count = (int64_t)vector.count;
        range.is_expandable = true;
        LAM_TRY(lam_byte_enter_view(walk, &range, whole, inside_of_vector, &vector, error));
        done += vector.count;
        at += bytes;
    }
    return lam_byte_unknown(walk, view, at, view.size - at, error, "bytes behind the last vector");
}

lam_status lam_byte_alp(lam_byte_walk *walk, lam_byte_view view, size_t size, lam_error *error) {
    if (view.size < ALP_PAGE_HEADER)
        return lam_byte_unknown(walk, view, 0, view.size, error, "the bytes end inside the header");
    unsigned log2 = view.data[2];
    uint64_t count = lam_load_le32(view.data + 3);
    if (view.data[0] != 0 || view.data[1] != 0 || log2 > ALP_LOG2_MOST)
        return lam_byte_unknown(walk, view, 0, view.size, error,
                                "mode %u, integer encoding %u and vectors of 2^%u values are not "
                                "supported",
                                view.data[0], view.data[1], log2);
    uint64_t vectors = (count + (UINT64_C(1) << log2) - 1) >> log2;
    if (vectors > (view.size - ALP_PAGE_HEADER) / ALP_OFFSET)
        return lam_byte_unknown(walk, view, 0, view.size, error, "%" PRIu64 " vectors in %zu bytes",
                                vectors, view.size);
    lam_byte_view offsets = lam_byte_view_cut(view, ALP_PAGE_HEADER, (size_t)vectors * ALP_OFFSET);
    lam_byte_range header = lam_byte_range_in(LAM_BYTE_ALP_HEADER, view, 0, ALP_PAGE_HEADER);
    lam_byte_range list = lam_byte_range_in(LAM_BYTE_ALP_OFFSETS, offsets, 0, offsets.size);
    header.is_expandable = true;
    LAM_TRY(lam_byte_enter_view(walk, &header, lam_byte_view_cut(view, 0, ALP_PAGE_HEADER),
                                inside_of_alp_header, NULL, error));
    list.count = (int64_t)vectors;
    list.is_expandable = offsets.size > 0;
    LAM_TRY(lam_byte_enter_view(walk, &list, offsets, inside_of_offsets, NULL, error));
    return report_vectors(walk, view, ALP_PAGE_HEADER + offsets.size, size, count, log2, error);
}
