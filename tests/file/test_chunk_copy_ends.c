/* SPDX-License-Identifier: Apache-2.0 */
/* Copies of column chunks end cleanly wherever memory, a read, a write or the caller ends them. */
#include <criterion/criterion.h>
#include <lamella/stop.h>

#include "file/copied_sample.h"
#include "file/copy/chunk_copy.h"
#include "file/read/file_reader.h"
#include "support/ending_input.h"
#include "support/failing_alloc.h"

static const lam_chunk_manner manners[] = {LAM_CHUNK_COPIED, LAM_CHUNK_RECOMPRESSED};

Test(chunk_copy_ends, each_request_for_memory_that_fails_ends_the_copy) {
    lam_file_sample sample = lam_copied_sample(NULL);
    for (size_t i = 0; i < 4; i++) {
        lam_status status = LAM_STATUS_NOMEM;
        size_t failures = 0;
        for (size_t fail_at = 1; status != LAM_STATUS_OK; fail_at++) {
            lam_failing_alloc counter = {0};
            lam_allocator allocator = lam_failing_allocator(&counter);
            lam_writer_options writing = lam_writer_options_default();
            lam_reader_options reading = lam_reader_options_default();
            lam_trial_output trial = {0};
            lam_error error = lam_error_none();
            writing.allocator = reading.allocator = &allocator;
            writing.codec = LAM_CODEC_GZIP;
            lam_reader *reader = lam_file_sample_open(&sample, &reading);
            reader->input.borrow = NULL;
            counter.fail_at = counter.requests + fail_at;
            status = lam_copied_write(reader, manners[i % 2], &writing, NULL, &trial,
                                      i < 2 ? &error : NULL);
            cr_assert(status == LAM_STATUS_OK || status == LAM_STATUS_NOMEM, "%s", error.message);
            cr_assert(i >= 2 || (status == LAM_STATUS_OK) == (error.message[0] == '\0'));
            failures += status != LAM_STATUS_OK;
            lam_reader_close(reader);
            lam_trial_output_free(&trial);
            cr_assert_eq(counter.live_bytes, 0, "request %zu", fail_at);
            cr_assert_eq(counter.wrong_sizes, 0);
        }
        cr_assert_gt(failures, 10);
    }
    lam_file_sample_finish(&sample);
}

Test(chunk_copy_ends, a_caller_that_wants_no_message_gets_the_status) {
    lam_file_sample sample = lam_copied_sample(NULL);
    lam_failing_alloc counter = {0};
    lam_allocator allocator = lam_failing_allocator(&counter);
    lam_writer_options writing = lam_writer_options_default();
    lam_reader *reader = lam_file_sample_open(&sample, NULL);
    lam_arena arena = lam_reader_chunk_arena(reader);
    lam_trial_output trial = {0};
    lam_output output = lam_trial_output_open(&trial);
    lam_status status = LAM_STATUS_NOMEM;
    const int64_t shift = 0;
    lam_writer *writer;
    lam_chunk_copy copy;
    lam_chunk_source source;
    size_t failures = 0;
    writing.allocator = &allocator;
    cr_assert_eq(lam_writer_open(sample.schema, &output, &writing, &writer, NULL), LAM_STATUS_OK);
    lam_chunk_copy_init(&copy, writer, reader);
    cr_assert_eq(
        lam_chunk_copy_find(&copy, 0, lam_schema_leaf(sample.schema, 0), &arena, &source, NULL),
        LAM_STATUS_OK);
    for (size_t fail_at = 1; status != LAM_STATUS_OK; fail_at++) {
        lam_meta_column_chunk chunk = {0};
        counter.fail_at = counter.requests + fail_at;
        status = lam_chunk_copy_indexes(&copy, &source, &shift, &chunk, NULL);
        cr_assert(status == LAM_STATUS_OK || status == LAM_STATUS_NOMEM);
        failures += status != LAM_STATUS_OK;
    }
    cr_assert_gt(failures, 0);
    lam_chunk_copy_finish(&copy);
    lam_writer_close(writer);
    lam_arena_finish(&arena);
    lam_reader_close(reader);
    cr_assert_eq(counter.live_bytes, 0);
    lam_trial_output_free(&trial);
    lam_file_sample_finish(&sample);
}

/* Copies what an input reads that fails, or stops, at one of its reads. */
static lam_status copy_ending(const lam_file_sample *sample, lam_chunk_manner manner,
                              size_t fail_at, size_t stop_at, size_t *ret_reads, lam_error *error) {
    lam_ending_input ending = {.file = lam_buffer_bytes(&sample->bytes)};
    lam_reader_options reading = lam_reader_options_default();
    lam_input input = lam_ending_input_of(&ending);
    lam_trial_output trial = {0};
    reading.stop = &ending.stop;
    lam_reader *reader = lam_test_open_input(&input, &reading);
    lam_ending_input_again(&ending, fail_at, stop_at);
    *error = lam_error_none();
    lam_status status = lam_copied_write(reader, manner, NULL, NULL, &trial, error);
    *ret_reads = ending.reads;
    lam_reader_close(reader);
    lam_trial_output_free(&trial);
    return status;
}

Test(chunk_copy_ends, each_read_that_fails_or_stops_ends_the_copy) {
    lam_file_sample sample = lam_copied_sample(NULL);
    for (size_t i = 0; i < 2; i++) {
        lam_error error;
        size_t reads, count, stopped = 0;
        cr_assert_eq(copy_ending(&sample, manners[i], 0, 0, &count, &error), LAM_STATUS_OK);
        cr_assert_gt(count, 10);
        for (size_t at = 1; at <= count; at++) {
            cr_assert_eq(copy_ending(&sample, manners[i], at, 0, &reads, &error), LAM_STATUS_IO);
            cr_assert_str_eq(error.message, LAM_ENDING_MESSAGE);
            cr_assert_eq(reads, at, "nothing is read behind a read that failed");
            lam_status status = copy_ending(&sample, manners[i], 0, at, &reads, &error);
            cr_assert(status == LAM_STATUS_CANCELLED || status == LAM_STATUS_OK);
            stopped += status == LAM_STATUS_CANCELLED;
        }
        cr_assert_gt(stopped, 2);
    }
    lam_file_sample_finish(&sample);
}

Test(chunk_copy_ends, each_write_that_fails_ends_the_copy) {
    lam_file_sample sample = lam_copied_sample(NULL);
    lam_reader *reader = lam_file_sample_open(&sample, NULL);
    for (size_t i = 0; i < 2; i++) {
        lam_status status = LAM_STATUS_IO;
        for (size_t at = 2; status != LAM_STATUS_OK; at++) {
            lam_trial_output trial = {.fail_at_write = at};
            status = lam_copied_write(reader, manners[i], NULL, NULL, &trial, NULL);
            cr_assert(status == LAM_STATUS_IO || status == LAM_STATUS_OK);
            cr_assert_eq(trial.calls_after_end, 0);
            lam_trial_output_free(&trial);
        }
    }
    lam_reader_close(reader);
    lam_file_sample_finish(&sample);
}
