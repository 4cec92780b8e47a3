/* SPDX-License-Identifier: Apache-2.0 */
/* A visitor that writes one line for each range: see range_lines.h. */
#include "byte_map/range_lines.h"

#include <criterion/criterion.h>
#include <stdio.h>

static lam_status note(void *state, const lam_byte_range *range, bool *expand, lam_error *error) {
    lam_range_lines *all = state;
    (void)error;
    if (++all->ranges == all->fail_at)
        return LAM_STATUS_STATE;
    *expand = !all->is_outline;
    int size = snprintf(all->text + all->size, sizeof all->text - all->size,
                        "%u %u+%u %s%s%s%s%s%s%s\n", range->depth, (unsigned)range->begin,
                        (unsigned)range->length, lam_byte_kind_name(range->kind),
                        range->label == NULL ? "" : " ", range->label == NULL ? "" : range->label,
                        range->value == NULL ? "" : ": ", range->value == NULL ? "" : range->value,
                        range->note == NULL ? "" : " -- ", range->note == NULL ? "" : range->note);
    cr_assert(size > 0 && all->size + (size_t)size < sizeof all->text);
    all->size += (size_t)size;
    return LAM_STATUS_OK;
}

lam_byte_walk lam_range_lines_walk(lam_range_lines *lines) {
    return (lam_byte_walk){.allocator = lam_allocator_default(),
                           .limit = 1 << 20,
                           .visitor = note,
                           .state = lines,
                           .row_group = -1,
                           .column = -1,
                           .page = -1};
}

void lam_range_lines_expect(const lam_byte_walk *like, lam_range_call *call, const void *what,
                            const char *expected) {
    static lam_range_lines all, ended;
    lam_error error = lam_error_none();
    lam_byte_walk walk = *like;
    all = (lam_range_lines){.is_outline = false};
    walk.visitor = note;
    walk.state = &all;
    cr_assert_eq(call(&walk, what, &error), LAM_STATUS_OK, "%s", error.message);
    cr_assert_eq(walk.depth, like->depth);
    cr_expect_str_eq(all.text, expected, "%s", all.text);
    for (uint64_t i = 1; i <= all.ranges; i++) {
        ended = (lam_range_lines){.fail_at = i};
        walk = *like;
        walk.visitor = note;
        walk.state = &ended;
        cr_assert_eq(call(&walk, what, &error), LAM_STATUS_STATE, "range %u", (unsigned)i);
        cr_assert_eq(ended.ranges, i);
    }
}
