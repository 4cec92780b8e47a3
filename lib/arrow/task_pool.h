/*
 * A few threads that wait for work. Tasks of one run go to whoever is free, the caller among them;
 * nothing depends on who that is.
 */
#ifndef LAM_ARROW_TASK_POOL_H
#define LAM_ARROW_TASK_POOL_H

#include <lamella/common.h>

typedef struct lam_task_pool lam_task_pool;

/*
 * `thread_count` threads, the caller's included; with 1 none is started. Where the system gives no
 * more threads, there are fewer. NOMEM.
 */
lam_status lam_task_pool_create(uint32_t thread_count, const lam_allocator *allocator,
                                lam_task_pool **ret_pool, lam_error *error);
/* Ends the threads. NULL is allowed. */
void lam_task_pool_destroy(lam_task_pool *pool);

/*
 * Calls `task(context, i)` for each i from 0 to `count` - 1 and returns when all have returned. One
 * run at a time.
 */
void lam_task_pool_run(lam_task_pool *pool, void (*task)(void *context, size_t index),
                       void *context, size_t count);

#endif
