/* SPDX-License-Identifier: Apache-2.0 */
/* Recovers what a log has left. */
#ifndef LAM_LOG_FILES_LOG_RECOVER_H
#define LAM_LOG_FILES_LOG_RECOVER_H

#include <lamella/recover.h>

/* As lam_recover, without `schema` and `like`: the files of a log state what their pages hold. */
lam_status lam_log_recover(const char *path, const char *target, const lam_recover_options *options,
                           lam_recovery *ret_recovery, lam_error *error);

#endif
