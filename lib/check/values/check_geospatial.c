/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks geometries against the geospatial statistics of their column chunk: all points are within
 * the bounding box, which has the axes that points have, and the list of types names each type that
 * occurs.
 *
 *   x may wrap around the antimeridian:   xmin 170, xmax -170 holds 175 and -175, not 0
 *   y, z and m never wrap
 *   types are numbers of ISO WKB:         3 Polygon, 1003 Polygon Z, 2003 M, 3003 ZM
 *
 * Takes each geometry once, in the order of the file; NaN coordinates, as in empty points, count
 * for nothing. Damage that hides geometries turns off only the checks that need all of them.
 * (Geospatial.md, section "Statistics")
 */
#include "check/values/check_geospatial.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/error.h"

/* Degrees; a tenth of a millimetre. The edges of GEOGRAPHY take arithmetic that is not exact. */
static const double ROUNDING = 1e-9;

static const char axis_names[LAM_WKB_AXES + 1] = "xyzm";

/* --- The bounding box ------------------------------------------------------------------------ */

/*
 * Copies the box of the footer; z and m are optional, each end by itself in a damaged file. A NaN
 * would make every comparison false, so such an axis is not compared.
 */
static void open_box(const lam_meta_bounding_box *box, lam_box_side sides[LAM_WKB_AXES]) {
    const lam_box_side stated[LAM_WKB_AXES] = {
        {true, true, false, box->xmin, box->xmax},
        {true, true, false, box->ymin, box->ymax},
        {(box->has & LAM_META_BOUNDING_BOX_HAS_ZMIN) != 0,
         (box->has & LAM_META_BOUNDING_BOX_HAS_ZMAX) != 0, false, box->zmin, box->zmax},
        {(box->has & LAM_META_BOUNDING_BOX_HAS_MMIN) != 0,
         (box->has & LAM_META_BOUNDING_BOX_HAS_MMAX) != 0, false, box->mmin, box->mmax},
    };
    for (unsigned axis = 0; axis < LAM_WKB_AXES; axis++) {
        sides[axis] = stated[axis];
        sides[axis].compares = stated[axis].has_least && stated[axis].has_most &&
                               !isnan(stated[axis].least) && !isnan(stated[axis].most);
    }
}

/* An axis counts as stated only with both ends. */
static bool is_stated(const lam_box_side *side) {
    return side->has_least && side->has_most;
}

/*
 * The largest absolute coordinate of an axis in degrees: longitude, latitude; no limit for z and m.
 */
static double degrees_of(unsigned axis) {
    return axis == 0 ? 180 : axis == 1 ? 90 : (double)INFINITY;
}

/*
 * Whether a box has a number on an axis. If xmin is greater than xmax, the box goes from xmin up
 * and from xmax down. (Geospatial.md, "Bounding Box")
 */
static bool holds(const lam_box_side *side, unsigned axis, double number) {
    bool wraps = axis == 0 && side->least > side->most;
    bool above = number >= side->least, below = number <= side->most;
    return wraps ? above || below : above && below;
}

/* Near either end, from inside or outside. */
static bool is_near(const lam_box_side *side, double number) {
    return fabs(number - side->least) <= ROUNDING || fabs(number - side->most) <= ROUNDING;
}

/* --- Geometries ------------------------------------------------------------------------------ */

/* Keeps the first coordinate outside of a range. */
static void check_geospatial_note(lam_outlier *outlier, unsigned axis, double number) {
    if (outlier->found)
        return;
    outlier->found = true;
    outlier->axis = axis;
    outlier->number = number;
}

/*
 * Adds one point: marks its axes and compares each coordinate with the degrees and the box. Called
 * by lam_wkb_read, also for points of a geometry that turns out to be damaged later.
 */
static void check_geospatial_add_point(void *state, const double axes[LAM_WKB_AXES]) {
    lam_geo_check *geo = state;
    for (unsigned axis = 0; axis < LAM_WKB_AXES; axis++) {
        double number = axes[axis];
        if (isnan(number))
            continue; /* an empty point, or an axis that it lacks */
        geo->met[axis] = true;
        if (geo->degrees && fabs(number) > degrees_of(axis))
            check_geospatial_note(&geo->beyond, axis, number);
        const lam_box_side *side = &geo->box[axis];
        if (side->compares && !holds(side, axis, number))
            check_geospatial_note(
                geo->rounds && is_near(side, number) ? &geo->rounded : &geo->outside, axis, number);
    }
}

/*
 * GEOGRAPHY is always in degrees. GEOMETRY is if its reference system is the default, OGC:CRS84; of
 * others the units are unknown. (Geospatial.md, "Coordinate Reference System")
 */
