/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What all codecs share: whatever goes in comes back, damaged and cut pages are corrupt, levels
 * have limits, and threads may share a context.
 */
#include "codec/codec.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "support/failing_alloc.h"
#include "support/random.h"

enum { MOST = 20000 };

/* What this build writes; the first does not compress. */
static const lam_codec codecs[] = {
    LAM_CODEC_UNCOMPRESSED, LAM_CODEC_SNAPPY, LAM_CODEC_GZIP, LAM_CODEC_ZSTD,
#ifdef LAM_HAVE_BROTLI
    LAM_CODEC_BROTLI,
#endif
#ifdef LAM_HAVE_LZ4
    LAM_CODEC_LZ4_RAW,
#endif
};
enum { CODECS = sizeof codecs / sizeof codecs[0] };

/* What it neither reads nor writes, and how to build it so that it does. */
static const struct {
    lam_codec codec;
    const char *option; /* NULL: not at all */
} missing[] = {
    {LAM_CODEC_LZO, NULL},
#ifndef LAM_HAVE_BROTLI
    {LAM_CODEC_BROTLI, "-Dbrotli=enabled"},
#endif
#ifndef LAM_HAVE_LZ4
    {LAM_CODEC_LZ4, "-Dlz4=enabled"},
    {LAM_CODEC_LZ4_RAW, "-Dlz4=enabled"},
#endif
};

/* The highest of the levels that a test tries. */
static int32_t level_max(lam_codec codec) {
    return codec == LAM_CODEC_ZSTD     ? 7
           : codec == LAM_CODEC_GZIP   ? 12
           : codec == LAM_CODEC_BROTLI ? 11
                                       : 0;
}

static lam_codec_context *create(void) {
    lam_allocator allocator = lam_allocator_default();
    lam_codec_context *context;
    cr_assert_eq(lam_codec_context_create(&allocator, &context, NULL), LAM_STATUS_OK);
    return context;
}

static lam_buffer compress(lam_codec_context *context, lam_codec codec, int32_t level,
                           const uint8_t *data, size_t size) {
    lam_allocator allocator = lam_allocator_default();
    lam_buffer out;
    lam_bytes in = {data, size};
    lam_buffer_init(&out, &allocator);
    cr_assert_eq(lam_codec_compress(context, codec, level, in, &out, NULL), LAM_STATUS_OK);
    return out;
}

/* Both sides in heap blocks of exactly their size. */
static lam_status decompress(lam_codec_context *context, lam_codec codec, const uint8_t *data,
                             size_t data_size, const uint8_t *expected, size_t size) {
    uint8_t *in = malloc(data_size), *out = malloc(size);
    if (data_size > 0)
        memcpy(in, data, data_size);
    lam_bytes bytes = {in, data_size};
    lam_status status = lam_codec_decompress(context, codec, bytes, out, size, NULL);
    if (status == LAM_STATUS_OK && expected != NULL && size > 0)
        cr_assert_eq(memcmp(out, expected, size), 0);
    free(in);
    free(out);
    return status;
}

static size_t random_text(lam_random *random, uint8_t *data) {
    size_t size = (size_t)lam_random_below(random, MOST);
    unsigned noise = (unsigned)lam_random_below(random, 101);
    for (size_t i = 0; i < size; i++)
        data[i] = i < 10 || lam_random_chance(random, noise) ? (uint8_t)lam_random_next(random)
                                                             : data[i - 10];
    return size;
}

Test(codec, names_are_those_of_the_format) {
    cr_assert_str_eq(lam_codec_name(LAM_CODEC_UNCOMPRESSED), "UNCOMPRESSED");
    cr_assert_str_eq(lam_codec_name(LAM_CODEC_LZ4_RAW), "LZ4_RAW");
    cr_assert_str_eq(lam_codec_name((lam_codec)99), "UNKNOWN");
}

