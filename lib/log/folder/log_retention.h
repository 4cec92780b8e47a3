/* SPDX-License-Identifier: Apache-2.0 */
/* Removes the oldest final files of a log, by age or until the others are small enough. */
#ifndef LAM_LOG_FOLDER_LOG_RETENTION_H
#define LAM_LOG_FOLDER_LOG_RETENTION_H

#include <lamella/storage.h>

/* What stays. */
typedef struct lam_log_retention {
    const lam_storage *storage;
    const lam_allocator *allocator; /* NULL: the heap */
    const char *root;               /* the log's folder */
    const char *prefix;             /* of its files */
    uint64_t keep_bytes;            /* of all final files together; 0: any number */
    uint64_t keep_ms;               /* since the time in a name; 0: any time */
    uint64_t must_free;             /* bytes to remove in any case, as the disk lacks them */
    int64_t utc;                    /* now, in nanoseconds since 1970-01-01 */
    uint32_t run;                   /* of the log, whose files go last (log_name.h); 0: none */
    int64_t peers_since;            /* files of others go with them from this second on: they are
                                       of logs that run at the same time; INT64_MAX: never */
    size_t at_a_time;               /* files that are remembered; 0 is 1024 */
    void *state;
    bool (*is_kept)(void *state, const char *path); /* true: this file stays; may be NULL */
    void (*on_removed)(void *state, const char *path, uint64_t bytes); /* or NULL */
} lam_log_retention;

/* What was removed. */
typedef struct lam_log_removed {
    uint64_t files;
    uint64_t bytes;
    uint64_t folders;
    uint64_t left_bytes;    /* of the final files that stayed */
    int64_t oldest_seconds; /* the time in the name of the oldest that may be removed later;
                             * INT64_MAX: none */
} lam_log_removed;

/*
 * Removes final files of the prefix (log_name.h) in the root and its partition folders, NAME=...,
 * LAM_PARTITION_DEPTH_MAX levels deep: those that are `keep_ms` old, and the oldest until the
 * remaining ones have at most `keep_bytes` and `must_free` bytes are free, but not the youngest. By
 * the time in their names; files of the run come after all others, as they are younger whatever the
 * clock says. Files that `is_kept` holds count, too, but stay. A partition folder is removed with
 * its last file, and so is a folder that held only this one. All other names stay. A file that is
 * already gone is no failure.
 *
 * A file that cannot be removed stays and counts, and the others are removed; the first failure is
 * returned. `ret_removed` is set even then. Memory: `at_a_time` paths, twice, and the names of
 * folders.
 */
lam_status lam_log_retain(const lam_log_retention *retention, lam_log_removed *ret_removed,
                          lam_error *error);

/* The latest second in the name of a final file of the prefix; INT64_MIN without one. */
lam_status lam_log_retention_latest(const lam_log_retention *retention, int64_t *ret_seconds,
                                    lam_error *error);

/*
 * lam_log_retain for a running log, which remembers what the last walk through its folders found:
 * they are listed again only every ten minutes, or when all remembered files are removed. Files
 * that others add or remove count from then on. What `retention` points at is borrowed until
 * destroy; its `utc` is ignored.
 */
typedef struct lam_log_retainer lam_log_retainer;
lam_status lam_log_retainer_create(const lam_log_retention *retention,
                                   lam_log_retainer **ret_retainer, lam_error *error);
void lam_log_retainer_destroy(lam_log_retainer *retainer);
/* Notes a file of the log that became final. */
void lam_log_retainer_add(lam_log_retainer *retainer, const char *path, uint64_t size);
/* As lam_log_retain, at the time `utc`; `now` is monotonic, in nanoseconds. */
lam_status lam_log_retainer_run(lam_log_retainer *retainer, int64_t utc, uint64_t now,
                                uint64_t must_free, lam_log_removed *ret_removed, lam_error *error);

#endif
