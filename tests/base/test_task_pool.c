/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The library's own threads call each task once, at the same time where there are two, and do
 * without where none can be started.
 */
#define _GNU_SOURCE
#include "base/thread/task_pool.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "support/failing_alloc.h"

enum { TASKS = 100 };

typedef struct counts {
    atomic_int calls[TASKS];
    atomic_int all;
} counts;

static void count_call(void *context, size_t index) {
    counts *c = context;
    atomic_fetch_add(&c->calls[index], 1);
    atomic_fetch_add(&c->all, 1);
}

Test(task_pool, each_task_is_called_once_before_run_returns) {
    for (uint32_t threads = 0; threads <= 5; threads++) {
        lam_allocator allocator = lam_allocator_default();
        lam_task_pool *pool;
        cr_assert_eq(lam_task_pool_create(threads, &allocator, &pool, NULL), LAM_STATUS_OK);
        for (int round = 0; round < 300; round++) {
            counts c;
            size_t count = (size_t)(round % (TASKS + 1));
            memset(&c, 0, sizeof c);
            lam_task_pool_run(pool, count_call, &c, count);
            cr_assert_eq(atomic_load(&c.all), (int)count);
            for (size_t i = 0; i < count; i++)
                cr_assert_eq(atomic_load(&c.calls[i]), 1);
        }
        lam_task_pool_destroy(pool);
    }
    lam_task_pool_destroy(NULL);
}

typedef struct meeting {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    int there;
} meeting;

/* Returns when both tasks are there, so that two threads are needed. */
static void meet(void *context, size_t index) {
    meeting *m = context;
    (void)index;
    pthread_mutex_lock(&m->mutex);
    m->there++;
    pthread_cond_broadcast(&m->changed);
    while (m->there < 2)
        pthread_cond_wait(&m->changed, &m->mutex);
    pthread_mutex_unlock(&m->mutex);
}

Test(task_pool, two_threads_work_at_the_same_time, .timeout = 60) {
    lam_allocator allocator = lam_allocator_default();
    lam_task_pool *pool;
    cr_assert_eq(lam_task_pool_create(2, &allocator, &pool, NULL), LAM_STATUS_OK);
    for (int round = 0; round < 100; round++) {
        meeting m = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0};
        lam_task_pool_run(pool, meet, &m, 2);
        cr_assert_eq(m.there, 2);
    }
    lam_task_pool_destroy(pool);
}

Test(task_pool, memory_may_fail) {
    lam_failing_alloc counter = {.fail_at = 1};
    lam_allocator allocator = lam_failing_allocator(&counter);
    lam_task_pool *pool = NULL;
    cr_assert_eq(lam_task_pool_create(4, &allocator, &pool, NULL), LAM_STATUS_NOMEM);
    cr_assert_null(pool);
    cr_assert_eq(counter.live_bytes, 0);
}

/* Threads whose stacks are larger than all memory are not started. */
Test(task_pool, tasks_run_where_no_thread_can_be_started) {
    lam_allocator allocator = lam_allocator_default();
    lam_task_pool *pool;
    pthread_attr_t before, attributes;
    counts c;
    memset(&c, 0, sizeof c);
    cr_assert_eq(pthread_getattr_default_np(&before), 0);
    cr_assert_eq(pthread_attr_init(&attributes), 0);
    cr_assert_eq(pthread_attr_setstacksize(&attributes, SIZE_MAX / 4 + 1), 0);
    cr_assert_eq(pthread_setattr_default_np(&attributes), 0);
    lam_status status = lam_task_pool_create(4, &allocator, &pool, NULL);
    cr_assert_eq(pthread_setattr_default_np(&before), 0);
    cr_assert_eq(status, LAM_STATUS_OK);
    lam_task_pool_run(pool, count_call, &c, TASKS);
    for (size_t i = 0; i < TASKS; i++)
        cr_assert_eq(atomic_load(&c.calls[i]), 1);
    lam_task_pool_destroy(pool);
    pthread_attr_destroy(&attributes);
    pthread_attr_destroy(&before);
}
