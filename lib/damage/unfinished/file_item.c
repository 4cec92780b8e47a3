/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Steps through a file forwards, from item to item: takes bytes that may be anything, and gives
 * headers of pages, recovery records and the sizes of all else.
 *
 * The invariant: an item is decided by its first bytes, which the structs of the format have in
 * common and distinguish, and its end by its own header alone. The inside of an item, such as the
 * values of a page, is never taken for one. An item that passes the end of the file is TORN, so
 * that bytes at the end which belong to it are known to be its contents. (parquet.thrift,
 * PageHeader, BloomFilterHeader, FileMetaData, ColumnIndex, OffsetIndex)
 */
#include "damage/unfinished/file_item.h"

#include <assert.h>
#include <inttypes.h>
#include <lamella/format.h>

#include "base/bytes.h"
#include "base/checked.h"
#include "base/crc32.h"
#include "base/error.h"
#include "file/read/footer.h"
#include "meta/compact.h"
#include "meta/page_header.h"

enum {
    ITEM_FIRST_TRY = 4 << 10,          /* bytes of a struct; most are shorter */
    ITEM_PAGE_HEADER_LIMIT = 16 << 20, /* as for the pages of a chunk: see page_walk.c */
    ITEM_BLOOM_HEADER_LIMIT = 1 << 10, /* bytes; present headers take about 15 */
    ITEM_PIECE = 256 << 10             /* bytes of a body that are summed at once */
};

void lam_file_items_init(lam_file_items *items, const lam_input *input, size_t read_ahead,
                         uint64_t limit, const lam_allocator *allocator) {
    lam_window_init(&items->window, input, input->size, read_ahead, allocator);
    lam_arena_init(&items->arena, allocator, ITEM_PAGE_HEADER_LIMIT);
    items->next = LAM_FOOTER_MAGIC_SIZE;
    items->limit = limit;
}

void lam_file_items_finish(lam_file_items *items) {
    lam_window_finish(&items->window);
    lam_arena_finish(&items->arena);
}

/* A list as the second field: of structs, a footer's schema; of i32, the encodings of a chunk. */
static lam_file_item_kind kind_of_list(const uint8_t *bytes, size_t size) {
    if (size < 2)
        return LAM_FILE_ITEM_TORN;
    return (bytes[1] & 15) == 5 ? LAM_FILE_ITEM_COLUMN : LAM_FILE_ITEM_FOOTER;
}

/*
 * Decides what begins with these bytes, LAM_FILE_ITEM_PEEK of them unless the file ends. The second
 * field follows a number of 1 to 5 bytes, or 10 of an i64.
 */
static lam_file_item_kind kind_of_item(const uint8_t *bytes, size_t size) {
    size_t second = 1;
    if (bytes[0] == LAM_RECOVERY_MAGIC[0])
        return LAM_FILE_ITEM_RECORD;
    if (size < 2)
        return bytes[0] == 0x15 || bytes[0] == 0x19 || bytes[0] == 0x26 ? LAM_FILE_ITEM_TORN
                                                                        : LAM_FILE_ITEM_UNKNOWN;
    if (bytes[0] == 0x19) {
        uint8_t element = bytes[1] & 15;
        return element == 1 || element == 2 || element == 12 ? LAM_FILE_ITEM_INDEX
                                                             : LAM_FILE_ITEM_UNKNOWN;
    }
    if (bytes[0] != 0x15 && bytes[0] != 0x26)
        return LAM_FILE_ITEM_UNKNOWN;
    while (second < size && bytes[second] >= 0x80)
        second++;
    second++;
    if (second >= size)
        return size < LAM_FILE_ITEM_PEEK ? LAM_FILE_ITEM_TORN : LAM_FILE_ITEM_UNKNOWN;
    if (bytes[0] == 0x26)
        return bytes[second] == 0x1C ? LAM_FILE_ITEM_COLUMN : LAM_FILE_ITEM_UNKNOWN;
    switch (bytes[second]) {
    case 0x15:
        return LAM_FILE_ITEM_PAGE;
    case 0x1C:
        return LAM_FILE_ITEM_BLOOM;
    case 0x19:
        return kind_of_list(bytes + second, size - second);
    default:
        return LAM_FILE_ITEM_UNKNOWN;
    }
}

/* Reads one struct from bytes that may end inside it; gives 0 then. */
typedef lam_status item_parser(lam_bytes bytes, lam_arena *arena, void *ret, size_t *ret_size,
                               lam_error *error);

static lam_status item_parse_page(lam_bytes bytes, lam_arena *arena, void *ret, size_t *ret_size,
                                  lam_error *error) {
    return lam_meta_read_page_header(bytes, arena, ret, ret_size, error);
}

static lam_status item_parse_bloom(lam_bytes bytes, lam_arena *arena, void *ret, size_t *ret_size,
                                   lam_error *error) {
    return lam_meta_read_bloom_filter_header(bytes, arena, ret, ret_size, error);
}

static lam_status item_measure(lam_bytes bytes, lam_arena *arena, void *ret, size_t *ret_size,
                               lam_error *error) {
    (void)arena;
    (void)ret;
    return lam_meta_measure(bytes, ret_size, error);
}

