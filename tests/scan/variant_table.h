/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random records with a VARIANT somewhere inside, told to any sink, and random filters on them with
 * the outcome of each record, worked out on whole values: the oracle for evaluation by columns.
 */
#ifndef LAM_TESTS_VARIANT_TABLE_H
#define LAM_TESTS_VARIANT_TABLE_H

#include "base/buffer.h"
#include "scan/random_condition.h"

/* One place where the VARIANT is, or is missing. */
typedef struct occurrence {
    size_t record;
    bool is_there;
    bool has_place; /* where it is missing: it could be there */
    lam_variant value;
} occurrence;

enum { AROUND_MAX = 4 };
typedef struct variant_table {
    lam_random *random;
    const lam_schema *schema;            /* of the sink, then of those who filter */
    const lam_field *around[AROUND_MAX]; /* down to the VARIANT */
    size_t depth;                        /* of them */
    size_t last_repeated;                /* of them, from 1 */
    char path[16];                       /* of the VARIANT */
    unsigned value_size;                 /* of values, about */
    lam_buffer occurrences;
    size_t records;
    lam_variant_builder *builder;
    lam_variant_shredder *shredder;
    lam_record_sink sink;
} variant_table;

/* Writes records of a schema of lam_random_nested_shredding, with numbers `n` and `o`. */
void variant_table_write(variant_table *table, lam_random *random, const lam_schema *schema,
                         lam_record_sink sink, size_t records, unsigned value_size);
void variant_table_put_number(const variant_table *table, const char *leaf, size_t number);
void variant_table_finish(variant_table *table);

/* A few tests joined in some order; outcomes are kept for every record. */
enum { TABLE_TESTS = 4 };
typedef struct table_condition {
    random_condition asked[TABLE_TESTS];
    size_t count;
    char text[TABLE_TESTS * (PATH_TEXT_ROOM + 32)];
    bool is_text;
    uint8_t *outcomes; /* of the caller, to be freed */
} table_condition;

/* `with_numbers`: some tests are of `n`. */
lam_filter *variant_table_condition(variant_table *table, bool with_numbers,
                                    table_condition *ret_condition);
void variant_table_describe(uint64_t seed, const variant_table *table,
                            const table_condition *condition);

#endif
