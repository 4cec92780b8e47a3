/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Opens files that may lack their footer: turns an input into a reader that has the complete row
 * groups of the file, and counts what was found and lost.
 *
 * The invariant: a footer at the end of the file is believed only if a walk from the first page
 * does not show that it is inside a page, a record or another item, whose contents an attacker may
 * choose; and, in files with records, only if the pages that were not known to be durable match
 * their checksums. Otherwise the row groups are those that the walk found. (recovery_walk.h)
 */
#include "damage/unfinished/unfinished_file.h"

#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/options.h"
#include "damage/unfinished/empty_leftover.h"
#include "damage/unfinished/recovery_walk.h"
#include "damage/unfinished/schema_recovery.h"
#include "file/read/file_reader.h"
#include "file/read/memory_limit.h"
#include "meta/compact.h"

/* The common state of all steps of one opening. */
typedef struct unfinished_open {
    lam_recover_options options;
    lam_reader_options reader_options;
    lam_allocator allocator;
    uint64_t memory_limit;
    /* lam_schema_recovery; or NULL, so that it is not linked */
    lam_status (*divide)(lam_recovery_walk *walk, const lam_recover_options *options,
                         lam_meta_file *ret_meta, lam_recovery *ret_recovery, lam_error *error);
} unfinished_open;

/* Gives how to walk the file; from `verify_from` on checksums are compared, if at all. */
static lam_recovery_walk_options walk_options(const unfinished_open *opening,
                                              uint64_t verify_from) {
    lam_recovery_walk_options options = {&opening->allocator,
                                         opening->memory_limit,
                                         opening->options.no_checksums ? UINT64_MAX : verify_from,
                                         opening->options.durable_bytes,
                                         opening->options.stop,
                                         NULL};
    return options;
}

/* True when the file begins as a Parquet file, so that its first page is where it must be. */
static lam_status begins_with_magic(const lam_input *input, bool *ret_begins, lam_error *error) {
    char magic[LAM_FOOTER_MAGIC_SIZE] = "";
    if (input->size >= sizeof magic)
        LAM_TRY(input->read_at(input->state, 0, sizeof magic, magic, error));
    *ret_begins = memcmp(magic, LAM_FOOTER_MAGIC, sizeof magic) == 0;
    return LAM_STATUS_OK;
}

/* --- Finished files ------------------------------------------------------------------------ */

/* True when no row group of a walk is damaged. */
static bool all_are_sound(const lam_recovery_walk *walk) {
    const lam_walked_group *groups = walk->groups.items;
    size_t i = 0, count = walk->groups.count;
    while (i < count && groups[i].is_sound)
        i++;
    return i == count;
}

/* Walks again and compares the checksums of the pages after `synced`. */
static lam_status verify_tail(const unfinished_open *opening, const lam_input *input,
                              uint64_t synced, bool *ret_is_sound, lam_error *error) {
    lam_recovery_walk walk;
    lam_recovery_walk_options options = walk_options(opening, synced);
    lam_recovery_walk_init(&walk, input, &options);
    lam_status status = lam_recovery_walk_run(&walk, error);
    if (status == LAM_STATUS_OK)
        *ret_is_sound = all_are_sound(&walk) && !walk.ended_in_wrong_size;
    lam_recovery_walk_finish(&walk);
    return status;
}

/* True when an offset in metadata is at or after `synced`. */
static bool is_unsynced(uint32_t has, uint32_t bit, int64_t offset, uint64_t synced) {
    return (has & bit) != 0 && (offset < 0 || (uint64_t)offset >= synced);
}

/* True when a chunk has a page index or a Bloom filter at or after `synced`. */
static bool has_unsynced_index(const lam_meta_column_chunk *chunk, uint64_t synced) {
    const lam_meta_column *column = chunk->meta_data;
    return is_unsynced(chunk->has, LAM_META_COLUMN_CHUNK_HAS_COLUMN_INDEX_OFFSET,
                       chunk->column_index_offset, synced) ||
           is_unsynced(chunk->has, LAM_META_COLUMN_CHUNK_HAS_OFFSET_INDEX_OFFSET,
                       chunk->offset_index_offset, synced) ||
           (column != NULL && is_unsynced(column->has, LAM_META_COLUMN_HAS_BLOOM_FILTER_OFFSET,
                                          column->bloom_filter_offset, synced));
}

