/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes the bytes of a dictionary of names, name by name; and sorts lists of numbers by a
 * callback, which every order of names in this folder is made with. (VariantEncoding.md, "Metadata
 * encoding")
 */
#ifndef LAM_VARIANT_VALUE_VARIANT_METADATA_H
#define LAM_VARIANT_VALUE_VARIANT_METADATA_H

#include "base/buffer.h"
#include "variant/value/variant_layout.h"

/*
 * Positions in the room that lam_variant_metadata_begin reserved. They are valid until the buffer
 * grows again.
 */
typedef struct lam_variant_metadata_writer {
    uint8_t *offsets; /* where the next one goes */
    uint8_t *names;   /* where the first name goes */
    uint32_t offset;  /* bytes of the names so far */
    unsigned width;   /* bytes of an offset */
} lam_variant_metadata_writer;

/*
 * Reserves room at the end of `out` for metadata of `count` names with `bytes` bytes in all, and
 * writes its header and first offset. The buffer already has the full size: the caller must add
 * exactly `count` names. `is_sorted` is the claim of the header. LIMIT when the names exceed the
 * format, NOMEM.
 */
lam_status lam_variant_metadata_begin(lam_variant_metadata_writer *writer, size_t count,
                                      uint64_t bytes, bool is_sorted, lam_buffer *out,
                                      lam_error *error);
/* Adds the next name; ids count from 0 in the order of these calls. */
void lam_variant_metadata_add(lam_variant_metadata_writer *writer, lam_bytes name);

#endif
