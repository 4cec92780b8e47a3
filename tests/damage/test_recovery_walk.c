/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Walks over files that this library's writer left: with records, footers between them, page
 * indexes and what was appended; and over values that look like any of these.
 */
#include "damage/unfinished/recovery_walk.h"

#include <criterion/criterion.h>
#include <lamella/writer.h>
#include <stdio.h>
#include <string.h>

#include "file/read/file_reader.h"
#include "file/unfinished_sample.h"
#include "file/write/file_writer.h"
#include "file/write/writer_state.h"
#include "support/ending_input.h"
#include "support/whole_footer.h"

enum { WALK_ROWS = 40, WALK_GROUP_ROWS = 8, FORGERIES = 1000, VALUE_MOST = 6000 };

static const char walk_shape[] = "message m { required int64 a; optional binary s; }";

/* A file that is being written, with the bytes at which each row group ended. */
typedef struct walk_file {
    lam_trial_output trial;
    lam_schema *schema;
    lam_writer *writer;
    int64_t rows;
    size_t ends[16];
    size_t group_count;
} walk_file;

static const uint8_t file_id[LAM_RECOVERY_ID_SIZE] = {9, 8, 7};

static void start(walk_file *file, bool has_records) {
    lam_writer_options options = lam_writer_options_default();
    options.codec = LAM_CODEC_UNCOMPRESSED;
    options.dictionary = LAM_SWITCH_OFF;
    options.compat = LAM_COMPAT_MAX;
    options.page_rows = 3;
    memset(file, 0, sizeof *file);
    file->schema = lam_test_schema(walk_shape);
    lam_output output = lam_trial_output_open(&file->trial);
    cr_assert_eq(lam_writer_open(file->schema, &output, &options, &file->writer, NULL),
                 LAM_STATUS_OK);
    if (has_records)
        lam_writer_start_records(file->writer, file_id);
}

static void put_row(walk_file *file, lam_bytes text) {
    lam_record_sink sink = lam_writer_sink(file->writer);
    lam_value value = {.int64 = file->rows++};
    cr_assert_eq(sink.begin(sink.state, NULL), LAM_STATUS_OK);
    cr_assert_eq(sink.put(sink.state, lam_schema_leaf(file->schema, 0), value, NULL),
                 LAM_STATUS_OK);
    value.bytes = text;
    if (text.data != NULL)
        cr_assert_eq(sink.put(sink.state, lam_schema_leaf(file->schema, 1), value, NULL),
                     LAM_STATUS_OK);
    cr_assert_eq(sink.end(sink.state, NULL), LAM_STATUS_OK);
}

static void end_group(walk_file *file) {
    cr_assert_eq(lam_writer_end_row_group(file->writer, NULL), LAM_STATUS_OK);
    file->ends[file->group_count++] = (size_t)lam_writer_bytes_written(file->writer);
}

static void finish(walk_file *file) {
    cr_assert_eq(lam_writer_finish(file->writer, NULL), LAM_STATUS_OK);
}

static void drop(walk_file *file) {
    lam_writer_close(file->writer);
    lam_schema_destroy(file->schema);
    lam_trial_output_free(&file->trial);
}

/* Row groups that end within the first `size` bytes. */
static size_t ended(const walk_file *file, size_t size) {
    size_t count = 0;
    while (count < file->group_count && file->ends[count] <= size)
        count++;
    return count;
}

/* Opens the first `size` bytes and demands the row groups that are whole there. */
static lam_recovery expect_prefix(const walk_file *file, size_t size) {
    lam_recovery recovery;
    lam_status status;
    size_t groups = ended(file, size);
    lam_reader *reader =
        lam_unfinished_open((lam_bytes){file->trial.bytes.data, size}, NULL, &recovery, &status);
    cr_assert_eq(status, groups == 0 ? LAM_STATUS_CORRUPT : LAM_STATUS_OK, "at %zu", size);
    cr_assert_eq(recovery.row_groups, groups, "at %zu: %d", size, (int)recovery.row_groups);
    cr_assert_eq(recovery.rows, groups * WALK_GROUP_ROWS, "at %zu", size);
    lam_reader_close(reader);
    return recovery;
}

