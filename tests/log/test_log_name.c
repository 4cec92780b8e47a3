/* SPDX-License-Identifier: Apache-2.0 */
/* Names of a log's files say when they began, sort by that, and are told from all others. */
#include "log/folder/log_name.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "support/failing_alloc.h"
#include "support/random.h"

#define TIME "-20261123T004500Z"
#define ID "-00c0ffee12345678"

Test(log_name, names_of_known_times) {
    static const struct {
        int64_t utc;
        const char *name;
    } rows[] = {
        {INT64_C(1795394700000000000), "log-20261123T004500Z-00c0ffee12345678.parquet"},
        {INT64_C(1795394700999999999), "log-20261123T004500Z-00c0ffee12345678.parquet"},
        {0, "log-19700101T000000Z-00c0ffee12345678.parquet"},
        {-1, "log-19691231T235959Z-00c0ffee12345678.parquet"},
        {INT64_C(951782400000000000), "log-20000229T000000Z-00c0ffee12345678.parquet"},
        {INT64_MAX, "log-22620411T234716Z-00c0ffee12345678.parquet"},
        {INT64_MIN, "log-16770921T001243Z-00c0ffee12345678.parquet"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char name[LAM_LOG_NAME_MAX + 1];
        size_t size = lam_log_name_print("log", rows[i].utc, UINT64_C(0xC0FFEE12345678), name);
        cr_assert_str_eq(name, rows[i].name);
        cr_assert_eq(size, strlen(name));
    }
}

static void random_prefix(lam_random *random, char *prefix) {
    static const char *const pieces[] = {"a", "-", "20261123T004500Z", ".", "ö", " ", ".part", "Z"};
    prefix[0] = '\0';
    do
        strcat(prefix, pieces[lam_random_below(random, 8)]);
    while (strlen(prefix) <= 84 && lam_random_chance(random, 70));
    if (prefix[0] == '.')
        prefix[0] = '+';
}

Test(log_name, random_names_come_back) {
    uint64_t seed = lam_test_seed(1);
    lam_random random = lam_random_start(seed);
    for (int round = 0; round < 20000; round++) {
        char prefix[200], name[LAM_LOG_NAME_MAX + 1], text[LAM_LOG_NAME_MAX + 40];
        int64_t utc = (int64_t)lam_random_next(&random);
        uint64_t id = lam_random_next(&random);
        lam_log_stage stage = (lam_log_stage)lam_random_below(&random, 5);
        random_prefix(&random, prefix);
        cr_assert_eq(lam_log_prefix_check(prefix, NULL), LAM_STATUS_OK, "%s", prefix);
        size_t size = lam_log_name_print(prefix, utc, id, name);
        bool is_marked = stage != LAM_LOG_STAGE_FINAL && lam_random_chance(&random, 50);
        strcpy(text, is_marked ? "_" : "");
        strcat(strcat(text, name), lam_log_stage_suffix(stage));
        lam_log_name parsed;
        cr_assert(lam_log_name_parse(text, &parsed), "seed %" PRIu64 ": %s", seed, text);
        cr_assert_eq(parsed.prefix, text + is_marked);
        cr_assert_eq(parsed.prefix_size, strlen(prefix));
        cr_assert_eq(parsed.final_size, size);
        cr_assert_eq(parsed.stage, stage);
        cr_assert_eq(parsed.id, id);
        cr_assert_eq(parsed.utc_seconds, utc / 1000000000 - (utc % 1000000000 < 0));
        cr_assert(lam_log_name_parse_of(text, prefix, &parsed));
        strcat(prefix, "x");
        cr_assert(!lam_log_name_parse_of(text, prefix, &parsed));
        prefix[strlen(prefix) - 2] = '\0';
        cr_assert(!lam_log_name_parse_of(text, prefix, &parsed));
    }
}

/* Names that are not the library's must never parse: retention removes what does. */
Test(log_name, a_changed_byte_is_no_name_or_another_one) {
    const char good[] = "_log" TIME ID ".parquet.part";
    for (size_t i = 0; i < sizeof good - 1; i++)
        for (int byte = 1; byte < 256; byte++) {
            char name[sizeof good], again[LAM_LOG_NAME_MAX + 40];
            lam_log_name parsed;
            memcpy(name, good, sizeof good);
            name[i] = (char)byte;
            if (!lam_log_name_parse(name, &parsed))
                continue;
            bool is_marked = parsed.prefix > name; /* else the mark is a letter of the prefix now */
            char prefix[5] = {name[0], name[1], name[2], name[3], '\0'};
            int64_t utc =
                parsed.utc_seconds < -9223372036 ? INT64_MIN : parsed.utc_seconds * 1000000000;
            again[0] = '_';
            lam_log_name_print(prefix + is_marked, utc, parsed.id, again + is_marked);
            strcat(again, lam_log_stage_suffix(parsed.stage));
            cr_assert_str_eq(name, again);
        }
}

Test(log_name, names_that_are_none) {
    static const char *const names[] = {
        "",
        ".parquet",
        "log.parquet",
        TIME ID ".parquet",
        ".log" TIME ID ".parquet",
        "_log" TIME ID ".parquet",
        "__log" TIME ID ".parquet.part",
        "a/_log" TIME ID ".parquet.part",
        "a/log" TIME ID ".parquet",
        "a=log" TIME ID ".parquet",
        "\xFF" TIME ID ".parquet",
        "log" TIME ID,
        "log" TIME ID ".PARQUET",
        "log" TIME ID ".parquet.parts",
        "log" TIME ID ".parquet.bad",
        "log" TIME ID ".parquet.part.part",
        "log" TIME ID ".parquet.part.journal",
        "log" TIME ID ".parquet.gz",
        "log" TIME "-00C0FFEE12345678.parquet",
        "log" TIME "-0c0ffee12345678.parquet",
        "log-20261123T004500" ID ".parquet",
        "log-20261123 004500Z" ID ".parquet",
        "log-20260229T004500Z" ID ".parquet",
        "log-20261131T004500Z" ID ".parquet",
        "log-20261100T004500Z" ID ".parquet",
        "log-20260023T004500Z" ID ".parquet",
        "log-20261323T004500Z" ID ".parquet",
        "log-20261123T240000Z" ID ".parquet",
        "log-20261123T006000Z" ID ".parquet",
        "log-20261123T000060Z" ID ".parquet",
        "log-22620411T234717Z" ID ".parquet",
        "log-16770921T001242Z" ID ".parquet",
        "log-99991231T235959Z" ID ".parquet",
        "log-00000101T000000Z" ID ".parquet",
        "log-+2261123T004500Z" ID ".parquet",
    };
    lam_log_name parsed;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        cr_assert(!lam_log_name_parse(names[i], &parsed), "%s", names[i]);
    char name[300];
    memset(name, 'p', 101);
    strcpy(name + 101, TIME ID ".parquet");
    cr_assert(!lam_log_name_parse(name, &parsed));
    cr_assert(lam_log_name_parse(name + 1, &parsed));
}

static const char *refusal(const char *prefix) {
    static lam_error error;
    error = lam_error_none();
    cr_assert_eq(lam_log_prefix_check(prefix, &error), LAM_STATUS_INVALID, "%s", prefix);
    return error.message;
}

Test(log_name, a_prefix_that_cannot_be_one_is_refused_with_the_reason) {
    char text[102];
    memset(text, 'x', 101);
    text[101] = '\0';
    cr_assert_str_eq(refusal(""), "the prefix \"\" is empty");
    cr_assert_str_eq(refusal(".a"), "the prefix \".a\" begins with '.' or '_', as names that "
                                    "readers of a folder pass over");
    cr_assert_not_null(strstr(refusal("_a"), "begins with '.' or '_'"));
    cr_assert_str_eq(refusal("a/b"), "the prefix \"a/b\" has a '/'");
    cr_assert_str_eq(refusal("a=b"), "the prefix \"a=b\" has a '='");
    cr_assert_not_null(strstr(refusal("\xC0\x80"), "is not UTF-8"));
    cr_assert_not_null(strstr(refusal(text), "is longer than 100 bytes"));
    cr_assert_eq(lam_log_prefix_check(text + 1, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_log_prefix_check("größe 1.x-y", NULL), LAM_STATUS_OK);
}

Test(log_name, stages_and_final_paths_of_any_path) {
    static const struct {
        const char *path, *final;
        lam_log_stage stage;
    } rows[] = {
        {"a.parquet", "a.parquet", LAM_LOG_STAGE_FINAL},
        {"_a.parquet", "_a.parquet", LAM_LOG_STAGE_FINAL},
        {"f/_a.part", "f/a", LAM_LOG_STAGE_OPEN},
        {"f/__a.part", "f/_a", LAM_LOG_STAGE_OPEN},
        {"_a.journal", "a", LAM_LOG_STAGE_JOURNAL},
        {"_f/_a.part.bad", "_f/a", LAM_LOG_STAGE_BAD},
        {"f/_a.journal.bad", "f/a", LAM_LOG_STAGE_BAD_JOURNAL},
        {"f/a.part", "f/a", LAM_LOG_STAGE_OPEN},
        {"f/a.journal", "f/a", LAM_LOG_STAGE_JOURNAL},
        {"f/a.part.bad", "f/a", LAM_LOG_STAGE_BAD},
        {"f/a.journal.bad", "f/a", LAM_LOG_STAGE_BAD_JOURNAL},
        {"f/a.bad", "f/a.bad", LAM_LOG_STAGE_FINAL},
        {"f/_.part", "f/_", LAM_LOG_STAGE_OPEN},
        {"f/.part", "f/.part", LAM_LOG_STAGE_FINAL},
        {".part", ".part", LAM_LOG_STAGE_FINAL},
        {".part.bad", ".part.bad", LAM_LOG_STAGE_FINAL},
        {"f.part/a", "f.part/a", LAM_LOG_STAGE_FINAL},
        {"", "", LAM_LOG_STAGE_FINAL},
    };
    lam_allocator allocator = lam_allocator_or_default(NULL);
    lam_buffer final;
    lam_buffer_init(&final, &allocator);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        cr_assert_eq(lam_log_stage_of(rows[i].path, NULL, NULL), rows[i].stage, "%s", rows[i].path);
        cr_assert_eq(lam_log_path_final(&final, rows[i].path, NULL), LAM_STATUS_OK);
        cr_assert_str_eq((const char *) final.data, rows[i].final);
    }
    lam_buffer_finish(&final);
}

Test(log_name, paths_are_joined_by_one_slash) {
    static const char *const rows[][4] = {
        {"f", "n", ".part", "f/n.part"}, {"f/", "n", "", "f/n"}, {"", "n", "", "n"},
        {"/", "n", ".bad", "/n.bad"},    {"f", "", "", "f"},     {"a/b", "c=d/n", "", "a/b/c=d/n"},
    };
    lam_failing_alloc counter = {0};
    lam_allocator allocator = lam_failing_allocator(&counter);
    lam_buffer out;
    lam_buffer_init(&out, &allocator);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        cr_assert_eq(lam_log_path_join(&out, rows[i][0], rows[i][1], rows[i][2], NULL),
                     LAM_STATUS_OK);
        cr_assert_str_eq((const char *)out.data, rows[i][3]);
        cr_assert_eq(out.size, strlen(rows[i][3]) + 1);
    }
    lam_buffer_finish(&out);
    counter.fail_at = counter.requests + 1;
    cr_assert_eq(lam_log_path_join(&out, "f", "n", "", NULL), LAM_STATUS_NOMEM);
    lam_buffer_finish(&out);
    cr_assert_eq(counter.live_bytes, 0);
}

