/* SPDX-License-Identifier: Apache-2.0 */
/* What a log does before its first record: its folder, and what predecessors left there. */
#ifndef LAM_LOG_LOG_START_H
#define LAM_LOG_LOG_START_H

#include "log/log_files.h"

/*
 * Makes the folder if its parent exists, checks that files can be made in it, and recovers
 * leftovers as the options say. For one file: refuses a path that exists. IO.
 */
lam_status lam_log_start(lam_log_settings *settings, lam_log_counts *counts, const char *root,
                         bool is_folder, lam_error *error);

#endif
