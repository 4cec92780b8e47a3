/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Chunks that are made of others while they are read lend their triples as a chunk in a file does.
 */
#include "chunk/read/derived_chunk.h"

#include <criterion/criterion.h>
#include <string.h>

#include "base/alloc.h"
#include "chunk/chunk_sample.h"
#include "support/failing_alloc.h"

enum { RECORDS = 1000, STEP = 37 };

/* A derived chunk that gives the triples of a chunk as they are. */
typedef struct echo {
    lam_derived_chunk chunk;
    lam_column_cursor *inner;
    bool *is_gone;
} echo;

static lam_status echo_skip(lam_derived_chunk *base, uint64_t row, lam_error *error) {
    return lam_column_cursor_skip_to(((echo *)(void *)base)->inner, row, error);
}

static lam_status echo_read(lam_derived_chunk *base, size_t max_triples, uint64_t *rows,
                            lam_triples *ret_triples, lam_error *error) {
    return lam_column_cursor_read_rows(((echo *)(void *)base)->inner, max_triples, rows,
                                       ret_triples, error);
}

static void echo_destroy(lam_derived_chunk *base) {
    echo *made = (echo *)(void *)base;
    lam_column_cursor_destroy(made->inner);
    *made->is_gone = true;
}

typedef struct echo_bench {
    lam_chunk_sample sample;
    lam_triple_column column;
    lam_input input;
    lam_column_chunk chunk;
    echo made;
    bool is_gone;
    lam_column_cursor *cursor;
} echo_bench;

static void begin(echo_bench *bench) {
    const lam_triple_shape shape = {RECORDS, 20, 40, 0, 0};
    lam_random random = lam_random_start(lam_test_seed(7));
    lam_chunk_sample_init(&bench->sample, "message m { repeated group g { optional int32 a; } }");
    lam_triple_column_init(&bench->column, bench->sample.leaf, &shape, &random);
    lam_chunk_sample_write(&bench->sample, &bench->column, NULL);
    bench->chunk = lam_chunk_sample_chunk(&bench->sample, &bench->input);
    bench->is_gone = false;
    bench->made = (echo){{echo_skip, echo_read, echo_destroy}, NULL, &bench->is_gone};
    cr_assert_eq(
        lam_column_cursor_create(&bench->chunk, &bench->sample.allocator, &bench->made.inner, NULL),
        LAM_STATUS_OK);
}

static void open_derived(echo_bench *bench) {
    begin(bench);
    cr_assert_eq(lam_column_cursor_create_derived(&bench->chunk, &bench->made.chunk,
                                                  &bench->sample.allocator, &bench->cursor, NULL),
                 LAM_STATUS_OK);
}

static void end(echo_bench *bench) {
    lam_column_cursor_destroy(bench->cursor);
    cr_assert(bench->is_gone);
    lam_triple_column_finish(&bench->column);
    lam_chunk_sample_finish(&bench->sample);
}

/* Of no bytes there may be no place. */
static bool is_same(const void *a, const void *b, size_t size) {
    return size == 0 || memcmp(a, b, size) == 0;
}

Test(derived_chunk, its_triples_are_lent) {
    echo_bench bench;
    lam_triples triples, *all = &bench.column.triples;
    size_t at = 0, value = 0;
    open_derived(&bench);
    do {
        cr_assert_eq(lam_column_cursor_read(bench.cursor, STEP, &triples, NULL), LAM_STATUS_OK);
        cr_assert(is_same(triples.definition, all->definition + at, triples.count));
        cr_assert(is_same(triples.repetition, all->repetition + at, triples.count));
        cr_assert(is_same(triples.values, (const int32_t *)all->values + value,
                          triples.value_count * sizeof(int32_t)));
        at += triples.count;
        value += triples.value_count;
    } while (triples.count > 0);
    cr_assert_eq(at, all->count);
    cr_assert_eq(value, all->value_count);
    end(&bench);
}

Test(derived_chunk, rows_are_skipped_and_values_of_a_batch_are_read_in_part) {
    echo_bench bench;
    uint8_t repetition[STEP], definition[STEP];
    int32_t values[STEP];
    lam_batch batch;
    open_derived(&bench);
    const int32_t *all = bench.column.triples.values;
    for (uint64_t row = 3; row < RECORDS; row += 100) {
        size_t first = bench.column.value_starts[row];
        cr_assert_eq(lam_column_cursor_skip_to(bench.cursor, row, NULL), LAM_STATUS_OK);
        cr_assert_eq(lam_column_cursor_read_levels(bench.cursor, STEP, 5, repetition, definition,
                                                   &batch, NULL),
                     LAM_STATUS_OK);
        cr_assert_eq(repetition[0], 0);
        cr_assert_eq(
            memcmp(definition, bench.column.triples.definition + bench.column.starts[row], 1), 0);
        size_t skipped = batch.value_count / 2;
        cr_assert_eq(lam_column_cursor_skip_values(bench.cursor, skipped, NULL), LAM_STATUS_OK);
        cr_assert_eq(
            lam_column_cursor_read_values(bench.cursor, batch.value_count - skipped, values, NULL),
            LAM_STATUS_OK);
        cr_assert_eq(
            memcmp(values, all + first + skipped, (batch.value_count - skipped) * sizeof(int32_t)),
            0);
    }
    end(&bench);
}

Test(derived_chunk, pages_of_the_file_are_none_of_its) {
    echo_bench bench;
    const lam_meta_page_location wrong = {.offset = 9, .first_row_index = 5};
    lam_triples triples;
    open_derived(&bench);
    lam_column_cursor_use_locations(bench.cursor, &wrong, 1, true);
    cr_assert_eq(lam_column_cursor_load_dictionary(bench.cursor, NULL), LAM_STATUS_OK);
    cr_assert_null(lam_column_cursor_dictionary(bench.cursor));
    cr_assert_eq(lam_column_cursor_read(bench.cursor, 1, &triples, NULL), LAM_STATUS_OK);
    cr_assert_eq(triples.count, 1);
    end(&bench);
}

Test(derived_chunk, it_goes_where_memory_for_its_cursor_fails) {
    echo_bench bench;
    lam_failing_alloc failing = {.fail_at = 1};
    begin(&bench);
    bench.cursor = NULL;
    lam_allocator allocator = lam_failing_allocator(&failing);
    cr_assert_eq(lam_column_cursor_create_derived(&bench.chunk, &bench.made.chunk, &allocator,
                                                  &bench.cursor, NULL),
                 LAM_STATUS_NOMEM);
    end(&bench);
}
