/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Collects row groups from a file that may lack its footer: takes the items of the file, one after
 * the other, and gives the statements of recovery records, and of footers between the row groups,
 * about the pages before them.
 *
 * The invariant: metadata are believed only where the walk arrives at them, and only if their
 * chunks are exactly the pages passed since the last ones that were believed. So a value that holds
 * a record or a footer is never taken for one, and no row group begins inside a page. If one of
 * these pages does not match its checksum, the first metadata of a writer are believed only if no
 * other bytes of the file contradict them: its header may be damaged. (README.md of the format,
 * "Error recovery"; recovery_record.h; walk_evidence.h)
 */
#include "damage/unfinished/recovery_walk.h"

#include <lamella/format.h>
#include <string.h>

#include "base/bytes.h"
#include "base/crc32.h"
#include "base/error.h"
#include "base/options.h"
#include "base/thread/stop.h"
#include "damage/unfinished/page_tiles.h"
#include "file/read/footer.h"
#include "meta/compact.h"
#include "meta/meta_schema.h"

enum {
    WALK_READ_AHEAD = 256 << 10, /* bytes, if bodies are read, too */
    WALK_HEADER_AHEAD = 4 << 10  /* if they are not */
};

void lam_recovery_walk_init(lam_recovery_walk *walk, const lam_input *input,
                            const lam_recovery_walk_options *options) {
    const lam_allocator *allocator = options->allocator;
    size_t limit = (size_t)options->memory_limit;
    memset(walk, 0, sizeof *walk);
    walk->options = *options;
    lam_file_items_init(&walk->items, input,
                        options->verify_from < input->size ? WALK_READ_AHEAD : WALK_HEADER_AHEAD,
                        options->memory_limit, allocator);
    lam_arena_init(&walk->arena, allocator, limit);
    lam_arena_init(&walk->footers[0], allocator, limit);
    lam_arena_init(&walk->footers[1], allocator, limit);
    LAM_LIST_INIT(&walk->row_groups, allocator);
    LAM_LIST_INIT(&walk->groups, allocator);
    LAM_LIST_INIT(&walk->pages, allocator);
    LAM_LIST_INIT(&walk->blooms, allocator);
    lam_walk_evidence_init(&walk->evidence, input, options->memory_limit, options->stop, allocator);
    walk->claimed_bytes = LAM_FOOTER_MAGIC_SIZE;
    walk->begins_new = true;
}

void lam_recovery_walk_finish(lam_recovery_walk *walk) {
    lam_file_items_finish(&walk->items);
    lam_arena_finish(&walk->arena);
    lam_arena_finish(&walk->footers[0]);
    lam_arena_finish(&walk->footers[1]);
    LAM_LIST_FINISH(&walk->row_groups);
    LAM_LIST_FINISH(&walk->groups);
    LAM_LIST_FINISH(&walk->pages);
    LAM_LIST_FINISH(&walk->blooms);
}

static const lam_meta_row_group *row_groups_of(const lam_recovery_walk *walk) {
    return walk->row_groups.items;
}

static size_t count_groups(const lam_recovery_walk *walk) {
    return walk->groups.count;
}

/* --- Describing pages ---------------------------------------------------------------------- */

/* Forgets the pages and filters that have become row groups. */
static void close_pages(lam_recovery_walk *walk) {
    const lam_walked_bloom *blooms = walk->blooms.items;
    for (size_t i = 0; i < walk->blooms.count; i++)
        walk->claimed_bytes += blooms[i].size;
    walk->pages.count = 0;
    walk->blooms.count = 0;
}

/* True when no page that is open is known to be damaged. */
static bool pages_are_sound(const lam_recovery_walk *walk) {
    const lam_walked_page *pages = walk->pages.items;
    size_t i = 0, count = walk->pages.count;
    while (i < count && pages[i].is_sound)
        i++;
    return i == count;
}

/*
 * Whether metadata at `offset`, whose writer is not known from earlier ones, may be bytes of a
 * value: a header that is damaged leads into its page, or beyond. The pages of a log all have
 * checksums.
 */
