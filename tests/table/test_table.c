/* SPDX-License-Identifier: Apache-2.0 */
/* Records become rows of cells, given as soon as they are counted. */
#include "support/failing_alloc.h"
#include "table_help.h"

typedef struct taken_rows {
    char text[4096];
    size_t rows;
    size_t fail_at; /* the row that the sink refuses; 0: none */
} taken_rows;

static lam_status take(void *state, const lam_cell *cells, size_t count, lam_error *error) {
    taken_rows *taken = state;
    char *end = taken->text + strlen(taken->text);
    if (++taken->rows == taken->fail_at) {
        *error = lam_error_none();
        error->status = LAM_STATUS_IO;
        snprintf(error->message, sizeof error->message, "enough");
        return LAM_STATUS_IO;
    }
    if (taken->rows <= 3) {
        for (size_t i = 0; i < count; i++)
            end += snprintf(end, 200, "%d%.*s|", (int)cells[i].kind, (int)cells[i].text.size,
                            (const char *)cells[i].text.data);
        snprintf(end, 4, "\n");
    }
    return LAM_STATUS_OK;
}

static lam_status read_rows(const lam_reader *reader, uint64_t most, taken_rows *taken,
                            uint64_t *ret_count, const lam_allocator *allocator, lam_error *error) {
    lam_cell_sink sink = {taken, take};
    lam_table *table;
    lam_record_reader *records;
    lam_status status =
        lam_table_create(lam_reader_schema(reader), NULL, &sink, allocator, &table, error);
    if (status != LAM_STATUS_OK)
        return status;
    cr_assert_eq(lam_record_reader_open(reader, NULL, &records, NULL), LAM_STATUS_OK);
    status = lam_table_read(table, records, most, ret_count, error);
    lam_record_reader_close(records);
    lam_table_destroy(table);
    return status;
}

Test(table, each_record_is_a_row_of_texts_and_kinds) {
    written_file file;
    lam_reader *reader = file_of(TABLE_FIELDS ";", TABLE_RECORDS, 1, NULL, &file);
    taken_rows taken = {"", 0, 0};
    uint64_t count;
    cr_assert_eq(read_rows(reader, UINT64_MAX, &taken, &count, NULL, NULL), LAM_STATUS_OK);
    cr_expect_eq(count, 3);
    cr_expect_str_eq(taken.text, "21|1a\n\"b\"|21.5|4[\"}\",null]|4{\"\\\"k\":true}|3true|\n"
                                 "0|0|0|0|0|0|\n"
                                 "2-3|1|0|4[]|4{}|3false|\n");
    lam_reader_close(reader);
    free(file.bytes);
}

Test(table, rows_are_given_as_soon_as_they_are_counted) {
    written_file file;
    lam_reader *reader = file_of(TABLE_FIELDS ";", TABLE_RECORDS, 5000, NULL, &file);
    taken_rows taken = {"", 0, 0};
    uint64_t count;
    cr_assert_eq(read_rows(reader, 10001, &taken, &count, NULL, NULL), LAM_STATUS_OK);
    cr_expect_eq(count, 10001);
    cr_expect_eq(taken.rows, 10001);
    lam_reader_close(reader);
    free(file.bytes);
}

Test(table, a_sink_that_fails_gets_no_row_again) {
    written_file file;
    lam_reader *reader = file_of(TABLE_FIELDS ";", TABLE_RECORDS, 5000, NULL, &file);
    for (size_t fail_at = 1; fail_at < 15000; fail_at = fail_at * 3 + 1) {
        taken_rows taken = {"", 0, fail_at};
        lam_error error = lam_error_none();
        uint64_t count = 0;
        cr_expect_eq(read_rows(reader, UINT64_MAX, &taken, &count, NULL, &error), LAM_STATUS_IO);
        cr_expect_str_eq(error.message, "enough");
        cr_expect_eq(taken.rows, fail_at);
    }
    lam_reader_close(reader);
    free(file.bytes);
}

Test(table, every_allocation_may_fail) {
    written_file file;
    lam_reader *reader = file_of(TABLE_FIELDS ";", TABLE_RECORDS, 1, NULL, &file);
    for (size_t fail_at = 1;; fail_at++) {
        lam_failing_alloc counter = {.fail_at = fail_at};
        lam_allocator allocator = lam_failing_allocator(&counter);
        taken_rows taken = {"", 0, 0};
        uint64_t count;
        lam_status status = read_rows(reader, UINT64_MAX, &taken, &count, &allocator, NULL);
        cr_expect_eq(counter.live_bytes, 0);
        if (status == LAM_STATUS_OK)
            break;
        cr_assert_eq(status, LAM_STATUS_NOMEM, "request %zu", fail_at);
    }
    lam_reader_close(reader);
    free(file.bytes);
}

Test(table, a_column_out_of_range_has_no_name) {
    lam_schema *schema = fields_of("required int32 a;");
    lam_cell_sink sink = {NULL, take};
    lam_table *table;
    cr_assert_eq(lam_table_create(schema, NULL, &sink, NULL, &table, NULL), LAM_STATUS_OK);
    cr_expect_str_eq(lam_table_column_name(table, 0), "a");
    cr_expect_null(lam_table_column_name(table, 1));
    lam_table_destroy(table);
    lam_table_destroy(NULL);
    lam_schema_destroy(schema);
}
