/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes a file under a name of its own, and gives it the final path when all of its bytes are
 * written; otherwise none is left.
 *
 *     _NAME.lamella-PID-RANDOM.tmp   --sync, rename or replace, sync of the folder-->   PATH
 *
 * The invariant: the final path leads to what it led to before, or to all of the new file, which is
 * then durable. Existing files are never written to: an incomplete file is removed by the next
 * attempt, which has another name.
 */
#define _POSIX_C_SOURCE 200809L /* PATH_MAX */
#include "log/folder/log_target.h"

#include <limits.h>
#include <string.h>

#include "base/error.h"
#include "io/leftover.h"
#include "log/folder/log_name.h"
#include "log/folder/storage_query.h"

enum { TARGET_TRIES = 100 }; /* names, until one is new */

/* True when there is a file with that path. */
static lam_status check_free(const lam_storage *storage, const char *path, lam_error *error) {
    lam_input input;
    lam_error failure = lam_error_none();
    if (storage->open_input(storage->state, path, &input, &failure) == LAM_STATUS_OK) {
        lam_input_close(&input);
        LAM_FAIL(error, LAM_ERROR_CODE_FILE_EXISTS, "%s: the file exists", path);
    }
    return LAM_STATUS_OK;
}

/* Creates the file under a new name, which replaces that of the try before. */
static lam_status create_once(lam_log_target *target, const char *path, const lam_input *like,
                              lam_error *error) {
    char name[PATH_MAX];
    LAM_TRY(lam_leftover_name(path, true, name, sizeof name, error));
    LAM_TRY(lam_log_path_join(&target->open_path, "", name, "", error));
    return lam_storage_create_like(&target->storage, (const char *)target->open_path.data, like,
                                   &target->file, error);
}

lam_status lam_log_target_create(lam_log_target *target, const lam_storage *storage,
                                 const char *path, const lam_input *like,
                                 const lam_allocator *allocator, lam_error *error) {
    lam_error failure;
    lam_status status;
    int tries = 0;
    memset(target, 0, sizeof *target);
    target->storage = *storage;
    target->is_published = true; /* until there is a file to remove */
    lam_buffer_init(&target->path, allocator);
    lam_buffer_init(&target->open_path, allocator);
    lam_buffer_init(&target->folder, allocator);
    LAM_TRY(lam_log_path_join(&target->path, "", path, "", error));
    LAM_TRY(lam_log_folder_of(&target->folder, path, error));
    do {
        failure = lam_error_none();
        status = create_once(target, path, like, &failure);
    } while (failure.code == LAM_ERROR_CODE_FILE_EXISTS && ++tries < TARGET_TRIES);
    target->is_published = status != LAM_STATUS_OK;
    if (status != LAM_STATUS_OK && error != NULL)
        *error = failure;
    return status;
}

static lam_status target_write(void *state, const void *data, size_t size, lam_error *error) {
    lam_log_target *target = state;
    return target->file.append(target->file.state, data, size, error);
}

static lam_status target_finish(void *state, lam_error *error) {
    (void)state;
    (void)error;
    return LAM_STATUS_OK;
}

static void target_close(void *state) {
    (void)state;
}

lam_output lam_log_target_output(lam_log_target *target) {
    lam_output output = {target, target_write, target_finish, target_close};
    return output;
}

lam_status lam_log_target_publish(lam_log_target *target, lam_error *error) {
    const lam_storage *storage = &target->storage;
    LAM_TRY(check_free(storage, (const char *)target->path.data, error));
    LAM_TRY(target->file.sync(target->file.state, error));
    LAM_TRY(storage->rename(storage->state, (const char *)target->open_path.data,
                            (const char *)target->path.data, error));
    target->is_published = true;
    return storage->sync_folder(storage->state, (const char *)target->folder.data, error);
}

/* Compares two files of the same size piece by piece. */
static lam_status compare_inputs(const lam_input *one, const lam_input *other, bool *ret_equal,
                                 lam_error *error) {
    enum { PIECE = 4096 };
    uint8_t bytes[PIECE], others[PIECE];
    for (uint64_t at = 0; at < one->size && *ret_equal; at += PIECE) {
        size_t size = one->size - at < PIECE ? (size_t)(one->size - at) : PIECE;
        LAM_TRY(one->read_at(one->state, at, size, bytes, error));
        LAM_TRY(other->read_at(other->state, at, size, others, error));
        *ret_equal = memcmp(bytes, others, size) == 0;
    }
    return LAM_STATUS_OK;
}

