/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pages of byte arrays that go on from the page before, as parquet-mr before 1.8 and the crate
 * parquet 20 to 30 wrote them: every value is the one that was written, from wherever reading
 * begins. (PARQUET-246, apache/arrow-rs#3408)
 */
#include <criterion/criterion.h>
#include <string.h>

#include "chunk/hand_made.h"
#include "encoding/delta_binary_packed.h"
#include "encoding/delta_byte_array.h"
#include "encoding/random_strings.h"
#include "kernel/kernel.h"

enum { SEQUEL_COUNT = 700, SEQUEL_FIXED = 6 };

/* A chunk of such pages. */
typedef struct sequel_chunk {
    lam_bytes values[SEQUEL_COUNT];
    lam_hand_made made;
} sequel_chunk;

/* How pages go on. */
typedef struct sequel_way {
    const char *schema;
    lam_encoding encoding;
    bool repeats; /* the bytes of the pages before stand in front */
} sequel_way;

static const sequel_way ways[] = {
    {"message m { required binary a; }", LAM_ENCODING_DELTA_BYTE_ARRAY, false},
    {"message m { required binary a; }", LAM_ENCODING_DELTA_BYTE_ARRAY, true},
    {"message m { required binary a; }", LAM_ENCODING_DELTA_LENGTH_BYTE_ARRAY, true},
    {"message m { required fixed_len_byte_array(6) a; }", LAM_ENCODING_DELTA_BYTE_ARRAY, false},
};

static void append_lengths(const uint32_t *lengths, size_t count, lam_buffer *page) {
    lam_delta_encoder encoder;
    lam_delta_encoder_init(&encoder, lam_kernels_get(), 32, &page->allocator);
    cr_assert_eq(lam_delta_write(&encoder, lengths, count, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_delta_append(&encoder, page, NULL), LAM_STATUS_OK);
    lam_delta_encoder_finish(&encoder);
}

/* Adds a page of some values; the bytes of all pages so far are in `all`. */
static void add_page(sequel_chunk *chunk, const sequel_way *way, size_t begin, size_t count,
                     lam_buffer *all) {
    uint32_t prefixes[SEQUEL_COUNT], suffixes[SEQUEL_COUNT];
    lam_page_sections sections = {.encoding = way->encoding};
    lam_buffer page;
    lam_buffer_init(&page, &all->allocator);
    if (!way->repeats)
        lam_buffer_clear(all);
    for (size_t i = 0; i < count; i++) {
        const lam_bytes *value = &chunk->values[begin + i];
        bool shares = way->encoding == LAM_ENCODING_DELTA_BYTE_ARRAY && begin + i > 0;
        size_t prefix = shares ? lam_common_prefix(value[-1], value[0]) : 0;
        prefixes[i] = (uint32_t)prefix;
        suffixes[i] = (uint32_t)(value->size - prefix);
        cr_assert_eq(lam_buffer_append(all, value->data + prefix, suffixes[i], NULL),
                     LAM_STATUS_OK);
    }
    if (way->encoding == LAM_ENCODING_DELTA_BYTE_ARRAY)
        append_lengths(prefixes, count, &page);
    append_lengths(suffixes, count, &page);
    cr_assert_eq(lam_buffer_append(&page, all->data, all->size, NULL), LAM_STATUS_OK);
    sections.value_count = sections.row_count = (uint32_t)count;
    sections.values = lam_buffer_bytes(&page);
    lam_hand_made_data(&chunk->made, &sections);
    lam_buffer_finish(&page);
}

static void make_sequel(sequel_chunk *chunk, const sequel_way *way, lam_random *random) {
    lam_allocator heap = lam_allocator_default();
    lam_bytes *values = chunk->values;
    lam_buffer all;
    lam_buffer_init(&all, &heap);
    random_strings(random, SEQUEL_COUNT, values);
    for (size_t i = 0; i < SEQUEL_COUNT && strstr(way->schema, "fixed") != NULL; i++) {
        uint8_t *data = realloc((void *)values[i].data, SEQUEL_FIXED);
        memset(data + values[i].size % SEQUEL_FIXED, (int)i % 3,
               SEQUEL_FIXED - values[i].size % SEQUEL_FIXED);
        values[i] = (lam_bytes){data, SEQUEL_FIXED};
    }
    lam_hand_made_start(&chunk->made, way->schema, 1 + (int32_t)lam_random_below(random, 2));
    for (size_t at = 0, count; at < SEQUEL_COUNT; at += count) {
        count = 1 + (size_t)lam_random_below(random, 150);
        count = count < SEQUEL_COUNT - at ? count : SEQUEL_COUNT - at;
        add_page(chunk, way, at, count, &all);
    }
    lam_chunk_sample_set(&chunk->made.sample, chunk->made.pages.data, chunk->made.pages.size,
                         SEQUEL_COUNT, SEQUEL_COUNT);
    lam_buffer_finish(&all);
}

static void finish_sequel(sequel_chunk *chunk) {
    free_strings(SEQUEL_COUNT, chunk->values);
    lam_hand_made_finish(&chunk->made);
}

static lam_column_cursor *open_sequel(const sequel_chunk *chunk, bool has_sequels,
                                      lam_input *input) {
    lam_column_chunk opened = lam_chunk_sample_chunk(&chunk->made.sample, input);
    lam_column_cursor *cursor;
    opened.has_sequels = has_sequels;
    input->borrow = NULL; /* bytes are gone with the next window */
    cr_assert_eq(lam_column_cursor_create(&opened, &chunk->made.sample.allocator, &cursor, NULL),
                 LAM_STATUS_OK);
    return cursor;
}

/* Reads from a row to the end, and compares unless a failure ends it. */
static lam_status read_sequel(const sequel_chunk *chunk, bool has_sequels, size_t row, size_t step,
                              size_t *ret_wrong) {
    lam_input input;
    lam_column_cursor *cursor = open_sequel(chunk, has_sequels, &input);
    lam_status status = lam_column_cursor_skip_to(cursor, row, NULL);
    lam_triples run = {.count = 1};
    *ret_wrong = 0;
    while (status == LAM_STATUS_OK && run.count > 0) {
        status = lam_column_cursor_read(cursor, step, &run, NULL);
        for (size_t i = 0; status == LAM_STATUS_OK && i < run.count; i++, row++) {
            lam_bytes value = lam_triples_value(&run, chunk->made.sample.leaf, i).bytes;
            *ret_wrong +=
                value.size != chunk->values[row].size ||
                (value.size > 0 && memcmp(value.data, chunk->values[row].data, value.size) != 0);
        }
    }
    cr_expect(status != LAM_STATUS_OK || row == SEQUEL_COUNT);
    lam_column_cursor_destroy(cursor);
    return status;
}

Test(sequel_pages, values_are_those_that_were_written_from_any_row_on) {
    uint64_t seed = lam_test_seed(61);
    for (size_t round = 0; round < 40; round++) {
        lam_random random = lam_random_start(seed + round);
        sequel_chunk chunk;
        size_t wrong, unaware = 0;
        make_sequel(&chunk, &ways[round % 4], &random);
        for (size_t row = 0; row <= SEQUEL_COUNT;
             row += 1 + (size_t)lam_random_below(&random, 60)) {
            size_t step = 1 + (size_t)lam_random_below(&random, 200);
            cr_assert_eq(read_sequel(&chunk, true, row, step, &wrong), LAM_STATUS_OK,
                         "round %zu, row %zu", round, row);
            cr_assert_eq(wrong, 0, "round %zu, row %zu", round, row);
        }
        bool is_read = read_sequel(&chunk, false, 0, 100, &unaware) == LAM_STATUS_OK;
        cr_expect(!is_read || unaware > 0 || chunk.values[SEQUEL_COUNT - 1].size == 0,
                  "round %zu: these pages do not go on", round);
        finish_sequel(&chunk);
    }
}

/* Batches of which values are skipped, the last ones of a page among them. */
Test(sequel_pages, values_that_are_skipped_are_gone_on_from) {
    uint64_t seed = lam_test_seed(62);
    for (size_t round = 0; round < 40; round++) {
        lam_random random = lam_random_start(seed + round);
        sequel_chunk chunk;
        lam_input input;
        lam_batch batch = {.count = 1};
        lam_bytes values[100];
        size_t row = 0;
        make_sequel(&chunk, &ways[round % 3], &random);
        lam_column_cursor *cursor = open_sequel(&chunk, true, &input);
        while (batch.count > 0) {
            cr_assert_eq(lam_column_cursor_read_levels(cursor, 100, 100, NULL, NULL, &batch, NULL),
                         LAM_STATUS_OK);
            size_t some = (size_t)lam_random_below(&random, batch.count + 1);
            cr_assert_eq(lam_column_cursor_read_values(cursor, some, values, NULL), LAM_STATUS_OK);
            for (size_t i = 0; i < some; i++) {
                cr_assert_eq(values[i].size, chunk.values[row + i].size, "round %zu", round);
                cr_assert_arr_eq(values[i].data, chunk.values[row + i].data, values[i].size);
            }
            cr_assert_eq(lam_column_cursor_skip_values(cursor, batch.count - some, NULL),
                         LAM_STATUS_OK);
            row += batch.count;
        }
        cr_assert_eq(row, SEQUEL_COUNT);
        lam_column_cursor_destroy(cursor);
        finish_sequel(&chunk);
    }
}

/* Lengths of more values than the page has are not added up. */
Test(sequel_pages, a_page_that_states_more_lengths_than_values_stays_as_it_is) {
    static const char bytes[] = "\x80\x01\x04\x03\x02\0\0\0\0\0abc"; /* three lengths of 1 */
    lam_bytes view = {(const uint8_t *)bytes, sizeof bytes - 1}, value, none = {NULL, 0};
    lam_value_layout layout = {LAM_PHYSICAL_BYTE_ARRAY, 0};
    for (uint32_t most = 2; most <= 3; most++) {
        lam_decoder decoder;
        bool goes_on = true;
        cr_assert_eq(lam_decoder_init(&decoder, lam_kernels_get(),
                                      LAM_ENCODING_DELTA_LENGTH_BYTE_ARRAY, layout, view, NULL,
                                      NULL, NULL),
                     LAM_STATUS_OK);
        decoder.end -= most == 3 ? 0 : 1;
        cr_assert_eq(lam_decoder_go_on(&decoder, most, none, &goes_on, NULL), LAM_STATUS_OK);
        cr_expect_not(goes_on);
        cr_assert_eq(lam_decoder_read(&decoder, 1, &value, NULL), LAM_STATUS_OK);
        cr_expect_eq(value.data[0], 'a');
    }
}
