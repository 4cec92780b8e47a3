/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lists of many short texts, which stand as many on a line as it holds, where an initializer in
 * braces is set in columns of one:
 *
 *     static const char *const texts[] = LAM_TEXTS("", "x", "12:3");
 */
#ifndef LAM_TESTS_TEXTS_H
#define LAM_TESTS_TEXTS_H

#define LAM_TEXTS(...)                                                                             \
    { __VA_ARGS__ }

#endif
