/* SPDX-License-Identifier: Apache-2.0 */
/* Children are found by name in groups of every width. */
#include "schema/name_index.h"

#include <criterion/criterion.h>
#include <stdio.h>

#include "schema_texts.h"

/* A schema of `count` columns "c0", "c1", ...; lenient ones have every name twice. */
static lam_schema *wide(size_t count, bool twice) {
    lam_schema_builder *builder;
    lam_schema *schema;
    cr_assert_eq(lam_schema_builder_create("m", NULL, &builder, NULL), LAM_STATUS_OK);
    if (twice)
        lam_schema_builder_set_lenient(builder);
    for (size_t i = 0; i < count * (twice ? 2 : 1); i++) {
        char name[24];
        snprintf(name, sizeof name, "c%zu", i % count);
        cr_assert_eq(lam_schema_builder_add_leaf(builder, name, LAM_REPETITION_REQUIRED,
                                                 LAM_PHYSICAL_INT32, NULL, NULL),
                     LAM_STATUS_OK);
    }
    cr_assert_eq(lam_schema_builder_finish(builder, &schema, NULL), LAM_STATUS_OK);
    lam_schema_builder_destroy(builder);
    return schema;
}

/* Every name finds its own field, and names that are near to them find nothing. */
static void finds_all(const lam_schema *schema, size_t count) {
    const lam_field *root = lam_schema_root(schema);
    for (size_t i = 0; i < count; i++) {
        char name[24];
        int size = snprintf(name, sizeof name, "c%zu", i);
        const lam_field *child = lam_field_child_named(root, name, (size_t)size);
        cr_assert_not_null(child);
        cr_assert_eq(lam_field_ordinal(child), i);
        name[0] = 'C';
        cr_assert_null(lam_field_child_named(root, name, (size_t)size));
    }
    cr_assert_null(lam_field_child_named(root, NULL, 0));
    cr_assert_null(lam_field_child_named(root, "c", 1));
    cr_assert_null(lam_field_child_named(root, "c0\0", 3));
    cr_assert_null(lam_field_child_named(lam_schema_leaf(schema, 0), "c0", 2));
}

Test(name_index, groups_of_every_width_find_each_child) {
    for (size_t count = 1; count < 70; count++) {
        lam_schema *schema = wide(count, false);
        finds_all(schema, count);
        lam_schema_destroy(schema);
    }
    lam_schema *schema = wide(10000, false);
    finds_all(schema, 10000);
    lam_schema_destroy(schema);
}

Test(name_index, of_siblings_with_one_name_the_first_is_found) {
    for (size_t count = 1; count < 1000; count = count * 2 + 1) {
        lam_schema *schema = wide(count, true);
        finds_all(schema, count);
        lam_schema_destroy(schema);
    }
}

Test(name_index, a_table_belongs_to_its_own_group) {
    lam_schema *schema = parsed(
        "message m { required group a { required int32 a; required int32 b; required int32 c; "
        "required int32 d; required int32 e; required int32 f; required int32 g; required int32 h; "
        "required int32 i; } required group b { required int32 j; required int32 b; required int32 "
        "c; required int32 d; required int32 e; required int32 f; required int32 g; required int32 "
        "h; required int32 i; required int32 \"\"; } }");
    const lam_field *a = lam_schema_find(schema, "a");
    const lam_field *b = lam_schema_find(schema, "b");
    cr_assert_eq(lam_field_parent(lam_field_child_named(a, "i", 1)), a);
    cr_assert_eq(lam_field_parent(lam_field_child_named(b, "i", 1)), b);
    cr_assert_null(lam_field_child_named(a, "j", 1));
    cr_assert_null(lam_field_child_named(b, "a", 1));
    cr_assert_null(lam_field_child_named(a, "", 0));
    cr_assert_eq(lam_field_ordinal(lam_field_child_named(b, NULL, 0)), 9);
    lam_schema_destroy(schema);
}

/* Names longer than a block of the hash, whole and in pieces: by their dots, and at each "\"\"". */
Test(name_index, words_find_the_names_that_they_stand_for) {
    lam_schema_builder *builder;
    lam_schema *longer;
    char name[320], text[700];
    cr_assert_eq(lam_schema_builder_create("m", NULL, &builder, NULL), LAM_STATUS_OK);
    for (int i = 0; i < 40; i++) {
        int size = snprintf(name, sizeof name, "%0*d.%0*d\"%0*d", 3 * i + 1, i, i + 120, i, i, i);
        cr_assert_lt(size, (int)sizeof name);
        cr_assert_eq(lam_schema_builder_add_leaf(builder, name, LAM_REPETITION_REQUIRED,
                                                 LAM_PHYSICAL_INT32, NULL, NULL),
                     LAM_STATUS_OK);
    }
    cr_assert_eq(lam_schema_builder_finish(builder, &longer, NULL), LAM_STATUS_OK);
    for (int i = 0; i < 40; i++) {
        snprintf(text, sizeof text, "\"%0*d\".\"%0*d\"\"%0*d\"", 3 * i + 1, i, i + 120, i, i, i);
        lam_allocator allocator = lam_allocator_default();
        lam_arena arena;
        lam_path path;
        lam_arena_init(&arena, &allocator, 0);
        cr_assert_eq(lam_path_read_text(text, &arena, &path, NULL), LAM_STATUS_OK);
        const lam_field *found =
            lam_field_child_of_words(lam_schema_root(longer), path.words, path.count);
        cr_assert_not_null(found, "%s", text);
        cr_assert_eq(lam_field_ordinal(found), (size_t)i);
        lam_arena_finish(&arena);
    }
    lam_schema_builder_destroy(builder);
    lam_schema_destroy(longer);
}
