/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The encoder of any page of values: what a type cannot have is refused, and a page that could not
 * be handed over is kept.
 */
#include "encoding/encoder.h"

#include <criterion/criterion.h>
#include <string.h>

#include "support/failing_alloc.h"
#include "support/random.h"

static const lam_value_layout booleans = {LAM_PHYSICAL_BOOLEAN, 1};
static const lam_value_layout int32s = {LAM_PHYSICAL_INT32, 4};

static lam_status start(lam_encoder *encoder, lam_encoding encoding, lam_value_layout layout,
                        lam_error *error) {
    lam_allocator allocator = lam_allocator_default();
    return lam_encoder_init(encoder, lam_kernels_get(), encoding, layout, &allocator, error);
}

Test(encoder, an_encoding_that_the_type_cannot_have_is_invalid) {
    lam_encoder encoder;
    lam_error error = lam_error_none();
    cr_assert_eq(start(&encoder, LAM_ENCODING_RLE, int32s, &error), LAM_STATUS_INVALID);
    cr_assert_str_eq(error.message, "INT32 values cannot be in the encoding RLE");
    cr_assert_eq(start(&encoder, LAM_ENCODING_BIT_PACKED, booleans, &error), LAM_STATUS_INVALID);
}

Test(encoder, dictionary_indexes_do_not_pass_here) {
    lam_encoder encoder;
    cr_assert_eq(start(&encoder, LAM_ENCODING_RLE_DICTIONARY, int32s, NULL),
                 LAM_STATUS_UNSUPPORTED);
}

Test(encoder, each_page_starts_anew) {
    static const uint8_t bools[] = {1, 1, 1, 0, 1, 1, 1, 1, 1, 1, 1};
    static const lam_encoding encodings[] = {LAM_ENCODING_PLAIN, LAM_ENCODING_RLE};
    lam_allocator allocator = lam_allocator_default();
    for (size_t e = 0; e < 2; e++) {
        lam_encoder encoder;
        lam_buffer first, second;
        lam_buffer_init(&first, &allocator);
        lam_buffer_init(&second, &allocator);
        cr_assert_eq(start(&encoder, encodings[e], booleans, NULL), LAM_STATUS_OK);
        cr_assert_eq(lam_encoder_write(&encoder, bools, 11, NULL), LAM_STATUS_OK);
        cr_assert_eq(lam_encoder_end_page(&encoder, &first, NULL), LAM_STATUS_OK);
        cr_assert_eq(lam_encoder_write(&encoder, bools, 11, NULL), LAM_STATUS_OK);
        cr_assert_eq(lam_encoder_end_page(&encoder, &second, NULL), LAM_STATUS_OK);
        cr_assert_eq(first.size, second.size);
        cr_assert_eq(memcmp(first.data, second.data, first.size), 0);
        cr_assert_eq(lam_encoder_byte_count(&encoder), e == 0 ? 0 : 4);
        lam_encoder_finish(&encoder);
        lam_buffer_finish(&first);
        lam_buffer_finish(&second);
    }
}

