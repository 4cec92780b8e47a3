/* SPDX-License-Identifier: Apache-2.0 */
/* Opening a file whose footer is wide: 1,000 columns and 10 row groups. */
#include <lamella/reader.h>
#include <lamella/record.h>
#include <lamella/writer.h>
#include <stdio.h>
#include <stdlib.h>

#include "measure.h"

enum { COLUMNS = 1000, ROW_GROUPS = 10 };

static lam_schema *make_schema(void) {
    lam_error error = lam_error_none();
    lam_schema_builder *builder;
    lam_schema *schema = NULL;
    measure_check(lam_schema_builder_create("wide", NULL, &builder, &error), &error);
    for (int i = 0; i < COLUMNS; i++) {
        char name[32];
        snprintf(name, sizeof name, "column_%04d", i);
        measure_check(lam_schema_builder_add_leaf(
                          builder, name, LAM_REPETITION_OPTIONAL,
                          i % 2 == 0 ? LAM_PHYSICAL_INT64 : LAM_PHYSICAL_DOUBLE, NULL, &error),
                      &error);
    }
    measure_check(lam_schema_builder_finish(builder, &schema, &error), &error);
    lam_schema_builder_destroy(builder);
    return schema;
}

/* A file with the footer that is wanted, and hardly any data. */
static lam_output write_file(const lam_schema *schema) {
    lam_error error = lam_error_none();
    lam_output output;
    lam_writer *writer;
    measure_check(lam_output_memory(NULL, &output, &error), &error);
    lam_output lent = output;
    lent.close = NULL; /* the bytes outlive the writer */
    measure_check(lam_writer_open(schema, &lent, NULL, &writer, &error), &error);
    lam_record_sink sink = lam_writer_sink(writer);
    for (int group = 0; group < ROW_GROUPS; group++) {
        measure_check(sink.begin(sink.state, &error), &error);
        for (size_t i = 0; i < COLUMNS; i++) {
            lam_value value;
            if (i % 2 == 0)
                value.int64 = (int64_t)i;
            else
                value.float64 = (double)i;
            const lam_field *leaf = lam_schema_leaf(lam_writer_schema(writer), i);
            measure_check(sink.put(sink.state, leaf, value, &error), &error);
        }
        measure_check(sink.end(sink.state, &error), &error);
        measure_check(lam_writer_end_row_group(writer, &error), &error);
    }
    measure_check(lam_writer_finish(writer, &error), &error);
    lam_writer_close(writer);
    return output;
}

static double open_and_close(void *state) {
    const lam_bytes *bytes = state;
    lam_error error = lam_error_none();
    lam_input input = lam_input_memory(bytes->data, bytes->size);
    lam_reader *reader;
    double start = measure_now();
    measure_check(lam_reader_open(&input, NULL, &reader, &error), &error);
    lam_reader_close(reader);
    return measure_now() - start;
}

static double write_again(void *state) {
    double start = measure_now();
    lam_output output = write_file(state);
    double seconds = measure_now() - start;
    lam_output_close(&output);
    return seconds;
}

int main(void) {
    lam_error error = lam_error_none();
    lam_schema *schema = make_schema();
    lam_output file = write_file(schema);
    lam_bytes bytes = lam_output_memory_bytes(&file);
    lam_input input = lam_input_memory(bytes.data, bytes.size);
    lam_reader *reader;
    measure_check(lam_reader_open(&input, NULL, &reader, &error), &error);
    double footer = lam_reader_footer_size(reader);
    lam_reader_close(reader);
    double chunks = (double)COLUMNS * ROW_GROUPS;
    printf("%d columns x %d row groups, a footer of %.0f bytes\n", COLUMNS, ROW_GROUPS, footer);
    measure_print("open and close", measure_median(open_and_close, &bytes), "chunks", chunks,
                  footer);
    measure_print("write a file of that shape", measure_median(write_again, schema), "chunks",
                  chunks, 0);
    lam_output_close(&file);
    lam_schema_destroy(schema);
    return 0;
}
