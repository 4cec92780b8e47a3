/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Continues the file that a log of one file left unfinished: takes _NAME.part and _NAME.journal of
 * a writer that has ended, and gives a new _NAME.part that begins with their rows.
 *
 *     prepare    _NAME.journal -> _NAME.journal.old    _NAME.part -> _NAME.part.old
 *     resume     _NAME.part.old --row groups-->  _NAME.part  <--rows-- _NAME.journal.old
 *                sync _NAME.part, then remove both
 *     undo       _NAME.journal.old -> _NAME.journal    _NAME.part.old -> _NAME.part
 *
 * The invariant: while _NAME.part.old or _NAME.journal.old exists no new record has been accepted,
 * and the files with ".old" have all rows: after an interrupted start, the next drops _NAME.part
 * and _NAME.journal, and starts over. A start that fails gives the names back, for lam_recover.
 */
#include "log/files/log_resume.h"

#include <lamella/recover.h>
#include <string.h>

#include "base/error.h"
#include "damage/unfinished/unfinished_file.h"
#include "file/copy/row_group_copy.h"
#include "file/read/file_reader.h"
#include "io/storage_copy.h"
#include "log/folder/storage_query.h"
#include "log/journal/journal_replay.h"

#define OPEN_OLD LAM_LOG_SUFFIX_OPEN ".old"
#define JOURNAL_OLD LAM_LOG_SUFFIX_JOURNAL ".old"

/* The names around one file, NUL-terminated. */
typedef struct resume_names {
    lam_buffer open_file, old_file, journal, journal_old, folder;
    lam_allocator allocator;
} resume_names;

static const char *resume_text(const lam_buffer *name) {
    return (const char *)name->data;
}

static lam_status fill_names(resume_names *names, const char *path, lam_error *error) {
    LAM_TRY(lam_log_path_mark(&names->open_file, "", path, LAM_LOG_SUFFIX_OPEN, error));
    LAM_TRY(lam_log_path_mark(&names->old_file, "", path, OPEN_OLD, error));
    LAM_TRY(lam_log_path_mark(&names->journal, "", path, LAM_LOG_SUFFIX_JOURNAL, error));
    LAM_TRY(lam_log_path_mark(&names->journal_old, "", path, JOURNAL_OLD, error));
    return lam_log_folder_of(&names->folder, path, error);
}

static void init_names(resume_names *names, const lam_allocator *allocator) {
    names->allocator = *allocator;
    lam_buffer *all[] = {&names->open_file, &names->old_file, &names->journal, &names->journal_old,
                         &names->folder};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        lam_buffer_init(all[i], allocator);
}

static void finish_names(resume_names *names) {
    lam_buffer *all[] = {&names->open_file, &names->old_file, &names->journal, &names->journal_old,
                         &names->folder};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        lam_buffer_finish(all[i]);
}

/* --- Before the engine --------------------------------------------------------------------- */

static lam_status find_name(const lam_storage *storage, const lam_buffer *name, bool *ret_found,
                            lam_error *error) {
    lam_stored stored;
    LAM_TRY(lam_storage_examine(storage, resume_text(name), &stored, error));
    *ret_found = stored != LAM_STORED_NONE;
    return LAM_STATUS_OK;
}

/* The same, and FILE_BUSY while somebody writes it. */
static lam_status find_leftover(const lam_storage *storage, const lam_buffer *name, bool *ret_found,
                                lam_error *error) {
    lam_stored stored;
    LAM_TRY(lam_storage_examine(storage, resume_text(name), &stored, error));
    if (stored == LAM_STORED_BUSY)
        LAM_FAIL(error, LAM_ERROR_CODE_FILE_BUSY, "%s: it is being written already",
                 resume_text(name));
    *ret_found = stored != LAM_STORED_NONE;
    return LAM_STATUS_OK;
}

/* Says what can be done if only the owner of a file may rename it, as in a sticky folder. */
static lam_status fail_of_taken_name(const lam_error *failure, lam_error *error) {
    lam_status status = lam_error_set(error, lam_error_kind(failure),
                                      "%s; it is not this user's alone: have its owner remove it, "
                                      "or log to another path",
                                      failure->message);
    if (error != NULL)
        error->os_error = failure->os_error;
    return status;
}

