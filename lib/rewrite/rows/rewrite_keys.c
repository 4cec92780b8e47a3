/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Merges the key-value metadata of files: takes the lists of all inputs, in their order, and gives
 * one list, in which the first input that has a key decides.
 *
 * Some keys describe the columns of their file, and readers trust them: ARROW:schema restores Arrow
 * types, others name columns, types or bounds. The invariant: such a key is stated only if it is
 * true of the output, which has the columns of the input that the key is from, and all inputs agree
 * on it. ARROW:schema and geo are cut like the columns. (parquet.thrift,
 * FileMetaData.key_value_metadata)
 */
#include "rewrite/rows/rewrite_keys.h"

#include <string.h>

#include "arrow/schema/ipc_schema.h"
#include "base/error.h"
#include "file/write/file_writer.h"
#include "rewrite/rows/rewrite_geo.h"
#include "schema/logical_type.h"
#include "schema/schema_choose.h"

static const char arrow_key[] = "ARROW:schema";
static const char geo_key[] = "geo";

/* Keys that describe columns. */
static const char *const column_keys[] = {
    arrow_key,
    "pandas",
    geo_key,
    "iceberg.schema",
    "parquet.avro.schema",
    "avro.schema",
    "parquet.proto.descriptor",
    "org.apache.spark.sql.parquet.row.metadata",
};

static bool key_is(lam_bytes key, const char *name) {
    size_t size = strlen(name);
    return key.size == size && memcmp(key.data, name, size) == 0;
}

static bool is_about_columns(lam_bytes key) {
    for (size_t i = 0; i < sizeof column_keys / sizeof column_keys[0]; i++)
        if (key_is(key, column_keys[i]))
            return true;
    return false;
}

static bool keys_same_bytes(lam_bytes a, lam_bytes b) {
    return a.size == b.size && (a.size == 0 || memcmp(a.data, b.data, a.size) == 0);
}

/* --- Taking -------------------------------------------------------------------------------- */

/* The entry that was first taken with this key; NULL when there is none. */
static lam_rewrite_key_value *find_first(const lam_rewrite *rewrite, lam_bytes key, uint32_t hash) {
    uint32_t found;
    /* Those of an input that failed are gone, and their numbers are given again. */
    LAM_HASH_INDEX_FIND(&rewrite->keys_taken, hash, found,
                        found < rewrite->key_values.count &&
                            keys_same_bytes(rewrite->key_values.items[found].pair.key, key));
    return found == LAM_HASH_INDEX_NONE ? NULL : &rewrite->key_values.items[found];
}

static lam_status copy_key_bytes(lam_rewrite *rewrite, lam_bytes bytes, lam_bytes *ret_bytes,
                                 lam_error *error) {
    char *copy;
    LAM_TRY(lam_arena_copy(&rewrite->arena, bytes.data, bytes.size, &copy, error));
    *ret_bytes = (lam_bytes){(const uint8_t *)copy, bytes.size};
    return LAM_STATUS_OK;
}

static lam_status take_pair(lam_rewrite *rewrite, const lam_meta_key_value *from, size_t input,
                            lam_error *error) {
    lam_rewrite_key_value entry = {.pair = *from, .input = input};
    const uint32_t hash = lam_hash_index_hash(&rewrite->keys_taken, from->key.data, from->key.size);
    lam_rewrite_key_value *earlier = find_first(rewrite, from->key, hash);
    if (earlier != NULL && earlier->input < input) {
        earlier->differs = earlier->differs || earlier->pair.has != from->has ||
                           !keys_same_bytes(earlier->pair.value, from->value);
        return LAM_STATUS_OK;
    }
    LAM_TRY(copy_key_bytes(rewrite, from->key, &entry.pair.key, error));
    LAM_TRY(copy_key_bytes(rewrite, from->value, &entry.pair.value, error));
    if (earlier == NULL)
        LAM_TRY(lam_hash_index_add(&rewrite->keys_taken, hash, (uint32_t)rewrite->key_values.count,
                                   error));
    return LAM_LIST_ADD(&rewrite->key_values, &entry, error);
}

