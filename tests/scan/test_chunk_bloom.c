/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Only the blocks of a Bloom filter that a test needs are read. No value that is there is missed,
 * whatever byte of the filter or its header is wrong.
 */
#include "scan/prune/chunk_bloom.h"

#include <criterion/criterion.h>
#include <lamella/reader.h>
#include <lamella/record.h>
#include <lamella/writer.h>
#include <string.h>

#include "file/file_sample.h"
#include "file/read/file_reader.h"
#include "stats/bloom.h"
#include "support/ending_input.h"
#include "support/failing_alloc.h"
#include "support/whole_footer.h"

enum { ROWS = 20000 };

/* One row group of the odd numbers below 2 * ROWS, with a filter for `distinct` values. */
static lam_file_sample write_odd_numbers(uint64_t distinct) {
    lam_file_sample sample = {.schema = lam_test_schema("message m { required int64 n; }")};
    lam_test_writer file = lam_test_write_as(sample.schema, NULL);
    cr_assert_eq(lam_writer_set_bloom_filter(file.writer, "n", 0.001, distinct, NULL),
                 LAM_STATUS_OK);
    for (int i = 0; i < ROWS; i++)
        lam_test_put(&file, "{n: %d}", 2 * i + 1);
    sample.bytes = lam_test_written(&file);
    return sample;
}

static void free_sample(lam_file_sample *sample) {
    lam_schema_destroy(sample->schema);
    lam_buffer_finish(&sample->bytes);
}

typedef struct question {
    uint8_t plain[4000][8];
    lam_bytes values[4000];
    size_t count;
} question;

static void ask(question *asked, int64_t number) {
    uint8_t *plain = asked->plain[asked->count];
    for (int i = 0; i < 8; i++)
        plain[i] = (uint8_t)((uint64_t)number >> 8 * i);
    asked->values[asked->count++] = (lam_bytes){plain, 8};
}

static lam_chunk_bloom read_filter(const lam_reader *reader, const question *asked,
                                   lam_arena *arena, uint64_t *bytes_read) {
    lam_chunk_bloom bloom;
    lam_bloom_values halves[2] = {
        {asked->values, asked->count / 2},
        {asked->values + asked->count / 2, asked->count - asked->count / 2}};
    lam_bloom_questions questions = {halves, 2, {NULL, 0}};
    *bytes_read = 0;
    lam_meta_column_chunk chunk;
    lam_arena own = lam_reader_chunk_arena(reader);
    cr_assert_eq(lam_reader_find_column(reader, 0, 0, &own, &chunk, NULL), LAM_STATUS_OK);
    lam_claimed_bytes claimed;
    lam_claimed_bytes_init(&claimed, &reader->allocator);
    lam_claimed_bytes_move(&claimed, reader, 0);
    cr_assert_eq(lam_chunk_bloom_read(&claimed, 0, chunk.meta_data, &questions, arena, bytes_read,
                                      &bloom, NULL),
                 LAM_STATUS_OK);
    lam_claimed_bytes_finish(&claimed);
    lam_arena_finish(&own);
    return bloom;
}

Test(chunk_bloom, only_the_blocks_of_the_values_are_read_and_no_value_is_missed) {
    static const size_t counts[] = {1, 2, 7, 50, 3000};
    lam_allocator allocator = lam_allocator_default();
    lam_file_sample sample = write_odd_numbers(0);
    lam_reader *reader = lam_file_sample_open(&sample, NULL);
    static question asked;
    size_t false_positives = 0, asked_for_nothing = 0;
    for (size_t i = 0; i < 5; i++) {
        lam_arena arena;
        uint64_t bytes_read;
        lam_arena_init(&arena, &allocator, 0);
        asked.count = 0;
        for (size_t n = 0; n < counts[i]; n++) /* each second one is there */
            ask(&asked, (int64_t)(n * 7919 % ROWS) * 2 + (n % 2 == 0));
        lam_chunk_bloom bloom = read_filter(reader, &asked, &arena, &bytes_read);
        cr_assert_gt(bloom.block_count, 1000);
        cr_assert_eq(bloom.bits != NULL, counts[i] == 3000);
        if (bloom.bits == NULL)
            cr_assert_leq(bytes_read, 64 + 32 * counts[i]);
        for (size_t n = 0; n < counts[i]; n++) {
            bool held = lam_chunk_bloom_may_hold(&bloom, asked.values[n]);
            cr_assert(held || n % 2 == 1, "%zu is missed", n);
            false_positives += held && n % 2 == 1;
            asked_for_nothing += n % 2 == 1;
        }
        lam_arena_finish(&arena);
    }
    cr_assert_lt(false_positives * 50, asked_for_nothing);
    lam_reader_close(reader);
    free_sample(&sample);
}

