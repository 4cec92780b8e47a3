/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks that column chunks, indexes and Bloom filters do not overlap. Takes ranges from the
 * walkers as they meet them, in any order; after the last row group they are sorted by offset, and
 * one pass finds each range that begins before the end of another.
 *
 *   offset  0    10   20   30   40
 *   a       |---------|                       longest
 *   b            |--|                         overlaps a; a still ends last
 *   c                 |---|                   begins where a ends: fine
 *
 * All ranges are always within the file, so that offset + size cannot overflow. n ranges cost O(n
 * log n).
 */
#include "check/footer/check_ranges.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/error.h"

lam_status lam_check_add_range(lam_checker *checker, lam_check_location location, uint64_t offset,
                               uint64_t size, const char *what) {
    lam_check_range range = {offset, size, location.row_group, location.column, what};
    return lam_buffer_append(&checker->ranges, &range, sizeof range, checker->error);
}

/*
 * A total order, down to row group and column, so that findings do not depend on how qsort treats
 * equals.
 */
static int compare_ranges(const void *left, const void *right) {
    const lam_check_range *a = left, *b = right;
    if (a->offset != b->offset)
        return a->offset < b->offset ? -1 : 1;
    if (a->size != b->size)
        return a->size < b->size ? -1 : 1;
    if (a->row_group != b->row_group)
        return a->row_group < b->row_group ? -1 : 1;
    return (a->column > b->column) - (a->column < b->column);
}

lam_status lam_check_ranges(lam_checker *checker) {
    lam_check_range *ranges = (lam_check_range *)checker->ranges.data;
    size_t count = checker->ranges.size / sizeof *ranges;
    if (count < 2)
        return LAM_STATUS_OK;
    qsort(ranges, count, sizeof *ranges, compare_ranges);
    const lam_check_range *longest = &ranges[0]; /* of those so far, the one that ends last */
    for (size_t i = 1; i < count; i++) {
        const lam_check_range *range = &ranges[i];
        lam_check_location location = {range->row_group, range->column, -1, (int64_t)range->offset};
        /* No underflow: the ranges are sorted, so that `longest` begins at or before this one. */
        if (range->offset - longest->offset < longest->size)
            LAM_TRY(lam_check_report(
                checker, LAM_RULE_RANGE_OVERLAP, location,
                "%s overlaps %s of row group %" PRId32 ", column %" PRId32 ", at offset %" PRIu64,
                range->what, longest->what, longest->row_group, longest->column, longest->offset));
        if (range->offset + range->size > longest->offset + longest->size)
            longest = range;
    }
    return LAM_STATUS_OK;
}
