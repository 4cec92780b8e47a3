/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Options as programs of older and newer headers have them: each struct of its own size on the
 * heap, so that a byte that is read beyond it shows. (docs/abi.md)
 */
#ifndef LAM_TESTS_ABI_GROWTH_H
#define LAM_TESTS_ABI_GROWTH_H

#include <criterion/criterion.h>
#include <lamella/common.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A type of options, and a call that takes them and undoes what it did. */
typedef struct option_type {
    const char *name;
    size_t size;
    lam_status (*take)(const void *options, lam_error *error);
} option_type;

#define TAKEN(type, take)                                                                          \
    { #type, sizeof(type), take }

/* Options of `size` bytes that state a size, zero but for the last byte. */
static inline lam_status take_sized(const option_type *type, size_t size, size_t stated,
                                    uint8_t last, lam_error *error) {
    uint8_t *options = calloc(1, size);
    memcpy(options, &stated, sizeof stated);
    if (last != 0)
        options[size - 1] = last;
    lam_status status = type->take(options, error);
    free(options);
    return status;
}

/* Every size up to the whole one and beyond, with zeros. */
static inline void expect_sizes(const option_type *type) {
    for (size_t size = sizeof(size_t); size <= type->size + 64; size += sizeof size) {
        lam_error error = lam_error_none();
        cr_expect_eq(take_sized(type, size, size, 0, &error), LAM_STATUS_OK, "%s of %zu bytes: %s",
                     type->name, size, error.message);
    }
}

/* A tail that nobody knows, and no size at all: the message names the type. */
static inline void expect_refusals(const option_type *type) {
    lam_error error = lam_error_none();
    char wanted[160];
    cr_expect_eq(take_sized(type, type->size + 8, type->size + 8, 1, &error), LAM_STATUS_INVALID);
    (void)snprintf(wanted, sizeof wanted,
                   "%s: 8 bytes beyond the %zu that this version knows are not all zero",
                   type->name, type->size);
    cr_expect_str_eq(error.message, wanted);
    for (size_t stated = 0; stated < sizeof stated; stated++) {
        error = lam_error_none();
        cr_expect_eq(take_sized(type, sizeof stated, stated, 0, &error), LAM_STATUS_INVALID, "%s",
                     type->name);
        (void)snprintf(wanted, sizeof wanted, "%s: struct_size %zu is not", type->name, stated);
        cr_expect_eq(strncmp(error.message, wanted, strlen(wanted)), 0, "%s", error.message);
    }
}

static inline void expect_options_to_grow(const option_type *types, size_t count) {
    for (size_t i = 0; i < count; i++) {
        expect_sizes(&types[i]);
        expect_refusals(&types[i]);
    }
}

#endif
