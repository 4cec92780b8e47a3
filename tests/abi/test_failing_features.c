/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every allocation fails, once and with all behind it, while a small file of each feature of the
 * format is written, read in each way, mapped, checked, saved and rewritten: NOMEM with a message,
 * or a result, and nothing leaks through the allocator.
 */
#include <criterion/criterion.h>
#include <lamella/arrow.h>
#include <lamella/byte_map.h>
#include <lamella/check.h>
#include <lamella/column.h>
#include <lamella/details.h>
#include <lamella/dremel.h>
#include <lamella/filter_text.h>
#include <lamella/json.h>
#include <lamella/rewrite.h>
#include <lamella/salvage.h>
#include <lamella/scan.h>
#include <lamella/table.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "file/feature_files.h"
#include "support/failing_alloc.h"

/* A file, and the memory of what is done with it. */
typedef struct trial {
    lam_file_sample *sample;
    const lam_feature_file *of;
    const lam_reader *reader; /* in the failing memory; NULL for what opens the bytes itself */
    const lam_allocator *allocator;
} trial;

typedef lam_status way(const trial *on, lam_error *error);

/* --- Ways to use a file ---------------------------------------------------------------------- */

static lam_status write_file(const trial *on, lam_error *error) {
    lam_output output;
    LAM_TRY(lam_output_memory(on->allocator, &output, error));
    return lam_feature_write(on->sample, on->of, &output, on->allocator, error);
}

static lam_status visit_range(void *state, const lam_byte_range *range, bool *expand,
                              lam_error *error) {
    (void)state, (void)range, (void)error;
    *expand = true;
    return LAM_STATUS_OK;
}

static lam_status map_bytes(const trial *on, lam_error *error) {
    const lam_input input = lam_input_memory(on->sample->bytes.data, on->sample->bytes.size);
    lam_byte_map_options options = lam_byte_map_options_default();
    options.allocator = on->allocator;
    return lam_byte_map_walk(&input, &options, visit_range, NULL, error);
}

static lam_status note_finding(void *state, const lam_finding *finding, lam_error *error) {
    (void)state, (void)finding, (void)error;
    return LAM_STATUS_OK;
}

static lam_status check_file(const trial *on, lam_error *error) {
    const lam_input input = lam_input_memory(on->sample->bytes.data, on->sample->bytes.size);
    lam_check_options options = lam_check_options_default();
    lam_check_totals totals = lam_check_totals_default();
    options.allocator = on->allocator;
    return lam_check(&input, &options, note_finding, NULL, &totals, error);
}

/* Random bytes break some logical types; what matters here is the memory. */
static lam_status only_memory(lam_status status) {
    return status == LAM_STATUS_NOMEM ? status : LAM_STATUS_OK;
}

/* Records into `sink`, of the rows of a condition, or all. */
static lam_status read_records(const trial *on, const char *where, const lam_record_sink *sink,
                               lam_error *error) {
    lam_scan_options options = lam_scan_options_default();
    lam_filter *filter = NULL;
    lam_record_reader *records = NULL;
    uint64_t count;
    lam_status status = LAM_STATUS_OK;
    if (where != NULL)
        status = lam_filter_parse(lam_reader_schema(on->reader), where, strlen(where), NULL,
                                  on->allocator, &filter, error);
    options.filter = filter;
    if (status == LAM_STATUS_OK)
        status = lam_record_reader_open_scan(on->reader, &options, &records, error);
    if (status == LAM_STATUS_OK)
        status = lam_record_reader_read(records, sink, UINT64_MAX, &count, error);
    lam_record_reader_close(records);
    lam_filter_destroy(filter);
    return status;
}

static lam_status find_records(const trial *on, lam_error *error) {
    static const lam_record_sink nowhere;
    lam_record_checker *checker;
    LAM_TRY(lam_record_checker_create(lam_reader_schema(on->reader), &nowhere, on->allocator,
                                      &checker, error));
    const lam_record_sink sink = lam_record_checker_sink(checker);
    lam_status status =
        read_records(on, "id = 30 or id > 60 and not id in (63, 69) or id is null", &sink, error);
    lam_record_checker_destroy(checker);
    return only_memory(status);
}

static lam_status print_json(const trial *on, lam_error *error) {
    lam_output output;
    lam_json_writer *writer = NULL;
    LAM_TRY(lam_output_memory(on->allocator, &output, error));
    lam_status status = lam_json_writer_create(lam_reader_schema(on->reader), &output, NULL,
                                               on->allocator, &writer, error);
    if (status == LAM_STATUS_OK) {
        const lam_record_sink sink = lam_json_writer_sink(writer);
        status = only_memory(read_records(on, NULL, &sink, error));
        lam_json_writer_destroy(writer);
    }
    lam_output_close(&output);
    return status;
}

static lam_status take_row(void *state, const lam_cell *cells, size_t count, lam_error *error) {
    (void)state, (void)cells, (void)count, (void)error;
    return LAM_STATUS_OK;
}

