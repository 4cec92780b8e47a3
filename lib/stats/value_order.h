/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The order of a column's values, by which their minimum and maximum are found. (parquet.thrift,
 * union ColumnOrder; LogicalTypes.md, "The sort order used for ...")
 *
 * Values come as elements of lam_triples.values, or as PLAIN bytes without a length before them, as
 * statistics hold them; the functions that compare take the latter.
 */
#ifndef LAM_STATS_VALUE_ORDER_H
#define LAM_STATS_VALUE_ORDER_H

#include <lamella/schema.h>

#include "kernel/kernel.h"

typedef enum lam_comparison {
    LAM_COMPARISON_UNDEFINED, /* no order: such a column has no bounds */
    LAM_COMPARISON_BOOLEAN,
    LAM_COMPARISON_SIGNED_32,
    LAM_COMPARISON_SIGNED_64,
    LAM_COMPARISON_UNSIGNED_32,
    LAM_COMPARISON_UNSIGNED_64,
    LAM_COMPARISON_FLOAT16,
    LAM_COMPARISON_FLOAT,
    LAM_COMPARISON_DOUBLE,
    LAM_COMPARISON_BYTES,        /* unsigned, byte by byte; a prefix comes first */
    LAM_COMPARISON_SIGNED_BYTES, /* the same with signed bytes, as old bounds were made */
    LAM_COMPARISON_DECIMAL,      /* big-endian two's complement of any lengths */
    LAM_COMPARISON_INT96,        /* the day, then the nanoseconds, whatever their sum */
    LAM_COMPARISON_INT96_TIME,   /* the time that both add up to */
    LAM_COMPARISON_SIGNED_96     /* little-endian two's complement of 12 bytes */
} lam_comparison;

/* Everything about a column that the functions below depend on. */
typedef struct lam_value_order {
    lam_comparison comparison;
    bool is_total;  /* floats in IEEE 754 total order: -0 before +0, NaNs ordered */
    bool has_nans;  /* FLOAT16, FLOAT, DOUBLE */
    bool is_varied; /* BYTE_ARRAY: each value has its own size */
    uint32_t size;  /* PLAIN bytes of each value if not is_varied */
} lam_value_order;

/*
 * Gives the order of a leaf; `column_order` is its lam_meta_column_order_kind, as the file states
 * it.
 */
lam_value_order lam_value_order_of(const lam_field *leaf, int32_t column_order);
/*
 * The same for conditions on values and for sorted rows. INT96 differs: the format orders its
 * bounds by the day first, but a value's meaning is its time. Both are one order if the nanoseconds
 * of all values are within their day. (parquet.thrift, ColumnOrder.INT96_TIMESTAMP_ORDER)
 */
lam_value_order lam_value_order_of_rows(const lam_field *leaf, int32_t column_order);
/*
 * Gives the order of the deprecated bounds, Statistics.min and max: signed whatever the type's
 * meaning.
 */
lam_value_order lam_value_order_signed(const lam_field *leaf);
/*
 * True if values that differ bit by bit also differ in the order. Not so: -0 and +0, NaNs of other
 * bits, DECIMALs padded to other lengths, forms of one time in INT96.
 */
bool lam_value_order_has_one_form(const lam_value_order *order);

/*
 * False when the bytes cannot be a value of the column. The other functions require that they can.
 */
bool lam_value_fits(const lam_value_order *order, lam_bytes value);
/* False for columns without NaNs. */
bool lam_value_is_nan(const lam_value_order *order, lam_bytes value);
/* True for -0 and +0 of a floating-point column. */
bool lam_value_is_float_zero(const lam_value_order *order, lam_bytes value, bool *ret_negative);

/*
 * Gives a number below, at or above 0 as `a` comes before, with or after `b`. NaNs compare only in
 * total order; without it -0 and +0 are equal. 0 if no order is defined.
 */
int lam_value_compare(const lam_value_order *order, lam_bytes a, lam_bytes b);

enum { LAM_VALUE_SCRATCH = 8 };

/* Gives an element as PLAIN bytes, borrowed from `values` or written into `scratch`. */
lam_bytes lam_value_plain(const lam_value_order *order, const void *values, size_t index,
                          uint8_t scratch[LAM_VALUE_SCRATCH]);

/* The indexes of the smallest and largest of some elements. */
typedef struct lam_value_extremes {
    size_t min;
    size_t max;
    size_t nan_count;
} lam_value_extremes;

/*
 * Finds the extremes of `count` elements, at least 1. NaNs are left out if there is any other
 * value; indexes for NaNs alone are meaningful only in total order.
 */
lam_value_extremes lam_value_scan(const lam_kernels *kernels, const lam_value_order *order,
                                  const void *values, size_t count);

#endif
