/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Copies row groups of a file behind those of a writer. In come the footer of the file, of which
 * nothing is certain, and its pages, which are not read; out go the same bytes, and metadata whose
 * offsets are those of the new file:
 *
 *     pages of all chunks   Bloom filters   (at the end of the file: page indexes)
 *
 * The invariant: what is stated of the copy is as true as it was of the original. The new footer
 * has another created_by and states column orders of its own, so that bounds in another order, and
 * what the original's writer is known to have got wrong, are left out. Metadata that readers can do
 * without are left out, too, where they do not fit the chunk. (parquet.thrift, ColumnMetaData)
 */
#include "file/row_group_copy.h"

#include <inttypes.h>

#include "base/checked.h"
#include "base/error.h"
#include "base/stop.h"
#include "chunk/page_walk.h"
#include "file/copy_faults.h"
#include "file/file_reader.h"
#include "meta/compact.h"
#include "meta/known_faults.h"
#include "schema/leaf_error.h"
#include "schema/logical_type.h"
#include "stats/bloom.h"

enum {
    COPY_PIECE = 1 << 20,  /* bytes that are read and written at once */
    COPY_BLOOM_HEADER = 64 /* bytes; present headers take about 15 */
};

/* One call, and the row group that is being copied. */
typedef struct group_copy {
    lam_writer *writer;
    const lam_reader *reader;
    size_t row_group;
    uint32_t faults;  /* of the original's writer that the new file does not confess to */
    lam_arena arena;  /* page indexes as read, under the memory limit of the reader */
    lam_buffer piece; /* bytes on their way */
} group_copy;

void lam_writer_set_copy(lam_writer *writer, lam_copy_bytes *copy, void *state) {
    writer->copy = copy;
    writer->copy_state = state;
}

void lam_writer_release_output(lam_writer *writer) {
    memset(&writer->output, 0, sizeof writer->output);
}

/* --- Schemas ------------------------------------------------------------------------------- */

static bool same_field_name(const lam_field *a, const lam_field *b) {
    return a->name_size == b->name_size && memcmp(a->name, b->name, a->name_size) == 0;
}

/* Says what differs between two fields, names and children aside; NULL when nothing does. */
static const char *difference(const lam_field *a, const lam_field *b) {
    if (a->physical_type != b->physical_type || a->type_length != b->type_length)
        return "another type";
    if (a->repetition != b->repetition)
        return "another repetition";
    if (!lam_logical_type_equals(&a->logical_type, &b->logical_type))
        return "another logical type";
    return NULL;
}

/* Names the first child that only the larger of two groups has. */
static lam_status fail_by_child(const lam_field *own, const lam_field *other, const char *where,
                                lam_error *error) {
    char path[128];
    size_t i = 0;
    bool is_ours = own->child_count > other->child_count;
    while (i < own->child_count && i < other->child_count &&
           same_field_name(lam_field_child(own, i), lam_field_child(other, i)))
        i++;
    lam_field_path(lam_field_child(is_ours ? own : other, i), path, sizeof path);
    LAM_FAIL(error, LAM_STATUS_INVALID, "field '%s' is %s in the %s", path,
             is_ours ? "missing" : "only", where);
}

/*
 * Compares the trees field by field in preorder, which determines them together with the numbers of
 * children. The name of the message and field ids do not matter to the pages.
 */
lam_status lam_writer_check_schemas(const lam_schema *own, const lam_schema *other,
                                    const char *where, lam_error *error) {
    char path[128];
    for (size_t i = 0; i < own->field_count && i < other->field_count; i++) {
        const lam_field *field = &own->fields[i], *theirs = &other->fields[i];
        const char *what =
            i == 0 || same_field_name(field, theirs) ? difference(field, theirs) : "another name";
        lam_field_path(field, path, sizeof path);
        if (what != NULL)
            LAM_FAIL(error, LAM_STATUS_INVALID, "field '%s' has %s in the %s ('%.60s')", path, what,
                     where, theirs->name);
        if (field->child_count != theirs->child_count)
            return fail_by_child(field, theirs, where, error);
    }
    return LAM_STATUS_OK;
}

/* --- Bytes --------------------------------------------------------------------------------- */

