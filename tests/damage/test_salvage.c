/* SPDX-License-Identifier: Apache-2.0 */
/* What is left of damaged files: what is reported and written, and clean ends without memory. */
#include <criterion/criterion.h>
#include <lamella/check.h>
#include <lamella/column.h>
#include <lamella/recover.h>
#include <lamella/salvage.h>
#include <string.h>

#include "damage/salvage_rest.h"
#include "file/file_sample.h"
#include "file/footer_edit.h"
#include "file/read/file_reader.h"
#include "meta/compact.h"
#include "support/ending_input.h"
#include "support/failing_alloc.h"

enum { SALVAGE_RECORDS = 300 };

static const char salvage_shape[] =
    "message m { required int64 a; optional binary s; optional group o {"
    "            required int32 p; optional double q; } repeated group g { required int32 x;"
    "            optional double y; } }";

typedef struct salvage_trial {
    lam_file_sample sample;
    lam_input input;
    lam_reader *reader;
    lam_salvage *salvage;
    lam_salvage_report report;
} salvage_trial;

static void write_trial_of(salvage_trial *trial, const char *shape, int32_t version) {
    lam_random random = lam_random_start(lam_test_seed(21));
    lam_writer_options options = lam_writer_options_default();
    options.page_rows = 20;
    options.data_page_version = version;
    memset(trial, 0, sizeof *trial);
    lam_file_sample_init(&trial->sample, lam_test_schema(shape), SALVAGE_RECORDS, 70, &random);
    lam_file_sample_write(&trial->sample, &options, NULL);
}

static void write_trial(salvage_trial *trial, int32_t version) {
    write_trial_of(trial, salvage_shape, version);
}

static lam_status try_open(salvage_trial *trial, lam_salvage_manner manner,
                           const lam_allocator *allocator) {
    lam_salvage_options options = lam_salvage_options_default();
    options.manner = manner;
    options.allocator = allocator;
    trial->report = lam_salvage_report_default();
    lam_status status = lam_salvage_open(trial->reader, &options, &trial->salvage, NULL);
    if (status == LAM_STATUS_OK)
        status = lam_salvage_report_of(trial->salvage, &trial->report, NULL);
    return status;
}

static void open_trial(salvage_trial *trial, lam_salvage_manner manner) {
    trial->reader = lam_file_sample_open(&trial->sample, NULL);
    cr_assert_eq(try_open(trial, manner, NULL), LAM_STATUS_OK);
}

static void close_trial(salvage_trial *trial) {
    lam_salvage_close(trial->salvage);
    lam_reader_close(trial->reader);
    trial->salvage = NULL;
}

/* --- Files that are cut ---------------------------------------------------------------------- */

/* Salvages the first `size` bytes; gives the rows that each leaf has, in all. */
static uint64_t salvage_prefix(salvage_trial *trial, const lam_reader *whole, size_t size,
                               bool keeps_cut) {
    lam_recover_options options = lam_recover_options_default();
    lam_recovery found = lam_recovery_default();
    uint64_t rows = 0;
    options.like = whole;
    options.keeps_cut = keeps_cut;
    trial->input = lam_input_memory(trial->sample.bytes.data, size);
    lam_status status =
        lam_reader_open_unfinished(&trial->input, &options, &trial->reader, &found, NULL);
    if (status == LAM_STATUS_CORRUPT) /* not one row group is whole */
        return 0;
    cr_assert(status == LAM_STATUS_OK, "%zu bytes: %d", size, (int)status);
    cr_assert_eq(try_open(trial, LAM_SALVAGE_OPTIONAL, NULL), LAM_STATUS_OK);
    cr_assert_eq(trial->report.row_count, found.rows);
    if (found.is_cut)
        cr_assert(keeps_cut && !found.is_complete);
    for (size_t g = 0; g < lam_reader_row_group_count(trial->reader); g++)
        for (size_t leaf = 0; leaf < 6; leaf++)
            rows += lam_test_compare_chunk(lam_salvage_reader(trial->salvage), whole, g, leaf);
    cr_assert_eq(rows, trial->report.cells - trial->report.cells_lost, "%zu bytes", size);
    if (trial->report.row_count > trial->report.rows_left_out)
        cr_assert_eq(lam_test_write_rest(trial->salvage),
                     trial->report.row_count - trial->report.rows_left_out);
    close_trial(trial);
    return rows;
}

