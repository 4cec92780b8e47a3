/* SPDX-License-Identifier: Apache-2.0 */
/* A survey that ends early, for a read that fails, a stop or lack of memory, says nothing false. */
#include <criterion/criterion.h>
#include <lamella/format.h>
#include <stdlib.h>
#include <string.h>

#include "chunk/page_bench.h"
#include "support/ending_input.h"
#include "support/failing_alloc.h"

#define OPTIONAL "message m { optional int32 a; }"

/* Values of a page. The file is read in steps of 64 KiB, at whose end EXACT ends. */
enum { LARGE = 20000, EXACT = 16382, SMALL = 5, PAGES = 4 };

/* How the chunk is damaged. */
typedef enum damage {
    DAMAGE_BODY,
    DAMAGE_HEADER_BIT,
    DAMAGE_HEADER,
    DAMAGE_DICTIONARY,
    DAMAGE_COUNT, /* of a page of nulls, which is too low */
    DAMAGES
} damage;

typedef struct scene {
    lam_page_bench bench;
    lam_meta_page_location locations[PAGES];
    lam_survey_hints hints;
} scene;

static void add_page(scene *s, size_t page, uint32_t count, uint32_t stated, bool is_null) {
    const lam_allocator *allocator = &s->bench.made.sample.allocator;
    lam_page_sections sections = {.value_count = stated, .row_count = stated};
    lam_rle_encoder encoder;
    lam_buffer levels;
    uint8_t *values = calloc(count, 4);
    lam_buffer_init(&levels, allocator);
    lam_rle_encoder_init(&encoder, lam_kernels_get(), 1, &levels);
    cr_assert_eq(lam_rle_write_run(&encoder, !is_null, count, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_rle_encoder_flush(&encoder, NULL), LAM_STATUS_OK);
    sections.definition = lam_buffer_bytes(&levels);
    sections.values = (lam_bytes){values, is_null ? 0 : (size_t)count * 4};
    s->locations[page].offset = (int64_t)lam_page_bench_end(&s->bench);
    lam_hand_made_data(&s->bench.made, &sections);
    s->locations[page].compressed_page_size =
        (int32_t)(lam_page_bench_end(&s->bench) - (uint64_t)s->locations[page].offset);
    lam_buffer_finish(&levels);
    free(values);
}

static uint8_t *byte_of(scene *s, size_t page, size_t at) {
    return s->bench.made.pages.data + (s->locations[page].offset - LAM_SAMPLE_OFFSET) + at;
}

/* Four pages of which the second, or the dictionary, is damaged; all are of that many values. */
static void make_scene(scene *s, damage kind, uint32_t size, bool crc, bool uses_index) {
    uint8_t *entries = calloc(size, 4);
    memset(s, 0, sizeof *s);
    lam_page_bench_start(&s->bench, OPTIONAL, 1);
    s->bench.made.writer.crc = crc;
    if (kind == DAMAGE_DICTIONARY) {
        lam_hand_made_dictionary(&s->bench.made, size, (lam_bytes){entries, (size_t)size * 4});
        s->bench.made.pages.data[1] = 2 * 1; /* an index page */
    }
    free(entries);
    int64_t row = 0;
    for (size_t page = 0; page < PAGES; page++) {
        bool is_null = page == 1 && kind == DAMAGE_COUNT;
        uint32_t count = is_null ? 100 : size;
        s->locations[page].first_row_index = row;
        add_page(s, page, count, is_null ? count - 32 : count, is_null);
        row += count;
    }
    if (kind == DAMAGE_BODY)
        *(byte_of(s, 2, 0) - 1) ^= 1;
    else if (kind == DAMAGE_HEADER_BIT)
        *byte_of(s, 1, 1) = 2 * 1;
    else if (kind == DAMAGE_HEADER)
        memset(byte_of(s, 1, 0), 0, 12);
    s->hints.has_crcs = crc;
    s->hints.locations = s->locations;
    s->hints.count = uses_index ? PAGES : 0;
    lam_page_bench_state(&s->bench, row, (uint64_t)row);
}

/* One survey; what it found is compared with `expected`, unless that is NULL. */
static lam_status survey_scene(scene *s, const lam_input *input, const lam_stop *stop,
                               const lam_allocator *allocator, uint64_t *lost, lam_error *error) {
    lam_patched_input patched;
    lam_input bytes;
    lam_page_survey *survey = NULL;
    lam_column_chunk chunk = lam_chunk_sample_chunk(&s->bench.made.sample, &bytes);
    lam_patched_input_init(&patched, input == NULL ? &bytes : input, allocator);
    chunk.input = &patched.input;
    chunk.stop = stop;
    *error = lam_error_none();
    lam_status status =
        lam_page_survey_create(&chunk, s->hints, &patched, allocator, &survey, error);
    cr_assert_eq(error->status, status);
    cr_assert(status == LAM_STATUS_OK || survey == NULL);
    *lost = survey == NULL ? 0 : survey->lost_rows + 1;
    lam_page_survey_destroy(survey);
    lam_patched_input_finish(&patched);
    return status;
}

/* Reads fail, and ask for a stop: each of the first ones, and of those behind them ever fewer. */
static void end_reads(scene *s) {
    const lam_allocator *allocator = &s->bench.made.sample.allocator;
    lam_ending_input ending = {.file = lam_buffer_bytes(&s->bench.made.sample.bytes)};
    lam_input input = lam_ending_input_of(&ending);
    lam_error error;
    uint64_t expected, lost;
    cr_assert_eq(survey_scene(s, &input, NULL, allocator, &expected, &error), LAM_STATUS_OK);
    size_t reads = ending.reads, stopped = 0, tries = 0;
    cr_assert_gt(reads, 5);
    for (size_t i = 1; i <= reads; i += 1 + i / 24, tries++) {
        lam_ending_input_again(&ending, i, 0);
        cr_assert_eq(survey_scene(s, &input, NULL, allocator, &lost, &error), LAM_STATUS_IO);
        cr_assert_str_eq(error.message, LAM_ENDING_MESSAGE);
        lam_ending_input_again(&ending, 0, i);
        lam_status status = survey_scene(s, &input, &ending.stop, allocator, &lost, &error);
        cr_assert(status == LAM_STATUS_OK ? lost == expected : status == LAM_STATUS_CANCELLED);
        stopped += status != LAM_STATUS_OK;
    }
    cr_assert_gt(stopped, tries / 2);
}

Test(survey_ends, a_read_that_fails_or_a_stop_ends_the_survey) {
    for (int kind = 0; kind < DAMAGES; kind++)
        for (int i = 0; i < 4; i++) {
            scene s;
            make_scene(&s, (damage)kind, i < 2 ? LARGE : EXACT, i % 2 == 0, i < 2);
            end_reads(&s);
            lam_page_bench_finish(&s.bench);
        }
}

Test(survey_ends, memory_may_run_out_while_headers_are_repaired) {
    for (int kind = 0; kind < DAMAGES; kind++) {
        scene s;
        uint64_t expected, lost;
        lam_error error;
        lam_status status = LAM_STATUS_NOMEM;
        make_scene(&s, (damage)kind, SMALL, true, kind == DAMAGE_COUNT);
        cr_assert_eq(
            survey_scene(&s, NULL, NULL, &s.bench.made.sample.allocator, &expected, &error),
            LAM_STATUS_OK);
        for (size_t i = 1; status == LAM_STATUS_NOMEM; i += 1 + i / 100) {
            lam_failing_alloc counter = {.fail_at = i};
            lam_allocator allocator = lam_failing_allocator(&counter);
            status = survey_scene(&s, NULL, NULL, &allocator, &lost, &error);
            cr_assert(status == LAM_STATUS_NOMEM || status == LAM_STATUS_OK);
            cr_assert_eq(counter.live_bytes, 0);
            cr_assert_eq(counter.wrong_sizes, 0);
        }
        cr_assert_eq(lost, expected);
        lam_page_bench_finish(&s.bench);
    }
}
