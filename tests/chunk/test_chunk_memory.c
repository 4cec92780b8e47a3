/* SPDX-License-Identifier: Apache-2.0 */
/* Chunks that are written where memory runs out, in each step that may need some. */
#include <criterion/criterion.h>
#include <lamella/record.h>
#include <string.h>

#include "chunk/chunk_sample.h"
#include "support/failing_alloc.h"

enum { MOST = 6000, MOST_CALLS = 3 };

/* What is written: a leaf of triples, in some calls. */
typedef struct scene {
    lam_chunk_sample sample;
    lam_triples calls[MOST_CALLS];
    size_t call_count;
    lam_encoding encoding; /* that is required; PLAIN for none */
} scene;

static void start(scene *s, const char *schema) {
    memset(s, 0, sizeof *s);
    lam_chunk_sample_init(&s->sample, schema);
    s->sample.options.use_dictionary = false;
}

static void add_call(scene *s, lam_triples triples) {
    cr_assert_lt(s->call_count, MOST_CALLS);
    s->calls[s->call_count++] = triples;
}

static lam_status write_calls(const scene *s, lam_chunk_writer *writer,
                              lam_finished_chunk *ret_chunk) {
    if (s->encoding != LAM_ENCODING_PLAIN) {
        lam_status status = lam_chunk_writer_set_encoding(writer, s->encoding, NULL);
        if (status != LAM_STATUS_OK)
            return status;
    }
    for (size_t i = 0; i < s->call_count; i++) {
        lam_status status = lam_chunk_writer_write(writer, &s->calls[i], NULL);
        if (status != LAM_STATUS_OK)
            return status;
    }
    return lam_chunk_writer_end(writer, ret_chunk, NULL);
}

/* Writes with that many requests before one fails; gives the bytes of the pages. */
static lam_status write_scene(const scene *s, lam_failing_alloc *counter, size_t *ret_size,
                              lam_finished_chunk *ret_chunk) {
    lam_allocator allocator = lam_failing_allocator(counter);
    lam_chunk_writer *writer = NULL;
    lam_codec_context *codecs = NULL;
    lam_status status = lam_codec_context_create(&allocator, &codecs, NULL);
    if (status == LAM_STATUS_OK)
        status = lam_chunk_writer_create(s->sample.leaf, &s->sample.options, codecs, &allocator,
                                         &writer, NULL);
    if (status == LAM_STATUS_OK)
        status = write_calls(s, writer, ret_chunk);
    *ret_size = status == LAM_STATUS_OK ? ret_chunk->data_pages.size : 0;
    lam_chunk_writer_destroy(writer);
    lam_codec_context_destroy(codecs);
    cr_assert_eq(counter->live_bytes, 0);
    cr_assert_eq(counter->wrong_sizes, 0);
    return status;
}

/* Each request fails in turn; what is written in the end is what is written otherwise. */
static lam_finished_chunk fail_each(scene *s) {
    lam_finished_chunk chunk, last;
    lam_failing_alloc all = {.fail_at = 0};
    size_t expected, size;
    lam_status status = LAM_STATUS_NOMEM;
    cr_assert_eq(write_scene(s, &all, &expected, &chunk), LAM_STATUS_OK);
    for (size_t i = 1; status == LAM_STATUS_NOMEM; i++) {
        lam_failing_alloc counter = {.fail_at = i};
        status = write_scene(s, &counter, &size, &last);
        cr_assert_eq(status, i <= all.requests ? LAM_STATUS_NOMEM : LAM_STATUS_OK);
    }
    cr_assert_eq(size, expected);
    return chunk;
}

/* --- Encodings ------------------------------------------------------------------------------- */

Test(chunk_memory, numbers_in_streams) {
    static double numbers[MOST];
    scene s;
    lam_random random = lam_random_start(1);
    for (size_t i = 0; i < MOST; i++)
        numbers[i] = (double)(lam_random_next(&random) >> 11) * 0x1p-53;
    start(&s, "message m { required double a; }");
    s.sample.options.use_streams = true;
    s.sample.options.codec = LAM_CODEC_SNAPPY;
    add_call(&s, (lam_triples){MOST, MOST, NULL, NULL, numbers});
    lam_finished_chunk chunk = fail_each(&s);
    cr_assert_eq(chunk.page_counts[LAM_ENCODING_BYTE_STREAM_SPLIT], 1);
    lam_chunk_sample_finish(&s.sample);
}

