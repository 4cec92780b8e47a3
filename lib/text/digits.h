/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes decimal digits from the last to the first, two of them by one division: takes a number,
 * and puts its digits where the caller has made room, without a sign and without a NUL.
 *
 *     1234567, 7 digits before `end`     67, then 45, then 23, then 1
 *
 * Exactly as many digits as requested are always written; the higher ones are left in the number.
 */
#ifndef LAM_TEXT_DIGITS_H
#define LAM_TEXT_DIGITS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Most digits of a number. */
enum { LAM_DIGITS_MAX = 20 };

/* Counts the digits of a number; 1 for 0. The bits give the count, or one more. */
static inline size_t lam_digits_count(uint64_t number) {
    static const uint64_t powers[LAM_DIGITS_MAX] = {0,
                                                    10,
                                                    100,
                                                    1000,
                                                    10000,
                                                    100000,
                                                    1000000,
                                                    10000000,
                                                    100000000,
                                                    1000000000,
                                                    10000000000,
                                                    100000000000,
                                                    1000000000000,
                                                    10000000000000,
                                                    100000000000000,
                                                    1000000000000000,
                                                    10000000000000000,
                                                    100000000000000000,
                                                    1000000000000000000,
                                                    10000000000000000000u};
    /* 1233 / 4096 is a little more than log10(2), and right for all 64 lengths. */
    size_t bits = 64 - (size_t)__builtin_clzll(number | 1), most = bits * 1233 >> 12;
    return most + (number >= powers[most]);
}

/* Writes the last `count` digits of a number before `end`; returns their beginning. */
static inline char *lam_digits_put(char *end, size_t count, uint64_t *number) {
    static const char pairs[] =
        "00010203040506070809101112131415161718192021222324252627282930313233"
        "34353637383940414243444546474849505152535455565758596061626364656667"
        "6869707172737475767778798081828384858687888990919293949596979899";
    uint64_t rest = *number;
    for (; count >= 2; count -= 2, rest /= 100) {
        end -= 2;
        memcpy(end, pairs + rest % 100 * 2, 2);
    }
    if (count > 0) {
        *--end = (char)('0' + rest % 10);
        rest /= 10;
    }
    *number = rest;
    return end;
}

#endif
