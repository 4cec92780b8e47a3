/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows of a journal are replayed into files that lack them: none twice, none that was synced lost.
 */
#define _DEFAULT_SOURCE /* mkdtemp */
#include "log/journal/journal_replay.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <lamella/scan.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/error.h"
#include "file/file_sample.h"
#include "log/journal_sample.h"
#include "support/model_disk.h"

typedef struct listing {
    const lam_journal_mixed *journal;
    size_t count;
    size_t batches;
} listing;

static lam_status check_listed(void *state, const lam_journal_file_info *file, lam_error *error) {
    (void)error;
    listing *l = state;
    size_t number = (size_t)(file->id[0] - 0xA0), batches = 0, end = 0;
    for (size_t i = 0; i < l->journal->batch_count; i++) {
        if (l->journal->batches[i].file == number) {
            batches++;
            end = l->journal->batches[i].first + l->journal->batches[i].count;
        }
    }
    cr_assert_lt(number, l->journal->file_count);
    cr_assert_str_eq(file->path, lam_journal_mixed_path(number));
    cr_assert_eq(file->batches, batches);
    cr_assert_eq(file->first_row, 0);
    cr_assert_eq(file->end_row, end);
    cr_assert_eq(file->first_record, 0);
    cr_assert_eq(file->end_record, end);
    cr_assert_eq(file->metadata->num_rows, 0);
    l->count++;
    l->batches += batches;
    return LAM_STATUS_OK;
}

static lam_status refuse_listed(void *state, const lam_journal_file_info *file, lam_error *error) {
    (void)state;
    (void)file;
    LAM_FAIL(error, LAM_STATUS_CANCELLED, "enough");
}

Test(journal_replay, the_files_of_a_journal_are_listed) {
    lam_random random = lam_random_start(lam_test_seed(25));
    lam_journal_mixed j = {.batch_count = 0};
    lam_journal_end end;
    lam_journal_mixed_init(&j, &random, 5);
    listing l = {.journal = &j};
    lam_input input = lam_journal_store_input(&j.store);
    cr_assert_gt(j.batch_count, 0);
    cr_assert_eq(lam_journal_list_files(&input, NULL, check_listed, &l, &end, NULL), LAM_STATUS_OK);
    cr_assert_eq(l.batches, j.batch_count);
    cr_assert_gt(l.count, 0);
    cr_assert_eq(end.kind, LAM_JOURNAL_END_CLEAN);
    cr_assert_eq(lam_journal_list_files(&input, NULL, refuse_listed, NULL, NULL, NULL),
                 LAM_STATUS_CANCELLED);
    lam_journal_mixed_finish(&j);
}

typedef struct replay {
    lam_journal_sample *sample;
    uint64_t next_row;
    size_t batches;
    size_t fail_at; /* the batch that fails; 0: none */
} replay;

static lam_status check_replayed(void *state, const lam_journal_batch *batch,
                                 const lam_triples *columns, lam_error *error) {
    replay *r = state;
    if (++r->batches == r->fail_at)
        LAM_FAIL(error, LAM_STATUS_CANCELLED, "enough");
    cr_assert_eq(batch->first_row, r->next_row);
    cr_assert_eq(batch->first_record, r->next_row);
    cr_assert_gt(batch->record_count, 0);
    cr_assert(lam_journal_sample_equals(r->sample, (size_t)batch->first_row, batch->record_count,
                                        columns));
    r->next_row += batch->record_count;
    return LAM_STATUS_OK;
}

Test(journal_replay, replay_gives_the_rows_that_a_file_lacks) {
    uint64_t seed = lam_test_seed(41);
    for (uint64_t i = 0; i < 100; i++) {
        lam_random random = lam_random_start(seed + i);
        lam_journal_mixed j = {.batch_count = 0};
        lam_journal_mixed_init(&j, &random, 10);
        lam_input input = lam_journal_store_input(&j.store);
        for (size_t file = 0; file < j.file_count; file++) {
            uint64_t end = 0;
            for (size_t b = 0; b < j.batch_count; b++)
                if (j.batches[b].file == file)
                    end = j.batches[b].first + j.batches[b].count;
            for (uint64_t present = 0; present <= end + 1; present++) {
                replay r = {.sample = &j.samples[file], .next_row = present};
                lam_journal_replayed replayed;
                cr_assert_eq(lam_journal_replay(&input, j.ids[file], present, NULL, check_replayed,
                                                &r, &replayed, NULL),
                             LAM_STATUS_OK);
                cr_assert_eq(replayed.row_count, present < end ? end - present : 0, "seed %" PRIu64,
                             seed + i);
                cr_assert_eq(r.next_row, present + replayed.row_count);
                cr_assert(!replayed.has_gap);
                cr_assert_eq(replayed.end.kind, LAM_JOURNAL_END_CLEAN);
            }
        }
        lam_journal_mixed_finish(&j);
    }
}

