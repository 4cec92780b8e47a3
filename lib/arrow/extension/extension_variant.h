/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks the storage of arrow.parquet.variant: a struct of the columns of a VARIANT group, in any
 * order.
 *
 *     struct { metadata: binary not null, value: binary, typed_value: T }
 *
 * Either of value and typed_value may be missing. T is one of
 *
 *     a primitive type of the mapping
 *     list<struct { value: binary, typed_value: T } not null>            a list or its kinds
 *     struct { name: struct { value: binary, typed_value: T } not null, ... }
 *
 * and binary means large_binary and binary_view, too; metadata may be dictionary or run-end
 * encoded. (Arrow, "Canonical Extension Types", "Parquet Variant")
 */
#ifndef LAM_ARROW_EXTENSION_EXTENSION_VARIANT_H
#define LAM_ARROW_EXTENSION_EXTENSION_VARIANT_H

#include "arrow/field/arrow_field.h"
#include "arrow/field/arrow_path.h"

/* INVALID, with the path of the field that is wrong. `path` is the VARIANT's own. */
lam_status lam_extension_variant(const lam_arrow_field *storage, lam_bytes parameters,
                                 const lam_arrow_path *path, lam_error *error);

/*
 * The signed type that holds a shredded unsigned number, as a VARIANT has no unsigned ones; any
 * other kind is itself.
 */
lam_arrow_kind lam_extension_variant_kind(lam_arrow_kind kind);

#endif
