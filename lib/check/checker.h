/*
 * A check at work. Every function of this folder tells what it finds through lam_check_report and
 * gives OK as long as the check can go on: a failure is out of memory, a failed read of the input,
 * or the caller's own wish, and ends everything.
 */
#ifndef LAM_CHECK_CHECKER_H
#define LAM_CHECK_CHECKER_H

#include <lamella/check.h>
#include <lamella/reader.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "base/stop.h"
#include "check/rules.h"
#include "chunk/chunk.h"
#include "codec/codec.h"
#include "file/footer.h"
#include "schema/tree.h"
#include "stats/value_order.h"

/* What the first column of a group of the schema said of it in a row group. */
typedef struct lam_level_digest {
    size_t row_group; /* that said it; SIZE_MAX when none did yet */
    uint64_t hash;    /* of the levels as far as the group */
    size_t leaf_index;
} lam_level_digest;

typedef struct lam_checker {
    lam_allocator allocator;
    const lam_input *input;
    uint64_t memory_limit;
    uint64_t max_rows; /* UINT64_MAX is no limit */
    lam_footer_judge judge;
    void *judge_state;
    const lam_stop *stop; /* or NULL */
    lam_check_callback found;
    void *state;
    lam_error *error;
    lam_check_totals totals;

    lam_arena arena; /* footer */
    lam_footer footer;
    lam_schema *schema;        /* NULL when the footer holds none */
    lam_level_digest *digests; /* by field index */
    bool *sound;               /* by leaf, of the row group at hand: no error was found in it */
    unsigned rows_found;       /* how often columns were read again for the row where they differ */
    lam_codec_context *codecs;
    lam_buffer ranges;    /* lam_check_range */
    bool opened;          /* footer and schema make sense of what is before them */
    bool holds_rows;      /* some row group does, of some columns */
    bool read_any;        /* some page was read, down to its values */
    bool reported_orders; /* that column orders are missing */
    uint64_t bytes_left;  /* of the file, that no column chunk has taken yet */
} lam_checker;

/* Where in the file; -1 where it does not matter. */
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

static inline lam_check_location lam_check_at(lam_check_location location, uint64_t offset) {
    location.offset = offset <= INT64_MAX ? (int64_t)offset : -1;
    return location;
}

static inline lam_check_location lam_check_at_row(lam_check_location location, uint64_t row) {
    location.row = row <= INT64_MAX ? (int64_t)row : -1;
    return location;
}

/* Tells a finding. */
lam_status lam_check_report(lam_checker *checker, lam_rule rule, lam_check_location location,
                            const char *format, ...) LAM_PRINTF(4, 5);

/* Tells a breach of a rule after which readers get the data all the same: a warning. */
lam_status lam_check_warn(lam_checker *checker, lam_rule rule, lam_check_location location,
                          const char *message);

/*
 * Tells a failure of the library: CORRUPT and INVALID as a breach of `rule`, UNSUPPORTED and LIMIT
 * as such. What is nobody's fault but the machine's is passed on.
 */
lam_status lam_check_report_failure(lam_checker *checker, lam_rule rule,
                                    lam_check_location location, lam_status status,
                                    const lam_error *failure);

/* A value for a message, as a number or a quoted text, cut when long. */
typedef struct lam_shown_value {
    char text[72];
} lam_shown_value;

lam_shown_value lam_check_show(const lam_field *leaf, lam_bytes value);

/* The order of a leaf's bounds; `*ret_stated` is false when the footer has no orders. */
lam_value_order lam_check_order(const lam_checker *checker, const lam_field *leaf,
                                bool *ret_stated);

/* --- The parts of a check, in their order --------------------------------------------------- */

/* The footer's own words: version, rows, texts, column orders, the judge. */
lam_status lam_check_footer(lam_checker *checker);
/* What readers should not believe, whether it is wrong in this file or not; with the schema. */
lam_status lam_check_known_faults(lam_checker *checker);
/* Whether a text is UTF-8, and what key-value metadata are by themselves. */
lam_status lam_check_text(lam_checker *checker, lam_bytes text, const char *what,
                          lam_check_location location);
lam_status lam_check_key_values(lam_checker *checker, const lam_meta_key_value_list *key_values,
                                lam_check_location location);
/* The schema's elements and what they annotate. */
lam_status lam_check_schema(lam_checker *checker);
/* All row groups with all their chunks. */
lam_status lam_check_row_groups(lam_checker *checker);
/* One column chunk, down to its values; `*ret_whole` says that all of it could be read. */
lam_status lam_check_chunk(lam_checker *checker, size_t row_group, size_t leaf_index,
                           bool *ret_whole);
/* A reader of a column chunk that was looked at already. */
lam_status lam_check_open_reader(const lam_checker *checker, size_t row_group, size_t leaf_index,
                                 lam_chunk_reader **ret_reader, lam_error *failure);
enum { LAM_CHECK_SORTING_MOST = 16 }; /* sorting columns that are looked at, side by side */

/* The truth of a row group's sorting columns, all of which can be read as far as they are wanted.
 */
lam_status lam_check_sorting(lam_checker *checker, size_t row_group);

/*
 * The VARIANTs of a row group, as values. `sound` says of each leaf that nothing is wrong with its
 * column by itself; a VARIANT is looked at when all of its columns are.
 */
lam_status lam_check_variants(lam_checker *checker, size_t row_group, const bool *sound);

/* A part of the file that belongs to nothing else. */
typedef struct lam_check_range {
    uint64_t offset;
    uint64_t size;
    int32_t row_group;
    int32_t column;
    const char *what; /* "the column chunk"; static */
} lam_check_range;

lam_status lam_check_add_range(lam_checker *checker, lam_check_location location, uint64_t offset,
                               uint64_t size, const char *what);
/* That no two of them overlap. */
lam_status lam_check_ranges(lam_checker *checker);

#endif
