/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Converts decimals by way of 256 bits: each value is unfolded to four limbs of 64 bits, compared
 * with its precision, and stored with the width of its Arrow type.
 *
 *     Parquet                                        Arrow
 *     INT32, INT64             number                4, 8, 16 or 32 bytes, in the machine's order
 *     FIXED_LEN_BYTE_ARRAY(n)  highest byte first
 *     BYTE_ARRAY               highest byte first
 *
 * A stored number always has at most `precision` digits, and so has room in its slot; values with
 * more fail, and the scale never matters. (LogicalTypes.md, DECIMAL)
 */
#include "arrow/read/leaf_decimal.h"

#include <string.h>

#include "arrow/field/arrow_decimal.h"
#include "base/bytes.h"
#include "base/error.h"

/* A number of 256 bits in two's complement, the lowest limb first. */
typedef struct wide {
    uint64_t limb[LAM_ARROW_DECIMAL_LIMBS];
} wide;

/*
 * Up to eight bytes, the highest first. Two loads that may overlap replace a loop: for six bytes,
 * bytes 0 to 3 shifted by 16 bits, OR bytes 2 to 5.
 */
static inline uint64_t load_big_endian(const uint8_t *bytes, size_t size) {
    if (size >= 4) {
        uint64_t high = lam_swap32(lam_load_le32(bytes));
        return high << 8 * (size - 4) | lam_swap32(lam_load_le32(bytes + size - 4));
    }
    uint64_t x = 0;
    for (size_t i = 0; i < size; i++)
        x = x << 8 | bytes[i];
    return x;
}

/*
 * Loads a number of any length. False when it needs more than 256 bits; longer ones are fine while
 * the extra bytes only repeat the sign. An empty number is 0:
 *
 *     FF 38   ->   limbs FFFFFFFFFFFFFF38 FFFFFFFFFFFFFFFF FFFFFFFFFFFFFFFF FFFFFFFFFFFFFFFF (-200)
 */
static inline bool load_wide(const uint8_t *bytes, size_t size, wide *ret_x) {
    if (size == 0) { /* its bytes may be NULL */
        *ret_x = (wide)LAM_ZERO_INIT;
        return true;
    }
    uint64_t sign = bytes[0] >= 0x80 ? UINT64_MAX : 0;
    for (; size > 8 * LAM_ARROW_DECIMAL_LIMBS; size--) {
        if (*bytes++ != (uint8_t)sign ||
            (size == 8 * LAM_ARROW_DECIMAL_LIMBS + 1 && (*bytes ^ sign) & 0x80))
            return false;
    }
    for (size_t i = 0; i < LAM_ARROW_DECIMAL_LIMBS; i++) {
        size_t some = size < 8 ? size : 8;
        uint64_t limb = some < 8 ? sign << 8 * some : 0;
        ret_x->limb[i] = limb | load_big_endian(bytes + size - some, some);
        size -= some;
    }
    return true;
}

/*
 * Checks that -bound < x < bound without a branch on the sign: -x is ~x + 1, so XOR with the sign
 * and a carry of 1 give the magnitude; limbs are then compared from the lowest to the highest,
 * where the higher one overrules.
 */
static inline bool leaf_decimal_is_below(const wide *x, const uint64_t *bound) {
    uint64_t sign = (uint64_t)((int64_t)x->limb[LAM_ARROW_DECIMAL_LIMBS - 1] >> 63),
             carry = sign & 1;
    bool below = false;
    for (size_t i = 0; i < LAM_ARROW_DECIMAL_LIMBS; i++) {
        uint64_t limb = (x->limb[i] ^ sign) + carry;
        carry = carry != 0 && limb == 0;
        below = limb < bound[i] || (limb == bound[i] && below);
    }
    return below;
}

