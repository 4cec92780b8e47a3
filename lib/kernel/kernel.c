#include "kernel/kernel.h"

#include <stdatomic.h>

#include <lamella/common.h>

#include "kernel/kernel_versions.h"

enum { MAX_VERSIONS = 3 };

const lam_kernels *lam_kernels_version(size_t index) {
    const lam_kernels *versions[MAX_VERSIONS + 1] = {&lam_kernels_plain};
    size_t count = 1;
#if LAM_KERNELS_X86
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx2"))
        versions[count++] = &lam_kernels_avx2;
#endif
#if LAM_KERNELS_AVX512
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") &&
        __builtin_cpu_supports("popcnt") && __builtin_cpu_supports("avx512f") &&
        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512vbmi"))
        versions[count++] = &lam_kernels_avx512;
#endif
    return index < count ? versions[index] : NULL;
}

const lam_kernels *lam_kernels_get(void) {
    /* Threads that come first at once find the same answer, so that the order of stores is no
     * matter. */
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
