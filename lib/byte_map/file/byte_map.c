/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Walks over a file from its first byte to its last: takes the extents that the footer names, and
 * gives ranges for them, and gaps for what is between.
 *
 *     extents   magic  chunk 0.0  chunk 0.1         index   footer  length  magic
 *     bytes     |----|----------|---------|.........|-----|-------|-------|-----|
 *                                           gap
 *
 * The invariant: `next` is the end of what was reported, and every byte before it belongs to one
 * range at depth 0. If extents overlap, a byte belongs to the first of them. Without a readable
 * footer, the records of a log say where chunks are, as in recovery; else the file is walked item
 * by item. (README.md of the format, "File format")
 */
#include <inttypes.h>
#include <lamella/recover.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/budget.h"
#include "base/bytes.h"
#include "base/options.h"
#include "byte_map/file/file_extents.h"
#include "byte_map/file/gap_ranges.h"
#include "byte_map/file/index_ranges.h"
#include "byte_map/file/page_ranges.h"
#include "byte_map/walk/byte_walk.h"
#include "file/read/file_reader.h"
#include "file/read/footer.h"
#include "file/read/memory_limit.h"
#include "meta/compact.h"
#include "meta/known_faults.h"
#include "meta/meta_schema.h"
#include "schema/path_text.h"

enum { PATH_ROOM = 512 }; /* bytes of the path of a column that are shown */

static const char NOTHING_BEGINS[] = "nothing that the format knows begins here";

/* The walk, what its footer says, and how far it is. */
typedef struct file_walk {
    lam_byte_walk walk;
    lam_budget budget;
    lam_arena arena; /* of the footer's structs */
    lam_footer_view footer;
    bool has_footer;   /* its structs can be read, or records replace it */
    bool has_tail;     /* its length and magic can be */
    bool is_encrypted; /* the footer is */
    lam_schema *schema;
    lam_reader *unfinished; /* lends footer and schema of a file without a footer; or NULL */
    lam_buffer extents;
    uint64_t next;
} file_walk;

/* --- The footer ---------------------------------------------------------------------------- */

/* Reads the last 8 bytes: where the footer begins, whether or not it can be read. */
static lam_status find_tail(file_walk *file, uint64_t *ret_footer, lam_error *error) {
    const lam_input *input = file->walk.input;
    uint8_t tail[LAM_FOOTER_TAIL_SIZE];
    *ret_footer = input->size;
    if (input->size < LAM_FOOTER_MAGIC_SIZE + LAM_FOOTER_TAIL_SIZE)
        return LAM_STATUS_OK;
    LAM_TRY(input->read_at(input->state, input->size - sizeof tail, sizeof tail, tail, error));
    file->is_encrypted = memcmp(tail + 4, "PARE", 4) == 0;
    file->has_tail =
        (file->is_encrypted || memcmp(tail + 4, LAM_FOOTER_MAGIC, 4) == 0) &&
        lam_load_le32(tail) <= input->size - LAM_FOOTER_MAGIC_SIZE - LAM_FOOTER_TAIL_SIZE;
    file->is_encrypted = file->is_encrypted && file->has_tail;
    if (file->has_tail)
        *ret_footer = input->size - LAM_FOOTER_TAIL_SIZE - lam_load_le32(tail);
    return LAM_STATUS_OK;
}

/* Decodes the footer and its schema, as far as they are sound; a lack of either is no failure. */
static lam_status read_footer_of(file_walk *file, lam_error *error) {
    lam_error cause = lam_error_none();
    lam_byte_walk *walk = &file->walk;
    if (!file->has_tail || file->is_encrypted)
        return LAM_STATUS_OK;
    lam_status status = lam_footer_view_read(walk->input, &file->arena, &file->footer, &cause);
    file->has_footer = status == LAM_STATUS_OK;
    if (file->has_footer) {
        walk->faults = lam_known_faults(file->footer.meta.created_by);
        walk->is_signed = file->footer.meta.encryption_algorithm != NULL;
        status = lam_meta_schema_import(&file->footer.meta.schema, &walk->allocator, &file->schema,
                                        &cause);
        walk->schema = file->schema;
    }
    if (status == LAM_STATUS_OK || status == LAM_STATUS_CORRUPT ||
        status == LAM_STATUS_UNSUPPORTED || (file->has_footer && status == LAM_STATUS_LIMIT))
        return LAM_STATUS_OK;
    if (error != NULL)
        *error = cause;
    return status;
}

static void leave_open(void *state) {
    (void)state;
}

