/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs a task a number of times, and gives the failure that a loop over the same calls would have
 * met.
 *
 * The invariant: each task below the lowest failed one runs, whatever its neighbours do, so the
 * failure that is given does not depend on threads. Tasks above it are left out if that is known in
 * time.
 */
#define _POSIX_C_SOURCE 200809L
#include "base/thread/task_runner.h"

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/sort.h"

lam_status lam_task_runner_init(lam_task_runner *runner, uint32_t thread_count,
                                const lam_executor *executor, const lam_allocator *allocator,
                                lam_error *error) {
    const lam_task_runner empty = {0};
    if (executor != NULL && executor->run == NULL)
        LAM_FAIL(error, LAM_STATUS_INVALID, "an executor without `run`");
    *runner = empty;
    if (executor != NULL)
        runner->executor = *executor;
    else if (thread_count > 1)
        return lam_task_pool_create(thread_count, allocator, &runner->pool, error);
    return LAM_STATUS_OK;
}

void lam_task_runner_finish(lam_task_runner *runner) {
    lam_task_pool_destroy(runner->pool);
    runner->pool = NULL;
}

void lam_task_runner_run(const lam_task_runner *runner, void (*task)(void *context, size_t index),
                         void *context, size_t count) {
    if (runner->executor.run != NULL)
        runner->executor.run(runner->executor.state, task, context, count);
    else if (runner->pool != NULL)
        lam_task_pool_run(runner->pool, task, context, count);
    else
        for (size_t i = 0; i < count; i++)
            task(context, i);
}

/* --- Tasks that may fail ------------------------------------------------------------------- */

lam_status lam_task_costs_create(const lam_task_runner *runner, size_t count,
                                 const lam_allocator *allocator, lam_task_cost **ret_costs,
                                 lam_error *error) {
    lam_task_cost *costs = NULL;
    if (lam_task_runner_is_parallel(runner))
        LAM_TRY(LAM_ARRAY(allocator, count, &costs, error));
    for (size_t i = 0; costs != NULL && i < count; i++)
        costs[i].task = i;
    *ret_costs = costs;
    return LAM_STATUS_OK;
}

void lam_task_costs_destroy(lam_task_cost *costs, size_t count, const lam_allocator *allocator) {
    lam_free(allocator, costs, count * sizeof(lam_task_cost));
}

static int order_by_cost(const void *state, const void *a, const void *b) {
    const lam_task_cost *x = a, *y = b;
    (void)state;
    return (x->nanoseconds < y->nanoseconds) - (x->nanoseconds > y->nanoseconds);
}

/* Without a clock all tasks cost the same. */
static uint64_t nanoseconds_now(void) {
    struct timespec now;
    if (clock_gettime(CLOCK_MONOTONIC, &now) != 0)
        return 0;
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* Tasks that run at the same time. */
typedef struct attempt {
    lam_fallible_task *task;
    void *context;
    lam_task_cost *costs;  /* in the order in which the tasks begin; NULL: as they are numbered */
    atomic_size_t failed;  /* the lowest task that failed so far; SIZE_MAX: none */
    pthread_mutex_t mutex; /* protects what follows, and `failed` against lower numbers */
    lam_status status;
    lam_error error;
} attempt;

static void keep_lowest(attempt *all, size_t index, lam_status status, const lam_error *error) {
    pthread_mutex_lock(&all->mutex);
    if (index < atomic_load(&all->failed)) {
        atomic_store(&all->failed, index);
        all->status = status;
        all->error = *error;
    }
    pthread_mutex_unlock(&all->mutex);
}

static void try_task(attempt *all, size_t task) {
    lam_error error = lam_error_none();
    if (task > atomic_load(&all->failed))
        return;
    lam_status status = all->task(all->context, task, &error);
    if (status != LAM_STATUS_OK)
        keep_lowest(all, task, status, &error);
}

static void try_next(void *context, size_t index) {
    attempt *all = context;
    if (all->costs == NULL) {
        try_task(all, index);
        return;
    }
    uint64_t begin = nanoseconds_now();
    try_task(all, all->costs[index].task);
    all->costs[index].nanoseconds = nanoseconds_now() - begin;
}

lam_status lam_task_runner_try(const lam_task_runner *runner, lam_fallible_task *task,
                               void *context, size_t count, lam_task_cost *costs,
                               lam_error *error) {
    if (!lam_task_runner_is_parallel(runner)) {
        for (size_t i = 0; i < count; i++)
            LAM_TRY(task(context, i, error));
        return LAM_STATUS_OK;
    }
    if (costs != NULL)
        lam_sort(costs, count, sizeof *costs, order_by_cost, NULL);
    attempt all = {task, context, costs, SIZE_MAX, PTHREAD_MUTEX_INITIALIZER, LAM_STATUS_OK, {0}};
    lam_task_runner_run(runner, try_next, &all, count);
    pthread_mutex_destroy(&all.mutex);
    if (all.status != LAM_STATUS_OK && error != NULL)
        *error = all.error;
    return all.status;
}
