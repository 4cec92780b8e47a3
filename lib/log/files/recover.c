/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes a complete file of an unfinished one: takes its path, and a journal that may be near it,
 * and gives a new file with the complete row groups, copied as they are, and after them the rows
 * that only the journal has.
 *
 *     _NAME.part    row groups ---copy-->  a file beside TARGET  --sync, rename-->  TARGET
 *     _x.journal    rows -------write-->   (log_target.h)
 *
 * The invariant: the original and the journal are only read, and the target has its name only once
 * all of it is durable, so that recovering may be interrupted and repeated at any point. A file
 * that was appended to in place may be its own target; its note is removed after that.
 */
#include "log/files/log_recover.h"

#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/options.h"
#include "damage/unfinished/unfinished_file.h"
#include "file/copy/row_group_copy.h"
#include "file/copy/row_group_keep.h"
#include "file/read/file_reader.h"
#include "file/write/writer_options.h"
#include "io/storage_copy.h"
#include "log/folder/append_note.h"
#include "log/folder/log_name.h"
#include "log/folder/log_target.h"
#include "log/folder/storage_query.h"
#include "log/journal/journal_replay.h"
#include "log/journal/journal_search.h"

/* lam_reader_open_unfinished, or lam_reader_open_recorded. */
typedef lam_status (*unfinished_opener)(lam_input *input, const lam_recover_options *options,
                                        lam_reader **ret_reader, lam_recovery *ret_recovery,
                                        lam_error *error);

/* One recovery, from one file to another. */
typedef struct file_recovery {
    lam_recover_options options;
    unfinished_opener open;
    lam_allocator allocator;
    lam_storage storage;
    lam_storage_file lock; /* of the original, while it is read */
    lam_input original;    /* zeroed: it is missing */
    lam_reader *reader;    /* of the original; NULL: it has no row group that could be had */
    lam_error refusal;     /* why there is no reader */
    lam_journal_found journal;
    lam_input rows; /* the journal, if it has rows to add */
    lam_log_target target;
    lam_recovery found;
} file_recovery;

static bool is_open_stage(const char *path) {
    return lam_log_stage_of(path, NULL, NULL) == LAM_LOG_STAGE_OPEN;
}

/* --- The leftovers ------------------------------------------------------------------------ */

/* Holds the lock of the original while it is read; an unavailable one is no obstacle. */
static lam_status lock_original(file_recovery *recovery, const char *path, lam_error *error) {
    uint64_t size;
    lam_error failure = lam_error_none();
    if (recovery->options.ignores_locks)
        return LAM_STATUS_OK;
    lam_status status =
        recovery->storage.open(recovery->storage.state, path, &recovery->lock, &size, &failure);
    if (status == LAM_STATUS_OK || failure.code != LAM_ERROR_CODE_FILE_BUSY)
        return LAM_STATUS_OK;
    if (error != NULL)
        *error = failure;
    return status;
}

/* True when an append in place was interrupted, or has left its note; `note` gets its path. */
static lam_status find_note(const file_recovery *recovery, const char *path, lam_buffer *note,
                            uint64_t *ret_size, bool *ret_found, lam_error *error) {
    lam_append_note what;
    LAM_TRY(lam_append_note_find(&recovery->storage, path, &recovery->original, note, &what,
                                 ret_size, error));
    *ret_found = what == LAM_APPEND_NOTE_WHOLE;
    return LAM_STATUS_OK;
}

/* The original, or its first `size` bytes, for a reader: it stays open beneath that. */
static lam_input view_of(const file_recovery *recovery, uint64_t size) {
    lam_input view = recovery->original;
    view.size = size;
    view.close = NULL;
    return view;
}

/* Counts the bytes after a file that an append in place made longer. */
static void lose_append(lam_recovery *found, uint64_t bytes) {
    found->lost_bytes += bytes;
    found->has_footer = false;
    found->is_complete = false;
}

/* A file that cannot be read now, or not to the end, does not show what it holds. */
static bool is_unknown(lam_status status) {
    return status == LAM_STATUS_IO || status == LAM_STATUS_NOMEM || status == LAM_STATUS_LIMIT ||
           status == LAM_STATUS_CANCELLED;
}

/* Opens a reader on the first `size` bytes of the original. */
static lam_status open_first(file_recovery *recovery, uint64_t size,
                             const lam_recover_options *options, lam_recovery *found,
                             lam_reader **ret_reader) {
    lam_input view = view_of(recovery, size);
    return recovery->open(&view, options, ret_reader, found, &recovery->refusal);
}

