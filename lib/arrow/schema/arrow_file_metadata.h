/* SPDX-License-Identifier: Apache-2.0 */
/* The key-value metadata that a file of Arrow arrays has. */
#ifndef LAM_ARROW_SCHEMA_ARROW_FILE_METADATA_H
#define LAM_ARROW_SCHEMA_ARROW_FILE_METADATA_H

#include "arrow/field/arrow_field.h"
#include "file/write/file_writer.h"

/*
 * Gives the metadata of an Arrow schema, and with `has_schema` the schema itself as ARROW:schema,
 * unless the library was built without FlatBuffers. The array and what it points at are borrowed
 * from the schema or in the arena. LIMIT, NOMEM.
 */
lam_status lam_arrow_file_metadata(const lam_arrow_field *schema, bool has_schema, lam_arena *arena,
                                   lam_writer_key_value **ret_key_values, size_t *ret_count,
                                   lam_error *error);

#endif
