/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Columns as the commands on levels read them: those of a Parquet file, or those of records in
 * memory that a shredder made. Public headers alone, so that this runs wherever the library does.
 */
#ifndef LAMELLA_TOOLS_LEVEL_SOURCE_H
#define LAMELLA_TOOLS_LEVEL_SOURCE_H

#include <lamella/column.h>
#include <lamella/dremel.h>
#include <lamella/reader.h>

typedef struct level_source {
    const lam_schema *schema;
    const lam_reader *reader;     /* NULL: the records are in the shredder */
    const lam_shredder *shredder; /* of the same schema */
    uint64_t first;               /* number of the shredder's first record */
    const lam_stop *stop;         /* of the shredder's triples; a reader has its own; or NULL */
    uint64_t triples_most;        /* of a leaf that are given; 0: all */
} level_source;

/* Records, by their number in the file or text, counted from 0. */
typedef struct level_range {
    uint64_t first;
    uint64_t count;
} level_range;

/* The number after the last record of the source. */
uint64_t level_source_end(const level_source *source);

/* The triples of one leaf, of a range of records. Members are its own. */
typedef struct level_cursor {
    const level_source *source;
    const lam_field *leaf;
    level_range range;
    lam_column_reader *column; /* of the row group before `row_group`, or NULL */
    size_t row_group;          /* to open next */
    uint64_t next_first;       /* number of its first record */
    uint64_t group_first;      /* the same of the open row group */
    uint64_t begun;            /* records of it that have begun */
    size_t triple, value;      /* of a shredder: those that were given */
    uint64_t given;            /* triples of the range */
    bool is_over;
} level_cursor;

level_cursor level_cursor_start(const level_source *source, const lam_field *leaf,
                                level_range range);
/*
 * Gives the next triples, borrowed until the next call, and the number of the record that the first
 * of them belongs to; a count of 0 is the end.
 */
lam_status level_cursor_read(level_cursor *cursor, lam_triples *ret_run, uint64_t *ret_record,
                             lam_error *error);
void level_cursor_end(level_cursor *cursor);

/* A cursor as a source of an assembler. */
lam_triple_source level_cursor_source(level_cursor *cursor);

/* The levels of a triple of a run. */
unsigned level_repetition(const lam_triples *run, size_t index);
unsigned level_definition(const lam_triples *run, const lam_field *leaf, size_t index);

#endif