/* Appends bytes to the writer's output. */
static lam_status copy_append(lam_writer *writer, const void *data, size_t size, lam_error *error) {
    LAM_TRY(writer->output.write(writer->output.state, data, size, error));
    writer->offset += size;
    return LAM_STATUS_OK;
}

/* Copies a range that lies inside the input, in pieces where nothing better is set. */
static lam_status copy_range(group_copy *copy, uint64_t offset, uint64_t size, lam_error *error) {
    lam_writer *writer = copy->writer;
    const lam_input *input = &copy->reader->input;
    if (writer->copy != NULL && size > 0) {
        LAM_TRY(writer->copy(writer->copy_state, input, offset, size, error));
        writer->offset += size;
        return LAM_STATUS_OK;
    }
    for (uint64_t done = 0; done < size;) {
        size_t piece = size - done < COPY_PIECE ? (size_t)(size - done) : COPY_PIECE;
        const uint8_t *bytes = NULL;
        LAM_TRY(lam_stop_check(copy->reader->stop, error));
        if (input->borrow != NULL)
            bytes = input->borrow(input->state, offset + done, piece);
        if (bytes == NULL) {
            lam_buffer_clear(&copy->piece);
            LAM_TRY(lam_buffer_reserve(&copy->piece, piece, error));
            LAM_TRY(input->read_at(input->state, offset + done, piece, copy->piece.data, error));
            bytes = copy->piece.data;
        }
        LAM_TRY(copy_append(writer, bytes, piece, error));
        done += piece;
    }
    return LAM_STATUS_OK;
}

/* --- Statistics ---------------------------------------------------------------------------- */

/* True when bounds of a leaf are in the order that the new footer states. */
static bool order_is_same(const group_copy *copy, const lam_field *leaf, size_t leaf_index) {
    const lam_meta_column_order_list *orders = &copy->reader->footer.meta.column_orders;
    return orders->count == copy->writer->schema->leaf_count &&
           orders->items[leaf_index].kind ==
               lam_chunk_column_order(leaf, &copy->writer->row_group.options);
}

/*
 * Leaves out counts and bounds that would become false. The deprecated bounds have an order of
 * their own, which no footer states.
 */
static lam_status copy_statistics(const group_copy *copy, const lam_field *leaf, size_t leaf_index,
                                  lam_arena *arena, lam_meta_column *column, lam_error *error) {
    const uint32_t bounds = LAM_META_STATISTICS_HAS_MIN_VALUE | LAM_META_STATISTICS_HAS_MAX_VALUE |
                            LAM_META_STATISTICS_HAS_IS_MIN_VALUE_EXACT |
                            LAM_META_STATISTICS_HAS_IS_MAX_VALUE_EXACT;
    const uint32_t old_bounds = LAM_META_STATISTICS_HAS_MIN | LAM_META_STATISTICS_HAS_MAX;
    void *memory;
    if (column->statistics == NULL)
        return LAM_STATUS_OK;
    LAM_TRY(lam_arena_alloc(arena, sizeof(lam_meta_statistics), &memory, error));
    lam_meta_statistics *statistics = memory;
    *statistics = *column->statistics;
    bool are_wrong = lam_known_faults_spoil_statistics(copy->faults, leaf);
    if (are_wrong || !order_is_same(copy, leaf, leaf_index))
        statistics->has &= ~bounds;
    if (are_wrong || lam_known_faults_of_leaf(copy->faults, leaf) != 0)
        statistics->has &= ~old_bounds;
    if (lam_known_faults_spoil_null_counts(copy->faults, leaf))
        statistics->has &= ~(uint32_t)LAM_META_STATISTICS_HAS_NULL_COUNT;
    column->statistics = statistics;
    return LAM_STATUS_OK;
}

/* --- Page indexes -------------------------------------------------------------------------- */

/* Turns damage of metadata that readers can do without into `*ret_good` false. */
static lam_status forgive(lam_status status, const lam_error *failure, bool *ret_good,
                          lam_error *error) {
    *ret_good = status == LAM_STATUS_OK;
    if (status != LAM_STATUS_NOMEM && status != LAM_STATUS_IO)
        return LAM_STATUS_OK;
    if (error != NULL)
        *error = *failure;
    return status;
}

