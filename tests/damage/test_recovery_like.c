/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files without footer beside a finished one of the same writer: what that states of its row
 * groups, codecs and encodings decides where the pages alone do not.
 */
#include <criterion/criterion.h>
#include <lamella/column.h>
#include <lamella/writer.h>
#include <stdio.h>
#include <string.h>

#include "damage/unfinished/schema_recovery.h"
#include "file/unfinished_sample.h"
#include "meta/compact.h"
#include "support/ending_input.h"
#include "support/failing_alloc.h"
#include "support/test_file.h"
#include "support/whole_footer.h"

enum { GROUPS_MOST = 4, LEAVES = 2 };

static const char required_shape[] = "message m { required int64 a; required int64 b; }";
static const char optional_shape[] = "message m { optional int64 a; optional int64 b; }";
static const char repeated_shape[] = "message m { repeated int64 a; repeated int64 b; }";

/* A finished file: row `i` has `i` in a, and 1000 + i in b. */
typedef struct like_file {
    lam_schema *schema;
    lam_trial_output trial;
    lam_reader *reader;
    size_t body; /* bytes before the footer */
} like_file;

static void put_row(lam_writer *writer, const lam_schema *schema, int64_t row) {
    lam_record_sink sink = lam_writer_sink(writer);
    cr_assert_eq(sink.begin(sink.state, NULL), LAM_STATUS_OK);
    for (int64_t leaf = 0; leaf < LEAVES; leaf++) {
        lam_value value = {.int64 = 1000 * leaf + row};
        cr_assert_eq(sink.put(sink.state, lam_schema_leaf(schema, (size_t)leaf), value, NULL),
                     LAM_STATUS_OK);
    }
    cr_assert_eq(sink.end(sink.state, NULL), LAM_STATUS_OK);
}

/* Writes row groups of as many rows, 0 for no more; with `tells_apart` b has its own encoding. */
static void write_like(like_file *file, const char *shape, const size_t *rows, bool tells_apart,
                       lam_codec codec) {
    lam_writer_options options = lam_writer_options_default();
    int64_t row = 0;
    *file = (like_file){.schema = lam_test_schema(shape)};
    options.dictionary = LAM_SWITCH_OFF;
    options.delta = LAM_SWITCH_OFF;
    options.page_index = LAM_SWITCH_OFF;
    options.codec = codec;
    lam_test_writer written = lam_test_write_as(file->schema, &options);
    cr_assert_eq(lam_writer_set_encoding(written.writer, "a", LAM_ENCODING_PLAIN, NULL),
                 LAM_STATUS_OK);
    cr_assert_eq(lam_writer_set_encoding(
                     written.writer, "b",
                     tells_apart ? LAM_ENCODING_DELTA_BINARY_PACKED : LAM_ENCODING_PLAIN, NULL),
                 LAM_STATUS_OK);
    for (size_t i = 0; i < GROUPS_MOST && rows[i] > 0; i++) {
        for (size_t end = (size_t)row + rows[i]; (size_t)row < end; row++)
            put_row(written.writer, file->schema, row);
        cr_assert_eq(lam_writer_end_row_group(written.writer, NULL), LAM_STATUS_OK);
    }
    file->body = (size_t)lam_writer_bytes_written(written.writer);
    file->trial.bytes = lam_test_written(&written);
    file->reader = lam_test_open(file->trial.bytes.data, file->trial.bytes.size, NULL);
}

static void drop_like(like_file *file) {
    lam_reader_close(file->reader);
    lam_trial_output_free(&file->trial);
    lam_schema_destroy(file->schema);
}

/* The rows of a leaf in all row groups, which must be those that were written; 0 if cut before. */
static uint64_t expect_rows(const lam_reader *reader, size_t leaf) {
    uint64_t row = 0;
    for (size_t g = 0; g < lam_reader_row_group_count(reader); g++) {
        lam_column_reader *column;
        lam_triples triples = {.count = 1};
        if (lam_column_reader_open(reader, g, leaf, &column, NULL) != LAM_STATUS_OK)
            break;
        while (triples.count > 0) {
            cr_assert_eq(lam_column_reader_read(column, SIZE_MAX, &triples, NULL), LAM_STATUS_OK);
            const int64_t *values = triples.values;
            cr_assert_eq(triples.value_count, triples.count);
            for (size_t i = 0; i < triples.count; i++, row++)
                cr_assert_eq(values[i], (int64_t)(1000 * leaf + row));
        }
        lam_column_reader_close(column);
    }
    return row;
}

