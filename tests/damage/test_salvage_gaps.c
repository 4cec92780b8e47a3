/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is left of files of which some bytes cannot be read. The oracle is the same file with noise
 * in their stead: where pages have checksums, the same is lost.
 */
#include <criterion/criterion.h>
#include <lamella/recover.h>
#include <lamella/salvage.h>
#include <string.h>

#include "damage/salvage_rest.h"
#include "file/file_sample.h"
#include "support/ending_input.h"
#include "support/file_info.h"
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
    uint64_t footer = trial.sample.bytes.size - lam_test_file_info(trial.whole).footer_size;
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

/* --- Without a footer ------------------------------------------------------------------------ */

enum { GAP_LEAVES = 4, GAP_CELLS = GAP_LEAVES * GAP_RECORDS };

/* A schema whose name alone takes three sectors of the footer. */
static lam_schema *schema_of_sectors(void) {
    static const char begin[] = "message ";
    char text[sizeof begin + 3 * GAP_SECTOR + sizeof gap_shape];
    memcpy(text, begin, sizeof begin - 1);
    memset(text + sizeof begin - 1, 'm', 3 * GAP_SECTOR);
    memcpy(text + sizeof begin - 1 + 3 * GAP_SECTOR, gap_shape + sizeof begin - 1,
           sizeof gap_shape - (sizeof begin - 1));
    return lam_test_schema(text);
}

/* How the files of one round are written that are walked: pages of one sector or of many. */
static void write_walked_trial(gap_trial *trial, unsigned round, uint64_t seed) {
    lam_random random = lam_random_start(seed);
    lam_writer_options options = lam_writer_options_default();
    options.page_rows = round % 2 == 0 ? 4000 : 300;
    options.row_group_rows = round / 2 % 2 == 0 ? GAP_RECORDS / 2 : GAP_RECORDS;
    options.data_page_version = 1 + (int32_t)(round / 4 % 2);
    options.page_crc = round / 8 % 2 == 0 ? LAM_SWITCH_ON : LAM_SWITCH_OFF;
    options.codec = round / 16 % 2 == 0 ? LAM_CODEC_UNCOMPRESSED : LAM_CODEC_ZSTD;
    options.dictionary = LAM_SWITCH_OFF;
    memset(trial, 0, sizeof *trial);
    lam_file_sample_init(&trial->sample, schema_of_sectors(), GAP_RECORDS, 70, &random);
    lam_file_sample_write(&trial->sample, &options, NULL);
    trial->ending.file = lam_buffer_bytes(&trial->sample.bytes);
    trial->whole = lam_file_sample_open(&trial->sample, NULL);
}

/* Opens the file by its pages, with all that is its footer in a gap, or cut off. */
static lam_status walk_with_gap(gap_trial *trial, uint64_t begin, uint64_t end, bool passes,
                                lam_recovery *found, lam_error *error) {
    lam_recover_options options = lam_recover_options_default();
    options.like = trial->whole;
    options.keeps_cut = true;
    options.passes_unreadable = passes;
    options.no_checksums = true;
    trial->ending.gap_begin = begin;
    trial->ending.gap_end = end;
    trial->input = lam_ending_input_of(&trial->ending);
    return lam_reader_open_unfinished(&trial->input, &options, &trial->reader, found, error);
}

/* The call fails with the failure to read, and with its message. */
static void expect_unreadable(gap_trial *trial, uint64_t begin, uint64_t end, bool passes) {
    lam_recovery found = lam_recovery_default();
    lam_error error = lam_error_none();
    cr_assert_eq(walk_with_gap(trial, begin, end, passes, &found, &error), LAM_STATUS_IO);
    cr_assert_str_eq(error.message, LAM_ENDING_MESSAGE);
}