void lam_check_open_geospatial(lam_chunk_check *chunk) {
    const lam_meta_geospatial_statistics *statistics = chunk->column->geospatial_statistics;
    const lam_logical_type *type = &chunk->leaf->logical_type;
    if (statistics != NULL && statistics->bbox != NULL)
        open_box(statistics->bbox, chunk->content.geo.box);
    chunk->content.geo.rounds = type->kind == LAM_LOGICAL_GEOGRAPHY;
    chunk->content.geo.degrees = type->kind == LAM_LOGICAL_GEOGRAPHY || type->crs == NULL ||
                                 strcmp(type->crs, "OGC:CRS84") == 0;
}

/*
 * Adds a geometry. After a failure its type is unknown, so that the list of types can no longer be
 * found to have too many.
 */
lam_status lam_check_geometry(lam_chunk_check *chunk, lam_bytes value, lam_error *failure) {
    lam_geo_check *geo = &chunk->content.geo;
    const lam_wkb_sink sink = {geo, check_geospatial_add_point};
    lam_wkb_traits traits;
    lam_status status = lam_wkb_read(value, &sink, &chunk->content.nesting, &traits, failure);
    if (status == LAM_STATUS_OK)
        geo->types[traits.layout][traits.kind] = true;
    else
        geo->partial = true;
    return status;
}

/* Reports the first outlier of a kind, once in a column chunk. */
static lam_status report_outside(lam_chunk_check *chunk, lam_rule rule, lam_check_location location,
                                 const lam_outlier *outlier) {
    if (!outlier->found || !lam_check_once(chunk, rule))
        return LAM_STATUS_OK;
    const lam_box_side *side = &chunk->content.geo.box[outlier->axis];
    return lam_check_report(
        chunk->checker, rule, location,
        "the bounding box goes from %.17g to %.17g on the %c axis, but there is the point %.17g",
        side->least, side->most, axis_names[outlier->axis], outlier->number);
}

/* Called after each batch, so that the finding has the location of the page. */
lam_status lam_check_geometry_bounds(lam_chunk_check *chunk, lam_check_location location) {
    const lam_outlier *beyond = &chunk->content.geo.beyond;
    LAM_TRY(
        report_outside(chunk, LAM_RULE_GEOSPATIAL_BOUNDS, location, &chunk->content.geo.outside));
    LAM_TRY(
        report_outside(chunk, LAM_RULE_GEOSPATIAL_ROUNDING, location, &chunk->content.geo.rounded));
    if (beyond->found && lam_check_once(chunk, LAM_RULE_GEOGRAPHIC_RANGE))
        return lam_check_report(chunk->checker, LAM_RULE_GEOGRAPHIC_RANGE, location,
                                "a point is at %.17g on the %c axis, which has %g degrees",
                                beyond->number, axis_names[beyond->axis], degrees_of(beyond->axis));
    return LAM_STATUS_OK;
}

/* --- Statistics ------------------------------------------------------------------------------ */

/*
 * Checks one axis of the box by itself: both ends or none, numbers, in order, within the degrees.
 */
static lam_status check_geospatial_side(lam_chunk_check *chunk, const lam_box_side *side,
                                        unsigned axis) {
    lam_checker *checker = chunk->checker;
    char name = axis_names[axis];
    if (side->has_least != side->has_most)
        return lam_check_report(checker, LAM_RULE_GEOSPATIAL_BOX, chunk->location,
                                "the bounding box has one end of the %c axis and lacks the other",
                                name);
    if (!is_stated(side))
        return LAM_STATUS_OK;
    if (isnan(side->least) || isnan(side->most))
        return lam_check_report(checker, LAM_RULE_GEOSPATIAL_BOUNDS, chunk->location,
                                "the bounding box goes from %g to %g on the %c axis", side->least,
                                side->most, name);
    if (axis > 0 && side->least > side->most)
        return lam_check_report(checker, LAM_RULE_GEOSPATIAL_BOUNDS, chunk->location,
                                "the bounding box goes from %.17g down to %.17g on the %c axis, "
                                "which does not wrap around",
                                side->least, side->most, name);
    /* A box can be wrong where there is no point, so the box itself is compared with the
     * degrees. */
    double degrees = degrees_of(axis);
    if (chunk->content.geo.degrees && (fabs(side->least) > degrees || fabs(side->most) > degrees) &&
        lam_check_once(chunk, LAM_RULE_GEOGRAPHIC_RANGE))
        return lam_check_report(
            checker, LAM_RULE_GEOGRAPHIC_RANGE, chunk->location,
            "the bounding box goes from %.17g to %.17g on the %c axis, which has "
            "%g degrees",
            side->least, side->most, name, degrees);
    return LAM_STATUS_OK;
}

