/*
 * Values that paths of VARIANTs are compared with. What a path leads to shows only value by value, so
 * a text of a condition is read as each class of values that it may mean:
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

/* Values of one class can be compared, whatever their kinds are. */
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

typedef struct lam_typed_literal {
    lam_literal_class kind;
    /* A number. NaN and infinities are reals only. */
    bool is_special;
    bool is_integer;       /* `integer` is the number too */
    bool is_above_float64; /* beyond the largest one: above `float64`, and below the next */
    bool is_above_float32;
    double float64; /* the nearest */
    float float32;
    lam_exact exact;
    lam_bytes text; /* a JSON number */
    /* Others. */
    int64_t integer; /* BOOLEAN: 0 or 1; DATE: days; TIME, TIMESTAMP: microseconds */
    int32_t nanos;   /* TIMESTAMP: nanoseconds more, 0 to 999 */
    lam_bytes bytes; /* STRING, BINARY, UUID */
} lam_typed_literal;

lam_literal_class lam_literal_class_of(lam_variant_kind kind);

/* Below, at or above 0 as a scalar of the literal's class is less than, equal to or greater. -0
 * equals +0, a NaN equals every NaN and is greater than all other numbers. */
int lam_typed_literal_compare(const lam_variant_scalar *scalar, const lam_typed_literal *literal);

/* The same for two literals of one class. */
int lam_typed_literal_order(const lam_typed_literal *a, const lam_typed_literal *b);

/*
 * Reads a scalar; its bytes are copied to `arena`. INVALID for a null, an object, an array, a
 * decimal whose scale is not 0 to 38, a UUID that has not 16 bytes.
 */
lam_status lam_typed_literal_of_scalar(const lam_variant_scalar *scalar, lam_arena *arena,
                                       lam_typed_literal *ret_literal, lam_error *error);

/* Reads a JSON number, of which a copy is in `arena`. */
lam_status lam_typed_literal_of_number(const char *text, size_t size, lam_arena *arena,
                                       lam_typed_literal *ret_literal, lam_error *error);

#endif
