/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Dictionaries while they are made and read: numbers in the order of first appearance, equality of
 * every type, budgets, and indexes.
 */
#include "encoding/dictionary.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/budget.h"
#include "encoding/decoder.h"
#include "support/failing_alloc.h"
#include "support/random.h"

enum { MOST = 5000 };

static const lam_value_layout int32s = {LAM_PHYSICAL_INT32, 4};
static const lam_value_layout int64s = {LAM_PHYSICAL_INT64, 8};
static const lam_value_layout doubles = {LAM_PHYSICAL_DOUBLE, 8};
static const lam_value_layout strings = {LAM_PHYSICAL_BYTE_ARRAY, 0};

static lam_dictionary_builder *create(lam_value_layout layout, size_t budget) {
    lam_allocator allocator = lam_allocator_default();
    lam_dictionary_builder *builder;
    cr_assert_eq(lam_dictionary_builder_create(layout, budget, &allocator, &builder, NULL), 0);
    return builder;
}

static size_t add(lam_dictionary_builder *builder, const void *values, size_t count,
                  uint32_t *indexes) {
    size_t done = SIZE_MAX;
    cr_assert_eq(lam_dictionary_builder_add(builder, values, count, indexes, &done, NULL), 0);
    return done;
}

static lam_bytes text(const char *characters) {
    lam_bytes bytes = {(const uint8_t *)characters, strlen(characters)};
    return bytes;
}

Test(dictionary, values_are_numbered_in_order_of_first_appearance) {
    const int32_t values[] = {7, -1, 7, 0, -1, 7};
    const uint32_t expected[] = {0, 1, 0, 2, 1, 0};
    uint32_t indexes[6];
    lam_dictionary_builder *builder = create(int32s, 1000);
    cr_assert_eq(add(builder, values, 6, indexes), 6);
    cr_assert_arr_eq(indexes, expected, sizeof expected);
    lam_dictionary dictionary = lam_dictionary_builder_values(builder);
    const int32_t distinct[] = {7, -1, 0};
    cr_assert_eq(dictionary.count, 3);
    cr_assert_arr_eq(dictionary.values, distinct, sizeof distinct);
    cr_assert_eq(lam_dictionary_builder_byte_count(builder), 12);
    lam_dictionary_builder_destroy(builder);
}

Test(dictionary, byte_arrays_are_copied_and_compared_whole) {
    char first[] = "abc";
    const lam_bytes values[] = {text(first), text("ab"), {NULL, 0}, text("abc"), text("")};
    const uint32_t expected[] = {0, 1, 2, 0, 2};
    uint32_t indexes[5];
    lam_dictionary_builder *builder = create(strings, 1000);
    cr_assert_eq(add(builder, values, 5, indexes), 5);
    cr_assert_arr_eq(indexes, expected, sizeof expected);
    memset(first, 'x', 3);
    const lam_bytes *distinct = lam_dictionary_builder_values(builder).values;
    cr_assert(distinct[0].size == 3 && memcmp(distinct[0].data, "abc", 3) == 0);
    cr_assert_eq(lam_dictionary_builder_byte_count(builder), 4 + 3 + 4 + 2 + 4);
    lam_dictionary_builder_destroy(builder);
}

/*
 * Each prefix of a text, once where the bytes of all lie side by side and once each in memory of
 * its own: their keys are made in different ways and must be the same.
 */
Test(dictionary, strings_are_the_same_wherever_their_bytes_lie) {
    enum { LENGTHS = 40, BYTES = LENGTHS * (LENGTHS - 1) / 2 };
    lam_bytes side_by_side[LENGTHS], apart[LENGTHS];
    uint8_t bytes[BYTES], *next = bytes;
    uint32_t indexes[LENGTHS];
    for (size_t i = 0; i < LENGTHS; i++) {
        uint8_t *copy = malloc(i + 1);
        for (size_t j = 0; j < i; j++)
            next[j] = copy[j] = (uint8_t)(j * 37 + 0x80 + (j == 0 ? i / 3 : 0));
        side_by_side[i] = (lam_bytes){next, i};
        apart[i] = (lam_bytes){realloc(copy, i > 0 ? i : 1), i};
        next += i;
    }
    lam_dictionary_builder *builder = create(strings, 100000);
    for (size_t round = 0; round < 4; round++) {
        cr_assert_eq(add(builder, round % 2 == 0 ? side_by_side : apart, LENGTHS, indexes),
                     LENGTHS);
        for (uint32_t i = 0; i < LENGTHS; i++)
            cr_assert_eq(indexes[i], i, "%u bytes in round %zu", i, round);
    }
    cr_assert_eq(lam_dictionary_builder_values(builder).count, LENGTHS);
    lam_dictionary_builder_destroy(builder);
    for (size_t i = 0; i < LENGTHS; i++)
        free((void *)(uintptr_t)apart[i].data);
}

