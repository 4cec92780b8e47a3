/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a page of `explain` shows of a file, as one JSON object: the objects that schema, meta,
 * pages, cat, levels, trace, automaton and bytes print for the same records and columns, with
 * --json.
 */
#ifndef LAMELLA_TOOLS_EXPLAIN_DOCUMENT_H
#define LAMELLA_TOOLS_EXPLAIN_DOCUMENT_H

#include <lamella/lamella.h>

/* What is explained, and which part of it. */
typedef struct explain_subject {
    const char *name; /* of the file, as the page shows it */
    const lam_reader *reader;
    const lam_input *input;   /* the bytes of the same file */
    const bool *leaves;       /* that the user chose; NULL: all, or as many as fit */
    uint64_t row_group;       /* UINT64_MAX: that of the record */
    uint64_t record;          /* the first to show, from 0: in the row group if that is given */
    uint64_t limit;           /* records; 0: the default */
    bool is_written_here;     /* of records in JSON */
    bool is_text_cut;         /* only those at the beginning were read */
    const char *const *where; /* conditions; without any the page has some of its own */
    size_t where_count;
    const lam_stop *stop; /* NULL: none */
    bool has_default_schema;
    /* Prints ,"size":{...}; NULL: the page has no findings on sizes. */
    void (*print_size)(const lam_reader *reader, const lam_input *input, const bool *leaves);
} explain_subject;

/* Records that are shown unless another number is given. */
enum { EXPLAIN_RECORDS = 12 };

/*
 * Prints the object by tool_print. Parts that cannot be read are left out, and its member `notes`
 * says why; fails only if nothing can be shown. NOT_FOUND: there is no such row group or record.
 */
lam_status explain_print_document(const explain_subject *subject, lam_error *error);

#endif
