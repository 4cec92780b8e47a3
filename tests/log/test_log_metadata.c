/* SPDX-License-Identifier: Apache-2.0 */
/* Key-value metadata of a log's files, finished, recovered and continued. */
#include "log/log_metadata.h"

#include <criterion/criterion.h>
#include <lamella/arrow.h>
#include <lamella/log.h>
#include <lamella/recover.h>
#include <stdio.h>
#include <string.h>

#include "file/file_sample.h"
#include "log/log_sample.h"

static lam_model_disk *disk;
static lam_storage storage;
static lam_schema *schema;

static void start(void) {
    disk = lam_model_disk_create();
    storage = lam_model_disk_storage(disk);
    schema = lam_test_schema(LAM_LOG_SAMPLE_SCHEMA);
}

static void stop(void) {
    lam_model_disk_destroy(disk);
    lam_schema_destroy(schema);
}

TestSuite(log_metadata, .init = start, .fini = stop);

static const lam_log_key_value north[] = {{"site", "north"}, {"empty", NULL}, {"note", ""}};
static const lam_log_key_value south[] = {{"site", "south"}, {"unit", "K"}};

static lam_log_options options_with(const lam_log_key_value *pairs, size_t count) {
    lam_log_options options = lam_log_options_default();
    options.storage = &storage;
    options.key_values = pairs;
    options.key_value_count = count;
    return options;
}

/* Pairs of a file as "site=north empty note= ", ARROW:schema without its value. */
static void expect_pairs(lam_model_disk *where, const char *path, const char *pairs) {
    char found[1000] = "";
    lam_bytes bytes;
    lam_reader *reader;
    lam_error error = lam_error_none();
    cr_assert(lam_model_disk_content(where, path, &bytes), "%s", path);
    lam_input input = lam_input_memory(bytes.data, bytes.size);
    cr_assert_eq(lam_reader_open(&input, NULL, &reader, &error), LAM_STATUS_OK, "%s",
                 error.message);
    for (size_t i = 0; i < lam_reader_key_value_count(reader); i++) {
        const char *key = lam_reader_key(reader, i), *value = lam_reader_value(reader, i);
        bool is_arrow = strcmp(key, "ARROW:schema") == 0;
        size_t size = strlen(found);
        snprintf(found + size, sizeof found - size, "%s%s%s ", key, value != NULL ? "=" : "",
                 value != NULL && !is_arrow ? value : "");
    }
    cr_assert_str_eq(found, pairs, "%s", path);
    lam_reader_close(reader);
}

static lam_log *open_file(const lam_log_options *options) {
    lam_log *log;
    lam_error error = lam_error_none();
    cr_assert_eq(lam_log_open_file(schema, "a.parquet", options, &log, &error), LAM_STATUS_OK, "%s",
                 error.message);
    return log;
}

static void put(lam_log *log, uint64_t first, uint64_t count) {
    lam_record_sink sink = lam_log_sink(log);
    cr_assert_eq(lam_log_sample_put(&sink, schema, first, count, NULL), LAM_STATUS_OK);
}

Test(log_metadata, files_have_the_pairs_of_the_options) {
    lam_log_options options = options_with(north, 3);
    lam_log *log = open_file(&options);
    put(log, 0, 10);
    cr_assert_eq(lam_log_finish(log, NULL), LAM_STATUS_OK);
    lam_log_close(log);
    expect_pairs(disk, "a.parquet", "site=north empty note= ");
}

Test(log_metadata, pairs_that_no_footer_may_have_are_refused) {
    static const lam_log_key_value wrong[][2] = {
        {{"a", "b"}, {NULL, "c"}}, {{"a", "b"}, {"\xff", "c"}}, {{"a", "b"}, {"k", "\xc3"}}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        lam_log_options options = options_with(wrong[i], 2);
        lam_log *log;
        cr_assert_eq(lam_log_open(schema, "logs", &options, &log, NULL), LAM_STATUS_INVALID);
    }
    lam_log_options options = options_with(NULL, 1);
    lam_log *log;
    cr_assert_eq(lam_log_open(schema, "logs", &options, &log, NULL), LAM_STATUS_INVALID);
}

/* What a kill leaves: row groups with records, or rows of the journal alone. */
static lam_model_disk *kill_log(bool has_row_group) {
    lam_log_options options = options_with(north, 3);
    options.journal = true;
    lam_log *log = open_file(&options);
    put(log, 0, 10);
    cr_assert_eq(lam_log_poll(log, NULL, NULL), LAM_STATUS_OK);
    if (has_row_group)
        cr_assert_eq(lam_log_checkpoint(log, NULL), LAM_STATUS_OK);
    lam_model_disk *left = lam_model_disk_kill(disk);
    lam_log_close(log);
    return left;
}

