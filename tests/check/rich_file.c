/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes a small file with statistics, page index, Bloom filters and sorting columns, and puts it
 * together again after a test has changed one of its statements.
 */
#include "check/rich_file.h"

#include <criterion/criterion.h>
#include <lamella/reader.h>
#include <lamella/record.h>
#include <lamella/writer.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "file/file_sample.h"
#include "meta/compact.h"
#include "stats/bloom.h"
#include "support/file_info.h"
#include "support/whole_footer.h"

enum { GROUP_ROWS = 60, PAGE_ROWS = 25 };

static const char schema_text[] =
    "message rich { required int64 id; optional binary name (STRING);"
    " optional group tags (LIST) { repeated group list { optional int32 element; } }"
    " optional double x; }";

static void must(lam_status status, const lam_error *error) {
    cr_assert_eq(status, LAM_STATUS_OK, "%s", error->message);
}

static void *take(rich_file *file, size_t count, size_t size) {
    void *memory;
    cr_assert_eq(lam_arena_array(&file->arena, count, size, &memory, NULL), LAM_STATUS_OK);
    return memory;
}

/* --- The rows ------------------------------------------------------------------------------- */

typedef struct triple {
    unsigned r;
    unsigned d;
    uint8_t value[8]; /* PLAIN, when there is one */
    size_t size;
} triple;

static triple without(unsigned r, unsigned d) {
    triple one = {.r = r, .d = d};
    return one;
}

static triple tag(unsigned r, int32_t number) {
    triple one = {.r = r, .d = 3, .size = 4};
    lam_store_le32(one.value, (uint32_t)number);
    return one;
}

static double x_of(int row) {
    return row == 13 ? (double)NAN : (row - 20) / 2.0;
}

/* The triples of one row in one leaf, at most 3. */
static size_t triples_of(int leaf, int row, triple *out) {
    uint64_t bits;
    double x = x_of(row);
    memset(out, 0, 3 * sizeof *out);
    switch (leaf) {
    case RICH_ID:
        out[0].size = 8;
        lam_store_le64(out[0].value, (uint64_t)(1000 + row));
        return 1;
    case RICH_NAME:
        if (row % 5 == 4)
            return 1;
        out[0].d = 1;
        out[0].size = (size_t)snprintf((char *)out[0].value, 8, "n%02d", row % 7);
        return 1;
    case RICH_TAGS:
        out[0] = row % 4 == 2 || row % 4 == 3 ? tag(0, row) : without(0, row % 4 == 1);
        if (row % 4 != 3)
            return 1;
        out[1] = without(1, 2);
        out[2] = tag(1, -row);
        return 3;
    default:
        if (row % 10 == 9)
            return 1;
        memcpy(&bits, &x, sizeof bits);
        out[0].d = 1;
        out[0].size = 8;
        lam_store_le64(out[0].value, bits);
        return 1;
    }
}

static void put(lam_record_sink *sink, const lam_schema *schema, int leaf, const triple *one) {
    lam_value value;
    uint64_t bits = lam_load_le64(one->value);
    lam_error error = lam_error_none();
    if (leaf == RICH_ID)
        value.int64 = (int64_t)bits;
    else if (leaf == RICH_TAGS)
        value.int32 = (int32_t)lam_load_le32(one->value);
    else if (leaf == RICH_X)
        memcpy(&value.float64, &bits, sizeof bits);
    else
        value.bytes = (lam_bytes){one->value, one->size};
    must(sink->put(sink->state, lam_schema_leaf(schema, (size_t)leaf), value, &error), &error);
}

