/* SPDX-License-Identifier: Apache-2.0 */
/* What a rewrite accepts: inputs, and choices by their columns. */
#include <criterion/criterion.h>
#include <lamella/details.h>
#include <lamella/rewrite.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "file/file_sample.h"
#include "file/read/footer.h"
#include "rewrite/flow/rewrite_state.h"
#include "rewrite/sort/sort_keys.h"

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

static lam_status open_choice(void *state, const char *folder, uint64_t number,
                              lam_output *ret_output, lam_error *error) {
    (void)folder, (void)number, (void)error;
    *ret_output = lam_trial_output_open(state);
    return LAM_STATUS_OK;
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
    cr_expect_str_eq(error.message, "no path (NULL)");
    cr_expect_eq(lam_rewrite_set_encoding(trial.rewrite, "z", LAM_ENCODING_PLAIN, NULL),
                 LAM_STATUS_NOT_FOUND);
    cr_expect_eq(lam_rewrite_set_bloom_filter(trial.rewrite, "z", 0, 0, NULL),
                 LAM_STATUS_NOT_FOUND);
    lam_trial_output output = {0};
    const lam_rewrite_target sound = {&output, open_choice};
    report.struct_size = 1;
    cr_expect_eq(lam_rewrite_run(trial.rewrite, &sound, &report, NULL), LAM_STATUS_INVALID);
    cr_expect_null(output.bytes.data);
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

/* The order of rows is stated only as far as the file has the columns and their bounds an order. */
Test(rewrite, sort_keys_that_a_file_cannot_state_still_sort) {
    static const bool without_a[] = {false, true, true};
    static const char *const keys[] = {"a", "f", "t"};
    for (int way = 0; way < 3; way++) {
        static const double f[] = {2, (double)NAN, 1};
        static const int64_t a[] = {3, 2, 1};
        static const uint8_t t[36] = {[8] = 3, [20] = 1, [32] = 2};
        const lam_triples columns[] = {{.count = 3, .value_count = 3, .values = a},
                                       {.count = 3, .value_count = 3, .values = f},
                                       {.count = 3, .value_count = 3, .values = t}};
        lam_trial_output given = {0}, sorted = {0};
        const lam_rewrite_target target = {&sorted, open_choice};
        lam_sorting_column stated = lam_sorting_column_default();
        lam_rewrite *rewrite;
        lam_reader *reader, *written;
        lam_test_writer file = lam_test_write(
            "message m { required int64 a; required double f; required int96 t; }", NULL);
        lam_test_put_triples(&file, columns, 3);
        given.bytes = lam_test_written(&file);
        reader = lam_test_open(given.bytes.data, given.bytes.size, NULL);
        cr_assert_eq(lam_rewrite_create(NULL, &rewrite, NULL), LAM_STATUS_OK);
        cr_assert_eq(lam_rewrite_add_reader(rewrite, reader, "a", NULL), LAM_STATUS_OK);
        cr_assert_eq(lam_rewrite_add_sort_key(rewrite, keys[way], false, false, NULL),
                     LAM_STATUS_OK);
        if (way == 0)
            cr_assert_eq(lam_rewrite_set_leaves(rewrite, without_a, NULL), LAM_STATUS_OK);
        cr_assert_eq(lam_rewrite_run(rewrite, &target, NULL, NULL), LAM_STATUS_OK);
        written = lam_test_open(sorted.bytes.data, sorted.bytes.size, NULL);
        cr_assert_eq(lam_reader_row_count(written), 3);
        cr_assert_eq(lam_schema_leaf_count(lam_reader_schema(written)), way == 0 ? 2 : 3);
        cr_assert_neq(lam_reader_sorting_column(written, 0, 0, &stated, NULL), LAM_STATUS_OK);
        lam_reader_close(written);
        lam_rewrite_destroy(rewrite);
        lam_reader_close(reader);
        lam_trial_output_free(&given);
        lam_trial_output_free(&sorted);
    }
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

/* A name is put before a message once; one that only begins as the message does is another word. */
Test(rewrite, a_message_names_its_input_once) {
    static const struct {
        const char *name, *message, *blamed;
    } cases[] = {{"a", "no such field", "a: no such field"},
                 {"no", "no such field", "no: no such field"},
                 {"a", "a: no such field", "a: no such field"},
                 {"a", "a", "a: a"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lam_error error = lam_error_none();
        snprintf(error.message, sizeof error.message, "%s", cases[i].message);
        cr_assert_eq(lam_rewrite_blame(cases[i].name, LAM_STATUS_INVALID, &error),
                     LAM_STATUS_INVALID);
        cr_expect_str_eq(error.message, cases[i].blamed);
        cr_assert_eq(lam_rewrite_blame(cases[i].name, LAM_STATUS_OK, &error), LAM_STATUS_OK);
        cr_assert_eq(lam_rewrite_blame(cases[i].name, LAM_STATUS_INVALID, NULL),
                     LAM_STATUS_INVALID);
        cr_expect_str_eq(error.message, cases[i].blamed);
    }
}

/* The footer of a file whose schema has these elements, and no rows. */
static lam_buffer write_elements(lam_meta_schema_element *elements, uint32_t count) {
    lam_allocator allocator = lam_allocator_default();
    lam_buffer file;
    lam_meta_file meta = {.version = 1, .schema = {elements, count}};
    lam_buffer_init(&file, &allocator);
    cr_assert_eq(lam_buffer_append(&file, "PAR1", 4, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_footer_write(&meta, &file, NULL), LAM_STATUS_OK);
    return file;
}

static lam_reader *read_elements(const lam_buffer *file) {
    return lam_test_open(file->data, file->size, NULL);
}

static lam_meta_schema_element group_element(const char *name, int32_t children) {
    return (lam_meta_schema_element){.has = LAM_META_SCHEMA_ELEMENT_HAS_NUM_CHILDREN |
                                            LAM_META_SCHEMA_ELEMENT_HAS_REPETITION_TYPE,
                                     .name = {(const uint8_t *)name, strlen(name)},
                                     .num_children = children};
}

Test(rewrite, a_file_without_columns_has_a_rewrite_without_any) {
    lam_meta_schema_element root = group_element("m", 0);
    lam_trial_output trial = {0};
    const lam_rewrite_target target = {&trial, open_choice};
    lam_error error = lam_error_none();
    lam_rewrite *rewrite;
    lam_buffer file = write_elements(&root, 1);
    lam_reader *reader = read_elements(&file);
    cr_assert_eq(lam_rewrite_create(NULL, &rewrite, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_rewrite_add_reader(rewrite, reader, "none", NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_rewrite_run(rewrite, &target, NULL, &error), LAM_STATUS_OK, "%s",
                 error.message);
    cr_assert(trial.finished);
    cr_assert_eq(lam_rewrite_add_reader(rewrite, reader, "none", NULL), LAM_STATUS_STATE);
    lam_rewrite_destroy(rewrite);
    lam_reader_close(reader);
    lam_trial_output_free(&trial);
    lam_buffer_finish(&file);
}

/* Readers of files take a group without fields, which has no column to choose. */
Test(rewrite, a_group_without_fields_is_no_choice) {
    lam_meta_schema_element elements[] = {group_element("m", 2), group_element("g", 0),
                                          group_element("a", 0)};
    lam_error error = lam_error_none();
    lam_rewrite *rewrite;
    elements[2].has =
        LAM_META_SCHEMA_ELEMENT_HAS_TYPE | LAM_META_SCHEMA_ELEMENT_HAS_REPETITION_TYPE;
    elements[2].type = LAM_PHYSICAL_INT32;
    lam_buffer file = write_elements(elements, 3);
    lam_reader *reader = read_elements(&file);
    cr_assert_eq(lam_rewrite_create(NULL, &rewrite, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_rewrite_add_reader(rewrite, reader, "odd", NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_rewrite_add_sort_key(rewrite, "g", false, false, &error),
                 LAM_STATUS_NOT_FOUND);
    cr_assert_str_eq(error.message, "field 'g' has no columns");
    cr_assert_eq(lam_rewrite_add_sort_key(rewrite, NULL, false, false, &error),
                 LAM_STATUS_NOT_FOUND);
    cr_assert_eq(lam_rewrite_add_sort_key(rewrite, "a", false, false, &error), LAM_STATUS_OK);
    lam_rewrite_destroy(rewrite);
    lam_reader_close(reader);
    lam_buffer_finish(&file);
}
