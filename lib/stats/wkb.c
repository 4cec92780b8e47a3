/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads geometries in well-known binary, the ISO form that Geospatial.md requires, and passes their
 * points to a sink.
 *
 *     geometry := byte order (0 big-endian, 1 little-endian)  uint32(code)  body
 *     code     := kind + 1000 * layout, by table in Geospatial.md
 *     point    := a double for each axis
 *     line     := uint32(count) point*
 *     polygon  := uint32(count) line*
 *     the rest := uint32(count) geometry*, of some kinds only, all of one layout
 *
 * The bytes may come from anyone. The invariants: no count is believed before that many bytes are
 * found, and nesting is a stack in a buffer, not of calls, so that no input exhausts either.
 */
#include "stats/wkb.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/bytes.h"
#include "base/error.h"

enum { WKB_HEADER = 5, COUNT = 4, AXIS = 8 };

/* An open geometry that is made of geometries. */
typedef struct wkb_level {
    uint32_t left;    /* members still to come */
    uint32_t members; /* bit k: kind k is allowed among them */
} wkb_level;

typedef struct wkb_reader {
    lam_bytes bytes;
    size_t at;     /* the next byte */
    bool little;   /* byte order of the current geometry */
    unsigned kind; /* of the current geometry, like layout */
    unsigned layout;
    const lam_wkb_sink *sink;
    lam_buffer *nesting; /* wkb_level */
} wkb_reader;

/* Fails with INVALID at the current byte. */
static lam_status wkb_wrong(const wkb_reader *reader, const char *what, lam_error *error) {
    LAM_FAIL(error, LAM_STATUS_INVALID, "%s at byte %zu of %zu", what, reader->at,
             reader->bytes.size);
}

/* True when that many bytes are left. 64 bits hold any product of a count and a size. */
static bool wkb_has(const wkb_reader *reader, uint64_t bytes) {
    return bytes <= reader->bytes.size - reader->at;
}

/* Takes a number whose bytes the caller has checked for. */
static uint32_t wkb_take_number(wkb_reader *reader) {
    uint32_t number = lam_load_le32(reader->bytes.data + reader->at);
    reader->at += COUNT;
    return reader->little ? number : lam_swap32(number);
}

/* Takes a double, checked for likewise. */
static double take_axis(wkb_reader *reader) {
    uint64_t bits = lam_load_le64(reader->bytes.data + reader->at);
    double axis;
    bits = reader->little ? bits : lam_swap64(bits);
    memcpy(&axis, &bits, sizeof axis);
    reader->at += AXIS;
    return axis;
}

/* Doubles of a point, by layout. */
static unsigned axis_count(const wkb_reader *reader) {
    static const unsigned axes[LAM_WKB_LAYOUTS] = {2, 3, 3, 4};
    return axes[reader->layout];
}

/* --- Points and lines ------------------------------------------------------------------------ */

/* Passes points on, with axes in the order x, y, z, m; layout 2 has m without z. */
static lam_status read_points(wkb_reader *reader, uint32_t count, lam_error *error) {
    if (!wkb_has(reader, (uint64_t)count * axis_count(reader) * AXIS))
        return wkb_wrong(reader, "more points than there are bytes for", error);
    for (uint32_t i = 0; i < count; i++) {
        double axes[LAM_WKB_AXES] = {0, 0, (double)NAN, (double)NAN};
        axes[0] = take_axis(reader);
        axes[1] = take_axis(reader);
        if (reader->layout == 1 || reader->layout == 3)
            axes[2] = take_axis(reader);
        if (reader->layout >= 2)
            axes[3] = take_axis(reader);
        reader->sink->point(reader->sink->state, axes);
    }
    return LAM_STATUS_OK;
}

/*
 * Takes a number of members that take at least `least` bytes each: a count of 2^32 - 1 in a short
 * value fails here, before any loop.
 */
static lam_status read_count(wkb_reader *reader, unsigned least, uint32_t *ret_count,
                             lam_error *error) {
    if (!wkb_has(reader, COUNT))
        return wkb_wrong(reader, "an end within a number of parts", error);
    *ret_count = wkb_take_number(reader);
    return wkb_has(reader, (uint64_t)*ret_count * least)
               ? LAM_STATUS_OK
               : wkb_wrong(reader, "a number of parts before that exceeds the bytes left", error);
}

/* read_points checks the exact size, for which the least of one byte is only a start. */
static lam_status read_line(wkb_reader *reader, lam_error *error) {
    uint32_t count;
    LAM_TRY(read_count(reader, 1, &count, error));
    return read_points(reader, count, error);
}

static lam_status read_polygon(wkb_reader *reader, lam_error *error) {
    uint32_t count;
    LAM_TRY(read_count(reader, COUNT, &count, error));
    for (uint32_t i = 0; i < count; i++)
        LAM_TRY(read_line(reader, error));
    return LAM_STATUS_OK;
}

/* --- Geometries ------------------------------------------------------------------------------ */

#define WKB_KIND(NAME) (UINT32_C(1) << LAM_WKB_##NAME)

