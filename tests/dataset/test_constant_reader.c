/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files with constant columns have them in each row, keep their own, and fail as they do without.
 */
#include <criterion/criterion.h>
#include <lamella/check.h>
#include <lamella/column.h>
#include <lamella/constant.h>
#include <lamella/filter_text.h>
#include <lamella/scan.h>
#include <string.h>

#include "file/file_sample.h"
#include "file/read/file_reader.h"
#include "file/unfinished_sample.h"
#include "support/failing_alloc.h"
#include "support/file_info.h"
#include "support/random.h"
#include "support/shared.h"
#include "support/whole_footer.h"

enum { CONSTANT_RECORDS = 60, CONSTANT_FLIPS = 400 };

static const char constant_shape[] =
    "message m { required int64 a; optional binary s; repeated group g {"
    "            required int32 x; optional double y; } optional boolean b; }";

static lam_value text_value(const char *text) {
    return (lam_value){.bytes = {(const uint8_t *)text, strlen(text)}};
}

/* One of each type, and a null. */
enum { SAMPLE_CONSTANTS = 5 };

static void sample_constants(lam_constant constants[SAMPLE_CONSTANTS]) {
    const lam_constant sample[SAMPLE_CONSTANTS] = {
        {"k_region", LAM_CONSTANT_STRING, false,
         text_value("north/\xC3\xA9"
                    "ast")},
        {"k_year", LAM_CONSTANT_INT64, false, {.int64 = -2024}},
        {"k_day", LAM_CONSTANT_DATE, false, {.int32 = 19723}},
        {"k_none", LAM_CONSTANT_INT64, true, {.int64 = 0}},
        {"k_raw", LAM_CONSTANT_BINARY, false, text_value("\xFF\xFE")}};
    memcpy(constants, sample, sizeof sample);
}

static lam_file_sample constant_sample(uint64_t seed, const char *shape, size_t group_rows) {
    lam_random random = lam_random_start(lam_test_seed(seed));
    lam_file_sample sample;
    lam_writer_options options = lam_writer_options_default();
    options.row_group_rows = group_rows;
    lam_file_sample_init(&sample, lam_test_schema(shape), CONSTANT_RECORDS, 70, &random);
    lam_file_sample_write(&sample, &options, NULL);
    return sample;
}

static lam_status open_bytes(const void *bytes, size_t size, const lam_constant *constants,
                             size_t count, const lam_reader_options *options, lam_reader **reader,
                             lam_error *error) {
    lam_input input = lam_input_memory(bytes, size);
    lam_status status =
        lam_reader_open_with_constants(&input, constants, count, options, reader, error);
    cr_assert_eq(input.read_at == NULL, status == LAM_STATUS_OK);
    lam_input_close(&input);
    return status;
}

static lam_reader *open_sample(const lam_file_sample *sample, const lam_constant *constants,
                               size_t count) {
    lam_error error = lam_error_none();
    lam_reader *reader;
    lam_status status =
        open_bytes(sample->bytes.data, sample->bytes.size, constants, count, NULL, &reader, &error);
    cr_assert_eq(status, LAM_STATUS_OK, "%s", error.message);
    return reader;
}

/* --- What is read -------------------------------------------------------------------------- */

static void expect_constant_leaf(const lam_reader *reader, size_t leaf_index,
                                 const lam_constant *constant) {
    const lam_field *leaf = lam_schema_leaf(lam_reader_schema(reader), leaf_index);
    cr_assert_str_eq(lam_field_name(leaf), constant->name);
    cr_assert_eq(lam_field_repetition(leaf), LAM_REPETITION_OPTIONAL);
    for (size_t i = 0; i < lam_reader_row_group_count(reader); i++) {
        lam_column_reader *column;
        lam_triples run;
        uint64_t rows = 0;
        cr_assert_eq(lam_column_reader_open(reader, i, leaf_index, &column, NULL), LAM_STATUS_OK);
        while (lam_column_reader_read(column, 7, &run, NULL) == LAM_STATUS_OK && run.count > 0) {
            cr_assert_eq(run.value_count, constant->is_null ? 0 : run.count);
            for (size_t k = 0; k < run.value_count; k++) {
                lam_value value = lam_triples_value(&run, leaf, k);
                const lam_value *expected = &constant->value;
                if (constant->type == LAM_CONSTANT_INT64)
                    cr_assert_eq(value.int64, expected->int64);
                else if (constant->type == LAM_CONSTANT_DATE)
                    cr_assert_eq(value.int32, expected->int32);
                else
                    cr_assert(value.bytes.size == expected->bytes.size &&
                              memcmp(value.bytes.data, expected->bytes.data, value.bytes.size) ==
                                  0);
            }
            rows += run.count;
        }
        cr_assert_eq(rows, lam_reader_rows_of_group(reader, i));
        lam_column_reader_close(column);
    }
}

