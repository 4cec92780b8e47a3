/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Restores the schema from which a file was written: the Parquet schema says less than the Arrow
 * schema that ARROW:schema holds.
 *
 *     by the Parquet schema         may have been
 *     int64                         duration
 *     string, binary                large_string, string_view, large_binary, binary_view
 *     date32, time32(ms)            date64, time32(s)
 *     timestamp                     of another zone; in ms, of seconds; of INT96, in any unit
 *     decimal                       of another width that holds the precision
 *     month_day_nano_interval       the other intervals
 *     list                          large_list, list_view, large_list_view, fixed_size_list
 *     map                           map with sorted keys
 *     any value                     dictionary encoded
 *     signed, in a VARIANT          the next narrower unsigned
 *
 * Besides, elements and entries have names of their own there, and fields have metadata.
 * Nullability and the id of the field are those of the Parquet schema.
 *
 * The text may be wrong: others may have dropped, moved or rewritten columns since. Whatever does
 * not match the columns is ignored, field by field. Claims about values (that these timestamps are
 * whole seconds, that all lists have one length) cannot be checked here.
 *
 * A schema that a consumer asks for is laid over the fields in the same way, but knows less: it
 * changes types only where no value can be lost by it (requested_type.h), and dictionaries, whose
 * indexes and values are the library's own choice. It has no say about metadata.
 */
#ifndef LAM_ARROW_SCHEMA_ARROW_ORIGINAL_H
#define LAM_ARROW_SCHEMA_ARROW_ORIGINAL_H

#include "arrow/array/arrow_plan.h"

/*
 * Replaces the types of a plan's fields, which follow the Parquet schema, by those of `original`
 * where they match. The plan is complete, and its nodes are linked. `original` is in the plan's
 * arena. NOMEM.
 */
lam_status lam_arrow_original_restore(lam_arrow_plan *plan, const lam_arrow_field *original,
                                      lam_error *error);

/*
 * Replaces the types of a plan's fields, which are final but for this, by those of `requested`
 * where every value of the column can be read so. A field whose extension type is not requested
 * loses it, and one that is requested with another stays as it is. `requested` is in the plan's
 * arena, of any type; NOMEM.
 */
lam_status lam_arrow_original_request(lam_arrow_plan *plan, const lam_arrow_field *requested,
                                      lam_error *error);

#endif