static lam_status read_table(const trial *on, lam_error *error) {
    const lam_cell_sink sink = {NULL, take_row};
    lam_table *table = NULL;
    lam_record_reader *records = NULL;
    uint64_t count;
    lam_status status =
        lam_table_create(lam_reader_schema(on->reader), NULL, &sink, on->allocator, &table, error);
    if (status == LAM_STATUS_OK)
        status = lam_record_reader_open(on->reader, NULL, &records, error);
    if (status == LAM_STATUS_OK) {
        status = only_memory(lam_table_read(table, records, UINT64_MAX, &count, error));
    }
    lam_record_reader_close(records);
    lam_table_destroy(table);
    return status;
}

static lam_status read_columns(const trial *on, lam_error *error) {
    for (size_t i = 0; i < lam_schema_leaf_count(lam_reader_schema(on->reader)); i++) {
        lam_column_reader *column;
        lam_triples triples = {.count = 1};
        LAM_TRY(lam_column_reader_open(on->reader, 0, i, &column, error));
        lam_status status = LAM_STATUS_OK;
        while (status == LAM_STATUS_OK && triples.count > 0)
            status = lam_column_reader_read(column, 4, &triples, error);
        lam_column_reader_close(column);
        LAM_TRY(status);
    }
    return LAM_STATUS_OK;
}

static lam_status read_pages_of(const trial *on, size_t leaf, lam_error *error) {
    lam_page_list *list;
    lam_page_index_reader *index = NULL;
    lam_page_info page = lam_page_info_default();
    lam_page_index_info info = lam_page_index_info_default();
    lam_chunk_details details = lam_chunk_details_default();
    bool more = true;
    LAM_TRY(lam_reader_chunk_details(on->reader, 0, leaf, &details, error));
    LAM_TRY(lam_page_list_open(on->reader, 0, leaf, &list, error));
    lam_status status = LAM_STATUS_OK;
    while (status == LAM_STATUS_OK && more)
        status = lam_page_list_next(list, &page, &more, error);
    if (status == LAM_STATUS_OK)
        status = lam_page_index_reader_open(on->reader, 0, leaf, &index, error);
    if (status == LAM_STATUS_OK)
        status = lam_page_index_reader_info(index, &info, error);
    lam_page_index_reader_close(index);
    lam_page_list_close(list);
    return status;
}

static lam_status read_pages(const trial *on, lam_error *error) {
    for (size_t i = 0; i < lam_schema_leaf_count(lam_reader_schema(on->reader)); i++)
        LAM_TRY(read_pages_of(on, i, error));
    return LAM_STATUS_OK;
}

/*
 * Through Arrow into a file. A stream that fails gives an errno; the message of what failed is its
 * own, and values that break their logical type fail without any memory at fault.
 */
static lam_status copy_arrow(const trial *on, lam_error *error) {
    lam_arrow_read_options reading = lam_arrow_read_options_default();
    lam_writer_options writing = lam_writer_options_default();
    struct ArrowArrayStream stream;
    lam_output output;
    lam_schema *schema = NULL;
    lam_writer *writer = NULL;
    struct ArrowSchema types;
    reading.batch_rows = 7;
    reading.lenient = true;
    writing.allocator = on->allocator;
    LAM_TRY(lam_arrow_export_schema(on->reader, &reading, &types, error));
    lam_status status = lam_arrow_import_schema(&types, on->allocator, &schema, error);
    types.release(&types);
    LAM_TRY(status);
    status = lam_output_memory(on->allocator, &output, error);
    if (status == LAM_STATUS_OK) {
        status = lam_writer_open(schema, &output, &writing, &writer, error);
        lam_output_close(&output);
    }
    if (status == LAM_STATUS_OK) {
        status = lam_arrow_read_stream(on->reader, &reading, &stream, error);
        if (status == LAM_STATUS_OK) {
            status = lam_arrow_write_stream(writer, &stream, NULL, error);
            if (stream.release != NULL)
                stream.release(&stream);
        }
    }
    if (status == LAM_STATUS_OK)
        status = lam_writer_finish(writer, error);
    lam_writer_close(writer);
    lam_schema_destroy(schema);
    return only_memory(status);
}

static lam_status save_file(const trial *on, lam_error *error) {
    lam_salvage *salvage = NULL;
    lam_writer *writer = NULL;
    lam_output output = {0};
    lam_writer_options options = lam_writer_options_default();
    options.allocator = on->allocator;
    lam_status status = lam_salvage_open(on->reader, NULL, &salvage, error);
    if (status == LAM_STATUS_OK)
        status = lam_output_memory(on->allocator, &output, error);
    if (status == LAM_STATUS_OK)
        status = lam_writer_open(lam_salvage_schema(salvage), &output, &options, &writer, error);
    if (status == LAM_STATUS_OK)
        status = lam_salvage_write(salvage, writer, error);
    if (status == LAM_STATUS_OK)
        status = lam_writer_finish(writer, error);
    lam_writer_close(writer);
    lam_output_close(&output);
    lam_salvage_close(salvage);
    return status;
}

static lam_status open_memory(void *state, const char *folder, uint64_t number,
                              lam_output *ret_output, lam_error *error) {
    const trial *on = state;
    (void)folder, (void)number;
    return lam_output_memory(on->allocator, ret_output, error);
}

