/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The cache of pages: who takes what, what goes when there is no room, and that random use loses
 * and leaks nothing.
 */
#include "chunk/read/page_cache.h"

#include <criterion/criterion.h>
#include <lamella/record.h>
#include <string.h>

#include "support/failing_alloc.h"
#include "support/random.h"

enum { ROOM = 1 << 20 };

static lam_page_rows_location at(uint64_t offset, uint64_t first_row, uint64_t end_row) {
    lam_page_rows_location location = {offset, first_row, end_row};
    return location;
}

/* Makes the buffer `size` bytes, each of them `fill`. */
static lam_status fill_bytes(lam_buffer *bytes, uint8_t fill, size_t size) {
    lam_buffer_clear(bytes);
    lam_status status = lam_buffer_reserve(bytes, size, NULL);
    if (status != LAM_STATUS_OK)
        return status;
    memset(bytes->data, fill, size);
    bytes->size = size;
    return LAM_STATUS_OK;
}

/* A page of bytes that its offset tells. */
static lam_status put(lam_cached_chunk *chunk, lam_page_rows_location location, size_t size,
                      lam_buffer *bytes) {
    lam_status status = fill_bytes(bytes, (uint8_t)location.offset, size);
    if (status == LAM_STATUS_OK)
        status = lam_cached_chunk_put(chunk, location, bytes, NULL);
    if (status == LAM_STATUS_OK)
        lam_cached_chunk_lend(chunk, bytes);
    return status;
}

static bool take(lam_cached_chunk *chunk, uint64_t offset, size_t size, lam_buffer *bytes) {
    if (!lam_cached_chunk_take(chunk, offset, size, bytes))
        return false;
    cr_assert_eq(bytes->size, size);
    for (size_t i = 0; i < size; i++)
        cr_assert_eq(bytes->data[i], (uint8_t)offset);
    return true;
}

/* A cache of one chunk, and a buffer as a reader has it. */
typedef struct one_chunk {
    lam_failing_alloc counter;
    lam_page_cache cache;
    lam_cached_chunk *chunk;
    lam_buffer bytes;
} one_chunk;

static void start(one_chunk *it, uint64_t budget) {
    memset(it, 0, sizeof *it);
    lam_allocator allocator = lam_failing_allocator(&it->counter);
    lam_page_cache_init(&it->cache, NULL, budget, &allocator);
    lam_buffer_init(&it->bytes, &allocator);
    cr_assert_eq(lam_page_cache_add_chunk(&it->cache, 0, &it->chunk, NULL), LAM_STATUS_OK);
    cr_assert_not_null(it->chunk);
}

static void finish(one_chunk *it) {
    lam_buffer_finish(&it->bytes);
    lam_page_cache_finish(&it->cache);
    cr_assert_eq(it->counter.live_bytes, 0);
    cr_assert_eq(it->counter.wrong_sizes, 0);
}

Test(page_cache, a_page_is_taken_once_by_its_offset_and_size) {
    one_chunk it;
    start(&it, ROOM);
    cr_assert_eq(put(it.chunk, at(40, 0, 10), 100, &it.bytes), LAM_STATUS_OK);
    cr_assert_eq(put(it.chunk, at(200, 10, 20), 70, &it.bytes), LAM_STATUS_OK);
    cr_assert_eq(put(it.chunk, at(4, 0, 20), 30, &it.bytes), LAM_STATUS_OK);
    cr_expect(lam_cached_chunk_has(it.chunk, 40));
    cr_expect_not(lam_cached_chunk_has(it.chunk, 41));
    cr_expect_not(lam_cached_chunk_has(it.chunk, 201));
    cr_expect_not(take(it.chunk, 41, 100, &it.bytes));
    cr_expect_not(take(it.chunk, 201, 100, &it.bytes));
    cr_expect_not(take(it.chunk, 40, 99, &it.bytes));
    cr_expect(take(it.chunk, 4, 30, &it.bytes));
    cr_expect(take(it.chunk, 40, 100, &it.bytes));
    cr_expect(take(it.chunk, 200, 70, &it.bytes));
    cr_expect_not(take(it.chunk, 40, 100, &it.bytes));
    finish(&it);
}

