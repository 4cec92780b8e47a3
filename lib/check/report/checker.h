/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The state of one check and what every walker of this folder needs: the options, the footer, the
 * way to report.
 *
 * Each function declared here reports findings through lam_check_report and gives OK as long as
 * the check can continue. A status other than OK means out of memory, a failed read of the input, a
 * stop, or a status that the callback returned; it ends the whole check. A defect of the file is
 * never a status, always a finding.
 */
#ifndef LAM_CHECK_REPORT_CHECKER_H
#define LAM_CHECK_REPORT_CHECKER_H

#include <lamella/check.h>
#include <lamella/reader.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "base/thread/stop.h"
#include "check/report/rules.h"
#include "chunk/read/column_cursor.h"
#include "codec/codec.h"
#include "file/read/footer.h"
#include "kernel/kernel.h"
#include "schema/tree.h"
#include "stats/value_order.h"

/*
 * The levels of a group of the schema in one row group, as the first column below the group has
 * them; later columns are compared with it.
 */
typedef struct lam_level_digest {
    size_t row_group;  /* in which it was made; SIZE_MAX before the first */
    uint64_t hash;     /* of the levels, cut to those of the group */
    size_t leaf_index; /* of the column that it was made from */
} lam_level_digest;

/* One call of lam_check. The footer and all that it points at live in `arena`, to the very end. */
typedef struct lam_checker {
    lam_allocator allocator;
    const lam_input *input;
    const lam_kernels *kernels; /* of all that is decoded */
    uint64_t memory_limit;      /* bytes; for the footer, and again for each column */
    uint64_t max_rows;          /* of the file; UINT64_MAX is no limit */
    lam_footer_judge judge;
    void *judge_state;
    const lam_stop *stop;     /* or NULL */
    lam_check_callback found; /* gets the findings, with `state` */
    void *state;
    lam_error *error; /* the caller's, for failures only; may be NULL */
    lam_check_totals totals;

    lam_arena arena;           /* the footer and tables made from it */
    lam_footer_view footer;    /* its bytes are owned */
    lam_arena group_arena;     /* what `group` points at */
    lam_meta_row_group group;  /* the current one, with all of its column chunks */
    size_t row_group;          /* its number */
    lam_schema *schema;        /* NULL while or when the footer gives none */
    lam_level_digest *digests; /* by field index */
    bool *sound;         /* by leaf, in the current row group: no error was found in the column */
    unsigned rows_found; /* how often columns were reread to find the row where they differ */
    lam_codec_context *codecs; /* shared by all column chunks */
    lam_buffer ranges;         /* lam_check_range; used bytes of the file */
    bool opened;               /* footer and schema could be read */
    bool holds_rows;           /* some row group has rows and columns */
    bool read_any;             /* some page was read down to its values */
    bool reported_orders;      /* the finding that column orders are missing, once per file */
    uint64_t bytes_left;       /* of the file, not yet claimed by a column chunk */
} lam_checker;

/* Where in the file a finding is; -1 in each member that does not apply. */
typedef struct lam_check_location {
    int32_t row_group;
    int32_t column;
    int64_t row; /* in the row group */
    int64_t offset;
} lam_check_location;

static inline lam_check_location lam_check_nowhere(void) {
    const lam_check_location location = {-1, -1, -1, -1};
    return location;
}

/* The same with an offset; no offset when it is beyond int64_t, as hostile footers can state. */
static inline lam_check_location lam_check_at(lam_check_location location, uint64_t offset) {
    location.offset = offset <= INT64_MAX ? (int64_t)offset : -1;
    return location;
}

static inline lam_check_location lam_check_at_row(lam_check_location location, uint64_t row) {
    /* unreachable: rows are counted one by one */
    location.row = row <= INT64_MAX ? (int64_t)row : -1;
    return location;
}

/*
 * Reports a finding with the rule's own severity. The message is cut at 511 bytes and made one line
 * of printable UTF-8. Gives what the callback returns.
 */
lam_status lam_check_report(lam_checker *checker, lam_rule rule, lam_check_location location,
                            const char *format, ...) LAM_PRINTF(4, 5);