/* A hash of all triples of a chunk, and how reading it ended. */
static uint64_t hash_chunk(const lam_reader *reader, size_t row_group, size_t leaf_index,
                           lam_status *ret_status) {
    const lam_field *leaf = lam_schema_leaf(lam_reader_schema(reader), leaf_index);
    uint64_t hash = 5381;
    lam_column_reader *column;
    lam_triples run;
    *ret_status = lam_column_reader_open(reader, row_group, leaf_index, &column, NULL);
    if (*ret_status != LAM_STATUS_OK)
        return hash;
    while ((*ret_status = lam_column_reader_read(column, 1000, &run, NULL)) == LAM_STATUS_OK &&
           run.count > 0) {
        hash = hash * 33 + run.count;
        for (size_t i = 0; i < run.value_count; i++) {
            lam_value value = lam_triples_value(&run, leaf, i);
            lam_physical_type type = lam_field_physical_type(leaf);
            const uint8_t *bytes = (const uint8_t *)&value;
            size_t size = (size_t)lam_field_type_length(leaf);
            if (type == LAM_PHYSICAL_BYTE_ARRAY || type == LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY ||
                type == LAM_PHYSICAL_INT96) {
                bytes = value.bytes.data;
                size = value.bytes.size;
            } else if (type == LAM_PHYSICAL_BOOLEAN) {
                size = 1;
            }
            for (size_t k = 0; k < size; k++)
                hash = hash * 33 + bytes[k];
        }
    }
    lam_column_reader_close(column);
    return hash;
}

static void expect_own_columns(const lam_reader *plain, const lam_reader *reader) {
    for (size_t i = 0; i < lam_reader_row_group_count(plain); i++)
        for (size_t k = 0; k < lam_schema_leaf_count(lam_reader_schema(plain)); k++) {
            lam_status before, after;
            uint64_t hash = hash_chunk(plain, i, k, &before);
            cr_assert_eq(hash_chunk(reader, i, k, &after), hash, "row group %zu, column %zu", i, k);
            cr_assert_eq(before, after, "row group %zu, column %zu", i, k);
        }
}

static lam_status refuse_any(void *state, const lam_finding *finding, lam_error *error) {
    (void)state, (void)error;
    cr_assert_lt(finding->rule->severity, LAM_SEVERITY_WARNING, "%s", finding->message);
    return LAM_STATUS_OK;
}

Test(constant_reader, constants_are_in_every_row_and_own_columns_are_as_they_were) {
    lam_constant constants[SAMPLE_CONSTANTS];
    sample_constants(constants);
    for (size_t group_rows = 7; group_rows < 80; group_rows += 35) {
        lam_file_sample sample = constant_sample(1601, constant_shape, group_rows);
        lam_reader *plain = lam_file_sample_open(&sample, NULL);
        lam_reader *reader = open_sample(&sample, constants, SAMPLE_CONSTANTS);
        size_t own = lam_schema_leaf_count(lam_reader_schema(plain));
        cr_assert_eq(lam_schema_leaf_count(lam_reader_schema(reader)), own + SAMPLE_CONSTANTS);
        cr_assert_eq(lam_test_file_info(reader).file_size, sample.bytes.size);
        cr_assert_eq(lam_reader_row_count(reader), CONSTANT_RECORDS);
        expect_own_columns(plain, reader);
        for (size_t i = 0; i < SAMPLE_CONSTANTS; i++)
            expect_constant_leaf(reader, own + i, &constants[i]);
        lam_reader_close(reader);
        lam_reader_close(plain);
        lam_file_sample_finish(&sample);
    }
}