/* Names of one second came in the order of random ids, so that the oldest was not the first. */
Test(log_name, names_are_in_the_order_of_time) {
    char earlier[LAM_LOG_NAME_MAX + 1], later[LAM_LOG_NAME_MAX + 1];
    static const int64_t times[] = {
        -1, 0, 1, 999999999, 1000000000, 1000000001, 1763856000999999998};
    for (size_t i = 0; i + 1 < sizeof times / sizeof *times; i++) {
        lam_log_name_make("log", times[i], UINT32_MAX, earlier);
        lam_log_name_make("log", times[i + 1], 0, later);
        cr_assert_lt(strcmp(earlier, later), 0, "%s %s", earlier, later);
    }
}

Test(log_name, a_run_has_names_of_its_own_whatever_the_clock_says) {
    char names[3][LAM_LOG_NAME_MAX + 1];
    uint32_t runs[2] = {lam_log_run_start(), lam_log_run_start()};
    lam_log_name name;
    cr_assert(runs[0] != 0 && runs[1] != 0 && runs[0] != runs[1]);
    lam_log_name_make("log", 5, lam_log_run_name(runs[0], 0), names[0]);
    lam_log_name_make("log", 5, lam_log_run_name(runs[0], 4095), names[1]);
    lam_log_name_make("log", 5, lam_log_run_name(runs[1], UINT32_MAX), names[2]);
    for (size_t i = 0; i < 3; i++) {
        cr_assert_neq(strcmp(names[i], names[(i + 1) % 3]), 0);
        cr_assert(lam_log_name_parse(names[i], &name));
        cr_assert_eq(lam_log_name_is_of_run(&name, runs[0]), i < 2);
        cr_assert_eq(lam_log_name_is_of_run(&name, runs[1]), i == 2);
        cr_assert_not(lam_log_name_is_of_run(&name, 0));
    }
}

Test(log_name, a_name_of_another_prefix_is_none_of_the_log) {
    lam_log_name name;
    cr_assert(lam_log_name_parse_of("log" TIME ID ".parquet", "log", &name));
    cr_assert_not(lam_log_name_parse_of("lot" TIME ID ".parquet", "log", &name));
    cr_assert_not(lam_log_name_parse_of("logs" TIME ID ".parquet", "log", &name));
}

Test(log_name, the_folder_of_a_path_is_what_is_before_its_last_slash) {
    static const char *const rows[][2] = {
        {"a", "."}, {"a/b", "a"}, {"/a", "/"}, {"/a/b", "/a"}, {"a/b/", "a/b"}};
    lam_allocator allocator = lam_allocator_or_default(NULL);
    lam_buffer folder;
    lam_buffer_init(&folder, &allocator);
    for (size_t i = 0; i < 5; i++) {
        cr_assert_eq(lam_log_folder_of(&folder, rows[i][0], NULL), LAM_STATUS_OK);
        cr_assert_str_eq((const char *)folder.data, rows[i][1]);
    }
    lam_buffer_finish(&folder);
}
