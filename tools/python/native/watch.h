/* SPDX-License-Identifier: Apache-2.0 */
/* Long calls that a signal ends. */
#ifndef LAMPY_WATCH_H
#define LAMPY_WATCH_H

#include "binding.h"

/*
 * Calls `run` in a thread of its own and waits for its end, without the GIL, in short steps between
 * which signals are handled. A handler that raises requests the stop, once; its exception is set
 * when the call has ended. With the GIL. -1 with an exception when no thread could be started.
 */
int lampy_watch(void (*run)(void *argument), void *argument, lam_stop *stop);

#endif
