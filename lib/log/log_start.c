/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prepares the folder of a log. In: its path, and whatever predecessors left there. Out: a folder
 * in which files can be made, and final files in place of leftovers.
 *
 *     x.parquet.part  y.journal   -> lam_recover ->   x.parquet        then the leftovers go
 *     x.parquet.part              -> nothing usable   x.parquet.part.bad
 *
 * The invariant: a leftover is removed only when what was made of it is durable under its final
 * name, and a journal only after all of its files; so a start that is interrupted is repeated by
 * the next one. What another log has open is not touched: it is locked.
 */
#include "log/log_start.h"

#include <lamella/recover.h>
#include <string.h>

#include "base/error.h"
#include "log/journal_replay.h"
#include "log/storage_query.h"

/* One start, and the names that it found: NUL-terminated texts, one behind the other. */
typedef struct log_start {
    const lam_log_settings *settings;
    const lam_storage *storage;
    lam_log_counts *counts;
    const char *root;
    lam_allocator
        allocator;         /* not the log's: what is needed here is gone before its first record */
    lam_buffer unfinished; /* of files, ".part" included */
    lam_buffer journals;
    lam_buffer attempts; /* of recoveries that were interrupted */
    lam_buffer path;     /* scratch */
    lam_buffer final;
    bool needs_journal; /* a file that was left alone has rows in the journal at hand */
} log_start;

/* --- Finding ------------------------------------------------------------------------------- */

/* One folder, on the way down. */
typedef struct start_walk {
    log_start *start;
    const char *folder;
    int depth;
} start_walk;

static lam_status list_leftovers(start_walk *walk, lam_error *error);

static lam_status list_partition(const start_walk *walk, const char *name, lam_error *error) {
    lam_status status;
    lam_buffer path;
    start_walk inner = {walk->start, NULL, walk->depth + 1};
    if (strchr(name, '=') == NULL || walk->depth >= LAM_PARTITION_DEPTH_MAX)
        return LAM_STATUS_OK;
    lam_buffer_init(&path, &walk->start->allocator);
    LAM_TRY_OUT(lam_log_path_join(&path, walk->folder, name, "", error));
    inner.folder = (const char *)path.data;
    LAM_TRY_OUT(list_leftovers(&inner, error));
out:
    lam_buffer_finish(&path);
    return status;
}

/* Notes a file that a recovery had begun, or has renamed where that is a link and a removal. */
static lam_status note_attempt(const start_walk *walk, const char *entry, lam_error *error) {
    log_start *start = walk->start;
    lam_log_name name;
    size_t size = strlen(entry), suffix = sizeof LAM_LOG_SUFFIX_RECOVERING - 1;
    char final[LAM_LOG_NAME_MAX + 1];
    if (size <= suffix || size - suffix > LAM_LOG_NAME_MAX ||
        strcmp(entry + size - suffix, LAM_LOG_SUFFIX_RECOVERING) != 0)
        return LAM_STATUS_OK;
    memcpy(final, entry, size - suffix);
    final[size - suffix] = '\0';
    if (!lam_log_name_parse_of(final, start->settings->prefix, &name))
        return LAM_STATUS_OK;
    LAM_TRY(lam_log_path_join(&start->path, walk->folder, entry, "", error));
    return lam_buffer_append(&start->attempts, start->path.data, start->path.size, error);
}

/* Notes leftovers of the log's prefix, and walks into partition folders. */
static lam_status note_entry(void *state, const lam_storage_entry *entry, lam_error *error) {
    start_walk *walk = state;
    log_start *start = walk->start;
    lam_log_name name;
    if (entry->is_folder)
        return list_partition(walk, entry->name, error);
    if (!lam_log_name_parse_of(entry->name, start->settings->prefix, &name))
        return note_attempt(walk, entry->name, error);
    lam_buffer *list = name.stage == LAM_LOG_STAGE_OPEN ? &start->unfinished
                       : name.stage == LAM_LOG_STAGE_JOURNAL && walk->depth == 0 ? &start->journals
                                                                                 : NULL;
    if (list == NULL)
        return LAM_STATUS_OK;
    LAM_TRY(lam_log_path_join(&start->path, walk->folder, entry->name, "", error));
    return lam_buffer_append(list, start->path.data, start->path.size, error);
}

static lam_status list_leftovers(start_walk *walk, lam_error *error) {
    const lam_storage *storage = walk->start->storage;
    return storage->list(storage->state, walk->folder, note_entry, walk, error);
}

/* --- Files --------------------------------------------------------------------------------- */

/* True when its writer is running, or nobody can tell. */
static bool is_busy(const log_start *start, const char *path) {
    lam_error failure = lam_error_none();
    lam_status status = lam_storage_check_not_busy(start->storage, path, &failure);
    return status != LAM_STATUS_OK && failure.code != LAM_ERROR_CODE_FILE_MISSING;
}