bool lam_log_target_is_there(const lam_log_target *target) {
    const lam_storage *storage = &target->storage;
    lam_input made, there;
    bool is_equal = false;
    if (storage->open_input(storage->state, (const char *)target->open_path.data, &made, NULL) !=
        LAM_STATUS_OK)
        return false;
    if (storage->open_input(storage->state, (const char *)target->path.data, &there, NULL) ==
        LAM_STATUS_OK) {
        is_equal = made.size == there.size;
        if (compare_inputs(&made, &there, &is_equal, NULL) != LAM_STATUS_OK)
            is_equal = false;
        lam_input_close(&there);
    }
    lam_input_close(&made);
    return is_equal;
}

lam_status lam_log_target_replace(lam_log_target *target, lam_error *error) {
    const lam_storage *storage = &target->storage;
    LAM_TRY(target->file.sync(target->file.state, error));
    LAM_TRY(storage->replace(storage->state, (const char *)target->open_path.data,
                             (const char *)target->path.data, error));
    target->is_published = true;
    return storage->sync_folder(storage->state, (const char *)target->folder.data, error);
}

/* --- Leftovers of killed runs -------------------------------------------------------------- */

/* Names of one folder: NUL-terminated texts, one after the other. */
typedef struct target_search {
    const char *last; /* name of the file */
    lam_buffer names;
} target_search;

static lam_status note_dead(void *state, const lam_storage_entry *entry, lam_error *error) {
    target_search *search = state;
    bool is_disposable;
    if (entry->is_folder || !lam_leftover_is_of(search->last, entry->name, &is_disposable) ||
        !is_disposable)
        return LAM_STATUS_OK;
    return lam_buffer_append(&search->names, entry->name, strlen(entry->name) + 1, error);
}

/* The lock is held until the name is gone: no other process can take the file meanwhile. */
void lam_log_target_remove_dead(const lam_storage *storage, const char *open_path) {
    lam_storage_file file;
    uint64_t size;
    if (lam_storage_open_own(storage, open_path, NULL, &file, &size, NULL) != LAM_STATUS_OK)
        return;
    (void)storage->remove(storage->state, open_path, NULL);
    lam_storage_file_close(&file);
}

lam_status lam_log_target_clean(const lam_storage *storage, const char *path,
                                const lam_allocator *allocator, lam_error *error) {
    lam_status status;
    lam_buffer folder, found;
    lam_error failure = lam_error_none();
    const char *slash = strrchr(path, '/');
    target_search search = {.last = slash != NULL ? slash + 1 : path};
    lam_buffer_init(&search.names, allocator);
    lam_buffer_init(&folder, allocator);
    lam_buffer_init(&found, allocator);
    LAM_TRY_OUT(lam_log_folder_of(&folder, path, error));
    status = storage->list(storage->state, (const char *)folder.data, note_dead, &search, &failure);
    if (status == LAM_STATUS_NOMEM && error != NULL)
        *error = failure;
    status = status == LAM_STATUS_NOMEM ? status : LAM_STATUS_OK; /* files that are not listed
                                                                   * stay */
    for (size_t at = 0; status == LAM_STATUS_OK && at < search.names.size;) {
        const char *name = (const char *)search.names.data + at;
        at += strlen(name) + 1;
        LAM_TRY_OUT(lam_log_path_join(&found, (const char *)folder.data, name, "", error));
        lam_log_target_remove_dead(storage, (const char *)found.data);
    }
out:
    lam_buffer_finish(&search.names);
    lam_buffer_finish(&folder);
    lam_buffer_finish(&found);
    return status;
}

void lam_log_target_finish(lam_log_target *target) {
    const lam_storage *storage = &target->storage;
    if (storage->create == NULL)
        return;
    lam_storage_file_close(&target->file);
    if (!target->is_published)
        (void)storage->remove(storage->state, (const char *)target->open_path.data, NULL);
    lam_buffer_finish(&target->path);
    lam_buffer_finish(&target->open_path);
    lam_buffer_finish(&target->folder);
    memset(target, 0, sizeof *target);
}
