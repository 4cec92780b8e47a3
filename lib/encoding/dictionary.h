/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Builds dictionaries and writes pages of their indexes: the distinct values of a column chunk in
 * order of first appearance, and a number for each value. Decoding is in decoder.h. (Encodings.md,
 * section "Dictionary Encoding")
 */
#ifndef LAM_ENCODING_DICTIONARY_H
#define LAM_ENCODING_DICTIONARY_H

#include <lamella/common.h>

#include "base/buffer.h"
#include "encoding/value_layout.h"
#include "kernel/kernel.h"

typedef struct lam_dictionary_builder lam_dictionary_builder;

/*
 * `budget` bounds the PLAIN bytes of the dictionary page. Values are compared bit by bit. INVALID
 * for BOOLEAN and groups.
 */
lam_status lam_dictionary_builder_create(lam_value_layout layout, size_t budget,
                                         const lam_allocator *allocator,
                                         lam_dictionary_builder **ret_builder, lam_error *error);
void lam_dictionary_builder_destroy(lam_dictionary_builder *builder);

/*
 * Finds or adds `count` elements and writes their indexes. Stops before the first value that would
 * pass the budget, or a limit of memory; returns how many are done in `*ret_done`. Values that are
 * added are copied.
 */
lam_status lam_dictionary_builder_add(lam_dictionary_builder *builder, const void *values,
                                      size_t count, uint32_t *indexes, size_t *ret_done,
                                      lam_error *error);

/* The values so far, as elements; borrowed until the next add. */
lam_dictionary lam_dictionary_builder_values(const lam_dictionary_builder *builder);
/* PLAIN bytes of the values so far. */
size_t lam_dictionary_builder_byte_count(const lam_dictionary_builder *builder);
/* Bytes of memory that the builder holds. */
size_t lam_dictionary_builder_memory(const lam_dictionary_builder *builder);
/* Forgets all values, and keeps the memory, or only as much as an empty builder has. */
void lam_dictionary_builder_clear(lam_dictionary_builder *builder, bool keeps_memory);

/*
 * Appends the value bytes of a data page: one byte of bit width, then the indexes as hybrid runs.
 * The width is what `dictionary_count` - 1 needs.
 */
lam_status lam_dictionary_write_indexes(const lam_kernels *kernels, const uint32_t *indexes,
                                        size_t count, size_t dictionary_count, lam_buffer *out,
                                        lam_error *error);

#endif
