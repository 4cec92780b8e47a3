/* SPDX-License-Identifier: Apache-2.0 */
/* Schemas, arrays and streams in capsules, as the PyCapsule interface of Arrow has them. */
#ifndef LAMPY_CAPSULES_H
#define LAMPY_CAPSULES_H

#include "binding.h"

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

/* The schema of a stream, which the caller releases. Without the GIL. */
lam_status lampy_schema_next(struct ArrowArrayStream *stream, struct ArrowSchema *ret_schema,
                             lam_error *error);
/* Its next array, which the caller releases; `*ret_more` is false at the end. Likewise. */
lam_status lampy_array_next(struct ArrowArrayStream *stream, struct ArrowArray *ret_array,
                            bool *ret_more, lam_error *error);

/*
 * A capsule "arrow_schema" of a schema, which is moved into it, and released after a failure. NULL
 * with an exception.
 */
PyObject *lampy_schema_capsule(struct ArrowSchema *schema);

/* A schema of message text, or of a capsule "arrow_schema". NULL with an exception. */
lam_schema *lampy_schema_of(lampy_state *state, PyObject *object);

/* A schema as message text. NULL with an exception. */
PyObject *lampy_message_of(const lam_schema *schema);
/* The same of a capsule "arrow_schema". */
PyObject *lampy_message_make(PyObject *module, PyObject *capsule);

#endif
