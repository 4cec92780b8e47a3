/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Row groups that are copied from file to file: the rows, the pages byte by byte, and metadata that
 * are true of the new file.
 */
#include "file/copy/row_group_copy.h"

#include <criterion/criterion.h>
#include <lamella/check.h>
#include <lamella/details.h>
#include <string.h>

#include "file/footer_edit.h"
#include "file/read/file_reader.h"
#include "file/unfinished_sample.h"
#include "support/failing_alloc.h"
#include "support/test_file.h"
#include "support/whole_footer.h"

enum { COPY_RECORDS = 50 };

static const char copy_shape[] =
    "message m { required int64 a; optional binary s; repeated group g {"
    "            required int32 x; optional double y; } optional boolean b; }";

static lam_file_sample copy_sample(uint64_t seed, const lam_writer_options *options) {
    lam_random random = lam_random_start(lam_test_seed(seed));
    lam_file_sample sample;
    lam_file_sample_init(&sample, lam_test_schema(copy_shape), COPY_RECORDS, 70, &random);
    lam_file_sample_write(&sample, options, NULL);
    return sample;
}

static lam_writer_options small_groups(void) {
    lam_writer_options options = lam_writer_options_default();
    options.row_group_rows = 16;
    options.page_rows = 5;
    options.auto_bloom_filters = true;
    return options;
}

/* Copies all row groups of the sample into a new file, which takes the place of the sample's. */
static lam_status copy_all(lam_file_sample *sample, const char *schema_text,
                           const lam_writer_options *options, lam_error *error) {
    lam_test_writer file = lam_test_write(schema_text, options);
    lam_reader *reader = lam_file_sample_open(sample, NULL);
    size_t count = lam_reader_row_group_count(reader);
    lam_status status = lam_writer_copy_row_groups(file.writer, reader, 0, 1, error);
    if (status == LAM_STATUS_OK)
        status = lam_writer_copy_row_groups(file.writer, reader, 1, count - 1, error);
    lam_reader_close(reader);
    if (status == LAM_STATUS_OK) {
        lam_buffer_finish(&sample->bytes);
        sample->bytes = lam_test_written(&file);
    } else {
        lam_test_drop(&file);
    }
    return status;
}

static lam_status refuse_finding(void *state, const lam_finding *finding, lam_error *error) {
    (void)state, (void)error;
    cr_assert_lt(finding->rule->severity, LAM_SEVERITY_ERROR, "%s", finding->message);
    return LAM_STATUS_OK;
}

/* Ends the test when a file contradicts itself. */
static void expect_checked(const lam_file_sample *sample) {
    lam_error error = lam_error_none();
    lam_input input = lam_input_memory(sample->bytes.data, sample->bytes.size);
    lam_status status = lam_check(&input, NULL, refuse_finding, NULL, NULL, &error);
    cr_assert_eq(status, LAM_STATUS_OK, "%s", error.message);
    lam_input_close(&input);
}

Test(row_group_copy, copied_row_groups_have_the_same_rows_and_true_metadata) {
    static const lam_codec codecs[] = {LAM_CODEC_UNCOMPRESSED, LAM_CODEC_ZSTD, LAM_CODEC_SNAPPY};
    for (size_t i = 0; i < 12; i++) {
        lam_writer_options options = small_groups();
        lam_error error = lam_error_none();
        options.codec = codecs[i % 3];
        options.data_page_version = 1 + (int32_t)(i & 1);
        options.page_index = i % 4 == 3 ? LAM_SWITCH_OFF : LAM_SWITCH_ON;
        lam_file_sample sample = copy_sample(i, &options);
        lam_status status = copy_all(&sample, copy_shape, NULL, &error);
        cr_assert_eq(status, LAM_STATUS_OK, "%s", error.message);
        lam_reader *reader = lam_file_sample_open(&sample, NULL);
        cr_assert_eq(lam_reader_row_group_count(reader), 4);
        lam_file_sample_expect_all(&sample, reader, NULL);
        expect_checked(&sample);
        lam_reader_close(reader);
        lam_file_sample_finish(&sample);
    }
}

