/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Several threads, or an executor of the caller, write the columns of a batch. The bytes of the
 * file do not depend on them.
 */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <string.h>

#include "arrow/hand_arrays.h"
#include "arrow/write_sample.h"
#include "base/crc32.h"

/* An executor that calls the tasks from the last to the first, on the caller's thread. */
static void run_backwards(void *state, void (*task)(void *context, size_t index), void *context,
                          size_t count) {
    *(size_t *)state += count;
    for (size_t i = count; i > 0; i--)
        task(context, i - 1);
}

/* Writes a sample's array with one thread, with several, and by an executor: the same bytes. */
static size_t expect_same_bytes(uint64_t seed) {
    static const lam_codec codecs[] = {LAM_CODEC_UNCOMPRESSED, LAM_CODEC_SNAPPY, LAM_CODEC_GZIP,
                                       LAM_CODEC_ZSTD};
    lam_random random = lam_random_start(seed);
    size_t tasks = 0;
    const lam_executor executor = {&tasks, run_backwards};
    lam_trial_output one = {0};
    lam_error error = lam_error_none();
    lam_write_sample sample;
    lam_write_sample_start(&sample, &random, 3000);
    sample.options.codec = codecs[seed % 4];
    sample.options.auto_bloom_filters = lam_random_chance(&random, 30);
    cr_assert_eq(lam_write_sample_arrays(&sample, &one, NULL, &error), LAM_STATUS_OK,
                 "seed %" PRIu64 ": %s", seed, error.message);
    for (uint32_t threads = 1; threads <= 4; threads++) {
        lam_trial_output several = {0};
        sample.options.thread_count = threads;
        sample.options.executor = threads == 1 ? &executor : NULL;
        cr_assert_eq(lam_write_sample_arrays(&sample, &several, &random, &error), LAM_STATUS_OK,
                     "seed %" PRIu64 ": %s", seed, error.message);
        cr_assert(one.bytes.size == several.bytes.size &&
                      memcmp(one.bytes.data, several.bytes.data, one.bytes.size) == 0,
                  "seed %" PRIu64 ": %u threads show in the file", seed, threads);
        lam_trial_output_free(&several);
    }
    lam_trial_output_free(&one);
    lam_write_sample_stop(&sample);
    return tasks;
}

Test(batch_write, the_bytes_of_a_file_do_not_depend_on_threads) {
    uint64_t first = lam_test_seed(1);
    size_t tasks = 0;
    for (uint64_t seed = first; seed < first + 25; seed++)
        tasks += expect_same_bytes(seed);
    cr_assert_gt(tasks, 500);
}

/* An executor that counts how often tasks ran together. */
static void run_and_count(void *state, void (*task)(void *context, size_t index), void *context,
                          size_t count) {
    ++*(size_t *)state;
    for (size_t i = 0; i < count; i++)
        task(context, i);
}

enum { MANY_ROWS = 400000 };

/* Writes numbers in two columns; gives the CRC of the file and its row groups. */
static uint32_t write_numbers(const int64_t *numbers, const lam_writer_options *options,
                              size_t *ret_groups) {
    hand_array root = hand_root();
    hand_array a = HAND(MANY_ROWS, 2, NULL, numbers);
    hand_array b = HAND(MANY_ROWS, 2, NULL, numbers + MANY_ROWS);
    lam_error error = lam_error_none();
    hand_writer hand = hand_open_with("a:l b:l", options);
    root.array.length = MANY_ROWS;
    hand_adopt(&root, &a);
    hand_adopt(&root, &b);
    cr_assert_eq(lam_arrow_write_array(hand.arrow, hand_at(&root), &error), LAM_STATUS_OK, "%s",
                 error.message);
    lam_reader *reader = hand_read(&hand);
    *ret_groups = lam_reader_row_group_count(reader);
    lam_bytes bytes = hand_bytes(&hand);
    uint32_t crc = lam_crc32(0, bytes.data, bytes.size);
    lam_reader_close(reader);
    hand_close(&hand);
    return crc;
}

/*
 * Threads meet more rarely than the limits of a row group are checked, where no check can matter:
 * row groups that end by their bytes end at the same rows all the same. Numbers of any size become
 * larger and smaller, so that the average row misleads.
 */
