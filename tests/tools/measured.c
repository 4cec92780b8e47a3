/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs a command and prints how it ended, how long it took, and how much memory it held at most:
 * the exit status (128 and the number of the signal that killed it), milliseconds, and bytes. In
 * come milliseconds after which it gets SIGTERM, and SIGKILL; 0 is never.
 *
 * The peak that the system reports for a process includes that of the one it was forked from. This
 * one holds next to nothing, which an interpreter that measures cannot say of itself.
 */
#define _XOPEN_SOURCE 700
#define _DEFAULT_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t is_due;

static void on_alarm(int number) {
    (void)number;
    is_due = 1;
}

static long long milliseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (long long)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Waits until the child ends or that moment comes; true when it has ended. */
static int ended_by(pid_t child, long long moment, int *ret_status, struct rusage *ret_usage) {
    const long long left = moment - milliseconds();
    struct itimerval timer = {{0, 1000},
                              {left > 0 ? left / 1000 : 0, left > 0 ? left % 1000 * 1000 + 1 : 1}};
    is_due = 0;
    setitimer(ITIMER_REAL, &timer, NULL);
    int is_ended = 0;
    while (!is_ended && !is_due)
        is_ended = wait4(child, ret_status, 0, ret_usage) == child;
    timer = (struct itimerval){{0, 0}, {0, 0}};
    setitimer(ITIMER_REAL, &timer, NULL);
    return is_ended;
}

int main(int count, char **words) {
    if (count < 4)
        return 2;
    const long long begin = milliseconds(), term = atoll(words[1]), kill_after = atoll(words[2]);
    struct sigaction action = {0};
    struct rusage usage = {0};
    int status = 0;
    action.sa_handler = on_alarm;
    sigaction(SIGALRM, &action, NULL);
    const pid_t child = fork();
    if (child < 0)
        return 2;
    if (child == 0) {
        signal(SIGALRM, SIG_DFL);
        dup2(open("/dev/null", O_WRONLY), STDOUT_FILENO); /* the report is for our caller alone */
        execvp(words[3], words + 3);
        _exit(127);
    }
    int is_ended = 0;
    if (term > 0) {
        is_ended = ended_by(child, begin + term, &status, &usage);
        if (!is_ended)
            kill(child, SIGTERM);
    }
    if (!is_ended && kill_after > 0) {
        is_ended = ended_by(child, begin + kill_after, &status, &usage);
        if (!is_ended)
            kill(child, SIGKILL);
    }
    if (!is_ended)
        while (wait4(child, &status, 0, &usage) != child)
            continue;
    printf("%d %lld %lld\n", WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
           milliseconds() - begin, (long long)usage.ru_maxrss * 1024);
    return 0;
}
