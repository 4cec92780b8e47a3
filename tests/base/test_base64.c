/* SPDX-License-Identifier: Apache-2.0 */
/* Base64 both ways: the examples of RFC 4648, random bytes, and what is none. */
#include "base/base64.h"

#include <criterion/criterion.h>
#include <string.h>

#include "support/random.h"

/* RFC 4648, section 10. */
Test(base64, text_of_the_standard_examples) {
    static const char *const pairs[][2] = {{"", ""},
                                           {"f", "Zg=="},
                                           {"fo", "Zm8="},
                                           {"foo", "Zm9v"},
                                           {"foob", "Zm9vYg=="},
                                           {"fooba", "Zm9vYmE="},
                                           {"foobar", "Zm9vYmFy"}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        char text[16];
        uint8_t bytes[16];
        size_t size = strlen(pairs[i][0]), back;
        size_t length = lam_base64_print((const uint8_t *)pairs[i][0], size, text);
        cr_expect_eq(length, strlen(pairs[i][1]));
        cr_expect_eq(memcmp(text, pairs[i][1], length), 0);
        cr_expect(lam_base64_parse(text, length, bytes, &back));
        cr_expect_eq(back, size);
        cr_expect_eq(memcmp(bytes, pairs[i][0], size), 0);
    }
}

Test(base64, what_is_no_base64_is_refused) {
    static const char *const texts[] = {"Z",    "Zg",   "Zg=",  "Zg==Zg==", "Z===", "====",
                                        "Zm9 ", "Zm9-", "Zh==", "Zm9=",     "=Zg=", "Zg=A"};
    uint8_t bytes[16];
    size_t size;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        cr_expect_not(lam_base64_parse(texts[i], strlen(texts[i]), bytes, &size), "%s", texts[i]);
}

Test(base64, random_bytes_come_back) {
    lam_random random = lam_random_start(lam_test_seed(3));
    for (int i = 0; i < 2000; i++) {
        uint8_t bytes[64], back[64];
        char text[160];
        size_t size = lam_random_below(&random, sizeof bytes), taken;
        for (size_t j = 0; j < size; j++)
            bytes[j] = (uint8_t)lam_random_next(&random);
        cr_assert(lam_base64_parse(text, lam_base64_print(bytes, size, text), back, &taken));
        cr_assert(taken == size && memcmp(bytes, back, size) == 0);
    }
}
