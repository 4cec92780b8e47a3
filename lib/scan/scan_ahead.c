/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs a scan over several row groups at a time where there are threads, and hands them out one by
 * one in their order.
 *
 *     slots    | row group 4 | row group 5 | row group 6 |   found together, one task each
 *                taken         next          waiting
 *
 * A slot is a whole scan with ranges, cache and report of its own, so that tasks share nothing but
 * the reader, which never changes. The invariant: slots are refilled only when all of them were
 * taken, so what the caller holds stays valid until its next call. A failure stays in its slot
 * until its turn: the rows of earlier row groups are handed out first, as they would be without
 * threads.
 */
#include "scan/scan_ahead.h"

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
 * Row groups together pay only with a filter: without one there is nothing to find. The slots share
 * the budget of the caches.
 */
lam_status lam_scan_ahead_init(lam_scan_ahead *ahead, const lam_reader *reader,
                               const lam_scan_plan *plan, lam_error *error) {
    bool all = plan->row_groups == NULL;
    size_t count = all ? lam_reader_row_group_count(reader) : plan->row_group_count;
    size_t together = plan->together > 0 && plan->filter != NULL ? plan->together : 1;
    void *memory;
    memset(ahead, 0, sizeof *ahead);
    ahead->allocator = reader->allocator;
    LAM_TRY(lam_scan_check_filter(reader, plan->filter, error));
    LAM_TRY(lam_alloc_array(&ahead->allocator, count, sizeof(size_t), &memory, error));
    ahead->row_groups = memory;
    ahead->row_group_count = count;
    for (size_t i = 0; i < count; i++)
        ahead->row_groups[i] = all ? i : plan->row_groups[i];
    together = together < count ? together : count;
    LAM_TRY(lam_alloc_array(&ahead->allocator, together, sizeof(lam_scan_slot), &memory, error));
    ahead->slots = memory;
    ahead->slot_count = together;
    for (size_t i = 0; i < together; i++) {
        lam_scan_init(&ahead->slots[i].scan, reader, plan->filter, plan->no_pruning);
        lam_scan_cache_pages(&ahead->slots[i].scan, plan->leaves,
                             lam_scan_cache_budget(reader, together));
    }
    return LAM_STATUS_OK;
}

/* Also after a failed init: counts are set only behind what they count. */
void lam_scan_ahead_finish(lam_scan_ahead *ahead) {
    for (size_t i = 0; i < ahead->slot_count; i++)
        lam_scan_finish(&ahead->slots[i].scan);
    lam_free(&ahead->allocator, ahead->slots, ahead->slot_count * sizeof(lam_scan_slot));
    lam_free(&ahead->allocator, ahead->row_groups, ahead->row_group_count * sizeof(size_t));
}

/* The task of one slot; runs on any thread and touches its own slot only. */
static void find_matches(void *context, size_t index) {
    lam_scan_ahead *ahead = context;
    lam_scan_slot *slot = &ahead->slots[index];
    slot->error = lam_error_none();
    slot->row_group = ahead->row_groups[ahead->next + index];
    slot->status = lam_scan_group(&slot->scan, slot->row_group, &slot->error);
}

/*
 * Fills all slots when the last one was taken. A single row group is searched on the calling
 * thread.
 */
lam_status lam_scan_ahead_next(lam_scan_ahead *ahead, lam_run_tasks *run, void *state,
                               lam_scan **ret_scan, size_t *ret_row_group, lam_error *error) {
    *ret_scan = NULL;
    if (ahead->taken == ahead->found) {
        size_t left = ahead->row_group_count - ahead->next;
        ahead->found = left < ahead->slot_count ? left : ahead->slot_count;
        ahead->taken = 0;
        if (ahead->found > 1)
            run(state, find_matches, ahead, ahead->found);
        else if (ahead->found == 1)
            find_matches(ahead, 0);
        ahead->next += ahead->found;
    }
    if (ahead->found == 0)
        return LAM_STATUS_OK;
    lam_scan_slot *slot = &ahead->slots[ahead->taken++];
    if (slot->status != LAM_STATUS_OK && error != NULL)
        *error = slot->error;
    LAM_TRY(slot->status);
    *ret_scan = &slot->scan;
    *ret_row_group = slot->row_group;
    return LAM_STATUS_OK;
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
