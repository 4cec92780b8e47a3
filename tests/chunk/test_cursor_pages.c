/* SPDX-License-Identifier: Apache-2.0 */
/* What a cursor demands of the pages of a chunk: each demand is broken by hand, and told. */
#include <criterion/criterion.h>
#include <lamella/reader.h>
#include <lamella/record.h>
#include <string.h>

#include "chunk/chunk_sample.h"
#include "chunk/hand_made.h"
#include "support/failing_alloc.h"

#define REQUIRED "message m { required int32 a; }"
#define OPTIONAL "message m { optional int32 a; }"
#define NESTED "message m { repeated group g { optional int32 a; } }"

static lam_triple_column random_column(const lam_chunk_sample *sample, size_t records,
                                       unsigned null_percent, uint64_t seed) {
    lam_triple_shape shape = {.record_count = records,
                              .null_percent = null_percent,
                              .more_percent = 60,
                              .distinct = 50,
                              .bytes_max = 20};
    lam_random random = lam_random_start(seed);
    lam_triple_column column;
    lam_triple_column_init(&column, sample->leaf, &shape, &random);
    return column;
}

Test(cursor_pages, the_step_of_reading_does_not_matter) {
    lam_chunk_sample sample;
    lam_chunk_sample_init(&sample, NESTED);
    sample.options.page_rows = 1000;
    lam_triple_column column = random_column(&sample, 3000, 30, 1);
    lam_chunk_sample_write(&sample, &column, NULL);
    static const size_t steps[] = {1, 2, 7, 64, 1000, 2048, 5000, SIZE_MAX};
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++)
        cr_assert_eq(lam_chunk_sample_read(&sample, &column, steps[i], NULL), LAM_STATUS_OK);
    lam_triple_column_finish(&column);
    lam_chunk_sample_finish(&sample);
}

Test(cursor_pages, a_dictionary_is_found_without_its_offset) {
    lam_chunk_sample sample;
    lam_chunk_sample_init(&sample, NESTED);
    lam_triple_column column = random_column(&sample, 500, 30, 2);
    lam_chunk_sample_write(&sample, &column, NULL);
    cr_assert_gt(sample.dictionary_size, 0);
    sample.column.data_page_offset = LAM_SAMPLE_OFFSET;
    sample.column.dictionary_page_offset = 0;
    cr_assert_eq(lam_chunk_sample_read(&sample, &column, 100, NULL), LAM_STATUS_OK);
    sample.column.has = 0;
    cr_assert_eq(lam_chunk_sample_read(&sample, &column, 100, NULL), LAM_STATUS_OK);
    lam_triple_column_finish(&column);
    lam_chunk_sample_finish(&sample);
}

Test(cursor_pages, levels_that_are_all_the_same_are_lent_as_none) {
    lam_chunk_sample sample;
    lam_chunk_sample_init(&sample, OPTIONAL);
    lam_triple_column column = random_column(&sample, 5000, 0, 3);
    lam_chunk_sample_write(&sample, &column, NULL);
    lam_input input;
    lam_column_chunk chunk = lam_chunk_sample_chunk(&sample, &input);
    lam_column_cursor *cursor;
    cr_assert_eq(lam_column_cursor_create(&chunk, &sample.allocator, &cursor, NULL), LAM_STATUS_OK);
    for (lam_triples run = {.count = 1}; run.count > 0;) {
        cr_assert_eq(lam_column_cursor_read(cursor, SIZE_MAX, &run, NULL), LAM_STATUS_OK);
        cr_assert_null(run.definition);
        cr_assert_null(run.repetition);
        cr_assert_eq(run.value_count, run.count);
    }
    lam_column_cursor_destroy(cursor);
    lam_triple_column_finish(&column);
    lam_chunk_sample_finish(&sample);
}