Test(page_cache, a_page_that_two_readers_put_is_there_once) {
    one_chunk it;
    start(&it, ROOM);
    cr_assert_eq(put(it.chunk, at(40, 0, 10), 100, &it.bytes), LAM_STATUS_OK);
    lam_buffer_finish(&it.bytes);
    cr_assert_eq(put(it.chunk, at(40, 0, 10), 100, &it.bytes), LAM_STATUS_OK);
    cr_expect_gt(it.bytes.capacity, 0, "the second one is memory for others");
    cr_expect(take(it.chunk, 40, 100, &it.bytes));
    cr_expect_not(take(it.chunk, 40, 100, &it.bytes));
    finish(&it);
}

Test(page_cache, leaves_that_are_not_read_again_have_no_cached_chunk) {
    lam_allocator allocator = lam_allocator_default();
    const bool leaves[] = {true, false, true};
    lam_page_cache cache;
    lam_cached_chunk *chunks[3], *again;
    lam_page_cache_init(&cache, leaves, ROOM, &allocator);
    for (size_t i = 0; i < 3; i++) {
        cr_expect_null(lam_page_cache_find_chunk(&cache, i));
        cr_assert_eq(lam_page_cache_add_chunk(&cache, i, &chunks[i], NULL), LAM_STATUS_OK);
        cr_expect_eq(chunks[i] != NULL, leaves[i]);
        cr_expect_eq(lam_page_cache_find_chunk(&cache, i), chunks[i]);
        cr_assert_eq(lam_page_cache_add_chunk(&cache, i, &again, NULL), LAM_STATUS_OK);
        cr_expect_eq(again, chunks[i]);
    }
    cr_expect_neq(chunks[0], chunks[2]);
    lam_page_cache_finish(&cache);
    lam_page_cache_init(&cache, NULL, 0, &allocator);
    cr_assert_eq(lam_page_cache_add_chunk(&cache, 0, &again, NULL), LAM_STATUS_OK);
    cr_expect_null(again, "without a budget");
    lam_page_cache_finish(&cache);
}

Test(page_cache, what_has_no_room_is_not_kept) {
    one_chunk it;
    lam_cached_chunk *other;
    start(&it, 4096);
    cr_assert_eq(lam_page_cache_add_chunk(&it.cache, 1, &other, NULL), LAM_STATUS_OK);
    cr_assert_eq(put(it.chunk, at(1, 0, 10), 2000, &it.bytes), LAM_STATUS_OK);
    cr_assert_eq(put(other, at(2, 0, 10), 2000, &it.bytes), LAM_STATUS_OK);
    cr_expect_gt(it.bytes.capacity, 0, "it is as good for the next page");
    cr_assert_eq(put(other, at(3, 10, 20), 1000, &it.bytes), LAM_STATUS_OK);
    cr_expect(lam_cached_chunk_has(it.chunk, 1));
    cr_expect_not(lam_cached_chunk_has(other, 2));
    cr_expect_not(lam_cached_chunk_has(other, 3), "the same memory");
    lam_buffer_finish(&it.bytes);
    cr_assert_eq(put(other, at(3, 10, 20), 1000, &it.bytes), LAM_STATUS_OK);
    cr_expect(lam_cached_chunk_has(other, 3));
    lam_page_cache_clear(&it.cache);
    cr_expect_not(lam_cached_chunk_has(it.chunk, 1));
    cr_assert_eq(put(other, at(7, 0, 10), 3000, &it.bytes), LAM_STATUS_OK);
    cr_expect_leq(it.cache.held, 4096);
    finish(&it);
}

Test(page_cache, pages_of_rows_that_nobody_wants_are_let_go) {
    one_chunk it;
    start(&it, ROOM);
    cr_assert_eq(put(it.chunk, at(1, 0, 10), 100, &it.bytes), LAM_STATUS_OK);
    cr_assert_eq(put(it.chunk, at(2, 10, 20), 100, &it.bytes), LAM_STATUS_OK);
    cr_assert_eq(put(it.chunk, at(3, 20, 30), 100, &it.bytes), LAM_STATUS_OK);
    lam_page_cache_drop_unwanted(&it.cache, 9, 0);
    cr_expect(lam_cached_chunk_has(it.chunk, 1), "its last row may be wanted");
    lam_page_cache_drop_unwanted(&it.cache, 20, 11);
    cr_expect(lam_cached_chunk_has(it.chunk, 1), "a row before may have been wanted");
    cr_expect(lam_cached_chunk_has(it.chunk, 2));
    lam_page_cache_drop_unwanted(&it.cache, 30, 11);
    cr_expect(lam_cached_chunk_has(it.chunk, 2));
    cr_expect_not(lam_cached_chunk_has(it.chunk, 3));
    cr_assert_eq(put(it.chunk, at(4, 25, 30), 100, &it.bytes), LAM_STATUS_OK);
    cr_expect_not(lam_cached_chunk_has(it.chunk, 4));
    cr_assert_eq(put(it.chunk, at(5, 25, 31), 100, &it.bytes), LAM_STATUS_OK);
    cr_expect(lam_cached_chunk_has(it.chunk, 5));
    cr_expect(take(it.chunk, 2, 100, &it.bytes));
    cr_expect(take(it.chunk, 5, 100, &it.bytes));
    finish(&it);
}

