/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The options of a log: their check, their defaults, and each open file's share of the memory
 * limit.
 */
#ifndef LAM_LOG_FOLDER_LOG_OPTIONS_H
#define LAM_LOG_FOLDER_LOG_OPTIONS_H

#include <lamella/log.h>

#include "base/budget.h"
#include "log/folder/log_metadata.h"
#include "log/folder/log_name.h"

/* Options with all defaults resolved, and copies of all that they pointed at. */
typedef struct lam_log_settings {
    bool is_scarce;          /* a file's share of the memory is small */
    bool has_own_storage;    /* it is the caller's */
    lam_budget budget;       /* counts everything that the log holds; must not move */
    lam_allocator allocator; /* that counts there. It never refuses: accepted records are written,
                              * and the engine ends row groups and files to stay below the limit */
    lam_budget intake;       /* half of the limit, of it: for producers and the queue */
    lam_allocator intake_allocator; /* it refuses, which costs the current record */
    lam_storage storage;
    lam_clock clock;
    lam_log_options options;   /* `writer`, `storage`, `clock` and the texts are not to be used */
    lam_writer_options writer; /* of each file */
    lam_input like; /* what the one file of a log continues, until that is made; zeroed: none */
    char *prefix;
    char *partition_by;     /* or NULL */
    char *partition_format; /* or NULL */
    lam_log_metadata metadata;
    struct lam_log_keep *keep; /* of the log, once it is open: log_keep.h */
    uint32_t run;              /* of this log, in the names of its files (log_name.h) */
    uint32_t names;            /* that were made */
} lam_log_settings;

/* What a log is opened for. */
typedef struct lam_log_subject {
    const lam_schema *schema;          /* of its records */
    lam_meta_key_value_list of_schema; /* stated by files of this schema */
    const char *path;
    bool is_folder; /* else one file */
} lam_log_subject;

/*
 * Reads and checks the options, for a log of this subject. INVALID names the option. Must be
 * finished after success only.
 */
lam_status lam_log_settings_init(lam_log_settings *settings, const lam_log_options *given,
                                 const lam_log_subject *subject, lam_error *error);
void lam_log_settings_finish(lam_log_settings *settings);

/*
 * For readers of leftovers: the limit of the log, of which only the handle is taken yet, or 8 MiB
 * if that is more.
 */
void lam_log_recovery_budget(const lam_log_settings *settings, lam_budget *budget);

/* The name of a new file of the log at this moment. */
void lam_log_make_name(lam_log_settings *settings, char buffer[LAM_LOG_NAME_MAX + 1]);

/* Most bytes of one record, so that encoding it stays below the memory limit. */
uint64_t lam_log_record_limit(const lam_log_settings *settings);
/* Bytes of memory in use at which row groups and files end early. */
uint64_t lam_log_memory_target(const lam_log_settings *settings);

#endif