/*
 * Finds out whether the footer states page indexes or Bloom filters that were not known to be
 * durable: they have no checksums, so it is unknown whether they reached the disk.
 */
static lam_status find_unchecked(const lam_reader *reader, uint64_t synced, bool *ret_has,
                                 lam_error *error) {
    lam_status status = LAM_STATUS_OK;
    lam_arena arena = lam_reader_chunk_arena(reader);
    bool has = false;
    for (size_t i = 0; !has && i < reader->footer.meta.row_groups.count; i++)
        for (size_t leaf = 0; !has && leaf < reader->schema->leaf_count; leaf++) {
            lam_meta_column_chunk chunk;
            lam_arena_reset(&arena);
            LAM_TRY_OUT(lam_reader_decode_chunk(reader, i, leaf, &arena, &chunk, error));
            has = has_unsynced_index(&chunk, synced);
        }
    *ret_has = has;
out:
    lam_arena_finish(&arena);
    return status;
}

/*
 * Decides whether the footer at the end is the file's own. Files of other writers may have bytes
 * between their chunks that end the walk, and are believed then, unless they are leftovers: of
 * these a power cut may have kept the end and not the start. A log has none, unless the medium
 * damaged durable data. The records' statements about a leftover are better than a footer without a
 * checksum.
 */
static lam_status footer_is_sound(const unfinished_open *opening, const lam_reader *reader,
                                  bool *ret_is_sound, lam_error *error) {
    lam_recovery_walk walk;
    lam_recovery_walk_options options = walk_options(opening, UINT64_MAX);
    uint64_t footer = reader->footer.offset, synced;
    bool begins, is_sound, has_records;
    *ret_is_sound = true;
    LAM_TRY(begins_with_magic(&reader->input, &begins, error));
    if (!begins) {
        *ret_is_sound = !opening->options.is_leftover;
        return LAM_STATUS_OK;
    }
    lam_recovery_walk_init(&walk, &reader->input, &options);
    lam_status status = lam_recovery_walk_run(&walk, error);
    synced = walk.synced;
    has_records = walk.has_records;
    bool may_be_torn = opening->options.is_leftover && has_records &&
                       !(walk.last_footer == footer && walk.knows_footer);
    is_sound = !may_be_torn && lam_recovery_walk_allows_footer(&walk, footer) &&
               ((!has_records && !opening->options.is_leftover) || walk.last_footer == footer ||
                walk.stopped_at < synced);
    lam_recovery_walk_finish(&walk);
    if (status != LAM_STATUS_OK)
        return status;
    if (is_sound && opening->options.is_leftover) {
        bool has_unchecked;
        LAM_TRY(find_unchecked(reader, synced, &has_unchecked, error));
        is_sound = !has_unchecked;
    }
    *ret_is_sound = is_sound;
    if (is_sound && (has_records || opening->options.is_leftover) && synced < footer &&
        !opening->options.no_checksums)
        return verify_tail(opening, &reader->input, synced, ret_is_sound, error);
    return LAM_STATUS_OK;
}

/* Adds the sizes of the chunks of a row group, as far as the numbers make sense. */
static lam_status count_chunk_bytes(const lam_reader *reader, size_t row_group, lam_arena *arena,
                                    uint64_t *bytes, lam_error *error) {
    for (size_t i = 0; i < lam_schema_leaf_count(reader->schema); i++) {
        lam_meta_column_chunk chunk;
        lam_arena_reset(arena);
        LAM_TRY(lam_reader_decode_chunk(reader, row_group, i, arena, &chunk, error));
        if (chunk.meta_data != NULL && chunk.meta_data->total_compressed_size > 0)
            *bytes += (uint64_t)chunk.meta_data->total_compressed_size;
    }
    return LAM_STATUS_OK;
}

/* Counts what the footer of a finished file states. */
static lam_status count_finished(const lam_reader *reader, lam_recovery *ret_recovery,
                                 lam_error *error) {
    lam_recovery recovery = lam_recovery_default();
    lam_arena arena = lam_reader_chunk_arena(reader);
    lam_status status = LAM_STATUS_OK;
    recovery.row_groups = lam_reader_row_group_count(reader);
    recovery.rows = reader->row_count;
    recovery.has_footer = true;
    recovery.is_complete = true;
    for (size_t g = 0; status == LAM_STATUS_OK && g < lam_reader_row_group_count(reader); g++)
        status = count_chunk_bytes(reader, g, &arena, &recovery.bytes, error);
    lam_arena_finish(&arena);
    if (status == LAM_STATUS_OK)
        *ret_recovery = recovery;
    return status;
}

