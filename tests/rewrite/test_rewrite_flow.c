/* SPDX-License-Identifier: Apache-2.0 */
/* Rows on their way from a file: in many ranges, across pages, and fewer than the footer states. */
#include <criterion/criterion.h>
#include <lamella/rewrite.h>
#include <lamella/stop.h>
#include <string.h>

#include "check/forge_pages.h"
#include "file/file_sample.h"

TestSuite(rewrite_flow);

enum { FLOW_TEST_ROWS = 3000 };

/* One output, and when to stop. */
typedef struct flow_trial {
    lam_trial_output output;
    lam_stop stop;
    size_t signs; /* of progress so far */
    size_t stop_at;
} flow_trial;

static lam_status open_flow(void *state, const char *folder, uint64_t number,
                            lam_output *ret_output, lam_error *error) {
    flow_trial *trial = state;
    (void)folder, (void)number, (void)error;
    *ret_output = lam_trial_output_open(&trial->output);
    return LAM_STATUS_OK;
}

static void note_sign(void *state, const lam_rewrite_progress *progress) {
    flow_trial *trial = state;
    (void)progress;
    if (++trial->signs == trial->stop_at)
        lam_stop_request(&trial->stop);
}

/* Moves the rows of a file, those of a condition or all; gives how many there are then. */
static lam_status move_rows(flow_trial *trial, lam_bytes file, const char *where,
                            uint64_t *ret_rows, lam_error *error) {
    const lam_rewrite_target target = {trial, open_flow};
    lam_rewrite_options options = lam_rewrite_options_default();
    lam_writer_options writer = lam_writer_options_default();
    lam_input input = lam_input_memory(file.data, file.size);
    lam_rewrite *rewrite;
    lam_reader *reader;
    writer.row_group_rows = 1000000;
    options.writer = &writer;
    options.stop = &trial->stop;
    options.progress = note_sign;
    options.progress_state = trial;
    cr_assert_eq(lam_reader_open(&input, NULL, &reader, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_rewrite_create(&options, &rewrite, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_rewrite_add_reader(rewrite, reader, "file", NULL), LAM_STATUS_OK);
    if (where != NULL)
        cr_assert_eq(lam_rewrite_set_where(rewrite, where, NULL), LAM_STATUS_OK);
    lam_status status = lam_rewrite_run(rewrite, &target, NULL, error);
    lam_rewrite_destroy(rewrite);
    lam_reader_close(reader);
    if (status == LAM_STATUS_OK) {
        input = lam_input_memory(trial->output.bytes.data, trial->output.bytes.size);
        cr_assert_eq(lam_reader_open(&input, NULL, &reader, NULL), LAM_STATUS_OK);
        *ret_rows = lam_reader_row_count(reader);
        lam_reader_close(reader);
    }
    lam_trial_output_free(&trial->output);
    return status;
}

/* Every second row is its own range, of more than a batch has. */
Test(rewrite_flow, rows_in_many_ranges_are_all_there_or_the_stop_ends_them) {
    static int32_t numbers[FLOW_TEST_ROWS];
    lam_schema *schema = lam_test_schema("message m { required int32 a; }");
    const lam_triples column = {FLOW_TEST_ROWS, FLOW_TEST_ROWS, NULL, NULL, numbers};
    lam_error error = lam_error_none();
    uint64_t rows = 0;
    for (int32_t i = 0; i < FLOW_TEST_ROWS; i++)
        numbers[i] = i % 2;
    lam_buffer file = forge_triples(schema, NULL, &column, FLOW_TEST_ROWS);
    flow_trial trial = {.stop_at = 0};
    cr_assert_eq(move_rows(&trial, lam_buffer_bytes(&file), "a = 1", &rows, &error), LAM_STATUS_OK,
                 "%s", error.message);
    cr_assert_eq(rows, FLOW_TEST_ROWS / 2);
    size_t signs = trial.signs;
    cr_assert_gt(signs, 3);
    for (size_t at = 1; at < signs; at++) {
        trial = (flow_trial){.stop_at = at};
        cr_assert_eq(move_rows(&trial, lam_buffer_bytes(&file), "a = 1", &rows, &error),
                     LAM_STATUS_CANCELLED);
    }
    lam_buffer_finish(&file);
    lam_schema_destroy(schema);
}

/* --- Pages by hand --------------------------------------------------------------------------- */

static const uint8_t six[24] = {1, 0, 0, 0, 2, 0, 0, 0, 3};

static void add_elements(forge_pages *forge, const uint8_t *repetition) {
    static const uint8_t ones[] = {12, 1};
    lam_page_sections sections = {.value_count = 6};
    sections.repetition = (lam_bytes){repetition, 2};
    sections.definition = (lam_bytes){ones, sizeof ones};
    sections.values = (lam_bytes){six, sizeof six};
    forge_pages_add(forge, &sections, 0);
}

/* Six elements in three rows, of which the last goes on in the next page. */
Test(rewrite_flow, a_row_may_go_on_in_the_next_page) {
    static const uint8_t begins[] = {3, 0x2A}, goes_on[] = {3, 0x2B};
    flow_trial trial = {.stop_at = 0};
    lam_error error = lam_error_none();
    uint64_t rows = 0;
    forge_pages forge;
    forge_pages_start(&forge, "message m { repeated int32 a; }", 1);
    add_elements(&forge, begins);
    add_elements(&forge, goes_on);
    lam_buffer file = forge_pages_file(&forge, 12, 5);
    cr_assert_eq(move_rows(&trial, lam_buffer_bytes(&file), NULL, &rows, &error), LAM_STATUS_OK,
                 "%s", error.message);
    cr_assert_eq(rows, 5);
    lam_buffer_finish(&file);
}

/* The row group claims more rows than its chunk has. */
Test(rewrite_flow, a_chunk_of_fewer_rows_than_its_row_group_is_an_error) {
    static const char *const schemas[] = {"message m { required int32 a; }",
                                          "message m { repeated int32 a; }"};
    static const char *const messages[] = {
        "has 6 rows, but its row group has 9", "has 3 rows, but its row group has 5",
        "has no values and its row group 5 rows", "has no values and its row group 5 rows"};
    static const uint8_t begins[] = {3, 0x2A};
    for (size_t i = 0; i < 4; i++) {
        flow_trial trial = {.stop_at = 0};
        lam_error error = lam_error_none();
        uint64_t rows = 0;
        forge_pages forge;
        lam_page_sections flat = {.value_count = 6, .values = {six, sizeof six}};
        forge_pages_start(&forge, schemas[i % 2], 1);
        if (i == 0)
            forge_pages_add(&forge, &flat, 0);
        if (i == 1)
            add_elements(&forge, begins);
        lam_buffer file = forge_pages_file(&forge, i < 2 ? 6 : 0, i == 0 ? 9 : 5);
        cr_expect_eq(move_rows(&trial, lam_buffer_bytes(&file), NULL, &rows, &error),
                     LAM_STATUS_CORRUPT);
        cr_expect(strstr(error.message, messages[i]) != NULL, "%s", error.message);
        lam_buffer_finish(&file);
    }
}

Test(rewrite_flow, a_row_group_without_rows_gives_none) {
    flow_trial trial = {.stop_at = 0};
    lam_error error = lam_error_none();
    uint64_t rows = 1;
    forge_pages forge;
    forge_pages_start(&forge, "message m { required int32 a; }", 1);
    lam_buffer file = forge_pages_file(&forge, 0, 0);
    cr_assert_eq(move_rows(&trial, lam_buffer_bytes(&file), NULL, &rows, &error), LAM_STATUS_OK,
                 "%s", error.message);
    cr_assert_eq(rows, 0);
    lam_buffer_finish(&file);
}
