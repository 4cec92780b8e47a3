/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks a Parquet file: reads everything in it and compares what the file states about itself with
 * its contents.
 */
#ifndef LAMELLA_CHECK_H
#define LAMELLA_CHECK_H

#include <lamella/common.h>
#include <lamella/io.h>
#include <lamella/stop.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum lam_severity {
    LAM_SEVERITY_NOTE = 0,    /* worth knowing: unusual, or beyond what this build can check */
    LAM_SEVERITY_WARNING = 1, /* departs from the format, but readers get the data */
    LAM_SEVERITY_ERROR = 2    /* the file contradicts the format or itself */
} lam_severity;

/* "note", "warning", "error"; static. */
LAM_PUBLIC const char *lam_severity_name(lam_severity severity);

/* Something that is checked. All members are static. */
typedef struct lam_check_rule {
    const char *id;        /* stable; lower-case letters, digits and hyphens */
    lam_severity severity; /* of the worst breach */
    const char *summary;   /* what holds in a file that keeps the rule */
    const char *section;   /* of the specification, as in "README.md, Checksumming" */
} lam_check_rule;

/* NULL after the last; there may be more in later versions. */
LAM_PUBLIC const lam_check_rule *lam_check_rule_at(size_t index);

/* A breach of a rule. Borrowed for the duration of the callback that reports it. */
typedef struct lam_finding {
    const lam_check_rule *rule;
    int32_t row_group;     /* -1 when no row group is concerned */
    int32_t column;        /* leaf index, -1 when none is concerned */
    int64_t row;           /* in the row group, from 0; -1 when no row is concerned */
    int64_t offset;        /* in the file, -1 when no byte is concerned */
    const char *path;      /* the column's path (lam_field_path), cut when long, with a question
                            mark for what is not printable UTF-8; NULL without a column */
    const char *message;   /* one line without a full stop, printable UTF-8 */
    lam_severity severity; /* the rule's, or less if readers get the data anyway */
} lam_finding;

/*
 * Called with each finding, in the order in which the file is read. Any status other than OK ends
 * the check, which then fails with that status.
 */
typedef lam_status (*lam_check_callback)(void *state, const lam_finding *finding, lam_error *error);

/* What another reader says of a footer. */
typedef enum lam_verdict {
    LAM_VERDICT_AGREES,
    LAM_VERDICT_DISAGREES, /* an error, footer-thrift */
    LAM_VERDICT_NONE       /* it gave no verdict: a note, footer-unjudged */
} lam_verdict;

/*
 * Another reader's opinion of a footer that this library has read. `footer` holds the bytes of the
 * file, `rewritten` the bytes that this library writes for what it has read. Unless the verdict is
 * AGREES, the judge writes one line of explanation into `message`, which has `capacity` bytes. Both
 * byte ranges are borrowed for the call.
 */
typedef lam_verdict (*lam_footer_judge)(void *state, lam_bytes footer, lam_bytes rewritten,
                                        char *message, size_t capacity);

/* Zero means the default in every member. */
typedef struct lam_check_options {
    size_t struct_size;
    const lam_allocator *allocator; /* copied; NULL is the C library's heap */
    uint64_t memory_limit;          /* bytes for the footer, and again for each column; 0: 64 MiB
                                       or 8 times the file's size, whichever is more */
    lam_footer_judge judge;         /* NULL: no other reader is consulted */
    void *judge_state;
    uint64_t max_rows;    /* row groups that reach past this many rows are skipped; 0: none */
    const lam_stop *stop; /* ends the check; borrowed for the call; NULL: never */
} lam_check_options;

LAM_GROWING(lam_check_options);

/* How much was read and found. */
typedef struct lam_check_totals {
    size_t struct_size;
    uint64_t row_groups;
    uint64_t chunks;
    uint64_t pages;  /* of all types */
    uint64_t values; /* triples: nulls included */
    uint64_t errors;
    uint64_t warnings;
    uint64_t notes;
    uint64_t passed_over; /* those of the findings above that report something unchecked */
} lam_check_totals;

LAM_GROWING(lam_check_totals);

/*
 * Checks the file that `input` holds; `input` stays open and belongs to the caller. A damaged page
 * or column is reported and skipped, and the rest is still checked; columns whose codec or encoding
 * this build cannot read are reported and skipped likewise. If nothing after the footer can be
 * checked, that is an error. `options`, `ret_totals` and the callback may be NULL: without one,
 * findings are only counted. Any bytes are allowed: the work is bounded by the size of the file and
 * the number of values in its pages, the memory by the limit.
 *
 * OK when the check came to its end, whatever it found. Otherwise INVALID (options), NOMEM, IO,
 * CANCELLED, or the status that the callback returned.
 */
LAM_PUBLIC LAM_NODISCARD lam_status lam_check(const lam_input *input,
                                              const lam_check_options *options,
                                              lam_check_callback found, void *state,
                                              lam_check_totals *ret_totals, lam_error *error);

#ifdef __cplusplus
}
#endif

#endif
