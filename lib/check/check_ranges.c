/* That the parts of a file do not overlap. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/error.h"
#include "check/checker.h"

lam_status lam_check_add_range(lam_checker *checker, lam_check_location location, uint64_t offset,
                               uint64_t size, const char *what) {
    lam_check_range range = {offset, size, location.row_group, location.column, what};
    if (size == 0)
        return LAM_STATUS_OK;
    return lam_buffer_append(&checker->ranges, &range, sizeof range, checker->error);
}

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
