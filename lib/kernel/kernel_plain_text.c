/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks text in plain C, by the function that the whole library names the first bad byte with. In:
 * any bytes. Out: whether they are UTF-8 from the first to the last. A character that the end cuts
 * makes the text bad. The other versions know only the answer, not the place. (RFC 3629, section 4)
 */
#include "base/utf8.h"
#include "kernel/kernel_versions.h"

bool lam_is_utf8_plain(const uint8_t *text, size_t size) {
    return lam_utf8_prefix(text, size) == size;
}
