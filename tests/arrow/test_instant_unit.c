/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Streams of files with INT96 columns beyond 1677 to 2262 failed at the first such value, whatever
 * the caller did: 0001-01-01 and 9999-12-31 stand for unknown ends in many tables.
 */
#include "arrow/read/instant_unit.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <lamella/lamella.h>
#include <string.h>

#include "arrow/hand_arrays.h"
#include "arrow/int96_values.h"
#include "arrow/plan_reads.h"
#include "support/failing_alloc.h"
#include "support/test_file.h"

enum { GROUP_ROWS = 10, ROWS = 4 * GROUP_ROWS };

static const int96 today = {INT64_C(45296123456000), 2460610}; /* whole microseconds */
static const int96 fine = {INT64_C(45296123456789), 2460610};
static const int96 year_1 = {0, 1721426}, year_9999 = {INT64_C(86399999999000), 5373484};
static const int96 far = {0, INT32_MAX}; /* in no microseconds of 64 bits */

/* Rows of one day, but for the one that is told. */
typedef struct one_odd {
    size_t row;
    int96 odd;
} one_odd;

static lam_buffer write_rows(const char *message, size_t rows, const one_odd *odd,
                             const lam_writer_options *options) {
    lam_test_writer file = lam_test_write(message, options);
    for (size_t row = 0; row < rows; row++) {
        uint8_t bytes[LAM_INSTANT_SIZE];
        const bool is_odd = odd != NULL && row == odd->row;
        const uint8_t is_there = row % 7 != 3 || is_odd; /* the others are null */
        put_int96(bytes, is_odd ? odd->odd : today);
        lam_test_put_triples(&file, &(lam_triples){1, is_there, NULL, &is_there, bytes}, 1);
    }
    return lam_test_written(&file);
}

static lam_writer_options writing(bool has_bounds, bool has_dictionary) {
    lam_writer_options options = lam_writer_options_default();
    options.row_group_rows = GROUP_ROWS;
    options.int96_order = has_bounds;
    options.statistics = has_bounds ? LAM_SWITCH_ON : LAM_SWITCH_OFF;
    options.dictionary = has_dictionary ? LAM_SWITCH_ON : LAM_SWITCH_OFF;
    options.codec = LAM_CODEC_UNCOMPRESSED;
    return options;
}

/* The format of the one column. */
static void expect_format(const lam_reader *reader, const lam_arrow_read_options *options,
                          const char *format) {
    struct ArrowSchema schema;
    cr_assert_eq(lam_arrow_export_schema(reader, options, &schema, NULL), LAM_STATUS_OK);
    cr_assert_str_eq(schema.children[0]->format, format);
    schema.release(&schema);
}

/* Reads all; gives the code of the failure, whose message goes to `message`. */
static int read_all(const lam_reader *reader, const lam_arrow_read_options *options, uint64_t rows,
                    char message[400]) {
    struct ArrowArrayStream stream;
    struct ArrowArray array;
    uint64_t done = 0;
    int code;
    message[0] = '\0';
    cr_assert_eq(lam_arrow_read_stream(reader, options, &stream, NULL), LAM_STATUS_OK);
    while ((code = stream.get_next(&stream, &array)) == 0 && array.release != NULL) {
        done += (uint64_t)array.length;
        array.release(&array);
    }
    if (code != 0)
        snprintf(message, 400, "%s", stream.get_last_error(&stream));
    else
        cr_assert_eq(done, rows);
    stream.release(&stream);
    return code;
}

static const char flat[] = "message m { optional int96 t; }";

static void expect_unit(bool has_bounds, bool has_dictionary, int96 odd, const char *format,
                        int code) {
    const one_odd rows = {ROWS - 2, odd};
    char message[400];
    lam_writer_options options = writing(has_bounds, has_dictionary);
    lam_buffer file = write_rows(flat, ROWS, &rows, &options);
    lam_reader *reader = lam_test_open(file.data, file.size, NULL);
    expect_format(reader, NULL, format);
    cr_assert_eq(read_all(reader, NULL, ROWS, message), code, "%s", message);
    /* Parts of a file have the same schema. */
    const size_t first = 0;
    lam_arrow_read_options part = lam_arrow_read_options_default();
    part.row_groups = &first;
    part.row_group_count = 1;
    expect_format(reader, &part, format);
    lam_reader_close(reader);
    lam_buffer_finish(&file);
}

Test(instant_unit, bounds_of_any_row_group_choose_it) {
    expect_unit(true, false, today, "tsn:", 0);
    expect_unit(true, false, fine, "tsn:", 0);
    expect_unit(true, false, year_1, "tsu:", 0);
    expect_unit(true, false, year_9999, "tsu:", 0);
    expect_unit(true, true, year_9999, "tsu:", 0);
}

Test(instant_unit, dictionaries_of_any_row_group_choose_it_where_there_are_no_bounds) {
    expect_unit(false, true, today, "tsn:", 0);
    expect_unit(false, true, year_1, "tsu:", 0);
    expect_unit(false, true, year_9999, "tsu:", 0);
}

