/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Chunks are written and read again: every type, dictionaries that fill up or do not pay, and what
 * the footer is told of them.
 */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <lamella/reader.h>
#include <lamella/record.h>
#include <stdio.h>
#include <string.h>

#include "chunk/chunk_sample.h"
#include "support/failing_alloc.h"

enum { PAGES_MAX = 3000 };

static const char *const types[] = {"boolean", "int32",  "int64",  "int96",
                                    "float",   "double", "binary", "fixed_len_byte_array(5)"};

/* Leaves that are required, optional, repeated, and both at several levels. */
static const char *const shapes[] = {
    "message m { required %s a; }", "message m { optional %s a; }", "message m { repeated %s a; }",
    "message m { optional group g { repeated group h { repeated group i { optional %s a; } } } }"};

static void init_with_type(lam_chunk_sample *sample, size_t shape, const char *type) {
    char text[200];
    snprintf(text, sizeof text, shapes[shape], type);
    lam_chunk_sample_init(sample, text);
}

static lam_triple_shape any_shape(lam_random *random) {
    lam_triple_shape shape = {.record_count = (size_t)lam_random_below(random, 400)};
    shape.null_percent =
        lam_random_chance(random, 20) ? 0 : (unsigned)lam_random_below(random, 101);
    shape.more_percent = (unsigned)lam_random_below(random, 80);
    shape.distinct = (size_t)lam_random_below(random, 60);
    shape.bytes_max = (size_t)lam_random_below(random, lam_random_chance(random, 10) ? 2000 : 20);
    return shape;
}

static void any_options(lam_chunk_options *options, lam_random *random) {
    static const lam_codec codecs[] = {LAM_CODEC_UNCOMPRESSED, LAM_CODEC_SNAPPY, LAM_CODEC_ZSTD};
    options->codec = codecs[lam_random_below(random, 3)];
    options->page_version = 1 + (int32_t)lam_random_below(random, 2);
    options->page_bytes = 1 + lam_random_below(random, lam_random_chance(random, 50) ? 200 : 5000);
    options->page_rows = 1 + lam_random_below(random, lam_random_chance(random, 50) ? 20 : 1000);
    options->dictionary_bytes = 1 + lam_random_below(random, 600);
    options->use_dictionary = lam_random_chance(random, 80);
    options->use_deltas = lam_random_chance(random, 50);
    options->crc = lam_random_chance(random, 50);
}

/* Headers and totals of a chunk must say the same. */
static void expect_totals(const lam_chunk_sample *sample, const lam_triple_column *column) {
    static lam_meta_page_header headers[PAGES_MAX];
    lam_arena arena;
    lam_arena_init(&arena, &sample->allocator, 0);
    size_t count = lam_chunk_sample_headers(sample, headers, PAGES_MAX, &arena);
    uint64_t triples = 0, compressed = 0, uncompressed = 0;
    size_t dictionaries = 0, indexed = 0;
    uint32_t counts[LAM_ENCODING_ALP + 1] = {0};
    for (size_t i = 0; i < count; i++) {
        const lam_meta_page_header *header = &headers[i];
        int32_t encoding = -1;
        if (header->type == LAM_PAGE_DICTIONARY) {
            cr_assert_eq(i, 0);
            dictionaries++;
        } else if (header->type == LAM_PAGE_DATA) {
            triples += (uint64_t)header->data_page_header->num_values;
            encoding = header->data_page_header->encoding;
        } else {
            const lam_meta_data_page_header_v2 *v2 = header->data_page_header_v2;
            triples += (uint64_t)v2->num_values;
            encoding = v2->encoding;
            cr_assert_leq((uint64_t)v2->num_rows, sample->options.page_rows);
        }
        indexed += encoding == LAM_ENCODING_RLE_DICTIONARY;
        if (encoding >= 0)
            counts[encoding]++;
        cr_assert_eq((header->has & LAM_META_PAGE_HEADER_HAS_CRC) != 0, sample->options.crc);
        compressed += (uint64_t)header->compressed_page_size;
        uncompressed += (uint64_t)header->uncompressed_page_size;
    }
    uint64_t header_bytes = sample->bytes.size - LAM_SAMPLE_OFFSET - compressed;
    cr_assert_eq(sample->chunk.uncompressed_size, uncompressed + header_bytes);
    cr_assert_eq(triples, column->triples.count);
    cr_assert_eq(sample->chunk.value_count, column->triples.count);
    cr_assert_eq(sample->chunk.null_count, column->triples.count - column->triples.value_count);
    cr_assert_arr_eq(sample->chunk.page_counts, counts, sizeof counts);
    cr_assert_eq(sample->chunk.has_dictionary_pages, indexed > 0);
    cr_assert_eq(dictionaries, indexed > 0, "a dictionary page that no page wants, or none");
    lam_arena_finish(&arena);
}

