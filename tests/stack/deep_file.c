/* SPDX-License-Identifier: Apache-2.0 */
/* Does with a file everything that the library does with one, in stages whose stack is measured. */
#include "stack/deep_file.h"

#include <criterion/criterion.h>
#include <lamella/lamella.h>
#include <stdio.h>
#include <string.h>

#include "support/measured_stack.h"

enum { RANGES_MOST = 200000, ROWS_MOST = 20000 };

void lam_deep_stage(const lam_deep_file *file, const char *stage, void (*run)(void *state),
                    void *state) {
    size_t bytes = lam_stack_measure(run, state);
    if (file->is_told)
        printf("%-28s %-20s %6zu bytes\n", file->name, stage, bytes);
    if (bytes <= file->peak->bytes)
        return;
    file->peak->bytes = bytes;
    snprintf(file->peak->stage, sizeof file->peak->stage, "%s", stage);
    snprintf(file->peak->input, sizeof file->peak->input, "%s", file->name);
}

/* --- The stages: failures are those of the file, and end one --------------------------------- */

static lam_reader *open_reader(const lam_deep_file *file) {
    lam_input input = lam_input_memory(file->bytes.data, file->bytes.size);
    lam_reader_options options = lam_reader_options_default();
    lam_reader *reader = NULL;
    lam_error error;
    options.memory_limit = 16 << 20;
    if (lam_reader_open(&input, &options, &reader, &error) != LAM_STATUS_OK)
        reader = NULL;
    lam_input_close(&input);
    return reader;
}

static void read_columns(void *state) {
    lam_reader *reader = open_reader(state);
    if (reader == NULL)
        return;
    for (size_t g = 0; g < lam_reader_row_group_count(reader); g++) {
        for (size_t i = 0; i < lam_schema_leaf_count(lam_reader_schema(reader)); i++) {
            lam_column_reader *column;
            lam_triples triples = {.count = 1};
            if (lam_column_reader_open(reader, g, i, &column, NULL) != LAM_STATUS_OK)
                continue;
            for (uint64_t rows = 0; triples.count > 0 && rows < ROWS_MOST; rows += triples.count)
                if (lam_column_reader_read(column, 1000, &triples, NULL) != LAM_STATUS_OK)
                    break;
            lam_column_reader_close(column);
        }
    }
    lam_reader_close(reader);
}

/* Records become text, by way of events or not, and as its types or its columns have them. */
static void print_records(const lam_deep_file *file, lam_json_variant form, bool by_events) {
    lam_reader *reader = open_reader(file);
    lam_json_writer_options options = lam_json_writer_options_default();
    lam_scan_options scan = lam_scan_options_default();
    lam_json_writer *writer = NULL;
    lam_record_reader *records = NULL;
    lam_filter *filter = NULL;
    lam_output output;
    lam_error error;
    uint64_t count;
    options.variant = form;
    options.replace_invalid = true;
    options.memory_limit = 16 << 20;
    if (reader == NULL)
        return;
    if (file->where != NULL)
        (void)!lam_filter_parse(lam_reader_schema(reader), file->where, strlen(file->where), NULL,
                                NULL, &filter, &error);
    scan.filter = filter;
    cr_assert_eq(lam_output_memory(NULL, &output, NULL), LAM_STATUS_OK);
    if (lam_json_writer_create(lam_reader_schema(reader), &output, &options, NULL, &writer, NULL) ==
            LAM_STATUS_OK &&
        lam_record_reader_open_scan(reader, &scan, &records, NULL) == LAM_STATUS_OK) {
        lam_record_sink sink = lam_json_writer_sink(writer);
        lam_status status = by_events
                                ? lam_record_reader_read(records, &sink, ROWS_MOST, &count, &error)
                                : lam_json_writer_print(writer, records, ROWS_MOST, &count, &error);
        if (status == LAM_STATUS_OK)
            (void)!lam_json_writer_flush(writer, &error);
    }
    lam_record_reader_close(records);
    lam_filter_destroy(filter);
    lam_json_writer_destroy(writer);
    lam_output_close(&output);
    lam_reader_close(reader);
}

static void print_values(void *state) {
    print_records(state, LAM_JSON_VARIANT_VALUE, true);
}

static void print_typed(void *state) {
    print_records(state, LAM_JSON_VARIANT_TYPED, false);
}

static void print_columns(void *state) {
    print_records(state, LAM_JSON_VARIANT_STORAGE, false);
}

static lam_status hear(void *state, const lam_finding *finding, lam_error *error) {
    (void)finding;
    (void)error;
    ++*(uint64_t *)state;
    return LAM_STATUS_OK;
}

static void check(void *state) {
    const lam_deep_file *file = state;
    lam_input input = lam_input_memory(file->bytes.data, file->bytes.size);
    lam_check_options options = lam_check_options_default();
    uint64_t findings = 0;
    lam_error error;
    options.max_rows = ROWS_MOST;
    options.memory_limit = 16 << 20;
    (void)!lam_check(&input, &options, hear, &findings, NULL, &error);
    lam_input_close(&input);
}

static lam_status see(void *state, const lam_byte_range *range, bool *expand, lam_error *error) {
    (void)range;
    if (error != NULL)
        error->status = LAM_STATUS_STATE;
    *expand = true;
    return --*(uint64_t *)state > 0 ? LAM_STATUS_OK : LAM_STATUS_STATE;
}