/* Frees names that only a log gives from files that do not belong to this user alone. */
static lam_status free_names(const lam_storage *storage, const resume_names *names,
                             lam_log_counts *counts, lam_error *error) {
    const lam_buffer *all[] = {&names->open_file, &names->old_file, &names->journal,
                               &names->journal_old};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        lam_stored stored;
        LAM_TRY(lam_storage_examine(storage, resume_text(all[i]), &stored, error));
        if (stored != LAM_STORED_FOREIGN)
            continue;
        lam_error failure = lam_error_none();
        if (lam_storage_put_aside(storage, resume_text(all[i]), all[i]->size - 1, &names->allocator,
                                  &failure) != LAM_STATUS_OK)
            return fail_of_taken_name(&failure, error);
        atomic_fetch_add(&counts->passed_over, 1);
    }
    return LAM_STATUS_OK;
}

/*
 * Gives leftovers of earlier builds the names with the mark. None is sought if the name begins with
 * the mark: it would be that of another file's leftover.
 */
static lam_status mark_leftovers(const lam_storage *storage, const resume_names *names,
                                 const char *path, lam_error *error) {
    const struct {
        const char *suffix;
        const lam_buffer *to;
    } all[] = {{JOURNAL_OLD, &names->journal_old},
               {LAM_LOG_SUFFIX_JOURNAL, &names->journal},
               {OPEN_OLD, &names->old_file},
               {LAM_LOG_SUFFIX_OPEN, &names->open_file}};
    const char *slash = strrchr(path, '/'), *name = slash != NULL ? slash + 1 : path;
    lam_status status = LAM_STATUS_OK;
    lam_buffer from;
    lam_buffer_init(&from, &names->allocator);
    for (size_t i = 0; i < sizeof all / sizeof *all && name[0] != LAM_LOG_MARK; i++) {
        lam_stored stored;
        LAM_TRY_OUT(lam_log_path_join(&from, "", path, all[i].suffix, error));
        LAM_TRY_OUT(lam_storage_examine(storage, resume_text(&from), &stored, error));
        if (stored == LAM_STORED_BUSY)
            LAM_FAIL_OUT(error, LAM_ERROR_CODE_FILE_BUSY, "%s: it is being written already",
                         resume_text(&from));
        if (stored != LAM_STORED_OWN)
            continue;
        LAM_TRY_OUT(
            storage->rename(storage->state, resume_text(&from), resume_text(all[i].to), error));
        LAM_TRY_OUT(storage->sync_folder(storage->state, resume_text(&names->folder), error));
    }
out:
    lam_buffer_finish(&from);
    return status;
}

/* Gives a leftover its ".old" name; if that exists, the leftover is from an interrupted start. */
static lam_status move_name(const lam_storage *storage, const resume_names *names,
                            const lam_buffer *from, const lam_buffer *to, lam_error *error) {
    bool is_moved;
    LAM_TRY(find_name(storage, to, &is_moved, error));
    if (is_moved)
        LAM_TRY(storage->remove(storage->state, resume_text(from), error));
    else
        LAM_TRY(storage->rename(storage->state, resume_text(from), resume_text(to), error));
    return storage->sync_folder(storage->state, resume_text(&names->folder), error);
}

/*
 * The journal is moved first: with a _NAME.part in place the next start does the rest, and without
 * one _NAME.journal.old is the only leftover.
 */
static lam_status move_leftover(const lam_storage *storage, const resume_names *names,
                                lam_error *error) {
    bool has_file, has_journal;
    LAM_TRY(find_leftover(storage, &names->open_file, &has_file, error));
    LAM_TRY(find_leftover(storage, &names->journal, &has_journal, error));
    if (has_journal)
        LAM_TRY(move_name(storage, names, &names->journal, &names->journal_old, error));
    return has_file ? move_name(storage, names, &names->open_file, &names->old_file, error)
                    : LAM_STATUS_OK;
}

/* The new file and its journal get the rights of those that they continue. */
static lam_status open_like(lam_log_settings *settings, const resume_names *names,
                            lam_error *error) {
    const lam_storage *storage = &settings->storage;
    const lam_buffer *all[] = {&names->old_file, &names->journal_old};
    for (size_t i = 0; i < 2 && settings->like.read_at == NULL; i++) {
        bool is_found;
        LAM_TRY(find_name(storage, all[i], &is_found, error));
        if (is_found)
            LAM_TRY(
                storage->open_input(storage->state, resume_text(all[i]), &settings->like, error));
    }
    return LAM_STATUS_OK;
}

