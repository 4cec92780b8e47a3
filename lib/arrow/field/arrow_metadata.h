/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Metadata as struct ArrowSchema holds it: key-values in one run of bytes without its length. The
 * numbers are signed, four bytes wide and in the machine's own byte order.
 *
 *     | key-values | key size | key ... | value size | value ... | key size | ...
 *
 * (The Arrow C data interface, "ArrowSchema.metadata")
 */
#ifndef LAM_ARROW_FIELD_ARROW_METADATA_H
#define LAM_ARROW_FIELD_ARROW_METADATA_H

#include "arrow/field/arrow_field.h"

/*
 * Measures metadata: how many bytes all its key-values take. `room` is how many bytes there are, or
 * SIZE_MAX if that is unknown. Returns NULL, or a static text for an error message.
 */
const char *lam_arrow_metadata_measure(const char *metadata, size_t room, size_t *ret_size);

/* Copies the key-values of measured metadata into the arena. NULL has none. NOMEM. */
lam_status lam_arrow_metadata_import(const char *metadata, size_t size, lam_arena *arena,
                                     lam_arrow_metadata *ret_metadata, lam_error *error);

/* Bytes that the key-values take; 0 for no key-values. LIMIT when a number exceeds INT32_MAX. */
lam_status lam_arrow_metadata_size(const lam_arrow_metadata *metadata, size_t *ret_size,
                                   lam_error *error);

/* Writes as many bytes as lam_arrow_metadata_size gives. */
void lam_arrow_metadata_export(const lam_arrow_metadata *metadata, char *bytes);

#endif
