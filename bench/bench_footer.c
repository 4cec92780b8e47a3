/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Opening files whose footers are wide: 1,000 columns and 10 row groups, 2,000 columns and 100 row
 * groups, both with statistics and hardly any data. Each is opened and closed, and opened for one
 * or two of its columns, whose values are read as an Arrow stream. Printed are processor time, the
 * least of some rounds, and the most memory that the library held, also in parts of the footer. If
 * the default memory limit refuses a file, that is printed, and a higher one is used.
 */
#include <lamella/lamella.h>
#include <stdio.h>
#include <stdlib.h>

#include "measure.h"

enum { WANTED_MAX = 2 };

#define HIGH_LIMIT ((uint64_t)4 << 30)

typedef struct wide_file {
    int columns;
    int row_groups;
    const char *prefix; /* of the columns' names */
    int rounds;
    lam_bytes bytes;
    uint64_t memory_limit; /* as in the options */
    size_t wanted;         /* columns to read, 0 to WANTED_MAX */
} wide_file;

/* --- Memory that is counted ------------------------------------------------------------------- */

typedef struct counted_memory {
    size_t now;
    size_t most;
} counted_memory;

static void count_memory(counted_memory *memory, size_t more, size_t less) {
    memory->now += more - less;
    memory->most = memory->now > memory->most ? memory->now : memory->most;
}

static void *allocate_counted(void *state, size_t size) {
    void *block = malloc(size);
    if (block != NULL)
        count_memory(state, size, 0);
    return block;
}

static void *reallocate_counted(void *state, void *block, size_t old_size, size_t new_size) {
    void *resized = realloc(block, new_size);
    if (resized != NULL)
        count_memory(state, new_size, old_size);
    return resized;
}

static void release_counted(void *state, void *block, size_t size) {
    count_memory(state, 0, size);
    free(block);
}

/* --- The file --------------------------------------------------------------------------------- */

static lam_schema *make_schema(const wide_file *file) {
    lam_error error = lam_error_none();
    lam_schema_builder *builder;
    lam_schema *schema = NULL;
    measure_check(lam_schema_builder_create("wide", NULL, &builder, &error), &error);
    for (int i = 0; i < file->columns; i++) {
        char name[64];
        snprintf(name, sizeof name, "%s%04d", file->prefix, i);
        measure_check(lam_schema_builder_add_leaf(
                          builder, name, LAM_REPETITION_OPTIONAL,
                          i % 2 == 0 ? LAM_PHYSICAL_INT64 : LAM_PHYSICAL_DOUBLE, NULL, &error),
                      &error);
    }
    measure_check(lam_schema_builder_finish(builder, &schema, &error), &error);
    lam_schema_builder_destroy(builder);
    return schema;
}

/* One row for each row group. */
static void write_row(lam_writer *writer, int columns) {
    lam_error error = lam_error_none();
    lam_record_sink sink = lam_writer_sink(writer);
    measure_check(sink.begin(sink.state, &error), &error);
    for (int i = 0; i < columns; i++) {
        lam_value value;
        if (i % 2 == 0)
            value.int64 = i;
        else
            value.float64 = i;
        const lam_field *leaf = lam_schema_leaf(lam_writer_schema(writer), (size_t)i);
        measure_check(sink.put(sink.state, leaf, value, &error), &error);
    }
    measure_check(sink.end(sink.state, &error), &error);
}

/* Writes a file of that shape; gives the processor's seconds. */
static double write_file(const wide_file *file, const lam_schema *schema, lam_output *ret_output) {
    lam_error error = lam_error_none();
    lam_writer *writer;
    double start = measure_cpu();
    measure_check(lam_output_memory(NULL, ret_output, &error), &error);
    lam_output lent = *ret_output;
    lent.close = NULL; /* the bytes outlive the writer */
    measure_check(lam_writer_open(schema, &lent, NULL, &writer, &error), &error);
    for (int group = 0; group < file->row_groups; group++) {
        write_row(writer, file->columns);
        measure_check(lam_writer_end_row_group(writer, &error), &error);
    }
    measure_check(lam_writer_finish(writer, &error), &error);
    lam_writer_close(writer);
    return measure_cpu() - start;
}

/* --- Reading it ------------------------------------------------------------------------------- */

