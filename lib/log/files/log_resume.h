/* SPDX-License-Identifier: Apache-2.0 */
/* What a log of one file does with a predecessor's leftovers. */
#ifndef LAM_LOG_FILES_LOG_RESUME_H
#define LAM_LOG_FILES_LOG_RESUME_H

#include "log/files/log_engine.h"

/*
 * Before the engine: IO (FILE_EXISTS) when the file exists, or a leftover does that is to be kept;
 * FILE_BUSY while another log writes it. Moves a leftover out of the way, for lam_log_resume; a
 * file that has one of its names and does not belong to this user alone is put aside, and counted.
 */
lam_status lam_log_resume_prepare(lam_log_settings *settings, lam_log_counts *counts,
                                  const char *path, lam_error *error);

/*
 * With the engine: creates the file, so that no other log takes its name, puts the rows of the
 * leftover into it, makes them durable, and removes the leftover. INVALID when its schema is
 * another one.
 */
lam_status lam_log_resume(lam_log_engine *engine, const char *path, lam_error *error);

/*
 * After a start that failed before it had a file, once the engine is finished: a leftover gets its
 * names back.
 */
void lam_log_resume_undo(const lam_log_settings *settings, const char *path);

#endif