/* Opens the pages of a file, without a footer behind them, beside another. */
static lam_reader *open_beside(const like_file *file, const lam_reader *like, bool keeps_cut,
                               lam_recovery *ret_recovery) {
    lam_recover_options options = lam_recover_options_default();
    lam_status status;
    options.like = like;
    options.keeps_cut = keeps_cut;
    lam_reader *reader = lam_unfinished_open((lam_bytes){file->trial.bytes.data, file->body},
                                             &options, ret_recovery, &status);
    cr_assert(status == LAM_STATUS_OK || status == LAM_STATUS_CORRUPT, "%d", (int)status);
    return reader;
}

/* --- Rows of row groups ---------------------------------------------------------------------- */

/* All row groups but the last one have the same rows, and that has no more: the rows are usual. */
Test(recovery_like, rows_that_differ_are_not_usual) {
    static const struct {
        size_t rows[GROUPS_MOST];
        bool are_usual;
    } cases[] = {{{10, 10, 10, 4}, true},  {{10, 10}, true},      {{10, 3}, true},
                 {{10, 10, 20}, false},    {{10, 12}, false},     {{10, 12, 10, 5}, false},
                 {{10, 10, 12, 5}, false}, {{10, 0, 0, 0}, false}};
    static const size_t rows[GROUPS_MOST] = {10, 10, 10, 10};
    like_file file;
    write_like(&file, required_shape, rows, false, LAM_CODEC_UNCOMPRESSED);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        like_file like;
        lam_recovery recovery;
        write_like(&like, required_shape, cases[i].rows, false, LAM_CODEC_UNCOMPRESSED);
        lam_reader *reader = open_beside(&file, like.reader, false, &recovery);
        cr_assert_eq(reader != NULL, cases[i].are_usual, "case %zu", i);
        if (reader != NULL) {
            cr_assert_eq(recovery.rows, 40);
            cr_assert(expect_rows(reader, 0) == 40 && expect_rows(reader, 1) == 40);
        }
        lam_reader_close(reader);
        drop_like(&like);
    }
    drop_like(&file);
}

/* --- Encodings ------------------------------------------------------------------------------- */

static const size_t unusual_rows[GROUPS_MOST] = {10, 10, 20};

Test(recovery_like, columns_are_told_apart_by_their_encodings) {
    static const char *const shapes[] = {required_shape, optional_shape, repeated_shape};
    for (size_t i = 0; i < 3; i++) {
        like_file file;
        lam_recovery recovery;
        write_like(&file, shapes[i], unusual_rows, true, LAM_CODEC_SNAPPY);
        cr_assert_null(open_beside(&file, file.reader, false, &recovery), "%zu", i);
        lam_reader *reader = open_beside(&file, file.reader, true, &recovery);
        cr_assert_not_null(reader, "%zu", i);
        cr_assert(recovery.follows_like);
        cr_assert_eq(recovery.rows, 40);
        cr_assert_eq(expect_rows(reader, 0), 40);
        cr_assert_eq(expect_rows(reader, 1), 40);
        lam_reader_close(reader);
        drop_like(&file);
    }
}

/* What cannot be read of the other file tells nothing apart, and is no failure. */
Test(recovery_like, encodings_that_cannot_be_had_tell_nothing_apart) {
    for (int same = 0; same < 2; same++) {
        like_file file, like;
        lam_recovery recovery;
        lam_footer_change change;
        write_like(&file, required_shape, unusual_rows, true, LAM_CODEC_UNCOMPRESSED);
        write_like(&like, required_shape, unusual_rows, same == 0, LAM_CODEC_UNCOMPRESSED);
        lam_footer_change_begin(&change, like.reader);
        if (same == 0) /* a chunk that is somewhere else */
            lam_footer_change_chunk(&change, 1, 1)->meta_data = NULL;
        else /* no page is in the encodings that the chunks have */
            lam_footer_change_column(&change, 0, 0)->encodings.count = 0;
        lam_footer_change_apply(&change);
        lam_reader *reader = open_beside(&file, like.reader, true, &recovery);
        cr_assert_not_null(reader);
        cr_assert(!recovery.follows_like && recovery.is_cut);
        cr_assert_eq(recovery.row_groups, 1);
        cr_assert_eq(expect_rows(reader, 0), 10);
        cr_assert_eq(expect_rows(reader, 1), 0);
        lam_reader_close(reader);
        lam_footer_change_end(&change);
        drop_like(&like);
        drop_like(&file);
    }
}

