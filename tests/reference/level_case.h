/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The level examples of the shared folder cases/: a schema, records, and per leaf the levels and
 * values they shred to. Records are JSON; an array stands for a repeated field, or for a LIST
 * group, of whose two inner levels it shows neither.
 */
#ifndef LAM_TESTS_LEVEL_CASE_H
#define LAM_TESTS_LEVEL_CASE_H

#include <lamella/record.h>

#include "reference/json_tree.h"

typedef struct lam_level_case {
    lam_arena arena;
    lam_json_tree json;
    lam_schema *schema;
    const lam_json_tree *records; /* an array */
    const lam_json_tree *columns; /* an array, one per leaf */
} lam_level_case;

/* Reads a case file; ends the test when it cannot be read. */
void lam_level_case_open(lam_level_case *level_case, const char *path);
void lam_level_case_close(lam_level_case *level_case);

/* Tells a record of the case to a sink. */
lam_status lam_level_case_drive(const lam_level_case *level_case, size_t record,
                                const lam_record_sink *sink, lam_error *error);

/* Ends the test unless the triples are those of the case's column for that leaf. */
void lam_level_case_expect(const lam_level_case *level_case, size_t leaf_index,
                           const lam_triples *triples);

#endif
