/* SPDX-License-Identifier: Apache-2.0 */
/* What each field of a schema is in Python: a dict, a list, a list of pairs, or a value. */
#ifndef LAMPY_SHAPE_H
#define LAMPY_SHAPE_H

#include "binding.h"

typedef enum lampy_kind {
    LAMPY_VALUE,   /* a leaf */
    LAMPY_STRUCT,  /* a dict; the root, too, and a repeated group, once for each element */
    LAMPY_LIST,    /* a list; a group that is annotated as one */
    LAMPY_ELEMENT, /* the repeated group of such a list, around its element */
    LAMPY_MAP,     /* a list of tuples of key and value */
    LAMPY_ENTRY,   /* the repeated group of a map */
    LAMPY_VARIANT  /* any value */
} lampy_kind;

/* One field. */
typedef struct lampy_node {
    const lam_field *field;
    lampy_kind kind;
    bool is_wanted;   /* has leaves of the projection */
    bool is_repeated; /* of no annotated list or map: a list of what `kind` says */
    bool is_optional;
    bool has_lists;  /* STRUCT: a wanted child is_repeated */
    PyObject *name;  /* the key in the dict of its parent */
    PyObject *blank; /* STRUCT: the dict of all wanted children, each None */
} lampy_node;

/* The nodes of a schema by lam_field_index. Used with the GIL only. */
typedef struct lampy_shape {
    const lam_schema *schema;
    lampy_state *state;
    size_t count;
    lampy_node *nodes;
} lampy_shape;

/*
 * `leaves` marks the projection; NULL means all. The schema must outlive it. -1 with an exception.
 */
int lampy_shape_init(lampy_shape *shape, lampy_state *state, const lam_schema *schema,
                     const bool *leaves);
void lampy_shape_finish(lampy_shape *shape);

/* Makes the node of a group the dict of its children. -1 with an exception. */
int lampy_node_struct(const lampy_shape *shape, lampy_node *node);

static inline lampy_node *lampy_node_of(const lampy_shape *shape, const lam_field *field) {
    return &shape->nodes[lam_field_index(field)];
}

/* --- Values (value_out.c, value_in.c) --------------------------------------------------------- */

/* The value of a leaf as an object. NULL with an exception. */
PyObject *lampy_value_out(lampy_state *state, const lam_field *leaf, lam_value value);

/*
 * The value of a leaf from an object that is not None. Bytes are borrowed from `*ret_owner`, a new
 * reference, or from `scratch`, whose room is LAMPY_SCRATCH. -1 with an exception.
 */
enum { LAMPY_SCRATCH = 64 };
int lampy_value_in(lampy_state *state, const lam_field *leaf, PyObject *object, uint8_t *scratch,
                   lam_value *ret_value, PyObject **ret_owner);

/*
 * A TypeError: "path: expected a list, got int". What went wrong before, such as memory that ended,
 * stays. -1.
 */
int lampy_fail_type(const lam_field *field, const char *expected, PyObject *object);

/* decimal.Decimal of unscaled / 10^scale, `size` big-endian bytes in two's complement. */
PyObject *lampy_decimal_out(lampy_state *state, const uint8_t *bytes, size_t size, int32_t scale);
/* Microseconds since 1970 as a datetime, in UTC or in no zone. */
PyObject *lampy_timestamp_out(lampy_state *state, int64_t micros, bool is_utc);
PyObject *lampy_date_out(lampy_state *state, int64_t days);
PyObject *lampy_time_out(lampy_state *state, int64_t micros);
PyObject *lampy_uuid_out(lampy_state *state, const uint8_t *bytes);

/* The reverse. -1 with an exception. */
int lampy_timestamp_in(lampy_state *state, PyObject *object, int64_t *ret_micros, bool *ret_is_utc);
int lampy_date_in(lampy_state *state, PyObject *object, int64_t *ret_days);
int lampy_time_in(lampy_state *state, PyObject *object, int64_t *ret_micros);
/* The nanoseconds that a datetime of pandas has beyond its microseconds; 0 for others. */
int lampy_nanos_in(lampy_state *state, PyObject *object, int64_t *ret_nanos);
/* What tolist() makes of an object of NumPy, unless its meaning is lost. NULL, no exception. */
PyObject *lampy_plain(PyObject *object);
/* The digits of a Decimal as an int, and its scale; refuses NaN and infinities. New reference. */
PyObject *lampy_decimal_in(lampy_state *state, PyObject *object, int64_t *ret_scale);

/* --- VARIANTs (variant_out.c, variant_in.c) --------------------------------------------------- */

PyObject *lampy_variant_out(lampy_state *state, lam_variant variant);
/* Adds any object, None included. -1 with an exception. */
int lampy_variant_in(lampy_state *state, lam_variant_builder *builder, PyObject *object);

#endif
