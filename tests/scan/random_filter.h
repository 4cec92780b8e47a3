/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random filters over random columns, with the outcome of each record worked out one by one in the
 * plainest way: the oracle for matching and pruning.
 *
 *     optional int32 a; required double b; optional binary c (STRING);
 *     optional group d (LIST) { repeated group list { optional int32 element; } }
 */
#ifndef LAM_TESTS_RANDOM_FILTER_H
#define LAM_TESTS_RANDOM_FILTER_H

#include <lamella/filter.h>
#include <lamella/record.h>

#include "support/random.h"

enum { RANDOM_ROWS = 40, RANDOM_ITEMS = 4, RANDOM_LEAVES = 4, RANDOM_TESTS = 6 };

/* One record. A list of length -1 is null. */
typedef struct random_row {
    bool has_a;
    int32_t a;
    double b;
    bool has_c;
    lam_bytes c;
    int length;
    bool has_item[RANDOM_ITEMS];
    int32_t items[RANDOM_ITEMS];
} random_row;

typedef struct random_table {
    lam_schema *schema;
    size_t row_count;
    random_row rows[RANDOM_ROWS];
    lam_triples columns[RANDOM_LEAVES];
    uint8_t repetition[RANDOM_LEAVES][RANDOM_ROWS * RANDOM_ITEMS];
    uint8_t definition[RANDOM_LEAVES][RANDOM_ROWS * RANDOM_ITEMS];
    int32_t a[RANDOM_ROWS];
    double b[RANDOM_ROWS];
    lam_bytes c[RANDOM_ROWS];
    int32_t d[RANDOM_ROWS * RANDOM_ITEMS];
} random_table;

void random_table_fill(random_table *table, lam_random *random);
void random_table_finish(random_table *table);

/* A filter of up to RANDOM_TESTS tests for a schema that equals the table's, and its outcome for
 * each row. */
lam_filter *random_filter(const random_table *table, const lam_schema *schema, lam_random *random,
                          uint8_t *outcomes);

#endif