static lam_status are_doubtful(lam_recovery_walk *walk, uint64_t offset, bool *ret_are,
                               lam_error *error) {
    const lam_walked_page *pages = walk->pages.items;
    size_t i = 0, count = walk->pages.count;
    *ret_are = false;
    while (i < count && pages[i].has_crc && !pages[i].is_wrong)
        i++;
    if (i == count)
        return LAM_STATUS_OK;
    return lam_walk_evidence_has_rival(&walk->evidence, pages[i].offset, offset, ret_are, error);
}

/* True when all pages that are open have checksums, as a log writes them. */
static bool pages_have_checksums(const lam_recovery_walk *walk) {
    const lam_walked_page *pages = walk->pages.items;
    size_t i = 0, count = walk->pages.count;
    while (i < count && pages[i].has_crc)
        i++;
    return i == count;
}

/* Compares new row groups with the pages and filters that are open. */
static lam_status match_pages(lam_recovery_walk *walk, const lam_meta_row_group *groups,
                              size_t count, size_t leaf_count, bool lists_encodings,
                              bool *ret_match, lam_error *error) {
    lam_page_tiles tiles = {walk->pages.items, walk->pages.count, walk->blooms.items,
                            walk->blooms.count, lists_encodings};
    return lam_page_tiles_match(&tiles, groups, count, leaf_count, walk->options.allocator,
                                ret_match, error);
}

/* The bytes of a row group's chunks, which were compared with the pages. */
static uint64_t chunk_bytes(const lam_meta_row_group *group) {
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < group->columns.count; i++)
        bytes += (uint64_t)group->columns.items[i].meta_data->total_compressed_size;
    return bytes;
}

/* Adds the facts about a row group that ends here. */
static lam_status add_walked_group(lam_recovery_walk *walk, uint64_t bytes, bool is_sound,
                                   lam_error *error) {
    lam_walked_group group = {walk->items.next, bytes, is_sound};
    return LAM_LIST_ADD(&walk->groups, &group, error);
}

/*
 * True when metadata of the entire file begin with the known row groups, each with its chunks in
 * their known positions.
 */
static bool begins_as_known(const lam_recovery_walk *walk, const lam_meta_file *meta) {
    size_t known = count_groups(walk);
    if (meta->row_groups.count < known)
        return false;
    for (size_t i = 0; i < known; i++)
        if (!lam_row_group_is_same(&meta->row_groups.items[i], &row_groups_of(walk)[i]))
            return false;
    return true;
}

/* Counts the leaves of a schema; false when its elements are not one tree. */
static lam_status count_leaves(lam_recovery_walk *walk, const lam_meta_file *meta,
                               size_t *ret_count, bool *ret_valid, lam_error *error) {
    enum { WALK_FIELD_BYTES = 512 }; /* of one field in memory, as in file_reader.c */
    lam_schema *schema;
    lam_error failure = lam_error_none();
    *ret_valid = false;
    if (meta->schema.count > walk->options.memory_limit / WALK_FIELD_BYTES)
        return LAM_STATUS_OK;
    lam_status status =
        lam_meta_schema_import(&meta->schema, walk->options.allocator, &schema, &failure);
    if (status == LAM_STATUS_NOMEM && error != NULL)
        *error = failure;
    if (status != LAM_STATUS_OK)
        return status == LAM_STATUS_NOMEM ? status : LAM_STATUS_OK;
    *ret_count = lam_schema_leaf_count(schema);
    *ret_valid = true;
    lam_schema_destroy(schema);
    return LAM_STATUS_OK;
}

/*
 * Takes the row groups of complete metadata: new ones must be the open pages. `*ret_valid` is
 * false, and nothing has changed, when they are not.
 */
