/* SPDX-License-Identifier: Apache-2.0 */
/* Rows as a block of bytes, and back. */
#include "rewrite/sort/sort_block.h"

#include <criterion/criterion.h>
#include <string.h>

#include "file/file_sample.h"
#include "schema/tree.h"
#include "support/failing_alloc.h"

TestSuite(sort_block);

enum { BLOCK_LEAVES = 3, ROWS_MOST = 90 };

/* A number and a text in each row, of which some are empty, and lists of two numbers. */
typedef struct block_rows {
    lam_schema *schema;
    int32_t numbers[ROWS_MOST];
    lam_bytes texts[ROWS_MOST];
    uint8_t repetition[2 * ROWS_MOST];
    uint8_t definition[2 * ROWS_MOST];
    int64_t list[2 * ROWS_MOST];
    lam_triples columns[BLOCK_LEAVES];
} block_rows;

static void make_rows(block_rows *rows, size_t count) {
    rows->schema =
        lam_test_schema("message m { required int32 a; required binary b; repeated int64 c; }");
    for (size_t i = 0; i < count; i++) {
        rows->numbers[i] = (int32_t)i;
        rows->texts[i] = (lam_bytes){(const uint8_t *)"abcdefgh", i % 5};
        if (i % 5 == 0)
            rows->texts[i].data = NULL;
    }
    for (size_t i = 0; i < 2 * count; i++) {
        rows->repetition[i] = i % 2;
        rows->definition[i] = 1;
        rows->list[i] = (int64_t)i;
    }
    rows->columns[0] = (lam_triples){count, count, NULL, NULL, rows->numbers};
    rows->columns[1] = (lam_triples){count, count, NULL, NULL, rows->texts};
    rows->columns[2] =
        (lam_triples){2 * count, 2 * count, rows->repetition, rows->definition, rows->list};
}

static void expect_rows(const block_rows *rows, const lam_sort_batch *batch, size_t count) {
    const lam_triples *columns = batch->columns.items;
    const lam_bytes *texts = columns[1].values;
    cr_assert_eq(batch->rows, count);
    cr_assert_eq(memcmp(columns[0].values, rows->numbers, count * sizeof(int32_t)), 0);
    for (size_t i = 0; i < count; i++) {
        cr_assert_eq(texts[i].size, i % 5);
        cr_assert_eq(memcmp(texts[i].data, "abcdefgh", i % 5), 0);
    }
    cr_assert_eq(columns[2].count, 2 * count);
    cr_assert_eq(memcmp(columns[2].repetition, rows->repetition, 2 * count), 0);
    cr_assert_eq(memcmp(columns[2].values, rows->list, 2 * count * sizeof(int64_t)), 0);
}

/* Writes and reads a block with one allocator, whose request `fail_at` fails. */
static lam_status try_block(const block_rows *rows, size_t count, lam_failing_alloc *counter) {
    lam_allocator allocator = lam_failing_allocator(counter);
    lam_sort_batch batch = {0};
    lam_buffer out, views[BLOCK_LEAVES];
    lam_status status;
    lam_buffer_init(&out, &allocator);
    for (size_t i = 0; i < BLOCK_LEAVES; i++)
        lam_buffer_init(&views[i], &allocator);
    status = lam_sort_block_write(rows->schema, rows->columns, count, &out, NULL);
    if (status == LAM_STATUS_OK)
        status = lam_sort_batch_init(&batch, rows->schema, &allocator, NULL);
    if (status == LAM_STATUS_OK)
        status = lam_sort_block_read(lam_buffer_bytes(&out), views, &batch, NULL);
    if (status == LAM_STATUS_OK)
        expect_rows(rows, &batch, count);
    lam_sort_batch_finish(&batch);
    for (size_t i = 0; i < BLOCK_LEAVES; i++)
        lam_buffer_finish(&views[i]);
    lam_buffer_finish(&out);
    cr_assert_eq(counter->live_bytes, 0);
    cr_assert_eq(counter->wrong_sizes, 0);
    return status;
}

Test(sort_block, gives_back_its_rows_or_has_no_memory) {
    static block_rows rows;
    for (size_t count = 0; count <= ROWS_MOST; count++) {
        lam_failing_alloc counter = {0};
        make_rows(&rows, count);
        cr_assert_eq(try_block(&rows, count, &counter), LAM_STATUS_OK);
        size_t requests = counter.requests;
        for (size_t n = 1; n <= requests; n++) {
            counter = (lam_failing_alloc){.fail_at = n};
            cr_assert_eq(try_block(&rows, count, &counter), LAM_STATUS_NOMEM, "%zu rows, %zu",
                         count, n);
        }
        lam_schema_destroy(rows.schema);
    }
}

/* Without levels each triple is a row, also where the leaf could be repeated. */
Test(sort_block, rows_of_a_column_without_levels_are_its_triples) {
    static block_rows rows;
    lam_allocator allocator = lam_allocator_default();
    lam_sort_batch batch;
    lam_sort_gather gather;
    const lam_sort_batch *batches[] = {&batch};
    const lam_sort_pick picks[] = {{0, 2}, {0, 0}};
    const lam_triples *columns;
    make_rows(&rows, 3);
    rows.columns[2] = (lam_triples){3, 3, NULL, NULL, rows.list};
    cr_assert_eq(lam_sort_batch_init(&batch, rows.schema, &allocator, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_sort_gather_init(&gather, rows.schema, &allocator, NULL), LAM_STATUS_OK);
    memcpy(batch.columns.items, rows.columns, sizeof rows.columns);
    cr_assert_eq(lam_sort_batch_index(&batch, 3, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_sort_gather_rows(&gather, batches, picks, 2, &columns, NULL), LAM_STATUS_OK);
    cr_assert_eq(columns[2].count, 2);
    cr_assert_eq(((const int64_t *)columns[2].values)[0], 2);
    cr_assert_eq(((const int64_t *)columns[2].values)[1], 0);
    lam_sort_gather_finish(&gather);
    lam_sort_batch_finish(&batch);
    lam_schema_destroy(rows.schema);
}
