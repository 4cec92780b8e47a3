/*
 * Metadata as struct ArrowSchema holds it: pairs in one run of bytes that does not say how long it
 * is. The numbers are signed, four bytes wide and in the machine's own byte order.
 *
 *     | pairs | key size | key ... | value size | value ... | key size | ...
 *
 * (The Arrow C data interface, "ArrowSchema.metadata")
 */
#ifndef LAM_ARROW_ARROW_METADATA_H
#define LAM_ARROW_ARROW_METADATA_H

#include "arrow/arrow_field.h"

/*
 * Follows the pairs to their end: how many bytes all take. `room` is how many there may be, where
 * that is known, else SIZE_MAX. Returns NULL, or a static text that says what is wrong.
 */
const char *lam_arrow_metadata_measure(const char *metadata, size_t room, size_t *ret_size);

/* The pairs of metadata that has been measured, copied. NULL has none. NOMEM. */
lam_status lam_arrow_metadata_import(const char *metadata, size_t size, lam_arena *arena,
                                     lam_arrow_metadata *ret_metadata, lam_error *error);

/* Bytes that the pairs take; 0 when there are none. LIMIT when a number is above INT32_MAX. */
lam_status lam_arrow_metadata_size(const lam_arrow_metadata *metadata, size_t *ret_size,
                                   lam_error *error);

/* Writes that many bytes. */
void lam_arrow_metadata_export(const lam_arrow_metadata *metadata, char *bytes);

#endif