static void write_row(lam_record_sink *sink, const lam_schema *schema, int row) {
    triple triples[3];
    const lam_field *tags = lam_schema_find(schema, "tags");
    const lam_field *list = lam_schema_find(schema, "tags.list");
    lam_error error = lam_error_none();
    must(sink->begin(sink->state, &error), &error);
    for (int leaf = 0; leaf < RICH_LEAVES; leaf++) {
        size_t count = triples_of(leaf, row, triples);
        if (leaf == RICH_TAGS && triples[0].d > 0)
            must(sink->open(sink->state, tags, &error), &error);
        for (size_t i = 0; i < count; i++) {
            if (leaf == RICH_TAGS && triples[i].d > 1)
                must(sink->open(sink->state, list, &error), &error);
            if (triples[i].size > 0)
                put(sink, schema, leaf, &triples[i]);
            if (leaf == RICH_TAGS && triples[i].d > 1)
                must(sink->close(sink->state, list, &error), &error);
        }
        if (leaf == RICH_TAGS && triples[0].d > 0)
            must(sink->close(sink->state, tags, &error), &error);
    }
    must(sink->end(sink->state, &error), &error);
}

static void write_rows(rich_file *file, const lam_writer_options *options) {
    lam_error error = lam_error_none();
    lam_test_writer made = lam_test_write(schema_text, options);
    for (int row = 0; row < RICH_ROWS; row++) {
        if (row == GROUP_ROWS)
            must(lam_writer_end_row_group(made.writer, &error), &error);
        write_row(&made.sink, lam_writer_schema(made.writer), row);
    }
    file->data = lam_test_written(&made);
}

/* --- What is said of them ------------------------------------------------------------------- */

/* Whether `a` comes before `b`; no NaNs. */
static bool is_less(int leaf, lam_bytes a, lam_bytes b) {
    double left, right;
    uint64_t bits;
    switch (leaf) {
    case RICH_ID:
        return (int64_t)lam_load_le64(a.data) < (int64_t)lam_load_le64(b.data);
    case RICH_NAME:
        return memcmp(a.data, b.data, 3) < 0;
    case RICH_TAGS:
        return (int32_t)lam_load_le32(a.data) < (int32_t)lam_load_le32(b.data);
    default:
        bits = lam_load_le64(a.data);
        memcpy(&left, &bits, sizeof left);
        bits = lam_load_le64(b.data);
        memcpy(&right, &bits, sizeof right);
        return left < right;
    }
}

typedef struct counted {
    int64_t nulls;
    int64_t nans;
    int64_t bytes;
    int64_t repetition[4];
    int64_t definition[4];
    lam_bytes min;
    lam_bytes max;
} counted;

static const unsigned most_defined[RICH_LEAVES] = {0, 1, 3, 1};

static counted count_rows(rich_file *file, int leaf, int first, int last, rich_chunk *chunk) {
    counted sum = {0};
    for (int row = first; row < last; row++) {
        triple *triples = take(file, 3, sizeof *triples);
        size_t count = triples_of(leaf, row, triples);
        for (size_t i = 0; i < count; i++) {
            lam_bytes value = {triples[i].value, triples[i].size};
            sum.repetition[triples[i].r]++;
            sum.definition[triples[i].d]++;
            if (triples[i].d < most_defined[leaf]) {
                sum.nulls++;
                continue;
            }
            lam_bloom_insert(chunk->bloom, 2, lam_bloom_hash(value));
            sum.bytes += leaf == RICH_NAME ? (int64_t)value.size : 0;
            if (leaf == RICH_X && row == 13) {
                sum.nans++;
                continue;
            }
            if (sum.min.data == NULL || is_less(leaf, value, sum.min))
                sum.min = value;
            if (sum.max.data == NULL || is_less(leaf, sum.max, value))
                sum.max = value;
        }
    }
    return sum;
}

