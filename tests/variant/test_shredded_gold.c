/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The shredded files of parquet-testing: every record assembles to the variant beside it, or to the
 * error that is expected.
 */
#include <lamella/reader.h>
#include <lamella/scan.h>

#include "reference/json_tree.h"
#include "shred_trip.h"

#define OK(call) cr_assert_eq((call), LAM_STATUS_OK, "%s", #call)

static const char *path_of(const char *name) {
    char path[512];
    snprintf(path, sizeof path, "parquet-testing/shredded_variant/%s", name);
    return lam_test_shared(path);
}

/* A file of metadata and, behind it, value. */
static lam_variant gold(const char *name) {
    size_t size, names = 0;
    char *text = lam_test_read_file(path_of(name), &size);
    cr_assert_not_null(text, "%s", name);
    lam_bytes both = {(const uint8_t *)text, size};
    cr_assert_eq(metadata_size(both, &names), LAM_ERROR_CODE_NONE);
    lam_variant variant = {{exact_block(text, names), names},
                           {exact_block(text + names, size - names), size - names}};
    free(text);
    return variant;
}

/* The variants of the records of a file, NULL metadata for a record without. */
typedef struct found_values {
    kept_values kept;
    size_t of_record[KEPT_MAX]; /* variants that were there before its end */
} found_values;

static lam_status found_end(void *state, lam_error *error) {
    found_values *found = state;
    (void)error;
    found->of_record[found->kept.records++] = found->kept.count;
    return LAM_STATUS_OK;
}

static lam_status read_variants(const char *name, bool tolerate, found_values *found,
                                lam_error *error) {
    lam_reader *reader;
    lam_record_reader *records;
    lam_variant_assembler *assembler;
    lam_variant_assembler_options options = lam_variant_assembler_options_default();
    lam_variant_sink next = kept_sink(&found->kept);
    uint64_t count;
    options.tolerate_conflicts = tolerate;
    next.records.end = found_end;
    OK(lam_reader_open_file(path_of(name), NULL, &reader, error));
    lam_status status = lam_variant_assembler_create(lam_reader_schema(reader), NULL, &options,
                                                     &next, NULL, &assembler, error);
    if (status == LAM_STATUS_OK) {
        lam_record_sink sink = lam_variant_assembler_sink(assembler);
        OK(lam_record_reader_open(reader, NULL, &records, error));
        status = lam_record_reader_read(records, &sink, UINT64_MAX, &count, error);
        lam_record_reader_close(records);
        lam_variant_assembler_destroy(assembler);
    }
    lam_reader_close(reader);
    return status;
}

/* Equal, and of the same kinds: a copy has the same bytes, whatever the layout of the original. */
static void expect_same(const char *name, lam_variant found, lam_variant expected) {
    lam_variant_builder *builder;
    lam_variant copy;
    lam_error error = lam_error_none();
    cr_assert_eq(lam_variant_validate(found, 0, &error), LAM_STATUS_OK, "%s: %s", name,
                 error.message);
    cr_assert_eq(lam_variant_validate(expected, 0, &error), LAM_STATUS_OK, "%s: %s", name,
                 error.message);
    OK(lam_variant_builder_create(NULL, NULL, &builder, NULL));
    OK(lam_variant_builder_copy(builder, found, NULL));
    OK(lam_variant_builder_finish(builder, &copy, NULL));
    lam_variant kept = keep_variant(copy);
    OK(lam_variant_builder_copy(builder, expected, NULL));
    OK(lam_variant_builder_finish(builder, &copy, NULL));
    cr_expect(lam_variant_equals(found, expected), "%s", name);
    cr_assert_eq(kept.metadata.size, copy.metadata.size, "%s", name);
    cr_expect_arr_eq(kept.metadata.data, copy.metadata.data, copy.metadata.size, "%s", name);
    cr_assert_eq(kept.value.size, copy.value.size, "%s", name);
    cr_expect_arr_eq(kept.value.data, copy.value.data, copy.value.size, "%s", name);
    free_variant(kept);
    lam_variant_builder_destroy(builder);
}