static void write_groups(walk_file *file, bool has_checkpoints) {
    for (int row = 0; row < WALK_ROWS; row++) {
        put_row(file, (lam_bytes){(const uint8_t *)"some text", (size_t)row % 9});
        if (row % WALK_GROUP_ROWS == WALK_GROUP_ROWS - 1)
            end_group(file);
        if (has_checkpoints && row % (2 * WALK_GROUP_ROWS) == 2 * WALK_GROUP_ROWS - 1)
            cr_assert_eq(lam_writer_checkpoint(file->writer, NULL), LAM_STATUS_OK);
    }
}

Test(recovery_walk, every_prefix_of_a_writer_with_records_has_its_whole_row_groups) {
    walk_file file;
    start(&file, true);
    write_groups(&file, false);
    finish(&file);
    for (size_t size = 0; size < file.trial.bytes.size; size++)
        expect_prefix(&file, size);
    cr_assert(expect_prefix(&file, file.trial.bytes.size).has_footer);
    drop(&file);
}

Test(recovery_walk, so_has_every_prefix_with_checkpoints) {
    walk_file file;
    start(&file, true);
    write_groups(&file, true);
    finish(&file);
    for (size_t size = 0; size <= file.trial.bytes.size; size++)
        expect_prefix(&file, size);
    drop(&file);
}

/* A checkpoint before the first row group: its footer has the schema then, and not the record. */
Test(recovery_walk, a_checkpoint_may_precede_the_first_row_group) {
    walk_file file;
    start(&file, true);
    cr_assert_eq(lam_writer_checkpoint(file.writer, NULL), LAM_STATUS_OK);
    size_t empty = (size_t)lam_writer_bytes_written(file.writer);
    write_groups(&file, true);
    finish(&file);
    for (size_t size = empty; size <= file.trial.bytes.size; size++) {
        lam_recovery recovery;
        lam_status status;
        lam_reader *reader =
            lam_unfinished_open((lam_bytes){file.trial.bytes.data, size}, NULL, &recovery, &status);
        cr_assert_eq(status, LAM_STATUS_OK, "at %zu", size);
        cr_assert_eq(recovery.row_groups, ended(&file, size), "at %zu", size);
        lam_reader_close(reader);
    }
    drop(&file);
}

/* A file of more than a walk reads at once: a failure is no end of the file. */
Test(recovery_walk, a_read_that_fails_is_reported) {
    static uint8_t text[20000];
    walk_file file;
    start(&file, true);
    for (int row = 0; row < WALK_ROWS; row++) {
        put_row(&file, (lam_bytes){text, sizeof text});
        if (row % WALK_GROUP_ROWS == WALK_GROUP_ROWS - 1) {
            end_group(&file);
            cr_assert_eq(lam_writer_checkpoint(file.writer, NULL), LAM_STATUS_OK);
        }
    }
    finish(&file);
    for (size_t cut = 0; cut < 2; cut++) {
        lam_ending_input ending = {.file = lam_buffer_bytes(&file.trial.bytes)};
        lam_status status = LAM_STATUS_IO;
        size_t failures = 0;
        ending.file.size -= cut;
        for (size_t number = 1; status == LAM_STATUS_IO; number++) {
            lam_error error = lam_error_none();
            lam_recovery recovery = lam_recovery_default();
            lam_reader *reader = NULL;
            lam_ending_input_again(&ending, number, 0);
            lam_input input = lam_ending_input_of(&ending);
            status = lam_reader_open_unfinished(&input, NULL, &reader, &recovery, &error);
            cr_assert(status == LAM_STATUS_OK || status == LAM_STATUS_IO, "%zu", number);
            cr_assert_str_eq(error.message, status == LAM_STATUS_IO ? LAM_ENDING_MESSAGE : "");
            if (status == LAM_STATUS_OK)
                cr_assert_eq(recovery.rows, WALK_ROWS);
            lam_reader_close(reader);
            failures += status == LAM_STATUS_IO;
        }
        cr_assert_gt(failures, 3);
    }
    drop(&file);
}

/* --- Appending ------------------------------------------------------------------------------- */