Test(dictionary, reals_are_compared_bit_by_bit) {
    const uint64_t nan_bits = UINT64_C(0x7FF8000000000001);
    double values[] = {0.0, -0.0, 1.0, 0.0, 0.0, 0.0};
    memcpy(&values[4], &nan_bits, 8);
    memcpy(&values[5], &nan_bits, 8);
    const uint32_t expected[] = {0, 1, 2, 0, 3, 3};
    uint32_t indexes[6];
    lam_dictionary_builder *builder = create(doubles, 1000);
    cr_assert_eq(add(builder, values, 6, indexes), 6);
    cr_assert_arr_eq(indexes, expected, sizeof expected);
    lam_dictionary_builder_destroy(builder);
}

Test(dictionary, adding_stops_before_the_value_that_passes_the_budget) {
    const int64_t values[] = {1, 2, 1, 3, 1, 4};
    uint32_t indexes[6];
    lam_dictionary_builder *builder = create(int64s, 23);
    cr_assert_eq(add(builder, values, 6, indexes), 3);
    cr_assert_eq(lam_dictionary_builder_values(builder).count, 2);
    cr_assert_eq(add(builder, values, 3, indexes), 3, "known values still pass");
    cr_assert_eq(add(builder, values + 3, 1, indexes), 0);
    lam_dictionary_builder_destroy(builder);
    builder = create(int64s, 24);
    cr_assert_eq(add(builder, values, 6, indexes), 5);
    lam_dictionary_builder_destroy(builder);
    const lam_bytes words[] = {text("abcd"), text(""), text("e")};
    builder = create(strings, 12);
    cr_assert_eq(add(builder, words, 3, indexes), 2);
    lam_dictionary_builder_destroy(builder);
}

/* The values behind go on without a dictionary, in less memory than a larger one would take. */
Test(dictionary, a_limit_of_memory_makes_it_full) {
    static int64_t values[MOST];
    static uint32_t indexes[MOST];
    lam_failing_alloc counter = {0};
    lam_allocator beneath = lam_failing_allocator(&counter);
    lam_dictionary_builder *builder;
    for (size_t limit = 1000; limit < 100000; limit += 777) {
        lam_budget budget;
        size_t done = SIZE_MAX;
        lam_error error = lam_error_none();
        lam_budget_init(&budget, &beneath, limit);
        lam_allocator allocator = lam_budget_allocator(&budget);
        for (int64_t i = 0; i < MOST; i++)
            values[i] = i * 7;
        cr_assert_eq(lam_dictionary_builder_create(int64s, 1 << 20, &allocator, &builder, NULL),
                     LAM_STATUS_OK);
        cr_assert_eq(lam_dictionary_builder_add(builder, values, MOST, indexes, &done, &error),
                     LAM_STATUS_OK);
        cr_assert_str_empty(error.message);
        cr_assert_lt(done, MOST);
        cr_assert_eq(lam_dictionary_builder_values(builder).count, done);
        cr_assert_arr_eq(lam_dictionary_builder_values(builder).values, values,
                         done * sizeof *values);
        lam_dictionary_builder_destroy(builder);
    }
    cr_assert_eq(counter.live_bytes, 0);
}