Test(cursor_pages, asking_for_nothing_gives_nothing_and_changes_nothing) {
    lam_chunk_sample sample;
    lam_chunk_sample_init(&sample, REQUIRED);
    lam_triple_column column = random_column(&sample, 10, 0, 4);
    lam_chunk_sample_write(&sample, &column, NULL);
    lam_input input;
    lam_column_chunk chunk = lam_chunk_sample_chunk(&sample, &input);
    lam_column_cursor *cursor;
    lam_triples run;
    cr_assert_eq(lam_column_cursor_create(&chunk, &sample.allocator, &cursor, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_column_cursor_read(cursor, 0, &run, NULL), LAM_STATUS_OK);
    cr_assert_eq(run.count, 0);
    cr_assert_eq(lam_column_cursor_read(cursor, 100, &run, NULL), LAM_STATUS_OK);
    cr_assert_eq(run.count, 10);
    for (int i = 0; i < 3; i++) {
        cr_assert_eq(lam_column_cursor_read(cursor, 100, &run, NULL), LAM_STATUS_OK);
        cr_assert_eq(run.count, 0);
    }
    lam_column_cursor_destroy(cursor);
    lam_triple_column_finish(&column);
    lam_chunk_sample_finish(&sample);
}

/* --- Chunks made by hand --------------------------------------------------------------------- */

static lam_bytes bytes_of(const void *data, size_t size) {
    lam_bytes bytes = {data, size};
    return bytes;
}

/* Reads all; demands a place in the error of a failure. */
static lam_status read_made(lam_hand_made *made, int64_t value_count, uint64_t row_count,
                            lam_error *error) {
    lam_chunk_sample_set(&made->sample, made->pages.data, made->pages.size, value_count, row_count);
    *error = lam_error_none();
    lam_status status = lam_chunk_sample_read(&made->sample, NULL, 3, error);
    cr_assert_eq(error->status, status);
    if (status != LAM_STATUS_OK)
        cr_assert_neq(error->message[0], '\0');
    return status;
}

static const uint8_t four[] = {1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4, 0, 0, 0};

/* Four required INT32 values. */
static lam_page_sections four_values(void) {
    lam_page_sections sections = {.value_count = 4, .row_count = 4, .values = {four, sizeof four}};
    return sections;
}

/* Four indexes of one byte each: width 8, one packed group. */
static lam_page_sections four_indexes(const uint8_t *indexes) {
    lam_page_sections sections = {.value_count = 4, .row_count = 4};
    sections.encoding = LAM_ENCODING_RLE_DICTIONARY;
    sections.values = bytes_of(indexes, 6);
    return sections;
}

#define EXPECT(made, values, rows, status)                                                         \
    do {                                                                                           \
        lam_error error;                                                                           \
        lam_status got = read_made(&(made), (values), (rows), &error);                             \
        cr_assert_eq(got, (status), "%s: %s", lam_status_name(got), error.message);                \
    } while (0)

Test(cursor_pages, pages_of_other_types_are_passed_over) {
    lam_hand_made made;
    lam_page_sections sections = four_values();
    lam_hand_made_start(&made, REQUIRED, 1);
    lam_hand_made_other(&made, LAM_PAGE_INDEX);
    lam_hand_made_data(&made, &sections);
    lam_hand_made_other(&made, 77);
    lam_hand_made_data(&made, &sections);
    EXPECT(made, 8, 8, LAM_STATUS_OK);
    lam_hand_made_finish(&made);
}

Test(cursor_pages, empty_pages_are_passed_over) {
    for (int32_t version = 1; version <= 2; version++) {
        lam_hand_made made;
        lam_page_sections sections = four_values(), empty = {0};
        lam_hand_made_start(&made, REQUIRED, version);
        lam_hand_made_data(&made, &empty);
        lam_hand_made_data(&made, &sections);
        lam_hand_made_data(&made, &empty);
        lam_hand_made_data(&made, &sections);
        EXPECT(made, 8, 8, LAM_STATUS_OK);
        lam_hand_made_finish(&made);
    }
}

Test(cursor_pages, counts_that_the_pages_do_not_hold_are_corrupt) {
    lam_hand_made made;
    lam_page_sections sections = four_values();
    lam_hand_made_start(&made, REQUIRED, 1);
    lam_hand_made_data(&made, &sections);
    EXPECT(made, 4, 4, LAM_STATUS_OK);
    EXPECT(made, 5, 5, LAM_STATUS_CORRUPT);
    EXPECT(made, 3, 3, LAM_STATUS_CORRUPT);
    EXPECT(made, 4, 5, LAM_STATUS_CORRUPT);
    EXPECT(made, 4, 3, LAM_STATUS_CORRUPT);
    EXPECT(made, INT64_MAX, INT64_MAX, LAM_STATUS_CORRUPT);
    EXPECT(made, -1, 4, LAM_STATUS_CORRUPT);
    EXPECT(made, 0, 4, LAM_STATUS_CORRUPT);
    EXPECT(made, 0, 0, LAM_STATUS_OK);
    sections.value_count = 5; /* values end before the last */
    lam_buffer_clear(&made.pages);
    lam_hand_made_data(&made, &sections);
    EXPECT(made, 5, 5, LAM_STATUS_CORRUPT);
    lam_hand_made_finish(&made);
}

/* It was refused, in all of fastparquet's files. Where byte streams begin, nobody could tell. */
Test(cursor_pages, what_is_behind_the_last_value_of_a_page_is_read_past) {
    lam_hand_made made;
    lam_page_sections sections = four_values();
    sections.value_count = sections.row_count = 3;
    lam_hand_made_start(&made, REQUIRED, 1);
    lam_hand_made_data(&made, &sections);
    lam_hand_made_data(&made, &sections);
    EXPECT(made, 6, 6, LAM_STATUS_OK);
    sections.encoding = LAM_ENCODING_BYTE_STREAM_SPLIT;
    lam_hand_made_data(&made, &sections);
    EXPECT(made, 9, 9, LAM_STATUS_CORRUPT);
    lam_hand_made_finish(&made);
}

Test(cursor_pages, a_page_with_values_behind_the_last_one_is_corrupt) {
    for (int32_t version = 1; version <= 2; version++) {
        lam_hand_made made;
        lam_page_sections sections = four_values(), empty = {0};
        lam_hand_made_start(&made, REQUIRED, version);
        lam_hand_made_data(&made, &sections);
        lam_hand_made_data(&made, &empty);
        lam_hand_made_other(&made, LAM_PAGE_INDEX);
        EXPECT(made, 4, 4, LAM_STATUS_OK);
        cr_assert_eq(lam_buffer_append(&made.pages, "\xFF padding", 9, NULL), LAM_STATUS_OK);
        EXPECT(made, 4, 4, LAM_STATUS_OK);
        made.pages.size -= 9;
        lam_hand_made_data(&made, &sections);
        EXPECT(made, 8, 8, LAM_STATUS_OK);
        EXPECT(made, 4, 4, LAM_STATUS_CORRUPT);
        lam_hand_made_finish(&made);
    }
}

/* They were refused: pyarrow before 12, parquet.js and parquet-go write them. */
Test(cursor_pages, v2_headers_that_lie_about_nulls_or_rows_are_read_by_their_levels) {
    static const uint8_t repetition[] = {3, 0x02};       /* 0 1 0 */
    static const uint8_t definition[] = {3, 0x06, 0x00}; /* 2 1 0 */
    lam_hand_made made;
    lam_hand_made_start(&made, NESTED, 2);
    for (uint32_t nulls = 0; nulls < 4; nulls++) {
        for (uint32_t rows = 0; rows < 4; rows++) {
            lam_page_sections sections = {.value_count = 3, .null_count = nulls, .row_count = rows};
            sections.repetition = bytes_of(repetition, sizeof repetition);
            sections.definition = bytes_of(definition, sizeof definition);
            sections.values = bytes_of(four, 4);
            lam_buffer_clear(&made.pages);
            lam_hand_made_data(&made, &sections);
            EXPECT(made, 3, 2, LAM_STATUS_OK);
            EXPECT(made, 3, 3, LAM_STATUS_CORRUPT); /* whatever the header says */
        }
    }
    lam_hand_made_finish(&made);
}

Test(cursor_pages, levels_that_cannot_be_are_corrupt) {
    /* Maximum definition level 2 of two bits; each row is one packed group of four levels. */
    static const struct {
        uint8_t repetition, definition;
        lam_status status;
    } rows[] = {
        {0x0, 0xAA, LAM_STATUS_OK},      /* all defined, four records */
        {0x0, 0xEA, LAM_STATUS_CORRUPT}, /* the last definition level is 3 */
        {0x0, 0xAB, LAM_STATUS_CORRUPT}, /* the first one */
        {0x1, 0xAA, LAM_STATUS_CORRUPT}, /* the first repetition level is 1 */
        {0x2, 0xAA, LAM_STATUS_CORRUPT}, /* three records */
    };
    lam_hand_made made;
    lam_hand_made_start(&made, NESTED, 1);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const uint8_t repetition[] = {3, rows[i].repetition};
        const uint8_t definition[] = {3, rows[i].definition, 0};
        lam_page_sections sections = four_values();
        sections.repetition = bytes_of(repetition, sizeof repetition);
        sections.definition = bytes_of(definition, sizeof definition);
        lam_buffer_clear(&made.pages);
        lam_hand_made_data(&made, &sections);
        EXPECT(made, 4, 4, rows[i].status);
    }
    lam_hand_made_finish(&made);
}

