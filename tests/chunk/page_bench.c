/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes chunks of any page headers and bodies, and a finder that looks at them whose parts a test
 * calls one by one.
 */
#include "chunk/page_bench.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "encoding/plain.h"
#include "meta/compact.h"

void lam_page_bench_start(lam_page_bench *bench, const char *schema, int32_t version) {
    memset(bench, 0, sizeof *bench);
    lam_hand_made_start(&bench->made, schema, version);
}

void lam_page_bench_finish(lam_page_bench *bench) {
    if (bench->cursor != NULL)
        lam_page_finder_finish(&bench->finder);
    lam_column_cursor_destroy(bench->cursor);
    lam_page_survey_destroy(bench->survey);
    lam_patched_input_finish(&bench->patched);
    lam_hand_made_finish(&bench->made);
}

/* --- Pages ----------------------------------------------------------------------------------- */

uint64_t lam_page_bench_end(const lam_page_bench *bench) {
    return LAM_SAMPLE_OFFSET + bench->made.pages.size;
}

void lam_page_bench_bytes(lam_page_bench *bench, const void *bytes, size_t size) {
    cr_assert_eq(lam_buffer_append(&bench->made.pages, bytes, size, NULL), LAM_STATUS_OK);
}

void lam_page_bench_page(lam_page_bench *bench, const lam_meta_page_header *header,
                         const void *body, size_t size) {
    cr_assert_eq(lam_meta_write_page_header(header, &bench->made.pages, NULL), LAM_STATUS_OK);
    lam_page_bench_bytes(bench, body, size);
}

static void append_ints(lam_buffer *values, size_t count, int32_t value) {
    const lam_value_layout layout = {LAM_PHYSICAL_INT32, 4};
    for (size_t i = 0; i < count; i++)
        cr_assert_eq(lam_plain_append(layout, &value, 1, values, NULL), LAM_STATUS_OK);
}

void lam_page_bench_ints(lam_page_bench *bench, size_t count, int32_t value) {
    lam_buffer values;
    lam_buffer_init(&values, &bench->made.sample.allocator);
    append_ints(&values, count, value);
    lam_page_sections sections = {.value_count = (uint32_t)count, .row_count = (uint32_t)count};
    sections.values = lam_buffer_bytes(&values);
    lam_hand_made_data(&bench->made, &sections);
    lam_buffer_finish(&values);
}

static void append_levels(lam_buffer *out, const uint8_t *levels, size_t count) {
    lam_rle_encoder encoder;
    lam_rle_encoder_init(&encoder, lam_kernels_get(), 1, out);
    cr_assert_eq(lam_rle_write_levels(&encoder, levels, count, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_rle_encoder_flush(&encoder, NULL), LAM_STATUS_OK);
}

void lam_page_bench_repeated(lam_page_bench *bench, const uint8_t *repetition, size_t count) {
    const lam_allocator *allocator = &bench->made.sample.allocator;
    lam_page_sections sections = {.value_count = (uint32_t)count};
    lam_buffer r, d, values;
    uint8_t one = 1;
    lam_buffer_init(&r, allocator);
    lam_buffer_init(&d, allocator);
    lam_buffer_init(&values, allocator);
    append_levels(&r, repetition, count);
    lam_rle_encoder encoder;
    lam_rle_encoder_init(&encoder, lam_kernels_get(), 1, &d);
    for (size_t i = 0; i < count; i++) {
        sections.row_count += repetition[i] == 0;
        cr_assert_eq(lam_rle_write_levels(&encoder, &one, 1, NULL), LAM_STATUS_OK);
    }
    cr_assert_eq(lam_rle_encoder_flush(&encoder, NULL), LAM_STATUS_OK);
    append_ints(&values, count, 7);
    sections.repetition = lam_buffer_bytes(&r);
    sections.definition = lam_buffer_bytes(&d);
    sections.values = lam_buffer_bytes(&values);
    lam_hand_made_data(&bench->made, &sections);
    lam_buffer_finish(&r);
    lam_buffer_finish(&d);
    lam_buffer_finish(&values);
}

/* --- The chunk ------------------------------------------------------------------------------- */

void lam_page_bench_state(lam_page_bench *bench, int64_t value_count, uint64_t row_count) {
    lam_chunk_sample_set(&bench->made.sample, bench->made.pages.data, bench->made.pages.size,
                         value_count, row_count);
}

static void open_chunk(lam_page_bench *bench, const lam_input *input) {
    bench->chunk = lam_chunk_sample_chunk(&bench->made.sample, &bench->bytes);
    lam_patched_input_init(&bench->patched, input == NULL ? &bench->bytes : input,
                           &bench->made.sample.allocator);
    bench->chunk.input = &bench->patched.input;
}

void lam_page_bench_open(lam_page_bench *bench, lam_survey_hints hints, const lam_input *input,
                         const lam_allocator *allocator) {
    lam_chunk_range range;
    open_chunk(bench, input);
    cr_assert_eq(lam_chunk_find(bench->chunk.column, bench->chunk.limit, &range, NULL),
                 LAM_STATUS_OK);
    bench->chunk.verify_crc = false;
    cr_assert_eq(lam_column_cursor_create(&bench->chunk, allocator, &bench->cursor, NULL),
                 LAM_STATUS_OK);
    lam_page_finder_init(&bench->finder, &bench->chunk, bench->cursor, &bench->patched, hints,
                         range, allocator);
}

void lam_page_bench_survey(lam_page_bench *bench, lam_survey_hints hints) {
    lam_page_survey_destroy(bench->survey);
    lam_patched_input_finish(&bench->patched);
    open_chunk(bench, NULL);
    cr_assert_eq(lam_page_survey_create(&bench->chunk, hints, &bench->patched,
                                        &bench->made.sample.allocator, &bench->survey, NULL),
                 LAM_STATUS_OK);
}

void lam_page_bench_expect_losses(const lam_page_bench *bench, const uint64_t (*rows)[2],
                                  size_t count) {
    size_t lost;
    cr_assert_not_null(bench->survey);
    const lam_page_loss *losses = lam_page_survey_losses(bench->survey, &lost);
    cr_assert_eq(lost, count, "%zu losses, not %zu", lost, count);
    for (size_t i = 0; i < count; i++) {
        cr_assert_eq(losses[i].first_row, rows[i][0], "loss %zu begins at %llu", i,
                     (unsigned long long)losses[i].first_row);
        cr_assert_eq(losses[i].end_row, rows[i][1], "loss %zu ends at %llu", i,
                     (unsigned long long)losses[i].end_row);
    }
}
