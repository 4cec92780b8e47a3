/* SPDX-License-Identifier: Apache-2.0 */
/* What a reader of JSON holds: below its limit, given back, and never where a record needs it. */
#include <inttypes.h>
#include <lamella/dremel.h>

#include "json_help.h"
#include "support/failing_alloc.h"
#include "support/random.h"

/* --- A sink that counts bytes ---------------------------------------------------------------- */

static lam_status count_nothing(void *state, lam_error *error) {
    (void)state, (void)error;
    return LAM_STATUS_OK;
}

static lam_status ignore_field(void *state, const lam_field *field, lam_error *error) {
    (void)state, (void)field, (void)error;
    return LAM_STATUS_OK;
}

static lam_status count_put(void *state, const lam_field *leaf, lam_value value, lam_error *error) {
    (void)leaf, (void)error;
    *(size_t *)state += value.bytes.size;
    return LAM_STATUS_OK;
}

static lam_record_sink counting_sink(size_t *bytes) {
    return (lam_record_sink){bytes,        count_nothing, ignore_field, count_put,
                             ignore_field, count_nothing, NULL};
}

/* --- Texts ----------------------------------------------------------------------------------- */

static const char *const shapes[] = {"1,", "[],", "{\"b\":{}},", "\"\",", "\"\\n\",", "123456789,"};

/* {"a":[...]} of about `size` bytes, with a newline; for free(). */
static char *array_of(const char *element, size_t size, size_t *ret_size) {
    size_t step = strlen(element), at = 6;
    char *json = malloc(size + step + 16);
    memcpy(json, "{\"a\":[", 6);
    for (; at < size; at += step)
        memcpy(json + at, element, step);
    memcpy(json + at - 1, "]}\n", 4);
    *ret_size = at + 2;
    return json;
}

/*
 * A small record, one of the shape, and a small one, in `json`; gives the status, and how many
 * records came, of reading on behind a failure, too.
 */
static lam_status read_within(const lam_schema *schema, const char *json, size_t size,
                              uint64_t limit, lam_failing_alloc *counter, size_t *ret_records,
                              lam_error *error) {
    lam_allocator allocator = lam_failing_allocator(counter);
    lam_json_reader_options options = lam_json_reader_options_default();
    lam_bytes left = {(const uint8_t *)json, size};
    lam_json_source source = lam_json_source_memory(&left);
    lam_json_reader *reader;
    size_t bytes = 0, records;
    lam_record_sink sink = counting_sink(&bytes);
    options.memory_limit = limit;
    cr_assert_eq(lam_json_reader_create(schema, &source, &options, &allocator, &reader, NULL),
                 LAM_STATUS_OK);
    lam_status status = lam_json_reader_read(reader, &sink, SIZE_MAX, ret_records, error);
    if (status != LAM_STATUS_OK) {
        lam_status behind = lam_json_reader_read(reader, &sink, SIZE_MAX, &records, NULL);
        cr_assert(behind == LAM_STATUS_OK || behind == LAM_STATUS_STATE);
        *ret_records += records;
    }
    lam_json_reader_destroy(reader);
    cr_assert_eq(counter->live_bytes, 0);
    cr_assert_eq(counter->wrong_sizes, 0);
    return status;
}

/*
 * A record took 20 to 47 times its size, without a bound. Every shape, under limits from where the
 * window does not fit to where all does: what the reader holds stays below the limit, and what is
 * refused names the option and the line.
 */
Test(json_reader_memory, what_a_reader_holds_stays_below_the_memory_limit) {
    enum { SIZE = 2 << 20 };
    lam_schema *schema = fields_of("required group a (VARIANT(1)) { required binary metadata; "
                                   "required binary value; }");
    for (size_t shape = 0; shape < sizeof shapes / sizeof *shapes; shape++) {
        size_t size, refused = 0, alone = 0;
        char *large = array_of(shapes[shape], SIZE, &size);
        char *json = malloc(size + 32);
        memcpy(json, "{\"a\":1}\n", 8 + 1);
        memcpy(json + 8, large, size);
        memcpy(json + 8 + size, "{\"a\":2}\n", 8);
        for (uint64_t limit = 2 << 20; limit <= 128 << 20; limit += limit / 2) {
            lam_failing_alloc counter = {0};
            lam_error error = lam_error_none();
            size_t records;
            lam_status status =
                read_within(schema, json, size + 16, limit, &counter, &records, &error);
            cr_assert_leq(counter.peak_bytes, limit + 4096);
            if (status == LAM_STATUS_OK) {
                cr_assert_eq(records, 3);
                continue;
            }
            cr_assert_eq(status, LAM_STATUS_LIMIT);
            cr_assert_eq(strncmp(error.message, "line 2: ", 8), 0, "%s", error.message);
            cr_assert_not_null(strstr(error.message, "(option memory_limit)"), "%s", error.message);
            refused++;
            alone += records == 2;
        }
        cr_expect(refused > 1 && refused < 10, "%zu: %zu", shape, refused);
        cr_expect(alone > 0, "%zu", shape);
        free(json);
        free(large);
    }
    lam_schema_destroy(schema);
}

/*
 * The small record needs an index, for which a large one before it, whose tokens and VARIANT were
 * still there, had left nothing: a sound record was refused. Steps of less than an index.
 */
