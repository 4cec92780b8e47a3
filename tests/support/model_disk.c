/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The storage over a model disk. In: the calls of a storage, from any thread. Out: changes of files
 * and folders (model_disk_state.h), with the errors that the storage of the operating system
 * gives, and failures at the operations that a test chose. One mutex covers a whole call.
 */
#define _XOPEN_SOURCE 700
#include "support/model_disk.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "io/file_error.h"
#include "support/model_disk_state.h"

enum { LONGEST = 256 }; /* bytes of a name, with the zero behind it */

/* A file that is open for writing or reading. */
typedef struct model_handle {
    model_node *node;
    bool failed; /* a sync failed */
    lam_file_name name;
} model_handle;

/* Where a path leads. */
typedef struct model_location {
    model_node *folder; /* NULL for the root */
    model_node *node;   /* NULL when the folder has no such name */
    char name[LONGEST];
} model_location;

/* --- Operations ------------------------------------------------------------------------------ */

/* Every call begins here, and holds the disk from then on. */
static void begin(lam_model_disk *disk, const char *what) {
    pthread_mutex_lock(&disk->mutex);
    if (disk->before != NULL && !disk->in_before) {
        lam_model_watch *before = disk->before;
        void *state = disk->before_state;
        disk->in_before = true;
        pthread_mutex_unlock(&disk->mutex);
        before(state, what);
        pthread_mutex_lock(&disk->mutex);
        disk->in_before = false;
        pthread_cond_broadcast(&disk->watched);
    }
    disk->counts.operations++;
}

static lam_status end(lam_model_disk *disk, lam_status status) {
    pthread_mutex_unlock(&disk->mutex);
    return status;
}

static lam_status fail(const lam_file_name *name, int os_error, lam_error *error) {
    return lam_file_fail(
        name, os_error == EEXIST ? LAM_ERROR_CODE_FILE_EXISTS : LAM_ERROR_CODE_FILE_WRITE, os_error,
        "cannot do this on the model disk", error);
}

static lam_status fail_at(const char *path, int os_error, lam_error *error) {
    lam_file_name name = lam_file_name_of(path);
    return fail(&name, os_error, error);
}

/* The errno that the current operation must fail with; 0 for none. */
static int fault_of(const lam_model_disk *disk) {
    const lam_model_fault *fault = &disk->fault;
    uint64_t now = disk->counts.operations;
    bool fails = fault->at != 0 && (now == fault->at || (fault->stays && now > fault->at));
    return !fails ? 0 : fault->os_error != 0 ? fault->os_error : EIO;
}

static lam_status check_fault(const lam_model_disk *disk, const lam_file_name *name,
                              lam_error *error) {
    int os_error = fault_of(disk);
    return os_error == 0 ? LAM_STATUS_OK : fail(name, os_error, error);
}

static lam_status check_fault_at(const lam_model_disk *disk, const char *path, lam_error *error) {
    lam_file_name name = lam_file_name_of(path);
    return check_fault(disk, &name, error);
}

/* --- Paths ----------------------------------------------------------------------------------- */

/* Finds the folder of a path's last name. Returns an errno when there is no such folder. */
static int walk_path(lam_model_disk *disk, const char *path, model_location *ret_location) {
    model_location location = {.node = disk->root};
    while (*path != '\0') {
        size_t size = strcspn(path, "/");
        const char *name = path;
        path += size + (path[size] == '/');
        if (size == 0 || (size == 1 && name[0] == '.'))
            continue;
        if (size >= LONGEST)
            return ENAMETOOLONG;
        if (location.node == NULL)
            return ENOENT;
        if (!location.node->is_folder)
            return ENOTDIR;
        location.folder = location.node;
        memcpy(location.name, name, size);
        location.name[size] = '\0';
        location.node = model_names_find(&location.folder->names, location.name);
    }
    *ret_location = location;
    return 0;
}

/* The same for callers that need the file or folder to exist. */
static lam_status find_path(lam_model_disk *disk, const char *path, model_location *ret_location,
                            lam_error *error) {
    int os_error = walk_path(disk, path, ret_location);
    if (os_error == 0 && ret_location->node == NULL)
        os_error = ENOENT;
    return os_error == 0 ? LAM_STATUS_OK : fail_at(path, os_error, error);
}

