/* SPDX-License-Identifier: Apache-2.0 */
/* What a rewrite accepts: inputs, and choices by their columns. */
#include <criterion/criterion.h>
#include <lamella/rewrite.h>
#include <stdio.h>
#include <string.h>

#include "file/file_sample.h"
#include "rewrite/sort_keys.h"

static const char choice_shape[] =
    "message m { required int64 a; optional binary s; repeated group g {"
    " required int32 x; } optional fixed(12) i (INTERVAL); optional boolean b; }";

/* A rewrite of one file, and the file. */
typedef struct choice_trial {
    lam_file_sample sample;
    lam_reader *reader;
    lam_rewrite *rewrite;
} choice_trial;

static void start_choice(choice_trial *trial) {
    lam_random random = lam_random_start(lam_test_seed(7));
    lam_file_sample_init(&trial->sample, lam_test_schema(choice_shape), 5, 70, &random);
    lam_file_sample_write(&trial->sample, NULL, NULL);
    trial->reader = lam_file_sample_open(&trial->sample, NULL);
    cr_assert_eq(lam_rewrite_create(NULL, &trial->rewrite, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_rewrite_add_reader(trial->rewrite, trial->reader, "a.parquet", NULL),
                 LAM_STATUS_OK);
}

static void end_choice(choice_trial *trial) {
    lam_rewrite_destroy(trial->rewrite);
    lam_reader_close(trial->reader);
    lam_file_sample_finish(&trial->sample);
}

Test(rewrite, sort_keys_are_leaves_with_an_order_and_one_value_in_each_row) {
    static const struct {
        const char *path;
        lam_status status;
        const char *message;
    } cases[] = {
        {"b", LAM_STATUS_OK, ""},
        {"b", LAM_STATUS_INVALID, "'b' is a sort key already"},
        {"g", LAM_STATUS_INVALID, "'g' is a group, not a column to sort by"},
        {"g.x", LAM_STATUS_INVALID, "'g.x' repeats: a row has no one value of it"},
        {"i", LAM_STATUS_INVALID, "'i' has a type without an order"},
        {"z", LAM_STATUS_NOT_FOUND, "no field 'z'"},
    };
    choice_trial trial;
    start_choice(&trial);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lam_error error = lam_error_none();
        cr_assert_eq(lam_rewrite_add_sort_key(trial.rewrite, cases[i].path, false, false, &error),
                     cases[i].status);
        cr_assert_str_eq(error.message, cases[i].message);
    }
    end_choice(&trial);
}

Test(rewrite, partitions_are_columns_whose_values_name_folders) {
    lam_error error = lam_error_none();
    choice_trial trial;
    start_choice(&trial);
    cr_assert_eq(lam_rewrite_add_partition(trial.rewrite, "b", &error), LAM_STATUS_OK);
    cr_assert_eq(lam_rewrite_add_partition(trial.rewrite, "b", &error), LAM_STATUS_INVALID);
    cr_assert_eq(lam_rewrite_add_partition(trial.rewrite, "g.x", &error), LAM_STATUS_INVALID);
    cr_assert_eq(lam_rewrite_add_partition(trial.rewrite, "i", &error), LAM_STATUS_INVALID);
    cr_assert_eq(lam_rewrite_add_partition(trial.rewrite, "none", &error), LAM_STATUS_NOT_FOUND);
    end_choice(&trial);
}

Test(rewrite, choices_that_nothing_can_follow_are_refused_at_once) {
    const bool none[5] = {false};
    choice_trial trial;
    start_choice(&trial);
    cr_assert_eq(lam_rewrite_set_leaves(trial.rewrite, none, NULL), LAM_STATUS_INVALID);
    cr_assert_eq(lam_rewrite_set_where(trial.rewrite, "a >", NULL), LAM_STATUS_INVALID);
    cr_assert_eq(lam_rewrite_set_where(trial.rewrite, "z = 1", NULL), LAM_STATUS_NOT_FOUND);
    cr_assert_eq(lam_rewrite_set_encoding(trial.rewrite, "b", LAM_ENCODING_DELTA_BYTE_ARRAY, NULL),
                 LAM_STATUS_INVALID);
    cr_assert_eq(lam_rewrite_set_bloom_filter(trial.rewrite, "b", 0, 0, NULL), LAM_STATUS_INVALID);
    cr_assert_eq(lam_rewrite_set_bloom_filter(trial.rewrite, "a", 2, 0, NULL), LAM_STATUS_INVALID);
    cr_assert_eq(lam_rewrite_add_reader(trial.rewrite, trial.reader, "b.parquet", NULL),
                 LAM_STATUS_STATE);
    end_choice(&trial);
}