Test(encoder, rle_booleans_have_the_length_of_their_runs_in_front) {
    uint8_t bools[100];
    memset(bools, 1, sizeof bools);
    const uint8_t expected[] = {3, 0, 0, 0, 0xC8, 0x01, 1};
    lam_allocator allocator = lam_allocator_default();
    lam_encoder encoder, moved;
    lam_buffer out;
    lam_buffer_init(&out, &allocator);
    cr_assert_eq(start(&encoder, LAM_ENCODING_RLE, booleans, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_encoder_write(&encoder, bools, 60, NULL), LAM_STATUS_OK);
    moved = encoder;
    memset(&encoder, 0xEE, sizeof encoder);
    cr_assert_eq(lam_encoder_write(&moved, bools, 40, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_encoder_end_page(&moved, &out, NULL), LAM_STATUS_OK);
    cr_assert_eq(out.size, sizeof expected);
    cr_assert_arr_eq(out.data, expected, sizeof expected);
    lam_encoder_finish(&moved);
    lam_buffer_finish(&out);
}

Test(encoder, a_page_that_could_not_be_handed_over_is_kept) {
    static uint8_t bools[4000];
    for (size_t i = 0; i < sizeof bools; i++)
        bools[i] = i / 3 % 2;
    static const lam_encoding encodings[] = {LAM_ENCODING_PLAIN, LAM_ENCODING_RLE};
    for (size_t e = 0; e < 2; e++) {
        lam_failing_alloc counter = {.fail_at = 1};
        lam_allocator allocator = lam_failing_allocator(&counter);
        lam_encoder encoder;
        lam_buffer out;
        lam_buffer_init(&out, &allocator);
        cr_assert_eq(start(&encoder, encodings[e], booleans, NULL), LAM_STATUS_OK);
        cr_assert_eq(lam_encoder_write(&encoder, bools, sizeof bools, NULL), LAM_STATUS_OK);
        cr_assert_eq(lam_encoder_end_page(&encoder, &out, NULL), LAM_STATUS_NOMEM);
        cr_assert_eq(out.size, 0);
        cr_assert_eq(lam_encoder_end_page(&encoder, &out, NULL), LAM_STATUS_OK);
        cr_assert_geq(out.size, sizeof bools / 8);
        lam_encoder_finish(&encoder);
        lam_buffer_finish(&out);
    }
}

/* `values` is not looked at: what could hold so many values does not exist. */
Test(encoder, more_values_than_a_page_can_have_are_refused_before_they_are_read) {
    static const struct {
        lam_encoding encoding;
        lam_value_layout layout;
        lam_status status;
        const char *message;
    } rows[] = {
        {LAM_ENCODING_PLAIN, {LAM_PHYSICAL_INT32, 4}, LAM_STATUS_NOMEM, "no memory for "},
        {LAM_ENCODING_DELTA_BINARY_PACKED,
         {LAM_PHYSICAL_INT32, 4},
         LAM_STATUS_LIMIT,
         "more than 2147483647 values in one page"},
        {LAM_ENCODING_ALP,
         {LAM_PHYSICAL_DOUBLE, 8},
         LAM_STATUS_LIMIT,
         "more than 2147483647 values in one page"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const double one = 1;
        lam_encoder encoder;
        lam_error error = lam_error_none();
        cr_assert_eq(start(&encoder, rows[i].encoding, rows[i].layout, NULL), LAM_STATUS_OK);
        cr_assert_eq(lam_encoder_write(&encoder, &one, 1, NULL), LAM_STATUS_OK);
        cr_assert_eq(lam_encoder_write(&encoder, &one, SIZE_MAX, &error), rows[i].status);
        cr_assert(strstr(error.message, rows[i].message) == error.message);
        lam_encoder_finish(&encoder);
    }
}

/* The size is set, as 2 GiB of booleans or reals take long; nothing of the bytes is looked at. */
Test(encoder, a_page_of_2_gib_is_beyond_the_limit) {
    static const struct {
        lam_encoding encoding;
        lam_value_layout layout;
    } rows[] = {
        {LAM_ENCODING_RLE, {LAM_PHYSICAL_BOOLEAN, 1}},
        {LAM_ENCODING_ALP, {LAM_PHYSICAL_DOUBLE, 8}},
    };
    static const double values[1024];
    for (size_t i = 0; i < 2; i++) {
        lam_allocator allocator = lam_allocator_default();
        lam_encoder encoder;
        lam_buffer out;
        lam_error error = lam_error_none();
        lam_buffer_init(&out, &allocator);
        cr_assert_eq(start(&encoder, rows[i].encoding, rows[i].layout, NULL), LAM_STATUS_OK);
        encoder.bytes.size = (size_t)INT32_MAX + 1;
        lam_status status = i == 0 ? lam_encoder_end_page(&encoder, &out, &error)
                                   : lam_encoder_write(&encoder, values, 1024, &error);
        cr_assert_eq(status, LAM_STATUS_LIMIT);
        cr_assert_str_eq(error.message, "a page of 2147483648 bytes");
        cr_assert_eq(out.size, 0);
        encoder.bytes.size = 0;
        lam_encoder_finish(&encoder);
        lam_buffer_finish(&out);
    }
}

/* The runs that are still open when the page ends need memory, too. */
Test(encoder, booleans_that_end_a_page_may_find_no_memory) {
    size_t attempts = 0;
    static uint8_t bools[2000];
    for (size_t i = 0; i < sizeof bools; i++)
        bools[i] = i / 100 % 2 == 0 ? i % 2 : 1;
    for (size_t count = 1; count < sizeof bools; count += 8) {
        lam_failing_alloc counter = {.fail_at = 1};
        lam_allocator allocator = lam_failing_allocator(&counter);
        lam_encoder encoder;
        lam_buffer out;
        lam_status status = LAM_STATUS_NOMEM;
        for (; status != LAM_STATUS_OK; counter.fail_at++) {
            counter.requests = 0;
            lam_buffer_init(&out, &allocator);
            status = lam_encoder_init(&encoder, lam_kernels_get(), LAM_ENCODING_RLE, booleans,
                                      &allocator, NULL);
            cr_assert_eq(status, LAM_STATUS_OK);
            status = lam_encoder_write(&encoder, bools, count, NULL);
            if (status == LAM_STATUS_OK)
                status = lam_encoder_end_page(&encoder, &out, NULL);
            cr_assert(status == LAM_STATUS_OK || (status == LAM_STATUS_NOMEM && out.size == 0));
            lam_encoder_finish(&encoder);
            lam_buffer_finish(&out);
            cr_assert_eq(counter.live_bytes, 0);
            attempts++;
        }
    }
    cr_assert_gt(attempts, 500);
}
