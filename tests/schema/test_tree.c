/* SPDX-License-Identifier: Apache-2.0 */
/* Fields know their place, levels and leaves. Schemas are compared, copied and shared. */
#include "schema/tree.h"
#include "schema/tree_seal.h"

#include <criterion/criterion.h>

#include "schema_texts.h"
#include "support/failing_alloc.h"

static const char text[] = "message Document {"
                           "  required int64 DocId = 4;"
                           "  optional group Links {"
                           "    repeated int64 Backward;"
                           "    repeated int64 Forward;"
                           "  }"
                           "  repeated group Name {"
                           "    optional fixed(16) Url (UUID);"
                           "  }"
                           "}";

Test(tree, a_field_knows_its_place) {
    lam_schema *schema = parsed(text);
    const lam_field *root = lam_schema_root(schema);
    cr_assert_eq(lam_schema_field_count(schema), 7);
    cr_assert_eq(lam_schema_leaf_count(schema), 4);
    cr_assert_eq(lam_schema_field(schema, 0), root);
    cr_assert_null(lam_schema_field(schema, 7));
    cr_assert_null(lam_schema_leaf(schema, 4));
    cr_assert_str_eq(lam_field_name(root), "Document");
    cr_assert_null(lam_field_parent(root));
    cr_assert_eq(lam_field_depth(root), 0);
    cr_assert_eq(lam_field_child_count(root), 3);
    cr_assert_eq(lam_field_leaf_count(root), 4);
    cr_assert_null(lam_field_child(root, 3));

    const lam_field *links = lam_field_child(root, 1);
    cr_assert_str_eq(lam_field_name(links), "Links");
    cr_assert_eq(lam_field_physical_type(links), LAM_PHYSICAL_GROUP);
    cr_assert_eq(lam_field_repetition(links), LAM_REPETITION_OPTIONAL);
    cr_assert_not(lam_field_is_leaf(links));
    cr_assert_eq(lam_field_index(links), 2);
    cr_assert_eq(lam_field_ordinal(links), 1);
    cr_assert_eq(lam_field_first_leaf(links), 1);
    cr_assert_eq(lam_field_leaf_count(links), 2);
    cr_assert_eq(links->subtree_size, 3);

    const lam_field *url = lam_schema_leaf(schema, 3);
    cr_assert(lam_field_is_leaf(url));
    cr_assert_eq(lam_field_depth(url), 2);
    cr_assert_eq(lam_field_first_leaf(url), 3);
    cr_assert_eq(lam_field_leaf_count(url), 1);
    cr_assert_eq(lam_field_parent(url), lam_schema_find(schema, "Name"));
    cr_assert_eq(lam_field_type_length(url), 16);
    cr_assert_eq(lam_field_logical_type(url)->kind, LAM_LOGICAL_UUID);
    int32_t id = 0;
    cr_assert_not(lam_field_id(url, &id));
    cr_assert_eq(id, 0);
    cr_assert(lam_field_id(lam_field_child(root, 0), &id));
    cr_assert_eq(id, 4);
    cr_assert_null(lam_field_child(url, 0));
    lam_schema_destroy(schema);
}

Test(tree, names_of_roots_do_not_matter_to_records) {
    static const struct {
        const char *text;
        bool holds_same;
    } cases[] = {
        {"message other { required int64 a; optional int32 b (DATE); }", true},
        {"message m { required int64 a; optional int32 b; }", false},
        {"message m { required int64 a; optional int32 c (DATE); }", false},
        {"message m { required int64 a; optional int32 b (DATE) = 1; }", false},
        {"message m { required int64 a; optional int32 b (DATE); optional int32 c; }", false},
        {"message m { required group a { optional int32 b (DATE); } }", false},
        {"message m { }", false},
    };
    lam_schema *schema = parsed("message m { required int64 a; optional int32 b (DATE); }");
    cr_assert(lam_schema_holds_same(schema, schema));
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        lam_schema *other = parsed(cases[i].text);
        cr_expect_eq(lam_schema_holds_same(schema, other), cases[i].holds_same, "%s",
                     cases[i].text);
        cr_expect_not(lam_schema_equals(schema, other), "%s", cases[i].text);
        lam_schema_destroy(other);
    }
    lam_schema_destroy(schema);
}