Test(constant_reader, the_file_that_is_shown_breaks_no_rule) {
    lam_constant constants[SAMPLE_CONSTANTS];
    sample_constants(constants);
    lam_file_sample sample = constant_sample(1602, constant_shape, 25);
    lam_reader *reader = open_sample(&sample, constants, SAMPLE_CONSTANTS);
    lam_error error = lam_error_none();
    lam_check_totals totals = lam_check_totals_default();
    lam_status status = lam_check(&reader->input, NULL, refuse_any, NULL, &totals, &error);
    cr_assert_eq(status, LAM_STATUS_OK, "%s", error.message);
    lam_reader_close(reader);
    lam_file_sample_finish(&sample);
}

Test(constant_reader, a_field_of_the_file_counts_and_not_the_constant_of_its_name) {
    const lam_constant constants[] = {{"a", LAM_CONSTANT_STRING, false, text_value("x")},
                                      {"g", LAM_CONSTANT_INT64, false, {.int64 = 1}},
                                      {"x", LAM_CONSTANT_INT64, false, {.int64 = 2}}};
    lam_file_sample sample = constant_sample(1603, constant_shape, 25);
    lam_reader *reader = open_sample(&sample, constants, 3);
    cr_assert_eq(lam_schema_leaf_count(lam_reader_schema(reader)), 6);
    expect_constant_leaf(reader, 5, &constants[2]);
    lam_reader_close(reader);
    reader = open_sample(&sample, constants, 2);
    cr_assert_eq(reader->input.size, sample.bytes.size); /* nothing was added */
    lam_reader_close(reader);
    reader = open_sample(&sample, NULL, 0);
    lam_reader_close(reader);
    lam_file_sample_finish(&sample);
}

/* --- Pruning ------------------------------------------------------------------------------- */

/* An input that counts the bytes that are read before its footer. */
typedef struct watched_input {
    lam_bytes bytes;
    uint64_t footer;
    size_t reads;
} watched_input;

static lam_status watched_read_at(void *state, uint64_t offset, size_t size, void *buffer,
                                  lam_error *error) {
    watched_input *watched = state;
    (void)error;
    cr_assert_leq(offset + size, watched->bytes.size);
    watched->reads += offset < watched->footer;
    memcpy(buffer, watched->bytes.data + offset, size);
    return LAM_STATUS_OK;
}

