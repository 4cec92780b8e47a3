/* SPDX-License-Identifier: Apache-2.0 */
/* Runs tests without Criterion: each in a process of its own, named as Criterion names them. */
#define _DEFAULT_SOURCE
#include <criterion/criterion.h>
#include <fnmatch.h>
#include <stdarg.h>
#include <stdbool.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FAILED = 1, SKIPPED = 77 };

static lam_alone_suite *suites;
static lam_alone_test *first;
static const lam_alone_test *running;

void lam_alone_add_suite(lam_alone_suite *suite) {
    suite->next = suites;
    suites = suite;
}

void lam_alone_add(lam_alone_test *test) {
    lam_alone_test **place = &first;
    while (*place != NULL)
        place = &(*place)->next;
    *place = test;
}

void lam_alone_fail(const char *file, int line, const char *promise, const char *format, ...) {
    va_list arguments;
    fprintf(stderr, "%s:%d: broken: %s\n", file, line, promise);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    exit(FAILED);
}

void lam_alone_skip(const char *format, ...) {
    va_list arguments;
    fprintf(stderr, "%s::%s: skipped: ", running->suite, running->name);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    exit(SKIPPED);
}

static void run(const lam_alone_test *test) {
    const lam_alone_suite *suite = suites;
    while (suite != NULL && strcmp(suite->name, test->suite) != 0)
        suite = suite->next;
    if (suite != NULL && suite->init != NULL)
        suite->init();
    if (test->init != NULL)
        test->init();
    test->run();
    if (test->fini != NULL)
        test->fini();
    if (suite != NULL && suite->fini != NULL)
        suite->fini();
}

/* In a process of its own; gives its exit status, or that of a failure when a signal ended it. */
static int run_apart(const lam_alone_test *test) {
    int status;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        run(test);
        exit(0);
    }
    if (child < 0 || waitpid(child, &status, 0) != child) {
        perror("no process for a test");
        return FAILED;
    }
    if (WIFSIGNALED(status))
        fprintf(stderr, "ended by signal %d\n", WTERMSIG(status));
    return WIFEXITED(status) ? WEXITSTATUS(status) : FAILED;
}

/* All tests, or those that match with `--filter SUITE/NAME`, which may have wildcards. */
int main(int argument_count, char **arguments) {
    bool filter = argument_count == 3 && strcmp(arguments[1], "--filter") == 0;
    size_t count = 0, failed = 0, skipped = 0;
    for (running = first; running != NULL; running = running->next) {
        char name[300];
        snprintf(name, sizeof name, "%s/%s", running->suite, running->name);
        if (filter && fnmatch(arguments[2], name, 0) != 0)
            continue;
        count++;
        int status = run_apart(running);
        skipped += status == SKIPPED;
        if (status != 0 && status != SKIPPED) {
            fprintf(stderr, "%s::%s: failed\n", running->suite, running->name);
            failed++;
        }
    }
    printf("%zu tests, %zu failed, %zu skipped\n", count, failed, skipped);
    return count > 0 && failed == 0 ? 0 : 1;
}
