/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads and writes a schema as the FlatBuffers message of Arrow's IPC format (flat_schema.fbs),
 * without the framing around it. In C++, as FlatBuffers is.
 */
#ifndef LAM_ARROW_SCHEMA_FLAT_SCHEMA_H
#define LAM_ARROW_SCHEMA_FLAT_SCHEMA_H

#include "arrow/field/arrow_field.h"
#include "base/buffer.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Reads a message at an address that is a multiple of 8. The fields borrow their text from it.
 * Memory is at most a few dozen times the message. CORRUPT, UNSUPPORTED or LIMIT as in
 * ipc_schema.h.
 */
lam_status lam_flat_schema_read(lam_bytes message, lam_arena *arena, lam_arrow_field *ret_schema,
                                lam_error *error);

/* Appends a message. NOMEM, or LIMIT when it would be too large for FlatBuffers. */
lam_status lam_flat_schema_write(const lam_arrow_field *schema, lam_buffer *message,
                                 lam_error *error);

#ifdef __cplusplus
}
#endif

#endif