/* The rows of all leaves whose last page lies in the first `size` bytes. */
static uint64_t rows_in_prefix(const lam_reader *whole, size_t size) {
    uint64_t rows = 0;
    for (size_t i = 0; i < 6 * lam_reader_row_group_count(whole); i++) {
        lam_page_list *list;
        lam_page_info page = lam_page_info_default();
        bool more = true;
        cr_assert_eq(lam_page_list_open(whole, i / 6, i % 6, &list, NULL), LAM_STATUS_OK);
        while (lam_page_list_next(list, &page, &more, NULL) == LAM_STATUS_OK && more)
            if (page.type != LAM_PAGE_DICTIONARY &&
                (size_t)page.offset + page.header_size + (size_t)page.compressed_size <= size)
                rows += page.row_count > 0 ? (uint64_t)page.row_count : 0;
        lam_page_list_close(list);
    }
    return rows;
}

/* Of a row group that was cut, nothing came back. */
Test(salvage, every_whole_page_of_a_cut_file_comes_back) {
    for (int version = 1; version <= 2; version++) {
        salvage_trial trial;
        uint64_t before = 0, with_cut = 0, without = 0, there = 0;
        write_trial(&trial, version);
        lam_reader *whole = lam_file_sample_open(&trial.sample, NULL);
        for (size_t size = 4; size < trial.sample.bytes.size - 1; size += 97) {
            uint64_t rows = salvage_prefix(&trial, whole, size, true);
            cr_assert_geq(rows, before, "%zu bytes", size);
            before = rows;
            with_cut += rows;
            without += salvage_prefix(&trial, whole, size, false);
            there += rows_in_prefix(whole, size);
        }
        cr_assert_gt(with_cut, without);
        if (version == 2)
            cr_assert_geq(with_cut, there / 100 * 98);
        lam_reader_close(whole);
        lam_file_sample_finish(&trial.sample);
    }
}

/* Turns over some bits of each page header of a file without footer in turn; gives all rows. */
static uint64_t salvage_flipped_headers(salvage_trial *trial, const lam_reader *whole,
                                        size_t *ret_flips) {
    lam_random random = lam_random_start(lam_test_seed(31));
    uint64_t rows = 0;
    *ret_flips = 0;
    for (size_t i = 0; i < 6 * lam_reader_row_group_count(whole); i++) {
        lam_page_list *list;
        lam_page_info page = lam_page_info_default();
        bool more = true;
        cr_assert_eq(lam_page_list_open(whole, i / 6, i % 6, &list, NULL), LAM_STATUS_OK);
        while (lam_page_list_next(list, &page, &more, NULL) == LAM_STATUS_OK && more) {
            size_t bit = (size_t)lam_random_below(&random, 8 * (uint64_t)page.header_size);
            uint8_t *byte = &trial->sample.bytes.data[(size_t)page.offset + bit / 8];
            *byte ^= (uint8_t)(1u << bit % 8);
            rows += salvage_prefix(trial, whole, trial->sample.bytes.size - 1, true);
            *byte ^= (uint8_t)(1u << bit % 8);
            *ret_flips += 1;
        }
        lam_page_list_close(list);
    }
    return rows;
}

/*
 * A header that could not be read ended what came back of a file without footer, and one that
 * counted two triples too many gave two rows of nulls that there were not.
 */
Test(salvage, page_headers_with_one_wrong_bit_are_repaired_without_a_footer) {
    for (int version = 1; version <= 2; version++) {
        salvage_trial trial, original;
        size_t flips;
        write_trial(&trial, version);
        write_trial(&original, version);
        lam_reader *whole = lam_file_sample_open(&original.sample, NULL);
        uint64_t all = salvage_prefix(&trial, whole, trial.sample.bytes.size - 1, true);
        uint64_t rows = salvage_flipped_headers(&trial, whole, &flips);
        cr_assert_gt(rows, all * flips / 100 * 80, "version %d: %.2f %%", version,
                     100.0 * (double)rows / (double)(all * flips));
        lam_reader_close(whole);
        lam_file_sample_finish(&trial.sample);
        lam_file_sample_finish(&original.sample);
    }
}

/* --- Tests ----------------------------------------------------------------------------------- */

