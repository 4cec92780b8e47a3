/* SPDX-License-Identifier: Apache-2.0 */
/* A check as a whole: the ends of a file, options, callbacks, random files, memory that runs
 * out. */
#include <inttypes.h>
#include <lamella/record.h>
#include <lamella/writer.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "check/forge.h"
#include "check/report/report.h"
#include "file/file_sample.h"
#include "support/failing_alloc.h"
#include "support/shared.h"

/* --- The ends of a file --------------------------------------------------------------------- */

static void expect_bytes(const void *bytes, size_t size, const char *rules) {
    lam_test_findings found = lam_test_check(bytes, size, NULL);
    cr_assert_str_eq(found.rules, rules, "%s", found.first);
}

Test(check, what_is_no_parquet_file_lacks_the_magic) {
    expect_bytes("", 0, "file-magic");
    expect_bytes("PAR1PAR1", 8, "file-magic");
    expect_bytes("PAR1\0\0\0\0PAR2", 12, "file-magic");
    expect_bytes("PAR0\0\0\0\0PAR1", 12, "file-magic footer");
}

Test(check, a_footer_longer_than_the_file_is_told) {
    expect_bytes("PAR1\1\0\0\0PAR1", 12, "footer-length");
    expect_bytes("PAR1\xFF\xFF\xFF\xFFPAR1", 12, "footer-length");
}

Test(check, an_encrypted_footer_is_passed_over) {
    expect_bytes("PAR1\0\0\0\0PARE", 12, "encrypted unchecked");
}

Test(check, a_footer_that_cannot_be_read_is_told) {
    expect_bytes("PAR1\0\1\0\0\0PAR1", 13, "footer");
}

Test(check, a_file_without_its_first_magic_is_still_checked) {
    rich_file file;
    lam_writer_options options = forge_options(1, true, true);
    rich_file_init(&file, &options);
    file.data.data[0] = 'X';
    forge_expect(&file, "file-magic");
}

/* --- Options and callbacks ------------------------------------------------------------------ */

static lam_status stop(void *state, const lam_finding *finding, lam_error *error) {
    (void)finding;
    (*(int *)state)++;
    LAM_FAIL(error, LAM_STATUS_STATE, "enough");
}

Test(check, the_callback_can_end_the_check) {
    int calls = 0;
    lam_error error = lam_error_none();
    lam_input input = lam_input_memory("PAR0\0\0\0\0PAR1", 12);
    lam_check_totals totals = {.struct_size = sizeof totals, .errors = 77};
    cr_assert_eq(lam_check(&input, NULL, stop, &calls, &totals, &error), LAM_STATUS_STATE);
    cr_assert_str_eq(error.message, "enough");
    cr_assert_eq(calls, 1);
    cr_assert_eq(totals.errors, 77, "outputs stay as they are");
}

Test(check, options_of_another_size_are_invalid) {
    int calls = 0;
    lam_input input = lam_input_memory("", 0);
    lam_check_options options = lam_check_options_default();
    options.struct_size--;
    cr_assert_eq(lam_check(&input, &options, stop, &calls, NULL, NULL), LAM_STATUS_INVALID);
    options = lam_check_options_default();
    options.memory_limit = SIZE_MAX;
    cr_assert_eq(lam_check(&input, &options, stop, &calls, NULL, NULL), LAM_STATUS_INVALID);
    cr_assert_eq(calls, 0);
}

static lam_verdict give_verdict(void *state, lam_bytes footer, lam_bytes rewritten, char *message,
                                size_t capacity) {
    cr_assert_eq(footer.size, rewritten.size);
    cr_assert_eq(memcmp(footer.data, rewritten.data, footer.size), 0);
    cr_assert_gt(capacity, 8);
    strcpy(message, "no, no");
    return *(const lam_verdict *)state;
}

