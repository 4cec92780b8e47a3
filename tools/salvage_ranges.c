/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lists what is lost of a file: a salvage in, ranges of rows by row group and leaf out. What is in
 * no range was read once, and was sound.
 */
#include "salvage_ranges.h"

#include <stdlib.h>

#include "tool.h"

salvage_ranges salvage_list(const lam_salvage *salvage) {
    salvage_ranges ranges = {NULL, 0};
    lam_salvage_loss loss = lam_salvage_loss_default();
    size_t room = 0;
    while (lam_salvage_loss_at(salvage, ranges.count, &loss, NULL) == LAM_STATUS_OK) {
        if (ranges.count == room) {
            room = 2 * room + 16;
            ranges.items = tool_reallocate(ranges.items, room, sizeof *ranges.items);
        }
        ranges.items[ranges.count++] =
            (salvage_range){loss.row_group, loss.leaf_index, loss.first_row,
                            loss.first_row + loss.row_count, loss.error};
    }
    return ranges;
}

uint64_t salvage_lost_rows(const salvage_ranges *ranges, size_t row_group, size_t leaf,
                           const salvage_range **ret_first) {
    uint64_t lost = 0;
    *ret_first = NULL;
    for (size_t i = 0; i < ranges->count; i++) {
        const salvage_range *range = &ranges->items[i];
        if (range->row_group != row_group || range->leaf != leaf)
            continue;
        if (*ret_first == NULL)
            *ret_first = range;
        lost += range->end - range->first;
    }
    return lost;
}

uint64_t salvage_leaves_at(const salvage_ranges *ranges, size_t row_group, uint64_t row,
                           uint64_t rows, bool *leaves) {
    uint64_t next = rows;
    for (size_t i = 0; i < ranges->count; i++) {
        const salvage_range *range = &ranges->items[i];
        if (range->row_group != row_group)
            continue;
        if (range->first <= row && row < range->end)
            leaves[range->leaf] = false;
        if (range->first > row && range->first < next)
            next = range->first;
        if (range->end > row && range->end < next)
            next = range->end;
    }
    return next;
}
