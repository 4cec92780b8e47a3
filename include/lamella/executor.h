/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads that the library may use: the caller's own, instead of those that it starts itself.
 */
#ifndef LAMELLA_EXECUTOR_H
#define LAMELLA_EXECUTOR_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Runs work for Lamella on the caller's threads. `run` calls `task(context, i)` once for every i
 * from 0 to `count` - 1, in any order and on any threads, several at once if it likes, and returns
 * when all of them have returned.
 */
typedef struct lam_executor {
    void *state;
    void (*run)(void *state, void (*task)(void *context, size_t index), void *context,
                size_t count);
} lam_executor;

#ifdef __cplusplus
}
#endif

#endif
