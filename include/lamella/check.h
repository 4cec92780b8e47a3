/*
 * Checking a Parquet file: everything in it is read, and what the file says about itself is
 * compared with what is there.
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
    LAM_SEVERITY_WARNING = 1, /* the format asks for something else, but readers get the data */
    LAM_SEVERITY_ERROR = 2    /* the file contradicts the format or itself */
} lam_severity;

/* "note", "warning", "error"; static. */
LAM_PUBLIC const char *lam_severity_name(lam_severity severity);

/* Something that is looked at. All is static. */
typedef struct lam_check_rule {
    const char *id;        /* stable, of lower-case letters, digits and hyphens */
    lam_severity severity; /* of the worst breach */
    const char *summary;   /* what holds in a file that keeps the rule */
    const char *section;   /* of the specification, "README.md, Checksumming" */
} lam_check_rule;

LAM_PUBLIC size_t lam_check_rule_count(void);
/* NULL when out of range. */
LAM_PUBLIC const lam_check_rule *lam_check_rule_at(size_t index);

/* A breach of a rule. Borrowed for the duration of the call that tells it. */
typedef struct lam_finding {
    const lam_check_rule *rule;
    int32_t row_group;   /* -1 when none is concerned */
    int32_t column;      /* leaf index, -1 when none is concerned */
    int64_t row;         /* in the row group, from 0; -1 when no row is concerned */
    int64_t offset;      /* in the file, -1 when no byte is concerned */
    const char *path;    /* the column's path, names joined by dots, cut when long, with a question
                            mark for what is not printable UTF-8; NULL when there is none */
    const char *message; /* one line without a full stop, printable UTF-8 */
    lam_severity severity; /* that of the rule, or less where readers get the data all the same */
} lam_finding;

/*
 * Is told each finding, in the order in which the file is read. Any status but OK ends the check,
 * which then fails with it.
 */
typedef lam_status (*lam_check_callback)(void *state, const lam_finding *finding, lam_error *error);

/* What another reader says. */
typedef enum lam_verdict {
    LAM_VERDICT_AGREES,
    LAM_VERDICT_DISAGREES, /* an error, footer-thrift */
    LAM_VERDICT_NONE       /* it could not be asked: a note, footer-unjudged */
} lam_verdict;

/*
 * Another reader's opinion of a footer that this library has read. `footer` is as it stands in the
 * file, `rewritten` is what this library writes for what it read. Unless it agrees, it puts a line
 * of words into `message`. Both are borrowed for the call.
 */
typedef lam_verdict (*lam_footer_judge)(void *state, lam_bytes footer, lam_bytes rewritten,
                                        char *message, size_t capacity);

/* Zero means the default in every member. */
typedef struct lam_check_options {
    size_t struct_size;
    const lam_allocator *allocator; /* copied; NULL is the C library's heap */
    uint64_t memory_limit;          /* bytes for the footer, and for the column that is looked at;
                                       0 is 64 MiB or 8 times the file's size, whichever is more */
    lam_footer_judge judge;         /* NULL: nobody else is asked */
    void *judge_state;
    uint64_t max_rows;    /* row groups with rows behind so many are passed over; 0: none is */
    const lam_stop *stop; /* ends the check; borrowed for the call; NULL: never */
} lam_check_options;

LAM_GROWING(lam_check_options);

/* How much was read. */
typedef struct lam_check_totals {
    size_t struct_size;
    uint64_t row_groups;
    uint64_t chunks;
    uint64_t pages;  /* of all types */
    uint64_t values; /* triples: nulls included */
    uint64_t errors;
    uint64_t warnings;
    uint64_t notes;
    uint64_t passed_over; /* of these findings, those that tell of something not looked at */
} lam_check_totals;

LAM_GROWING(lam_check_totals);

/*
 * Checks the file that `input` holds, which stays the caller's and open. A damaged page or column
 * is told and passed over, and the rest is still checked; so are columns whose codec or encoding
 * this build does not read. Where nothing behind the footer can be looked at that is an error.
 * `options` and `ret_totals` may be NULL. Any bytes are allowed: work is
 * bounded by the bytes of the file and the values that its pages hold, memory by the limit.
 *
 * OK when all was looked at, whatever was found. Else INVALID (options), NOMEM, IO, CANCELLED, or
 * what the callback gave.
 */
LAM_PUBLIC LAM_NODISCARD lam_status lam_check(const lam_input *input,
                                              const lam_check_options *options,
                                              lam_check_callback found, void *state,
                                              lam_check_totals *ret_totals, lam_error *error);

#ifdef __cplusplus
}
#endif

#endif