Test(salvage, of_a_whole_file_nothing_is_lost) {
    salvage_trial trial;
    lam_salvage_loss loss = lam_salvage_loss_default();
    lam_salvage_rows rows = lam_salvage_rows_default();
    write_trial(&trial, 1);
    open_trial(&trial, LAM_SALVAGE_DEFAULT);
    cr_assert_eq(trial.report.row_count, SALVAGE_RECORDS);
    cr_assert_eq(trial.report.cells, 6 * SALVAGE_RECORDS);
    cr_assert_eq(trial.report.cells_lost, 0);
    cr_assert_eq(lam_salvage_loss_at(trial.salvage, 0, &loss, NULL), LAM_STATUS_NOT_FOUND);
    cr_assert_eq(lam_salvage_rows_at(trial.salvage, 0, &rows, NULL), LAM_STATUS_OK);
    cr_assert_eq(rows.row_count, SALVAGE_RECORDS);
    cr_assert_eq(lam_salvage_rows_at(trial.salvage, 1, &rows, NULL), LAM_STATUS_NOT_FOUND);
    cr_assert_eq(lam_test_write_rest(trial.salvage), SALVAGE_RECORDS);
    close_trial(&trial);
    lam_file_sample_finish(&trial.sample);
}

Test(salvage, an_optional_leaf_is_null_in_the_rows_of_its_damaged_page) {
    salvage_trial trial;
    lam_salvage_loss loss = lam_salvage_loss_default();
    write_trial(&trial, 1);
    lam_test_damage_page(&trial.sample.bytes, 1, 3);
    open_trial(&trial, LAM_SALVAGE_DEFAULT);
    cr_assert_eq(lam_salvage_loss_at(trial.salvage, 0, &loss, NULL), LAM_STATUS_OK);
    cr_assert_eq(loss.leaf_index, 1);
    cr_assert_eq(loss.first_row, 60);
    cr_assert_eq(loss.row_count, 20);
    cr_assert_eq(loss.page_count, 1);
    cr_assert_eq(loss.code, LAM_ERROR_CODE_PAGE_CRC);
    cr_assert_eq(lam_salvage_loss_at(trial.salvage, 1, &loss, NULL), LAM_STATUS_NOT_FOUND);
    cr_assert_eq(trial.report.cells_lost, 20);
    cr_assert_eq(trial.report.cells_given_up, 0);
    cr_assert_eq(lam_test_write_rest(trial.salvage), SALVAGE_RECORDS);
    close_trial(&trial);
    lam_file_sample_finish(&trial.sample);
}

Test(salvage, a_required_leaf_takes_the_optional_group_around_it_along) {
    salvage_trial trial;
    write_trial(&trial, 1);
    lam_test_damage_page(&trial.sample.bytes, 2, 0);
    open_trial(&trial, LAM_SALVAGE_DEFAULT);
    cr_assert_eq(trial.report.cells_lost, 20);
    cr_assert_eq(trial.report.cells_given_up, 20); /* those of its sibling */
    cr_assert_eq(trial.report.rows_left_out, 0);
    cr_assert_eq(lam_test_write_rest(trial.salvage), SALVAGE_RECORDS);
    close_trial(&trial);
    lam_file_sample_finish(&trial.sample);
}

Test(salvage, rows_that_cannot_be_null_are_left_out_or_their_field_becomes_optional) {
    static const size_t leaves[] = {0, 4}; /* a, and x in a repeated group */
    for (size_t i = 0; i < 2; i++) {
        salvage_trial trial;
        write_trial(&trial, 1);
        lam_test_damage_page(&trial.sample.bytes, leaves[i], 2);
        open_trial(&trial, LAM_SALVAGE_DEFAULT);
        cr_assert_eq(trial.report.rows_left_out, 20);
        cr_assert_eq(lam_test_write_rest(trial.salvage), SALVAGE_RECORDS - 20);
        close_trial(&trial);
        open_trial(&trial, LAM_SALVAGE_OPTIONAL);
        cr_assert_eq(trial.report.rows_left_out, 0);
        const lam_field *leaf = lam_schema_leaf(lam_salvage_schema(trial.salvage), leaves[i]);
        cr_assert_eq(lam_field_repetition(leaf), LAM_REPETITION_OPTIONAL);
        cr_assert_eq(lam_test_write_rest(trial.salvage), SALVAGE_RECORDS);
        close_trial(&trial);
        lam_file_sample_finish(&trial.sample);
    }
}

