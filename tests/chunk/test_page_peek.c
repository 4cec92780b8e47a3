/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The next page of a chunk is looked at before it is read: whether it begins a record, and what can
 * go wrong.
 */
#include "chunk/read/page_peek.h"

#include <criterion/criterion.h>

#include "chunk/page_bench.h"
#include "support/ending_input.h"

#define REPEATED "message m { repeated int32 a; }"

static const uint8_t whole[] = {0, 0, 0, 0}, goes_on[] = {1, 0, 0, 0};

/* A chunk of one page, pages that hold no triples, and a page that begins a record or does not. */
static void start_chunk(lam_page_bench *bench, int32_t version, lam_codec codec, bool begins) {
    const lam_page_sections nothing = {.value_count = 0};
    lam_page_bench_start(bench, REPEATED, version);
    lam_page_writer_finish(&bench->made.writer);
    lam_page_writer_init(&bench->made.writer, codec, 0, version, true, bench->made.sample.codecs,
                         &bench->made.sample.allocator);
    lam_page_bench_repeated(bench, whole, 4);
    lam_hand_made_other(&bench->made, 1);
    lam_hand_made_data(&bench->made, &nothing);
    lam_page_bench_repeated(bench, begins ? whole : goes_on, 4);
    bench->made.sample.options.codec = codec;
    lam_page_bench_state(bench, 8, 8 - !begins);
}

static lam_column_cursor *open_chunk(lam_page_bench *bench, const lam_input *input) {
    lam_column_cursor *cursor;
    lam_column_chunk chunk = lam_chunk_sample_chunk(&bench->made.sample, &bench->bytes);
    if (input != NULL)
        chunk.input = input;
    cr_assert_eq(lam_column_cursor_create(&chunk, &bench->made.sample.allocator, &cursor, NULL),
                 LAM_STATUS_OK);
    return cursor;
}

static bool peek(lam_column_cursor *cursor) {
    bool begins = true;
    cr_assert_eq(lam_page_peek_begins(&cursor->file.walk, &cursor->reader, NULL, &begins, NULL),
                 LAM_STATUS_OK);
    return begins;
}

Test(page_peek, the_next_page_with_triples_is_seen_and_then_read) {
    static const lam_codec codecs[] = {LAM_CODEC_UNCOMPRESSED, LAM_CODEC_SNAPPY, LAM_CODEC_GZIP,
                                       LAM_CODEC_ZSTD};
    for (size_t i = 0; i < 16; i++) {
        bool begins = i % 2 == 0;
        lam_page_bench bench;
        lam_triples triples;
        start_chunk(&bench, 1 + (int32_t)(i / 2 % 2), codecs[i / 4], begins);
        lam_column_cursor *cursor = open_chunk(&bench, NULL);
        cr_assert(peek(cursor), "round %zu", i);
        cr_assert_eq(lam_column_cursor_read(cursor, 3, &triples, NULL), LAM_STATUS_OK);
        cr_assert_eq(triples.count, 3);
        cr_assert_eq(peek(cursor), begins);
        cr_assert_eq(lam_column_cursor_read(cursor, 3, &triples, NULL), LAM_STATUS_OK);
        cr_assert_eq(triples.count, 1); /* the open page is as it was */
        cr_assert_eq(((const int32_t *)triples.values)[0], 7);
        cr_assert_eq(lam_column_cursor_read(cursor, 4, &triples, NULL), LAM_STATUS_OK);
        cr_assert_eq(triples.count, 4);
        cr_assert_eq(triples.repetition == NULL, begins);
        cr_assert_not(peek(cursor)); /* no page is left */
        lam_column_cursor_destroy(cursor);
        lam_page_bench_finish(&bench);
    }
}

Test(page_peek, a_page_anywhere_in_a_chunk_is_asked_for_by_its_offset) {
    lam_page_bench bench;
    bool begins;
    lam_page_bench_start(&bench, REPEATED, 1);
    lam_page_bench_repeated(&bench, whole, 4);
    uint64_t second = lam_page_bench_end(&bench);
    lam_page_bench_repeated(&bench, goes_on, 4);
    lam_page_bench_state(&bench, 8, 7);
    lam_column_cursor *cursor = open_chunk(&bench, NULL);
    const struct {
        uint64_t offset;
        bool begins;
    } cases[] = {{LAM_SAMPLE_OFFSET, true}, {second, false}, {second + 1, false},
                 {LAM_SAMPLE_OFFSET, true}, {0, false},      {UINT64_MAX, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cr_assert_eq(lam_column_cursor_page_begins(cursor, cases[i].offset, &begins, NULL),
                     LAM_STATUS_OK);
        cr_assert_eq(begins, cases[i].begins, "case %zu", i);
    }
    lam_column_cursor_destroy(cursor);
    lam_page_bench_finish(&bench);
}

Test(page_peek, a_read_may_fail_and_a_stop_is_asked_for) {
    for (size_t i = 0; i < 2; i++) {
        lam_page_bench bench;
        lam_error error = lam_error_none();
        bool begins;
        start_chunk(&bench, 1, LAM_CODEC_ZSTD, true);
        lam_ending_input ending = {.file = lam_buffer_bytes(&bench.made.sample.bytes)};
        lam_input input = lam_ending_input_of(&ending);
        lam_column_cursor *cursor = open_chunk(&bench, &input);
        lam_ending_input_again(&ending, 1 - i, 0);
        if (i == 1)
            lam_stop_request(&ending.stop);
        lam_status status = lam_page_peek_begins(&cursor->file.walk, &cursor->reader, &ending.stop,
                                                 &begins, &error);
        cr_assert_eq(status, i == 0 ? LAM_STATUS_IO : LAM_STATUS_CANCELLED);
        cr_assert_eq(error.status, status);
        lam_column_cursor_destroy(cursor);
        lam_page_bench_finish(&bench);
    }
}

Test(page_peek, a_page_above_the_memory_limit_is_not_seen) {
    for (int32_t version = 1; version <= 2; version++) {
        lam_page_bench bench;
        start_chunk(&bench, version, LAM_CODEC_GZIP, true);
        lam_column_cursor *cursor = open_chunk(&bench, NULL);
        cursor->reader.memory_limit = 4;
        cr_assert_not(peek(cursor));
        lam_column_cursor_destroy(cursor);
        lam_page_bench_finish(&bench);
    }
}
