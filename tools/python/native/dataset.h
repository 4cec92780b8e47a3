/* SPDX-License-Identifier: Apache-2.0 */
/* Files to be read: one, or several as one. */
#ifndef LAMPY_DATASET_H
#define LAMPY_DATASET_H

#include "files.h"

typedef struct lampy_dataset {
    PyObject ob_base;
    lampy_files *files;
    lampy_reader first; /* of the first file, from the first question about it on */
} lampy_dataset;

extern PyType_Spec lampy_dataset_spec;

/*
 * dataset(sources, keys) of the module: a list of what lampy_source_new takes, and None or their
 * paths.
 */
PyObject *lampy_dataset_make(PyObject *module, PyObject *arguments);

/*
 * The reader of the first file, as it is without keys and union. Borrowed; NULL with an exception.
 */
const lam_reader *lampy_dataset_first(PyObject *object);

/* --- What one file says of itself (describe.c); methods of a dataset of one file -------------- */

PyObject *lampy_describe_file(PyObject *object, PyObject *nothing);
PyObject *lampy_describe_row_group(PyObject *object, PyObject *index);
PyObject *lampy_describe_chunk(PyObject *object, PyObject *arguments);
PyObject *lampy_describe_pages(PyObject *object, PyObject *arguments);
PyObject *lampy_describe_columns(PyObject *object, PyObject *nothing);
PyObject *lampy_describe_levels(PyObject *object, PyObject *path);

/* --- Findings (run_check.c) ------------------------------------------------------------------- */

PyObject *lampy_check(PyObject *object, PyObject *nothing);

#endif
