/* SPDX-License-Identifier: Apache-2.0 */
/* What a Python program reads from: paths, buffers, and objects that are asked for ranges. */
#ifndef LAMPY_SOURCE_H
#define LAMPY_SOURCE_H

#include "binding.h"

/* Opens as an input any number of times. Counted; may be used and dropped by any thread. */
typedef struct lampy_source lampy_source;

/*
 * Makes a source of a str, bytes or PathLike path, of an object with the buffer protocol that is no
 * bytes of a path (wrapped by the caller in a memoryview), or of a tuple (size, read_at), where
 * read_at(offset, size) gives an object with the buffer protocol. NULL with an exception.
 */
lampy_source *lampy_source_new(PyObject *object);
lampy_source *lampy_source_keep(lampy_source *source);
/* With or without the GIL. NULL is allowed. */
void lampy_source_drop(lampy_source *source);

/* Opens an input that keeps the source until it is closed. Call it without the GIL. */
lam_status lampy_source_open(lampy_source *source, lam_input *ret_input, lam_error *error);

/* The path of a file, or NULL. Borrowed. */
const char *lampy_source_path(const lampy_source *source);
/* Whether reads call Python. */
bool lampy_source_uses_python(const lampy_source *source);

/*
 * Sets the exception that a callback of this source raised first, if any, and forgets it. True when
 * there was one. With the GIL.
 */
bool lampy_source_restore(lampy_source *source);

/* Opens, reads the footer and adds nothing. Call it without the GIL. */
lam_status lampy_source_reader(lampy_source *source, lam_reader **ret_reader, lam_error *error);

#endif