Test(chunk_write, every_type_comes_back_and_the_split_of_calls_does_not_show) {
    uint64_t seed = lam_test_seed(1);
    for (uint64_t round = 0; round < 3200; round++) {
        lam_random random = lam_random_start(seed + round);
        lam_chunk_sample sample;
        init_with_type(&sample, round / 8 % 4, types[round % 8]);
        any_options(&sample.options, &random);
        lam_triple_shape shape = any_shape(&random);
        lam_triple_column column;
        lam_triple_column_init(&column, sample.leaf, &shape, &random);

        lam_chunk_sample_write(&sample, &column, NULL);
        expect_totals(&sample, &column);
        lam_error error = lam_error_none();
        size_t step =
            1 + (size_t)lam_random_below(&random, lam_random_chance(&random, 50) ? 9 : 3000);
        lam_status status = lam_chunk_sample_read(&sample, &column, step, &error);
        cr_assert_eq(status, LAM_STATUS_OK, "seed %" PRIu64 ": %s", seed + round, error.message);

        lam_buffer whole = sample.bytes;
        lam_buffer_init(&sample.bytes, &sample.allocator);
        lam_chunk_sample_write(&sample, &column, &random);
        cr_assert_eq(sample.bytes.size, whole.size, "seed %" PRIu64, seed + round);
        cr_assert_eq(memcmp(sample.bytes.data, whole.data, whole.size), 0, "seed %" PRIu64,
                     seed + round);
        lam_buffer_finish(&whole);
        lam_triple_column_finish(&column);
        lam_chunk_sample_finish(&sample);
    }
}

/* --- Dictionaries ---------------------------------------------------------------------------- */

/* Required INT32 values given by number, one per row. */
static void write_numbers(lam_chunk_sample *sample, const int32_t *numbers, size_t count) {
    lam_triple_column column = {.leaf = sample->leaf, .record_count = count};
    lam_triple_shape shape = {.record_count = count};
    lam_random random = lam_random_start(1);
    lam_triple_column_init(&column, sample->leaf, &shape, &random);
    column.triples.values = numbers;
    lam_chunk_sample_write(sample, &column, NULL);
    cr_assert_eq(lam_chunk_sample_read(sample, &column, 100, NULL), LAM_STATUS_OK);
    lam_triple_column_finish(&column);
}

/* Type, encoding and number of values of each page: "d2 i10 p10" has a dictionary of 2 values, a
 * page of 10 indexes and one of 10 plain values. */
static const char *pages_of(const lam_chunk_sample *sample) {
    static char text[400];
    lam_meta_page_header headers[40];
    lam_arena arena;
    lam_arena_init(&arena, &sample->allocator, 0);
    size_t count = lam_chunk_sample_headers(sample, headers, 40, &arena), at = 0;
    text[0] = '\0';
    for (size_t i = 0; i < count; i++) {
        bool is_dictionary = headers[i].type == LAM_PAGE_DICTIONARY;
        int32_t values = is_dictionary ? headers[i].dictionary_page_header->num_values
                                       : headers[i].data_page_header->num_values;
        bool is_plain =
            !is_dictionary && headers[i].data_page_header->encoding == LAM_ENCODING_PLAIN;
        at += (size_t)snprintf(text + at, sizeof text - at, "%s%c%d", i > 0 ? " " : "",
                               is_dictionary ? 'd'
                               : is_plain    ? 'p'
                                             : 'i',
                               (int)values);
    }
    lam_arena_finish(&arena);
    return text;
}

