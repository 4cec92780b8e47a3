/* SPDX-License-Identifier: Apache-2.0 */
/* The map covers every byte, whatever the file is. */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <lamella/stop.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "byte_map/byte_tiles.h"
#include "file/file_sample.h"
#include "file/read/footer.h"
#include "file/unfinished_sample.h"
#include "support/failing_alloc.h"
#include "support/shared.h"

TestSuite(byte_map, .timeout = 250);

static const char SHAPE[] =
    "message m { required int64 a; optional binary s; repeated group g { optional int32 "
    "x; "
    "required double d; } required boolean b; optional fixed_len_byte_array(5) f; "
    "optional float r; }";

static lam_file_sample sample_of(const lam_writer_options *options, uint64_t seed, size_t records) {
    lam_random random = lam_random_start(seed);
    lam_file_sample sample;
    lam_file_sample_init(&sample, lam_test_schema(SHAPE), records, 70, &random);
    lam_file_sample_write(&sample, options, NULL);
    return sample;
}

/* --- Files --------------------------------------------------------------------------------- */

Test(byte_map, a_written_file_has_no_gap_and_nothing_unknown) {
    for (int i = 0; i < 8; i++) {
        char name[40];
        lam_writer_options options = lam_writer_options_default();
        lam_byte_tiles tiles = {.depth = 0};
        options.codec = i & 1 ? LAM_CODEC_UNCOMPRESSED : LAM_CODEC_ZSTD;
        options.data_page_version = 1 + (i >> 1 & 1);
        options.auto_bloom_filters = true;
        options.page_rows = 30;
        options.row_group_rows = 100;
        options.compat = i & 4 ? LAM_COMPAT_NEWEST : LAM_COMPAT_MAX;
        lam_file_sample sample = sample_of(&options, 17, 250);
        snprintf(name, sizeof name, "options %d", i);
        lam_byte_tiles_expect(&tiles, lam_buffer_bytes(&sample.bytes), name);
        cr_assert_eq(tiles.counts[LAM_BYTE_UNKNOWN], 0, "%s: %s", name, tiles.unknown);
        cr_assert_eq(tiles.counts[LAM_BYTE_GAP], 0);
        cr_assert_eq(tiles.counts[LAM_BYTE_MAGIC], 2);
        cr_assert_eq(tiles.counts[LAM_BYTE_FOOTER], 1);
        cr_assert_eq(tiles.counts[LAM_BYTE_COLUMN_CHUNK], 3 * 7);
        cr_assert_eq(tiles.counts[LAM_BYTE_OFFSET_INDEX], 3 * 7);
        lam_file_sample_finish(&sample);
    }
}

static void walk_file(lam_byte_tiles *tiles, const char *path) {
    lam_error error = lam_error_none();
    lam_input input;
    cr_assert_eq(lam_input_open_file(path, NULL, &input, &error), LAM_STATUS_OK, "%s",
                 error.message);
    cr_assert_eq(lam_byte_tiles_walk(tiles, &input, NULL, path, &error), LAM_STATUS_OK, "%s: %s",
                 path, error.message);
    lam_input_close(&input);
}

/* Two of the files are damaged on purpose, or above the memory limit. */
static void expect_readable(void *state, const char *path) {
    lam_byte_tiles tiles = {.depth = 0};
    size_t *count = state;
    if (strstr(path, ".parquet") == NULL || strstr(path, ".json") != NULL)
        return;
    ++*count;
    walk_file(&tiles, path);
    if (strstr(path, "bloom") != NULL && strstr(path, "encrypt") == NULL)
        cr_expect_gt(tiles.counts[LAM_BYTE_BLOOM_BLOCK], 0, "%s", path);
    if (strstr(path, "dict-malformed") != NULL || strstr(path, "large_string_map") != NULL)
        return;
    cr_expect_eq(tiles.counts[LAM_BYTE_UNKNOWN], 0, "%s: %s", path, tiles.unknown);
}

Test(byte_map, covers_the_files_of_other_writers) {
    size_t count = 0;
    if (!lam_test_shared_exists("parquet-testing/data"))
        cr_skip_test("no shared data");
    lam_test_each_file(lam_test_shared("parquet-testing/data"), expect_readable, &count);
    cr_assert_gt(count, 50);
}

/* Visitor, input and stop end the walk at every kind of range that the file has. */
static void expect_ends_of(void *state, const char *path) {
    enum { SIZE_MOST = 40000 };
    static uint8_t bytes[SIZE_MOST];
    FILE *file = fopen(path, "rb");
    size_t size = file == NULL ? 0 : fread(bytes, 1, SIZE_MOST, file);
    if (size < SIZE_MOST && strstr(path, ".parquet") != NULL) {
        ++*(size_t *)state;
        lam_byte_tiles_expect_ends((lam_bytes){bytes, size}, path);
    }
    if (file != NULL)
        fclose(file);
}

