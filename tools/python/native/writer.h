/* SPDX-License-Identifier: Apache-2.0 */
/* Files that are written: by arrays of Arrow, and by dicts. */
#ifndef LAMPY_WRITER_H
#define LAMPY_WRITER_H

#include "binding.h"

extern PyType_Spec lampy_writer_spec;

/* writer(target, schema, options) of the module. */
PyObject *lampy_writer_make(PyObject *module, PyObject *arguments);

/*
 * Reads compression, compression_level, row_group_rows, row_group_bytes, page_bytes, page_rows,
 * dictionary, statistics, page_index, page_version, compat, threads and check_sorting of a dict.
 * -1 with an exception.
 */
int lampy_writer_options(lampy_state *state, PyObject *dict, lam_writer_options *ret_options);

#endif
