/* SPDX-License-Identifier: Apache-2.0 */
/* The records of log_sample.h as columns: triples, and Arrow arrays. */
#ifndef LAM_TESTS_LOG_SAMPLE_COLUMNS_H
#define LAM_TESTS_LOG_SAMPLE_COLUMNS_H

#include <lamella/log_arrays.h>

/* Logs records `first` to `first + count - 1` as triples of the log's present schema. */
lam_status lam_log_sample_triples(lam_log *log, uint64_t first, uint64_t count, lam_error *error);

/* The Arrow schema of one of the samples, to be released; a log must have the schema that
 * lam_arrow_import_schema makes of it. */
void lam_log_sample_arrow_schema(const lam_schema *schema, struct ArrowSchema *ret_schema);

/* Logs the same records as a struct array that has `skipped` rows before them, which its offset
 * leaves out. */
lam_status lam_log_sample_arrays(lam_log_arrays *arrays, const lam_schema *schema, uint64_t first,
                                 uint64_t count, uint64_t skipped, lam_error *error);

#endif
