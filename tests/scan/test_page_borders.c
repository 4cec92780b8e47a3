/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lists whose pages begin inside of records, or whose offset index is wrong, under every condition
 * that names a record: a scan that prunes finds it, whole.
 */
#include <criterion/criterion.h>
#include <lamella/filter_text.h>
#include <lamella/scan.h>
#include <lamella/writer.h>
#include <stdio.h>
#include <string.h>

#include "file/file_sample.h"
#include "file/recut.h"
#include "support/ending_input.h"

TestSuite(page_borders, .timeout = 120);

enum { BORDER_ROWS = 60, BORDER_ITEMS = 5 };

#define BORDER_SCHEMA                                                                              \
    "message m { required int64 i; optional group l (LIST) { repeated group list "                 \
    "{ optional int32 element; } } }"

/* --- The file -------------------------------------------------------------------------------- */

/* Row `row` has row % 5 elements, row * 10 + k, some of them null; some lists are null. */
static int items_of(int row) {
    return row % 17 == 3 ? -1 : row % BORDER_ITEMS;
}

static bool has_item(int row, int k) {
    return (row + k) % 7 != 0;
}

static void write_rows(lam_trial_output *file) {
    static int64_t numbers[BORDER_ROWS];
    static int32_t items[BORDER_ROWS * BORDER_ITEMS];
    static uint8_t r[BORDER_ROWS * BORDER_ITEMS], d[BORDER_ROWS * BORDER_ITEMS];
    lam_triples columns[2] = {{.values = numbers},
                              {.repetition = r, .definition = d, .values = items}};
    for (int row = 0; row < BORDER_ROWS; row++) {
        int count = items_of(row);
        numbers[columns[0].count++] = row;
        if (count <= 0) {
            r[columns[1].count] = 0;
            d[columns[1].count++] = count == 0;
        }
        for (int k = 0; k < count; k++) {
            r[columns[1].count] = k > 0;
            d[columns[1].count++] = has_item(row, k) ? 3 : 2;
            if (has_item(row, k))
                items[columns[1].value_count++] = row * 10 + k;
        }
    }
    columns[0].value_count = columns[0].count;
    lam_writer_options options = lam_writer_options_default();
    memset(file, 0, sizeof *file);
    options.page_rows = 4;
    lam_test_writer written = lam_test_write(BORDER_SCHEMA, &options);
    lam_test_put_triples(&written, columns, BORDER_ROWS);
    file->bytes = lam_test_written(&written);
}

/* --- What is read of it ---------------------------------------------------------------------- */

/* The last record, and how many there were. */
typedef struct seen_record {
    size_t count;
    int64_t row;
    int items; /* with nulls */
    int64_t sum;
} seen_record;

static lam_status see_begin(void *state, lam_error *error) {
    seen_record *seen = state;
    (void)error;
    *seen = (seen_record){.count = seen->count + 1};
    return LAM_STATUS_OK;
}

/* Only the repeated group may be entered as often as there are elements. */
static lam_status see_open(void *state, const lam_field *group, lam_error *error) {
    seen_record *seen = state;
    (void)error;
    seen->items += lam_field_repetition(group) == LAM_REPETITION_REPEATED;
    return LAM_STATUS_OK;
}

static lam_status see_value(void *state, const lam_field *leaf, lam_value value, lam_error *error) {
    seen_record *seen = state;
    (void)error;
    if (lam_field_physical_type(leaf) == LAM_PHYSICAL_INT64)
        seen->row = value.int64;
    else
        seen->sum += value.int32;
    return LAM_STATUS_OK;
}

static lam_status see_close(void *state, const lam_field *group, lam_error *error) {
    (void)state;
    (void)group;
    (void)error;
    return LAM_STATUS_OK;
}

static lam_status see_end(void *state, lam_error *error) {
    (void)state;
    (void)error;
    return LAM_STATUS_OK;
}

static void expect_row(const seen_record *seen, int row, const char *what) {
    int count = items_of(row);
    int64_t sum = 0;
    for (int k = 0; k < count; k++)
        sum += has_item(row, k) ? row * 10 + k : 0;
    cr_assert_eq(seen->count, 1, "%s: %zu records", what, seen->count);
    cr_assert_eq(seen->row, row, "%s: row %d", what, (int)seen->row);
    cr_assert_eq(seen->items, count < 0 ? 0 : count, "%s: %d elements", what, seen->items);
    cr_assert_eq(seen->sum, sum, "%s: other elements", what);
}