/* Stores the lowest `size` bytes, 4 or a multiple of 8, in the byte order of the machine. */
static inline void store_wide(const wide *x, size_t size, uint8_t *slot) {
    uint32_t narrow = (uint32_t)x->limb[0];
    if (size == sizeof narrow)
        memcpy(slot, &narrow, sizeof narrow);
    for (size_t i = 0, count = size / 8; i < count; i++)
        memcpy(slot + 8 * (LAM_BIG_ENDIAN ? count - 1 - i : i), &x->limb[i], 8);
}

/* The precision is in the footer, so a value beyond it is a fault of the file. */
static lam_status check(bool good, lam_error *error) {
    if (!good)
        LAM_FAIL(error, LAM_ERROR_CODE_VALUE_RANGE, "a decimal has more digits than its precision");
    return LAM_STATUS_OK;
}

/*
 * Converts numbers of 64 bits: a loop for each type of the file and each width of slots. The limit
 * is added, so that one comparison without sign finds both ends. Precisions of 19 digits and more
 * hold all 64 bits. `odd` collects over the entire block, as in leaf_convert.c.
 */
#define LEAF_DECIMAL_FROM_NUMBERS(TYPE, LIMBS)                                                     \
    for (size_t i = 0; i < count; i++) {                                                           \
        int64_t x = numbers[i];                                                                    \
        odd |= (uint64_t)x + limit > 2 * limit;                                                    \
        TYPE *to = (TYPE *)slots + (LIMBS)*i;                                                      \
        to[LAM_BIG_ENDIAN ? (LIMBS)-1 : 0] = (TYPE)x;                                              \
        for (size_t limb = 1; (LIMBS) > 1 && limb < (LIMBS); limb++)                               \
            to[LAM_BIG_ENDIAN ? (LIMBS)-1 - limb : limb] = (TYPE)(x >> 63);                        \
    }

#define LEAF_DECIMAL_FROM_INTEGERS(NAME, NUMBER)                                                   \
    static lam_status NAME(const lam_leaf_conversion *conversion, const void *elements,            \
                           size_t count, void *slots, lam_error *error) {                          \
        const NUMBER *numbers = elements;                                                          \
        const uint64_t *bound = conversion->bound;                                                 \
        bool is_bounded = (bound[1] | bound[2] | bound[3]) == 0 && bound[0] <= INT64_MAX;          \
        uint64_t limit = is_bounded ? bound[0] - 1 : INT64_MAX;                                    \
        bool odd = false;                                                                          \
        if (conversion->slot_size == 4) {                                                          \
            LEAF_DECIMAL_FROM_NUMBERS(int32_t, 1)                                                  \
        } else if (conversion->slot_size == 8) {                                                   \
            LEAF_DECIMAL_FROM_NUMBERS(int64_t, 1)                                                  \
        } else if (conversion->slot_size == 16) {                                                  \
            LEAF_DECIMAL_FROM_NUMBERS(int64_t, 2)                                                  \
        } else {                                                                                   \
            LEAF_DECIMAL_FROM_NUMBERS(int64_t, 4)                                                  \
        }                                                                                          \
        return check(!(odd & is_bounded), error);                                                  \
    }

LEAF_DECIMAL_FROM_INTEGERS(from_int32, int32_t)
LEAF_DECIMAL_FROM_INTEGERS(from_int64, int64_t)

/*
 * The part of the bound that numbers of up to 128 bits are compared with; if it is larger, none of
 * them is refused.
 */
static void narrow_bound(const uint64_t *bound, uint64_t *ret_bound) {
    bool is_wide = (bound[2] | bound[3]) != 0;
    ret_bound[0] = is_wide ? UINT64_MAX : bound[0];
    ret_bound[1] = is_wide ? UINT64_MAX : bound[1];
}

/*
 * Loads a number of 9 to 32 bytes: full limbs from the end, the last one from the first eight
 * bytes, shifted with its sign over the bytes that the limb below already has.
 */
