/*
 * The value of a file's key ARROW:schema: the Arrow schema that its columns were written from. It
 * is base64 of a message of Arrow's IPC format; numbers are little-endian.
 *
 *     offset  bytes
 *          0      4  FF FF FF FF; older writers leave these out
 *          4      4  bytes that follow, padding included
 *          8         the message (flat_schema.h), zeros up to a multiple of 8
 *
 * (Arrow columnar format, "Encapsulated message format")
 */
#ifndef LAM_ARROW_IPC_SCHEMA_H
#define LAM_ARROW_IPC_SCHEMA_H

#include "arrow/arrow_field.h"

/*
 * The schema as a struct of its columns that has no name and is not nullable, with the schema's
 * metadata, all in `arena`. Any bytes may be given; memory stays below a hundred times theirs.
 * CORRUPT when they contradict the format, with the field's path where there is one; UNSUPPORTED
 * for types and versions that are unknown, for big-endian schemas, and always where the library was
 * built without FlatBuffers; LIMIT when it is deeper than LAM_ARROW_DEPTH_MAX, has more fields than
 * LAM_SCHEMA_FIELDS_MAX, or repeats its text too often.
 */
lam_status lam_ipc_schema_read(lam_bytes value, lam_arena *arena, lam_arrow_field *ret_schema,
                               lam_error *error);

/*
 * The value for a schema, in `arena`; only the columns and the metadata of the root count. Empty
 * where the library was built without FlatBuffers: the key is left out then. LIMIT when the schema
 * would take a gigabyte.
 */
lam_status lam_ipc_schema_write(const lam_arrow_field *schema, lam_arena *arena,
                                lam_bytes *ret_value, lam_error *error);

#endif
