/* SPDX-License-Identifier: Apache-2.0 */
/* Chunks of constants that are odd, in files that are odd: what is too large, false or missing. */
#include <criterion/criterion.h>
#include <lamella/constant.h>
#include <string.h>

#include "dataset/folder/constant_chunk.h"
#include "file/footer_edit.h"
#include "file/read/file_reader.h"
#include "support/failing_alloc.h"

enum { SMALL_LIMIT = 60000 };

static const lam_constant some_constant = {"k", LAM_CONSTANT_INT64, false, {.int64 = 7}};

static lam_file_sample odd_sample(void) {
    lam_random random = lam_random_start(lam_test_seed(51));
    lam_file_sample sample;
    lam_file_sample_init(&sample, lam_test_schema("required int64 a; optional binary s;"), 20, 70,
                         &random);
    lam_file_sample_write(&sample, NULL, NULL);
    return sample;
}

static lam_status open_odd(const lam_file_sample *sample, const lam_constant *constant,
                           const lam_reader_options *options, lam_reader **ret_reader,
                           lam_error *error) {
    lam_input input = lam_input_memory(sample->bytes.data, sample->bytes.size);
    lam_status status =
        lam_reader_open_with_constants(&input, constant, 1, options, ret_reader, error);
    lam_input_close(&input);
    return status;
}

/* The size is looked at before the bytes, so that none have to be there. */
Test(constant_chunk, a_value_that_no_page_holds_is_a_limit) {
    const uint8_t byte = 0;
    const lam_constant constant = {
        "k", LAM_CONSTANT_BINARY, false, {.bytes = {&byte, INT32_MAX - 3}}};
    lam_allocator allocator = lam_allocator_default();
    lam_error error = lam_error_none();
    lam_meta_column_chunk chunk;
    lam_arena arena;
    lam_buffer out;
    lam_arena_init(&arena, &allocator, 0);
    lam_buffer_init(&out, &allocator);
    cr_assert_eq(lam_constant_chunk_write(&constant, 10, 0, &arena, &out, &chunk, &error),
                 LAM_STATUS_LIMIT);
    cr_assert_eq(error.code, LAM_ERROR_CODE_FORMAT_LIMIT);
    cr_assert_eq(out.size, 0);
    cr_assert_eq(lam_constant_chunk_write(&constant, 0, 0, &arena, &out, &chunk, &error),
                 LAM_STATUS_OK, "no row has it");
    lam_buffer_finish(&out);
    lam_arena_finish(&arena);
}

Test(constant_chunk, a_null_has_no_text_that_could_be_wrong) {
    const lam_constant constant = {
        "k", LAM_CONSTANT_STRING, true, {.bytes = {(const uint8_t *)"\xFF", 1}}};
    lam_file_sample sample = odd_sample();
    lam_reader *reader;
    cr_assert_eq(open_odd(&sample, &constant, NULL, &reader, NULL), LAM_STATUS_OK);
    lam_reader_close(reader);
    lam_file_sample_finish(&sample);
}

Test(constant_chunk, options_out_of_range_are_invalid) {
    lam_reader_options options = lam_reader_options_default();
    lam_file_sample sample = odd_sample();
    lam_reader *reader;
    options.struct_size--;
    cr_assert_eq(open_odd(&sample, &some_constant, &options, &reader, NULL), LAM_STATUS_INVALID);
    lam_file_sample_finish(&sample);
}

Test(constant_chunk, a_file_of_too_few_column_orders_has_none_where_they_are_missing) {
    lam_file_sample sample = odd_sample();
    lam_footer_edit edit;
    lam_reader *reader;
    lam_footer_edit_begin(&edit, &sample.bytes);
    edit.meta.column_orders.count = 1;
    lam_footer_edit_end(&edit);
    cr_assert_eq(open_odd(&sample, &some_constant, NULL, &reader, NULL), LAM_STATUS_OK);
    const lam_meta_column_order_list *orders = &reader->footer.meta.column_orders;
    cr_assert_eq(orders->count, 3);
    cr_expect_eq(orders->items[0].kind, LAM_META_COLUMN_ORDER_TYPE);
    cr_expect_eq(orders->items[1].kind, LAM_META_UNION_EMPTY);
    cr_expect_eq(orders->items[2].kind, LAM_META_COLUMN_ORDER_TYPE);
    lam_reader_close(reader);
    lam_file_sample_finish(&sample);
}

/* A page for each million of rows, and more of them than memory may have. */
Test(constant_chunk, more_pages_than_memory_may_have_are_a_limit) {
    lam_reader_options options = lam_reader_options_default();
    lam_file_sample sample = odd_sample();
    lam_error error = lam_error_none();
    lam_footer_edit edit;
    lam_reader *reader;
    lam_footer_edit_begin(&edit, &sample.bytes);
    lam_meta_row_group *group = (lam_meta_row_group *)(uintptr_t)edit.meta.row_groups.items;
    group->num_rows = edit.meta.num_rows = INT64_C(1) << 33;
    lam_footer_edit_end(&edit);
    options.memory_limit = SMALL_LIMIT;
    cr_assert_eq(open_odd(&sample, &some_constant, &options, &reader, &error), LAM_STATUS_LIMIT);
    cr_assert_not_null(strstr(error.message, "constant columns"), "%s", error.message);
    lam_file_sample_finish(&sample);
}

/* The descriptions of chunks that are not whole are made anew, which takes memory. */
Test(constant_chunk, claims_beyond_the_footer_end_cleanly_where_memory_does) {
    lam_file_sample sample = odd_sample();
    lam_status status = LAM_STATUS_NOMEM;
    lam_footer_edit edit;
    lam_footer_edit_begin(&edit, &sample.bytes);
    lam_footer_edit_column(&edit, 0, 0)->total_compressed_size = INT64_MAX - 1;
    lam_footer_edit_end(&edit);
    for (size_t n = 1; status != LAM_STATUS_OK; n++) {
        lam_failing_alloc counter = {.fail_at = n};
        lam_allocator allocator = lam_failing_allocator(&counter);
        lam_reader_options options = lam_reader_options_default();
        lam_reader *reader = NULL;
        options.allocator = &allocator;
        status = open_odd(&sample, &some_constant, &options, &reader, NULL);
        cr_assert(status == LAM_STATUS_OK || status == LAM_STATUS_NOMEM);
        lam_reader_close(reader);
        cr_assert_eq(counter.live_bytes, 0, "allocation %zu", n);
    }
    lam_file_sample_finish(&sample);
}