/* Columns in one encoding are as alike as before. */
Test(recovery_like, encodings_that_are_the_same_tell_nothing_apart) {
    like_file file;
    lam_recovery recovery;
    write_like(&file, required_shape, unusual_rows, false, LAM_CODEC_UNCOMPRESSED);
    lam_reader *reader = open_beside(&file, file.reader, true, &recovery);
    cr_assert_not_null(reader);
    cr_assert(!recovery.follows_like && recovery.is_cut);
    cr_assert_eq(recovery.row_groups, 1);
    cr_assert_eq(expect_rows(reader, 0), 10);
    lam_reader_close(reader);
    drop_like(&file);
}

/* --- Codecs ---------------------------------------------------------------------------------- */

/* A codec that nobody knows is in the way of reading, and not before. */
Test(recovery_like, a_codec_with_an_unknown_number_compresses_nothing) {
    for (int round = 0; round < 4; round++) {
        const bool is_compressed = round % 2 == 1, keeps_cut = round / 2 == 1;
        static const size_t rows[GROUPS_MOST] = {100, 100, 50};
        like_file file;
        lam_recovery recovery;
        lam_footer_change change;
        write_like(&file, optional_shape, rows, false,
                   is_compressed ? LAM_CODEC_SNAPPY : LAM_CODEC_UNCOMPRESSED);
        lam_footer_change_begin(&change, file.reader);
        for (size_t leaf = 0; leaf < LEAVES; leaf++)
            lam_footer_change_column(&change, 0, leaf)->codec = 99;
        lam_footer_change_apply(&change);
        lam_reader *reader = open_beside(&file, file.reader, keeps_cut, &recovery);
        cr_assert_eq(reader == NULL, is_compressed);
        if (reader != NULL)
            cr_assert(expect_rows(reader, 0) >= 200 && expect_rows(reader, 1) >= 200);
        lam_reader_close(reader);
        lam_footer_change_end(&change);
        drop_like(&file);
    }
}

/* Each column has its own. */
Test(recovery_like, columns_have_the_codecs_that_they_have_in_the_other_file) {
    static const size_t rows[GROUPS_MOST] = {10, 10, 5};
    like_file file;
    lam_recovery recovery;
    lam_footer_change change;
    write_like(&file, required_shape, rows, false, LAM_CODEC_UNCOMPRESSED);
    lam_footer_change_begin(&change, file.reader);
    lam_footer_change_column(&change, 0, 1)->codec = LAM_CODEC_GZIP - 1;
    lam_footer_change_apply(&change);
    lam_reader *reader = open_beside(&file, file.reader, false, &recovery);
    cr_assert_not_null(reader);
    for (size_t leaf = 0; leaf < LEAVES; leaf++) {
        lam_column_chunk_info info = lam_column_chunk_info_default();
        cr_assert_eq(lam_reader_column_chunk(reader, 1, leaf, &info, NULL), LAM_STATUS_OK);
        cr_assert_eq(info.codec, leaf == 0 ? LAM_CODEC_UNCOMPRESSED : LAM_CODEC_GZIP);
    }
    lam_reader_close(reader);
    lam_footer_change_end(&change);
    drop_like(&file);
}

/* --- Failures -------------------------------------------------------------------------------- */

static lam_status open_failing(lam_input input, const lam_reader *like,
                               const lam_allocator *allocator, lam_error *error) {
    lam_recover_options options = lam_recover_options_default();
    lam_recovery recovery = lam_recovery_default();
    lam_reader *reader = NULL;
    options.like = like;
    options.keeps_cut = true;
    options.allocator = allocator;
    lam_status status = lam_reader_open_unfinished(&input, &options, &reader, &recovery, error);
    cr_assert_eq(status == LAM_STATUS_OK, reader != NULL);
    if (reader != NULL)
        cr_assert(recovery.rows == 40 && recovery.follows_like);
    lam_reader_close(reader);
    return status;
}