static lam_status sync_folder_of(log_start *start, const char *path, lam_error *error) {
    LAM_TRY(lam_log_folder_of(&start->path, path, error));
    return start->storage->sync_folder(start->storage->state, (const char *)start->path.data,
                                       error);
}

/* Puts a leftover aside that nothing can be made of; an empty one is removed. */
static lam_status put_aside(log_start *start, const char *path, lam_error *error) {
    enum { NO_PAGES = 4 }; /* bytes of the magic */
    uint64_t size = 0;
    bool is_there;
    LAM_TRY(lam_storage_find(start->storage, path, &is_there, &size, error));
    if (!is_there)
        return LAM_STATUS_OK;
    if (size <= NO_PAGES)
        return start->storage->remove(start->storage->state, path, error);
    LAM_TRY(lam_log_path_join(&start->path, "", path, LAM_LOG_SUFFIX_BAD, error));
    return start->storage->replace(start->storage->state, path, (const char *)start->path.data,
                                   error);
}

static void note_recovered(log_start *start, const char *path, const lam_recovery *recovery) {
    const lam_log_options *options = &start->settings->options;
    uint64_t rows = recovery->rows + recovery->journal_rows, size = 0;
    bool is_there;
    atomic_fetch_add(&start->counts->recovered, rows);
    atomic_fetch_add(&start->counts->files, 1);
    if (options->on_file == NULL)
        return;
    (void)lam_storage_find(start->storage, path, &is_there, &size, NULL);
    const lam_log_file about = {path, size, rows, true};
    options->on_file(options->callback_state, &about);
}

/*
 * Makes a final file of a leftover. What contradicts the format is put aside, any other failure is
 * one of the log.
 */
static lam_status recover_unfinished(log_start *start, const char *unfinished, const char *final,
                                     lam_error *error) {
    bool is_made;
    lam_recover_options options = lam_recover_options_default();
    lam_recovery recovery = lam_recovery_default();
    lam_error failure = lam_error_none();
    options.allocator = &start->allocator;
    options.storage = start->storage;
    LAM_TRY(lam_storage_find(start->storage, final, &is_made, NULL, error));
    if (!is_made) {
        lam_status status = lam_recover(unfinished, final, &options, &recovery, &failure);
        if (status == LAM_STATUS_CORRUPT || status == LAM_STATUS_UNSUPPORTED)
            return put_aside(start, unfinished, error);
        if (status != LAM_STATUS_OK) {
            if (error != NULL)
                *error = failure;
            return status;
        }
        note_recovered(start, final, &recovery);
    } else {
        /* A predecessor was killed behind its rename, which is not durable before this. */
        LAM_TRY(sync_folder_of(start, final, error));
    }
    lam_status status = start->storage->remove(start->storage->state, unfinished, &failure);
    if (status == LAM_STATUS_OK || failure.code == LAM_ERROR_CODE_FILE_MISSING)
        return LAM_STATUS_OK;
    if (error != NULL)
        *error = failure;
    return status;
}

/* A file that somebody writes is not a leftover. */
static lam_status recover_unfinished_files(log_start *start, lam_error *error) {
    for (size_t at = 0; at < start->unfinished.size;) {
        const char *unfinished = (const char *)start->unfinished.data + at;
        size_t size = strlen(unfinished), final_size = size - (sizeof LAM_LOG_SUFFIX_OPEN - 1);
        at += size + 1;
        if (is_busy(start, unfinished))
            continue;
        lam_buffer_clear(&start->final);
        LAM_TRY(lam_buffer_append(&start->final, unfinished, final_size + 1, error));
        start->final.data[final_size] = '\0';
        LAM_TRY(recover_unfinished(start, unfinished, (const char *)start->final.data, error));
        LAM_TRY(sync_folder_of(start, (const char *)start->final.data, error));
    }
    return LAM_STATUS_OK;
}

/* --- Journals ------------------------------------------------------------------------------ */

/* A file that only its journal knows: its name never became durable. */
static lam_status recover_journal_file(void *state, const lam_journal_file_info *info,
                                       lam_error *error) {
    log_start *start = state;
    lam_status status;
    bool is_made = true, is_begun = false;
    lam_buffer unfinished, final;
    lam_buffer_init(&unfinished, &start->allocator);
    lam_buffer_init(&final, &start->allocator);
    LAM_TRY_OUT(lam_log_path_join(&final, start->root, info->path, "", error));
    LAM_TRY_OUT(
        lam_log_path_join(&unfinished, start->root, info->path, LAM_LOG_SUFFIX_OPEN, error));
    if (!info->has_ended && info->batches > 0) {
        LAM_TRY_OUT(
            lam_storage_find(start->storage, (const char *) final.data, &is_made, NULL, error));
        LAM_TRY_OUT(lam_storage_find(start->storage, (const char *)unfinished.data, &is_begun, NULL,
                                     error));
    }
    start->needs_journal = start->needs_journal || (!is_made && is_begun);
    if (!is_made && !is_begun && info->first_row == 0) {
        char *slash = strrchr((char *)unfinished.data + strlen(start->root) + 1, '/');
        if (slash != NULL) {
            *slash = '\0';
            LAM_TRY_OUT(lam_log_make_folders(start->storage, (char *)unfinished.data,
                                             strlen(start->root), true, error));
            *slash = '/';
        }
        LAM_TRY_OUT(recover_unfinished(start, (const char *)unfinished.data,
                                       (const char *) final.data, error));
    }
out:
    lam_buffer_finish(&final);
    lam_buffer_finish(&unfinished);
    return status;
}

