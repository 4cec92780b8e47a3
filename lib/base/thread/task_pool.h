/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs tasks on a few threads that wait for work. The tasks of a run go to whichever thread is
 * free, the caller's included; results must not depend on which one that is.
 */
#ifndef LAM_BASE_THREAD_TASK_POOL_H
#define LAM_BASE_THREAD_TASK_POOL_H

#include <lamella/common.h>

typedef struct lam_task_pool lam_task_pool;

/*
 * Makes a pool of `thread_count` threads, the caller's included; with 1 none is started. If the
 * system refuses to start a thread, the pool works with fewer. NOMEM.
 */
lam_status lam_task_pool_create(uint32_t thread_count, const lam_allocator *allocator,
                                lam_task_pool **ret_pool, lam_error *error);
/* Ends the threads and waits for them. Not during a run. NULL is allowed. */
void lam_task_pool_destroy(lam_task_pool *pool);

/*
 * Calls `task(context, i)` for each i from 0 to `count` - 1 and returns when all calls have
 * returned. One run at a time; whatever a task wrote is visible to the caller afterwards.
 */
void lam_task_pool_run(lam_task_pool *pool, void (*task)(void *context, size_t index),
                       void *context, size_t count);

#endif
