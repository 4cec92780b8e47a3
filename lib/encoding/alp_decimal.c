#include "encoding/alp_decimal.h"

#include <float.h>
#include <string.h>

/* Correctly rounded, as the format demands: the compiler converts the literals. */
static const double powers_64[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8, 1e9,
                                   1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18};
static const double inverses_64[] = {1e-0,  1e-1,  1e-2,  1e-3,  1e-4,  1e-5,  1e-6,
                                     1e-7,  1e-8,  1e-9,  1e-10, 1e-11, 1e-12, 1e-13,
                                     1e-14, 1e-15, 1e-16, 1e-17, 1e-18};
static const float powers_32[] = {1e0f, 1e1f, 1e2f, 1e3f, 1e4f, 1e5f,
                                  1e6f, 1e7f, 1e8f, 1e9f, 1e10f};
static const float inverses_32[] = {1e-0f, 1e-1f, 1e-2f, 1e-3f, 1e-4f, 1e-5f,
                                    1e-6f, 1e-7f, 1e-8f, 1e-9f, 1e-10f};

/* Or products would be of more than their type, and pages would depend on the machine. */
_Static_assert(FLT_EVAL_METHOD == 0, "operations are of the precision of their operands");

/* --- Integers to numbers ------------------------------------------------------------------- */

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

void lam_alp_to_floats(const uint32_t *stored, size_t count, uint32_t frame, lam_alp_scale scale,
                       float *numbers) {
    float power = powers_32[scale.factor], inverse = inverses_32[scale.exponent];
    for (size_t i = 0; i < count; i++)
        numbers[i] = to_float(frame + stored[i], power, inverse);
}

void lam_alp_to_doubles(const uint64_t *stored, size_t count, uint64_t frame, lam_alp_scale scale,
                        double *numbers) {
    double power = powers_64[scale.factor], inverse = inverses_64[scale.exponent];
    for (size_t i = 0; i < count; i++)
        numbers[i] = to_double(frame + stored[i], power, inverse);
}

/* --- Numbers to integers ------------------------------------------------------------------- */

/*
 * To the nearest integer: 1.5 * 2^23 or 2^52 pushes the bits behind the point out of the number.
 * Beyond 2^22 or 2^51 that would push out more; such numbers are cut instead, and if that is wrong
 * they are exceptions. What does not fit the integer gives 0, NaN too.
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
