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

static const char *current = "";

static void tell(int number) {
    (void)number;
    fprintf(stderr, "%s takes more than %d seconds\n", current, SECONDS);
    abort();
}

static void set(long seconds) {
    struct itimerval timer = {{0, 0}, {seconds, 0}};
    if (setitimer(ITIMER_PROF, &timer, NULL) != 0)
        abort();
}

void lam_stopwatch_start(const char *name) {
    current = name;
    signal(SIGPROF, tell);
    set(SECONDS);
}

void lam_stopwatch_stop(void) {
    set(0);
}