Test(check, the_judge_has_its_say) {
    rich_file file;
    lam_verdict verdict = LAM_VERDICT_AGREES;
    lam_writer_options options = forge_options(1, true, true);
    lam_check_options judged = lam_check_options_default();
    judged.judge = give_verdict;
    judged.judge_state = &verdict;
    rich_file_init(&file, &options);
    rich_file_end(&file);
    cr_assert_str_eq(lam_test_check(file.data.data, file.data.size, &judged).rules, "");
    verdict = LAM_VERDICT_DISAGREES;
    lam_test_findings found = lam_test_check(file.data.data, file.data.size, &judged);
    cr_assert_str_eq(found.first, "footer-thrift: no, no");
    cr_assert_eq(found.totals.errors, 1);
    verdict = LAM_VERDICT_NONE;
    found = lam_test_check(file.data.data, file.data.size, &judged);
    cr_assert_str_eq(found.first, "footer-unjudged: no, no");
    cr_assert_eq(found.totals.notes, 1);
    cr_assert_eq(found.totals.passed_over, 0);
    rich_file_finish(&file);
}

Test(check, a_judge_that_is_not_asked_is_told) {
    rich_file file;
    lam_verdict verdict = LAM_VERDICT_AGREES;
    lam_writer_options options = forge_options(1, true, true);
    lam_check_options judged = lam_check_options_default();
    lam_meta_key_value pair = {.key = {(const uint8_t *)"a\0b", 3}};
    judged.judge = give_verdict;
    judged.judge_state = &verdict;
    rich_file_init(&file, &options);
    file.meta.has |= LAM_META_FILE_HAS_KEY_VALUE_METADATA;
    file.meta.key_value_metadata = (lam_meta_key_value_list){&pair, 1};
    rich_file_end(&file);
    cr_assert_str_eq(lam_test_check(file.data.data, file.data.size, NULL).rules, "");
    lam_test_findings found = lam_test_check(file.data.data, file.data.size, &judged);
    cr_assert_str_eq(found.rules, "unsupported");
    cr_assert_not_null(strstr(found.first, "a text in it holds a NUL"));
    rich_file_finish(&file);
}

static lam_verdict shout(void *state, lam_bytes footer, lam_bytes rewritten, char *message,
                         size_t capacity) {
    (void)state, (void)footer, (void)rewritten;
    memset(message, 0xC3, capacity); /* the first byte of a character, again and again */
    memcpy(message, "no,\r\n\tno", 8);
    message[capacity - 1] = '\0';
    return LAM_VERDICT_DISAGREES;
}

/* What a judge says was handed on as it came. */
Test(check, what_a_judge_shouts_is_one_line) {
    rich_file file;
    lam_writer_options options = forge_options(1, true, true);
    lam_check_options judged = lam_check_options_default();
    judged.judge = shout;
    rich_file_init(&file, &options);
    rich_file_end(&file);
    lam_test_findings found = lam_test_check(file.data.data, file.data.size, &judged);
    cr_assert_eq(strncmp(found.first, "footer-thrift: no,???no??", 25), 0, "%s", found.first);
    rich_file_finish(&file);
}

Test(check, totals_count_what_was_read) {
    rich_file file;
    lam_writer_options options = forge_options(2, true, true);
    rich_file_init(&file, &options);
    rich_file_end(&file);
    lam_check_totals totals = lam_test_check(file.data.data, file.data.size, NULL).totals;
    cr_assert_eq(totals.row_groups, 2);
    cr_assert_eq(totals.chunks, 8);
    cr_assert_geq(totals.pages, 20);
    cr_assert_eq(totals.values, 3 * 100 + 150);
    cr_assert_eq(totals.errors + totals.warnings + totals.notes, 0);
    rich_file_finish(&file);
}

/* All columns in a codec that nobody knows are as good as none. */
Test(check, a_file_of_which_no_page_is_read_is_an_error) {
    for (int known = 0; known < 2; known++) {
        rich_file file;
        lam_writer_options options = forge_options(1, false, true);
        rich_file_init(&file, &options);
        for (int group = 0; group < RICH_GROUPS; group++)
            for (int leaf = known; leaf < RICH_LEAVES; leaf++)
                file.chunks[group][leaf].column->codec = 99;
        forge_expect(&file, known ? "unsupported" : "unsupported sorting-unverified unchecked");
    }
}

