/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Values that paths of VARIANTs are compared with. The type of what a path leads to is known value
 * by value only, so a text in a condition is read as each class of values that it may mean:
 *
 *     10.5               number
 *     'abc'              string, binary
 *     '2024-10-24'       string, binary, date
 *
 * and a value is compared with the literal of its class.
 */
#ifndef LAM_FILTER_TYPED_LITERAL_H
#define LAM_FILTER_TYPED_LITERAL_H

#include "base/arena.h"
#include "filter/filter_exact.h"

/* Values of one class can be compared with each other, whatever their kinds are. */
typedef enum lam_literal_class {
    LAM_LITERAL_NUMBER,
    LAM_LITERAL_BOOLEAN,
    LAM_LITERAL_DATE,
    LAM_LITERAL_TIME,
    LAM_LITERAL_TIMESTAMP,     /* UTC */
    LAM_LITERAL_TIMESTAMP_NTZ, /* in no time zone */
    LAM_LITERAL_STRING,
    LAM_LITERAL_BINARY,
    LAM_LITERAL_UUID,
    LAM_LITERAL_CLASS_COUNT,
    LAM_LITERAL_NO_CLASS = LAM_LITERAL_CLASS_COUNT /* null, objects, arrays */
} lam_literal_class;

/*
 * A literal of one class. A number is kept in every form that a comparison may need, so that none
 * converts again: exact digits against integers and decimals, and the nearest float and double
 * against those.
 *
 *     0.1     exact 0.1      float64 0.1000000000000000055...    float32 0.100000001490116...
 *     1e39    exact 1e39     float64 1e39     float32 FLT_MAX, is_above_float32
 */
typedef struct lam_typed_literal {
    lam_literal_class kind;
    /* NUMBER. */
    bool is_special;       /* NaN or an infinity: float64 and float32 only */
    bool is_integer;       /* `integer` is the same number */
    bool is_above_float64; /* above `float64` and below the next: beyond the largest */
    bool is_above_float32; /* the same for `float32` */
    double float64;        /* the nearest */
    float float32;
    lam_exact exact;
    lam_bytes text; /* the number in JSON's form */
    /* The other classes; `integer` is for numbers too. */
    int64_t integer; /* BOOLEAN: 0 or 1; DATE: days; TIME, TIMESTAMP: microseconds */
    int32_t nanos;   /* TIMESTAMP: nanoseconds more, 0 to 999 */
    lam_bytes bytes; /* STRING, BINARY, UUID */
} lam_typed_literal;

/* Gives the class of a kind, NO_CLASS for null, objects, arrays and unknown kinds. */
lam_literal_class lam_literal_class_of(lam_variant_kind kind);

/*
 * Gives a number below, at or above 0 as a scalar of the literal's class is less than, equal to or
 * greater. -0 equals +0, a NaN equals every NaN and is greater than all other numbers.
 */
int lam_typed_literal_compare(const lam_variant_scalar *scalar, const lam_typed_literal *literal);

/* The same for two literals of one class. */
int lam_typed_literal_order(const lam_typed_literal *a, const lam_typed_literal *b);

/*
 * Makes a literal of a scalar, whose bytes are copied to `arena`. INVALID for a null, an object, an
 * array, a decimal whose scale is not 0 to 38, a UUID that has not 16 bytes.
 */
lam_status lam_typed_literal_of_scalar(const lam_variant_scalar *scalar, lam_arena *arena,
                                       lam_typed_literal *ret_literal, lam_error *error);

/* Makes a literal of a JSON number, of which a copy is in `arena`. */
lam_status lam_typed_literal_of_number(const char *text, size_t size, lam_arena *arena,
                                       lam_typed_literal *ret_literal, lam_error *error);

#endif
