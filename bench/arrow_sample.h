/* SPDX-License-Identifier: Apache-2.0 */
/* Arrow arrays to measure with, built in memory: a flat table and a nested one. */
#ifndef LAMELLA_BENCH_ARROW_SAMPLE_H
#define LAMELLA_BENCH_ARROW_SAMPLE_H

#include <lamella/lamella.h>

enum { ARROW_SAMPLE_COLUMNS = 8 };

/* A struct array and its schema. They live until the program ends. */
typedef struct arrow_sample {
    struct ArrowSchema schema;
    struct ArrowArray array;
    double bytes; /* of all buffers, validity left out */
} arrow_sample;

/*
 * sequence int64, small int32 of 1000 values, random double, category of 50 strings, unique
 * strings, rising timestamps, and the same with nulls; 5% nulls where there are any.
 */
void arrow_sample_flat(size_t rows, arrow_sample *ret_sample);

/* list<string>, list<struct<string, int32, double>> of 0 to 8 elements, struct in struct; 5% nulls
 * at each level. */
void arrow_sample_nested(size_t rows, arrow_sample *ret_sample);

/* One column of a sample, as a sample that shares its buffers. */
arrow_sample arrow_sample_column(const arrow_sample *sample, size_t column);

#endif
