/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of lib/variant share: pairs from hex digits, the sample pairs, exact blocks. */
#ifndef LAM_TESTS_VARIANT_HELP_H
#define LAM_TESTS_VARIANT_HELP_H

#include <criterion/criterion.h>
#include <lamella/variant.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/shared.h"
#include "support/texts.h"
#include "variant/value/variant_layout.h"

/* A heap block of exactly the bytes, so that a sanitizer sees every step beyond it; free() it. */
static inline uint8_t *exact_block(const void *bytes, size_t size) {
    uint8_t *block = malloc(size == 0 ? 1 : size);
    cr_assert_not_null(block);
    if (size > 0)
        memcpy(block, bytes, size);
    return block;
}

/* Bytes of hex digits, spaces between them allowed; the block is for free(). */
static inline lam_bytes hex_bytes(const char *digits) {
    uint8_t *block = malloc(strlen(digits) / 2 + 1);
    lam_bytes bytes = {block, 0};
    unsigned byte;
    for (; *digits != '\0'; digits++) {
        if (*digits == ' ')
            continue;
        cr_assert_eq(sscanf(digits, "%2x", &byte), 1, "%s", digits);
        block[bytes.size++] = (uint8_t)byte;
        digits++;
    }
    uint8_t *exact = exact_block(block, bytes.size);
    free(block);
    bytes.data = exact;
    return bytes;
}

static inline lam_variant hex_variant(const char *metadata, const char *value) {
    lam_variant variant = {hex_bytes(metadata), hex_bytes(value)};
    return variant;
}

static inline void free_variant(lam_variant variant) {
    free((void *)(uintptr_t)variant.metadata.data);
    free((void *)(uintptr_t)variant.value.data);
}

/* The sample pairs of the format, by name. */
static const char *const sample_names[] = LAM_TEXTS(
    "array_empty", "array_nested", "array_primitive", "long_string", "object_empty",
    "object_nested", "object_primitive", "primitive_binary", "primitive_boolean_false",
    "primitive_boolean_true", "primitive_date", "primitive_decimal16", "primitive_decimal4",
    "primitive_decimal8", "primitive_double", "primitive_float", "primitive_int16",
    "primitive_int32", "primitive_int64", "primitive_int8", "primitive_null", "primitive_string",
    "primitive_time", "primitive_timestamp", "primitive_timestamp_nanos", "primitive_timestampntz",
    "primitive_timestampntz_nanos", "primitive_uuid", "short_string");

enum { SAMPLE_COUNT = sizeof sample_names / sizeof sample_names[0] };

static inline lam_bytes sample_bytes(const char *name, const char *suffix) {
    char path[256];
    size_t size;
    snprintf(path, sizeof path, "parquet-testing/variant/%s.%s", name, suffix);
    char *text = lam_test_read_file(lam_test_shared(path), &size);
    cr_assert_not_null(text, "%s", path);
    lam_bytes bytes = {exact_block(text, size), size};
    free(text);
    return bytes;
}

static inline bool samples_are_here(void) {
    return lam_test_shared_exists("parquet-testing/variant");
}

static inline lam_variant sample(const char *name) {
    lam_variant variant = {sample_bytes(name, "metadata"), sample_bytes(name, "value")};
    return variant;
}

/* The size of metadata that bytes begin with, and the error code of what is none; 0 for OK. */
static inline lam_error_code metadata_size(lam_bytes bytes, size_t *ret_size) {
    lam_variant_names_view names;
    if (lam_variant_open_names(bytes, &names) != NULL)
        return lam_variant_names_code(bytes);
    uint32_t size = lam_variant_number(names.offsets, names.count, names.width);
    if (size > names.size)
        return LAM_ERROR_CODE_VARIANT_BYTES;
    *ret_size = (size_t)(names.bytes - bytes.data) + size;
    return LAM_ERROR_CODE_NONE;
}

#endif
