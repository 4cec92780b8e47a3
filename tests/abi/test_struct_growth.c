/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every public struct that grows, as programs of older and newer headers have it: each of its own
 * size on the heap, so that a byte that is read or written beyond it shows. (docs/abi.md)
 */
#define _XOPEN_SOURCE 700
#include <criterion/criterion.h>
#include <lamella/arrow.h>
#include <lamella/check.h>
#include <lamella/details.h>
#include <lamella/filter_text.h>
#include <lamella/log.h>
#include <lamella/recover.h>
#include <lamella/scan.h>
#include <lamella/variant_inference.h>
#include <lamella/writer.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "abi/growth.h"
#include "file/file_sample.h"

#define SCHEMA "message m { required int64 a; required binary b (STRING); }"
#define VARIANT                                                                                    \
    "message m { optional group v (VARIANT(1)) { required binary metadata; "                       \
    "required binary value; } }"

enum { ROOM = 64, GUARD = 0xA5, RECORDS = 50 };

/* --- A file that has something for every info ------------------------------------------------ */

typedef struct growth_file {
    lam_trial_output trial;
    lam_reader *reader;
} growth_file;

static growth_file file; /* of the one test that runs in this process */

static void write_file(void) {
    lam_test_writer made = lam_test_write(SCHEMA, NULL);
    cr_assert_eq(lam_writer_set_bloom_filter(made.writer, "a", 0, 0, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_writer_add_sorting_column(made.writer, "a", false, false, NULL),
                 LAM_STATUS_OK);
    for (int i = 0; i < RECORDS; i++)
        lam_test_put(&made, "{a: %d, b: 'text'}", i);
    file.trial.bytes = lam_test_written(&made);
}

static lam_input input_of(void) {
    return lam_input_memory(file.trial.bytes.data, file.trial.bytes.size);
}

static void open_file(void) {
    write_file();
    lam_input input = input_of();
    cr_assert_eq(lam_reader_open(&input, NULL, &file.reader, NULL), LAM_STATUS_OK);
}

static void close_file(void) {
    lam_reader_close(file.reader);
    lam_trial_output_free(&file.trial);
}

TestSuite(struct_growth, .init = open_file, .fini = close_file);

/* --- Options: a call that takes them ---------------------------------------------------------- */

static lam_status take_reader(const void *options, lam_error *error) {
    lam_input input = input_of();
    lam_reader *reader = NULL;
    lam_status status = lam_reader_open(&input, options, &reader, error);
    lam_reader_close(reader);
    return status;
}

static lam_status take_recover(const void *options, lam_error *error) {
    lam_input input = input_of();
    lam_reader *reader = NULL;
    lam_recovery recovery = lam_recovery_default();
    lam_status status = lam_reader_open_unfinished(&input, options, &reader, &recovery, error);
    lam_reader_close(reader);
    return status;
}

static lam_status take_writer(const void *options, lam_error *error) {
    lam_schema *schema = lam_test_schema(SCHEMA);
    lam_writer *writer = NULL;
    lam_output output;
    cr_assert_eq(lam_output_memory(NULL, &output, NULL), LAM_STATUS_OK);
    lam_status status = lam_writer_open(schema, &output, options, &writer, error);
    lam_writer_close(writer);
    lam_output_close(&output);
    lam_schema_destroy(schema);
    return status;
}

static lam_status take_scan(const void *options, lam_error *error) {
    lam_record_reader *records = NULL;
    lam_status status = lam_record_reader_open_scan(file.reader, options, &records, error);
    lam_record_reader_close(records);
    return status;
}

static lam_status take_arrow_read(const void *options, lam_error *error) {
    struct ArrowArrayStream stream = {0};
    struct ArrowSchema schema = {0};
    lam_status status = lam_arrow_read_stream(file.reader, options, &stream, error);
    cr_expect_eq(lam_arrow_export_schema(file.reader, options, &schema, NULL), status);
    if (stream.release != NULL)
        stream.release(&stream);
    if (schema.release != NULL)
        schema.release(&schema);
    return status;
}

static lam_status take_arrow_write(const void *options, lam_error *error) {
    struct ArrowSchema arrow_schema;
    lam_schema *schema;
    lam_writer *writer;
    lam_arrow_writer *arrow = NULL;
    lam_output output;
    cr_assert_eq(lam_arrow_export_schema(file.reader, NULL, &arrow_schema, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_arrow_import_schema(&arrow_schema, NULL, &schema, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_output_memory(NULL, &output, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_writer_open(schema, &output, NULL, &writer, NULL), LAM_STATUS_OK);
    lam_status status = lam_arrow_writer_create(writer, &arrow_schema, options, &arrow, error);
    lam_arrow_writer_destroy(arrow);
    lam_writer_close(writer);
    lam_schema_destroy(schema);
    arrow_schema.release(&arrow_schema);
    return status;
}

static lam_status take_output_file(const void *options, lam_error *error) {
    lam_output output = {0};
    lam_status status = lam_output_create_file("/dev/null", options, NULL, &output, error);
    lam_output_close(&output);
    return status;
}

static lam_status found(void *state, const lam_finding *finding, lam_error *error) {
    (void)state, (void)finding, (void)error;
    return LAM_STATUS_OK;
}

static lam_status take_check(const void *options, lam_error *error) {
    lam_input input = input_of();
    return lam_check(&input, options, found, NULL, NULL, error);
}

static lam_status take_filter_text(const void *options, lam_error *error) {
    lam_filter *filter = NULL;
    lam_status status =
        lam_filter_parse(lam_reader_schema(file.reader), "a > 1", 5, options, NULL, &filter, error);
    lam_filter_destroy(filter);
    return status;
}

static lam_status take_builder(const void *options, lam_error *error) {
    lam_variant_builder *builder = NULL;
    lam_status status = lam_variant_builder_create(options, NULL, &builder, error);
    lam_variant_builder_destroy(builder);
    return status;
}

static lam_status take_shredder(const void *options, lam_error *error) {
    lam_schema *schema = lam_test_schema(VARIANT);
    lam_variant_shredder *shredder = NULL;
    lam_status status =
        lam_variant_shredder_create(lam_schema_find(schema, "v"), options, NULL, &shredder, error);
    lam_variant_shredder_destroy(shredder);
    lam_schema_destroy(schema);
    return status;
}

static lam_status take_assembler(const void *options, lam_error *error) {
    lam_schema *schema = lam_test_schema(VARIANT);
    lam_variant_assembler *assembler = NULL;
    lam_variant_sink next = {0};
    lam_status status =
        lam_variant_assembler_create(schema, NULL, options, &next, NULL, &assembler, error);
    lam_variant_assembler_destroy(assembler);
    lam_schema_destroy(schema);
    return status;
}

static lam_status take_inference(const void *options, lam_error *error) {
    lam_schema *schema = lam_test_schema(VARIANT);
    lam_variant_inference *inference = NULL;
    lam_status status = lam_variant_inference_create(schema, options, NULL, &inference, error);
    lam_variant_inference_destroy(inference);
    lam_schema_destroy(schema);
    return status;
}

/* In a folder of its own: zeroed options mean the files of the operating system. */
static lam_status open_log(const void *options, lam_log **ret_log, char *folder, lam_error *error) {
    lam_schema *schema = lam_test_schema(SCHEMA);
    strcpy(folder, "/tmp/lamella-growth-XXXXXX");
    cr_assert_not_null(mkdtemp(folder));
    lam_status status = lam_log_open(schema, folder, options, ret_log, error);
    lam_schema_destroy(schema);
    return status;
}

static lam_status take_log(const void *options, lam_error *error) {
    lam_log *log = NULL;
    char folder[40];
    lam_status status = open_log(options, &log, folder, error);
    lam_log_close(log);
    rmdir(folder);
    return status;
}

static const option_type OPTIONS[] = {
    TAKEN(lam_log_options, take_log),
    TAKEN(lam_reader_options, take_reader),
    TAKEN(lam_writer_options, take_writer),
    TAKEN(lam_recover_options, take_recover),
    TAKEN(lam_scan_options, take_scan),
    TAKEN(lam_arrow_read_options, take_arrow_read),
    TAKEN(lam_arrow_write_options, take_arrow_write),
    TAKEN(lam_output_file_options, take_output_file),
    TAKEN(lam_check_options, take_check),
    TAKEN(lam_filter_text_options, take_filter_text),
    TAKEN(lam_variant_builder_options, take_builder),
    TAKEN(lam_variant_shredder_options, take_shredder),
    TAKEN(lam_variant_assembler_options, take_assembler),
    TAKEN(lam_variant_inference_options, take_inference),
};

Test(struct_growth, options_of_every_older_and_newer_version_are_taken) {
    expect_options_to_grow(OPTIONS, sizeof OPTIONS / sizeof *OPTIONS);
}

/* --- Infos: a call that fills them ------------------------------------------------------------ */

static lam_status give_recovery(void *info, lam_error *error) {
    lam_input input = input_of();
    lam_reader *reader = NULL;
    lam_status status = lam_reader_open_unfinished(&input, NULL, &reader, info, error);
    lam_reader_close(reader);
    return status;
}

static lam_status give_file(void *info, lam_error *error) {
    return lam_reader_file_info(file.reader, info, error);
}

static lam_status give_row_group(void *info, lam_error *error) {
    return lam_reader_row_group(file.reader, 0, info, error);
}

static lam_status give_chunk(void *info, lam_error *error) {
    return lam_reader_column_chunk(file.reader, 0, 0, info, error);
}

static lam_status give_details(void *info, lam_error *error) {
    return lam_reader_chunk_details(file.reader, 0, 0, info, error);
}

static lam_status give_sorting(void *info, lam_error *error) {
    return lam_reader_sorting_column(file.reader, 0, 0, info, error);
}

static lam_status give_page_count(void *info, lam_error *error) {
    return lam_reader_page_count(file.reader, 0, 0, 0, info, error);
}

static lam_status give_bloom(void *info, lam_error *error) {
    return lam_reader_bloom_filter(file.reader, 0, 0, info, error);
}

static lam_status give_page(void *info, lam_error *error) {
    lam_page_list *list;
    bool more;
    cr_assert_eq(lam_page_list_open(file.reader, 0, 0, &list, NULL), LAM_STATUS_OK);
    lam_status status = lam_page_list_next(list, info, &more, error);
    lam_page_list_close(list);
    return status;
}

static lam_status give_index(void *info, lam_error *error) {
    lam_page_index_reader *index;
    cr_assert_eq(lam_page_index_reader_open(file.reader, 0, 0, &index, NULL), LAM_STATUS_OK);
    lam_status status = lam_page_index_reader_info(index, info, error);
    lam_page_index_reader_close(index);
    return status;
}

static lam_status give_entry(void *info, lam_error *error) {
    lam_page_index_reader *index;
    cr_assert_eq(lam_page_index_reader_open(file.reader, 0, 0, &index, NULL), LAM_STATUS_OK);
    lam_status status = lam_page_index_reader_page(index, 0, info, error);
    lam_page_index_reader_close(index);
    return status;
}

static lam_status give_report(void *info, lam_error *error) {
    lam_record_reader *records;
    cr_assert_eq(lam_record_reader_open(file.reader, NULL, &records, NULL), LAM_STATUS_OK);
    lam_status status = lam_record_reader_report(records, info, error);
    lam_record_reader_close(records);
    return status;
}

/* Of a stream, which keeps a pointer to the caller's struct. */
static lam_status give_stream_report(void *info, lam_error *error) {
    lam_arrow_read_options options = lam_arrow_read_options_default();
    struct ArrowArrayStream stream;
    struct ArrowArray array;
    options.report = info;
    options.where = "a < 10";
    lam_status status = lam_arrow_read_stream(file.reader, &options, &stream, error);
    if (status != LAM_STATUS_OK)
        return status;
    cr_assert_eq(stream.get_next(&stream, &array), 0);
    array.release(&array);
    stream.release(&stream);
    return LAM_STATUS_OK;
}

static lam_status give_totals(void *info, lam_error *error) {
    lam_input input = input_of();
    return lam_check(&input, NULL, found, NULL, info, error);
}

static lam_status give_chosen(void *info, lam_error *error) {
    lam_schema *schema = lam_test_schema(VARIANT);
    lam_variant_inference *inference;
    cr_assert_eq(lam_variant_inference_create(schema, NULL, NULL, &inference, NULL), LAM_STATUS_OK);
    lam_status status = lam_variant_inference_chosen(inference, info, error);
    lam_variant_inference_destroy(inference);
    lam_schema_destroy(schema);
    return status;
}

static lam_status give_log(void *info, lam_error *error) {
    lam_log *log = NULL;
    char folder[40];
    cr_assert_eq(open_log(NULL, &log, folder, NULL), LAM_STATUS_OK);
    lam_status status = lam_log_get_info(log, info, error);
    lam_log_close(log);
    rmdir(folder);
    return status;
}

typedef struct info_type {
    const char *name;
    size_t size;
    size_t offset; /* of a member near the end, which shows how far filling came */
    size_t width;
    lam_status (*give)(void *info, lam_error *error);
} info_type;

#define GIVEN(type, member, give)                                                                  \
    { #type, sizeof(type), offsetof(type, member), sizeof(((type *)0)->member), give }

static const info_type INFOS[] = {
    GIVEN(lam_recovery, rows, give_recovery),
    GIVEN(lam_log_info, memory_peak, give_log),
    GIVEN(lam_file_info, key_value_count, give_file),
    GIVEN(lam_row_group_info, sorting_column_count, give_row_group),
    GIVEN(lam_column_chunk_info, max_value, give_chunk),
    GIVEN(lam_chunk_details, file_offset, give_details),
    GIVEN(lam_sorting_column, nulls_first, give_sorting),
    GIVEN(lam_page_count, pages, give_page_count),
    GIVEN(lam_bloom_info, false_positives, give_bloom),
    GIVEN(lam_page_info, crc, give_page),
    GIVEN(lam_page_index_info, boundary_order, give_index),
    GIVEN(lam_page_index_entry, null_count, give_entry),
    GIVEN(lam_scan_report, filter_page_bytes, give_report),
    GIVEN(lam_scan_report, filter_page_bytes, give_stream_report),
    GIVEN(lam_check_totals, passed_over, give_totals),
    GIVEN(lam_variant_inference_options, memory_limit, give_chosen),
};

/* An info of `size` bytes with a guard behind it, filled; freed by the caller. */
static uint8_t *give_sized(const info_type *type, size_t size) {
    uint8_t *info = malloc(size + ROOM);
    lam_error error = lam_error_none();
    memset(info, GUARD, size + ROOM);
    memcpy(info, &size, sizeof size);
    cr_assert_eq(type->give(info, &error), LAM_STATUS_OK, "%s of %zu bytes: %s", type->name, size,
                 error.message);
    for (size_t i = size; i < size + ROOM; i++)
        cr_assert_eq(info[i], GUARD, "%s of %zu bytes: byte %zu is written", type->name, size, i);
    return info;
}

Test(struct_growth, infos_are_filled_as_far_as_every_older_and_newer_version_reaches) {
    for (size_t i = 0; i < sizeof INFOS / sizeof *INFOS; i++) {
        uint8_t *whole = give_sized(&INFOS[i], INFOS[i].size);
        for (size_t size = sizeof(size_t); size < INFOS[i].size + ROOM; size += sizeof size) {
            uint8_t *info = give_sized(&INFOS[i], size);
            size_t shared = size < INFOS[i].size ? size : INFOS[i].size, stated;
            memcpy(&stated, info, sizeof stated);
            cr_expect_eq(stated, size, "the size stays the caller's");
            if (INFOS[i].offset + INFOS[i].width <= size)
                cr_expect_eq(
                    memcmp(info + INFOS[i].offset, whole + INFOS[i].offset, INFOS[i].width), 0,
                    "%s of %zu bytes", INFOS[i].name, size);
            for (size_t at = shared; at < size; at++)
                cr_assert_eq(info[at], 0, "%s of %zu bytes: byte %zu", INFOS[i].name, size, at);
            free(info);
        }
        free(whole);
    }
}

Test(struct_growth, infos_without_a_size_are_invalid_and_stay_as_they_are) {
    for (size_t i = 0; i < sizeof INFOS / sizeof *INFOS; i++) {
        lam_error error = lam_error_none();
        uint8_t info[8 * ROOM] = {0};
        uint8_t before[sizeof info];
        memset(info + sizeof(size_t), GUARD, sizeof info - sizeof(size_t));
        memcpy(before, info, sizeof info);
        cr_expect_eq(INFOS[i].give(info, &error), LAM_STATUS_INVALID, "%s", INFOS[i].name);
        cr_expect_eq(strncmp(error.message, INFOS[i].name, strlen(INFOS[i].name)), 0, "%s",
                     error.message);
        cr_expect_arr_eq(info, before, sizeof info);
    }
}