/* Reads all rows of the first wanted columns in the middle of the schema. */
static void read_columns(const lam_reader *reader, const wide_file *file) {
    lam_error error = lam_error_none();
    lam_arrow_read_options options = lam_arrow_read_options_default();
    struct ArrowArrayStream stream;
    struct ArrowArray array;
    int64_t rows = 0;
    char names[WANTED_MAX][64];
    const char *columns[WANTED_MAX];
    for (size_t i = 0; i < file->wanted; i++) {
        snprintf(names[i], sizeof names[i], "%s%04d", file->prefix, file->columns / 2 + (int)i);
        columns[i] = names[i];
    }
    options.columns = columns;
    options.column_count = file->wanted;
    measure_check(lam_arrow_read_stream(reader, &options, &stream, &error), &error);
    for (;;) {
        measure_check_stream(stream.get_next(&stream, &array), &stream);
        if (array.release == NULL)
            break;
        rows += array.length;
        array.release(&array);
    }
    stream.release(&stream);
    if (rows != file->row_groups) {
        fprintf(stderr, "%lld rows came back\n", (long long)rows);
        exit(1);
    }
}

/* Opens the file, reads the wanted columns, closes it; gives the processor's seconds. */
static double open_file(const wide_file *file, counted_memory *memory, uint32_t *ret_footer) {
    lam_error error = lam_error_none();
    lam_allocator counted = {memory, allocate_counted, reallocate_counted, release_counted};
    lam_input input = lam_input_memory(file->bytes.data, file->bytes.size);
    lam_reader_options options = lam_reader_options_default();
    lam_reader *reader;
    options.allocator = &counted;
    options.memory_limit = file->memory_limit;
    double start = measure_cpu();
    measure_check(lam_reader_open(&input, &options, &reader, &error), &error);
    if (file->wanted > 0)
        read_columns(reader, file);
    *ret_footer = measure_file_info(reader).footer_size;
    lam_reader_close(reader);
    return measure_cpu() - start;
}

static void measure_opening(const wide_file *file, const char *name) {
    counted_memory memory = {0, 0};
    uint32_t footer;
    double least = open_file(file, &memory, &footer);
    for (int i = 1; i < file->rounds; i++) {
        double seconds = open_file(file, &memory, &footer);
        least = seconds < least ? seconds : least;
    }
    printf("  %-32s %9.3f ms %8.1f MB/s of the footer   memory %8.2f MiB, %5.2f of the footer\n",
           name, least * 1e3, footer / least * 1e-6, (double)memory.most / (1 << 20),
           (double)memory.most / footer);
    fflush(stdout);
}

/* Whether the file opens with the memory limit that it has. */
static bool opens(const wide_file *file) {
    lam_error error = lam_error_none();
    lam_input input = lam_input_memory(file->bytes.data, file->bytes.size);
    lam_reader *reader;
    if (lam_reader_open(&input, NULL, &reader, &error) == LAM_STATUS_OK) {
        lam_reader_close(reader);
        return true;
    }
    printf("  refused: %s: %s\n", lam_status_name(error.status), error.message);
    return false;
}

static void run_file(wide_file file) {
    lam_schema *schema = make_schema(&file);
    lam_output output;
    double seconds = write_file(&file, schema, &output);
    file.bytes = lam_output_memory_bytes(&output);
    printf("%d columns x %d row groups: %.2f MB, written in %.3f s\n", file.columns,
           file.row_groups, (double)file.bytes.size * 1e-6, seconds);
    if (!opens(&file))
        file.memory_limit = HIGH_LIMIT;
    measure_opening(&file, "open and close");
    file.wanted = 1;
    measure_opening(&file, "open, read one column, close");
    file.wanted = 2;
    measure_opening(&file, "open, read two columns, close");
    lam_output_close(&output);
    lam_schema_destroy(schema);
}

int main(void) {
    wide_file thousand = {.columns = 1000, .row_groups = 10, .prefix = "column_", .rounds = 21};
    wide_file large = {.columns = 2000,
                       .row_groups = 100,
                       .prefix = "the_measured_quantity_of_sensor_",
                       .rounds = 5};
    run_file(thousand);
    run_file(large);
    return 0;
}
