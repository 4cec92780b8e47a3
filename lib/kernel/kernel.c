/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Chooses the version of the kernels that this CPU runs. The versions are ordered by speed and each
 * is offered only if the CPU has every instruction set that its functions are compiled for; the
 * plain one is always there, so one is always found. The choice is made once per process, from the
 * CPU alone: neither the environment nor an option of the library changes it. Because all versions
 * give the same results, the choice never changes what is read or written.
 */
#include "kernel/kernel.h"

#include <stdatomic.h>

#include <lamella/common.h>

#include "kernel/kernel_versions.h"

enum { MAX_VERSIONS = 3 };

const lam_kernels *lam_kernels_version(size_t index) {
    const lam_kernels *versions[MAX_VERSIONS + 1] = {&lam_kernels_plain};
    size_t count = 1;
#if LAM_KERNELS_X86
    /* Asks the CPU and the operating system, which must save the wide registers. */
    __builtin_cpu_init();
    versions[count] = &lam_kernels_avx2;
    count += __builtin_cpu_supports("avx2") != 0;
#endif
#if LAM_KERNELS_AVX512
    /*
     * This table also takes functions of AVX2. BMI1, BMI2 and popcnt are for the bitmaps: they are
     * checked on their own, as a virtual machine may hide some of what its CPU has.
     */
    bool has_all = __builtin_cpu_supports("avx2") != 0;
    has_all &= __builtin_cpu_supports("bmi") != 0;
    has_all &= __builtin_cpu_supports("bmi2") != 0;
    has_all &= __builtin_cpu_supports("popcnt") != 0;
    has_all &= __builtin_cpu_supports("avx512f") != 0;
    has_all &= __builtin_cpu_supports("avx512bw") != 0;
    has_all &= __builtin_cpu_supports("avx512vl") != 0;
    has_all &= __builtin_cpu_supports("avx512vbmi") != 0;
    versions[count] = &lam_kernels_avx512;
    count += has_all;
#endif
    return index < count ? versions[index] : NULL;
}

/* The last version in the list is the fastest. The result is kept, as asking the CPU is slow. */
const lam_kernels *lam_kernels_get(void) {
    /*
     * Threads that arrive first at the same time compute the same answer, so the order of their
     * stores does not matter.
     */
    static _Atomic(const lam_kernels *) chosen;
    const lam_kernels *kernels = atomic_load_explicit(&chosen, memory_order_acquire);
    if (kernels != NULL)
        return kernels;
    for (size_t i = 0; lam_kernels_version(i) != NULL; i++)
        kernels = lam_kernels_version(i);
    atomic_store_explicit(&chosen, kernels, memory_order_release);
    return kernels;
}

const char *lam_kernels_name(void) {
    return lam_kernels_get()->name;
}
