/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Logs on a disk in memory: records that carry their number, and what a disk holds of them.
 */
#ifndef LAM_TESTS_LOG_SAMPLE_H
#define LAM_TESTS_LOG_SAMPLE_H

#include <lamella/log.h>

#include "support/model_disk.h"

/* Record n: number n, a text, and n % 3 tags; at hour n / 100. */
#define LAM_LOG_SAMPLE_SCHEMA                                                                      \
    "message m { required int64 number; optional binary text (STRING); "                           \
    "required int64 at (TIMESTAMP(MICROS,true)); "                                                 \
    "optional group tags (LIST) { repeated group list { optional binary element (STRING); } } }"

/* The same with a field more, whose value is -n; for lam_log_widen. */
#define LAM_LOG_SAMPLE_WIDER                                                                       \
    "message m { required int64 number; optional binary text (STRING); "                           \
    "required int64 at (TIMESTAMP(MICROS,true)); "                                                 \
    "optional group tags (LIST) { repeated group list { optional binary element (STRING); } } "    \
    "optional int64 negative; }"

/* Numbers of one source of records, which begin with a multiple of this. */
enum { LAM_LOG_SAMPLE_SPAN = 100000 };

/* The time of record n, in microseconds. */
int64_t lam_log_sample_time(uint64_t number);

/* Puts records `first` to `first + count - 1`; returns the first failure. */
lam_status lam_log_sample_put(const lam_record_sink *sink, const lam_schema *schema, uint64_t first,
                              uint64_t count, lam_error *error);

/* What the final files of a disk hold. */
typedef struct lam_log_content {
    size_t files;       /* that are final */
    size_t other_files; /* ".part", ".journal" and so on */
    uint64_t records;   /* of final files */
    uint64_t distinct;  /* numbers that occur */
    uint64_t prefix;    /* numbers 0 to prefix - 1 all occur */
    uint64_t highest;   /* number + 1; 0 without records */
    bool is_ascending;  /* within each file */
} lam_log_content;

/* Reads all final files below `folder`; a record that is not as it was put ends the test. */
lam_log_content lam_log_sample_read(lam_model_disk *disk, const char *folder);

/* The numbers of all records in final files of a disk, ascending, and what else is there. */
typedef struct lam_log_numbers {
    uint64_t *numbers;
    size_t count, room;
    size_t files;
    size_t other_files;      /* of these: */
    size_t bad_files;        /*   with ".bad" */
    bool is_ascending;       /* within each file */
    bool has_spans_in_order; /* within each file, records of the same span ascend */
    char others[512];        /* paths and sizes of other files */
    char fault[300];         /* the first file or record that is not as it was put; "": none */
} lam_log_numbers;

/* Reads all final files below `folder`, "" for all of the disk. Must be freed. */
void lam_log_sample_numbers(lam_model_disk *disk, const char *folder, lam_log_numbers *ret_all);
/* Adds those of one file, in the order of its rows. Must be freed. */
void lam_log_sample_list(lam_model_disk *disk, const char *path, lam_log_numbers *all);
void lam_log_numbers_free(lam_log_numbers *all);

/* Expects that one file of the disk is a whole Parquet file with records from `first` on, in order;
 * returns how many. */
uint64_t lam_log_sample_count(lam_model_disk *disk, const char *path, uint64_t first);

#endif
