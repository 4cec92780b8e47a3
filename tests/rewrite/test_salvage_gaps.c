/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is left of files of which some bytes cannot be read. The oracle is the same file with noise
 * in their stead: where pages have checksums, the same is lost.
 */
#include <criterion/criterion.h>
#include <lamella/salvage.h>
#include <string.h>

#include "file/file_sample.h"
#include "rewrite/salvage_rest.h"
#include "support/ending_input.h"
#include "support/random.h"

enum { GAP_RECORDS = 6000, GAP_SECTOR = 4096 };

static const char gap_shape[] = "message m { required int64 a; optional binary s;"
                                "            optional group o { required int32 p; }"
                                "            repeated group g { required int32 x; } }";

typedef struct gap_trial {
    lam_file_sample sample;
    lam_ending_input ending;
    lam_input input;
    lam_reader *whole; /* of the file as it was written */
    lam_reader *reader;
    lam_salvage *salvage;
    lam_salvage_report report;
} gap_trial;

static void write_gap_trial(gap_trial *trial, lam_switch crc, uint64_t seed) {
    lam_random random = lam_random_start(seed);
    lam_writer_options options = lam_writer_options_default();
    options.page_rows = 100;
    options.page_crc = crc;
    memset(trial, 0, sizeof *trial);
    lam_file_sample_init(&trial->sample, lam_test_schema(gap_shape), GAP_RECORDS, 2500, &random);
    lam_file_sample_write(&trial->sample, &options, NULL);
    trial->ending.file = lam_buffer_bytes(&trial->sample.bytes);
    trial->whole = lam_file_sample_open(&trial->sample, NULL);
}

static void finish_gap_trial(gap_trial *trial) {
    lam_reader_close(trial->whole);
    lam_file_sample_finish(&trial->sample);
}

/* Bytes from `begin` on up to `end` cannot be read from here on. */
static lam_status open_with_gap(gap_trial *trial, uint64_t begin, uint64_t end, bool passes,
                                lam_error *error) {
    lam_salvage_options options = lam_salvage_options_default();
    options.passes_unreadable = passes;
    options.manner = LAM_SALVAGE_OPTIONAL;
    trial->input = lam_ending_input_of(&trial->ending);
    trial->ending.gap_begin = trial->ending.gap_end = 0;
    cr_assert_eq(lam_reader_open(&trial->input, NULL, &trial->reader, NULL), LAM_STATUS_OK);
    trial->ending.gap_begin = begin;
    trial->ending.gap_end = end;
    trial->ending.gap_reads = 0;
    trial->report = lam_salvage_report_default();
    lam_status status = lam_salvage_open(trial->reader, &options, &trial->salvage, error);
    if (status == LAM_STATUS_OK)
        cr_assert_eq(lam_salvage_report_of(trial->salvage, &trial->report, NULL), LAM_STATUS_OK);
    else
        lam_reader_close(trial->reader);
    return status;
}

static void close_gap_trial(gap_trial *trial) {
    lam_salvage_close(trial->salvage);
    lam_reader_close(trial->reader);
}

/* The cells that are lost when the bytes hold noise. */
static uint64_t cells_lost_to_noise(gap_trial *trial, uint64_t begin, uint64_t end,
                                    lam_random *random) {
    uint8_t kept[4 * GAP_SECTOR];
    uint8_t *bytes = trial->sample.bytes.data + begin;
    memcpy(kept, bytes, (size_t)(end - begin));
    for (uint64_t i = 0; i < end - begin; i++)
        bytes[i] = (uint8_t)lam_random_below(random, 256);
    cr_assert_eq(open_with_gap(trial, 0, 0, false, NULL), LAM_STATUS_OK);
    uint64_t lost = trial->report.cells_lost;
    close_gap_trial(trial);
    memcpy(bytes, kept, (size_t)(end - begin));
    return lost;
}

Test(salvage_gaps, sectors_that_cannot_be_read_lose_as_much_as_noise_in_them) {
    gap_trial trial;
    uint64_t seed = lam_test_seed(51);
    write_gap_trial(&trial, LAM_SWITCH_ON, seed);
    uint64_t footer = trial.sample.bytes.size - lam_reader_footer_size(trial.whole);
    for (uint64_t round = 0; round < 60; round++) {
        lam_random random = lam_random_start(seed + round);
        uint64_t sectors = 1 + lam_random_below(&random, 3);
        uint64_t begin = lam_random_below(&random, footer / GAP_SECTOR - sectors) * GAP_SECTOR;
        uint64_t end = begin + sectors * GAP_SECTOR;
        uint64_t lost = cells_lost_to_noise(&trial, begin, end, &random);
        cr_assert_eq(open_with_gap(&trial, begin, end, true, NULL), LAM_STATUS_OK);
        cr_assert_eq(trial.report.cells_lost, lost, "round %d", (int)round);
        cr_assert_gt(lost, 0);
        cr_assert_eq(lam_test_write_rest(trial.salvage),
                     trial.report.row_count - trial.report.rows_left_out);
        close_gap_trial(&trial);
    }
    finish_gap_trial(&trial);
}

Test(salvage_gaps, a_read_that_fails_ends_the_call_unless_that_is_passed) {
    gap_trial trial;
    lam_error error = lam_error_none();
    write_gap_trial(&trial, LAM_SWITCH_OFF, 1);
    cr_assert_eq(open_with_gap(&trial, 20000, 20001, false, &error), LAM_STATUS_IO);
    cr_assert_str_eq(error.message, LAM_ENDING_MESSAGE);
    cr_assert_eq(open_with_gap(&trial, 20000, 20001, true, &error), LAM_STATUS_OK);
    lam_salvage_loss loss = lam_salvage_loss_default();
    cr_assert_eq(lam_salvage_loss_at(trial.salvage, 0, &loss, NULL), LAM_STATUS_OK);
    cr_assert_eq(loss.error->status, LAM_STATUS_IO);
    cr_assert_str_eq(loss.message, LAM_ENDING_MESSAGE);
    close_gap_trial(&trial);
    finish_gap_trial(&trial);
}

Test(salvage_gaps, an_offset_index_that_cannot_be_read_is_done_without) {
    gap_trial trial;
    lam_column_chunk_info chunk = lam_column_chunk_info_default();
    write_gap_trial(&trial, LAM_SWITCH_OFF, 1);
    cr_assert_eq(lam_reader_column_chunk(trial.whole, 0, 0, &chunk, NULL), LAM_STATUS_OK);
    uint64_t begin = (uint64_t)chunk.offset_index_offset;
    cr_assert_gt(begin, 0);
    cr_assert_eq(open_with_gap(&trial, begin, begin + 1, true, NULL), LAM_STATUS_OK);
    cr_assert_eq(trial.report.cells_lost, 0);
    cr_assert_eq(lam_test_write_rest(trial.salvage), GAP_RECORDS);
    close_gap_trial(&trial);
    finish_gap_trial(&trial);
}