/* A copy of all row groups with the same options is the same file: nothing was lost on the way. */
Test(row_group_copy, a_copy_by_the_same_writer_is_the_same_file) {
    lam_writer_options options = small_groups();
    lam_file_sample sample = copy_sample(3, &options);
    lam_buffer before = sample.bytes;
    lam_allocator allocator = lam_allocator_default();
    lam_buffer_init(&sample.bytes, &allocator);
    cr_assert_eq(lam_buffer_append(&sample.bytes, before.data, before.size, NULL), LAM_STATUS_OK);
    cr_assert_eq(copy_all(&sample, copy_shape, &options, NULL), LAM_STATUS_OK);
    cr_assert_eq(before.size, sample.bytes.size);
    cr_assert_eq(memcmp(before.data, sample.bytes.data, before.size), 0);
    lam_buffer_finish(&before);
    lam_file_sample_finish(&sample);
}

Test(row_group_copy, rows_may_be_written_before_and_after) {
    lam_writer_options options = small_groups();
    lam_file_sample sample = copy_sample(4, &options);
    lam_reader *reader = lam_file_sample_open(&sample, NULL);
    lam_test_writer file = lam_test_write_as(sample.schema, &options);
    cr_assert_eq(lam_writer_copy_row_groups(file.writer, reader, 1, 2, NULL), LAM_STATUS_OK);
    for (int i = 0; i < 2; i++) {
        cr_assert_eq(
            lam_tree_drive(sample.schema, &sample.records[0], &file.sink, NULL, false, NULL),
            LAM_STATUS_OK);
        cr_assert_eq(lam_writer_copy_row_groups(file.writer, reader, 0, 1, NULL), LAM_STATUS_OK);
    }
    cr_assert_eq(lam_writer_record_count(file.writer), 32 + 2 * 17);
    lam_buffer trial = lam_test_written(&file);
    lam_reader_close(reader);
    lam_buffer_finish(&sample.bytes);
    sample.bytes = trial;
    expect_checked(&sample);
    reader = lam_file_sample_open(&sample, NULL);
    cr_assert_eq(lam_reader_row_group_count(reader), 6);
    cr_assert_eq(lam_reader_row_count(reader), 32 + 2 * 17);
    lam_reader_close(reader);
    lam_file_sample_finish(&sample);
}

Test(row_group_copy, a_schema_that_differs_is_refused_by_its_first_field) {
    static const struct {
        const char *schema;
        const char *message;
    } cases[] = {
        {"message m { required int32 a; optional binary s; repeated group g {"
         " required int32 x; optional double y; } optional boolean b; }",
         "field 'a' has another type in the file that is copied ('a')"},
        {"message m { required int64 a; optional binary t; repeated group g {"
         " required int32 x; optional double y; } optional boolean b; }",
         "field 't' has another name in the file that is copied ('s')"},
        {"message m { required int64 a; optional binary s (STRING); repeated group g {"
         " required int32 x; optional double y; } optional boolean b; }",
         "field 's' has another logical type in the file that is copied ('s')"},
        {"message m { required int64 a; optional binary s; repeated group g {"
         " required int32 x; required double y; } optional boolean b; }",
         "field 'g.y' has another repetition in the file that is copied ('y')"},
        {"message m { required int64 a; optional binary s; repeated group g {"
         " required int32 x; } optional boolean b; }",
         "field 'g.y' is only in the file that is copied"},
        {"message m { required int64 a; optional binary s; repeated group g {"
         " required int32 x; optional double y; } optional boolean b; required int32 c; }",
         "field 'c' is missing in the file that is copied"},
    };
    lam_file_sample sample = copy_sample(5, NULL);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lam_error error = lam_error_none();
        cr_assert_eq(copy_all(&sample, cases[i].schema, NULL, &error), LAM_STATUS_INVALID);
        cr_assert_str_eq(error.message, cases[i].message);
    }
    lam_file_sample_finish(&sample);
}

Test(row_group_copy, the_name_of_the_message_does_not_matter) {
    lam_writer_options options = small_groups();
    lam_file_sample sample = copy_sample(6, &options);
    cr_assert_eq(copy_all(&sample,
                          "message other { required int64 a = 7; optional binary s;"
                          " repeated group g { required int32 x; optional double y; }"
                          " optional boolean b; }",
                          NULL, NULL),
                 LAM_STATUS_OK);
    lam_file_sample_finish(&sample);
}

