/* SPDX-License-Identifier: Apache-2.0 */
/* Which level a page is compressed with: a search is worth it where it makes pages smaller. */
#include "page/page_compress.h"

#include <criterion/criterion.h>
#include <string.h>

#include "support/failing_alloc.h"
#include "support/random.h"

enum { PAGE = 200000 };

static lam_codec_context *create_codecs(const lam_allocator *allocator) {
    lam_codec_context *codecs;
    cr_assert_eq(lam_codec_context_create(allocator, &codecs, NULL), LAM_STATUS_OK);
    return codecs;
}

/* Digits of random numbers: short matches everywhere, which a search takes for gains. */
static void fill_digits(uint8_t *page, lam_random *random) {
    for (size_t i = 0; i < PAGE; i++)
        page[i] = (uint8_t)('0' + lam_random_below(random, 10));
}

/* Words of a few, which a search does find. */
static void fill_words(uint8_t *page, lam_random *random) {
    static const char *const words[] = {"sensor ",     "reading ",      "temperature ",
                                        "north side ", "out of range ", "battery is low "};
    size_t at = 0;
    while (at < PAGE) {
        const char *word = words[lam_random_below(random, 6)];
        size_t size = strlen(word) < PAGE - at ? strlen(word) : PAGE - at;
        memcpy(page + at, word, size);
        at += size;
    }
}

/* The size that a codec gives with a level. */
static size_t size_with(lam_codec codec, int32_t level, lam_bytes page) {
    lam_allocator allocator = lam_allocator_default();
    lam_codec_context *codecs = create_codecs(&allocator);
    lam_buffer out;
    lam_buffer_init(&out, &allocator);
    cr_assert_eq(lam_codec_compress(codecs, codec, level, page, &out, NULL), LAM_STATUS_OK);
    size_t size = out.size;
    lam_buffer_finish(&out);
    lam_codec_context_destroy(codecs);
    return size;
}

typedef struct compressing {
    lam_codec_context *codecs;
    lam_page_compressor compressor;
    uint8_t page[PAGE];
} compressing;

static void start(compressing *work, lam_codec codec, int32_t level) {
    lam_allocator allocator = lam_allocator_default();
    work->codecs = create_codecs(&allocator);
    lam_page_compressor_init(&work->compressor, codec, level, work->codecs, &allocator);
}

static void finish(compressing *work) {
    lam_page_compressor_finish(&work->compressor);
    lam_codec_context_destroy(work->codecs);
}

/* Compresses the page, which must come back; gives how large it has become. */
static size_t compress(compressing *work, size_t size, bool alone) {
    static uint8_t back[PAGE];
    lam_bytes page = {work->page, size}, out;
    cr_assert_eq(alone ? lam_page_compress_alone(&work->compressor, page, &out, NULL)
                       : lam_page_compress(&work->compressor, page, &out, NULL),
                 LAM_STATUS_OK);
    cr_assert_eq(lam_codec_decompress(work->codecs, work->compressor.codec, out, back, size, NULL),
                 LAM_STATUS_OK);
    cr_assert_eq(memcmp(back, page.data, size), 0);
    return out.size;
}

static compressing work;

Test(page_compress, without_a_codec_the_page_is_given_back) {
    start(&work, LAM_CODEC_UNCOMPRESSED, 0);
    lam_bytes page = {work.page, PAGE}, out;
    cr_assert_eq(lam_page_compress(&work.compressor, page, &out, NULL), LAM_STATUS_OK);
    cr_assert(out.data == page.data && out.size == PAGE);
    cr_assert_eq(lam_page_compress_alone(&work.compressor, page, &out, NULL), LAM_STATUS_OK);
    cr_assert(out.data == page.data && out.size == PAGE);
    finish(&work);
}

Test(page_compress, level_1_is_taken_where_a_search_makes_pages_larger) {
    lam_random random = lam_random_start(lam_test_seed(1));
    start(&work, LAM_CODEC_ZSTD, 0);
    for (int i = 0; i < 20; i++) {
        fill_digits(work.page, &random);
        lam_bytes page = {work.page, PAGE};
        size_t quick = size_with(LAM_CODEC_ZSTD, 1, page),
               wanted = size_with(LAM_CODEC_ZSTD, 3, page);
        cr_assert_lt(quick, wanted);
        cr_assert_eq(compress(&work, PAGE, false), quick);
        cr_assert_eq(compress(&work, PAGE, true), wanted, "a dictionary has the caller's level");
    }
    finish(&work);
}

