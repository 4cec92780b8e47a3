/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Columns whose levels contradict each other. A salvage wrote such columns as they were, and nobody
 * could assemble what it had written.
 */
#include "damage/salvage/salvage_losses.h"

#include <criterion/criterion.h>
#include <string.h>

#include "damage/salvage_rest.h"
#include "file/file_sample.h"
#include "file/write/file_writer.h"
#include "support/ending_input.h"
#include "support/failing_alloc.h"
#include "support/whole_footer.h"

enum { ROWS_MOST = 400, TRIPLES_MOST = 2 * ROWS_MOST };

/*
 * Each row has a required number n, and what the shape has behind it. Levels of a leaf are written
 * as text, a pair of digits r and d for each triple: "02 12" are two elements of a list.
 */
typedef struct clash_file {
    lam_test_writer written;
    lam_buffer bytes; /* of the finished file */
    uint32_t rows;
} clash_file;

static void start_file(clash_file *file, const char *shape) {
    *file = (clash_file){.written = lam_test_write(shape, LAM_TEST_WRITER(.page_rows = 20))};
}

static void add_levels(lam_writer *writer, size_t leaf, const char *text) {
    static const int32_t values[TRIPLES_MOST];
    uint8_t r[TRIPLES_MOST], d[TRIPLES_MOST];
    const lam_field *field = lam_schema_leaf(lam_writer_schema(writer), leaf);
    lam_triples triples = {.repetition = r, .definition = d, .values = values};
    for (const char *c = text; *c != '\0'; c += c[2] == ' ' ? 3 : 2) {
        cr_assert_lt(triples.count, TRIPLES_MOST);
        r[triples.count] = (uint8_t)(c[0] - '0');
        d[triples.count] = (uint8_t)(c[1] - '0');
        triples.value_count += d[triples.count++] == lam_field_max_definition(field);
    }
    cr_assert_eq(lam_writer_add_leaf(writer, leaf, &triples, NULL), LAM_STATUS_OK);
}