Test(json_reader_memory, a_small_record_has_room_behind_one_that_took_or_wanted_all_memory) {
    enum { SIZE = 1200000, STEP = 240000 };
    lam_schema *schema = fields_of("required group a (VARIANT(1)) { required binary metadata; "
                                   "required binary value; }");
    size_t size, records, refused = 0;
    char *json = array_of("1,", SIZE, &size);
    json = realloc(json, size + 8);
    memcpy(json + size, "{\"a\":2}\n", 8);
    for (size_t limit = 28 * SIZE; limit < 38 * SIZE; limit += STEP) {
        lam_failing_alloc counter = {0};
        lam_error error = lam_error_none();
        bool is_taken =
            read_within(schema, json, size + 8, limit, &counter, &records, &error) == LAM_STATUS_OK;
        cr_expect_eq(records, is_taken ? 2 : 1, "%zu: %s", limit, error.message);
        refused += !is_taken;
    }
    cr_expect(refused > 5 && refused < 45, "%zu", refused);
    free(json);
    lam_schema_destroy(schema);
}

Test(json_reader_memory, the_index_of_the_parser_counts) {
    enum { SIZE = 4 << 20 };
    lam_schema *schema = fields_of("required binary a (STRING);");
    char *json = malloc(SIZE + 16);
    lam_failing_alloc counter = {0};
    lam_error error = lam_error_none();
    size_t records;
    memcpy(json, "{\"a\":\"", 6);
    memset(json + 6, 'x', SIZE);
    memcpy(json + 6 + SIZE, "\"}\n", 3);
    /* The text takes 4 MiB, in a window of at most 8, and the index 4 times that. */
    cr_expect_eq(read_within(schema, json, SIZE + 9, 20 << 20, &counter, &records, &error),
                 LAM_STATUS_LIMIT);
    cr_expect_lt(counter.peak_bytes, 16 << 20);
    cr_expect_eq(read_within(schema, json, SIZE + 9, 28 << 20, &counter, &records, &error),
                 LAM_STATUS_OK);
    free(json);
    lam_schema_destroy(schema);
}

Test(json_reader_memory, what_a_long_record_took_is_given_back_behind_it) {
    enum { SIZE = 4 << 20, SMALL = 800000 };
    lam_schema *schema = fields_of("required group a (VARIANT(1)) { required binary metadata; "
                                   "required binary value; }");
    lam_failing_alloc counter = {0};
    lam_allocator allocator = lam_failing_allocator(&counter);
    size_t size, bytes = 0, records;
    char *json = array_of("1,", SIZE, &size);
    json = realloc(json, size + 9 * SMALL);
    for (size_t i = 0; i < SMALL; i++)
        memcpy(json + size + 8 * i, "{\"a\":1}\n", 8);
    lam_bytes left = {(const uint8_t *)json, size + 8 * SMALL};
    lam_json_source source = lam_json_source_memory(&left);
    lam_record_sink sink = counting_sink(&bytes);
    lam_json_reader *reader;
    cr_assert_eq(lam_json_reader_create(schema, &source, NULL, &allocator, &reader, NULL),
                 LAM_STATUS_OK);
    cr_assert_eq(lam_json_reader_read(reader, &sink, 1, &records, NULL), LAM_STATUS_OK);
    cr_expect_gt(counter.live_bytes, (size_t)10 * SIZE);
    cr_assert_eq(lam_json_reader_read(reader, &sink, SIZE_MAX, &records, NULL), LAM_STATUS_OK);
    cr_expect_eq(records, SMALL);
    cr_expect_lt(counter.live_bytes, 1 << 20);
    lam_json_reader_destroy(reader);
    free(json);
    lam_schema_destroy(schema);
}

/* Records of random lengths, read with a limit that they fit and without one. */
Test(json_reader_memory, reading_under_a_limit_gives_the_same_records) {
    enum { RECORDS = 60 };
    lam_schema *schema = fields_of("repeated int64 a;");
    uint64_t seed = lam_test_seed(12);
    lam_random random = lam_random_start(seed);
    size_t size = 0;
    char *json = malloc((size_t)RECORDS << 20);
    for (size_t i = 0; i < RECORDS; i++) {
        size_t count = lam_random_below(&random, i % 8 == 0 ? 100000 : 10);
        size += (size_t)sprintf(json + size, "{\"a\":[%zu", i);
        for (size_t k = 0; k < count; k++)
            size += (size_t)sprintf(json + size, ",%zu", k);
        size += (size_t)sprintf(json + size, "]}\n");
    }
    json[size] = '\0';
    lam_json_reader_options options = lam_json_reader_options_default();
    options.memory_limit = 16 << 20;
    lam_error error;
    char *free_copy = copy_json(schema, json, NULL, NULL, &error);
    char *bound_copy = copy_json(schema, json, &options, NULL, &error);
    cr_assert_not_null(bound_copy, "seed %" PRIu64 ": %s", seed, error.message);
    cr_expect_eq(strcmp(bound_copy, free_copy), 0, "seed %" PRIu64, seed);
    free(bound_copy);
    free(free_copy);
    free(json);
    lam_schema_destroy(schema);
}
