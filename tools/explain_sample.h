/* SPDX-License-Identifier: Apache-2.0 */
/* The records, columns and row group that a page shows, and how they are printed. */
#ifndef LAMELLA_TOOLS_EXPLAIN_SAMPLE_H
#define LAMELLA_TOOLS_EXPLAIN_SAMPLE_H

#include "explain_document.h"
#include "trace_steps.h"

typedef struct explain_sample {
    bool *leaves;
    size_t leaf_count;
    size_t leaves_left_out; /* that were chosen, and are too many */
    bool has_row_group;
    size_t row_group;
    uint64_t row_group_first; /* number of its first record in the file */
    uint64_t first;           /* record of the row group */
    uint64_t count;           /* of those that can be printed */
    uint64_t chosen_count;    /* of all of them */
} explain_sample;

/* Finds them. `ret_sample->leaves` is to be freed. NOT_FOUND: no such row group or record. */
lam_status explain_choose(const explain_subject *subject, explain_sample *ret_sample,
                          lam_error *error);

/* Sentences on what is not shown, for the end of the object; `leaf` may be NULL. */
void explain_notes_begin(void);
void explain_note(const lam_field *leaf, const char *text);
/* The same for a failure. Want of memory or time ends the program: no page can report that. */
void explain_note_failure(const lam_field *leaf, const lam_error *error);
void explain_print_notes(void);

/*
 * Prints the records as cat does, with commas between. If they are too large for a page, or one
 * cannot be read, those before it are printed, and `sample` counts them.
 */
void explain_print_records(const lam_reader *reader, explain_sample *sample);

/* Prints ,"levels":[...],"triples":[...],"automaton":{...} and what follows from them. */
void explain_print_columns(const explain_subject *subject, const explain_sample *sample);

/* Shreds the records of the sample step by step. */
lam_status explain_shred(const lam_reader *reader, const explain_sample *sample,
                         const trace_printer *printer, lam_error *error);

/* Prints ,"shredding":[...],"assembly":[...]: the steps of both machines, record by record. */
void explain_print_steps(const lam_reader *reader, const explain_sample *sample);

/*
 * Prints ,"variant_rules":{...},"variants":[...] if the schema has VARIANTs: those of the sample's
 * records whose columns are all shown.
 */
void explain_print_variants(const lam_reader *reader, const explain_sample *sample);

/*
 * Prints ,"bytes":[...]: the ranges of the file, those inside pages only where records of the
 * sample are. triples[leaf] has those of the sample in its chunk.
 */
typedef struct explain_triples {
    uint64_t first;
    uint64_t end;
    uint64_t values_before; /* in the page of the first triple, before it */
} explain_triples;

void explain_print_bytes(const explain_subject *subject, const explain_sample *sample,
                         const explain_triples *triples);

#endif