static lam_status find_folder(lam_model_disk *disk, const char *path, model_node **ret_folder,
                              lam_error *error) {
    model_location location;
    LAM_TRY(find_path(disk, path, &location, error));
    if (!location.node->is_folder)
        return fail_at(path, ENOTDIR, error);
    *ret_folder = location.node;
    return LAM_STATUS_OK;
}

/* --- Files that are written ------------------------------------------------------------------ */

static model_handle *handle_new(model_node *node, const char *path) {
    model_handle *handle = model_alloc(sizeof *handle);
    handle->node = model_node_hold(node);
    handle->name = lam_file_name_of(path);
    return handle;
}

static lam_status handle_check(const model_handle *file, lam_error *error) {
    return file->failed ? lam_file_refuse(&file->name, LAM_ERROR_CODE_WRITER_FAILED,
                                          "an earlier sync failed", error)
                        : LAM_STATUS_OK;
}

static void append_bytes(model_handle *file, const void *data, size_t size) {
    model_file_append(file->node, data, size);
    file->node->disk->counts.bytes += size;
}

static lam_status append_locked(model_handle *file, const void *data, size_t size,
                                lam_error *error) {
    lam_model_disk *disk = file->node->disk;
    LAM_TRY(handle_check(file, error));
    int os_error = fault_of(disk);
    if (os_error != 0) {
        size_t first = disk->fault.short_append;
        if (disk->counts.operations == disk->fault.at)
            append_bytes(file, data, first < size ? first : size);
        return fail(&file->name, os_error, error);
    }
    if (disk->limit != 0) {
        uint64_t kept = model_bytes_kept(disk), room = kept < disk->limit ? disk->limit - kept : 0;
        if (size > room) {
            append_bytes(file, data, (size_t)room);
            return fail(&file->name, ENOSPC, error);
        }
    }
    append_bytes(file, data, size);
    return LAM_STATUS_OK;
}

static lam_status model_append(void *state, const void *data, size_t size, lam_error *error) {
    model_handle *file = state;
    lam_model_disk *disk = file->node->disk;
    begin(disk, "append");
    return end(disk, append_locked(file, data, size, error));
}

static lam_status sync_locked(model_handle *file, lam_error *error) {
    lam_model_disk *disk = file->node->disk;
    LAM_TRY(handle_check(file, error));
    lam_status status = check_fault(disk, &file->name, error);
    file->failed = status != LAM_STATUS_OK;
    if (file->failed && disk->fault.loses_on_sync)
        model_file_lose(file->node);
    if (file->failed)
        return status;
    model_file_sync(file->node);
    disk->counts.syncs++;
    return LAM_STATUS_OK;
}

static lam_status model_sync(void *state, lam_error *error) {
    model_handle *file = state;
    lam_model_disk *disk = file->node->disk;
    begin(disk, "sync");
    return end(disk, sync_locked(file, error));
}

static lam_status truncate_locked(model_handle *file, uint64_t size, lam_error *error) {
    LAM_TRY(handle_check(file, error));
    LAM_TRY(check_fault(file->node->disk, &file->name, error));
    if (size > file->node->newest.size)
        return lam_file_refuse(&file->name, LAM_STATUS_INVALID, "truncate would lengthen it",
                               error);
    if (size < file->node->newest.size)
        model_file_truncate(file->node, size);
    return LAM_STATUS_OK;
}

static lam_status model_truncate(void *state, uint64_t size, lam_error *error) {
    model_handle *file = state;
    lam_model_disk *disk = file->node->disk;
    begin(disk, "truncate");
    return end(disk, truncate_locked(file, size, error));
}

static void model_close(void *state) {
    model_handle *file = state;
    lam_model_disk *disk = file->node->disk;
    pthread_mutex_lock(&disk->mutex);
    file->node->is_written = false;
    disk->counts.open_files--;
    model_node_release(file->node);
    pthread_mutex_unlock(&disk->mutex);
    free(file);
}

static lam_storage_file open_handle(model_node *node, const char *path) {
    lam_model_counts *counts = &node->disk->counts;
    lam_storage_file file = {handle_new(node, path), model_append, NULL, model_sync,
                             model_truncate,         model_close};
    node->is_written = true;
    counts->open_files++;
    if (counts->open_files > counts->most_open_files)
        counts->most_open_files = counts->open_files;
    return file;
}