static lam_status take_file(lam_recovery_walk *walk, const lam_meta_file *meta, bool is_record,
                            bool *ret_valid, lam_error *error) {
    size_t leaf_count = 0, known = count_groups(walk);
    const lam_meta_row_group *added = meta->row_groups.items; /* NULL if there are none */
    *ret_valid = false;
    if (!begins_as_known(walk, meta))
        return LAM_STATUS_OK;
    if (known > 0)
        added += known;
    LAM_TRY(count_leaves(walk, meta, &leaf_count, ret_valid, error));
    if (*ret_valid)
        LAM_TRY(match_pages(walk, added, meta->row_groups.count - known, leaf_count, is_record,
                            ret_valid, error));
    if (!*ret_valid)
        return LAM_STATUS_OK;
    bool is_sound = pages_are_sound(walk);
    walk->row_groups.count = 0;
    LAM_TRY(
        LAM_LIST_APPEND(&walk->row_groups, meta->row_groups.items, meta->row_groups.count, error));
    for (size_t i = known; i < meta->row_groups.count; i++)
        LAM_TRY(add_walked_group(walk, chunk_bytes(&meta->row_groups.items[i]), is_sound, error));
    walk->leaf_count = leaf_count;
    walk->has_meta = true;
    close_pages(walk);
    return LAM_STATUS_OK;
}

/* --- Footers ------------------------------------------------------------------------------- */

/*
 * Reads the struct of a footer into an arena; `*ret_valid` is false when it cannot be decoded, or
 * has not the checksum that is stated, if any.
 */
static lam_status decode_footer(lam_recovery_walk *walk, const lam_file_item *item,
                                const uint32_t *crc, lam_arena *arena, lam_meta_file *ret_meta,
                                bool *ret_valid, lam_error *error) {
    uint8_t *copy;
    size_t size = (size_t)(item->size - LAM_FOOTER_TAIL_SIZE);
    lam_error ignored = lam_error_none();
    lam_arena_reset(arena);
    LAM_TRY(lam_arena_bytes(arena, size, &copy, error));
    const lam_input *input = walk->items.window.input;
    LAM_TRY(input->read_at(input->state, item->offset, size, copy, error));
    *ret_valid = crc == NULL || lam_crc32(0, copy, size) == *crc;
    if (!*ret_valid)
        return LAM_STATUS_OK;
    lam_status status = lam_meta_read_file((lam_bytes){copy, size}, arena, ret_meta, &ignored);
    *ret_valid = status == LAM_STATUS_OK;
    if (status == LAM_STATUS_OK || status == LAM_STATUS_CORRUPT)
        return LAM_STATUS_OK;
    if (error != NULL)
        *error = ignored;
    return status;
}

/*
 * True for a footer that a power cut cannot have torn, or if no better one is known. A footer has
 * no checksum of its own, so that a torn one may decode, and state wrong statistics.
 */
static bool is_known_whole(const lam_recovery_walk *walk, const lam_file_item *item,
                           const uint32_t *crc) {
    return crc != NULL || !walk->has_records || !walk->has_meta ||
           item->offset + item->size <= walk->options.durable_bytes;
}

/* True for metadata that describe exactly what the walk has. */
static bool adds_nothing(const lam_recovery_walk *walk, const lam_meta_file *meta) {
    return begins_as_known(walk, meta) && meta->row_groups.count == count_groups(walk) &&
           walk->pages.count == 0 && meta->schema.count == walk->meta.schema.count;
}

/*
 * Takes a footer if it describes what precedes it. With the record FIRST before it, it may add no
 * row groups, and is the source only of texts: its key-value metadata may be newer. One that may be
 * torn is not used at all.
 */
static lam_status take_footer(lam_recovery_walk *walk, const lam_file_item *item,
                              const uint32_t *crc, bool *ret_valid, lam_error *error) {
    lam_meta_file meta;
    unsigned spare = 1 - walk->newest;
    bool is_known = is_known_whole(walk, item, crc);
    bool are_forged = false;
    LAM_TRY(decode_footer(walk, item, crc, &walk->footers[spare], &meta, ret_valid, error));
    if (*ret_valid && !walk->has_first && walk->items.next < walk->items.window.end)
        LAM_TRY(are_doubtful(walk, item->offset, &are_forged, error));
    *ret_valid = *ret_valid && !are_forged;
    if (!*ret_valid)
        return LAM_STATUS_OK;
    if (walk->has_first || !is_known)
        *ret_valid = adds_nothing(walk, &meta);
    else
        LAM_TRY(take_file(walk, &meta, false, ret_valid, error));
    if (!*ret_valid)
        return LAM_STATUS_OK;
    walk->last_footer = item->offset;
    walk->knows_footer = is_known;
    walk->claimed_bytes += item->size;
    if (!is_known)
        return LAM_STATUS_OK;
    if (!walk->has_first)
        walk->meta = meta;
    walk->footer = meta;
    walk->has_footer = true;
    walk->newest = spare;
    return LAM_STATUS_OK;
}

