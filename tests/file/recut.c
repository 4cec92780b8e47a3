/* SPDX-License-Identifier: Apache-2.0 */
/* Cuts the pages of files anew: see recut.h. */
#include "file/recut.h"

#include <criterion/criterion.h>
#include <lamella/column.h>
#include <string.h>

#include "encoding/plain.h"
#include "file/footer_edit.h"
#include "meta/compact.h"
#include "page/page.h"
#include "schema/tree.h"
#include "stats/chunk_summary.h"

/* A chunk: its triples in whole, and what is made of them. */
typedef struct recut_chunk {
    const lam_recut *how;
    lam_random *random;
    const lam_field *leaf;
    lam_arena arena;
    size_t triple_count, row_count;
    lam_buffer repetition, definition, values; /* values as elements of lam_triples.values */
    size_t element;
    lam_buffer *file;
    lam_page_writer writer;
    lam_chunk_summary summary;
    lam_buffer first_rows; /* int64_t, of each page */
} recut_chunk;

static void must(lam_status status) {
    cr_assert_eq(status, LAM_STATUS_OK);
}

static uint8_t repetition_at(const recut_chunk *chunk, size_t at) {
    return chunk->repetition.data[at];
}

/* --- Triples --------------------------------------------------------------------------------- */

static void keep_levels(lam_buffer *out, const uint8_t *levels, size_t count, uint8_t all) {
    for (size_t i = 0; i < count; i++)
        must(lam_buffer_append(out, levels == NULL ? &all : &levels[i], 1, NULL));
}

static void keep_values(recut_chunk *chunk, const lam_triples *triples) {
    for (size_t i = 0; i < triples->value_count; i++) {
        lam_value value = lam_triples_value(triples, chunk->leaf, i);
        char *copy;
        if (chunk->leaf->physical_type == LAM_PHYSICAL_BYTE_ARRAY) {
            must(lam_arena_copy(&chunk->arena, value.bytes.data, value.bytes.size, &copy, NULL));
            value.bytes.data = (const uint8_t *)copy;
        }
        const void *from = chunk->leaf->physical_type == LAM_PHYSICAL_FIXED_LEN_BYTE_ARRAY
                               ? (const void *)value.bytes.data
                               : (const void *)&value;
        must(lam_buffer_append(&chunk->values, from, chunk->element, NULL));
    }
}

static void read_chunk(recut_chunk *chunk, const lam_reader *reader, size_t row_group) {
    lam_column_reader *column;
    lam_triples triples = {.count = 1};
    must(lam_column_reader_open(reader, row_group, chunk->leaf->first_leaf, &column, NULL));
    while (triples.count > 0) {
        must(lam_column_reader_read(column, 100, &triples, NULL));
        keep_levels(&chunk->repetition, triples.repetition, triples.count, 0);
        keep_levels(&chunk->definition, triples.definition, triples.count,
                    chunk->leaf->max_definition);
        keep_values(chunk, &triples);
    }
    lam_column_reader_close(column);
    chunk->triple_count = chunk->repetition.size;
    for (size_t i = 0; i < chunk->triple_count; i++)
        chunk->row_count += repetition_at(chunk, i) == 0;
}

/* --- Pages ----------------------------------------------------------------------------------- */

/* Where a page ends that begins at a triple; each has the beginning of a record. */
static size_t end_of_page(const recut_chunk *chunk, size_t at) {
    size_t end = at + 1 + (size_t)lam_random_below(chunk->random, chunk->how->triples);
    bool is_inside = chunk->how->kind == LAM_RECUT_INSIDE || chunk->how->kind == LAM_RECUT_BACK;
    size_t begun = at, left;
    while (begun < chunk->triple_count && repetition_at(chunk, begun) != 0)
        begun++;
    end = end > begun ? end : begun + 1;
    if (!is_inside)
        while (end < chunk->triple_count && repetition_at(chunk, end) != 0)
            end++;
    for (left = end; left < chunk->triple_count && repetition_at(chunk, left) != 0;)
        left++;
    return left < chunk->triple_count ? end : chunk->triple_count;
}

static lam_bytes encode_levels(recut_chunk *chunk, const uint8_t *levels, size_t count,
                               uint8_t max_level, lam_buffer *out) {
    lam_rle_encoder encoder;
    lam_buffer_init(out, &chunk->arena.allocator);
    lam_rle_encoder_init(&encoder, lam_kernels_get(), lam_bit_width(max_level), out);
    must(lam_rle_write_levels(&encoder, levels, count, NULL));
    must(lam_rle_encoder_flush(&encoder, NULL));
    return lam_buffer_bytes(out);
}