Test(page_compress, the_level_of_the_caller_stands_where_a_search_pays) {
    lam_random random = lam_random_start(lam_test_seed(2));
    start(&work, LAM_CODEC_ZSTD, 9);
    for (int i = 0; i < 20; i++) {
        fill_words(work.page, &random);
        lam_bytes page = {work.page, PAGE};
        size_t wanted = size_with(LAM_CODEC_ZSTD, 9, page);
        cr_assert_lt(wanted, size_with(LAM_CODEC_ZSTD, 1, page));
        cr_assert_eq(compress(&work, PAGE, false), wanted);
    }
    finish(&work);
}

Test(page_compress, what_changes_within_a_chunk_is_seen_after_some_pages) {
    lam_random random = lam_random_start(lam_test_seed(3));
    start(&work, LAM_CODEC_ZSTD, 9);
    fill_digits(work.page, &random);
    compress(&work, PAGE, false);
    size_t last = 0, wanted = 0;
    for (int i = 0; i < 16; i++) {
        fill_words(work.page, &random);
        lam_bytes page = {work.page, PAGE};
        wanted = size_with(LAM_CODEC_ZSTD, 9, page);
        last = compress(&work, PAGE, false);
        cr_assert(i == 15 || last > wanted);
    }
    cr_assert_eq(last, wanted);
    finish(&work);
}

Test(page_compress, chunks_and_short_pages_do_not_depend_on_what_came_before) {
    lam_random random = lam_random_start(lam_test_seed(4));
    start(&work, LAM_CODEC_ZSTD, 9);
    fill_digits(work.page, &random);
    compress(&work, PAGE, false);
    fill_words(work.page, &random);
    lam_bytes page = {work.page, PAGE}, short_page = {work.page, 4000};
    cr_assert_eq(compress(&work, 4000, false), size_with(LAM_CODEC_ZSTD, 9, short_page));
    lam_page_compressor_restart(&work.compressor);
    cr_assert_eq(compress(&work, PAGE, false), size_with(LAM_CODEC_ZSTD, 9, page));
    finish(&work);
}

Test(page_compress, other_codecs_have_their_level_always) {
    lam_random random = lam_random_start(lam_test_seed(5));
    fill_digits(work.page, &random);
    lam_bytes page = {work.page, PAGE};
    start(&work, LAM_CODEC_GZIP, 9);
    cr_assert_eq(compress(&work, PAGE, false), size_with(LAM_CODEC_GZIP, 9, page));
    cr_assert_eq(compress(&work, PAGE, false), size_with(LAM_CODEC_GZIP, 9, page));
    finish(&work);
}

Test(page_compress, each_allocation_may_fail) {
    lam_random random = lam_random_start(lam_test_seed(6));
    fill_digits(work.page, &random);
    lam_bytes page = {work.page, PAGE}, half = {work.page, PAGE / 2}, out;
    lam_status status = LAM_STATUS_NOMEM;
    size_t failures = 0;
    for (size_t fail_at = 1; status != LAM_STATUS_OK; fail_at++) {
        lam_failing_alloc counter = {.fail_at = fail_at};
        lam_allocator allocator = lam_failing_allocator(&counter);
        status = lam_codec_context_create(&allocator, &work.codecs, NULL);
        if (status == LAM_STATUS_OK) {
            lam_page_compressor_init(&work.compressor, LAM_CODEC_ZSTD, 0, work.codecs, &allocator);
            /* A trial, and a longer page behind it, for which the buffer must grow. */
            status = lam_page_compress(&work.compressor, half, &out, NULL);
            if (status == LAM_STATUS_OK)
                status = lam_page_compress(&work.compressor, page, &out, NULL);
            finish(&work);
        }
        failures += status != LAM_STATUS_OK;
        cr_assert(status == LAM_STATUS_OK || status == LAM_STATUS_NOMEM);
        cr_assert_eq(counter.live_bytes, 0);
        cr_assert_eq(counter.wrong_sizes, 0);
    }
    cr_assert_gt(failures, 2);
}
