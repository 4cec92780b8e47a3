/* SPDX-License-Identifier: Apache-2.0 */
/* Long calls that a signal ends. */
#ifndef LAMPY_WATCH_H
#define LAMPY_WATCH_H

#include "binding.h"

/*
 * Calls `run` without the GIL, in a thread of its own or, if `here`, in this one. While another
 * thread works, signals are handled every few milliseconds: a handler that raises requests the
 * stop, once. What it has raised is set when the call has ended. With the GIL, and without an
 * exception. -1 with an exception when no thread could be started, and nothing was called.
 */
int lampy_watch(void (*run)(void *argument), void *argument, lam_stop *stop, bool here);

#endif