/* Writes triples as a page, of which `values_before` values come earlier; gives its values. */
static size_t write_page(recut_chunk *chunk, size_t at, size_t count, size_t values_before,
                         size_t start) {
    const lam_field *leaf = chunk->leaf;
    const lam_value_layout layout = {(lam_physical_type)leaf->physical_type, leaf->type_length};
    lam_triples triples = {.count = count};
    lam_page_sections sections = {.value_count = (uint32_t)count};
    lam_buffer r, d, plain;
    uint64_t uncompressed, offset = chunk->file->size;
    triples.repetition = chunk->repetition.data + at;
    triples.definition = chunk->definition.data + at;
    if (chunk->values.size > 0)
        triples.values = chunk->values.data + values_before * chunk->element;
    for (size_t i = 0; i < count; i++) {
        triples.value_count += triples.definition[i] == leaf->max_definition;
        sections.row_count += triples.repetition[i] == 0;
    }
    lam_buffer_init(&plain, &chunk->arena.allocator);
    must(lam_plain_append(layout, triples.values, triples.value_count, &plain, NULL));
    sections.null_count = (uint32_t)(count - triples.value_count);
    sections.repetition = encode_levels(chunk, triples.repetition, count, leaf->max_repetition, &r);
    sections.definition = encode_levels(chunk, triples.definition, count, leaf->max_definition, &d);
    sections.values = lam_buffer_bytes(&plain);
    must(lam_page_write_data(&chunk->writer, &sections, chunk->file, &uncompressed, NULL));
    lam_chunk_summary_add_levels(&chunk->summary, &triples);
    must(lam_chunk_summary_add_values(&chunk->summary, triples.values, triples.value_count, NULL));
    must(lam_chunk_summary_end_page(&chunk->summary, sections.row_count, offset - start,
                                    chunk->file->size - offset, NULL));
    lam_buffer_finish(&plain);
    lam_buffer_finish(&r);
    lam_buffer_finish(&d);
    return triples.value_count;
}

static void write_pages(recut_chunk *chunk) {
    size_t start = chunk->file->size, values = 0;
    int64_t row = 0;
    for (size_t at = 0, end; at < chunk->triple_count; at = end) {
        bool goes_on = repetition_at(chunk, at) != 0;
        int64_t first = goes_on && chunk->how->kind == LAM_RECUT_BACK ? row - 1 : row;
        end = end_of_page(chunk, at);
        must(lam_buffer_append(&chunk->first_rows, &first, sizeof first, NULL));
        values += write_page(chunk, at, end - at, values, start);
        for (size_t i = at; i < end; i++)
            row += repetition_at(chunk, i) == 0;
    }
}

/* --- The page index -------------------------------------------------------------------------- */

/* One number is off by one, as far as all still rise. */
static void shift_row(const recut_chunk *chunk, lam_meta_page_location *pages, size_t count) {
    size_t some = 1 + (size_t)lam_random_below(chunk->random, count);
    if (some >= count)
        return;
    int64_t behind = some + 1 < count ? pages[some + 1].first_row_index : (int64_t)chunk->row_count;
    if (lam_random_chance(chunk->random, 50) && pages[some].first_row_index + 1 < behind)
        pages[some].first_row_index++;
    else if (pages[some].first_row_index - 1 > pages[some - 1].first_row_index)
        pages[some].first_row_index--;
}

static void write_index(recut_chunk *chunk, uint64_t first_page, lam_meta_column_chunk *stated) {
    lam_meta_offset_index offsets;
    lam_meta_column_index bounds;
    bool has_bounds;
    must(
        lam_chunk_summary_offset_index(&chunk->summary, first_page, &chunk->arena, &offsets, NULL));
    must(
        lam_chunk_summary_column_index(&chunk->summary, &chunk->arena, &bounds, &has_bounds, NULL));
    lam_meta_page_location *pages =
        (lam_meta_page_location *)(uintptr_t)offsets.page_locations.items;
    for (size_t i = 0; i < offsets.page_locations.count; i++)
        memcpy(&pages[i].first_row_index, chunk->first_rows.data + i * sizeof(int64_t),
               sizeof(int64_t));
    if (chunk->how->kind == LAM_RECUT_SHIFTED)
        shift_row(chunk, pages, offsets.page_locations.count);
    stated->has |= LAM_META_COLUMN_CHUNK_HAS_OFFSET_INDEX_OFFSET |
                   LAM_META_COLUMN_CHUNK_HAS_OFFSET_INDEX_LENGTH;
    stated->offset_index_offset = (int64_t)chunk->file->size;
    must(lam_meta_write_offset_index(&offsets, chunk->file, NULL));
    stated->offset_index_length =
        (int32_t)((int64_t)chunk->file->size - stated->offset_index_offset);
    stated->has &= ~(uint32_t)(LAM_META_COLUMN_CHUNK_HAS_COLUMN_INDEX_OFFSET |
                               LAM_META_COLUMN_CHUNK_HAS_COLUMN_INDEX_LENGTH);
    if (!has_bounds)
        return;
    bounds.has &= ~(uint32_t)(LAM_META_COLUMN_INDEX_HAS_REPETITION_LEVEL_HISTOGRAMS |
                              LAM_META_COLUMN_INDEX_HAS_DEFINITION_LEVEL_HISTOGRAMS);
    stated->has |= LAM_META_COLUMN_CHUNK_HAS_COLUMN_INDEX_OFFSET |
                   LAM_META_COLUMN_CHUNK_HAS_COLUMN_INDEX_LENGTH;
    stated->column_index_offset = (int64_t)chunk->file->size;
    must(lam_meta_write_column_index(&bounds, chunk->file, NULL));
    stated->column_index_length =
        (int32_t)((int64_t)chunk->file->size - stated->column_index_offset);
}