/*
 * Parses the struct at `next` from twice the bytes each time until it is complete. `item->kind`
 * becomes TORN when the file ends first, UNKNOWN when the bytes are no such struct. An error of the
 * bytes only ends the walk, so it has no message; `limit` bytes are the most that are tried.
 */
static lam_status item_parse(lam_file_items *items, item_parser *parse, uint64_t limit, void *ret,
                             lam_file_item *item, size_t *ret_size, lam_error *error) {
    uint64_t left = items->window.end - items->next;
    *ret_size = 0;
    for (uint64_t wanted = ITEM_FIRST_TRY;; wanted *= 2) {
        lam_error ignored = lam_error_none();
        lam_bytes bytes = {NULL, (size_t)(wanted < left ? wanted : left)};
        LAM_TRY(lam_window_lend(&items->window, items->next, bytes.size, &bytes.data, error));
        lam_arena_reset(&items->arena);
        lam_status status = parse(bytes, &items->arena, ret, ret_size, &ignored);
        if (status == LAM_STATUS_NOMEM) {
            if (error != NULL)
                *error = ignored;
            return status;
        }
        if (status != LAM_STATUS_OK)
            item->kind = LAM_FILE_ITEM_UNKNOWN;
        else if (*ret_size == 0 && bytes.size == left)
            item->kind = LAM_FILE_ITEM_TORN;
        else if (*ret_size == 0 && wanted >= limit)
            item->kind = LAM_FILE_ITEM_UNKNOWN;
        else if (*ret_size == 0)
            continue;
        return LAM_STATUS_OK;
    }
}

/* True while the item is still what its first bytes said. */
static bool item_ends_within(const lam_file_items *items, lam_file_item *item, uint64_t size) {
    item->size = size;
    if (!lam_range_fits(items->next, size, items->window.end))
        item->kind = LAM_FILE_ITEM_TORN;
    return item->kind != LAM_FILE_ITEM_TORN;
}

bool lam_walked_page_fill(const lam_meta_page_header *header, lam_walked_page *page) {
    const lam_meta_data_page_header_v2 *v2 = header->data_page_header_v2;
    page->type = header->type;
    page->compressed_size = header->compressed_page_size;
    page->uncompressed_size = header->uncompressed_page_size;
    page->has_crc = (header->has & LAM_META_PAGE_HEADER_HAS_CRC) != 0;
    page->crc = (uint32_t)header->crc;
    page->null_count = page->row_count = page->definition_bytes = page->repetition_bytes = -1;
    page->is_compressed = true;
    page->is_sound = true;
    page->value_count = lam_page_header_count(header);
    page->encoding = lam_page_header_encoding(header);
    if (page->type == LAM_PAGE_DATA_V2) {
        page->null_count = v2->num_nulls;
        page->row_count = v2->num_rows;
        page->definition_bytes = v2->definition_levels_byte_length;
        page->repetition_bytes = v2->repetition_levels_byte_length;
        page->is_compressed = v2->is_compressed;
    }
    return page->compressed_size >= 0 && page->uncompressed_size >= 0 && page->value_count >= 0;
}

static lam_status next_page(lam_file_items *items, lam_file_item *item, lam_error *error) {
    lam_meta_page_header header;
    size_t size;
    LAM_TRY(
        item_parse(items, item_parse_page, ITEM_PAGE_HEADER_LIMIT, &header, item, &size, error));
    if (item->kind != LAM_FILE_ITEM_PAGE)
        return LAM_STATUS_OK;
    item->page = (lam_walked_page){.offset = items->next, .header_size = (uint32_t)size};
    if (!lam_walked_page_fill(&header, &item->page))
        item->kind = LAM_FILE_ITEM_UNKNOWN;
    else
        item_ends_within(items, item, size + (uint64_t)item->page.compressed_size);
    item->header_size = size;
    return LAM_STATUS_OK;
}

static lam_status next_bloom(lam_file_items *items, lam_file_item *item, lam_error *error) {
    lam_meta_bloom_filter_header header;
    size_t size;
    LAM_TRY(
        item_parse(items, item_parse_bloom, ITEM_BLOOM_HEADER_LIMIT, &header, item, &size, error));
    if (item->kind != LAM_FILE_ITEM_BLOOM)
        return LAM_STATUS_OK;
    if (header.num_bytes <= 0)
        item->kind = LAM_FILE_ITEM_UNKNOWN;
    else
        item_ends_within(items, item, size + (uint64_t)header.num_bytes);
    item->header_size = size;
    return LAM_STATUS_OK;
}

/* An item that is one struct and no more. */
static lam_status next_struct(lam_file_items *items, lam_file_item *item, lam_error *error) {
    size_t size;
    LAM_TRY(item_parse(items, item_measure, items->limit, NULL, item, &size, error));
    item->size = size;
    return LAM_STATUS_OK;
}

