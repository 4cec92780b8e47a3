/* SPDX-License-Identifier: Apache-2.0 */
/* The checksum without libdeflate, against the one with it. */
#include "base/crc32.h"

static uint32_t with_library(uint32_t crc, const void *data, size_t size) {
    return lam_crc32(crc, data, size);
}

#define lam_crc32 plain_crc32
uint32_t plain_crc32(uint32_t crc, const void *data, size_t size);
#include "base/crc32_plain.c"

#include <criterion/criterion.h>

Test(crc32_plain, bytes_in_any_pieces_have_the_checksum_of_the_library) {
    uint8_t bytes[1000];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)(i * i >> 3);
    cr_assert_eq(plain_crc32(0, "123456789", 9), 0xCBF43926u);
    cr_assert_eq(plain_crc32(7, NULL, 0), 7);
    for (size_t i = 0; i <= sizeof bytes; i++) {
        uint32_t crc = plain_crc32(0, bytes, i);
        crc = plain_crc32(crc, bytes + i, sizeof bytes - i);
        cr_assert_eq(crc, with_library(0, bytes, sizeof bytes));
    }
}