Test(tree, any_schema_hangs_together) {
    uint64_t seed = lam_test_seed(5);
    lam_random random = lam_random_start(seed);
    for (int round = 0; round < 500; round++) {
        lam_schema *schema = random_schema(&random, 60, 20);
        size_t leaves = 0;
        for (size_t i = 0; i < schema->field_count; i++) {
            const lam_field *field = lam_schema_field(schema, i);
            cr_assert_eq(lam_field_index(field), i);
            cr_assert_eq(lam_field_first_leaf(field), leaves, "seed %llu",
                         (unsigned long long)seed);
            size_t size = 1, below = lam_field_is_leaf(field);
            for (size_t c = 0; c < lam_field_child_count(field); c++) {
                const lam_field *child = lam_field_child(field, c);
                cr_assert_eq(lam_field_parent(child), field);
                cr_assert_eq(lam_field_ordinal(child), c);
                cr_assert_eq(lam_field_index(child), i + size);
                cr_assert_eq(lam_field_depth(child), lam_field_depth(field) + 1);
                cr_assert_eq(child->max_repetition - field->max_repetition,
                             lam_field_repetition(child) == LAM_REPETITION_REPEATED);
                cr_assert_eq(child->max_definition - field->max_definition,
                             lam_field_repetition(child) != LAM_REPETITION_REQUIRED);
                size += child->subtree_size;
                below += lam_field_leaf_count(child);
            }
            cr_assert_eq(field->subtree_size, size);
            cr_assert_eq(lam_field_leaf_count(field), below);
            if (lam_field_is_leaf(field))
                cr_assert_eq(lam_schema_leaf(schema, leaves++), field);
        }
        cr_assert_eq(lam_schema_leaf_count(schema), leaves);
        lam_schema_destroy(schema);
    }
}

Test(tree, type_lengths_are_those_of_the_physical_types) {
    lam_schema *schema = parsed("required boolean a; required int32 b; required int64 c; required "
                                "int96 d; required float e; required double f; required binary g; "
                                "required fixed(7) h; required group i { required int32 j; }");
    static const int32_t lengths[] = {0, 1, 4, 8, 12, 4, 8, 0, 7, 0, 4};
    for (size_t i = 0; i < 11; i++)
        cr_assert_eq(lam_field_type_length(lam_schema_field(schema, i)), lengths[i]);
    cr_assert_eq(lam_element_size(lam_schema_leaf(schema, 6)), sizeof(lam_bytes));
    lam_schema_destroy(schema);
}

Test(tree, equal_means_equal_in_everything_that_a_field_says) {
    static const char *const texts[] = {
        "message m { optional int32 a; }",
        "message n { optional int32 a; }",
        "message m { optional int32 b; }",
        "message m { required int32 a; }",
        "message m { optional int64 a; }",
        "message m { optional int32 a (DATE); }",
        "message m { optional int32 a = 0; }",
        "message m { optional int32 a = 1; }",
        "message m { optional int32 a; optional int32 b; }",
        "message m { optional group a { optional int32 b; } }",
        "message m { optional group a { optional int32 b; optional int32 c; } }",
        "message m { optional group a { optional int32 b; } optional int32 c; }",
        "message m { optional fixed(4) a; }",
        "message m { optional fixed(5) a; }",
        "message m { optional binary a (GEOMETRY); }",
        "message m { optional binary a (GEOMETRY(\"\")); }",
        "message m { optional binary a (GEOMETRY(x)); }",
        "message m { optional binary a (GEOGRAPHY(x)); }",
        "message m { optional binary a (GEOGRAPHY(x,SPHERICAL)); }",
        "message m { optional int64 a (TIMESTAMP(MICROS,true)); }",
        "message m { optional int64 a (TIMESTAMP(MICROS,false)); }",
        "message m { optional int64 a (TIMESTAMP(NANOS,true)); }",
        "message m { optional int32 a (DECIMAL(2,1)); }",
        "message m { optional int32 a (DECIMAL(2,2)); }",
        "message m { optional int32 a (DECIMAL(3,1)); }",
        "message m { optional int32 a (INTEGER(8,true)); }",
        "message m { optional int32 a (INTEGER(8,false)); }",
        "message m { optional int32 a (INTEGER(16,true)); }",
        "message m { optional group a (VARIANT) { optional binary b; } }",
        "message m { optional group a (VARIANT(1)) { optional binary b; } }",
        "message m { optional group a (VARIANT(2)) { optional binary b; } }",
        "message m {}",
    };
    size_t count = sizeof texts / sizeof texts[0];
    for (size_t i = 0; i < count; i++) {
        lam_schema *a = parsed(texts[i]);
        for (size_t k = 0; k < count; k++) {
            lam_schema *b = parsed(texts[k]);
            cr_assert_eq(lam_schema_equals(a, b), i == k, "%s %s", texts[i], texts[k]);
            lam_schema_destroy(b);
        }
        lam_schema_destroy(a);
    }
}

