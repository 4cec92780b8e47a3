/* SPDX-License-Identifier: Apache-2.0 */
/* Ends a test that takes too long, by processor time: other work on the machine does not count. */
#ifndef LAM_TESTS_STOPWATCH_H
#define LAM_TESTS_STOPWATCH_H

/* Each step has 2 seconds of the processor, 10 with the address sanitizer, and with LAMELLA_SLOW in
 * the environment 20 times as much. `name` is kept. */
void lam_stopwatch_start(const char *name);
void lam_stopwatch_stop(void);

#endif