/*
 * Without a footer, the records of a log or an earlier footer may describe row groups. (README.md
 * of the format, "Error recovery")
 */
static lam_status map_unfinished(file_walk *file, lam_error *error) {
    lam_byte_walk *walk = &file->walk;
    lam_error cause = lam_error_none();
    lam_recovery recovery = lam_recovery_default();
    lam_recover_options options = lam_recover_options_default();
    lam_input shared = *walk->input;
    shared.close = leave_open;
    options.allocator = &walk->allocator;
    options.memory_limit = walk->limit;
    options.no_checksums = true;
    options.stop = walk->stop;
    lam_status status =
        lam_reader_open_unfinished(&shared, &options, &file->unfinished, &recovery, &cause);
    if (status == LAM_STATUS_OK) {
        file->footer = file->unfinished->footer;
        file->has_footer = true;
        walk->schema = file->unfinished->schema;
        walk->faults = file->unfinished->faults;
        walk->gap_note = "of no row group that is known";
        return LAM_STATUS_OK;
    }
    if (lam_byte_is_damage(status) || status == LAM_STATUS_INVALID)
        return LAM_STATUS_OK;
    if (error != NULL)
        *error = cause;
    return status;
}

/* --- Extents ------------------------------------------------------------------------------- */

/* The path of a chunk, as lam_field_path prints it. */
static void path_of_chunk(const lam_meta_column *column, char *path, size_t room) {
    lam_text text = {path, room, 0};
    for (uint32_t i = 0; i < column->path_in_schema.count && text.length < room; i++) {
        lam_bytes name = column->path_in_schema.items[i];
        lam_text_put(&text, ".", i > 0);
        lam_path_put_name(&text, name.size > 0 ? (const char *)name.data : "", name.size);
    }
    (void)lam_text_finish(&text);
    lam_error_make_line(path, room);
}

static lam_status encrypted_inside(lam_byte_walk *walk, uint64_t begin, uint64_t size,
                                   const char *label, lam_error *error) {
    lam_byte_range range = lam_byte_range_of(LAM_BYTE_ENCRYPTED, begin, size);
    range.label = label;
    return lam_byte_leaf(walk, &range, error);
}

/* Reports a chunk that was decoded; it may end past its stated range, up to `next`. */
static lam_status report_decoded_chunk(lam_byte_walk *walk, const lam_file_extent *extent,
                                       const lam_meta_column *column, uint64_t next,
                                       uint64_t *ret_end, lam_error *error) {
    char path[PATH_ROOM];
    bool inside;
    lam_chunk_range range = {extent->begin, extent->length, 0};
    uint64_t end = extent->begin + extent->length;
    bool has_dictionary = (column->has & LAM_META_COLUMN_HAS_DICTIONARY_PAGE_OFFSET) != 0;
    if (end < next && has_dictionary && !extent->is_encrypted)
        LAM_TRY(lam_byte_find_end(walk, column, range, next, &end, error));
    range.size = end - extent->begin;
    *ret_end = end;
    lam_byte_range chunk = lam_byte_range_of(LAM_BYTE_COLUMN_CHUNK, range.offset, range.size);
    path_of_chunk(column, path, sizeof path);
    chunk.label = path;
    chunk.count = column->num_values;
    chunk.is_expandable = true;
    LAM_TRY(lam_byte_enter(walk, &chunk, &inside, error));
    if (!inside)
        return LAM_STATUS_OK;
    if (extent->is_encrypted)
        LAM_TRY(encrypted_inside(walk, range.offset, range.size, "pages", error));
    else
        LAM_TRY(lam_byte_pages(walk, column, range, error));
    lam_byte_leave(walk);
    return LAM_STATUS_OK;
}

static lam_status report_chunk(file_walk *file, const lam_file_extent *extent, uint64_t next,
                               uint64_t *ret_end, lam_error *error) {
    lam_arena arena;
    lam_meta_column_chunk chunk;
    lam_arena_init(&arena, &file->walk.allocator, (size_t)file->walk.limit);
    lam_status status = lam_meta_read_column_chunk(&file->footer.meta, (size_t)extent->row_group,
                                                   (size_t)extent->column, &arena, &chunk, error);
    if (status == LAM_STATUS_OK)
        status = report_decoded_chunk(&file->walk, extent, chunk.meta_data, next, ret_end, error);
    lam_arena_finish(&arena);
    return status;
}

