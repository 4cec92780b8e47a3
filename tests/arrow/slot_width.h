/* SPDX-License-Identifier: Apache-2.0 */
/* How wide values of a kind are in an Arrow array, counted without the library. */
#ifndef LAM_TESTS_ARROW_SLOT_WIDTH_H
#define LAM_TESTS_ARROW_SLOT_WIDTH_H

#include "arrow/field/arrow_field.h"

static inline size_t lam_test_slot_width(const lam_arrow_type *type, lam_arrow_kind kind) {
    switch (kind) {
    case LAM_ARROW_INT8:
    case LAM_ARROW_UINT8:
        return 1;
    case LAM_ARROW_INT16:
    case LAM_ARROW_UINT16:
    case LAM_ARROW_FLOAT16:
        return 2;
    case LAM_ARROW_INT32:
    case LAM_ARROW_UINT32:
    case LAM_ARROW_FLOAT32:
    case LAM_ARROW_DATE32:
    case LAM_ARROW_TIME32:
    case LAM_ARROW_INTERVAL_MONTHS:
        return 4;
    case LAM_ARROW_INTERVAL_MONTH_DAY_NANO:
        return 16;
    case LAM_ARROW_DECIMAL:
        return (size_t)type->bit_width / 8;
    case LAM_ARROW_FIXED_SIZE_BINARY:
        return (size_t)type->fixed_size;
    default:
        return 8;
    }
}

#endif