/* Adds a row: the levels of each leaf behind n. */
static void add_row(clash_file *file, const char *const *levels) {
    int32_t number = (int32_t)file->rows++;
    const lam_triples numbers = {.count = 1, .value_count = 1, .values = &number};
    lam_writer *writer = file->written.writer;
    size_t most;
    cr_assert_eq(lam_writer_start_rows(writer, 1, &most, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_writer_add_leaf(writer, 0, &numbers, NULL), LAM_STATUS_OK);
    for (size_t i = 1; i < lam_schema_leaf_count(lam_writer_schema(writer)); i++)
        add_levels(writer, i, levels[i - 1]);
    cr_assert_eq(lam_writer_end_rows(writer, 1, NULL), LAM_STATUS_OK);
}

static lam_input finish_file(clash_file *file) {
    file->bytes = lam_test_written(&file->written);
    return lam_input_memory(file->bytes.data, file->bytes.size);
}

static void drop_file(clash_file *file) {
    lam_buffer_finish(&file->bytes);
}

typedef struct clash_trial {
    lam_reader *reader;
    lam_salvage *salvage;
    lam_salvage_report report;
} clash_trial;

static clash_trial open_salvage(lam_input *input, const lam_salvage_options *options) {
    clash_trial trial = {.report = lam_salvage_report_default()};
    cr_assert_eq(lam_reader_open(input, NULL, &trial.reader, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_salvage_open(trial.reader, options, &trial.salvage, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_salvage_report_of(trial.salvage, &trial.report, NULL), LAM_STATUS_OK);
    return trial;
}

static void close_salvage(clash_trial *trial) {
    lam_salvage_close(trial->salvage);
    lam_reader_close(trial->reader);
}

static void expect_loss(const clash_trial *trial, size_t index, size_t leaf, uint64_t first,
                        uint64_t rows, lam_error_code code) {
    lam_salvage_loss loss = lam_salvage_loss_default();
    cr_assert_eq(lam_salvage_loss_at(trial->salvage, index, &loss, NULL), LAM_STATUS_OK);
    cr_expect_eq(loss.row_group, 0);
    cr_expect_eq(loss.leaf_index, leaf, "loss %zu: leaf %zu", index, loss.leaf_index);
    cr_expect_eq(loss.first_row, first, "loss %zu: row %d", index, (int)loss.first_row);
    cr_expect_eq(loss.row_count, rows, "loss %zu: %d rows", index, (int)loss.row_count);
    cr_expect_eq(loss.code, code, "%s", loss.message);
    if (code == LAM_ERROR_CODE_LEVELS_AGREE || code == LAM_ERROR_CODE_LEVELS_STRUCTURE) {
        cr_expect_eq(loss.page_count, 0);
        cr_expect_eq(loss.offset, -1);
        cr_expect_eq(loss.error->row_group, 0);
        cr_expect_eq(loss.error->row, (int64_t)first);
    }
}

static void expect_losses(const clash_trial *trial, size_t count) {
    lam_salvage_loss loss = lam_salvage_loss_default();
    if (count > 0)
        cr_expect_eq(lam_salvage_loss_at(trial->salvage, count - 1, &loss, NULL), LAM_STATUS_OK);
    cr_expect_eq(lam_salvage_loss_at(trial->salvage, count, &loss, NULL), LAM_STATUS_NOT_FOUND);
}

static void expect_sound(const clash_trial *trial, uint64_t rows) {
    cr_expect_eq(lam_test_write_rest(trial->salvage), rows);
}

/* --- One row ------------------------------------------------------------------------------- */

static const char pairs_shape[] = /* leaves: n, x, y, z */
    "message m { required int32 n; optional group o { repeated group g {"
    "            optional group e { required int32 x; required int32 y; } required int32 z; } } }";

/* Five rows that are sound but for one; gives the salvage of them. */
static clash_trial salvage_odd(clash_file *file, const char *shape, int row,
                               const char *const *sound, const char *const *odd) {
    start_file(file, shape);
    for (int i = 0; i < 5; i++)
        add_row(file, i == row ? odd : sound);
    lam_input input = finish_file(file);
    return open_salvage(&input, NULL);
}

static clash_trial salvage_row(clash_file *file, const char *shape, const char *const *sound,
                               const char *const *odd) {
    return salvage_odd(file, shape, 2, sound, odd);
}

static void drop_trial(clash_trial *trial, clash_file *file) {
    close_salvage(trial);
    drop_file(file);
}

Test(salvage_clashes, columns_that_agree_lose_nothing) {
    static const char *const rows[][3] = {{"00", "00", "00"},
                                          {"01", "01", "01"},
                                          {"02", "02", "02"},
                                          {"03 12 13", "03 12 13", "02 12 12"}};
    clash_file file;
    start_file(&file, pairs_shape);
    for (size_t i = 0; i < 100; i++)
        add_row(&file, rows[i % 4]);
    lam_input input = finish_file(&file);
    clash_trial trial = open_salvage(&input, NULL);
    expect_losses(&trial, 0);
    expect_sound(&trial, 100);
    drop_trial(&trial, &file);
}

Test(salvage_clashes, two_columns_that_contradict_each_other_are_null_where_a_third_one_shows) {
    static const char *const sound[] = {"03 13", "03 13", "02 12"};
    static const char *const odd[] = {"03 13", "03 12", "02 12"};
    clash_file file;
    clash_trial trial = salvage_row(&file, pairs_shape, sound, odd);
    expect_losses(&trial, 2);
    expect_loss(&trial, 0, 1, 2, 1, LAM_ERROR_CODE_LEVELS_AGREE);
    expect_loss(&trial, 1, 2, 2, 1, LAM_ERROR_CODE_LEVELS_AGREE);
    cr_expect_eq(trial.report.cells_lost, 2);
    cr_expect_eq(trial.report.cells_given_up, 0);
    cr_expect_eq(trial.report.pages_damaged, 0);
    expect_sound(&trial, 5);
    drop_trial(&trial, &file);
}

/* Each column is compared with the next one; what contradicts neither is not lost with them. */
Test(salvage_clashes, lists_of_different_lengths_are_null) {
    static const char *const sound[] = {"03", "03", "02"};
    static const char *const odd[][3] = {
        {"03 13", "03", "02"}, {"03", "03 13", "02"}, {"03", "03", "02 12"}};
    static const size_t lost[] = {2, 3, 3};
    for (size_t i = 0; i < 6; i++) {
        clash_file file;
        int row = i < 3 ? 2 : 4; /* in the middle, and the last one */
        clash_trial trial = salvage_odd(&file, pairs_shape, row, sound, odd[i % 3]);
        lam_salvage_rows rows = lam_salvage_rows_default();
        cr_assert_eq(lam_salvage_rows_at(trial.salvage, 1, &rows, NULL), LAM_STATUS_OK);
        cr_expect_eq(rows.first_row, (uint64_t)row);
        cr_expect_eq(rows.row_count, 1);
        cr_expect_eq(rows.columns_lost, lost[i % 3]);
        cr_expect(!rows.is_left_out);
        expect_sound(&trial, 5);
        drop_trial(&trial, &file);
    }
}

Test(salvage_clashes, rows_side_by_side_lose_what_contradicts_in_each_of_them) {
    static const char *const rows[][3] = {{"03", "03", "02"},     /* sound */
                                          {"03", "02", "02"},     /* e */
                                          {"03", "03", "02 12"}}; /* g */
    clash_file file;
    start_file(&file, pairs_shape);
    for (size_t i = 0; i < 5; i++)
        add_row(&file, rows[i % 3]);
    lam_input input = finish_file(&file);
    clash_trial trial = open_salvage(&input, NULL);
    expect_loss(&trial, 0, 1, 1, 1, LAM_ERROR_CODE_LEVELS_AGREE);
    expect_loss(&trial, 1, 1, 2, 1, LAM_ERROR_CODE_LEVELS_AGREE);
    expect_loss(&trial, 2, 1, 4, 1, LAM_ERROR_CODE_LEVELS_AGREE);
    expect_loss(&trial, 6, 3, 2, 1, LAM_ERROR_CODE_LEVELS_AGREE);
    expect_losses(&trial, 7);
    expect_sound(&trial, 5);
    drop_trial(&trial, &file);
}

Test(salvage_clashes, neighbours_lose_the_rows_in_which_they_contradict_each_other_alone) {
    static const char shape[] =
        "message m { required int32 n; optional group o {"
        "            optional group e { required int32 x; required int32 y; }"
        "            optional group f { required int32 u; required int32 v; } } }";
    static const char *const rows[][4] = {{"02", "02", "02", "02"},  /* sound */
                                          {"02", "01", "02", "02"},  /* e */
                                          {"02", "02", "02", "01"}}; /* f */
    clash_file file;
    start_file(&file, shape);
    for (size_t i = 0; i < 3; i++)
        add_row(&file, rows[i]);
    lam_input input = finish_file(&file);
    clash_trial trial = open_salvage(&input, NULL);
    for (size_t i = 0; i < 4; i++)
        expect_loss(&trial, i, i + 1, i < 2 ? 1 : 2, 1, LAM_ERROR_CODE_LEVELS_AGREE);
    expect_losses(&trial, 4);
    expect_sound(&trial, 3);
    drop_trial(&trial, &file);
}

Test(salvage_clashes, lists_that_only_one_column_is_in_are_its_own) {
    static const char shape[] =
        "message m { required int32 n; optional group o { repeated group g {"
        "            required int32 a; repeated int32 b; } } }";
    static const char *const sound[] = {"02 12", "03 23 12"};
    static const char *const odd[] = {"02", "03 23 12 12"};
    clash_file file;
    clash_trial trial = salvage_row(&file, shape, sound, odd);
    expect_losses(&trial, 2);
    expect_loss(&trial, 1, 2, 2, 1, LAM_ERROR_CODE_LEVELS_AGREE);
    expect_sound(&trial, 5);
    drop_trial(&trial, &file);
}

Test(salvage_clashes, columns_of_a_group_that_is_always_there_have_nothing_to_agree_on) {
    static const char *const shapes[] = {
        "message m { required int32 n; required group r { optional group p {"
        "            required int32 a; required int32 b; } optional int32 c; } }",
        "message m { required int32 n; required group r {"
        "            optional int32 a; optional int32 b; optional int32 c; } }"};
    static const char *const sound[] = {"01", "01", "01"};
    static const char *const odd[][3] = {{"01", "01", "00"}, {"00", "01", "00"}};
    for (size_t i = 0; i < 2; i++) {
        clash_file file;
        clash_trial trial = salvage_row(&file, shapes[i], sound, odd[i]);
        expect_losses(&trial, 0);
        expect_sound(&trial, 5);
        drop_trial(&trial, &file);
    }
}

Test(salvage_clashes, groups_that_are_there_for_one_column_alone_are_null) {
    static const char shape[] = "message m { required int32 n; optional group p {"
                                "            required int32 a; optional int32 b; } }";
    static const char *const sound[] = {"01", "02"};
    static const char *const odd[] = {"00", "01"};
    clash_file file;
    clash_trial trial = salvage_row(&file, shape, sound, odd);
    expect_losses(&trial, 2);
    expect_loss(&trial, 0, 1, 2, 1, LAM_ERROR_CODE_LEVELS_AGREE);
    expect_sound(&trial, 5);
    drop_trial(&trial, &file);
}

Test(salvage_clashes, a_column_that_contradicts_itself_is_lost_alone) {
    static const char shape[] = "message m { required int32 n; optional group l {"
                                "            repeated int32 t; } }";
    static const char *const sound[] = {"02 12"};
    static const char *const odd[][1] = {{"02 11"}, {"01 12"}, {"00 10"}};
    for (size_t i = 0; i < 3; i++) {
        clash_file file;
        clash_trial trial = salvage_row(&file, shape, sound, odd[i]);
        expect_losses(&trial, 1);
        expect_loss(&trial, 0, 1, 2, 1, LAM_ERROR_CODE_LEVELS_STRUCTURE);
        expect_sound(&trial, 5);
        drop_trial(&trial, &file);
    }
}

Test(salvage_clashes, rows_are_left_out_where_nothing_may_be_null) {
    static const char shape[] = "message m { required int32 n; repeated group g {"
                                "            required int32 a; required int32 b; } }";
    static const char *const sound[] = {"01 11", "01 11"};
    static const char *const odd[] = {"01 11", "01"};
    clash_file file;
    clash_trial trial = salvage_row(&file, shape, sound, odd);
    cr_expect_eq(trial.report.rows_left_out, 1);
    expect_sound(&trial, 4);
    drop_trial(&trial, &file);
}

Test(salvage_clashes, columns_that_are_not_asked_for_contradict_nobody) {
    static const bool leaves[] = {true, true, false, true};
    static const char *const sound[] = {"03 13", "03 13", "02 12"};
    static const char *const odd[] = {"03 13", "03", "02 12"};
    lam_salvage_options options = lam_salvage_options_default();
    clash_file file;
    clash_trial trial = salvage_row(&file, pairs_shape, sound, odd);
    close_salvage(&trial);
    options.leaves = leaves;
    lam_input input = lam_input_memory(file.bytes.data, file.bytes.size);
    trial = open_salvage(&input, &options);
    expect_losses(&trial, 0);
    drop_trial(&trial, &file);
}

/* --- Many rows ----------------------------------------------------------------------------- */

static const char couple_shape[] = "message m { required int32 n; optional group p {"
                                   "            required int32 a; required int32 b; } }";

/* Rows of a couple, of which those contradict that a function says. */
static lam_input write_couples(clash_file *file, size_t rows, bool (*is_odd)(size_t row)) {
    static const char *const levels[][2] = {{"01", "01"}, {"00", "01"}};
    start_file(file, couple_shape);
    for (size_t i = 0; i < rows; i++)
        add_row(file, levels[is_odd(i)]);
    return finish_file(file);
}

static bool is_third(size_t row) {
    return row % 3 == 1;
}

static bool is_in_the_middle(size_t row) {
    return row >= 4093 && row < 4098; /* batches end at 4,096 */
}

Test(salvage_clashes, rows_that_follow_each_other_are_one_loss) {
    clash_file file;
    lam_input input = write_couples(&file, 4100, is_in_the_middle);
    clash_trial trial = open_salvage(&input, NULL);
    expect_losses(&trial, 2);
    expect_loss(&trial, 0, 1, 4093, 5, LAM_ERROR_CODE_LEVELS_AGREE);
    expect_loss(&trial, 1, 2, 4093, 5, LAM_ERROR_CODE_LEVELS_AGREE);
    expect_sound(&trial, 4100);
    drop_trial(&trial, &file);
}

/* A hostile file could make more losses than it has bytes. */
Test(salvage_clashes, the_last_of_many_losses_takes_the_rest) {
    clash_file file;
    lam_input input = write_couples(&file, ROWS_MOST, is_third);
    clash_trial trial = open_salvage(&input, NULL);
    expect_losses(&trial, 128);
    expect_loss(&trial, 62, 1, 187, 1, LAM_ERROR_CODE_LEVELS_AGREE);
    expect_loss(&trial, 63, 1, 190, 208, LAM_ERROR_CODE_LEVELS_AGREE);
    expect_loss(&trial, 64, 2, 1, 1, LAM_ERROR_CODE_LEVELS_AGREE);
    cr_expect_eq(trial.report.cells_lost, 2 * (63 + 208));
    expect_sound(&trial, ROWS_MOST);
    drop_trial(&trial, &file);
}

Test(salvage_clashes, losses_of_pages_and_of_levels_come_by_their_rows) {
    clash_file file;
    lam_input input = write_couples(&file, 200, is_third);
    lam_test_damage_page(&file.bytes, 1, 1); /* rows 20 to 39 of a, as pages have 20 */
    lam_test_damage_page(&file.bytes, 1, 9); /* rows 180 to 199 */
    clash_trial trial = open_salvage(&input, NULL);
    expect_loss(&trial, 6, 1, 19, 1, LAM_ERROR_CODE_LEVELS_AGREE);
    expect_loss(&trial, 7, 1, 20, 20, LAM_ERROR_CODE_PAGE_CRC);
    expect_loss(&trial, 8, 1, 40, 1, LAM_ERROR_CODE_LEVELS_AGREE);
    expect_loss(&trial, 54, 1, 178, 1, LAM_ERROR_CODE_LEVELS_AGREE);
    expect_loss(&trial, 55, 1, 180, 20, LAM_ERROR_CODE_PAGE_CRC);
    expect_loss(&trial, 56, 2, 1, 1, LAM_ERROR_CODE_LEVELS_AGREE);
    expect_loss(&trial, 63, 2, 40, 1, LAM_ERROR_CODE_LEVELS_AGREE);
    expect_losses(&trial, 56 + 54);
    expect_sound(&trial, 200);
    drop_trial(&trial, &file);
}

/* Nulls of a lost column beside an empty list said that there is no list. */
Test(salvage_clashes, nulls_have_the_levels_of_the_other_columns_of_their_list) {
    static const char shape[] =
        "message m { required int32 n; optional group l { repeated group g {"
        "            optional int32 x; optional int32 y; } } }";
    static const char *const rows[][2] = {
        {"00", "00"}, {"01", "01"}, {"02", "03"}, {"03 13", "02 13"}};
    clash_file file;
    start_file(&file, shape);
    for (size_t i = 0; i < 60; i++)
        add_row(&file, rows[i % 4]);
    lam_input input = finish_file(&file);
    lam_test_damage_page(&file.bytes, 1, 1);
    clash_trial trial = open_salvage(&input, NULL);
    expect_losses(&trial, 1);
    expect_loss(&trial, 0, 1, 20, 20, LAM_ERROR_CODE_PAGE_CRC);
    cr_expect_eq(trial.report.cells_given_up, 0);
    expect_sound(&trial, 60);
    drop_trial(&trial, &file);
}

/* A few bytes took a salvage a thousand years: rows that the footer alone states were compared. */
Test(salvage_clashes, rows_that_no_page_has_take_no_time, .timeout = 20) {
    clash_file file;
    start_file(&file, "required int32 n; optional group g { required int32 a; optional int32 b; }");
    for (int i = 0; i < 10; i++)
        add_row(&file, (const char *const[]){"01", "01"});
    lam_input input = finish_file(&file);
    lam_footer_change change;
    lam_salvage *salvage;
    lam_salvage_report report = lam_salvage_report_default();
    lam_reader *reader = lam_test_open_input(&input, NULL);
    lam_footer_change_begin(&change, reader);
    ((lam_meta_row_group *)(uintptr_t)change.meta.row_groups.items)[0].num_rows = INT64_MAX;
    change.meta.num_rows = INT64_MAX;
    lam_footer_change_apply(&change);
    cr_assert_eq(lam_salvage_open(reader, NULL, &salvage, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_salvage_report_of(salvage, &report, NULL), LAM_STATUS_OK);
    cr_expect_geq(report.rows_left_out, INT64_MAX - 10);
    lam_salvage_close(salvage);
    lam_footer_change_end(&change);
    lam_reader_close(reader);
    drop_file(&file);
}

Test(salvage_clashes, reads_may_fail_and_a_stop_may_come_at_each_of_them) {
    clash_file file;
    lam_input memory = write_couples(&file, 4100, is_third); /* two batches */
    lam_ending_input ending = {.file = {file.bytes.data, file.bytes.size}};
    lam_salvage_options options = lam_salvage_options_default();
    lam_input input = lam_ending_input_of(&ending);
    (void)memory;
    options.stop = &ending.stop;
    lam_reader *reader = lam_test_open_input(&input, NULL);
    for (int stops = 0; stops < 2; stops++) {
        bool is_over = false;
        for (size_t n = 1; !is_over; n++) {
            lam_salvage *salvage = NULL;
            lam_ending_input_again(&ending, stops ? 0 : n, stops ? n : 0);
            lam_status status = lam_salvage_open(reader, &options, &salvage, NULL);
            is_over = ending.reads < n;
            /* A stop may come too late to be seen, but not at the beginning. */
            if (is_over || (stops && n > 1 && status == LAM_STATUS_OK))
                cr_assert_eq(status, LAM_STATUS_OK);
            else
                cr_assert_eq(status, stops ? LAM_STATUS_CANCELLED : LAM_STATUS_IO, "read %zu", n);
            lam_salvage_close(salvage);
        }
    }
    lam_reader_close(reader);
    drop_file(&file);
}

Test(salvage_clashes, memory_may_fail_anywhere) {
    clash_file file;
    lam_input input = write_couples(&file, 200, is_third);
    lam_status status = LAM_STATUS_NOMEM;
    lam_failing_alloc counter = {0};
    lam_allocator failing = lam_failing_allocator(&counter);
    lam_salvage_options options = lam_salvage_options_default();
    options.allocator = &failing;
    lam_test_damage_page(&file.bytes, 1, 1);
    lam_reader *reader = lam_test_open_input(&input, NULL);
    for (size_t n = 1; status != LAM_STATUS_OK; n++) {
        lam_salvage *salvage = NULL;
        lam_error error = lam_error_none();
        counter = (lam_failing_alloc){.fail_at = n};
        status = lam_salvage_open(reader, &options, &salvage, &error);
        if (status == LAM_STATUS_OK)
            lam_salvage_close(salvage);
        else
            cr_assert(status == LAM_STATUS_NOMEM && salvage == NULL, "%zu: %s", n, error.message);
        cr_assert_eq(counter.live_bytes, 0);
        cr_assert_eq(counter.wrong_sizes, 0);
    }
    lam_reader_close(reader);
    drop_file(&file);
}