Test(byte_map, ends_in_the_files_of_other_writers_too) {
    size_t count = 0;
    if (!lam_test_shared_exists("parquet-testing/data"))
        cr_skip_test("no shared data");
    lam_test_each_file(lam_test_shared("parquet-testing/data"), expect_ends_of, &count);
    cr_assert_gt(count, 40);
}

static void expect_any(void *state, const char *path) {
    lam_byte_tiles tiles = {.depth = 0};
    ++*(size_t *)state;
    walk_file(&tiles, path);
}

Test(byte_map, covers_hostile_files) {
    size_t count = 0;
    if (!lam_test_shared_exists("hostile"))
        cr_skip_test("no shared data");
    lam_test_each_file(lam_test_shared("hostile"), expect_any, &count);
    lam_test_each_file(lam_test_shared("parquet-testing/bad_data"), expect_any, &count);
    cr_assert_gt(count, 20);
}

/* As many records as a log leaves them, in row groups of 20. */
static lam_unfinished_sample log_of(const lam_unfinished_plan *plan, size_t records) {
    lam_writer_options options = lam_writer_options_default();
    lam_unfinished_sample log;
    options.page_index = LAM_SWITCH_OFF;
    options.row_group_rows = 20;
    lam_file_sample sample = sample_of(&options, 5, records);
    lam_unfinished_sample_init(&log, lam_buffer_bytes(&sample.bytes), plan);
    lam_file_sample_finish(&sample);
    return log;
}

Test(byte_map, covers_logs_with_checkpoints) {
    for (int i = 0; i < 4; i++) {
        lam_unfinished_plan plan = {.footer_every = i & 1 ? 2 : 0, .is_finished = (i & 2) != 0};
        lam_unfinished_sample log = log_of(&plan, 100);
        lam_byte_tiles tiles = {.depth = 0};
        lam_byte_tiles_expect(&tiles, lam_buffer_bytes(&log.bytes), "log");
        cr_assert_eq(tiles.counts[LAM_BYTE_UNKNOWN], 0, "%d: %s", i, tiles.unknown);
        cr_assert_geq(tiles.counts[LAM_BYTE_RECOVERY_RECORD], log.group_count, "%d", i);
        cr_assert_eq(tiles.counts[LAM_BYTE_COLUMN_CHUNK], 7 * log.group_count, "%d", i);
        cr_assert_gt(tiles.counts[LAM_BYTE_VALUES], 0, "%d", i);
        if (plan.footer_every > 0)
            cr_assert_gt(tiles.counts[LAM_BYTE_FOOTER], 1);
        lam_unfinished_sample_finish(&log);
    }
}

/* --- Damage -------------------------------------------------------------------------------- */

Test(byte_map, any_few_bytes_are_a_file) {
    static const char *const files[] = {"",
                                        "P",
                                        "PAR1",
                                        "PAR1PAR1",
                                        "PAR1\0\0\0\0PAR1",
                                        "\xFF\xFF\xFF\x7FPAR1",
                                        "xyz",
                                        "PAR1\0\0\0\0PARE",
                                        "PAR1\xFF\xFF\xFF\x7FPARE"};
    static const size_t sizes[] = {0, 1, 4, 8, 12, 8, 3, 12, 12};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        lam_byte_tiles tiles = {.depth = 0};
        lam_byte_tiles_expect(&tiles, (lam_bytes){(const uint8_t *)files[i], sizes[i]}, files[i]);
    }
}

Test(byte_map, covers_every_prefix_and_any_change) {
    lam_writer_options options = lam_writer_options_default();
    lam_random random = lam_random_start(99);
    options.page_rows = 10;
    options.auto_bloom_filters = true;
    lam_file_sample sample = sample_of(&options, 3, 40);
    for (size_t size = 0; size < sample.bytes.size; size += 1 + size / 40) {
        lam_byte_tiles tiles = {.depth = 0};
        lam_byte_tiles_expect(&tiles, (lam_bytes){sample.bytes.data, size}, "prefix");
    }
    for (int round = 0; round < 400; round++) {
        lam_byte_tiles tiles = {.depth = 0};
        uint8_t *byte = &sample.bytes.data[lam_random_below(&random, sample.bytes.size)];
        uint8_t before = *byte;
        *byte = (uint8_t)lam_random_next(&random);
        lam_byte_tiles_expect(&tiles, lam_buffer_bytes(&sample.bytes), "change");
        *byte = before;
    }
    lam_file_sample_finish(&sample);
}

