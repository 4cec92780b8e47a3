/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recognizes the contents of bytes that no footer refers to: recovery records of a log and footers
 * of its earlier checkpoints, pages that lost their footer, zeros that align. A gap becomes ranges:
 * each item states its own size, so no search is needed: see damage/unfinished/file_item.h.
 *
 * Items always follow each other without a byte between, and what follows the last is one range.
 * (README.md of the format, "Error recovery")
 */
#include "byte_map/file/gap_ranges.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/bytes.h"
#include "byte_map/file/index_ranges.h"
#include "byte_map/file/page_ranges.h"
#include "byte_map/walk/byte_text.h"
#include "byte_map/walk/thrift_ranges.h"
#include "damage/unfinished/file_item.h"
#include "file/read/footer.h"
#include "meta/compact.h"

enum {
    ZEROS_MOST = 64 << 10 /* bytes of a gap that may be alignment */
};

/* --- Recovery records ---------------------------------------------------------------------- */

static lam_status record_number(lam_byte_walk *walk, lam_byte_view view, size_t at, size_t size,
                                const char *label, lam_error *error) {
    lam_byte_text text;
    lam_byte_range range = lam_byte_range_in(LAM_BYTE_NUMBER, view, at, size);
    uint64_t number = 0;
    for (size_t i = size; i > 0; i--)
        number = number << 8 | (i <= sizeof number ? view.data[at + i - 1] : 0);
    lam_byte_text_of_numbers(&number, 1, false, &text);
    if (size > sizeof number)
        lam_byte_text_of_bytes((lam_bytes){view.data + at, size}, &text);
    range.label = label;
    range.value = text.text;
    return lam_byte_leaf(walk, &range, error);
}

/* The length of the footer that follows, and its checksum, which older records do not have. */
static lam_status record_footer(lam_byte_walk *walk, lam_byte_view view, lam_error *error) {
    size_t size = view.size < sizeof(uint32_t) ? view.size : sizeof(uint32_t);
    if (size > 0)
        LAM_TRY(record_number(walk, view, 0, size, "footer_size", error));
    return view.size == size
               ? LAM_STATUS_OK
               : record_number(walk, view, size, view.size - size, "footer_crc", error);
}

/* The body is a struct, or says what the footer that follows is. */
static lam_status record_body(lam_byte_walk *walk, lam_byte_view view, lam_recovery_kind kind,
                              lam_error *error) {
    bool is_file = kind == LAM_RECOVERY_FIRST;
    if (!is_file && kind != LAM_RECOVERY_ROW_GROUP)
        return record_footer(walk, view, error);
    const lam_meta_struct *table = is_file ? &lam_meta_file_table : &lam_meta_row_group_table;
    lam_byte_range range = lam_byte_range_in(LAM_BYTE_STRUCT, view, 0, view.size);
    range.label = table->name;
    range.is_expandable = view.size > 0;
    return lam_byte_enter_view(walk, &range, view, lam_byte_struct_inside, table, error);
}

/* The fields of a record, as file/write/recovery_record.h draws them. */
static lam_status record_fields(lam_byte_walk *walk, lam_byte_view view, const void *what,
                                lam_error *error) {
    const lam_recovery_header *header = what;
    static const struct {
        const char *label;
        uint8_t at;
        uint8_t size;
    } fields[] = {{"kind", 4, 1},      {"version", 5, 1}, {"reserved", 6, 2}, {"size", 8, 4},
                  {"sequence", 12, 8}, {"synced", 20, 8}, {"file_id", 28, 16}};
    lam_byte_range magic = lam_byte_range_in(LAM_BYTE_MAGIC, view, 0, 4);
    magic.label = LAM_RECOVERY_MAGIC;
    LAM_TRY(lam_byte_leaf(walk, &magic, error));
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++)
        LAM_TRY(record_number(walk, view, fields[i].at, fields[i].size, fields[i].label, error));
    LAM_TRY(record_body(walk, lam_byte_view_cut(view, LAM_RECOVERY_HEADER_SIZE, header->size),
                        header->kind, error));
    return record_number(walk, view, view.size - LAM_RECOVERY_CRC_SIZE, LAM_RECOVERY_CRC_SIZE,
                         "crc", error);
}

