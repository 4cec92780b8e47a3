#include "arrow/lenient_types.h"

enum {
    LENIENT_TYPES_INT32_DIGITS = 10,
    LENIENT_TYPES_INT64_DIGITS = 19,
    LENIENT_TYPES_DECIMAL128_DIGITS = 38,
    LENIENT_TYPES_DECIMAL256_DIGITS = 76
};

static int32_t digits_of(const lam_field *leaf, int32_t precision) {
    if (leaf->physical_type == LAM_PHYSICAL_INT32)
        return LENIENT_TYPES_INT32_DIGITS;
    if (leaf->physical_type == LAM_PHYSICAL_INT64)
        return LENIENT_TYPES_INT64_DIGITS;
    return precision <= LENIENT_TYPES_DECIMAL128_DIGITS ? LENIENT_TYPES_DECIMAL128_DIGITS
                                                        : LENIENT_TYPES_DECIMAL256_DIGITS;
}

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