/*
 * Tries the footer at the end. `*ret_reader` stays NULL, with the reason in `*refusal`, when there
 * is none that can be believed, or, if that is passed, the system fails to read the bytes that show
 * it; the input is the caller's again then.
 */
static lam_status open_finished(const unfinished_open *opening, lam_input *input,
                                lam_reader **ret_reader, lam_recovery *ret_recovery,
                                lam_error *refusal, lam_error *error) {
    lam_reader *reader;
    bool is_sound = false;
    lam_error failure = lam_error_none();
    lam_status status = lam_reader_open(input, &opening->reader_options, &reader, refusal);
    if (status == LAM_STATUS_CORRUPT || status == LAM_STATUS_UNSUPPORTED ||
        status == LAM_STATUS_LIMIT ||
        (status == LAM_STATUS_IO && opening->options.passes_unreadable))
        return LAM_STATUS_OK;
    if (status != LAM_STATUS_OK) {
        if (error != NULL)
            *error = *refusal;
        return status;
    }
    status = footer_is_sound(opening, reader, &is_sound, &failure);
    if (status == LAM_STATUS_OK && is_sound)
        status = count_finished(reader, ret_recovery, &failure);
    if (status == LAM_STATUS_OK && is_sound) {
        *ret_reader = reader;
        return LAM_STATUS_OK;
    }
    *input = reader->input;
    memset(&reader->input, 0, sizeof reader->input);
    lam_reader_close(reader);
    if (status == LAM_STATUS_IO && opening->options.passes_unreadable) {
        *refusal = failure;
        return LAM_STATUS_OK;
    }
    lam_error_set(refusal, LAM_ERROR_CODE_FOOTER,
                  "the footer at the end of the file is inside a page, or behind damaged pages");
    if (status != LAM_STATUS_OK && error != NULL)
        *error = failure;
    return status;
}

/* --- Unfinished files ---------------------------------------------------------------------- */

/* Makes a reader of metadata, which it copies by encoding and decoding them. */
static lam_status reader_of(const unfinished_open *opening, const lam_meta_file *meta,
                            uint64_t limit, lam_input *input, lam_reader **ret_reader,
                            lam_error *error) {
    lam_status status;
    lam_reader *reader = NULL;
    lam_buffer bytes;
    lam_buffer_init(&bytes, &opening->allocator);
    LAM_TRY_OUT(lam_reader_create(input, &opening->reader_options, &reader, error));
    LAM_TRY_OUT(lam_meta_write_file(meta, &bytes, error));
    LAM_TRY_OUT(lam_footer_view_copy(lam_buffer_bytes(&bytes), limit, &reader->arena,
                                     &reader->footer, error));
    LAM_TRY_OUT(lam_reader_take_footer(reader, &opening->reader_options, input, error));
    *ret_reader = reader;
out:
    lam_buffer_finish(&bytes);
    if (status != LAM_STATUS_OK)
        lam_reader_close(reader);
    return status;
}

/*
 * Reports that a file can only be read with help, or that it is an empty leftover: the footer's own
 * failure says more unless it is that there is none. `walk` is NULL for a file that does not begin
 * with the magic.
 */
static lam_status fail_without_metadata(const unfinished_open *opening, const lam_input *input,
                                        const lam_recovery_walk *walk, const lam_error *refusal,
                                        lam_error *error) {
    bool is_empty = false;
    if (opening->options.is_leftover && opening->options.durable_bytes == 0)
        LAM_TRY(lam_leftover_is_empty(input, walk, opening->options.stop, &opening->allocator,
                                      &is_empty, error));
    if (is_empty)
        LAM_FAIL(error, LAM_ERROR_CODE_LEFTOVER_EMPTY,
                 "the file was begun, and no page of it is whole: nothing that was durable is in "
                 "it");
    if (refusal->status != LAM_STATUS_CORRUPT) {
        if (error != NULL)
            *error = *refusal;
        return refusal->status;
    }
    LAM_FAIL(error, LAM_ERROR_CODE_FOOTER,
             "the file has no footer, and no record that states what its pages hold");
}

