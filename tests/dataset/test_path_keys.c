/* SPDX-License-Identifier: Apache-2.0 */
/* Keys in the names of folders: which folders are keys, their texts, and the type of each key. */
#include <criterion/criterion.h>
#include <lamella/constant.h>
#include <stdio.h>
#include <string.h>

#include "support/failing_alloc.h"
#include "support/random.h"

static lam_path_keys *keys_of(const char *const *paths) {
    lam_path_keys *keys;
    cr_assert_eq(lam_path_keys_create(NULL, &keys, NULL), LAM_STATUS_OK);
    for (; *paths != NULL; paths++)
        cr_assert_eq(lam_path_keys_add(keys, *paths, NULL), LAM_STATUS_OK);
    return keys;
}

/* Prints the keys of a file as "name=value" lines: i, d, s and b before values name the types. */
static void print_keys(const lam_path_keys *keys, size_t file, char *text, size_t capacity) {
    lam_constant constants[8];
    size_t size = 0;
    cr_assert_leq(lam_path_keys_count(keys), 8);
    cr_assert_eq(lam_path_keys_of_file(keys, file, constants, NULL), LAM_STATUS_OK);
    text[0] = '\0';
    for (size_t i = 0; i < lam_path_keys_count(keys); i++) {
        const lam_constant *constant = &constants[i];
        const char *gap = i > 0 ? " " : "";
        const lam_value *value = &constant->value;
        if (constant->is_null)
            size += (size_t)snprintf(text + size, capacity - size, "%s%s=%c:null", gap,
                                     constant->name, "sbid"[constant->type]);
        else if (constant->type == LAM_CONSTANT_INT64)
            size += (size_t)snprintf(text + size, capacity - size, "%s%s=i:%lld", gap,
                                     constant->name, (long long)value->int64);
        else if (constant->type == LAM_CONSTANT_DATE)
            size += (size_t)snprintf(text + size, capacity - size, "%s%s=d:%d", gap, constant->name,
                                     (int)value->int32);
        else
            size += (size_t)snprintf(text + size, capacity - size, "%s%s=%c:%.*s", gap,
                                     constant->name, "sb"[constant->type], (int)value -> bytes.size,
                                     (const char *)value->bytes.data);
    }
}

static void expect_keys(const char *const *paths, size_t file, const char *expected) {
    char text[400];
    lam_path_keys *keys = keys_of(paths);
    print_keys(keys, file, text, sizeof text);
    cr_assert_str_eq(text, expected);
    lam_path_keys_destroy(keys);
}

#define PATHS(...) ((const char *const[]){__VA_ARGS__, NULL})

Test(path_keys, folders_with_an_equals_sign_are_keys) {
    expect_keys(PATHS("a=1/plain/b=x y/f=2.parquet"), 0, "a=i:1 b=s:x y");
    expect_keys(PATHS("f.parquet"), 0, "");
    expect_keys(PATHS("=x/a/%3D=b=c/f"), 0, "==s:b=c");
    expect_keys(PATHS("a=//b=1/f"), 0, "a=s: b=i:1");
}

Test(path_keys, the_first_of_two_folders_of_one_key_counts) {
    expect_keys(PATHS("a=1/a=x/f"), 0, "a=i:1");
}

Test(path_keys, texts_of_all_files_decide_the_type) {
    expect_keys(PATHS("a=1/f", "a=-9223372036854775808/f"), 0, "a=i:1");
    expect_keys(PATHS("a=1/f", "a=9223372036854775808/f"), 0, "a=s:1");
    expect_keys(PATHS("a=1/f", "a=007/f"), 0, "a=s:1");
    expect_keys(PATHS("a=01/f", "a=12/f"), 0, "a=i:1");
    expect_keys(PATHS("a=00/f", "a=23/f"), 0, "a=i:0");
    expect_keys(PATHS("a=007/f"), 0, "a=i:7");
    expect_keys(PATHS("a=01/f", "a=1/f"), 0, "a=s:01");
    expect_keys(PATHS("a=12/f", "a=1/f"), 0, "a=i:12");
    expect_keys(PATHS("a=01/f", "a=100/f"), 1, "a=s:100");
    expect_keys(PATHS("a=01/f", "a=xx/f"), 0, "a=s:01");
    expect_keys(PATHS("a=-01/f", "a=-12/f"), 0, "a=s:-01");
    expect_keys(PATHS("a=01/f", "a=-1/f"), 1, "a=i:-1");
    expect_keys(PATHS("a=__HIVE_DEFAULT_PARTITION__/f", "a=01/f"), 1, "a=i:1");
    expect_keys(PATHS("a=1/f", "a=-0/f"), 1, "a=s:-0");
    expect_keys(PATHS("a=1/f", "a=+1/f"), 1, "a=s:+1");
    expect_keys(PATHS("a=1/f", "a=1.5/f"), 1, "a=s:1.5");
    expect_keys(PATHS("a=1/f", "a=-/f"), 1, "a=s:-");
    expect_keys(PATHS("a=0/f"), 0, "a=i:0");
    expect_keys(PATHS("a=2024-01-01/f", "a=1970-01-02/f"), 1, "a=d:1");
    expect_keys(PATHS("a=2024-01-01/f", "a=2024-02-30/f"), 0, "a=s:2024-01-01");
    expect_keys(PATHS("a=2024-01-01/f", "a=2024-1-1/f"), 0, "a=s:2024-01-01");
    expect_keys(PATHS("a=2024-01-01/f", "a=20240101/f"), 0, "a=s:2024-01-01");
    expect_keys(PATHS("a=1/f", "a=2024-01-01/f"), 0, "a=s:1");
}