/* --- Records ------------------------------------------------------------------------------- */

/*
 * True for the record that must come next: the first one of a file, or of a writer that appends to
 * a finished file, has the number 0 and any id. A file is finished by END, or by a footer after its
 * last record: a log that was cut right after a checkpoint is a complete file.
 */
static bool is_next_record(lam_recovery_walk *walk, const lam_file_item *item) {
    const lam_recovery_header *header = &item->header;
    bool is_same = walk->has_records && header->sequence == walk->next_sequence &&
                   memcmp(header->file_id, walk->file_id, sizeof walk->file_id) == 0;
    bool is_finished = walk->is_ended || walk->last_footer > walk->end_offset;
    bool begins = header->sequence == 0 && (!walk->has_records || is_finished);
    if ((!is_same && !begins) || header->synced > item->offset)
        return false;
    memcpy(walk->file_id, header->file_id, sizeof walk->file_id);
    walk->next_sequence = header->sequence + 1;
    walk->has_records = true;
    walk->synced = header->synced > walk->synced ? header->synced : walk->synced;
    walk->claimed_bytes += item->size;
    return true;
}

/* Copies the body of a record, whose structs borrow from it. */
static lam_status keep_body(lam_recovery_walk *walk, const lam_file_item *item, lam_bytes *ret_body,
                            lam_error *error) {
    uint8_t *copy;
    LAM_TRY(lam_arena_bytes(&walk->arena, item->body.size, &copy, error));
    if (item->body.size > 0)
        memcpy(copy, item->body.data, item->body.size);
    *ret_body = (lam_bytes){copy, item->body.size};
    return LAM_STATUS_OK;
}

/* CORRUPT of a record whose checksum is right ends the walk, as other damage does. */
static lam_status ends_walk(lam_status status, const lam_error *failure, bool *ret_goes_on,
                            lam_error *error) {
    *ret_goes_on = status == LAM_STATUS_OK;
    if (status == LAM_STATUS_CORRUPT)
        return LAM_STATUS_OK;
    if (status != LAM_STATUS_OK && error != NULL)
        *error = *failure;
    return status;
}

/*
 * Takes the metadata of FIRST. Its row groups are those of the file before, if it is one that was
 * appended to, and one more. If that one is damaged, the row groups before stay as they are.
 */
static lam_status take_first(lam_recovery_walk *walk, const lam_file_item *item, bool *ret_goes_on,
                             lam_error *error) {
    lam_bytes body;
    lam_meta_file meta;
    bool matches;
    size_t leaf_count = 0, known = count_groups(walk);
    lam_error failure = lam_error_none();
    LAM_TRY(keep_body(walk, item, &body, error));
    lam_status status = lam_meta_read_file(body, &walk->arena, &meta, &failure);
    status = ends_walk(status, &failure, ret_goes_on, error);
    if (status != LAM_STATUS_OK || !*ret_goes_on)
        return status;
    LAM_TRY(take_file(walk, &meta, true, &matches, error));
    if (!matches) {
        LAM_TRY(count_leaves(walk, &meta, &leaf_count, ret_goes_on, error));
        *ret_goes_on =
            *ret_goes_on && meta.row_groups.count == known + 1 && begins_as_known(walk, &meta);
        if (!*ret_goes_on)
            return LAM_STATUS_OK;
        walk->row_groups.count = 0;
        LAM_TRY(LAM_LIST_APPEND(&walk->row_groups, meta.row_groups.items, known + 1, error));
        LAM_TRY(add_walked_group(walk, 0, false, error));
        walk->leaf_count = leaf_count;
        close_pages(walk);
    }
    walk->meta = meta;
    walk->has_meta = true;
    walk->has_first = true;
    walk->has_footer = false; /* an older one */
    return LAM_STATUS_OK;
}

