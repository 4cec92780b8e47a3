/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks text in plain C, with the function by which all of the library names the first bad byte.
 * Any bytes may come; the answer is whether they are UTF-8 from the first to the last. A character
 * that the end cuts always makes the text bad. The other versions know only the answer, not the
 * position. (RFC 3629, section 4)
 */
#include "base/utf8.h"
#include "kernel/kernel_versions.h"

bool lam_is_utf8_plain(const uint8_t *text, size_t size) {
    return lam_utf8_prefix(text, size) == size;
}

/* For bytes "a,b" and the bytes 'a', ',' and 'b': either 011, others 100, the first byte lowest. */
void lam_match_u8_plain(const uint8_t *bytes, size_t block_count, uint8_t first, uint8_t second,
                        uint8_t third, uint64_t *either, uint64_t *others) {
    for (size_t block = 0; block < block_count; block++, bytes += 64) {
        uint64_t of_two = 0, of_one = 0;
        for (unsigned i = 0; i < 64; i++) {
            of_two |= (uint64_t)(bytes[i] == first || bytes[i] == second) << i;
            of_one |= (uint64_t)(bytes[i] == third) << i;
        }
        either[block] = of_two;
        others[block] = of_one;
    }
}
