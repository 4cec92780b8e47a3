/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files that a killed writer left, cut at every byte and damaged: what is opened is a prefix of the
 * rows, whole row group by whole row group.
 */
#include <criterion/criterion.h>
#include <lamella/writer.h>
#include <string.h>

#include "file/unfinished_sample.h"
#include "file/write/recovery_record.h"
#include "support/failing_alloc.h"

enum { RECORDS = 60, GROUP_ROWS = 12 };

static const char shape[] = "message m { required int64 a; optional binary s; repeated group g {"
                            "            required int32 x; optional double y; } }";

static lam_file_sample make_sample(uint64_t seed, bool has_blooms) {
    lam_random random = lam_random_start(lam_test_seed(seed));
    lam_file_sample sample;
    lam_writer_options options = lam_writer_options_default();
    options.row_group_rows = GROUP_ROWS;
    options.page_rows = 5;
    options.page_index = LAM_SWITCH_OFF;
    options.auto_bloom_filters = has_blooms;
    options.codec = LAM_CODEC_UNCOMPRESSED;
    lam_file_sample_init(&sample, lam_test_schema(shape), RECORDS, 70, &random);
    lam_file_sample_write(&sample, &options, NULL);
    return sample;
}

/* Row groups that end within the first `size` bytes. */
static size_t whole_groups(const lam_unfinished_sample *log, size_t size) {
    size_t count = 0;
    while (count < log->group_count && log->ends[count] <= size)
        count++;
    return count;
}

static void expect_every_prefix(const lam_unfinished_plan *plan, bool has_blooms) {
    lam_file_sample sample = make_sample(1, has_blooms);
    lam_unfinished_sample log;
    lam_unfinished_sample_init(&log, lam_buffer_bytes(&sample.bytes), plan);
    for (size_t size = 0; size <= log.bytes.size; size++) {
        lam_recovery recovery;
        lam_status status;
        size_t groups = whole_groups(&log, size);
        lam_reader *reader =
            lam_unfinished_open((lam_bytes){log.bytes.data, size}, NULL, &recovery, &status);
        if (groups == 0) {
            cr_assert_eq(status, LAM_STATUS_CORRUPT, "at %zu", size);
            continue;
        }
        cr_assert_eq(status, LAM_STATUS_OK, "at %zu", size);
        cr_assert_eq(recovery.row_groups, groups, "at %zu", size);
        cr_assert_eq(recovery.rows, log.rows[groups - 1]);
        cr_assert_eq(recovery.lost_row_groups, 0);
        cr_assert_eq(recovery.is_complete, recovery.lost_bytes == 0);
        if (groups < log.group_count && size > log.starts[groups])
            cr_assert_eq(recovery.lost_bytes, size - log.starts[groups], "at %zu", size);
        else
            cr_assert_eq(recovery.lost_bytes, 0, "at %zu: %d", size, (int)recovery.lost_bytes);
        if (size % 16 == 0 || size == log.bytes.size)
            lam_unfinished_expect_records(&sample, reader, log.rows[groups - 1]);
        cr_assert_eq(recovery.has_footer,
                     false || (plan->is_finished && size == log.bytes.size) || recovery.has_footer);
        lam_reader_close(reader);
    }
    lam_unfinished_sample_finish(&log);
    lam_file_sample_finish(&sample);
}

Test(unfinished_file, every_prefix_opens_with_the_row_groups_that_are_whole) {
    expect_every_prefix(&(lam_unfinished_plan){.file_id = 7}, false);
}

Test(unfinished_file, so_does_every_prefix_with_footers_between_row_groups) {
    expect_every_prefix(&(lam_unfinished_plan){.footer_every = 2, .is_finished = true}, false);
}

Test(unfinished_file, so_does_every_prefix_with_bloom_filters) {
    expect_every_prefix(&(lam_unfinished_plan){.is_finished = true}, true);
}

