/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the bit that is wrong in a page header. In come the bytes where a walk expects an item, and
 * finds none, or a page that does not match its checksum; out goes the bit, turned over in what the
 * walk reads.
 *
 *     | header: one bit of it is tried after the other | body                | next item
 *       compressed_page_size, crc                        matches that crc
 *
 * The invariant: nothing is guessed. Only a page with a checksum that its body matches is believed,
 * whose header is as long as it would be written; pages that differ in what they say leave the
 * header as it is. The work is bounded, as anything may look like a header. (parquet.thrift,
 * PageHeader)
 */
#include "damage/unfinished/header_repair.h"

#include <string.h>

#include "base/checked.h"
#include "base/crc32.h"
#include "base/error.h"
#include "meta/compact.h"

enum {
    REPAIR_HEADERS = 64,     /* of a file, that are tried */
    REPAIR_BYTES = 256,      /* of a header, whose bits are tried */
    REPAIR_ROOM = 4 << 10,   /* bytes that may be the header */
    REPAIR_PIECE = 64 << 10, /* bytes that are summed at once */
    REPAIR_WORK = 64 << 20,  /* bytes that are summed, for all headers */
    REPAIR_WORK_FACTOR = 8,  /* and how often those of the file are, beside these */
    REPAIR_MEMORY = 1 << 20  /* of the structs of a header */
};

void lam_header_repair_init(lam_header_repair *repair, const lam_input *input,
                            const lam_allocator *allocator) {
    *repair = (lam_header_repair){.headers_left = REPAIR_HEADERS};
    repair->work_left = REPAIR_WORK + REPAIR_WORK_FACTOR * input->size;
    lam_patched_input_init(&repair->patched, input, allocator);
    lam_arena_init(&repair->arena, allocator, REPAIR_MEMORY);
    lam_buffer_init(&repair->written, allocator);
}

void lam_header_repair_finish(lam_header_repair *repair) {
    lam_patched_input_finish(&repair->patched);
    lam_arena_finish(&repair->arena);
    lam_buffer_finish(&repair->written);
}

/* Sums the bytes of a body; the last sum is remembered, as most bits leave the body as it is. */
static lam_status sum_body(lam_header_repair *repair, lam_file_items *items, uint64_t begin,
                           uint64_t end, lam_error *error) {
    uint32_t crc = 0;
    if (begin == repair->crc_begin && end == repair->crc_end)
        return LAM_STATUS_OK;
    for (uint64_t at = begin, some; at < end; at += some) {
        const uint8_t *bytes;
        some = end - at < REPAIR_PIECE ? end - at : REPAIR_PIECE;
        LAM_TRY(lam_window_lend(&items->window, at, (size_t)some, &bytes, error));
        crc = lam_crc32(crc, bytes, (size_t)some);
    }
    repair->work_left -= end - begin;
    repair->crc_begin = begin;
    repair->crc_end = end;
    repair->crc = crc;
    return LAM_STATUS_OK;
}

/*
 * Parses a page from bytes at `page->offset`; `*ret_fits` when its header has a checksum and is as
 * long as it would be written, so that no bit turned bytes into a field that nobody knows.
 */
static lam_status parse_page(lam_header_repair *repair, lam_bytes bytes, lam_walked_page *page,
                             bool *ret_fits, lam_error *error) {
    lam_meta_page_header header;
    lam_error failure = lam_error_none();
    size_t size;
    *ret_fits = false;
    lam_arena_reset(&repair->arena);
    lam_status status = lam_meta_read_page_header(bytes, &repair->arena, &header, &size, &failure);
    if (status == LAM_STATUS_NOMEM && error != NULL)
        *error = failure;
    if (status == LAM_STATUS_NOMEM)
        return status;
    page->header_size = (uint32_t)size;
    if (status != LAM_STATUS_OK || size == 0 || !lam_walked_page_fill(&header, page) ||
        !page->has_crc)
        return LAM_STATUS_OK;
    lam_buffer_clear(&repair->written);
    LAM_TRY(lam_meta_write_page_header(&header, &repair->written, error));
    *ret_fits = repair->written.size == size;
    return LAM_STATUS_OK;
}

enum { PAGE_NUMBERS = 11 };