static lam_status prepare_names(lam_log_settings *settings, const resume_names *names,
                                lam_log_counts *counts, const char *path, lam_error *error) {
    const lam_storage *storage = &settings->storage;
    bool has_file;
    LAM_TRY(lam_storage_check_free(storage, path, error));
    if (settings->options.leftovers == LAM_LOG_LEFTOVERS_RECOVER) {
        LAM_TRY(free_names(storage, names, counts, error));
        LAM_TRY(mark_leftovers(storage, names, path, error));
        LAM_TRY(move_leftover(storage, names, error));
        return open_like(settings, names, error);
    }
    LAM_TRY(find_leftover(storage, &names->open_file, &has_file, error));
    return lam_storage_check_free(storage, resume_text(&names->open_file), error);
}

lam_status lam_log_resume_prepare(lam_log_settings *settings, lam_log_counts *counts,
                                  const char *path, lam_error *error) {
    resume_names names;
    init_names(&names, &settings->allocator);
    lam_status status = fill_names(&names, path, error);
    if (status == LAM_STATUS_OK)
        status = prepare_names(settings, &names, counts, path, error);
    finish_names(&names);
    return status;
}

/* --- With the engine ----------------------------------------------------------------------- */

/*
 * Adds the key-values of the predecessor whose keys this log does not state itself. They come
 * before any row group: the first recovery record has all that the footer will have.
 */
static lam_status keep_key_values(lam_log_writer *file, const lam_meta_key_value_list *own,
                                  const lam_meta_key_value_list *old, lam_error *error) {
    lam_meta_key_value_list missing;
    lam_arena arena;
    lam_arena_init(&arena, &file->allocator, 0);
    lam_status status = lam_log_metadata_missing(own, old, &arena, &missing, error);
    if (status == LAM_STATUS_OK)
        status = lam_writer_copy_key_values(file->writer, &missing, error);
    lam_arena_finish(&arena);
    return status;
}

/* What the old journal says about the file. */
typedef struct resume_journal {
    const char *name;     /* of the file, in its folder */
    lam_log_writer *file; /* that gets its key-values; NULL: the old file had them */
    const lam_meta_key_value_list *own;
    uint8_t id[LAM_JOURNAL_ID_SIZE];
    bool is_found;
} resume_journal;

static lam_status find_in_journal(void *state, const lam_journal_file_info *info,
                                  lam_error *error) {
    resume_journal *journal = state;
    if (strcmp(info->path, journal->name) != 0 || info->has_ended)
        return LAM_STATUS_OK;
    memcpy(journal->id, info->id, sizeof journal->id);
    journal->is_found = true;
    return journal->file == NULL ? LAM_STATUS_OK
                                 : keep_key_values(journal->file, journal->own,
                                                   &info->metadata->key_value_metadata, error);
}

/* Writes the rows that only the old journal has, after the `rows` rows of the file. */
static lam_status replay_journal(const lam_input *input, const char *path,
                                 const lam_meta_key_value_list *own, bool takes_keys, uint64_t rows,
                                 const lam_allocator *allocator, lam_log_writer *file,
                                 lam_error *error) {
    const char *slash = strrchr(path, '/');
    resume_journal journal = {
        slash != NULL ? slash + 1 : path, takes_keys ? file : NULL, own, {0}, false};
    lam_journal_replayed replayed;
    LAM_TRY(lam_journal_list_files(input, allocator, find_in_journal, &journal, NULL, error));
    if (!journal.is_found)
        return LAM_STATUS_OK;
    return lam_journal_replay_into(input, journal.id, rows, allocator, file->writer, &replayed,
                                   error);
}

/* Adds to a failure of the records which file they are in, by the name that it is given back. */
static lam_status fail_of_leftover(lam_status status, const resume_names *names, lam_error *error) {
    if ((status != LAM_STATUS_INVALID && status != LAM_STATUS_LIMIT) || error == NULL)
        return status;
    const lam_error failure = *error;
    if (status == LAM_STATUS_LIMIT)
        LAM_FAIL(error, lam_error_kind(&failure), "%s: %s", resume_text(&names->open_file),
                 failure.message);
    LAM_FAIL(error, lam_error_kind(&failure), "%s is of another log: %s",
             resume_text(&names->open_file), failure.message);
}

/* What a predecessor left, and the outcome. */
typedef struct resume_found {
    bool has_file;
    bool has_journal;
    bool is_file_empty;  /* it was only begun */
    bool is_journal_bad; /* it is damaged, or no journal */
    bool has_keys;       /* the file gave its key-values */
    uint64_t file_rows;  /* of the file */
    uint64_t rows;       /* of both */
} resume_found;

