/* SPDX-License-Identifier: Apache-2.0 */
/*
 * operator new is the test's own and takes from malloc, which counts and fails; where that is not
 * the test's own, operator new does. In valgrind that of the C++ library does not come to malloc.
 */
#include "support/failing_malloc.h"

#include <cstdlib>
#include <new>

void *operator new(std::size_t size, const std::nothrow_t &) noexcept {
#ifdef LAM_TESTS_ONLY_NEW
    if (lam_fail_malloc_counts())
        return nullptr;
#endif
    return std::malloc(size > 0 ? size : 1);
}

void *operator new(std::size_t size) {
    void *memory = operator new(size, std::nothrow);
    if (memory == nullptr)
        throw std::bad_alloc();
    return memory;
}

void *operator new[](std::size_t size) {
    return operator new(size);
}

void *operator new[](std::size_t size, const std::nothrow_t &) noexcept {
    return operator new(size, std::nothrow);
}

void operator delete(void *memory) noexcept {
    std::free(memory);
}

void operator delete(void *memory, std::size_t) noexcept {
    std::free(memory);
}

void operator delete[](void *memory) noexcept {
    std::free(memory);
}

void operator delete[](void *memory, std::size_t) noexcept {
    std::free(memory);
}