/* A search that ended early for want of memory would take the pages for what they may not be. */
Test(recovery_like, memory_that_runs_out_is_no_other_division) {
    static const char *const shapes[] = {optional_shape, repeated_shape};
    for (size_t i = 0; i < 2; i++) {
        like_file file;
        lam_status status = LAM_STATUS_NOMEM;
        write_like(&file, shapes[i], unusual_rows, true, LAM_CODEC_UNCOMPRESSED);
        for (size_t number = 1; status == LAM_STATUS_NOMEM; number++) {
            lam_failing_alloc counter = {.fail_at = number};
            lam_allocator allocator = lam_failing_allocator(&counter);
            lam_error error = lam_error_none();
            lam_input input = lam_input_memory(file.trial.bytes.data, file.body);
            status = open_failing(input, file.reader, &allocator, number % 2 == 0 ? &error : NULL);
            cr_assert(status == LAM_STATUS_OK || status == LAM_STATUS_NOMEM, "%zu", number);
            if (number % 2 == 0)
                cr_assert_eq(error.status, status, "%zu", number);
            cr_assert_eq(counter.live_bytes, 0, "%zu", number);
            cr_assert(number > 20 || status == LAM_STATUS_NOMEM);
        }
        drop_like(&file);
    }
}

Test(recovery_like, a_read_that_fails_is_no_other_division) {
    static const char *const shapes[] = {optional_shape, repeated_shape};
    lam_allocator heap = lam_allocator_default();
    for (size_t i = 0; i < 2; i++) {
        like_file file;
        write_like(&file, shapes[i], unusual_rows, true, LAM_CODEC_UNCOMPRESSED);
        lam_ending_input ending = {.file = {file.trial.bytes.data, file.body}};
        lam_input input = lam_ending_input_of(&ending);
        cr_assert_eq(open_failing(input, file.reader, &heap, NULL), LAM_STATUS_OK);
        size_t reads = ending.reads;
        cr_assert_gt(reads, 2);
        for (size_t number = 1; number <= reads; number++) {
            lam_error error = lam_error_none();
            lam_ending_input_again(&ending, number, 0);
            cr_assert_eq(open_failing(input, file.reader, &heap, number % 2 == 0 ? &error : NULL),
                         LAM_STATUS_IO, "%zu of %zu", number, reads);
            if (number % 2 == 0)
                cr_assert_str_eq(error.message, LAM_ENDING_MESSAGE);
        }
        drop_like(&file);
    }
}

/* The other file's metadata are decoded in memory of its reader, which may have an end, too. */
Test(recovery_like, memory_that_runs_out_in_the_other_file_is_told) {
    like_file file;
    lam_allocator heap = lam_allocator_default();
    lam_failing_alloc counter = {0};
    lam_allocator allocator = lam_failing_allocator(&counter);
    lam_reader_options reading = lam_reader_options_default();
    write_like(&file, required_shape, unusual_rows, true, LAM_CODEC_UNCOMPRESSED);
    lam_input input = lam_input_memory(file.trial.bytes.data, file.trial.bytes.size);
    reading.allocator = &allocator;
    lam_reader *like = lam_test_open_input(&input, &reading);
    for (int has_error = 0; has_error < 2; has_error++) {
        lam_status status = LAM_STATUS_NOMEM;
        for (size_t number = 1; status == LAM_STATUS_NOMEM; number++) {
            lam_error error = lam_error_none();
            input = lam_input_memory(file.trial.bytes.data, file.body);
            counter.fail_at = counter.requests + number;
            status = open_failing(input, like, &heap, has_error ? &error : NULL);
            cr_assert(status == LAM_STATUS_OK || status == LAM_STATUS_NOMEM, "%zu", number);
            cr_assert_eq(error.status, has_error ? status : LAM_STATUS_OK);
        }
    }
    lam_reader_close(like);
    cr_assert_eq(counter.live_bytes, 0);
    drop_like(&file);
}

/* Two leaves that are alike, and so many kinds behind them that not all rows are remembered. */
static lam_file_sample sample_of_kinds(const char *repetition) {
    enum { KINDS = 16 };
    char shape[1500] = "";
    lam_random random = lam_random_start(lam_test_seed(9));
    lam_writer_options options = lam_writer_options_default();
    lam_file_sample sample;
    size_t size = (size_t)snprintf(shape, sizeof shape, "message m { %s int64 x; %s int64 y;",
                                   repetition, repetition);
    for (int width = 1; width <= KINDS; width++)
        size += (size_t)snprintf(shape + size, sizeof shape - size,
                                 " %s fixed_len_byte_array(%d) f%d;", repetition, width, width);
    snprintf(shape + size, sizeof shape - size, " }");
    options.row_group_rows = 6;
    options.page_rows = 3;
    options.page_index = LAM_SWITCH_OFF;
    options.dictionary = LAM_SWITCH_OFF;
    options.codec = LAM_CODEC_UNCOMPRESSED;
    lam_file_sample_init(&sample, lam_test_schema(shape), 15, 70, &random);
    lam_file_sample_write(&sample, &options, NULL);
    return sample;
}

