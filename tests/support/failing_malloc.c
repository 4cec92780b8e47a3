/* SPDX-License-Identifier: Apache-2.0 */
/* The C library's heap under its own names, with a count in front. (glibc) */
#define _POSIX_C_SOURCE 200809L
#include "support/failing_malloc.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

static atomic_size_t requests;
static atomic_size_t fail_at;
static atomic_long live;
static atomic_bool is_counting;

void lam_fail_malloc_at(size_t number) {
    atomic_store(&requests, 0);
    atomic_store(&live, 0);
    atomic_store(&fail_at, number);
    atomic_store(&is_counting, 1);
}

size_t lam_fail_malloc_end(void) {
    atomic_store(&is_counting, 0);
    return atomic_load(&requests);
}

long lam_fail_malloc_live(void) {
    return atomic_load(&live);
}

int lam_fail_malloc_counts(void) {
    if (!atomic_load_explicit(&is_counting, memory_order_relaxed))
        return 0;
    return atomic_fetch_add(&requests, 1) + 1 == atomic_load(&fail_at);
}

int lam_fail_malloc_is_whole(void) {
#ifdef LAM_TESTS_ONLY_NEW
    return 0;
#else
    return 1;
#endif
}

#ifndef LAM_TESTS_ONLY_NEW
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void __libc_free(void *memory);

static void *handed_out(void *memory) {
    if (memory == NULL)
        errno = ENOMEM;
    else if (atomic_load_explicit(&is_counting, memory_order_relaxed))
        (void)atomic_fetch_add(&live, 1);
    return memory;
}

void *malloc(size_t size) {
    return handed_out(lam_fail_malloc_counts() ? NULL : __libc_malloc(size));
}

void *calloc(size_t count, size_t size) {
    return handed_out(lam_fail_malloc_counts() ? NULL : __libc_calloc(count, size));
}

void *realloc(void *memory, size_t size) {
    if (memory == NULL)
        return malloc(size);
    if (size > 0 && !lam_fail_malloc_counts())
        return __libc_realloc(memory, size);
    if (size == 0)
        free(memory);
    errno = size == 0 ? errno : ENOMEM;
    return NULL;
}

void *aligned_alloc(size_t alignment, size_t size) {
    return handed_out(lam_fail_malloc_counts() ? NULL : __libc_memalign(alignment, size));
}

void free(void *memory) {
    if (memory != NULL && atomic_load_explicit(&is_counting, memory_order_relaxed))
        (void)atomic_fetch_sub(&live, 1);
    __libc_free(memory);
}

int posix_memalign(void **ret_memory, size_t alignment, size_t size) {
    void *memory = aligned_alloc(alignment, size);
    if (memory == NULL)
        return ENOMEM;
    *ret_memory = memory;
    return 0;
}
#endif
