/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Walks the fields of a plan and widens types in place, for callers who prefer strange values to an
 * error. The types that the file claims become types in which every value of INT32 and INT64 is
 * valid, and every decimal of up to 38 or 76 digits; longer ones still fail when they are read.
 *
 * The conversions never need a special case: they check against the precision and the width that
 * are set here. (LogicalTypes.md, Numeric Types)
 */
#include "arrow/schema/lenient_types.h"

enum {
    /* Digits of the largest number: 2147483647 has 10, 9223372036854775807 has 19. */
    LENIENT_TYPES_INT32_DIGITS = 10,
    LENIENT_TYPES_INT64_DIGITS = 19,
    LENIENT_TYPES_DECIMAL128_DIGITS = 38,
    LENIENT_TYPES_DECIMAL256_DIGITS = 76
};

/*
 * The fewest digits that hold all numbers of INT32 or INT64, or the most of the Arrow type for
 * bytes.
 */
static int32_t digits_of(const lam_field *leaf, int32_t precision) {
    if (leaf->physical_type == LAM_PHYSICAL_INT32)
        return LENIENT_TYPES_INT32_DIGITS;
    if (leaf->physical_type == LAM_PHYSICAL_INT64)
        return LENIENT_TYPES_INT64_DIGITS;
    return precision <= LENIENT_TYPES_DECIMAL128_DIGITS ? LENIENT_TYPES_DECIMAL128_DIGITS
                                                        : LENIENT_TYPES_DECIMAL256_DIGITS;
}

/*
 * Widens one column: uint8 becomes int32, decimal(5, 2) on INT32 becomes decimal(10, 2) in 128
 * bits. Other types are as wide as their physical type already.
 */
static void widen_leaf(const lam_field *leaf, lam_arrow_type *type) {
    switch (type->kind) {
    case LAM_ARROW_INT8:
    case LAM_ARROW_UINT8:
    case LAM_ARROW_INT16:
    case LAM_ARROW_UINT16:
        type->kind = LAM_ARROW_INT32;
        break;
    case LAM_ARROW_DECIMAL: {
        int32_t digits = digits_of(leaf, type->precision);
        type->precision = digits > type->precision ? digits : type->precision;
        type->bit_width = type->precision > LENIENT_TYPES_DECIMAL128_DIGITS ? 256 : 128;
        break;
    }
    default:
        break;
    }
}

/* Walks nodes and fields together, one tree in both; stops at extension types. */
static void lenient_types_widen(const lam_arrow_node *node, lam_arrow_field *field) {
    if (lam_arrow_extension_name(field).size > 0)
        return;
    if (node->shape == LAM_ARROW_NODE_VALUE)
        widen_leaf(node->leaf, &field->type);
    for (size_t i = 0; i < node->child_count; i++)
        lenient_types_widen(&node->children[i], &field->children[i]);
}

void lam_lenient_types_widen(lam_arrow_plan *plan) {
    lenient_types_widen(&plan->root, &plan->schema);
}
