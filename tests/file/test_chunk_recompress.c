/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pages of all kinds, made by hand, that get another codec: what they mean stays, those that mean
 * nothing are left out, and what cannot be uncompressed is refused where it is.
 */
#include <criterion/criterion.h>
#include <lamella/check.h>
#include <string.h>

#include "base/bytes.h"
#include "file/copy/chunk_copy.h"
#include "file/copy/row_group_copy.h"
#include "file/footer_edit.h"
#include "file/read/file_reader.h"
#include "support/ending_input.h"

enum { PAGE_ROWS = 3, LONG_ROWS = 20000 };

static const uint8_t junk[] = {7, 7, 7, 7};

/* Values of one page, PLAIN. */
static void put_values(uint8_t *to, size_t count) {
    for (size_t i = 0; i < count; i++)
        lam_store_le64(to + 8 * i, 1000 + i);
}

static lam_file_sample three_rows(void) {
    lam_file_sample sample;
    lam_random random = lam_random_start(1);
    lam_writer_options options = lam_writer_options_default();
    options.codec = LAM_CODEC_UNCOMPRESSED;
    options.dictionary = LAM_SWITCH_OFF;
    options.page_index = LAM_SWITCH_OFF;
    lam_file_sample_init(&sample, lam_test_schema("required int64 a;"), PAGE_ROWS, 100, &random);
    lam_file_sample_write(&sample, &options, NULL);
    return sample;
}

/*
 * Appends a page of one kind: v and w have the values (V1, V2), e and f no triples but some bytes,
 * n nothing at all (V2), d is a dictionary, i an index page, and l states a size that is too large.
 */
static int64_t append_kind(lam_footer_edit *edit, char kind) {
    const lam_meta_data_page_header v1 = {.num_values = PAGE_ROWS}, no_v1 = {.num_values = 0};
    const lam_meta_data_page_header_v2 v2 = {.num_values = PAGE_ROWS, .num_rows = PAGE_ROWS};
    const lam_meta_data_page_header_v2 no_v2 = {.num_values = 0};
    const lam_meta_dictionary_page_header dictionary = {.num_values = PAGE_ROWS};
    const lam_meta_index_page_header index = {0};
    lam_meta_page_header header = {.type = LAM_PAGE_DATA};
    uint8_t values[8 * PAGE_ROWS];
    put_values(values, PAGE_ROWS);
    switch (kind) {
    case 'v':
        header.data_page_header = &v1;
        break;
    case 'e':
        header.data_page_header = &no_v1;
        return lam_footer_edit_append_page(edit, header, junk, sizeof junk);
    case 'd':
        header.type = LAM_PAGE_DICTIONARY;
        header.dictionary_page_header = &dictionary;
        break;
    case 'i':
        header.type = LAM_PAGE_INDEX;
        header.index_page_header = &index;
        return lam_footer_edit_append_page(edit, header, junk, sizeof junk);
    case 'w':
        header.type = LAM_PAGE_DATA_V2;
        header.data_page_header_v2 = &v2;
        break;
    default:
        header.type = LAM_PAGE_DATA_V2;
        header.data_page_header_v2 = &no_v2;
        return lam_footer_edit_append_page(edit, header, junk, kind == 'n' ? 0 : sizeof junk);
    }
    return lam_footer_edit_append_page(edit, header, values, sizeof values);
}

/* A file whose one chunk has these pages; gives the offset of the last one. */
static lam_file_sample sample_of_pages(const char *kinds, int64_t *ret_last) {
    lam_file_sample sample = three_rows();
    lam_footer_edit edit;
    lam_footer_edit_begin(&edit, &sample.bytes);
    lam_meta_column *column = lam_footer_edit_column(&edit, 0, 0);
    column->statistics = NULL;
    column->has &= ~(uint32_t)LAM_META_COLUMN_HAS_ENCODING_STATS;
    column->data_page_offset = (int64_t)sample.bytes.size;
    for (size_t i = 0; kinds[i] != '\0'; i++)
        *ret_last = append_kind(&edit, kinds[i]);
    column->total_compressed_size = (int64_t)sample.bytes.size - column->data_page_offset;
    column->total_uncompressed_size = column->total_compressed_size;
    lam_footer_edit_end(&edit);
    return sample;
}