Test(dictionary, clear_forgets_values_and_keeps_the_memory) {
    static lam_bytes values[MOST];
    static char words[MOST][8];
    static uint32_t indexes[MOST];
    for (size_t i = 0; i < MOST; i++) {
        snprintf(words[i], sizeof words[i], "%zu", i);
        values[i] = text(words[i]);
    }
    lam_failing_alloc counter = {0};
    lam_allocator allocator = lam_failing_allocator(&counter);
    lam_dictionary_builder *builder;
    cr_assert_eq(lam_dictionary_builder_create(strings, 1 << 20, &allocator, &builder, NULL), 0);
    cr_assert_eq(add(builder, values, MOST, indexes), MOST);
    size_t memory = lam_dictionary_builder_memory(builder);
    cr_assert(memory > MOST * 16 && memory <= counter.live_bytes);
    lam_dictionary_builder_clear(builder, true);
    cr_assert_eq(lam_dictionary_builder_values(builder).count, 0);
    cr_assert_eq(lam_dictionary_builder_byte_count(builder), 0);
    size_t requests = counter.requests;
    cr_assert_eq(add(builder, values + MOST - 100, 100, indexes), 100);
    cr_assert_eq(indexes[99], 99);
    if (!LAM_ARENA_IS_APART)
        cr_assert_eq(counter.requests, requests, "nothing new for a second chunk");
    lam_dictionary_builder_destroy(builder);
    cr_assert_eq(counter.live_bytes, 0);
    cr_assert_eq(counter.wrong_sizes, 0);
}

Test(dictionary, booleans_and_groups_have_none) {
    lam_allocator allocator = lam_allocator_default();
    lam_value_layout layout = {LAM_PHYSICAL_BOOLEAN, 1};
    lam_dictionary_builder *builder = NULL;
    cr_assert_eq(lam_dictionary_builder_create(layout, 9, &allocator, &builder, NULL),
                 LAM_STATUS_INVALID);
    layout.type = LAM_PHYSICAL_GROUP;
    cr_assert_eq(lam_dictionary_builder_create(layout, 9, &allocator, &builder, NULL),
                 LAM_STATUS_INVALID);
    cr_assert_null(builder);
}

/* Elements that repeat: some of a pool, in the way of the layout. */
static size_t random_elements(lam_random *random, lam_value_layout layout, uint8_t *elements) {
    static uint8_t pool[4096 + 64];
    size_t size = lam_layout_size(layout), count = (size_t)lam_random_below(random, MOST);
    size_t spread = 1 + (size_t)lam_random_below(random, 4096);
    unsigned letters = lam_random_chance(random, 50) ? 256 : 2; /* few: values that are alike */
    for (size_t i = 0; i < sizeof pool; i++)
        pool[i] = (uint8_t)lam_random_below(random, letters);
    for (size_t i = 0; i < count; i++) {
        lam_bytes view = {pool + lam_random_below(random, spread), lam_random_below(random, 40)};
        if (layout.type == LAM_PHYSICAL_BYTE_ARRAY)
            memcpy(elements + i * size, &view, sizeof view);
        else
            memcpy(elements + i * size, view.data, size);
    }
    return count;
}

static bool equal_elements(lam_value_layout layout, const uint8_t *a, const uint8_t *b) {
    lam_bytes first, second;
    if (layout.type != LAM_PHYSICAL_BYTE_ARRAY)
        return memcmp(a, b, lam_layout_size(layout)) == 0;
    memcpy(&first, a, sizeof first);
    memcpy(&second, b, sizeof second);
    return first.size == second.size &&
           (first.size == 0 || memcmp(first.data, second.data, first.size) == 0);
}

Test(dictionary, any_split_of_calls_gives_equal_dictionaries_that_give_the_values_back) {
    static const lam_value_layout layouts[] = {{LAM_PHYSICAL_INT32, 4},
                                               {LAM_PHYSICAL_INT64, 8},
                                               {LAM_PHYSICAL_INT96, 12},
                                               {LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY, 3},
                                               {LAM_PHYSICAL_BYTE_ARRAY, 0},
                                               {LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY, 0},
                                               {LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY, 16}};
    uint64_t seed = lam_test_seed(41);
    lam_random random = lam_random_start(seed);
    static uint8_t elements[MOST * 16];
    static uint32_t whole[MOST], pieces[MOST];
    for (int round = 0; round < 700; round++) {
        lam_value_layout layout = layouts[round % 7];
        size_t size = lam_layout_size(layout), count = random_elements(&random, layout, elements);
        lam_dictionary_builder *builder = create(layout, 1 << 20), *other = create(layout, 1 << 20);
        cr_assert_eq(add(builder, elements, count, whole), count);
        for (size_t at = 0, piece; at < count; at += piece) {
            piece = (size_t)lam_random_below(&random, count - at + 1);
            cr_assert_eq(add(other, elements + at * size, piece, pieces + at), piece);
        }
        cr_assert(count == 0 || memcmp(whole, pieces, count * 4) == 0, "seed %llu",
                  (unsigned long long)seed);
        lam_dictionary values = lam_dictionary_builder_values(builder);
        uint32_t known = 0;
        for (size_t i = 0; i < count; i++) {
            const uint8_t *value = (const uint8_t *)values.values + whole[i] * size;
            cr_assert_leq(whole[i], known);
            known += whole[i] == known;
            cr_assert(equal_elements(layout, value, elements + i * size), "seed %llu",
                      (unsigned long long)seed);
        }
        cr_assert_eq(values.count, known);
        cr_assert_eq(add(builder, elements, count, pieces), count);
        cr_assert(count == 0 || memcmp(whole, pieces, count * 4) == 0, "seed %llu",
                  (unsigned long long)seed);
        cr_assert_eq(lam_dictionary_builder_values(builder).count, known, "a value has two places");
        lam_dictionary_builder_destroy(builder);
        lam_dictionary_builder_destroy(other);
    }
}