/* Files of writers that only write footers between row groups. */
Test(unfinished_file, a_file_without_records_is_read_up_to_its_last_footer) {
    lam_file_sample sample = make_sample(2, false);
    lam_unfinished_sample log;
    lam_unfinished_plan plan = {.footer_every = 1, .without_first = true};
    lam_unfinished_sample_init(&log, lam_buffer_bytes(&sample.bytes), &plan);
    size_t groups = 0;
    for (size_t size = 0; size <= log.bytes.size; size++) {
        lam_recovery recovery;
        lam_status status;
        lam_reader *reader =
            lam_unfinished_open((lam_bytes){log.bytes.data, size}, NULL, &recovery, &status);
        if (groups + 1 < log.group_count && size == log.starts[groups + 1])
            groups++;
        if (size == log.bytes.size)
            groups++;
        cr_assert_eq(status, groups == 0 ? LAM_STATUS_CORRUPT : LAM_STATUS_OK, "at %zu", size);
        if (reader == NULL)
            continue;
        cr_assert_eq(recovery.row_groups, groups, "at %zu", size);
        if (size % 16 == 0)
            lam_unfinished_expect_records(&sample, reader, log.rows[groups - 1]);
        lam_reader_close(reader);
    }
    lam_unfinished_sample_finish(&log);
    lam_file_sample_finish(&sample);
}

/* --- Damage ---------------------------------------------------------------------------------- */

/* Damages one byte of a page of row group `damaged`, and counts the row groups that are kept. */
static lam_recovery open_damaged(const lam_unfinished_plan *plan, size_t damaged, bool no_checksums,
                                 lam_reader **ret_reader, lam_unfinished_sample *log) {
    lam_file_sample sample = make_sample(3, false);
    lam_recovery recovery;
    lam_status status;
    lam_recover_options options = lam_recover_options_default();
    options.no_checksums = no_checksums;
    lam_unfinished_sample_init(log, lam_buffer_bytes(&sample.bytes), plan);
    /* The last byte of the first page: a page of 5 required int64 ends in the high bytes of one. */
    log->bytes.data[log->starts[damaged] + 60] ^= 1;
    *ret_reader = lam_unfinished_open(lam_buffer_bytes(&log->bytes), &options, &recovery, &status);
    cr_assert_eq(status, LAM_STATUS_OK);
    lam_file_sample_finish(&sample);
    return recovery;
}

Test(unfinished_file, damage_that_was_not_synced_is_the_end) {
    lam_unfinished_sample log;
    lam_reader *reader;
    lam_recovery recovery = open_damaged(&(lam_unfinished_plan){0}, 2, false, &reader, &log);
    cr_assert_eq(recovery.row_groups, 2);
    cr_assert_eq(recovery.rows, log.rows[1]);
    cr_assert_eq(recovery.lost_row_groups, 3);
    cr_assert_eq(recovery.lost_rows, RECORDS - log.rows[1]);
    cr_assert_gt(recovery.lost_bytes, 0);
    cr_assert_not(recovery.is_complete);
    lam_reader_close(reader);
    lam_unfinished_sample_finish(&log);
}

Test(unfinished_file, damage_below_what_was_synced_costs_its_row_group_only) {
    lam_unfinished_sample log;
    lam_reader *reader;
    lam_unfinished_plan plan = {.synced_groups = 3};
    lam_recovery recovery = open_damaged(&plan, 2, false, &reader, &log);
    cr_assert_eq(recovery.row_groups, 4);
    cr_assert_eq(recovery.lost_row_groups, 1);
    cr_assert_eq(recovery.lost_rows, GROUP_ROWS);
    cr_assert_eq(lam_reader_row_count(reader), RECORDS - GROUP_ROWS);
    lam_reader_close(reader);
    lam_unfinished_sample_finish(&log);
}

Test(unfinished_file, damage_at_the_edge_of_what_was_synced_is_the_end) {
    lam_unfinished_sample log;
    lam_reader *reader;
    lam_unfinished_plan plan = {.synced_groups = 2};
    lam_recovery recovery = open_damaged(&plan, 2, false, &reader, &log);
    cr_assert_eq(recovery.row_groups, 2);
    lam_reader_close(reader);
    lam_unfinished_sample_finish(&log);
}

/* A footer may reach the disk before the pages that it describes. */
Test(unfinished_file, a_footer_behind_damaged_pages_is_not_believed) {
    lam_unfinished_sample log;
    lam_reader *reader;
    lam_unfinished_plan plan = {.is_finished = true};
    lam_recovery recovery = open_damaged(&plan, 1, false, &reader, &log);
    cr_assert_not(recovery.has_footer);
    cr_assert_eq(recovery.row_groups, 1);
    lam_reader_close(reader);
    lam_unfinished_sample_finish(&log);
}

