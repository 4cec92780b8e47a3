/* SPDX-License-Identifier: Apache-2.0 */
/* One field of many records as the triples of a leaf. */
#ifndef LAM_CSV_CSV_COLUMN_H
#define LAM_CSV_CSV_COLUMN_H

#include "csv/csv_split.h"
#include "text/time_format.h"

typedef struct lam_csv_column lam_csv_column;

/* What the columns of a batch share. */
typedef struct lam_csv_batch {
    const lam_csv_splitter *splitter;
    size_t first, count; /* records of the splitter */
    char mark;           /* decimal mark */
    lam_csv_epoch epoch;
    lam_time_formats formats;
    lam_bytes null;      /* a text that is null, too; `data` is NULL when there is none */
    bool is_utf8;        /* all of the batch is */
    bool keeps_integers; /* a double refuses integers that it cannot hold */
    uint8_t *bad;        /* by record, from `first` on: a value does not fit its leaf */
    size_t bad_count;
} lam_csv_batch;

struct lam_csv_column {
    const lam_field *leaf;
    size_t position; /* in a record; SIZE_MAX if the text does not have the column */
    void (*convert)(lam_csv_column *column, lam_csv_batch *batch);
    int64_t min, max;   /* of integers */
    lam_time_unit unit; /* of times */
    int32_t precision, scale;
    size_t value_size; /* of one element of `values` */
    bool is_utc;
    uint8_t max_definition;
    uint8_t *values; /* room for a batch */
    uint8_t *definition;
    size_t value_count;
};

/* UNSUPPORTED for a leaf whose type has no form in CSV. Takes no memory. */
lam_status lam_csv_column_init(lam_csv_column *column, const lam_field *leaf, lam_error *error);
/* Bytes of one element of `values`. */
size_t lam_csv_element_size(const lam_field *leaf);

/* Whether a field is a null for a leaf of strings, or of any other type. */
static inline bool lam_csv_is_null(lam_csv_field field, const uint8_t *bytes, lam_bytes null,
                                   bool is_text) {
    if (field.size == 0)
        return !(field.is_quoted && is_text);
    return null.data != NULL && field.size == null.size && !field.is_quoted &&
           memcmp(bytes + field.start, null.data, null.size) == 0;
}

#endif
