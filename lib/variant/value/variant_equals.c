/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compares two values by their meaning. (VariantEncoding.md, "Encoding types", equivalence classes)
 *
 *     {"a": 1} with ids 0 and 5        equal: names count, not ids
 *     int8 1, decimal4 1.00            equal: exact numbers by value
 *     double 1.0, int8 1               different: floats and doubles never equal exact numbers
 *     double 0.0, double -0.0          different: bit for bit
 *
 * Takes two well-formed values, and says whether they are equal; malformed bytes compare as
 * different, never out of bounds. Containers are walked side by side with a stack of fixed size.
 * Fields are compared by their index, which is enough because the format keeps them in the order of
 * their names. The invariant that bounds the time: the children of a container in `a` together take
 * no more bytes than it has.
 */
#include <lamella/variant.h>

#include "variant/value/variant_decimal.h"
#include "variant/value/variant_layout.h"

/* Integers and decimals: the class of exact numbers. */
static bool variant_equals_is_exact(lam_variant_kind kind) {
    return (kind >= LAM_VARIANT_INT8 && kind <= LAM_VARIANT_INT64) ||
           (kind >= LAM_VARIANT_DECIMAL4 && kind <= LAM_VARIANT_DECIMAL16);
}

/*
 * Removes zeros after the point, so that equal numbers have equal members: 1.50 becomes 1.5, and
 * 2.00 becomes 2. Zero ends up with scale 0.
 */
static lam_decimal normal(lam_decimal decimal) {
    lam_wide number = lam_decimal_magnitude(&decimal);
    bool is_negative = lam_decimal_is_negative(&decimal);
    while (decimal.scale > 0) {
        lam_wide tenth = number; /* a copy: the division is taken only without a remainder */
        if (lam_wide_divide_by_10(&tenth) != 0)
            break;
        number = tenth;
        decimal.scale--;
    }
    if (is_negative)
        number = lam_wide_negate(number);
    decimal.high = (int64_t)number.high;
    decimal.low = number.low;
    return decimal;
}

/* Reads a decimal, or an integer as one of scale 0, whose sign extends into the upper 64 bits. */
static bool exact_number(lam_variant variant, lam_decimal *ret_number) {
    lam_variant_scalar scalar;
    if (lam_variant_get(variant, &scalar, NULL) != LAM_STATUS_OK ||
        scalar.kind < LAM_VARIANT_INT8 || scalar.kind > LAM_VARIANT_DECIMAL16 ||
        scalar.kind == LAM_VARIANT_FLOAT || scalar.kind == LAM_VARIANT_DOUBLE)
        return false;
    bool is_integer = scalar.kind <= LAM_VARIANT_INT64;
    *ret_number =
        is_integer ? (lam_decimal){(uint64_t)scalar.as.integer, scalar.as.integer < 0 ? -1 : 0, 0}
                   : scalar.as.decimal;
    return true;
}

/* Two exact numbers, of the same or different kinds. */
static bool same_number(lam_variant a, lam_variant b) {
    lam_decimal x, y;
    if (!exact_number(a, &x) || !exact_number(b, &y))
        return false;
    x = normal(x);
    y = normal(y);
    return x.low == y.low && x.high == y.high && x.scale == y.scale;
}

/*
 * A timestamp in microseconds and one in nanoseconds; the division cannot overflow, a product
 * could.
 */
static bool same_instant(const lam_variant_scalar *micros, const lam_variant_scalar *nanos) {
    return nanos->as.integer % 1000 == 0 && nanos->as.integer / 1000 == micros->as.integer;
}

static bool same_bytes(lam_bytes a, lam_bytes b) {
    return a.size == b.size && (a.size == 0 || memcmp(a.data, b.data, a.size) == 0);
}

/* Two scalars of one kind, neither of them an exact number. */
static bool same_content(const lam_variant_scalar *a, const lam_variant_scalar *b) {
    switch (a->kind) {
    case LAM_VARIANT_NULL:
        return true;
    case LAM_VARIANT_BOOLEAN:
        return a->as.boolean == b->as.boolean;
    case LAM_VARIANT_FLOAT:
        return memcmp(&a->as.float32, &b->as.float32, sizeof a->as.float32) == 0;
    case LAM_VARIANT_DOUBLE:
        return memcmp(&a->as.float64, &b->as.float64, sizeof a->as.float64) == 0;
    case LAM_VARIANT_BINARY:
    case LAM_VARIANT_STRING:
    case LAM_VARIANT_UUID:
        return same_bytes(a->as.bytes, b->as.bytes);
    default: /* dates and times */
        return a->as.integer == b->as.integer;
    }
}

