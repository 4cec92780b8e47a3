/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What C++ prints of an exception that nobody catches, before it ends the process, has the name of
 * a type. Inside of a wheel that name stays as compilers write it: the code that makes it readable
 * is 30 KB of a wheel.
 */
#include <cstddef>

extern "C" char *__cxa_demangle(const char *name, char *room, std::size_t *size, int *status);

extern "C" char *__cxa_demangle(const char *, char *, std::size_t *, int *status) {
    if (status != nullptr) {
        *status = -2; /* not a name that is known */
    }
    return nullptr;
}