static lam_status recompress(const lam_reader *reader, const lam_writer_options *options,
                             lam_trial_output *trial, lam_error *error) {
    const lam_chunk_job job = {LAM_CHUNK_RECOMPRESSED, 0};
    lam_output output = lam_trial_output_open(trial);
    lam_writer *writer;
    cr_assert_eq(lam_writer_open(lam_reader_schema(reader), &output, options, &writer, NULL),
                 LAM_STATUS_OK);
    lam_status status = lam_writer_compose_row_group(writer, reader, 0, &job, NULL, error);
    if (status == LAM_STATUS_OK)
        status = lam_writer_finish(writer, error);
    lam_writer_close(writer);
    return status;
}

static lam_status refuse_finding(void *state, const lam_finding *finding, lam_error *error) {
    (void)state, (void)error;
    cr_assert_lt(finding->rule->severity, LAM_SEVERITY_ERROR, "%s", finding->message);
    return LAM_STATUS_OK;
}

/* The values of the one column, of which there must be three. */
static void expect_values(lam_bytes file, const char *what) {
    lam_error error = lam_error_none();
    lam_input input = lam_input_memory(file.data, file.size);
    lam_status status = lam_check(&input, NULL, refuse_finding, NULL, NULL, &error);
    cr_assert_eq(status, LAM_STATUS_OK, "%s: %s", what, error.message);
    lam_column_cursor *cursor;
    lam_triples triples;
    size_t count = 0;
    lam_reader *reader = lam_test_open_input(&input, NULL);
    cr_assert_eq(lam_reader_open_cursor(reader, 0, 0, &cursor, NULL), LAM_STATUS_OK);
    do {
        cr_assert_eq(lam_column_cursor_read(cursor, 100, &triples, NULL), LAM_STATUS_OK);
        for (size_t i = 0; i < triples.value_count; i++, count++) {
            lam_value value = lam_triples_value(&triples, lam_schema_leaf(reader->schema, 0), i);
            cr_assert_eq(value.int64, (int64_t)(1000 + count), "%s", what);
        }
    } while (triples.count > 0);
    cr_assert_eq(count, PAGE_ROWS, "%s", what);
    lam_column_cursor_destroy(cursor);
    lam_reader_close(reader);
}

Test(chunk_recompress, pages_of_any_kind_keep_their_values) {
    static const char *const kinds[] = {"v",  "w",   "ev", "fnw", "niv", "ive",
                                        "dv", "dnw", "vf", "vd",  "wd"};
    for (size_t i = 0; i < 2 * sizeof kinds / sizeof *kinds; i++) {
        int64_t last;
        const char *pages = kinds[i / 2];
        lam_file_sample sample = sample_of_pages(pages, &last);
        lam_writer_options options = lam_writer_options_default();
        lam_reader *reader = lam_file_sample_open(&sample, NULL);
        lam_error error = lam_error_none();
        lam_trial_output trial = {0};
        options.codec = LAM_CODEC_GZIP;
        options.page_crc = i % 2 == 0 ? LAM_SWITCH_ON : LAM_SWITCH_OFF;
        lam_status status = recompress(reader, &options, &trial, &error);
        cr_assert_eq(status, LAM_STATUS_OK, "%s: %s", pages, error.message);
        expect_values(lam_buffer_bytes(&trial.bytes), pages);
        lam_trial_output_free(&trial);
        lam_reader_close(reader);
        lam_file_sample_finish(&sample);
    }
}

Test(chunk_recompress, a_dictionary_that_is_not_the_first_page_is_refused_where_it_is) {
    static const char *const kinds[] = {"dd", "nd"};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        int64_t last = 0;
        lam_file_sample sample = sample_of_pages(kinds[i], &last);
        lam_reader *reader = lam_file_sample_open(&sample, NULL);
        lam_error error = lam_error_none();
        lam_trial_output trial = {0};
        cr_assert_eq(recompress(reader, NULL, &trial, &error), LAM_STATUS_CORRUPT, "%s", kinds[i]);
        cr_expect_eq(error.code, LAM_ERROR_CODE_DICTIONARY_PLACE);
        cr_expect_eq(error.offset, last);
        cr_expect_eq(error.row_group, 0);
        cr_expect_eq(error.column, 0);
        lam_trial_output_free(&trial);
        lam_reader_close(reader);
        lam_file_sample_finish(&sample);
    }
}

