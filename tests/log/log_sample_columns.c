/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes columns of sample records. In: numbers. Out: triples, level by level; or Arrow arrays as
 * the library itself reads them from a file in memory of the same records.
 */
#include "log/log_sample_columns.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "file/file_sample.h"
#include "log/log_sample.h"

enum { TEXT_ROOM = 40, LEAVES_MOST = 5 };

/* --- Triples ------------------------------------------------------------------------------- */

/* The triples of one leaf while they are made. */
typedef struct sample_column {
    uint8_t *repetition, *definition;
    int64_t *numbers;
    lam_bytes *texts;
    char *memory; /* of texts that are made */
    lam_triples triples;
} sample_column;

static void *sample_array(uint64_t count, size_t size) {
    void *memory = calloc(count + 1, size);
    cr_assert_not_null(memory);
    return memory;
}

static sample_column start_column(uint64_t most, bool has_texts) {
    sample_column column = {0};
    column.repetition = sample_array(most, 1);
    column.definition = sample_array(most, 1);
    if (has_texts)
        column.texts = sample_array(most, sizeof *column.texts);
    else
        column.numbers = sample_array(most, sizeof *column.numbers);
    column.triples.repetition = column.repetition;
    column.triples.definition = column.definition;
    column.triples.values = has_texts ? (const void *)column.texts : (const void *)column.numbers;
    return column;
}

static void add_level(sample_column *column, uint8_t repetition, uint8_t definition) {
    column->repetition[column->triples.count] = repetition;
    column->definition[column->triples.count++] = definition;
}

static void add_integer(sample_column *column, uint8_t definition, int64_t value) {
    add_level(column, 0, definition);
    column->numbers[column->triples.value_count++] = value;
}

static void add_text(sample_column *column, uint8_t repetition, uint8_t definition,
                     const char *text) {
    add_level(column, repetition, definition);
    column->texts[column->triples.value_count++] = (lam_bytes){(const uint8_t *)text, strlen(text)};
}

static void add_record(sample_column columns[], uint64_t n) {
    char *words = columns[1].memory + columns[1].triples.count * TEXT_ROOM;
    snprintf(words, TEXT_ROOM, "record %" PRIu64, n);
    add_integer(&columns[0], 0, (int64_t)n);
    if (n % 7 != 0)
        add_text(&columns[1], 0, 1, words);
    else
        add_level(&columns[1], 0, 0);
    add_integer(&columns[2], 0, lam_log_sample_time(n));
    for (uint64_t tag = 0; tag < n % 3; tag++)
        add_text(&columns[3], tag > 0, 3, "tag");
    if (n % 3 == 0)
        add_level(&columns[3], 0, 0);
    add_integer(&columns[4], 1, -(int64_t)n);
}

lam_status lam_log_sample_triples(lam_log *log, uint64_t first, uint64_t count, lam_error *error) {
    sample_column columns[LEAVES_MOST];
    lam_triples triples[LEAVES_MOST];
    for (size_t i = 0; i < LEAVES_MOST; i++)
        columns[i] = start_column(2 * count, i == 1 || i == 3);
    columns[1].memory = sample_array(count, TEXT_ROOM);
    for (uint64_t n = first; n < first + count; n++)
        add_record(columns, n);
    for (size_t i = 0; i < LEAVES_MOST; i++)
        triples[i] = columns[i].triples;
    lam_status status = lam_log_write_triples(log, triples, count, error);
    for (size_t i = 0; i < LEAVES_MOST; i++) {
        free(columns[i].repetition);
        free(columns[i].definition);
        free(columns[i].numbers);
        free(columns[i].texts);
        free(columns[i].memory);
    }
    return status;
}

/* --- Arrow arrays -------------------------------------------------------------------------- */

/* A file in memory of some records, open for reading. */
static lam_reader *make_file(const lam_schema *schema, uint64_t first, uint64_t count,
                             lam_trial_output *bytes) {
    lam_test_writer file = lam_test_write_as(schema, NULL);
    cr_assert_eq(lam_log_sample_put(&file.sink, schema, first, count, NULL), LAM_STATUS_OK);
    bytes->bytes = lam_test_written(&file);
    lam_reader *reader = lam_test_open(bytes->bytes.data, bytes->bytes.size, NULL);
    return reader;
}

void lam_log_sample_arrow_schema(const lam_schema *schema, struct ArrowSchema *ret_schema) {
    lam_trial_output bytes = {0};
    lam_reader *reader = make_file(schema, 0, 0, &bytes);
    cr_assert_eq(lam_arrow_export_schema(reader, NULL, ret_schema, NULL), LAM_STATUS_OK);
    lam_reader_close(reader);
    lam_trial_output_free(&bytes);
}

lam_status lam_log_sample_arrays(lam_log_arrays *arrays, const lam_schema *schema, uint64_t first,
                                 uint64_t count, uint64_t skipped, lam_error *error) {
    lam_trial_output bytes = {0};
    struct ArrowArrayStream stream;
    struct ArrowArray array;
    lam_reader *reader = make_file(schema, first - skipped, skipped + count, &bytes);
    cr_assert_eq(lam_arrow_read_stream(reader, NULL, &stream, NULL), LAM_STATUS_OK);
    cr_assert_eq(stream.get_next(&stream, &array), 0);
    cr_assert_eq((uint64_t)array.length, skipped + count);
    array.offset = (int64_t)skipped;
    array.length = (int64_t)count;
    lam_status status = lam_log_arrays_write(arrays, &array, error);
    array.release(&array);
    stream.release(&stream);
    lam_reader_close(reader);
    lam_trial_output_free(&bytes);
    return status;
}