Test(cursor_pages, a_run_of_a_level_above_the_maximum_is_corrupt) {
    static const uint8_t zeros[] = {8, 0}, twos[] = {8, 2}, threes[] = {8, 3}, short_run[] = {6, 2};
    const struct {
        const uint8_t *definition;
        lam_status status;
    } rows[] = {
        {twos, LAM_STATUS_OK}, {threes, LAM_STATUS_CORRUPT}, {short_run, LAM_STATUS_CORRUPT}};
    lam_hand_made made;
    lam_hand_made_start(&made, NESTED, 1);
    for (size_t i = 0; i < 3; i++) {
        lam_page_sections sections = four_values();
        sections.repetition = bytes_of(zeros, 2);
        sections.definition = bytes_of(rows[i].definition, 2);
        lam_buffer_clear(&made.pages);
        lam_hand_made_data(&made, &sections);
        EXPECT(made, 4, 4, rows[i].status);
    }
    lam_hand_made_finish(&made);
}

Test(cursor_pages, a_page_may_start_inside_a_record_but_a_chunk_may_not) {
    static const uint8_t first[] = {3, 0x0}, second[] = {3, 0x1}, twos[] = {8, 2};
    for (int32_t version = 1; version <= 2; version++) { /* V2 pages should not, and do */
        lam_hand_made made;
        lam_hand_made_start(&made, NESTED, version);
        lam_page_sections sections = four_values();
        sections.definition = bytes_of(twos, 2);
        sections.repetition = bytes_of(first, 2);
        lam_hand_made_data(&made, &sections);
        sections.repetition = bytes_of(second, 2);
        lam_hand_made_data(&made, &sections);
        EXPECT(made, 8, 7, LAM_STATUS_OK);
        lam_buffer_clear(&made.pages);
        lam_hand_made_data(&made, &sections);
        EXPECT(made, 4, 3, LAM_STATUS_CORRUPT);
        lam_hand_made_finish(&made);
    }
}

