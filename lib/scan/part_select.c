#include "scan/part_select.h"

#include <lamella/dremel.h>

#include "base/alloc.h"
#include "base/error.h"
#include "chunk/chunk.h"
#include "scan/chunk_index.h"
#include "schema/leaf_error.h"

/* A column, and the rows that are read of it. */
typedef struct part_column {
    lam_part_select *select;
    const lam_field *leaf;
    lam_chunk_reader *chunk;
    uint64_t row;       /* where the chunk stands when the rows left are read */
    uint64_t rows_left; /* of those at hand */
} part_column;

struct lam_part_select {
    lam_allocator allocator;
    lam_arena pages; /* where they begin */
    size_t row_group;
    lam_part_matcher *matcher;
    lam_assembler *assembler;
    part_column *columns;
    lam_triple_source *sources;
    size_t column_count;
};

/* Whether any guard of a part may have values. */
static lam_status has_guards(const lam_reader *reader, const lam_filter_part *part,
                             size_t row_group, bool trusts_stats, bool *ret_any, lam_error *error) {
    bool any = false;
    for (size_t i = 0; !any && i <= part->chain_length; i++) {
        const lam_field *value = part->guards[i].value;
        bool empty = false;
        if (value != NULL && trusts_stats)
            LAM_TRY(lam_chunk_is_empty(reader, row_group, value->first_leaf, &empty, error));
        any = value != NULL && !empty;
    }
    *ret_any = any;
    return LAM_STATUS_OK;
}

lam_status lam_part_choose(const lam_reader *reader, const lam_filter *filter, size_t row_group,
                           bool trusts_stats, bool *needs_parts, lam_error *error) {
    for (size_t i = 0; i < filter->test_count; i++) {
        const lam_filter_part *part = filter->tests[i].part;
        needs_parts[i] = part != NULL && !part->has_leaf_test;
        if (part != NULL && part->has_leaf_test)
            LAM_TRY(has_guards(reader, part, row_group, trusts_stats, &needs_parts[i], error));
    }
    return LAM_STATUS_OK;
}

/* --- Columns ------------------------------------------------------------------------------- */

static lam_status read_column(void *state, lam_triples *ret_triples, lam_error *error) {
    part_column *column = state;
    lam_triples triples = {0};
    lam_status status =
        lam_chunk_reader_read_rows(column->chunk, SIZE_MAX, &column->rows_left, &triples, error);
    if (status != LAM_STATUS_OK)
        lam_error_at_leaf(error, column->select->row_group, column->leaf);
    else
        *ret_triples = triples;
    return status;
}

static lam_status open_columns(lam_part_select *select, const lam_reader *reader, bool has_gaps,
                               lam_page_store *pages, lam_error *error) {
    uint64_t unused = 0;
    const bool *leaves = lam_part_matcher_leaves(select->matcher);
    size_t leaf_count = lam_schema_leaf_count(reader->schema), next = 0;
    void *memory;
    for (size_t leaf = 0; leaf < leaf_count; leaf++)
        select->column_count += leaves[leaf];
    LAM_TRY(lam_alloc_array(&select->allocator, select->column_count, sizeof(part_column), &memory,
                            error));
    select->columns = memory;
    LAM_TRY(lam_alloc_array(&select->allocator, select->column_count, sizeof(lam_triple_source),
                            &memory, error));
    select->sources = memory;
    for (size_t leaf = 0; leaf < leaf_count; leaf++) {
        if (!leaves[leaf])
            continue;
        part_column *column = &select->columns[next];
        column->select = select;
        column->leaf = lam_schema_leaf(reader->schema, leaf);
        select->sources[next++] = (lam_triple_source){column, read_column};
        LAM_TRY(lam_chunk_open(reader, select->row_group, leaf, has_gaps, &select->pages, &unused,
                               &column->chunk, error));
        LAM_TRY(lam_chunk_reader_put_pages(column->chunk, pages, error));
    }
    return lam_assembler_create(reader->schema, leaves, select->sources, &select->allocator,
                                &select->assembler, error);
}

lam_status lam_part_select_create(const lam_reader *reader, const lam_filter *filter,
                                  const bool *tests, size_t row_group, bool has_gaps,
                                  lam_page_store *pages, lam_part_select **ret_select,
                                  lam_error *error) {
    lam_status status;
    void *memory;
    LAM_TRY(lam_alloc_array(&reader->allocator, 1, sizeof(lam_part_select), &memory, error));
    lam_part_select *select = memory;
    select->allocator = reader->allocator;
    select->row_group = row_group;
    lam_arena_init(&select->pages, &reader->allocator, (size_t)reader->memory_limit);
    LAM_TRY_OUT(
        lam_part_matcher_create(filter, tests, &reader->allocator, &select->matcher, error));
    LAM_TRY_OUT(open_columns(select, reader, has_gaps, pages, error));
    *ret_select = select;
    return LAM_STATUS_OK;
out:
    lam_part_select_destroy(select);
    return status;
}

void lam_part_select_destroy(lam_part_select *select) {
    if (select == NULL)
        return;
    lam_allocator allocator = select->allocator;
    lam_assembler_destroy(select->assembler);
    for (size_t i = 0; select->columns != NULL && i < select->column_count; i++)
        lam_chunk_reader_destroy(select->columns[i].chunk);
    lam_free(&allocator, select->columns, select->column_count * sizeof(part_column));
    lam_free(&allocator, select->sources, select->column_count * sizeof(lam_triple_source));
    lam_part_matcher_destroy(select->matcher);
    lam_arena_finish(&select->pages);
    lam_free(&allocator, select, sizeof *select);
}

lam_status lam_part_select_put_last_pages(lam_part_select *select, lam_error *error) {
    for (size_t i = 0; select != NULL && i < select->column_count; i++)
        LAM_TRY(lam_chunk_reader_put_last_pages(select->columns[i].chunk, error));
    return LAM_STATUS_OK;
}

uint64_t lam_part_select_page_bytes(const lam_part_select *select) {
    uint64_t bytes = 0;
    for (size_t i = 0; select != NULL && i < select->column_count; i++)
        bytes += lam_chunk_reader_page_bytes(select->columns[i].chunk);
    return bytes;
}

/* --- Rows ---------------------------------------------------------------------------------- */

static lam_status skip_to(lam_part_select *select, uint64_t row, size_t count, lam_error *error) {
    for (size_t i = 0; i < select->column_count; i++) {
        part_column *column = &select->columns[i];
        lam_status status = lam_chunk_reader_skip_rows(column->chunk, row - column->row, error);
        if (status != LAM_STATUS_OK) {
            lam_error_at_leaf(error, select->row_group, column->leaf);
            return status;
        }
        column->row = row + count;
        column->rows_left = count;
    }
    return LAM_STATUS_OK;
}

lam_status lam_part_select_rows(lam_part_select *select, uint64_t row, size_t count,
                                uint8_t *const *outcomes, lam_error *error) {
    lam_record_sink sink = lam_part_matcher_sink(select->matcher);
    size_t read;
    LAM_TRY(skip_to(select, row, count, error));
    lam_part_matcher_begin(select->matcher, outcomes);
    lam_assembler_restart(select->assembler);
    LAM_TRY(lam_assembler_read(select->assembler, &sink, count, &read, error));
    if (read != count)
        LAM_FAIL(error, LAM_ERROR_CODE_CHUNK_ROWS,
                 "columns end before the last row of row group %zu", select->row_group);
    return LAM_STATUS_OK;
}