Test(chunk_write, a_dictionary_that_fills_up_ends_its_page_and_plain_pages_follow) {
    lam_chunk_sample sample;
    int32_t numbers[50];
    init_with_type(&sample, 0, "int32");
    sample.options.page_rows = 20;
    sample.options.dictionary_bytes = 4 * 4; /* four values */
    for (int32_t i = 0; i < 50; i++)
        numbers[i] = i < 27 ? i % 4 : i;
    write_numbers(&sample, numbers, 50);
    cr_assert_str_eq(pages_of(&sample), "d4 i20 i7 p20 p3");
    lam_chunk_sample_finish(&sample);
}

Test(chunk_write, a_first_page_that_pays_stays_a_dictionary_page_when_the_dictionary_fills_up) {
    lam_chunk_sample sample;
    int32_t numbers[30];
    init_with_type(&sample, 0, "int32");
    sample.options.page_rows = 20;
    sample.options.dictionary_bytes = 4 * 4;
    for (int32_t i = 0; i < 30; i++)
        numbers[i] = i < 15 ? i % 4 : i;
    write_numbers(&sample, numbers, 30);
    cr_assert_str_eq(pages_of(&sample), "d4 i15 p15");
    lam_chunk_sample_finish(&sample);
}

Test(chunk_write, a_first_page_that_does_not_pay_goes_on_as_plain_within_the_page) {
    lam_chunk_sample sample;
    int32_t numbers[30];
    init_with_type(&sample, 0, "int32");
    sample.options.page_rows = 20;
    for (int32_t i = 0; i < 30; i++)
        numbers[i] = i;
    sample.options.dictionary_bytes = 4 * 4; /* fills up in the first page */
    write_numbers(&sample, numbers, 30);
    cr_assert_str_eq(pages_of(&sample), "p20 p10");
    sample.options.dictionary_bytes = 1000; /* the first page ends before */
    write_numbers(&sample, numbers, 30);
    cr_assert_str_eq(pages_of(&sample), "p20 p10");
    lam_chunk_sample_finish(&sample);
}

Test(chunk_write, a_dictionary_that_pays_late_is_not_tried_again) {
    lam_chunk_sample sample;
    int32_t numbers[60] = {0};
    init_with_type(&sample, 0, "int32");
    sample.options.page_rows = 20;
    for (int32_t i = 0; i < 20; i++)
        numbers[i] = i;
    write_numbers(&sample, numbers, 60);
    cr_assert_str_eq(pages_of(&sample), "p20 p20 p20");
    lam_chunk_sample_finish(&sample);
}

Test(chunk_write, without_dictionary_no_page_has_one) {
    lam_chunk_sample sample;
    int32_t numbers[60] = {0};
    init_with_type(&sample, 0, "int32");
    sample.options.use_dictionary = false;
    write_numbers(&sample, numbers, 60);
    cr_assert_str_eq(pages_of(&sample), "p60");
    sample.options.use_dictionary = true;
    write_numbers(&sample, numbers, 60);
    cr_assert_str_eq(pages_of(&sample), "d1 i60");
    lam_chunk_sample_finish(&sample);
}

Test(chunk_write, a_record_with_more_values_than_the_dictionary_takes_is_plain) {
    lam_chunk_sample sample;
    init_with_type(&sample, 2, "int32");
    sample.options.dictionary_bytes = 4 * 4;
    uint8_t repetition[30], definition[30];
    int32_t values[30];
    for (int32_t i = 0; i < 30; i++) {
        repetition[i] = i != 0 && i != 10; /* a record of ten zeros, and one of twenty numbers */
        definition[i] = 1;
        values[i] = i < 10 ? 0 : i;
    }
    lam_triple_column column;
    lam_triple_shape shape = {.record_count = 2};
    lam_random random = lam_random_start(1);
    lam_triple_column_init(&column, sample.leaf, &shape, &random);
    column.starts[1] = column.value_starts[1] = 10;
    column.starts[2] = column.value_starts[2] = 30;
    column.triples = (lam_triples){30, 30, repetition, definition, values};
    lam_chunk_sample_write(&sample, &column, NULL);
    cr_assert_str_eq(pages_of(&sample), "d4 i10 p20");
    cr_assert_eq(lam_chunk_sample_read(&sample, &column, 7, NULL), LAM_STATUS_OK);
    lam_triple_column_finish(&column);
    lam_chunk_sample_finish(&sample);
}

