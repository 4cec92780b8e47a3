/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recursion with a bounded stack. A function that calls itself does so at most once for each level
 * of a schema or of arrays, of which there are a few hundred, and each level costs a frame. So that
 * all of them fit into 64 KiB, a function that calls itself has few variables: what is only needed
 * between the calls is in other functions, marked LAM_APART, which the compiler must not merge into
 * it.
 *
 * tests/style/recursion.py lists every recursion with its bound.
 */
#ifndef LAM_BASE_RECURSION_H
#define LAM_BASE_RECURSION_H

#if defined(__GNUC__)
#define LAM_APART __attribute__((noinline))
#else
#define LAM_APART
#endif

#endif
