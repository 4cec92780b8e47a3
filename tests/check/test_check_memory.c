/* SPDX-License-Identifier: Apache-2.0 */
/* A check without memory: it fails, or finds what it finds with memory, and nothing else. */
#include <lamella/writer.h>
#include <stdio.h>
#include <stdlib.h>

#include "check/forge.h"
#include "support/failing_alloc.h"
#include "support/failing_malloc.h"
#include "support/random.h"
#include "support/shared.h"

enum { ALL_OF = 400, WORDS = 16384, SMALL_FILE = 12 << 10 };

typedef struct findings {
    size_t size;
    char words[WORDS];
} findings;

static lam_status note(void *state, const lam_finding *finding, lam_error *error) {
    findings *all = state;
    (void)error;
    size_t left = sizeof all->words - all->size;
    int size = snprintf(all->words + all->size, left, "%s at %lld: %s\n", finding->rule->id,
                        (long long)finding->row, finding->message);
    if (size > 0)
        all->size += (size_t)size < left ? (size_t)size : left - 1;
    return LAM_STATUS_OK;
}

static lam_verdict agree(void *state, lam_bytes footer, lam_bytes rewritten, char *message,
                         size_t capacity) {
    (void)state, (void)footer, (void)rewritten, (void)message, (void)capacity;
    return LAM_VERDICT_AGREES;
}

static lam_status check(const void *bytes, size_t size, const lam_allocator *allocator,
                        findings *found, lam_error *error) {
    lam_check_options options = lam_check_options_default();
    lam_input input = lam_input_memory(bytes, size);
    lam_check_totals totals = lam_check_totals_default();
    options.allocator = allocator;
    options.judge = agree;
    found->size = 0;
    found->words[0] = '\0';
    *error = lam_error_none();
    lam_status status = lam_check(&input, &options, note, found, &totals, error);
    lam_input_close(&input);
    return status;
}

/* Not one of the findings is for want of memory: they begin as those with memory do. */
static void judge(lam_status status, const findings *expected, const findings *found,
                  const lam_error *error, size_t request, const char *name) {
    if (status == LAM_STATUS_OK) {
        cr_assert_str_eq(found->words, expected->words, "%s, request %zu", name, request);
        return;
    }
    cr_assert_eq(status, LAM_STATUS_NOMEM, "%s, request %zu: %s", name, request, error->message);
    cr_assert_eq(memcmp(found->words, expected->words, found->size), 0,
                 "%s, request %zu: found '%s'", name, request, found->words);
}

/* Fails each request, or so many of them, in the caller's allocator and in the C library. */
static void starve(lam_bytes file, const char *name) {
    static findings expected, found;
    lam_failing_alloc counter = {0};
    lam_allocator allocator = lam_failing_allocator(&counter);
    lam_error error;
    cr_assert_eq(check(file.data, file.size, &allocator, &expected, &error), LAM_STATUS_OK,
                 "%s: %s", name, error.message);
    size_t requests = counter.requests, step = 1 + requests / ALL_OF;
    for (size_t n = 1; n <= requests; n += step) {
        counter = (lam_failing_alloc){.fail_at = n};
        lam_status status = check(file.data, file.size, &allocator, &found, &error);
        judge(status, &expected, &found, &error, n, name);
        cr_assert_eq(counter.live_bytes, 0, "%s, request %zu", name, n);
        cr_assert_eq(counter.wrong_sizes, 0, "%s, request %zu", name, n);
    }
    lam_fail_malloc_at(0);
    cr_expect_eq(check(file.data, file.size, NULL, &found, &error), LAM_STATUS_OK);
    requests = lam_fail_malloc_end();
    cr_expect(requests > 5 || !lam_fail_malloc_is_whole(), "%s: %zu requests", name, requests);
    for (size_t n = 1; n <= requests; n += 1 + requests / ALL_OF) {
        lam_fail_malloc_at(n);
        lam_status status = check(file.data, file.size, NULL, &found, &error);
        (void)lam_fail_malloc_end();
        judge(status, &expected, &found, &error, n, name);
    }
}

/* Where a request failed in a check, a good file could be called bad. */
Test(check_memory, a_file_is_never_bad_for_want_of_memory, .timeout = 240) {
    forge_each(starve);
}

static void starve_shared(void *state, const char *path, const void *bytes, size_t size) {
    if (size > SMALL_FILE)
        return;
    starve((lam_bytes){bytes, size}, path);
    ++*(size_t *)state;
}

Test(check_memory, nor_are_the_files_of_others, .timeout = 240) {
    size_t files = 0;
    if (!lam_test_shared_exists("parquet-testing/data"))
        cr_skip_test("no shared folder parquet-testing/data");
    lam_test_each_parquet("parquet-testing/data", starve_shared, &files);
    lam_test_each_parquet("parquet-testing/shredded_variant", starve_shared, &files);
    cr_expect_gt(files, 20);
}

/* Codecs have memory of their own. */
Test(check_memory, nor_is_a_file_in_any_codec, .timeout = 240) {
    static const char text[] =
        "message m { required int64 id; optional binary name; optional group l (LIST) { "
        "repeated group list { optional double element; } } }";
    static const lam_codec codecs[] = {LAM_CODEC_UNCOMPRESSED, LAM_CODEC_SNAPPY,  LAM_CODEC_GZIP,
                                       LAM_CODEC_BROTLI,       LAM_CODEC_LZ4_RAW, LAM_CODEC_ZSTD};
    for (size_t i = 0; i < sizeof codecs / sizeof *codecs; i++) {
        lam_random random = lam_random_start(71 + i);
        lam_file_sample sample;
        lam_writer_options options = lam_writer_options_default();
        options.codec = codecs[i];
        options.page_bytes = 300;
        lam_file_sample_init(&sample, lam_test_schema(text), 60, 80, &random);
        lam_file_sample_write(&sample, &options, NULL);
        starve(lam_buffer_bytes(&sample.bytes), "a file in a codec");
        lam_file_sample_finish(&sample);
    }
}

/* A row in which two columns differ is sought, and VARIANTs are put together. */
Test(check_memory, nor_is_it_worse_than_it_is) {
    lam_buffer file = forge_difference();
    starve(lam_buffer_bytes(&file), "columns that differ");
    lam_buffer_finish(&file);
}

/* What does not fit is passed over, and that is no error of the file. */
Test(check_memory, nor_is_it_bad_below_any_limit, .timeout = 240) {
    rich_file file;
    lam_writer_options options = forge_options(1, true, true);
    rich_file_init(&file, &options);
    rich_file_end(&file);
    for (uint64_t limit = 1; limit < 1 << 18; limit += 1 + limit / 16) {
        lam_check_options limited = lam_check_options_default();
        limited.memory_limit = limit;
        lam_test_findings found = lam_test_check(file.data.data, file.data.size, &limited);
        cr_expect(found.totals.errors == 0 || strstr(found.rules, "unchecked") != NULL,
                  "%u: %s: %s", (unsigned)limit, found.rules, found.last);
    }
    rich_file_finish(&file);
}