Test(unfinished_file, without_checksums_damage_is_not_searched_for) {
    lam_unfinished_sample log;
    lam_reader *reader;
    lam_recovery recovery = open_damaged(&(lam_unfinished_plan){0}, 2, true, &reader, &log);
    cr_assert_eq(recovery.row_groups, 5);
    cr_assert(recovery.is_complete);
    lam_reader_close(reader);
    lam_unfinished_sample_finish(&log);
}

/* Every byte of a file changed: rows are a prefix, or a prefix without one row group. */
Test(unfinished_file, no_changed_byte_gives_a_wrong_row) {
    lam_file_sample sample = make_sample(4, false);
    lam_unfinished_sample log;
    lam_unfinished_sample_init(&log, lam_buffer_bytes(&sample.bytes),
                               &(lam_unfinished_plan){.footer_every = 2});
    for (size_t at = 4; at < log.bytes.size; at++) {
        lam_recovery recovery;
        lam_status status;
        size_t intact = whole_groups(&log, at);
        log.bytes.data[at] ^= 0x40;
        lam_reader *reader =
            lam_unfinished_open(lam_buffer_bytes(&log.bytes), NULL, &recovery, &status);
        if (intact > 0)
            cr_assert_eq(status, LAM_STATUS_OK, "at %zu", at);
        if (reader != NULL)
            cr_assert_geq(recovery.row_groups, intact, "at %zu", at);
        lam_reader_close(reader);
        log.bytes.data[at] ^= 0x40;
    }
    lam_unfinished_sample_finish(&log);
    lam_file_sample_finish(&sample);
}

/* --- Records that must not be believed ------------------------------------------------------- */

/* Appends the row groups of a second file, with another id, behind those of the first. */
Test(unfinished_file, blocks_of_an_older_file_are_not_taken) {
    lam_file_sample sample = make_sample(5, false);
    lam_unfinished_sample log, old;
    lam_recovery recovery;
    lam_status status;
    lam_unfinished_sample_init(&log, lam_buffer_bytes(&sample.bytes),
                               &(lam_unfinished_plan){.file_id = 1});
    lam_unfinished_sample_finish(&log);
    lam_file_sample_write(&sample, NULL, NULL); /* decoding has changed nothing of these */
    lam_file_sample_finish(&sample);
    sample = make_sample(5, false);
    lam_unfinished_sample_init(&log, lam_buffer_bytes(&sample.bytes),
                               &(lam_unfinished_plan){.file_id = 1});
    lam_file_sample other = make_sample(5, false);
    lam_unfinished_sample_init(&old, lam_buffer_bytes(&other.bytes),
                               &(lam_unfinished_plan){.file_id = 2});
    memcpy(log.bytes.data + log.ends[2], old.bytes.data + log.ends[2],
           log.bytes.size - log.ends[2]);
    lam_reader *reader =
        lam_unfinished_open(lam_buffer_bytes(&log.bytes), NULL, &recovery, &status);
    cr_assert_eq(status, LAM_STATUS_OK);
    cr_assert_eq(recovery.row_groups, 3);
    lam_unfinished_expect_records(&sample, reader, log.rows[2]);
    lam_reader_close(reader);
    lam_unfinished_sample_finish(&log);
    lam_unfinished_sample_finish(&old);
    lam_file_sample_finish(&sample);
    lam_file_sample_finish(&other);
}

/* --- Calls ----------------------------------------------------------------------------------- */

Test(unfinished_file, a_finished_file_is_opened_by_its_footer) {
    lam_file_sample sample = make_sample(6, true);
    lam_recovery recovery;
    lam_status status;
    lam_reader *reader =
        lam_unfinished_open(lam_buffer_bytes(&sample.bytes), NULL, &recovery, &status);
    cr_assert_eq(status, LAM_STATUS_OK);
    cr_assert(recovery.has_footer && recovery.is_complete);
    cr_assert_eq(recovery.row_groups, 5);
    cr_assert_eq(recovery.rows, RECORDS);
    lam_unfinished_expect_records(&sample, reader, RECORDS);
    lam_reader_close(reader);
    lam_file_sample_finish(&sample);
}

