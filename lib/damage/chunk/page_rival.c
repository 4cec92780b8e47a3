/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds headers that contradict the pages that were found: when one of the pages may end elsewhere
 * than its header states, another header may lead back to the others.
 *
 *     written      | header | body                       | header | body          | header
 *     damaged      | size <-----> | header | body that swallows the next page     | header
 *                                   in a value               ^ its rival, which ends there, too
 *
 * The invariant: a header whose size is damaged leads into a value, and the bytes there may lead to
 * the end of the chunk as the true pages do, with as many rows and values. The last true page that
 * it passes over still has its header, which ends where a found page begins, or with the chunk. So
 * if no header does that, the found pages are the true ones.
 */
#include "damage/chunk/page_rival.h"

#include <lamella/format.h>

#include "base/error.h"
#include "base/search.h"
#include "base/thread/stop.h"
#include "damage/chunk/page_trust.h"

enum {
    RIVAL_LEAST_PAGE = 8,   /* bytes of the shortest header */
    RIVAL_TRIAL_WORK = 64,  /* of parsing a header, in bytes */
    RIVAL_STOP_STEP = 4096, /* bytes between two questions for the stop */
    RIVAL_PAGE_TYPE = 0x15  /* field 1, an i32: how each header begins */
};

typedef struct rival_search {
    const uint8_t *pages; /* a lam_found_page each */
    size_t count;
    size_t size; /* bytes from one to the next */
} rival_search;

static const lam_found_page *found_page(const rival_search *search, size_t i) {
    return (const lam_found_page *)(const void *)(search->pages + i * search->size);
}

/* True when a page that was found begins at an offset. */
static bool begins_page(const rival_search *search, uint64_t offset) {
    size_t at;
    LAM_BISECT(at, 0, search->count, found_page(search, at)->offset < offset);
    return at < search->count && found_page(search, at)->offset == offset;
}

/* Whether the bytes at an offset are a header that leads back to the pages. */
static lam_status leads_back(lam_page_finder *finder, const rival_search *search, uint64_t offset,
                             bool *ret_leads, lam_error *error) {
    lam_meta_page_header header;
    lam_found_page page = {.offset = offset};
    LAM_TRY(lam_page_read_header(finder, &page, &header, ret_leads, error));
    *ret_leads = *ret_leads && page.type != LAM_PAGE_DICTIONARY &&
                 (page.end == finder->end || begins_page(search, page.end));
    return LAM_STATUS_OK;
}

lam_status lam_page_find_rival(lam_page_finder *finder, const void *pages, size_t count,
                               size_t size, bool *ret_has_rival, lam_error *error) {
    const rival_search search = {pages, count, size};
    const uint64_t from = found_page(&search, 0)->offset + 1;
    *ret_has_rival = false;
    for (uint64_t at = from; !*ret_has_rival && at + RIVAL_LEAST_PAGE <= finder->end; at++) {
        const uint8_t *bytes;
        if ((at - from) % RIVAL_STOP_STEP == 0)
            LAM_TRY(lam_stop_check(finder->chunk->stop, error));
        LAM_TRY(lam_window_lend(&finder->window, at, 1, &bytes, error));
        if (bytes[0] != RIVAL_PAGE_TYPE || begins_page(&search, at))
            continue;
        *ret_has_rival = !lam_header_repair_spend(&finder->repair, RIVAL_TRIAL_WORK);
        if (!*ret_has_rival)
            LAM_TRY(leads_back(finder, &search, at, ret_has_rival, error));
    }
    return LAM_STATUS_OK;
}