static lam_status scan(const lam_reader *reader, const char *condition, uint64_t skip,
                       uint64_t most, seen_record *seen, uint64_t *pages_pruned, lam_error *error) {
    lam_record_sink sink = {seen, see_begin, see_open, see_value, see_close, see_end, NULL};
    lam_scan_options options = lam_scan_options_default();
    lam_scan_report report = lam_scan_report_default();
    lam_filter *filter = NULL;
    lam_record_reader *records;
    uint64_t got, passed;
    *seen = (seen_record){0};
    if (condition != NULL)
        cr_assert_eq(lam_filter_parse(lam_reader_schema(reader), condition, strlen(condition), NULL,
                                      NULL, &filter, NULL),
                     LAM_STATUS_OK, "%s", condition);
    options.filter = filter;
    cr_assert_eq(lam_record_reader_open_scan(reader, &options, &records, NULL), LAM_STATUS_OK);
    lam_status status = lam_record_reader_skip(records, skip, &passed, error);
    if (status == LAM_STATUS_OK)
        status = lam_record_reader_read(records, &sink, most, &got, error);
    cr_assert_eq(lam_record_reader_report(records, &report, NULL), LAM_STATUS_OK);
    *pages_pruned += report.pages_pruned;
    lam_record_reader_close(records);
    lam_filter_destroy(filter);
    return status;
}

static void expect_scan(const lam_reader *reader, const char *condition, uint64_t skip, int row,
                        uint64_t *pages_pruned) {
    lam_error error = lam_error_none();
    seen_record seen;
    cr_assert_eq(scan(reader, condition, skip, 1, &seen, pages_pruned, &error), LAM_STATUS_OK,
                 "%s, skip %d: %s", condition, (int)skip, error.message);
    expect_row(&seen, row, condition == NULL ? "skip" : condition);
}

/* Each row by its position, by its number, by its elements, and by both. */
static void expect_rows(const lam_reader *reader, bool by_both) {
    uint64_t pruned = 0;
    char text[64];
    for (int row = 0; row < BORDER_ROWS; row++) {
        expect_scan(reader, NULL, (uint64_t)row, row, &pruned);
        (void)snprintf(text, sizeof text, "i = %d", row);
        expect_scan(reader, text, 0, row, &pruned);
        for (int k = 0; k < items_of(row); k++) {
            if (!has_item(row, k))
                continue;
            (void)snprintf(text, sizeof text, "l[] = %d", row * 10 + k);
            expect_scan(reader, text, 0, row, &pruned);
            (void)snprintf(text, sizeof text, "l[] = %d and i = %d", row * 10 + k, row);
            if (by_both)
                expect_scan(reader, text, 0, row, &pruned);
        }
    }
    cr_assert_gt(pruned, 100);
}

static lam_reader *open_rows(const lam_trial_output *file) {
    lam_reader *reader = lam_test_open(file->bytes.data, file->bytes.size, NULL);
    return reader;
}

static void expect_recut(lam_recut_kind kind, size_t round, lam_random *random) {
    static const lam_codec codecs[] = {LAM_CODEC_UNCOMPRESSED, LAM_CODEC_SNAPPY, LAM_CODEC_GZIP,
                                       LAM_CODEC_ZSTD};
    const lam_recut how = {kind, 1 + (int32_t)(round % 2), codecs[round / 2 % 4], 9};
    lam_trial_output file;
    write_rows(&file);
    lam_recut_file(&file.bytes, &how, random);
    lam_reader *reader = open_rows(&file);
    expect_rows(reader, kind != LAM_RECUT_SHIFTED);
    lam_reader_close(reader);
    lam_trial_output_free(&file);
}

Test(page_borders, each_record_is_found_whole_wherever_its_pages_begin) {
    lam_random random = lam_random_start(lam_test_seed(31));
    for (size_t round = 0; round < 8; round++) {
        expect_recut(LAM_RECUT_AT_RECORDS, round, &random);
        expect_recut(LAM_RECUT_INSIDE, round, &random);
        expect_recut(LAM_RECUT_BACK, round, &random);
    }
}

/* A number that no page which is read contradicts is believed: two conditions may read none. */
Test(page_borders, an_index_of_wrong_rows_is_found_out_where_a_page_is_read) {
    lam_random random = lam_random_start(lam_test_seed(32));
    for (size_t round = 0; round < 40; round++)
        expect_recut(LAM_RECUT_SHIFTED, round, &random);
}
