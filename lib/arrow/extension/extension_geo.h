/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Maps the parameters of geoarrow.wkb to the logical types GEOMETRY and GEOGRAPHY, and back.
 *
 *     geoarrow.wkb                                       Parquet
 *     {"crs": "OGC:CRS84"}                               no CRS, which means that one
 *     {} or nothing                                      CRS srid:0, which means none known
 *     {"crs": "0815", "crs_type": "srid"}                CRS srid:0815
 *     {"crs": {"$schema": ...}}                          CRS {"$schema": ...}, as it is written
 *     {"crs": "EPSG:4326"}                               CRS EPSG:4326, and so on for any text
 *     the CRS of a key                                   CRS projjson:<key of the file's metadata>
 *     no edges, or {"edges": "planar"}                   GEOMETRY
 *     {"edges": "spherical"} and others                  GEOGRAPHY of that algorithm
 *
 * (GeoArrow, "Extension metadata"; Geospatial.md, "Coordinate Reference System")
 */
#ifndef LAM_ARROW_EXTENSION_EXTENSION_GEO_H
#define LAM_ARROW_EXTENSION_EXTENSION_GEO_H

#include <lamella/reader.h>

#include "base/arena.h"

/*
 * The logical type that parameters mean, or in `ret_fault` a static text with their fault; NULL if
 * they have none. The CRS is in `arena`. NOMEM.
 */
lam_status lam_extension_geo_logical(lam_bytes parameters, lam_arena *arena,
                                     lam_logical_type *ret_logical, const char **ret_fault,
                                     lam_error *error);

/*
 * The file whose metadata may hold a CRS under a key. A few bytes per column could name one long
 * text again and again, so look-ups have a budget: beyond it, the key stays as it is.
 */
typedef struct lam_extension_file {
    const lam_reader *reader;
    size_t budget; /* key-values and bytes that may still be read */
} lam_extension_file;

#define LAM_EXTENSION_FILE_BUDGET ((size_t)1 << 24)

/* The parameters that a logical type has in Arrow; empty if it has none. NOMEM. */
lam_status lam_extension_geo_parameters(const lam_logical_type *logical, lam_extension_file *file,
                                        lam_arena *arena, lam_bytes *ret_parameters,
                                        lam_error *error);

#endif
