/* SPDX-License-Identifier: Apache-2.0 */
/* The schema of a log whose records show their fields. */
#ifndef LAMELLA_TOOLS_LOG_FIELDS_H
#define LAMELLA_TOOLS_LOG_FIELDS_H

#include <lamella/csv.h>
#include <lamella/json.h>

#include "schema_growth.h"

/*
 * Makes a schema of the fields of `present`, which may be NULL, and of the records of `lines`, as
 * schema_growth_make. A line that is no record adds no fields. `csv` has the forms of times, which
 * are the same for JSON.
 */
lam_status log_schema_of_lines(const lam_schema *present, const schema_growth *growth,
                               lam_bytes lines, const lam_csv_options *csv, lam_schema **ret_schema,
                               lam_error *error);

/* The failure of the first line that is no record. */
lam_status log_check_lines(lam_bytes lines, lam_error *error);

/*
 * The schema of the unfinished file that a log of `path` left, which the next log continues; NULL
 * when there is none. Fails when it may exist, and could not be read to the end.
 */
lam_status log_schema_of_leftover(const char *path, lam_schema **ret_schema, lam_error *error);

#endif