/* --- Dictionaries ---------------------------------------------------------------------------- */

Test(cursor_pages, indexes_must_lie_in_the_dictionary) {
    static const uint8_t good[] = {8, 3, 3, 0, 1, 2}, high[] = {8, 3, 3, 4, 1, 2};
    static const uint8_t highest[] = {8, 3, 3, 0, 255, 2}, run[] = {8, 8, 3, 0, 0, 0};
    static const uint8_t high_run[] = {8, 8, 4, 0, 0, 0}, width[] = {33, 3, 0, 0, 0, 0};
    const struct {
        const uint8_t *indexes;
        lam_status status;
    } rows[] = {{good, LAM_STATUS_OK},          {high, LAM_STATUS_CORRUPT},
                {highest, LAM_STATUS_CORRUPT},  {run, LAM_STATUS_OK},
                {high_run, LAM_STATUS_CORRUPT}, {width, LAM_STATUS_CORRUPT}};
    lam_hand_made made;
    lam_hand_made_start(&made, REQUIRED, 1);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        lam_page_sections sections = four_indexes(rows[i].indexes);
        lam_buffer_clear(&made.pages);
        lam_hand_made_dictionary(&made, 4, bytes_of(four, sizeof four));
        lam_hand_made_data(&made, &sections);
        EXPECT(made, 4, 4, rows[i].status);
        sections.encoding = LAM_ENCODING_PLAIN_DICTIONARY; /* the older name of the same */
        lam_buffer_clear(&made.pages);
        lam_hand_made_dictionary(&made, 4, bytes_of(four, sizeof four));
        lam_hand_made_data(&made, &sections);
        EXPECT(made, 4, 4, rows[i].status);
    }
    lam_hand_made_finish(&made);
}