/*
 * Two scalars of any kinds. Swapping leaves the one with the lower kind first, so that microseconds
 * come before nanoseconds.
 */
static bool same_scalar(lam_variant a, lam_variant b) {
    lam_variant_scalar x, y;
    if (variant_equals_is_exact(lam_variant_kind_of(a)) &&
        variant_equals_is_exact(lam_variant_kind_of(b)))
        return same_number(a, b);
    if (lam_variant_get(a, &x, NULL) != LAM_STATUS_OK ||
        lam_variant_get(b, &y, NULL) != LAM_STATUS_OK)
        return false;
    if (x.kind == y.kind)
        return same_content(&x, &y);
    if (x.kind > y.kind) {
        lam_variant_scalar other = x;
        x = y;
        y = other;
    }
    return ((x.kind == LAM_VARIANT_TIMESTAMP && y.kind == LAM_VARIANT_TIMESTAMP_NANOS) ||
            (x.kind == LAM_VARIANT_TIMESTAMP_NTZ && y.kind == LAM_VARIANT_TIMESTAMP_NTZ_NANOS)) &&
           same_instant(&x, &y);
}

/* Two containers that are walked side by side, with the same number of children. */
typedef struct container_pair {
    const uint8_t *a; /* its bytes end with those of the outermost value, at most */
    const uint8_t *b;
    uint32_t next;
    uint32_t count; /* of 4 bytes in the format */
    /* Bytes of `a` that no child has taken yet: children that share theirs take forever. */
    size_t left;
} container_pair;

/* Both outermost values. */
typedef struct value_pair {
    lam_variant a;
    lam_variant b;
} value_pair;

/* A value inside `outer`, from its first byte to the end of all bytes. */
static lam_variant variant_equals_from(lam_variant outer, const uint8_t *value) {
    outer.value.size -= (size_t)(value - outer.value.data);
    outer.value.data = value;
    return outer;
}

/* Starts a walk; false unless both are objects or both arrays, with the same count. */
static bool variant_equals_open_pair(lam_variant a, lam_variant b, container_pair *ret_pair) {
    size_t count_a, count_b;
    if (lam_variant_is_object(a.value) != lam_variant_is_object(b.value) ||
        lam_variant_count(a, &count_a, NULL) != LAM_STATUS_OK ||
        lam_variant_count(b, &count_b, NULL) != LAM_STATUS_OK || count_a != count_b)
        return false;
    *ret_pair = (container_pair){a.value.data, b.value.data, 0, (uint32_t)count_a, a.value.size};
    return true;
}

/* Gives the next two children; false when they cannot be equal, as two names that differ. */
static bool open_children(const value_pair *outer, container_pair *top, lam_variant *a,
                          lam_variant *b) {
    lam_bytes name_a, name_b;
    size_t index = top->next++;
    *a = variant_equals_from(outer->a, top->a);
    *b = variant_equals_from(outer->b, top->b);
    if (lam_variant_is_array(a->value))
        return lam_variant_element(*a, index, a, NULL) == LAM_STATUS_OK &&
               lam_variant_element(*b, index, b, NULL) == LAM_STATUS_OK;
    return lam_variant_field_at(*a, index, &name_a, a, NULL) == LAM_STATUS_OK &&
           lam_variant_field_at(*b, index, &name_b, b, NULL) == LAM_STATUS_OK &&
           same_bytes(name_a, name_b);
}

/* The same, and counts the bytes of the child in `a`. */
static bool next_children(const value_pair *outer, container_pair *top, lam_variant *a,
                          lam_variant *b) {
    if (!open_children(outer, top, a, b) || a->value.size > top->left)
        return false;
    top->left -= a->value.size;
    return true;
}

/*
 * Recursion by hand: a container is pushed and its children follow; the walk ends when the stack is
 * empty.
 */
bool lam_variant_equals(lam_variant a, lam_variant b) {
    const value_pair outer = {a, b};
    container_pair stack[LAM_VARIANT_DEPTH_MAX];
    size_t depth = 0;
    for (;;) {
        bool container = lam_variant_is_container(a.value);
        if (container != lam_variant_is_container(b.value))
            return false;
        if (!container && !same_scalar(a, b))
            return false;
        if (container &&
            (depth == LAM_VARIANT_DEPTH_MAX || !variant_equals_open_pair(a, b, &stack[depth++])))
            return false;
        while (depth > 0 && stack[depth - 1].next == stack[depth - 1].count)
            depth--;
        if (depth == 0)
            return true;
        if (!next_children(&outer, &stack[depth - 1], &a, &b))
            return false;
    }
}
