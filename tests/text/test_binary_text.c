/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes as hexadecimal digits, and UUIDs, both ways. */
#include <criterion/criterion.h>
#include <string.h>

#include "support/random.h"
#include "text/binary_text.h"

Test(binary_text, random_bytes_come_back) {
    lam_random random = lam_random_start(lam_test_seed(3));
    for (int i = 0; i < 2000; i++) {
        uint8_t bytes[64], back[64];
        char text[160];
        size_t size = lam_random_below(&random, sizeof bytes), taken;
        for (size_t j = 0; j < size; j++)
            bytes[j] = (uint8_t)lam_random_next(&random);
        cr_assert(lam_hex_parse(text, lam_hex_print(bytes, size, text), back, &taken));
        cr_assert(taken == size && memcmp(bytes, back, size) == 0);
    }
}

Test(binary_text, hex_takes_both_cases_and_nothing_else) {
    uint8_t bytes[4];
    size_t size;
    cr_expect(lam_hex_parse("aBcD", 4, bytes, &size));
    cr_expect(size == 2 && bytes[0] == 0xAB && bytes[1] == 0xCD);
    cr_expect_not(lam_hex_parse("abc", 3, bytes, &size));
    cr_expect_not(lam_hex_parse("ag", 2, bytes, &size));
}

Test(binary_text, uuid_in_its_canonical_form) {
    static const char text[] = "00112233-4455-6677-8899-aabbccddeeff";
    uint8_t bytes[16];
    char back[LAM_UUID_TEXT_SIZE];
    cr_assert(lam_uuid_parse(text, LAM_UUID_TEXT_SIZE, bytes));
    for (size_t i = 0; i < 16; i++)
        cr_expect_eq(bytes[i], 0x11 * i);
    lam_uuid_print(bytes, back);
    cr_expect_eq(memcmp(back, text, sizeof back), 0);
    cr_expect_not(lam_uuid_parse(text, LAM_UUID_TEXT_SIZE - 1, bytes));
    cr_expect_not(lam_uuid_parse("00112233-4455-6677-8899+aabbccddeeff", 36, bytes));
    cr_expect_not(lam_uuid_parse("0011223g-4455-6677-8899-aabbccddeeff", 36, bytes));
}
