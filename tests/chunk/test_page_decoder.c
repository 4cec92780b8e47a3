/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Triples of one page in batches of any bounds, with values that are decoded only where they are
 * wanted.
 */
#include "chunk/read/page_decoder.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "chunk/triple_column.h"
#include "encoding/plain.h"
#include "encoding/rle.h"
#include "kernel/kernel.h"
#include "support/random.h"
#include "support/test_file.h"

enum { ROOM = 3000 }; /* triples asked for at most */

static const char *const schemas[] = {
    "message m { required int32 a; }",
    "message m { optional int64 a; }",
    "message m { repeated double a; }",
    "message m { optional group g { repeated group h { repeated int32 a; } } }",
};

/* A page that no file and no chunk has: levels as runs, PLAIN values. */
typedef struct made_page {
    lam_allocator allocator;
    lam_schema *schema;
    lam_triple_column column;
    lam_buffer repetition;
    lam_buffer definition;
    lam_page page;
    lam_batch_room room;
    lam_page_decoder decoder;
} made_page;

static void make_levels(made_page *made, const uint8_t *levels, uint8_t max_level, lam_buffer *runs,
                        lam_rle_decoder *ret_decoder) {
    lam_rle_encoder encoder;
    unsigned width = lam_bit_width(max_level);
    lam_buffer_init(runs, &made->allocator);
    lam_rle_encoder_init(&encoder, lam_kernels_get(), width, runs);
    if (max_level > 0 && levels != NULL)
        cr_assert_eq(lam_rle_write_levels(&encoder, levels, made->column.triples.count, NULL),
                     LAM_STATUS_OK);
    else if (max_level > 0) /* left out: all are 0, or all the maximum */
        cr_assert_eq(lam_rle_write_run(&encoder, runs == &made->definition ? max_level : 0,
                                       made->column.triples.count, NULL),
                     LAM_STATUS_OK);
    cr_assert_eq(lam_rle_encoder_flush(&encoder, NULL), LAM_STATUS_OK);
    cr_assert_eq(
        lam_rle_decoder_init(ret_decoder, lam_kernels_get(), lam_buffer_bytes(runs), width, NULL),
        LAM_STATUS_OK);
}

/* Numbers are PLAIN as they lie in memory, on the machines that this test asks for. */
static void make_page(made_page *made, const char *schema, lam_random *random) {
    memset(made, 0, sizeof *made);
    made->allocator = lam_allocator_default();
    made->schema = lam_test_parse(schema);
    const lam_field *leaf = lam_schema_leaf(made->schema, 0);
    lam_triple_shape shape = {.record_count = 1 + (size_t)lam_random_below(random, 2000),
                              .null_percent = (unsigned)lam_random_below(random, 101),
                              .more_percent = 60};
    lam_triple_column_init(&made->column, leaf, &shape, random);
    const lam_triples *triples = &made->column.triples;
    made->page.value_count = (uint32_t)triples->count;
    made->page.encoding = LAM_ENCODING_PLAIN;
    make_levels(made, triples->repetition, leaf->max_repetition, &made->repetition,
                &made->page.repetition);
    make_levels(made, triples->definition, leaf->max_definition, &made->definition,
                &made->page.definition);
    made->page.values.data = triples->values;
    made->page.values.size = triples->value_count * lam_element_size(leaf);
    cr_assert_eq(
        lam_batch_room_init(&made->room, 100, lam_element_size(leaf), &made->allocator, NULL),
        LAM_STATUS_OK);
    lam_page_decoder_init(&made->decoder, lam_kernels_get(), leaf, &made->room, 1 << 20,
                          &made->allocator);
    lam_page_decoder_open(&made->decoder, &made->page, NULL);
}

static void finish_page(made_page *made) {
    lam_page_decoder_finish(&made->decoder);
    lam_batch_room_finish(&made->room);
    lam_buffer_finish(&made->repetition);
    lam_buffer_finish(&made->definition);
    lam_triple_column_finish(&made->column);
    lam_schema_destroy(made->schema);
}

/* The arrays of a caller. */
typedef struct batch_memory {
    uint8_t repetition[ROOM];
    uint8_t definition[ROOM];
    uint8_t values[ROOM * sizeof(double)];
} batch_memory;