Test(codec, what_this_build_lacks_is_unsupported_and_named) {
    lam_codec_context *context = create();
    for (size_t i = 0; i < sizeof missing / sizeof missing[0]; i++) {
        lam_error error = lam_error_none();
        lam_codec codec = missing[i].codec;
        cr_assert_eq(lam_codec_check_write(codec, 0, NULL), LAM_STATUS_UNSUPPORTED);
        cr_assert_eq(lam_codec_check_read(codec, &error), LAM_STATUS_UNSUPPORTED);
        cr_assert(strstr(error.message, lam_codec_name(codec)) != NULL);
        if (missing[i].option != NULL)
            cr_assert(strstr(error.message, missing[i].option) != NULL);
        cr_assert_eq(decompress(context, codec, NULL, 0, NULL, 0), LAM_STATUS_UNSUPPORTED);
    }
    cr_assert_eq(lam_codec_check_read((lam_codec)99, NULL), LAM_STATUS_UNSUPPORTED);
    lam_codec_context_destroy(context);
}

Test(codec, lz4_is_never_written) {
    lam_error error = lam_error_none();
    lam_codec_context *context = create();
    lam_bytes in = {(const uint8_t *)"a", 1};
    lam_allocator allocator = lam_allocator_default();
    lam_buffer out;
    lam_buffer_init(&out, &allocator);
    cr_assert_eq(lam_codec_check_write(LAM_CODEC_LZ4, 0, &error), LAM_STATUS_UNSUPPORTED);
    cr_assert_str_eq(error.message, "LZ4 is deprecated and only read; write LZ4_RAW instead");
    cr_assert_eq(lam_codec_compress(context, LAM_CODEC_LZ4, 0, in, &out, NULL),
                 LAM_STATUS_UNSUPPORTED);
    cr_assert_eq(out.size, 0);
    lam_buffer_finish(&out);
    lam_codec_context_destroy(context);
}

