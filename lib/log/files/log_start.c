/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prepares the folder of a log: takes its path, and whatever predecessors left there, and gives a
 * folder in which files can be made, and final files in place of leftovers.
 *
 *     _x.parquet.part  _y.journal   -> lam_recover ->   x.parquet        then the leftovers go
 *     _x.parquet.part               -> nothing usable   _x.parquet.part.bad
 *     _x.parquet.part               -> only begun       removed: none of it was durable
 *     _x.parquet.part               -> too large        _x.parquet.part, for a larger limit
 *
 * The invariant: a leftover is removed only when the file made from it is durable under its final
 * name, and a journal only after all of its files; so the next start repeats an interrupted one.
 * Only files that this start has taken are touched: those that another log, start or recovery has
 * open are locked, and those that do not belong to this user alone stay as they are.
 */
#include "log/files/log_start.h"

#include <lamella/recover.h>
#include <string.h>

#include "base/error.h"
#include "base/thread/stop.h"
#include "io/leftover.h"
#include "log/files/log_recover.h"
#include "log/folder/log_target.h"
#include "log/folder/storage_query.h"
#include "log/journal/journal_replay.h"

/* One start, and the names that it found: NUL-terminated texts, one after the other. */
typedef struct log_start {
    lam_log_settings *settings;
    const lam_storage *storage;
    lam_log_counts *counts;
    const char *root;
    lam_budget budget;       /* not the log's: this memory is freed before its first record */
    lam_allocator allocator; /* that draws on it */
    lam_budget names;        /* of leftovers: a part of it, so that all else has room */
    lam_allocator names_allocator;
    lam_buffer unfinished; /* of files, ".part" included */
    lam_buffer journals;
    lam_buffer attempts; /* of recoveries that were interrupted */
    lam_buffer path;     /* scratch */
    lam_buffer final;
    bool needs_journal; /* a file that was left alone has rows in the current journal */
} log_start;

/* --- Finding ------------------------------------------------------------------------------- */

/* One folder, on the way down. */
typedef struct start_walk {
    log_start *start;
    const char *folder;
    int depth;
} start_walk;

static lam_status list_leftovers(start_walk *walk, lam_error *error);

/* A file that others have just moved away or replaced is theirs. */
static lam_status pass_gone(lam_status status, const lam_error *failure, lam_error *error) {
    if (status == LAM_STATUS_OK || failure->code == LAM_ERROR_CODE_FILE_MISSING ||
        failure->code == LAM_ERROR_CODE_FILE_KIND)
        return LAM_STATUS_OK;
    if (error != NULL)
        *error = *failure;
    return status;
}

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

/* The last mark of a temporary name: a prefix may have one, too. */
static const char *find_mark(const char *entry) {
    const char *found = NULL;
    for (const char *at = entry; (at = strstr(at, LAM_LEFTOVER_MARK)) != NULL; at++)
        found = at;
    return found;
}

/* Notes a file that a recovery had begun. */
static lam_status note_attempt(const start_walk *walk, const char *entry, lam_error *error) {
    log_start *start = walk->start;
    lam_log_name name;
    bool is_disposable;
    const char *mark = find_mark(entry), *first = entry + (entry[0] == LAM_LOG_MARK);
    size_t size = mark != NULL ? (size_t)(mark - first) : 0;
    char final[LAM_LOG_NAME_MAX + 1];
    if (size == 0 || size > LAM_LOG_NAME_MAX)
        return LAM_STATUS_OK;
    memcpy(final, first, size);
    final[size] = '\0';
    if (!lam_log_name_parse_of(final, start->settings->prefix, &name) ||
        !lam_leftover_is_of(final, entry, &is_disposable) || !is_disposable)
        return LAM_STATUS_OK;
    LAM_TRY(lam_log_path_join(&start->path, walk->folder, entry, "", error));
    return lam_buffer_append(&start->attempts, start->path.data, start->path.size, error);
}