/* Gives the kinds that a geometry of a kind that is not made of points may be made of, as bits. */
static uint32_t members_of(unsigned kind) {
    const uint32_t curves = WKB_KIND(LINE_STRING) | WKB_KIND(CIRCULAR_STRING);
    switch (kind) {
    case LAM_WKB_MULTI_POINT:
        return WKB_KIND(POINT);
    case LAM_WKB_MULTI_LINE_STRING:
        return WKB_KIND(LINE_STRING);
    case LAM_WKB_MULTI_POLYGON:
    case LAM_WKB_POLYHEDRAL_SURFACE:
        return WKB_KIND(POLYGON);
    case LAM_WKB_COLLECTION:
        return UINT32_MAX;
    case LAM_WKB_COMPOUND_CURVE:
        return curves;
    case LAM_WKB_CURVE_POLYGON:
    case LAM_WKB_MULTI_CURVE:
        return curves | WKB_KIND(COMPOUND_CURVE);
    case LAM_WKB_MULTI_SURFACE:
        return WKB_KIND(POLYGON) | WKB_KIND(CURVE_POLYGON);
    default: /* TIN */
        return WKB_KIND(TRIANGLE) | WKB_KIND(POLYGON);
    }
}

/*
 * Reads byte order and code. Extended WKB, another form of the same kinds, has flags in the upper
 * three bits; each member has a header of its own, and must have the layout around it.
 */
static lam_status wkb_read_header(wkb_reader *reader, lam_error *error) {
    unsigned kind, layout;
    if (!wkb_has(reader, WKB_HEADER))
        return wkb_wrong(reader, "an end within the header of a geometry", error);
    if (reader->bytes.data[reader->at] > 1)
        return wkb_wrong(reader, "a byte order that is neither 0 nor 1", error);
    reader->little = reader->bytes.data[reader->at++] == 1;
    uint32_t code = wkb_take_number(reader);
    if (code >> 29 != 0)
        LAM_FAIL(error, LAM_STATUS_INVALID,
                 "code 0x%08" PRIx32 " of extended WKB, which is not the ISO form", code);
    if (!lam_wkb_code_split(code, &kind, &layout))
        LAM_FAIL(error, LAM_ERROR_CODE_UNSUPPORTED_GEOMETRY,
                 "geometries of the unknown code %" PRIu32, code);
    bool nested = reader->nesting->size > 0;
    if (nested && layout != reader->layout)
        return wkb_wrong(reader, "other axes than the geometry around it has", error);
    reader->kind = kind;
    reader->layout = layout;
    return LAM_STATUS_OK;
}

/* Pushes a geometry whose members come next. */
static lam_status open_members(wkb_reader *reader, lam_error *error) {
    wkb_level level = {0, members_of(reader->kind)};
    LAM_TRY(read_count(reader, WKB_HEADER, &level.left, error));
    return lam_buffer_append(reader->nesting, &level, sizeof level, error);
}

/* Reads points at once, and only the count of a geometry that is made of others. */
static lam_status read_geometry(wkb_reader *reader, lam_error *error) {
    LAM_TRY(wkb_read_header(reader, error));
    switch (reader->kind) {
    case LAM_WKB_POINT:
        return read_points(reader, 1, error);
    case LAM_WKB_LINE_STRING:
    case LAM_WKB_CIRCULAR_STRING:
        return read_line(reader, error);
    case LAM_WKB_POLYGON:
    case LAM_WKB_TRIANGLE:
        return read_polygon(reader, error);
    default:
        return open_members(reader, error);
    }
}

/*
 * Moves on to the next member of the innermost geometry that has one left, dropping those that are
 * complete; false when none is open.
 */
static bool wkb_next_member(wkb_reader *reader, uint32_t *ret_members) {
    while (reader->nesting->size > 0) {
        uint8_t *top = reader->nesting->data + reader->nesting->size - sizeof(wkb_level);
        wkb_level level;
        memcpy(&level, top, sizeof level);
        *ret_members = level.members;
        if (level.left > 0) {
            level.left--;
            memcpy(top, &level, sizeof level);
            return true;
        }
        reader->nesting->size -= sizeof level;
    }
    return false;
}

/* One round per member: reads it, then checks that its parent may have it. */
lam_status lam_wkb_read(lam_bytes geometry, const lam_wkb_sink *sink, lam_buffer *nesting,
                        lam_wkb_traits *ret_traits, lam_error *error) {
    wkb_reader reader = {.bytes = geometry, .sink = sink, .nesting = nesting};
    uint32_t members;
    LAM_TRY(read_geometry(&reader, error));
    lam_wkb_traits traits = {reader.kind, reader.layout, UINT32_C(1) << reader.kind};
    while (wkb_next_member(&reader, &members)) {
        LAM_TRY(read_geometry(&reader, error));
        if ((members >> reader.kind & 1) == 0)
            return wkb_wrong(&reader, "a member before that the geometry around it cannot have",
                             error);
        traits.kinds |= UINT32_C(1) << reader.kind;
    }
    if (reader.at < geometry.size)
        return wkb_wrong(&reader, "more after the geometry", error);
    *ret_traits = traits;
    return LAM_STATUS_OK;
}
