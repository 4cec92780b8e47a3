/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How each chunk of a row group that stays is made: copied, recompressed or encoded anew, by what
 * the footer of the input states, by the presets of readers, and by known faults of its writer.
 */
#define _XOPEN_SOURCE 700
#include <criterion/criterion.h>
#include <lamella/rewrite.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "file/file_sample.h"
#include "file/read/file_reader.h"
#include "support/failing_alloc.h"
#include "support/whole_footer.h"

enum { KEEP_TEST_ROWS = 300 };

/* One input in memory, and what a rewrite of it gives. */
typedef struct keep_trial {
    lam_buffer bytes;
    lam_reader *reader;
    lam_trial_output output;
    lam_writer_options writer;
    const lam_allocator *allocator;
    lam_rewrite_report report;
} keep_trial;

static lam_status open_keep(void *state, const char *folder, uint64_t number,
                            lam_output *ret_output, lam_error *error) {
    keep_trial *trial = state;
    (void)folder, (void)number, (void)error;
    *ret_output = lam_trial_output_open(&trial->output);
    return LAM_STATUS_OK;
}

static void open_keep_reader(keep_trial *trial) {
    trial->reader = lam_test_open(trial->bytes.data, trial->bytes.size, NULL);
    trial->writer = lam_writer_options_default();
}

/* Columns of each kind of number with the same small values, one of them with an encoding. */
static void start_numbers(keep_trial *trial, const char *path, lam_encoding encoding,
                          const lam_writer_options *options) {
    static int64_t a[KEEP_TEST_ROWS];
    static double d[KEEP_TEST_ROWS];
    static float f[KEEP_TEST_ROWS];
    static uint8_t t[12 * KEEP_TEST_ROWS];
    lam_test_writer file =
        lam_test_write("message m { required int64 a; required double d; required float f;"
                       " required int96 t; required int96 u; }",
                       options);
    memset(trial, 0, sizeof *trial);
    for (int i = 0; i < KEEP_TEST_ROWS; i++) {
        a[i] = i % 50;
        d[i] = f[i] = (float)(i % 50) / 4;
        t[12 * i + 8] = (uint8_t)i;
    }
    const lam_triples columns[] = {
        {.count = KEEP_TEST_ROWS, .value_count = KEEP_TEST_ROWS, .values = a},
        {.count = KEEP_TEST_ROWS, .value_count = KEEP_TEST_ROWS, .values = d},
        {.count = KEEP_TEST_ROWS, .value_count = KEEP_TEST_ROWS, .values = f},
        {.count = KEEP_TEST_ROWS, .value_count = KEEP_TEST_ROWS, .values = t},
        {.count = KEEP_TEST_ROWS, .value_count = KEEP_TEST_ROWS, .values = t}};
    if (path != NULL)
        cr_assert_eq(lam_writer_set_encoding(file.writer, path, encoding, NULL), LAM_STATUS_OK);
    lam_test_put_triples(&file, columns, KEEP_TEST_ROWS);
    trial->bytes = lam_test_written(&file);
    open_keep_reader(trial);
}

static void end_keep(keep_trial *trial) {
    lam_reader_close(trial->reader);
    lam_trial_output_free(&trial->output);
    lam_buffer_finish(&trial->bytes);
}

static lam_status run_keep(keep_trial *trial, lam_error *error) {
    const lam_rewrite_target target = {trial, open_keep};
    lam_rewrite_options options = lam_rewrite_options_default();
    lam_rewrite *rewrite;
    lam_trial_output_free(&trial->output);
    memset(&trial->output, 0, sizeof trial->output);
    trial->report = lam_rewrite_report_default();
    options.writer = &trial->writer;
    options.allocator = trial->allocator;
    lam_status status = lam_rewrite_create(&options, &rewrite, error);
    if (status != LAM_STATUS_OK)
        return status;
    status = lam_rewrite_add_reader(rewrite, trial->reader, "input", error);
    if (status == LAM_STATUS_OK)
        status = lam_rewrite_run(rewrite, &target, &trial->report, error);
    lam_rewrite_destroy(rewrite);
    return status;
}

/* --- Presets ------------------------------------------------------------------------------- */

