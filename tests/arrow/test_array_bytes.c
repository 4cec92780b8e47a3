/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The bound on the bytes that a batch of plain values takes, compared with the pages of files
 * without compression.
 */
#include "arrow/array/array_bytes.h"

#include <criterion/criterion.h>
#include <inttypes.h>

#include "arrow/array/array_check.h"
#include "arrow/write_sample.h"
#include "file/read/file_reader.h"

/* The bytes of all pages of a file without compression, headers included. */
static uint64_t page_bytes(const lam_trial_output *trial) {
    lam_error error = lam_error_none();
    uint64_t sum = 0;
    lam_reader *reader = lam_test_open(trial->bytes.data, trial->bytes.size, NULL);
    for (size_t group = 0; group < lam_reader_row_group_count(reader); group++)
        for (size_t leaf = 0; leaf < lam_schema_leaf_count(reader->schema); leaf++) {
            lam_meta_column_chunk chunk;
            lam_arena arena = lam_reader_chunk_arena(reader);
            cr_assert_eq(lam_reader_find_column(reader, group, leaf, &arena, &chunk, &error), 0);
            sum += (uint64_t)chunk.meta_data->total_uncompressed_size;
            lam_arena_finish(&arena);
        }
    lam_reader_close(reader);
    return sum;
}

static void release(struct ArrowArray *array) {
    array->release = NULL;
}

Test(array_bytes, pages_of_plain_values_take_no_more_than_the_bound_and_their_headers) {
    uint64_t first = lam_test_seed(1), known = 0;
    enum { ROUNDS = 300, HEADER = 1 << 10 };
    for (uint64_t seed = first; seed < first + ROUNDS; seed++) {
        lam_random random = lam_random_start(seed);
        lam_write_sample sample;
        lam_trial_output trial = {0};
        lam_array_view *view;
        lam_error error = lam_error_none();
        lam_write_sample_start(&sample, &random, 400);
        sample.options.dictionary = LAM_SWITCH_OFF;
        sample.options.delta = LAM_SWITCH_OFF;
        sample.options.compat = LAM_COMPAT_MAX;
        sample.options.page_rows = 0;
        sample.options.row_group_rows = 0;
        cr_assert_eq(lam_array_view_create(&sample.field, &sample.arena, &view, NULL), 0);
        cr_assert_eq(lam_array_check(view, sample.array, lam_task_runner_serial(), NULL, &error), 0,
                     "%s", error.message);
        cr_assert_eq(lam_write_sample_arrays(&sample, &trial, NULL, &error), 0, "%s",
                     error.message);
        uint64_t bound = lam_array_bytes_most(view, 0, view->length);
        uint64_t headers = HEADER * lam_schema_leaf_count(sample.schema);
        cr_assert_leq(page_bytes(&trial), bound + headers, "seed %" PRIu64, seed);
        known += bound < LAM_ARRAY_BYTES_UNKNOWN;
        lam_trial_output_free(&trial);
        lam_write_sample_stop(&sample);
    }
    cr_assert_gt(known, ROUNDS / 5);
}

/* Slots that take no memory may be as many as there are numbers. */
Test(array_bytes, more_bytes_than_there_are_numbers_are_not_known) {
    lam_arena arena;
    lam_allocator heap = lam_allocator_default();
    lam_arrow_field null = {.name = "a", .type = {.kind = LAM_ARROW_NULL}, .nullable = true};
    struct ArrowArray array = {.length = INT64_MAX / 32, .null_count = -1, .release = release};
    lam_array_view *view;
    lam_arena_init(&arena, &heap, 0);
    cr_assert_eq(lam_array_view_create(&null, &arena, &view, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_array_check(view, &array, lam_task_runner_serial(), NULL, NULL),
                 LAM_STATUS_OK);
    uint64_t each = lam_array_bytes_most(view, 0, 1);
    int64_t most = (int64_t)(LAM_ARRAY_BYTES_UNKNOWN / each);
    cr_assert_lt(most, array.length);
    cr_assert_eq(lam_array_bytes_most(view, 0, most), each * (uint64_t)most);
    cr_assert_eq(lam_array_bytes_most(view, 0, most + 1), LAM_ARRAY_BYTES_UNKNOWN);
    lam_arena_finish(&arena);
}