/* Copies the row groups of the old file; none when it cannot be read. */
static lam_status copy_old_file(const lam_storage *storage, const char *path,
                                const lam_meta_key_value_list *own, const lam_allocator *allocator,
                                const lam_stop *stop, lam_log_writer *file, resume_found *found,
                                lam_error *error) {
    lam_input input;
    lam_reader *reader;
    lam_recovery recovery = lam_recovery_default();
    lam_recover_options options = lam_recover_options_default();
    lam_error failure = lam_error_none();
    options.allocator = allocator;
    options.stop = stop;
    options.is_leftover = true;
    LAM_TRY(storage->open_input(storage->state, path, &input, error));
    lam_status status = lam_reader_open_recorded(&input, &options, &reader, &recovery, &failure);
    if (status != LAM_STATUS_OK) {
        lam_input_close(&input);
        found->is_file_empty = failure.code == LAM_ERROR_CODE_LEFTOVER_EMPTY;
        if (status == LAM_STATUS_CORRUPT)
            return LAM_STATUS_OK;
        if (error != NULL)
            *error = failure;
        return status;
    }
    found->file_rows = lam_reader_row_count(reader);
    found->has_keys = true;
    lam_writer_set_copy(file->writer, lam_storage_copy_into, &file->file);
    status = keep_key_values(file, own, &reader->footer.meta.key_value_metadata, error);
    if (status == LAM_STATUS_OK)
        status = lam_writer_check_schemas(file->writer->schema, reader->schema,
                                          "file that is copied", error);
    if (status == LAM_STATUS_OK)
        status = lam_writer_restore_row_groups(file->writer, reader, error);
    lam_writer_set_copy(file->writer, NULL, NULL);
    lam_reader_close(reader);
    return status;
}

/* The one file of the log, which is created if it is not open yet. */
static lam_status find_file(lam_log_engine *engine, lam_log_writer **ret_file, lam_error *error) {
    const lam_route_group group = {.folder = ""};
    const lam_clock *clock = &engine->settings->clock;
    return lam_log_files_find(&engine->files, engine->generations, &group,
                              clock->monotonic(clock->state), ret_file, error);
}

/* Fills the new file, and makes it durable. */
static lam_status resume_file(lam_log_engine *engine, const resume_names *names, const char *path,
                              resume_found *found, lam_error *error) {
    const lam_log_settings *settings = engine->settings;
    const lam_storage *storage = &settings->storage;
    const lam_meta_key_value_list *own = engine->generations->key_values;
    lam_budget budget;
    lam_log_writer *file;
    lam_input input;
    lam_log_recovery_budget(settings, &budget);
    const lam_allocator allocator = lam_budget_allocator(&budget);
    LAM_TRY(find_file(engine, &file, error));
    if (found->has_file)
        LAM_TRY(
            fail_of_leftover(copy_old_file(storage, resume_text(&names->old_file), own, &allocator,
                                           settings->options.stop, file, found, error),
                             names, error));
    if (found->has_journal) {
        LAM_TRY(
            storage->open_input(storage->state, resume_text(&names->journal_old), &input, error));
        lam_status status = replay_journal(&input, path, own, !found->has_keys, found->file_rows,
                                           &allocator, file, error);
        lam_input_close(&input);
        found->is_journal_bad = status == LAM_STATUS_CORRUPT || status == LAM_STATUS_UNSUPPORTED;
        if (!found->is_journal_bad)
            LAM_TRY(fail_of_leftover(status, names, error));
    }
    LAM_TRY(lam_log_writer_resume(file, error));
    atomic_fetch_add(&engine->counts->recovered, file->rows);
    found->rows = file->rows;
    return file->never_syncs ? LAM_STATUS_OK : lam_log_writer_sync(file, error);
}

/* Puts a leftover aside under its name before it was ".old": _NAME.part.bad and so on. */
static lam_status put_leftover_aside(lam_log_engine *engine, const lam_buffer *from,
                                     const resume_names *names, lam_error *error) {
    enum { OLD = sizeof ".old" };
    LAM_TRY(lam_storage_put_aside(&engine->settings->storage, resume_text(from), from->size - OLD,
                                  &names->allocator, error));
    atomic_fetch_add(&engine->counts->put_aside, 1);
    return LAM_STATUS_OK;
}

/*
 * Removes the old file, or puts it aside if no rows came of it: it may be damaged, or somebody
 * else's.
 */
static lam_status drop_old_file(lam_log_engine *engine, const resume_names *names,
                                const resume_found *found, lam_error *error) {
    const lam_storage *storage = &engine->settings->storage;
    if (found->rows > 0 || found->is_file_empty)
        return storage->remove(storage->state, resume_text(&names->old_file), error);
    return put_leftover_aside(engine, &names->old_file, names, error);
}