Test(chunk_write, indexes_of_long_values_never_turn_into_a_huge_plain_page) {
    lam_chunk_sample sample;
    lam_meta_page_header headers[40];
    lam_arena arena;
    init_with_type(&sample, 0, "binary");
    sample.options.page_bytes = 4000;
    sample.options.dictionary_bytes = 10100;
    static uint8_t text[1000];
    static lam_bytes values[980]; /* ten long texts again and again, then an eleventh */
    for (size_t i = 0; i < 980; i++)
        values[i] = (lam_bytes){text + i % 10, 990};
    for (size_t i = 0; i < sizeof text; i++)
        text[i] = (uint8_t)(i * i / 7);
    values[979].size = 600;
    lam_triple_column column;
    lam_triple_shape shape = {.record_count = 980, .bytes_max = 1};
    lam_random random = lam_random_start(1);
    lam_triple_column_init(&column, sample.leaf, &shape, &random);
    column.triples.values = values;
    lam_chunk_sample_write(&sample, &column, NULL);
    cr_assert_str_eq(pages_of(&sample), "d10 i979 p1");
    lam_arena_init(&arena, &sample.allocator, 0);
    lam_chunk_sample_headers(&sample, headers, 40, &arena);
    cr_assert_lt(headers[1].uncompressed_page_size, 1000);
    lam_arena_finish(&arena);
    lam_triple_column_finish(&column);
    lam_chunk_sample_finish(&sample);
}

/* Each index of an open page turns back into its value, for which a value of the widest type was
 * reserved also where the page has none: 512 MiB for a column of nulls, as fuzzing found. */
