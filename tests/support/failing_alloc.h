/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An allocator that counts, and fails the Nth request: run an operation with N = 1, 2, 3, ... until
 * it succeeds, and demand a clean NOMEM with nothing leaked each time before.
 */
#ifndef LAM_TESTS_FAILING_ALLOC_H
#define LAM_TESTS_FAILING_ALLOC_H

#include <lamella/common.h>

typedef struct lam_failing_alloc {
    size_t requests;   /* so far */
    size_t fail_at;    /* the request that fails, from 1; 0 never */
    bool fails_on;     /* those behind it fail, too */
    size_t live_bytes; /* handed out and not yet given back */
    size_t peak_bytes;
    size_t wrong_sizes; /* releases and reallocations that named a wrong size */
} lam_failing_alloc;

/*
 * The allocator, which takes calls from any thread; `counter` must outlive everything allocated,
 * and is looked at when no thread uses it.
 */
lam_allocator lam_failing_allocator(lam_failing_alloc *counter);

#endif
