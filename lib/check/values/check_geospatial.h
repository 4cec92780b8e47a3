/* SPDX-License-Identifier: Apache-2.0 */
/* Geometries, against the geospatial statistics of their column chunk. */
#ifndef LAM_CHECK_VALUES_CHECK_GEOSPATIAL_H
#define LAM_CHECK_VALUES_CHECK_GEOSPATIAL_H

#include "check/chunk/chunk_check.h"

/* Takes over the bounding box, before the first geometry. */
void lam_check_open_geospatial(lam_chunk_check *chunk);
/* Adds one geometry. INVALID or UNSUPPORTED when it cannot be read; nothing is reported. */
lam_status lam_check_geometry(lam_chunk_check *chunk, lam_bytes value, lam_error *failure);
/* Reports the first point outside of the box or the degrees, once. */
lam_status lam_check_geometry_bounds(lam_chunk_check *chunk, lam_check_location location);
/* After all geometries: compares them with the geospatial statistics of the chunk. */
lam_status lam_check_geospatial(lam_chunk_check *chunk);

#endif