Test(dictionary, each_allocation_may_fail) {
    static uint8_t elements[MOST * 16];
    static uint32_t indexes[MOST];
    lam_random random = lam_random_start(lam_test_seed(42));
    size_t count = 0, attempts = 0;
    while (count < MOST / 2)
        count = random_elements(&random, strings, elements);
    for (lam_status status = LAM_STATUS_NOMEM; status != LAM_STATUS_OK;) {
        lam_failing_alloc counter = {.fail_at = ++attempts};
        lam_allocator allocator = lam_failing_allocator(&counter);
        lam_dictionary_builder *builder = NULL;
        size_t done = 77;
        status = lam_dictionary_builder_create(strings, 1 << 20, &allocator, &builder, NULL);
        if (status == LAM_STATUS_OK)
            status = lam_dictionary_builder_add(builder, elements, count, indexes, &done, NULL);
        cr_assert(status == LAM_STATUS_OK ? done == count : done == 77);
        cr_assert(status == LAM_STATUS_OK || status == LAM_STATUS_NOMEM);
        lam_dictionary_builder_destroy(builder);
        cr_assert_eq(counter.live_bytes, 0);
        cr_assert_eq(counter.wrong_sizes, 0);
    }
    cr_assert_gt(attempts, 8);
}

Test(dictionary, indexes_have_their_width_in_front) {
    const uint32_t indexes[] = {0, 1, 2, 0, 1, 2, 0, 1};
    static const uint8_t expected[] = {2, 1 << 1 | 1, 0x24, 0x49};
    lam_allocator allocator = lam_allocator_default();
    lam_buffer out;
    lam_buffer_init(&out, &allocator);
    cr_assert_eq(lam_dictionary_write_indexes(lam_kernels_get(), indexes, 8, 3, &out, NULL),
                 LAM_STATUS_OK);
    cr_assert_eq(out.size, 4);
    cr_assert_arr_eq(out.data, expected, 4);
    lam_buffer_clear(&out);
    const uint32_t zeros[5] = {0};
    cr_assert_eq(lam_dictionary_write_indexes(lam_kernels_get(), zeros, 5, 1, &out, NULL),
                 LAM_STATUS_OK);
    cr_assert_eq(out.size, 2);
    cr_assert(out.data[0] == 0 && out.data[1] == 5 << 1);
    lam_buffer_clear(&out);
    cr_assert_eq(lam_dictionary_write_indexes(lam_kernels_get(), NULL, 0, 0, &out, NULL),
                 LAM_STATUS_OK);
    cr_assert(out.size == 1 && out.data[0] == 0);
    lam_buffer_finish(&out);
}

/*
 * The hash of 17 to 128 bytes multiplies pairs of eight of them, mixed with constants: where the
 * first eight are the constant, the product is 0 whatever the other eight are.
 */
Test(dictionary, values_with_one_hash_are_two_values) {
    static const uint8_t start[] = {0xb8, 0xfe, 0x6c, 0x39, 0x23, 0xa4, 0x4b, 0xbe};
    static uint8_t values[4][32];
    static const uint32_t expected[] = {0, 1, 0, 1};
    const lam_value_layout fixed = {LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY, sizeof values[0]};
    lam_bytes views[4];
    for (size_t i = 0; i < 4; i++) {
        memset(values[i], i % 2 == 0 ? 'a' : 'b', 16);
        memcpy(values[i], start, sizeof start);
        views[i] = (lam_bytes){values[i], sizeof values[i]};
    }
    for (int is_fixed = 0; is_fixed < 2; is_fixed++) {
        uint32_t indexes[4];
        lam_dictionary_builder *builder = create(is_fixed ? fixed : strings, 1 << 20);
        cr_assert_eq(add(builder, is_fixed ? (void *)values : (void *)views, 4, indexes), 4);
        cr_assert_arr_eq(indexes, expected, 4 * sizeof *expected);
        lam_dictionary_builder_destroy(builder);
    }
}

