/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The disk in memory that the logs of a test are on, one for a program, and what tests of logs do
 * with it. What fails here ends the test.
 */
#ifndef LAM_TESTS_LOG_DISK_H
#define LAM_TESTS_LOG_DISK_H

#include <lamella/log.h>
#include <lamella/reader.h>

#include "support/model_disk.h"

extern lam_model_disk *log_disk;
extern lam_storage log_storage; /* of the disk */
extern lam_schema *log_schema;  /* of the logs */
extern lam_model_clock log_clock;
extern lam_clock log_timer; /* of the clock, for logs that are given it */

/* An empty disk, LAM_LOG_SAMPLE_SCHEMA or another schema, and the clock at 2025-11-23 00:00 UTC. */
void lam_log_disk_start(void);
void lam_log_disk_start_with(const char *schema_text);
void lam_log_disk_stop(void);

/* Takes another disk; the one before is the caller's. */
void lam_log_disk_use(lam_model_disk *other);
/* Takes another disk, or an empty one, and destroys the one before. */
void lam_log_disk_replace(lam_model_disk *other);
void lam_log_disk_renew(void);

/* Whether there is such a file; removes one. */
bool lam_log_disk_has(const char *path);
void lam_log_disk_remove(const char *path);
void lam_log_disk_make_folder(const char *path);
/* Opens a Parquet file, which must stay until the reader is closed. */
lam_reader *lam_log_disk_read(const char *path);

/* Opens a log of a folder or of one file on the disk, whatever storage the options have. */
lam_status lam_log_disk_try_open(const char *path, bool is_folder, lam_log_options options,
                                 lam_log **ret_log, lam_error *error);
lam_log *lam_log_disk_open(const char *path, bool is_folder, lam_log_options options);

/* Puts records `first` to `first + count - 1` of log_sample.h. */
void lam_log_disk_put(lam_log *log, uint64_t first, uint64_t count);
/* The same, to a writer of any file with the schema of that header. */
void lam_log_disk_write(lam_writer *writer, uint64_t first, uint64_t count);
lam_log_info lam_log_disk_info(lam_log *log);
/* Finishes a log and closes it. */
void lam_log_disk_finish(lam_log *log);
/* A whole file of these records, as a log of one file leaves it. */
void lam_log_disk_file(const char *path, uint64_t first, uint64_t count);

/*
 * The process ends: the disk is the one that it leaves, with all that was written. The log or the
 * writer is freed, and writes nothing more.
 */
void lam_log_disk_kill_log(lam_log *log);
void lam_log_disk_kill_writer(lam_writer *writer);

/* Puts records and makes them durable by a checkpoint, if there are any; puts more behind them, of
 * which a journal has a note; and ends the process. */
void lam_log_disk_leave(lam_log *log, uint64_t first, uint64_t records, uint64_t more);

#endif
