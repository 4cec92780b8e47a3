/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Questions that a log asks of a storage. In: the path of a file. Out: whether it exists, and
 * whether somebody writes it.
 *
 * The invariant: in doubt the answer is the one that leaves a file alone: it exists, and it is
 * busy. Nothing is changed; a lock that is taken to find out is given back at once.
 */
#include "log/storage_query.h"

#include "base/error.h"

bool lam_storage_has_file(const lam_storage *storage, const char *path, uint64_t *ret_size) {
    lam_input input;
    lam_error failure = lam_error_none();
    uint64_t size = 0;
    lam_status status = storage->open_input(storage->state, path, &input, &failure);
    if (status == LAM_STATUS_OK) {
        size = input.size;
        lam_input_close(&input);
    }
    if (ret_size != NULL)
        *ret_size = size;
    return status == LAM_STATUS_OK || failure.code != LAM_ERROR_CODE_FILE_MISSING;
}

lam_status lam_storage_check_not_busy(const lam_storage *storage, const char *path,
                                      lam_error *error) {
    lam_storage_file file;
    uint64_t size;
    LAM_TRY(storage->open(storage->state, path, &file, &size, error));
    lam_storage_file_close(&file);
    return LAM_STATUS_OK;
}
