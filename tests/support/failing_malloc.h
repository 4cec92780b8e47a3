/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The C library's heap, of which the Nth request fails: for what takes memory past a lam_allocator,
 * such as libraries that the library calls. A program that links it has its own malloc, and so its
 * own operator new. With AddressSanitizer, which has a malloc already, only operator new fails.
 */
#ifndef LAM_TESTS_FAILING_MALLOC_H
#define LAM_TESTS_FAILING_MALLOC_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Counts requests from now on, of all threads, and fails number `number`, from 1; 0 fails none. */
void lam_fail_malloc_at(size_t number);
/* Stops that; the requests that were counted. */
size_t lam_fail_malloc_end(void);
/* Blocks that were handed out and not given back while requests were counted; 0 where only operator
 * new is counted. */
long lam_fail_malloc_live(void);
/* Whether malloc is counted, and not only operator new. */
int lam_fail_malloc_is_whole(void);
/* Counts a request; true when it is the one that fails. */
int lam_fail_malloc_counts(void);

#ifdef __cplusplus
}
#endif

#endif
