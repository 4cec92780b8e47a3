/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What metadata cost when they are written: a flat table and a nested one of Arrow arrays, written
 * without statistics and page index, with them, as by default, and with Bloom filters by heuristic
 * too. The ways take turns, so that what else the machine does meets all of them alike; of each
 * the least processor time counts, as a part of that without.
 *
 *     bench_metadata [million rows] [rounds]
 */
#define _DEFAULT_SOURCE
#include <lamella/writer.h>
#include <stdio.h>
#include <stdlib.h>

#include "arrow_sample.h"
#include "measure.h"

enum { BATCH_ROWS = 1 << 20, WAYS = 3 };

static const char *const way_names[WAYS] = {"none", "default", "Bloom filters too"};

/* Writes the sample; gives the processor time and the bytes that it took. */
static double write_once(const arrow_sample *sample, size_t batches, lam_codec codec, int way,
                         uint64_t *ret_bytes) {
    lam_error error = lam_error_none();
    lam_schema *schema;
    lam_writer *writer;
    lam_arrow_writer *arrow;
    lam_writer_options options = lam_writer_options_default();
    lam_output output = measure_output(ret_bytes);
    options.codec = codec;
    options.statistics = way == 0 ? LAM_SWITCH_OFF : LAM_SWITCH_ON;
    options.page_index = way == 0 ? LAM_SWITCH_OFF : LAM_SWITCH_ON;
    options.auto_bloom_filters = way == 2;
    *ret_bytes = 0;
    double start = measure_cpu();
    measure_check(lam_arrow_import_schema(&sample->schema, NULL, &schema, &error), &error);
    measure_check(lam_writer_open(schema, &output, &options, &writer, &error), &error);
    measure_check(lam_arrow_writer_create(writer, &sample->schema, NULL, &arrow, &error), &error);
    for (size_t i = 0; i < batches; i++)
        measure_check(lam_arrow_write_array(arrow, &sample->array, &error), &error);
    lam_arrow_writer_destroy(arrow);
    measure_check(lam_writer_finish(writer, &error), &error);
    lam_writer_close(writer);
    lam_schema_destroy(schema);
    return measure_cpu() - start;
}

static void measure_sample(const char *name, const arrow_sample *sample, size_t batches,
                           int rounds) {
    static const lam_codec codecs[] = {LAM_CODEC_UNCOMPRESSED, LAM_CODEC_SNAPPY, LAM_CODEC_ZSTD};
    for (size_t i = 0; i < sizeof codecs / sizeof codecs[0]; i++) {
        double least[WAYS];
        uint64_t bytes[WAYS];
        for (int round = 0; round < rounds; round++)
            for (int way = 0; way < WAYS; way++) {
                double cpu = write_once(sample, batches, codecs[i], way, &bytes[way]);
                least[way] = round == 0 || cpu < least[way] ? cpu : least[way];
            }
        printf("%-7s %-13s", name, lam_codec_name(codecs[i]));
        for (int way = 0; way < WAYS; way++)
            printf("  %s: %.3f s %+.1f%%, %.2f MB %+.2f%%", way_names[way], least[way],
                   (least[way] / least[0] - 1) * 100, (double)bytes[way] * 1e-6,
                   ((double)bytes[way] / (double)bytes[0] - 1) * 100);
        printf("\n");
        fflush(stdout);
    }
}

int main(int argc, char **argv) {
    double millions = argc > 1 ? atof(argv[1]) : 4;
    int rounds = argc > 2 && atoi(argv[2]) > 0 ? atoi(argv[2]) : 5;
    size_t batches = (size_t)(millions * 1e6 / BATCH_ROWS) + 1;
    arrow_sample flat, nested;
    arrow_sample_flat(BATCH_ROWS, &flat);
    arrow_sample_nested(BATCH_ROWS, &nested);
    measure_sample("flat", &flat, batches, rounds);
    measure_sample("nested", &nested, batches, rounds);
    return 0;
}