/* Counts the records of a condition; sets the reads of the file's own chunks. */
static uint64_t count_where(const lam_file_sample *sample, const char *condition,
                            const lam_constant *constants, size_t count, size_t *ret_reads,
                            uint64_t *ret_by_statistics) {
    lam_error error = lam_error_none();
    lam_reader *plain = lam_file_sample_open(sample, NULL), *reader;
    watched_input watched = {{sample->bytes.data, sample->bytes.size}, plain->footer.offset, 0};
    lam_input input = {&watched, sample->bytes.size, watched_read_at, NULL, NULL};
    lam_status status =
        lam_reader_open_with_constants(&input, constants, count, NULL, &reader, &error);
    cr_assert_eq(status, LAM_STATUS_OK, "%s", error.message);
    cr_assert_eq(watched.reads, 0);
    lam_filter *filter;
    lam_scan_options scan = lam_scan_options_default();
    lam_scan_report report = lam_scan_report_default();
    lam_record_reader *records;
    uint64_t found;
    status = lam_filter_parse(lam_reader_schema(reader), condition, strlen(condition), NULL, NULL,
                              &filter, &error);
    cr_assert_eq(status, LAM_STATUS_OK, "%s", error.message);
    scan.filter = filter;
    cr_assert_eq(lam_record_reader_open_scan(reader, &scan, &records, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_record_reader_skip(records, UINT64_MAX, &found, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_record_reader_report(records, &report, NULL), LAM_STATUS_OK);
    *ret_by_statistics = report.row_groups_by_statistics;
    *ret_reads = watched.reads;
    lam_record_reader_close(records);
    lam_filter_destroy(filter);
    lam_reader_close(reader);
    lam_reader_close(plain);
    return found;
}

Test(constant_reader, conditions_on_constants_rule_out_row_groups_without_reading) {
    static const struct {
        const char *condition;
        bool matches;
    } cases[] = {{"k_year = -2024", true},
                 {"k_year = 2024", false},
                 {"k_year > -2025 and k_year < 0", true},
                 {"k_day = '2024-01-01'", true},
                 {"k_day > '2024-01-01'", false},
                 {"k_region = 'north'", false},
                 {"k_region = 'north/\xC3\xA9"
                  "ast'",
                  true},
                 {"k_none is null", true},
                 {"k_none is not null", false},
                 {"k_none = 0", false},
                 {"k_region is null", false},
                 {"k_raw = x'FFFE'", true},
                 {"k_raw = x'FF'", false}};
    lam_constant constants[SAMPLE_CONSTANTS];
    sample_constants(constants);
    lam_file_sample sample = constant_sample(1604, constant_shape, 20);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        size_t reads;
        uint64_t ruled_out;
        uint64_t found = count_where(&sample, cases[i].condition, constants, SAMPLE_CONSTANTS,
                                     &reads, &ruled_out);
        cr_assert_eq(found, cases[i].matches ? CONSTANT_RECORDS : 0, "%s", cases[i].condition);
        cr_assert_eq(ruled_out, cases[i].matches ? 0 : 3, "%s", cases[i].condition);
        cr_assert(cases[i].matches || reads == 0, "%s", cases[i].condition);
    }
    lam_file_sample_finish(&sample);
}

/* --- Odd footers --------------------------------------------------------------------------- */

/* Replaces the footer of a sample by a changed one. */
static void put_footer(lam_file_sample *sample, uint64_t offset, const lam_meta_file *meta) {
    sample->bytes.size = (size_t)offset;
    cr_assert_eq(lam_footer_write(meta, &sample->bytes, NULL), LAM_STATUS_OK);
}

Test(constant_reader, a_file_without_column_orders_still_has_none) {
    lam_constant constants[SAMPLE_CONSTANTS];
    sample_constants(constants);
    lam_file_sample sample = constant_sample(1605, constant_shape, 25);
    lam_reader *plain = lam_file_sample_open(&sample, NULL);
    lam_footer_change change;
    lam_footer_change_begin(&change, plain);
    change.meta.has &= ~(uint32_t)LAM_META_FILE_HAS_COLUMN_ORDERS;
    put_footer(&sample, plain->footer.offset, &change.meta);
    lam_footer_change_end(&change);
    lam_reader_close(plain);
    lam_reader *reader = open_sample(&sample, constants, SAMPLE_CONSTANTS);
    const lam_meta_column_order_list *orders = &reader->footer.meta.column_orders;
    cr_assert_eq(orders->count, 5 + SAMPLE_CONSTANTS);
    for (size_t i = 0; i < 5; i++)
        cr_assert_eq(orders->items[i].kind, LAM_META_UNION_EMPTY);
    cr_assert_eq(orders->items[5].kind, LAM_META_COLUMN_ORDER_TYPE);
    lam_reader_close(reader);
    lam_file_sample_finish(&sample);
}

/* A chunk behind the footer is refused as it is without constants. */
Test(constant_reader, a_chunk_that_reaches_beyond_the_footer_is_refused) {
    lam_constant constants[SAMPLE_CONSTANTS];
    sample_constants(constants);
    lam_file_sample sample = constant_sample(1606, constant_shape, 25);
    lam_reader *plain = lam_file_sample_open(&sample, NULL);
    lam_footer_change change;
    lam_footer_change_begin(&change, plain);
    lam_meta_column *column = lam_footer_change_column(&change, 0, 0);
    uint64_t footer = plain->footer.offset;
    column->total_compressed_size = (int64_t)footer - 4 + 1;
    put_footer(&sample, footer, &change.meta);
    lam_footer_change_end(&change);
    lam_reader_close(plain);
    lam_reader *reader = open_sample(&sample, constants, SAMPLE_CONSTANTS);
    lam_status status;
    hash_chunk(reader, 0, 0, &status);
    cr_assert_eq(status, LAM_STATUS_CORRUPT);
    hash_chunk(reader, 0, 1, &status);
    cr_assert_eq(status, LAM_STATUS_OK);
    lam_reader_close(reader);
    lam_file_sample_finish(&sample);
}

/*
 * Opens a footer that states some rows of one row group, and nothing else that is true. The reader
 * borrows the bytes, which are to be freed.
 */
static lam_status open_rows(int64_t rows, lam_buffer *bytes, lam_reader **reader,
                            lam_error *error) {
    lam_constant constants[SAMPLE_CONSTANTS];
    sample_constants(constants);
    lam_meta_column column = {.num_values = rows, .type = LAM_PHYSICAL_INT32};
    lam_meta_column_chunk chunk = {.meta_data = &column};
    lam_meta_row_group group = {.num_rows = rows, .columns = {&chunk, 1}};
    lam_meta_schema_element schema[2] = {
        {.has = LAM_META_SCHEMA_ELEMENT_HAS_NUM_CHILDREN, .num_children = 1},
        {.has = LAM_META_SCHEMA_ELEMENT_HAS_TYPE | LAM_META_SCHEMA_ELEMENT_HAS_REPETITION_TYPE,
         .type = LAM_PHYSICAL_INT32,
         .name = {(const uint8_t *)"a", 1}}};
    lam_meta_file meta = {.num_rows = rows, .schema = {schema, 2}, .row_groups = {&group, 1}};
    lam_allocator allocator = lam_allocator_default();
    lam_buffer_init(bytes, &allocator);
    cr_assert_eq(lam_buffer_append(bytes, "PAR1", 4, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_footer_write(&meta, bytes, NULL), LAM_STATUS_OK);
    return open_bytes(bytes->data, bytes->size, constants, SAMPLE_CONSTANTS, NULL, reader, error);
}

Test(constant_reader, row_groups_of_any_size_have_as_many_constants) {
    static const int64_t sizes[] = {0, 1, 7, 8, (1 << 20) - 1, 1 << 20, (1 << 20) + 1, 3000000};
    lam_constant constants[SAMPLE_CONSTANTS];
    sample_constants(constants);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        lam_buffer bytes;
        lam_reader *reader;
        cr_assert_eq(open_rows(sizes[i], &bytes, &reader, NULL), LAM_STATUS_OK);
        for (size_t k = 1; k < SAMPLE_CONSTANTS; k++) {
            lam_column_reader *column;
            lam_triples run = {.count = 1};
            uint64_t rows = 0;
            cr_assert_eq(lam_column_reader_open(reader, 0, 1 + k, &column, NULL), LAM_STATUS_OK);
            for (; run.count > 0; rows += run.count)
                cr_assert_eq(lam_column_reader_read(column, SIZE_MAX, &run, NULL), LAM_STATUS_OK);
            cr_assert_eq(rows, (uint64_t)sizes[i]);
            lam_column_reader_close(column);
        }
        lam_reader_close(reader);
        lam_buffer_finish(&bytes);
    }
}

Test(constant_reader, more_rows_than_any_file_has_are_a_limit) {
    static const int64_t sizes[] = {INT64_MAX, (INT64_C(1) << 36) + 1, INT64_C(1) << 33};
    for (size_t i = 0; i < 3; i++) {
        lam_error error = lam_error_none();
        lam_reader *reader = NULL;
        lam_buffer bytes;
        lam_status status = open_rows(sizes[i], &bytes, &reader, &error);
        cr_assert_eq(status, i < 2 ? LAM_STATUS_LIMIT : LAM_STATUS_OK, "%s", error.message);
        lam_reader_close(reader);
        lam_buffer_finish(&bytes);
    }
}

/*
 * Whatever the bytes, the file opens with constants if it opens without, and its columns are the
 * same.
 */
Test(constant_reader, a_damaged_footer_means_the_same_with_constants) {
    uint64_t seed = lam_test_seed(1607);
    lam_random random = lam_random_start(seed);
    lam_constant constants[SAMPLE_CONSTANTS];
    sample_constants(constants);
    lam_file_sample sample = constant_sample(1608, constant_shape, 25);
    lam_reader *plain = lam_file_sample_open(&sample, NULL), *reader;
    uint64_t footer = plain->footer.offset, size = plain->footer.size;
    size_t opened = 0;
    lam_reader_close(plain);
    for (size_t i = 0; i < CONSTANT_FLIPS; i += lam_test_step()) {
        lam_error error = lam_error_none(), same = lam_error_none();
        uint8_t *byte = &sample.bytes.data[footer + lam_random_below(&random, size)];
        uint8_t before = *byte;
        *byte = (uint8_t)lam_random_next(&random);
        lam_input input = lam_input_memory(sample.bytes.data, sample.bytes.size);
        lam_status status = lam_reader_open(&input, NULL, &plain, &error);
        lam_input_close(&input);
        lam_status with = open_bytes(sample.bytes.data, sample.bytes.size, constants,
                                     SAMPLE_CONSTANTS, NULL, &reader, &same);
        cr_assert(with == status || with == LAM_STATUS_LIMIT, "seed %llu, flip %zu: %s",
                  (unsigned long long)seed, i, same.message);
        if (with == LAM_STATUS_OK) {
            expect_own_columns(plain, reader);
            lam_reader_close(reader);
            opened++;
        }
        if (status == LAM_STATUS_OK)
            lam_reader_close(plain);
        *byte = before;
    }
    cr_assert_gt(opened, 10 / lam_test_step());
    lam_file_sample_finish(&sample);
}

/* Files of all writers: the same columns, with the same failures. */
static void compare_file(void *state, const char *path) {
    lam_constant constants[SAMPLE_CONSTANTS];
    lam_error error = lam_error_none();
    lam_reader *plain, *reader;
    lam_input input;
    sample_constants(constants);
    cr_assert_eq(lam_input_open_file(path, NULL, &input, NULL), LAM_STATUS_OK);
    lam_status status = lam_reader_open_file(path, NULL, &plain, NULL);
    lam_status with =
        lam_reader_open_with_constants(&input, constants, SAMPLE_CONSTANTS, NULL, &reader, &error);
    lam_input_close(&input);
    cr_assert_eq(with, status, "%s: %s", path, error.message);
    if (status != LAM_STATUS_OK)
        return;
    size_t own = lam_schema_leaf_count(lam_reader_schema(plain));
    if (lam_reader_row_count(plain) < 100000)
        expect_own_columns(plain, reader);
    for (size_t i = 0; i < SAMPLE_CONSTANTS && lam_reader_row_count(plain) < 100000; i++)
        expect_constant_leaf(reader, own + i, &constants[i]);
    lam_reader_close(plain);
    lam_reader_close(reader);
    ++*(size_t *)state;
}

Test(constant_reader, files_of_other_writers_get_constants) {
    size_t opened = 0;
    if (!lam_test_shared_exists("parquet-testing/data"))
        cr_skip_test("no shared folder");
    lam_test_each_file(lam_test_shared("parquet-testing/data"), compare_file, &opened);
    cr_assert_gt(opened, 40);
}

/* --- Refusals ------------------------------------------------------------------------------ */

Test(constant_reader, constants_that_no_column_can_be_are_invalid) {
    const lam_constant good = {"k", LAM_CONSTANT_STRING, false, text_value("v")};
    const lam_constant bad[][2] = {{{NULL, LAM_CONSTANT_STRING, false, text_value("v")}, good},
                                   {{"", LAM_CONSTANT_STRING, false, text_value("v")}, good},
                                   {{"\xFF", LAM_CONSTANT_STRING, false, text_value("v")}, good},
                                   {{"t", LAM_CONSTANT_STRING, false, text_value("\xFF")}, good},
                                   {{"t", (lam_constant_type)9, false, text_value("v")}, good},
                                   {good, good}};
    lam_file_sample sample = constant_sample(1609, constant_shape, 25);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        lam_error error = lam_error_none();
        lam_reader *reader;
        cr_assert_eq(
            open_bytes(sample.bytes.data, sample.bytes.size, bad[i], 2, NULL, &reader, &error),
            LAM_STATUS_INVALID);
        cr_assert_neq(error.message[0], '\0');
    }
    lam_file_sample_finish(&sample);
}

