/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arrow arrays to Parquet: a flat table and a nested one, whole and column by column, to an output
 * that only counts and to a file.
 *
 *     bench_arrow_write [million rows] [file] [name of the one table or column] [bare]
 *
 * "bare" leaves out statistics and page index.
 */
#define _DEFAULT_SOURCE
#include <lamella/writer.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arrow_sample.h"
#include "measure.h"

enum { ROUNDS = 3, BATCH_ROWS = 1 << 20 };

typedef struct write_case {
    const char *name;
    const arrow_sample *sample;
    size_t batches; /* the sample is written as often */
    lam_codec codec;
    int32_t level;
    const char *path; /* or NULL: the bytes are counted */
    bool bare;        /* without statistics and page index */
    uint64_t bytes;
} write_case;

/* --- Writing --------------------------------------------------------------------------------- */

static lam_writer *open_writer(write_case *work, const lam_schema *schema) {
    lam_error error = lam_error_none();
    lam_writer_options options = lam_writer_options_default();
    options.codec = work->codec;
    options.codec_level = work->level;
    options.statistics = work->bare ? LAM_SWITCH_OFF : LAM_SWITCH_ON;
    options.page_index = work->bare ? LAM_SWITCH_OFF : LAM_SWITCH_ON;
    lam_writer *writer;
    lam_output output = measure_output(&work->bytes);
    work->bytes = 0;
    if (work->path != NULL)
        measure_check(lam_writer_open_file(schema, work->path, &options, &writer, &error), &error);
    else
        measure_check(lam_writer_open(schema, &output, &options, &writer, &error), &error);
    return writer;
}

static void write_once(write_case *work) {
    lam_error error = lam_error_none();
    lam_schema *schema;
    lam_arrow_writer *arrow;
    measure_check(lam_arrow_import_schema(&work->sample->schema, NULL, &schema, &error), &error);
    lam_writer *writer = open_writer(work, schema);
    measure_check(lam_arrow_writer_create(writer, &work->sample->schema, NULL, &arrow, &error),
                  &error);
    for (size_t i = 0; i < work->batches; i++)
        measure_check(lam_arrow_write_array(arrow, &work->sample->array, &error), &error);
    lam_arrow_writer_destroy(arrow);
    measure_check(lam_writer_finish(writer, &error), &error);
    lam_writer_close(writer);
    lam_schema_destroy(schema);
}

static int compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *numbers) {
    qsort(numbers, ROUNDS, sizeof numbers[0], compare);
    return numbers[ROUNDS / 2];
}

static void measure(write_case *work) {
    double seconds[ROUNDS], cpu[ROUNDS];
    double rows = (double)work->batches * (double)work->sample->array.length;
    for (int i = 0; i < ROUNDS; i++) {
        double start = measure_now(), start_cpu = measure_cpu();
        write_once(work);
        seconds[i] = measure_now() - start;
        cpu[i] = measure_cpu() - start_cpu;
    }
    double middle = median(seconds), middle_cpu = median(cpu);
    printf("%-36s %8.3f s  %7.2f M rows/s  %8.1f MB/s  cpu %7.3f s  %7.2f ns/row", work->name,
           middle, rows / middle * 1e-6,
           work->sample->bytes * (double)work->batches / middle * 1e-6, middle_cpu,
           middle_cpu / rows * 1e9);
    if (work->path == NULL)
        printf("  %8.2f MB written", (double)work->bytes * 1e-6);
    printf("  peak %.0f MiB\n", measure_peak_mib());
    fflush(stdout);
}

static const struct {
    const char *name;
    lam_codec codec;
    int32_t level;
} codecs[] = {{"plain", LAM_CODEC_UNCOMPRESSED, 0},
              {"snappy", LAM_CODEC_SNAPPY, 0},
              {"zstd 1", LAM_CODEC_ZSTD, 1},
              {"zstd 3", LAM_CODEC_ZSTD, 3}};

static void measure_sample(const char *name, const arrow_sample *sample, size_t batches,
                           const char *path, const char *only, bool bare) {
    char line[64];
    if (only != NULL && strcmp(only, name) != 0)
        return;
    for (size_t i = 0; i < sizeof codecs / sizeof codecs[0]; i++) {
        write_case work = {line, sample, batches, codecs[i].codec, codecs[i].level, NULL, bare, 0};
        snprintf(line, sizeof line, "%s, %s", name, codecs[i].name);
        measure(&work);
        if (path == NULL)
            continue;
        work.path = path;
        snprintf(line, sizeof line, "%s, %s, to a file", name, codecs[i].name);
        measure(&work);
    }
}

int main(int argc, char **argv) {
    double millions = argc > 1 ? atof(argv[1]) : 4;
    const char *path = argc > 2 && argv[2][0] != '\0' ? argv[2] : NULL;
    const char *only = argc > 3 && argv[3][0] != '\0' ? argv[3] : NULL;
    bool bare = argc > 4;
    size_t batches = (size_t)(millions * 1e6 / BATCH_ROWS) + 1;
    arrow_sample flat, nested;
    arrow_sample_flat(BATCH_ROWS, &flat);
    arrow_sample_nested(BATCH_ROWS, &nested);
    measure_sample("flat", &flat, batches, path, only, bare);
    for (size_t i = 0; i < (size_t)flat.array.n_children; i++) {
        arrow_sample column = arrow_sample_column(&flat, i);
        measure_sample(flat.schema.children[i]->name, &column, batches, NULL, only, bare);
    }
    measure_sample("nested", &nested, batches, path, only, bare);
    for (size_t i = 0; i < (size_t)nested.array.n_children; i++) {
        arrow_sample column = arrow_sample_column(&nested, i);
        measure_sample(nested.schema.children[i]->name, &column, batches, NULL, only, bare);
    }
    return 0;
}
