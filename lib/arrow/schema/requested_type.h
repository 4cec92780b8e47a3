/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decides whether a column that has one Arrow type can be read as another one that a consumer asks
 * for, with every value that the column may hold.
 *
 *     the column's type             types that it can have on request
 *     string, binary, any kind      the kinds of the same; of binary also for strings
 *     list, any kind                list, large_list, list_view, large_list_view
 *     int64, duration               each other; a duration keeps its unit
 *     date32, date64                each other
 *     time32(s), timestamp(s)       the same in ms, which is how the column counts
 *     timestamp of a zone           of another zone, which is a text beside the values
 *     decimal(p, s)                 of any width, and of more digits before the point
 *     month_interval, day_time      month_day_nano_interval
 *     map with sorted keys          map
 *
 * Everything else would have to be computed, or could fail at a value: finer units overflow, lists
 * have other lengths, bytes are not UTF-8. Arrow's own casts agree about what is the same value.
 */
#ifndef LAM_ARROW_SCHEMA_REQUESTED_TYPE_H
#define LAM_ARROW_SCHEMA_REQUESTED_TYPE_H

#include "arrow/field/arrow_field.h"
#include "schema/tree.h"

/*
 * Replaces `type`, as which a field is read, by the requested one; false, with `type` unchanged, if
 * it does not fit. `leaf` is the column, or NULL for groups. Text in `requested` is borrowed.
 */
bool lam_requested_type_take(const lam_field *leaf, const lam_arrow_type *requested,
                             lam_arrow_type *type);

/* The kind by the Parquet schema, for all kinds as which one column may be read. */
lam_arrow_kind lam_arrow_kind_family(lam_arrow_kind kind);

#endif