/*
 * The box must have exactly the axes on which some point has a number. (Geospatial.md, "Bounding
 * Box")
 */
static lam_status check_axis(lam_chunk_check *chunk, const lam_box_side *side, unsigned axis) {
    bool met = chunk->content.geo.met[axis];
    if (is_stated(side) == met || side->has_least != side->has_most)
        return LAM_STATUS_OK;
    if (met)
        return lam_check_report(chunk->checker, LAM_RULE_GEOSPATIAL_BOX, chunk->location,
                                "the bounding box lacks the %c axis that points have",
                                axis_names[axis]);
    return lam_check_report(chunk->checker, LAM_RULE_GEOSPATIAL_BOX, chunk->location,
                            "the bounding box has the %c axis that no point has a number on",
                            axis_names[axis]);
}

/* Unread geometries might have had the axes that seem superfluous. */
static lam_status check_box(lam_chunk_check *chunk, bool all_seen) {
    for (unsigned axis = 0; axis < LAM_WKB_AXES; axis++) {
        const lam_box_side *side = &chunk->content.geo.box[axis];
        LAM_TRY(check_geospatial_side(chunk, side, axis));
        if (all_seen)
            LAM_TRY(check_axis(chunk, side, axis));
    }
    return LAM_STATUS_OK;
}

/* Types are shown as their WKB numbers: the layout in thousands, plus the kind. */
static lam_status report_type(lam_chunk_check *chunk, lam_rule rule, unsigned kind, unsigned layout,
                              const char *verb, const char *rest) {
    return lam_check_report(chunk->checker, rule, chunk->location, "geospatial_types %s type %u%s",
                            verb, layout * 1000 + kind, rest);
}

/*
 * Compares the list of types with the types that occurred. Each may be listed once. Types that no
 * geometry has are a note, and only known if all geometries could be read. (Geospatial.md,
 * "Geospatial Types")
 */
static lam_status check_types(lam_chunk_check *chunk, const lam_meta_i32_list *list,
                              bool all_seen) {
    bool listed[LAM_WKB_LAYOUTS][LAM_WKB_KINDS] = {{false}};
    unsigned kind, layout;
    for (uint32_t i = 0; i < list->count; i++) {
        if (!lam_wkb_code_split((uint32_t)list->items[i], &kind, &layout)) {
            if (lam_check_once(chunk, LAM_RULE_UNSUPPORTED))
                LAM_TRY(lam_check_report(chunk->checker, LAM_RULE_UNSUPPORTED, chunk->location,
                                         "geospatial_types have the unknown type %" PRId32,
                                         list->items[i]));
            continue;
        }
        if (listed[layout][kind] && lam_check_once(chunk, LAM_RULE_GEOSPATIAL_TYPES))
            LAM_TRY(report_type(chunk, LAM_RULE_GEOSPATIAL_TYPES, kind, layout, "have", " twice"));
        listed[layout][kind] = true;
    }
    for (layout = 0; layout < LAM_WKB_LAYOUTS; layout++)
        for (kind = 0; kind < LAM_WKB_KINDS; kind++) {
            bool met = chunk->content.geo.types[layout][kind];
            if (met && !listed[layout][kind])
                LAM_TRY(report_type(chunk, LAM_RULE_GEOSPATIAL_TYPES, kind, layout, "lack", ""));
            if (all_seen && !met && listed[layout][kind])
                LAM_TRY(report_type(chunk, LAM_RULE_GEOSPATIAL_TYPES_UNUSED, kind, layout, "have",
                                    ", but no geometry is of it"));
        }
    return LAM_STATUS_OK;
}

/* An empty list of types says that the writer does not know them. */
lam_status lam_check_geospatial(lam_chunk_check *chunk) {
    const lam_meta_geospatial_statistics *statistics = chunk->column->geospatial_statistics;
    bool all_seen = chunk->whole && !chunk->content.geo.partial;
    if (statistics == NULL)
        return LAM_STATUS_OK;
    if (chunk->content.format != LAM_CONTENT_GEOMETRY)
        return lam_check_report(chunk->checker, LAM_RULE_GEOSPATIAL_STATISTICS, chunk->location,
                                "geospatial statistics of a column that is neither GEOMETRY nor "
                                "GEOGRAPHY");
    if (statistics->bbox != NULL)
        LAM_TRY(check_box(chunk, all_seen));
    if (statistics->geospatial_types.count == 0)
        return LAM_STATUS_OK;
    return check_types(chunk, &statistics->geospatial_types, all_seen);
}
