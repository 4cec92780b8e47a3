/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keeps the files of a log few, young and small enough, as its options say, and the disk fit to be
 * written to.
 */
#ifndef LAM_LOG_FILES_LOG_KEEP_H
#define LAM_LOG_FILES_LOG_KEEP_H

#include "log/files/log_writers.h"
#include "log/folder/log_retention.h"

typedef struct lam_log_keep {
    lam_log_settings *settings; /* borrowed, as all others */
    lam_log_counts *counts;
    const char *root;
    lam_storage beneath;        /* the log's own: its settings have one that makes room */
    lam_log_retainer *retainer; /* or NULL, until it is needed */
    int64_t peers_since;        /* see lam_log_retention */
} lam_log_keep;

/*
 * Begins for a log of a folder. If its options have files removed, `settings->keep` is set, and
 * `settings->storage` becomes one that removes files and tries again when the disk is full.
 */
void lam_log_keep_init(lam_log_keep *keep, lam_log_settings *settings, lam_log_counts *counts,
                       const char *root);
/* Allowed for one that is zeroed. All files of the storage are closed. */
void lam_log_keep_finish(lam_log_keep *keep);

/* True when files may have to be removed although no file ends. */
bool lam_log_keep_has_moments(const lam_log_options *options);

/* All of these accept NULL, and then have no effect. */

/* Notes a file of the log that became final. */
void lam_log_keep_add(lam_log_keep *keep, const char *path, uint64_t size);
/*
 * Before the log has files: the existing ones are its predecessors'. If its clock is not behind any
 * of them, files that get a name from now on are those of other logs that run with it.
 */
void lam_log_keep_begin(lam_log_keep *keep);
/* The next run lists the folders again: some files were not added. */
void lam_log_keep_forget(lam_log_keep *keep);
/*
 * Removes the files that the options do not keep. Those that cannot be removed stay, and are
 * counted.
 */
void lam_log_keep_run(lam_log_keep *keep);

#endif