/* Begins to append to a finished file in place: its row groups go into the new footer first. */
static void begin_append(walk_file *file, bool has_records) {
    lam_output output = {&file->trial, NULL, NULL, NULL};
    lam_writer_options options = lam_writer_options_default();
    lam_buffer bytes = file->trial.bytes;
    lam_reader *reader = lam_test_open(bytes.data, bytes.size, NULL);
    lam_writer_close(file->writer);
    file->trial = (lam_trial_output){0};
    output = lam_trial_output_open(&file->trial);
    cr_assert_eq(lam_buffer_append(&file->trial.bytes, bytes.data, bytes.size, NULL),
                 LAM_STATUS_OK);
    lam_writer_inside inside = {.kernels = lam_kernels_get(), .offset = bytes.size};
    cr_assert_eq(
        lam_writer_open_with(&inside, file->schema, &output, &options, &file->writer, NULL),
        LAM_STATUS_OK);
    lam_footer_change whole;
    lam_footer_change_begin(&whole, reader);
    const lam_meta_row_group_list *groups = &whole.meta.row_groups;
    for (uint32_t i = 0; i < groups->count; i++)
        cr_assert_eq(lam_footer_build_add_resolved(&file->writer->footer, &groups->items[i], NULL),
                     LAM_STATUS_OK);
    if (has_records)
        lam_writer_start_records(file->writer, (const uint8_t *)"another identity");
    lam_footer_change_end(&whole);
    lam_reader_close(reader);
    lam_buffer_finish(&bytes);
}

Test(recovery_walk, what_was_appended_in_place_is_found_behind_the_old_footer) {
    for (int has_records = 0; has_records < 2; has_records++) {
        walk_file file;
        start(&file, has_records != 0);
        write_groups(&file, false);
        finish(&file);
        size_t finished = file.trial.bytes.size;
        begin_append(&file, true);
        write_groups(&file, true);
        for (size_t size = finished; size <= file.trial.bytes.size; size++)
            expect_prefix(&file, size);
        finish(&file);
        expect_prefix(&file, file.trial.bytes.size);
        drop(&file);
    }
}

static lam_meta_column_chunk text_chunk(const lam_reader *reader, size_t row_group,
                                        lam_arena *arena) {
    lam_meta_column_chunk chunk;
    cr_assert_eq(lam_reader_decode_chunk(reader, row_group, 1, arena, &chunk, NULL), LAM_STATUS_OK);
    cr_assert_not_null(chunk.meta_data);
    return chunk;
}

/* Demands the statistics that the row groups had when they were written. */
static void expect_statistics(const lam_reader *reader, const lam_reader *finished, size_t at) {
    lam_arena arena = lam_reader_chunk_arena(reader);
    for (size_t i = 0; i < lam_reader_row_group_count(finished); i++) {
        lam_bytes is = text_chunk(reader, i, &arena).meta_data->statistics->max_value;
        lam_bytes was = text_chunk(finished, i, &arena).meta_data->statistics->max_value;
        cr_assert(is.size == was.size && memcmp(is.data, was.data, is.size) == 0, "at %zu", at);
    }
    lam_arena_finish(&arena);
}

/*
 * A footer has no checksum: one that a power cut had torn in a max_value, at the edge of a sector,
 * was believed, since it described the pages that are there.
 */
Test(recovery_walk, a_torn_footer_behind_a_finished_file_changes_no_statistics) {
    for (int finishes = 0; finishes < 2; finishes++) {
        walk_file file;
        lam_recovery recovery;
        lam_status status;
        lam_recover_options options = lam_recover_options_default();
        start(&file, false);
        write_groups(&file, false);
        finish(&file);
        size_t finished = file.trial.bytes.size;
        begin_append(&file, true);
        if (finishes)
            finish(&file);
        else
            cr_assert_eq(lam_writer_checkpoint(file.writer, NULL), LAM_STATUS_OK);
        lam_bytes bytes = lam_buffer_bytes(&file.trial.bytes);
        lam_reader *whole =
            lam_unfinished_open((lam_bytes){bytes.data, finished}, NULL, &recovery, &status);
        options.is_leftover = true;
        options.durable_bytes = finished;
        for (size_t at = finished; at < bytes.size; at++) {
            uint8_t was = bytes.data[at];
            ((uint8_t *)file.trial.bytes.data)[at] = 0;
            lam_reader *reader = lam_unfinished_open(bytes, &options, &recovery, &status);
            ((uint8_t *)file.trial.bytes.data)[at] = was;
            cr_assert_eq(status, LAM_STATUS_OK, "at %zu", at);
            cr_assert_eq(recovery.row_groups, file.group_count, "at %zu", at);
            expect_statistics(reader, whole, at);
            lam_reader_close(reader);
        }
        lam_reader_close(whole);
        drop(&file);
    }
}