Test(batch_write, row_groups_end_at_the_same_rows_although_threads_meet_rarely) {
    static int64_t numbers[2 * MANY_ROWS];
    lam_random random = lam_random_start(lam_test_seed(1000));
    size_t runs = 0, all_runs = 0, all_groups = 0;
    const lam_executor executor = {&runs, run_and_count};
    for (size_t round = 0; round < 12; round++) {
        for (size_t i = 0; i < 2 * MANY_ROWS; i++)
            numbers[i] = (int64_t)(lam_random_next(&random) >> i / 50000 * 4 % 60);
        size_t groups, same_groups;
        lam_writer_options options = lam_writer_options_default();
        options.codec = LAM_CODEC_UNCOMPRESSED;
        options.dictionary = round % 2 == 0 ? LAM_SWITCH_OFF : LAM_SWITCH_ON;
        options.row_group_bytes = (UINT64_C(2) + round) << 20;
        uint32_t crc = write_numbers(numbers, &options, &groups);
        options.executor = &executor;
        cr_assert_eq(write_numbers(numbers, &options, &same_groups), crc, "round %zu", round);
        cr_assert_eq(same_groups, groups);
        all_runs += runs;
        all_groups += groups;
        runs = 0;
    }
    cr_assert_gt(all_groups, 12);
    cr_assert_lt(all_runs, 12 * MANY_ROWS / 1024 / 2, "%zu runs", all_runs);
}

/* A row is written at once, however many elements its list has. */
Test(batch_write, a_single_row_may_have_more_triples_than_a_walk) {
    enum { ELEMENTS = 100000 };
    const int32_t offsets[] = {0, ELEMENTS, 2 * ELEMENTS, 2 * ELEMENTS};
    hand_array nulls = HAND(2 * ELEMENTS, 0, NULL), lists = HAND(3, 2, NULL, offsets);
    hand_writer hand = hand_open("a:+l[item?:n]");
    lam_error error = lam_error_none();
    hand_adopt(&lists, &nulls);
    cr_assert_eq(hand_write(&hand, hand_at(&lists), 3, &error), LAM_STATUS_OK, "%s", error.message);
    lam_reader *reader = hand_read(&hand);
    struct ArrowArrayStream stream;
    struct ArrowArray array;
    cr_assert_eq(lam_arrow_read_stream(reader, NULL, &stream, NULL), LAM_STATUS_OK);
    cr_assert_eq(stream.get_next(&stream, &array), 0);
    cr_assert_eq(array.length, 3);
    cr_assert_arr_eq(array.children[0]->buffers[1], offsets, sizeof offsets);
    array.release(&array);
    stream.release(&stream);
    lam_reader_close(reader);
    hand_close(&hand);
}

/* What failing left must be freed by whichever thread has it. */
Test(batch_write, each_allocation_may_fail_while_threads_write) {
    lam_random random = lam_random_start(lam_test_seed(7));
    lam_write_sample sample;
    lam_status status = LAM_STATUS_NOMEM;
    lam_write_sample_start(&sample, &random, 200);
    sample.options.thread_count = 3;
    sample.options.codec = LAM_CODEC_ZSTD;
    for (size_t fail_at = 1; status != LAM_STATUS_OK; fail_at += lam_test_step())
        status = lam_write_sample_failing(&sample, fail_at);
    lam_write_sample_stop(&sample);
}

Test(batch_write, an_executor_without_run_is_refused) {
    lam_random random = lam_random_start(lam_test_seed(8));
    const lam_executor executor = {NULL, NULL};
    lam_write_sample sample;
    lam_trial_output trial = {0};
    lam_writer *writer;
    lam_error error = lam_error_none();
    lam_write_sample_start(&sample, &random, 10);
    sample.options.executor = &executor;
    lam_output output = lam_trial_output_open(&trial);
    cr_assert_eq(lam_writer_open(sample.schema, &output, &sample.options, &writer, &error),
                 LAM_STATUS_INVALID);
    cr_assert_str_eq(error.message, "an executor without `run`");
    lam_output_close(&output);
    lam_trial_output_free(&trial);
    lam_write_sample_stop(&sample);
}