/* A chunk is copied unless the preset of the rewrite has readers that lack its encoding. */
Test(rewrite_keep, chunks_stay_where_readers_of_a_preset_know_their_encodings) {
    static const struct {
        const char *path;
        lam_encoding encoding;
        lam_compat compat;
        uint64_t encoded;
    } cases[] = {
        {"a", LAM_ENCODING_DELTA_BINARY_PACKED, LAM_COMPAT_MAX, 1},
        {"a", LAM_ENCODING_DELTA_BINARY_PACKED, LAM_COMPAT_MODERN, 0},
        {"a", LAM_ENCODING_BYTE_STREAM_SPLIT, LAM_COMPAT_MODERN, 1},
        {"a", LAM_ENCODING_BYTE_STREAM_SPLIT, LAM_COMPAT_NEWEST, 0},
        {"f", LAM_ENCODING_BYTE_STREAM_SPLIT, LAM_COMPAT_MODERN, 0},
        {"d", LAM_ENCODING_BYTE_STREAM_SPLIT, LAM_COMPAT_MAX, 1},
        {"d", LAM_ENCODING_ALP, LAM_COMPAT_MAX, 1},
        {"d", LAM_ENCODING_ALP, LAM_COMPAT_MODERN, 1},
        {"d", LAM_ENCODING_ALP, LAM_COMPAT_NEWEST, 0},
    };
    lam_writer_options options = lam_writer_options_default();
    options.compat = LAM_COMPAT_NEWEST;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        keep_trial trial;
        lam_error error = lam_error_none();
        start_numbers(&trial, cases[i].path, cases[i].encoding, &options);
        trial.writer.compat = cases[i].compat;
        cr_assert_eq(run_keep(&trial, &error), LAM_STATUS_OK, "case %zu: %s", i, error.message);
        cr_assert_eq(trial.report.chunks_encoded, cases[i].encoded, "case %zu", i);
        cr_assert_eq(trial.report.chunks_copied, 5 - cases[i].encoded, "case %zu", i);
        end_keep(&trial);
    }
}

/* Such a chunk is read, so its pages tell the encoding that they have. */
Test(rewrite_keep, an_encoding_in_the_footer_that_nobody_knows_is_not_copied_for_a_preset) {
    static const int32_t numbers[] = {-1, 32, 1000};
    for (size_t i = 0; i < 3; i++) {
        keep_trial trial;
        lam_footer_change change;
        start_numbers(&trial, NULL, LAM_ENCODING_PLAIN, NULL);
        lam_footer_change_begin(&change, trial.reader);
        lam_footer_change_column(&change, 0, 1)->encodings = (lam_meta_i32_list){&numbers[i], 1};
        lam_footer_change_apply(&change);
        trial.writer.compat = LAM_COMPAT_MODERN;
        cr_assert_eq(run_keep(&trial, NULL), LAM_STATUS_OK);
        cr_assert_eq(trial.report.chunks_encoded, 1, "%d", (int)numbers[i]);
        cr_assert_eq(trial.report.chunks_copied, 4);
        lam_footer_change_end(&change);
        end_keep(&trial);
    }
}

/* --- Options ------------------------------------------------------------------------------- */

Test(rewrite_keep, options_of_the_writer_say_whether_chunks_are_copied) {
    static const struct {
        lam_codec codec;
        int32_t level;
        lam_switch delta;
        bool blooms;
        uint64_t copied, recompressed, encoded;
    } cases[] = {
        {LAM_CODEC_UNCOMPRESSED, 0, LAM_SWITCH_DEFAULT, false, 5, 0, 0},
        {LAM_CODEC_DEFAULT, 7, LAM_SWITCH_DEFAULT, false, 0, 5, 0},
        {LAM_CODEC_SNAPPY, 0, LAM_SWITCH_DEFAULT, false, 0, 5, 0},
        {LAM_CODEC_DEFAULT, 0, LAM_SWITCH_OFF, false, 0, 0, 5},
        {LAM_CODEC_DEFAULT, 0, LAM_SWITCH_DEFAULT, true, 0, 0, 5},
    };
    lam_writer_options options = lam_writer_options_default();
    options.codec = LAM_CODEC_UNCOMPRESSED;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        keep_trial trial;
        lam_error error = lam_error_none();
        start_numbers(&trial, NULL, LAM_ENCODING_PLAIN, &options);
        trial.writer.codec = cases[i].codec;
        trial.writer.codec_level = cases[i].level;
        trial.writer.delta = cases[i].delta;
        trial.writer.auto_bloom_filters = cases[i].blooms;
        cr_assert_eq(run_keep(&trial, &error), LAM_STATUS_OK, "case %zu: %s", i, error.message);
        cr_assert_eq(trial.report.chunks_copied, cases[i].copied, "case %zu", i);
        cr_assert_eq(trial.report.chunks_recompressed, cases[i].recompressed, "case %zu", i);
        cr_assert_eq(trial.report.chunks_encoded, cases[i].encoded, "case %zu", i);
        end_keep(&trial);
    }
}