/* Bounds in IEEE 754 total order would be false in a file that states the order of the type. */
Test(row_group_copy, bounds_in_another_order_are_left_out) {
    lam_writer_options options = small_groups();
    options.float_total_order = true;
    lam_file_sample sample = copy_sample(7, &options);
    cr_assert_eq(copy_all(&sample, copy_shape, NULL, NULL), LAM_STATUS_OK);
    lam_reader *reader = lam_file_sample_open(&sample, NULL);
    for (size_t leaf = 0; leaf < 5; leaf++) {
        lam_meta_column_chunk chunk;
        lam_arena arena = lam_reader_chunk_arena(reader);
        cr_assert_eq(lam_reader_find_column(reader, 0, leaf, &arena, &chunk, NULL), LAM_STATUS_OK);
        bool has = (chunk.meta_data->statistics->has & LAM_META_STATISTICS_HAS_MIN_VALUE) != 0;
        cr_assert_eq(has, leaf != 3, "leaf %zu", leaf);
        lam_arena_finish(&arena);
    }
    expect_checked(&sample);
    lam_reader_close(reader);
    lam_file_sample_finish(&sample);
}

/* Statistics without a nan_count were copied into files in an order that requires one. */
Test(row_group_copy, statistics_without_a_count_that_the_order_requires_are_left_out) {
    lam_writer_options options = small_groups(), copying = small_groups();
    lam_file_sample sample = copy_sample(8, &options);
    lam_footer_edit edit;
    lam_footer_edit_begin(&edit, &sample.bytes);
    lam_meta_statistics *statistics =
        (lam_meta_statistics *)(uintptr_t)lam_footer_edit_column(&edit, 0, 3)->statistics;
    statistics->has &= ~(uint32_t)LAM_META_STATISTICS_HAS_NAN_COUNT;
    lam_footer_edit_end(&edit);
    copying.float_total_order = true;
    cr_assert_eq(copy_all(&sample, copy_shape, &copying, NULL), LAM_STATUS_OK);
    lam_footer_edit_begin(&edit, &sample.bytes);
    cr_expect_null(lam_footer_edit_column(&edit, 0, 3)->statistics);
    cr_expect_not_null(lam_footer_edit_column(&edit, 1, 3)->statistics);
    lam_footer_edit_end(&edit);
    expect_checked(&sample);
    lam_file_sample_finish(&sample);
}

