/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Levels through whole pages: a list column whose lists are all null, empty or mixed, so that there
 * is next to nothing but levels, written from arrays and read back into arrays.
 */
#include <lamella/column.h>
#include <lamella/writer.h>
#include <stdio.h>
#include <stdlib.h>

#include "measure.h"

enum { TRIPLES = 16 << 20 };

static const char text[] = "message m { optional group a (LIST) { repeated group list { "
                           "optional boolean element; } } }";

typedef struct level_case {
    const char *name;
    lam_schema *schema;
    uint8_t *repetition;
    uint8_t *definition;
    lam_triples triples;
    size_t records;
    lam_output output;
} level_case;

static double write_levels(void *state) {
    level_case *levels = state;
    lam_error error = lam_error_none();
    lam_writer_options options = lam_writer_options_default();
    options.codec = LAM_CODEC_UNCOMPRESSED;
    options.row_group_rows = TRIPLES;
    lam_writer *writer;
    lam_output_close(&levels->output);
    measure_check(lam_output_memory(NULL, &levels->output, &error), &error);
    lam_output lent = levels->output;
    lent.close = NULL;
    measure_check(lam_writer_open(levels->schema, &lent, &options, &writer, &error), &error);
    double start = measure_now();
    measure_check(lam_writer_write_triples(writer, &levels->triples, levels->records, &error),
                  &error);
    measure_check(lam_writer_finish(writer, &error), &error);
    double seconds = measure_now() - start;
    lam_writer_close(writer);
    return seconds;
}

static double read_levels(void *state) {
    level_case *levels = state;
    lam_error error = lam_error_none();
    lam_bytes bytes = lam_output_memory_bytes(&levels->output);
    lam_input input = lam_input_memory(bytes.data, bytes.size);
    lam_reader_options options = lam_reader_options_default();
    lam_reader *reader;
    measure_check(lam_reader_open(&input, &options, &reader, &error), &error);
    size_t count = 0;
    double start = measure_now();
    for (size_t group = 0; group < lam_reader_row_group_count(reader); group++) {
        lam_column_reader *column;
        measure_check(lam_column_reader_open(reader, group, 0, &column, &error), &error);
        lam_triples run;
        do {
            measure_check(lam_column_reader_read(column, SIZE_MAX, &run, &error), &error);
            count += run.count;
        } while (run.count > 0);
        lam_column_reader_close(column);
    }
    double seconds = measure_now() - start;
    lam_reader_close(reader);
    if (count != TRIPLES) {
        fprintf(stderr, "%zu triples came back\n", count);
        exit(1);
    }
    return seconds;
}

/* Levels by a rule: `next` gives both for triple i. */
static void run_case(const char *name, void (*next)(size_t i, uint8_t *r, uint8_t *d)) {
    lam_error error = lam_error_none();
    level_case levels = {0};
    levels.name = name;
    measure_check(lam_schema_parse(text, sizeof text - 1, NULL, &levels.schema, &error), &error);
    levels.repetition = malloc(TRIPLES);
    levels.definition = malloc(TRIPLES);
    if (levels.repetition == NULL || levels.definition == NULL)
        abort();
    for (size_t i = 0; i < TRIPLES; i++) {
        next(i, &levels.repetition[i], &levels.definition[i]);
        levels.records += levels.repetition[i] == 0;
    }
    levels.triples.count = TRIPLES;
    levels.triples.repetition = levels.repetition;
    levels.triples.definition = levels.definition;
    char line[64];
    double seconds = measure_median(write_levels, &levels);
    snprintf(line, sizeof line, "encode levels, %s", name);
    measure_print(line, seconds, "levels", 2.0 * TRIPLES, 0);
    seconds = measure_median(read_levels, &levels);
    snprintf(line, sizeof line, "decode levels, %s", name);
    measure_print(line, seconds, "levels", 2.0 * TRIPLES, 0);
    lam_output_close(&levels.output);
    lam_schema_destroy(levels.schema);
    free(levels.repetition);
    free(levels.definition);
}

static void one_run(size_t i, uint8_t *r, uint8_t *d) {
    (void)i;
    *r = 0;
    *d = 0;
}

static void long_runs(size_t i, uint8_t *r, uint8_t *d) {
    *r = 0;
    *d = (uint8_t)(i / 1000 % 3);
}

static void alternating(size_t i, uint8_t *r, uint8_t *d) {
    *r = (uint8_t)(i & 1);
    *d = 2;
}

static void scattered(size_t i, uint8_t *r, uint8_t *d) {
    uint32_t mixed = (uint32_t)i * UINT32_C(2654435761);
    *r = (uint8_t)(i % 1000 != 0 && (mixed >> 29) > 2);
    *d = *r == 1 ? 2 : (uint8_t)(mixed >> 28) % 3;
}

int main(void) {
    run_case("one run", one_run);
    run_case("runs of 1000", long_runs);
    run_case("alternating", alternating);
    run_case("scattered", scattered);
    return 0;
}
