/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The open files of a log: one for each partition and schema that got records lately, at most as
 * many as the options allow.
 */
#ifndef LAM_LOG_FILES_LOG_WRITERS_H
#define LAM_LOG_FILES_LOG_WRITERS_H

#include <stdatomic.h>

#include "dataset/partition/route.h"
#include "log/files/log_writer.h"
#include "log/folder/log_options.h"
#include "log/journal/journal_write.h"

/* A schema of the log, and what follows from it. A producer's records keep theirs. */
typedef struct lam_log_generation {
    lam_schema *schema;       /* shared */
    lam_partition *partition; /* or NULL */
    lam_route *route;
    uint32_t journal_schema;                   /* its number in the journal, if there is one */
    const lam_meta_key_value_list *key_values; /* of its files; borrowed from the settings */
    struct lam_log_generation *older;
} lam_log_generation;

/* Numbers that any thread may read. */
typedef struct lam_log_counts {
    atomic_uint_least64_t durable;
    atomic_uint_least64_t files;
    atomic_uint_least64_t closed_bytes; /* of files that are final */
    atomic_uint_least64_t open_bytes;
    atomic_uint_least64_t journal_bytes;
    atomic_uint_least64_t checkpoints;
    atomic_uint_least64_t syncs;
    atomic_uint_least64_t recovered;
    atomic_uint_least64_t passed_over; /* leftovers that are not of this user alone */
    atomic_uint_least64_t unrecovered; /* leftovers that do not fit the memory or the time */
    atomic_uint_least64_t put_aside;   /* leftovers that cannot be read */
    atomic_uint_least64_t incomplete;  /* files that lack something of their leftover */
    atomic_uint_least64_t removed_files;
    atomic_uint_least64_t retention_failures;
    atomic_uint open_files;
} lam_log_counts;

typedef struct lam_log_files {
    lam_log_settings *settings;  /* borrowed */
    lam_log_counts *counts;      /* borrowed */
    lam_journal_writer *journal; /* borrowed; or NULL */
    lam_codec_context *codecs;   /* shared by all files */
    uint64_t journal_measured;   /* bytes that it had at the last look at the disk */
    const char *root;            /* folder of the log, or the path of its one file */
    bool is_folder;
    lam_log_writer **open; /* room for options.open_files */
    size_t count;
    uint64_t ticks;
    lam_buffer folder; /* scratch: paths */
    lam_buffer path;
} lam_log_files;

/* All arguments are borrowed until finish, which is allowed after a failure. */
lam_status lam_log_files_init(lam_log_files *files, lam_log_settings *settings,
                              lam_log_counts *counts, lam_journal_writer *journal, const char *root,
                              bool is_folder, lam_error *error);
/* Closes all files as a kill would leave them. */
void lam_log_files_finish(lam_log_files *files);

/*
 * Gives the open file of a partition's folder ("" without partitions) and a schema, or opens one;
 * the least recently used one ends first when there are too many.
 */
lam_status lam_log_files_find(lam_log_files *files, const lam_log_generation *generation,
                              const lam_route_group *group, uint64_t now, lam_log_writer **ret_file,
                              lam_error *error);

/*
 * Makes the folders of a path after its first `root_size` bytes, which are a folder, one after the
 * other; with `syncs` each is durable in its parent. The path is the same afterwards.
 */
lam_status lam_log_make_folders(const lam_storage *storage, char *path, size_t root_size,
                                bool syncs, lam_error *error);

/* Ends a file: it gets its final name, the callback is called, and the handle is freed. */
lam_status lam_log_files_end(lam_log_files *files, size_t index, lam_error *error);

/* The index of the file that was used least recently, or of the largest open row group. */
size_t lam_log_files_oldest(const lam_log_files *files);
size_t lam_log_files_fullest(const lam_log_files *files);

/*
 * The first record that a power cut (with `survives_kill_only`, a kill) would take, journals
 * aside; UINT64_MAX: none.
 */
uint64_t lam_log_files_first_lost(const lam_log_files *files, bool survives_kill_only);

#endif