static void map(void *state) {
    const lam_deep_file *file = state;
    lam_input input = lam_input_memory(file->bytes.data, file->bytes.size);
    uint64_t left = RANGES_MOST;
    lam_error error;
    (void)!lam_byte_map_walk(&input, NULL, see, &left, &error);
    lam_input_close(&input);
}

/* Arrays, which make a file in turn. */
static void read_arrays(void *state) {
    const lam_deep_file *file = state;
    lam_reader *reader = open_reader(file);
    lam_arrow_read_options options = lam_arrow_read_options_default();
    struct ArrowArrayStream stream;
    struct ArrowSchema arrow;
    lam_schema *schema;
    lam_error error;
    options.where = file->where;
    options.max_rows = ROWS_MOST;
    if (reader == NULL)
        return;
    if (lam_arrow_read_stream(reader, &options, &stream, &error) == LAM_STATUS_OK) {
        if (stream.get_schema(&stream, &arrow) == 0) {
            if (lam_arrow_import_schema(&arrow, NULL, &schema, &error) == LAM_STATUS_OK) {
                lam_output output;
                lam_writer *writer;
                cr_assert_eq(lam_output_memory(NULL, &output, NULL), LAM_STATUS_OK);
                cr_assert_eq(lam_writer_open(schema, &output, NULL, &writer, NULL), LAM_STATUS_OK);
                if (lam_arrow_write_stream(writer, &stream, NULL, &error) == LAM_STATUS_OK)
                    (void)!lam_writer_finish(writer, &error);
                lam_writer_close(writer);
                lam_schema_destroy(schema);
            }
            arrow.release(&arrow);
        }
        struct ArrowArray array = {.release = NULL};
        while (stream.get_next(&stream, &array) == 0 && array.release != NULL)
            array.release(&array);
        stream.release(&stream);
    }
    lam_reader_close(reader);
}

static lam_status open_memory(void *state, const char *folder, uint64_t number,
                              lam_output *ret_output, lam_error *error) {
    (void)state;
    (void)folder;
    (void)number;
    return lam_output_memory(NULL, ret_output, error);
}

/* All its columns encoded anew. */
static void rewrite(void *state) {
    const lam_deep_file *file = state;
    lam_reader *reader = open_reader(file);
    lam_rewrite_options options = lam_rewrite_options_default();
    lam_writer_options writer = lam_writer_options_default();
    lam_rewrite_target target = {NULL, open_memory};
    lam_rewrite *task;
    lam_error error;
    writer.row_group_rows = 3;
    writer.codec = LAM_CODEC_GZIP;
    options.writer = &writer;
    if (reader == NULL)
        return;
    if (lam_reader_row_count(reader) < ROWS_MOST) {
        cr_assert_eq(lam_rewrite_create(&options, &task, NULL), LAM_STATUS_OK);
        if (lam_rewrite_add_reader(task, reader, "in", &error) == LAM_STATUS_OK &&
            (file->where == NULL ||
             lam_rewrite_set_where(task, file->where, &error) == LAM_STATUS_OK))
            (void)!lam_rewrite_run(task, &target, NULL, &error);
        lam_rewrite_destroy(task);
    }
    lam_reader_close(reader);
}

static void salvage(void *state) {
    lam_reader *reader = open_reader(state);
    lam_salvage *all;
    lam_error error;
    if (reader == NULL)
        return;
    if (lam_reader_row_count(reader) < ROWS_MOST &&
        lam_salvage_open(reader, NULL, &all, &error) == LAM_STATUS_OK) {
        lam_output output;
        lam_writer *writer;
        cr_assert_eq(lam_output_memory(NULL, &output, NULL), LAM_STATUS_OK);
        if (lam_writer_open(lam_salvage_schema(all), &output, NULL, &writer, &error) ==
            LAM_STATUS_OK) {
            if (lam_salvage_write(all, writer, &error) == LAM_STATUS_OK)
                (void)!lam_writer_finish(writer, &error);
            lam_writer_close(writer);
        }
        lam_salvage_close(all);
    }
    lam_reader_close(reader);
}

/* What is left when the footer is gone. */
static void recover(void *state) {
    const lam_deep_file *file = state;
    if (file->bytes.size < 12)
        return;
    lam_input input = lam_input_memory(file->bytes.data, file->bytes.size - 9);
    lam_recovery recovery = lam_recovery_default();
    lam_reader *reader;
    lam_error error;
    if (lam_reader_open_unfinished(&input, NULL, &reader, &recovery, &error) == LAM_STATUS_OK)
        lam_reader_close(reader);
    lam_input_close(&input);
}

void lam_deep_file_use(const lam_deep_file *file) {
    static const struct {
        const char *name;
        void (*run)(void *state);
    } stages[] = {{"columns", read_columns},
                  {"JSON of values", print_values},
                  {"typed JSON", print_typed},
                  {"JSON of columns", print_columns},
                  {"check", check},
                  {"map of bytes", map},
                  {"arrays", read_arrays},
                  {"rewrite", rewrite},
                  {"salvage", salvage},
                  {"recover", recover}};
    lam_deep_file lent = *file;
    for (size_t i = 0; i < sizeof stages / sizeof stages[0]; i++)
        lam_deep_stage(file, stages[i].name, stages[i].run, &lent);
}