/* A footer is one only with its own size and the magic after it. */
static lam_status next_footer(lam_file_items *items, lam_file_item *item, lam_error *error) {
    const uint8_t *tail;
    size_t size;
    LAM_TRY(item_parse(items, item_measure, items->limit, NULL, item, &size, error));
    if (item->kind != LAM_FILE_ITEM_FOOTER ||
        !item_ends_within(items, item, size + (uint64_t)LAM_FOOTER_TAIL_SIZE))
        return LAM_STATUS_OK;
    LAM_TRY(
        lam_window_lend(&items->window, items->next + size, LAM_FOOTER_TAIL_SIZE, &tail, error));
    if (lam_load_le32(tail) != size ||
        memcmp(tail + 4, LAM_FOOTER_MAGIC, LAM_FOOTER_MAGIC_SIZE) != 0)
        item->kind = LAM_FILE_ITEM_UNKNOWN;
    return LAM_STATUS_OK;
}

/* A record is one only with the right checksum; until then its size only says how much to read. */
static lam_status next_record(lam_file_items *items, lam_file_item *item, lam_error *error) {
    lam_bytes record;
    if (!item_ends_within(items, item, LAM_RECOVERY_HEADER_SIZE))
        return LAM_STATUS_OK;
    LAM_TRY(lam_window_lend(&items->window, items->next, LAM_RECOVERY_HEADER_SIZE, &record.data,
                            error));
    if (!lam_recovery_header_read(record.data, &item->header)) {
        item->kind = LAM_FILE_ITEM_UNKNOWN;
        return LAM_STATUS_OK;
    }
    if (!item_ends_within(items, item,
                          LAM_RECOVERY_HEADER_SIZE + (uint64_t)item->header.size +
                              LAM_RECOVERY_CRC_SIZE))
        return LAM_STATUS_OK;
    if (item->size > items->limit)
        LAM_FAIL(error, LAM_ERROR_CODE_MEMORY_LIMIT,
                 "a recovery record of %" PRIu64 " bytes is above the memory limit of %" PRIu64
                 " (option memory_limit)",
                 item->size, items->limit);
    record.size = (size_t)item->size;
    LAM_TRY(lam_window_lend(&items->window, items->next, record.size, &record.data, error));
    if (!lam_recovery_record_check(record))
        item->kind = LAM_FILE_ITEM_UNKNOWN;
    item->body.data = record.data + LAM_RECOVERY_HEADER_SIZE;
    item->body.size = item->header.size;
    return LAM_STATUS_OK;
}

lam_status lam_file_items_next(lam_file_items *items, lam_file_item *ret_item, lam_error *error) {
    uint64_t left = items->window.end - items->next;
    lam_file_item item = {.kind = LAM_FILE_ITEM_END, .offset = items->next};
    const uint8_t *bytes;
    if (left > 0) {
        size_t size = left < LAM_FILE_ITEM_PEEK ? (size_t)left : LAM_FILE_ITEM_PEEK;
        LAM_TRY(lam_window_lend(&items->window, items->next, size, &bytes, error));
        item.kind = item.begun = kind_of_item(bytes, size);
    }
    if (item.kind == LAM_FILE_ITEM_PAGE)
        LAM_TRY(next_page(items, &item, error));
    else if (item.kind == LAM_FILE_ITEM_BLOOM)
        LAM_TRY(next_bloom(items, &item, error));
    else if (item.kind == LAM_FILE_ITEM_INDEX || item.kind == LAM_FILE_ITEM_COLUMN)
        LAM_TRY(next_struct(items, &item, error));
    else if (item.kind == LAM_FILE_ITEM_FOOTER)
        LAM_TRY(next_footer(items, &item, error));
    else if (item.kind == LAM_FILE_ITEM_RECORD)
        LAM_TRY(next_record(items, &item, error));
    if (item.kind == LAM_FILE_ITEM_TORN)
        item.size = left;
    if (item.kind != LAM_FILE_ITEM_PAGE && item.kind != LAM_FILE_ITEM_BLOOM)
        item.header_size = item.size;
    if (item.kind >= LAM_FILE_ITEM_PAGE)
        items->next += item.size;
    *ret_item = item;
    return LAM_STATUS_OK;
}

/*
 * Sums the bytes in the window first, then piece by piece, so that a page of any size takes the
 * memory of one piece.
 */
lam_status lam_file_items_check_page(lam_file_items *items, const lam_walked_page *page,
                                     bool *ret_is_sound, lam_error *error) {
    uint32_t crc = 0;
    const uint8_t *bytes;
    uint64_t at = page->offset + page->header_size, end = lam_walked_page_end(page);
    while (at < end && page->has_crc) {
        const lam_window *window = &items->window;
        uint64_t here = at >= window->offset ? at - window->offset : window->buffer.size;
        uint64_t size = here < window->buffer.size ? window->buffer.size - here : ITEM_PIECE;
        size = size < end - at ? size : end - at;
        LAM_TRY(lam_window_lend(&items->window, at, (size_t)size, &bytes, error));
        crc = lam_crc32(crc, bytes, (size_t)size);
        at += size;
    }
    *ret_is_sound = !page->has_crc || crc == page->crc;
    return LAM_STATUS_OK;
}