/* Notes leftovers of the log's prefix, and walks into partition folders. */
static lam_status note_entry(void *state, const lam_storage_entry *entry, lam_error *error) {
    start_walk *walk = state;
    log_start *start = walk->start;
    lam_log_name name;
    LAM_TRY(lam_stop_check(start->settings->options.stop, error));
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

/* A folder may be removed by others before it is listed, once it is empty. */
static lam_status list_leftovers(start_walk *walk, lam_error *error) {
    const lam_storage *storage = walk->start->storage;
    lam_error failure = lam_error_none();
    lam_status status = storage->list(storage->state, walk->folder, note_entry, walk, &failure);
    return pass_gone(status, &failure, error);
}

/*
 * A leftover that takes more memory or time than there is does not hinder new records: it stays as
 * it is, and is counted.
 */
static lam_status leave_unrecovered(log_start *start, lam_status status, lam_error *error) {
    if (status != LAM_STATUS_LIMIT && status != LAM_STATUS_CANCELLED)
        return status;
    atomic_fetch_add(&start->counts->unrecovered, 1);
    if (error != NULL)
        *error = lam_error_none();
    return LAM_STATUS_OK;
}

/* --- Files --------------------------------------------------------------------------------- */

static lam_status sync_folder_of(log_start *start, const char *path, lam_error *error) {
    lam_error failure = lam_error_none();
    LAM_TRY(lam_log_folder_of(&start->path, path, error));
    lam_status status = start->storage->sync_folder(start->storage->state,
                                                    (const char *)start->path.data, &failure);
    return pass_gone(status, &failure, error);
}

static lam_status remove_leftover(const log_start *start, const char *path, lam_error *error) {
    lam_error failure = lam_error_none();
    lam_status status = start->storage->remove(start->storage->state, path, &failure);
    return pass_gone(status, &failure, error);
}

/*
 * Takes a leftover, whose name another start or a recovery may have taken meanwhile; cleared when
 * it is not available. One that does not belong to this user alone is counted, and stays.
 */
static lam_status take_leftover(log_start *start, const char *path, lam_storage_file *ret_file,
                                lam_stored *ret_stored, lam_error *error) {
    uint64_t size;
    LAM_TRY(lam_storage_take(start->storage, path, ret_file, &size, ret_stored, error));
    if (*ret_stored == LAM_STORED_FOREIGN)
        atomic_fetch_add(&start->counts->passed_over, 1);
    return LAM_STATUS_OK;
}

/* Puts aside a leftover from which no file can be made. */
static lam_status put_aside(const log_start *start, const char *path, lam_error *error) {
    lam_error failure = lam_error_none();
    lam_status status =
        lam_storage_put_aside(start->storage, path, strlen(path), &start->allocator, &failure);
    if (status == LAM_STATUS_OK)
        atomic_fetch_add(&start->counts->put_aside, 1);
    return pass_gone(status, &failure, error);
}

static void note_recovered(log_start *start, const char *path, const lam_recovery *recovery) {
    const lam_log_options *options = &start->settings->options;
    uint64_t rows = recovery->rows + recovery->journal_rows, size = 0;
    bool is_there;
    atomic_fetch_add(&start->counts->recovered, rows);
    atomic_fetch_add(&start->counts->files, 1);
    atomic_fetch_add(&start->counts->incomplete, !recovery->is_complete);
    if (options->on_file == NULL)
        return;
    (void)lam_storage_find(start->storage, path, &is_there, &size, NULL);
    const lam_log_file about = {path, size, rows, true};
    options->on_file(options->callback_state, &about);
}

/*
 * Makes a final file of a leftover that this start has taken, which goes if it is done; so does an
 * empty one. One that contradicts the format is put aside; if somebody else gives the name to
 * another file meanwhile, or takes the leftover away, or it does not fit, it is left; any other
 * failure is one of the log.
 */
static lam_status make_final(log_start *start, const char *unfinished, const char *final,
                             bool *ret_done, lam_error *error) {
    lam_recover_options options = lam_recover_options_default();
    lam_recovery recovery = lam_recovery_default();
    lam_error failure = lam_error_none();
    options.allocator = &start->allocator;
    options.storage = start->storage;
    options.ignores_locks = true; /* it is the lock of this start */
    options.stop = start->settings->options.stop;
    lam_status status = lam_log_recover(unfinished, final, &options, &recovery, &failure);
    bool is_useless = status == LAM_STATUS_CORRUPT || status == LAM_STATUS_UNSUPPORTED;
    *ret_done = is_useless || status == LAM_STATUS_OK;
    if (status == LAM_STATUS_OK)
        note_recovered(start, final, &recovery);
    if (is_useless && failure.code != LAM_ERROR_CODE_LEFTOVER_EMPTY)
        return put_aside(start, unfinished, error);
    if (is_useless)
        return LAM_STATUS_OK;
    if (failure.code == LAM_ERROR_CODE_FILE_EXISTS)
        return LAM_STATUS_OK;
    status = leave_unrecovered(start, status, &failure);
    return pass_gone(status, &failure, error);
}

/*
 * Makes the final file unless it exists: then a predecessor was killed after its rename, which is
 * not durable before its folder is. A final name that is somebody else's stays theirs, and the
 * leftover stays, too.
 */
static lam_status recover_unfinished(log_start *start, const char *unfinished, const char *final,
                                     bool *ret_done, lam_error *error) {
    lam_storage_file there;
    lam_stored stored;
    LAM_TRY(take_leftover(start, final, &there, &stored, error));
    lam_storage_file_close(&there);
    *ret_done = stored == LAM_STORED_OWN;
    if (stored == LAM_STORED_NONE)
        LAM_TRY(make_final(start, unfinished, final, ret_done, error));
    else if (stored == LAM_STORED_OWN)
        LAM_TRY(sync_folder_of(start, final, error));
    return *ret_done ? remove_leftover(start, unfinished, error) : LAM_STATUS_OK;
}

/* A file that somebody writes is not a leftover. */
static lam_status recover_unfinished_files(log_start *start, lam_error *error) {
    for (size_t at = 0; at < start->unfinished.size;) {
        const char *unfinished = (const char *)start->unfinished.data + at;
        lam_storage_file file;
        lam_stored stored;
        bool is_done;
        at += strlen(unfinished) + 1;
        LAM_TRY(take_leftover(start, unfinished, &file, &stored, error));
        if (stored != LAM_STORED_OWN)
            continue;
        lam_status status = lam_log_path_final(&start->final, unfinished, error);
        if (status == LAM_STATUS_OK)
            status = recover_unfinished(start, unfinished, (const char *)start->final.data,
                                        &is_done, error);
        lam_storage_file_close(&file);
        LAM_TRY(status);
        LAM_TRY(sync_folder_of(start, (const char *)start->final.data, error));
    }
    return LAM_STATUS_OK;
}

/* --- Journals ------------------------------------------------------------------------------ */

/* Makes the folders of a file that was never made. */
static lam_status make_folders_of(const log_start *start, char *path, lam_error *error) {
    size_t root = strlen(start->root);
    char *slash = strrchr(path + root + 1, '/');
    if (slash == NULL)
        return LAM_STATUS_OK;
    *slash = '\0';
    lam_status status = lam_log_make_folders(start->storage, path, root, true, error);
    *slash = '/';
    return status;
}

/* The state of a file that was begun, under its name with the mark, or without it. */
static lam_status examine_begun(const log_start *start, const char *path, lam_buffer *unfinished,
                                lam_stored *ret_begun, lam_error *error) {
    LAM_TRY(lam_log_path_join(unfinished, start->root, path, LAM_LOG_SUFFIX_OPEN, error));
    LAM_TRY(lam_storage_examine(start->storage, (const char *)unfinished->data, ret_begun, error));
    if (*ret_begun != LAM_STORED_NONE)
        return LAM_STATUS_OK;
    LAM_TRY(lam_log_path_mark(unfinished, start->root, path, LAM_LOG_SUFFIX_OPEN, error));
    return lam_storage_examine(start->storage, (const char *)unfinished->data, ret_begun, error);
}

/* A file that only its journal knows: its name never became durable. */
static lam_status recover_journal_file(void *state, const lam_journal_file_info *info,
                                       lam_error *error) {
    log_start *start = state;
    lam_status status;
    lam_stored made, begun;
    lam_buffer unfinished, final;
    bool is_done = true;
    if (info->has_ended || info->batches == 0)
        return LAM_STATUS_OK;
    lam_buffer_init(&unfinished, &start->allocator);
    lam_buffer_init(&final, &start->allocator);
    LAM_TRY_OUT(lam_log_path_join(&final, start->root, info->path, "", error));
    LAM_TRY_OUT(examine_begun(start, info->path, &unfinished, &begun, error));
    LAM_TRY_OUT(lam_storage_examine(start->storage, (const char *) final.data, &made, error));
    if (made == LAM_STORED_NONE && begun == LAM_STORED_NONE && info->first_row == 0) {
        LAM_TRY_OUT(make_folders_of(start, (char *)unfinished.data, error));
        LAM_TRY_OUT(recover_unfinished(start, (const char *)unfinished.data,
                                       (const char *) final.data, &is_done, error));
    }
    if (!is_done || made == LAM_STORED_FOREIGN ||
        (made == LAM_STORED_NONE && begun != LAM_STORED_NONE))
        start->needs_journal = true;
out:
    lam_buffer_finish(&final);
    lam_buffer_finish(&unfinished);
    return status;
}

/*
 * Replays the rows that are in no file, and removes the journal, or puts it aside when it cannot be
 * read. It stays while any file that may lack its rows does.
 */
static lam_status finish_journal(log_start *start, const char *journal, lam_error *error) {
    lam_input input;
    lam_error failure = lam_error_none();
    start->needs_journal = false;
    lam_status status =
        start->storage->open_input(start->storage->state, journal, &input, &failure);
    if (status != LAM_STATUS_OK)
        return pass_gone(status, &failure, error);
    status = lam_journal_list_files(&input, &start->allocator, recover_journal_file, start, NULL,
                                    &failure);
    lam_input_close(&input);
    if (status == LAM_STATUS_OK && start->needs_journal)
        return LAM_STATUS_OK;
    if (status == LAM_STATUS_OK)
        return remove_leftover(start, journal, error);
    if (status == LAM_STATUS_CORRUPT || status == LAM_STATUS_UNSUPPORTED)
        return put_aside(start, journal, error);
    status = leave_unrecovered(start, status, &failure);
    if (error != NULL)
        *error = failure;
    return status;
}

static lam_status finish_journals(log_start *start, lam_error *error) {
    for (size_t at = 0; at < start->journals.size;) {
        const char *journal = (const char *)start->journals.data + at;
        lam_storage_file file;
        lam_stored stored;
        at += strlen(journal) + 1;
        LAM_TRY(take_leftover(start, journal, &file, &stored, error));
        if (stored != LAM_STORED_OWN)
            continue;
        lam_status status = finish_journal(start, journal, error);
        lam_storage_file_close(&file);
        LAM_TRY(status);
    }
    if (start->journals.size + start->unfinished.size == 0)
        return LAM_STATUS_OK;
    return start->storage->sync_folder(start->storage->state, start->root, error);
}

/* Removes what earlier recoveries had begun: those above have started over. */
static void remove_attempts(const log_start *start) {
    for (size_t at = 0; at < start->attempts.size;) {
        const char *attempt = (const char *)start->attempts.data + at;
        at += strlen(attempt) + 1;
        lam_log_target_remove_dead(start->storage, attempt);
    }
}

/* --- The folder ---------------------------------------------------------------------------- */

/* Finds out now, and not at the first record, that the folder cannot be written. */
static lam_status probe_folder(log_start *start, lam_error *error) {
    char name[LAM_LOG_NAME_MAX + 1];
    lam_storage_file file;
    lam_log_make_name(start->settings, name);
    LAM_TRY(lam_log_path_mark(&start->path, start->root, name, LAM_LOG_SUFFIX_OPEN, error));
    const char *path = (const char *)start->path.data;
    LAM_TRY(start->storage->create(start->storage->state, path, &file, error));
    lam_storage_file_close(&file);
    return remove_leftover(start, path, error); /* another start may have taken it for its own */
}

/* The folder that is given may be a link to one, unlike those in it. */
static lam_status make_root(log_start *start, lam_error *error) {
    const lam_storage *storage = start->storage;
    LAM_TRY(lam_storage_resolve(storage, start->root, &start->path, error));
    LAM_TRY(storage->make_folder(storage->state, (const char *)start->path.data, error));
    return sync_folder_of(start, start->root, error);
}

static void init_memory(log_start *start) {
    enum { SHARE_OF_NAMES = 4 };
    lam_log_recovery_budget(start->settings, &start->budget);
    start->allocator = lam_budget_allocator(&start->budget);
    lam_budget_init(&start->names, &start->allocator, start->budget.most / SHARE_OF_NAMES);
    start->names_allocator = lam_budget_allocator(&start->names);
    lam_buffer_init(&start->unfinished, &start->names_allocator);
    lam_buffer_init(&start->journals, &start->names_allocator);
    lam_buffer_init(&start->attempts, &start->names_allocator);
}

lam_status lam_log_start(lam_log_settings *settings, lam_log_counts *counts, const char *root,
                         lam_error *error) {
    lam_status status;
    log_start start = {
        .settings = settings, .storage = &settings->storage, .counts = counts, .root = root};
    start_walk walk = {&start, root, 0};
    init_memory(&start);
    lam_buffer_init(&start.path, &start.allocator);
    lam_buffer_init(&start.final, &start.allocator);
    LAM_TRY_OUT(make_root(&start, error));
    if (settings->options.leftovers == LAM_LOG_LEFTOVERS_RECOVER) {
        LAM_TRY_OUT(leave_unrecovered(&start, list_leftovers(&walk, error), error));
        LAM_TRY_OUT(recover_unfinished_files(&start, error));
        LAM_TRY_OUT(finish_journals(&start, error));
        remove_attempts(&start);
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
