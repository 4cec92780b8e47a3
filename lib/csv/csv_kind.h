/* SPDX-License-Identifier: Apache-2.0 */
/* The types that all values of a column of delimited text have had so far. */
#ifndef LAM_CSV_CSV_KIND_H
#define LAM_CSV_CSV_KIND_H

#include <lamella/csv.h>

#include "text/time_format.h"

/* In the order of preference; a bit is cleared by the first value that has only others of them. */
enum {
    LAM_CSV_BOOLEAN = 1 << 0,
    LAM_CSV_INT64 = 1 << 1,
    LAM_CSV_DECIMAL = 1 << 2,
    LAM_CSV_DOUBLE = 1 << 3,
    LAM_CSV_DATE = 1 << 4,
    LAM_CSV_TIME = 1 << 5,
    LAM_CSV_TIMESTAMP = 1 << 6,     /* local */
    LAM_CSV_TIMESTAMP_UTC = 1 << 7, /* with a zone */
    LAM_CSV_UUID = 1 << 8,
    LAM_CSV_OTHER = 1 << 9 /* a text; of `seen` alone */
};

typedef struct lam_csv_kinds {
    uint32_t kinds;   /* that all values may have but for `others`; 0: most values have none */
    uint32_t seen;    /* the first of these for each value */
    uint64_t fitting; /* values that have one of them */
    uint64_t others;  /* values that have none; counted no further when `kinds` is 0 */
    bool has_values;
    bool has_empty_texts; /* in quotes; values of a STRING alone */
    bool needs_nanos;     /* a fraction of more than 6 digits */
    bool exceeds_nanos;   /* a timestamp that 64 bits of nanoseconds do not hold */
    uint32_t max_before;  /* digits of decimals before and after the mark */
    uint32_t max_after;
    lam_time_formats formats; /* of the options */
} lam_csv_kinds;

void lam_csv_kinds_init(lam_csv_kinds *kinds, const lam_csv_options *options);
/* Takes the next value, which is not null; its bytes have no quotes. True for the first other. */
bool lam_csv_kinds_add(lam_csv_kinds *kinds, const uint8_t *bytes, size_t size, char mark);
/* What values are except for some, at most half of them, as in "integer"; NULL if none differ. */
const char *lam_csv_kinds_clash(const lam_csv_kinds *kinds);
/* Adds the field of a column to a schema. */
lam_status lam_csv_kinds_add_leaf(const lam_csv_kinds *kinds, lam_schema_builder *builder,
                                  const char *name, lam_error *error);

#endif