/* Takes a RowGroup, whose chunks must be the open pages; else the row group is damaged. */
static lam_status take_row_group(lam_recovery_walk *walk, const lam_file_item *item,
                                 bool *ret_goes_on, lam_error *error) {
    lam_bytes body;
    lam_meta_row_group group;
    size_t size = 0;
    bool matches;
    if (!walk->has_meta) {
        *ret_goes_on = false;
        return LAM_STATUS_OK;
    }
    lam_error failure = lam_error_none();
    LAM_TRY(keep_body(walk, item, &body, error));
    lam_status status = lam_meta_read_row_group(body, &walk->arena, &group, &size, &failure);
    status = ends_walk(status, &failure, ret_goes_on, error);
    *ret_goes_on = *ret_goes_on && size > 0;
    if (status != LAM_STATUS_OK || !*ret_goes_on)
        return status;
    LAM_TRY(match_pages(walk, &group, 1, walk->leaf_count, true, &matches, error));
    LAM_TRY(LAM_LIST_ADD(&walk->row_groups, &group, error));
    LAM_TRY(add_walked_group(walk, matches ? chunk_bytes(&group) : 0,
                             matches && pages_are_sound(walk), error));
    close_pages(walk);
    return LAM_STATUS_OK;
}

/*
 * Passes the footer that a record announces with its size and its checksum, which older records do
 * not have. A footer that is damaged is dead weight: the row groups before it have records of their
 * own.
 */
static lam_status pass_footer(lam_recovery_walk *walk, const lam_file_item *record,
                              bool *ret_goes_on, lam_error *error) {
    lam_file_item item;
    bool is_valid = false;
    uint64_t start = walk->items.next, left = walk->items.window.end - start;
    bool has_crc = record->body.size == 2 * sizeof(uint32_t);
    if (!has_crc && record->body.size != sizeof(uint32_t)) {
        *ret_goes_on = false;
        return LAM_STATUS_OK;
    }
    uint32_t size = lam_load_le32(record->body.data);
    uint32_t crc = has_crc ? lam_load_le32(record->body.data + sizeof size) : 0;
    LAM_TRY(lam_file_items_next(&walk->items, &item, error));
    if (item.kind == LAM_FILE_ITEM_FOOTER && item.size == size)
        LAM_TRY(take_footer(walk, &item, has_crc ? &crc : NULL, &is_valid, error));
    walk->ended_in_item = size > left;
    *ret_goes_on = size <= left;
    walk->items.next = *ret_goes_on ? start + size : start;
    if (!is_valid)
        walk->claimed_bytes += size <= left ? size : left;
    return LAM_STATUS_OK;
}

static lam_status take_record(lam_recovery_walk *walk, const lam_file_item *item, bool *ret_goes_on,
                              lam_error *error) {
    bool are_forged = !pages_have_checksums(walk);
    if (!are_forged && item->header.kind == LAM_RECOVERY_FIRST)
        LAM_TRY(are_doubtful(walk, item->offset, &are_forged, error));
    *ret_goes_on = !are_forged && is_next_record(walk, item);
    if (!*ret_goes_on)
        return LAM_STATUS_OK;
    walk->is_ended = item->header.kind == LAM_RECOVERY_END;
    walk->end_offset = item->offset;
    switch (item->header.kind) {
    case LAM_RECOVERY_FIRST:
        return take_first(walk, item, ret_goes_on, error);
    case LAM_RECOVERY_ROW_GROUP:
        return take_row_group(walk, item, ret_goes_on, error);
    case LAM_RECOVERY_FOOTER:
        return pass_footer(walk, item, ret_goes_on, error);
    default:
        return LAM_STATUS_OK;
    }
}

/* --- Walking ------------------------------------------------------------------------------- */

/*
 * Passes a page. One whose checksum is that of fewer or more bytes ends somewhere else: the walk
 * ends before it, as at a header that cannot be read.
 */
