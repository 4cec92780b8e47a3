/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prints the columns of a row group as lines of JSON, without events in between.
 *
 *     column cursor -> levels -> json_levels.c: the text around values -> line
 *                   -> values, or entries of a dictionary: json_leaf.c -> line
 *
 * The assembler's automaton says which leaf is next (dremel/assembly.h).
 */
#ifndef LAM_JSON_WRITE_JSON_ROWS_H
#define LAM_JSON_WRITE_JSON_ROWS_H

#include "scan/rows/record_reader.h"
#include "json/write/json_leaf.h"
#include "json/write/json_levels.h"

/* What a writer keeps to print columns. */
typedef struct lam_json_rows {
    lam_row_taker taker;     /* its verbs, for the record reader */
    lam_arena arena;         /* holds the following members, up to `levels` */
    bool *made_for;          /* the leaves that `levels` were tried for; NULL at first */
    lam_json_levels *levels; /* by leaf that is read; NULL if events are needed */
    lam_json_leaf *leaves;   /* the same, of the open row group; NULL between row groups */
    size_t leaf_count;
    lam_assembler *assembler; /* of the open row group; borrowed */
    lam_buffer scratch;
    bool is_flat;  /* no leaf of the row group is in a group or repeated */
    bool passes;   /* records are dropped */
    bool declines; /* the current record, and all after it in the row group */
} lam_json_rows;

/* Allocates nothing. */
void lam_json_rows_init(lam_json_writer *writer);
void lam_json_rows_finish(lam_json_rows *rows);

#endif
