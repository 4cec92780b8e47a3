/* SPDX-License-Identifier: Apache-2.0 */
/* What the footer says of the whole file. */
#include <stdio.h>
#include <stdlib.h>

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

/* Keys of one length meet in the table of those that were seen, and are not the same. */
Test(check_footer, many_keys_of_one_length_are_fine) {
    enum { KEYS = 100 };
    static char texts[KEYS][4];
    static lam_meta_key_value pairs[KEYS];
    rich_file file;
    lam_writer_options options = forge_options(1, false, false);
    for (int i = 0; i < KEYS; i++) {
        snprintf(texts[i], sizeof texts[i], "k%02d", i);
        pairs[i].key = forge_text(texts[i]);
    }
    rich_file_init(&file, &options);
    file.meta.has |= LAM_META_FILE_HAS_KEY_VALUE_METADATA;
    file.meta.key_value_metadata = (lam_meta_key_value_list){pairs, KEYS};
    forge_expect(&file, "");
}

FORGED(check_footer, an_empty_key_comes_once, "key-value", add_keys(file, "", ""))

/* --- The judge ------------------------------------------------------------------------------- */

static lam_verdict agree(void *state, lam_bytes footer, lam_bytes rewritten, char *message,
                         size_t capacity) {
    (void)footer, (void)rewritten, (void)message, (void)capacity;
    ++*(int *)state;
    return LAM_VERDICT_AGREES;
}

static const lam_meta_key_value nul_value = {.key = {(const uint8_t *)"k", 1},
                                             .has = LAM_META_KEY_VALUE_HAS_VALUE,
                                             .value = {(const uint8_t *)"a\0b", 3}};
static const lam_bytes nul_text = {(const uint8_t *)"a\0b", 3};

static void no_change(rich_file *file) {
    (void)file;
}

static void put_nul_value(rich_file *file) {
    file->meta.has |= LAM_META_FILE_HAS_KEY_VALUE_METADATA;
    file->meta.key_value_metadata = (lam_meta_key_value_list){&nul_value, 1};
}

static void put_nul_value_of_column(rich_file *file) {
    lam_meta_column *column = file->chunks[1][RICH_X].column;
    column->has |= LAM_META_COLUMN_HAS_KEY_VALUE_METADATA;
    column->key_value_metadata = (lam_meta_key_value_list){&nul_value, 1};
}

static void put_nul_path(rich_file *file) {
    lam_meta_column_chunk *chunk = file->chunks[1][RICH_X].chunk;
    chunk->has |= LAM_META_COLUMN_CHUNK_HAS_FILE_PATH;
    chunk->file_path = nul_text;
}

static void put_nul_name(rich_file *file) {
    ((lam_bytes *)file->chunks[1][RICH_X].column->path_in_schema.items)[0] = nul_text;
}

static void take_metadata(rich_file *file) {
    file->no_indexes = true;
    file->chunks[1][RICH_X].chunk->meta_data = NULL;
}

/* A NUL ends the strings of another reader, wherever in the footer it is. */
Test(check_footer, a_judge_is_not_asked_about_texts_that_hold_a_nul) {
    static const struct {
        void (*change)(rich_file *file);
        int calls;
    } cases[] = {{no_change, 1},    {put_nul_value, 0}, {put_nul_value_of_column, 0},
                 {put_nul_path, 0}, {put_nul_name, 0},  {take_metadata, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        rich_file file;
        int calls = 0;
        lam_writer_options options = forge_options(1, false, false);
        lam_check_options judged = lam_check_options_default();
        judged.judge = agree;
        judged.judge_state = &calls;
        rich_file_init(&file, &options);
        cases[i].change(&file);
        rich_file_end(&file);
        lam_input input = lam_input_memory(file.data.data, file.data.size);
        lam_test_findings found = lam_test_check(file.data.data, file.data.size, &judged);
        cr_expect_eq(calls > 0, cases[i].calls > 0, "case %zu: %s", i, found.rules);
        cr_expect_eq(strstr(found.rules, "unsupported") == NULL, cases[i].calls > 0, "case %zu", i);
        lam_input_close(&input);
        rich_file_finish(&file);
    }
}

Test(check_footer, a_judge_is_not_given_a_footer_above_16_mib) {
    enum { LARGE = (16 << 20) + 1 };
    rich_file file;
    int calls = 0;
    lam_writer_options options = forge_options(1, false, false);
    lam_check_options judged = lam_check_options_default();
    char *text = malloc(LARGE);
    memset(text, 'x', LARGE);
    lam_meta_key_value pair = {.key = {(const uint8_t *)"k", 1},
                               .has = LAM_META_KEY_VALUE_HAS_VALUE};
    pair.value = (lam_bytes){(const uint8_t *)text, LARGE};
    judged.judge = agree;
    judged.judge_state = &calls;
    rich_file_init(&file, &options);
    file.meta.has |= LAM_META_FILE_HAS_KEY_VALUE_METADATA;
    file.meta.key_value_metadata = (lam_meta_key_value_list){&pair, 1};
    rich_file_end(&file);
    lam_test_findings found = lam_test_check(file.data.data, file.data.size, &judged);
    cr_assert_eq(calls, 0);
    cr_assert_str_eq(found.rules, "unsupported");
    cr_assert_not_null(strstr(found.first, "it is above 16 MiB"), "%s", found.first);
    rich_file_finish(&file);
    free(text);
}