Test(cursor_pages, a_dictionary_stands_once_and_first) {
    static const uint8_t run[] = {8, 8, 3, 0, 0, 0};
    lam_hand_made made;
    lam_page_sections indexes = four_indexes(run), plain = four_values();
    lam_hand_made_start(&made, REQUIRED, 1);
    lam_hand_made_data(&made, &indexes); /* none at all */
    EXPECT(made, 4, 4, LAM_STATUS_CORRUPT);
    lam_hand_made_dictionary(&made, 4, bytes_of(four, sizeof four)); /* too late */
    EXPECT(made, 4, 4, LAM_STATUS_CORRUPT);
    lam_buffer_clear(&made.pages);
    lam_hand_made_data(&made, &plain);
    lam_hand_made_dictionary(&made, 4, bytes_of(four, sizeof four));
    lam_hand_made_data(&made, &indexes);
    EXPECT(made, 8, 8, LAM_STATUS_CORRUPT);
    lam_buffer_clear(&made.pages);
    lam_hand_made_dictionary(&made, 4, bytes_of(four, sizeof four));
    lam_hand_made_dictionary(&made, 4, bytes_of(four, sizeof four));
    lam_hand_made_data(&made, &indexes);
    EXPECT(made, 4, 4, LAM_STATUS_CORRUPT);
    lam_buffer_clear(&made.pages);
    lam_hand_made_dictionary(&made, 4, bytes_of(four, sizeof four)); /* nobody has to use it */
    lam_hand_made_data(&made, &plain);
    lam_hand_made_data(&made, &indexes);
    EXPECT(made, 8, 8, LAM_STATUS_OK);
    lam_hand_made_finish(&made);
}

Test(cursor_pages, a_dictionary_that_does_not_hold_its_values_is_corrupt) {
    static const uint8_t run[] = {8, 8, 3, 0, 0, 0};
    static const uint32_t counts[] = {5, 1000000000, INT32_MAX};
    lam_hand_made made;
    lam_page_sections indexes = four_indexes(run);
    lam_hand_made_start(&made, REQUIRED, 1);
    for (size_t i = 0; i < 3; i++) {
        lam_buffer_clear(&made.pages);
        lam_hand_made_dictionary(&made, counts[i], bytes_of(four, sizeof four));
        lam_hand_made_data(&made, &indexes);
        EXPECT(made, 4, 4, LAM_STATUS_CORRUPT);
    }
    lam_hand_made_finish(&made);
    lam_hand_made_start(&made, "message m { required binary a; }", 1);
    lam_hand_made_dictionary(&made, 4, bytes_of(four, sizeof four)); /* lengths 1, 2, 3, 4 */
    lam_hand_made_data(&made, &indexes);
    EXPECT(made, 4, 4, LAM_STATUS_CORRUPT);
    lam_hand_made_finish(&made);
    lam_hand_made_start(&made, "message m { required boolean a; }", 1);
    lam_hand_made_dictionary(&made, 4, bytes_of(four, sizeof four));
    lam_hand_made_data(&made, &indexes);
    EXPECT(made, 4, 4, LAM_STATUS_CORRUPT);
    lam_hand_made_finish(&made);
}