/* --- Chunks ---------------------------------------------------------------------------------- */

static void state_pages(const recut_chunk *chunk, uint64_t start, lam_meta_column *column) {
    static const int32_t encodings[] = {LAM_ENCODING_PLAIN, LAM_ENCODING_RLE};
    column->has &= ~(uint32_t)(LAM_META_COLUMN_HAS_DICTIONARY_PAGE_OFFSET |
                               LAM_META_COLUMN_HAS_ENCODING_STATS);
    column->data_page_offset = (int64_t)start;
    column->total_compressed_size = (int64_t)(chunk->file->size - start);
    column->codec = (int32_t)chunk->how->codec - 1;
    column->encodings.items = encodings;
    column->encodings.count = 2;
}

static void recut_one(recut_chunk *chunk, const lam_reader *reader, lam_footer_edit *edit,
                      size_t row_group) {
    lam_allocator heap = lam_allocator_default();
    lam_codec_context *codecs;
    uint64_t start = edit->file->size;
    chunk->element = lam_element_size(chunk->leaf);
    chunk->file = edit->file;
    lam_arena_init(&chunk->arena, &heap, 0);
    lam_buffer_init(&chunk->repetition, &heap);
    lam_buffer_init(&chunk->definition, &heap);
    lam_buffer_init(&chunk->values, &heap);
    lam_buffer_init(&chunk->first_rows, &heap);
    must(lam_codec_context_create(&heap, &codecs, NULL));
    lam_page_writer_init(&chunk->writer, chunk->how->codec, 0, chunk->how->version, true, codecs,
                         &heap);
    must(lam_chunk_summary_init(&chunk->summary, lam_kernels_get(), chunk->leaf,
                                LAM_META_COLUMN_ORDER_TYPE, 64, &heap, NULL));
    read_chunk(chunk, reader, row_group);
    write_pages(chunk);
    state_pages(chunk, start, lam_footer_edit_column(edit, row_group, chunk->leaf->first_leaf));
    write_index(chunk, start, lam_footer_edit_chunk(edit, row_group, chunk->leaf->first_leaf));
    lam_chunk_summary_finish(&chunk->summary);
    lam_page_writer_finish(&chunk->writer);
    lam_codec_context_destroy(codecs);
    lam_buffer_finish(&chunk->first_rows);
    lam_buffer_finish(&chunk->values);
    lam_buffer_finish(&chunk->definition);
    lam_buffer_finish(&chunk->repetition);
    lam_arena_finish(&chunk->arena);
}

void lam_recut_file(lam_buffer *file, const lam_recut *how, lam_random *random) {
    lam_allocator heap = lam_allocator_default();
    lam_buffer copy;
    lam_footer_edit edit;
    lam_reader *reader;
    lam_buffer_init(&copy, &heap);
    must(lam_buffer_append(&copy, file->data, file->size, NULL));
    lam_input input = lam_input_memory(copy.data, copy.size);
    must(lam_reader_open(&input, NULL, &reader, NULL));
    const lam_schema *schema = lam_reader_schema(reader);
    lam_footer_edit_begin(&edit, file);
    for (size_t group = 0; group < edit.meta.row_groups.count; group++)
        for (size_t i = 0; i < schema->leaf_count; i++) {
            recut_chunk chunk = {.how = how, .random = random, .leaf = lam_leaf_at(schema, i)};
            if (chunk.leaf->max_repetition > 0)
                recut_one(&chunk, reader, &edit, group);
        }
    lam_footer_edit_end(&edit);
    lam_reader_close(reader);
    lam_buffer_finish(&copy);
}
