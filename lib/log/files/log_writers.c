/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Opens, finds and ends the files of a log: takes partitions of records, and gives the writer of
 * each, and final files under names that no other has.
 *
 *     ROOT/date=2026-11-23/hour=00/_log-20261123T004500Z-00c0ffee12345678.parquet.part
 *     root partition's folder      name of the moment when it was opened
 *
 * The invariant: no more files are open than the options allow, every folder of an open file
 * exists, and the folders that were made for it are durable before any of its records counts as
 * durable, since each is synced in its parent when it is made.
 */
#include "log/files/log_writers.h"

#include <string.h>

#include "base/alloc.h"
#include "base/bytes.h"
#include "base/error.h"
#include "log/files/log_keep.h"
#include "log/files/log_relief.h"

lam_status lam_log_files_init(lam_log_files *files, lam_log_settings *settings,
                              lam_log_counts *counts, lam_journal_writer *journal, const char *root,
                              bool is_folder, lam_error *error) {
    memset(files, 0, sizeof *files);
    files->settings = settings;
    files->counts = counts;
    files->journal = journal;
    files->root = root;
    files->is_folder = is_folder;
    lam_buffer_init(&files->folder, &settings->allocator);
    lam_buffer_init(&files->path, &settings->allocator);
    LAM_TRY(lam_codec_context_create(&settings->allocator, &files->codecs, error));
    LAM_TRY(LAM_ARRAY(&settings->allocator, settings->options.open_files, &files->open, error));
    return LAM_STATUS_OK;
}

/* A zeroed struct, whose init was never called, needs no freeing. */
void lam_log_files_finish(lam_log_files *files) {
    if (files->settings == NULL)
        return;
    for (size_t i = 0; i < files->count; i++)
        lam_log_writer_close(files->open[i]);
    lam_free(&files->settings->allocator, files->open,
             files->settings->options.open_files * sizeof(lam_log_writer *));
    lam_codec_context_destroy(files->codecs);
    lam_buffer_finish(&files->folder);
    lam_buffer_finish(&files->path);
    memset(files, 0, sizeof *files);
}

/* --- Folders and names --------------------------------------------------------------------- */

lam_status lam_log_make_folders(const lam_storage *storage, char *path, size_t root_size,
                                bool syncs, lam_error *error) {
    for (char *end = path + root_size + 1; end[-1] != '\0'; end++) {
        if (*end != '/' && *end != '\0')
            continue;
        char kept = *end;
        *end = '\0';
        lam_status status = storage->make_folder(storage->state, path, error);
        if (status == LAM_STATUS_OK && syncs) {
            char *slash = strrchr(path, '/'); /* at least after the root */
            *slash = '\0';
            status = storage->sync_folder(storage->state, path, error);
            *slash = '/';
        }
        *end = kept;
        LAM_TRY(status);
    }
    return LAM_STATUS_OK;
}

/* Makes the folders of a partition below the root, and sets `folder` to the last of them. */
static lam_status make_partition(lam_log_files *files, const lam_route_group *group,
                                 lam_error *error) {
    const lam_log_settings *settings = files->settings;
    LAM_TRY(lam_log_path_join(&files->folder, files->root, group->folder, "", error));
    if (group->folder_size == 0)
        return LAM_STATUS_OK;
    return lam_log_make_folders(&settings->storage, (char *)files->folder.data, strlen(files->root),
                                settings->options.sync != LAM_LOG_SYNC_NEVER, error);
}

/* Folder and path of the one file: everything before the last slash, "." without one. */
static lam_status name_one_file(lam_log_files *files, lam_error *error) {
    LAM_TRY(lam_log_path_join(&files->path, "", files->root, "", error));
    return lam_log_folder_of(&files->folder, files->root, error);
}

/* Folder and path of a new file. */
static lam_status name_file(lam_log_files *files, const lam_route_group *group, lam_error *error) {
    char name[LAM_LOG_NAME_MAX + 1];
    if (!files->is_folder)
        return name_one_file(files, error);
    lam_log_make_name(files->settings, name);
    LAM_TRY(make_partition(files, group, error));
    return lam_log_path_join(&files->path, (const char *)files->folder.data, name, "", error);
}

/* --- Open files ---------------------------------------------------------------------------- */

/* The path of a file relative to the folder of the journal, which is the folder of the log. */
static const char *relative_path(const lam_log_files *files, const lam_log_writer *file) {
    const char *path = lam_log_writer_path(file);
    const char *slash = strrchr(path, '/');
    if (!files->is_folder)
        return slash != NULL ? slash + 1 : path;
    size_t root = strlen(files->root);
    path += root;
    return path + (*path == '/');
}

