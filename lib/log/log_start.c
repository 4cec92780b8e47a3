/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prepares the place where a log writes. In: the path of its folder or of its one file. Out: a
 * folder in which files can be created, and files made of what predecessors left.
 *
 * The invariant: nothing is removed before what was made of it is durable under its final name, and
 * nothing that another log has open is touched.
 */
#include "log/log_start.h"

#include "base/error.h"

lam_status lam_log_start(lam_log_settings *settings, lam_log_counts *counts, const char *root,
                         bool is_folder, lam_error *error) {
    const lam_storage *storage = &settings->storage;
    (void)counts;
    if (is_folder)
        return storage->make_folder(storage->state, root, error);
    return LAM_STATUS_OK;
}
