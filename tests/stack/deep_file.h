/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A file in memory and everything that the library does with one, in stages whose stack is
 * measured: the deepest of them, for schemas, VARIANTs and JSON that are as deep as they may be.
 */
#ifndef LAM_TESTS_DEEP_FILE_H
#define LAM_TESTS_DEEP_FILE_H

#include <lamella/common.h>

/* Bytes of stack, and the stage and the input that took most. */
typedef struct lam_stack_peak {
    size_t bytes;
    char stage[64];
    char input[64];
} lam_stack_peak;

/* Prints each stage of the input when `is_told`, and keeps the deepest in `peak`. */
typedef struct lam_deep_file {
    const char *name;
    bool is_told;
    lam_stack_peak *peak;
    lam_bytes bytes;
    const char *where; /* a condition, or NULL */
} lam_deep_file;

/* Runs `stage` and notes what it took. */
void lam_deep_stage(const lam_deep_file *file, const char *stage, void (*run)(void *state),
                    void *state);

/* Reads, checks, maps, rewrites and salvages bytes that may be anything. */
void lam_deep_file_use(const lam_deep_file *file);

#endif
