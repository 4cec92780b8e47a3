/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Repairs the items of a walk over a file: takes the bytes where a walk expects an item, and finds
 * none, or a page that does not match its checksum, and gives the item, after flipping one bit of
 * its header in what the walk reads.
 *
 *     | header: one bit of it is tried after the other | body                | next item
 *       compressed_page_size, crc                        matches that crc
 *
 * The repair never guesses. Only its checksum is evidence for a page here, so a header without one
 * stays as it is. (parquet.thrift, PageHeader)
 */
#include "damage/unfinished/item_repair.h"

#include "base/checked.h"
#include "base/crc32.h"
#include "base/error.h"

enum { REPAIR_HEADERS = 64 }; /* of a file, that are tried */

void lam_item_repair_init(lam_item_repair *repair, const lam_input *input,
                          const lam_allocator *allocator) {
    *repair = (lam_item_repair){.headers_left = REPAIR_HEADERS};
    lam_patched_input_init(&repair->patched, input, allocator);
    lam_header_repair_init(&repair->headers, &repair->patched, input->size, allocator);
}

void lam_item_repair_finish(lam_item_repair *repair) {
    lam_patched_input_finish(&repair->patched);
    lam_header_repair_finish(&repair->headers);
}

/* A header that may be the one of an item. */
typedef struct item_trial {
    lam_header_repair *headers;
    lam_window *window;
    uint64_t offset;
} item_trial;

/* What a header says about its page. */
static lam_header_outcome outcome_of_walked(const lam_walked_page *page) {
    lam_header_outcome outcome = {.body = page->offset + page->header_size,
                                  .end = lam_walked_page_end(page),
                                  .type = page->type,
                                  .encoding = page->encoding,
                                  .triples = page->value_count,
                                  .rows = page->row_count};
    const int32_t rest[] = {page->uncompressed_size, page->null_count, page->definition_bytes,
                            page->repetition_bytes, page->is_compressed};
    outcome.content = lam_crc32(0, rest, sizeof rest);
    return outcome;
}

/* Met by the header of a page that matches the checksum which it states. */
static lam_status matches_crc(void *state, const lam_meta_page_header *header, size_t header_size,
                              lam_header_outcome *ret_outcome, bool *ret_is_met, lam_error *error) {
    item_trial *trial = state;
    lam_header_repair *headers = trial->headers;
    lam_walked_page page = {.offset = trial->offset, .header_size = (uint32_t)header_size};
    uint64_t body = page.offset + header_size;
    uint32_t crc;
    *ret_is_met = false;
    if (!lam_walked_page_fill(header, &page) || !page.has_crc ||
        !lam_range_fits(body, (uint64_t)page.compressed_size, trial->window->end))
        return LAM_STATUS_OK;
    uint64_t end = lam_walked_page_end(&page);
    if (!lam_header_repair_has_crc(headers, body, end) &&
        !lam_header_repair_spend(headers, end - body))
        return LAM_STATUS_OK;
    LAM_TRY(lam_header_repair_crc(headers, trial->window, body, end, &crc, error));
    *ret_is_met = crc == page.crc;
    if (*ret_is_met)
        *ret_outcome = outcome_of_walked(&page);
    return LAM_STATUS_OK;
}

/* Finds the bit from `offset` on that makes a sound page; SIZE_MAX for none, or several pages. */
static lam_status find_item_bit(lam_item_repair *repair, lam_file_items *items, uint64_t offset,
                                size_t *ret_bit, lam_error *error) {
    lam_header_trial trial;
    item_trial state = {&repair->headers, &items->window, offset};
    const lam_header_goal goal = {&state, matches_crc, repair->patched.stop};
    bool is_ambiguous;
    LAM_TRY(lam_header_trial_begin(&trial, &items->window, offset, items->window.end, error));
    LAM_TRY(lam_header_find_bit(&repair->headers, &trial, &goal, ret_bit, &is_ambiguous, error));
    if (repair->headers.lacks_memory)
        LAM_FAIL(error, LAM_STATUS_NOMEM, "no memory for the header of a page");
    if (is_ambiguous)
        *ret_bit = SIZE_MAX;
    return LAM_STATUS_OK;
}

/* Whether an item that was found needs no repair. */
static lam_status item_is_sound(lam_file_items *items, const lam_file_item *item,
                                bool *ret_is_sound, lam_error *error) {
    *ret_is_sound = item->kind != LAM_FILE_ITEM_TORN && item->kind != LAM_FILE_ITEM_UNKNOWN;
    return item->kind == LAM_FILE_ITEM_PAGE
               ? lam_file_items_check_page(items, &item->page, ret_is_sound, error)
               : LAM_STATUS_OK;
}

/* Takes back an item whose header could not be read: zeros may end it anywhere. */
static bool pass_unreadable(const lam_item_repair *repair, lam_file_items *items,
                            lam_file_item *item) {
    const lam_patched_input *patched = &repair->patched;
    uint64_t end = item->offset + item->header_size;
    if (lam_patched_input_has_gap(patched, item->offset, item->offset + LAM_FILE_ITEM_PEEK, NULL))
        item->begun = LAM_FILE_ITEM_UNKNOWN;
    if (!lam_patched_input_has_gap(patched, item->offset, end, NULL))
        return false;
    item->kind = LAM_FILE_ITEM_UNKNOWN;
    items->next = item->offset;
    return true;
}

/* If some bytes of a page were passed, its fault is not a bit of its header. */
static bool body_is_unreadable(const lam_item_repair *repair, const lam_walked_page *page) {
    return lam_patched_input_has_gap(&repair->patched, page->offset, lam_walked_page_end(page),
                                     NULL);
}

lam_status lam_item_repair_next(lam_item_repair *repair, lam_file_items *items,
                                lam_file_item *ret_item, lam_error *error) {
    bool is_sound;
    size_t bit;
    LAM_TRY(lam_file_items_next(items, ret_item, error));
    if (repair == NULL || pass_unreadable(repair, items, ret_item))
        return LAM_STATUS_OK;
    LAM_TRY(item_is_sound(items, ret_item, &is_sound, error));
    ret_item->page.is_wrong = !is_sound;
    if (is_sound || repair->headers_left == 0)
        return LAM_STATUS_OK;
    if (ret_item->kind == LAM_FILE_ITEM_PAGE && body_is_unreadable(repair, &ret_item->page)) {
        repair->found_damage = true;
        return LAM_STATUS_OK;
    }
    repair->headers_left--;
    LAM_TRY(find_item_bit(repair, items, ret_item->offset, &bit, error));
    if (bit == SIZE_MAX) {
        repair->found_damage = repair->found_damage || ret_item->kind == LAM_FILE_ITEM_PAGE;
        return LAM_STATUS_OK;
    }
    LAM_TRY(lam_header_repair_flip(&repair->headers, &items->window, ret_item->offset + bit / 8,
                                   (uint8_t)(1u << bit % 8), error));
    items->next = ret_item->offset;
    return lam_file_items_next(items, ret_item, error);
}
