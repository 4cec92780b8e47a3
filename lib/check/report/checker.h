/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The state of one check, which all walkers share: the options, the footer, the row group that is
 * being checked, and what has been counted. It lives for one call of lam_check.
 */
#ifndef LAM_CHECK_REPORT_CHECKER_H
#define LAM_CHECK_REPORT_CHECKER_H

#include <lamella/check.h>
#include <lamella/reader.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "base/thread/stop.h"
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
    lam_arena group_arena;     /* the object that `group` points at */
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

#endif