/* What a header says of its page, as numbers that can be compared. */
static void list_page_numbers(const lam_walked_page *page, int32_t *ret_numbers) {
    const int32_t numbers[PAGE_NUMBERS] = {(int32_t)page->header_size,
                                           page->compressed_size,
                                           page->uncompressed_size,
                                           page->type,
                                           page->encoding,
                                           page->value_count,
                                           page->null_count,
                                           page->row_count,
                                           page->definition_bytes,
                                           page->repetition_bytes,
                                           page->is_compressed};
    memcpy(ret_numbers, numbers, sizeof numbers);
}

static bool is_same_walked_page(const lam_walked_page *a, const lam_walked_page *b) {
    int32_t left[PAGE_NUMBERS], right[PAGE_NUMBERS];
    list_page_numbers(a, left);
    list_page_numbers(b, right);
    return memcmp(left, right, sizeof left) == 0;
}

/* Tries the bytes with one bit turned over; `*ret_fits` when a sound page begins with them. */
static lam_status try_header(lam_header_repair *repair, lam_file_items *items, lam_bytes bytes,
                             size_t bit, lam_walked_page *page, bool *ret_fits, lam_error *error) {
    LAM_TRY(parse_page(repair, bytes, page, ret_fits, error));
    /* A bit behind the header cannot have been what was wrong with it. */
    uint64_t body = page->offset + page->header_size;
    if (!*ret_fits || bit / 8 >= page->header_size ||
        !lam_range_fits(body, (uint64_t)page->compressed_size, items->window.end) ||
        (uint64_t)page->compressed_size > repair->work_left) {
        *ret_fits = false;
        return LAM_STATUS_OK;
    }
    LAM_TRY(sum_body(repair, items, body, lam_walked_page_end(page), error));
    *ret_fits = repair->crc == page->crc;
    return LAM_STATUS_OK;
}

/* Finds the bit behind `offset` that makes a sound page; SIZE_MAX for none, or several pages. */
static lam_status find_header_bit(lam_header_repair *repair, lam_file_items *items, uint64_t offset,
                                  size_t *ret_bit, lam_error *error) {
    uint8_t room[REPAIR_ROOM];
    const uint8_t *bytes;
    lam_walked_page found = {0};
    size_t found_bit = SIZE_MAX;
    uint64_t left = items->window.end - offset;
    size_t size = left < sizeof room ? (size_t)left : sizeof room;
    *ret_bit = SIZE_MAX;
    LAM_TRY(lam_window_lend(&items->window, offset, size, &bytes, error));
    memcpy(room, bytes, size);
    for (size_t bit = 0; bit < 8 * (size < REPAIR_BYTES ? size : REPAIR_BYTES); bit++) {
        lam_walked_page page = {.offset = offset};
        const uint8_t mask = (uint8_t)(1u << bit % 8);
        bool fits;
        room[bit / 8] ^= mask;
        LAM_TRY(try_header(repair, items, (lam_bytes){room, size}, bit, &page, &fits, error));
        room[bit / 8] ^= mask;
        if (!fits)
            continue;
        if (found_bit != SIZE_MAX && !is_same_walked_page(&page, &found))
            return LAM_STATUS_OK;
        found = page;
        found_bit = found_bit == SIZE_MAX ? bit : found_bit;
    }
    *ret_bit = found_bit;
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

/* Takes back an item of which the header could not be read: zeros may end it anywhere. */
static bool pass_unreadable(const lam_header_repair *repair, lam_file_items *items,
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

/* No bit of its header is what is wrong with a page of which some bytes were passed. */
static bool body_is_unreadable(const lam_header_repair *repair, const lam_walked_page *page) {
    return lam_patched_input_has_gap(&repair->patched, page->offset, lam_walked_page_end(page),
                                     NULL);
}

lam_status lam_header_repair_next(lam_header_repair *repair, lam_file_items *items,
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
    LAM_TRY(find_header_bit(repair, items, ret_item->offset, &bit, error));
    if (bit == SIZE_MAX) {
        repair->found_damage = repair->found_damage || ret_item->kind == LAM_FILE_ITEM_PAGE;
        return LAM_STATUS_OK;
    }
    LAM_TRY(lam_patched_input_flip(&repair->patched, ret_item->offset + bit / 8,
                                   (uint8_t)(1u << bit % 8), error));
    lam_buffer_clear(&items->window.buffer);
    items->next = ret_item->offset;
    return lam_file_items_next(items, ret_item, error);
}
