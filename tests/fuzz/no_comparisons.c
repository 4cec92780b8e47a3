/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Takes the calls that instrumented code makes at each comparison, and notes nothing of operands,
 * as libFuzzer would. The linker has the calls come here by its option --wrap (meson.build), so
 * that one build of the library serves targets that want the notes and those that do without.
 */
#include <stdint.h>

/* Not counted as a place that inputs reach. */
#define NO_COMPARISONS_IGNORE(name, type)                                                          \
    void __wrap___sanitizer_cov_trace_##name(type a, type b);                                      \
    __attribute__((no_sanitize("coverage"))) void __wrap___sanitizer_cov_trace_##name(type a,      \
                                                                                      type b) {    \
        (void)a;                                                                                   \
        (void)b;                                                                                   \
    }

NO_COMPARISONS_IGNORE(cmp1, uint8_t)
NO_COMPARISONS_IGNORE(cmp2, uint16_t)
NO_COMPARISONS_IGNORE(cmp4, uint32_t)
NO_COMPARISONS_IGNORE(cmp8, uint64_t)
NO_COMPARISONS_IGNORE(const_cmp1, uint8_t)
NO_COMPARISONS_IGNORE(const_cmp2, uint16_t)
NO_COMPARISONS_IGNORE(const_cmp4, uint32_t)
NO_COMPARISONS_IGNORE(const_cmp8, uint64_t)

void __wrap___sanitizer_cov_trace_switch(uint64_t value, uint64_t *cases);

__attribute__((no_sanitize("coverage"))) void __wrap___sanitizer_cov_trace_switch(uint64_t value,
                                                                                  uint64_t *cases) {
    (void)value;
    (void)cases;
}
