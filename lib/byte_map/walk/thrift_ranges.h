/* SPDX-License-Identifier: Apache-2.0 */
/* The fields of a struct in Thrift's compact protocol as ranges, by the tables of lib/meta. */
#ifndef LAM_BYTE_MAP_WALK_THRIFT_RANGES_H
#define LAM_BYTE_MAP_WALK_THRIFT_RANGES_H

#include "byte_map/walk/byte_walk.h"
#include "meta/tables.h"

/*
 * Reports the fields of a struct in the view, as the inside of a range that was entered. Bytes
 * after its end, and all from the first field that cannot be read, are UNKNOWN.
 */
lam_status lam_byte_struct(lam_byte_walk *walk, const lam_meta_struct *table, lam_byte_view view,
                           lam_error *error);
/* The same for lam_byte_enter_bytes: `what` is the table. */
lam_status lam_byte_struct_inside(lam_byte_walk *walk, lam_byte_view view, const void *what,
                                  lam_error *error);

/*
 * The name of a number in the IDL, "INT32" for 1 in SchemaElement.type; NULL if the field is no
 * enum, or its enum does not have the number. Static.
 */
const char *lam_byte_enum_name(const lam_meta_struct *table, uint32_t field_id, int64_t number);

#endif