static lam_status drop_old_journal(lam_log_engine *engine, const resume_names *names,
                                   const resume_found *found, lam_error *error) {
    const lam_storage *storage = &engine->settings->storage;
    if (found->is_journal_bad)
        return put_leftover_aside(engine, &names->journal_old, names, error);
    return storage->remove(storage->state, resume_text(&names->journal_old), error);
}

/*
 * Removes the file that this start has made under a name, and gives the name back to the leftover.
 */
static lam_status give_name_back(const lam_storage *storage, const lam_buffer *name,
                                 const lam_buffer *old, bool has_old) {
    bool has_own;
    LAM_TRY(find_name(storage, name, &has_own, NULL));
    if (has_own)
        LAM_TRY(storage->remove(storage->state, resume_text(name), NULL));
    return has_old ? storage->rename(storage->state, resume_text(old), resume_text(name), NULL)
                   : LAM_STATUS_OK;
}

/*
 * Gives the leftovers their names back, while this log still locks the new file, or there is none.
 * The journal goes first: if this is interrupted, _NAME.part.old makes the next start begin again.
 */
static lam_status undo_resume(const lam_storage *storage, const resume_names *names,
                              const resume_found *found) {
    LAM_TRY(give_name_back(storage, &names->journal, &names->journal_old, found->has_journal));
    LAM_TRY(give_name_back(storage, &names->open_file, &names->old_file, found->has_file));
    return storage->sync_folder(storage->state, resume_text(&names->folder), NULL);
}

/*
 * The same if the log has no file. Does nothing if another log has begun one meanwhile, or if
 * _NAME.part counts, as it does without a _NAME.part.old.
 */
static lam_status undo_prepare(const lam_storage *storage, const resume_names *names) {
    resume_found found = {0};
    bool has_file, has_journal;
    LAM_TRY(find_leftover(storage, &names->open_file, &has_file, NULL));
    LAM_TRY(find_leftover(storage, &names->journal, &has_journal, NULL));
    LAM_TRY(find_name(storage, &names->old_file, &found.has_file, NULL));
    LAM_TRY(find_name(storage, &names->journal_old, &found.has_journal, NULL));
    const bool counts = has_file && !found.has_file;
    return !counts && (found.has_file || found.has_journal) ? undo_resume(storage, names, &found)
                                                            : LAM_STATUS_OK;
}

void lam_log_resume_undo(const lam_log_settings *settings, const char *path) {
    resume_names names;
    init_names(&names, &settings->allocator);
    if (settings->options.leftovers == LAM_LOG_LEFTOVERS_RECOVER &&
        fill_names(&names, path, NULL) == LAM_STATUS_OK)
        (void)undo_prepare(&settings->storage, &names);
    finish_names(&names);
}

static lam_status resume_names_of(lam_log_engine *engine, const resume_names *names,
                                  const char *path, lam_error *error) {
    const lam_storage *storage = &engine->settings->storage;
    resume_found found = {0};
    LAM_TRY(find_name(storage, &names->old_file, &found.has_file, error));
    LAM_TRY(find_name(storage, &names->journal_old, &found.has_journal, error));
    if (!found.has_file && !found.has_journal)
        return LAM_STATUS_OK;
    lam_status status = resume_file(engine, names, path, &found, error);
    if (status != LAM_STATUS_OK) {
        if (engine->files.count > 0)
            (void)undo_resume(storage, names, &found);
        return status;
    }
    /* The file goes first: without it _NAME.part counts, and the journal adds no rows to it. */
    if (found.has_file)
        LAM_TRY(drop_old_file(engine, names, &found, error));
    LAM_TRY(storage->sync_folder(storage->state, resume_text(&names->folder), error));
    if (found.has_journal)
        LAM_TRY(drop_old_journal(engine, names, &found, error));
    return storage->sync_folder(storage->state, resume_text(&names->folder), error);
}

lam_status lam_log_resume(lam_log_engine *engine, const char *path, lam_error *error) {
    lam_log_writer *file;
    resume_names names;
    init_names(&names, &engine->settings->allocator);
    lam_status status = fill_names(&names, path, error);
    if (status == LAM_STATUS_OK)
        status = resume_names_of(engine, &names, path, error);
    if (status == LAM_STATUS_OK)
        status = find_file(engine, &file, error);
    lam_input_close(&engine->settings->like);
    finish_names(&names);
    return status;
}
