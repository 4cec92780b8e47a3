/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Changes values of a leaf to those of a leaf of another type that holds them: type_union.h has the
 * table of such types, and any leaf becomes a STRING or a VARIANT.
 */
#ifndef LAM_DATASET_UNION_VALUE_CHANGE_H
#define LAM_DATASET_UNION_VALUE_CHANGE_H

#include <lamella/record.h>

#include "base/buffer.h"
#include "schema/tree.h"

/* How values change. */
typedef enum lam_change_kind {
    LAM_VALUE_SAME,        /* all bytes stay */
    LAM_VALUE_TO_SIGNED,   /* int32 without a sign to one with it, which has fewer positive ones */
    LAM_VALUE_TO_INT64,    /* an integer of 32 bits */
    LAM_VALUE_TO_FLOAT,    /* float16 */
    LAM_VALUE_TO_DOUBLE,   /* a real, or an exact number without a fraction */
    LAM_VALUE_TO_DECIMAL,  /* an integer or decimal */
    LAM_VALUE_TO_UNIT,     /* a date, time or timestamp to one of a finer unit */
    LAM_VALUE_TO_BYTES,    /* bytes of a fixed length */
    LAM_VALUE_TO_TEXT,     /* its text in JSON, without quotation marks */
    LAM_VALUE_TO_METADATA, /* of a VARIANT: no names */
    LAM_VALUE_TO_VARIANT,  /* the `value` of one */
    LAM_VALUE_TO_NOTHING   /* UNKNOWN has no value, whatever the type */
} lam_change_kind;

typedef struct lam_value_change {
    lam_change_kind how;
    const lam_field *source;
    const lam_field *target;
} lam_value_change;

/*
 * The change of values between two leaves. The second has the union of the types, or is a STRING,
 * or is the `metadata` or `value` of a VARIANT that the first becomes.
 */
lam_value_change lam_value_change_of(const lam_field *source, const lam_field *target);
lam_value_change lam_value_change_to_variant(const lam_field *source, const lam_field *target);

/* Memory for values that change. */
typedef struct lam_value_room {
    lam_buffer values;
    lam_buffer bytes; /* that byte arrays lead to */
} lam_value_room;

void lam_value_room_init(lam_value_room *room, const lam_allocator *allocator);
void lam_value_room_finish(lam_value_room *room);

/*
 * Changes `count` elements, as in lam_triples.values, which are borrowed while the result is used;
 * the result is borrowed until the next call with the same room. INVALID for a value that the
 * target does not hold, with its position in `*ret_position`; UNSUPPORTED for text in a build
 * without JSON; NOMEM.
 */
lam_status lam_values_change(const lam_value_change *change, const void *values, size_t count,
                             lam_value_room *room, const void **ret_values, size_t *ret_position,
                             lam_error *error);

#endif