/*
 * Replays what is in no file, and removes the journal, or puts it aside when it cannot be read. It
 * stays as long as a file does that may lack its rows.
 */
static lam_status finish_journal(log_start *start, const char *journal, lam_error *error) {
    lam_input input;
    lam_error failure = lam_error_none();
    start->needs_journal = false;
    LAM_TRY(start->storage->open_input(start->storage->state, journal, &input, error));
    lam_status status = lam_journal_list_files(&input, &start->allocator, recover_journal_file,
                                               start, NULL, &failure);
    lam_input_close(&input);
    if (status == LAM_STATUS_OK && start->needs_journal)
        return LAM_STATUS_OK;
    if (status == LAM_STATUS_OK)
        return start->storage->remove(start->storage->state, journal, error);
    if (status == LAM_STATUS_CORRUPT || status == LAM_STATUS_UNSUPPORTED)
        return put_aside(start, journal, error);
    if (error != NULL)
        *error = failure;
    return status;
}

static lam_status finish_journals(log_start *start, lam_error *error) {
    for (size_t at = 0; at < start->journals.size;) {
        const char *journal = (const char *)start->journals.data + at;
        at += strlen(journal) + 1;
        if (!is_busy(start, journal))
            LAM_TRY(finish_journal(start, journal, error));
    }
    if (start->journals.size + start->unfinished.size == 0)
        return LAM_STATUS_OK;
    return start->storage->sync_folder(start->storage->state, start->root, error);
}

/* Removes what recoveries had begun: those of above have begun anew. */
static lam_status remove_attempts(log_start *start, lam_error *error) {
    const lam_storage *storage = start->storage;
    for (size_t at = 0; at < start->attempts.size;) {
        const char *attempt = (const char *)start->attempts.data + at;
        lam_error failure = lam_error_none();
        at += strlen(attempt) + 1;
        if (is_busy(start, attempt))
            continue;
        lam_status status = storage->remove(storage->state, attempt, &failure);
        if (status == LAM_STATUS_OK || failure.code == LAM_ERROR_CODE_FILE_MISSING)
            continue;
        if (error != NULL)
            *error = failure;
        return status;
    }
    return LAM_STATUS_OK;
}

/* --- The folder ---------------------------------------------------------------------------- */

/* Finds out now, and not at the first record, that the folder cannot be written. */
static lam_status probe_folder(log_start *start, lam_error *error) {
    char name[LAM_LOG_NAME_MAX + 1];
    lam_storage_file file;
    const lam_clock *clock = &start->settings->clock;
    lam_log_name_make(start->settings->prefix, clock->utc(clock->state), name);
    LAM_TRY(lam_log_path_join(&start->path, start->root, name, LAM_LOG_SUFFIX_OPEN, error));
    const char *path = (const char *)start->path.data;
    LAM_TRY(start->storage->create(start->storage->state, path, &file, error));
    lam_storage_file_close(&file);
    return start->storage->remove(start->storage->state, path, error);
}

lam_status lam_log_start(lam_log_settings *settings, lam_log_counts *counts, const char *root,
                         lam_error *error) {
    lam_status status;
    log_start start = {.settings = settings,
                       .storage = &settings->storage,
                       .counts = counts,
                       .root = root,
                       .allocator = settings->budget.beneath};
    start_walk walk = {&start, root, 0};
    lam_buffer_init(&start.unfinished, &start.allocator);
    lam_buffer_init(&start.journals, &start.allocator);
    lam_buffer_init(&start.attempts, &start.allocator);
    lam_buffer_init(&start.path, &start.allocator);
    lam_buffer_init(&start.final, &start.allocator);
    LAM_TRY_OUT(settings->storage.make_folder(settings->storage.state, root, error));
    LAM_TRY_OUT(sync_folder_of(&start, root, error));
    if (settings->options.leftovers == LAM_LOG_LEFTOVERS_RECOVER) {
        LAM_TRY_OUT(list_leftovers(&walk, error));
        LAM_TRY_OUT(recover_unfinished_files(&start, error));
        LAM_TRY_OUT(finish_journals(&start, error));
        LAM_TRY_OUT(remove_attempts(&start, error));
    }
    LAM_TRY_OUT(probe_folder(&start, error));
out:
    lam_buffer_finish(&start.final);
    lam_buffer_finish(&start.path);
    lam_buffer_finish(&start.attempts);
    lam_buffer_finish(&start.journals);
    lam_buffer_finish(&start.unfinished);
    return status;
}
