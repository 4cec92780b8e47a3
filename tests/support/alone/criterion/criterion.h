/* SPDX-License-Identifier: Apache-2.0 */
/*
 * As much of Criterion as the tests use, for builds under the thread sanitizer, which Criterion's
 * own processes do not start under, and for machines that Criterion does not know: the tests of a
 * program run one after the other, each in a process that is a copy of the first, and end at their
 * first failure. (alone.c)
 */
#ifndef LAM_TESTS_ALONE_CRITERION_H
#define LAM_TESTS_ALONE_CRITERION_H

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct lam_alone_suite {
    const char *name;
    void (*init)(void); /* before each of its tests; may be NULL */
    void (*fini)(void); /* behind each; may be NULL */
    struct lam_alone_suite *next;
    double timeout; /* not kept */
} lam_alone_suite;

typedef struct lam_alone_test {
    const char *suite;
    const char *name;
    void (*run)(void);
    struct lam_alone_test *next;
    void (*init)(void); /* behind that of its suite; may be NULL */
    void (*fini)(void); /* before that of its suite; may be NULL */
    double timeout;     /* not kept */
} lam_alone_test;

void lam_alone_add_suite(lam_alone_suite *suite);
void lam_alone_add(lam_alone_test *test);

/* Ends the test: it needs what is not here. */
void lam_alone_skip(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));

/* Ends the test; `format` is what the test says, behind a space. */
void lam_alone_fail(const char *file, int line, const char *promise, const char *format, ...)
    __attribute__((format(printf, 4, 5), noreturn));

#define TestSuite(suite_name, ...)                                                                 \
    __attribute__((constructor)) static void suite_name##_suite_add(void) {                        \
        static lam_alone_suite suite = {.name = #suite_name, __VA_ARGS__};                         \
        lam_alone_add_suite(&suite);                                                               \
    }                                                                                              \
    struct lam_alone_suite /* takes the semicolon */

#define Test(suite_name, test_name, ...)                                                           \
    static void suite_name##_##test_name##_alone(void);                                            \
    __attribute__((constructor)) static void suite_name##_##test_name##_add(void) {                \
        static lam_alone_test test = {.suite = #suite_name,                                        \
                                      .name = #test_name,                                          \
                                      .run = suite_name##_##test_name##_alone,                     \
                                      __VA_ARGS__};                                                \
        lam_alone_add(&test);                                                                      \
    }                                                                                              \
    static void suite_name##_##test_name##_alone(void)

/* Hooks run no tests: benchmarks are not for these builds. */
struct criterion_test_set;
#define ReportHook(moment) __attribute__((unused)) static void lam_alone_hook_##moment

#define LAM_ALONE(promise, ...)                                                                    \
    ((promise) ? (void)0 : lam_alone_fail(__FILE__, __LINE__, #promise, " " __VA_ARGS__))

#define cr_log_info(...) (printf(__VA_ARGS__), (void)putchar('\n'))
#define cr_log_error(...) cr_log_info(__VA_ARGS__)
#define cr_skip_test(...) lam_alone_skip(__VA_ARGS__)
#define cr_assert_fail(...) lam_alone_fail(__FILE__, __LINE__, "not to come here", " " __VA_ARGS__)

#define cr_assert(promise, ...) LAM_ALONE(promise, __VA_ARGS__)
#define cr_assert_not(promise, ...) LAM_ALONE(!(promise), __VA_ARGS__)
#define cr_assert_eq(a, b, ...) LAM_ALONE((a) == (b), __VA_ARGS__)
#define cr_assert_neq(a, b, ...) LAM_ALONE((a) != (b), __VA_ARGS__)
#define cr_assert_lt(a, b, ...) LAM_ALONE((a) < (b), __VA_ARGS__)
#define cr_assert_leq(a, b, ...) LAM_ALONE((a) <= (b), __VA_ARGS__)
#define cr_assert_gt(a, b, ...) LAM_ALONE((a) > (b), __VA_ARGS__)
#define cr_assert_geq(a, b, ...) LAM_ALONE((a) >= (b), __VA_ARGS__)
#define cr_assert_null(a, ...) LAM_ALONE((a) == NULL, __VA_ARGS__)
#define cr_assert_not_null(a, ...) LAM_ALONE((a) != NULL, __VA_ARGS__)
#define cr_assert_str_eq(a, b, ...) LAM_ALONE(strcmp(a, b) == 0, __VA_ARGS__)
#define cr_assert_str_neq(a, b, ...) LAM_ALONE(strcmp(a, b) != 0, __VA_ARGS__)
#define cr_assert_str_empty(a, ...) LAM_ALONE((a)[0] == '\0', __VA_ARGS__)
#define cr_assert_arr_eq(a, b, size, ...) LAM_ALONE(memcmp(a, b, size) == 0, __VA_ARGS__)
#define cr_assert_arr_neq(a, b, size, ...) LAM_ALONE(memcmp(a, b, size) != 0, __VA_ARGS__)

#define cr_expect cr_assert
#define cr_expect_not cr_assert_not
#define cr_expect_eq cr_assert_eq
#define cr_expect_neq cr_assert_neq
#define cr_expect_lt cr_assert_lt
#define cr_expect_leq cr_assert_leq
#define cr_expect_gt cr_assert_gt
#define cr_expect_geq cr_assert_geq
#define cr_expect_null cr_assert_null
#define cr_expect_not_null cr_assert_not_null
#define cr_expect_str_empty cr_assert_str_empty
#define cr_expect_str_eq cr_assert_str_eq
#define cr_expect_str_neq cr_assert_str_neq
#define cr_expect_arr_eq cr_assert_arr_eq
#define cr_expect_arr_neq cr_assert_arr_neq

#endif