/* Reads a range of the file; no bytes when it cannot lie before the footer. */
static lam_status copy_read(group_copy *copy, int64_t offset, int64_t size, lam_bytes *ret_bytes,
                            lam_error *error) {
    uint8_t *bytes;
    bool good;
    lam_error failure = lam_error_none();
    const lam_input *input = &copy->reader->input;
    *ret_bytes = (lam_bytes){NULL, 0};
    if (offset < 0 || size <= 0 || (uint64_t)size > SIZE_MAX ||
        !lam_range_fits((uint64_t)offset, (uint64_t)size, copy->reader->footer.offset))
        return LAM_STATUS_OK;
    LAM_TRY(forgive(lam_arena_bytes(&copy->arena, (size_t)size, &bytes, &failure), &failure, &good,
                    error));
    if (!good)
        return LAM_STATUS_OK;
    LAM_TRY(input->read_at(input->state, (uint64_t)offset, (size_t)size, bytes, error));
    *ret_bytes = (lam_bytes){bytes, (size_t)size};
    return LAM_STATUS_OK;
}

/*
 * Moves the locations of an offset index to the new file. False when one of them is not inside of
 * the chunk, or they are out of order.
 */
static bool move_locations(const lam_chunk_range *range, int64_t rows, int64_t shift,
                           lam_meta_offset_index *index) {
    /* The items were allocated when the index was read. */
    lam_meta_page_location *items =
        (lam_meta_page_location *)(uintptr_t)index->page_locations.items;
    uint64_t at = range->offset, end = range->offset + range->size;
    int64_t row = -1;
    for (uint32_t i = 0; i < index->page_locations.count; i++) {
        if (items[i].offset < 0 || items[i].compressed_page_size < 0 ||
            (uint64_t)items[i].offset < at || items[i].first_row_index <= row ||
            items[i].first_row_index >= rows || (i == 0 && items[i].first_row_index != 0) ||
            !lam_range_fits((uint64_t)items[i].offset, (uint64_t)items[i].compressed_page_size,
                            end))
            return false;
        at = (uint64_t)items[i].offset + (uint64_t)items[i].compressed_page_size;
        row = items[i].first_row_index;
        items[i].offset += shift;
    }
    return index->page_locations.count > 0;
}

/* Adds both indexes of a chunk to those that the writer has; `bounds` may be NULL. */
static lam_status add_indexes(lam_page_index *index, const lam_meta_offset_index *locations,
                              const lam_meta_column_index *bounds, lam_meta_column_chunk *chunk,
                              lam_error *error) {
    if (bounds != NULL)
        LAM_TRY(lam_page_index_put_bounds(index, bounds, chunk, error));
    return lam_page_index_put_locations(index, locations, chunk, error);
}

/* Reads the column index of a chunk; `*ret_good` is false when it may not be copied. */
static lam_status copy_read_bounds(group_copy *copy, const lam_meta_column_chunk *old,
                                   const lam_field *leaf, size_t leaf_index,
                                   lam_meta_column_index *ret_bounds, bool *ret_good,
                                   lam_error *error) {
    lam_bytes bytes;
    size_t size = 0;
    lam_error failure = lam_error_none();
    *ret_good = false;
    if ((old->has & LAM_META_COLUMN_CHUNK_HAS_COLUMN_INDEX_OFFSET) == 0 ||
        lam_known_faults_spoil_column_index(copy->faults, leaf) ||
        lam_known_faults_spoil_null_counts(copy->faults, leaf) ||
        !order_is_same(copy, leaf, leaf_index))
        return LAM_STATUS_OK;
    LAM_TRY(copy_read(copy, old->column_index_offset, old->column_index_length, &bytes, error));
    if (bytes.size == 0)
        return LAM_STATUS_OK;
    LAM_TRY(forgive(lam_meta_read_column_index(bytes, &copy->arena, ret_bounds, &size, &failure),
                    &failure, ret_good, error));
    *ret_good = *ret_good && size > 0;
    return LAM_STATUS_OK;
}