/* Numbers of codecs are those of the format: 3 is LZO. */
Test(chunk_recompress, codecs_that_are_not_there_are_refused) {
    static const int32_t codecs[] = {-1, 3, 8, INT32_MAX};
    for (size_t i = 0; i < sizeof codecs / sizeof *codecs; i++) {
        int64_t last;
        lam_file_sample sample = sample_of_pages("v", &last);
        lam_error error = lam_error_none();
        lam_trial_output trial = {0};
        lam_footer_edit edit;
        lam_footer_edit_begin(&edit, &sample.bytes);
        lam_footer_edit_column(&edit, 0, 0)->codec = codecs[i];
        lam_footer_edit_end(&edit);
        lam_reader *reader = lam_file_sample_open(&sample, NULL);
        cr_assert_eq(recompress(reader, NULL, &trial, &error), LAM_STATUS_UNSUPPORTED);
        cr_expect_eq(error.code, LAM_ERROR_CODE_UNSUPPORTED_CODEC, "codec %d", (int)codecs[i]);
        lam_trial_output_free(&trial);
        lam_reader_close(reader);
        lam_file_sample_finish(&sample);
    }
}

/* One page of 160 kB, more than what is read ahead. */
static lam_file_sample one_long_page(void) {
    static uint8_t values[8 * LONG_ROWS];
    const lam_meta_data_page_header v1 = {.num_values = LONG_ROWS};
    const lam_meta_page_header header = {.type = LAM_PAGE_DATA, .data_page_header = &v1};
    lam_file_sample sample = three_rows();
    lam_footer_edit edit;
    put_values(values, LONG_ROWS);
    lam_footer_edit_begin(&edit, &sample.bytes);
    lam_meta_column *column = lam_footer_edit_column(&edit, 0, 0);
    lam_meta_row_group *group = (lam_meta_row_group *)(uintptr_t)edit.meta.row_groups.items;
    column->data_page_offset = lam_footer_edit_append_page(&edit, header, values, sizeof values);
    column->total_compressed_size = (int64_t)sample.bytes.size - column->data_page_offset;
    column->num_values = group->num_rows = edit.meta.num_rows = LONG_ROWS;
    lam_footer_edit_end(&edit);
    return sample;
}

Test(chunk_recompress, a_page_above_the_memory_limit_is_above_the_limit) {
    lam_reader_options reading = lam_reader_options_default();
    lam_file_sample sample = one_long_page();
    lam_error error = lam_error_none();
    lam_trial_output trial = {0};
    reading.memory_limit = 4 * LONG_ROWS;
    lam_reader *reader = lam_file_sample_open(&sample, &reading);
    cr_assert_eq(recompress(reader, NULL, &trial, &error), LAM_STATUS_LIMIT);
    cr_expect_eq(error.code, LAM_ERROR_CODE_MEMORY_LIMIT);
    lam_trial_output_free(&trial);
    lam_reader_close(reader);
    lam_file_sample_finish(&sample);
}

Test(chunk_recompress, each_read_that_fails_ends_it) {
    lam_file_sample sample = one_long_page();
    lam_status status = LAM_STATUS_IO;
    size_t failures = 0;
    for (size_t fail_at = 1; status != LAM_STATUS_OK; fail_at++) {
        lam_ending_input ending = {.file = lam_buffer_bytes(&sample.bytes)};
        lam_input input = lam_ending_input_of(&ending);
        lam_trial_output trial = {0};
        lam_error error = lam_error_none();
        lam_reader *reader = lam_test_open_input(&input, NULL);
        lam_ending_input_again(&ending, fail_at, 0);
        status = recompress(reader, NULL, &trial, &error);
        if (status != LAM_STATUS_OK) {
            cr_assert_eq(status, LAM_STATUS_IO);
            cr_assert_str_eq(error.message, LAM_ENDING_MESSAGE);
            failures++;
        }
        lam_reader_close(reader);
        lam_trial_output_free(&trial);
    }
    cr_assert_gt(failures, 1);
    lam_file_sample_finish(&sample);
}
