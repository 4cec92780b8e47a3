/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The Dremel paper's example (Melnik et al., VLDB 2010, figure 2): the schema Document, the records
 * r1 and r2 as events, and the columns of figure 3.
 */
#ifndef LAM_TESTS_PAPER_H
#define LAM_TESTS_PAPER_H

#include <lamella/dremel.h>
#include <lamella/record.h>

enum { LAM_PAPER_LEAVES = 6, LAM_PAPER_TRIPLES = 23 };

typedef struct lam_paper_column {
    const char *path;
    size_t count;
    uint8_t repetition[5];
    uint8_t definition[5];
    size_t value_count;
    int64_t numbers[4];   /* of the first three columns */
    const char *texts[4]; /* of the others */
} lam_paper_column;

extern const lam_paper_column lam_paper_columns[LAM_PAPER_LEAVES];

/* lam_schema_destroy frees it. */
lam_schema *lam_paper_schema(void);

/* Tells r1 or r2, numbered 0 and 1. */
lam_status lam_paper_record(const lam_schema *schema, int record, const lam_record_sink *sink,
                            lam_error *error);

/* A value of each kind. */
lam_value lam_paper_number(int64_t number);
lam_value lam_paper_text(const char *text);

/* One column as a source that gives all of its triples in one run. */
typedef struct lam_paper_source {
    lam_triples triples;
    lam_bytes texts[4];
    bool given;
} lam_paper_source;

lam_triple_source lam_paper_source_init(lam_paper_source *source, size_t leaf_index);

#endif