Test(constant_reader, an_encrypted_footer_is_unsupported) {
    const lam_constant constant = {"k", LAM_CONSTANT_STRING, false, text_value("v")};
    const char bytes[] = "PARE....................\x04\0\0\0PARE";
    lam_error error = lam_error_none();
    lam_reader *reader;
    cr_assert_eq(open_bytes(bytes, sizeof bytes - 1, &constant, 1, NULL, &reader, &error),
                 LAM_STATUS_UNSUPPORTED);
    cr_assert_eq(error.code, LAM_ERROR_CODE_ENCRYPTED);
}

/* Shows constants in one of the two ways, and gives how that ended; all is closed. */
static lam_status show_once(const lam_file_sample *sample, bool is_open_already,
                            const lam_reader_options *options) {
    lam_constant constants[SAMPLE_CONSTANTS];
    lam_reader *plain = NULL, *shown = NULL;
    sample_constants(constants);
    lam_status status = open_bytes(sample->bytes.data, sample->bytes.size, constants,
                                   is_open_already ? 0 : SAMPLE_CONSTANTS, options, &plain, NULL);
    if (status == LAM_STATUS_OK && is_open_already)
        status = lam_reader_show_constants(plain, constants, SAMPLE_CONSTANTS, &shown, NULL);
    lam_reader_close(shown);
    lam_reader_close(plain);
    return status;
}

