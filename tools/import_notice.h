/* SPDX-License-Identifier: Apache-2.0 */
/* What import says about the fields that it inferred. */
#ifndef LAMELLA_TOOLS_IMPORT_NOTICE_H
#define LAMELLA_TOOLS_IMPORT_NOTICE_H

#include <lamella/csv.h>
#include <lamella/json.h>

#include "import_text.h"

/*
 * The lines for standard error, to be freed: one for each field whose kinds clash, with two lines
 * of the inputs, and one for each that is another type than it was seen as, at most ten in all.
 * NULL when there are none. `*ret_clashes` is the number of fields whose kinds clash.
 */
char *import_notices(const lam_json_inference *inference, const tool_text *inputs, int count,
                     lam_clash on_clash, size_t max_fields, size_t *ret_clashes);

/*
 * The same for columns of CSV that are STRINGs because of some values, except those whose type is
 * given. `null_text` is another text for nulls, or NULL.
 */
char *import_csv_notices(const lam_csv_inference *inference, const tool_text *inputs, int count,
                         const char *null_text,
                         bool (*is_given)(const void *state, const char *column),
                         const void *state);

#endif
