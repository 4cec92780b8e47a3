/*
 * What geospatial statistics say of a column chunk: the bounding box of its geometries and their
 * types. (Geospatial.md, section "Statistics")
 *
 * Not every box can be known. A box is left out where geometries have arcs, which go beyond the
 * points that describe them; in a GEOGRAPHY where they have edges, which bend away from straight
 * lines, and where a point is beyond the degrees that there are. Types and box are left out where
 * some value is no geometry.
 */
#ifndef LAM_STATS_GEO_SUMMARY_H
#define LAM_STATS_GEO_SUMMARY_H

#include "base/arena.h"
#include "meta/metadata.h"
#include "schema/tree.h"
#include "stats/wkb.h"

/* The numbers on one axis, NaNs left out. */
typedef struct lam_geo_range {
    bool met;
    double least;
    double most;
} lam_geo_range;

typedef struct lam_geo_summary {
    bool is_geography;
    bool is_partial; /* some value is no geometry */
    bool has_no_box;
    lam_geo_range axes[LAM_WKB_AXES];
    lam_geo_range west; /* of the x axis: below 0, and from 0 on */
    lam_geo_range east;
    bool types[LAM_WKB_LAYOUTS][LAM_WKB_KINDS];
    lam_buffer nesting; /* scratch */
} lam_geo_summary;

/* Whether a leaf has geospatial statistics. */
bool lam_geo_summary_takes(const lam_field *leaf);

void lam_geo_summary_init(lam_geo_summary *summary, const lam_field *leaf,
                          const lam_allocator *allocator);
void lam_geo_summary_finish(lam_geo_summary *summary);
/* Forgets what was added. */
void lam_geo_summary_restart(lam_geo_summary *summary);

/* Adds geometries; more than once is no harm. NOMEM. */
lam_status lam_geo_summary_add(lam_geo_summary *summary, const lam_bytes *values, size_t count,
                               lam_error *error);

/* Gives the statistics, with memory of `arena`; NULL when there is nothing to say. */
lam_status lam_geo_summary_statistics(const lam_geo_summary *summary, lam_arena *arena,
                                      const lam_meta_geospatial_statistics **ret_statistics,
                                      lam_error *error);

#endif