Test(constant_reader, any_allocation_may_fail) {
    lam_file_sample sample = constant_sample(1610, constant_shape, 25);
    for (int way = 0; way < 2; way++) {
        lam_status status = LAM_STATUS_NOMEM;
        for (size_t n = 1; status != LAM_STATUS_OK; n++) {
            lam_failing_alloc counter = {.fail_at = n};
            lam_allocator allocator = lam_failing_allocator(&counter);
            lam_reader_options options = lam_reader_options_default();
            options.allocator = &allocator;
            status = show_once(&sample, way == 1, &options);
            cr_assert(status == LAM_STATUS_OK || status == LAM_STATUS_NOMEM);
            cr_assert_eq(counter.live_bytes + counter.wrong_sizes, 0, "allocation %zu", n);
        }
    }
    lam_file_sample_finish(&sample);
}

Test(constant_reader, a_small_memory_limit_is_a_limit) {
    lam_file_sample sample = constant_sample(1611, constant_shape, 5);
    for (int way = 0; way < 2; way++) {
        lam_status status = LAM_STATUS_LIMIT;
        for (uint64_t limit = 64; status != LAM_STATUS_OK; limit += limit / 8) {
            lam_reader_options options = lam_reader_options_default();
            options.memory_limit = limit;
            status = show_once(&sample, way == 1, &options);
            cr_assert(status == LAM_STATUS_OK || status == LAM_STATUS_LIMIT);
        }
    }
    lam_file_sample_finish(&sample);
}

