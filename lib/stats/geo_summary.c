/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Collects the bounding box and the types of geometries. Takes values in well-known binary, which
 * may be anything; gives GeospatialStatistics. Every point widens one range per axis; longitudes
 * west and east of 0 are kept apart as well, as a box may be smaller across the antimeridian:
 *
 *     -180       -170 ...................... 160       180
 *       |  o  o   |           no points       |  o  o   |
 *     full range    -178 to 178       across    162 to -172, 26 degrees wide
 *
 * A value that is not a geometry only makes the statistics disappear, and never makes the write
 * fail. (Geospatial.md, "Bounding Box", "Geospatial Types")
 */
#include "stats/geo_summary.h"

#include <math.h>
#include <string.h>

#include "base/error.h"

#define GEO_SUMMARY_KIND(NAME) (UINT32_C(1) << LAM_WKB_##NAME)

enum { AXIS_X, AXIS_Y, AXIS_Z, AXIS_M };

static const double WHOLE_TURN = 360;

/* Well-known binary is in BYTE_ARRAY columns only. */
bool lam_geo_summary_takes(const lam_field *leaf) {
    lam_logical_kind kind = leaf->logical_type.kind;
    return leaf->physical_type == LAM_PHYSICAL_BYTE_ARRAY &&
           (kind == LAM_LOGICAL_GEOMETRY || kind == LAM_LOGICAL_GEOGRAPHY);
}

void lam_geo_summary_init(lam_geo_summary *summary, const lam_field *leaf,
                          const lam_allocator *allocator) {
    memset(summary, 0, sizeof *summary);
    summary->is_geography = leaf->logical_type.kind == LAM_LOGICAL_GEOGRAPHY;
    lam_buffer_init(&summary->nesting, allocator);
}

void lam_geo_summary_finish(lam_geo_summary *summary) {
    lam_buffer_finish(&summary->nesting);
}

/* Forgets everything but the type and the scratch memory. */
void lam_geo_summary_restart(lam_geo_summary *summary) {
    lam_geo_summary fresh = {.is_geography = summary->is_geography, .nesting = summary->nesting};
    *summary = fresh;
}

/* --- Geometries ---------------------------------------------------------------------------- */

static void geo_summary_widen(lam_geo_range *range, double number) {
    range->least = !range->met || number < range->least ? number : range->least;
    range->most = !range->met || number > range->most ? number : range->most;
    range->met = true;
}

/*
 * Geospatial.md, "Bounding Box": NaNs are skipped, axis by axis. A NaN in x is neither west nor
 * east, as comparing with it is false.
 */
static void geo_summary_add_point(void *state, const double axes[LAM_WKB_AXES]) {
    lam_geo_summary *summary = state;
    for (unsigned axis = 0; axis < LAM_WKB_AXES; axis++)
        if (!isnan(axes[axis]))
            geo_summary_widen(&summary->axes[axis], axes[axis]);
    if (axes[AXIS_X] < 0)
        geo_summary_widen(&summary->west, axes[AXIS_X]);
    else if (axes[AXIS_X] >= 0)
        geo_summary_widen(&summary->east, axes[AXIS_X]);
}

/*
 * True when the box of the points is the geometry's: no arcs on a plane, and no edges at all on a
 * globe, where an edge may pass nearer to a pole than both of its ends.
 */
static bool is_boxed_by_points(const lam_geo_summary *summary, uint32_t kinds) {
    if (summary->is_geography)
        return (kinds & ~(GEO_SUMMARY_KIND(POINT) | GEO_SUMMARY_KIND(MULTI_POINT) |
                          GEO_SUMMARY_KIND(COLLECTION))) == 0;
    return (kinds & GEO_SUMMARY_KIND(CIRCULAR_STRING)) == 0;
}

/*
 * Stops at the first value that is not a geometry. Points of it may have widened the ranges, which
 * no longer matter. Only a lack of memory is a failure.
 */
lam_status lam_geo_summary_add(lam_geo_summary *summary, const lam_bytes *values, size_t count,
                               lam_error *error) {
    const lam_wkb_sink sink = {summary, geo_summary_add_point};
    for (size_t i = 0; i < count && !summary->is_partial; i++) {
        lam_wkb_traits traits;
        lam_error failure = lam_error_none();
        lam_buffer_clear(&summary->nesting);
        lam_status status = lam_wkb_read(values[i], &sink, &summary->nesting, &traits, &failure);
        if (status == LAM_STATUS_NOMEM && error != NULL)
            *error = failure;
        if (status == LAM_STATUS_NOMEM)
            return status;
        summary->is_partial = status != LAM_STATUS_OK;
        if (summary->is_partial)
            break;
        summary->types[traits.layout][traits.kind] = true;
        summary->has_no_box = summary->has_no_box || !is_boxed_by_points(summary, traits.kinds);
    }
    return LAM_STATUS_OK;
}

