/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes a file under a name of its own and gives it the final one when it is whole. In: bytes, and
 * the final path. Out: that file, or none.
 *
 * The invariant: under the final path there is what was there before, or all of the new file, which
 * is durable then. A file that was left half-made has the same name as the next attempt, which
 * starts it anew.
 */
#include "log/log_target.h"

#include <string.h>

#include "base/error.h"
#include "log/log_name.h"

/* True when there is a file of that path. */
static lam_status check_free(const lam_storage *storage, const char *path, lam_error *error) {
    lam_input input;
    lam_error failure = lam_error_none();
    if (storage->open_input(storage->state, path, &input, &failure) == LAM_STATUS_OK) {
        lam_input_close(&input);
        LAM_FAIL(error, LAM_ERROR_CODE_FILE_EXISTS, "%s: the file exists", path);
    }
    return LAM_STATUS_OK;
}

lam_status lam_log_target_create(lam_log_target *target, const lam_storage *storage,
                                 const char *path, const char *suffix,
                                 const lam_allocator *allocator, lam_error *error) {
    uint64_t size;
    lam_error failure = lam_error_none();
    memset(target, 0, sizeof *target);
    target->storage = *storage;
    target->is_published = true; /* until there is a file to remove */
    lam_buffer_init(&target->path, allocator);
    lam_buffer_init(&target->open_path, allocator);
    lam_buffer_init(&target->folder, allocator);
    LAM_TRY(lam_log_path_join(&target->path, "", path, "", error));
    LAM_TRY(lam_log_path_join(&target->open_path, "", path, suffix, error));
    LAM_TRY(lam_log_folder_of(&target->folder, path, error));
    const char *open_path = (const char *)target->open_path.data;
    lam_status status = storage->create(storage->state, open_path, &target->file, &failure);
    if (failure.code == LAM_ERROR_CODE_FILE_EXISTS) {
        status = storage->open(storage->state, open_path, &target->file, &size, &failure);
        if (status == LAM_STATUS_OK)
            status = target->file.truncate(target->file.state, 0, &failure);
    }
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