/* The file twice, so that row groups are merged, or in another order. */
static lam_status rewrite_file(const trial *on, const char *key, lam_error *error) {
    lam_rewrite *rewrite;
    lam_rewrite_options options = lam_rewrite_options_default();
    lam_rewrite_report report = lam_rewrite_report_default();
    lam_writer_options writing = lam_writer_options_default();
    const lam_rewrite_target target = {(void *)(uintptr_t)on, open_memory};
    writing.allocator = on->allocator;
    writing.page_rows = 9;
    options.allocator = on->allocator;
    options.writer = &writing;
    LAM_TRY(lam_rewrite_create(&options, &rewrite, error));
    lam_status status = lam_rewrite_add_reader(rewrite, on->reader, "one", error);
    if (status == LAM_STATUS_OK)
        status = lam_rewrite_add_reader(rewrite, on->reader, "two", error);
    if (status == LAM_STATUS_OK && key != NULL)
        status = lam_rewrite_add_sort_key(rewrite, key, true, false, error);
    if (status == LAM_STATUS_OK)
        status = lam_rewrite_run(rewrite, &target, &report, error);
    lam_rewrite_destroy(rewrite);
    return status;
}

static lam_status merge_files(const trial *on, lam_error *error) {
    return rewrite_file(on, NULL, error);
}

static lam_status sort_file(const trial *on, lam_error *error) {
    return rewrite_file(on, "id", error);
}

static const struct {
    const char *name;
    way *run;
    bool needs_reader;
} ways[] = {
    {"write", write_file, false},    {"map", map_bytes, false},    {"check", check_file, false},
    {"find", find_records, true},    {"print", print_json, true},  {"table", read_table, true},
    {"columns", read_columns, true}, {"pages", read_pages, true},  {"arrow", copy_arrow, true},
    {"save", save_file, true},       {"merge", merge_files, true}, {"sort", sort_file, true},
};
enum { WAYS = sizeof ways / sizeof ways[0] };

/* --- The sweep ------------------------------------------------------------------------------- */

/* Runs a way with memory of which request `fail_at` fails. */
static lam_status run(lam_file_sample *sample, const lam_feature_file *of, size_t number,
                      lam_failing_alloc *counter, lam_error *error) {
    lam_allocator allocator = lam_failing_allocator(counter);
    trial on = {sample, of, NULL, &allocator};
    lam_reader *reader = NULL;
    *error = lam_error_none();
    if (ways[number].needs_reader) {
        lam_input input = lam_input_memory(sample->bytes.data, sample->bytes.size);
        lam_reader_options options = lam_reader_options_default();
        options.allocator = &allocator;
        LAM_TRY(lam_reader_open(&input, &options, &reader, error));
    }
    on.reader = reader;
    lam_status status = ways[number].run(&on, error);
    lam_reader_close(reader);
    return status;
}

/* Steps of more than one take another first request for each file and way. */
static size_t sweep(lam_file_sample *sample, const lam_feature_file *of, size_t number,
                    size_t first, size_t step) {
    lam_failing_alloc counter = {0};
    lam_error error;
    lam_status status = run(sample, of, number, &counter, &error);
    cr_assert_eq(status, LAM_STATUS_OK, "%s, %s: %s", of->name, ways[number].name, error.message);
    cr_assert_eq(counter.live_bytes, 0, "%s, %s", of->name, ways[number].name);
    size_t count = counter.requests;
    for (size_t i = first % step; i < 2 * count; i += step) {
        counter = (lam_failing_alloc){.fail_at = i / 2 + 1, .fails_on = i % 2 == 1};
        status = run(sample, of, number, &counter, &error);
        if (status != LAM_STATUS_OK) {
            cr_assert_eq(status, LAM_STATUS_NOMEM, "%s, %s, request %zu: %s", of->name,
                         ways[number].name, i / 2 + 1, error.message);
            cr_assert(error.message[0] != 0, "%s, %s", of->name, ways[number].name);
        }
        cr_assert_eq(counter.live_bytes, 0, "%s, %s leaks behind request %zu", of->name,
                     ways[number].name, i / 2 + 1);
        cr_assert_eq(counter.wrong_sizes, 0, "%s, %s: %zu", of->name, ways[number].name, i / 2 + 1);
    }
    return count;
}

Test(failing_features, any_allocation_may_fail_for_each_feature_in_each_way) {
    size_t total = 0, step = 7 * (size_t)lam_test_step();
#ifdef LAM_ARENA_APART
    step = (size_t)lam_test_step();
#endif
    for (size_t i = 0; i < LAM_FEATURE_FILES; i++) {
        lam_file_sample sample;
        if (!lam_feature_make(&sample, &lam_feature_files[i]))
            continue;
        for (size_t number = 0; number < WAYS; number++)
            total += sweep(&sample, &lam_feature_files[i], number, i * WAYS + number, step);
        lam_file_sample_finish(&sample);
    }
    printf("%zu allocations in %d ways over %d files, each %zu%s\n", total, (int)WAYS,
           (int)LAM_FEATURE_FILES, step, step == 1 ? "st" : "th");
    cr_assert_gt(total, 10000);
}