Test(path_keys, a_file_without_a_key_and_the_default_partition_have_nulls) {
    const char *const *paths = PATHS("a=1/f", "b=2/f", "b=__HIVE_DEFAULT_PARTITION__/a=3/f",
                                     "c=__HIVE_DEFAULT_PARTITION__/f");
    expect_keys(paths, 0, "a=i:1 b=i:null c=s:null");
    expect_keys(paths, 1, "a=i:null b=i:2 c=s:null");
    expect_keys(paths, 2, "a=i:3 b=i:null c=s:null");
    expect_keys(PATHS("a=__HIVE_DEFAULT_PARTITION-_/f"), 0, "a=s:__HIVE_DEFAULT_PARTITION-_");
    expect_keys(PATHS("a=%5F_HIVE_DEFAULT_PARTITION__/f"), 0, "a=s:__HIVE_DEFAULT_PARTITION__");
    expect_keys(PATHS("a=/f"), 0, "a=s:");
}

Test(path_keys, bytes_are_unescaped_on_both_sides) {
    expect_keys(PATHS("a%20b=x%2Fy%3d/f"), 0, "a b=s:x/y=");
    expect_keys(PATHS("a=100%/b=%4/c=%zz/d=%2G/f"), 0, "a=s:100% b=s:%4 c=s:%zz d=s:%2G");
    expect_keys(PATHS("a=%-1/b=%4:/c=%_1/d=%Fa/f"), 0, "a=s:%-1 b=s:%4: c=s:%_1 d=b:\xFA");
    expect_keys(PATHS("a=%31/f"), 0, "a=i:1");
    expect_keys(PATHS("a=x\xFFy/f"), 0, "a=b:x\xFFy");
    expect_keys(PATHS("a=x\xFFy/f", "a=x/f", "a=\xFE/f"), 1, "a=b:x");
    expect_keys(PATHS("a%FF=1/b%00=2/f"), 0, ""); /* no names of columns */
}

Test(path_keys, there_is_no_file_behind_the_last) {
    lam_constant constant;
    lam_path_keys *keys = keys_of(PATHS("a=1/f"));
    cr_assert_eq(lam_path_keys_of_file(keys, 1, &constant, NULL), LAM_STATUS_INVALID);
    lam_path_keys_destroy(keys);
    lam_path_keys_destroy(NULL);
}

Test(path_keys, too_many_keys_are_a_limit_and_add_nothing) {
    char path[40];
    lam_path_keys *keys = keys_of(PATHS("a=1/f"));
    for (int i = 1; i < LAM_PATH_KEYS_MAX; i++) {
        snprintf(path, sizeof path, "k%d=%d/f", i, i);
        cr_assert_eq(lam_path_keys_add(keys, path, NULL), LAM_STATUS_OK);
    }
    cr_assert_eq(lam_path_keys_add(keys, "a=x/more=1/f", NULL), LAM_STATUS_LIMIT);
    cr_assert_eq(lam_path_keys_count(keys), LAM_PATH_KEYS_MAX);
    cr_assert_eq(lam_path_keys_add(keys, "a=2/f", NULL), LAM_STATUS_OK);
    lam_constant constants[LAM_PATH_KEYS_MAX];
    cr_assert_eq(lam_path_keys_of_file(keys, LAM_PATH_KEYS_MAX, constants, NULL), LAM_STATUS_OK);
    cr_assert_eq(constants[0].type, LAM_CONSTANT_INT64); /* the text of the refused file is not */
    cr_assert_eq(constants[0].value.int64, 2);
    lam_path_keys_destroy(keys);
}

Test(path_keys, any_allocation_may_fail) {
    static const char *const paths[] = {"a=1/b=%41/f", "a=2/c=x/d=y/f", "b=1/f"};
    lam_status status = LAM_STATUS_NOMEM;
    for (size_t n = 1; status != LAM_STATUS_OK; n++) {
        lam_failing_alloc counter = {.fail_at = n};
        lam_allocator allocator = lam_failing_allocator(&counter);
        lam_path_keys *keys = NULL;
        status = lam_path_keys_create(&allocator, &keys, NULL);
        for (size_t i = 0; i < 3 && status == LAM_STATUS_OK; i++)
            status = lam_path_keys_add(keys, paths[i], NULL);
        cr_assert(status == LAM_STATUS_OK || status == LAM_STATUS_NOMEM);
        lam_path_keys_destroy(keys);
        cr_assert_eq(counter.live_bytes, 0, "allocation %zu", n);
        cr_assert_eq(counter.wrong_sizes, 0, "allocation %zu", n);
    }
}