static lam_status open_file(lam_log_files *files, const lam_log_generation *generation,
                            const lam_route_group *group, uint64_t now, lam_error *error) {
    lam_status status;
    lam_log_writer *file = NULL;
    const lam_input *like = &files->settings->like;
    LAM_TRY(name_file(files, group, error));
    const lam_log_writer_options options = {&files->settings->storage,
                                            like->read_at != NULL ? like : NULL,
                                            (const char *)files->folder.data,
                                            (const char *)files->path.data,
                                            generation->schema,
                                            &files->settings->writer,
                                            generation->key_values,
                                            files->codecs,
                                            files->settings->is_scarce,
                                            files->settings->options.sync == LAM_LOG_SYNC_NEVER,
                                            now};
    LAM_TRY_OUT(lam_log_writer_open(&options, &file, error));
    LAM_TRY_OUT(lam_buffer_append(&file->key, group->folder, group->folder_size, error));
    if (files->journal != NULL)
        LAM_TRY_OUT(lam_journal_writer_add_file(files->journal, generation->journal_schema,
                                                file->id, relative_path(files, file),
                                                &file->journal_file, error));
    file->generation = generation;
    files->open[files->count++] = file;
    atomic_store(&files->counts->open_files, (unsigned)files->count);
    file = NULL;
out:
    lam_log_writer_close(file);
    return status;
}

lam_status lam_log_files_find(lam_log_files *files, const lam_log_generation *generation,
                              const lam_route_group *group, uint64_t now, lam_log_writer **ret_file,
                              lam_error *error) {
    size_t i = 0;
    for (; i < files->count; i++) {
        const lam_log_writer *file = files->open[i];
        if (file->generation == generation && file->key.size == group->folder_size &&
            lam_same_name(file->key.data, group->folder, group->folder_size))
            break;
    }
    if (i == files->count) {
        if (files->count >= files->settings->options.open_files)
            LAM_TRY(lam_log_files_end(files, lam_log_files_oldest(files), error));
        LAM_TRY(open_file(files, generation, group, now, error));
        i = files->count - 1;
    }
    files->open[i]->last_used = ++files->ticks;
    *ret_file = files->open[i];
    return LAM_STATUS_OK;
}

/* Takes a file off the list; the order of the others does not matter. */
static void forget_file(lam_log_files *files, size_t index) {
    lam_log_writer *file = files->open[index];
    uint64_t bytes = lam_log_writer_bytes(file);
    files->open[index] = files->open[--files->count];
    atomic_fetch_add(&files->counts->files, 1);
    atomic_fetch_add(&files->counts->closed_bytes, bytes);
    atomic_store(&files->counts->open_files, (unsigned)files->count);
    lam_log_writer_close(file);
}

/*
 * The journal says that the file needs no replay, and only then the file gets its final name: from
 * then on somebody may take it away, and a replay must not make it again.
 */
static lam_status end_in_journal(lam_log_files *files, const lam_log_writer *file,
                                 lam_error *error) {
    if (files->journal == NULL)
        return LAM_STATUS_OK;
    LAM_TRY(lam_journal_writer_end_file(files->journal, file->journal_file, error));
    return lam_log_relief_keep(files, !file->never_syncs, error);
}

lam_status lam_log_files_end(lam_log_files *files, size_t index, lam_error *error) {
    const lam_log_options *options = &files->settings->options;
    lam_log_writer *file = files->open[index];
    LAM_TRY(lam_log_writer_end(file, error));
    LAM_TRY(end_in_journal(files, file, error));
    LAM_TRY(lam_log_writer_publish(file, error));
    atomic_fetch_add(&files->counts->syncs, options->sync != LAM_LOG_SYNC_NEVER);
    if (options->on_file != NULL) {
        const lam_log_file about = {lam_log_writer_path(file), lam_log_writer_bytes(file),
                                    file->rows, false};
        options->on_file(options->callback_state, &about);
    }
    lam_log_keep_add(files->settings->keep, lam_log_writer_path(file), lam_log_writer_bytes(file));
    forget_file(files, index);
    lam_log_keep_run(files->settings->keep);
    return LAM_STATUS_OK;
}

/* --- Choices ------------------------------------------------------------------------------- */

size_t lam_log_files_oldest(const lam_log_files *files) {
    size_t oldest = 0;
    for (size_t i = 1; i < files->count; i++)
        if (files->open[i]->last_used < files->open[oldest]->last_used)
            oldest = i;
    return oldest;
}

size_t lam_log_files_fullest(const lam_log_files *files) {
    size_t fullest = 0;
    uint64_t most = 0;
    for (size_t i = 0; i < files->count; i++) {
        uint64_t bytes = lam_writer_row_group_bytes(files->open[i]->writer);
        if (bytes <= most)
            continue;
        most = bytes;
        fullest = i;
    }
    return fullest;
}

uint64_t lam_log_files_first_lost(const lam_log_files *files, bool survives_kill_only) {
    uint64_t first = UINT64_MAX;
    for (size_t i = 0; i < files->count; i++) {
        const lam_log_writer *file = files->open[i];
        first = file->pending < first ? file->pending : first;
        if (!survives_kill_only)
            first = file->unsynced < first ? file->unsynced : first;
    }
    return first;
}