static inline wide load_long(const uint8_t *bytes, size_t size) {
    wide x;
    size_t whole = (size - 1) / 8, rest = size - 8 * whole;
    uint64_t top = lam_swap64(lam_load_le64(bytes));
    uint64_t sign = (uint64_t)((int64_t)top >> 63);
    for (size_t i = 0; i < LAM_ARROW_DECIMAL_LIMBS; i++)
        x.limb[i] = i < whole ? lam_swap64(lam_load_le64(bytes + size - 8 * (i + 1))) : sign;
    x.limb[whole] = (uint64_t)((int64_t)top >> (64 - 8 * rest));
    return x;
}

/*
 * Converts numbers of one size to slots of 32 bytes. True if the highest limb of each alone shows
 * that it is below the bound: no power of ten is a multiple of 2^192, so the lower limb of both
 * limits is inside, too.
 */
static inline bool widen_long(const uint8_t *bytes, size_t size, size_t count,
                              const uint64_t *bound, uint8_t *slot) {
    const uint64_t limit = bound[LAM_ARROW_DECIMAL_LIMBS - 1];
    bool good = true;
    for (size_t i = 0; i < count; i++, bytes += size, slot += sizeof(wide)) {
        wide x = load_long(bytes, size);
        good &= x.limb[LAM_ARROW_DECIMAL_LIMBS - 1] + limit < 2 * limit;
        store_wide(&x, sizeof x, slot);
    }
    return good;
}

/* Numbers of 17 to 32 bytes, in slots of 32; values near the bound take a second, exact pass. */
static lam_status from_wide_fixed(const lam_leaf_conversion *conversion, const void *elements,
                                  size_t count, void *slots, lam_error *error) {
    const uint8_t *bytes = elements;
    size_t size = conversion->element_size;
    bool good = size == sizeof(wide)
                    ? widen_long(bytes, sizeof(wide), count, conversion->bound, slots)
                    : widen_long(bytes, size, count, conversion->bound, slots);
    if (good)
        return LAM_STATUS_OK;
    good = true;
    for (size_t i = 0; i < count; i++) {
        wide x = load_long(bytes + i * size, size);
        good &= leaf_decimal_is_below(&x, conversion->bound);
    }
    return check(good, error);
}

/* Numbers that may have surplus bytes. */
static lam_status from_long_fixed(const lam_leaf_conversion *conversion, const void *elements,
                                  size_t count, void *slots, lam_error *error) {
    const uint8_t *bytes = elements;
    uint8_t *slot = slots;
    bool good = true;
    for (size_t i = 0; i < count; i++, slot += conversion->slot_size) {
        wide x = {{0}};
        good &= load_wide(bytes + i * conversion->element_size, conversion->element_size, &x) &&
                leaf_decimal_is_below(&x, conversion->bound);
        store_wide(&x, conversion->slot_size, slot);
    }
    return check(good, error);
}

static lam_status from_fixed(const lam_leaf_conversion *conversion, const void *elements,
                             size_t count, void *slots, lam_error *error) {
    uint64_t bound[2];
    narrow_bound(conversion->bound, bound);
    return check(conversion->kernels->widen_big_endian(elements, conversion->element_size, count,
                                                       bound, conversion->slot_size, slots),
                 error);
}

/*
 * Loads a number of 1 to 8 bytes. If eight can be read before `end`, one load takes them, whatever
 * the size, and the shift drops what follows.
 */
static inline int64_t load_short(const uint8_t *bytes, size_t size, uintptr_t end) {
    unsigned rest = 64 - 8 * (unsigned)size;
    uint64_t top = (uintptr_t)bytes < end && end - (uintptr_t)bytes >= 8
                       ? lam_swap64(lam_load_le64(bytes))
                       : load_big_endian(bytes, size) << rest;
    return (int64_t)top >> rest;
}

/*
 * Loads a number of 9 to 16 bytes by two loads that may overlap; the other limbs repeat its sign.
 */
