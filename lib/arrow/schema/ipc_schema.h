/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads and writes the value of a file's key ARROW:schema: the Arrow schema of the arrays that its
 * columns were written from, as base64 of an encapsulated message of Arrow's IPC format. Numbers
 * are little-endian.
 *
 *     offset  bytes
 *          0      4  FF FF FF FF; older writers leave these out
 *          4      4  size of the message, padding included
 *          8         the message (flat_schema.h), then zeros up to a multiple of 8
 *
 * (Arrow columnar format, "Encapsulated message format")
 */
#ifndef LAM_ARROW_SCHEMA_IPC_SCHEMA_H
#define LAM_ARROW_SCHEMA_IPC_SCHEMA_H

#include "arrow/field/arrow_field.h"

/*
 * Reads the schema as a struct of its columns, with no name, not nullable, and with the schema's
 * metadata, all in `arena`. The bytes may be any; memory stays below a hundred times their size.
 * CORRUPT when they contradict the format, with the field's path if there is one; UNSUPPORTED for
 * unknown types and versions, for big-endian schemas, and always in builds without FlatBuffers;
 * LIMIT when the schema is deeper than LAM_ARROW_DEPTH_MAX, has more fields than
 * LAM_SCHEMA_FIELDS_MAX, or repeats its text too often.
 */
lam_status lam_ipc_schema_read(lam_bytes value, lam_arena *arena, lam_arrow_field *ret_schema,
                               lam_error *error);

/*
 * Makes the value for a schema, in `arena`; of the root only its columns and metadata count. Empty
 * in builds without FlatBuffers: the key is left out then. LIMIT when the schema would take a
 * gigabyte.
 */
lam_status lam_ipc_schema_write(const lam_arrow_field *schema, lam_arena *arena,
                                lam_bytes *ret_value, lam_error *error);

#endif
