/* SPDX-License-Identifier: Apache-2.0 */
/* Logs: folders, or one file, whose records survive the program. */
#ifndef LAMPY_LOGGER_H
#define LAMPY_LOGGER_H

#include "binding.h"

extern PyType_Spec lampy_logger_spec;

/* logger(path, schema, options) of the module. */
PyObject *lampy_logger_make(PyObject *module, PyObject *arguments);

/* What options of a log refer to while it is opened; the texts are borrowed from the dict. */
typedef struct lampy_log_keywords {
    lam_log_options options;
    lam_writer_options writer;
    lam_log_key_value *key_values; /* free() it */
    bool is_file;                  /* one file, not a folder */
} lampy_log_keywords;

/* Reads the options of a log, and of its writer, out of a dict. -1 with an exception. */
int lampy_log_keywords_parse(lampy_state *state, PyObject *dict, lampy_log_keywords *ret_keywords);

#endif