Test(salvage, a_repeated_group_is_never_made_empty) {
    salvage_trial trial;
    write_trial(&trial, 1);
    lam_test_damage_page(&trial.sample.bytes, 4, 5);
    lam_test_damage_page(&trial.sample.bytes, 5, 5);
    open_trial(&trial, LAM_SALVAGE_OPTIONAL);
    cr_assert_eq(trial.report.rows_left_out, 20);
    cr_assert_eq(lam_test_write_rest(trial.salvage), SALVAGE_RECORDS - 20);
    close_trial(&trial);
    lam_file_sample_finish(&trial.sample);
}

/*
 * Footers have no checksum: an offset that was wrong led into a value that held pages, and these
 * were given.
 */
Test(salvage, chunks_that_share_bytes_are_lost_as_nothing_says_whose_they_are) {
    static const int64_t shifts[] = {-20, 20};
    for (size_t i = 0; i < 2; i++) {
        salvage_trial trial;
        lam_footer_edit edit;
        lam_salvage_loss loss = lam_salvage_loss_default();
        write_trial(&trial, 1);
        lam_footer_edit_begin(&edit, &trial.sample.bytes);
        lam_meta_column *column = lam_footer_edit_column(&edit, 0, 2);
        column->has &= ~(uint32_t)LAM_META_COLUMN_HAS_DICTIONARY_PAGE_OFFSET;
        column->data_page_offset += shifts[i];
        lam_footer_edit_end(&edit);
        open_trial(&trial, LAM_SALVAGE_OPTIONAL);
        for (size_t k = 0; k < 2; k++) {
            cr_assert_eq(lam_salvage_loss_at(trial.salvage, k, &loss, NULL), LAM_STATUS_OK);
            cr_assert_eq(loss.leaf_index, 1 + k + i);
            cr_assert_eq(loss.row_count, SALVAGE_RECORDS);
            cr_assert_eq(loss.code, LAM_ERROR_CODE_CHUNK_RANGE);
        }
        cr_assert_eq(lam_salvage_loss_at(trial.salvage, 2, &loss, NULL), LAM_STATUS_NOT_FOUND);
        cr_assert_eq(trial.report.cells_lost, 2 * SALVAGE_RECORDS);
        close_trial(&trial);
        lam_file_sample_finish(&trial.sample);
    }
}

/* A first page that the footer passed over was missed by nobody, and its last value was read. */
Test(salvage, a_chunk_that_begins_in_the_midst_of_a_page_is_lost) {
    salvage_trial trial;
    lam_footer_edit edit;
    lam_salvage_loss loss = lam_salvage_loss_default();
    write_trial(&trial, 1);
    lam_footer_edit_begin(&edit, &trial.sample.bytes);
    lam_meta_column *column = lam_footer_edit_column(&edit, 0, 0);
    column->has &= ~(uint32_t)LAM_META_COLUMN_HAS_DICTIONARY_PAGE_OFFSET;
    column->data_page_offset = 4 + 20;
    column->total_compressed_size -= 20;
    lam_footer_edit_end(&edit);
    open_trial(&trial, LAM_SALVAGE_OPTIONAL);
    cr_assert_eq(lam_salvage_loss_at(trial.salvage, 0, &loss, NULL), LAM_STATUS_OK);
    cr_assert_eq(loss.leaf_index, 0);
    cr_assert_eq(loss.row_count, SALVAGE_RECORDS);
    cr_assert_eq(loss.code, LAM_ERROR_CODE_CHUNK_RANGE);
    cr_assert_eq(loss.offset, 4);
    cr_assert_eq(lam_salvage_loss_at(trial.salvage, 1, &loss, NULL), LAM_STATUS_NOT_FOUND);
    close_trial(&trial);
    lam_file_sample_finish(&trial.sample);
}

/* A footer without row groups left nothing to lose. */
Test(salvage, rows_that_the_footer_counts_and_no_row_group_has_are_reported) {
    for (int64_t more = -1; more <= 6; more += 7) {
        salvage_trial trial;
        lam_footer_edit edit;
        write_trial(&trial, 1);
        lam_footer_edit_begin(&edit, &trial.sample.bytes);
        edit.meta.num_rows += more;
        lam_footer_edit_end(&edit);
        open_trial(&trial, LAM_SALVAGE_DEFAULT);
        cr_expect_eq(trial.report.rows_unknown, more > 0 ? (uint64_t)more : 0);
        cr_expect_eq(trial.report.cells_lost, 0);
        close_trial(&trial);
        lam_file_sample_finish(&trial.sample);
    }
}