/* Bounds stay true only with the order that they were made in. */
Test(rewrite_keep, orders_of_bounds_are_those_of_the_input) {
    for (int chosen = 0; chosen < 2; chosen++) {
        keep_trial trial;
        lam_reader *written;
        lam_writer_options options = lam_writer_options_default();
        options.int96_order = options.float_total_order = chosen != 0;
        start_numbers(&trial, NULL, LAM_ENCODING_PLAIN, &options);
        cr_assert_eq(run_keep(&trial, NULL), LAM_STATUS_OK);
        written = lam_test_open(trial.output.bytes.data, trial.output.bytes.size, NULL);
        const lam_meta_column_order_list *orders = &written->footer.meta.column_orders;
        cr_assert_eq(orders->count, 5);
        for (size_t i = 0; i < 5; i++)
            cr_assert_eq(orders->items[i].kind,
                         trial.reader->footer.meta.column_orders.items[i].kind);
        cr_assert_eq(orders->items[4].kind == LAM_META_COLUMN_ORDER_INT96_TIMESTAMP, chosen != 0);
        lam_reader_close(written);
        end_keep(&trial);
    }
}

/* New chunks get a codec that can be written, whatever the footer says of those that are there. */
Test(rewrite_keep, a_codec_that_cannot_be_written_is_not_followed) {
    static const int32_t codecs[] = {-1, 3, 1000};
    for (size_t i = 0; i < 3; i++) {
        keep_trial trial;
        lam_footer_change change;
        lam_error error = lam_error_none();
        start_numbers(&trial, NULL, LAM_ENCODING_PLAIN, NULL);
        lam_footer_change_begin(&change, trial.reader);
        lam_footer_change_column(&change, 0, 0)->codec = codecs[i];
        lam_footer_change_apply(&change);
        lam_status status = run_keep(&trial, &error);
        cr_assert_eq(status, LAM_STATUS_OK, "codec %d: %s", (int)codecs[i], error.message);
        lam_footer_change_end(&change);
        end_keep(&trial);
    }
}

/* --- Faults of writers --------------------------------------------------------------------- */

/* VARIANTs whose names claim to be sorted and are not, from a writer that is known for it. */
static void start_faulty(keep_trial *trial, const lam_reader_options *reading) {
    memset(trial, 0, sizeof *trial);
    trial->bytes = lam_test_file(
        "message m { optional group v (VARIANT(1)) {"
        " required binary metadata; optional binary value; } }",
        "{v: {metadata: x11020001026261, value: x00}} {v: {metadata: x11020001026261, value: x00}}",
        LAM_TEST_WRITER(.created_by = "DuckDB version v1.4.2 (build 1)",
                        .codec = LAM_CODEC_UNCOMPRESSED));
    trial->reader = lam_test_open(trial->bytes.data, trial->bytes.size, reading);
    trial->writer = lam_writer_options_default();
}

Test(rewrite_keep, a_chunk_that_only_the_name_of_its_writer_corrects_is_written_anew) {
    keep_trial trial;
    lam_error error = lam_error_none();
    start_faulty(&trial, NULL);
    cr_assert_eq(run_keep(&trial, &error), LAM_STATUS_OK, "%s", error.message);
    cr_assert_eq(trial.report.chunks_encoded, 1);
    cr_assert_eq(trial.report.chunks_copied, 1);
    end_keep(&trial);
}