/* Reads the file as it was before an append in place made it longer, with the size in the note. */
static lam_status open_before_append(file_recovery *recovery, uint64_t size) {
    LAM_TRY(open_first(recovery, size, &recovery->options, &recovery->found, &recovery->reader));
    lose_append(&recovery->found, recovery->original.size - size);
    return LAM_STATUS_OK;
}

/*
 * If a walk does not get as far as the old footer says, the appended row groups are lost and the
 * old ones are not: then the reader becomes one of the old file.
 */
static lam_status compare_with_old(file_recovery *recovery, uint64_t size) {
    lam_reader *walked = recovery->reader, *old;
    lam_recovery found = lam_recovery_default();
    lam_status status = open_first(recovery, size, &recovery->options, &found, &old);
    if (is_unknown(status)) {
        recovery->reader = NULL;
        lam_reader_close(walked);
        return status;
    }
    if (status != LAM_STATUS_OK)
        return LAM_STATUS_OK;
    if (lam_reader_row_count(walked) >= lam_reader_row_count(old)) {
        lam_reader_close(old);
        return LAM_STATUS_OK;
    }
    lose_append(&found, recovery->original.size - size);
    recovery->found = found;
    recovery->reader = old;
    lam_reader_close(walked);
    return LAM_STATUS_OK;
}

/*
 * Opens the entire file. If it was appended to in place, a footer at its end may have reached the
 * disk before the pages that it describes, and is no better than a leftover's.
 */
static lam_status open_reader(file_recovery *recovery, const char *path) {
    lam_buffer note;
    lam_recover_options options = recovery->options;
    uint64_t size = 0, whole = recovery->original.size;
    bool has_note = false;
    lam_buffer_init(&note, &recovery->allocator);
    lam_status status = find_note(recovery, path, &note, &size, &has_note, &recovery->refusal);
    lam_buffer_finish(&note);
    LAM_TRY(status);
    has_note = has_note && size <= whole;
    bool is_longer = has_note && size < whole;
    options.is_leftover = options.is_leftover || is_longer;
    options.durable_bytes = has_note ? size : options.durable_bytes;
    status = open_first(recovery, whole, &options, &recovery->found, &recovery->reader);
    if (!is_longer || is_unknown(status))
        return status;
    return status == LAM_STATUS_OK ? compare_with_old(recovery, size)
                                   : open_before_append(recovery, size);
}

/* Opens the original as far as it can be read. A file that is missing may be in a journal. */
static lam_status open_original(file_recovery *recovery, const char *path, lam_error *error) {
    lam_error *refusal = &recovery->refusal;
    recovery->found = lam_recovery_default();
    lam_status status =
        recovery->storage.open_input(recovery->storage.state, path, &recovery->original, refusal);
    if (status == LAM_STATUS_OK) {
        status = open_reader(recovery, path);
        if (status != LAM_STATUS_OK && refusal->code != LAM_ERROR_CODE_LEFTOVER_EMPTY)
            recovery->found.lost_bytes = recovery->original.size;
    }
    if (status == LAM_STATUS_OK || status == LAM_STATUS_CORRUPT ||
        refusal->code == LAM_ERROR_CODE_FILE_MISSING)
        return LAM_STATUS_OK;
    if (error != NULL)
        *error = *refusal;
    return status;
}

/* The path by which a journal knows the file: the final one of a leftover. */
static lam_status search_journal(file_recovery *recovery, const char *path, lam_error *error) {
    lam_status status;
    lam_buffer final;
    lam_buffer_init(&final, &recovery->allocator);
    if (is_open_stage(path))
        LAM_TRY_OUT(lam_log_path_final(&final, path, error));
    else
        LAM_TRY_OUT(lam_log_path_join(&final, "", path, "", error));
    LAM_TRY_OUT(lam_journal_search(&recovery->storage, (const char *) final.data,
                                   &recovery->original, &recovery->journal, error));
    if (recovery->journal.path.size > 0 && !recovery->journal.has_ended)
        LAM_TRY_OUT(recovery->storage.open_input(recovery->storage.state,
                                                 (const char *)recovery->journal.path.data,
                                                 &recovery->rows, error));
out:
    lam_buffer_finish(&final);
    return status;
}

/* --- The new file -------------------------------------------------------------------------- */

/* Copies a finished file as it is. */
static lam_status copy_whole(file_recovery *recovery, lam_error *error) {
    const lam_input *input = &recovery->reader->input;
    return lam_storage_copy(&recovery->target.file, input, 0, input->size, error);
}

