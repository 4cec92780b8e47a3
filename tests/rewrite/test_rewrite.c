/* SPDX-License-Identifier: Apache-2.0 */
/* What a rewrite accepts: inputs, and choices by their columns. */
#include <criterion/criterion.h>
#include <lamella/rewrite.h>
#include <string.h>

#include "file/file_sample.h"

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
