/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which bytes of string views are checked for UTF-8: the short ones in the view itself, the long
 * ones in their buffer.
 */
#include "arrow/array/array_text.h"

#include <criterion/criterion.h>

#include "base/utf8.h"
#include "support/random.h"

enum { SIZE_MOST = 80 };

/* A view of one slot, beside the bytes of its value. */
static bool is_text(lam_string_view at, const uint8_t *inside, const uint8_t *data) {
    uint8_t slot[sizeof(lam_string_view)];
    const void *const buffers[] = {data};
    memcpy(slot, &at, sizeof slot);
    if (at.size <= LAM_STRING_VIEW_INLINE)
        memcpy(slot + sizeof at.size, inside, LAM_STRING_VIEW_INLINE);
    const lam_array_view view = {.slots = slot, .data = (const void *const *)buffers};
    return lam_array_view_is_text(&view, 0);
}

/* Random bytes, most of them ASCII, in views of every size; `behind` is not of the value. */
Test(array_text, a_view_is_text_if_its_bytes_are) {
    lam_random random = lam_random_start(lam_test_seed(1));
    for (int round = 0; round < 100000; round++) {
        uint8_t *bytes = malloc(SIZE_MOST), *exact;
        size_t size = (size_t)lam_random_below(&random, SIZE_MOST + 1);
        for (size_t i = 0; i < SIZE_MOST; i++)
            bytes[i] = (uint8_t)lam_random_below(&random, 128);
        if (size > 0 && lam_random_chance(&random, 50))
            bytes[lam_random_below(&random, size)] = (uint8_t)lam_random_next(&random);
        if (size > 1 && lam_random_chance(&random, 50))
            memcpy(bytes + lam_random_below(&random, size - 1), "\xC3\xA9", 2);
        uint8_t inside[LAM_STRING_VIEW_INLINE] = {0};
        memcpy(inside, bytes, size < sizeof inside ? size : sizeof inside);
        if (size < sizeof inside && lam_random_chance(&random, 20))
            inside[sizeof inside - 1] = 0xFF; /* behind the value */
        exact = malloc(size);
        if (size > 0)
            memcpy(exact, bytes, size);
        lam_string_view at = {.size = (int32_t)size};
        cr_assert_eq(is_text(at, inside, exact), lam_utf8_prefix(bytes, size) == size,
                     "round %d, %zu bytes", round, size);
        free(exact);
        free(bytes);
    }
}
