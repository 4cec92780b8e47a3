/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How long the metadata of a wide file takes: a footer of 1,000 columns x 10 row groups, read and
 * written, and the headers of data pages. Prints the best of several rounds.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "meta/compact.h"

enum { COLUMNS = 1000, ROW_GROUPS = 10, FOOTER_ROUNDS = 30, HEADER_ROUNDS = 7, HEADERS = 1000000 };

static double now(void) {
    struct timespec time;
    timespec_get(&time, TIME_UTC);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void must(lam_status status) {
    if (status != LAM_STATUS_OK)
        exit(1);
}

static void *take(lam_arena *arena, size_t count, size_t size) {
    void *memory = NULL;
    must(lam_arena_array(arena, count, size, &memory, NULL));
    return memory;
}

static lam_bytes print(lam_arena *arena, const char *format, unsigned number) {
    char *text = take(arena, 32, 1);
    return (lam_bytes){(const uint8_t *)text, (size_t)snprintf(text, 32, format, number)};
}

static const lam_meta_column *make_column(lam_arena *arena, unsigned ordinal, lam_bytes *name) {
    static const int32_t encodings[] = {0, 3, 8};
    static const lam_meta_page_encoding_stats pages[] = {
        {.page_type = 2, .encoding = 0, .count = 1}, {.page_type = 0, .encoding = 8, .count = 20}};
    lam_meta_statistics *statistics = take(arena, 1, sizeof *statistics);
    statistics->has = LAM_META_STATISTICS_HAS_NULL_COUNT | LAM_META_STATISTICS_HAS_MAX_VALUE |
                      LAM_META_STATISTICS_HAS_MIN_VALUE |
                      LAM_META_STATISTICS_HAS_IS_MAX_VALUE_EXACT |
                      LAM_META_STATISTICS_HAS_IS_MIN_VALUE_EXACT;
    statistics->max_value = print(arena, "%08u", ordinal + 1000);
    statistics->min_value = print(arena, "%08u", ordinal);
    lam_meta_column *column = take(arena, 1, sizeof *column);
    *column = (lam_meta_column){
        .has = LAM_META_COLUMN_HAS_DICTIONARY_PAGE_OFFSET | LAM_META_COLUMN_HAS_ENCODING_STATS,
        .type = 2,
        .encodings = {encodings, 3},
        .path_in_schema = {name, 1},
        .codec = 6,
        .num_values = 1000000,
        .total_uncompressed_size = 8000000,
        .total_compressed_size = 3000000,
        .data_page_offset = 4 + (int64_t)ordinal * 3000000 + 500000,
        .dictionary_page_offset = 4 + (int64_t)ordinal * 3000000,
        .statistics = statistics,
        .encoding_stats = {pages, 2},
    };
    return column;
}

static lam_meta_file make_footer(lam_arena *arena) {
    lam_meta_schema_element *elements = take(arena, COLUMNS + 1, sizeof *elements);
    elements[0] = (lam_meta_schema_element){.has = LAM_META_SCHEMA_ELEMENT_HAS_NUM_CHILDREN,
                                            .name = print(arena, "schema", 0),
                                            .num_children = COLUMNS};
    lam_bytes *names = take(arena, COLUMNS, sizeof *names);
    for (unsigned c = 0; c < COLUMNS; c++) {
        names[c] = print(arena, "column_%04u", c);
        elements[c + 1] = (lam_meta_schema_element){
            .has = LAM_META_SCHEMA_ELEMENT_HAS_TYPE | LAM_META_SCHEMA_ELEMENT_HAS_REPETITION_TYPE,
            .type = 2,
            .repetition_type = 1,
            .name = names[c]};
    }
    lam_meta_row_group *row_groups = take(arena, ROW_GROUPS, sizeof *row_groups);
    for (unsigned g = 0; g < ROW_GROUPS; g++) {
        lam_meta_column_chunk *chunks = take(arena, COLUMNS, sizeof *chunks);
        for (unsigned c = 0; c < COLUMNS; c++) {
            chunks[c].meta_data = make_column(arena, g * COLUMNS + c, &names[c]);
            chunks[c].has = LAM_META_COLUMN_CHUNK_HAS_OFFSET_INDEX_OFFSET |
                            LAM_META_COLUMN_CHUNK_HAS_OFFSET_INDEX_LENGTH |
                            LAM_META_COLUMN_CHUNK_HAS_COLUMN_INDEX_OFFSET |
                            LAM_META_COLUMN_CHUNK_HAS_COLUMN_INDEX_LENGTH;
            chunks[c].offset_index_offset = 40000000000 + g * COLUMNS + c;
            chunks[c].offset_index_length = 250;
            chunks[c].column_index_offset = 30000000000 + g * COLUMNS + c;
            chunks[c].column_index_length = 500;
        }
        row_groups[g] = (lam_meta_row_group){
            .columns = {chunks, COLUMNS}, .total_byte_size = 3000000000, .num_rows = 1000000};
    }
    return (lam_meta_file){.version = 2,
                           .schema = {elements, COLUMNS + 1},
                           .num_rows = 1000000 * ROW_GROUPS,
                           .row_groups = {row_groups, ROW_GROUPS}};
}

static void bench_footer(const lam_allocator *heap) {
    lam_arena made;
    lam_arena_init(&made, heap, 0);
    lam_meta_file footer = make_footer(&made);
    double best_write = 1e9;
    double best_read = 1e9;
    size_t size = 0;
    size_t memory = 0;
    for (int round = 0; round < FOOTER_ROUNDS; round++) {
        lam_buffer out;
        lam_buffer_init(&out, heap);
        double start = now();
        must(lam_meta_write_file(&footer, &out, NULL));
        double written = now();
        lam_arena arena;
        lam_arena_init(&arena, heap, 0);
        lam_meta_file back;
        double from = now();
        must(lam_meta_read_file(lam_buffer_bytes(&out), &arena, &back, NULL));
        double read = now();
        best_write = written - start < best_write ? written - start : best_write;
        best_read = read - from < best_read ? read - from : best_read;
        size = out.size;
        memory = arena.used;
        lam_arena_finish(&arena);
        lam_buffer_finish(&out);
    }
    lam_arena_finish(&made);
    printf("footer of %d columns x %d row groups, %zu bytes: read %.2f ms into %zu bytes, "
           "write %.2f ms\n",
           COLUMNS, ROW_GROUPS, size, 1e3 * best_read, memory, 1e3 * best_write);
}

static void bench_header(const lam_allocator *heap, const char *name,
                         const lam_meta_page_header *header) {
    lam_buffer out;
    lam_buffer_init(&out, heap);
    must(lam_meta_write_page_header(header, &out, NULL));
    lam_arena arena;
    lam_arena_init(&arena, heap, 0);
    double best = 1e9;
    for (int round = 0; round < HEADER_ROUNDS; round++) {
        double start = now();
        for (int i = 0; i < HEADERS; i++) {
            lam_meta_page_header back;
            size_t size;
            lam_arena_reset(&arena);
            must(lam_meta_read_page_header(lam_buffer_bytes(&out), &arena, &back, &size, NULL));
        }
        double time = now() - start;
        best = time < best ? time : best;
    }
    printf("header of a %s, %zu bytes: read in %.1f ns\n", name, out.size, 1e9 * best / HEADERS);
    lam_arena_finish(&arena);
    lam_buffer_finish(&out);
}

int main(void) {
    lam_allocator heap = lam_allocator_default();
    bench_footer(&heap);
    lam_meta_data_page_header v1 = {
        .num_values = 20000, .encoding = 8, .definition_level_encoding = 3};
    lam_meta_data_page_header_v2 v2 = {.num_values = 20000,
                                       .num_rows = 20000,
                                       .encoding = 8,
                                       .definition_levels_byte_length = 700};
    lam_meta_page_header header = {.uncompressed_page_size = 100000, .compressed_page_size = 50000};
    header.data_page_header = &v1;
    bench_header(&heap, "V1 page", &header);
    header.data_page_header = NULL;
    header.data_page_header_v2 = &v2;
    bench_header(&heap, "V2 page", &header);
    lam_meta_statistics statistics = {.has = LAM_META_STATISTICS_HAS_NULL_COUNT |
                                             LAM_META_STATISTICS_HAS_MAX_VALUE |
                                             LAM_META_STATISTICS_HAS_MIN_VALUE,
                                      .max_value = {(const uint8_t *)"12345678", 8},
                                      .min_value = {(const uint8_t *)"12345678", 8}};
    v2.statistics = &statistics;
    bench_header(&heap, "V2 page with statistics", &header);
    return 0;
}