/* Copies the page indexes of a chunk, if it has them and they fit it. */
static lam_status copy_indexes(group_copy *copy, const lam_meta_column_chunk *old,
                               const lam_field *leaf, size_t leaf_index,
                               const lam_chunk_range *range, int64_t shift,
                               lam_meta_column_chunk *chunk, lam_error *error) {
    lam_bytes bytes;
    size_t size = 0;
    bool good, has_bounds;
    lam_error failure = lam_error_none();
    lam_meta_offset_index locations;
    lam_meta_column_index bounds;
    int64_t rows = copy->reader->footer.meta.row_groups.items[copy->row_group].num_rows;
    if ((old->has & LAM_META_COLUMN_CHUNK_HAS_OFFSET_INDEX_OFFSET) == 0 ||
        (lam_known_faults_of_leaf(copy->faults, leaf) & LAM_FAULT_OFFSET_INDEX) != 0 ||
        copy->writer->row_group.options.no_page_index)
        return LAM_STATUS_OK;
    lam_arena_reset(&copy->arena);
    LAM_TRY(copy_read(copy, old->offset_index_offset, old->offset_index_length, &bytes, error));
    if (bytes.size == 0)
        return LAM_STATUS_OK;
    LAM_TRY(forgive(lam_meta_read_offset_index(bytes, &copy->arena, &locations, &size, &failure),
                    &failure, &good, error));
    if (!good || size == 0 || !move_locations(range, rows, shift, &locations))
        return LAM_STATUS_OK;
    LAM_TRY(copy_read_bounds(copy, old, leaf, leaf_index, &bounds, &has_bounds, error));
    has_bounds = has_bounds && bounds.null_pages.count == locations.page_locations.count;
    return add_indexes(&copy->writer->row_group.page_index, &locations, has_bounds ? &bounds : NULL,
                       chunk, error);
}

/* --- Chunks -------------------------------------------------------------------------------- */

/*
 * Copies the pages of a chunk. A chunk begins with its dictionary page, if it has one; offsets that
 * writers state otherwise are made so: see lam_chunk_find.
 */
static lam_status copy_chunk(group_copy *copy, size_t leaf_index, lam_arena *arena,
                             lam_meta_column *column, lam_meta_column_chunk *chunk,
                             lam_error *error) {
    const lam_field *leaf = lam_leaf_at(copy->writer->schema, leaf_index);
    const lam_meta_column_chunk *old =
        &copy->reader->footer.meta.row_groups.items[copy->row_group].columns.items[leaf_index];
    uint64_t start = copy->writer->offset;
    lam_chunk_range range;
    LAM_TRY(lam_chunk_find(old->meta_data, copy->reader->footer.offset, &range, error));
    *column = *old->meta_data;
    int64_t shift = (int64_t)start - (int64_t)range.offset;
    bool has_dictionary = range.size > 0 &&
                          (column->has & LAM_META_COLUMN_HAS_DICTIONARY_PAGE_OFFSET) != 0 &&
                          column->dictionary_page_offset == (int64_t)range.offset &&
                          column->data_page_offset != (int64_t)range.offset;
    column->has &= ~(uint32_t)(LAM_META_COLUMN_HAS_INDEX_PAGE_OFFSET |
                               LAM_META_COLUMN_HAS_DICTIONARY_PAGE_OFFSET |
                               LAM_META_COLUMN_HAS_BLOOM_FILTER_OFFSET |
                               LAM_META_COLUMN_HAS_BLOOM_FILTER_LENGTH);
    if (has_dictionary) {
        column->has |= LAM_META_COLUMN_HAS_DICTIONARY_PAGE_OFFSET;
        column->dictionary_page_offset = (int64_t)start;
    }
    if (range.size == 0 || column->data_page_offset <= 0)
        column->data_page_offset = (int64_t)start;
    else
        column->data_page_offset += shift;
    column->total_compressed_size = (int64_t)range.size;
    LAM_TRY(copy_statistics(copy, leaf, leaf_index, arena, column, error));
    *chunk = (lam_meta_column_chunk){.meta_data = column};
    LAM_TRY(copy_range(copy, range.offset, range.size, error));
    return copy_indexes(copy, old, leaf, leaf_index, &range, shift, chunk, error);
}

/*
 * Copies the Bloom filter of a chunk, header and bitset, if it has one whose length can be known.
 * (BloomFilter.md, section "File Format")
 */