Test(byte_map, a_footer_that_cannot_be_read_leaves_items) {
    lam_writer_options options = lam_writer_options_default();
    lam_byte_tiles tiles = {.depth = 0};
    lam_file_sample sample = sample_of(&options, 3, 40);
    size_t tail = sample.bytes.size - LAM_FOOTER_TAIL_SIZE;
    sample.bytes.data[tail - 1] = 0xFF; /* the stop of the footer */
    lam_byte_tiles_expect(&tiles, lam_buffer_bytes(&sample.bytes), "footer");
    cr_assert_gt(tiles.counts[LAM_BYTE_PAGE], 0);
    cr_assert_eq(tiles.counts[LAM_BYTE_COLUMN_CHUNK], 0);
    cr_assert_eq(tiles.counts[LAM_BYTE_UNKNOWN], 1, "%s", tiles.unknown);
    lam_byte_tiles_expect_ends(lam_buffer_bytes(&sample.bytes), "footer");
    lam_file_sample_finish(&sample);
}

/* --- Visitors ------------------------------------------------------------------------------ */

Test(byte_map, ends_with_the_failure_of_visitor_or_input) {
    for (int i = 0; i < 6; i++) {
        lam_writer_options options = lam_writer_options_default();
        options.codec = i & 1 ? LAM_CODEC_UNCOMPRESSED : LAM_CODEC_ZSTD;
        options.data_page_version = 1 + (i >> 1 & 1);
        options.auto_bloom_filters = true;
        options.compat = i & 4 ? LAM_COMPAT_NEWEST : LAM_COMPAT_MAX;
        lam_file_sample sample = sample_of(&options, 3, 60);
        lam_byte_tiles_expect_ends(lam_buffer_bytes(&sample.bytes), "a whole file");
        lam_byte_tiles_expect_ends((lam_bytes){sample.bytes.data, sample.bytes.size - 9},
                                   "a file without its footer");
        lam_file_sample_finish(&sample);
    }
}

Test(byte_map, ends_so_in_a_log_with_checkpoints_too) {
    lam_unfinished_plan plan = {.footer_every = 2};
    lam_unfinished_sample log = log_of(&plan, 60);
    lam_byte_tiles_expect_ends(lam_buffer_bytes(&log.bytes), "log");
    lam_byte_tiles_expect_ends((lam_bytes){log.bytes.data, log.bytes.size - 10}, "cut log");
    lam_unfinished_sample_finish(&log);
}

Test(byte_map, an_outline_covers_the_file_as_well) {
    lam_file_sample sample = sample_of(NULL, 3, 50);
    for (uint32_t depth = 1; depth < 8; depth++) {
        lam_byte_tiles tiles = {.depth = depth};
        lam_byte_tiles_expect(&tiles, lam_buffer_bytes(&sample.bytes), "outline");
        cr_assert_eq(tiles.counts[LAM_BYTE_UNKNOWN], 0);
        cr_assert_eq(tiles.counts[LAM_BYTE_PAGE] > 0, depth > 1);
    }
    lam_file_sample_finish(&sample);
}

Test(byte_map, ends_when_it_is_stopped) {
    lam_file_sample sample = sample_of(NULL, 3, 20);
    lam_stop stop = {0};
    lam_byte_map_options options = lam_byte_map_options_default();
    lam_byte_tiles tiles = {.depth = 0};
    lam_error error = lam_error_none();
    lam_input input = lam_input_memory(sample.bytes.data, sample.bytes.size);
    lam_stop_request(&stop);
    options.stop = &stop;
    cr_assert_eq(lam_byte_tiles_walk(&tiles, &input, &options, "stop", &error),
                 LAM_STATUS_CANCELLED);
    lam_input_close(&input);
    lam_file_sample_finish(&sample);
}

/* --- Memory -------------------------------------------------------------------------------- */

/* Fails each request in turn. */
static void starve(lam_bytes file) {
    lam_failing_alloc counter = {0};
    lam_allocator allocator = lam_failing_allocator(&counter);
    lam_byte_map_options options = lam_byte_map_options_default();
    options.allocator = &allocator;
    lam_input input = lam_input_memory(file.data, file.size);
    input.borrow = NULL;
    lam_error error = lam_error_none();
    lam_byte_tiles all = {.depth = 0};
    cr_assert_eq(lam_byte_tiles_walk(&all, &input, &options, "all", &error), LAM_STATUS_OK);
    size_t requests = counter.requests;
    cr_assert_gt(requests, 20);
    for (size_t n = 1; n <= requests; n++) {
        lam_byte_tiles tiles = {.depth = 0}, again = {.depth = 0};
        counter = (lam_failing_alloc){.fail_at = n};
        cr_assert_eq(lam_byte_tiles_walk(&tiles, &input, &options, "none", &error),
                     LAM_STATUS_NOMEM, "request %zu", n);
        counter = (lam_failing_alloc){.fail_at = n};
        cr_assert_eq(lam_byte_tiles_walk(&again, &input, &options, "none", NULL), LAM_STATUS_NOMEM);
        cr_assert_leq(tiles.ranges, all.ranges);
        cr_assert_eq(counter.live_bytes, 0, "request %zu", n);
        cr_assert_eq(counter.wrong_sizes, 0, "request %zu", n);
    }
    lam_input_close(&input);
}