lam_status lam_rewrite_take_key_values(lam_rewrite *rewrite, const lam_reader *reader,
                                       lam_error *error) {
    const lam_meta_key_value_list *list = &reader->footer.meta.key_value_metadata;
    size_t input = rewrite->inputs.count, before = rewrite->key_values.count;
    lam_status status = LAM_STATUS_OK;
    for (uint32_t i = 0; i < list->count && status == LAM_STATUS_OK; i++)
        status = take_pair(rewrite, &list->items[i], input, error);
    if (status != LAM_STATUS_OK)
        rewrite->key_values.count = before;
    return status;
}

/* --- Giving -------------------------------------------------------------------------------- */

/*
 * Leaves out the columns of an Arrow schema that the output does not have; false when it has others
 * or in another order.
 */
static bool cut_arrow_schema(const lam_schema *file, const lam_schema *from,
                             lam_arrow_field *schema) {
    const lam_field *root = lam_schema_root(file), *old = lam_schema_root(from);
    size_t kept = 0;
    if (schema->child_count != old->child_count)
        return false;
    for (size_t i = 0; i < schema->child_count; i++) {
        const lam_field *before = lam_child_at(old, i);
        const lam_field *now = lam_field_child_named(root, before->name, before->name_size);
        if (now == NULL)
            continue;
        if (now->ordinal != kept || !lam_field_same_shape(before, now))
            return false;
        schema->children[kept++] = schema->children[i];
    }
    schema->child_count = kept;
    return kept == root->child_count;
}

/* `*ret_size` is 0 if no true schema can be made. */
static lam_status adapt_arrow_schema(lam_rewrite *rewrite, const lam_rewrite_key_value *entry,
                                     lam_bytes *ret_value, lam_error *error) {
    lam_arrow_field schema;
    lam_error failure = lam_error_none();
    const lam_schema *from = rewrite->inputs.items[entry->input].schema;
    *ret_value = (lam_bytes){NULL, 0};
    lam_status status = lam_ipc_schema_read(entry->pair.value, &rewrite->arena, &schema, &failure);
    if (status == LAM_STATUS_OK && cut_arrow_schema(rewrite->file_schema, from, &schema))
        status = lam_ipc_schema_write(&schema, &rewrite->arena, ret_value, &failure);
    if (status != LAM_STATUS_NOMEM)
        return LAM_STATUS_OK;
    if (error != NULL)
        *error = failure;
    return status;
}

static lam_status give_pair(lam_rewrite *rewrite, const lam_rewrite_key_value *entry,
                            lam_writer *writer, lam_error *error) {
    lam_meta_key_value pair = entry->pair;
    const lam_meta_key_value_list one = {&pair, 1};
    const lam_schema *from = rewrite->inputs.items[entry->input].schema;
    if (entry->input > 0 && rewrite->first_keys)
        return LAM_STATUS_OK;
    if (is_about_columns(pair.key)) {
        if (entry->differs)
            return LAM_STATUS_OK;
        if (!lam_schema_same_shape(rewrite->file_schema, from)) {
            if (key_is(pair.key, arrow_key))
                LAM_TRY(adapt_arrow_schema(rewrite, entry, &pair.value, error));
            else if (key_is(pair.key, geo_key))
                LAM_TRY(lam_rewrite_cut_geo(pair.value, from, rewrite->file_schema, &rewrite->arena,
                                            &pair.value, error));
            else
                return LAM_STATUS_OK;
            if (pair.value.size == 0)
                return LAM_STATUS_OK;
        }
    }
    return lam_writer_copy_key_values(writer, &one, error);
}

lam_status lam_rewrite_give_key_values(lam_rewrite *rewrite, lam_writer *writer, lam_error *error) {
    for (size_t i = 0; i < rewrite->key_values.count; i++)
        LAM_TRY(give_pair(rewrite, &rewrite->key_values.items[i], writer, error));
    return LAM_STATUS_OK;
}