/* --- Statistics ---------------------------------------------------------------------------- */

/* x and y are required in a box; other axes are left out when no point has them. */
static bool has_box(const lam_geo_summary *summary) {
    const lam_geo_range *x = &summary->axes[AXIS_X], *y = &summary->axes[AXIS_Y];
    if (summary->has_no_box || !x->met || !y->met)
        return false;
    return !summary->is_geography ||
           (x->least >= -180 && x->most <= 180 && y->least >= -90 && y->most <= 90);
}

/*
 * Longitudes go from the least x to the largest, or across the antimeridian from the least eastern
 * to the largest western one, if that is shorter. `gap` is the empty range around 0.
 */
static lam_geo_range longitudes(const lam_geo_summary *summary) {
    lam_geo_range x = summary->axes[AXIS_X];
    if (!summary->is_geography || !summary->west.met || !summary->east.met)
        return x;
    double gap = summary->east.least - summary->west.most;
    if (WHOLE_TURN - gap < x.most - x.least) {
        x.least = summary->east.least;
        x.most = summary->west.most;
    }
    return x;
}

/* z and m are stated by those geometries that have them. */
static lam_status make_box(const lam_geo_summary *summary, lam_arena *arena,
                           const lam_meta_bounding_box **ret_box, lam_error *error) {
    const lam_geo_range *axes = summary->axes;
    lam_geo_range x = longitudes(summary);
    lam_meta_bounding_box *box;
    LAM_TRY(LAM_ARENA_NEW(arena, &box, error));
    box->xmin = x.least;
    box->xmax = x.most;
    box->ymin = axes[AXIS_Y].least;
    box->ymax = axes[AXIS_Y].most;
    if (axes[AXIS_Z].met) {
        box->has |= LAM_META_BOUNDING_BOX_HAS_ZMIN | LAM_META_BOUNDING_BOX_HAS_ZMAX;
        box->zmin = axes[AXIS_Z].least;
        box->zmax = axes[AXIS_Z].most;
    }
    if (axes[AXIS_M].met) {
        box->has |= LAM_META_BOUNDING_BOX_HAS_MMIN | LAM_META_BOUNDING_BOX_HAS_MMAX;
        box->mmin = axes[AXIS_M].least;
        box->mmax = axes[AXIS_M].most;
    }
    *ret_box = box;
    return LAM_STATUS_OK;
}

/* Geospatial.md, "Geospatial Types": the codes that occur, each once, in ascending order. */
static lam_status list_types(const lam_geo_summary *summary, lam_arena *arena,
                             lam_meta_i32_list *ret_types, lam_error *error) {
    uint32_t count = 0;
    int32_t *types;
    LAM_TRY(LAM_ARENA_ARRAY(arena, LAM_WKB_LAYOUTS * LAM_WKB_KINDS, &types, error));
    for (int32_t layout = 0; layout < LAM_WKB_LAYOUTS; layout++)
        for (int32_t kind = 0; kind < LAM_WKB_KINDS; kind++)
            if (summary->types[layout][kind])
                types[count++] = layout * 1000 + kind;
    ret_types->items = types;
    ret_types->count = count;
    return LAM_STATUS_OK;
}

/* No types means no geometries at all: a chunk of nulls has no statistics. */
lam_status lam_geo_summary_statistics(const lam_geo_summary *summary, lam_arena *arena,
                                      const lam_meta_geospatial_statistics **ret_statistics,
                                      lam_error *error) {
    lam_meta_geospatial_statistics found = {0};
    void *memory;
    *ret_statistics = NULL;
    if (summary->is_partial)
        return LAM_STATUS_OK;
    LAM_TRY(list_types(summary, arena, &found.geospatial_types, error));
    if (found.geospatial_types.count == 0)
        return LAM_STATUS_OK;
    found.has = LAM_META_GEOSPATIAL_STATISTICS_HAS_GEOSPATIAL_TYPES;
    if (has_box(summary))
        LAM_TRY(make_box(summary, arena, &found.bbox, error));
    LAM_TRY(lam_arena_array(arena, 1, sizeof found, &memory, error));
    memcpy(memory, &found, sizeof found);
    *ret_statistics = memory;
    return LAM_STATUS_OK;
}