/* Indexes and filters of encrypted columns are encrypted entirely. */
static lam_status report_encrypted_index(lam_byte_walk *walk, const lam_file_extent *extent,
                                         lam_error *error) {
    lam_byte_range range =
        lam_byte_range_of((lam_byte_kind)extent->kind, extent->begin, extent->length);
    bool inside;
    range.is_expandable = true;
    LAM_TRY(lam_byte_enter(walk, &range, &inside, error));
    if (!inside)
        return LAM_STATUS_OK;
    LAM_TRY(encrypted_inside(walk, extent->begin, extent->length, NULL, error));
    lam_byte_leave(walk);
    return LAM_STATUS_OK;
}

static lam_status report_extent(file_walk *file, const lam_file_extent *extent, uint64_t next,
                                uint64_t *ret_end, lam_error *error) {
    lam_byte_walk *walk = &file->walk;
    *ret_end = extent->begin + extent->length;
    switch (extent->kind) {
    case LAM_BYTE_COLUMN_CHUNK:
        return report_chunk(file, extent, next, ret_end, error);
    case LAM_BYTE_MAGIC:
        return lam_byte_magic(walk, extent->begin, error);
    case LAM_BYTE_FOOTER:
        return file->is_encrypted
                   ? lam_byte_encrypted_footer(walk, extent->begin, extent->length, error)
                   : lam_byte_footer(walk, extent->begin, extent->length, NULL, error);
    case LAM_BYTE_FOOTER_LENGTH:
        return lam_byte_footer_tail(walk, extent->begin, error);
    default:
        break;
    }
    if (extent->is_encrypted)
        return report_encrypted_index(walk, extent, error);
    return extent->kind == LAM_BYTE_BLOOM_FILTER
               ? lam_byte_bloom(walk, extent->begin, extent->length, error)
               : lam_byte_index(walk, (lam_byte_kind)extent->kind, extent->begin, extent->length,
                                error);
}

/* Reports the remainder of an extent that begins inside another; perhaps no bytes. */
static lam_status report_overlap(file_walk *file, const lam_file_extent *extent, lam_error *error) {
    char note[128];
    uint64_t end = extent->begin + extent->length;
    uint64_t begin = file->next < end ? file->next : end;
    lam_byte_range range = lam_byte_range_of(LAM_BYTE_UNKNOWN, file->next, end - begin);
    snprintf(note, sizeof note,
             "a %s of %" PRIu64 " bytes at %" PRIu64 " overlaps with what lies before",
             lam_byte_kind_name((lam_byte_kind)extent->kind), extent->length, extent->begin);
    range.note = note;
    file->next += range.length;
    return lam_byte_leaf(&file->walk, &range, error);
}

static lam_status report_gap(file_walk *file, uint64_t end, lam_error *error) {
    uint64_t begin = file->next;
    file->next = end;
    if (begin < end && file->is_encrypted)
        return encrypted_inside(&file->walk, begin, end - begin,
                                "column chunks and indexes, which the footer describes", error);
    return lam_byte_gap(&file->walk, begin, end, error);
}

/* --- The file ------------------------------------------------------------------------------ */

/*
 * Reports one extent, and the gap before it. `after` is where the next one begins. A weak extent
 * that overlaps with another is left to the gap.
 */
static lam_status step(file_walk *file, const lam_file_extent *extent, uint64_t after,
                       lam_error *error) {
    lam_byte_walk *walk = &file->walk;
    uint64_t end;
    if (extent->is_weak && (extent->begin < file->next || extent->begin + extent->length > after))
        return LAM_STATUS_OK;
    if (extent->begin > file->next)
        LAM_TRY(report_gap(file, extent->begin, error));
    walk->row_group = extent->row_group;
    walk->column = extent->column;
    if (extent->begin < file->next) {
        LAM_TRY(report_overlap(file, extent, error));
    } else {
        LAM_TRY(report_extent(file, extent, after, &end, error));
        file->next = end;
    }
    walk->row_group = -1;
    walk->column = -1;
    return LAM_STATUS_OK;
}

static lam_status walk_extents(file_walk *file, lam_error *error) {
    size_t count = file->extents.size / sizeof(lam_file_extent);
    const lam_file_extent *extents = (const lam_file_extent *)(const void *)file->extents.data;
    for (size_t i = 0; i < count; i++) {
        uint64_t after = i + 1 < count ? extents[i + 1].begin : file->walk.input->size;
        LAM_TRY(step(file, &extents[i], after, error));
    }
    if (file->has_tail)
        return report_gap(file, file->walk.input->size, error);
    return lam_byte_items(&file->walk, file->next, file->walk.input->size, NOTHING_BEGINS, error);
}