/* Writes the rows that only the journal has. */
static lam_status replay(file_recovery *recovery, lam_writer *writer, lam_error *error) {
    lam_journal_replayed replayed;
    uint64_t rows = recovery->reader != NULL ? lam_reader_row_count(recovery->reader) : 0;
    if (recovery->rows.read_at == NULL)
        return LAM_STATUS_OK;
    LAM_TRY(lam_journal_replay_into(&recovery->rows, recovery->journal.file_id, rows,
                                    &recovery->allocator, writer, &replayed, error));
    recovery->found.journal_rows = replayed.row_count;
    /* Bytes after the last row group are rows that the journal has, if it has no gap. */
    recovery->found.is_complete =
        recovery->found.lost_row_groups == 0 && !replayed.has_gap &&
        (replayed.end.kind == LAM_JOURNAL_END_CLEAN || replayed.end.kind == LAM_JOURNAL_END_STALE);
    if (replayed.end.kind == LAM_JOURNAL_END_CUT || replayed.end.kind == LAM_JOURNAL_END_DAMAGED)
        recovery->found.lost_bytes += replayed.end.left;
    return LAM_STATUS_OK;
}

/* Row groups first, then the rows of the journal, then a footer. */
static lam_status write_recovered(file_recovery *recovery, lam_error *error) {
    lam_status status;
    const lam_reader *reader = recovery->reader;
    const lam_schema *schema = reader != NULL ? reader->schema : recovery->journal.schema;
    lam_writer_options options = lam_writer_options_default();
    lam_output output = lam_log_target_output(&recovery->target);
    lam_writer *writer;
    options.allocator = &recovery->allocator;
    options.stop = recovery->options.stop;
    options.compat = lam_writer_compat_of(schema);
    LAM_TRY(lam_writer_open(schema, &output, &options, &writer, error));
    lam_writer_set_copy(writer, lam_storage_copy_into, &recovery->target.file);
    if (reader != NULL) {
        LAM_TRY_OUT(lam_writer_keep_key_values(writer, reader, error));
        LAM_TRY_OUT(lam_writer_restore_row_groups(writer, reader, error));
    } else {
        LAM_TRY_OUT(lam_writer_copy_key_values(writer, &recovery->journal.key_values, error));
    }
    LAM_TRY_OUT(replay(recovery, writer, error));
    LAM_TRY_OUT(lam_writer_finish(writer, error));
out:
    lam_writer_close(writer);
    return status;
}

/* A file that was finished may still lack rows that a journal has, if it is older than that. */
static bool is_finished(const file_recovery *recovery) {
    return recovery->reader != NULL && recovery->found.has_footer &&
           (recovery->journal.path.size == 0 || recovery->journal.has_ended);
}

/* Creates the new file, with the rights of its original. */
static lam_status create_recovered(file_recovery *recovery, const char *path, lam_error *error) {
    const lam_input *like = recovery->original.read_at != NULL ? &recovery->original
                            : recovery->rows.read_at != NULL   ? &recovery->rows
                                                               : NULL;
    if (!recovery->options.ignores_locks)
        LAM_TRY(lam_log_target_clean(&recovery->storage, path, &recovery->allocator, error));
    return lam_log_target_create(&recovery->target, &recovery->storage, path, like,
                                 &recovery->allocator, error);
}

/* The file does not show its rows. One that was only begun may have some in its journal. */
static lam_status fail_without_rows(const file_recovery *recovery, lam_error *error) {
    const lam_error *refusal = &recovery->refusal;
    if (refusal->code == LAM_ERROR_CODE_LEFTOVER_EMPTY && recovery->journal.has_unreadable)
        LAM_FAIL(error, LAM_ERROR_CODE_JOURNAL,
                 "no page of the file is whole, and the journal of its log cannot be read");
    if (error != NULL)
        *error = *refusal;
    return refusal->status;
}

static lam_status make_target(file_recovery *recovery, const char *target, lam_error *error) {
    lam_error failure = lam_error_none();
    if (recovery->reader == NULL && recovery->journal.schema == NULL)
        return fail_without_rows(recovery, error);
    LAM_TRY(create_recovered(recovery, target, error));
    if (is_finished(recovery))
        LAM_TRY(copy_whole(recovery, error));
    else
        LAM_TRY(write_recovered(recovery, error));
    lam_status status = lam_log_target_publish(&recovery->target, &failure);
    /* Recovering again gives the same file, and has no effect. */
    if (failure.code == LAM_ERROR_CODE_FILE_EXISTS && lam_log_target_is_there(&recovery->target))
        return LAM_STATUS_OK;
    if (status != LAM_STATUS_OK && error != NULL)
        *error = failure;
    return status;
}