/* Salvages what a walk has found: gives the cells that are left, and compares them. */
static uint64_t salvage_walked(gap_trial *trial, const lam_recovery *found) {
    lam_salvage_options options = lam_salvage_options_default();
    options.passes_unreadable = true;
    options.manner = LAM_SALVAGE_OPTIONAL;
    trial->report = lam_salvage_report_default();
    cr_assert_eq(lam_salvage_open(trial->reader, &options, &trial->salvage, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_salvage_report_of(trial->salvage, &trial->report, NULL), LAM_STATUS_OK);
    const lam_salvage_report *report = &trial->report;
    cr_assert_eq(report->row_count, found->rows);
    cr_assert_leq(report->row_count, GAP_RECORDS);
    for (size_t g = 0; g < lam_reader_row_group_count(trial->reader); g++)
        for (size_t leaf = 0; leaf < GAP_LEAVES; leaf++)
            lam_test_compare_chunk(lam_salvage_reader(trial->salvage), trial->whole, g, leaf);
    if (report->row_count > report->rows_left_out)
        cr_assert_eq(lam_test_write_rest(trial->salvage),
                     report->row_count - report->rows_left_out);
    uint64_t left = report->cells - report->cells_lost;
    close_gap_trial(trial);
    return left;
}

/* Pages whose header is in the gap end the walk; those whose body is in there are lost alone. */
Test(salvage_gaps, a_file_without_a_footer_has_the_pages_that_can_be_read) {
    uint64_t seed = lam_test_seed(52), bodies = 0, rounds = 0;
    for (unsigned round = 0; round < 32; round += (unsigned)lam_test_step(), rounds++) {
        gap_trial trial;
        write_walked_trial(&trial, round, seed + round);
        lam_random random = lam_random_start(seed + round);
        size_t whole = trial.ending.file.size;
        trial.ending.file.size -= lam_test_file_info(trial.whole).footer_size;
        uint64_t sectors = trial.ending.file.size / GAP_SECTOR;
        for (unsigned i = 0; i < 6; i++) {
            lam_recovery found = lam_recovery_default();
            uint64_t begin = (1 + lam_random_below(&random, sectors - 1)) * GAP_SECTOR;
            lam_status status =
                walk_with_gap(&trial, begin, begin + GAP_SECTOR, true, &found, NULL);
            if (status == LAM_STATUS_CORRUPT) /* not one chunk is whole */
                continue;
            cr_assert_eq(status, LAM_STATUS_OK, "round %u: %d", round, (int)status);
            bool is_whole = found.rows == GAP_RECORDS && !found.is_cut;
            uint64_t left = salvage_walked(&trial, &found);
            cr_assert_lt(left, GAP_CELLS, "round %u", round);
            bodies += is_whole && left > GAP_CELLS / 2;
        }
        trial.ending.file.size = whole;
        finish_gap_trial(&trial);
    }
    cr_assert_gt(bodies, rounds);
}

Test(salvage_gaps, a_footer_that_cannot_be_read_loses_no_row) {
    for (unsigned round = 0; round < 32; round += (unsigned)lam_test_step()) {
        gap_trial trial;
        lam_recovery found = lam_recovery_default();
        write_walked_trial(&trial, round, round);
        uint64_t size = trial.ending.file.size;
        const uint64_t begins[] = {size - 1, size - 9, size - 2 * GAP_SECTOR};
        cr_assert_gt(lam_test_file_info(trial.whole).footer_size, 3 * GAP_SECTOR);
        for (size_t i = 0; i < 3; i++) {
            expect_unreadable(&trial, begins[i], size, false);
            cr_assert_eq(walk_with_gap(&trial, begins[i], size, true, &found, NULL), LAM_STATUS_OK);
            cr_assert(!found.has_footer);
            cr_assert_eq(salvage_walked(&trial, &found), GAP_CELLS, "round %u", round);
        }
        finish_gap_trial(&trial);
    }
}

/* Without a walk before it nothing shows that a footer is no value of a page. */
Test(salvage_gaps, a_footer_behind_a_gap_is_done_without) {
    gap_trial trial;
    lam_recovery found = lam_recovery_default();
    lam_error error = lam_error_none();
    write_walked_trial(&trial, 0, 2);
    lam_column_chunk_info chunk = lam_column_chunk_info_default();
    cr_assert_eq(lam_reader_column_chunk(trial.whole, 0, 1, &chunk, NULL), LAM_STATUS_OK);
    const uint64_t begin = (uint64_t)chunk.data_page_offset;
    expect_unreadable(&trial, begin, begin + 1, false);
    cr_assert_eq(walk_with_gap(&trial, begin, begin + 1, true, &found, &error), LAM_STATUS_OK);
    cr_assert_eq(error.status, LAM_STATUS_OK);
    cr_assert(!found.has_footer && found.is_cut);
    cr_assert_gt(salvage_walked(&trial, &found), 0);
    finish_gap_trial(&trial);
}

/* With nothing that says what its pages hold, why it cannot be read is that of its footer. */
Test(salvage_gaps, a_file_that_needs_its_footer_says_why_that_cannot_be_read) {
    gap_trial trial;
    write_walked_trial(&trial, 0, 1);
    uint64_t size = trial.ending.file.size;
    lam_reader *whole = trial.whole;
    trial.whole = NULL;
    expect_unreadable(&trial, size - 1, size, true);
    trial.whole = whole;
    expect_unreadable(&trial, 0, size, true);
    finish_gap_trial(&trial);
}