Test(journal_replay, replay_stops_at_a_gap_and_skips_what_comes_twice) {
    static const size_t batches[][2] = {{2, 3}, {4, 2}, {3, 1}, {8, 2}, {6, 2}};
    lam_journal_single s = {.file = 0};
    lam_journal_replayed replayed;
    lam_journal_single_init(&s, 10, lam_journal_sample_id);
    for (size_t i = 0; i < 5; i++)
        lam_journal_single_add(&s, batches[i][0], batches[i][1]);
    lam_input input = lam_journal_store_input(&s.store);
    for (uint64_t present = 0; present <= 10; present++) {
        replay r = {.sample = &s.sample, .next_row = present};
        cr_assert_eq(lam_journal_replay(&input, lam_journal_single_id, present, NULL,
                                        check_replayed, &r, &replayed, NULL),
                     LAM_STATUS_OK);
        bool at_start = present < 2, in_middle = present < 8 && !at_start && present <= 6;
        cr_assert_eq(replayed.has_gap, present < 8);
        cr_assert_eq(replayed.row_count, at_start      ? 0
                                         : in_middle   ? 6 - present
                                         : present < 8 ? 0
                                                       : 10 - present);
        if (replayed.has_gap)
            cr_assert_eq(replayed.gap_end, at_start ? 2 : 8);
    }
    replay r = {.sample = &s.sample, .next_row = 2, .fail_at = 2};
    cr_assert_eq(lam_journal_replay(&input, lam_journal_single_id, 2, NULL, check_replayed, &r,
                                    &replayed, NULL),
                 LAM_STATUS_CANCELLED);
    lam_journal_single_finish(&s);
}

/* What was flushed is there for others while the journal is open, as it is after a kill. */
Test(journal_replay, a_journal_on_a_disk_is_replayed) {
    lam_random random = lam_random_start(lam_test_seed(51));
    char folder[] = "/tmp/lamella-journal-XXXXXX", path[64];
    lam_storage storage = lam_storage_files();
    lam_journal_sample sample;
    lam_journal_writer *writer;
    lam_journal_replayed replayed;
    lam_input input;
    uint32_t schema, file;
    cr_assert_not_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/journal", folder);
    lam_journal_sample_init(&sample, lam_test_schema("message m { optional binary s; }"), 20, 70,
                            &random);
    cr_assert_eq(
        lam_journal_writer_create(&storage, path, NULL, lam_journal_sample_id, NULL, &writer, NULL),
        LAM_STATUS_OK);
    cr_assert_eq(lam_journal_writer_add_schema(writer, sample.schema, NULL, &schema, NULL),
                 LAM_STATUS_OK);
    cr_assert_eq(
        lam_journal_writer_add_file(writer, schema, lam_journal_single_id, "f", &file, NULL),
        LAM_STATUS_OK);
    for (size_t cut = 0; cut < 2; cut++) {
        cr_assert_eq(lam_journal_sample_add(&sample, writer, file, 10 * cut, 10, NULL),
                     LAM_STATUS_OK);
        cr_assert_eq(lam_journal_writer_sync(writer, NULL), LAM_STATUS_OK);
        cr_assert_eq(storage.open_input(storage.state, path, &input, NULL), LAM_STATUS_OK);
        cr_assert_eq(input.size, lam_journal_writer_byte_count(writer));
        replay r = {.sample = &sample, .next_row = 10 * cut};
        cr_assert_eq(lam_journal_replay(&input, lam_journal_single_id, 10 * cut, NULL,
                                        check_replayed, &r, &replayed, NULL),
                     LAM_STATUS_OK);
        cr_assert_eq(replayed.row_count, 10);
        cr_assert_eq(replayed.end.kind, LAM_JOURNAL_END_CLEAN);
        lam_input_close(&input);
        cr_assert_eq(lam_journal_writer_cut(writer, NULL), LAM_STATUS_OK);
    }
    cr_assert_eq(lam_journal_writer_remove(writer, NULL), LAM_STATUS_OK);
    cr_assert_eq(rmdir(folder), 0);
    lam_journal_sample_free(&sample);
}

