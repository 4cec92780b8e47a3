/* SPDX-License-Identifier: Apache-2.0 */
/* One case of log_trial.h: its lives, and what each of their sources put. */
#ifndef LAM_TESTS_LOG_TRIAL_STATE_H
#define LAM_TESTS_LOG_TRIAL_STATE_H

#include <lamella/log_arrays.h>
#include <stdatomic.h>

#include "log/log_trial.h"
#include "support/model_disk.h"
#include "support/random.h"

enum {
    TRIAL_LIVES_MOST = 5,
    TRIAL_SOURCES_MOST = 4, /* of a life, the log's own producer the first */
    TRIAL_SPANS_MOST = TRIAL_LIVES_MOST * TRIAL_SOURCES_MOST,
    TRIAL_PATH_ROOM = 64,
    TRIAL_NS_PER_MS = 1000000
};

/* How a source puts its records. */
typedef enum trial_manner {
    TRIAL_BY_VERBS,
    TRIAL_BY_TRIPLES,
    TRIAL_BY_ARRAYS,
    TRIAL_MANNERS
} trial_manner;

/* What one source put. */
typedef struct trial_span {
    uint64_t first;
    atomic_uint_least64_t started;   /* records whose first verb was called */
    atomic_uint_least64_t confirmed; /* of these, durable as a call promised that succeeded */
    uint64_t put;                    /* at the cut: the same two */
    uint64_t durable;
    bool has_prefix; /* what is left of it has no gap */
} trial_span;

typedef struct trial_life {
    lam_log_options options;
    lam_writer_options writer;
    trial_span *spans;
    size_t span_count;
    uint64_t cut_at;                    /* the operation before which it ends */
    bool by_power;                      /* its end: a power cut, else a kill */
    atomic_uint_least64_t acknowledged; /* by on_durable */
    uint64_t durable;                   /* the same at the cut */
    atomic_uint_least64_t recovered;    /* by on_file, or of the one file */
} trial_life;

/* A source of the present life. */
typedef struct trial_source {
    trial_manner manner;
    lam_log_producer *producer; /* by verbs; the log's own source has none */
    lam_log_arrays *arrays;     /* by arrays */
    const lam_schema *schema;
    bool is_open;
} trial_source;

typedef struct log_trial {
    uint64_t seed;
    lam_log_trial_kind kind;
    lam_random random, cut_random;
    lam_log_trial_counts *counts;
    lam_model_disk *disk;
    lam_model_disk *after; /* what the end of the life left */
    atomic_bool is_cut;
    lam_model_clock clock;
    lam_storage storage;
    lam_clock timer;
    lam_schema *schema, *wider;
    trial_span spans[TRIAL_SPANS_MOST];
    trial_life lives[TRIAL_LIVES_MOST];
    size_t lives_planned;
    size_t life_count; /* that have ended */
    trial_life *life;
    lam_log *log;
    trial_source sources[TRIAL_SOURCES_MOST]; /* of the life's spans */
    size_t files_done; /* of logs of one file: the highest number in a name */
    char taken[TRIAL_PATH_ROOM];
    bool was_open; /* the log, in the last life */
    bool is_wide;
    bool takes_files; /* finished ones are moved away between lives */
} log_trial;

/* Ends the test with the seed. */
void log_trial_fail(const log_trial *trial, const char *format, ...);

/* True for a success. A failure is that of the cut, or ends the test. */
bool log_trial_went_well(const log_trial *trial, lam_status status, const lam_error *error,
                         const char *what);

/* Whether records may be dropped by the policy of the queue. */
bool log_trial_drops(const trial_life *life);

/* Chooses the options of a life, but for the callbacks. */
void log_trial_choose_options(log_trial *trial, trial_life *life);

/* Begins the log's own source. */
void log_trial_add_own(log_trial *trial);
/* Ends a source, or begins one of any manner; false when the cut came before. */
bool log_trial_change_sources(log_trial *trial);
/* Puts records through one source; false when the cut came before. */
bool log_trial_put(log_trial *trial);
/* All that was put by now is durable. */
void log_trial_confirm_all(log_trial *trial);
/* Gives the log a wider schema; the sources of triples end. False when the cut came before. */
bool log_trial_widen(log_trial *trial);
void log_trial_end_sources(log_trial *trial);

#endif