Test(codec, levels_outside_a_codecs_range_are_invalid) {
    lam_error error = lam_error_none();
    cr_assert_eq(lam_codec_check_write(LAM_CODEC_ZSTD, 0, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_codec_check_write(LAM_CODEC_ZSTD, 22, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_codec_check_write(LAM_CODEC_ZSTD, 23, &error), LAM_STATUS_INVALID);
    cr_assert_str_eq(error.message, "ZSTD level 23; levels are 1 to 22");
    cr_assert_eq(lam_codec_check_write(LAM_CODEC_ZSTD, -1, NULL), LAM_STATUS_INVALID);
    cr_assert_eq(lam_codec_check_write(LAM_CODEC_SNAPPY, 0, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_codec_check_write(LAM_CODEC_SNAPPY, 1, &error), LAM_STATUS_INVALID);
    cr_assert_str_eq(error.message, "SNAPPY has no compression level 1");
    cr_assert_eq(lam_codec_check_write(LAM_CODEC_GZIP, 12, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_codec_check_write(LAM_CODEC_GZIP, 13, &error), LAM_STATUS_INVALID);
    cr_assert_str_eq(error.message, "GZIP level 13; levels are 1 to 12");
#ifdef LAM_HAVE_BROTLI
    cr_assert_eq(lam_codec_check_write(LAM_CODEC_BROTLI, 11, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_codec_check_write(LAM_CODEC_BROTLI, 12, &error), LAM_STATUS_INVALID);
    cr_assert_str_eq(error.message, "BROTLI level 12; levels are 1 to 11");
#endif
#ifdef LAM_HAVE_LZ4
    cr_assert_eq(lam_codec_check_write(LAM_CODEC_LZ4_RAW, 1, &error), LAM_STATUS_INVALID);
    cr_assert_str_eq(error.message, "LZ4_RAW has no compression level 1");
#endif
}

Test(codec, every_codec_gives_back_what_it_took) {
    uint64_t seed = lam_test_seed(51);
    lam_random random = lam_random_start(seed);
    static uint8_t data[MOST];
    lam_codec_context *context = create();
    for (int round = 0; round < 100 * CODECS; round++) {
        size_t size = random_text(&random, data);
        lam_codec codec = codecs[round % CODECS];
        int32_t level = (int32_t)lam_random_below(&random, (uint64_t)level_max(codec) + 1);
        lam_buffer out = compress(context, codec, level, data, size);
        cr_assert_eq(decompress(context, codec, out.data, out.size, data, size), LAM_STATUS_OK,
                     "seed %llu", (unsigned long long)seed);
        lam_buffer_finish(&out);
    }
    lam_codec_context_destroy(context);
}

Test(codec, every_size_survives_be_it_noise_or_not) {
    static const size_t sizes[] = {0, 1, 100, 65535, 65536, 65537, 1 << 20};
    lam_random random = lam_random_start(lam_test_seed(54));
    uint8_t *noise = malloc(1 << 20), *text = malloc(1 << 20);
    for (size_t i = 0; i < 1 << 20; i++) {
        noise[i] = (uint8_t)lam_random_next(&random);
        text[i] = (uint8_t)("lamella"[i % 7] + (i % 1000 == 0));
    }
    lam_codec_context *context = create();
    for (size_t c = 1; c < CODECS; c++)
        for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
            size_t size = sizes[i];
            lam_buffer out = compress(context, codecs[c], 0, noise, size);
            cr_assert_eq(decompress(context, codecs[c], out.data, out.size, noise, size), 0);
            cr_assert_lt(out.size, size + size / 6 + 100);
            lam_buffer_finish(&out);
            out = compress(context, codecs[c], 0, text, size);
            cr_assert_eq(decompress(context, codecs[c], out.data, out.size, text, size), 0);
            cr_assert_lt(out.size, size / 10 + 101);
            lam_buffer_finish(&out);
        }
    lam_codec_context_destroy(context);
    free(noise);
    free(text);
}

Test(codec, compressed_bytes_are_appended) {
    lam_codec_context *context = create();
    lam_allocator allocator = lam_allocator_default();
    for (size_t c = 0; c < CODECS; c++) {
        lam_buffer out;
        lam_bytes in = {(const uint8_t *)"hello hello hello", 17};
        lam_buffer_init(&out, &allocator);
        cr_assert_eq(lam_buffer_append(&out, "front", 5, NULL), LAM_STATUS_OK);
        cr_assert_eq(lam_codec_compress(context, codecs[c], 0, in, &out, NULL), LAM_STATUS_OK);
        cr_assert_eq(memcmp(out.data, "front", 5), 0);
        cr_assert_eq(decompress(context, codecs[c], out.data + 5, out.size - 5, in.data, in.size),
                     0);
        lam_buffer_finish(&out);
    }
    lam_codec_context_destroy(context);
}

Test(codec, a_page_that_gives_another_size_than_stated_is_corrupt) {
    static uint8_t data[1000];
    lam_codec_context *context = create();
    for (size_t c = 0; c < CODECS; c++) {
        static const size_t stated[] = {0, 1, 999, 1001, 100000};
        lam_buffer out = compress(context, codecs[c], 0, data, sizeof data);
        for (size_t i = 0; i < 5; i++)
            cr_assert_eq(decompress(context, codecs[c], out.data, out.size, data, stated[i]),
                         LAM_STATUS_CORRUPT);
        lam_buffer_finish(&out);
    }
    lam_codec_context_destroy(context);
}

Test(codec, a_page_cut_short_is_corrupt_at_every_length) {
    lam_random random = lam_random_start(lam_test_seed(52));
    static uint8_t data[MOST];
    size_t size;
    do
        size = random_text(&random, data);
    while (size < 500 || size > 2000);
    lam_codec_context *context = create();
    for (size_t c = 0; c < CODECS; c++) {
        lam_buffer out = compress(context, codecs[c], 0, data, size);
        for (size_t cut = 0; cut < out.size; cut++)
            cr_assert_eq(decompress(context, codecs[c], out.data, cut, data, size),
                         LAM_STATUS_CORRUPT);
        lam_buffer_finish(&out);
    }
    lam_codec_context_destroy(context);
}

Test(codec, garbage_is_corrupt_and_the_context_stays_of_use) {
    lam_random random = lam_random_start(lam_test_seed(53));
    static uint8_t data[MOST];
    lam_codec_context *context = create();
    for (int round = 0; round < 1000 * (CODECS - 1); round++) {
        lam_codec codec = codecs[1 + round % (CODECS - 1)];
        size_t size = random_text(&random, data) % 1000;
        lam_buffer out = compress(context, codec, 0, data, size);
        uint8_t *changed = malloc(out.size), *back = malloc(size);
        memcpy(changed, out.data, out.size);
        for (int i = 0; i < 3; i++)
            changed[lam_random_below(&random, out.size)] = (uint8_t)lam_random_next(&random);
        lam_bytes in = {changed, out.size};
        lam_status status = lam_codec_decompress(context, codec, in, back, size, NULL);
        cr_assert(status == LAM_STATUS_OK || status == LAM_STATUS_CORRUPT);
        cr_assert_eq(decompress(context, codec, out.data, out.size, data, size), LAM_STATUS_OK);
        free(changed);
        free(back);
        lam_buffer_finish(&out);
    }
    lam_codec_context_destroy(context);
}

Test(codec, each_flipped_bit_gives_an_error_or_the_stated_size) {
    lam_codec_context *context = create();
    static const char text[] =
        "sing, sing, sing: with a swing, with a swing and a string of 0123456789";
    for (size_t c = 1; c < CODECS; c++) {
        lam_buffer out = compress(context, codecs[c], 0, (const uint8_t *)text, sizeof text);
        for (size_t bit = 0; bit < out.size * 8; bit++) {
            uint8_t *changed = malloc(out.size), *back = malloc(sizeof text);
            memcpy(changed, out.data, out.size);
            changed[bit / 8] ^= (uint8_t)(1u << bit % 8);
            lam_bytes in = {changed, out.size};
            lam_status status =
                lam_codec_decompress(context, codecs[c], in, back, sizeof text, NULL);
            cr_assert(status == LAM_STATUS_OK || status == LAM_STATUS_CORRUPT);
            if (codecs[c] == LAM_CODEC_GZIP && status == LAM_STATUS_OK)
                cr_assert_arr_eq(back, text, sizeof text); /* only its header has free bits */
            free(changed);
            free(back);
        }
        lam_buffer_finish(&out);
    }
    lam_codec_context_destroy(context);
}

Test(codec, bytes_behind_the_end_are_corrupt) {
    lam_codec_context *context = create();
    static const char text[] = "sing, sing, sing: with a swing";
    for (size_t c = 0; c < CODECS; c++) {
        lam_buffer out = compress(context, codecs[c], 0, (const uint8_t *)text, sizeof text);
        cr_assert_eq(lam_buffer_append(&out, "\1\0\0", 3, NULL), LAM_STATUS_OK);
        for (size_t extra = 0; extra < 3; extra++)
            cr_assert_eq(decompress(context, codecs[c], out.data, out.size - extra,
                                    (const uint8_t *)text, sizeof text),
                         LAM_STATUS_CORRUPT);
        lam_buffer_finish(&out);
    }
    lam_codec_context_destroy(context);
}

Test(codec, no_bytes_for_no_bytes_is_an_empty_page) {
    lam_codec_context *context = create();
    for (size_t c = 0; c < CODECS; c++) {
        cr_assert_eq(decompress(context, codecs[c], NULL, 0, NULL, 0), LAM_STATUS_OK);
        cr_assert_eq(decompress(context, codecs[c], NULL, 0, NULL, 1), LAM_STATUS_CORRUPT);
    }
    lam_codec_context_destroy(context);
}

Test(codec, each_allocation_may_fail) {
    static uint8_t data[5000], back[5000];
    for (size_t c = 0; c < CODECS; c++) {
        size_t attempt = 0;
        for (lam_status status = LAM_STATUS_NOMEM; status != LAM_STATUS_OK;) {
            lam_failing_alloc counter = {.fail_at = ++attempt};
            lam_allocator allocator = lam_failing_allocator(&counter);
            lam_codec_context *context = NULL;
            lam_buffer out;
            lam_bytes in = {data, sizeof data};
            size_t given;
            lam_buffer_init(&out, &allocator);
            status = lam_codec_context_create(&allocator, &context, NULL);
            if (status == LAM_STATUS_OK)
                status = lam_codec_compress(context, codecs[c], 0, in, &out, NULL);
            if (status == LAM_STATUS_OK)
                status = lam_codec_decompress(context, codecs[c], lam_buffer_bytes(&out), back,
                                              sizeof back, NULL);
            if (status == LAM_STATUS_OK)
                status = lam_codec_decompress_prefix(context, codecs[c], lam_buffer_bytes(&out),
                                                     back, LAM_CODEC_PREFIX, &given, NULL);
            cr_assert(status == LAM_STATUS_OK || status == LAM_STATUS_NOMEM);
            lam_codec_context_destroy(context);
            lam_buffer_finish(&out);
            cr_assert_eq(counter.live_bytes, 0);
            cr_assert_eq(counter.wrong_sizes, 0);
        }
        cr_assert_gt(attempt, 2); /* at least the context and the buffer */
    }
}

/* Compresses, gives the beginning of that to the codec, and demands the beginning of the data. */
static void expect_prefix(lam_codec_context *context, lam_codec codec, const uint8_t *data,
                          size_t size) {
    lam_buffer out = compress(context, codec, 0, data, size);
    size_t wanted = lam_codec_prefix_input(codec);
    size_t taken = out.size < wanted ? out.size : wanted, given;
    uint8_t *in = malloc(taken), prefix[LAM_CODEC_PREFIX];
    if (taken > 0)
        memcpy(in, out.data, taken);
    const lam_bytes bytes = {in, taken};
    size_t whole = size < sizeof prefix ? size : sizeof prefix;
    cr_assert_eq(
        lam_codec_decompress_prefix(context, codec, bytes, prefix, sizeof prefix, &given, NULL),
        LAM_STATUS_OK);
    cr_assert_eq(given, wanted > 0 ? whole : 0, "%s: %zu of %zu bytes", lam_codec_name(codec),
                 given, size);
    if (given > 0)
        cr_assert_arr_eq(prefix, data, given);
    free(in);
    lam_buffer_finish(&out);
}

Test(codec, the_first_bytes_of_a_page_come_from_the_first_of_what_is_compressed) {
    lam_random random = lam_random_start(lam_test_seed(55));
    uint8_t *data = malloc(1 << 20);
    lam_codec_context *context = create();
    for (int round = 0; round < 100 * CODECS; round++)
        expect_prefix(context, codecs[round % CODECS], data, random_text(&random, data));
    for (size_t c = 0; c < CODECS; c++) {
        memset(data, 0, 1 << 20);
        expect_prefix(context, codecs[c], data, 1 << 20);
        for (size_t i = 0; i < 1 << 20; i++)
            data[i] = (uint8_t)lam_random_next(&random);
        expect_prefix(context, codecs[c], data, 1 << 20);
    }
    cr_assert_eq(lam_codec_prefix_input(LAM_CODEC_GZIP), 0);
    lam_codec_context_destroy(context);
    free(data);
}

Test(codec, a_damaged_beginning_gives_no_more_than_there_is_room_for) {
    lam_random random = lam_random_start(lam_test_seed(56));
    uint8_t noise[LAM_CODEC_PREFIX * 20], prefix[LAM_CODEC_PREFIX];
    lam_codec_context *context = create();
    for (int round = 0; round < 2000 * CODECS; round++) {
        size_t given, size = 1 + (size_t)lam_random_below(&random, sizeof noise);
        lam_codec codec = codecs[round % CODECS];
        lam_buffer out = compress(context, codec, 0, noise, size);
        for (size_t i = lam_random_chance(&random, 50) ? size : 0; i < size; i++)
            noise[i] = (uint8_t)lam_random_next(&random);
        for (int i = 0; i < 3; i++)
            out.data[lam_random_below(&random, out.size)] = (uint8_t)lam_random_next(&random);
        const lam_bytes in = {out.data, (size_t)lam_random_below(&random, out.size + 1)};
        cr_assert_eq(
            lam_codec_decompress_prefix(context, codec, in, prefix, sizeof prefix, &given, NULL),
            LAM_STATUS_OK);
        cr_assert_leq(given, sizeof prefix);
        lam_buffer_finish(&out);
    }
    lam_codec_context_destroy(context);
}

Test(codec, what_is_readable_and_writable_is_what_reading_and_writing_accept) {
    for (size_t i = 0; i < CODECS; i++) {
        cr_assert(lam_codec_is_readable(codecs[i]));
        cr_assert(lam_codec_is_writable(codecs[i]));
    }
    for (size_t i = 0; i < sizeof missing / sizeof missing[0]; i++) {
        cr_assert_not(lam_codec_is_readable(missing[i].codec));
        cr_assert_not(lam_codec_is_writable(missing[i].codec));
    }
    cr_assert_not(lam_codec_is_writable(LAM_CODEC_LZ4));
#ifdef LAM_HAVE_LZ4
    cr_assert(lam_codec_is_readable(LAM_CODEC_LZ4));
#endif
}

Test(codec, numbers_that_are_no_codecs_are_neither_readable_nor_writable) {
    const lam_codec wrong[] = {LAM_CODEC_DEFAULT, (lam_codec)(LAM_CODEC_LZ4_RAW + 1),
                               (lam_codec)-1};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        cr_assert_not(lam_codec_is_readable(wrong[i]));
        cr_assert_not(lam_codec_is_writable(wrong[i]));
    }
}

/* --- Threads ------------------------------------------------------------------------------- */

enum { THREADS = 4, ROUNDS = 40, SHARED_BYTES = 3000 };

typedef struct codec_user {
    lam_codec_context *context;
    uint64_t seed;
    size_t wrong; /* pages that came back otherwise */
} codec_user;

/* Compresses and uncompresses pages of its own with every codec. */
static void *use_codecs(void *state) {
    codec_user *user = state;
    lam_random random = lam_random_start(user->seed);
    static const uint8_t letters[] = "level";
    uint8_t data[SHARED_BYTES], back[SHARED_BYTES];
    for (int round = 0; round < ROUNDS; round++) {
        for (size_t i = 0; i < sizeof data; i++)
            data[i] = letters[lam_random_below(&random, 5)];
        lam_codec codec = codecs[lam_random_below(&random, CODECS)];
        lam_buffer out = compress(user->context, codec, 0, data, sizeof data);
        lam_status status = lam_codec_decompress(user->context, codec, lam_buffer_bytes(&out), back,
                                                 sizeof back, NULL);
        user->wrong += status != LAM_STATUS_OK || memcmp(data, back, sizeof data) != 0;
        lam_buffer_finish(&out);
    }
    return NULL;
}

Test(codec, threads_may_share_a_context) {
    lam_codec_context *context = create();
    pthread_t threads[THREADS];
    codec_user users[THREADS];
    for (size_t i = 0; i < THREADS; i++) {
        users[i] = (codec_user){context, lam_test_seed(900 + i), 0};
        cr_assert_eq(pthread_create(&threads[i], NULL, use_codecs, &users[i]), 0);
    }
    for (size_t i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        cr_assert_eq(users[i].wrong, 0, "thread %zu", i);
    }
    lam_codec_context_destroy(context);
}
