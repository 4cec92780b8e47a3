/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Extension types whose definition is known: their storage, their parameters, and the Parquet type
 * that they become.
 *
 *     extension                      stored as                    parameters            Parquet
 *     arrow.uuid                     fixed_size_binary(16)        none                  UUID
 *     arrow.json                     the strings                  none, or {}           JSON
 *     arrow.bool8                    int8                         none
 *     arrow.opaque                   anything                     type_name, vendor_name
 *     arrow.fixed_shape_tensor       fixed_size_list              shape, ...
 *     arrow.variable_shape_tensor    struct of data and shape     ...
 *     arrow.parquet.variant          struct                       none                  VARIANT
 *     geoarrow.wkb                   the binaries                 crs, edges, ...       GEOMETRY,
 *                                                                                       GEOGRAPHY
 *
 * Every other extension type is a name and bytes that travel untouched. (Arrow, "Canonical
 * Extension Types"; GeoArrow, "Extension types")
 */
#ifndef LAM_ARROW_EXTENSION_ARROW_EXTENSION_H
#define LAM_ARROW_EXTENSION_ARROW_EXTENSION_H

#include "arrow/extension/extension_geo.h"
#include "arrow/field/arrow_field.h"
#include "arrow/field/arrow_path.h"
#include "schema/tree.h"

#define LAM_EXTENSION_UUID "arrow.uuid"
#define LAM_EXTENSION_JSON "arrow.json"
#define LAM_EXTENSION_BOOL8 "arrow.bool8"
#define LAM_EXTENSION_OPAQUE "arrow.opaque"
#define LAM_EXTENSION_FIXED_TENSOR "arrow.fixed_shape_tensor"
#define LAM_EXTENSION_VARIABLE_TENSOR "arrow.variable_shape_tensor"
#define LAM_EXTENSION_VARIANT "arrow.parquet.variant"
#define LAM_EXTENSION_WKB "geoarrow.wkb"

/* The parameters as they are in the metadata; empty if it has none. */
lam_bytes lam_arrow_extension_parameters(const lam_arrow_field *field);

/*
 * Checks the extension types of a field and of all below it. INVALID, with the field's path, when
 * the storage or the parameters of one contradict its definition. NOMEM from `arena`, which keeps
 * only scratch.
 */
lam_status lam_arrow_extension_check(const lam_arrow_field *field, lam_arena *arena,
                                     const lam_arrow_path *path, lam_error *error);

/*
 * Gives the logical type that an extension type becomes; `logical` stays as it is if it becomes
 * none. The field has been checked. Whatever the logical type refers to is in `arena`. NOMEM.
 */
lam_status lam_arrow_extension_annotate(const lam_arrow_field *field, lam_arena *arena,
                                        lam_logical_type *logical, lam_error *error);

/*
 * The mirror: gives a field the extension type that the logical type of its Parquet field has in
 * Arrow. `file` has the key-value metadata that a CRS may be in. NOMEM.
 */
lam_status lam_arrow_extension_read(const lam_field *parquet, lam_extension_file *file,
                                    lam_arena *arena, lam_arrow_field *field, lam_error *error);

/* Removes the extension type from a field, whatever it is. NOMEM. */
lam_status lam_arrow_extension_drop(lam_arena *arena, lam_arrow_field *field, lam_error *error);

#endif