/* Bytes up to a row group's third chunk, so that x and y may end anywhere. */
static size_t cut_of(const lam_reader *reader, size_t row_group) {
    lam_column_chunk_info info = lam_column_chunk_info_default();
    cr_assert_eq(lam_reader_column_chunk(reader, row_group, 2, &info, NULL), LAM_STATUS_OK);
    return (size_t)info.data_page_offset;
}

/* Says of y's first page in the second row group that it is in another encoding. */
static void change_encoding(lam_file_sample *sample, const lam_reader *reader) {
    lam_allocator heap = lam_allocator_default();
    lam_column_chunk_info info = lam_column_chunk_info_default();
    lam_meta_page_header header;
    lam_arena arena;
    lam_buffer bytes;
    size_t size;
    cr_assert_eq(lam_reader_column_chunk(reader, 1, 1, &info, NULL), LAM_STATUS_OK);
    uint8_t *at = sample->bytes.data + info.data_page_offset;
    lam_arena_init(&arena, &heap, 0);
    lam_buffer_init(&bytes, &heap);
    cr_assert_eq(lam_meta_read_page_header((lam_bytes){at, 200}, &arena, &header, &size, NULL),
                 LAM_STATUS_OK);
    ((lam_meta_data_page_header *)(uintptr_t)header.data_page_header)->encoding =
        LAM_ENCODING_DELTA_BINARY_PACKED;
    cr_assert_eq(lam_meta_write_page_header(&header, &bytes, NULL), LAM_STATUS_OK);
    cr_assert_eq(bytes.size, size);
    memcpy(at, bytes.data, size);
    lam_arena_finish(&arena);
    lam_buffer_finish(&bytes);
}

/* Fails each read of an opening in turn. */
static void fail_each_read(lam_bytes file, const lam_reader *like, size_t row_groups) {
    lam_recover_options options = lam_recover_options_default();
    lam_ending_input ending = {.file = file};
    lam_status status = LAM_STATUS_IO;
    options.like = like;
    options.keeps_cut = true;
    for (size_t number = 1; status == LAM_STATUS_IO; number++) {
        lam_recovery recovery = lam_recovery_default();
        lam_error error = lam_error_none();
        lam_reader *reader = NULL;
        lam_ending_input_again(&ending, number, 0);
        lam_input input = lam_ending_input_of(&ending);
        status = lam_reader_open_unfinished(&input, &options, &reader, &recovery, &error);
        cr_assert(status == LAM_STATUS_OK || status == LAM_STATUS_IO, "%zu: %s", number,
                  error.message);
        if (status == LAM_STATUS_OK)
            cr_assert(recovery.is_cut && recovery.row_groups == row_groups);
        lam_reader_close(reader);
    }
}

/* Rows that were forgotten are read again, also where what was tried last came to nothing. */
Test(recovery_like, a_read_that_fails_among_many_kinds_is_no_other_division) {
    static const char *const repetitions[] = {"optional", "repeated"};
    for (size_t i = 0; i < 4; i++) {
        const bool is_changed = i / 2 == 1;
        lam_file_sample sample = sample_of_kinds(repetitions[i % 2]);
        lam_file_sample original = sample_of_kinds(repetitions[i % 2]);
        lam_reader *like = lam_file_sample_open(&original, NULL);
        size_t last = is_changed ? 2 : 1, cut = cut_of(like, last);
        lam_footer_change change;
        if (is_changed)
            change_encoding(&sample, like);
        lam_footer_change_begin(&change, like);
        change.meta.row_groups.count = 1; /* no rows are usual */
        lam_footer_change_apply(&change);
        fail_each_read((lam_bytes){sample.bytes.data, cut}, like, last + 1);
        lam_footer_change_end(&change);
        lam_reader_close(like);
        lam_file_sample_finish(&original);
        lam_file_sample_finish(&sample);
    }
}