Test(chunk_memory, keys_in_a_dictionary_or_as_differences) {
    static int64_t keys[MOST];
    for (size_t i = 0; i < MOST; i++)
        keys[i] = 1000000 + 3 * (int64_t)(i / 4);
    for (int i = 0; i < 2; i++) {
        scene s;
        start(&s, "message m { repeated int64 a; }");
        s.sample.options.use_dictionary = true;
        s.sample.options.use_deltas = true;
        s.sample.options.codec = LAM_CODEC_SNAPPY;
        if (i == 0) /* which ends in the middle of a page */
            s.sample.options.dictionary_bytes = MOST / 8 * sizeof keys[0];
        add_call(&s, (lam_triples){MOST, MOST, NULL, NULL, keys});
        lam_finished_chunk chunk = fail_each(&s);
        cr_assert_eq(chunk.page_counts[LAM_ENCODING_RLE_DICTIONARY], 0);
        lam_chunk_sample_finish(&s.sample);
    }
}

Test(chunk_memory, a_dictionary_that_is_full_in_the_middle_of_a_page) {
    static int64_t numbers[MOST];
    static uint8_t repetition[MOST], definition[MOST];
    lam_random random = lam_random_start(2);
    for (size_t i = 0; i < MOST; i++) {
        numbers[i] = (int64_t)lam_random_below(&random, 1 + i / 5);
        repetition[i] = i % 7 == 0 ? 0 : (uint8_t)lam_random_below(&random, 2);
        definition[i] = 1;
    }
    scene s;
    start(&s, "message m { repeated int64 a; }");
    s.sample.options.use_dictionary = true;
    s.sample.options.dictionary_bytes = 400 * sizeof numbers[0];
    add_call(&s, (lam_triples){MOST, MOST, repetition, definition, numbers});
    lam_finished_chunk chunk = fail_each(&s);
    cr_assert_gt(chunk.page_counts[LAM_ENCODING_RLE_DICTIONARY], 0);
    cr_assert_gt(chunk.page_counts[LAM_ENCODING_PLAIN], 0);
    lam_chunk_sample_finish(&s.sample);
}

Test(chunk_memory, a_dictionary_that_the_caller_requires) {
    static int32_t numbers[100];
    scene s;
    start(&s, "message m { required int32 a; }");
    s.encoding = LAM_ENCODING_RLE_DICTIONARY;
    add_call(&s, (lam_triples){100, 100, NULL, NULL, numbers});
    lam_finished_chunk chunk = fail_each(&s);
    cr_assert(chunk.has_dictionary_pages);
    cr_assert_eq(chunk.distinct_count, 1);
    lam_chunk_sample_finish(&s.sample);
}

/* --- Levels and statistics ------------------------------------------------------------------- */

Test(chunk_memory, levels_of_several_calls) {
    static const uint8_t some[] = {0, 1, 1, 0, 1}, all[] = {1, 1, 1, 1, 1};
    static int32_t numbers[MOST];
    scene s;
    start(&s, "message m { repeated int32 a; }");
    add_call(&s, (lam_triples){5, 5, some, all, numbers});
    add_call(&s, (lam_triples){MOST, MOST, NULL, NULL, numbers}); /* all begin records */
    add_call(&s, (lam_triples){5, 5, some, all, numbers});
    lam_finished_chunk chunk = fail_each(&s);
    cr_assert_eq(chunk.value_count, MOST + 10);
    lam_chunk_sample_finish(&s.sample);
}

Test(chunk_memory, collections_of_geometries) {
    static const uint8_t collection[] = {1, 7, 0, 0, 0, 1, 0,    0,    0, /* of one geometry */
                                         1, 1, 0, 0, 0,                   /* a point */
                                         0, 0, 0, 0, 0, 0, 0xF0, 0x3F,    /* 1.0 */
                                         0, 0, 0, 0, 0, 0, 0,    0x40};   /* 2.0 */
    lam_bytes values[20];
    for (size_t i = 0; i < 20; i++)
        values[i] = (lam_bytes){collection, sizeof collection};
    for (int i = 0; i < 2; i++) {
        scene s;
        start(&s, "message m { required binary g (GEOMETRY); }");
        s.sample.options.use_dictionary = i == 1;
        add_call(&s, (lam_triples){20, 20, NULL, NULL, values});
        lam_finished_chunk chunk = fail_each(&s);
        cr_assert_eq(chunk.has_dictionary_pages, i == 1);
        cr_assert_eq(chunk.value_count, 20);
        lam_chunk_sample_finish(&s.sample);
    }
}
