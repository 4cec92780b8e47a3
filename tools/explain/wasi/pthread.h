/* SPDX-License-Identifier: Apache-2.0 */
/*
 * POSIX threads for a system without any, for the part of the library that runs inside a page:
 * locks that nobody else can hold, and threads that the system refuses to start, which the library
 * is prepared for. WASI has no <pthread.h>.
 */
#ifndef LAMELLA_TOOLS_EXPLAIN_WASI_PTHREAD_H
#define LAMELLA_TOOLS_EXPLAIN_WASI_PTHREAD_H

#include <errno.h>

#define PTHREAD_MUTEX_INITIALIZER 0
#define PTHREAD_COND_INITIALIZER 0

typedef char pthread_mutex_t;
typedef char pthread_mutexattr_t;
typedef char pthread_cond_t;
typedef char pthread_condattr_t;
typedef char pthread_t;
typedef char pthread_attr_t;

static inline int pthread_mutex_init(pthread_mutex_t *mutex,
                                     const pthread_mutexattr_t *attributes) {
    (void)attributes;
    *mutex = 0;
    return 0;
}

static inline int pthread_mutex_lock(pthread_mutex_t *mutex) {
    (void)mutex;
    return 0;
}

static inline int pthread_mutex_unlock(pthread_mutex_t *mutex) {
    (void)mutex;
    return 0;
}

static inline int pthread_mutex_destroy(pthread_mutex_t *mutex) {
    (void)mutex;
    return 0;
}

static inline int pthread_cond_init(pthread_cond_t *condition,
                                    const pthread_condattr_t *attributes) {
    (void)attributes;
    *condition = 0;
    return 0;
}

static inline int pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex) {
    (void)condition;
    (void)mutex;
    return 0;
}

static inline int pthread_cond_signal(pthread_cond_t *condition) {
    (void)condition;
    return 0;
}

static inline int pthread_cond_broadcast(pthread_cond_t *condition) {
    (void)condition;
    return 0;
}

static inline int pthread_cond_destroy(pthread_cond_t *condition) {
    (void)condition;
    return 0;
}

static inline int pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                                 void *(*run)(void *), void *state) {
    (void)thread;
    (void)attributes;
    (void)run;
    (void)state;
    return EAGAIN;
}

static inline int pthread_join(pthread_t thread, void **result) {
    (void)thread;
    (void)result;
    return 0;
}

#endif
