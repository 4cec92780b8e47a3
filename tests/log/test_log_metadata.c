/* SPDX-License-Identifier: Apache-2.0 */
/* Key-value metadata of a log's files, finished, recovered and continued. */
#include "log/folder/log_metadata.h"

#include <criterion/criterion.h>
#include <lamella/log_arrays.h>
#include <lamella/recover.h>
#include <stdio.h>
#include <string.h>

#include "file/file_sample.h"
#include "log/log_disk.h"
#include "support/file_info.h"

TestSuite(log_metadata, .init = lam_log_disk_start, .fini = lam_log_disk_stop);

static const lam_log_key_value north[] = {{"site", "north"}, {"empty", NULL}, {"note", ""}};
static const lam_log_key_value south[] = {{"site", "south"}, {"unit", "K"}};

static lam_log_options options_with(const lam_log_key_value *pairs, size_t count) {
    lam_log_options options = lam_log_options_default();
    options.storage = &log_storage;
    options.key_values = pairs;
    options.key_value_count = count;
    return options;
}

/* Pairs of a file as "site=north empty note= ", ARROW:schema without its value. */
static void expect_pairs(const char *path, const char *pairs) {
    char found[1000] = "";
    lam_reader *reader = lam_log_disk_read(path);
    for (size_t i = 0; i < lam_test_file_info(reader).key_value_count; i++) {
        const char *key = lam_test_key(reader, i), *value = lam_test_value(reader, i);
        bool is_arrow = strcmp(key, "ARROW:schema") == 0;
        size_t size = strlen(found);
        snprintf(found + size, sizeof found - size, "%s%s%s ", key, value != NULL ? "=" : "",
                 value != NULL && !is_arrow ? value : "");
    }
    cr_assert_str_eq(found, pairs, "%s", path);
    lam_reader_close(reader);
}

Test(log_metadata, files_have_the_pairs_of_the_options) {
    lam_log_options options = options_with(north, 3);
    lam_log *log = lam_log_disk_open("a.parquet", false, options);
    lam_log_disk_put(log, 0, 10);
    lam_log_disk_finish(log);
    expect_pairs("a.parquet", "site=north empty note= ");
}

Test(log_metadata, pairs_that_no_footer_may_have_are_refused) {
    static const lam_log_key_value wrong[][2] = {
        {{"a", "b"}, {NULL, "c"}}, {{"a", "b"}, {"\xff", "c"}}, {{"a", "b"}, {"k", "\xc3"}}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        lam_log_options options = options_with(wrong[i], 2);
        lam_log *log;
        cr_assert_eq(lam_log_open(log_schema, "logs", &options, &log, NULL), LAM_STATUS_INVALID);
    }
    lam_log_options options = options_with(NULL, 1);
    lam_log *log;
    cr_assert_eq(lam_log_open(log_schema, "logs", &options, &log, NULL), LAM_STATUS_INVALID);
}

/* What a kill leaves: row groups with records, or rows of the journal alone. */
static void kill_log(bool has_row_group) {
    lam_log_options options = options_with(north, 3);
    options.journal = true;
    lam_log *log = lam_log_disk_open("a.parquet", false, options);
    lam_log_disk_put(log, 0, 10);
    cr_assert_eq(lam_log_poll(log, NULL, NULL), LAM_STATUS_OK);
    if (has_row_group)
        cr_assert_eq(lam_log_checkpoint(log, NULL), LAM_STATUS_OK);
    lam_log_disk_kill_log(log);
}

Test(log_metadata, recovered_files_have_the_pairs) {
    for (int has_row_group = 0; has_row_group < 2; has_row_group++) {
        kill_log(has_row_group == 1);
        lam_recover_options options = lam_recover_options_default();
        lam_recovery recovery = lam_recovery_default();
        options.storage = &log_storage;
        cr_assert_eq(lam_recover("_a.parquet.part", "b.parquet", &options, &recovery, NULL),
                     LAM_STATUS_OK);
        cr_assert_eq(recovery.rows + recovery.journal_rows, 10);
        expect_pairs("b.parquet", "site=north empty note= ");
        lam_log_disk_renew();
    }
}

Test(log_metadata, a_log_that_goes_on_keeps_the_pairs_that_it_does_not_state) {
    for (int has_row_group = 0; has_row_group < 2; has_row_group++) {
        kill_log(has_row_group == 1);
        lam_log_options options = options_with(south, 2);
        lam_log *log = lam_log_disk_open("a.parquet", false, options);
        lam_log_disk_put(log, 10, 10);
        lam_log_disk_finish(log);
        expect_pairs("a.parquet", "site=south unit=K empty note= ");
        lam_log_disk_renew();
    }
}

/* Files of arrays had no ARROW:schema, so that types that Parquet lacks were lost. */
Test(log_metadata, files_state_the_arrow_schema_of_the_records) {
    lam_log_options options = options_with(north, 1);
    lam_log *log = lam_log_disk_open("a.parquet", false, options);
    lam_log_disk_put(log, 0, 10);
    lam_log_disk_finish(log);
    lam_reader *reader = lam_log_disk_read("a.parquet");
    struct ArrowSchema arrow_schema;
    cr_assert_eq(lam_arrow_export_schema(reader, NULL, &arrow_schema, NULL), LAM_STATUS_OK);
    options = options_with(south, 2);
    lam_error error = lam_error_none();
    cr_assert_eq(lam_log_open_arrow_file(&arrow_schema, "b.parquet", &options, &log, &error),
                 LAM_STATUS_OK, "%s", error.message);
    lam_log_arrays *arrays;
    cr_assert_eq(lam_log_arrays_create(log, &arrow_schema, &arrays, &error), LAM_STATUS_OK, "%s",
                 error.message);
    arrow_schema.release(&arrow_schema);
    lam_log_arrays_destroy(arrays);
    lam_log_disk_finish(log);
    /* The schema that was exported has the pairs of its file: those of the options come first. */
    expect_pairs("b.parquet", "site=south unit=K ARROW:schema= ");
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
