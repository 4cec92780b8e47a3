/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The index of tokens in a text: strings, broken text, texts of any size, and memory that is
 * refused.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "support/failing_malloc.h"
#include "json/parse/structural.h"

/* Indexes a text in a heap block that ends right behind its padding. */
static lam_structural_result index_of(lam_structural *structural, const char *text, size_t size,
                                      const uint32_t **ret_positions, size_t *ret_count) {
    uint8_t *padded = calloc(1, size + LAM_STRUCTURAL_PADDING);
    memcpy(padded, text, size);
    lam_structural_result result =
        lam_structural_index(structural, padded, size, ret_positions, ret_count);
    free(padded);
    return result;
}

Test(structural, positions_of_tokens_outside_of_strings) {
    static const char text[] = "{\"id\": 17, \"on{\": [true]}";
    static const uint32_t expected[] = {0, 1, 5, 7, 9, 11, 16, 18, 19, 23, 24};
    lam_structural *structural = lam_structural_init(malloc(lam_structural_size()));
    const uint32_t *positions;
    size_t count;
    cr_assert_eq(index_of(structural, text, strlen(text), &positions, &count), LAM_STRUCTURAL_OK);
    cr_assert_eq(count, sizeof expected / sizeof *expected);
    cr_expect_eq(memcmp(positions, expected, sizeof expected), 0);
    lam_structural_finish(structural);
    free(structural);
}

Test(structural, broken_text_is_told_by_kind) {
    lam_structural *structural = lam_structural_init(malloc(lam_structural_size()));
    const uint32_t *positions;
    size_t count;
    cr_expect_eq(index_of(structural, "\"\xFF\"", 3, &positions, &count), LAM_STRUCTURAL_NOT_UTF8);
    cr_expect_eq(index_of(structural, "{\"a", 3, &positions, &count), LAM_STRUCTURAL_OPEN_STRING);
    cr_expect_eq(index_of(structural, "\"\n\"", 3, &positions, &count), LAM_STRUCTURAL_CONTROL);
    cr_expect_eq(index_of(structural, "", 0, &positions, &count), LAM_STRUCTURAL_OK);
    cr_expect_eq(count, 0);
    cr_expect_eq(index_of(structural, " \n ", 3, &positions, &count), LAM_STRUCTURAL_OK);
    cr_expect_eq(count, 0);
    lam_structural_finish(structural);
    free(structural);
}

Test(structural, text_of_any_size_after_text_of_any_size) {
    lam_structural *structural = lam_structural_init(malloc(lam_structural_size()));
    static const size_t sizes[] = {1, 63, 64, 65, 1000, 65536, 65537, 300000, 5, 1000000};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        char *text = malloc(sizes[i]);
        const uint32_t *positions;
        size_t count;
        memset(text, '[', sizes[i]);
        cr_assert_eq(index_of(structural, text, sizes[i], &positions, &count), LAM_STRUCTURAL_OK);
        cr_assert_eq(count, sizes[i]);
        cr_assert_eq(positions[count - 1], sizes[i] - 1);
        free(text);
    }
    lam_structural_finish(structural);
    free(structural);
}

/* simdjson makes strings when it is used first, where it may not throw: it ended the process. */
Test(structural, the_first_use_without_memory_is_no_last_one) {
    static const uint8_t text[128] = "[1]";
    const uint32_t *positions;
    size_t count, n = 1;
    lam_structural_result result = LAM_STRUCTURAL_NO_MEMORY;
    for (; result != LAM_STRUCTURAL_OK && n < 100; n++) {
        lam_structural *structural = lam_structural_init(malloc(lam_structural_size()));
        lam_fail_malloc_at(n);
        result = lam_structural_index(structural, text, 3, &positions, &count);
        (void)lam_fail_malloc_end();
        cr_assert(result == LAM_STRUCTURAL_OK || result == LAM_STRUCTURAL_NO_MEMORY);
        lam_structural_finish(structural);
        free(structural);
    }
    cr_expect_eq(result, LAM_STRUCTURAL_OK);
    if (n == 2 && !lam_fail_malloc_is_whole())
        cr_skip_test("the sanitizer's own operator new is in use, which does not fail");
    cr_expect_gt(n, 2, "there was memory all the time");
}

Test(structural, room_is_made_and_given_back) {
    lam_structural *structural = lam_structural_init(malloc(lam_structural_size()));
    const uint32_t *positions;
    size_t count;
    cr_expect_eq(lam_structural_capacity(structural), 0);
    cr_expect_eq(lam_structural_cost(0), 0);
    cr_expect_geq(lam_structural_cost(1000), 4000);
    cr_assert_eq(lam_structural_reserve(structural, 1000), LAM_STRUCTURAL_OK);
    cr_expect_eq(lam_structural_capacity(structural), 1000);
    cr_expect_eq(index_of(structural, "[1]", 3, &positions, &count), LAM_STRUCTURAL_OK);
    cr_expect(count == 3 && lam_structural_capacity(structural) == 1000);
    cr_assert_eq(lam_structural_reserve(structural, 0), LAM_STRUCTURAL_OK);
    cr_expect_eq(lam_structural_capacity(structural), 0);
    cr_expect_eq(index_of(structural, "[1]", 3, &positions, &count), LAM_STRUCTURAL_OK);
    cr_expect_eq(count, 3);
    lam_structural_finish(structural);
    free(structural);
}
