/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tasks run by the library or by an executor of the caller; of several failures the lowest task's
 * is reported.
 */
#include "base/thread/task_runner.h"

#include <criterion/criterion.h>
#include <stdatomic.h>
#include <stdio.h>

#include "base/error.h"

enum { TASKS = 60, ROUNDS = 200 };

/* An executor that calls the tasks from the last to the first. */
static void run_backwards(void *state, void (*task)(void *context, size_t index), void *context,
                          size_t count) {
    ++*(int *)state;
    for (size_t i = count; i > 0; i--)
        task(context, i - 1);
}

typedef struct trial {
    atomic_int calls[TASKS];
    bool fails[TASKS];
} trial;

static lam_status try_task(void *context, size_t index, lam_error *error) {
    trial *t = context;
    atomic_fetch_add(&t->calls[index], 1);
    if (t->fails[index])
        LAM_FAIL(error, index % 2 == 0 ? LAM_STATUS_IO : LAM_STATUS_LIMIT, "task %zu", index);
    return LAM_STATUS_OK;
}

/* Runs tasks of which two fail; all below the first of them are called, and it is reported. */
static void expect_lowest(const lam_task_runner *runner, lam_task_cost *costs, size_t first,
                          size_t second) {
    trial t = {0};
    char message[32];
    lam_error error = lam_error_none();
    t.fails[first] = t.fails[second] = true;
    lam_status status = lam_task_runner_try(runner, try_task, &t, TASKS, costs, &error);
    cr_assert_eq(status, first % 2 == 0 ? LAM_STATUS_IO : LAM_STATUS_LIMIT);
    cr_assert_eq(error.status, status);
    snprintf(message, sizeof message, "task %zu", first);
    cr_assert_str_eq(error.message, message);
    for (size_t i = 0; i < TASKS; i++)
        cr_assert(atomic_load(&t.calls[i]) == 1 || (i > first && atomic_load(&t.calls[i]) == 0));
    cr_assert_eq(lam_task_runner_try(runner, try_task, &t, TASKS, NULL, NULL), status);
}

Test(task_runner, the_failure_of_the_lowest_task_is_reported_whatever_runs_them) {
    lam_allocator allocator = lam_allocator_default();
    int runs = 0;
    const lam_executor executor = {&runs, run_backwards};
    for (uint32_t threads = 0; threads <= 4; threads++) {
        lam_task_runner runner;
        const lam_executor *given = threads == 4 ? &executor : NULL;
        cr_assert_eq(lam_task_runner_init(&runner, threads, given, &allocator, NULL), 0);
        cr_assert_eq(lam_task_runner_is_parallel(&runner), threads > 1);
        lam_task_cost *costs;
        cr_assert_eq(lam_task_costs_create(&runner, TASKS, &allocator, &costs, NULL), 0);
        cr_assert_eq(costs != NULL, threads > 1);
        for (size_t round = 0; round < ROUNDS; round++)
            expect_lowest(&runner, round % 3 == 0 ? NULL : costs, round % TASKS,
                          (round * 7 + 5) % TASKS < round % TASKS ? TASKS - 1
                                                                  : (round * 7 + 5) % TASKS);
        lam_task_costs_destroy(costs, TASKS, &allocator);
        lam_task_runner_finish(&runner);
    }
    cr_assert_eq(runs, 2 * ROUNDS);
}

Test(task_runner, tasks_that_all_succeed_are_all_called) {
    lam_allocator allocator = lam_allocator_default();
    for (uint32_t threads = 1; threads <= 3; threads++) {
        lam_task_runner runner;
        lam_error error = lam_error_none();
        trial t = {0};
        lam_task_cost *costs = NULL;
        cr_assert_eq(lam_task_runner_init(&runner, threads, NULL, &allocator, NULL), 0);
        cr_assert_eq(lam_task_runner_try(&runner, try_task, &t, TASKS, costs, &error),
                     LAM_STATUS_OK);
        cr_assert_eq(error.status, LAM_STATUS_OK);
        for (size_t i = 0; i < TASKS; i++)
            cr_assert_eq(atomic_load(&t.calls[i]), 1);
        lam_task_runner_finish(&runner);
    }
}

Test(task_runner, an_executor_that_cannot_run_is_refused) {
    lam_allocator allocator = lam_allocator_default();
    const lam_executor executor = {NULL, NULL};
    lam_task_runner runner;
    lam_error error = lam_error_none();
    cr_assert_eq(lam_task_runner_init(&runner, 1, &executor, &allocator, &error),
                 LAM_STATUS_INVALID);
    cr_assert_str_eq(error.message, "an executor without `run`");
}