static lam_status copy_bloom(group_copy *copy, size_t leaf_index, lam_meta_column *column,
                             lam_error *error) {
    const lam_meta_column *old = copy->reader->footer.meta.row_groups.items[copy->row_group]
                                     .columns.items[leaf_index]
                                     .meta_data;
    const lam_field *leaf = lam_leaf_at(copy->writer->schema, leaf_index);
    lam_meta_bloom_filter_header header;
    lam_bytes bytes;
    size_t size = 0;
    bool good;
    lam_error failure = lam_error_none();
    if ((old->has & LAM_META_COLUMN_HAS_BLOOM_FILTER_OFFSET) == 0 || old->num_values == 0 ||
        (lam_known_faults_of_leaf(copy->faults, leaf) & LAM_FAULT_BLOOM_FILTERS) != 0)
        return LAM_STATUS_OK;
    int64_t left = old->bloom_filter_offset < 0
                       ? 0
                       : (int64_t)copy->reader->footer.offset - old->bloom_filter_offset;
    lam_arena_reset(&copy->arena);
    LAM_TRY(copy_read(copy, old->bloom_filter_offset,
                      left < COPY_BLOOM_HEADER ? left : COPY_BLOOM_HEADER, &bytes, error));
    if (bytes.size == 0)
        return LAM_STATUS_OK;
    LAM_TRY(
        forgive(lam_meta_read_bloom_filter_header(bytes, &copy->arena, &header, &size, &failure),
                &failure, &good, error));
    int64_t total = good && size > 0 ? (int64_t)size + header.num_bytes : 0;
    if (!good || size == 0 || header.num_bytes <= 0 ||
        header.num_bytes % LAM_BLOOM_BLOCK_SIZE != 0 || total > left || total > INT32_MAX ||
        ((old->has & LAM_META_COLUMN_HAS_BLOOM_FILTER_LENGTH) != 0 &&
         old->bloom_filter_length != total))
        return LAM_STATUS_OK;
    column->has |=
        LAM_META_COLUMN_HAS_BLOOM_FILTER_OFFSET | LAM_META_COLUMN_HAS_BLOOM_FILTER_LENGTH;
    column->bloom_filter_offset = (int64_t)copy->writer->offset;
    column->bloom_filter_length = (int32_t)total;
    return copy_range(copy, (uint64_t)old->bloom_filter_offset, (uint64_t)total, error);
}

/* --- Row groups ---------------------------------------------------------------------------- */

/* Refuses a row group of which a chunk cannot be copied, before anything of it is written. */
static lam_status copy_check_group(const group_copy *copy, lam_error *error) {
    const lam_schema *schema = copy->writer->schema;
    /* What is behind the stated end of a chunk would be lost, whatever the new footer confesses. */
    uint32_t faults = copy->faults | (copy->reader->faults & (uint32_t)LAM_FAULT_CHUNK_SIZES);
    for (size_t i = 0; i < schema->leaf_count; i++) {
        const lam_field *leaf = lam_leaf_at(schema, i);
        const lam_meta_column *column;
        lam_chunk_range range;
        LAM_TRY(lam_reader_find_column(copy->reader, copy->row_group, i, &column, error));
        lam_status status = lam_chunk_find(column, copy->reader->footer.offset, &range, error);
        if (status == LAM_STATUS_OK && column->type != leaf->physical_type)
            status = lam_error_set(error, LAM_ERROR_CODE_CHUNK_TYPE,
                                   "the chunk has type %" PRId32 ", not that of its column",
                                   column->type);
        if (status == LAM_STATUS_OK && range.size > 0 && column->data_page_offset > 0 &&
            !lam_range_fits((uint64_t)column->data_page_offset, 1, range.offset + range.size))
            status = lam_error_set(error, LAM_ERROR_CODE_CHUNK_RANGE,
                                   "the first data page is at %" PRId64 ", outside of the chunk",
                                   column->data_page_offset);
        if (status == LAM_STATUS_OK)
            status = lam_copy_check_faults(copy->reader, copy->row_group, i, faults, error);
        if (status != LAM_STATUS_OK) {
            lam_error_at_leaf(error, copy->row_group, leaf);
            return status;
        }
    }
    return LAM_STATUS_OK;
}

/* Keeps the sorting columns if each of them is a leaf. */
static void copy_sorting(const group_copy *copy, lam_meta_row_group *group) {
    for (uint32_t i = 0; i < group->sorting_columns.count; i++) {
        int32_t leaf = group->sorting_columns.items[i].column_idx;
        if (leaf < 0 || (size_t)leaf >= copy->writer->schema->leaf_count)
            group->has &= ~(uint32_t)LAM_META_ROW_GROUP_HAS_SORTING_COLUMNS;
    }
}