Test(chunk_write, nulls_that_leave_a_dictionary_reserve_no_value) {
    lam_chunk_sample sample;
    lam_failing_alloc counter = {0};
    lam_finished_chunk chunk;
    lam_chunk_writer *writer;
    static const uint8_t nulls[100];
    lam_triples triples = {.count = 100, .definition = nulls};
    init_with_type(&sample, 1, "fixed_len_byte_array(536870912)");
    lam_allocator counted = lam_failing_allocator(&counter);
    cr_assert_eq(lam_chunk_writer_create(sample.leaf, &sample.options, sample.codecs, &counted,
                                         &writer, NULL),
                 LAM_STATUS_OK);
    cr_assert_eq(lam_chunk_writer_write(writer, &triples, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_chunk_writer_end(writer, &chunk, NULL), LAM_STATUS_OK);
    cr_assert_eq(chunk.null_count, 100);
    cr_assert_lt(counter.peak_bytes, 8 << 20);
    lam_chunk_writer_destroy(writer);
    lam_chunk_sample_finish(&sample);
}

/* --- The life of a writer -------------------------------------------------------------------- */

static lam_chunk_writer *create(const lam_chunk_sample *sample) {
    lam_chunk_writer *writer;
    cr_assert_eq(lam_chunk_writer_create(sample->leaf, &sample->options, sample->codecs,
                                         &sample->allocator, &writer, NULL),
                 LAM_STATUS_OK);
    return writer;
}

Test(chunk_write, a_chunk_without_records_has_no_pages) {
    lam_chunk_sample sample;
    lam_finished_chunk chunk;
    init_with_type(&sample, 1, "int32");
    lam_chunk_writer *writer = create(&sample);
    lam_triples nothing = {0};
    cr_assert_eq(lam_chunk_writer_write(writer, &nothing, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_chunk_writer_end(writer, &chunk, NULL), LAM_STATUS_OK);
    cr_assert_eq(chunk.dictionary_page.size + chunk.data_pages.size, 0);
    cr_assert_eq(chunk.uncompressed_size + chunk.value_count + chunk.null_count, 0);
    cr_assert_not(chunk.has_dictionary_pages);
    lam_chunk_writer_destroy(writer);
    lam_chunk_sample_finish(&sample);
}

Test(chunk_write, a_restarted_writer_knows_nothing_of_the_chunk_before) {
    lam_random random = lam_random_start(lam_test_seed(2));
    for (size_t round = 0; round < 64; round++) {
        lam_chunk_sample sample;
        init_with_type(&sample, round / 8 % 4, types[round % 8]);
        any_options(&sample.options, &random);
        lam_triple_shape shape = any_shape(&random);
        lam_triple_column columns[2];
        lam_chunk_writer *writer = create(&sample);
        for (size_t i = 0; i < 2; i++) {
            lam_finished_chunk chunk;
            lam_triple_column_init(&columns[i], sample.leaf, &shape, &random);
            lam_chunk_sample_write(&sample, &columns[i], NULL);
            cr_assert_eq(lam_chunk_writer_byte_count(writer), 0);
            cr_assert_eq(lam_chunk_writer_write(writer, &columns[i].triples, NULL), LAM_STATUS_OK);
            cr_assert_eq(lam_chunk_writer_end(writer, &chunk, NULL), LAM_STATUS_OK);
            cr_assert_eq(chunk.dictionary_page.size, sample.dictionary_size);
            cr_assert_eq(chunk.dictionary_page.size + chunk.data_pages.size,
                         sample.bytes.size - LAM_SAMPLE_OFFSET);
            if (chunk.data_pages.size > 0)
                cr_assert_eq(memcmp(chunk.data_pages.data,
                                    sample.bytes.data + sample.bytes.size - chunk.data_pages.size,
                                    chunk.data_pages.size),
                             0);
            cr_assert_eq(chunk.value_count, columns[i].triples.count);
            lam_chunk_writer_restart(writer);
            lam_triple_column_finish(&columns[i]);
        }
        lam_chunk_writer_destroy(writer);
        lam_chunk_sample_finish(&sample);
    }
}

Test(chunk_write, the_byte_count_grows_with_what_is_held_and_forgets_an_unused_dictionary) {
    lam_chunk_sample sample;
    init_with_type(&sample, 0, "int64");
    sample.options.page_rows = 100;
    lam_chunk_writer *writer = create(&sample);
    int64_t numbers[1000];
    for (int64_t i = 0; i < 1000; i++)
        numbers[i] = i;
    lam_triples triples = {1000, 1000, NULL, NULL, numbers};
    cr_assert_eq(lam_chunk_writer_write(writer, &triples, NULL), LAM_STATUS_OK);
    uint64_t held = lam_chunk_writer_byte_count(writer);
    cr_assert_geq(held, sizeof numbers);
    cr_assert_lt(held, sizeof numbers + 10 * 60); /* headers, and no dictionary */
    lam_chunk_writer_destroy(writer);
    lam_chunk_sample_finish(&sample);
}

static lam_status write_with(lam_failing_alloc *counter, const lam_triple_column *column,
                             const lam_chunk_options *options) {
    lam_allocator allocator = lam_failing_allocator(counter);
    lam_codec_context *codecs;
    lam_status status = lam_codec_context_create(&allocator, &codecs, NULL);
    if (status != LAM_STATUS_OK)
        return status;
    lam_chunk_writer *writer = NULL;
    lam_finished_chunk chunk;
    status = lam_chunk_writer_create(column->leaf, options, codecs, &allocator, &writer, NULL);
    if (status == LAM_STATUS_OK)
        status = lam_chunk_writer_write(writer, &column->triples, NULL);
    if (status == LAM_STATUS_OK)
        status = lam_chunk_writer_end(writer, &chunk, NULL);
    lam_chunk_writer_destroy(writer);
    lam_codec_context_destroy(codecs);
    return status;
}

Test(chunk_write, without_memory_it_says_so_and_leaks_nothing) {
    lam_random random = lam_random_start(3);
    for (size_t round = 0; round < 8; round++) {
        lam_chunk_sample sample;
        init_with_type(&sample, 3, types[round]);
        any_options(&sample.options, &random);
        sample.options.use_dictionary = true;
        lam_triple_shape shape = {
            .record_count = 100, .null_percent = 20, .more_percent = 50, .bytes_max = 9};
        lam_triple_column column;
        lam_triple_column_init(&column, sample.leaf, &shape, &random);
        lam_status status = LAM_STATUS_NOMEM;
        size_t fail_at = 1;
        for (; status == LAM_STATUS_NOMEM; fail_at++) {
            lam_failing_alloc counter = {.fail_at = fail_at};
            status = write_with(&counter, &column, &sample.options);
            cr_assert_eq(counter.live_bytes, 0);
            cr_assert_eq(counter.wrong_sizes, 0);
        }
        cr_assert_eq(status, LAM_STATUS_OK);
        cr_assert_gt(fail_at, 8);
        lam_triple_column_finish(&column);
        lam_chunk_sample_finish(&sample);
    }
}