static lam_status report_record(lam_byte_walk *walk, const lam_file_item *item, lam_error *error) {
    static const char *const labels[] = {"", "FIRST", "ROW_GROUP", "FOOTER", "END"};
    lam_byte_range range = lam_byte_range_of(LAM_BYTE_RECOVERY_RECORD, item->offset, item->size);
    range.label = labels[item->header.kind];
    range.is_expandable = true;
    return lam_byte_enter_bytes(walk, &range, record_fields, &item->header, error);
}

/* --- Items --------------------------------------------------------------------------------- */

/* An index says which it is by the first of its lists: bools, or structs. */
static lam_byte_kind kind_of_index(const uint8_t *bytes) {
    return (bytes[1] & 15) == 12 ? LAM_BYTE_OFFSET_INDEX : LAM_BYTE_COLUMN_INDEX;
}

static lam_status report_index_item(lam_byte_walk *walk, const lam_file_item *item,
                                    lam_error *error) {
    uint8_t head[2];
    LAM_TRY(walk->input->read_at(walk->input->state, item->offset, sizeof head, head, error));
    return lam_byte_index(walk, kind_of_index(head), item->offset, item->size, error);
}

/* A footer, followed by its length and magic. */
static lam_status report_footer_item(lam_byte_walk *walk, const lam_file_item *item,
                                     lam_error *error) {
    uint64_t size = item->size - LAM_FOOTER_TAIL_SIZE;
    LAM_TRY(lam_byte_footer(walk, item->offset, size, "an earlier footer", error));
    return lam_byte_footer_tail(walk, item->offset + size, error);
}

/* What the footer states of a chunk, with or without the ColumnChunk around it. */
static lam_status report_copy(lam_byte_walk *walk, const lam_file_item *item, lam_error *error) {
    lam_byte_range range = lam_byte_range_of(LAM_BYTE_STRUCT, item->offset, item->size);
    uint8_t first;
    LAM_TRY(walk->input->read_at(walk->input->state, item->offset, 1, &first, error));
    const lam_meta_struct *table = &lam_meta_column_chunk_table;
    if (first != 0x26)
        table = lam_meta_find(table, 3)->child; /* meta_data */
    range.label = table->name;
    range.note = "a copy that some writers leave behind each column chunk";
    range.is_expandable = true;
    return lam_byte_enter_bytes(walk, &range, lam_byte_struct_inside, table, error);
}

static lam_status report_item(lam_byte_walk *walk, const lam_file_item *item, lam_error *error) {
    switch (item->kind) {
    case LAM_FILE_ITEM_RECORD:
        return report_record(walk, item, error);
    case LAM_FILE_ITEM_PAGE:
        return lam_byte_lone_page(walk, item->page.offset, item->page.header_size,
                                  (uint32_t)item->page.compressed_size, error);
    case LAM_FILE_ITEM_BLOOM:
        return lam_byte_bloom(walk, item->offset, item->size, error);
    case LAM_FILE_ITEM_INDEX:
        return report_index_item(walk, item, error);
    case LAM_FILE_ITEM_COLUMN:
        return report_copy(walk, item, error);
    default:
        return report_footer_item(walk, item, error);
    }
}

static bool is_item(const lam_file_item *item) {
    return item->kind >= LAM_FILE_ITEM_PAGE;
}

/* The file up to the end of the gap, so that no item reaches beyond it. */
static lam_input input_up_to(const lam_byte_walk *walk, uint64_t end) {
    lam_input input = *walk->input;
    input.size = end;
    return input;
}