static lam_status pass_page(lam_recovery_walk *walk, lam_file_item *item, bool *ret_goes_on,
                            lam_error *error) {
    lam_walked_page *page = &item->page;
    bool is_elsewhere = false;
    page->begins_new = walk->begins_new;
    if (page->offset >= walk->options.verify_from)
        LAM_TRY(lam_file_items_check_page(&walk->items, page, &page->is_sound, error));
    page->is_wrong = page->is_wrong || !page->is_sound;
    if (page->is_wrong)
        LAM_TRY(lam_walk_evidence_size_is_wrong(&walk->evidence, page, &is_elsewhere, error));
    *ret_goes_on = !is_elsewhere;
    walk->ended_in_wrong_size = is_elsewhere;
    if (is_elsewhere) {
        item->kind = item->begun = LAM_FILE_ITEM_UNKNOWN;
        return LAM_STATUS_OK;
    }
    walk->passed_index = false;
    walk->lacks_crc = walk->lacks_crc || !page->has_crc;
    return LAM_LIST_ADD(&walk->pages, page, error);
}

/* Passes one item; `*ret_goes_on` is false if the walk ends. */
static lam_status pass_item(lam_recovery_walk *walk, lam_file_item *item, bool *ret_goes_on,
                            lam_error *error) {
    lam_walked_bloom bloom = {item->offset, item->size};
    *ret_goes_on = true;
    switch (item->kind) {
    case LAM_FILE_ITEM_PAGE:
        return pass_page(walk, item, ret_goes_on, error);
    case LAM_FILE_ITEM_BLOOM:
        return LAM_LIST_ADD(&walk->blooms, &bloom, error);
    case LAM_FILE_ITEM_INDEX:
        walk->claimed_bytes += item->size;
        walk->passed_index = true;
        return LAM_STATUS_OK;
    case LAM_FILE_ITEM_COLUMN:
        walk->claimed_bytes += item->size;
        return LAM_STATUS_OK;
    case LAM_FILE_ITEM_FOOTER:
        return take_footer(walk, item, NULL, ret_goes_on, error);
    case LAM_FILE_ITEM_RECORD:
        return take_record(walk, item, ret_goes_on, error);
    default:
        walk->ended_in_item = item->kind == LAM_FILE_ITEM_TORN;
        *ret_goes_on = false;
        return LAM_STATUS_OK;
    }
}

/*
 * True when the remaining items describe only what is already known: after END, indexes and the
 * last footer; and a record that is cut off when no page lacks one, which precedes a footer.
 */
static bool ends_in_metadata(const lam_recovery_walk *walk, const lam_file_item *last) {
    if (walk->pages.count > 0)
        return false;
    return (walk->is_ended && walk->last_footer < walk->end_offset) ||
           (last->kind == LAM_FILE_ITEM_TORN && last->begun == LAM_FILE_ITEM_RECORD);
}

lam_status lam_recovery_walk_run(lam_recovery_walk *walk, lam_error *error) {
    lam_file_item item;
    bool goes_on = true;
    do {
        walk->stopped_at = walk->items.next;
        LAM_TRY(lam_stop_check(walk->options.stop, error));
        LAM_TRY(lam_item_repair_next(walk->options.repair, &walk->items, &item, error));
        LAM_TRY(pass_item(walk, &item, &goes_on, error));
        walk->begins_new = item.kind != LAM_FILE_ITEM_PAGE;
    } while (goes_on);
    walk->ended_in_metadata = walk->passed_index || item.begun == LAM_FILE_ITEM_INDEX ||
                              item.begun == LAM_FILE_ITEM_FOOTER;
    if (ends_in_metadata(walk, &item))
        walk->claimed_bytes += walk->items.window.end - walk->stopped_at;
    return LAM_STATUS_OK;
}

/*
 * A footer that the walk passed began an item. After the end of the walk only the item in which the
 * file ends is known.
 */
bool lam_recovery_walk_allows_footer(const lam_recovery_walk *walk, uint64_t offset) {
    if (walk->last_footer == offset || offset == walk->stopped_at)
        return true;
    return offset > walk->stopped_at && !walk->ended_in_item;
}