Test(byte_map, any_allocation_may_fail) {
    lam_writer_options written = lam_writer_options_default();
    written.page_rows = 20;
    lam_file_sample sample = sample_of(&written, 8, 40);
    starve(lam_buffer_bytes(&sample.bytes));
    lam_file_sample_finish(&sample);
}

Test(byte_map, any_allocation_may_fail_in_a_file_without_a_footer) {
    lam_unfinished_plan plan = {.footer_every = 2};
    lam_unfinished_sample log = log_of(&plan, 60);
    starve((lam_bytes){log.bytes.data, log.bytes.size - 10});
    lam_unfinished_sample_finish(&log);
}

Test(byte_map, any_allocation_may_fail_for_sections_of_every_kind) {
    for (int i = 0; i < 4; i++) {
        lam_writer_options options = lam_writer_options_default();
        options.codec = i & 1 ? LAM_CODEC_UNCOMPRESSED : LAM_CODEC_SNAPPY;
        options.data_page_version = 1 + (i >> 1 & 1);
        options.auto_bloom_filters = true;
        options.compat = i & 1 ? LAM_COMPAT_NEWEST : LAM_COMPAT_MAX;
        lam_file_sample sample = sample_of(&options, 8, 30);
        starve(lam_buffer_bytes(&sample.bytes));
        lam_file_sample_finish(&sample);
    }
}

static void try_limits(lam_bytes file) {
    lam_input input = lam_input_memory(file.data, file.size);
    input.borrow = NULL;
    for (uint64_t limit = 1; limit < 1 << 17; limit += 1 + limit / 4) {
        lam_byte_map_options options = lam_byte_map_options_default();
        lam_byte_tiles tiles = {.depth = 0};
        lam_error error = lam_error_none();
        options.memory_limit = limit;
        lam_status status = lam_byte_tiles_walk(&tiles, &input, &options, "limit", &error);
        cr_assert(status == LAM_STATUS_OK || status == LAM_STATUS_LIMIT, "%" PRIu64 ": %s", limit,
                  error.message);
    }
    lam_input_close(&input);
}

/* Whatever does not fit in the memory that there is becomes a range without a content. */
Test(byte_map, every_memory_limit_covers_the_file_or_is_named) {
    for (int i = 0; i < 4; i++) {
        lam_writer_options written = lam_writer_options_default();
        written.codec = i & 1 ? LAM_CODEC_UNCOMPRESSED : LAM_CODEC_GZIP;
        written.data_page_version = 1 + (i >> 1 & 1);
        written.auto_bloom_filters = true;
        lam_file_sample sample = sample_of(&written, 8, 300);
        try_limits((lam_bytes){sample.bytes.data, sample.bytes.size});
        try_limits((lam_bytes){sample.bytes.data, sample.bytes.size - 9});
        lam_file_sample_finish(&sample);
    }
}

Test(byte_map, what_is_above_the_memory_limit_is_unknown) {
    lam_writer_options written = lam_writer_options_default();
    written.codec = LAM_CODEC_ZSTD;
    lam_file_sample sample = sample_of(&written, 8, 3000);
    lam_byte_map_options options = lam_byte_map_options_default();
    lam_failing_alloc counter = {0};
    lam_allocator allocator = lam_failing_allocator(&counter);
    lam_error error = lam_error_none();
    lam_input input = lam_input_memory(sample.bytes.data, sample.bytes.size);
    lam_byte_tiles tiles = {.depth = 0};
    options.memory_limit = 16 << 10;
    options.allocator = &allocator;
    cr_assert_eq(lam_byte_tiles_walk(&tiles, &input, &options, "limit", &error), LAM_STATUS_OK,
                 "%s", error.message);
    cr_assert_gt(tiles.counts[LAM_BYTE_UNKNOWN], 0);
    cr_assert(strstr(tiles.unknown, "memory_limit") != NULL, "%s", tiles.unknown);
    cr_assert_leq(counter.peak_bytes, options.memory_limit);
    lam_input_close(&input);
    lam_file_sample_finish(&sample);
}

Test(byte_map, options_are_checked) {
    lam_byte_map_options options = lam_byte_map_options_default();
    lam_byte_tiles tiles = {.depth = 0};
    lam_error error = lam_error_none();
    lam_input input = lam_input_memory("PAR1", 4);
    options.struct_size = 3;
    cr_assert_eq(lam_byte_tiles_walk(&tiles, &input, &options, "options", &error),
                 LAM_STATUS_INVALID);
    lam_input_close(&input);
}