/*
 * Reports a breach of a rule that does not keep readers from the data, as a warning, whatever the
 * severity of the rule.
 */
lam_status lam_check_warn(lam_checker *checker, lam_rule rule, lam_check_location location,
                          const char *message);

/*
 * Turns a failure of the library into a finding: CORRUPT and INVALID into a breach of `rule`,
 * UNSUPPORTED and LIMIT into those rules. OK reports nothing. Other failures (NOMEM, IO, CANCELLED)
 * are not the file's fault and are passed on.
 */
lam_status lam_check_report_failure(lam_checker *checker, lam_rule rule,
                                    lam_check_location location, lam_status status,
                                    const lam_error *failure);

/* A value for a message: a number or a quoted text, cut when long. */
typedef struct lam_shown_value {
    char text[72];
} lam_shown_value;

/* `value` is PLAIN bytes without a length, of any size: hostile bounds are shown too, as text. */
lam_shown_value lam_check_show(const lam_field *leaf, lam_bytes value);

/*
 * The column order of a leaf; an empty union, and `*ret_stated` false, when the footer has no
 * column orders, or not one for each column.
 */
int32_t lam_check_column_order(const lam_checker *checker, const lam_field *leaf, bool *ret_stated);

/* --- The steps of a check, in their order --------------------------------------------------- */

/* Version, number of rows, texts and the judge: all that needs no schema. */
lam_status lam_check_footer(lam_checker *checker);
/*
 * Metadata that readers ignore because their writer is known to get them wrong, whether they are
 * wrong in this file or not. Needs the schema.
 */
lam_status lam_check_known_faults(lam_checker *checker);
/* Checks that a text is UTF-8; `what` names it in the message. */
lam_status lam_check_text(lam_checker *checker, lam_bytes text, const char *what,
                          lam_check_location location);
/* Checks key-value metadata, of the file or of a column chunk: UTF-8, no empty key, none twice. */
lam_status lam_check_key_values(lam_checker *checker, const lam_meta_key_value_list *key_values,
                                lam_check_location location);
/* Checks the schema's elements, their annotations and the column orders. */
lam_status lam_check_schema(lam_checker *checker);
/* Checks all row groups with all their chunks, up to max_rows. */
lam_status lam_check_row_groups(lam_checker *checker);
/*
 * Checks one column chunk down to its values; `*ret_whole` is true when all of it could be read and
 * its counts of values and rows agree with the footer.
 */
lam_status lam_check_chunk(lam_checker *checker, size_t row_group, size_t leaf_index,
                           bool *ret_whole);
/*
 * Opens a reader of a column chunk of the current row group that has been checked. Failures go to
 * `failure`.
 */
lam_status lam_check_open_cursor(const lam_checker *checker, size_t leaf_index,
                                 lam_column_cursor **ret_cursor, lam_error *failure);
enum { LAM_CHECK_SORTING_MOST = 16 }; /* sorting columns that are verified, side by side */

/*
 * Checks the order of the rows in a row group. All of its sorting columns must have been read
 * without loss.
 */
lam_status lam_check_sorting(lam_checker *checker, size_t row_group);

/*
 * Checks the VARIANTs of a row group as values. `sound` says for each leaf that its column is
 * flawless by itself; a VARIANT is checked when all of its columns are.
 */
lam_status lam_check_variants(lam_checker *checker, size_t row_group, const bool *sound);

/* Bytes of the file that nothing else may use. */
typedef struct lam_check_range {
    uint64_t offset;
    uint64_t size;
    int32_t row_group;
    int32_t column;
    const char *what; /* for messages, "the column chunk"; static */
} lam_check_range;

/* Notes a range; an empty one is ignored. The caller has checked that it lies within the file. */
lam_status lam_check_add_range(lam_checker *checker, lam_check_location location, uint64_t offset,
                               uint64_t size, const char *what);
/* Reports each range that overlaps another one; sorts the ranges. */
lam_status lam_check_ranges(lam_checker *checker);

#endif