Test(salvage, rows_that_have_lost_anything_are_left_out_on_request) {
    salvage_trial trial;
    write_trial(&trial, 1);
    lam_test_damage_page(&trial.sample.bytes, 1, 0);
    lam_test_damage_page(&trial.sample.bytes, 5, 9);
    open_trial(&trial, LAM_SALVAGE_LEAVE_OUT);
    cr_assert_eq(trial.report.rows_left_out, 40);
    cr_assert_eq(trial.report.cells_given_up, 200);
    cr_assert_eq(lam_test_write_rest(trial.salvage), SALVAGE_RECORDS - 40);
    close_trial(&trial);
    lam_file_sample_finish(&trial.sample);
}

Test(salvage, its_reader_fails_at_lost_rows) {
    salvage_trial trial;
    lam_column_reader *column;
    lam_triples triples = {.count = 1};
    lam_status status = LAM_STATUS_OK;
    size_t rows = 0;
    write_trial(&trial, 1);
    lam_test_damage_page(&trial.sample.bytes, 0, 3);
    open_trial(&trial, LAM_SALVAGE_DEFAULT);
    cr_assert_eq(lam_column_reader_open(lam_salvage_reader(trial.salvage), 0, 0, &column, NULL),
                 LAM_STATUS_OK);
    while (status == LAM_STATUS_OK && triples.count > 0) {
        status = lam_column_reader_read(column, SIZE_MAX, &triples, NULL);
        rows += status == LAM_STATUS_OK ? triples.count : 0;
    }
    cr_assert_eq(status, LAM_STATUS_CORRUPT);
    cr_assert_eq(rows, 60);
    lam_column_reader_close(column);
    close_trial(&trial);
    lam_file_sample_finish(&trial.sample);
}

Test(salvage, a_writer_of_another_schema_is_refused) {
    salvage_trial trial;
    lam_test_writer file = lam_test_write("message m { required int64 a; }", NULL);
    write_trial(&trial, 1);
    open_trial(&trial, LAM_SALVAGE_DEFAULT);
    cr_assert_eq(lam_salvage_write(trial.salvage, file.writer, NULL), LAM_STATUS_INVALID);
    lam_test_drop(&file);
    close_trial(&trial);
    lam_file_sample_finish(&trial.sample);
}

static lam_status try_write(const salvage_trial *trial) {
    lam_test_writer file = lam_test_write_as(lam_salvage_schema(trial->salvage), NULL);
    lam_status status = lam_salvage_write(trial->salvage, file.writer, NULL);
    lam_test_drop(&file);
    return status;
}

Test(salvage, memory_may_run_out_anywhere) {
    salvage_trial trial;
    lam_status status = LAM_STATUS_NOMEM;
    write_trial(&trial, 1);
    lam_test_damage_page(&trial.sample.bytes, 0, 3);
    lam_test_damage_page(&trial.sample.bytes, 2, 4);
    lam_test_damage_page(&trial.sample.bytes, 4, 5);
    for (size_t page = 6; page < 8; page++)
        lam_test_damage_page(&trial.sample.bytes, 1, page);
    for (size_t i = 1; status == LAM_STATUS_NOMEM; i++) {
        lam_failing_alloc counter = {.fail_at = i};
        lam_allocator allocator = lam_failing_allocator(&counter);
        lam_reader_options options = lam_reader_options_default();
        options.allocator = &allocator;
        lam_input input = lam_input_memory(trial.sample.bytes.data, trial.sample.bytes.size);
        trial.salvage = NULL;
        trial.reader = NULL;
        status = lam_reader_open(&input, &options, &trial.reader, NULL);
        if (status == LAM_STATUS_OK)
            status = try_open(&trial, LAM_SALVAGE_OPTIONAL, NULL);
        if (status == LAM_STATUS_OK)
            status = try_write(&trial);
        cr_assert(status == LAM_STATUS_OK || status == LAM_STATUS_NOMEM);
        cr_assert(status != LAM_STATUS_OK || trial.report.cells_lost == 100);
        close_trial(&trial);
        cr_assert_eq(counter.live_bytes, 0);
        cr_assert_eq(counter.wrong_sizes, 0);
    }
    lam_file_sample_finish(&trial.sample);
}