static inline wide load_double(const uint8_t *bytes, size_t size) {
    uint64_t low = lam_swap64(lam_load_le64(bytes + size - 8));
    int64_t high = (int64_t)lam_swap64(lam_load_le64(bytes)) >> (128 - 8 * (unsigned)size);
    uint64_t sign = (uint64_t)(high >> 63);
    wide x = {{low, (uint64_t)high, sign, sign}};
    return x;
}

/*
 * Converts numbers of any sizes to slots of one. Most fit into 64 bits and are compared with
 * `limit`, as in LEAF_DECIMAL_FROM_NUMBERS; INT64_MAX refuses none.
 */
static inline bool widen_bytes(const lam_leaf_conversion *conversion, const lam_bytes *bytes,
                               size_t count, uint64_t limit, uint8_t *slot, size_t slot_size) {
    const uintptr_t end = (uintptr_t)conversion->text_end;
    bool good = true;
    for (size_t i = 0; i < count; i++, slot += slot_size) {
        size_t size = bytes[i].size;
        wide x = {{0}};
        if (size - 1 < 8) {
            int64_t number = load_short(bytes[i].data, size, end);
            uint64_t sign = (uint64_t)(number >> 63);
            x = (wide){{(uint64_t)number, sign, sign, sign}};
            good &= x.limb[0] + limit <= 2 * limit || limit == INT64_MAX;
        } else if (size - 9 < 8) {
            x = load_double(bytes[i].data, size);
            good &= leaf_decimal_is_below(&x, conversion->bound);
        } else {
            good &=
                load_wide(bytes[i].data, size, &x) && leaf_decimal_is_below(&x, conversion->bound);
        }
        store_wide(&x, slot_size, slot);
    }
    return good;
}

static lam_status from_bytes(const lam_leaf_conversion *conversion, const void *elements,
                             size_t count, void *slots, lam_error *error) {
    const uint64_t *bound = conversion->bound;
    bool is_bounded = (bound[1] | bound[2] | bound[3]) == 0 && bound[0] <= INT64_MAX, good;
    uint64_t limit = is_bounded ? bound[0] - 1 : INT64_MAX;
    if (conversion->slot_size == 4)
        good = widen_bytes(conversion, elements, count, limit, slots, 4);
    else if (conversion->slot_size == 8)
        good = widen_bytes(conversion, elements, count, limit, slots, 8);
    else if (conversion->slot_size == 16)
        good = widen_bytes(conversion, elements, count, limit, slots, 16);
    else
        good = widen_bytes(conversion, elements, count, limit, slots, 32);
    return check(good, error);
}

lam_status lam_leaf_decimal_init(lam_leaf_conversion *conversion, const lam_field *leaf,
                                 const lam_arrow_type *type, lam_error *error) {
    if (type->precision < 1 || type->precision > lam_arrow_decimal_digits(type->bit_width))
        LAM_FAIL(error, LAM_ERROR_CODE_UNSUPPORTED_ARROW, "decimals of %d digits in %d bits",
                 (int)type->precision, (int)type->bit_width);
    conversion->slot_size = (size_t)type->bit_width / 8;
    lam_arrow_decimal_bound(type->precision, conversion->bound);
    switch ((lam_physical_type)leaf->physical_type) {
    case LAM_PHYSICAL_INT32:
        conversion->convert = from_int32;
        return LAM_STATUS_OK;
    case LAM_PHYSICAL_INT64:
        conversion->convert = from_int64;
        return LAM_STATUS_OK;
    case LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY:
        conversion->convert =
            conversion->element_size <= 16 && conversion->element_size <= conversion->slot_size
                ? from_fixed
            : conversion->element_size > 16 && conversion->element_size <= 32 &&
                    conversion->slot_size == sizeof(wide)
                ? from_wide_fixed
                : from_long_fixed;
        return LAM_STATUS_OK;
    case LAM_PHYSICAL_BYTE_ARRAY:
        conversion->convert = from_bytes;
        return LAM_STATUS_OK;
    default:
        LAM_FAIL(error, LAM_ERROR_CODE_UNSUPPORTED_ARROW, "decimals of this physical type");
    }
}
