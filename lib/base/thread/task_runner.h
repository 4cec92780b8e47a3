/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where tasks run: on the caller's executor, on a pool of threads, or one after the other on the
 * calling thread. Results must not depend on which.
 */
#ifndef LAM_BASE_THREAD_TASK_RUNNER_H
#define LAM_BASE_THREAD_TASK_RUNNER_H

#include <lamella/executor.h>

#include "base/thread/task_pool.h"

/* Zeroed: the calling thread. */
typedef struct lam_task_runner {
    lam_task_pool *pool;   /* or NULL */
    lam_executor executor; /* of the caller; none if `run` is NULL */
} lam_task_runner;

/*
 * Makes a runner of `thread_count` threads, the caller's included, or of an executor, which is
 * copied, unless it is NULL. INVALID for an executor without `run`; NOMEM.
 */
lam_status lam_task_runner_init(lam_task_runner *runner, uint32_t thread_count,
                                const lam_executor *executor, const lam_allocator *allocator,
                                lam_error *error);
/* Ends the pool. A zeroed runner is allowed. */
void lam_task_runner_finish(lam_task_runner *runner);

/* The calling thread. */
static inline const lam_task_runner *lam_task_runner_serial(void) {
    static const lam_task_runner serial = {0};
    return &serial;
}

/* Whether tasks may run at the same time. */
static inline bool lam_task_runner_is_parallel(const lam_task_runner *runner) {
    return runner->pool != NULL || runner->executor.run != NULL;
}

/* Calls `task(context, i)` for each i from 0 to `count` - 1 and returns when all have returned. */
void lam_task_runner_run(const lam_task_runner *runner, void (*task)(void *context, size_t index),
                         void *context, size_t count);

/* A task that may fail. */
typedef lam_status lam_fallible_task(void *context, size_t index, lam_error *error);

/* What tasks took the last time they ran at the same time as others. */
typedef struct lam_task_cost {
    size_t task;
    uint64_t nanoseconds;
} lam_task_cost;

/* Makes the costs of `count` tasks, none of which has run; NULL if the runner needs none. NOMEM. */
lam_status lam_task_costs_create(const lam_task_runner *runner, size_t count,
                                 const lam_allocator *allocator, lam_task_cost **ret_costs,
                                 lam_error *error);
/* `costs` may be NULL. */
void lam_task_costs_destroy(lam_task_cost *costs, size_t count, const lam_allocator *allocator);

/*
 * Runs tasks that may fail. Gives the failure of the lowest number that failed, as a loop would; of
 * the tasks above it any may have run. With `costs`, which may be NULL, tasks that took longest the
 * last time begin first: a long task that starts last keeps all other threads waiting.
 */
lam_status lam_task_runner_try(const lam_task_runner *runner, lam_fallible_task *task,
                               void *context, size_t count, lam_task_cost *costs, lam_error *error);

#endif
