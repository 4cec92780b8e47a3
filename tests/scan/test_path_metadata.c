/* SPDX-License-Identifier: Apache-2.0 */
/* Conditions on parts of VARIANTs whose metadata are not as they must be, over files: with pruning
 * and without. */
#include <lamella/filter_text.h>
#include <lamella/scan.h>
#include <lamella/writer.h>

#include "file/file_sample.h"
#include "scan/evaluate/walk_evaluation.h"
#include "support/record_text.h"
#include "variant/variant_help.h"

#define OK(call)                                                                                   \
    do {                                                                                           \
        lam_error ok_error = lam_error_none();                                                     \
        cr_assert_eq((call), LAM_STATUS_OK, "%s: %s", #call, ok_error.message);                    \
    } while (0)

/* A file of records as words, in row groups of two. */
static lam_reader *write_words(const char *text, const char *events, lam_trial_output *trial) {
    lam_writer_options options = lam_writer_options_default();
    options.row_group_rows = 2;
    lam_test_writer file = lam_test_write(text, &options);
    OK(lam_tell(lam_writer_schema(file.writer), &file.sink, events, &ok_error));
    trial->bytes = lam_test_written(&file);
    lam_reader *reader = lam_test_open(trial->bytes.data, trial->bytes.size, NULL);
    return reader;
}

static lam_status on_record(void *state, lam_error *error) {
    (void)state;
    (void)error;
    return LAM_STATUS_OK;
}

static lam_status on_group(void *state, const lam_field *group, lam_error *error) {
    (void)group;
    return on_record(state, error);
}

static lam_status on_value(void *state, const lam_field *leaf, lam_value value, lam_error *error) {
    (void)value;
    return on_group(state, leaf, error);
}

static void expect_wanted(const lam_reader *reader, const char *text, uint64_t count) {
    lam_scan_options options = lam_scan_options_default();
    lam_filter *filter;
    OK(lam_filter_parse(lam_reader_schema(reader), text, strlen(text), NULL, NULL, &filter,
                        &ok_error));
    options.filter = filter;
    for (int pruning = 0; pruning < 2; pruning++) {
        lam_record_sink sink = {NULL, on_record, on_group, on_value, on_group, on_record, NULL};
        lam_record_reader *records;
        uint64_t got = 0;
        options.pruning = pruning == 0 ? LAM_SWITCH_OFF : LAM_SWITCH_ON;
        OK(lam_record_reader_open_scan(reader, &options, &records, &ok_error));
        OK(lam_record_reader_read(records, &sink, UINT64_MAX, &got, &ok_error));
        cr_expect_eq(got, count, "%s: %d", text, pruning);
        lam_record_reader_close(records);
    }
    lam_filter_destroy(filter);
}

/* DuckDB 1.5.0 to 1.5.4 said that names are sorted which are as they came: b, a. */
Test(path_metadata, names_that_are_not_in_the_order_they_claim_are_found) {
    static const char schema[] =
        "message m { optional group v (VARIANT) { required binary metadata; optional binary value;"
        "optional group typed_value { required group a { optional binary value; optional int32 "
        "typed_value; } } } required int32 o; }";
    lam_trial_output trial = {0};
    /* {"a":1}, {"a":"x","b":5}, {"a":3,"b":"x"}, {"b":5,"a":{"b":7,"a":8}} */
    lam_reader *reader = write_words(
        schema,
        "{v: {metadata: x11020001026261, typed_value: {a: {typed_value: 1}}}, o: 0} "
        "{v: {metadata: x11020001026261, value: x02010000020C05, typed_value: {a: {value: x0578}, "
        "}}, o: 1} "
        "{v: {metadata: x11020001026261, value: x02010000020578, typed_value: {a: {typed_value: 3, "
        "}}}, o: 2} "
        "{v: {metadata: x11020001026261, value: x02010000020C05, typed_value: {a: { "
        "value: x020201000002040C080C07}}}, o: 3}",
        &trial);
    expect_wanted(reader, "v.a >= 1", 2);
    expect_wanted(reader, "v.a = 'x'", 1);
    expect_wanted(reader, "v.b = 5", 2);
    expect_wanted(reader, "v.b = 'x'", 1);
    expect_wanted(reader, "v.a.a = 8", 1);
    expect_wanted(reader, "v.a.b = 7", 1);
    expect_wanted(reader, "v.b is missing", 1);
    expect_wanted(reader, "v.c is missing", 4);
    lam_reader_close(reader);
    lam_trial_output_free(&trial);
}

/* Files with optional metadata were not read at all. */
Test(path_metadata, null_metadata_are_no_missing_variant) {
    static const char schema[] =
        "message m { optional group v (VARIANT) { optional binary metadata; optional binary value;"
        "optional int64 typed_value; } required int32 o; }";
    lam_trial_output trial = {0};
    lam_reader *reader = write_words(
        schema,
        "{o: 0} {v: {typed_value: 1}, o: 1} {v: {typed_value: 2}, o: 2} {v: {typed_value: 3, "
        "}, o: 3} {v: {metadata: x010000, value: x0578}, o: 4} {o: 5} {v: {}, o: 6}",
        &trial);
    expect_wanted(reader, "v is missing", 2);
    expect_wanted(reader, "v is not missing", 5);
    expect_wanted(reader, "v is null", 3);
    expect_wanted(reader, "v is not null", 4);
    expect_wanted(reader, "v >= 2", 2);
    expect_wanted(reader, "v = 'x'", 1);
    lam_reader_close(reader);
    lam_trial_output_free(&trial);
}