Test(constant_reader, an_unfinished_file_is_shown_with_constants) {
    lam_constant constants[SAMPLE_CONSTANTS];
    sample_constants(constants);
    lam_random random = lam_random_start(lam_test_seed(1612));
    lam_writer_options options = lam_writer_options_default();
    lam_file_sample sample;
    lam_unfinished_sample log;
    lam_recovery recovery;
    lam_status status;
    lam_reader *shown;
    options.row_group_rows = 12;
    options.page_index = LAM_SWITCH_OFF;
    lam_file_sample_init(&sample, lam_test_schema(constant_shape), CONSTANT_RECORDS, 70, &random);
    lam_file_sample_write(&sample, &options, NULL);
    lam_unfinished_sample_init(&log, lam_buffer_bytes(&sample.bytes), &(lam_unfinished_plan){0});
    for (size_t groups = 1; groups <= log.group_count; groups++) {
        lam_bytes bytes = {log.bytes.data, log.ends[groups - 1]};
        lam_reader *plain = lam_unfinished_open(bytes, NULL, &recovery, &status);
        size_t own = lam_schema_leaf_count(lam_reader_schema(plain));
        cr_assert_eq(lam_reader_show_constants(plain, constants, SAMPLE_CONSTANTS, &shown, NULL),
                     LAM_STATUS_OK);
        expect_own_columns(plain, shown);
        for (size_t i = 0; i < SAMPLE_CONSTANTS; i++)
            expect_constant_leaf(shown, own + i, &constants[i]);
        lam_reader_close(shown);
        lam_reader_close(plain);
    }
    lam_unfinished_sample_finish(&log);
    lam_file_sample_finish(&sample);
}

Test(constant_reader, a_reader_that_has_all_fields_stays_as_it_is) {
    const lam_constant own = {"a", LAM_CONSTANT_INT64, false, {.int64 = 1}};
    const lam_constant nameless = {"", LAM_CONSTANT_INT64, false, {.int64 = 1}};
    lam_file_sample sample = constant_sample(1613, constant_shape, 25);
    lam_reader *plain = lam_file_sample_open(&sample, NULL), *shown = plain;
    cr_assert_eq(lam_reader_show_constants(plain, &own, 1, &shown, NULL), LAM_STATUS_OK);
    cr_assert_null(shown);
    cr_assert_eq(lam_reader_show_constants(plain, &nameless, 1, &shown, NULL), LAM_STATUS_INVALID);
    lam_reader_close(plain);
    lam_file_sample_finish(&sample);
}