Test(rewrite, without_inputs_nothing_can_be_chosen_or_run) {
    lam_rewrite *rewrite;
    const lam_rewrite_target target = {0};
    lam_rewrite_options options = lam_rewrite_options_default();
    options.memory_limit = 1;
    cr_assert_eq(lam_rewrite_create(&options, &rewrite, NULL), LAM_STATUS_INVALID);
    cr_assert_eq(lam_rewrite_create(NULL, &rewrite, NULL), LAM_STATUS_OK);
    cr_assert_null(lam_rewrite_schema(rewrite));
    cr_assert_eq(lam_rewrite_set_split(rewrite, 1, 0, NULL), LAM_STATUS_STATE);
    cr_assert_eq(lam_rewrite_run(rewrite, &target, NULL, NULL), LAM_STATUS_STATE);
    lam_error error = lam_error_none();
    cr_assert_eq(lam_rewrite_add_file(rewrite, "/nowhere/a.parquet", &error), LAM_STATUS_IO);
    cr_assert_eq(strncmp(error.message, "/nowhere/a.parquet: ", 20), 0);
    lam_rewrite_destroy(rewrite);
    lam_rewrite_destroy(NULL);
}

Test(rewrite, calls_without_what_they_need_say_what_is_missing) {
    const lam_rewrite_target target = {0};
    lam_rewrite_options options = lam_rewrite_options_default();
    lam_writer_options writer = lam_writer_options_default();
    lam_reader_options reader = lam_reader_options_default();
    lam_rewrite_report report = lam_rewrite_report_default();
    lam_error error = lam_error_none();
    lam_rewrite *none;
    choice_trial trial;
    start_choice(&trial);
    cr_expect_null(lam_rewrite_schema(NULL));
    cr_expect_eq(lam_rewrite_add_reader(NULL, trial.reader, "a", NULL), LAM_STATUS_INVALID);
    cr_expect_eq(lam_rewrite_add_reader(trial.rewrite, NULL, "a", NULL), LAM_STATUS_INVALID);
    cr_expect_eq(lam_rewrite_add_reader(trial.rewrite, trial.reader, NULL, &error),
                 LAM_STATUS_INVALID);
    cr_expect_str_eq(error.message, "no input, or no name of it (NULL)");
    cr_expect_eq(lam_rewrite_add_file(NULL, "a", NULL), LAM_STATUS_INVALID);
    cr_expect_eq(lam_rewrite_add_file(trial.rewrite, NULL, &error), LAM_STATUS_INVALID);
    cr_expect_str_eq(error.message, "no path (NULL)");
    cr_expect_eq(lam_rewrite_set_split(NULL, 1, 0, NULL), LAM_STATUS_STATE);
    cr_expect_eq(lam_rewrite_run(NULL, &target, NULL, NULL), LAM_STATUS_STATE);
    cr_expect_eq(lam_rewrite_run(trial.rewrite, NULL, NULL, NULL), LAM_STATUS_INVALID);
    cr_expect_eq(lam_rewrite_run(trial.rewrite, &target, NULL, NULL), LAM_STATUS_INVALID);
    cr_expect_eq(lam_rewrite_add_sort_key(trial.rewrite, NULL, false, false, &error),
                 LAM_STATUS_NOT_FOUND);
    cr_expect_str_eq(error.message, "no field ''");
    cr_expect_eq(lam_rewrite_set_encoding(trial.rewrite, "z", LAM_ENCODING_PLAIN, NULL),
                 LAM_STATUS_NOT_FOUND);
    cr_expect_eq(lam_rewrite_set_bloom_filter(trial.rewrite, "z", 0, 0, NULL),
                 LAM_STATUS_NOT_FOUND);
    report.struct_size = 1;
    cr_expect_eq(lam_rewrite_run(trial.rewrite, &target, &report, NULL), LAM_STATUS_INVALID);
    options.struct_size = 1;
    cr_expect_eq(lam_rewrite_create(&options, &none, NULL), LAM_STATUS_INVALID);
    options = lam_rewrite_options_default();
    writer.struct_size = reader.struct_size = 1;
    options.writer = &writer;
    cr_expect_eq(lam_rewrite_create(&options, &none, NULL), LAM_STATUS_INVALID);
    options.writer = NULL;
    options.reader = &reader;
    cr_expect_eq(lam_rewrite_create(&options, &none, NULL), LAM_STATUS_INVALID);
    end_choice(&trial);
}

