/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random schemas, records and options: what is written reads back equal, as records with any
 * projection and as columns. LAMELLA_ROUNDS overrides the number of files.
 */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <lamella/check.h>
#include <lamella/column.h>
#include <lamella/dremel.h>
#include <lamella/scan.h>
#include <lamella/writer.h>
#include <stdlib.h>
#include <string.h>

#include "file/file_sample.h"
#include "reference/level_case.h"
#include "schema/tree.h"
#include "support/shared.h"

static uint64_t small(lam_random *random, uint64_t most) {
    return lam_random_chance(random, 10) ? 0 : 1 + lam_random_below(random, most);
}

static lam_writer_options any_options(lam_random *random) {
    static const lam_codec codecs[] = {LAM_CODEC_DEFAULT, LAM_CODEC_UNCOMPRESSED, LAM_CODEC_SNAPPY,
                                       LAM_CODEC_ZSTD};
    lam_writer_options options = lam_writer_options_default();
    options.codec = codecs[lam_random_below(random, 4)];
    options.data_page_version = (int32_t)lam_random_below(random, 3);
    options.page_rows = small(random, 50);
    options.page_bytes = small(random, 500);
    options.dictionary_bytes = small(random, 300);
    options.row_group_rows = small(random, 40);
    options.row_group_bytes = small(random, 3000);
    options.dictionary = lam_random_chance(random, 20) ? LAM_SWITCH_OFF : LAM_SWITCH_ON;
    options.page_crc = lam_random_chance(random, 20) ? LAM_SWITCH_OFF : LAM_SWITCH_ON;
    options.statistics = lam_random_chance(random, 10) ? LAM_SWITCH_OFF : LAM_SWITCH_ON;
    options.page_index = lam_random_chance(random, 10) ? LAM_SWITCH_OFF : LAM_SWITCH_ON;
    options.float_total_order = lam_random_chance(random, 30);
    options.compat = (lam_compat)lam_random_below(random, 4);
    options.auto_bloom_filters = lam_random_chance(random, 30);
    options.int96_order = lam_random_chance(random, 30);
    return options;
}

/* The checker counts and compares everything anew; random INT96 are notable themselves. */
static lam_status expect_no_finding(void *state, const lam_finding *finding, lam_error *error) {
    (void)error;
    if (strcmp(finding->rule->id, "int96-nanoseconds") == 0)
        return LAM_STATUS_OK;
    cr_assert_fail("seed %" PRIu64 ": %s at %s: %s", *(const uint64_t *)state, finding->rule->id,
                   finding->path != NULL ? finding->path : "the file", finding->message);
    return LAM_STATUS_OK;
}

static void expect_true_metadata(const lam_file_sample *sample, uint64_t seed) {
    lam_input input = lam_input_memory(sample->bytes.data, sample->bytes.size);
    lam_status status = lam_check(&input, NULL, expect_no_finding, &seed, NULL, NULL);
    cr_assert_eq(status, LAM_STATUS_OK, "seed %" PRIu64, seed);
}

/* The triples of each row group are those that its records shred to. */
static void expect_columns(const lam_file_sample *sample, const lam_reader *reader,
                           lam_random *random, uint64_t seed) {
    lam_shredder *shredder;
    cr_assert_eq(lam_shredder_create(sample->schema, NULL, &shredder, NULL), LAM_STATUS_OK);
    lam_record_sink sink = lam_shredder_sink(shredder);
    size_t first = 0;
    for (size_t group = 0; group < lam_reader_row_group_count(reader); group++) {
        lam_row_group_info info = lam_row_group_info_default();
        cr_assert_eq(lam_reader_row_group(reader, group, &info, NULL), LAM_STATUS_OK);
        lam_shredder_clear(shredder);
        for (uint64_t i = 0; i < info.row_count; i++)
            cr_assert_eq(lam_tree_drive(sample->schema, &sample->records[first + i], &sink, NULL,
                                        false, NULL),
                         LAM_STATUS_OK);
        first += (size_t)info.row_count;
        for (size_t leaf = 0; leaf < lam_schema_leaf_count(sample->schema); leaf++) {
            lam_triples want = lam_shredder_triples(shredder, leaf), run = {.count = 1};
            const lam_field *field = lam_schema_leaf(sample->schema, leaf);
            lam_column_reader *column;
            cr_assert_eq(lam_column_reader_open(reader, group, leaf, &column, NULL), LAM_STATUS_OK);
            size_t at = 0, value_at = 0;
            while (run.count > 0) {
                size_t step = 1 + (size_t)lam_random_below(random, 60);
                cr_assert_eq(lam_column_reader_read(column, step, &run, NULL), LAM_STATUS_OK);
                cr_assert_leq(run.count, want.count - at, "seed %" PRIu64, seed);
                for (size_t i = 0; i < run.count; i++) {
                    uint8_t r = run.repetition != NULL ? run.repetition[i] : 0;
                    uint8_t d = run.definition != NULL ? run.definition[i] : field->max_definition;
                    cr_assert_eq(r, want.repetition != NULL ? want.repetition[at + i] : 0);
                    cr_assert_eq(d, want.definition != NULL ? want.definition[at + i]
                                                            : field->max_definition);
                }
                size_t size = lam_element_size(field);
                const uint8_t *values = want.values;
                if (field->physical_type != LAM_PHYSICAL_BYTE_ARRAY && run.value_count > 0)
                    cr_assert_eq(
                        memcmp(run.values, values + value_at * size, run.value_count * size), 0,
                        "seed %" PRIu64, seed);
                at += run.count;
                value_at += run.value_count;
            }
            cr_assert_eq(at, want.count, "seed %" PRIu64, seed);
            cr_assert_eq(value_at, want.value_count);
            lam_column_reader_close(column);
        }
    }
    cr_assert_eq(first, sample->record_count);
    lam_shredder_destroy(shredder);
}

