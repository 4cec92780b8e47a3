/* SPDX-License-Identifier: Apache-2.0 */
/* Values in memory, as a decoder gives them and an encoder takes them. */
#ifndef LAM_ENCODING_VALUE_LAYOUT_H
#define LAM_ENCODING_VALUE_LAYOUT_H

#include <lamella/common.h>
#include <lamella/format.h>

/* How the values of a column are in memory: numbers as such, byte arrays as views (lam_bytes). */
typedef struct lam_value_layout {
    lam_physical_type type;
    int32_t type_length; /* as lam_field_type_length gives it */
} lam_value_layout;

/* Bytes of one element of lam_triples.values. */
static inline size_t lam_layout_size(lam_value_layout layout) {
    return layout.type == LAM_PHYSICAL_BYTE_ARRAY ? sizeof(lam_bytes) : (size_t)layout.type_length;
}

/* The values of a dictionary page, decoded; they outlive the decoders that use them. */
typedef struct lam_dictionary {
    const void *values;
    size_t count;
} lam_dictionary;

#endif