/* The optional group is null where its required leaf is lost, with all that is inside. */
Test(salvage, a_group_that_is_null_takes_a_leaf_along_that_was_null_alone) {
    salvage_trial trial;
    lam_failing_alloc counter = {0};
    lam_allocator allocator = lam_failing_allocator(&counter);
    write_trial_of(&trial,
                   "message m { required int64 a; optional group o { optional int32 p;"
                   " required int32 q; required int32 r; } }",
                   1);
    lam_test_damage_page(&trial.sample.bytes, 1, 2);
    lam_test_damage_page(&trial.sample.bytes, 2, 2);
    trial.reader = lam_file_sample_open(&trial.sample, NULL);
    cr_assert_eq(try_open(&trial, LAM_SALVAGE_DEFAULT, &allocator), LAM_STATUS_OK);
    cr_assert_gt(counter.live_bytes, 0); /* not the reader's */
    cr_assert_eq(trial.report.cells_lost, 40);
    cr_assert_eq(trial.report.cells_given_up, 20); /* r is whole */
    cr_assert_eq(trial.report.rows_left_out, 0);
    cr_assert_eq(lam_test_write_rest(trial.salvage), SALVAGE_RECORDS);
    close_trial(&trial);
    cr_assert_eq(counter.live_bytes, 0);
    lam_file_sample_finish(&trial.sample);
}

Test(salvage, an_output_that_fails_ends_what_is_written) {
    salvage_trial trial;
    lam_status status = LAM_STATUS_IO;
    write_trial(&trial, 1);
    lam_test_damage_page(&trial.sample.bytes, 1, 0);
    open_trial(&trial, LAM_SALVAGE_DEFAULT);
    for (size_t n = 1; status != LAM_STATUS_OK; n++) {
        lam_trial_output out = {.fail_at_write = n};
        lam_output output = lam_trial_output_open(&out);
        lam_writer_options options = lam_writer_options_default();
        lam_writer *writer;
        lam_error error = lam_error_none();
        options.row_group_rows = 40;
        status =
            lam_writer_open(lam_salvage_schema(trial.salvage), &output, &options, &writer, &error);
        if (status == LAM_STATUS_OK) {
            status = lam_salvage_write(trial.salvage, writer, &error);
            if (status == LAM_STATUS_OK)
                status = lam_writer_finish(writer, &error);
            lam_writer_close(writer);
        } else {
            lam_output_close(&output);
        }
        cr_assert(status == LAM_STATUS_OK || status == LAM_STATUS_IO, "write %zu", n);
        cr_assert_eq(status == LAM_STATUS_OK, out.finished);
        lam_trial_output_free(&out);
    }
    close_trial(&trial);
    lam_file_sample_finish(&trial.sample);
}

/* Pages are found through the offset index, if it can be read. */
Test(salvage, a_damaged_offset_index_is_done_without_and_a_failed_read_is_not) {
    salvage_trial trial;
    write_trial(&trial, 1);
    open_trial(&trial, LAM_SALVAGE_DEFAULT);
    lam_meta_column_chunk chunk;
    lam_arena arena = lam_reader_chunk_arena(trial.reader);
    cr_assert_eq(lam_meta_read_column_chunk(&trial.reader->footer.meta, 0, 1, &arena, &chunk, NULL),
                 LAM_STATUS_OK);
    memset(trial.sample.bytes.data + chunk.offset_index_offset, 0xFF,
           (size_t)chunk.offset_index_length);
    lam_arena_finish(&arena);
    close_trial(&trial);
    open_trial(&trial, LAM_SALVAGE_DEFAULT);
    cr_expect_eq(trial.report.cells_lost, 0);
    cr_expect_eq(lam_test_write_rest(trial.salvage), SALVAGE_RECORDS);
    close_trial(&trial);
    lam_status status = LAM_STATUS_IO;
    for (size_t nth = 1; status == LAM_STATUS_IO; nth++) {
        lam_ending_input file = {.file = lam_buffer_bytes(&trial.sample.bytes)};
        lam_input input = lam_ending_input_of(&file);
        cr_assert_eq(lam_reader_open(&input, NULL, &trial.reader, NULL), LAM_STATUS_OK);
        lam_ending_input_again(&file, nth, 0);
        status = try_open(&trial, LAM_SALVAGE_DEFAULT, NULL);
        cr_assert(status == LAM_STATUS_OK || status == LAM_STATUS_IO, "read %zu: %d", nth,
                  (int)status);
        if (status == LAM_STATUS_OK)
            lam_salvage_close(trial.salvage);
        trial.salvage = NULL;
        lam_reader_close(trial.reader);
    }
    lam_file_sample_finish(&trial.sample);
}