static lam_status create_locked(lam_model_disk *disk, const char *path, lam_storage_file *ret_file,
                                lam_error *error) {
    model_location location;
    LAM_TRY(check_fault_at(disk, path, error));
    int os_error = walk_path(disk, path, &location);
    if (os_error != 0 || location.node != NULL)
        return fail_at(path, os_error != 0 ? os_error : EEXIST, error);
    model_node *node = model_node_new(disk, false);
    model_folder_step(location.folder, MODEL_ADD, location.name, NULL, node);
    *ret_file = open_handle(node, path);
    model_node_release(node);
    return LAM_STATUS_OK;
}

static lam_status model_create(void *state, const char *path, lam_storage_file *ret_file,
                               lam_error *error) {
    begin(state, "create");
    return end(state, create_locked(state, path, ret_file, error));
}

static lam_status find_file(lam_model_disk *disk, const char *path, model_node **ret_file,
                            lam_error *error) {
    model_location location;
    LAM_TRY(check_fault_at(disk, path, error));
    LAM_TRY(find_path(disk, path, &location, error));
    if (location.node->is_folder) {
        lam_file_name name = lam_file_name_of(path);
        return lam_file_refuse(&name, LAM_ERROR_CODE_FILE_KIND, "it is a folder", error);
    }
    *ret_file = location.node;
    return LAM_STATUS_OK;
}

static lam_status open_locked(lam_model_disk *disk, const char *path, lam_storage_file *ret_file,
                              uint64_t *ret_size, lam_error *error) {
    model_node *node = NULL;
    LAM_TRY(find_file(disk, path, &node, error));
    if (node->is_written) {
        lam_file_name name = lam_file_name_of(path);
        return lam_file_refuse(&name, LAM_ERROR_CODE_FILE_BUSY, "it is being written already",
                               error);
    }
    *ret_size = node->newest.size;
    *ret_file = open_handle(node, path);
    return LAM_STATUS_OK;
}

static lam_status model_open(void *state, const char *path, lam_storage_file *ret_file,
                             uint64_t *ret_size, lam_error *error) {
    begin(state, "open");
    return end(state, open_locked(state, path, ret_file, ret_size, error));
}

/* --- Inputs ---------------------------------------------------------------------------------- */

static lam_status read_locked(const model_handle *input, uint64_t offset, size_t size, void *buffer,
                              lam_error *error) {
    const model_bytes *bytes = &input->node->newest;
    LAM_TRY(check_fault(input->node->disk, &input->name, error));
    if (offset > bytes->size || size > bytes->size - offset)
        return lam_file_refuse(&input->name, LAM_ERROR_CODE_FILE_SHORT, "the file ends before",
                               error);
    if (size > 0)
        memcpy(buffer, bytes->at + offset, size);
    return LAM_STATUS_OK;
}

static lam_status model_read_at(void *state, uint64_t offset, size_t size, void *buffer,
                                lam_error *error) {
    const model_handle *input = state;
    begin(input->node->disk, "read_at");
    return end(input->node->disk, read_locked(input, offset, size, buffer, error));
}

static void model_close_input(void *state) {
    model_handle *input = state;
    lam_model_disk *disk = input->node->disk;
    pthread_mutex_lock(&disk->mutex);
    model_node_release(input->node);
    pthread_mutex_unlock(&disk->mutex);
    free(input);
}

static lam_status open_input_locked(lam_model_disk *disk, const char *path, lam_input *ret_input,
                                    lam_error *error) {
    model_node *node = NULL;
    LAM_TRY(find_file(disk, path, &node, error));
    lam_input input = {.state = handle_new(node, path),
                       .size = node->newest.size,
                       .read_at = model_read_at,
                       .close = model_close_input};
    *ret_input = input;
    return LAM_STATUS_OK;
}

static lam_status open_own_locked(lam_model_disk *disk, const char *path,
                                  lam_storage_file *ret_file, uint64_t *ret_size,
                                  lam_error *error) {
    model_node *node = NULL;
    LAM_TRY(find_file(disk, path, &node, error));
    if (node->is_foreign) {
        lam_file_name name = lam_file_name_of(path);
        return lam_file_refuse(&name, LAM_ERROR_CODE_FILE_KIND, "it is a file of others", error);
    }
    return open_locked(disk, path, ret_file, ret_size, error);
}

static lam_status model_open_own(void *state, const char *path, const lam_input *beside,
                                 lam_storage_file *ret_file, uint64_t *ret_size, lam_error *error) {
    (void)beside;
    begin(state, "open_own");
    return end(state, open_own_locked(state, path, ret_file, ret_size, error));
}

