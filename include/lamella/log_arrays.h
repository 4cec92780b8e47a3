/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Logs of Arrow arrays: their rows are records of a log like any other (log.h), and its files state
 * the types that went in, even those that Parquet lacks.
 *
 *     ArrowSchema --> lam_log_open_arrow --> log
 *     ArrowArray  --> lam_log_arrays     --> its records
 */
#ifndef LAMELLA_LOG_ARRAYS_H
#define LAMELLA_LOG_ARRAYS_H

#include <lamella/arrow.h>
#include <lamella/log.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Opens a log as lam_log_open does, of the records that lam_arrow_import_schema makes of the Arrow
 * schema, which is borrowed for the call. Files state it with its metadata, as those of an Arrow
 * writer do, up to lam_log_widen; of two pairs with one key, that of the options.
 */
LAM_PUBLIC LAM_NODISCARD lam_status lam_log_open_arrow(const struct ArrowSchema *schema,
                                                       const char *path,
                                                       const lam_log_options *options,
                                                       lam_log **ret_log, lam_error *error);
/* The same for one file, as lam_log_open_file. */
LAM_PUBLIC LAM_NODISCARD lam_status lam_log_open_arrow_file(const struct ArrowSchema *schema,
                                                            const char *path,
                                                            const lam_log_options *options,
                                                            lam_log **ret_log, lam_error *error);

/* Arrow arrays of one schema on their way into a log; used by one thread at a time. */
typedef struct lam_log_arrays lam_log_arrays;

/* INVALID when the log's present schema is not the one that lam_arrow_import_schema makes of the
 * Arrow schema, but for the name of its root. The Arrow schema is only read during the call. The
 * log must outlive the handle. */
LAM_PUBLIC LAM_NODISCARD lam_status lam_log_arrays_create(lam_log *log,
                                                          const struct ArrowSchema *schema,
                                                          lam_log_arrays **ret_arrays,
                                                          lam_error *error);
/*
 * Logs all rows of an array, which stays the caller's. INVALID, with nothing logged, when it is not
 * what its schema says or has a value that the columns cannot hold.
 */
LAM_PUBLIC LAM_NODISCARD lam_status lam_log_arrays_write(lam_log_arrays *arrays,
                                                         const struct ArrowArray *array,
                                                         lam_error *error);
/* NULL is allowed. */
LAM_PUBLIC void lam_log_arrays_destroy(lam_log_arrays *arrays);

#ifdef __cplusplus
}
#endif

#endif