static lam_status next_item(lam_file_items *items, lam_file_item *ret_item, lam_error *error) {
    lam_error local = lam_error_none();
    lam_status status = lam_file_items_next(items, ret_item, &local);
    if (lam_byte_is_damage(status)) {
        ret_item->kind = LAM_FILE_ITEM_UNKNOWN;
        return LAM_STATUS_OK;
    }
    if (status != LAM_STATUS_OK && error != NULL)
        *error = local;
    return status;
}

lam_status lam_byte_items(lam_byte_walk *walk, uint64_t begin, uint64_t end, const char *note,
                          lam_error *error) {
    lam_input input = input_up_to(walk, end);
    lam_file_items items;
    lam_file_item item = {.kind = LAM_FILE_ITEM_END};
    lam_status status = LAM_STATUS_OK;
    lam_file_items_init(&items, &input, 0, walk->limit, &walk->allocator);
    items.next = begin;
    while (items.next < end) {
        uint64_t at = items.next;
        LAM_TRY_OUT(lam_stop_check(walk->stop, error));
        LAM_TRY_OUT(next_item(&items, &item, error));
        if (!is_item(&item)) {
            lam_byte_range rest = lam_byte_range_of(LAM_BYTE_UNKNOWN, at, end - at);
            rest.note =
                item.kind == LAM_FILE_ITEM_TORN ? "the bytes end inside what begins here" : note;
            LAM_TRY_OUT(lam_byte_leaf(walk, &rest, error));
            break;
        }
        LAM_TRY_OUT(report_item(walk, &item, error));
    }
out:
    lam_file_items_finish(&items);
    return status;
}

/* --- Gaps ---------------------------------------------------------------------------------- */

static lam_status gap_begins_item(lam_byte_walk *walk, uint64_t begin, uint64_t end,
                                  bool *ret_is_item, lam_error *error) {
    lam_input input = input_up_to(walk, end);
    lam_file_items items;
    lam_file_item item = {.kind = LAM_FILE_ITEM_END};
    lam_file_items_init(&items, &input, 0, walk->limit, &walk->allocator);
    items.next = begin;
    lam_status status = next_item(&items, &item, error);
    lam_file_items_finish(&items);
    *ret_is_item = is_item(&item);
    return status;
}

static lam_status gap_is_zeros(lam_byte_walk *walk, uint64_t begin, uint64_t size, bool *ret_zeros,
                               lam_error *error) {
    uint8_t room[512];
    *ret_zeros = size <= ZEROS_MOST;
    for (uint64_t at = 0; at < size && *ret_zeros; at += sizeof room) {
        size_t some = size - at < sizeof room ? (size_t)(size - at) : sizeof room;
        LAM_TRY(walk->input->read_at(walk->input->state, begin + at, some, room, error));
        for (size_t i = 0; i < some; i++)
            *ret_zeros = *ret_zeros && room[i] == 0;
    }
    return LAM_STATUS_OK;
}

lam_status lam_byte_gap(lam_byte_walk *walk, uint64_t begin, uint64_t end, lam_error *error) {
    lam_byte_range range = lam_byte_range_of(LAM_BYTE_GAP, begin, end - begin);
    bool is_zeros, inside;
    if (begin == end)
        return LAM_STATUS_OK;
    LAM_TRY(gap_is_zeros(walk, begin, end - begin, &is_zeros, error));
    if (is_zeros)
        range.value = "zeros";
    else
        LAM_TRY(gap_begins_item(walk, begin, end, &range.is_expandable, error));
    range.note = walk->gap_note;
    LAM_TRY(lam_byte_enter(walk, &range, &inside, error));
    if (!inside)
        return LAM_STATUS_OK;
    LAM_TRY(lam_byte_items(walk, begin, end, "nothing that the format knows begins here", error));
    lam_byte_leave(walk);
    return LAM_STATUS_OK;
}