Test(cursor_pages, values_of_a_dictionary_outlive_the_pages_that_name_them) {
    lam_chunk_sample sample;
    lam_chunk_sample_init(&sample, "message m { required binary a; }");
    sample.options.page_rows = 40;
    sample.options.codec = LAM_CODEC_SNAPPY;
    lam_triple_column column = random_column(&sample, 400, 0, 5);
    lam_chunk_sample_write(&sample, &column, NULL);
    cr_assert_gt(sample.dictionary_size, 0);
    cr_assert_eq(lam_chunk_sample_read(&sample, &column, 2, NULL), LAM_STATUS_OK);
    lam_triple_column_finish(&column);
    lam_chunk_sample_finish(&sample);
}

/* --- What the footer says -------------------------------------------------------------------- */

Test(cursor_pages, a_chunk_of_another_type_or_codec_is_not_opened) {
    lam_hand_made made;
    lam_page_sections sections = four_values();
    lam_error error = lam_error_none();
    lam_hand_made_start(&made, REQUIRED, 1);
    lam_hand_made_data(&made, &sections);
    lam_chunk_sample_set(&made.sample, made.pages.data, made.pages.size, 4, 4);
    lam_meta_column right = made.sample.column;
    static const int32_t codecs[] = {3, 8, -1, INT32_MAX, INT32_MIN}; /* 3 is LZO */
    for (size_t i = 0; i < sizeof codecs / sizeof codecs[0]; i++) {
        made.sample.column.codec = codecs[i];
        cr_assert_eq(lam_chunk_sample_read(&made.sample, NULL, 3, &error), LAM_STATUS_UNSUPPORTED);
    }
    static const int32_t other_types[] = {0, 2, 4, 6, 7, 8, -1};
    made.sample.column = right;
    for (size_t i = 0; i < sizeof other_types / sizeof other_types[0]; i++) {
        made.sample.column.type = other_types[i];
        cr_assert_eq(lam_chunk_sample_read(&made.sample, NULL, 3, &error), LAM_STATUS_CORRUPT);
    }
    lam_hand_made_finish(&made);
}

Test(cursor_pages, encodings_that_do_not_go_with_the_type_are_refused) {
    static const struct {
        int32_t encoding;
        lam_status status;
    } rows[] = {{LAM_ENCODING_RLE, LAM_STATUS_CORRUPT},
                {LAM_ENCODING_DELTA_LENGTH_BYTE_ARRAY, LAM_STATUS_CORRUPT},
                {LAM_ENCODING_BIT_PACKED, LAM_STATUS_CORRUPT},
                {1, LAM_STATUS_UNSUPPORTED},
                {-5, LAM_STATUS_UNSUPPORTED},
                {1000, LAM_STATUS_UNSUPPORTED}};
    lam_hand_made made;
    lam_hand_made_start(&made, REQUIRED, 1);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        lam_page_sections sections = four_values();
        sections.encoding = (lam_encoding)rows[i].encoding;
        lam_buffer_clear(&made.pages);
        lam_hand_made_data(&made, &sections);
        EXPECT(made, 4, 4, rows[i].status);
    }
    lam_hand_made_finish(&made);
}

