/* SPDX-License-Identifier: Apache-2.0 */
/* The import of delimited text: its schema, its records. */
#ifndef LAMELLA_TOOLS_IMPORT_CSV_H
#define LAMELLA_TOOLS_IMPORT_CSV_H

#include "import_option.h"

/*
 * Infers the schema from the first `limit` bytes of each input (SIZE_MAX: all of it), and applies
 * --type. The delimiter that was found is set in the options. On failure prints why and gives the
 * exit status.
 */
int import_csv_schema(import_options *options, tool_text *inputs, int count, size_t limit,
                      lam_schema **ret_schema);

/* Writes all records of an input that was begun, and reports how many lines were skipped. */
lam_status import_csv_input(tool_text *input, import_options *options, lam_writer *writer,
                            lam_error *error);

#endif
