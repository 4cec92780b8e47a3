/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes the key-value metadata of a file of Arrow arrays: first those of the Arrow schema, in their
 * order, and then ARROW:schema, from which readers restore the types that Parquet does not have.
 *
 * Writers and logs of arrays with the same Arrow schema always write the same metadata.
 * (parquet.thrift, FileMetaData.key_value_metadata)
 */
#include "arrow/schema/arrow_file_metadata.h"

#include "arrow/field/arrow_metadata_edit.h"
#include "arrow/schema/ipc_schema.h"
#include "base/error.h"

lam_status lam_arrow_file_metadata(const lam_arrow_field *schema, bool has_schema, lam_arena *arena,
                                   lam_writer_key_value **ret_key_values, size_t *ret_count,
                                   lam_error *error) {
    const lam_arrow_metadata *metadata = &schema->metadata;
    size_t count = metadata->count;
    lam_writer_key_value *key_values;
    LAM_TRY(LAM_ARENA_ARRAY(arena, count + 1, &key_values, error));
    for (size_t i = 0; i < count; i++) {
        key_values[i].key = metadata->key_values[i].key;
        key_values[i].value = metadata->key_values[i].value;
    }
    if (has_schema) {
        key_values[count].key = lam_arrow_text(LAM_ARROW_SCHEMA_KEY);
        LAM_TRY(lam_ipc_schema_write(schema, arena, &key_values[count].value, error));
        /* Empty in a library that was built without FlatBuffers. */
        count += key_values[count].value.size > 0;
    }
    *ret_key_values = key_values;
    *ret_count = count;
    return LAM_STATUS_OK;
}