Test(cursor_pages, after_a_failure_it_only_says_that_it_failed) {
    lam_hand_made made;
    lam_page_sections sections = four_values();
    lam_hand_made_start(&made, REQUIRED, 1);
    lam_hand_made_data(&made, &sections);
    lam_chunk_sample_set(&made.sample, made.pages.data, made.pages.size, 5, 5);
    lam_input input;
    lam_column_chunk chunk = lam_chunk_sample_chunk(&made.sample, &input);
    lam_column_cursor *cursor;
    lam_triples run = {.count = 4711};
    lam_error error = lam_error_none();
    cr_assert_eq(lam_column_cursor_create(&chunk, &made.sample.allocator, &cursor, NULL),
                 LAM_STATUS_OK);
    cr_assert_eq(lam_column_cursor_read(cursor, 4, &run, NULL), LAM_STATUS_OK);
    run.count = 4711;
    cr_assert_eq(lam_column_cursor_read(cursor, 4, &run, &error), LAM_STATUS_CORRUPT);
    cr_assert_eq(run.count, 4711);
    cr_assert_eq(lam_column_cursor_read(cursor, 4, &run, &error), LAM_STATUS_STATE);
    lam_column_cursor_destroy(cursor);
    lam_hand_made_finish(&made);
}

Test(cursor_pages, failures_tell_the_offset_of_their_page) {
    lam_hand_made made;
    lam_page_sections sections = four_values();
    lam_error error;
    lam_hand_made_start(&made, REQUIRED, 1);
    lam_hand_made_data(&made, &sections);
    size_t first = made.pages.size;
    sections.values.size--;
    lam_hand_made_data(&made, &sections);
    cr_assert_eq(read_made(&made, 8, 8, &error), LAM_STATUS_CORRUPT);
    cr_assert_eq(error.offset, (int64_t)(LAM_SAMPLE_OFFSET + first));
    lam_hand_made_finish(&made);
}

/* --- Memory ---------------------------------------------------------------------------------- */

Test(cursor_pages, a_page_above_the_memory_limit_is_refused_before_it_is_fetched) {
    lam_chunk_sample sample;
    lam_chunk_sample_init(&sample, REQUIRED);
    sample.options.use_dictionary = false;
    lam_triple_column column = random_column(&sample, 1000, 0, 6);
    lam_chunk_sample_write(&sample, &column, NULL);
    lam_failing_alloc counter = {0};
    lam_allocator allocator = lam_failing_allocator(&counter);
    for (int limit_is_enough = 0; limit_is_enough < 2; limit_is_enough++) {
        lam_input input;
        lam_column_chunk chunk = lam_chunk_sample_chunk(&sample, &input);
        input.borrow = NULL;
        chunk.memory_limit = limit_is_enough ? 4000 : 3999;
        lam_column_cursor *cursor;
        lam_triples run;
        cr_assert_eq(lam_column_cursor_create(&chunk, &allocator, &cursor, NULL), LAM_STATUS_OK);
        cr_assert_eq(lam_column_cursor_read(cursor, 1, &run, NULL),
                     limit_is_enough ? LAM_STATUS_OK : LAM_STATUS_LIMIT);
        lam_column_cursor_destroy(cursor);
    }
    lam_triple_column_finish(&column);
    lam_chunk_sample_finish(&sample);
}

Test(cursor_pages, a_decoded_dictionary_above_the_memory_limit_is_refused) {
    lam_hand_made made;
    static const uint8_t run[] = {8, 8, 3, 0, 0, 0};
    static uint8_t empty_texts[40000];
    lam_page_sections indexes = four_indexes(run);
    lam_hand_made_start(&made, "message m { required binary a; }", 1);
    lam_hand_made_dictionary(&made, 10000, bytes_of(empty_texts, sizeof empty_texts));
    lam_hand_made_data(&made, &indexes);
    lam_chunk_sample_set(&made.sample, made.pages.data, made.pages.size, 4, 4);
    for (int limit_is_enough = 0; limit_is_enough < 2; limit_is_enough++) {
        lam_input input;
        lam_column_chunk chunk = lam_chunk_sample_chunk(&made.sample, &input);
        chunk.memory_limit = 10000 * sizeof(lam_bytes) - !limit_is_enough;
        lam_column_cursor *cursor;
        lam_triples triples;
        cr_assert_eq(lam_column_cursor_create(&chunk, &made.sample.allocator, &cursor, NULL),
                     LAM_STATUS_OK);
        cr_assert_eq(lam_column_cursor_read(cursor, 1, &triples, NULL),
                     limit_is_enough ? LAM_STATUS_OK : LAM_STATUS_LIMIT);
        lam_column_cursor_destroy(cursor);
    }
    lam_hand_made_finish(&made);
}

