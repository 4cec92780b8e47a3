/* SPDX-License-Identifier: Apache-2.0 */
/* Files of one column chunk whose pages a test has made by hand, with a footer that is true. */
#ifndef LAM_TESTS_FORGE_PAGES_H
#define LAM_TESTS_FORGE_PAGES_H

#include <criterion/criterion.h>

#include "check/forge.h"
#include "chunk/hand_made.h"
#include "meta/meta_schema.h"

enum { FORGE_LOCATIONS = 8 };

typedef struct forge_pages {
    lam_hand_made made; /* whose pages become the chunk */
    lam_codec codec;    /* that the footer names; 0 for none */
    const char *created_by;
    int32_t encodings[3]; /* that the footer lists */
    bool has_index;
    lam_meta_page_location locations[FORGE_LOCATIONS];
    uint32_t page_count;
    int32_t order; /* of the column, lam_meta_column_order_kind; 0 for none */
    void (*change)(lam_meta_column *column); /* NULL; changes what the footer says */
    const lam_check_options *options;        /* NULL for the default ones */
} forge_pages;

static inline void forge_pages_start(forge_pages *forge, const char *schema, int32_t version) {
    memset(forge, 0, sizeof *forge);
    lam_hand_made_start(&forge->made, schema, version);
    forge->created_by = "test version 1";
    forge->encodings[0] = LAM_ENCODING_PLAIN;
    forge->encodings[1] = LAM_ENCODING_RLE;
    forge->encodings[2] = LAM_ENCODING_RLE;
}

/* A data page, whose first row the index will name. */
static inline void forge_pages_add(forge_pages *forge, const lam_page_sections *sections,
                                   int64_t first_row) {
    lam_meta_page_location *location = &forge->locations[forge->page_count++];
    size_t before = forge->made.pages.size;
    lam_hand_made_data(&forge->made, sections);
    location->offset = (int64_t)(LAM_SAMPLE_OFFSET + before);
    location->compressed_page_size = (int32_t)(forge->made.pages.size - before);
    location->first_row_index = first_row;
}

/* The names from the root to the leaf. */
static inline lam_meta_bytes_list forge_pages_path(const lam_field *leaf, lam_arena *arena) {
    void *memory;
    cr_assert_eq(lam_arena_array(arena, leaf->depth, sizeof(lam_bytes), &memory, NULL),
                 LAM_STATUS_OK);
    lam_bytes *names = memory;
    for (const lam_field *field = leaf; field->depth > 0; field = lam_field_parent(field))
        names[field->depth - 1] = forge_text(lam_field_name(field));
    return (lam_meta_bytes_list){names, leaf->depth};
}

/* The file; the pages are finished with it. */
static inline lam_buffer forge_pages_file(forge_pages *forge, int64_t triples, int64_t rows) {
    const lam_buffer *pages = &forge->made.pages;
    const lam_field *leaf = forge->made.sample.leaf;
    lam_arena arena;
    lam_buffer file;
    lam_arena_init(&arena, &forge->made.sample.allocator, 0);
    lam_buffer_init(&file, &forge->made.sample.allocator);
    lam_meta_column column = {.type = (int32_t)leaf->physical_type,
                              .encodings = {forge->encodings, 3},
                              .path_in_schema = forge_pages_path(leaf, &arena),
                              .codec = forge->codec == 0 ? 0 : (int32_t)forge->codec - 1,
                              .num_values = triples,
                              .total_uncompressed_size = (int64_t)pages->size,
                              .total_compressed_size = (int64_t)pages->size,
                              .data_page_offset = LAM_SAMPLE_OFFSET};
    lam_meta_column_chunk chunk = {.meta_data = &column};
    lam_meta_row_group group = {
        .columns = {&chunk, 1}, .total_byte_size = (int64_t)pages->size, .num_rows = rows};
    lam_meta_file meta = {.version = 2,
                          .has = LAM_META_FILE_HAS_CREATED_BY,
                          .num_rows = rows,
                          .row_groups = {&group, 1},
                          .created_by = forge_text(forge->created_by)};
    const lam_meta_column_order order = {.kind = forge->order};
    if (forge->order != 0) {
        meta.has |= LAM_META_FILE_HAS_COLUMN_ORDERS;
        meta.column_orders = (lam_meta_column_order_list){&order, 1};
    }
    if (forge->change != NULL)
        forge->change(&column);
    cr_assert_eq(lam_meta_schema_export(forge->made.sample.schema, &arena, &meta.schema, NULL),
                 LAM_STATUS_OK);
    cr_assert_eq(lam_buffer_append(&file, "PAR1", LAM_SAMPLE_OFFSET, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_buffer_append(&file, pages->data, pages->size, NULL), LAM_STATUS_OK);
    if (forge->has_index) {
        lam_meta_offset_index index = {.page_locations = {forge->locations, forge->page_count}};
        chunk.has = LAM_META_COLUMN_CHUNK_HAS_OFFSET_INDEX_OFFSET |
                    LAM_META_COLUMN_CHUNK_HAS_OFFSET_INDEX_LENGTH;
        chunk.offset_index_offset = (int64_t)file.size;
        cr_assert_eq(lam_meta_write_offset_index(&index, &file, NULL), LAM_STATUS_OK);
        chunk.offset_index_length = (int32_t)((int64_t)file.size - chunk.offset_index_offset);
    }
    cr_assert_eq(lam_footer_write(&meta, &file, NULL), LAM_STATUS_OK);
    lam_arena_finish(&arena);
    lam_hand_made_finish(&forge->made);
    return file;
}

/* Checks the file, demands exactly these rules and so many errors, and ends it. */
static inline void forge_pages_expect(forge_pages *forge, int64_t triples, int64_t rows,
                                      const char *rules, uint64_t errors) {
    lam_buffer file = forge_pages_file(forge, triples, rows);
    lam_test_findings found = lam_test_check(file.data, file.size, forge->options);
    cr_assert_str_eq(found.rules, rules, "expected '%s', found '%s': %s", rules, found.rules,
                     found.first);
    cr_assert_eq(found.totals.errors, errors, "%s", found.first);
    lam_buffer_finish(&file);
}

#endif
