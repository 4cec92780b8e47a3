/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pages of which the encoding is chosen as they are written. Whatever the choice, the values come
 * back, and it does not depend on how calls are split.
 */
#include "encoding/auto_encoder.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "encoding/decoder.h"
#include "support/failing_alloc.h"
#include "support/random.h"

enum { MOST = 5000, LONGEST = 30 };

static const lam_value_layout int32s = {LAM_PHYSICAL_INT32, 4};
static const lam_value_layout int64s = {LAM_PHYSICAL_INT64, 8};
static const lam_value_layout strings = {LAM_PHYSICAL_BYTE_ARRAY, 0};

static lam_encoder start(lam_value_layout layout) {
    lam_allocator allocator = lam_allocator_default();
    lam_encoder encoder;
    cr_assert_eq(lam_encoder_init_choosing(&encoder, lam_kernels_get(), layout, &allocator, NULL),
                 LAM_STATUS_OK);
    return encoder;
}

/* Writes a page in pieces and reads it back; gives its encoding. `out` has the page. */
static lam_encoding page_of(lam_encoder *encoder, const void *values, size_t count,
                            lam_random *random, lam_buffer *out) {
    static uint8_t back[MOST * sizeof(lam_bytes)];
    size_t size = lam_layout_size(encoder->layout);
    lam_buffer_clear(out);
    for (size_t done = 0, some; done < count; done += some) {
        some = random == NULL ? count : (size_t)lam_random_below(random, 700);
        some = some < count - done ? some : count - done;
        cr_assert_eq(lam_encoder_write(encoder, (const uint8_t *)values + done * size, some, NULL),
                     0);
    }
    cr_assert_eq(lam_encoder_end_page(encoder, out, NULL), LAM_STATUS_OK);
    lam_allocator allocator = lam_allocator_default();
    lam_arena arena;
    lam_decoder decoder;
    lam_arena_init(&arena, &allocator, 0);
    cr_assert_eq(lam_decoder_init(&decoder, lam_kernels_get(), encoder->encoding, encoder->layout,
                                  lam_buffer_bytes(out), NULL, &arena, NULL),
                 LAM_STATUS_OK);
    cr_assert_eq(lam_decoder_read(&decoder, count, back, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_decoder_find_rest(&decoder, NULL), LAM_STATUS_OK);
    if (encoder->layout.type == LAM_PHYSICAL_BYTE_ARRAY) {
        const lam_bytes *expected = values;
        const lam_bytes *there = (const lam_bytes *)(const void *)back;
        for (size_t i = 0; i < count; i++)
            cr_assert(expected[i].size == there[i].size &&
                      (there[i].size == 0 ||
                       memcmp(expected[i].data, there[i].data, there[i].size) == 0));
    } else if (count > 0) {
        cr_assert_eq(memcmp(back, values, count * size), 0);
    }
    lam_arena_finish(&arena);
    return encoder->encoding;
}

static lam_buffer empty(void) {
    lam_allocator allocator = lam_allocator_default();
    lam_buffer buffer;
    lam_buffer_init(&buffer, &allocator);
    return buffer;
}

/* --- Which one ------------------------------------------------------------------------------- */

Test(chosen, integers_that_are_near_are_differences_and_others_are_plain) {
    static int64_t longs[MOST];
    static int32_t shorts[MOST];
    lam_random random = lam_random_start(1);
    lam_encoder of_64 = start(int64s), of_32 = start(int32s);
    lam_buffer out = empty();
    for (int64_t i = 0; i < MOST; i++)
        longs[i] = 1700000000000000 + i * 1000 + (int64_t)lam_random_below(&random, 900);
    cr_assert_eq(page_of(&of_64, longs, MOST, NULL, &out), LAM_ENCODING_DELTA_BINARY_PACKED);
    cr_assert_lt(out.size, sizeof longs / 4);
    for (size_t i = 0; i < MOST; i++) {
        longs[i] = (int64_t)lam_random_next(&random);
        shorts[i] = (int32_t)lam_random_next(&random);
    }
    cr_assert_eq(page_of(&of_64, longs, MOST, NULL, &out), LAM_ENCODING_PLAIN);
    cr_assert_eq(out.size, sizeof longs);
    cr_assert_eq(page_of(&of_32, shorts, MOST, NULL, &out), LAM_ENCODING_PLAIN);
    for (int32_t i = 0; i < MOST; i++)
        shorts[i] = -i;
    cr_assert_eq(page_of(&of_32, shorts, MOST, NULL, &out), LAM_ENCODING_DELTA_BINARY_PACKED);
    lam_encoder_finish(&of_64);
    lam_encoder_finish(&of_32);
    lam_buffer_finish(&out);
}

Test(chosen, a_page_that_only_looks_near_where_it_is_sampled_is_plain) {
    static int64_t longs[4096];
    lam_random random = lam_random_start(1);
    for (size_t i = 0; i < 4096; i++)
        longs[i] = (int64_t)lam_random_next(&random);
    size_t step = (4096 - 33) / 7; /* the places that are looked at */
    for (size_t place = 0; place < 8; place++)
        for (size_t i = 0; i <= 32; i++)
            longs[place * step + i] = (int64_t)i;
    lam_encoder encoder = start(int64s);
    lam_buffer out = empty();
    cr_assert_eq(page_of(&encoder, longs, 4096, NULL, &out), LAM_ENCODING_PLAIN);
    cr_assert_eq(out.size, sizeof longs);
    lam_encoder_finish(&encoder);
    lam_buffer_finish(&out);
}

Test(chosen, a_short_page_is_plain) {
    int32_t numbers[1024];
    static lam_bytes words[1024];
    for (int32_t i = 0; i < 1024; i++) {
        numbers[i] = i;
        words[i].data = (const uint8_t *)"word";
        words[i].size = 4;
    }
    lam_encoder integers = start(int32s), texts = start(strings);
    lam_buffer out = empty();
    cr_assert_eq(page_of(&integers, numbers, 1023, NULL, &out), LAM_ENCODING_PLAIN);
    cr_assert_eq(page_of(&integers, numbers, 1024, NULL, &out), LAM_ENCODING_DELTA_BINARY_PACKED);
    cr_assert_eq(page_of(&texts, words, 1023, NULL, &out), LAM_ENCODING_PLAIN);
    cr_assert_eq(out.size, 1023 * 8);
    cr_assert_eq(page_of(&texts, words, 1024, NULL, &out), LAM_ENCODING_DELTA_BYTE_ARRAY);
    cr_assert_lt(out.size, 1024);
    cr_assert_eq(page_of(&texts, words, 0, NULL, &out), LAM_ENCODING_PLAIN);
    cr_assert_eq(out.size, 0);
    lam_encoder_finish(&integers);
    lam_encoder_finish(&texts);
    lam_buffer_finish(&out);
}

/* Values of one width, `shared` bytes of which are the same in all, and the others random. */
static void fill_texts(size_t shared, size_t width, uint8_t *bytes, lam_bytes *texts,
                       size_t count) {
    lam_random random = lam_random_start(3);
    for (size_t i = 0; i < count; i++) {
        texts[i] = (lam_bytes){bytes + i * width, width};
        for (size_t j = 0; j < width; j++)
            bytes[i * width + j] = j < shared ? 'k' : (uint8_t)lam_random_next(&random);
    }
}

Test(chosen, byte_arrays_that_begin_alike_leave_out_their_beginnings) {
    static uint8_t bytes[MOST * 20];
    static lam_bytes texts[MOST];
    lam_encoder encoder = start(strings);
    lam_buffer out = empty();
    fill_texts(4, 20, bytes, texts, MOST);
    cr_assert_eq(page_of(&encoder, texts, MOST, NULL, &out), LAM_ENCODING_DELTA_BYTE_ARRAY);
    cr_assert_lt(out.size, MOST * 17);
    /* What saves less than an eighth, or less than two bytes a value, is not worth the time. */
    fill_texts(2, 20, bytes, texts, MOST);
    cr_assert_eq(page_of(&encoder, texts, MOST, NULL, &out), LAM_ENCODING_DELTA_LENGTH_BYTE_ARRAY);
    fill_texts(1, 4, bytes, texts, MOST);
    cr_assert_eq(page_of(&encoder, texts, MOST, NULL, &out), LAM_ENCODING_DELTA_LENGTH_BYTE_ARRAY);
    cr_assert_lt(out.size, MOST * 5);
    lam_encoder_finish(&encoder);
    lam_buffer_finish(&out);
}

Test(chosen, a_page_that_only_begins_alike_where_it_is_sampled_is_no_larger_for_it) {
    static uint8_t bytes[4096 * 8];
    static lam_bytes texts[4096];
    fill_texts(0, 8, bytes, texts, 4096);
    /* Sizes that jump elsewhere make the numbers of prefixes and suffixes wide. */
    for (size_t i = 0; i < 4096; i++)
        texts[i].size = i % 2 == 0 ? 8 : 0;
    size_t step = (4096 - 33) / 7;
    for (size_t place = 0; place < 8; place++)
        for (size_t i = 0; i <= 32; i++) {
            texts[place * step + i].size = 8;
            memset((uint8_t *)(uintptr_t)texts[place * step + i].data, 'k', 8);
        }
    lam_encoder encoder = start(strings);
    lam_buffer out = empty();
    size_t total = 0;
    for (size_t i = 0; i < 4096; i++)
        total += texts[i].size;
    page_of(&encoder, texts, 4096, NULL, &out);
    cr_assert_leq(out.size, total + 4096 * 4);
    lam_encoder_finish(&encoder);
    lam_buffer_finish(&out);
}

Test(chosen, other_types_have_no_choice) {
    static const lam_value_layout layouts[] = {{LAM_PHYSICAL_BOOLEAN, 1},
                                               {LAM_PHYSICAL_DOUBLE, 8},
                                               {LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY, 4}};
    static uint8_t zeros[MOST * 8];
    for (size_t i = 0; i < 3; i++) {
        lam_encoder encoder = start(layouts[i]);
        lam_buffer out = empty();
        cr_assert_eq(page_of(&encoder, zeros, MOST, NULL, &out), LAM_ENCODING_PLAIN);
        lam_encoder_finish(&encoder);
        lam_buffer_finish(&out);
    }
}

Test(chosen, a_byte_array_of_2_gib_is_too_long) {
    lam_bytes long_one = {(const uint8_t *)"x", (size_t)INT32_MAX + 1};
    lam_encoder encoder = start(strings);
    lam_error error = lam_error_none();
    cr_assert_eq(lam_encoder_write(&encoder, &long_one, 1, &error), LAM_STATUS_LIMIT);
    cr_assert_str_eq(error.message, "a byte array of 2147483648 bytes; the maximum is 2147483647");
    lam_encoder_finish(&encoder);
}

/* --- Any values ------------------------------------------------------------------------------ */

/* Values of a layout, some side by side in memory. */
static size_t random_values(lam_random *random, lam_value_layout layout, uint8_t *values) {
    static uint8_t pool[MOST + LONGEST];
    size_t count = (size_t)lam_random_below(random, MOST), at = 0;
    unsigned spread = (unsigned)lam_random_below(random, 64);
    unsigned letters = 1 + (unsigned)lam_random_below(random, 255);
    for (size_t i = 0; i < sizeof pool; i++)
        pool[i] = (uint8_t)lam_random_below(random, letters);
    for (size_t i = 0; i < count; i++) {
        uint64_t number = lam_random_next(random) >> spread;
        lam_bytes bytes = {pool + at, (size_t)lam_random_below(random, LONGEST)};
        at = lam_random_chance(random, 70) ? at + bytes.size
                                           : (size_t)lam_random_below(random, MOST);
        at = at < MOST ? at : 0;
        if (lam_random_chance(random, 2))
            bytes.data = NULL, bytes.size = 0;
        if (layout.type == LAM_PHYSICAL_BYTE_ARRAY)
            memcpy(values + i * sizeof bytes, &bytes, sizeof bytes);
        else
            memcpy(values + i * lam_layout_size(layout), &number, lam_layout_size(layout));
    }
    return count;
}

Test(chosen, any_values_come_back_and_the_split_of_calls_does_not_show) {
    static uint8_t values[MOST * sizeof(lam_bytes)];
    static const lam_value_layout layouts[] = {
        {LAM_PHYSICAL_INT32, 4}, {LAM_PHYSICAL_INT64, 8}, {LAM_PHYSICAL_BYTE_ARRAY, 0}};
    uint64_t seed = lam_test_seed(1);
    for (uint64_t round = 0; round < 300; round++) {
        lam_random random = lam_random_start(seed + round);
        lam_value_layout layout = layouts[round % 3];
        lam_encoder encoder = start(layout);
        lam_buffer whole = empty(), pieces = empty();
        for (int page = 0; page < 3; page++) {
            size_t count = random_values(&random, layout, values);
            lam_encoding encoding = page_of(&encoder, values, count, NULL, &whole);
            cr_assert_eq(page_of(&encoder, values, count, &random, &pieces), encoding);
            cr_assert(whole.size == pieces.size &&
                          (whole.size == 0 || memcmp(whole.data, pieces.data, whole.size) == 0),
                      "seed %llu", (unsigned long long)(seed + round));
        }
        lam_encoder_finish(&encoder);
        lam_buffer_finish(&whole);
        lam_buffer_finish(&pieces);
    }
}

Test(chosen, each_allocation_may_fail_and_the_page_is_kept) {
    static uint8_t values[MOST * sizeof(lam_bytes)];
    static char names[MOST][LONGEST];
    static const lam_value_layout layouts[] = {
        {LAM_PHYSICAL_INT64, 8}, {LAM_PHYSICAL_BYTE_ARRAY, 0}, {LAM_PHYSICAL_BYTE_ARRAY, 0}};
    for (size_t l = 0; l < 3; l++) {
        lam_random random = lam_random_start(lam_test_seed(2));
        size_t count = 0;
        while (count < 2000)
            count = random_values(&random, layouts[l], values);
        if (l == 0)
            memset(values, 0, count * 8);
        for (size_t i = 0; l == 2 && i < count; i++) { /* prefixes that are shared */
            int size = snprintf(names[i], sizeof names[i], "a name, number %zu", i * i);
            lam_bytes name = {(const uint8_t *)names[i], (size_t)size};
            memcpy(values + i * sizeof name, &name, sizeof name);
        }
        lam_buffer expected = empty();
        lam_encoder good = start(layouts[l]);
        page_of(&good, values, count, NULL, &expected);
        lam_encoder_finish(&good);
        lam_status status = LAM_STATUS_NOMEM;
        for (size_t fail_at = 1; status != LAM_STATUS_OK; fail_at++) {
            lam_failing_alloc counter = {.fail_at = fail_at};
            lam_allocator allocator = lam_failing_allocator(&counter);
            lam_encoder encoder;
            lam_buffer out;
            lam_buffer_init(&out, &allocator);
            status = lam_encoder_init_choosing(&encoder, lam_kernels_get(), layouts[l], &allocator,
                                               NULL);
            if (status == LAM_STATUS_OK) {
                status = lam_encoder_write(&encoder, values, count, NULL);
                if (status == LAM_STATUS_OK) {
                    status = lam_encoder_end_page(&encoder, &out, NULL);
                    if (status != LAM_STATUS_OK) {
                        cr_assert_eq(out.size, 0);
                        counter.fail_at = 0;
                        cr_assert_eq(lam_encoder_end_page(&encoder, &out, NULL), LAM_STATUS_OK);
                    }
                    cr_assert(out.size == expected.size &&
                              memcmp(out.data, expected.data, out.size) == 0);
                }
                lam_encoder_finish(&encoder);
            }
            lam_buffer_finish(&out);
            cr_assert_eq(counter.live_bytes, 0);
            cr_assert_eq(counter.wrong_sizes, 0);
        }
        lam_buffer_finish(&expected);
    }
}

/* `values` is not looked at: what could hold so many values does not exist. */
Test(chosen, more_values_than_memory_can_have_are_refused_before_they_are_read) {
    static const lam_value_layout layouts[] = {{LAM_PHYSICAL_INT64, 8},
                                               {LAM_PHYSICAL_BYTE_ARRAY, 0}};
    for (size_t l = 0; l < 2; l++) {
        static const uint64_t none[2];
        lam_encoder encoder = start(layouts[l]);
        lam_error error = lam_error_none();
        cr_assert_eq(lam_encoder_write(&encoder, none, SIZE_MAX, &error), LAM_STATUS_NOMEM);
        cr_assert(strstr(error.message, "no memory for ") == error.message);
        cr_assert_eq(lam_encoder_byte_count(&encoder), 0);
        lam_encoder_finish(&encoder);
    }
}
