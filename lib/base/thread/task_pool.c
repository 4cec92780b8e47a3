/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hands out task numbers under one mutex: a thread takes the next number, releases the mutex for
 * the length of the task, and takes it again. Tasks are leaves of a batch or row groups to be
 * pruned, long compared to that.
 *
 * The invariant: `next` to `count` - 1 are tasks that no thread has taken, `running` are tasks that
 * have not returned; a run ends when there are neither. The caller works too, so a run makes
 * progress even if no thread could be started, and tasks must not wait for each other.
 */
#define _POSIX_C_SOURCE 200809L
#include "base/thread/task_pool.h"

#include <pthread.h>

#include "base/alloc.h"
#include "base/error.h"

struct lam_task_pool {
    lam_allocator allocator;
    pthread_mutex_t mutex; /* protects everything below */
    pthread_cond_t work;   /* signals that there are tasks, or that threads must end */
    pthread_cond_t idle;   /* signals that no task is running */
    void (*task)(void *context, size_t index); /* of the run */
    void *context;
    size_t next;         /* number of the next task to be taken */
    size_t count;        /* tasks of the run; 0 between runs */
    size_t running;      /* tasks that were taken and have not returned */
    bool ends;           /* threads must end */
    size_t thread_count; /* threads that were started */
    size_t room;         /* threads that `threads` has memory for */
    pthread_t threads[];
};

/*
 * Takes and runs tasks until all are taken. Called and left with the mutex locked; it is unlocked
 * during each task. A thread that finds no task running at the end wakes the caller, which may be
 * waiting for the last one.
 */
static void work_off(lam_task_pool *pool) {
    while (pool->next < pool->count) {
        size_t index = pool->next++;
        pool->running++;
        pthread_mutex_unlock(&pool->mutex);
        pool->task(pool->context, index);
        pthread_mutex_lock(&pool->mutex);
        pool->running--;
    }
    if (pool->running == 0)
        pthread_cond_signal(&pool->idle);
}

/*
 * A thread of the pool. It takes work before it waits, so that a run that began in between is not
 * missed. The pool is not destroyed during a run, so that `ends` is as it was after the last task.
 */
static void *run_thread(void *state) {
    lam_task_pool *pool = state;
    pthread_mutex_lock(&pool->mutex);
    while (!pool->ends) {
        work_off(pool);
        pthread_cond_wait(&pool->work, &pool->mutex);
    }
    pthread_mutex_unlock(&pool->mutex);
    return NULL;
}

/* Starts as many threads as the system allows; the others do their work. */
static void start_threads(lam_task_pool *pool) {
    while (pool->thread_count < pool->room &&
           pthread_create(&pool->threads[pool->thread_count], NULL, run_thread, pool) == 0)
        pool->thread_count++;
}

lam_status lam_task_pool_create(uint32_t thread_count, const lam_allocator *allocator,
                                lam_task_pool **ret_pool, lam_error *error) {
    size_t room = thread_count > 1 ? thread_count - 1 : 0;
    /* The count is the caller's option and may be anything. */
    /* unreachable: when a size has more than 35 bits */
    if (room > (SIZE_MAX - sizeof(lam_task_pool)) / sizeof(pthread_t))
        LAM_FAIL(error, LAM_STATUS_NOMEM, "no memory for %zu threads", room);
    void *memory;
    LAM_TRY(lam_alloc_array(allocator, 1, sizeof(lam_task_pool) + room * sizeof(pthread_t), &memory,
                            error));
    lam_task_pool *pool = memory;
    pool->allocator = *allocator;
    pool->room = room;
    /* Try all three before any test, so that exactly the ones that were made are destroyed. */
    bool has_mutex = pthread_mutex_init(&pool->mutex, NULL) == 0;
    bool has_work = pthread_cond_init(&pool->work, NULL) == 0;
    bool has_idle = pthread_cond_init(&pool->idle, NULL) == 0;
    if (!has_mutex || !has_work || !has_idle) {
        if (has_mutex)
            pthread_mutex_destroy(&pool->mutex);
        if (has_work)
            pthread_cond_destroy(&pool->work);
        if (has_idle)
            pthread_cond_destroy(&pool->idle);
        lam_free(allocator, pool, sizeof *pool + room * sizeof(pthread_t));
        LAM_FAIL(error, LAM_STATUS_NOMEM, "the system has no more locks");
    }
    start_threads(pool);
    *ret_pool = pool;
    return LAM_STATUS_OK;
}

void lam_task_pool_destroy(lam_task_pool *pool) {
    if (pool == NULL)
        return;
    lam_allocator allocator = pool->allocator;
    /* A thread that is not waiting sees `ends` before it waits. */
    pthread_mutex_lock(&pool->mutex);
    pool->ends = true;
    pthread_cond_broadcast(&pool->work);
    pthread_mutex_unlock(&pool->mutex);
    for (size_t i = 0; i < pool->thread_count; i++)
        pthread_join(pool->threads[i], NULL);
    pthread_cond_destroy(&pool->idle);
    pthread_cond_destroy(&pool->work);
    pthread_mutex_destroy(&pool->mutex);
    lam_free(&allocator, pool, sizeof *pool + pool->room * sizeof(pthread_t));
}

void lam_task_pool_run(lam_task_pool *pool, void (*task)(void *context, size_t index),
                       void *context, size_t count) {
    pthread_mutex_lock(&pool->mutex);
    pool->task = task;
    pool->context = context;
    pool->next = 0;
    pool->count = count;
    /* The caller runs a single task itself: no thread needs to wake up. */
    if (count > 1)
        pthread_cond_broadcast(&pool->work);
    work_off(pool);
    /* All tasks are taken now, but other threads may still be running some. */
    while (pool->running > 0)
        pthread_cond_wait(&pool->idle, &pool->mutex);
    /* Threads that wake up late find no task, and no pointer of a finished run is used. */
    pool->count = 0;
    pool->next = 0;
    pthread_mutex_unlock(&pool->mutex);
}
