/* SPDX-License-Identifier: Apache-2.0 */
/* What an input holds, by its first bytes. */
#ifndef LAMELLA_TOOLS_IMPORT_RECOGNIZE_H
#define LAMELLA_TOOLS_IMPORT_RECOGNIZE_H

#include "import_option.h"

/*
 * The format of an input, which can be read from its start again afterwards: AUTO if neither its
 * first bytes nor, for one column, its name show it. TSV is CSV here. `csv` says what divides a
 * line of it; NULL: the usual delimiters.
 */
lam_status import_recognize(tool_text *input, const lam_csv_options *csv, import_format *ret_format,
                            bool *ret_is_blank, lam_error *error);

/* Bytes before the first line that counts: lines that are skipped, comments, and blank lines. */
size_t import_front_size(const char *text, size_t size, const lam_csv_options *csv);

/* The format that the first bytes of an input show, with the first line; AUTO if they do not. */
import_format import_format_of(const char *text, size_t size, const lam_csv_options *csv);

/*
 * The format that all inputs have, JSON if none shows it. Prints why and gives the exit status on
 * failure, also if they differ, or an option is not for it.
 */
int import_recognize_all(tool_text *inputs, int count, const import_options *options,
                         import_format *ret_format);

/*
 * Whether JSON is one record a line, some of which may be broken, and no document, which may span
 * lines, nor an array of records.
 */
lam_status import_has_lines(tool_text *input, bool *ret_are_lines, lam_error *error);

/* One of TOOL_HOLDS_*. */
unsigned import_format_holds(import_format format);

/* "JSON", "CSV", "Parquet". */
const char *import_format_name(import_format format);

/*
 * The schema that import infers of one input, which is JSON or CSV, without options. On failure
 * prints why and gives the exit status.
 */
int import_text_schema(tool_text *input, import_format format, lam_schema **ret_schema);

#endif
