/* SPDX-License-Identifier: Apache-2.0 */
/* The writer from open to close: options, ends of row groups, failed records, triples. */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <lamella/column.h>
#include <lamella/writer.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "file/file_sample.h"
#include "file/write/file_writer.h"
#include "support/failing_alloc.h"
#include "support/file_info.h"

#define SCHEMA                                                                                     \
    "message m { required int32 a; optional group g { repeated binary b; } optional boolean c; }"

/* --- Options --------------------------------------------------------------------------------- */

static lam_status open_with(const lam_writer_options *options) {
    lam_schema *schema = lam_test_schema(SCHEMA);
    lam_trial_output trial = {0};
    lam_output output = lam_trial_output_open(&trial);
    lam_writer *writer = NULL;
    lam_error error = lam_error_none();
    lam_status status = lam_writer_open(schema, &output, options, &writer, &error);
    if (status == LAM_STATUS_OK) {
        cr_assert_null(output.write); /* moved into the writer */
        lam_writer_close(writer);
        cr_assert(trial.closed);
    } else {
        cr_assert_eq(error.status, status);
        cr_assert_neq(error.message[0], '\0');
        cr_assert_not_null(output.write); /* still the caller's */
        cr_assert_not(trial.closed);
        cr_assert_eq(trial.bytes.size, 0);
    }
    lam_output_close(&output);
    lam_trial_output_free(&trial);
    lam_schema_destroy(schema);
    return status;
}