Test(unfinished_file, what_is_no_parquet_file_is_corrupt) {
    static const char *const texts[] = {
        "",         "P",           "PAR1", "PAR1PAR1", "PARQPARQPARQPARQ", "PAR1\x15\x15\x15\x15",
        "PAR1PLAM", "hello, world"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        lam_recovery recovery;
        lam_status status;
        lam_bytes bytes = {(const uint8_t *)texts[i], strlen(texts[i])};
        cr_assert_null(lam_unfinished_open(bytes, NULL, &recovery, &status));
        cr_assert_eq(status, LAM_STATUS_CORRUPT);
    }
}

Test(unfinished_file, memory_that_runs_out_is_reported_and_freed) {
    lam_file_sample sample = make_sample(7, true);
    lam_unfinished_sample log;
    lam_unfinished_sample_init(&log, lam_buffer_bytes(&sample.bytes),
                               &(lam_unfinished_plan){.footer_every = 3});
    size_t size = log.bytes.size - 10;
    lam_status status = LAM_STATUS_NOMEM;
    for (size_t n = 1; status == LAM_STATUS_NOMEM; n++) {
        lam_failing_alloc failing = {.fail_at = n};
        lam_allocator allocator = lam_failing_allocator(&failing);
        lam_recover_options options = lam_recover_options_default();
        lam_recovery recovery;
        options.allocator = &allocator;
        lam_reader *reader =
            lam_unfinished_open((lam_bytes){log.bytes.data, size}, &options, &recovery, &status);
        cr_assert(status == LAM_STATUS_OK || status == LAM_STATUS_NOMEM);
        if (status == LAM_STATUS_OK)
            cr_assert_eq(recovery.row_groups, whole_groups(&log, size));
        lam_reader_close(reader);
        cr_assert_eq(failing.live_bytes, 0);
        cr_assert_eq(failing.wrong_sizes, 0);
    }
    lam_unfinished_sample_finish(&log);
    lam_file_sample_finish(&sample);
}

Test(unfinished_file, a_call_without_an_input_is_invalid) {
    lam_reader *reader;
    lam_recovery recovery = lam_recovery_default();
    cr_assert_eq(lam_reader_open_unfinished(NULL, NULL, &reader, &recovery, NULL),
                 LAM_STATUS_INVALID);
    lam_input input = lam_input_memory("PAR1", 4);
    recovery.struct_size = 3;
    cr_assert_eq(lam_reader_open_unfinished(&input, NULL, &reader, &recovery, NULL),
                 LAM_STATUS_INVALID);
}

Test(unfinished_file, a_stop_ends_the_walk) {
    lam_file_sample sample = make_sample(8, false);
    lam_stop stop = {0};
    lam_recover_options options = lam_recover_options_default();
    lam_recovery recovery;
    lam_status status;
    options.stop = &stop;
    lam_stop_request(&stop);
    cr_assert_null(lam_unfinished_open((lam_bytes){sample.bytes.data, sample.bytes.size - 1},
                                       &options, &recovery, &status));
    cr_assert_eq(status, LAM_STATUS_CANCELLED);
    lam_file_sample_finish(&sample);
}

/* A power cut may keep the end of a file that was about to be renamed, with its footer, and lose
 * sectors of the first row group, whose record is zeros then, too: the footer was believed. */
Test(unfinished_file, the_footer_of_a_leftover_is_believed_behind_whole_pages_only) {
    lam_file_sample sample = make_sample(3, false);
    lam_unfinished_sample log;
    const lam_unfinished_plan plan = {.file_id = 7, .is_finished = true};
    lam_unfinished_sample_init(&log, lam_buffer_bytes(&sample.bytes), &plan);
    lam_recover_options options = lam_recover_options_default();
    options.is_leftover = true;
    for (size_t start = 0; start < log.ends[0]; start += 7) {
        lam_recovery recovery;
        lam_status status;
        uint8_t kept[512];
        memcpy(kept, log.bytes.data + start, sizeof kept);
        memset(log.bytes.data + start, 0, sizeof kept);
        lam_reader *reader =
            lam_unfinished_open(lam_buffer_bytes(&log.bytes), &options, &recovery, &status);
        memcpy(log.bytes.data + start, kept, sizeof kept);
        if (status == LAM_STATUS_OK)
            lam_unfinished_expect_records(&sample, reader, recovery.rows);
        else
            cr_assert_eq(status, LAM_STATUS_CORRUPT, "at %zu", start);
        lam_reader_close(reader);
    }
    lam_unfinished_sample_finish(&log);
    lam_file_sample_finish(&sample);
}