Test(check, a_file_without_rows_is_checked_all_the_same) {
    lam_triples column = {0};
    lam_schema *schema = lam_test_schema("message m { required int32 a; }");
    lam_buffer file = forge_triples(schema, NULL, &column, 0);
    lam_test_findings found = lam_test_check(file.data, file.size, NULL);
    cr_assert_str_eq(found.rules, "", "%s", found.first);
    lam_buffer_finish(&file);
    lam_schema_destroy(schema);
}

Test(check, a_page_above_the_memory_limit_is_passed_over) {
    lam_bytes value = {calloc(1, 100000), 100000};
    lam_triples columns[2] = {{1, 1, NULL, NULL, &value}, {1, 1, NULL, NULL, &value}};
    lam_schema *schema = lam_test_schema("message m { required binary a; required int32 b; }");
    lam_check_options small = lam_check_options_default();
    small.memory_limit = 90000;
    columns[1].values = value.data;
    lam_buffer file = forge_triples(schema, NULL, columns, 1);
    lam_test_findings found = lam_test_check(file.data, file.size, &small);
    cr_assert_str_eq(found.rules, "limit", "%s", found.first);
    cr_assert_eq(found.totals.errors, 0);
    cr_assert_eq(found.totals.passed_over, found.count);
    lam_buffer_finish(&file);
    lam_schema_destroy(schema);
    free((void *)value.data);
}

/* A footer above the limit was a warning, and the exit status of a file that nobody saw was 0. */
Test(check, a_footer_above_the_memory_limit_is_an_error) {
    rich_file file;
    lam_check_options small = lam_check_options_default();
    lam_writer_options options = forge_options(1, false, true);
    rich_file_init(&file, &options);
    rich_file_end(&file);
    small.memory_limit = 100;
    lam_test_findings found = lam_test_check(file.data.data, file.data.size, &small);
    cr_assert_str_eq(found.rules, "limit unchecked");
    cr_assert_eq(found.totals.errors, 1);
    cr_assert_eq(found.totals.passed_over, 2);
    cr_assert_eq(found.totals.row_groups, 0);
    rich_file_finish(&file);
}

/* --- Any file ------------------------------------------------------------------------------- */

static uint64_t small(lam_random *random, uint64_t most) {
    return lam_random_chance(random, 10) ? 0 : 1 + lam_random_below(random, most);
}

static lam_writer_options any_options(lam_random *random) {
    static const lam_codec codecs[] = {LAM_CODEC_DEFAULT, LAM_CODEC_UNCOMPRESSED, LAM_CODEC_SNAPPY};
    lam_writer_options options = lam_writer_options_default();
    options.codec = codecs[lam_random_below(random, 3)];
    options.data_page_version = (int32_t)lam_random_below(random, 3);
    options.page_rows = small(random, 50);
    options.page_bytes = small(random, 500);
    options.dictionary_bytes = small(random, 300);
    options.row_group_rows = small(random, 40);
    options.row_group_bytes = small(random, 3000);
    options.dictionary = lam_random_chance(random, 20) ? LAM_SWITCH_OFF : LAM_SWITCH_ON;
    options.page_crc = lam_random_chance(random, 20) ? LAM_SWITCH_OFF : LAM_SWITCH_ON;
    return options;
}

static uint64_t rounds(uint64_t count) {
    const char *wanted = getenv("LAMELLA_ROUNDS");
    return wanted != NULL ? strtoull(wanted, NULL, 10) : count;
}

