/* SPDX-License-Identifier: Apache-2.0 */
/* Schemas of JSON text, and of streams. */
#ifndef LAMPY_INFER_H
#define LAMPY_INFER_H

#include "binding.h"

/* infer(text, columns, variants) of the module. */
PyObject *lampy_infer(PyObject *module, PyObject *arguments);

/*
 * stream_schema(capsule) of the module: a capsule "arrow_schema" of a capsule
 * "arrow_array_stream".
 */
PyObject *lampy_stream_schema_of(PyObject *module, PyObject *capsule);

/*
 * What a capsule of the kind holds, as long as nobody has taken it. Borrowed; NULL with an
 * exception.
 */
struct ArrowArrayStream *lampy_stream_of(lampy_state *state, PyObject *capsule);
const struct ArrowSchema *lampy_arrow_schema_of(lampy_state *state, PyObject *capsule);
const struct ArrowArray *lampy_array_of(lampy_state *state, PyObject *capsule);

/* The failure of a stream whose callback has returned an errno. */
lam_status lampy_stream_failed(struct ArrowArrayStream *stream, int failure, lam_error *error);

#endif
