/* SPDX-License-Identifier: Apache-2.0 */
/* What the footer says of the whole file. */
#include "check/forge.h"

FORGED(check_footer, the_version_is_1_or_2, "file-version", file->meta.version = 3)
FORGED(check_footer, version_2_is_fine, "", file->meta.version = 2)
FORGED(check_footer, rows_are_the_sum_over_row_groups, "file-rows", file->meta.num_rows = 99)
FORGED(check_footer, a_writer_without_version_is_noted, "created-by",
       file->meta.created_by = forge_text("somebody"))
FORGED(check_footer, a_missing_writer_is_noted, "created-by",
       file->meta.has &= ~(uint32_t)LAM_META_FILE_HAS_CREATED_BY)
FORGED(check_footer, a_writer_is_text, "text-utf8",
       file->meta.created_by = forge_text("na\xEFve version 1"))

FORGED(check_footer, a_known_fault_is_noted_where_it_concerns_a_column, "known-fault",
       file->meta.created_by = forge_text("parquet-mr version 1.7.0 (build 1)"))
FORGED(check_footer, a_known_fault_that_concerns_no_column_is_not_told, "",
       file->meta.created_by = forge_text("parquet-cpp-arrow version 3.0.0");
       for (int i = 0; i < RICH_GROUPS; i++) file->chunks[i][RICH_NAME].statistics.has &=
       ~(uint32_t)LAM_META_STATISTICS_HAS_NULL_COUNT)
FORGED(check_footer, a_version_without_known_faults_is_fine, "",
       file->meta.created_by = forge_text("parquet-mr version 1.15.0 (build 1)"))

static void add_keys(rich_file *file, const char *first, const char *second) {
    void *memory;
    cr_assert_eq(lam_arena_array(&file->arena, 2, sizeof(lam_meta_key_value), &memory, NULL),
                 LAM_STATUS_OK);
    lam_meta_key_value *pairs = memory;
    pairs[0].key = forge_text(first);
    pairs[1].key = forge_text(second);
    file->meta.has |= LAM_META_FILE_HAS_KEY_VALUE_METADATA;
    file->meta.key_value_metadata = (lam_meta_key_value_list){pairs, 2};
}

static void add_column_keys(rich_chunk *chunk, rich_file *file, const char *first,
                            const char *second) {
    add_keys(file, first, second);
    chunk->column->key_value_metadata = file->meta.key_value_metadata;
    chunk->column->has |= LAM_META_COLUMN_HAS_KEY_VALUE_METADATA;
    file->meta.key_value_metadata = (lam_meta_key_value_list){NULL, 0};
    file->meta.has &= ~(uint32_t)LAM_META_FILE_HAS_KEY_VALUE_METADATA;
}

FORGED(check_footer, keys_of_a_column_that_differ_are_fine, "",
       add_column_keys(name, file, "a", "b"))
FORGED(check_footer, a_key_of_a_column_comes_once, "key-value",
       add_column_keys(name, file, "twice", "twice"))
FORGED(check_footer, a_key_of_a_column_is_text, "text-utf8",
       add_column_keys(name, file, "\xFF", "b"))

FORGED(check_footer, keys_that_differ_are_fine, "", add_keys(file, "a", "b"))
FORGED(check_footer, a_key_comes_once, "key-value", add_keys(file, "twice", "twice"))
FORGED(check_footer, a_key_is_not_empty, "key-value", add_keys(file, "", "b"))
FORGED(check_footer, a_key_is_text, "text-utf8", add_keys(file, "\xFF", "b"))
FORGED(check_footer, a_signed_footer_is_noted, "encrypted",
       static const lam_meta_encryption algorithm = {.kind = LAM_META_ENCRYPTION_AES_GCM_V1};
       file->meta.encryption_algorithm = &algorithm)