static void state_chunk(rich_chunk *chunk, int leaf, const counted *sum) {
    lam_meta_statistics *statistics = &chunk->statistics;
    statistics->has = LAM_META_STATISTICS_HAS_NULL_COUNT | LAM_META_STATISTICS_HAS_MIN_VALUE |
                      LAM_META_STATISTICS_HAS_MAX_VALUE |
                      LAM_META_STATISTICS_HAS_IS_MIN_VALUE_EXACT |
                      LAM_META_STATISTICS_HAS_IS_MAX_VALUE_EXACT;
    statistics->null_count = sum->nulls;
    statistics->min_value = sum->min;
    statistics->max_value = sum->max;
    statistics->is_min_value_exact = true;
    statistics->is_max_value_exact = true;
    if (leaf == RICH_X) {
        statistics->has |= LAM_META_STATISTICS_HAS_NAN_COUNT;
        statistics->nan_count = sum->nans;
    }
    memcpy(chunk->histograms, sum->repetition, sizeof sum->repetition);
    memcpy(chunk->histograms + 4, sum->definition, sizeof sum->definition);
    chunk->sizes.has = LAM_META_SIZE_STATISTICS_HAS_REPETITION_LEVEL_HISTOGRAM |
                       LAM_META_SIZE_STATISTICS_HAS_DEFINITION_LEVEL_HISTOGRAM;
    chunk->sizes.repetition_level_histogram.items = chunk->histograms;
    chunk->sizes.repetition_level_histogram.count = leaf == RICH_TAGS ? 2 : 1;
    chunk->sizes.definition_level_histogram.items = chunk->histograms + 4;
    chunk->sizes.definition_level_histogram.count = most_defined[leaf] + 1;
    if (leaf == RICH_NAME) {
        chunk->sizes.has |= LAM_META_SIZE_STATISTICS_HAS_UNENCODED_BYTE_ARRAY_DATA_BYTES;
        chunk->sizes.unencoded_byte_array_data_bytes = sum->bytes;
    }
    chunk->column->statistics = statistics;
    chunk->column->size_statistics = &chunk->sizes;
}

static void state_page(rich_chunk *chunk, int leaf, size_t page, const counted *sum) {
    size_t r = leaf == RICH_TAGS ? 2 : 1, d = most_defined[leaf] + 1;
    chunk->min_values[page] = sum->min;
    chunk->max_values[page] = sum->max;
    chunk->null_counts[page] = sum->nulls;
    chunk->nan_counts[page] = sum->nans;
    chunk->page_bytes[page] = sum->bytes;
    memcpy(chunk->page_repetition + page * r, sum->repetition, r * sizeof(int64_t));
    memcpy(chunk->page_definition + page * d, sum->definition, d * sizeof(int64_t));
}

static void state_indexes(rich_chunk *chunk, int leaf) {
    uint32_t pages = (uint32_t)chunk->pages;
    lam_meta_column_index *index = &chunk->column_index;
    chunk->offset_index.page_locations.items = chunk->locations;
    chunk->offset_index.page_locations.count = pages;
    if (leaf == RICH_NAME) {
        chunk->offset_index.has |= LAM_META_OFFSET_INDEX_HAS_UNENCODED_BYTE_ARRAY_DATA_BYTES;
        chunk->offset_index.unencoded_byte_array_data_bytes.items = chunk->page_bytes;
        chunk->offset_index.unencoded_byte_array_data_bytes.count = pages;
    }
    index->has = LAM_META_COLUMN_INDEX_HAS_NULL_COUNTS |
                 LAM_META_COLUMN_INDEX_HAS_REPETITION_LEVEL_HISTOGRAMS |
                 LAM_META_COLUMN_INDEX_HAS_DEFINITION_LEVEL_HISTOGRAMS;
    index->null_pages = (lam_meta_bool_list){chunk->null_pages, pages};
    index->min_values = (lam_meta_bytes_list){chunk->min_values, pages};
    index->max_values = (lam_meta_bytes_list){chunk->max_values, pages};
    index->null_counts = (lam_meta_i64_list){chunk->null_counts, pages};
    index->repetition_level_histograms =
        (lam_meta_i64_list){chunk->page_repetition, pages * (leaf == RICH_TAGS ? 2 : 1)};
    index->definition_level_histograms =
        (lam_meta_i64_list){chunk->page_definition, pages * (most_defined[leaf] + 1)};
    if (leaf == RICH_X) {
        index->has |= LAM_META_COLUMN_INDEX_HAS_NAN_COUNTS;
        index->nan_counts = (lam_meta_i64_list){chunk->nan_counts, pages};
    }
    if (leaf == RICH_ID || leaf == RICH_X)
        index->boundary_order = LAM_META_BOUNDARY_ASCENDING;
    chunk->bloom_header.num_bytes = sizeof chunk->bloom;
    chunk->bloom_header.algorithm.kind = LAM_META_BLOOM_FILTER_ALGORITHM_BLOCK;
    chunk->bloom_header.hash.kind = LAM_META_BLOOM_FILTER_HASH_XXHASH;
    chunk->bloom_header.compression.kind = LAM_META_BLOOM_FILTER_COMPRESSION_UNCOMPRESSED;
}

