/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pages go through the cache only where they are whole: what one reader kept, the next one takes,
 * and a damaged page is never kept.
 */
#include "chunk/read/cached_source.h"

#include <criterion/criterion.h>
#include <string.h>

#include "chunk/chunk_sample.h"
#include "support/random.h"

enum { ROOM = 1 << 20 };

/* A cache of the first leaf. */
typedef struct one_cache {
    lam_page_cache cache;
    lam_cached_chunk *chunk;
} one_cache;

static void start(one_cache *it, uint64_t budget) {
    lam_allocator allocator = lam_allocator_default();
    lam_page_cache_init(&it->cache, NULL, budget, &allocator);
    cr_assert_eq(lam_page_cache_add_chunk(&it->cache, 0, &it->chunk, NULL), LAM_STATUS_OK);
}

static void finish(one_cache *it) {
    lam_page_cache_finish(&it->cache);
}

static void write_chunk(lam_chunk_sample *sample, lam_triple_column *column, lam_random *random) {
    static const char *const schemas[] = {
        "message m { required int32 a; }", "message m { optional binary a; }",
        "message m { repeated group g { optional int64 a; } }", "message m { repeated binary a; }"};
    static const lam_codec codecs[] = {LAM_CODEC_UNCOMPRESSED, LAM_CODEC_SNAPPY, LAM_CODEC_ZSTD};
    lam_chunk_sample_init(sample, schemas[lam_random_below(random, 4)]);
    sample->options.page_rows = 1 + lam_random_below(random, 300);
    sample->options.page_version = 1 + (int32_t)lam_random_below(random, 2);
    sample->options.codec = codecs[lam_random_below(random, 3)];
    sample->options.use_dictionary = lam_random_chance(random, 50);
    sample->options.dictionary_bytes = lam_random_chance(random, 50) ? 1 << 20 : 100;
    lam_triple_shape shape = {.record_count = 1 + (size_t)lam_random_below(random, 1000),
                              .null_percent = (unsigned)lam_random_below(random, 101),
                              .more_percent = 60,
                              .distinct = lam_random_chance(random, 50) ? 20 : 0,
                              .bytes_max = 20};
    lam_triple_column_init(column, sample->leaf, &shape, random);
    lam_chunk_sample_write(sample, column, NULL);
}

/* Reads up to `rows` rows and compares them, unless `column` is NULL. */
static lam_status read_rows(lam_column_cursor *cursor, const lam_triple_column *column,
                            uint64_t rows) {
    lam_triple_match match = {column, 0, 0};
    lam_status status = LAM_STATUS_OK;
    for (lam_triples run = {.count = 1}; run.count > 0;) {
        status = lam_column_cursor_read_rows(cursor, SIZE_MAX, &rows, &run, NULL);
        if (status != LAM_STATUS_OK)
            break;
        cr_assert(column == NULL || lam_triple_match_next(&match, &run));
    }
    return status;
}

/* Reads rows as one who puts pages to the cache. */
static lam_status read_first(const lam_chunk_sample *sample, const lam_triple_column *column,
                             lam_page_cache *cache, uint64_t rows) {
    lam_input input;
    lam_column_chunk chunk = lam_chunk_sample_chunk(sample, &input);
    lam_column_cursor *cursor;
    cr_assert_eq(lam_column_cursor_create(&chunk, &sample->allocator, &cursor, NULL), 0);
    cr_assert_eq(lam_column_cursor_keep_pages(cursor, cache, NULL), LAM_STATUS_OK);
    lam_status status = read_rows(cursor, column, rows);
    if (status == LAM_STATUS_OK)
        status = lam_column_cursor_keep_last_pages(cursor, NULL);
    lam_column_cursor_destroy(cursor);
    return status;
}

/* Reads all as one who takes pages from the cache. */
static lam_status read_again(const lam_chunk_sample *sample, const lam_triple_column *column,
                             const lam_page_cache *cache) {
    lam_input input;
    lam_column_chunk chunk = lam_chunk_sample_chunk(sample, &input);
    lam_column_cursor *cursor;
    cr_assert_eq(lam_column_cursor_create(&chunk, &sample->allocator, &cursor, NULL), 0);
    lam_column_cursor_take_pages(cursor, cache);
    lam_status status = read_rows(cursor, column, UINT64_MAX);
    lam_column_cursor_destroy(cursor);
    return status;
}