Test(chunk_bloom, a_value_that_was_not_asked_for_may_be_there) {
    lam_allocator allocator = lam_allocator_default();
    lam_file_sample sample = write_odd_numbers(0);
    lam_reader *reader = lam_file_sample_open(&sample, NULL);
    static question asked, other;
    lam_arena arena;
    uint64_t bytes_read;
    lam_arena_init(&arena, &allocator, 0);
    asked.count = other.count = 0;
    ask(&asked, 1);
    for (int64_t n = 1; n <= 100; n++)
        ask(&other, 2 * n);
    lam_chunk_bloom bloom = read_filter(reader, &asked, &arena, &bytes_read);
    size_t held = 0;
    for (size_t i = 0; i < 100; i++)
        held += lam_chunk_bloom_may_hold(&bloom, other.values[i]);
    cr_expect_geq(held, 99); /* but one that shares the block */
    lam_arena_finish(&arena);
    lam_reader_close(reader);
    free_sample(&sample);
}

/* Clears the filter, but for its last `kept` bytes. */
static void clear_filter(lam_file_sample *sample, size_t kept, uint32_t block_count) {
    lam_column_chunk_info info = lam_column_chunk_info_default();
    lam_reader *reader = lam_file_sample_open(sample, NULL);
    cr_assert_eq(lam_reader_column_chunk(reader, 0, 0, &info, NULL), LAM_STATUS_OK);
    lam_reader_close(reader);
    uint8_t *header = sample->bytes.data + info.bloom_filter_offset;
    size_t size = 4; /* of the header, which ends with the ends of three structs */
    while (memcmp(header + size - 4, "\x1c\0\0\0", 4) != 0 && size < 64)
        size++;
    memset(header + size, 0, (size_t)block_count * LAM_BLOOM_BLOCK_SIZE - kept);
}

Test(chunk_bloom, a_filter_without_a_bit_is_none_and_one_that_is_mostly_empty_stands) {
    lam_allocator allocator = lam_allocator_default();
    for (size_t kept = 0; kept <= 4096; kept += 4096) {
        lam_file_sample sample = write_odd_numbers(1 << 20);
        static question asked;
        uint64_t bytes_read;
        lam_arena arena;
        asked.count = 0;
        ask(&asked, 1);
        ask(&asked, 3);
        lam_arena_init(&arena, &allocator, 0);
        lam_reader *reader = lam_file_sample_open(&sample, NULL);
        lam_chunk_bloom bloom = read_filter(reader, &asked, &arena, &bytes_read);
        uint32_t blocks = bloom.block_count;
        cr_assert(lam_chunk_bloom_may_hold(&bloom, asked.values[0]));
        clear_filter(&sample, kept, blocks);
        bloom = read_filter(reader, &asked, &arena, &bytes_read);
        cr_expect_eq(bloom.block_count, kept > 0 ? blocks : 0);
        cr_expect_eq(lam_chunk_bloom_may_hold(&bloom, asked.values[0]), kept == 0);
        lam_arena_finish(&arena);
        lam_reader_close(reader);
        free_sample(&sample);
    }
}

Test(chunk_bloom, a_filter_without_room_is_none) {
    lam_allocator allocator = lam_allocator_default();
    lam_file_sample sample = write_odd_numbers(0);
    lam_reader *reader = lam_file_sample_open(&sample, NULL);
    static question asked;
    asked.count = 0;
    for (int64_t n = 0; n < 3000; n++)
        ask(&asked, n);
    for (size_t budget = 8; budget < 40000; budget += 1000) {
        lam_arena arena;
        uint64_t bytes_read;
        lam_arena_init(&arena, &allocator, budget);
        lam_chunk_bloom bloom = read_filter(reader, &asked, &arena, &bytes_read);
        for (size_t i = 1; i < asked.count; i += 2)
            cr_assert(lam_chunk_bloom_may_hold(&bloom, asked.values[i]));
        lam_arena_finish(&arena);
    }
    lam_reader_close(reader);
    free_sample(&sample);
}