/* Adds two sizes of the original's footer, which may state anything. */
static int64_t add_chunk_size(int64_t a, int64_t b) {
    return b < 0 || a > INT64_MAX - b ? a : a + b;
}

/* Copies one row group that was checked, and describes it. */
static lam_status copy_group(group_copy *copy, lam_error *error) {
    lam_writer *writer = copy->writer;
    size_t leaves = writer->schema->leaf_count;
    lam_arena *arena = &writer->footer.scratch;
    lam_meta_row_group group = copy->reader->footer.meta.row_groups.items[copy->row_group];
    void *memory;
    lam_arena_reset(arena);
    LAM_TRY(lam_arena_array(arena, leaves, sizeof(lam_meta_column_chunk), &memory, error));
    lam_meta_column_chunk *chunks = memory;
    LAM_TRY(lam_arena_array(arena, leaves, sizeof(lam_meta_column), &memory, error));
    lam_meta_column *columns = memory;
    copy_sorting(copy, &group);
    group.has &= LAM_META_ROW_GROUP_HAS_SORTING_COLUMNS;
    group.has |= LAM_META_ROW_GROUP_HAS_FILE_OFFSET | LAM_META_ROW_GROUP_HAS_TOTAL_COMPRESSED_SIZE;
    group.file_offset = (int64_t)writer->offset;
    group.columns.items = chunks;
    group.columns.count = (uint32_t)leaves;
    group.total_byte_size = 0;
    group.total_compressed_size = 0;
    for (size_t i = 0; i < leaves; i++) {
        LAM_TRY(copy_chunk(copy, i, arena, &columns[i], &chunks[i], error));
        group.total_byte_size =
            add_chunk_size(group.total_byte_size, columns[i].total_uncompressed_size);
        group.total_compressed_size =
            add_chunk_size(group.total_compressed_size, columns[i].total_compressed_size);
    }
    for (size_t i = 0; i < leaves; i++)
        LAM_TRY(copy_bloom(copy, i, &columns[i], error));
    if (writer->footer.row_group_count <= INT16_MAX) {
        group.has |= LAM_META_ROW_GROUP_HAS_ORDINAL;
        group.ordinal = (int16_t)writer->footer.row_group_count;
    }
    return lam_writer_add_row_group(writer, &group, error);
}

/* A row group that is refused leaves the writer usable; one that failed half-written does not. */
static lam_status copy_groups(group_copy *copy, size_t first, size_t count, lam_error *error) {
    for (size_t i = 0; i < count; i++) {
        lam_error failure = lam_error_none();
        copy->row_group = first + i;
        LAM_TRY(lam_stop_check(copy->reader->stop, error));
        LAM_TRY(copy_check_group(copy, error));
        LAM_TRY(lam_writer_poison(copy->writer, copy_group(copy, &failure), &failure, error));
    }
    return LAM_STATUS_OK;
}

lam_status lam_writer_copy_row_groups(lam_writer *writer, const lam_reader *reader, size_t first,
                                      size_t count, lam_error *error) {
    LAM_TRY(lam_writer_check_usable(writer, error));
    if (reader == NULL)
        LAM_FAIL(error, LAM_STATUS_INVALID, "no reader (NULL)");
    size_t there = reader->footer.meta.row_groups.count;
    if (first > there || count > there - first)
        LAM_FAIL(error, LAM_STATUS_INVALID, "no row groups %zu to %zu: there are %zu", first,
                 first + count, there);
    LAM_TRY(lam_writer_check_schemas(writer->schema, reader->schema, "file that is copied", error));
    LAM_TRY(lam_writer_end_row_group(writer, error));
    group_copy copy = {.writer = writer, .reader = reader};
    copy.faults = reader->faults & ~lam_known_faults(writer->footer.created_by);
    lam_arena_init(&copy.arena, &writer->allocator, (size_t)reader->memory_limit);
    lam_buffer_init(&copy.piece, &writer->allocator);
    lam_status status = copy_groups(&copy, first, count, error);
    lam_arena_finish(&copy.arena);
    lam_buffer_finish(&copy.piece);
    return status;
}
