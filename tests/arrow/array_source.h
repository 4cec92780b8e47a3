/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A stream of slices of one array, as another library would give it, that keeps count of what is
 * asked of it and of what is given back.
 */
#ifndef LAM_TESTS_ARRAY_SOURCE_H
#define LAM_TESTS_ARRAY_SOURCE_H

#include "arrow/field/arrow_field.h"

/* What a source says when it fails. */
#define LAM_SOURCE_FAILURE "the source has run dry"

/* Zero it, set the first members, and keep it until everything is released. */
typedef struct lam_array_source {
    const lam_arrow_field *field; /* of structs */
    const struct ArrowArray *array;
    int64_t slice_rows; /* of each array that is given, but for the last */
    size_t fail_at;     /* the call of get_schema or get_next that fails, from 1; 0 never */

    size_t calls; /* so far, the failed one included */
    int64_t rows_given;
    bool is_over; /* the end was told, or a failure */
    size_t given; /* schemas and arrays */
    size_t released;
    size_t streams_released;
    size_t misuses; /* what was released twice, calls after the end, a failure or a release */
    void *papers;   /* of what was given */
} lam_array_source;

struct ArrowArrayStream lam_array_source_open(lam_array_source *source);

/* True when what was given was released, each once, and nothing was asked out of place. */
bool lam_array_source_is_released(const lam_array_source *source);

/* Ends its own books. */
void lam_array_source_close(lam_array_source *source);

#endif
