/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the journal of a file by its path: a log keeps one journal in its folder, and its files in
 * partition folders below that. The final path of a file leads to the journal that mentions it.
 *
 *     logs/_x.parquet.journal                           mentions "hour=07/y.parquet"
 *     logs/hour=07/_y.parquet.part
 *
 * A journal is only ever believed to be a file's if its own path and the file's path in it lead to
 * the file. (journal_frame.h)
 */
#include "log/journal/journal_search.h"

#include <string.h>

#include "base/error.h"
#include "dataset/partition/partition.h"
#include "log/folder/log_metadata.h"
#include "log/folder/log_name.h"
#include "log/folder/storage_query.h"
#include "log/journal/journal_replay.h"
#include "schema/tree.h"

void lam_journal_found_init(lam_journal_found *found, const lam_allocator *allocator) {
    memset(found, 0, sizeof *found);
    lam_buffer_init(&found->path, allocator);
    lam_arena_init(&found->arena, allocator, 0);
}

void lam_journal_found_finish(lam_journal_found *found) {
    lam_schema_destroy(found->schema);
    lam_buffer_finish(&found->path);
    lam_arena_finish(&found->arena);
}

/* One folder that is searched. */
typedef struct journal_search {
    const lam_storage *storage;
    const lam_allocator *allocator;
    const lam_input *original;
    const char *folder;
    const char *file; /* the path of the file relative to the folder */
    lam_buffer path;  /* of the current journal */
    uint64_t most;    /* rows of the file that the best journal so far has, and 1 */
    lam_journal_found *found;
} journal_search;

/* Takes a journal's entry for the file, if it is better than what was found so far. */
static lam_status take_file_info(void *state, const lam_journal_file_info *info, lam_error *error) {
    journal_search *search = state;
    lam_journal_found *found = search->found;
    uint64_t rows = info->batches > 0 ? info->end_row - info->first_row + 1 : 1;
    if (strcmp(info->path, search->file) != 0 || rows <= search->most)
        return LAM_STATUS_OK;
    lam_buffer_clear(&found->path);
    LAM_TRY(lam_buffer_append(&found->path, search->path.data, search->path.size, error));
    lam_schema_destroy(found->schema);
    found->schema = lam_schema_share(info->schema);
    lam_arena_reset(&found->arena);
    LAM_TRY(lam_log_metadata_copy(&info->metadata->key_value_metadata, &found->arena,
                                  &found->key_values, error));
    found->has_ended = info->has_ended;
    memcpy(found->file_id, info->id, sizeof found->file_id);
    search->most = rows;
    return LAM_STATUS_OK;
}

/* Reads the current journal, which no other process takes meanwhile; its log may be writing it. */
static lam_status read_journal(journal_search *search, lam_error *error) {
    const lam_storage *storage = search->storage;
    const char *path = (const char *)search->path.data;
    lam_storage_file lock = {0};
    uint64_t size;
    lam_input input;
    lam_error failure = lam_error_none();
    lam_status status =
        lam_storage_open_own(storage, path, search->original, &lock, &size, &failure);
    if (status != LAM_STATUS_OK && failure.code != LAM_ERROR_CODE_FILE_BUSY) {
        *error = failure;
        return status;
    }
    status = storage->open_input(storage->state, path, &input, error);
    if (status == LAM_STATUS_OK) {
        status =
            lam_journal_list_files(&input, search->allocator, take_file_info, search, NULL, error);
        lam_input_close(&input);
    }
    lam_storage_file_close(&lock);
    return status;
}

/* Whether the name of a journal is that of the file's own, or has its prefix. */
static bool is_of_same_log(const journal_search *search, const char *name) {
    const char *slash = strrchr(search->file, '/'), *final;
    const char *file = slash != NULL ? slash + 1 : search->file;
    size_t final_size;
    lam_log_name journal_name, file_name;
    (void)lam_log_stage_of(name, &final, &final_size);
    if (strlen(file) == final_size && memcmp(file, final, final_size) == 0)
        return true;
    return lam_log_name_parse(name, &journal_name) && lam_log_name_parse(file, &file_name) &&
           journal_name.prefix_size == file_name.prefix_size &&
           memcmp(journal_name.prefix, file_name.prefix, file_name.prefix_size) == 0;
}

