/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The state of a salvage, for its sources, in their order: salvage_displaced.c finds chunks that
 * are not where they must be, salvage.c surveys the other chunks of a file, salvage_clashes.c
 * compares the levels of its columns, salvage_losses.c walks over the losses, salvage_plan.c
 * decides about rows with lost columns, salvage_records.c reads them, salvage_write.c writes them.
 */
#ifndef LAM_DAMAGE_SALVAGE_SALVAGE_STATE_H
#define LAM_DAMAGE_SALVAGE_SALVAGE_STATE_H

#include <lamella/salvage.h>

#include "base/list.h"
#include "damage/chunk/page_survey.h"
#include "file/read/file_reader.h"
#include "io/patched_input.h"

/* Rows of a row group in which the same columns are lost. */
typedef struct lam_salvage_range {
    size_t row_group;
    uint64_t begin;
    uint64_t end;
    size_t lost; /* leaves */
    bool is_left_out;
    size_t leaves; /* index of its first element in `leaves` of the salvage; SIZE_MAX: all intact */
} lam_salvage_range;

/* The decision about a leaf in such rows. */
typedef struct lam_salvage_leaf {
    bool is_lost;
    uint32_t null_field; /* index of the field that is null, the leaf or a group; 0: none */
    int32_t guide;       /* leaf whose levels show where that field is; -1: once in each row */
} lam_salvage_leaf;

/*
 * Rows in which the levels of columns contradict each other, or those of one column themselves. It
 * is unknown which are right: all of these columns are lost there.
 */
typedef struct lam_salvage_clash {
    size_t row_group;
    uint32_t top;        /* index of the top-level field */
    uint32_t first_leaf; /* of the columns */
    uint32_t leaf_count;
    lam_page_loss loss; /* of no page */
} lam_salvage_clash;

/* A loss by the column that has it. */
typedef struct lam_column_loss {
    size_t row_group;
    size_t leaf;
    const lam_page_loss *loss;
} lam_column_loss;

struct lam_salvage {
    lam_allocator allocator;
    lam_salvage_options options;
    lam_patched_input patched;
    lam_reader reader; /* a copy of the caller's, which owns nothing, over `patched` */
    lam_read_session session;
    lam_reader_holes holes;
    bool has_crcs;             /* the first page of some chunk has a checksum */
    lam_page_survey **surveys; /* by row group, then leaf; NULL: intact */
    size_t survey_count;
    LAM_LIST(lam_salvage_clash) clashes; /* by row group, top-level field, and rows */
    LAM_LIST(lam_column_loss) losses;    /* by row group, then leaf, then row */
    LAM_LIST(lam_salvage_range) ranges;  /* all rows of the file, in order */
    LAM_LIST(lam_salvage_leaf) leaves;
    lam_schema *schema; /* of the output */
    lam_salvage_report report;
};

/*
 * Loses all chunks that share bytes, or begin in the midst of a page, ahead of any survey:
 * `surveys` has those of no others then. NOMEM, CANCELLED.
 */
lam_status lam_salvage_find_displaced(lam_salvage *salvage, lam_error *error);

/*
 * Compares the levels of all columns where no survey has lost them, and notes clashes. Reads all
 * nested columns. NOMEM, IO, CANCELLED, LIMIT.
 */
lam_status lam_salvage_find_clashes(lam_salvage *salvage, lam_error *error);

/* Divides all rows of the file by their losses, decides about them, and counts. NOMEM. */
lam_status lam_salvage_plan(lam_salvage *salvage, lam_error *error);

static inline const lam_page_survey *lam_salvage_survey_of(const lam_salvage *salvage,
                                                           size_t row_group, size_t leaf) {
    return salvage->surveys[row_group * salvage->reader.schema->leaf_count + leaf];
}

#endif