/* A header that says anything else than the format defines is none, and no value is missed. */
Test(chunk_bloom, a_header_with_any_byte_changed_misses_no_value) {
    enum { HEADER_BYTES = 16 };
    lam_allocator allocator = lam_allocator_default();
    lam_file_sample sample = write_odd_numbers(100);
    lam_reader *reader = lam_file_sample_open(&sample, NULL);
    lam_footer_change change;
    lam_footer_change_begin(&change, reader);
    lam_meta_column *column = lam_footer_change_column(&change, 0, 0);
    static question asked;
    size_t with_filter = 0, without = 0;
    size_t offset = (size_t)column->bloom_filter_offset;
    ask(&asked, 4711);
    for (int has_length = 0; has_length < 2; has_length++) {
        if (has_length == 0)
            column->has &= ~(uint32_t)LAM_META_COLUMN_HAS_BLOOM_FILTER_LENGTH;
        else
            column->has |= LAM_META_COLUMN_HAS_BLOOM_FILTER_LENGTH;
        lam_footer_change_apply(&change);
        for (size_t i = 0; i < HEADER_BYTES * 256; i++) {
            lam_arena arena;
            uint64_t bytes_read;
            uint8_t *byte = &sample.bytes.data[offset + i / 256], before = *byte;
            lam_arena_init(&arena, &allocator, 0);
            *byte = (uint8_t)i;
            lam_chunk_bloom bloom = read_filter(reader, &asked, &arena, &bytes_read);
            if (has_length == 1)
                cr_assert(lam_chunk_bloom_may_hold(&bloom, asked.values[0]), "byte %zu", i / 256);
            with_filter += bloom.block_count > 0;
            without += bloom.block_count == 0;
            *byte = before;
            lam_arena_finish(&arena);
        }
    }
    cr_assert_gt(with_filter, 2 * HEADER_BYTES - 1);
    cr_assert_gt(without, HEADER_BYTES);
    lam_footer_change_end(&change);
    lam_reader_close(reader);
    free_sample(&sample);
}

Test(chunk_bloom, an_offset_outside_of_the_file_is_none) {
    lam_allocator allocator = lam_allocator_default();
    lam_file_sample sample = write_odd_numbers(100);
    lam_reader *reader = lam_file_sample_open(&sample, NULL);
    const int64_t offsets[] = {-1, INT64_MIN, (int64_t)reader->footer.offset, INT64_MAX};
    lam_footer_change change;
    static question asked;
    lam_footer_change_begin(&change, reader);
    ask(&asked, 4711);
    for (size_t i = 0; i < 4; i++) {
        lam_arena arena;
        uint64_t bytes_read;
        lam_arena_init(&arena, &allocator, 0);
        lam_footer_change_column(&change, 0, 0)->bloom_filter_offset = offsets[i];
        lam_footer_change_apply(&change);
        lam_chunk_bloom bloom = read_filter(reader, &asked, &arena, &bytes_read);
        cr_assert_eq(bloom.block_count, 0);
        cr_assert_eq(bytes_read, 0);
        lam_arena_finish(&arena);
    }
    lam_footer_change_end(&change);
    lam_reader_close(reader);
    free_sample(&sample);
}

/* --- Failures ------------------------------------------------------------------------------ */

static lam_status try_filter(const lam_reader *reader, const lam_meta_column *column,
                             const question *asked, lam_arena *arena, lam_chunk_bloom *ret_bloom,
                             lam_error *error) {
    const lam_bloom_values all = {asked->values, asked->count};
    const lam_bloom_questions questions = {&all, 1, {NULL, 0}};
    uint64_t bytes_read = 0;
    lam_claimed_bytes claimed;
    lam_claimed_bytes_init(&claimed, &reader->allocator);
    lam_claimed_bytes_move(&claimed, reader, 0);
    lam_status status =
        lam_chunk_bloom_read(&claimed, 0, column, &questions, arena, &bytes_read, ret_bloom, error);
    lam_claimed_bytes_finish(&claimed);
    return status;
}

