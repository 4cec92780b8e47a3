/* SPDX-License-Identifier: Apache-2.0 */
/* The small letter of each capital one, over all of Unicode. */
#include "text/lower_case.h"

#include <criterion/criterion.h>

Test(lower_case, capital_letters_become_small_and_others_stay) {
    static const uint32_t pairs[][2] = {
        {'A', 'a'},         {'Z', 'z'},           {'a', 'a'},
        {'[', '['},         {'@', '@'},           {0, 0},
        {0xC4, 0xE4},       {0xD7, 0xD7},         {0xDF, 0xDF},
        {0x100, 0x101},     {0x101, 0x101},       {0x130, 'i'},
        {0x178, 0xFF},      {0x3A3, 0x3C3},       {0x3C2, 0x3C2},
        {0x410, 0x430},     {0x1E9E, 0xDF},       {0x212A, 'k'},
        {0x23A, 0x2C65},    {0x10400, 0x10428},   {0x1E921, 0x1E943},
        {0x1E922, 0x1E922}, {0x10FFFF, 0x10FFFF}, {0x110000, 0x110000},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        cr_expect_eq(lam_lower_case(pairs[i][0]), pairs[i][1], "U+%04X", (unsigned)pairs[i][0]);
}

Test(lower_case, a_small_letter_has_no_smaller_one) {
    size_t capitals = 0;
    for (uint32_t i = 0; i < 0x110000; i++) {
        uint32_t lower = lam_lower_case(i);
        cr_assert_eq(lam_lower_case(lower), lower, "U+%04X", (unsigned)i);
        capitals += lower != i;
    }
    cr_expect_eq(capitals, 1433); /* of Unicode 14 */
}