Test(instant_unit, it_is_nanoseconds_where_nothing_is_known) {
    expect_unit(false, false, fine, "tsn:", 0);
    expect_unit(false, false, year_1, "tsn:", EOVERFLOW);
    expect_unit(false, false, year_9999, "tsn:", EOVERFLOW);
}

/* Microseconds of the other rows would be lost. */
Test(instant_unit, what_was_chosen_loses_no_digits) {
    expect_unit(true, false, far, "tsm:", EOVERFLOW);
    expect_unit(false, true, far, "tsm:", EOVERFLOW);
}

/* Only so many dictionaries are looked at: a file may have thousands. */
Test(instant_unit, dictionaries_of_the_first_chunks_are_looked_at) {
    lam_writer_options options = writing(false, true);
    for (size_t group = 2; group < 6; group++) {
        const one_odd rows = {group * GROUP_ROWS, year_1};
        lam_buffer file = write_rows(flat, 8 * GROUP_ROWS, &rows, &options);
        lam_reader *reader = lam_test_open(file.data, file.size, NULL);
        expect_format(reader, NULL, group < 4 ? "tsu:" : "tsn:");
        lam_reader_close(reader);
        lam_buffer_finish(&file);
    }
}

static void expect_message(const lam_reader *reader, const lam_arrow_read_options *options,
                           const char *expected) {
    char message[400];
    cr_assert_eq(read_all(reader, options, 0, message), EOVERFLOW);
    cr_assert_str_eq(message, expected);
}

Test(instant_unit, failures_name_the_option_and_the_row) {
    static const uint64_t batches[] = {0, 1, 3, 4, 1000};
    static const char expected[] =
        "t: a timestamp does not fit 64 bits of nanoseconds (years 1677 to 2262): choose another "
        "timestamp96_unit (row group 2, column 0, row 7)";
    const one_odd rows = {2 * GROUP_ROWS + 7, year_9999};
    lam_writer_options options = writing(false, false);
    options.page_rows = 3;
    static const char *const messages[] = {flat, "message m { repeated int96 t; }"};
    for (size_t shape = 0; shape < 2; shape++) {
        lam_buffer file = write_rows(messages[shape], ROWS, &rows, &options);
        lam_reader *reader = lam_test_open(file.data, file.size, NULL);
        for (size_t i = 0; i < sizeof batches / sizeof batches[0]; i++) {
            lam_arrow_read_options reading = lam_arrow_read_options_default();
            reading.batch_rows = batches[i];
            expect_message(reader, &reading, expected);
            reading.thread_count = 3;
            expect_message(reader, &reading, expected);
            reading.skip_rows = 2 * GROUP_ROWS + 5;
            expect_message(reader, &reading, expected);
            reading.where = shape == 0 ? "t is not null" : NULL;
            reading.skip_rows = 0;
            expect_message(reader, &reading, expected);
        }
        lam_reader_close(reader);
        lam_buffer_finish(&file);
    }
}

Test(instant_unit, what_is_asked_for_cuts_digits) {
    static const char *const formats[] = {"tsu:", "tsm:", "tsu:", "tsn:"};
    static const int codes[] = {0, 0, 0, EOVERFLOW};
    const one_odd rows = {3, year_9999};
    lam_writer_options options = writing(true, true);
    lam_buffer file = write_rows(flat, ROWS, &rows, &options);
    lam_reader *reader = lam_test_open(file.data, file.size, NULL);
    for (int unit = 0; unit <= LAM_TIME_UNIT_NANOS; unit++) {
        char message[400];
        lam_arrow_read_options reading = lam_arrow_read_options_default();
        reading.timestamp96_unit = (lam_time_unit)unit;
        expect_format(reader, &reading, formats[unit]);
        cr_assert_eq(read_all(reader, &reading, ROWS, message), codes[unit], "%s", message);
    }
    lam_reader_close(reader);
    lam_buffer_finish(&file);
}

Test(instant_unit, there_are_no_other_units) {
    lam_buffer file = write_rows(flat, 1, NULL, NULL);
    lam_reader *reader = lam_test_open(file.data, file.size, NULL);
    struct ArrowSchema schema;
    for (int unit = -1; unit <= 4; unit += 5) {
        lam_arrow_read_options reading = lam_arrow_read_options_default();
        reading.timestamp96_unit = (lam_time_unit)unit;
        cr_assert_eq(lam_arrow_export_schema(reader, &reading, &schema, NULL), LAM_STATUS_INVALID);
    }
    lam_reader_close(reader);
    lam_buffer_finish(&file);
}

/* A byte of a dictionary page that is wrong matters only to those who read its row group. */
Test(instant_unit, what_is_damaged_is_left_for_those_who_read_it) {
    const one_odd rows = {0, year_1};
    lam_writer_options options = writing(false, true);
    lam_buffer file = write_rows(flat, ROWS, &rows, &options);
    lam_bytes bytes = lam_buffer_bytes(&file);
    uint8_t value[LAM_INSTANT_SIZE];
    put_int96(value, year_1);
    size_t at = 0;
    while (memcmp(bytes.data + at, value, sizeof value) != 0)
        at++;
    ((uint8_t *)bytes.data)[at] ^= 1; /* against the checksum */
    lam_reader *reader = lam_test_open(file.data, file.size, NULL);
    const size_t second = 1;
    char message[400];
    lam_arrow_read_options reading = lam_arrow_read_options_default();
    expect_format(reader, &reading, "tsn:");
    cr_assert_eq(read_all(reader, &reading, 0, message), EINVAL);
    reading.row_groups = &second;
    reading.row_group_count = 1;
    cr_assert_eq(read_all(reader, &reading, GROUP_ROWS, message), 0, "%s", message);
    lam_reader_close(reader);
    lam_buffer_finish(&file);
}