/* Reads some batch, skips some of its values and compares the others. False at a row's end. */
static bool read_some(made_page *made, uint64_t *rows, lam_triple_match *match, batch_memory *m,
                      lam_random *random) {
    lam_batch batch;
    size_t size = lam_element_size(made->column.leaf);
    const lam_batch_bounds bounds = {1 + (size_t)lam_random_below(random, ROOM), *rows,
                                     1 + (size_t)lam_random_below(random, 100), false};
    memset(m->values, 0xEE, sizeof m->values);
    cr_assert_eq(lam_page_decoder_read_levels(&made->decoder, &bounds, m->repetition, m->definition,
                                              &batch, NULL),
                 LAM_STATUS_OK);
    cr_assert_leq(batch.count, bounds.triples);
    cr_assert_leq(batch.row_count, *rows);
    size_t skipped = (size_t)lam_random_below(random, batch.value_count + 1);
    size_t left = batch.value_count - skipped;
    const uint8_t *expected = made->column.triples.values;
    lam_page_decoder_skip(&made->decoder, skipped);
    const lam_value_target to = {.values = m->values + skipped * size};
    if (left > 0)
        cr_assert_eq(lam_page_decoder_read(&made->decoder, left, &to, NULL), LAM_STATUS_OK);
    /* What was skipped is filled in, so that the whole batch can be compared. */
    memcpy(m->values, expected + match->value_at * size, skipped * size);
    lam_triples run = {batch.count, batch.value_count, NULL, NULL, m->values};
    run.repetition = batch.has_repetition ? m->repetition : NULL;
    run.definition = batch.has_definition ? m->definition : NULL;
    cr_assert(lam_triple_match_next(match, &run), "after triple %zu", match->at);
    *rows -= batch.row_count;
    return batch.count > 0;
}

Test(page_decoder, batches_of_any_bounds_are_the_triples_of_the_page) {
    uint64_t seed = lam_test_seed(41);
    for (int round = 0; round < 400 && !LAM_BIG_ENDIAN; round++) {
        lam_random random = lam_random_start(seed + (uint64_t)round);
        made_page made;
        batch_memory *m = malloc(sizeof *m);
        make_page(&made, schemas[round % 4], &random);
        lam_triple_match match = {&made.column, 0, 0};
        while (!lam_page_decoder_is_read(&made.decoder)) {
            uint64_t rows = 1 + lam_random_below(&random, 100);
            size_t record = made.decoder.rows;
            while (!lam_page_decoder_is_read(&made.decoder) &&
                   read_some(&made, &rows, &match, m, &random))
                ;
            /* Up to the last triple of the last of these rows. */
            cr_assert_eq(match.at, made.column.starts[made.decoder.rows], "seed %llu",
                         (unsigned long long)seed);
            cr_assert_gt(made.decoder.rows, record);
        }
        cr_assert(lam_triple_match_at_end(&match));
        cr_assert_eq(made.decoder.rows, made.column.record_count);
        cr_assert_eq(lam_page_decoder_end(&made.decoder, NULL), LAM_STATUS_OK);
        finish_page(&made);
        free(m);
    }
}

/* A bit width of 2 has a level 3, where the maximum is 2. */
Test(page_decoder, a_level_above_the_maximum_is_corrupt) {
    static const uint8_t runs[] = {0x03, 0xFF, 0xFF}; /* a group of eight levels 3 */
    lam_random random = lam_random_start(1);
    made_page made;
    lam_batch batch = {.count = 77};
    uint8_t repetition[8], definition[8];
    const lam_batch_bounds bounds = {8, 8, 100, false};
    make_page(&made, schemas[3], &random);
    made.page.value_count = 8;
    cr_assert_eq(lam_rle_decoder_init(&made.page.repetition, lam_kernels_get(),
                                      (lam_bytes){runs, sizeof runs}, 2, NULL),
                 LAM_STATUS_OK);
    lam_page_decoder_open(&made.decoder, &made.page, NULL);
    lam_error error = lam_error_none();
    cr_assert_eq(lam_page_decoder_read_levels(&made.decoder, &bounds, repetition, definition,
                                              &batch, &error),
                 LAM_STATUS_CORRUPT);
    cr_assert_eq(error.code, LAM_ERROR_CODE_LEVELS_RANGE);
    cr_assert_eq(batch.count, 77);
    finish_page(&made);
}

/* No value of the page is decoded until one is read, however many are skipped. */
Test(page_decoder, values_that_are_only_skipped_are_not_decoded) {
    lam_random random = lam_random_start(2);
    made_page made;
    lam_batch batch;
    const lam_batch_bounds bounds = {ROOM, UINT64_MAX, 10000, false};
    make_page(&made, schemas[0], &random);
    made.page.values.size = 0; /* decoding would fail */
    lam_page_decoder_open(&made.decoder, &made.page, NULL);
    cr_assert_eq(lam_page_decoder_read_levels(&made.decoder, &bounds, NULL, NULL, &batch, NULL),
                 LAM_STATUS_OK);
    lam_page_decoder_skip(&made.decoder, batch.value_count);
    cr_assert(lam_page_decoder_is_read(&made.decoder));
    cr_assert_eq(lam_page_decoder_end(&made.decoder, NULL), LAM_STATUS_OK);
    finish_page(&made);
}
