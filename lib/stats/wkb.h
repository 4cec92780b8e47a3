/* SPDX-License-Identifier: Apache-2.0 */
/* Geometries in the ISO form of well-known binary. (Geospatial.md, section "Background") */
#ifndef LAM_STATS_WKB_H
#define LAM_STATS_WKB_H

#include "base/buffer.h"

/* Kinds as WKB numbers them; 13 and 14 are abstract and never occur in bytes. */
enum {
    LAM_WKB_POINT = 1,
    LAM_WKB_LINE_STRING = 2,
    LAM_WKB_POLYGON = 3,
    LAM_WKB_MULTI_POINT = 4,
    LAM_WKB_MULTI_LINE_STRING = 5,
    LAM_WKB_MULTI_POLYGON = 6,
    LAM_WKB_COLLECTION = 7,
    LAM_WKB_CIRCULAR_STRING = 8,
    LAM_WKB_COMPOUND_CURVE = 9,
    LAM_WKB_CURVE_POLYGON = 10,
    LAM_WKB_MULTI_CURVE = 11,
    LAM_WKB_MULTI_SURFACE = 12,
    LAM_WKB_POLYHEDRAL_SURFACE = 15,
    LAM_WKB_TIN = 16,
    LAM_WKB_TRIANGLE = 17,
    LAM_WKB_KINDS = 18,
    LAM_WKB_LAYOUTS = 4, /* XY, XYZ, XYM, XYZM */
    LAM_WKB_AXES = 4     /* x, y, z, m */
};

/*
 * Splits the code that WKB and parquet.thrift have for a geometry: 1000 * layout + kind, 3002 is a
 * line string with z and m. False for codes that are not among those above.
 */
static inline bool lam_wkb_code_split(uint32_t code, unsigned *ret_kind, unsigned *ret_layout) {
    *ret_kind = code % 1000;
    *ret_layout = code / 1000 % LAM_WKB_LAYOUTS;
    return code / 1000 < LAM_WKB_LAYOUTS && *ret_kind >= LAM_WKB_POINT &&
           *ret_kind < LAM_WKB_KINDS && *ret_kind != 13 && *ret_kind != 14;
}

/* Receives each point of a geometry, with NaN on the axes that it has not. */
typedef struct lam_wkb_sink {
    void *state;
    void (*point)(void *state, const double axes[LAM_WKB_AXES]);
} lam_wkb_sink;

/* The type of a geometry. */
typedef struct lam_wkb_traits {
    unsigned kind;   /* of the outermost geometry */
    unsigned layout; /* index of XY, XYZ, XYM, XYZM */
    uint32_t kinds;  /* bit k: kind k occurs, outermost included */
} lam_wkb_traits;

/*
 * Reads a geometry. INVALID with the problem and its byte, UNSUPPORTED for kinds beyond those
 * above, or NOMEM; the sink may have received points then. `nesting` is room for open geometries:
 * it comes empty, grows with the depth of the bytes and never beyond their size, and is left for
 * the caller to clear.
 */
lam_status lam_wkb_read(lam_bytes geometry, const lam_wkb_sink *sink, lam_buffer *nesting,
                        lam_wkb_traits *ret_traits, lam_error *error);

#endif