static void locate_pages(const lam_reader *reader, size_t group, size_t leaf, rich_chunk *chunk) {
    lam_page_list *list;
    lam_page_info page = lam_page_info_default();
    bool more = true;
    cr_assert_eq(lam_page_list_open(reader, group, leaf, &list, NULL), LAM_STATUS_OK);
    while (lam_page_list_next(list, &page, &more, NULL) == LAM_STATUS_OK && more) {
        if (page.type == LAM_PAGE_DICTIONARY)
            continue;
        cr_assert_lt(chunk->pages, RICH_PAGES);
        lam_meta_page_location *location = &chunk->locations[chunk->pages];
        location->offset = page.offset;
        location->compressed_page_size = page.header_size + page.compressed_size;
        location->first_row_index = (int64_t)chunk->pages * PAGE_ROWS;
        chunk->page_offsets[chunk->pages++] = (uint64_t)page.offset;
    }
    lam_page_list_close(list);
}

static void describe(rich_file *file, const lam_reader *reader, size_t group, int leaf) {
    rich_chunk *chunk = &file->chunks[group][leaf];
    int first = group == 0 ? 0 : GROUP_ROWS, last = group == 0 ? GROUP_ROWS : RICH_ROWS;
    locate_pages(reader, group, (size_t)leaf, chunk);
    cr_assert_eq(chunk->pages, (size_t)(last - first + PAGE_ROWS - 1) / PAGE_ROWS);
    counted sum = count_rows(file, leaf, first, last, chunk);
    state_chunk(chunk, leaf, &sum);
    for (size_t page = 0; page < chunk->pages; page++) {
        int from = first + (int)page * PAGE_ROWS;
        int to = from + PAGE_ROWS < last ? from + PAGE_ROWS : last;
        sum = count_rows(file, leaf, from, to, chunk);
        state_page(chunk, leaf, page, &sum);
    }
    state_indexes(chunk, leaf);
}

/* --- The file ------------------------------------------------------------------------------- */

/* Copies of what the footer holds that may be written to. */
static void open_footer(rich_file *file) {
    lam_footer footer;
    lam_error error = lam_error_none();
    lam_input input = lam_input_memory(file->data.data, file->data.size);
    must(lam_footer_read(&input, &file->arena, &footer, &error), &error);
    file->meta = footer.meta;
    cr_assert_eq(file->meta.row_groups.count, RICH_GROUPS);
    file->groups = take(file, RICH_GROUPS, sizeof *file->groups);
    memcpy(file->groups, file->meta.row_groups.items, RICH_GROUPS * sizeof *file->groups);
    file->meta.row_groups.items = file->groups;
    for (size_t group = 0; group < RICH_GROUPS; group++) {
        lam_meta_column_chunk *chunks = take(file, RICH_LEAVES, sizeof *chunks);
        memcpy(chunks, file->groups[group].columns.items, RICH_LEAVES * sizeof *chunks);
        file->groups[group].columns.items = chunks;
        for (int leaf = 0; leaf < RICH_LEAVES; leaf++) {
            lam_meta_column *column = take(file, 1, sizeof *column);
            *column = *chunks[leaf].meta_data;
            column->has &= ~(uint32_t)LAM_META_COLUMN_HAS_ENCODING_STATS;
            chunks[leaf].meta_data = column;
            file->chunks[group][leaf].chunk = &chunks[leaf];
            file->chunks[group][leaf].column = column;
        }
        lam_meta_sorting_column *sorting = take(file, 1, sizeof *sorting);
        sorting->column_idx = RICH_ID;
        file->groups[group].has |= LAM_META_ROW_GROUP_HAS_SORTING_COLUMNS;
        file->groups[group].sorting_columns = (lam_meta_sorting_column_list){sorting, 1};
    }
    lam_meta_column_order *orders = take(file, RICH_LEAVES, sizeof *orders);
    for (int leaf = 0; leaf < RICH_LEAVES; leaf++)
        orders[leaf].kind = LAM_META_COLUMN_ORDER_TYPE;
    file->meta.has |= LAM_META_FILE_HAS_COLUMN_ORDERS;
    file->meta.column_orders = (lam_meta_column_order_list){orders, RICH_LEAVES};
}