static lam_status model_open_input(void *state, const char *path, lam_input *ret_input,
                                   lam_error *error) {
    begin(state, "open_input");
    return end(state, open_input_locked(state, path, ret_input, error));
}

/* --- Names ----------------------------------------------------------------------------------- */

static lam_status move_locked(lam_model_disk *disk, model_verb verb, const char *from,
                              const char *to, lam_error *error) {
    model_location source, target;
    LAM_TRY(check_fault_at(disk, from, error));
    LAM_TRY(find_path(disk, from, &source, error));
    int os_error = walk_path(disk, to, &target);
    if (os_error != 0)
        return fail_at(to, os_error, error);
    if (source.folder == NULL || source.folder != target.folder || source.node->is_folder)
        LAM_FAIL(error, LAM_STATUS_INVALID, "%s cannot become %s", from, to);
    if (target.node != NULL && (verb == MODEL_RENAME || target.node->is_folder))
        return fail_at(to, target.node->is_folder && verb == MODEL_REPLACE ? EISDIR : EEXIST,
                       error);
    if (source.node != target.node)
        model_folder_step(source.folder, verb, source.name, target.name, source.node);
    return LAM_STATUS_OK;
}

static lam_status model_rename(void *state, const char *from, const char *to, lam_error *error) {
    begin(state, "rename");
    return end(state, move_locked(state, MODEL_RENAME, from, to, error));
}

static lam_status model_replace(void *state, const char *from, const char *to, lam_error *error) {
    begin(state, "replace");
    return end(state, move_locked(state, MODEL_REPLACE, from, to, error));
}

static lam_status remove_locked(lam_model_disk *disk, const char *path, lam_error *error) {
    model_location location;
    LAM_TRY(check_fault_at(disk, path, error));
    LAM_TRY(find_path(disk, path, &location, error));
    if (location.folder == NULL)
        return fail_at(path, EBUSY, error);
    if (location.node->names.count > 0)
        return fail_at(path, ENOTEMPTY, error);
    model_folder_step(location.folder, MODEL_REMOVE, location.name, NULL, location.node);
    return LAM_STATUS_OK;
}

static lam_status model_remove(void *state, const char *path, lam_error *error) {
    begin(state, "remove");
    return end(state, remove_locked(state, path, error));
}

/* --- Folders --------------------------------------------------------------------------------- */

static lam_status make_folder_locked(lam_model_disk *disk, const char *path, lam_error *error) {
    model_location location;
    LAM_TRY(check_fault_at(disk, path, error));
    int os_error = walk_path(disk, path, &location);
    if (os_error == 0 && location.node != NULL && !location.node->is_folder)
        os_error = EEXIST;
    if (os_error != 0)
        return fail_at(path, os_error, error);
    if (location.node != NULL)
        return LAM_STATUS_OK;
    model_node *folder = model_node_new(disk, true);
    model_folder_step(location.folder, MODEL_ADD, location.name, NULL, folder);
    model_node_release(folder);
    return LAM_STATUS_OK;
}

static lam_status model_make_folder(void *state, const char *path, lam_error *error) {
    begin(state, "make_folder");
    return end(state, make_folder_locked(state, path, error));
}

static lam_status sync_folder_locked(lam_model_disk *disk, const char *path, lam_error *error) {
    model_node *folder = NULL;
    LAM_TRY(check_fault_at(disk, path, error));
    LAM_TRY(find_folder(disk, path, &folder, error));
    model_folder_sync(folder);
    disk->counts.folder_syncs++;
    return LAM_STATUS_OK;
}

static lam_status model_sync_folder(void *state, const char *path, lam_error *error) {
    begin(state, "sync_folder");
    return end(state, sync_folder_locked(state, path, error));
}

/* Entries as they are now: `each` may change the folder. */
static lam_status copy_entries(lam_model_disk *disk, const char *path,
                               lam_storage_entry **ret_entries, size_t *ret_count,
                               lam_error *error) {
    model_node *folder = NULL;
    LAM_TRY(check_fault_at(disk, path, error));
    LAM_TRY(find_folder(disk, path, &folder, error));
    size_t count = folder->names.count;
    lam_storage_entry *entries = model_alloc(count * sizeof *entries);
    for (size_t i = 0; i < count; i++) {
        const model_name *name = &folder->names.at[i];
        entries[i].name = model_text(name->name, strlen(name->name));
        entries[i].size = name->node->newest.size;
        entries[i].is_folder = name->node->is_folder;
        entries[i].is_foreign = name->node->is_foreign;
    }
    *ret_entries = entries;
    *ret_count = count;
    return LAM_STATUS_OK;
}