/* Makes nonsense of the bodies of all pages that are on the chunk; gives how many there are. */
static size_t spoil_kept(lam_chunk_sample *sample, const lam_cached_chunk *chunk,
                         size_t *ret_page_count) {
    lam_input input = lam_input_memory(sample->bytes.data, sample->bytes.size);
    lam_chunk_range range = {LAM_SAMPLE_OFFSET, sample->bytes.size - LAM_SAMPLE_OFFSET, 0};
    lam_page_walk walk;
    lam_meta_page_header header;
    uint64_t offset;
    size_t kept = 0;
    *ret_page_count = 0;
    lam_page_walk_init(&walk, &input, range, &sample->allocator);
    while (!lam_page_walk_at_end(&walk)) {
        cr_assert_eq(lam_page_walk_next(&walk, &header, &offset, NULL), LAM_STATUS_OK);
        ++*ret_page_count;
        if (!lam_cached_chunk_has(chunk, offset))
            continue;
        memset(sample->bytes.data + walk.body, 0xA5, (size_t)(walk.next - walk.body));
        kept++;
    }
    lam_page_walk_finish(&walk);
    return kept;
}

Test(cached_source, pages_that_one_reader_put_are_not_read_by_the_next) {
    lam_random random = lam_random_start(lam_test_seed(2));
    size_t whole = 0;
    for (int round = 0; round < 600; round++) {
        lam_chunk_sample sample;
        lam_triple_column column;
        one_cache it;
        size_t pages;
        bool all = lam_random_chance(&random, 50);
        write_chunk(&sample, &column, &random);
        start(&it, all ? ROOM : 1 + lam_random_below(&random, 9000));
        uint64_t rows = all ? UINT64_MAX : lam_random_below(&random, 1000);
        cr_assert_eq(read_first(&sample, &column, &it.cache, rows), LAM_STATUS_OK);
        size_t kept = spoil_kept(&sample, it.chunk, &pages);
        if (sample.options.codec == LAM_CODEC_UNCOMPRESSED)
            cr_assert_leq(kept, sample.dictionary_size > 0);
        else if (all && sample.options.page_version == 1)
            cr_assert_eq(kept, pages);
        whole += kept == pages;
        cr_assert_eq(read_again(&sample, &column, &it.cache), LAM_STATUS_OK);
        lam_page_cache_clear(&it.cache);
        cr_assert(kept == 0 || read_again(&sample, NULL, &it.cache) != LAM_STATUS_OK,
                  "nonsense was not noticed");
        lam_triple_column_finish(&column);
        lam_chunk_sample_finish(&sample);
        finish(&it);
    }
    cr_expect_gt(whole, 150);
}

Test(cached_source, a_damaged_page_is_not_kept) {
    lam_random random = lam_random_start(lam_test_seed(3));
    int failures = 0;
    for (int round = 0; round < 600; round++) {
        lam_chunk_sample sample;
        lam_triple_column column;
        one_cache it;
        write_chunk(&sample, &column, &random);
        start(&it, ROOM);
        size_t at_byte = LAM_SAMPLE_OFFSET +
                         (size_t)lam_random_below(&random, sample.bytes.size - LAM_SAMPLE_OFFSET);
        sample.bytes.data[at_byte] ^= (uint8_t)(1 << lam_random_below(&random, 8));
        const lam_page_cache nothing = {.budget = 0};
        lam_status alone = read_again(&sample, NULL, &nothing);
        lam_status first = read_first(&sample, NULL, &it.cache, UINT64_MAX);
        cr_assert_eq(first, alone, "round %d", round);
        cr_assert_eq(read_again(&sample, NULL, &it.cache), alone, "round %d", round);
        failures += alone != LAM_STATUS_OK;
        lam_triple_column_finish(&column);
        lam_chunk_sample_finish(&sample);
        finish(&it);
    }
    cr_expect_gt(failures, 300);
}
