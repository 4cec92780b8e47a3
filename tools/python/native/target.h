/* SPDX-License-Identifier: Apache-2.0 */
/* What a Python program writes to: paths, and objects with a write method. */
#ifndef LAMPY_TARGET_H
#define LAMPY_TARGET_H

#include "binding.h"

/* The write method of an object, and what it raised. Lives as long as the output made of it. */
typedef struct lampy_target {
    char *path;       /* or NULL */
    PyObject *write;  /* or NULL */
    PyObject *raised; /* first; NULL: nothing */
} lampy_target;

/* Takes a str, bytes or PathLike path, or an object with write(bytes). -1 with an exception. */
int lampy_target_init(lampy_target *target, PyObject *object);
void lampy_target_finish(lampy_target *target);
/* Without the GIL. */
lam_status lampy_target_open(lampy_target *target, lam_output *ret_output, lam_error *error);
/* Sets what the write method raised, if anything, and forgets it. True when it did. */
bool lampy_target_restore(lampy_target *target);

#endif
