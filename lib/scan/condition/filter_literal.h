/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Values that conditions compare with: made once, by the parser of a filter's text or from a scalar
 * of the application, and then used in two ways:
 *
 *     lam_literal_to_leaf     as a value of one leaf, or its position among those that it can have
 *     lam_literal_compare     as it is, against scalars of VARIANTs, whose types vary
 *
 * The meaning of a text depends on what it is compared with, so it is read as each class of values
 * that a scalar may have (scan/condition/filter_literal_text.h).
 */
#ifndef LAM_SCAN_CONDITION_FILTER_LITERAL_H
#define LAM_SCAN_CONDITION_FILTER_LITERAL_H

#include "scan/condition/filter_exact.h"
#include "schema/tree.h"

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
typedef struct lam_literal {
    lam_literal_class kind;
    /* NUMBER. */
    bool is_special;       /* NaN or an infinity: float64 and float32 only */
    bool is_integer;       /* `integer` is the same number */
    bool is_above_float64; /* above `float64` and below the next: beyond the largest */
    bool is_above_float32; /* the same for `float32` */
    double float64;        /* the nearest */
    float float32;
    lam_exact exact;
    /* The other classes; `integer` is for numbers too. */
    int64_t integer; /* BOOLEAN: 0 or 1; DATE: days; TIME, TIMESTAMP: microseconds */
    int32_t nanos;   /* TIMESTAMP: nanoseconds more, 0 to 999; DATE: 1 for a time of that day */
    bool is_now;     /* TIMESTAMP: of now(), which columns in no zone take as if it were theirs */
    lam_bytes bytes; /* STRING, BINARY, UUID */
} lam_literal;

/* --- Making -------------------------------------------------------------------------------- */

/* Gives the class of a kind, NO_CLASS for null, objects, arrays and unknown kinds. */
lam_literal_class lam_literal_class_of(lam_variant_kind kind);

/*
 * Makes a literal of a scalar, whose bytes are copied to `arena`. INVALID for a null, an object, an
 * array, a decimal whose scale is not 0 to 38, a UUID that has not 16 bytes.
 */
lam_status lam_literal_of_scalar(const lam_variant_scalar *scalar, lam_arena *arena,
                                 lam_literal *ret_literal, lam_error *error);

/* Makes a literal of a number as lam_exact_of_text reads it. NOMEM. */
lam_status lam_literal_of_number(const char *text, size_t size, lam_arena *arena,
                                 lam_literal *ret_literal, lam_error *error);

/*
 * Reads a timestamp as microseconds since 1970 and 0 to 999 nanoseconds; without a zone it counts
 * as UTC. False when the text is not a timestamp, or beyond 64 bits.
 */
bool lam_literal_parse_moment(const char *text, size_t size, int64_t *ret_micros,
                              int32_t *ret_nanos, bool *ret_utc);

/* Makes NaN, Infinity and -Infinity from their names, which JSON has no numbers for. */
bool lam_literal_of_special(lam_bytes text, lam_literal *ret_literal);

/* --- Comparing ----------------------------------------------------------------------------- */

/*
 * Gives a number below, at or above 0 as a scalar of the literal's class is less than, equal to or
 * greater. -0 equals +0, a NaN equals every NaN and is greater than all other numbers.
 */
int lam_literal_compare(const lam_variant_scalar *scalar, const lam_literal *literal);

/* The same for two literals of one class. */
int lam_literal_order(const lam_literal *a, const lam_literal *b);

/* --- Leaves -------------------------------------------------------------------------------- */

/*
 * The position of a literal among the values that a leaf can have. For an INT32:
 *
 *     10       EXACT      10
 *     10.5     BETWEEN    10, and 11
 *     1e10     ABOVE_ALL
 *     'x'      NOWHERE
 */
typedef enum lam_literal_position {
    LAM_LITERAL_EXACT,     /* equals the value given */
    LAM_LITERAL_BETWEEN,   /* above the value given and below the next */
    LAM_LITERAL_BELOW_ALL, /* no value is given here and below */
    LAM_LITERAL_ABOVE_ALL,
    LAM_LITERAL_NOWHERE /* values of the leaf are of another class */
} lam_literal_position;

typedef struct lam_leaf_literal {
    lam_bytes plain; /* PLAIN bytes of the value */
    lam_literal_position position;
} lam_leaf_literal;

/*
 * Finds a literal among the values of a leaf; bytes are in `arena`. A string may also be a text
 * that means the value: '2024-10-24' is an INT32 for a DATE. INVALID for bytes without the leaf's
 * length, NOMEM.
 */
lam_status lam_literal_to_leaf(const lam_literal *literal, const lam_field *leaf, lam_arena *arena,
                               lam_leaf_literal *ret_found, lam_error *error);

/*
 * Says what a filter's text must have in place of a literal that was found as `found`; NULL if it
 * is allowed. Beyond NOWHERE, a text must not name floating-point numbers that are too large.
 */
const char *lam_literal_expected(const lam_literal *literal, const lam_field *leaf,
                                 const lam_leaf_literal *found);

#endif
