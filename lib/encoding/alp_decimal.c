/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Converts floating-point numbers to decimal integers and back, as ALP does. The inverse is fixed
 * by the format: a product with a power of ten, rounded to the type, then a product with an inverse
 * power, rounded again. The way to the integer is free, since every integer is converted back and
 * compared bit by bit: a number that does not come back is reported as an exception. So a poor
 * rounding costs space and never a value. All loops are without branches, so that compilers
 * vectorize them. (AlpEncoding.md, "Encoding Formula", "Exception Detection")
 *
 *     333.5, exponent 4, factor 3:   333.5 * 10^4 * 10^-3 = 3335     3335 * 10^3 * 10^-4 = 333.5
 */
#include "encoding/alp_decimal.h"

#include <float.h>
#include <string.h>

#include "base/wrap.h"

/* 10^i and 10^-i, correctly rounded as the format demands: the compiler converts the literals. */
static const double powers_64[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8, 1e9,
                                   1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18};
static const double inverses_64[] = {1e-0,  1e-1,  1e-2,  1e-3,  1e-4,  1e-5,  1e-6,
                                     1e-7,  1e-8,  1e-9,  1e-10, 1e-11, 1e-12, 1e-13,
                                     1e-14, 1e-15, 1e-16, 1e-17, 1e-18};
static const float powers_32[] = {1e0f, 1e1f, 1e2f, 1e3f, 1e4f, 1e5f,
                                  1e6f, 1e7f, 1e8f, 1e9f, 1e10f};
static const float inverses_32[] = {1e-0f, 1e-1f, 1e-2f, 1e-3f, 1e-4f, 1e-5f,
                                    1e-6f, 1e-7f, 1e-8f, 1e-9f, 1e-10f};

/*
 * With other values products would be wider than their operands, as in x87 registers: numbers would
 * be rounded once instead of twice, and pages would depend on the machine.
 */
_Static_assert(FLT_EVAL_METHOD == 0, "operations are of the precision of their operands");

/* --- Integers to numbers ------------------------------------------------------------------- */

/*
 * integer * power * inverse, as statements of their own, so that no compiler contracts or reorders
 * the products.
 */
static inline float to_float(uint32_t integer, float power, float inverse) {
    float number = (float)(int32_t)integer;
    number = number * power;
    number = number * inverse;
    return number;
}

static inline double to_double(uint64_t integer, double power, double inverse) {
    double number = (double)(int64_t)integer;
    number = number * power;
    number = number * inverse;
    return number;
}

/* The sum wraps modulo 2^32, as the writer's difference does; the result is signed. */
LAM_WRAPS void lam_alp_to_floats(const uint32_t *stored, size_t count, uint32_t frame,
                                 lam_alp_scale scale, float *numbers) {
    float power = powers_32[scale.factor], inverse = inverses_32[scale.exponent];
    for (size_t i = 0; i < count; i++)
        numbers[i] = to_float(frame + stored[i], power, inverse);
}

LAM_WRAPS void lam_alp_to_doubles(const uint64_t *stored, size_t count, uint64_t frame,
                                  lam_alp_scale scale, double *numbers) {
    double power = powers_64[scale.factor], inverse = inverses_64[scale.exponent];
    for (size_t i = 0; i < count; i++)
        numbers[i] = to_double(frame + stored[i], power, inverse);
}

/* --- Numbers to integers ------------------------------------------------------------------- */

/*
 * Rounds to the nearest integer without a call: adding 1.5 * 2^23 (2^52 for doubles) makes a number
 * whose last bit counts ones, so the addition itself rounds, and subtracting it leaves the integer:
 *
 *     3335.4 + 12582912 = 12586247, rounded; less 12582912 = 3335
 *
 * That holds below 2^22 (2^51). Larger numbers are truncated by the conversion; if that is wrong,
 * they become exceptions. Numbers outside of the integer type and NaNs give 0, because converting
 * them is undefined; every comparison with a NaN is false.
 */
static inline int32_t round_float(float x) {
    const float magic = 12582912.0f, small = 4194304.0f, most = 2147483648.0f;
    float pushed = x + magic;
    float near = x > -small && x < small ? pushed - magic : x;
    return (int32_t)(x > -most && x < most ? near : 0.0f);
}

static inline int64_t round_double(double x) {
    const double magic = 6755399441055744.0, small = 2251799813685248.0;
    const double most = 9223372036854775808.0;
    double pushed = x + magic;
    double near = x > -small && x < small ? pushed - magic : x;
    return (int64_t)(x > -most && x < most ? near : 0.0);
}

/*
 * Converts, converts back and compares bits, not values: -0.0 equals 0.0 and a NaN does not equal
 * itself. The position is stored each time and kept only if `found` moves on, which saves a branch.
 */
size_t lam_alp_from_floats(const float *numbers, size_t count, lam_alp_scale scale,
                           uint32_t *integers, uint16_t *exceptions) {
    float power = powers_32[scale.exponent], inverse = inverses_32[scale.factor];
    float back_power = powers_32[scale.factor], back_inverse = inverses_32[scale.exponent];
    size_t found = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t bits, back_bits;
        uint32_t integer = (uint32_t)round_float(numbers[i] * power * inverse);
        float back = to_float(integer, back_power, back_inverse);
        memcpy(&bits, &numbers[i], sizeof bits);
        memcpy(&back_bits, &back, sizeof back_bits);
        integers[i] = integer;
        exceptions[found] = (uint16_t)i;
        found += bits != back_bits;
    }
    return found;
}

/* The same for 64 bits. */
size_t lam_alp_from_doubles(const double *numbers, size_t count, lam_alp_scale scale,
                            uint64_t *integers, uint16_t *exceptions) {
    double power = powers_64[scale.exponent], inverse = inverses_64[scale.factor];
    double back_power = powers_64[scale.factor], back_inverse = inverses_64[scale.exponent];
    size_t found = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t bits, back_bits;
        uint64_t integer = (uint64_t)round_double(numbers[i] * power * inverse);
        double back = to_double(integer, back_power, back_inverse);
        memcpy(&bits, &numbers[i], sizeof bits);
        memcpy(&back_bits, &back, sizeof back_bits);
        integers[i] = integer;
        exceptions[found] = (uint16_t)i;
        found += bits != back_bits;
    }
    return found;
}
