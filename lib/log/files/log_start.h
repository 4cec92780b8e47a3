/* SPDX-License-Identifier: Apache-2.0 */
/* What a log does before its first record: its folder, and what predecessors left there. */
#ifndef LAM_LOG_FILES_LOG_START_H
#define LAM_LOG_FILES_LOG_START_H

#include "log/files/log_writers.h"

/*
 * For a log of a folder: makes the folder if its parent exists, recovers leftovers as the options
 * say, and checks that files can be made in it. Files that cannot be recovered get ".bad" after
 * their name. IO when the folder cannot be read or written.
 */
lam_status lam_log_start(lam_log_settings *settings, lam_log_counts *counts, const char *root,
                         lam_error *error);

#endif