/* The names of the gold files of a case, NULL for a record that has no VARIANT. */
static size_t gold_names(const lam_json_tree *item, const char **names) {
    const lam_json_tree *one = lam_json_tree_member(item, "variant_file");
    const lam_json_tree *many = lam_json_tree_member(item, "variant_files");
    if (one != NULL) {
        names[0] = one->text;
        return 1;
    }
    if (many == NULL)
        return 0;
    for (size_t i = 0; i < many->count; i++)
        names[i] = many->items[i].kind == LAM_JSON_STRING ? many->items[i].text : NULL;
    return many->count;
}

static void expect_gold(const char *file, bool tolerate, const char **names, size_t count) {
    found_values found = {{{{{0}, {0}}}, 0, 0, 0}, {0}};
    lam_error error = lam_error_none();
    cr_assert_eq(read_variants(file, tolerate, &found, &error), LAM_STATUS_OK, "%s: %s", file,
                 error.message);
    cr_assert_eq(found.kept.records, count, "%s", file);
    for (size_t i = 0, next = 0; i < count; i++) {
        size_t there = found.of_record[i] - next;
        cr_assert_eq(there, names[i] == NULL ? 0 : 1, "%s: record %zu", file, i);
        if (names[i] == NULL)
            continue;
        lam_variant expected = gold(names[i]);
        expect_same(names[i], found.kept.values[next++], expected);
        free_variant(expected);
    }
    free_kept(&found.kept);
}

/* What conflicts is told as such; the specification lets readers take typed_value instead. */
static void expect_refused(const char *file, const char *why) {
    static const struct {
        const char *why;
        const char *message;
    } words[] = {{"conflicting value and typed_value", "value and typed_value conflict"},
                 {"non-object value with shredded fields", "value and typed_value conflict"},
                 {"Unsupported shredded value type", "no value is shredded as"}};
    found_values found = {{{{{0}, {0}}}, 0, 0, 0}, {0}};
    lam_error error = lam_error_none();
    const char *expected = NULL;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strstr(why, words[i].why) != NULL)
            expected = words[i].message;
    cr_assert_not_null(expected, "%s", why);
    cr_expect_neq(read_variants(file, false, &found, &error), LAM_STATUS_OK, "%s", file);
    cr_expect_not_null(strstr(error.message, expected), "%s: %s", file, error.message);
    free_kept(&found.kept);
}

Test(shredded_gold, every_case_gives_its_variants_or_its_error, .timeout = 120) {
    if (!lam_test_shared_exists("parquet-testing/shredded_variant/cases.json"))
        cr_skip_test("no cases");
    lam_arena arena;
    lam_allocator allocator = lam_allocator_default();
    size_t size, taken = 0, refused = 0, tolerated = 0;
    lam_arena_init(&arena, &allocator, 0);
    char *text = lam_test_read_file(path_of("cases.json"), &size);
    lam_json_tree cases = lam_json_tree_parse(text, &arena);
    for (size_t i = 0; i < cases.count; i++) {
        const lam_json_tree *item = &cases.items[i];
        const lam_json_tree *file = lam_json_tree_member(item, "parquet_file");
        const lam_json_tree *why = lam_json_tree_member(item, "error_message");
        const char *names[KEPT_MAX];
        if (file == NULL) /* case 3 has no file */
            continue;
        bool is_invalid = strstr(file->text, "INVALID") != NULL;
        size_t count = gold_names(item, names);
        if (why != NULL) {
            expect_refused(file->text, why->text);
            refused++;
            continue;
        }
        if (is_invalid)
            expect_gold(file->text, true, names, count);
        else
            expect_gold(file->text, false, names, count);
        tolerated += is_invalid;
        taken++;
    }
    cr_expect_eq(taken + refused, 137);
    cr_expect_eq(refused, 6);
    cr_expect_eq(tolerated, 3);
    free(text);
    lam_arena_finish(&arena);
}
