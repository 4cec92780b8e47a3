/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random records with texts of all kinds, keys that are data, and kinds that clash: the schema of
 * all of them reads them, what is printed has the same schema, and where the records fit the schema
 * of the first ones, it is the schema of all.
 */
#include <inttypes.h>
#include <stdarg.h>

#include "infer_help.h"
#include "support/random.h"

enum { RANDOM_ROOM = 1 << 18 };

static const char *const moments[][6] = {
    {"\"2024-10-24\"", "\"0001-01-01\"", "\"9999-12-31\"", "\"1969-12-31\"", "null",
     "\"2024-02-29\""},
    {"\"2024-10-24T01:02\"", "\"2024-10-24 01:02:03\"", "\"1969-12-31T23:59:59.9\"",
     "\"2024-10-24t01:02:03.123456\"", "null", "\"2024-10-24\""},
    {"\"2024-10-24T01:02Z\"", "\"2024-10-24 01:02:03+01:00\"", "\"1969-12-31T23:59:59.9z\"",
     "\"2024-10-24T01:02:03.123456 UTC\"", "null", "\"2024-10-24T01:02:03-0130\""},
    {"\"01:02\"", "\"01:02:03\"", "\"23:59:59.999999\"", "\"00:00:00.1\"", "null", "\"12:00\""},
    {"\"00112233-4455-6677-8899-aabbccddeeff\"", "\"00112233-4455-6677-8899-AABBCCDDEEFF\"",
     "\"ffffffff-ffff-ffff-ffff-ffffffffffff\"", "null", "null", "null"},
    {"1", "2.5", "-3", "9007199254740993", "18446744073709551615", "null"},
    {"true", "false", "[1,2]", "{\"x\":1}", "[{\"y\":\"2024-01-01\"}]", "null"},
};

static void say(char *text, const char *format, ...) LAM_PRINTF(2, 3);
static void say(char *text, const char *format, ...) {
    size_t size = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text + size, RANDOM_ROOM - size, format, arguments);
    va_end(arguments);
}

/* A value of one kind, and now and then of another, or with more digits than others. */
static void say_value(lam_random *random, char *text, size_t kind, unsigned strange) {
    if (lam_random_chance(random, strange))
        kind = lam_random_below(random, 7);
    if (kind < 4 && kind > 0 && lam_random_chance(random, strange))
        say(text, "%s",
            kind == 1   ? "\"2024-01-01T00:00:00.123456789\""
            : kind == 2 ? "\"1999-01-01T00:00:00.0000001Z\""
                        : "\"00:00:00.0000001\"");
    else if (lam_random_chance(random, strange))
        say(text, "\"text\"");
    else
        say(text, "%s", moments[kind][lam_random_below(random, 6)]);
}

/* Records of four fields, of which the last may be an object whose keys are data. */
static size_t make_records(lam_random *random, char *text, size_t records, unsigned strange) {
    size_t kinds[4], half = 0, keys = 1 + lam_random_below(random, 60);
    for (size_t i = 0; i < 4; i++)
        kinds[i] = lam_random_below(random, 7);
    *text = '\0';
    for (size_t i = 0; i < records; i++) {
        half = i == records / 2 ? strlen(text) : half;
        say(text, "{");
        for (size_t j = 0; j < 3; j++) {
            say(text, "%s\"%c\":", j > 0 ? "," : "", (char)('a' + j));
            say_value(random, text, kinds[j], strange);
        }
        say(text, ",\"m\":{");
        size_t key = lam_random_below(random, keys), count = 1 + lam_random_below(random, 3);
        for (size_t j = 0; j < count; j++) {
            say(text, "%s\"k%zu\":", j > 0 ? "," : "", key + j);
            say_value(random, text, kinds[3], strange);
        }
        say(text, "}}\n");
    }
    return half;
}

static lam_schema *schema_of_text(const char *text, size_t size,
                                  const lam_json_inference_options *options) {
    lam_json_inference *inference;
    lam_schema *schema = NULL;
    lam_error error = lam_error_none();
    lam_bytes left = {(const uint8_t *)text, size};
    lam_json_source source = lam_json_source_memory(&left);
    cr_assert_eq(lam_json_inference_create(options, NULL, &inference, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_json_inference_add(inference, &source, &error), LAM_STATUS_OK, "%s",
                 error.message);
    cr_assert_eq(lam_json_inference_schema(inference, "m", &schema, &error), LAM_STATUS_OK, "%s",
                 error.message);
    lam_json_inference_destroy(inference);
    return schema;
}

static void expect_same_schema(const lam_schema *schema, const lam_schema *other, const char *what,
                               uint64_t seed, int round, const char *text) {
    static char first[RANDOM_ROOM], second[RANDOM_ROOM];
    lam_schema_print(schema, first, sizeof first);
    lam_schema_print(other, second, sizeof second);
    cr_assert_str_eq(first, second, "%s: seed %" PRIu64 " round %d\n%s\n%s\n%s", what, seed, round,
                     first, second, text);
}

static void check_records(lam_random *random, char *text, uint64_t seed, int round) {
    lam_json_inference_options options = lam_json_inference_options_default();
    lam_json_reader_options exact = lam_json_reader_options_default();
    lam_error error = lam_error_none();
    size_t half = make_records(random, text, 2 + lam_random_below(random, 80),
                               lam_random_chance(random, 50) ? 0 : 2);
    exact.exact_times = exact.exact_integers = true;
    options.infer_maps = lam_random_chance(random, 50) ? LAM_SWITCH_OFF : LAM_SWITCH_ON;
    lam_schema *schema = schema_of_text(text, strlen(text), &options);
    char *once = copy_json(schema, text, &exact, NULL, &error);
    cr_assert_not_null(once, "seed %" PRIu64 " round %d: %s\n%s", seed, round, error.message, text);
    lam_schema *again = schema_of_text(once, strlen(once), &options);
    char *twice = copy_json(again, once, &exact, NULL, &error);
    cr_assert_str_eq(once, twice, "seed %" PRIu64 " round %d\n%s", seed, round, text);
    expect_same_schema(schema, again, "printed", seed, round, text);
    free(once);
    free(twice);
    lam_schema_destroy(again);
    /* Whether keys are data depends on how many there are: without MAPs, nothing does. */
    if (half > 0 && options.infer_maps == LAM_SWITCH_OFF) {
        lam_schema *guess = schema_of_text(text, half, &options);
        char *read = copy_json(guess, text, &exact, NULL, &error);
        if (read != NULL)
            expect_same_schema(schema, guess, "guess", seed, round, text);
        free(read);
        lam_schema_destroy(guess);
    }
    lam_schema_destroy(schema);
}

Test(json_infer_random, a_schema_reads_prints_and_stays_the_same) {
    uint64_t seed = lam_test_seed(41);
    lam_random random = lam_random_start(seed);
    char *text = malloc(RANDOM_ROOM);
    for (int round = 0; round < 3000; round++)
        check_records(&random, text, seed, round);
    free(text);
}
