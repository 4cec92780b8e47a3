/* SPDX-License-Identifier: Apache-2.0 */
/* Schemas of JSON text. */
#ifndef LAMPY_INFER_H
#define LAMPY_INFER_H

#include "binding.h"

/* infer(text, columns, variants) of the module. */
PyObject *lampy_infer(PyObject *module, PyObject *arguments);

#endif