Test(page_cache, memory_goes_around) {
    one_chunk it;
    size_t requests = 0;
    start(&it, ROOM);
    for (uint64_t group = 0; group < 10; group++) {
        lam_page_cache_clear(&it.cache);
        lam_cached_chunk_lend(it.chunk, &it.bytes);
        for (uint64_t page = 0; page < 20; page++) {
            lam_page_rows_location location = at(group * 100 + page, page * 10, page * 10 + 10);
            cr_assert_eq(put(it.chunk, location, 1000, &it.bytes), LAM_STATUS_OK);
            /* Of every fourth page all rows are wanted. */
            lam_page_cache_drop_unwanted(&it.cache, location.end_row,
                                         page % 4 == 0 ? location.end_row
                                                       : (page / 4 * 4 + 1) * 10);
        }
        lam_buffer_finish(&it.bytes);
        for (uint64_t page = 0; page < 20; page++)
            cr_expect_eq(take(it.chunk, group * 100 + page, 1000, &it.bytes), page % 4 == 0);
        lam_cached_chunk_give_back(it.chunk, &it.bytes);
        cr_expect_eq(it.bytes.capacity, 0);
        lam_cached_chunk_give_back(it.chunk, &it.bytes); /* nothing is there to give */
        if (group == 1)
            requests = it.counter.requests;
    }
    /* A reader's own buffer was freed in each row group, which one more makes good. */
    cr_expect_leq(it.counter.requests, requests + 8);
    finish(&it);
}

Test(page_cache, an_item_whose_memory_a_reader_took_is_not_kept) {
    one_chunk it;
    start(&it, ROOM);
    cr_assert_eq(put(it.chunk, at(1, 0, 10), 100, &it.bytes), LAM_STATUS_OK);
    cr_assert_eq(put(it.chunk, at(2, 10, 20), 100, &it.bytes), LAM_STATUS_OK);
    lam_buffer_finish(&it.bytes);
    cr_expect(take(it.chunk, 1, 100, &it.bytes)); /* and leaves nothing for it */
    lam_page_cache_clear(&it.cache);
    cr_expect_not(lam_cached_chunk_has(it.chunk, 2));
    size_t requests = it.counter.requests;
    lam_buffer mine = it.bytes;
    lam_buffer_init(&it.bytes, &mine.allocator);
    lam_cached_chunk_lend(it.chunk, &it.bytes);
    cr_expect_gt(it.bytes.capacity, 0, "the memory of the other page");
    lam_buffer none;
    lam_buffer_init(&none, &mine.allocator);
    lam_cached_chunk_lend(it.chunk, &none);
    cr_expect_eq(none.capacity, 0, "there is no third one");
    cr_expect_eq(it.counter.requests, requests);
    lam_buffer_finish(&mine);
    finish(&it);
}

/* --- Anything ------------------------------------------------------------------------------ */

enum { PAGES = 30 };

typedef struct random_pages {
    lam_page_rows_location places[PAGES];
    size_t sizes[PAGES];
    bool wanted[PAGES]; /* some row of the page is */
    size_t count;
} random_pages;

