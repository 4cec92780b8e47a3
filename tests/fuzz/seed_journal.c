/* SPDX-License-Identifier: Apache-2.0 */
/* A journal for each schema of the seeds, of two files with two records each. (fuzz_journal.c) */
#include <string.h>

#include "fuzz/seeds.h"
#include "log/journal/journal_frame.h"
#include "schema/tree.h"

enum { LEAVES_MAX = 64 };

/* Two records: everything is there once, and everything that may be absent is. */
static void fill(const lam_schema *schema, lam_triples *columns) {
    static const uint8_t zeros[2 * 64];
    static const uint8_t repetition[2];
    static uint8_t definitions[LAM_SCHEMA_DEPTH_MAX + 1][2];
    static const lam_bytes texts[] = {{(const uint8_t *)"ab", 2}, {NULL, 0}};
    for (size_t i = 0; i < schema->leaf_count; i++) {
        const lam_field *leaf = lam_leaf_at(schema, i);
        uint8_t *definition = definitions[leaf->max_definition];
        definition[0] = leaf->max_definition;
        lam_triples column = {2, leaf->max_definition > 0 ? 1 : 2, repetition, definition,
                              leaf->physical_type == LAM_PHYSICAL_BYTE_ARRAY ? (const void *)texts
                                                                             : zeros};
        columns[i] = column;
    }
}

static void save(const lam_schema *schema, uint8_t manner) {
    static const uint8_t log_id[LAM_JOURNAL_ID_SIZE] = {1, 2, 3};
    lam_allocator allocator = lam_allocator_default();
    lam_journal_stream stream = {lam_journal_seed(log_id), 1};
    uint8_t head[2 + LAM_JOURNAL_HEAD_SIZE] = {manner, 1};
    lam_triples columns[LEAVES_MAX];
    lam_buffer seed, metadata;
    lam_buffer_init(&seed, &allocator);
    lam_buffer_init(&metadata, &allocator);
    lam_journal_head_write(log_id, head + 2);
    fill(schema, columns);
    LAM_SEED_TRY(lam_buffer_append(&seed, head, sizeof head, &error));
    LAM_SEED_TRY(lam_journal_metadata_write(schema, NULL, &metadata, &error));
    LAM_SEED_TRY(lam_journal_schema_write(&stream, 0, lam_buffer_bytes(&metadata), &seed, &error));
    for (uint32_t i = 0; i < 4; i++) {
        lam_journal_file file = {i, 0, {(uint8_t)i}, {(const uint8_t *)"x=1/f", 5}};
        lam_journal_rows rows = {i % 2, 2, i / 2 * 2, 2 * i};
        if (i < 2)
            LAM_SEED_TRY(lam_journal_file_write(&stream, &file, &seed, &error));
        LAM_SEED_TRY(lam_journal_rows_write(&stream, schema, &rows, columns, &seed, &error));
    }
    LAM_SEED_TRY(lam_journal_end_write(&stream, 1, &seed, &error));
    lam_seed_write("journal", lam_buffer_bytes(&seed));
    lam_buffer_finish(&seed);
    lam_buffer_finish(&metadata);
}

void lam_seed_journal(void) {
    for (size_t i = 0; lam_seed_schemas[i] != NULL; i++) {
        lam_schema *schema;
        LAM_SEED_TRY(lam_schema_parse(lam_seed_schemas[i], strlen(lam_seed_schemas[i]), NULL,
                                      &schema, &error));
        if (schema->leaf_count <= LEAVES_MAX) {
            save(schema, 0);
            save(schema, 1);
        }
        lam_schema_destroy(schema);
    }
}
