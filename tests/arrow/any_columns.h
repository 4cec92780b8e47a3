/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Columns of every family of Arrow types (nested, views, dictionaries, run ends, extensions,
 * variants), with random values, and the file that they make.
 */
#ifndef LAM_TESTS_ANY_COLUMNS_H
#define LAM_TESTS_ANY_COLUMNS_H

#include <lamella/arrow.h>

#include "arrow/array_source.h"
#include "base/buffer.h"
#include "support/random.h"

enum { LAM_ANY_COLUMNS = 6 };

typedef struct lam_any_columns {
    lam_arena arena;
    lam_arrow_field *field; /* of structs */
    struct ArrowArray *array;
    lam_schema *schema; /* that holds them */
    lam_buffer file;    /* once it is written */
} lam_any_columns;

/* The columns of a family, 0 to LAM_ANY_COLUMNS - 1; finish them. */
lam_any_columns lam_any_columns_of(size_t family, size_t rows, lam_random *random);
/* The same with the columns of a text as in arrow_text.h. */
lam_any_columns lam_any_columns_from(const char *text, size_t rows, lam_random *random);
void lam_any_columns_finish(lam_any_columns *columns);

/* Writes the file, in row groups and pages of so many rows. */
void lam_any_columns_write(lam_any_columns *columns, uint64_t group_rows, uint64_t page_rows);

/* A source of the columns in slices. */
lam_array_source lam_any_columns_source(const lam_any_columns *columns, int64_t slice_rows);

#endif
