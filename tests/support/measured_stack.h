/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How much stack a call takes: it runs on a thread whose stack was painted, and the paint that is
 * gone afterwards was written over. A frame that is large and hardly written to may hide at the
 * deepest end; the compiler bounds each frame (-Wstack-usage in lib/meson.build).
 *
 * LAMELLA_STACK=70000 gives the threads so many bytes, so that a debugger shows who takes more.
 */
#ifndef LAM_TESTS_MEASURED_STACK_H
#define LAM_TESTS_MEASURED_STACK_H

#include <stdbool.h>
#include <stddef.h>

/*
 * What the library promises for any input, in a build that is optimized. On s390x each call takes
 * 160 bytes at least, which 250 levels of some recursions have two of.
 */
#ifdef __s390x__
enum { LAM_STACK_PROMISED = 128 << 10 };
#else
enum { LAM_STACK_PROMISED = 64 << 10 };
#endif

/* Whether this build can keep the promise: sanitizers and debuggers want frames of their own. */
bool lam_stack_is_promised(void);

/* Bytes of stack below the first frame of a thread that runs it; 0 where there is no thread. */
size_t lam_stack_measure(void (*run)(void *state), void *state);

#endif
