/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Answers a log's questions about a storage, and replaces calls that not every storage has. Takes
 * the path of a file, and says whether it exists, whether somebody writes it, and where it leads.
 *
 * If the storage does not say, no answer is ever assumed: what is done for an existing file may
 * remove another one. A lock that is taken to find out is given back at once.
 */
#define _POSIX_C_SOURCE 200809L /* PATH_MAX */
#include "log/folder/storage_query.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "io/new_file.h"
#include "log/folder/log_name.h"

lam_status lam_storage_find(const lam_storage *storage, const char *path, bool *ret_found,
                            uint64_t *ret_size, lam_error *error) {
    lam_input input;
    lam_error failure = lam_error_none();
    lam_status status = storage->open_input(storage->state, path, &input, &failure);
    if (status != LAM_STATUS_OK && failure.code != LAM_ERROR_CODE_FILE_MISSING) {
        if (error != NULL)
            *error = failure;
        return status;
    }
    *ret_found = status == LAM_STATUS_OK;
    if (*ret_found && ret_size != NULL)
        *ret_size = input.size;
    if (*ret_found)
        lam_input_close(&input);
    return LAM_STATUS_OK;
}

lam_status lam_storage_take(const lam_storage *storage, const char *path,
                            lam_storage_file *ret_file, uint64_t *ret_size, lam_stored *ret_stored,
                            lam_error *error) {
    lam_storage_file none = {0};
    lam_error failure = lam_error_none();
    *ret_file = none;
    lam_status status = lam_storage_open_own(storage, path, NULL, ret_file, ret_size, &failure);
    *ret_stored = LAM_STORED_OWN;
    if (status == LAM_STATUS_OK)
        return LAM_STATUS_OK;
    *ret_stored = failure.code == LAM_ERROR_CODE_FILE_BUSY   ? LAM_STORED_BUSY
                  : failure.code == LAM_ERROR_CODE_FILE_KIND ? LAM_STORED_FOREIGN
                                                             : LAM_STORED_NONE;
    if (*ret_stored != LAM_STORED_NONE || failure.code == LAM_ERROR_CODE_FILE_MISSING)
        return LAM_STATUS_OK;
    if (error != NULL)
        *error = failure;
    return status;
}

lam_status lam_storage_examine(const lam_storage *storage, const char *path, lam_stored *ret_stored,
                               lam_error *error) {
    lam_storage_file file;
    uint64_t size;
    LAM_TRY(lam_storage_take(storage, path, &file, &size, ret_stored, error));
    lam_storage_file_close(&file);
    return LAM_STATUS_OK;
}

lam_status lam_storage_check_free(const lam_storage *storage, const char *path, lam_error *error) {
    lam_stored stored;
    LAM_TRY(lam_storage_examine(storage, path, &stored, error));
    if (stored != LAM_STORED_NONE)
        LAM_FAIL(error, LAM_ERROR_CODE_FILE_EXISTS, "%s: the file exists", path);
    return LAM_STATUS_OK;
}

lam_status lam_storage_put_aside(const lam_storage *storage, const char *path, size_t kept,
                                 const lam_allocator *allocator, lam_error *error) {
    enum { TRIES = 100, NUMBERED = 20 }; /* after these, strangers do not know the next name */
    const char *slash = strrchr(path, '/'), *name = slash != NULL ? slash + 1 : path;
    const char *mark = name[0] == LAM_LOG_MARK ? "" : (const char[]){LAM_LOG_MARK, '\0'};
    int folder = (int)(name - path), name_size = (int)kept - folder;
    lam_buffer to;
    lam_error failure = lam_error_none();
    lam_status status = LAM_STATUS_OK;
    lam_buffer_init(&to, allocator);
    for (int i = 1; i <= TRIES; i++) {
        char digits[LAM_NAME_DIGITS + 1], number[sizeof digits + 1] = "";
        lam_buffer_clear(&to);
        LAM_TRY_OUT(
            lam_buffer_reserve(&to, kept + 1 + sizeof number + sizeof LAM_LOG_SUFFIX_BAD, error));
        lam_name_digits(digits);
        if (i > NUMBERED)
            snprintf(number, sizeof number, ".%s", digits);
        else if (i > 1)
            snprintf(number, sizeof number, ".%d", i);
        snprintf((char *)to.data, to.capacity, "%.*s%s%.*s%s" LAM_LOG_SUFFIX_BAD, folder, path,
                 mark, name_size, name, number);
        failure = lam_error_none();
        status = storage->rename(storage->state, path, (const char *)to.data, &failure);
        if (status == LAM_STATUS_OK || failure.code != LAM_ERROR_CODE_FILE_EXISTS)
            break;
    }
    if (status != LAM_STATUS_OK && error != NULL)
        *error = failure;
out:
    lam_buffer_finish(&to);
    return status;
}

lam_status lam_storage_create_like(const lam_storage *storage, const char *path,
                                   const lam_input *like, lam_storage_file *ret_file,
                                   lam_error *error) {
    if (like == NULL || storage->create_like == NULL)
        return storage->create(storage->state, path, ret_file, error);
    return storage->create_like(storage->state, path, like, ret_file, error);
}

lam_status lam_storage_open_own(const lam_storage *storage, const char *path,
                                const lam_input *beside, lam_storage_file *ret_file,
                                uint64_t *ret_size, lam_error *error) {
    if (storage->open_own == NULL)
        return storage->open(storage->state, path, ret_file, ret_size, error);
    return storage->open_own(storage->state, path, beside, ret_file, ret_size, error);
}

lam_status lam_storage_resolve(const lam_storage *storage, const char *path, lam_buffer *out,
                               lam_error *error) {
    char target[PATH_MAX];
    const char *found = path;
    if (storage->resolve != NULL) {
        LAM_TRY(storage->resolve(storage->state, path, target, sizeof target, error));
        found = target;
    }
    lam_buffer_clear(out);
    return lam_buffer_append(out, found, strlen(found) + 1, error);
}