Test(salvage, calls_without_what_they_need_say_what_is_missing) {
    salvage_trial trial;
    lam_salvage_options options = lam_salvage_options_default();
    lam_salvage_loss loss = lam_salvage_loss_default();
    lam_salvage_rows rows = lam_salvage_rows_default();
    lam_salvage_report report = lam_salvage_report_default();
    lam_error error = lam_error_none();
    lam_salvage *none = NULL;
    write_trial(&trial, 1);
    open_trial(&trial, LAM_SALVAGE_DEFAULT);
    cr_expect_eq(lam_salvage_open(NULL, &options, &none, &error), LAM_STATUS_INVALID);
    cr_expect_str_eq(error.message, "no reader (NULL)");
    options.manner = (lam_salvage_manner)9;
    cr_expect_eq(lam_salvage_open(trial.reader, &options, &none, &error), LAM_STATUS_INVALID);
    cr_expect_str_eq(error.message, "unknown manner 9");
    options.struct_size = loss.struct_size = rows.struct_size = report.struct_size = 1;
    cr_expect_eq(lam_salvage_open(trial.reader, &options, &none, NULL), LAM_STATUS_INVALID);
    cr_expect_null(none);
    cr_expect_eq(lam_salvage_loss_at(trial.salvage, 0, &loss, NULL), LAM_STATUS_INVALID);
    cr_expect_eq(lam_salvage_rows_at(trial.salvage, 0, &rows, NULL), LAM_STATUS_INVALID);
    cr_expect_eq(lam_salvage_report_of(trial.salvage, &report, NULL), LAM_STATUS_INVALID);
    cr_expect_eq(lam_salvage_write(trial.salvage, NULL, &error), LAM_STATUS_INVALID);
    cr_expect_str_eq(error.message, "no salvage, or no writer (NULL)");
    cr_expect_eq(lam_salvage_write(NULL, NULL, NULL), LAM_STATUS_INVALID);
    close_trial(&trial);
    lam_file_sample_finish(&trial.sample);
}

/* Without options the allocator is the reader's, and a stop ends what is written. */
Test(salvage, a_stop_ends_what_is_written) {
    salvage_trial trial;
    lam_stop stop = {0};
    lam_salvage_options options = lam_salvage_options_default();
    write_trial(&trial, 1);
    trial.reader = lam_file_sample_open(&trial.sample, NULL);
    cr_assert_eq(lam_salvage_open(trial.reader, NULL, &trial.salvage, NULL), LAM_STATUS_OK);
    lam_salvage_close(trial.salvage);
    options.stop = &stop;
    cr_assert_eq(lam_salvage_open(trial.reader, &options, &trial.salvage, NULL), LAM_STATUS_OK);
    lam_test_writer file = lam_test_write_as(lam_salvage_schema(trial.salvage), NULL);
    lam_stop_request(&stop);
    cr_assert_eq(lam_salvage_write(trial.salvage, file.writer, NULL), LAM_STATUS_CANCELLED);
    cr_assert_not(file.trial->finished);
    lam_test_drop(&file);
    close_trial(&trial);
    lam_file_sample_finish(&trial.sample);
}

/* The key of a MAP stays required, so that the map around it is null. (LogicalTypes.md, "Maps") */
Test(salvage, the_key_of_a_map_never_becomes_optional) {
    lam_random random = lam_random_start(lam_test_seed(22));
    salvage_trial trial;
    memset(&trial, 0, sizeof trial);
    lam_file_sample_init(&trial.sample,
                         lam_test_schema("message m { required int64 a; required group o (MAP) {"
                                         " repeated group key_value { required int64 key;"
                                         " required int64 value; } } }"),
                         50, 70, &random);
    lam_file_sample_write(&trial.sample, NULL, NULL);
    lam_test_damage_page(&trial.sample.bytes, 1, 0);
    open_trial(&trial, LAM_SALVAGE_OPTIONAL);
    const lam_field *key = lam_schema_leaf(lam_salvage_schema(trial.salvage), 1);
    cr_assert_eq(lam_field_repetition(key), LAM_REPETITION_REQUIRED);
    cr_assert_eq(trial.report.cells_lost, 50);
    close_trial(&trial);
    lam_file_sample_finish(&trial.sample);
}