/* Opens a file by what a walk finds in it. */
static lam_status open_walked(const unfinished_open *opening, lam_input *input,
                              const lam_error *refusal, lam_reader **ret_reader,
                              lam_recovery *ret_recovery, lam_error *error) {
    lam_status status;
    lam_recovery_walk walk;
    lam_recovery recovery = lam_recovery_default();
    lam_meta_file meta;
    lam_item_repair repair;
    lam_recovery_walk_options options = walk_options(opening, 0);
    lam_item_repair_init(&repair, input, &opening->allocator);
    repair.patched.passes_gaps = opening->options.passes_unreadable;
    repair.patched.stop = opening->options.stop;
    options.repair = opening->options.keeps_cut ? &repair : NULL;
    lam_recovery_walk_init(&walk, &repair.patched.input, &options);
    LAM_TRY_OUT(lam_recovery_walk_run(&walk, error));
    if (walk.has_meta)
        LAM_TRY_OUT(lam_recovery_walk_decide(&walk, &meta, &recovery, error));
    else if (opening->divide != NULL &&
             (opening->options.schema != NULL || opening->options.like != NULL))
        LAM_TRY_OUT(opening->divide(&walk, &opening->options, &meta, &recovery, error));
    else
        LAM_TRY_OUT(fail_without_metadata(opening, input, &walk, refusal, error));
    LAM_TRY_OUT(reader_of(opening, &meta, walk.stopped_at, input, ret_reader, error));
    (*ret_reader)->cut_chunks = walk.cut_chunks;
    (*ret_reader)->is_divided = !walk.has_meta;
    recovery.lacks_checksums = walk.lacks_crc;
    *ret_recovery = recovery;
out:
    lam_recovery_walk_finish(&walk);
    lam_item_repair_finish(&repair);
    return status;
}

/* Opens a file as `opening` says, whose options are filled in. */
static lam_status open_unfinished(unfinished_open opening, lam_input *input,
                                  const lam_recover_options *given, lam_reader **ret_reader,
                                  lam_recovery *ret_recovery, lam_error *error) {
    lam_reader *reader = NULL;
    lam_recovery recovery = lam_recovery_default();
    lam_error refusal = lam_error_none();
    bool begins;
    opening.reader_options = lam_reader_options_default();
    LAM_TRY(LAM_OPTIONS_READ(lam_recover_options, given, &opening.options, error));
    LAM_TRY(LAM_INFO_CHECK(lam_recovery, ret_recovery, error));
    if (input == NULL || input->read_at == NULL)
        LAM_FAIL(error, LAM_STATUS_INVALID, "no input to read from");
    opening.memory_limit = opening.options.memory_limit != 0
                               ? opening.options.memory_limit
                               : lam_memory_limit_of_file(input->size);
    opening.options.passes_unreadable =
        opening.options.keeps_cut && opening.options.passes_unreadable;
    opening.allocator = lam_allocator_or_default(opening.options.allocator);
    opening.reader_options.allocator = &opening.allocator;
    opening.reader_options.memory_limit = opening.options.memory_limit;
    opening.reader_options.stop = opening.options.stop;
    if (opening.options.no_checksums)
        opening.reader_options.page_crc = LAM_SWITCH_OFF;
    LAM_TRY(open_finished(&opening, input, &reader, &recovery, &refusal, error));
    if (reader == NULL) {
        LAM_TRY(begins_with_magic(input, &begins, error));
        if (!begins)
            return fail_without_metadata(&opening, input, NULL, &refusal, error);
        LAM_TRY(open_walked(&opening, input, &refusal, &reader, &recovery, error));
    }
    *ret_reader = reader;
    return LAM_INFO_WRITE(lam_recovery, &recovery, ret_recovery, error);
}

lam_status lam_reader_open_unfinished(lam_input *input, const lam_recover_options *given,
                                      lam_reader **ret_reader, lam_recovery *ret_recovery,
                                      lam_error *error) {
    const unfinished_open opening = {.divide = lam_schema_recovery};
    return open_unfinished(opening, input, given, ret_reader, ret_recovery, error);
}

lam_status lam_reader_open_recorded(lam_input *input, const lam_recover_options *given,
                                    lam_reader **ret_reader, lam_recovery *ret_recovery,
                                    lam_error *error) {
    const unfinished_open opening = {.divide = NULL};
    return open_unfinished(opening, input, given, ret_reader, ret_recovery, error);
}
