/* SPDX-License-Identifier: Apache-2.0 */
/* The structural index without simdjson, against the one with it. */
#define lam_structural plain_structural
#define lam_structural_size plain_structural_size
#define lam_structural_init plain_structural_init
#define lam_structural_capacity plain_structural_capacity
#define lam_structural_cost plain_structural_cost
#define lam_structural_reserve plain_structural_reserve
#define lam_structural_finish plain_structural_finish
#define lam_structural_index plain_structural_index
#include "json/parse/structural_plain.c"
#undef lam_structural
#undef lam_structural_size
#undef lam_structural_init
#undef lam_structural_capacity
#undef lam_structural_cost
#undef lam_structural_reserve
#undef lam_structural_finish
#undef lam_structural_index

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "support/random.h"

/* The same declarations once more, of simdjson's. */
typedef struct lam_structural lam_structural;
size_t lam_structural_size(void);
lam_structural *lam_structural_init(void *memory);
void lam_structural_finish(lam_structural *structural);
lam_structural_result lam_structural_index(lam_structural *structural, const uint8_t *text,
                                           size_t size, const uint32_t **ret_positions,
                                           size_t *ret_count);

/* Demands the same result of both, and where it is OK the same positions. */
static void compare(const uint8_t *text, size_t size, uint64_t seed) {
    lam_structural *one = lam_structural_init(malloc(lam_structural_size()));
    plain_structural *other = plain_structural_init(malloc(plain_structural_size()));
    uint8_t *padded = calloc(1, size + LAM_STRUCTURAL_PADDING);
    const uint32_t *expected = NULL, *positions = NULL;
    size_t expected_count = 0, count = 0;
    memcpy(padded, text, size);
    lam_structural_result wanted =
        lam_structural_index(one, padded, size, &expected, &expected_count);
    cr_assert_eq(plain_structural_index(other, padded, size, &positions, &count), wanted,
                 "seed %llu: %.*s", (unsigned long long)seed, (int)size, (const char *)text);
    if (wanted == LAM_STRUCTURAL_OK) {
        cr_assert_eq(count, expected_count, "seed %llu: %.*s", (unsigned long long)seed, (int)size,
                     (const char *)text);
        for (size_t i = 0; count > 0 && i <= count; i++)
            cr_assert_eq(positions[i], expected[i], "seed %llu: %.*s", (unsigned long long)seed,
                         (int)size, (const char *)text);
    }
    free(padded);
    lam_structural_finish(one);
    plain_structural_finish(other);
    free(one);
    free(other);
}

/*
 * Where simdjson has no kernel for the machine, its fallback takes "a\"b\"" for one token: in
 * broken text positions and results are others, of which the parser makes other words.
 */
static bool has_kernel(void) {
    lam_structural *structural = lam_structural_init(malloc(lam_structural_size()));
    static const uint8_t text[4 + LAM_STRUCTURAL_PADDING] = "a\"b\"";
    const uint32_t *positions;
    size_t count = 0;
    cr_assert_eq(lam_structural_index(structural, text, 4, &positions, &count), LAM_STRUCTURAL_OK);
    lam_structural_finish(structural);
    free(structural);
    return count == 2;
}

Test(structural_plain, records_and_broken_texts_have_the_positions_and_results_of_simdjson) {
    enum { SOUND = 5 };
    static const char *const texts[] = {"",
                                        " \n\t\r ",
                                        "{\"id\": 17, \"on{\": [true]}",
                                        "[\"a\\\"b\", \"\\\\\", -1.5e3,null]",
                                        "\"\xC3\xA9\xE6\xB5\xB7\xF0\x9F\x98\x80\"",
                                        "\"open",
                                        "\"a\nb\"",
                                        "\"\xFF\"",
                                        "ab\"c\"d",
                                        "\"a\"\"b\"",
                                        "1 2,3"};
    size_t count = has_kernel() ? sizeof texts / sizeof *texts : SOUND;
    for (size_t i = 0; i < count; i++)
        compare((const uint8_t *)texts[i], strlen(texts[i]), i);
}

/* Texts of the bytes that mean something, in any order; longer than a block of simdjson's. */
Test(structural_plain, random_texts_have_the_positions_and_results_of_simdjson) {
    static const char alphabet[] = "{}[]:,\"\"\"\\ \n\tab10-.\xC3\xA9\x01";
    uint64_t seed = lam_test_seed(17);
    lam_random random = lam_random_start(seed);
    if (!has_kernel())
        cr_skip_test("simdjson has no kernel for this machine");
    for (int round = 0; round < 20000; round++) {
        uint8_t text[300];
        size_t size = (size_t)lam_random_below(&random, sizeof text + 1);
        size_t letters = round % 2 == 0 ? sizeof alphabet - 1 : sizeof alphabet - 4;
        for (size_t i = 0; i < size; i++)
            text[i] = (uint8_t)alphabet[lam_random_below(&random, letters)];
        compare(text, size, seed);
    }
}
