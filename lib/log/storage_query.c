/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Questions that a log asks of a storage. In: the path of a file. Out: whether it exists, and
 * whether somebody writes it.
 *
 * The invariant: where the storage does not say, neither is assumed: what is done for a file that
 * exists may remove another one. Nothing is changed; a lock that is taken to find out is given back
 * at once.
 */
#include "log/storage_query.h"

#include "base/error.h"

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

lam_status lam_storage_check_free(const lam_storage *storage, const char *path, lam_error *error) {
    bool is_there;
    LAM_TRY(lam_storage_find(storage, path, &is_there, NULL, error));
    if (is_there)
        LAM_FAIL(error, LAM_ERROR_CODE_FILE_EXISTS, "%s: the file exists", path);
    return LAM_STATUS_OK;
}

lam_status lam_storage_check_not_busy(const lam_storage *storage, const char *path,
                                      lam_error *error) {
    lam_storage_file file;
    uint64_t size;
    LAM_TRY(storage->open(storage->state, path, &file, &size, error));
    lam_storage_file_close(&file);
    return LAM_STATUS_OK;
}