Test(rewrite_keep, a_search_for_faults_that_fails_is_reported) {
    keep_trial trial;
    lam_failing_alloc counter = {0};
    lam_allocator allocator = lam_failing_allocator(&counter);
    lam_reader_options reading = lam_reader_options_default();
    lam_status status = LAM_STATUS_NOMEM;
    reading.allocator = &allocator;
    start_faulty(&trial, &reading);
    size_t live = counter.live_bytes;
    for (size_t fail_at = 1; status != LAM_STATUS_OK; fail_at++) {
        lam_error error = lam_error_none();
        counter.fail_at = counter.requests + fail_at;
        status = run_keep(&trial, fail_at % 2 == 0 ? NULL : &error);
        counter.fail_at = 0;
        cr_assert(status == LAM_STATUS_OK || status == LAM_STATUS_NOMEM, "%zu", fail_at);
        cr_assert(status == LAM_STATUS_OK || fail_at % 2 == 0 || error.message[0] != '\0');
        cr_assert_eq(counter.live_bytes, live);
    }
    for (size_t i = 0; i + 1 < trial.bytes.size; i++) /* the names are damaged */
        if (trial.bytes.data[i] == 'b' && trial.bytes.data[i + 1] == 'a')
            trial.bytes.data[i] ^= 1;
    lam_error error = lam_error_none();
    cr_assert_eq(run_keep(&trial, NULL), LAM_STATUS_CORRUPT);
    cr_assert_eq(run_keep(&trial, &error), LAM_STATUS_CORRUPT);
    cr_assert_not_null(strstr(error.message, "input: "), "%s", error.message);
    cr_assert_not(trial.output.finished);
    end_keep(&trial);
    cr_assert_eq(counter.live_bytes, 0);
}

/* --- Inputs that change -------------------------------------------------------------------- */

static void write_bytes(const char *path, const lam_buffer *bytes) {
    FILE *file = fopen(path, "wb");
    cr_assert_not_null(file);
    cr_assert_eq(fwrite(bytes->data, 1, bytes->size, file), bytes->size);
    cr_assert_eq(fclose(file), 0);
}

/* How the second of two files is when the rewrite runs, and what the message says of it. */
static void run_with_changed_file(bool is_sorted, const lam_buffer *changed, const char *says) {
    char first[] = "/tmp/lamella-keep-XXXXXX", second[] = "/tmp/lamella-keep-XXXXXX";
    keep_trial trial, other;
    lam_error error = lam_error_none();
    lam_rewrite *rewrite;
    int a = mkstemp(first), b = mkstemp(second);
    start_numbers(&trial, NULL, LAM_ENCODING_PLAIN, NULL);
    start_faulty(&other, NULL);
    const lam_rewrite_target target = {&trial, open_keep};
    write_bytes(first, &trial.bytes);
    write_bytes(second, &other.bytes);
    cr_assert_eq(lam_rewrite_create(NULL, &rewrite, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_rewrite_add_file(rewrite, first, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_rewrite_add_file(rewrite, second, NULL), LAM_STATUS_OK);
    if (is_sorted)
        cr_assert_eq(lam_rewrite_set_split(rewrite, 1000, 0, NULL), LAM_STATUS_OK);
    if (changed != NULL)
        write_bytes(second, changed);
    else
        unlink(second);
    cr_assert_neq(lam_rewrite_run(rewrite, &target, NULL, &error), LAM_STATUS_OK);
    cr_assert_not_null(strstr(error.message, second), "%s", error.message);
    cr_assert_not_null(strstr(error.message, says), "%s", error.message);
    cr_assert_not(trial.output.finished);
    lam_rewrite_destroy(rewrite);
    close(a);
    close(b);
    unlink(first);
    unlink(second);
    end_keep(&other);
    end_keep(&trial);
}

Test(rewrite_keep, a_file_that_has_gone_or_changed_since_it_was_added_is_named) {
    keep_trial trial;
    start_numbers(&trial, NULL, LAM_ENCODING_PLAIN, NULL);
    for (int sorted = 0; sorted < 2; sorted++) {
        run_with_changed_file(sorted != 0, NULL, "No such file");
        run_with_changed_file(sorted != 0, &trial.bytes, "another schema than before");
    }
    end_keep(&trial);
}