void rich_file_init(rich_file *file, const lam_writer_options *options) {
    lam_allocator allocator = lam_allocator_default();
    memset(file, 0, sizeof *file);
    lam_arena_init(&file->arena, &allocator, 0);
    lam_writer_options own = *options;
    own.codec = LAM_CODEC_UNCOMPRESSED;
    own.page_rows = PAGE_ROWS;
    write_rows(file, &own);
    lam_reader *reader = lam_test_open(file->data.data, file->data.size, NULL);
    /* The footer borrows nothing from the data, which moves when it grows. */
    open_footer(file);
    for (size_t group = 0; group < RICH_GROUPS; group++)
        for (int leaf = 0; leaf < RICH_LEAVES; leaf++)
            describe(file, reader, group, leaf);
    file->data.size -= 8 + lam_test_file_info(reader).footer_size;
    lam_reader_close(reader);
}

static void add_indexes(rich_file *file, rich_chunk *chunk) {
    lam_buffer *out = &file->data;
    lam_error error = lam_error_none();
    lam_meta_column_chunk *stated = chunk->chunk;
    stated->column_index_offset = (int64_t)out->size;
    must(lam_meta_write_column_index(&chunk->column_index, out, &error), &error);
    stated->column_index_length = (int32_t)((int64_t)out->size - stated->column_index_offset);
    stated->offset_index_offset = (int64_t)out->size;
    must(lam_meta_write_offset_index(&chunk->offset_index, out, &error), &error);
    stated->offset_index_length = (int32_t)((int64_t)out->size - stated->offset_index_offset);
    stated->has |= LAM_META_COLUMN_CHUNK_HAS_OFFSET_INDEX_OFFSET |
                   LAM_META_COLUMN_CHUNK_HAS_OFFSET_INDEX_LENGTH |
                   LAM_META_COLUMN_CHUNK_HAS_COLUMN_INDEX_OFFSET |
                   LAM_META_COLUMN_CHUNK_HAS_COLUMN_INDEX_LENGTH;
    chunk->column->bloom_filter_offset = (int64_t)out->size;
    must(lam_meta_write_bloom_filter_header(&chunk->bloom_header, out, &error), &error);
    must(lam_buffer_append(out, chunk->bloom, sizeof chunk->bloom, &error), &error);
    chunk->column->bloom_filter_length =
        (int32_t)((int64_t)out->size - chunk->column->bloom_filter_offset) + chunk->bloom_length;
    chunk->column->has |=
        LAM_META_COLUMN_HAS_BLOOM_FILTER_OFFSET | LAM_META_COLUMN_HAS_BLOOM_FILTER_LENGTH;
}

void rich_file_end(rich_file *file) {
    lam_error error = lam_error_none();
    for (size_t group = 0; group < RICH_GROUPS && !file->no_indexes; group++)
        for (int leaf = 0; leaf < RICH_LEAVES; leaf++)
            add_indexes(file, &file->chunks[group][leaf]);
    must(lam_footer_write(&file->meta, &file->data, &error), &error);
}

void rich_file_finish(rich_file *file) {
    lam_buffer_finish(&file->data);
    lam_arena_finish(&file->arena);
}