/* Twelve bytes that count microseconds hold instants that no unit counts in 64 bits. */
Test(instant_unit, an_instant_that_no_unit_counts_leaves_the_coarsest) {
    static const char counts[] = "message m { optional fixed(12) t (TIMESTAMP(MICROS,true)); }";
    const one_odd rows = {ROWS - 2, {INT64_MAX, INT32_MAX}};
    lam_writer_options options = writing(true, true);
    options.compat = LAM_COMPAT_NEWEST;
    lam_buffer file = write_rows(counts, ROWS, &rows, &options);
    lam_reader *reader = lam_test_open(file.data, file.size, NULL);
    char message[400];
    expect_format(reader, NULL, "tss:UTC");
    cr_assert_eq(read_all(reader, NULL, 0, message), EOVERFLOW, "%s", message);
    lam_reader_close(reader);
    lam_buffer_finish(&file);
}

Test(instant_unit, any_allocation_may_fail) {
    const one_odd rows = {ROWS - 2, year_1};
    lam_writer_options options = writing(false, true);
    lam_buffer file = write_rows(flat, ROWS, &rows, &options);
    lam_status status = LAM_STATUS_NOMEM;
    for (size_t n = 1; status != LAM_STATUS_OK; n++) {
        lam_failing_alloc counter = {0};
        lam_allocator allocator = lam_failing_allocator(&counter);
        lam_reader *reader =
            lam_test_open(file.data, file.size, LAM_TEST_READER(.allocator = &allocator));
        lam_arrow_plan plan;
        counter.fail_at = counter.requests + n;
        status = lam_arrow_plan_read(&plan, reader, NULL, &allocator, NULL);
        cr_assert_eq(status, counter.requests < counter.fail_at ? LAM_STATUS_OK : LAM_STATUS_NOMEM);
        if (status == LAM_STATUS_OK) {
            cr_assert_eq(plan.schema.children[0].type.unit, LAM_ARROW_MICROSECOND);
            lam_arrow_plan_finish(&plan);
        }
        lam_reader_close(reader);
        cr_assert_eq(counter.live_bytes, 0);
        cr_assert_eq(counter.wrong_sizes, 0);
    }
    lam_buffer_finish(&file);
}

/* Gives false when memory failed. */
static bool read_with(const lam_reader *reader) {
    lam_arrow_read_options options = lam_arrow_read_options_default();
    struct ArrowArrayStream stream;
    struct ArrowArray array;
    int code;
    int64_t done = 0;
    options.batch_rows = 4;
    lam_status status = lam_arrow_read_stream(reader, &options, &stream, NULL);
    if (status != LAM_STATUS_OK) {
        cr_assert_eq(status, LAM_STATUS_NOMEM);
        return false;
    }
    while ((code = stream.get_next(&stream, &array)) == 0 && array.release != NULL) {
        done += array.length;
        array.release(&array);
    }
    stream.release(&stream);
    cr_assert_eq(code, done == ROWS ? 0 : ENOMEM);
    return code == 0;
}

Test(instant_unit, any_allocation_of_a_stream_may_fail) {
    const one_odd rows = {ROWS - 2, year_9999};
    lam_writer_options options = writing(false, true);
    lam_buffer file = write_rows(flat, ROWS, &rows, &options);
    bool done = false;
    for (size_t n = 1; !done; n++) {
        lam_failing_alloc counter = {0};
        lam_allocator allocator = lam_failing_allocator(&counter);
        lam_reader *reader =
            lam_test_open(file.data, file.size, LAM_TEST_READER(.allocator = &allocator));
        counter.fail_at = counter.requests + n;
        done = read_with(reader);
        cr_assert_eq(done, counter.requests < counter.fail_at);
        lam_reader_close(reader);
        cr_assert_eq(counter.live_bytes, 0);
        cr_assert_eq(counter.wrong_sizes, 0);
    }
    lam_buffer_finish(&file);
}

static void expect_microseconds(const lam_arrow_plan *plan) {
    cr_assert_eq(plan->schema.children[0].type.unit, LAM_ARROW_MICROSECOND);
}

/* Damage of the file is left for those who read it; a failure of the machine is told. */
Test(instant_unit, any_read_may_fail) {
    const one_odd rows = {ROWS - 2, year_1};
    lam_writer_options options = writing(false, true);
    lam_buffer file = write_rows(flat, ROWS, &rows, &options);
    lam_plan_reads_fail(lam_buffer_bytes(&file), expect_microseconds);
    lam_buffer_finish(&file);
}
