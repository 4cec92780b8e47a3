/* SPDX-License-Identifier: Apache-2.0 */
/* The schema of a log whose records say what they hold. */
#ifndef LAMELLA_TOOLS_LOG_FIELDS_H
#define LAMELLA_TOOLS_LOG_FIELDS_H

#include <lamella/csv.h>
#include <lamella/json.h>

#include "schema_growth.h"

/*
 * Makes a schema of what `present`, which may be NULL, has, and what the records of `lines` bring,
 * as schema_growth_make. A line that is no record adds nothing. `csv` has the forms of times, which
 * are the same for JSON.
 */
lam_status log_schema_of_lines(const lam_schema *present, const schema_growth *growth,
                               lam_bytes lines, const lam_csv_options *csv, lam_schema **ret_schema,
                               lam_error *error);

/* The failure of the first line that is no record. */
lam_status log_check_lines(lam_bytes lines, lam_error *error);

/*
 * The schema of what a log of the file `path` left unfinished, which goes on in the next log; NULL
 * when there is nothing of it. Fails when it may be there, and could not be read to the end.
 */
lam_status log_schema_of_leftover(const char *path, lam_schema **ret_schema, lam_error *error);

#endif
