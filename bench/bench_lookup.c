/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How much of a file a lookup of one row touches, and how long it takes.
 *
 *     bench_lookup FILE [ROWS [GROUP_ROWS]]
 *
 * Writes FILE with ROWS rows (100 million) in row groups of GROUP_ROWS (262144), unless it is
 * there:
 *
 *     id        int64    rises by one
 *     key       int64    unique, in no order, with Bloom filters
 *     bucket    int64    100 neighbours have the same one; buckets are in no order
 *     value     double   any
 *
 * Then looks rows up by id (sorted: statistics and the page index), by key (unsorted and unique:
 * Bloom filters) and by number of row (skip and limit), all columns as an Arrow stream. Bytes are
 * counted by the input, the footer's among them. The median of some lookups, and the worst.
 */
#include <lamella/filter.h>
#include <lamella/reader.h>
#include <lamella/record.h>
#include <lamella/writer.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "measure.h"

enum { PIECE = 65536, LOOKUPS = 21 };

/* Another number for each: every step can be undone. */
static uint64_t mix(uint64_t number) {
    number = (number ^ number >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    number = (number ^ number >> 27) * UINT64_C(0x94D049BB133111EB);
    return number ^ number >> 31;
}

static void write_piece(lam_writer *writer, uint64_t first, size_t count) {
    static int64_t ids[PIECE], keys[PIECE], buckets[PIECE];
    static double values[PIECE];
    lam_error error = lam_error_none();
    for (size_t i = 0; i < count; i++) {
        uint64_t row = first + i;
        ids[i] = (int64_t)row;
        keys[i] = (int64_t)mix(row);
        buckets[i] = (int64_t)(mix(row / 100) >> 24);
        values[i] = (double)(mix(row ^ 12345) >> 40) * 0.001;
    }
    lam_triples columns[] = {{count, count, NULL, NULL, ids},
                             {count, count, NULL, NULL, keys},
                             {count, count, NULL, NULL, buckets},
                             {count, count, NULL, NULL, values}};
    measure_check(lam_writer_write_triples(writer, columns, count, &error), &error);
}

static void write_file(const char *path, uint64_t rows, uint64_t group_rows) {
    static const char text[] =
        "required int64 id; required int64 key; required int64 bucket; required double value;";
    lam_error error = lam_error_none();
    lam_writer_options options = lam_writer_options_default();
    lam_schema *schema;
    lam_writer *writer;
    options.codec = LAM_CODEC_SNAPPY;
    options.row_group_rows = group_rows;
    options.row_group_bytes = UINT64_C(1) << 40;
    measure_check(lam_schema_parse(text, sizeof text - 1, NULL, &schema, &error), &error);
    measure_check(lam_writer_open_file(schema, path, &options, &writer, &error), &error);
    measure_check(lam_writer_set_bloom_filter(writer, "key", 0.001, 0, &error), &error);
    double start = measure_now();
    for (uint64_t row = 0; row < rows; row += PIECE)
        write_piece(writer, row, rows - row < PIECE ? (size_t)(rows - row) : PIECE);
    measure_check(lam_writer_finish(writer, &error), &error);
    lam_writer_close(writer);
    lam_schema_destroy(schema);
    printf("written in %.1f s\n", measure_now() - start);
}

/* --- Counting ------------------------------------------------------------------------------ */

typedef struct counted_input {
    lam_input file;
    uint64_t bytes;
    uint64_t reads;
} counted_input;

static lam_status counted_read(void *state, uint64_t offset, size_t size, void *buffer,
                               lam_error *error) {
    counted_input *input = state;
    input->bytes += size;
    input->reads++;
    return input->file.read_at(input->file.state, offset, size, buffer, error);
}

typedef struct lookup {
    double open_seconds;
    double seconds;
    uint64_t bytes;
    uint64_t reads;
} lookup;

static int by_bytes(const void *a, const void *b) {
    uint64_t x = ((const lookup *)a)->bytes, y = ((const lookup *)b)->bytes;
    return (x > y) - (x < y);
}

static lam_filter *equals(const lam_reader *reader, const char *column, int64_t number) {
    lam_error error = lam_error_none();
    lam_filter_builder *builder;
    lam_filter *filter;
    lam_value value;
    memset(&value, 0, sizeof value);
    value.int64 = number;
    measure_check(lam_filter_builder_create(lam_reader_schema(reader), NULL, &builder, &error),
                  &error);
    measure_check(lam_filter_builder_compare(builder, column, LAM_FILTER_EQUAL, &value, 1, &error),
                  &error);
    measure_check(lam_filter_builder_finish(builder, &filter, &error), &error);
    lam_filter_builder_destroy(builder);
    return filter;
}

/* One row by its column's value, or by its number when `column` is NULL. */
static lookup look_up(const char *path, const char *column, uint64_t row, size_t *ret_footer) {
    counted_input count = {0};
    lam_error error = lam_error_none();
    lam_reader *reader;
    lookup result = {0};
    double start = measure_now();
    measure_check(lam_input_open_file(path, NULL, &count.file, &error), &error);
    lam_input input = {&count, count.file.size, counted_read, NULL, NULL};
    measure_check(lam_reader_open(&input, NULL, &reader, &error), &error);
    result.open_seconds = measure_now() - start;
    *ret_footer = measure_file_info(reader).footer_size;
    lam_arrow_read_options options = lam_arrow_read_options_default();
    lam_filter *filter = NULL;
    if (column != NULL)
        filter = equals(reader, column, (int64_t)(strcmp(column, "key") == 0 ? mix(row) : row));
    options.filter = filter;
    options.skip_rows = column == NULL ? row : 0;
    options.max_rows = column == NULL;
    struct ArrowArrayStream stream;
    struct ArrowArray array;
    measure_check(lam_arrow_read_stream(reader, &options, &stream, &error), &error);
    int64_t found = 0;
    while (stream.get_next(&stream, &array) == 0 && array.release != NULL) {
        found += array.length;
        if (((const int64_t *)array.children[0]->buffers[1])[0] != (int64_t)row)
            found = -1;
        array.release(&array);
    }
    stream.release(&stream);
    result.seconds = measure_now() - start;
    lam_filter_destroy(filter);
    lam_reader_close(reader);
    lam_input_close(&count.file);
    if (found != 1) {
        fprintf(stderr, "row %llu is not found\n", (unsigned long long)row);
        exit(1);
    }
    result.bytes = count.bytes;
    result.reads = count.reads;
    return result;
}

static void measure_lookups(const char *path, const char *column, const char *name, uint64_t rows,
                            uint64_t file_size) {
    lookup results[LOOKUPS];
    size_t footer = 0;
    for (uint64_t i = 0; i < LOOKUPS; i++)
        results[i] = look_up(path, column, mix(i + 1) % rows, &footer);
    qsort(results, LOOKUPS, sizeof results[0], by_bytes);
    lookup median = results[LOOKUPS / 2], worst = results[LOOKUPS - 1];
    printf("%-7s %9llu bytes (%.4f %%) in %4llu reads, %.1f ms, of which opening %.1f ms; "
           "worst %llu bytes (%.4f %%); footer %zu bytes\n",
           name, (unsigned long long)median.bytes, 100.0 * (double)median.bytes / (double)file_size,
           (unsigned long long)median.reads, 1e3 * median.seconds, 1e3 * median.open_seconds,
           (unsigned long long)worst.bytes, 100.0 * (double)worst.bytes / (double)file_size,
           footer);
}

int main(int argc, char **argv) {
    struct stat info;
    if (argc < 2 || argc > 4) {
        fprintf(stderr, "usage: bench_lookup FILE [ROWS [GROUP_ROWS]]\n");
        return 2;
    }
    uint64_t rows = argc > 2 ? strtoull(argv[2], NULL, 10) : 100000000;
    uint64_t group_rows = argc > 3 ? strtoull(argv[3], NULL, 10) : 262144;
    if (stat(argv[1], &info) != 0)
        write_file(argv[1], rows, group_rows);
    if (stat(argv[1], &info) != 0 || rows == 0)
        return 1;
    printf("%llu rows, %.1f MB, row groups of %llu\n", (unsigned long long)rows,
           (double)info.st_size * 1e-6, (unsigned long long)group_rows);
    measure_lookups(argv[1], "id", "id", rows, (uint64_t)info.st_size);
    measure_lookups(argv[1], "key", "key", rows, (uint64_t)info.st_size);
    measure_lookups(argv[1], NULL, "number", rows, (uint64_t)info.st_size);
    return 0;
}