/* --- Forgeries ------------------------------------------------------------------------------- */

/* Bytes of a true file, from where something begins: a record, a footer, a page, an index. */
static lam_bytes forge(lam_random *random, lam_bytes true_file) {
    static const char *const begins[] = {"PLAM", "\x15\x04\x19", "PAR1", "\x15\x00\x15", "\x19"};
    const char *begin = begins[lam_random_below(random, 5)];
    size_t size = strlen(begin) > 0 ? strlen(begin) : 1;
    size_t from = (size_t)lam_random_below(random, true_file.size - 8);
    for (size_t i = 0; i < true_file.size - 8; i++) {
        size_t at = (from + i) % (true_file.size - 8);
        if (memcmp(true_file.data + at, begin, size) == 0) {
            from = at;
            break;
        }
    }
    size_t left = true_file.size - from;
    /* Often to the very end, so that the value ends in a whole footer with its magic. */
    size_t length =
        lam_random_chance(random, 60) ? left : 1 + (size_t)lam_random_below(random, left);
    if (length > VALUE_MOST) {
        from = true_file.size - VALUE_MOST;
        length = VALUE_MOST;
    }
    return (lam_bytes){true_file.data + from, length};
}

/* The offset behind a place where `value` lies in the file, from a random place on. */
static size_t behind_value(lam_random *random, lam_bytes bytes, lam_bytes value) {
    size_t start_at = (size_t)lam_random_below(random, bytes.size);
    for (size_t i = 0; i + value.size <= bytes.size; i++) {
        size_t at = (start_at + i) % (bytes.size - value.size + 1);
        if (memcmp(bytes.data + at, value.data, value.size) == 0)
            return at + value.size;
    }
    return bytes.size;
}

/* True when the first `size` bytes end in something that is taken for a footer by its magic. */
static bool ends_in_forgery(lam_bytes bytes, size_t size) {
    lam_input input = lam_input_memory(bytes.data, size);
    lam_reader *reader = NULL;
    lam_status status = lam_reader_open(&input, NULL, &reader, NULL);
    lam_reader_close(reader);
    return status == LAM_STATUS_OK;
}

/*
 * Values that hold records with the right id and checksum, footers, magics and page headers, in a
 * file that is cut right behind one of them or anywhere.
 */
Test(recovery_walk, values_are_never_taken_for_records_or_footers) {
    uint64_t seed = lam_test_seed(4711);
    lam_random random = lam_random_start(seed);
    fprintf(stderr, "seed %llu\n", (unsigned long long)seed);
    walk_file model;
    size_t footers = 0;
    start(&model, true);
    write_groups(&model, true);
    finish(&model);
    for (int round = 0; round < FORGERIES; round++) {
        walk_file file;
        lam_bytes values[WALK_ROWS];
        bool has_records = round % 4 != 3;
        start(&file, has_records);
        for (int row = 0; row < WALK_ROWS; row++) {
            values[row] = forge(&random, lam_buffer_bytes(&model.trial.bytes));
            put_row(&file, values[row]);
            if (row % WALK_GROUP_ROWS == WALK_GROUP_ROWS - 1)
                end_group(&file);
        }
        size_t written = (size_t)lam_writer_bytes_written(file.writer);
        lam_bytes bytes = {file.trial.bytes.data, written};
        if (!has_records)
            file.group_count = 0; /* nothing says what the pages hold */
        for (int cut = 0; cut < 8; cut++) {
            size_t size =
                lam_random_chance(&random, 75)
                    ? behind_value(&random, bytes, values[lam_random_below(&random, WALK_ROWS)])
                    : (size_t)lam_random_below(&random, written + 1);
            lam_recovery recovery = expect_prefix(&file, size);
            footers += ends_in_forgery(bytes, size);
            cr_assert_not(recovery.has_footer, "round %d, at %zu", round, size);
        }
        drop(&file);
    }
    cr_assert_gt(footers, FORGERIES);
    drop(&model);
}
