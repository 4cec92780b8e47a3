/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of Arrow arrays as records, slot by slot: what writing columns is held against. */
#ifndef LAM_TESTS_ARRAY_ROWS_H
#define LAM_TESTS_ARRAY_ROWS_H

#include <lamella/record.h>

#include "arrow/field/arrow_field.h"

/* Bytes of a slot: of the indexes where there is a dictionary, 8 where that has no meaning. */
size_t lam_slot_width(const lam_arrow_field *field);

/* Drives the sink with the rows of a struct array: `schema` is that of its columns. */
lam_status lam_drive_rows(const lam_schema *schema, const lam_arrow_field *field,
                          const struct ArrowArray *array, const lam_record_sink *sink,
                          lam_error *error);

#endif
