/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs a scan over several row groups at a time if there are threads, and hands them out one by one
 * in their order.
 *
 *     slots    | row group 4 | row group 5 | row group 6 |   one task each
 *                the caller's  found         spare: may be searched while the caller reads
 *
 * A slot is a complete scan with ranges, cache and report of its own, so that tasks share nothing
 * but the reader, which never changes. The invariant: the slot that was handed out last is refilled
 * only after the caller's next call, so the caller's scan stays valid until then. A failure stays
 * in its slot until its turn: the rows of earlier row groups are handed out first, as they would be
 * without threads.
 */
#include "scan/rows/scan_ahead.h"

#include "base/alloc.h"
#include "base/error.h"

/* One row group that was searched, or that failed. */
struct lam_scan_slot {
    lam_scan scan;
    size_t row_group;
    lam_status status;
    lam_error error;
};

/*
 * Row groups together pay only with a filter: without one there is no search. One slot more is the
 * caller's. The slots share the budget of the caches.
 */
lam_status lam_scan_ahead_init(lam_scan_ahead *ahead, const lam_reader *reader,
                               const lam_scan_plan *plan, lam_error *error) {
    bool all = plan->row_groups == NULL;
    size_t count = all ? lam_reader_row_group_count(reader) : plan->row_group_count;
    size_t together = plan->together > 0 && plan->filter != NULL ? plan->together : 1;
    memset(ahead, 0, sizeof *ahead);
    ahead->allocator = reader->allocator;
    LAM_TRY(lam_scan_check_filter(reader, plan->filter, error));
    LAM_TRY(LAM_ARRAY(&ahead->allocator, count, &ahead->row_groups, error));
    ahead->row_group_count = count;
    for (size_t i = 0; i < count; i++)
        ahead->row_groups[i] = all ? i : plan->row_groups[i];
    together = together < count ? together : count;
    size_t slots = together > 1 && together < count ? together + 1 : together;
    LAM_TRY(LAM_ARRAY(&ahead->allocator, slots, &ahead->slots, error));
    ahead->slot_count = slots;
    ahead->together = together;
    for (size_t i = 0; i < slots; i++) {
        lam_scan_init(&ahead->slots[i].scan, reader, plan->filter, plan->no_pruning);
        lam_scan_cache_pages(&ahead->slots[i].scan, plan->leaves,
                             lam_scan_cache_budget(reader, slots));
    }
    return LAM_STATUS_OK;
}

/* Also after a failed init: counts are set only after what they count. */
void lam_scan_ahead_finish(lam_scan_ahead *ahead) {
    for (size_t i = 0; i < ahead->slot_count; i++)
        lam_scan_finish(&ahead->slots[i].scan);
    lam_free(&ahead->allocator, ahead->slots, ahead->slot_count * sizeof(lam_scan_slot));
    lam_free(&ahead->allocator, ahead->row_groups, ahead->row_group_count * sizeof(size_t));
}

static lam_scan_slot *slot_of(const lam_scan_ahead *ahead, size_t index) {
    return &ahead->slots[index % ahead->slot_count];
}

/* The task of one slot; runs on any thread and touches its own slot only. */
static void find_matches(void *context, size_t index) {
    lam_scan_ahead *ahead = context;
    lam_scan_slot *slot = slot_of(ahead, ahead->next + index);
    slot->error = lam_error_none();
    slot->row_group = ahead->row_groups[ahead->next + index];
    slot->status = lam_scan_group(&slot->scan, slot->row_group, &slot->error);
}

/*
 * Searches again when the last row group that was found is taken. A single row group is searched on
 * the calling thread.
 */
lam_status lam_scan_ahead_next(lam_scan_ahead *ahead, lam_run_tasks *run, void *state,
                               lam_scan **ret_scan, size_t *ret_row_group, lam_error *error) {
    *ret_scan = NULL;
    if (ahead->taken == ahead->next) {
        size_t left = ahead->row_group_count - ahead->next;
        size_t count = left < ahead->together ? left : ahead->together;
        if (count > 1)
            run(state, find_matches, ahead, count);
        else if (count == 1)
            find_matches(ahead, 0);
        ahead->next += count;
    }
    if (ahead->taken == ahead->next)
        return LAM_STATUS_OK;
    lam_scan_slot *slot = slot_of(ahead, ahead->taken++);
    if (slot->status != LAM_STATUS_OK && error != NULL)
        *error = slot->error;
    LAM_TRY(slot->status);
    *ret_scan = &slot->scan;
    *ret_row_group = slot->row_group;
    return LAM_STATUS_OK;
}

size_t lam_scan_ahead_spare(const lam_scan_ahead *ahead) {
    size_t left = ahead->row_group_count - ahead->next;
    size_t used = 1 + (ahead->next - ahead->taken); /* the caller's, and those that wait */
    size_t spare = ahead->slot_count > used ? ahead->slot_count - used : 0;
    return ahead->together < 2 ? 0 : left < spare ? left : spare;
}

void lam_scan_ahead_search(lam_scan_ahead *ahead, size_t index) {
    find_matches(ahead, index);
}

/*
 * Memory is short only because the caller reads at the same time: without threads, its columns are
 * closed by then. Row groups after such a failure are dropped, too, as they have an order.
 */
void lam_scan_ahead_keep(lam_scan_ahead *ahead, size_t count) {
    for (size_t i = 0; i < count; i++) {
        lam_status status = slot_of(ahead, ahead->next)->status;
        if (status == LAM_STATUS_LIMIT || status == LAM_STATUS_NOMEM)
            break;
        ahead->next++;
    }
}

/* Every member is a sum, so reports of slots add up to that of the scan. */
static void scan_ahead_add(lam_scan_report *sum, const lam_scan_report *addend) {
    sum->row_groups += addend->row_groups;
    sum->row_groups_by_statistics += addend->row_groups_by_statistics;
    sum->row_groups_by_bloom += addend->row_groups_by_bloom;
    sum->row_groups_by_pages += addend->row_groups_by_pages;
    sum->row_groups_by_dictionary += addend->row_groups_by_dictionary;
    sum->pages += addend->pages;
    sum->pages_pruned += addend->pages_pruned;
    sum->rows += addend->rows;
    sum->rows_pruned += addend->rows_pruned;
    sum->rows_wanted += addend->rows_wanted;
    sum->index_bytes += addend->index_bytes;
    sum->filter_page_bytes += addend->filter_page_bytes;
}

lam_scan_report lam_scan_ahead_report(const lam_scan_ahead *ahead) {
    lam_scan_report sum = {0};
    for (size_t i = 0; i < ahead->slot_count; i++)
        scan_ahead_add(&sum, &ahead->slots[i].scan.report);
    return sum;
}