Test(cursor_pages, long_values_of_fixed_length_are_read_in_small_batches) {
    lam_chunk_sample sample;
    lam_chunk_sample_init(&sample, "message m { required fixed_len_byte_array(50000) a; }");
    lam_triple_column column = random_column(&sample, 20, 0, 7);
    lam_chunk_sample_write(&sample, &column, NULL);
    lam_failing_alloc counter = {0};
    lam_allocator allocator = lam_failing_allocator(&counter);
    lam_input input;
    lam_column_chunk chunk = lam_chunk_sample_chunk(&sample, &input);
    sample.column.num_values = 1 << 20; /* a lie must not cost memory */
    lam_column_cursor *cursor;
    lam_triples run;
    cr_assert_eq(lam_column_cursor_create(&chunk, &allocator, &cursor, NULL), LAM_STATUS_OK);
    cr_assert_lt(counter.peak_bytes, 50000);
    cr_assert_eq(lam_column_cursor_read(cursor, SIZE_MAX, &run, NULL), LAM_STATUS_OK);
    cr_assert_eq(run.count, 1);
    lam_column_cursor_destroy(cursor);
    cr_assert_eq(counter.live_bytes, 0);
    chunk.memory_limit = 49999;
    cr_assert_eq(lam_column_cursor_create(&chunk, &allocator, &cursor, NULL), LAM_STATUS_LIMIT);
    cr_assert_eq(counter.live_bytes, 0);
    lam_triple_column_finish(&column);
    lam_chunk_sample_finish(&sample);
}

static lam_status read_with(lam_failing_alloc *counter, const lam_chunk_sample *sample) {
    lam_allocator allocator = lam_failing_allocator(counter);
    lam_input input;
    lam_column_chunk chunk = lam_chunk_sample_chunk(sample, &input);
    input.borrow = NULL;
    lam_column_cursor *cursor;
    lam_status status = lam_column_cursor_create(&chunk, &allocator, &cursor, NULL);
    if (status != LAM_STATUS_OK)
        return status;
    lam_triples run = {.count = 1};
    while (status == LAM_STATUS_OK && run.count > 0)
        status = lam_column_cursor_read(cursor, 100, &run, NULL);
    lam_column_cursor_destroy(cursor);
    return status;
}

Test(cursor_pages, without_memory_it_says_so_and_leaks_nothing) {
    static const lam_codec codecs[] = {LAM_CODEC_UNCOMPRESSED, LAM_CODEC_SNAPPY, LAM_CODEC_ZSTD};
    for (size_t i = 0; i < 3; i++) {
        lam_chunk_sample sample;
        lam_chunk_sample_init(&sample, "message m { repeated binary a; }");
        sample.options.codec = codecs[i];
        sample.options.page_rows = 200;
        lam_triple_column column = random_column(&sample, 1000, 10, 8);
        lam_chunk_sample_write(&sample, &column, NULL);
        lam_status status = LAM_STATUS_NOMEM;
        size_t fail_at = 1;
        for (; status == LAM_STATUS_NOMEM; fail_at++) {
            lam_failing_alloc counter = {.fail_at = fail_at};
            status = read_with(&counter, &sample);
            cr_assert_eq(counter.live_bytes, 0);
            cr_assert_eq(counter.wrong_sizes, 0);
        }
        cr_assert_eq(status, LAM_STATUS_OK);
        cr_assert_gt(fail_at, 6);
        lam_triple_column_finish(&column);
        lam_chunk_sample_finish(&sample);
    }
}
