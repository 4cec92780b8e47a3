/* SPDX-License-Identifier: Apache-2.0 */
/* Records as dicts. */
#ifndef LAMPY_ROWS_H
#define LAMPY_ROWS_H

#include "shape.h"
#include "stream.h"

/* Takes the events of records and makes a dict of each. Used with the GIL only. */
typedef struct lampy_builder lampy_builder;

/*
 * Dicts of the leaves that are marked; NULL for all. The projection that marked them, or NULL, has
 * paths inside of VARIANTs. NULL with an exception.
 */
lampy_builder *lampy_builder_new(lampy_state *state, const lam_schema *schema, const bool *leaves,
                                 const lam_projection *projection);
void lampy_builder_free(lampy_builder *builder);
/*
 * Verbs that append each record to `list`, which is borrowed. An exception is set when one fails.
 */
lam_record_sink lampy_builder_sink(lampy_builder *builder, PyObject *list);
/*
 * Gives up the GIL: the verbs of each record take it from here on, and give it up again. Joining
 * takes it, wherever a record has ended. An exception is set as without.
 */
void lampy_builder_part(lampy_builder *builder);
void lampy_builder_join(lampy_builder *builder);

/* All rows of files as a list of dicts. NULL with an exception. */
PyObject *lampy_rows_collect(lampy_state *state, lampy_files *files, const lampy_query *query);

/* The number of rows of files, as an int. NULL with an exception. */
PyObject *lampy_rows_count(lampy_state *state, lampy_files *files, const lampy_query *query);

/* An iterator over the rows of files as dicts. NULL with an exception. */
PyObject *lampy_rows_new(lampy_state *state, lampy_files *files, const lampy_query *query);
extern PyType_Spec lampy_rows_spec;

#endif