static void run_trial(uint64_t seed) {
    static const unsigned presences[] = {30, 70, 95, 100};
    lam_random random = lam_random_start(seed);
    lam_file_sample sample;
    lam_schema *schema = lam_tree_random_schema(&random, 60);
    size_t record_count = (size_t)lam_random_below(&random, 120);
    lam_file_sample_init(&sample, schema, record_count, presences[lam_random_below(&random, 4)],
                         &random);
    lam_writer_options options = any_options(&random);
    lam_file_sample_write(&sample, &options, lam_random_chance(&random, 50) ? &random : NULL);
    lam_reader *reader = lam_file_sample_open(&sample, NULL);
    cr_assert(lam_schema_equals(lam_reader_schema(reader), schema), "seed %" PRIu64, seed);
    lam_file_sample_expect_all(&sample, reader, NULL);
    expect_true_metadata(&sample, seed);
    size_t leaf_count = lam_schema_leaf_count(schema);
    bool *leaves = calloc(leaf_count, sizeof *leaves);
    for (int projection = 0; projection < 2; projection++) {
        unsigned chance = (unsigned)lam_random_below(&random, 101);
        for (size_t i = 0; i < leaf_count; i++)
            leaves[i] = lam_random_chance(&random, chance);
        lam_file_sample_expect_all(&sample, reader, leaves);
    }
    free(leaves);
    expect_columns(&sample, reader, &random, seed);
    lam_reader_close(reader);
    lam_file_sample_finish(&sample);
}

Test(random_files, what_is_written_reads_back_equal) {
    const char *rounds = getenv("LAMELLA_ROUNDS");
    uint64_t count = rounds != NULL ? strtoull(rounds, NULL, 10) : 1500;
    uint64_t seed = lam_test_seed(1);
    for (uint64_t i = 0; i < count; i++)
        run_trial(seed + i);
}

/* --- The shared level examples --------------------------------------------------------------- */

/* Writes the records of a case, reads them into a shredder, and demands the case's columns. */
static void check_case_with(const lam_level_case *level_case, const lam_writer_options *options) {
    lam_shredder *shredder;
    lam_record_reader *records;
    uint64_t count;
    lam_error error = lam_error_none();
    lam_test_writer file = lam_test_write_as(level_case->schema, options);
    for (size_t i = 0; i < level_case->records->count; i++) {
        lam_level_case copy = *level_case;
        copy.schema = (lam_schema *)lam_writer_schema(file.writer);
        lam_status status = lam_level_case_drive(&copy, i, &file.sink, &error);
        cr_assert_eq(status, LAM_STATUS_OK, "%s", error.message);
    }
    lam_buffer trial = lam_test_written(&file);

    lam_reader *reader = lam_test_open(trial.data, trial.size, NULL);
    cr_assert(lam_schema_equals(lam_reader_schema(reader), level_case->schema));
    cr_assert_eq(lam_shredder_create(lam_reader_schema(reader), NULL, &shredder, NULL),
                 LAM_STATUS_OK);
    const lam_record_sink sink = lam_shredder_sink(shredder);
    cr_assert_eq(lam_record_reader_open(reader, NULL, &records, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_record_reader_read(records, &sink, UINT64_MAX, &count, &error), LAM_STATUS_OK,
                 "%s", error.message);
    cr_assert_eq(count, level_case->records->count);
    for (size_t i = 0; i < lam_schema_leaf_count(level_case->schema); i++) {
        lam_triples triples = lam_shredder_triples(shredder, i);
        lam_level_case_expect(level_case, i, &triples);
    }
    lam_record_reader_close(records);
    lam_shredder_destroy(shredder);
    lam_reader_close(reader);
    lam_buffer_finish(&trial);
}

static void check_case(void *state, const char *path) {
    (void)state;
    static const lam_codec codecs[] = {LAM_CODEC_UNCOMPRESSED, LAM_CODEC_SNAPPY, LAM_CODEC_ZSTD};
    static const uint64_t sizes[] = {0, 1, 2, 30};
    lam_level_case level_case;
    lam_level_case_open(&level_case, path);
    for (size_t i = 0; i < 48; i++) {
        lam_writer_options options = lam_writer_options_default();
        options.codec = codecs[i % 3];
        options.data_page_version = 1 + (int32_t)(i / 3 % 2);
        options.page_bytes = sizes[i / 6 % 4];
        options.row_group_rows = i / 24;
        check_case_with(&level_case, &options);
    }
    lam_level_case_close(&level_case);
}

Test(random_files, the_shared_level_examples_pass_through_files) {
    if (!lam_test_shared_exists("cases"))
        cr_skip_test("no shared folder cases/");
    cr_assert_geq(lam_test_each_file(lam_test_shared("cases"), check_case, NULL), 8);
}
