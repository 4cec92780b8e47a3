/* SPDX-License-Identifier: Apache-2.0 */
/* Ends a test that takes more processor time than it may. */
#define _XOPEN_SOURCE 700
#include "support/stopwatch.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>

#if defined(__SANITIZE_ADDRESS__)
enum { SECONDS = 10 };
#else
enum { SECONDS = 2 };
#endif

enum { SLOW = 20 }; /* times, for machines that are only emulated */

static const char *current = "";

static long seconds(void) {
    return getenv("LAMELLA_SLOW") != NULL ? (long)SLOW * SECONDS : SECONDS;
}

static void tell(int number) {
    (void)number;
    fprintf(stderr, "%s takes more than %ld seconds\n", current, seconds());
    abort();
}

static void set(long left) {
    struct itimerval timer = {{0, 0}, {left, 0}};
    if (setitimer(ITIMER_PROF, &timer, NULL) != 0)
        abort();
}

void lam_stopwatch_start(const char *name) {
    current = name;
    signal(SIGPROF, tell);
    set(seconds());
}

void lam_stopwatch_stop(void) {
    set(0);
}