Test(tree, a_copy_outlives_its_original) {
    lam_random random = lam_random_start(lam_test_seed(3));
    for (int round = 0; round < 100; round++) {
        lam_schema *schema = random_schema(&random, 40, 10);
        char *before = printed(schema);
        lam_schema *copy;
        cr_assert_eq(lam_schema_seal(schema->fields, schema->field_count, NULL, &copy, NULL),
                     LAM_STATUS_OK);
        cr_assert(lam_schema_equals(schema, copy));
        lam_schema_destroy(schema);
        char *after = printed(copy);
        cr_assert_str_eq(before, after);
        for (size_t i = 1; i < copy->field_count; i++) {
            const lam_field *field = lam_schema_field(copy, i);
            cr_assert_eq(
                lam_field_child_named(lam_field_parent(field), field->name, field->name_size),
                field);
        }
        free(before);
        free(after);
        lam_schema_destroy(copy);
    }
}

Test(tree, a_copy_without_memory_is_an_error_and_nothing_leaks) {
    lam_schema *schema = parsed(text);
    for (size_t n = 1;; n++) {
        lam_failing_alloc counter = {.fail_at = n};
        lam_allocator allocator = lam_failing_allocator(&counter);
        lam_schema *copy = NULL;
        lam_status status =
            lam_schema_seal(schema->fields, schema->field_count, &allocator, &copy, NULL);
        lam_schema_destroy(copy);
        cr_assert_eq(counter.live_bytes, 0);
        cr_assert_eq(counter.wrong_sizes, 0);
        if (status == LAM_STATUS_OK)
            break;
        cr_assert_eq(status, LAM_STATUS_NOMEM);
        cr_assert_null(copy);
    }
    lam_schema_destroy(schema);
}

Test(tree, a_schema_lives_until_its_last_holder_lets_go) {
    lam_failing_alloc counter = {0};
    lam_allocator allocator = lam_failing_allocator(&counter);
    lam_schema *schema = NULL;
    lam_error error;
    cr_assert_eq(lam_schema_parse_text("required int32 a;", &allocator, &schema, &error),
                 LAM_STATUS_OK);
    const lam_field *field = lam_schema_find(schema, "a");
    lam_schema *shared = lam_schema_share(schema);
    cr_assert_eq(shared, schema);
    lam_schema_destroy(schema);
    cr_assert_gt(counter.live_bytes, 0);
    cr_assert_eq(lam_schema_find(shared, "a"), field);
    cr_assert_str_eq(lam_field_name(field), "a");
    lam_schema_destroy(shared);
    cr_assert_eq(counter.live_bytes, 0);
}

Test(tree, no_schema_has_nothing) {
    lam_error error = lam_error_none();
    lam_schema *schema = NULL;
    cr_assert_null(lam_schema_root(NULL));
    cr_assert_null(lam_schema_find(NULL, "a"));
    cr_assert_null(lam_schema_leaf(NULL, 0));
    cr_assert(lam_schema_equals(NULL, NULL));
    cr_assert_null(lam_schema_field(NULL, 0));
    cr_assert_eq(lam_schema_leaf_count(NULL), 0);
    cr_assert_eq(lam_schema_field_count(NULL), 0);
    cr_assert_eq(lam_schema_parse_text(NULL, NULL, &schema, &error), LAM_STATUS_INVALID);
    cr_assert_str_eq(error.message, "no text of a schema (NULL)");
    schema = parsed(text);
    cr_assert_null(lam_schema_find(schema, NULL));
    cr_assert_not(lam_schema_equals(schema, NULL));
    cr_assert_not(lam_schema_equals(NULL, schema));
    lam_schema_destroy(schema);
}