/* Of a filter of zeros all is searched for a bit, which may be the last one. */
Test(chunk_bloom, each_read_and_request_for_memory_may_fail) {
    enum { AS_IT_IS, EMPTY, WITH_ONE_BIT, WAYS };
    static lam_ending_input source;
    static question asked;
    lam_allocator heap = lam_allocator_default();
    asked.count = 0;
    ask(&asked, 1);
    ask(&asked, 3);
    for (int way = AS_IT_IS; way < WAYS; way++) {
        lam_file_sample sample = write_odd_numbers(1 << 20);
        lam_reader *reader = lam_file_sample_open(&sample, NULL), *ending;
        lam_meta_column_chunk chunk;
        lam_chunk_bloom bloom;
        lam_arena own = lam_reader_chunk_arena(reader), arena;
        cr_assert_eq(lam_reader_find_column(reader, 0, 0, &own, &chunk, NULL), LAM_STATUS_OK);
        lam_arena_init(&arena, &heap, 0);
        cr_assert_eq(try_filter(reader, chunk.meta_data, &asked, &arena, &bloom, NULL),
                     LAM_STATUS_OK);
        uint32_t blocks = bloom.block_count;
        lam_arena_finish(&arena);
        if (way != AS_IT_IS)
            clear_filter(&sample, 0, blocks);
        if (way == WITH_ONE_BIT)
            sample.bytes.data[bloom.offset + (int64_t)blocks * LAM_BLOOM_BLOCK_SIZE - 1] = 1;
        source.file = lam_buffer_bytes(&sample.bytes);
        lam_input input = lam_ending_input_of(&source);
        lam_ending_input_again(&source, 0, 0);
        cr_assert_eq(lam_reader_open(&input, NULL, &ending, NULL), LAM_STATUS_OK);
        lam_status status = LAM_STATUS_IO;
        for (size_t nth = 1; status != LAM_STATUS_OK; nth++) {
            lam_ending_input_again(&source, nth, 0);
            lam_arena_init(&arena, &heap, 0);
            status = try_filter(ending, chunk.meta_data, &asked, &arena, &bloom, NULL);
            cr_assert(status == LAM_STATUS_OK || status == LAM_STATUS_IO);
            lam_arena_finish(&arena);
        }
        cr_expect_eq(bloom.block_count, way == EMPTY ? 0 : blocks);
        status = LAM_STATUS_NOMEM;
        for (size_t nth = 1; status != LAM_STATUS_OK; nth++) {
            lam_failing_alloc failing = {.fail_at = nth};
            lam_allocator allocator = lam_failing_allocator(&failing);
            lam_arena_init(&arena, &allocator, 0);
            status = try_filter(reader, chunk.meta_data, &asked, &arena, &bloom, NULL);
            cr_assert(status == LAM_STATUS_OK || status == LAM_STATUS_NOMEM);
            lam_arena_finish(&arena);
            cr_assert_eq(failing.live_bytes, 0);
        }
        lam_reader_close(ending);
        lam_arena_finish(&own);
        lam_reader_close(reader);
        free_sample(&sample);
    }
}

Test(chunk_bloom, blocks_without_room_say_nothing) {
    static question asked;
    lam_allocator heap = lam_allocator_default();
    for (int is_empty = 0; is_empty < 2; is_empty++) {
        lam_file_sample sample = write_odd_numbers(1 << 20);
        lam_reader *reader = lam_file_sample_open(&sample, NULL);
        lam_meta_column_chunk chunk;
        lam_chunk_bloom bloom;
        lam_arena own = lam_reader_chunk_arena(reader), arena;
        asked.count = 0;
        ask(&asked, 1);
        ask(&asked, 3);
        ask(&asked, 5);
        cr_assert_eq(lam_reader_find_column(reader, 0, 0, &own, &chunk, NULL), LAM_STATUS_OK);
        lam_arena_init(&arena, &heap, 0);
        cr_assert_eq(try_filter(reader, chunk.meta_data, &asked, &arena, &bloom, NULL),
                     LAM_STATUS_OK);
        if (is_empty)
            clear_filter(&sample, 0, bloom.block_count);
        lam_arena_finish(&arena);
        for (size_t budget = 8; budget < 20000; budget += budget < 1000 ? 8 : 500) {
            lam_arena_init(&arena, &heap, budget);
            cr_assert_eq(try_filter(reader, chunk.meta_data, &asked, &arena, &bloom, NULL),
                         LAM_STATUS_OK, "%zu bytes", budget);
            for (size_t i = 0; i < asked.count; i++)
                cr_assert(lam_chunk_bloom_may_hold(&bloom, asked.values[i]), "%zu bytes", budget);
            lam_arena_finish(&arena);
        }
        lam_arena_finish(&own);
        lam_reader_close(reader);
        free_sample(&sample);
    }
}

Test(chunk_bloom, a_chunk_without_triples_has_no_filter_to_read) {
    static question asked;
    lam_allocator heap = lam_allocator_default();
    lam_file_sample sample = write_odd_numbers(0);
    lam_reader *reader = lam_file_sample_open(&sample, NULL);
    lam_meta_column_chunk chunk;
    lam_chunk_bloom bloom;
    lam_arena own = lam_reader_chunk_arena(reader), arena;
    asked.count = 0;
    ask(&asked, 1);
    cr_assert_eq(lam_reader_find_column(reader, 0, 0, &own, &chunk, NULL), LAM_STATUS_OK);
    lam_meta_column column = *chunk.meta_data;
    column.num_values = 0;
    lam_arena_init(&arena, &heap, 0);
    cr_assert_eq(try_filter(reader, &column, &asked, &arena, &bloom, NULL), LAM_STATUS_OK);
    cr_expect_eq(bloom.block_count, 0);
    lam_arena_finish(&arena);
    lam_arena_finish(&own);
    lam_reader_close(reader);
    free_sample(&sample);
}