/* --- Power cuts ---------------------------------------------------------------------------- */

/* A journal on a disk whose power fails, and what its log has promised. */
typedef struct outage {
    lam_model_disk *disk;
    lam_journal_sample sample;
    lam_journal_writer *writer;
    uint32_t file;
    uint64_t rows;      /* that were added */
    uint64_t kept_rows; /* that a sync has promised */
    uint64_t file_rows; /* that are in synced row groups */
} outage;

static void outage_init(outage *o, lam_random *random) {
    uint32_t schema;
    o->disk = lam_model_disk_create();
    lam_storage storage = lam_model_disk_storage(o->disk);
    lam_journal_sample_init(&o->sample,
                            lam_test_schema("message m { required int64 t; optional binary s; }"),
                            300, 70, random);
    cr_assert_eq(lam_journal_writer_create(&storage, "j", NULL, lam_journal_sample_id, NULL,
                                           &o->writer, NULL),
                 LAM_STATUS_OK);
    cr_assert_eq(lam_journal_writer_add_schema(o->writer, o->sample.schema, NULL, &schema, NULL),
                 LAM_STATUS_OK);
    cr_assert_eq(
        lam_journal_writer_add_file(o->writer, schema, lam_journal_single_id, "f", &o->file, NULL),
        LAM_STATUS_OK);
}

static void outage_finish(outage *o) {
    lam_journal_writer_close(o->writer);
    lam_journal_sample_free(&o->sample);
    lam_model_disk_destroy(o->disk);
}

/* Rows are added, flushed or synced, or all are in the file and the journal is cut back. */
static void outage_step(outage *o, lam_random *random) {
    size_t count = 1 + (size_t)lam_random_below(random, 12);
    switch (lam_random_below(random, 6)) {
    case 0:
        cr_assert_eq(lam_journal_writer_flush(o->writer, NULL), LAM_STATUS_OK);
        return;
    case 1:
        cr_assert_eq(lam_journal_writer_sync(o->writer, NULL), LAM_STATUS_OK);
        o->kept_rows = o->rows;
        return;
    case 2:
        o->file_rows = o->rows;
        cr_assert_eq(lam_journal_writer_cut(o->writer, NULL), LAM_STATUS_OK);
        return;
    default:
        if (o->rows + count > o->sample.record_count)
            return;
        cr_assert_eq(
            lam_journal_sample_add(&o->sample, o->writer, o->file, (size_t)o->rows, count, NULL),
            LAM_STATUS_OK);
        o->rows += count;
    }
}

/* Rows that the file and the journal have together on a disk. */
static uint64_t rows_on(outage *o, lam_model_disk *disk) {
    lam_bytes content;
    lam_journal_replayed replayed;
    if (!lam_model_disk_content(disk, "j", &content))
        return o->file_rows;
    lam_input input = lam_input_memory(content.data, content.size);
    replay r = {.sample = &o->sample, .next_row = o->file_rows};
    cr_assert_eq(lam_journal_replay(&input, lam_journal_single_id, o->file_rows, NULL,
                                    check_replayed, &r, &replayed, NULL),
                 LAM_STATUS_OK);
    cr_assert(!replayed.has_gap);
    cr_assert_eq(replayed.row_count, r.next_row - o->file_rows);
    return r.next_row;
}