/*
 * Reads one entry of the folder, if it is a journal. One that contradicts itself is passed over,
 * and so is one of strangers; one that the storage does not give may have the rows.
 */
static lam_status visit_journal(void *state, const lam_storage_entry *entry, lam_error *error) {
    journal_search *search = state;
    lam_error failure = lam_error_none();
    if (entry->is_folder || lam_log_stage_of(entry->name, NULL, NULL) != LAM_LOG_STAGE_JOURNAL)
        return LAM_STATUS_OK;
    LAM_TRY(lam_log_path_join(&search->path, search->folder, entry->name, "", error));
    lam_status status = read_journal(search, &failure);
    if (status == LAM_STATUS_CORRUPT || status == LAM_STATUS_UNSUPPORTED)
        search->found->has_unreadable =
            search->found->has_unreadable || is_of_same_log(search, entry->name);
    if (status == LAM_STATUS_CORRUPT || status == LAM_STATUS_UNSUPPORTED ||
        failure.code == LAM_ERROR_CODE_FILE_MISSING || failure.code == LAM_ERROR_CODE_FILE_KIND)
        return LAM_STATUS_OK;
    if (status != LAM_STATUS_OK && error != NULL)
        *error = failure;
    return status;
}

/* Searches the folder that is the first `folder_size` bytes of the path. */
static lam_status search_folder(journal_search *search, const char *path, size_t folder_size,
                                lam_error *error) {
    lam_status status;
    lam_buffer folder;
    lam_buffer_init(&folder, search->allocator);
    const char *name = folder_size > 0 ? path : path[0] == '/' ? "/" : ".";
    size_t size = folder_size > 0 ? folder_size : 1;
    LAM_TRY_OUT(lam_buffer_append(&folder, name, size + 1, error));
    folder.data[size] = '\0';
    search->folder = (const char *)folder.data;
    search->file = path + folder_size + (path[folder_size] == '/');
    lam_error failure = lam_error_none();
    status = search->storage->list(search->storage->state, search->folder, visit_journal, search,
                                   &failure);
    if (failure.code == LAM_ERROR_CODE_FILE_MISSING)
        status = LAM_STATUS_OK; /* a folder that is not there has no journal */
    else if (status != LAM_STATUS_OK && error != NULL)
        *error = failure;
out:
    lam_buffer_finish(&folder);
    return status;
}

/* The size of the folder's part of a path, the slash before its last component not included. */
static size_t folder_size_of(const char *path, size_t size) {
    while (size > 0 && path[size - 1] != '/')
        size--;
    return size > 0 ? size - 1 : 0;
}

/* True when the last component of the folder is NAME=VALUE. */
static bool is_partition(const char *path, size_t folder_size) {
    size_t first = folder_size;
    while (first > 0 && path[first - 1] != '/')
        first--;
    return memchr(path + first, '=', folder_size - first) != NULL;
}

lam_status lam_journal_search(const lam_storage *storage, const char *path,
                              const lam_input *original, lam_journal_found *found,
                              lam_error *error) {
    journal_search search = {.storage = storage,
                             .allocator = &found->path.allocator,
                             .original = original,
                             .found = found};
    size_t folder = folder_size_of(path, strlen(path));
    lam_status status = LAM_STATUS_OK;
    lam_buffer_init(&search.path, search.allocator);
    for (int depth = 0; status == LAM_STATUS_OK && depth <= LAM_PARTITION_DEPTH_MAX; depth++) {
        status = search_folder(&search, path, folder, error);
        if (folder == 0 || !is_partition(path, folder))
            break;
        folder = folder_size_of(path, folder);
    }
    lam_buffer_finish(&search.path);
    return status;
}