/* Random schemas have bare repeated fields and groups without fields, which are no breach. */
Test(check, what_the_library_writes_is_clean) {
    uint64_t first = lam_test_seed(1), count = rounds(150);
    for (uint64_t seed = first; seed < first + count; seed++) {
        lam_random random = lam_random_start(seed);
        lam_file_sample sample;
        lam_schema *schema = lam_tree_random_schema(&random, 40);
        size_t records = (size_t)lam_random_below(&random, 300);
        lam_file_sample_init(&sample, schema, records, (unsigned)lam_random_below(&random, 101),
                             &random);
        lam_writer_options options = any_options(&random);
        lam_file_sample_write(&sample, &options, NULL);
        lam_test_findings found = lam_test_check(sample.bytes.data, sample.bytes.size, NULL);
        if (strcmp(found.rules, "int96-nanoseconds") != 0) /* random values of INT96 */
            cr_assert_str_eq(found.rules, "", "seed %" PRIu64 ": %s", seed, found.first);
        lam_file_sample_finish(&sample);
    }
}

Test(check, every_prefix_of_a_file_is_told_and_harmless) {
    rich_file file;
    lam_writer_options options = forge_options(2, true, true);
    rich_file_init(&file, &options);
    rich_file_end(&file);
    for (size_t size = 0; size < file.data.size; size += 1 + size % 7)
        cr_assert_gt(lam_test_check(file.data.data, size, NULL).totals.errors, 0, "%zu", size);
    rich_file_finish(&file);
}

/* What a page holds has a checksum, so that a change there is found; one elsewhere does no harm. */
Test(check, every_changed_byte_of_a_page_is_told) {
    rich_file file;
    lam_writer_options options = forge_options(1, true, true);
    rich_file_init(&file, &options);
    size_t data_size = file.data.size;
    rich_file_end(&file);
    size_t missed = 0;
    for (size_t at = 0; at < file.data.size; at++) {
        file.data.data[at] ^= 0x11;
        lam_test_findings found = lam_test_check(file.data.data, file.data.size, NULL);
        missed += found.count == 0 && at < data_size;
        file.data.data[at] ^= 0x11;
    }
    cr_assert_eq(missed, 0);
    rich_file_finish(&file);
}

static lam_status ignore(void *state, const lam_finding *finding, lam_error *error) {
    (void)state, (void)finding, (void)error;
    return LAM_STATUS_OK;
}

Test(check, memory_that_runs_out_is_no_finding) {
    rich_file file;
    lam_writer_options options = forge_options(1, true, true);
    rich_file_init(&file, &options);
    rich_file_end(&file);
    lam_status status = LAM_STATUS_NOMEM;
    for (size_t fail_at = 1; status != LAM_STATUS_OK; fail_at++) {
        lam_failing_alloc counter = {.fail_at = fail_at};
        lam_allocator allocator = lam_failing_allocator(&counter);
        lam_check_options own = lam_check_options_default();
        own.allocator = &allocator;
        lam_input input = lam_input_memory(file.data.data, file.data.size);
        lam_error error = lam_error_none();
        status = lam_check(&input, &own, ignore, NULL, NULL, &error);
        cr_assert(status == LAM_STATUS_OK || status == LAM_STATUS_NOMEM, "%zu: %s", fail_at,
                  error.message);
        cr_assert_eq(counter.live_bytes, 0, "%zu", fail_at);
    }
    rich_file_finish(&file);
}

/* --- Files of others ------------------------------------------------------------------------ */

static void check_hostile(void *state, const char *path) {
    size_t size;
    char *bytes = lam_test_read_file(path, &size);
    (void)state;
    lam_test_findings found = lam_test_check(bytes, size, NULL);
    cr_assert_gt(found.count, 0, "%s", path);
    free(bytes);
}

Test(check, hostile_files_are_told_and_harmless) {
    if (!lam_test_shared_exists("hostile"))
        cr_skip_test("no shared folder hostile");
    lam_test_each_file(lam_test_shared("hostile"), check_hostile, NULL);
    lam_test_each_file(lam_test_shared("parquet-testing/bad_data"), check_hostile, NULL);
}