Test(journal_replay, no_power_cut_takes_a_synced_row_or_makes_one_up) {
    uint64_t seed = lam_test_seed(61), partial = 0;
    for (uint64_t i = 0; i < 60; i++) {
        lam_random random = lam_random_start(seed + i);
        outage o = {.rows = 0};
        outage_init(&o, &random);
        for (int step = 0; step < 60; step++) {
            outage_step(&o, &random);
            uint64_t least = o.kept_rows > o.file_rows ? o.kept_rows : o.file_rows;
            for (int crash = 0; crash < 4; crash++) {
                lam_model_disk *after = lam_model_disk_crash(o.disk, &random);
                uint64_t rows = rows_on(&o, after);
                cr_assert(rows >= least && rows <= o.rows, "seed %" PRIu64 ", step %d", seed + i,
                          step);
                partial += rows > least && rows < o.rows;
                lam_model_disk_destroy(after);
            }
        }
        outage_finish(&o);
    }
    cr_assert_gt(partial, 50);
}

Test(journal_replay, a_kill_takes_no_row_that_was_flushed) {
    uint64_t seed = lam_test_seed(71);
    for (uint64_t i = 0; i < 20; i++) {
        lam_random random = lam_random_start(seed + i);
        outage o = {.rows = 0};
        outage_init(&o, &random);
        for (int step = 0; step < 60; step++) {
            outage_step(&o, &random);
            cr_assert_eq(lam_journal_writer_flush(o.writer, NULL), LAM_STATUS_OK);
            lam_model_disk *after = lam_model_disk_kill(o.disk);
            cr_assert_eq(rows_on(&o, after), o.rows, "seed %" PRIu64, seed + i);
            lam_model_disk_destroy(after);
        }
        outage_finish(&o);
    }
}

/* --- Into a file --------------------------------------------------------------------------- */

static lam_status replay_into(const lam_input *input, lam_schema *schema, lam_trial_output *trial,
                              lam_journal_replayed *ret_replayed) {
    lam_test_writer file = lam_test_write_as(schema, NULL);
    lam_status status = lam_journal_replay_into(input, lam_journal_single_id, 3, NULL, file.writer,
                                                ret_replayed, NULL);
    trial->bytes = lam_test_written(&file);
    return status;
}

Test(journal_replay, rows_are_replayed_into_a_file) {
    lam_journal_single s = {.file = 0};
    lam_trial_output trial = {0};
    lam_journal_replayed replayed;
    lam_journal_single_init(&s, 10, lam_journal_sample_id);
    lam_journal_single_add(&s, 0, 5);
    lam_journal_single_add(&s, 5, 5);
    lam_input input = lam_journal_store_input(&s.store);
    cr_assert_eq(replay_into(&input, s.sample.schema, &trial, &replayed), LAM_STATUS_OK);
    cr_assert_eq(replayed.row_count, 7);

    lam_input file = lam_input_memory(trial.bytes.data, trial.bytes.size);
    lam_shredder *shredder;
    lam_record_reader *records;
    uint64_t count;
    lam_reader *reader = lam_test_open_input(&file, NULL);
    cr_assert_eq(lam_shredder_create(lam_reader_schema(reader), NULL, &shredder, NULL),
                 LAM_STATUS_OK);
    lam_record_sink sink = lam_shredder_sink(shredder);
    cr_assert_eq(lam_record_reader_open(reader, NULL, &records, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_record_reader_read(records, &sink, UINT64_MAX, &count, NULL), LAM_STATUS_OK);
    cr_assert_eq(count, 7);
    lam_triples columns[] = {lam_shredder_triples(shredder, 0), lam_shredder_triples(shredder, 1)};
    cr_assert(lam_journal_sample_equals(&s.sample, 3, 7, columns));
    lam_record_reader_close(records);
    lam_shredder_destroy(shredder);
    lam_reader_close(reader);
    lam_trial_output_free(&trial);
    lam_journal_single_finish(&s);
}

Test(journal_replay, rows_of_another_schema_go_into_no_file) {
    lam_journal_single s = {.file = 0};
    lam_trial_output trial = {0};
    lam_journal_replayed replayed;
    lam_schema *schema = lam_test_schema("message m { required int64 t; optional binary s; }");
    lam_journal_single_init(&s, 10, lam_journal_sample_id);
    lam_journal_single_add(&s, 0, 5);
    lam_input input = lam_journal_store_input(&s.store);
    cr_assert_eq(replay_into(&input, schema, &trial, &replayed), LAM_STATUS_INVALID);
    lam_schema_destroy(schema);
    lam_trial_output_free(&trial);
    lam_journal_single_finish(&s);
}