Test(dictionary, values_without_bytes_are_one_value) {
    const lam_value_layout nothing = {LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY, 0};
    for (size_t fail_at = 0; fail_at < 4; fail_at++) {
        uint32_t indexes[3] = {9, 9, 9};
        size_t done = 77;
        lam_failing_alloc counter = {.fail_at = fail_at};
        lam_allocator allocator = lam_failing_allocator(&counter);
        lam_dictionary_builder *builder = NULL;
        lam_status status =
            lam_dictionary_builder_create(nothing, 1 << 20, &allocator, &builder, NULL);
        if (status == LAM_STATUS_OK) {
            cr_assert_eq(lam_dictionary_builder_add(builder, "", 0, indexes, &done, NULL), 0);
            cr_assert_eq(done, 0);
            status = lam_dictionary_builder_add(builder, "", 3, indexes, &done, NULL);
            cr_assert_eq(done, status == LAM_STATUS_OK ? 3 : 0);
        }
        cr_assert_eq(status, fail_at == 0 ? LAM_STATUS_OK : LAM_STATUS_NOMEM, "request %zu",
                     fail_at);
        cr_assert(status != LAM_STATUS_OK || (indexes[0] == 0 && indexes[2] == 0));
        lam_dictionary_builder_destroy(builder);
        cr_assert_eq(counter.live_bytes, 0);
    }
}

Test(dictionary, indexes_of_no_dictionary_that_can_be_are_beyond_the_limit) {
    lam_allocator allocator = lam_allocator_default();
    lam_buffer out;
    lam_buffer_init(&out, &allocator);
    if (SIZE_MAX > UINT32_MAX) {
        lam_error error = lam_error_none();
        cr_assert_eq(
            lam_dictionary_write_indexes(lam_kernels_get(), NULL, 0, SIZE_MAX, &out, &error),
            LAM_STATUS_LIMIT);
        cr_assert_str_eq(error.message, "a dictionary of 18446744073709551615 values");
        cr_assert_eq(out.size, 0);
    }
    lam_buffer_finish(&out);
}

Test(dictionary, memory_for_indexes_may_run_out) {
    static uint32_t indexes[MOST];
    size_t attempts = 0;
    for (size_t i = 0; i < MOST; i++)
        indexes[i] = (uint32_t)(i * 7 % 1000);
    for (lam_status status = LAM_STATUS_NOMEM; status != LAM_STATUS_OK;) {
        lam_failing_alloc counter = {.fail_at = ++attempts};
        lam_allocator allocator = lam_failing_allocator(&counter);
        lam_buffer out;
        lam_buffer_init(&out, &allocator);
        status = lam_dictionary_write_indexes(lam_kernels_get(), indexes, MOST, 1000, &out, NULL);
        cr_assert(status == LAM_STATUS_OK || status == LAM_STATUS_NOMEM);
        lam_buffer_finish(&out);
        cr_assert_eq(counter.live_bytes, 0);
    }
    cr_assert_gt(attempts, 2);
}

Test(dictionary, a_long_run_of_values_without_bytes_touches_nothing) {
    const lam_value_layout nothing = {LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY, 0};
    const lam_dictionary dictionary = {"", 1};
    uint8_t got = 0x77;
    const lam_bytes bytes = {(const uint8_t *)"\0\320\17", 3};
    lam_decoder decoder;
    cr_assert_eq(lam_decoder_init(&decoder, lam_kernels_get(), LAM_ENCODING_RLE_DICTIONARY, nothing,
                                  bytes, &dictionary, NULL, NULL),
                 LAM_STATUS_OK);
    cr_assert_eq(lam_decoder_read(&decoder, 1000, &got, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_decoder_find_rest(&decoder, NULL), LAM_STATUS_OK);
    cr_assert_eq(got, 0x77);
}
