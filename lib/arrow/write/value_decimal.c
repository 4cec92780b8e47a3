/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks decimals against their precision and stores them as their column does. Numbers of 4, 8, 16
 * or 32 bytes, in the machine's byte order, become INT32, INT64, or bytes with the highest first:
 *
 *     -200 in 16 bytes, type_length 3   ->   FF FF 38
 *
 * The column is made from the precision, so every number with few enough digits always has room in
 * it; only digits are checked. The scale never matters. The reverse is leaf_decimal.c.
 * (LogicalTypes.md, DECIMAL)
 */
#include "arrow/write/value_decimal.h"

#include <string.h>

#include "arrow/field/arrow_decimal.h"
#include "base/bytes.h"
#include "schema/tree.h"

enum {
    LIMB_SIZE = 8,
    VALUE_DECIMAL_BLOCK = 512 /* numbers that are converted together */
};

/*
 * Loads a value into limbs, the lowest first. A value of 4 bytes is extended by its sign to fill
 * one limb.
 */
static inline void load(const uint8_t *value, size_t size, size_t count, uint64_t *limbs) {
    if (size == 4) {
        int32_t number;
        memcpy(&number, value, sizeof number);
        limbs[0] = (uint64_t)(int64_t)number;
        return;
    }
    for (size_t i = 0; i < count; i++)
        memcpy(&limbs[i], value + LIMB_SIZE * (LAM_BIG_ENDIAN ? count - 1 - i : i), LIMB_SIZE);
}

/*
 * Checks that -bound < x < bound. The magnitude is made limb by limb, and each limb compared with
 * that of the bound; the highest that differs decides.
 */
static inline bool value_decimal_is_below(const uint64_t *limbs, size_t count,
                                          const uint64_t *bound) {
    uint64_t sign = limbs[count - 1] >> 63 != 0 ? UINT64_MAX : 0;
    uint64_t carry = sign & 1;
    bool below = false;
    for (size_t i = 0; i < count; i++) {
        uint64_t limb = (limbs[i] ^ sign) + carry; /* -x is ~x + 1 */
        carry = carry & (limb == 0);
        below = limb < bound[i] || (limb == bound[i] && below);
    }
    return below;
}

/*
 * Stores a number; bytes beyond the limbs repeat the sign. Higher limbs that are cut off only
 * repeat it, too.
 */
static inline void store(const uint64_t *limbs, size_t count, lam_physical_type type, size_t size,
                         uint8_t *element) {
    if (type == LAM_PHYSICAL_INT32) {
        uint32_t number = (uint32_t)limbs[0];
        memcpy(element, &number, sizeof number);
    } else if (type == LAM_PHYSICAL_INT64) {
        memcpy(element, &limbs[0], sizeof limbs[0]);
    } else if (count == 2 && size > LIMB_SIZE && size <= 2 * LIMB_SIZE) {
        /* Two stores that overlap: the highest eight bytes, and the lowest eight. */
        unsigned cut = 8 * (unsigned)(size - LIMB_SIZE); /* 8 to 64 */
        uint64_t top = lam_swap64(limbs[1] << (64 - cut) | limbs[0] >> (cut - 1) >> 1);
        uint64_t low = lam_swap64(limbs[0]);
        lam_store_le64(element, top);
        lam_store_le64(element + size - LIMB_SIZE, low);
    } else {
        uint8_t sign = limbs[count - 1] >> 63 != 0 ? 0xFF : 0;
        for (size_t i = 0; i < size; i++) {
            uint8_t byte = i < count * LIMB_SIZE ? (uint8_t)(limbs[i / 8] >> i % 8 * 8) : sign;
            element[size - 1 - i] = byte;
        }
    }
}

/* Inlined once per width, so that the number of limbs is a constant in each copy. */
static inline size_t value_decimal_convert(size_t size, const uint64_t *bound,
                                           const lam_field *leaf, const uint8_t *values,
                                           size_t count, uint8_t *elements) {
    size_t limb_count = (size + LIMB_SIZE - 1) / LIMB_SIZE;
    lam_physical_type type = (lam_physical_type)leaf->physical_type;
    size_t element_size = (size_t)leaf->type_length;
    for (size_t i = 0; i < count; i++) {
        uint64_t limbs[LAM_ARROW_DECIMAL_LIMBS];
        load(values + i * size, size, limb_count, limbs);
        if (!value_decimal_is_below(limbs, limb_count, bound))
            return i;
        if (elements != NULL)
            store(limbs, limb_count, type, element_size, elements + i * element_size);
    }
    return count;
}

/*
 * Converts and checks numbers of 16 bytes into INT64; the bound has 64 bits. One comparison finds
 * both ends, as -bound < x < bound means that x + bound - 1 is less than 2 * bound - 1 without
 * sign; the upper limb must repeat the sign. Whether all numbers are good is known after the loop,
 * which has no branch so that it takes several at a time.
 */
static bool narrow_decimals(uint64_t bound, const uint8_t *values, size_t count,
                            uint8_t *elements) {
    uint64_t bad = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t limbs[2];
        load(values + i * sizeof limbs, sizeof limbs, 2, limbs);
        uint64_t sign = 0 - (limbs[0] >> 63);
        bad |= (limbs[1] ^ sign) | (limbs[0] + bound - 1 >= 2 * bound - 1);
        memcpy(elements + i * LIMB_SIZE, &limbs[0], LIMB_SIZE);
    }
    return bad == 0;
}

/* Converts blocks without a branch for each number; the first block with a bad one ends it. */
static size_t convert_narrow(uint64_t bound, const uint8_t *values, size_t count,
                             uint8_t *elements) {
    size_t done = 0, some;
    for (; done < count; done += some) {
        some = count - done < VALUE_DECIMAL_BLOCK ? count - done : VALUE_DECIMAL_BLOCK;
        if (!narrow_decimals(bound, values + done * 2 * LIMB_SIZE, some,
                             elements + done * LIMB_SIZE))
            break;
    }
    return done;
}

bool lam_decimal_is_same(int32_t bit_width, const lam_field *leaf) {
    return (bit_width == 32 && leaf->physical_type == LAM_PHYSICAL_INT32) ||
           (bit_width == 64 && leaf->physical_type == LAM_PHYSICAL_INT64);
}

size_t lam_decimal_convert(const lam_arrow_type *type, const lam_field *leaf, const uint8_t *values,
                           size_t count, uint8_t *elements) {
    uint64_t bound[LAM_ARROW_DECIMAL_LIMBS];
    size_t done = 0;
    lam_arrow_decimal_bound(type->precision, bound);
    switch (type->bit_width) {
    case 32:
        return value_decimal_convert(4, bound, leaf, values, count, elements);
    case 64:
        return value_decimal_convert(8, bound, leaf, values, count, elements);
    case 128:
        if (type->precision <= lam_arrow_decimal_digits(64) &&
            leaf->physical_type == LAM_PHYSICAL_INT64)
            done = convert_narrow(bound[0], values, count, elements);
        return done + value_decimal_convert(16, bound, leaf, values + done * 16, count - done,
                                            elements + done * 8);
    default:
        return value_decimal_convert(32, bound, leaf, values, count, elements);
    }
}
