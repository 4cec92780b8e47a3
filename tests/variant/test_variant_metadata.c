/* SPDX-License-Identifier: Apache-2.0 */
/* Metadata is written with the narrowest offsets, its names in order. */
#include "variant/value/variant_metadata.h"

#include "support/random.h"
#include "variant_help.h"

Test(variant_metadata, names_are_put_together_with_the_narrowest_offsets) {
    lam_allocator allocator = lam_allocator_default();
    lam_buffer out;
    lam_variant_metadata_writer writer;
    lam_bytes a = {(const uint8_t *)"abc", 3}, none = {NULL, 0};
    lam_buffer_init(&out, &allocator);
    cr_assert_eq(lam_variant_metadata_begin(&writer, 3, 6, false, &out, NULL), LAM_STATUS_OK);
    lam_variant_metadata_add(&writer, a);
    lam_variant_metadata_add(&writer, none);
    lam_variant_metadata_add(&writer, a);
    lam_bytes expected = hex_bytes("01 03 00 03 03 06 616263 616263");
    cr_assert_eq(out.size, expected.size);
    cr_expect_arr_eq(out.data, expected.data, expected.size);
    free((void *)(uintptr_t)expected.data);
    cr_expect_eq(lam_variant_metadata_begin(&writer, 1, UINT64_C(1) << 32, false, &out, NULL),
                 LAM_STATUS_LIMIT);
    lam_buffer_finish(&out);
}

static bool is_larger(const void *state, uint32_t a, uint32_t b) {
    const uint32_t *keys = state;
    return keys[a] > keys[b];
}

Test(variant_metadata, numbers_are_sorted_and_equals_stay_in_turn) {
    enum { MOST = 1000 };
    static uint32_t keys[MOST], numbers[MOST], spare[MOST];
    lam_random random = lam_random_start(lam_test_seed(3));
    for (size_t count = 0; count <= MOST; count += count < 20 ? 1 : 97) {
        for (uint32_t i = 0; i < count; i++) {
            keys[i] = (uint32_t)lam_random_below(&random, count / 2 + 1);
            numbers[i] = i;
        }
        lam_variant_sort_numbers(numbers, count, spare, is_larger, keys);
        for (size_t i = 1; i < count; i++)
            cr_assert(keys[numbers[i - 1]] < keys[numbers[i]] ||
                      (keys[numbers[i - 1]] == keys[numbers[i]] && numbers[i - 1] < numbers[i]));
    }
}