#define EXPECT_OPTION(member, value, status)                                                       \
    do {                                                                                           \
        lam_writer_options options = lam_writer_options_default();                                 \
        options.member = (value);                                                                  \
        cr_assert_eq(open_with(&options), (status), #member " " #value);                           \
    } while (0)

Test(file_writer, options_out_of_range_are_invalid) {
    EXPECT_OPTION(struct_size, 0, LAM_STATUS_INVALID);
    EXPECT_OPTION(struct_size, sizeof(lam_writer_options) - 1, LAM_STATUS_INVALID);
    EXPECT_OPTION(codec, (lam_codec)99, LAM_STATUS_INVALID);
    EXPECT_OPTION(codec, (lam_codec)-1, LAM_STATUS_INVALID);
    EXPECT_OPTION(codec, LAM_CODEC_LZO, LAM_STATUS_UNSUPPORTED);
    EXPECT_OPTION(codec_level, 23, LAM_STATUS_INVALID);
    EXPECT_OPTION(codec_level, -1, LAM_STATUS_INVALID);
    EXPECT_OPTION(data_page_version, 3, LAM_STATUS_INVALID);
    EXPECT_OPTION(data_page_version, -1, LAM_STATUS_INVALID);
    EXPECT_OPTION(row_group_bytes, UINT64_MAX, LAM_STATUS_INVALID);
    EXPECT_OPTION(row_group_rows, (uint64_t)INT64_MAX + 1, LAM_STATUS_INVALID);
    EXPECT_OPTION(page_bytes, INT32_MAX, LAM_STATUS_INVALID);
    EXPECT_OPTION(page_rows, (uint64_t)INT32_MAX + 1, LAM_STATUS_INVALID);
    EXPECT_OPTION(dictionary_bytes, UINT64_MAX, LAM_STATUS_INVALID);
    lam_writer_options options = lam_writer_options_default();
    options.codec = LAM_CODEC_SNAPPY;
    options.codec_level = 1; /* SNAPPY has no levels */
    cr_assert_eq(open_with(&options), LAM_STATUS_INVALID);
}

Test(file_writer, options_at_their_ends_are_taken) {
    cr_assert_eq(open_with(NULL), LAM_STATUS_OK);
    EXPECT_OPTION(codec_level, 22, LAM_STATUS_OK);
    EXPECT_OPTION(data_page_version, 2, LAM_STATUS_OK);
    EXPECT_OPTION(row_group_bytes, 1, LAM_STATUS_OK);
    EXPECT_OPTION(row_group_rows, INT64_MAX, LAM_STATUS_OK);
    EXPECT_OPTION(page_bytes, 1, LAM_STATUS_OK);
    EXPECT_OPTION(page_rows, INT32_MAX, LAM_STATUS_OK);
    EXPECT_OPTION(dictionary_bytes, 1, LAM_STATUS_OK);
}

/* --- The way of a file ----------------------------------------------------------------------- */

static const lam_field *leaf_of(const lam_test_writer *file, size_t index) {
    return lam_schema_leaf(lam_writer_schema(file->writer), index);
}

/* Asked for a dictionary of booleans, the writer took the encoding for a legal one, found no
 * dictionary to build, and was poisoned by it. */
Test(file_writer, an_encoding_that_is_refused_leaves_the_writer_as_it_was) {
    lam_test_writer file = lam_test_write(SCHEMA, NULL);
    lam_error error = lam_error_none();
    cr_assert_eq(lam_writer_set_encoding(file.writer, "c", LAM_ENCODING_RLE_DICTIONARY, &error),
                 LAM_STATUS_INVALID);
    cr_assert_str_eq(error.message, "field 'c' of type BOOLEAN cannot be in RLE_DICTIONARY");
    cr_assert_eq(lam_writer_set_encoding(file.writer, "", LAM_ENCODING_RLE_DICTIONARY, NULL),
                 LAM_STATUS_INVALID);
    cr_assert_eq(lam_writer_set_encoding(file.writer, "g", LAM_ENCODING_RLE_DICTIONARY, NULL),
                 LAM_STATUS_OK);
    cr_assert_eq(lam_writer_finish(file.writer, NULL), LAM_STATUS_OK);
    lam_test_drop(&file);
}

/* A record of one required INT32 leaf. */
static lam_status put_number(lam_test_writer *file, int32_t number, lam_error *error) {
    lam_value value = {.int32 = number};
    lam_status status = file->sink.begin(file->sink.state, error);
    if (status == LAM_STATUS_OK)
        status = file->sink.put(file->sink.state, leaf_of(file, 0), value, error);
    if (status == LAM_STATUS_OK)
        status = file->sink.end(file->sink.state, error);
    return status;
}

static lam_reader *read_back(const lam_test_writer *file) {
    return lam_test_open(file->trial->bytes.data, file->trial->bytes.size, NULL);
}

#define NUMBERS "message m { required int32 a; }"

/* Demands that the only column of the file holds the numbers from `first` on. */
static void expect_numbers(const lam_test_writer *file, int32_t first, size_t count) {
    lam_reader *reader = read_back(file);
    size_t done = 0;
    cr_assert_eq(lam_reader_row_count(reader), count);
    for (size_t group = 0; group < lam_reader_row_group_count(reader); group++) {
        lam_column_reader *column;
        lam_triples run = {.count = 1};
        cr_assert_eq(lam_column_reader_open(reader, group, 0, &column, NULL), LAM_STATUS_OK);
        while (run.count > 0) {
            cr_assert_eq(lam_column_reader_read(column, SIZE_MAX, &run, NULL), LAM_STATUS_OK);
            for (size_t i = 0; i < run.count; i++)
                cr_assert_eq(((const int32_t *)run.values)[i], first + (int32_t)done++);
        }
        lam_column_reader_close(column);
    }
    cr_assert_eq(done, count);
    lam_reader_close(reader);
}

Test(file_writer, a_file_without_rows_has_a_schema_and_no_row_group) {
    lam_test_writer file = lam_test_write(SCHEMA, NULL);
    cr_assert_eq(lam_writer_end_row_group(file.writer, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_writer_write_triples(file.writer, (lam_triples[3]){{0}}, 0, NULL),
                 LAM_STATUS_OK);
    cr_assert_eq(lam_writer_end_row_group(file.writer, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_writer_finish(file.writer, NULL), LAM_STATUS_OK);
    lam_reader *reader = read_back(&file);
    cr_assert_eq(lam_reader_row_count(reader), 0);
    cr_assert_eq(lam_reader_row_group_count(reader), 0);
    lam_schema *schema = lam_test_schema(SCHEMA);
    cr_assert(lam_schema_equals(lam_reader_schema(reader), schema));
    lam_schema_destroy(schema);
    lam_reader_close(reader);
    lam_test_drop(&file);
}

Test(file_writer, records_without_columns_are_counted) {
    lam_writer_options options = lam_writer_options_default();
    options.row_group_rows = 1000;
    lam_test_writer file = lam_test_write("message m { }", &options);
    for (int i = 0; i < 1500; i++) {
        cr_assert_eq(file.sink.begin(file.sink.state, NULL), LAM_STATUS_OK);
        cr_assert_eq(file.sink.end(file.sink.state, NULL), LAM_STATUS_OK);
    }
    cr_assert_eq(lam_writer_write_triples(file.writer, NULL, 2500, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_writer_record_count(file.writer), 4000);
    cr_assert_eq(lam_writer_finish(file.writer, NULL), LAM_STATUS_OK);
    lam_reader *reader = read_back(&file);
    cr_assert_eq(lam_reader_row_count(reader), 4000);
    cr_assert_eq(lam_reader_row_group_count(reader), 4);
    lam_reader_close(reader);
    lam_test_drop(&file);
}

Test(file_writer, row_groups_end_at_their_rows) {
    static const size_t sizes[] = {1, 7, 1000, 1024, 1025, 5000};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        for (int as_triples = 0; as_triples < 2; as_triples++) {
            int32_t numbers[3000];
            lam_writer_options options = lam_writer_options_default();
            options.row_group_rows = sizes[i];
            lam_test_writer file = lam_test_write(NUMBERS, &options);
            for (int32_t n = 0; n < 3000; n++) {
                numbers[n] = n;
                if (!as_triples)
                    cr_assert_eq(put_number(&file, n, NULL), LAM_STATUS_OK);
            }
            lam_triples column = {3000, 3000, NULL, NULL, numbers};
            if (as_triples)
                cr_assert_eq(lam_writer_write_triples(file.writer, &column, 3000, NULL),
                             LAM_STATUS_OK);
            cr_assert_eq(lam_writer_finish(file.writer, NULL), LAM_STATUS_OK);
            expect_numbers(&file, 0, 3000);
            lam_reader *reader = read_back(&file);
            size_t groups = (3000 + sizes[i] - 1) / sizes[i];
            cr_assert_eq(lam_reader_row_group_count(reader), groups);
            for (size_t g = 0; g < groups; g++) {
                lam_row_group_info info = lam_row_group_info_default();
                cr_assert_eq(lam_reader_row_group(reader, g, &info, NULL), LAM_STATUS_OK);
                cr_assert_eq(info.row_count, g + 1 < groups ? sizes[i] : 3000 - g * sizes[i]);
            }
            lam_reader_close(reader);
            lam_test_drop(&file);
        }
    }
}

Test(file_writer, row_groups_end_at_their_bytes) {
    lam_writer_options options = lam_writer_options_default();
    options.row_group_bytes = 100000;
    options.dictionary = LAM_SWITCH_OFF;
    options.delta = LAM_SWITCH_OFF;
    options.codec = LAM_CODEC_UNCOMPRESSED;
    lam_test_writer file = lam_test_write(NUMBERS, &options);
    for (int32_t n = 0; n < 200000; n++) {
        cr_assert_eq(put_number(&file, n, NULL), LAM_STATUS_OK);
        cr_assert_lt(lam_writer_buffered_bytes(file.writer), 100000 + 10000);
    }
    cr_assert_eq(lam_writer_finish(file.writer, NULL), LAM_STATUS_OK);
    expect_numbers(&file, 0, 200000);
    lam_reader *reader = read_back(&file);
    cr_assert_eq(lam_reader_row_group_count(reader), 8); /* of 25 batches of 1024 rows */
    lam_reader_close(reader);
    lam_test_drop(&file);
}

enum { LONG_RECORDS = 500, LONG_BYTES = 60000, LONG_LIMIT = 1 << 20 };

/* Writes a column in one call, in pieces, or record by record. */
static void write_long(lam_test_writer *file, const lam_bytes *values, int way,
                       lam_random *random) {
    lam_record_sink sink = lam_writer_sink(file->writer);
    const lam_field *leaf = lam_schema_leaf(lam_writer_schema(file->writer), 0);
    for (size_t done = 0, count; done < LONG_RECORDS; done += count) {
        count = way == 0 ? LONG_RECORDS : way == 1 ? 1 + (size_t)lam_random_below(random, 50) : 1;
        count = count < LONG_RECORDS - done ? count : LONG_RECORDS - done;
        lam_triples column = {count, count, NULL, NULL, values + done};
        if (way < 2) {
            cr_assert_eq(lam_writer_write_triples(file->writer, &column, count, NULL), 0);
            continue;
        }
        cr_assert_eq(sink.begin(sink.state, NULL), LAM_STATUS_OK);
        cr_assert_eq(sink.put(sink.state, leaf, (lam_value){.bytes = values[done]}, NULL), 0);
        cr_assert_eq(sink.end(sink.state, NULL), LAM_STATUS_OK);
        cr_assert_lt(lam_writer_buffered_bytes(file->writer), LONG_LIMIT + 2 * LONG_BYTES);
    }
    cr_assert_eq(lam_writer_finish(file->writer, NULL), LAM_STATUS_OK);
}

static void expect_long_groups(lam_test_writer *file) {
    enum { MOST = LONG_LIMIT + LONG_LIMIT / 16 + LONG_BYTES + 10000 };
    lam_reader *reader = read_back(file);
    size_t groups = lam_reader_row_group_count(reader);
    cr_assert_eq(lam_reader_row_count(reader), LONG_RECORDS);
    for (size_t g = 0; g < groups; g++) {
        lam_row_group_info info = lam_row_group_info_default();
        cr_assert_eq(lam_reader_row_group(reader, g, &info, NULL), LAM_STATUS_OK);
        cr_expect_lt(info.total_byte_size, MOST);
        cr_expect(g + 1 == groups || info.total_byte_size >= LONG_LIMIT);
    }
    lam_reader_close(reader);
}

/* Writes a column in the way of Arrow arrays, of which nobody knows the bytes before. */
static void write_windows(lam_test_writer *file, const lam_bytes *values, bool split,
                          lam_random *random) {
    for (size_t done = 0, rows; done < LONG_RECORDS; done += rows) {
        size_t left = LONG_RECORDS - done;
        left = split ? 1 + (size_t)lam_random_below(random, left) : left;
        cr_assert_eq(lam_writer_start_rows(file->writer, left, &rows, NULL), LAM_STATUS_OK);
        cr_assert(rows > 0 && rows <= left);
        rows = split ? 1 + (size_t)lam_random_below(random, rows) : rows;
        lam_triples column = {rows, rows, NULL, NULL, values + done};
        cr_assert_eq(lam_writer_add_leaf(file->writer, 0, &column, NULL), LAM_STATUS_OK);
        cr_assert_eq(lam_writer_end_rows(file->writer, rows, NULL), LAM_STATUS_OK);
    }
    cr_assert_eq(lam_writer_finish(file->writer, NULL), LAM_STATUS_OK);
}

Test(file_writer, row_groups_of_rows_of_unknown_bytes_come_near_what_is_asked_for) {
    static uint8_t text[LONG_BYTES];
    lam_writer_options options = lam_writer_options_default();
    options.row_group_bytes = LONG_LIMIT;
    options.dictionary = LAM_SWITCH_OFF;
    options.codec = LAM_CODEC_UNCOMPRESSED;
    lam_random random = lam_random_start(lam_test_seed(6));
    lam_bytes values[LONG_RECORDS];
    for (size_t i = 0; i < LONG_RECORDS; i++)
        values[i] = (lam_bytes){text, LONG_BYTES / 2 + (size_t)lam_random_below(&random, 1000)};
    lam_test_writer files[2];
    for (int way = 0; way < 2; way++) {
        files[way] = lam_test_write("message m { required binary a; }", &options);
        write_windows(&files[way], values, way == 1, &random);
        expect_long_groups(&files[way]);
    }
    lam_buffer *whole = &files[0].trial->bytes, *pieces = &files[1].trial->bytes;
    cr_assert_eq(whole->size, pieces->size);
    cr_assert_eq(memcmp(whole->data, pieces->data, whole->size), 0);
    for (int way = 0; way < 2; way++)
        lam_test_drop(&files[way]);
}

/* Triples were counted after 1024 rows alone, and a row group of long values was a hundred times
 * the size that was asked for. */
Test(file_writer, row_groups_of_long_values_end_at_their_bytes_however_they_come) {
    static uint8_t text[LONG_BYTES];
    lam_writer_options options = lam_writer_options_default();
    options.row_group_bytes = LONG_LIMIT;
    options.dictionary = LAM_SWITCH_OFF;
    options.codec = LAM_CODEC_UNCOMPRESSED;
    lam_random random = lam_random_start(lam_test_seed(5));
    lam_bytes values[LONG_RECORDS];
    for (size_t i = 0; i < LONG_RECORDS; i++) /* short ones in the middle */
        values[i] = (lam_bytes){text, i / 100 == 2 ? i % 64
                                                   : (size_t)lam_random_below(&random, LONG_BYTES)};
    lam_test_writer files[3];
    for (int way = 0; way < 3; way++) {
        files[way] = lam_test_write("message m { required binary a; }", &options);
        write_long(&files[way], values, way, &random);
        expect_long_groups(&files[way]);
    }
    lam_buffer *whole = &files[0].trial->bytes, *pieces = &files[1].trial->bytes;
    cr_assert_eq(whole->size, pieces->size);
    cr_assert_eq(memcmp(whole->data, pieces->data, whole->size), 0);
    for (int way = 0; way < 3; way++)
        lam_test_drop(&files[way]);
}

Test(file_writer, a_row_group_may_be_ended_at_any_record) {
    uint64_t metadata = 0;
    lam_test_writer file = lam_test_write(NUMBERS, NULL);
    for (int32_t n = 0; n < 10; n++) {
        cr_assert_eq(put_number(&file, n, NULL), LAM_STATUS_OK);
        cr_assert_gt(lam_writer_buffered_bytes(file.writer), metadata);
        if (n % 4 == 3) {
            cr_assert_eq(lam_writer_end_row_group(file.writer, NULL), LAM_STATUS_OK);
            metadata = lam_writer_metadata_bytes(file.writer);
            cr_assert_eq(lam_writer_buffered_bytes(file.writer), metadata);
        }
    }
    cr_assert_eq(lam_writer_finish(file.writer, NULL), LAM_STATUS_OK);
    expect_numbers(&file, 0, 10);
    lam_reader *reader = read_back(&file);
    cr_assert_eq(lam_reader_row_group_count(reader), 3);
    lam_reader_close(reader);
    lam_test_drop(&file);
}

Test(file_writer, the_first_page_is_at_offset_4_and_the_magic_is_at_both_ends) {
    lam_writer_options options = lam_writer_options_default();
    options.dictionary = LAM_SWITCH_OFF;
    lam_test_writer file = lam_test_write(NUMBERS, &options);
    cr_assert_eq(put_number(&file, 1, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_writer_finish(file.writer, NULL), LAM_STATUS_OK);
    lam_reader *reader = read_back(&file);
    lam_column_chunk_info info = lam_column_chunk_info_default();
    cr_assert_eq(lam_reader_column_chunk(reader, 0, 0, &info, NULL), LAM_STATUS_OK);
    cr_assert_eq(info.data_page_offset, 4);
    cr_assert_eq(memcmp(file.trial->bytes.data, "PAR1", 4), 0);
    lam_reader_close(reader);
    lam_test_drop(&file);
}

/* --- Records that fail ----------------------------------------------------------------------- */

Test(file_writer, a_failed_record_is_dropped_and_those_around_it_stay) {
    lam_error error;
    lam_test_writer file =
        lam_test_write("message m { required int32 a; optional binary t (STRING); }", NULL);
    lam_value number = {.int32 = 7}, bad = {.bytes = {(const uint8_t *)"\xFF", 1}};
    for (int round = 0; round < 5; round++) {
        lam_value text = {.bytes = {(const uint8_t *)"ok", 2}};
        cr_assert_eq(file.sink.begin(file.sink.state, &error), LAM_STATUS_OK);
        cr_assert_eq(file.sink.put(file.sink.state, leaf_of(&file, 0), number, &error),
                     LAM_STATUS_OK);
        cr_assert_eq(file.sink.put(file.sink.state, leaf_of(&file, 1), text, &error),
                     LAM_STATUS_OK);
        cr_assert_eq(file.sink.end(file.sink.state, &error), LAM_STATUS_OK);
        /* a text that is none */
        cr_assert_eq(file.sink.begin(file.sink.state, &error), LAM_STATUS_OK);
        cr_assert_eq(file.sink.put(file.sink.state, leaf_of(&file, 1), bad, &error),
                     LAM_STATUS_INVALID);
        cr_assert_eq(file.sink.put(file.sink.state, leaf_of(&file, 0), number, &error),
                     LAM_STATUS_INVALID);
        cr_assert_eq(file.sink.end(file.sink.state, &error), LAM_STATUS_INVALID);
        /* a required field that is missing */
        cr_assert_eq(file.sink.begin(file.sink.state, &error), LAM_STATUS_OK);
        cr_assert_eq(file.sink.end(file.sink.state, &error), LAM_STATUS_INVALID);
        /* one that is given up */
        cr_assert_eq(file.sink.begin(file.sink.state, &error), LAM_STATUS_OK);
        cr_assert_eq(file.sink.put(file.sink.state, leaf_of(&file, 0), number, &error),
                     LAM_STATUS_OK);
        if (round == 2) {
            cr_assert_eq(lam_writer_end_row_group(file.writer, &error), LAM_STATUS_STATE);
            cr_assert_eq(lam_writer_finish(file.writer, &error), LAM_STATUS_STATE);
            cr_assert_eq(lam_writer_write_triples(file.writer, (lam_triples[2]){{0}}, 0, &error),
                         LAM_STATUS_STATE);
        }
    }
    cr_assert_eq(file.sink.begin(file.sink.state, &error), LAM_STATUS_OK);
    cr_assert_eq(file.sink.put(file.sink.state, leaf_of(&file, 1), bad, &error),
                 LAM_STATUS_INVALID);
    cr_assert_eq(lam_writer_record_count(file.writer), 5);
    cr_assert_eq(lam_writer_finish(file.writer, &error), LAM_STATUS_OK);
    lam_reader *reader = read_back(&file);
    cr_assert_eq(lam_reader_row_count(reader), 5);
    lam_column_reader *column;
    lam_triples run;
    cr_assert_eq(lam_column_reader_open(reader, 0, 1, &column, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_column_reader_read(column, 100, &run, NULL), LAM_STATUS_OK);
    cr_assert_eq(run.count, 5);
    cr_assert_eq(run.value_count, 5);
    for (size_t i = 0; i < 5; i++)
        cr_assert_eq(memcmp(((const lam_bytes *)run.values)[i].data, "ok", 2), 0);
    lam_column_reader_close(column);
    lam_reader_close(reader);
    lam_test_drop(&file);
}

Test(file_writer, nothing_is_taken_after_finish) {
    lam_triples nothing = {0};
    lam_test_writer file = lam_test_write(NUMBERS, NULL);
    cr_assert_eq(put_number(&file, 1, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_writer_finish(file.writer, NULL), LAM_STATUS_OK);
    size_t size = file.trial->bytes.size;
    cr_assert_eq(put_number(&file, 2, NULL), LAM_STATUS_STATE);
    cr_assert_eq(lam_writer_write_triples(file.writer, &nothing, 0, NULL), LAM_STATUS_STATE);
    cr_assert_eq(lam_writer_end_row_group(file.writer, NULL), LAM_STATUS_STATE);
    cr_assert_eq(lam_writer_add_key_value(file.writer, NULL, "k", "v", NULL), LAM_STATUS_STATE);
    cr_assert_eq(lam_writer_finish(file.writer, NULL), LAM_STATUS_STATE);
    cr_assert_eq(file.trial->bytes.size, size);
    expect_numbers(&file, 1, 1);
    lam_test_drop(&file);
}

/* --- Triples --------------------------------------------------------------------------------- */

Test(file_writer, columns_that_do_not_fit_write_nothing) {
    static const int32_t numbers[4] = {0, 1, 2, 3};
    static const uint8_t all[4] = {1, 1, 1, 1}, high[4] = {1, 1, 2, 1};
    const lam_triples good = {4, 4, NULL, all, numbers};
    const struct {
        lam_triples columns[2];
        int32_t culprit;
    } rows[] = {
        {{{4, 4, NULL, NULL, numbers}, {3, 3, NULL, all, numbers}}, 1}, /* unequal */
        {{{3, 3, NULL, NULL, numbers}, good}, 0},
        {{{4, 4, NULL, NULL, numbers}, {4, 3, NULL, all, numbers}}, 1},
        {{{4, 4, NULL, NULL, numbers}, {4, 4, NULL, high, numbers}}, 1},
        {{{4, 4, all, NULL, numbers}, good}, 0},
        {{{4, 4, NULL, NULL, NULL}, good}, 0},
    };
    lam_test_writer file =
        lam_test_write("message m { required int32 a; optional int32 b; }", NULL);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        lam_error error = lam_error_none();
        cr_assert_eq(lam_writer_write_triples(file.writer, rows[i].columns, 4, &error),
                     LAM_STATUS_INVALID, "row %zu", i);
        cr_assert_eq(error.column, rows[i].culprit, "row %zu", i);
        cr_assert_eq(lam_writer_record_count(file.writer), 0);
    }
    lam_triples columns[2] = {{4, 4, NULL, NULL, numbers}, good};
    cr_assert_eq(lam_writer_write_triples(file.writer, columns, 4, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_writer_record_count(file.writer), 4);
    cr_assert_eq(lam_writer_finish(file.writer, NULL), LAM_STATUS_OK);
    lam_reader *reader = read_back(&file);
    cr_assert_eq(lam_reader_row_count(reader), 4);
    lam_reader_close(reader);
    lam_test_drop(&file);
}

Test(file_writer, records_and_triples_may_follow_each_other) {
    int32_t numbers[100];
    lam_test_writer file = lam_test_write(NUMBERS, NULL);
    for (int32_t n = 0; n < 1000;) {
        for (int i = 0; i < 25; i++)
            cr_assert_eq(put_number(&file, n++, NULL), LAM_STATUS_OK);
        for (int i = 0; i < 75; i++)
            numbers[i] = n++;
        lam_triples column = {75, 75, NULL, NULL, numbers};
        cr_assert_eq(lam_writer_write_triples(file.writer, &column, 75, NULL), LAM_STATUS_OK);
    }
    cr_assert_eq(lam_writer_finish(file.writer, NULL), LAM_STATUS_OK);
    expect_numbers(&file, 0, 1000);
    lam_test_drop(&file);
}

Test(file_writer, the_split_of_calls_does_not_show_in_the_file) {
    uint64_t seed = lam_test_seed(1);
    for (uint64_t round = 0; round < 60; round++) {
        lam_random random = lam_random_start(seed + round);
        lam_schema *schema = lam_tree_random_schema(&random, 8);
        lam_writer_options options = lam_writer_options_default();
        options.row_group_rows = 1 + lam_random_below(&random, 3000);
        options.row_group_bytes =
            lam_random_chance(&random, 50) ? 1 + lam_random_below(&random, 200000) : 0;
        options.page_rows = 1 + lam_random_below(&random, 500);
        options.page_bytes = 1 + lam_random_below(&random, 5000);
        options.dictionary_bytes = 1 + lam_random_below(&random, 2000);
        options.data_page_version = 1 + (int32_t)lam_random_below(&random, 2);
        options.codec = LAM_CODEC_SNAPPY;
        lam_file_sample sample;
        lam_file_sample_init(&sample, schema, 2500, 80, &random);
        lam_file_sample_write(&sample, &options, &random);
        lam_buffer first = sample.bytes;
        lam_allocator allocator = lam_allocator_default();
        for (int again = 0; again < 2; again++) {
            lam_buffer_init(&sample.bytes, &allocator);
            lam_file_sample_write(&sample, &options, &random);
            cr_assert_eq(sample.bytes.size, first.size, "seed %" PRIu64, seed + round);
            cr_assert_eq(memcmp(sample.bytes.data, first.data, first.size), 0, "seed %" PRIu64,
                         seed + round);
            lam_buffer_finish(&sample.bytes);
        }
        sample.bytes = first;
        lam_file_sample_finish(&sample);
    }
}

/* --- Texts of the footer --------------------------------------------------------------------- */

Test(file_writer, key_values_and_the_writers_name_are_copied) {
    char key[] = "key", value[] = "a value", name[] = "a logger";
    lam_writer_options options = lam_writer_options_default();
    options.created_by = name;
    lam_test_writer file = lam_test_write(NUMBERS, &options);
    cr_assert_eq(lam_writer_add_key_value(file.writer, NULL, key, value, NULL), LAM_STATUS_OK);
    memset(key, '-', 3);
    memset(value, '-', 7);
    memset(name, '-', 8);
    cr_assert_eq(lam_writer_add_key_value(file.writer, NULL, "", "", NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_writer_add_key_value(file.writer, NULL, "nothing", NULL, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_writer_finish(file.writer, NULL), LAM_STATUS_OK);
    lam_reader *reader = read_back(&file);
    cr_assert_eq(lam_test_file_info(reader).key_value_count, 3);
    cr_assert_str_eq(lam_test_key(reader, 0), "key");
    cr_assert_str_eq(lam_test_value(reader, 0), "a value");
    cr_assert_str_eq(lam_test_key(reader, 1), "");
    cr_assert_str_eq(lam_test_value(reader, 1), "");
    cr_assert_str_eq(lam_test_key(reader, 2), "nothing");
    cr_assert_null(lam_test_value(reader, 2));
    cr_assert_null(lam_test_key(reader, 3));
    cr_assert_null(lam_test_value(reader, 3));
    cr_assert_str_eq(lam_test_file_info(reader).created_by, "a logger");
    lam_reader_close(reader);
    lam_test_drop(&file);
}

Test(file_writer, without_a_name_the_library_names_itself) {
    char expected[60];
    lam_test_writer file = lam_test_write(NUMBERS, NULL);
    cr_assert_eq(lam_writer_finish(file.writer, NULL), LAM_STATUS_OK);
    lam_reader *reader = read_back(&file);
    snprintf(expected, sizeof expected, "lamella version %s (build %s)", lam_version(),
             lam_version());
    cr_assert_str_eq(lam_test_file_info(reader).created_by, expected);
    cr_assert_eq(lam_test_file_info(reader).key_value_count, 0);
    lam_reader_close(reader);
    lam_test_drop(&file);
}