/* Pages of two chunks, which a scan decides on a few rows at a time; gives the first failure. */
static lam_status scan_pages(lam_page_cache *cache, lam_cached_chunk *chunks[2],
                             random_pages pages[2], lam_buffer *bytes, lam_random *random) {
    lam_status status = LAM_STATUS_OK;
    size_t put_pages[2] = {0, 0};
    uint64_t rows = 40 + lam_random_below(random, 100), wanted_end = 0;
    unsigned share = (unsigned)lam_random_below(random, 101);
    for (size_t s = 0; s < 2; s++) {
        uint64_t row = 0, offset = 4;
        for (pages[s].count = 0; row < rows && pages[s].count < PAGES; pages[s].count++) {
            size_t i = pages[s].count;
            uint64_t end = i + 1 == PAGES ? rows : row + 1 + lam_random_below(random, 20);
            end = end < rows ? end : rows;
            pages[s].places[i] = at(offset, row, end);
            pages[s].sizes[i] = 1 + (size_t)lam_random_below(random, 300);
            pages[s].wanted[i] = false;
            offset += 1 + lam_random_below(random, 300);
            row = end;
        }
    }
    for (uint64_t row = 0, end; row < rows; row = end) {
        end = row + 1 + lam_random_below(random, 30);
        end = end < rows ? end : rows;
        for (size_t s = 0; s < 2; s++) {
            random_pages *some = &pages[s];
            size_t *i = &put_pages[s];
            for (; *i < some->count && some->places[*i].end_row < end; ++*i)
                if (status == LAM_STATUS_OK)
                    status = put(chunks[s], some->places[*i], some->sizes[*i], bytes);
        }
        for (; row < end; row++) {
            bool wanted = lam_random_chance(random, share) && lam_random_chance(random, share);
            wanted_end = wanted ? row + 1 : wanted_end;
            for (size_t s = 0; wanted && s < 2; s++)
                for (size_t i = 0; i < pages[s].count; i++)
                    pages[s].wanted[i] |=
                        pages[s].places[i].first_row <= row && row < pages[s].places[i].end_row;
        }
        lam_page_cache_drop_unwanted(cache, end, wanted_end);
        cr_assert_leq(cache->held, cache->budget);
    }
    for (size_t s = 0; s < 2; s++)
        for (size_t i = put_pages[s]; i < pages[s].count && status == LAM_STATUS_OK; i++)
            status = put(chunks[s], pages[s].places[i], pages[s].sizes[i], bytes);
    return status;
}

static lam_status scan_groups(lam_page_cache *cache, lam_buffer *bytes, lam_random *random) {
    lam_cached_chunk *chunks[2];
    static random_pages pages[2];
    lam_status status = LAM_STATUS_OK;
    for (size_t s = 0; s < 2 && status == LAM_STATUS_OK; s++)
        status = lam_page_cache_add_chunk(cache, s, &chunks[s], NULL);
    for (int group = 0; group < 5 && status == LAM_STATUS_OK; group++) {
        lam_page_cache_clear(cache);
        status = scan_pages(cache, chunks, pages, bytes, random);
        for (size_t s = 0; s < 2 && status == LAM_STATUS_OK; s++) {
            for (size_t i = 0; i < pages[s].count; i++) {
                if (lam_random_chance(random, 20))
                    continue; /* the rows of a scan may be cut */
                bool taken = take(chunks[s], pages[s].places[i].offset, pages[s].sizes[i], bytes);
                cr_assert(taken || !pages[s].wanted[i] || cache->budget < ROOM);
            }
            lam_cached_chunk_give_back(chunks[s], bytes);
        }
    }
    return status;
}

Test(page_cache, what_is_wanted_is_there_as_it_was_put) {
    lam_random random = lam_random_start(lam_test_seed(1));
    for (int round = 0; round < 2000; round++) {
        one_chunk it;
        uint64_t budget =
            lam_random_chance(&random, 50) ? ROOM : 1 + lam_random_below(&random, 9000);
        start(&it, budget);
        cr_assert_eq(scan_groups(&it.cache, &it.bytes, &random), LAM_STATUS_OK);
        finish(&it);
    }
}

Test(page_cache, memory_that_runs_out_is_an_error_and_nothing_leaks) {
    lam_status status = LAM_STATUS_NOMEM;
    for (size_t nth = 1; status != LAM_STATUS_OK; nth++) {
        lam_failing_alloc failing = {.fail_at = nth};
        lam_allocator allocator = lam_failing_allocator(&failing);
        lam_random same = lam_random_start(7);
        lam_page_cache cache;
        lam_buffer bytes;
        lam_page_cache_init(&cache, NULL, 3000, &allocator);
        lam_buffer_init(&bytes, &allocator);
        status = scan_groups(&cache, &bytes, &same);
        cr_assert(status == LAM_STATUS_OK || status == LAM_STATUS_NOMEM);
        lam_buffer_finish(&bytes);
        lam_page_cache_finish(&cache);
        cr_assert_eq(failing.live_bytes, 0);
        cr_assert(nth < 1000);
    }
}