Test(log_metadata, recovered_files_have_the_pairs) {
    for (int has_row_group = 0; has_row_group < 2; has_row_group++) {
        lam_model_disk *left = kill_log(has_row_group == 1);
        lam_storage of_left = lam_model_disk_storage(left);
        lam_recover_options options = lam_recover_options_default();
        lam_recovery recovery = lam_recovery_default();
        options.storage = &of_left;
        cr_assert_eq(lam_recover("a.parquet.part", "b.parquet", &options, &recovery, NULL),
                     LAM_STATUS_OK);
        cr_assert_eq(recovery.rows + recovery.journal_rows, 10);
        expect_pairs(left, "b.parquet", "site=north empty note= ");
        lam_model_disk_destroy(left);
        stop();
        start();
    }
}

Test(log_metadata, a_log_that_goes_on_keeps_the_pairs_that_it_does_not_state) {
    for (int has_row_group = 0; has_row_group < 2; has_row_group++) {
        lam_model_disk *left = kill_log(has_row_group == 1);
        lam_storage of_left = lam_model_disk_storage(left);
        lam_log_options options = options_with(south, 2);
        options.storage = &of_left;
        lam_log *log = open_file(&options);
        put(log, 10, 10);
        cr_assert_eq(lam_log_finish(log, NULL), LAM_STATUS_OK);
        lam_log_close(log);
        expect_pairs(left, "a.parquet", "site=south unit=K empty note= ");
        lam_model_disk_destroy(left);
        stop();
        start();
    }
}

/* Files of arrays had no ARROW:schema, so that types that Parquet lacks were lost. */
Test(log_metadata, files_state_the_arrow_schema_of_the_records) {
    lam_log_options options = options_with(north, 1);
    lam_log *log = open_file(&options);
    put(log, 0, 10);
    cr_assert_eq(lam_log_finish(log, NULL), LAM_STATUS_OK);
    lam_log_close(log);
    lam_bytes bytes;
    lam_reader *reader;
    struct ArrowSchema arrow_schema;
    cr_assert(lam_model_disk_content(disk, "a.parquet", &bytes));
    lam_input input = lam_input_memory(bytes.data, bytes.size);
    cr_assert_eq(lam_reader_open(&input, NULL, &reader, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_arrow_export_schema(reader, NULL, &arrow_schema, NULL), LAM_STATUS_OK);
    options = options_with(south, 2);
    options.arrow_schema = &arrow_schema;
    lam_error error = lam_error_none();
    lam_schema *other = lam_test_schema("message m { required int32 other; }");
    cr_assert_eq(lam_log_open_file(other, "b.parquet", &options, &log, &error), LAM_STATUS_INVALID);
    cr_assert_str_eq(error.message, "the schema is not the one that holds the Arrow schema (option "
                                    "arrow_schema)");
    lam_schema_destroy(other);
    cr_assert_eq(lam_log_open_file(NULL, "b.parquet", &options, &log, &error), LAM_STATUS_OK, "%s",
                 error.message);
    lam_log_arrays *arrays;
    cr_assert_eq(lam_log_arrays_create(log, &arrow_schema, &arrays, &error), LAM_STATUS_OK, "%s",
                 error.message);
    arrow_schema.release(&arrow_schema);
    lam_log_arrays_destroy(arrays);
    cr_assert_eq(lam_log_finish(log, NULL), LAM_STATUS_OK);
    lam_log_close(log);
    /* The schema that was exported has the pairs of its file: those of the options come first. */
    expect_pairs(disk, "b.parquet", "site=south unit=K ARROW:schema= ");
    lam_reader_close(reader);
}

Test(log_metadata, keys_that_a_log_does_not_state_itself_are_missing) {
    static const struct {
        const char *key;
        bool is_missing;
    } keys[] = {{"site", false}, {"side", true}, {"", false}, {"sites", true}};
    lam_meta_key_value own[2] = {{.key = {(const uint8_t *)"site", 4}}, {.key = {NULL, 0}}};
    lam_meta_key_value others[4] = {{0}};
    const lam_meta_key_value_list own_list = {own, 2}, other_list = {others, 4};
    lam_allocator allocator = lam_allocator_default();
    lam_meta_key_value_list missing;
    lam_arena arena;
    for (size_t i = 0; i < 4; i++)
        others[i].key = (lam_bytes){(const uint8_t *)keys[i].key, strlen(keys[i].key)};
    lam_arena_init(&arena, &allocator, 0);
    cr_assert_eq(lam_log_metadata_missing(&own_list, &other_list, &arena, &missing, NULL),
                 LAM_STATUS_OK);
    cr_assert_eq(missing.count, 2);
    cr_expect_eq(missing.items[0].key.data, others[1].key.data);
    cr_expect_eq(missing.items[1].key.data, others[3].key.data);
    lam_arena_finish(&arena);
}