static lam_status open_choice(void *state, const char *folder, uint64_t number,
                              lam_output *ret_output, lam_error *error) {
    (void)folder, (void)number, (void)error;
    *ret_output = lam_trial_output_open(state);
    return LAM_STATUS_OK;
}

Test(rewrite, a_rewrite_runs_once_and_takes_no_choices_behind_it) {
    lam_trial_output output = {0};
    const lam_rewrite_target target = {&output, open_choice};
    lam_error error = lam_error_none();
    choice_trial trial;
    start_choice(&trial);
    cr_assert_eq(lam_rewrite_run(trial.rewrite, &target, NULL, NULL), LAM_STATUS_OK);
    cr_assert(output.finished);
    cr_expect_eq(lam_rewrite_run(trial.rewrite, &target, NULL, &error), LAM_STATUS_STATE);
    cr_expect_str_eq(error.message, "the rewrite has run");
    cr_expect_eq(lam_rewrite_set_where(trial.rewrite, "b", NULL), LAM_STATUS_STATE);
    cr_expect_eq(lam_rewrite_set_encoding(trial.rewrite, "a", LAM_ENCODING_PLAIN, NULL),
                 LAM_STATUS_STATE);
    cr_expect_eq(lam_rewrite_set_bloom_filter(trial.rewrite, "a", 0, 0, NULL), LAM_STATUS_STATE);
    cr_expect_eq(lam_rewrite_add_partition(trial.rewrite, "b", NULL), LAM_STATUS_STATE);
    cr_expect_eq(lam_rewrite_add_reader(trial.rewrite, trial.reader, "b.parquet", NULL),
                 LAM_STATUS_STATE);
    lam_trial_output_free(&output);
    end_choice(&trial);
}

Test(rewrite, a_sort_and_partitions_have_a_most_of_keys) {
    char text[4000] = "message m {", path[8];
    lam_error error = lam_error_none();
    lam_file_sample sample;
    lam_random random = lam_random_start(lam_test_seed(8));
    lam_rewrite *rewrite;
    for (int i = 0; i <= LAM_SORT_KEYS_MAX; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), " required int32 c%d;", i);
    strcat(text, " }");
    lam_file_sample_init(&sample, lam_test_schema(text), 1, 70, &random);
    lam_file_sample_write(&sample, NULL, NULL);
    lam_reader *reader = lam_file_sample_open(&sample, NULL);
    cr_assert_eq(lam_rewrite_create(NULL, &rewrite, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_rewrite_add_reader(rewrite, reader, "a", NULL), LAM_STATUS_OK);
    for (int i = 0; i <= LAM_SORT_KEYS_MAX; i++) {
        lam_status expected = i < LAM_SORT_KEYS_MAX ? LAM_STATUS_OK : LAM_STATUS_LIMIT;
        snprintf(path, sizeof path, "c%d", i);
        cr_expect_eq(lam_rewrite_add_sort_key(rewrite, path, false, false, &error), expected);
        cr_expect_eq(lam_rewrite_add_partition(rewrite, path, &error), expected);
    }
    snprintf(text, sizeof text, "more than %d partitions", (int)LAM_SORT_KEYS_MAX);
    cr_expect_str_eq(error.message, text);
    lam_rewrite_destroy(rewrite);
    lam_reader_close(reader);
    lam_file_sample_finish(&sample);
}
