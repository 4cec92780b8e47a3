/* SPDX-License-Identifier: Apache-2.0 */
/* The CRC-32 of gzip by its published check value, whole and in parts. */
#include "base/crc32.h"

#include <criterion/criterion.h>

Test(crc32, the_check_value_is_that_of_gzip) {
    cr_assert_eq(lam_crc32(0, "123456789", 9), 0xCBF43926u);
    cr_assert_eq(lam_crc32(0, NULL, 0), 0);
}

Test(crc32, bytes_may_come_in_parts) {
    uint32_t crc = lam_crc32(0, "1234", 4);
    crc = lam_crc32(crc, NULL, 0);
    cr_assert_eq(lam_crc32(crc, "56789", 5), 0xCBF43926u);
}