static void damage(void *state, const char *path) {
    lam_random *random = state;
    size_t size;
    char *bytes = lam_test_read_file(path, &size);
    if (size > 50000 || size < 12) {
        free(bytes);
        return;
    }
    for (int i = 0; i < 30; i++) {
        char *damaged = malloc(size);
        memcpy(damaged, bytes, size);
        size_t from = lam_random_chance(random, 50) ? size - size / 4 - 1 : 0; /* the footer */
        for (uint64_t n = 1 + lam_random_below(random, 3); n > 0; n--)
            damaged[from + lam_random_below(random, size - from)] ^=
                (char)(1 << lam_random_below(random, 8));
        lam_test_check(damaged, size, NULL);
        free(damaged);
    }
    free(bytes);
}

Test(check, damage_to_files_of_other_writers_is_harmless) {
    lam_random random = lam_random_start(lam_test_seed(11));
    if (!lam_test_shared_exists("parquet-testing/data"))
        cr_skip_test("no shared folder parquet-testing/data");
    lam_test_each_file(lam_test_shared("parquet-testing/data"), damage, &random);
}

/* --- Words --------------------------------------------------------------------------------- */

Test(check, numbers_beyond_the_rules_and_severities_have_no_name) {
    size_t count = 0;
    while (lam_check_rule_at(count) != NULL)
        count++;
    cr_assert_gt(count, 50);
    cr_assert_null(lam_check_rule_at(SIZE_MAX));
    cr_assert_str_eq(lam_severity_name((lam_severity)99), "unknown");
    cr_assert_str_eq(lam_severity_name(LAM_SEVERITY_ERROR), "error");
}

/* More keys than the table of those that were met has at first, and one that comes again. */
Test(check, many_keys_are_compared_with_each_other) {
    for (int again = 0; again < 3; again++) {
        const int32_t value = 1;
        const lam_triples column = {.count = 1, .value_count = 1, .values = &value};
        lam_test_writer file = lam_test_write("message m { required int32 a; }", NULL);
        for (int i = 0; i < 50; i++) {
            char key[20];
            snprintf(key, sizeof key, "key %d", again == 1 && i == 49 ? 7 : i);
            if (again == 2 && i % 30 == 0)
                key[0] = '\0';
            cr_assert_eq(lam_writer_add_key_value(file.writer, NULL, key, "v", NULL),
                         LAM_STATUS_OK);
        }
        lam_test_put_triples(&file, &column, 1);
        lam_buffer trial = lam_test_written(&file);
        expect_bytes(trial.data, trial.size, again == 0 ? "" : "key-value");
        lam_buffer_finish(&trial);
    }
}

static lam_verdict differ_silently(void *state, lam_bytes footer, lam_bytes rewritten,
                                   char *message, size_t capacity) {
    (void)footer, (void)rewritten, (void)message, (void)capacity;
    ++*(int *)state;
    return LAM_VERDICT_DISAGREES;
}

static lam_status note_silence(void *state, const lam_finding *finding, lam_error *error) {
    (void)error;
    *(bool *)state |= strstr(finding->message, "no message was given") != NULL ||
                      strstr(finding->message, "above the memory limit") != NULL;
    return LAM_STATUS_OK;
}

Test(check, a_judge_without_words_or_memory_is_told) {
    lam_random random = lam_random_start(5);
    lam_file_sample sample;
    int asked = 0;
    lam_file_sample_init(&sample,
                         lam_test_schema("message m { required int32 a; required int32 b;"
                                         " required int32 c; }"),
                         3, 70, &random);
    lam_file_sample_write(&sample, NULL, NULL);
    lam_input input = lam_input_memory(sample.bytes.data, sample.bytes.size);
    for (uint64_t limit = 600; limit < 1 << 16; limit += 1 + limit / 32) {
        lam_check_options options = lam_check_options_default();
        bool is_told = false;
        options.judge = differ_silently;
        options.judge_state = &asked;
        options.memory_limit = limit;
        lam_status status = lam_check(&input, &options, note_silence, &is_told, NULL, NULL);
        cr_assert(status == LAM_STATUS_OK || status == LAM_STATUS_LIMIT);
        cr_assert(is_told || limit < 1 << 15, "%d", (int)limit);
    }
    cr_assert_gt(asked, 0);
    lam_input_close(&input);
    lam_file_sample_finish(&sample);
}
