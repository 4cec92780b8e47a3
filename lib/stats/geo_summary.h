/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Geospatial statistics of a column chunk: the bounding box of its geometries and their types.
 * (Geospatial.md, section "Statistics")
 *
 * Not every box can be known. A box is left out if geometries have arcs, which reach beyond the
 * points that describe them; in a GEOGRAPHY if they have edges, which are not straight lines, and
 * if a point is outside of the degrees that exist. Types and box are left out if some value is not
 * a geometry.
 */
#ifndef LAM_STATS_GEO_SUMMARY_H
#define LAM_STATS_GEO_SUMMARY_H

#include "base/arena.h"
#include "meta/metadata.h"
#include "schema/tree.h"
#include "stats/wkb.h"

/* The numbers on one axis, NaNs left out. */
typedef struct lam_geo_range {
    bool met; /* there was a number; `least` and `most` are set */
    double least;
    double most;
} lam_geo_range;

/* The geometries so far. */
typedef struct lam_geo_summary {
    bool is_geography;
    bool is_partial; /* some value is not a geometry */
    bool has_no_box; /* some geometry reaches beyond its points */
    lam_geo_range axes[LAM_WKB_AXES];
    lam_geo_range west;                         /* of the x axis: numbers below 0 */
    lam_geo_range east;                         /* of the x axis: numbers from 0 on */
    bool types[LAM_WKB_LAYOUTS][LAM_WKB_KINDS]; /* by layout and kind: it occurs */
    lam_buffer nesting;                         /* scratch of lam_wkb_read */
} lam_geo_summary;

/* True when a leaf has geospatial statistics. */
bool lam_geo_summary_takes(const lam_field *leaf);

void lam_geo_summary_init(lam_geo_summary *summary, const lam_field *leaf,
                          const lam_allocator *allocator);
void lam_geo_summary_finish(lam_geo_summary *summary);
/* Forgets all geometries. */
void lam_geo_summary_restart(lam_geo_summary *summary);

/* Adds geometries; adding one twice does no harm. NOMEM. */
lam_status lam_geo_summary_add(lam_geo_summary *summary, const lam_bytes *values, size_t count,
                               lam_error *error);

/* Gives the statistics, with memory of `arena`; NULL when there is nothing to state. */
lam_status lam_geo_summary_statistics(const lam_geo_summary *summary, lam_arena *arena,
                                      const lam_meta_geospatial_statistics **ret_statistics,
                                      lam_error *error);

#endif
