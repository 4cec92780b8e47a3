/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Divides pages into column chunks when only the schema says what they hold. A row group is one
 * chunk for each leaf, in the order of the schema, all with the same number of rows:
 *
 *     pages      d p p   p p p   d p p p   d p p   p p ...
 *     leaf       0       1       2         0       1, incomplete
 */
#ifndef LAM_DAMAGE_UNFINISHED_PAGE_DIVISION_H
#define LAM_DAMAGE_UNFINISHED_PAGE_DIVISION_H

#include "base/buffer.h"
#include "base/thread/stop.h"
#include "damage/unfinished/file_item.h"
#include "schema/tree.h"

/* What a page holds as one of a leaf's. */
typedef struct lam_page_fit {
    bool fits;     /* it can be read as one */
    bool begins;   /* its first value begins a row */
    uint64_t rows; /* that begin in it */
} lam_page_fit;

typedef struct lam_page_division {
    const lam_walked_page *pages;
    size_t page_count;
    const lam_schema *schema;
    uint64_t group_rows; /* of each row group but the last one of a file; 0: not known */
    bool is_closed;      /* no page follows, so that the last row group is complete */
    /* Counts the rows of a data page as one of a leaf that has levels, or holds byte arrays. */
    lam_status (*count)(void *state, size_t leaf_index, size_t page, lam_page_fit *ret_fit,
                        lam_error *error);
    void *state;
    const lam_allocator *allocator;
    const uint32_t *encodings; /* by leaf, a bit for each that its pages may have; NULL: all */
    const lam_stop *stop;      /* or NULL */
} lam_page_division;

/*
 * Gives the row groups that are complete in every division of the pages: `ret_starts` becomes a
 * list of size_t, the first page of each chunk, and one more, the page after the last. CORRUPT when
 * the pages can be divided in no way, or already the first row group in more than one, so that rows
 * would be a guess; LIMIT when there are too many ways to try. A leaf alone has only one: its rows
 * follow each other, however they are divided.
 *
 * With `ret_cut`, which may be NULL, it also gives what every division has of the row group after
 * them: the first pages of its first chunks, and one more, the page after those that are known to
 * be of the last of these chunks, which may continue. All chunks before that one are complete. It
 * stays empty if there is none; a first row group that is ambiguous is no failure if it has some.
 */
lam_status lam_page_division_find(const lam_page_division *division, lam_buffer *ret_starts,
                                  lam_buffer *ret_cut, lam_error *error);

#endif