Test(row_group_copy, a_refused_row_group_leaves_the_writer_usable) {
    lam_writer_options options = small_groups();
    lam_file_sample sample = copy_sample(8, &options);
    lam_reader *reader = lam_file_sample_open(&sample, NULL);
    lam_footer_change change;
    lam_test_writer file = lam_test_write_as(sample.schema, NULL);
    lam_footer_change_begin(&change, reader);
    lam_footer_change_column(&change, 1, 2)->total_compressed_size = INT64_MAX;
    lam_footer_change_apply(&change);
    lam_footer_change_end(&change);
    lam_error error = lam_error_none();
    cr_assert_eq(lam_writer_copy_row_groups(file.writer, reader, 0, 4, &error), LAM_STATUS_CORRUPT);
    cr_assert_eq(error.row_group, 1);
    cr_assert_eq(error.column, 2);
    cr_assert_eq(lam_writer_copy_row_groups(file.writer, reader, 3, 2, NULL), LAM_STATUS_INVALID);
    cr_assert_eq(lam_writer_copy_row_groups(file.writer, NULL, 0, 0, NULL), LAM_STATUS_INVALID);
    cr_assert_eq(lam_writer_copy_row_groups(file.writer, reader, 3, 1, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_writer_record_count(file.writer), 16 + 2);
    lam_buffer trial = lam_test_written(&file);
    lam_reader_close(reader);
    lam_buffer_finish(&sample.bytes);
    sample.bytes = trial;
    expect_checked(&sample);
    lam_file_sample_finish(&sample);
}

/* Numbers of a footer changed at random: refused, or copied with what fits. */
Test(row_group_copy, no_footer_makes_a_copy_read_outside_of_the_file) {
    lam_writer_options options = small_groups();
    lam_file_sample sample = copy_sample(9, &options);
    lam_random random = lam_random_start(lam_test_seed(99));
    for (int round = 0; round < 2000; round++) {
        lam_reader *reader = lam_file_sample_open(&sample, NULL);
        lam_footer_change change;
        lam_footer_change_begin(&change, reader);
        size_t group = lam_random_below(&random, 4), leaf = lam_random_below(&random, 5);
        lam_meta_column_chunk *chunk = lam_footer_change_chunk(&change, group, leaf);
        lam_meta_column *column = lam_footer_change_column(&change, group, leaf);
        int64_t *numbers[] = {&column->num_values,
                              &column->total_uncompressed_size,
                              &column->total_compressed_size,
                              &column->data_page_offset,
                              &column->dictionary_page_offset,
                              &column->bloom_filter_offset,
                              &chunk->column_index_offset,
                              &chunk->offset_index_offset};
        int64_t values[] = {-1,
                            0,
                            4,
                            INT64_MAX,
                            INT64_MIN,
                            (int64_t)sample.bytes.size,
                            (int64_t)lam_random_below(&random, sample.bytes.size)};
        *numbers[lam_random_below(&random, 8)] = values[lam_random_below(&random, 7)];
        chunk->offset_index_length += (int32_t)lam_random_below(&random, 3) - 1;
        lam_footer_change_apply(&change);
        lam_footer_change_end(&change);
        lam_test_writer file = lam_test_write_as(sample.schema, NULL);
        lam_error error = lam_error_none();
        lam_status status = lam_writer_copy_row_groups(file.writer, reader, 0, 4, &error);
        cr_assert(status == LAM_STATUS_OK || status == LAM_STATUS_CORRUPT, "%s", error.message);
        lam_test_drop(&file);
        lam_reader_close(reader);
    }
    lam_file_sample_finish(&sample);
}

Test(row_group_copy, an_output_that_fails_poisons_the_writer) {
    lam_writer_options options = small_groups();
    lam_file_sample sample = copy_sample(10, &options);
    lam_reader *reader = lam_file_sample_open(&sample, NULL);
    for (size_t fail_at = 2;; fail_at++) {
        lam_test_writer file = lam_test_write_as(sample.schema, NULL);
        file.trial->fail_at_write = fail_at;
        lam_status status = lam_writer_copy_row_groups(file.writer, reader, 0, 4, NULL);
        if (status != LAM_STATUS_OK) {
            cr_assert_eq(status, LAM_STATUS_IO);
            cr_assert_eq(lam_writer_copy_row_groups(file.writer, reader, 0, 4, NULL),
                         LAM_STATUS_STATE);
        }
        lam_test_drop(&file);
        if (status == LAM_STATUS_OK)
            break;
    }
    lam_reader_close(reader);
    lam_file_sample_finish(&sample);
}

static lam_status copy_by_hand(void *state, const lam_input *input, uint64_t offset, uint64_t size,
                               lam_error *error) {
    lam_trial_output *trial = state;
    return lam_buffer_append(&trial->bytes, input->borrow(input->state, offset, (size_t)size),
                             (size_t)size, error);
}

Test(row_group_copy, pages_can_be_copied_by_the_storage) {
    lam_writer_options options = small_groups();
    lam_file_sample sample = copy_sample(11, &options);
    lam_reader *reader = lam_file_sample_open(&sample, NULL);
    lam_test_writer file = lam_test_write_as(sample.schema, &options);
    lam_writer_set_copy(file.writer, copy_by_hand, file.trial);
    cr_assert_eq(lam_writer_copy_row_groups(file.writer, reader, 0, 4, NULL), LAM_STATUS_OK);
    cr_assert_eq(file.trial->writes, 1);
    lam_buffer bytes = lam_test_written(&file);
    cr_assert_eq(bytes.size, sample.bytes.size);
    cr_assert_eq(memcmp(bytes.data, sample.bytes.data, bytes.size), 0);
    lam_buffer_finish(&bytes);
    lam_reader_close(reader);
    lam_file_sample_finish(&sample);
}