/* Adds the two ends of the file, and what the footer names. */
static lam_status collect(file_walk *file, uint64_t footer, bool has_magic, lam_error *error) {
    lam_byte_walk *walk = &file->walk;
    lam_buffer *extents = &file->extents;
    walk->footer_offset = file->unfinished != NULL ? file->footer.offset : footer;
    if (has_magic)
        LAM_TRY(lam_file_extents_add(extents, LAM_BYTE_MAGIC, 0, LAM_FOOTER_MAGIC_SIZE, error));
    if (file->has_footer)
        LAM_TRY(lam_file_extents_collect(walk, &file->footer.meta, extents, error));
    if (file->has_tail) {
        uint64_t tail = walk->input->size - LAM_FOOTER_TAIL_SIZE;
        if (footer < tail)
            LAM_TRY(lam_file_extents_add(extents, LAM_BYTE_FOOTER, footer, tail - footer, error));
        LAM_TRY(lam_file_extents_add(extents, LAM_BYTE_FOOTER_LENGTH, tail, LAM_FOOTER_TAIL_SIZE,
                                     error));
    }
    lam_file_extents_sort(extents);
    return LAM_STATUS_OK;
}

/* Without a footer: the magic, and items after it. */
static lam_status walk_items(file_walk *file, uint64_t end, bool has_magic, lam_error *error) {
    uint64_t begin = has_magic ? LAM_FOOTER_MAGIC_SIZE : 0;
    if (has_magic)
        LAM_TRY(lam_byte_magic(&file->walk, 0, error));
    LAM_TRY(lam_byte_items(&file->walk, begin, end, NOTHING_BEGINS, error));
    if (!file->has_tail)
        return LAM_STATUS_OK;
    uint64_t tail = file->walk.input->size - LAM_FOOTER_TAIL_SIZE;
    if (end < tail)
        LAM_TRY(lam_byte_footer(&file->walk, end, tail - end, "cannot be read", error));
    return lam_byte_footer_tail(&file->walk, tail, error);
}

static lam_status walk_file(file_walk *file, lam_error *error) {
    const lam_input *input = file->walk.input;
    uint64_t footer;
    uint8_t magic[LAM_FOOTER_MAGIC_SIZE] = {0};
    if (input->size >= sizeof magic)
        LAM_TRY(input->read_at(input->state, 0, sizeof magic, magic, error));
    bool has_magic = memcmp(magic, LAM_FOOTER_MAGIC, 4) == 0 || memcmp(magic, "PARE", 4) == 0;
    LAM_TRY(find_tail(file, &footer, error));
    LAM_TRY(read_footer_of(file, error));
    if (!file->has_footer && !file->is_encrypted) {
        LAM_TRY(map_unfinished(file, error));
        if (!file->has_footer)
            return walk_items(file, footer, has_magic, error);
    }
    LAM_TRY(collect(file, footer, has_magic, error));
    return walk_extents(file, error);
}

lam_status lam_byte_map_walk(const lam_input *input, const lam_byte_map_options *options,
                             lam_byte_visitor visitor, void *state, lam_error *error) {
    lam_byte_map_options chosen;
    LAM_TRY(LAM_OPTIONS_READ(lam_byte_map_options, options, &chosen, error));
    lam_allocator beneath = lam_allocator_or_default(chosen.allocator);
    uint64_t limit = chosen.memory_limit != 0 ? lam_memory_limit_cap(chosen.memory_limit)
                                              : lam_memory_limit_of_file(input->size);
    file_walk file = {.walk = {.input = input,
                               .limit = limit,
                               .stop = chosen.stop,
                               .visitor = visitor,
                               .state = state,
                               .gap_note = "nothing in the footer refers to these bytes",
                               .row_group = -1,
                               .column = -1,
                               .page = -1}};
    lam_budget_init(&file.budget, &beneath, (size_t)limit);
    file.walk.allocator = lam_budget_allocator(&file.budget);
    lam_arena_init(&file.arena, &file.walk.allocator, (size_t)limit);
    lam_buffer_init(&file.extents, &file.walk.allocator);
    lam_status status = lam_codec_context_create(&file.walk.allocator, &file.walk.codecs, error);
    if (status == LAM_STATUS_OK)
        status = walk_file(&file, error);
    lam_codec_context_destroy(file.walk.codecs);
    lam_buffer_finish(&file.extents);
    lam_schema_destroy(file.schema);
    if (file.unfinished != NULL)
        lam_reader_close(file.unfinished);
    else if (file.has_footer)
        lam_footer_view_finish(&file.footer, &file.walk.allocator);
    lam_arena_finish(&file.arena);
    return status;
}
