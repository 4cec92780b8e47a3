/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the files of `lamella diff` share: the two files, which of their fields and leaves are
 * compared with each other, and the report of differences. Functions that return an int print a
 * failure and give DIFF_TROUBLE, else TOOL_OK.
 */
#ifndef LAMELLA_TOOLS_DIFF_H
#define LAMELLA_TOOLS_DIFF_H

#include "tool.h"

/* Exit statuses, as those of diff(1). */
enum { DIFF_SAME = 0, DIFF_DIFFERENT = 1, DIFF_TROUBLE = 2 };

/* No record. */
#define DIFF_NONE UINT64_MAX

typedef enum diff_metadata { DIFF_METADATA_KEYS, DIFF_METADATA_ALL } diff_metadata;

typedef struct diff_options {
    const char *columns; /* NULL is all */
    const char *key;     /* NULL: by position */
    bool is_brief;
    bool is_json;
    bool ignores_schema;
    bool ignores_order;
    bool ignores_ids;
    bool ignores_metadata;
    bool ignores_records;
    diff_metadata metadata;
    uint64_t limit; /* differences to print */
} diff_options;

typedef struct diff_file {
    const char *name;
    lam_reader *reader;
    const lam_schema *schema;
    bool *selected;    /* leaves that --columns names; NULL is all */
    bool *compared;    /* leaves of fields that both files have, of those */
    bool *key;         /* leaves of --key; NULL without */
    bool *free_leaves; /* as tool_free_leaves gives them */
    uint64_t rows;
} diff_file;

/* Leaves of both files that print alike if levels and values are alike. */
typedef struct diff_pair {
    size_t leaves[2];
    uint8_t depth[2][256]; /* definition level: the depth of the first field that is absent */
} diff_pair;

typedef struct diff_match {
    diff_file files[2];
    diff_pair *pairs;
    size_t pair_count;
    bool has_all_pairs; /* every leaf that is compared is in a pair */
    bool is_any_order;  /* equal records may print with their members in another order */
} diff_match;

/* --- The report ---------------------------------------------------------------------------- */

typedef struct diff_report {
    const diff_options *options;
    const char *names[2];
    uint64_t schema_count;
    uint64_t metadata_count;
    uint64_t removed;
    uint64_t added;
    uint64_t changed;
    uint64_t printed; /* of all these */
} diff_report;

/* Whether the result is known: --brief, and there is a difference. */
bool diff_report_is_over(const diff_report *report);
bool diff_report_is_different(const diff_report *report);
/*
 * One difference of the schema or metadata. `what` is a word for programs, `path` a field or key;
 * `a` and `b` are its text on each side, NULL where it is missing.
 */
void diff_report_schema(diff_report *report, const char *what, const char *path, const char *a,
                        const char *b);
void diff_report_metadata(diff_report *report, const char *what, const char *key, const char *a,
                          const char *b);
/* Prints the number that --limit left out, or the totals. */
void diff_report_end(diff_report *report);

/* A difference between records: numbers from 0, DIFF_NONE if one is missing. */
typedef struct diff_record {
    uint64_t rows[2];
} diff_record;

/*
 * Counts a difference and keeps it for printing, within the limit. In key mode they come in any
 * order, and the first by number are kept.
 */
typedef struct diff_records {
    diff_record *all;
    size_t count;
    size_t capacity;
    uint64_t most;
    bool is_any_order;
} diff_records;

void diff_records_add(diff_records *records, diff_report *report, uint64_t a, uint64_t b);
/* Reads the records that are kept, and prints them. */
int diff_records_print(diff_records *records, diff_report *report, const diff_match *match);

/* --- Schema and metadata ------------------------------------------------------------------- */

/* Marks `compared`, makes the pairs, and reports how the schemas differ. */
void diff_match_schemas(diff_match *match, diff_report *report);
void diff_compare_metadata(const diff_match *match, diff_report *report);

/* --- Columns ------------------------------------------------------------------------------- */

/*
 * Rows that may differ, from row `first[0]` on in one file, and `first[1]` on in the other. A bit
 * means 2^shift rows.
 */
typedef struct diff_dirt {
    uint64_t first[2];
    uint64_t rows;      /* that both files have from there on */
    uint64_t clean_end; /* all rows from here on may differ */
    unsigned shift;
    uint8_t *bits;
} diff_dirt;

/* Compares the columns of both files. To be freed with diff_dirt_finish after a failure, too. */
int diff_compare_columns(const diff_match *match, uint64_t first_a, uint64_t first_b,
                         diff_dirt *ret_dirt);
/* The next rows, counted from `first`, that may differ; false after the last. */
bool diff_dirt_next(const diff_dirt *dirt, uint64_t from, uint64_t *ret_first, uint64_t *ret_end);
void diff_dirt_finish(diff_dirt *dirt);

/* --- Records as text ----------------------------------------------------------------------- */

/* The records of one file as lines of JSON, from front to back. */
typedef struct diff_lines diff_lines;

/* Takes a line without its end. */
typedef void (*diff_line_taker)(void *state, const char *line, size_t size);

/* `leaves` are those to print. On failure prints why and gives NULL. */
diff_lines *diff_lines_open(const diff_file *file, const bool *leaves, diff_line_taker take,
                            void *state);
/* Passes over records until `row` is the next. */
int diff_lines_skip_to(diff_lines *lines, uint64_t row);
int diff_lines_read(diff_lines *lines, uint64_t count);
void diff_lines_close(diff_lines *lines);

/* A hash of 128 bits. */
typedef struct diff_hash {
    uint64_t low;
    uint64_t high;
} diff_hash;

diff_hash diff_hash_text(const char *text, size_t size);
/* That of a JSON value, the same for objects with their members in any order. */
diff_hash diff_hash_json(const char *text, size_t size);
diff_hash diff_hash_line(const diff_match *match, const char *text, size_t size);

/*
 * Calls `each` for every path at which two JSON objects differ, with the values there, one without
 * bytes if it is missing; gives their number. `each` may be NULL.
 */
typedef void (*diff_change_taker)(void *state, const char *path, lam_bytes a, lam_bytes b);
size_t diff_compare_json(const char *a, size_t a_size, const char *b, size_t b_size,
                         diff_change_taker each, void *state);

/* --- Records ------------------------------------------------------------------------------- */

/* Bytes that a table of records may take. */
uint64_t diff_memory_limit(void);

int diff_by_position(const diff_match *match, diff_report *report, diff_records *records);
int diff_by_key(const diff_match *match, diff_report *report, diff_records *records);

/* A gap between equal records: `counts` records from `first` on are in one file only. */
typedef struct diff_gap {
    uint64_t first[2];
    uint64_t counts[2];
} diff_gap;

typedef void (*diff_gap_taker)(void *state, const diff_gap *gap);

/* Aligns two sequences of hashes and gives the gaps between equal ones, in order. */
void diff_align(const uint64_t *a, size_t a_count, const uint64_t *b, size_t b_count,
                diff_gap_taker take, void *state);

#endif
