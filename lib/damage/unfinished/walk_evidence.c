/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Looks for evidence against a walk: takes a page that does not match its checksum, and the place
 * of metadata after such a page, and says whether other bytes of the file show that the page ends
 * elsewhere, so that the metadata are part of a value.
 *
 *     states  | header | body of 40 bytes      | "PLAM" ...                 <- where the walk is
 *     is      | header | body of 900 bytes: ... "PLAM" ... in a value | page ... | "PLAM" FIRST
 *                        `------------ matches the checksum -------'           has all of that
 *
 * The evidence is never the source of data, as values may hold it, too. It can only end a walk when
 * damage leaves the end of a page open. (parquet.thrift, PageHeader.crc; recovery_record.h)
 */
#include "damage/unfinished/walk_evidence.h"

#include <lamella/format.h>
#include <string.h>

#include "base/crc32.h"
#include "base/error.h"
#include "meta/compact.h"

enum {
    EVIDENCE_PIECE = 64 << 10,     /* bytes that are read at once */
    EVIDENCE_BODY_MOST = 32 << 20, /* bytes in which the end of a page is looked for */
    EVIDENCE_WORK = 64 << 20,      /* bytes that are read for all questions of a kind */
    EVIDENCE_RIVAL_FACTOR = 4      /* and how often those of the file are, beside these */
};

void lam_walk_evidence_init(lam_walk_evidence *evidence, const lam_input *input,
                            uint64_t memory_limit, const lam_stop *stop,
                            const lam_allocator *allocator) {
    *evidence = (lam_walk_evidence){.input = input,
                                    .allocator = allocator,
                                    .memory_limit = memory_limit,
                                    .sums_left = EVIDENCE_WORK + input->size,
                                    .stop = stop};
    evidence->search_left = EVIDENCE_WORK + EVIDENCE_RIVAL_FACTOR * input->size;
}

/* Takes bytes from the remaining work; false when there are fewer. */
static bool takes_work(uint64_t *work_left, uint64_t bytes) {
    bool has = bytes <= *work_left;
    *work_left -= has ? bytes : *work_left;
    return has;
}

/* --- Sizes --------------------------------------------------------------------------------- */

/* True when an item begins at an offset, or the file ends there. */
static lam_status begins_item(lam_file_items *items, uint64_t offset, bool *ret_begins,
                              lam_error *error) {
    lam_file_item item;
    items->next = offset;
    LAM_TRY(lam_file_items_next(items, &item, error));
    *ret_begins = item.kind != LAM_FILE_ITEM_UNKNOWN;
    return LAM_STATUS_OK;
}

/* Sums a piece of the bytes after a header, byte for byte, until the checksum is right. */
static size_t find_sum(lam_bytes bytes, uint32_t wanted, uint32_t *crc) {
    size_t size = 0;
    while (size < bytes.size) {
        *crc = lam_crc32(*crc, bytes.data + size++, 1);
        if (*crc == wanted)
            break;
    }
    return size;
}

static lam_status find_other_end(lam_walk_evidence *evidence, lam_file_items *items,
                                 const lam_walked_page *page, bool *ret_is_wrong,
                                 lam_error *error) {
    uint64_t at = page->offset + page->header_size, end = items->window.end;
    uint32_t crc = 0;
    bool found = page->crc == 0 && page->compressed_size > 0; /* of no bytes */
    if (found)
        LAM_TRY(begins_item(items, at, &found, error));
    end = end - at < EVIDENCE_BODY_MOST ? end : at + EVIDENCE_BODY_MOST;
    while (!found && at < end) {
        lam_bytes bytes = {NULL, end - at < EVIDENCE_PIECE ? (size_t)(end - at) : EVIDENCE_PIECE};
        LAM_TRY(lam_stop_check(evidence->stop, error));
        LAM_TRY(lam_window_lend(&items->window, at, bytes.size, &bytes.data, error));
        size_t size = find_sum(bytes, page->crc, &crc);
        at += size;
        if (!takes_work(&evidence->sums_left, size))
            break;
        if (crc == page->crc)
            LAM_TRY(begins_item(items, at, &found, error));
    }
    *ret_is_wrong = found;
    return LAM_STATUS_OK;
}

lam_status lam_walk_evidence_size_is_wrong(lam_walk_evidence *evidence, const lam_walked_page *page,
                                           bool *ret_is_wrong, lam_error *error) {
    lam_file_items items;
    *ret_is_wrong = false;
    if (!page->has_crc)
        return LAM_STATUS_OK;
    lam_file_items_init(&items, evidence->input, EVIDENCE_PIECE, evidence->memory_limit,
                        evidence->allocator);
    lam_status status = find_other_end(evidence, &items, page, ret_is_wrong, error);
    lam_file_items_finish(&items);
    return status;
}

/* --- Rivals -------------------------------------------------------------------------------- */

/* Where metadata are, and the evidence sought. */
typedef struct record_search {
    lam_walk_evidence *evidence;
    lam_window window;    /* of the bytes that are searched */
    lam_file_items items; /* of a record that is tried */
    lam_arena arena;
    uint64_t from;
    uint64_t at;
    bool found;
} record_search;

/* The offset of the first page of a chunk; negative if impossible. */
static int64_t record_chunk_start(const lam_meta_column *column) {
    int64_t start = column->data_page_offset;
    if ((column->has & LAM_META_COLUMN_HAS_DICTIONARY_PAGE_OFFSET) != 0 &&
        column->dictionary_page_offset > 0 && column->dictionary_page_offset < start)
        start = column->dictionary_page_offset;
    return column->total_compressed_size > 0 ? start : -1;
}

/* The offset after a chunk; 0 if impossible. */
static uint64_t record_chunk_end(const lam_meta_column *column) {
    int64_t start = record_chunk_start(column);
    return start >= 0 ? (uint64_t)start + (uint64_t)column->total_compressed_size : 0;
}

/* True when the chunk contains an offset. */
static bool record_chunk_has(const lam_meta_column *column, uint64_t offset) {
    int64_t start = record_chunk_start(column);
    return start >= 0 && (uint64_t)start <= offset && offset < record_chunk_end(column);
}

/*
 * True for metadata that have other bytes than the walk; gives the end of their last chunk. A
 * record before `at` is in bytes that the walk took for the bodies of pages.
 */
static bool contradicts(const record_search *search, const lam_meta_file *meta, uint64_t offset,
                        uint64_t *ret_end) {
    uint64_t inside = offset < search->at ? search->from : search->at;
    bool has = false;
    *ret_end = 0;
    for (uint32_t g = 0; g < meta->row_groups.count; g++)
        for (uint32_t i = 0; i < meta->row_groups.items[g].columns.count; i++) {
            const lam_meta_column *column = meta->row_groups.items[g].columns.items[i].meta_data;
            uint64_t end = column != NULL ? record_chunk_end(column) : 0;
            *ret_end = end > *ret_end ? end : *ret_end;
            has = has || (column != NULL && record_chunk_has(column, inside));
        }
    return has;
}

/*
 * Whether a record follows the chunks that it describes, with Bloom filters between. That of a
 * complete log in a value does not: its offsets are those of another file.
 */
static lam_status follows_chunks(record_search *search, uint64_t end, uint64_t offset,
                                 bool *ret_follows, lam_error *error) {
    lam_file_item item = {.kind = LAM_FILE_ITEM_BLOOM};
    search->items.next = end;
    while (search->items.next < offset && item.kind == LAM_FILE_ITEM_BLOOM)
        LAM_TRY(lam_file_items_next(&search->items, &item, error));
    *ret_follows = search->items.next == offset && item.kind == LAM_FILE_ITEM_BLOOM;
    return LAM_STATUS_OK;
}

/* Compares with the metadata of a record FIRST, if one is at an offset. */
static lam_status try_rival(record_search *search, uint64_t offset, lam_error *error) {
    lam_recovery_header header;
    lam_file_item item;
    lam_meta_file meta;
    lam_error failure = lam_error_none();
    const uint8_t *bytes;
    uint64_t end;
    if (offset == search->at || search->items.window.end - offset < LAM_RECOVERY_HEADER_SIZE)
        return LAM_STATUS_OK;
    LAM_TRY(
        lam_window_lend(&search->items.window, offset, LAM_RECOVERY_HEADER_SIZE, &bytes, error));
    if (!lam_recovery_header_read(bytes, &header) || header.kind != LAM_RECOVERY_FIRST ||
        header.size >= search->items.limit - LAM_RECOVERY_HEADER_SIZE - LAM_RECOVERY_CRC_SIZE)
        return LAM_STATUS_OK;
    search->found = !takes_work(&search->evidence->search_left, header.size);
    search->items.next = offset;
    LAM_TRY(lam_file_items_next(&search->items, &item, error));
    if (item.kind != LAM_FILE_ITEM_RECORD || search->found)
        return LAM_STATUS_OK;
    lam_arena_reset(&search->arena);
    lam_status status = lam_meta_read_file(item.body, &search->arena, &meta, &failure);
    if (status == LAM_STATUS_NOMEM && error != NULL)
        *error = failure;
    if (status == LAM_STATUS_NOMEM)
        return status;
    if (status == LAM_STATUS_OK && contradicts(search, &meta, offset, &end))
        LAM_TRY(follows_chunks(search, end, offset, &search->found, error));
    return LAM_STATUS_OK;
}

/* Tries each record whose magic is in a piece of the file. */
static lam_status try_piece(record_search *search, uint64_t offset, lam_bytes piece,
                            lam_error *error) {
    const size_t magic = sizeof LAM_RECOVERY_MAGIC - 1;
    for (size_t i = 0; i + magic <= piece.size && !search->found; i++) {
        const uint8_t *next =
            memchr(piece.data + i, LAM_RECOVERY_MAGIC[0], piece.size - magic + 1 - i);
        if (next == NULL)
            break;
        i = (size_t)(next - piece.data);
        if (memcmp(next, LAM_RECOVERY_MAGIC, magic) == 0)
            LAM_TRY(try_rival(search, offset + i, error));
    }
    return LAM_STATUS_OK;
}

/* Reads all that follows, piece by piece, each with the start of the next. */
static lam_status find_rival(record_search *search, lam_error *error) {
    const size_t magic = sizeof LAM_RECOVERY_MAGIC - 1;
    uint64_t at = search->from, end = search->window.end;
    while (!search->found && end - at >= magic) {
        lam_bytes piece = {NULL, end - at < EVIDENCE_PIECE ? (size_t)(end - at) : EVIDENCE_PIECE};
        LAM_TRY(lam_stop_check(search->evidence->stop, error));
        LAM_TRY(lam_window_lend(&search->window, at, piece.size, &piece.data, error));
        search->found = !takes_work(&search->evidence->search_left, piece.size);
        LAM_TRY(try_piece(search, at, piece, error));
        at += piece.size - (magic - 1);
    }
    return LAM_STATUS_OK;
}

lam_status lam_walk_evidence_has_rival(lam_walk_evidence *evidence, uint64_t from, uint64_t at,
                                       bool *ret_has_rival, lam_error *error) {
    record_search search = {.evidence = evidence, .from = from, .at = at};
    if (evidence->search_left == 0) {
        *ret_has_rival = true;
        return LAM_STATUS_OK;
    }
    lam_window_init(&search.window, evidence->input, evidence->input->size, EVIDENCE_PIECE,
                    evidence->allocator);
    lam_file_items_init(&search.items, evidence->input, 0, evidence->memory_limit,
                        evidence->allocator);
    lam_arena_init(&search.arena, evidence->allocator, (size_t)evidence->memory_limit);
    lam_status status = find_rival(&search, error);
    *ret_has_rival = search.found;
    lam_window_finish(&search.window);
    lam_file_items_finish(&search.items);
    lam_arena_finish(&search.arena);
    return status;
}
