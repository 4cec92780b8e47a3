/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names of the files of a log:
 *
 *     log-20261123T004500Z-00c0ffee12345678.parquet              final
 *     _log-20261123T004500Z-00c0ffee12345678.parquet.part        being written, or left by a crash
 *     _log-20261123T004500Z-00c0ffee12345678.parquet.journal     its journal
 *     _log-20261123T004500Z-00c0ffee12345678.parquet.part.bad    could not be recovered
 *
 * Readers of folders pass over names that begin with the mark "_" (pyarrow, Spark, Hive), so that
 * unfinished files do not disturb them. Names without it are those of earlier builds: they are read
 * here, but never made.
 *
 * The middle is the second in UTC in which the file was opened, and an id that begins with the
 * nanosecond. Names of one prefix in the order of their bytes are in the order of time.
 */
#ifndef LAM_LOG_FOLDER_LOG_NAME_H
#define LAM_LOG_FOLDER_LOG_NAME_H

#include <lamella/common.h>

#include "base/buffer.h"

#define LAM_LOG_MARK '_'
#define LAM_LOG_SUFFIX_FINAL ".parquet"
#define LAM_LOG_SUFFIX_OPEN ".part"
#define LAM_LOG_SUFFIX_JOURNAL ".journal"
#define LAM_LOG_SUFFIX_BAD ".bad"

enum {
    LAM_LOG_PREFIX_MAX = 100,                               /* bytes of a prefix */
    LAM_LOG_NAME_MAX = LAM_LOG_PREFIX_MAX + 1 + 16 + 1 + 16 /* bytes of a final name */
                       + (int)sizeof LAM_LOG_SUFFIX_FINAL - 1
};

/* The suffixes after a final name, which then has the mark before it. */
typedef enum lam_log_stage {
    LAM_LOG_STAGE_FINAL,
    LAM_LOG_STAGE_OPEN,       /* ".part" */
    LAM_LOG_STAGE_JOURNAL,    /* ".journal" */
    LAM_LOG_STAGE_BAD,        /* ".part.bad" */
    LAM_LOG_STAGE_BAD_JOURNAL /* ".journal.bad" */
} lam_log_stage;

/* What a name says. */
typedef struct lam_log_name {
    const char *prefix; /* borrowed from the name, without a NUL; the final name begins with it */
    size_t prefix_size;
    size_t final_size;   /* bytes of the name without the mark and the suffixes after ".parquet" */
    int64_t utc_seconds; /* since 1970-01-01 */
    uint64_t id;
    lam_log_stage stage;
} lam_log_name;

/*
 * INVALID when the prefix is empty, longer than LAM_LOG_PREFIX_MAX, begins with '.' or the mark,
 * has a '/' or '=', or is not UTF-8.
 */
lam_status lam_log_prefix_check(const char *prefix, lam_error *error);

/*
 * Writes the final name of a prefix that is checked, LAM_LOG_NAME_MAX bytes at most, and a NUL.
 * `utc` is nanoseconds since 1970-01-01, any number. Returns the length without the NUL.
 */
size_t lam_log_name_print(const char *prefix, int64_t utc, uint64_t id,
                          char buffer[LAM_LOG_NAME_MAX + 1]);

/*
 * The same for a new file: its id is the nanosecond in that second, and the 32 bits of `low` after
 * it, so that names of one prefix in the order of their bytes are in the order of time.
 */
size_t lam_log_name_make(const char *prefix, int64_t utc, uint32_t low,
                         char buffer[LAM_LOG_NAME_MAX + 1]);

/*
 * The run of a log has random bits of its own, which are not 0; with the number of a name in them
 * they are the low bits of its id. Two files of one nanosecond then have different names, and those
 * of a run are told from all that existed before it, whatever the clock says.
 */
uint32_t lam_log_run_start(void);
uint32_t lam_log_run_name(uint32_t run, uint32_t number);

/*
 * False unless the name, a path's last component, is one that lam_log_name_print makes for some
 * prefix, with the mark and the suffixes of a stage, or with these alone.
 */
bool lam_log_name_parse(const char *name, lam_log_name *ret_name);

/* The same, and the name must have this prefix. */
bool lam_log_name_parse_of(const char *name, const char *prefix, lam_log_name *ret_name);

/* Whether a name was made in a run; `run` 0 is none. */
bool lam_log_name_is_of_run(const lam_log_name *name, uint32_t run);

/*
 * The stage of any path by the suffixes at its end, for logs of one file. `ret_name`, which may be
 * NULL, gets the beginning of the final name, after folders and mark, and `ret_size` its bytes; a
 * name without suffixes is FINAL.
 */
lam_log_stage lam_log_stage_of(const char *path, const char **ret_name, size_t *ret_size);
const char *lam_log_stage_suffix(lam_log_stage stage);

/* Replaces the contents of `out` by the final path of a path of any stage, and a NUL. */
lam_status lam_log_path_final(lam_buffer *out, const char *path, lam_error *error);

/*
 * Replaces the contents of `out` by FOLDER/NAME and a suffix, and a NUL, which its size counts.
 * Puts no slash if the folder or the name is empty, or the folder ends with one.
 */
lam_status lam_log_path_join(lam_buffer *out, const char *folder, const char *name,
                             const char *suffix, lam_error *error);

/* The same with the mark before the last component. */
lam_status lam_log_path_mark(lam_buffer *out, const char *folder, const char *name,
                             const char *suffix, lam_error *error);

/* The folder of a path likewise: all before its last slash, "." without one. */
lam_status lam_log_folder_of(lam_buffer *out, const char *path, lam_error *error);

#endif