static lam_status model_list(void *state, const char *path,
                             lam_status (*each)(void *each_state, const lam_storage_entry *entry,
                                                lam_error *error),
                             void *each_state, lam_error *error) {
    lam_storage_entry *entries;
    size_t count;
    begin(state, "list");
    LAM_TRY(end(state, copy_entries(state, path, &entries, &count, error)));
    lam_status status = LAM_STATUS_OK;
    for (size_t i = 0; i < count; i++) {
        if (status == LAM_STATUS_OK)
            status = each(each_state, &entries[i], error);
        free((char *)entries[i].name);
    }
    free(entries);
    return status;
}

lam_storage lam_model_disk_storage(lam_model_disk *disk) {
    lam_storage storage = {
        .state = disk,
        .create = model_create,
        .open = model_open,
        .open_input = model_open_input,
        .rename = model_rename,
        .replace = model_replace,
        .remove = model_remove,
        .make_folder = model_make_folder,
        .sync_folder = model_sync_folder,
        .list = model_list,
        .open_own = model_open_own,
    };
    return storage;
}

/* --- Content --------------------------------------------------------------------------------- */

/* Makes the node of one name and its folder's names durable. Returns the node. */
static model_node *put_name(model_node *folder, const char *name, bool is_folder) {
    model_node *node = model_names_find(&folder->names, name);
    if (node != NULL && is_folder)
        return node;
    if (node != NULL)
        model_folder_step(folder, MODEL_REMOVE, name, NULL, node);
    node = model_node_new(folder->disk, is_folder);
    model_folder_step(folder, MODEL_ADD, name, NULL, node);
    model_folder_sync(folder);
    model_node_release(node);
    return node;
}

void lam_model_disk_put(lam_model_disk *disk, const char *path, const void *data, size_t size) {
    pthread_mutex_lock(&disk->mutex);
    model_node *node = disk->root;
    while (*path != '\0') {
        size_t length = strcspn(path, "/");
        char *name = model_text(path, length);
        path += length + (path[length] == '/');
        if (length > 0 && strcmp(name, ".") != 0)
            node = put_name(node, name, *path != '\0');
        free(name);
    }
    model_file_append(node, data, size);
    model_file_sync(node);
    pthread_mutex_unlock(&disk->mutex);
}

void lam_model_disk_give_away(lam_model_disk *disk, const char *path) {
    model_location location;
    pthread_mutex_lock(&disk->mutex);
    if (walk_path(disk, path, &location) == 0 && location.node != NULL)
        location.node->is_foreign = true;
    pthread_mutex_unlock(&disk->mutex);
}

bool lam_model_disk_content(lam_model_disk *disk, const char *path, lam_bytes *ret_content) {
    model_location location;
    pthread_mutex_lock(&disk->mutex);
    bool exists =
        walk_path(disk, path, &location) == 0 && location.node != NULL && !location.node->is_folder;
    if (exists) {
        ret_content->data = location.node->newest.at;
        ret_content->size = location.node->newest.size;
    }
    pthread_mutex_unlock(&disk->mutex);
    return exists;
}

static void export_failed(const char *path) {
    perror(path);
    abort();
}

static void export_node(const model_node *node, const char *path) {
    if (!node->is_folder) {
        FILE *file = fopen(path, "wb");
        if (file == NULL ||
            fwrite(node->newest.at, 1, node->newest.size, file) != node->newest.size ||
            fclose(file) != 0)
            export_failed(path);
        return;
    }
    if (mkdir(path, 0777) != 0 && errno != EEXIST)
        export_failed(path);
    for (size_t i = 0; i < node->names.count; i++) {
        char below[4096];
        snprintf(below, sizeof below, "%s/%s", path, node->names.at[i].name);
        export_node(node->names.at[i].node, below);
    }
}

void lam_model_disk_export(lam_model_disk *disk, const char *folder) {
    pthread_mutex_lock(&disk->mutex);
    export_node(disk->root, folder);
    pthread_mutex_unlock(&disk->mutex);
}
