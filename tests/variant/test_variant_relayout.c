/* SPDX-License-Identifier: Apache-2.0 */
/* A VARIANT of a schema gets other columns, and everything around it stays. */
#include <lamella/variant_inference.h>

#include "schema/tree.h"

#include "shred_trip.h"
#include "support/failing_alloc.h"

static const char PLAIN[] =
    "message m { optional group a (LIST) { repeated group list { optional group v (VARIANT(1)) { "
    "required binary metadata; required binary value; } } } required fixed_len_byte_array(3) f; "
    "optional group w (VARIANT) { required binary value; required binary metadata; } }";

Test(variant_relayout, one_group_gets_the_columns_that_are_given) {
    lam_schema *schema = schema_of(PLAIN), *made;
    lam_schema *given = schema_of("optional group typed_value { required group x { optional binary "
                                  "value; optional int32 typed_value (DECIMAL(9,2)) = 5; } }");
    lam_schema *wanted = schema_of(
        "message m { optional group a (LIST) { repeated group list { optional group v (VARIANT(1)) "
        "{ required binary metadata; optional binary value; optional group typed_value { required "
        "group x { optional binary value; optional int32 typed_value (DECIMAL(9,2)) = 5; } } } } } "
        "required fixed_len_byte_array(3) f; optional group w (VARIANT) { required binary value; "
        "required binary metadata; } }");
    lam_error error = lam_error_none();
    cr_assert_eq(lam_variant_shred_group(schema, field_of(schema, "a.list.v"),
                                         field_of(given, "typed_value"), NULL, &made, &error),
                 LAM_STATUS_OK, "%s", error.message);
    cr_expect(lam_schema_equals(made, wanted));
    lam_schema_destroy(made);
    lam_schema_destroy(wanted);
    lam_schema_destroy(given);
    lam_schema_destroy(schema);
}

static void expect_refused(const char *group, const char *given_text, lam_status status,
                           const char *message) {
    lam_schema *schema = schema_of(PLAIN), *given = schema_of(given_text), *made = NULL;
    lam_error error = lam_error_none();
    cr_expect_eq(lam_variant_shred_group(schema, field_of(schema, group),
                                         lam_field_child(lam_schema_root(given), 0), NULL, &made,
                                         &error),
                 status, "%s", given_text);
    cr_expect_str_eq(error.message, message, "%s", error.message);
    cr_expect_null(made);
    lam_schema_destroy(given);
    lam_schema_destroy(schema);
}

Test(variant_relayout, what_is_no_layout_is_refused) {
    expect_refused("w", "optional int64 x;", LAM_STATUS_INVALID,
                   "a field named x, not typed_value");
    expect_refused("w", "required int64 typed_value;", LAM_STATUS_INVALID,
                   "w.typed_value: typed_value is optional");
    expect_refused("w", "optional int96 typed_value;", LAM_STATUS_UNSUPPORTED,
                   "w.typed_value: no value is shredded as int96");
    expect_refused("a", "optional int64 typed_value;", LAM_STATUS_INVALID,
                   "a.list: a VARIANT has no such field here");
    expect_refused(
        "w", "optional group typed_value { optional int64 x; }", LAM_STATUS_INVALID,
        "w.typed_value.x: a field of a shredded object must be a group of value and typed_value");
    lam_schema *schema = schema_of(PLAIN), *given = schema_of("optional int64 typed_value;");
    lam_schema *made, *again;
    cr_expect_eq(
        lam_variant_shred_group(schema, NULL, field_of(given, "typed_value"), NULL, &made, NULL),
        LAM_STATUS_INVALID);
    cr_expect_eq(lam_variant_shred_group(schema, field_of(schema, "w"), NULL, NULL, &made, NULL),
                 LAM_STATUS_INVALID);
    cr_expect_eq(lam_variant_shred_group(given, field_of(schema, "w"),
                                         field_of(given, "typed_value"), NULL, &made, NULL),
                 LAM_STATUS_INVALID);
    cr_assert_eq(lam_variant_shred_group(schema, field_of(schema, "w"),
                                         field_of(given, "typed_value"), NULL, &made, NULL),
                 LAM_STATUS_OK);
    lam_error error = lam_error_none();
    cr_expect_eq(lam_variant_shred_group(made, field_of(made, "w"), field_of(given, "typed_value"),
                                         NULL, &again, &error),
                 LAM_STATUS_INVALID);
    cr_expect_str_eq(error.message, "w: it has a typed_value");
    lam_schema_destroy(made);
    lam_schema_destroy(given);
    lam_schema_destroy(schema);
}

Test(variant_relayout, a_failing_allocation_leaves_nothing_behind) {
    lam_schema *schema = schema_of(PLAIN), *given = schema_of("optional int64 typed_value;");
    lam_status status = LAM_STATUS_NOMEM;
    for (size_t n = 1; status != LAM_STATUS_OK; n++) {
        lam_failing_alloc counter = {.fail_at = n};
        lam_allocator allocator = lam_failing_allocator(&counter);
        lam_schema *made = NULL;
        status = lam_variant_shred_group(schema, field_of(schema, "w"),
                                         field_of(given, "typed_value"), &allocator, &made, NULL);
        cr_assert(status == LAM_STATUS_OK || status == LAM_STATUS_NOMEM);
        lam_schema_destroy(made);
        cr_assert_eq(counter.live_bytes, 0, "request %zu", n);
        cr_assert_eq(counter.wrong_sizes, 0, "request %zu", n);
        cr_assert_lt(n, 1000);
    }
    lam_schema_destroy(given);
    lam_schema_destroy(schema);
}

/* Files have groups without fields, which cannot be written. */
Test(variant_relayout, a_group_without_fields_is_refused) {
    static const char *const names[] = {"metadata", "value"};
    lam_schema *given = schema_of("optional int64 typed_value;"), *schema, *made = NULL;
    lam_schema_builder *builder;
    lam_error error = lam_error_none();
    cr_assert_eq(lam_schema_builder_create("m", NULL, &builder, NULL), LAM_STATUS_OK);
    lam_schema_builder_set_lenient(builder);
    for (size_t i = 0; i < 2; i++) {
        cr_assert_eq(lam_schema_builder_begin_group(builder, i == 0 ? "hollow" : "w",
                                                    LAM_REPETITION_OPTIONAL, NULL, NULL),
                     LAM_STATUS_OK);
        for (size_t k = 0; k < 2 * i; k++)
            cr_assert_eq(lam_schema_builder_add_leaf(builder, names[k], LAM_REPETITION_REQUIRED,
                                                     LAM_PHYSICAL_BYTE_ARRAY, NULL, NULL),
                         LAM_STATUS_OK);
        cr_assert_eq(lam_schema_builder_end_group(builder, NULL), LAM_STATUS_OK);
    }
    cr_assert_eq(lam_schema_builder_finish(builder, &schema, NULL), LAM_STATUS_OK);
    lam_schema_builder_destroy(builder);
    cr_expect_eq(lam_variant_shred_group(schema, field_of(schema, "w"),
                                         field_of(given, "typed_value"), NULL, &made, &error),
                 LAM_STATUS_INVALID);
    cr_expect_str_eq(error.message, "group 'hollow' has no fields");
    cr_expect_null(made);
    lam_schema_destroy(schema);
    lam_schema_destroy(given);
}