/* --- In place ------------------------------------------------------------------------------ */

/* Writes the recovered file, and puts it in the original's place. */
static lam_status replace_original(file_recovery *recovery, const char *path, lam_error *error) {
    if (recovery->reader == NULL) {
        if (error != NULL)
            *error = recovery->refusal;
        return recovery->refusal.status;
    }
    LAM_TRY(create_recovered(recovery, path, error));
    LAM_TRY(write_recovered(recovery, error));
    return lam_log_target_replace(&recovery->target, error);
}

/*
 * Recovers a file that was appended to in place, there. The note is removed last: while it exists
 * this can be repeated, and the file is complete before that.
 */
static lam_status recover_original(file_recovery *recovery, const char *path, lam_error *error) {
    lam_status status;
    const lam_storage *storage = &recovery->storage;
    lam_buffer note, folder;
    uint64_t size;
    bool has_note;
    lam_buffer_init(&note, &recovery->allocator);
    lam_buffer_init(&folder, &recovery->allocator);
    LAM_TRY_OUT(find_note(recovery, path, &note, &size, &has_note, error));
    LAM_TRY_OUT(lam_log_folder_of(&folder, path, error));
    if (!has_note)
        LAM_FAIL_OUT(error, LAM_ERROR_CODE_FILE_EXISTS,
                     "%s: the file exists, and no append in place was interrupted", path);
    LAM_TRY_OUT(replace_original(recovery, path, error));
    LAM_TRY_OUT(storage->remove(storage->state, (const char *)note.data, error));
    LAM_TRY_OUT(storage->sync_folder(storage->state, (const char *)folder.data, error));
out:
    lam_buffer_finish(&note);
    lam_buffer_finish(&folder);
    return status;
}

/* --------------------------------------------------------------------------------------------- */

/* Everything after the options; `path` is that of the file itself if a link was given. */
static lam_status recover_path(file_recovery *recovery, const char *path, const char *target,
                               lam_error *error) {
    if (is_open_stage(path))
        recovery->options.is_leftover = true;
    LAM_TRY(lock_original(recovery, path, error));
    LAM_TRY(open_original(recovery, path, error));
    LAM_TRY(search_journal(recovery, path, error));
    return target == NULL ? recover_original(recovery, path, error)
                          : make_target(recovery, target, error);
}

static lam_status recover_with(unfinished_opener open, const char *path, const char *target,
                               const lam_recover_options *given, lam_recovery *ret_recovery,
                               lam_error *error) {
    lam_status status;
    lam_buffer real;
    file_recovery recovery = {.open = open, .refusal = lam_error_none()};
    LAM_TRY(LAM_OPTIONS_READ(lam_recover_options, given, &recovery.options, error));
    recovery.options.keeps_cut = false; /* its row groups are copied as they are */
    recovery.options.passes_unreadable = false;
    LAM_TRY(LAM_INFO_CHECK(lam_recovery, ret_recovery, error));
    if (path == NULL || target == NULL)
        LAM_FAIL(error, LAM_STATUS_INVALID, "no path to recover (NULL)");
    recovery.allocator = lam_allocator_or_default(recovery.options.allocator);
    recovery.storage =
        recovery.options.storage != NULL ? *recovery.options.storage : lam_storage_files();
    lam_buffer_init(&real, &recovery.allocator);
    lam_journal_found_init(&recovery.journal, &recovery.allocator);
    LAM_TRY_OUT(lam_storage_resolve(&recovery.storage, path, &real, error));
    LAM_TRY_OUT(recover_path(&recovery, (const char *)real.data,
                             strcmp(path, target) == 0 ? NULL : target, error));
    status = LAM_INFO_WRITE(lam_recovery, &recovery.found, ret_recovery, error);
out:
    lam_log_target_finish(&recovery.target);
    lam_reader_close(recovery.reader);
    lam_input_close(&recovery.original);
    lam_input_close(&recovery.rows);
    lam_storage_file_close(&recovery.lock);
    lam_journal_found_finish(&recovery.journal);
    lam_buffer_finish(&real);
    return status;
}

lam_status lam_recover(const char *path, const char *target, const lam_recover_options *given,
                       lam_recovery *ret_recovery, lam_error *error) {
    return recover_with(lam_reader_open_unfinished, path, target, given, ret_recovery, error);
}

lam_status lam_log_recover(const char *path, const char *target, const lam_recover_options *given,
                           lam_recovery *ret_recovery, lam_error *error) {
    return recover_with(lam_reader_open_recorded, path, target, given, ret_recovery, error);
}
