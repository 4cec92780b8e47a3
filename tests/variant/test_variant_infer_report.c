/* SPDX-License-Identifier: Apache-2.0 */
/* What inference reports of each path: kinds, counts, and the reason of its choice. */
#include "inference_help.h"

typedef struct expected_finding {
    const char *path;
    uint64_t present;
    uint64_t count;
    const char *type;
    lam_variant_choice choice;
    lam_variant_reason reason;
} expected_finding;

Test(variant_infer_report, each_path_is_told_with_its_kinds_and_the_reason) {
    static const expected_finding expected[] = {
        {"", 3, 3, "object", LAM_VARIANT_SHREDDED, LAM_VARIANT_REASON_NONE},
        {"any", 2, 2, "array", LAM_VARIANT_SHREDDED_ALONE, LAM_VARIANT_REASON_ELEMENTS},
        {"any[]", 2, 3, "boolean", LAM_VARIANT_NOT_SHREDDED, LAM_VARIANT_REASON_INSIDE},
        {"id", 3, 3, "int32", LAM_VARIANT_SHREDDED, LAM_VARIANT_REASON_NONE},
        {"list", 2, 2, "array", LAM_VARIANT_SHREDDED, LAM_VARIANT_REASON_NONE},
        {"list[]", 2, 2, "object", LAM_VARIANT_SHREDDED, LAM_VARIANT_REASON_NONE},
        {"list[].x", 2, 2, "decimal(9,2)", LAM_VARIANT_SHREDDED, LAM_VARIANT_REASON_NONE},
        {"map", 2, 2, "object", LAM_VARIANT_SHREDDED_ALONE, LAM_VARIANT_REASON_NO_FIELD},
        {"map.k1", 1, 1, "int32", LAM_VARIANT_NOT_SHREDDED, LAM_VARIANT_REASON_RARE},
        {"map.k2", 1, 1, "int32", LAM_VARIANT_NOT_SHREDDED, LAM_VARIANT_REASON_RARE},
        {"mixed", 3, 3, "boolean", LAM_VARIANT_SHREDDED_ALONE, LAM_VARIANT_REASON_MIXED},
        {"nulls", 2, 2, "", LAM_VARIANT_SHREDDED_ALONE, LAM_VARIANT_REASON_NULL},
        {"rare", 1, 1, "string", LAM_VARIANT_NOT_SHREDDED, LAM_VARIANT_REASON_RARE}};
    lam_variant_inference_options options = lam_variant_inference_options_default();
    lam_schema *schema = schema_of(VARIANT_SCHEMA), *made;
    lam_variant_inference *inference;
    options.min_presence = 0.34;
    options.min_uniformity = 0.5;
    cr_assert_eq(lam_variant_inference_create(schema, &options, NULL, &inference, NULL),
                 LAM_STATUS_OK);
    add_values(inference, schema,
               "{\"any\":[1],\"id\":1,\"list\":[{\"x\":\"~1.50\"}],\"map\":{\"k1\":1},"
               "\"mixed\":1,\"nulls\":null,\"rare\":\"x\"}|"
               "{\"any\":[true,\"x\"],\"id\":300,\"list\":[{\"x\":\"~2.25\"}],"
               "\"map\":{\"k2\":1},\"mixed\":\"x\",\"nulls\":null}|"
               "{\"id\":3,\"mixed\":true}");
    cr_assert_eq(lam_variant_inference_schema(inference, &made, NULL), LAM_STATUS_OK);
    cr_expect_eq(finding_count(inference), sizeof expected / sizeof *expected);
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        const lam_variant_finding *found = lam_variant_inference_finding(inference, i);
        cr_assert_not_null(found);
        cr_expect_str_eq(found->path, expected[i].path);
        cr_expect_str_eq(found->type, expected[i].type, "%s: %s", found->path, found->type);
        cr_expect_eq(found->present, expected[i].present, "%s", found->path);
        cr_expect_eq(found->count, expected[i].count, "%s", found->path);
        cr_expect_eq(found->choice, expected[i].choice, "%s: %d", found->path, (int)found->choice);
        cr_expect_eq(found->reason, expected[i].reason, "%s: %s", found->path,
                     lam_variant_reason_text(found->reason));
        cr_expect_eq(found->values, 3);
        cr_expect_eq(found->group, field_of(schema, "v"));
    }
    const lam_variant_finding *id = lam_variant_inference_finding(inference, 3);
    cr_expect_eq(id->kinds[LAM_VARIANT_INT8], 2);
    cr_expect_eq(id->kinds[LAM_VARIANT_INT16], 1);
    cr_expect_eq(id->presence, 1.0);
    cr_expect_eq(id->uniformity, 1.0);
    cr_expect_eq(lam_variant_inference_finding(inference, 10)->uniformity, 1.0 / 3);
    cr_expect_null(lam_variant_inference_finding(inference, 13));
    lam_schema_destroy(made);
    lam_variant_inference_destroy(inference);
    lam_schema_destroy(schema);
}

Test(variant_infer_report, every_reason_has_words) {
    cr_expect_str_eq(lam_variant_reason_text(LAM_VARIANT_REASON_NONE), "");
    for (int reason = LAM_VARIANT_REASON_RARE; reason <= LAM_VARIANT_REASON_NAME; reason++)
        cr_expect_gt(strlen(lam_variant_reason_text((lam_variant_reason)reason)), 4);
    cr_expect_str_eq(lam_variant_reason_text((lam_variant_reason)1000), "");
}

Test(variant_infer_report, a_name_with_a_nul_is_told_with_a_mark) {
    lam_schema *schema = schema_of(VARIANT_SCHEMA), *made;
    lam_variant_inference *inference;
    lam_variant variant = hex_variant("11 01 00 03 610062", "02 01 00 00 02 0C01");
    cr_assert_eq(lam_variant_inference_create(schema, NULL, NULL, &inference, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_variant_inference_add(inference, field_of(schema, "v"), variant, NULL),
                 LAM_STATUS_OK);
    cr_assert_eq(lam_variant_inference_schema(inference, &made, NULL), LAM_STATUS_OK);
    cr_expect(lam_schema_equals(made, schema));
    const lam_variant_finding *found = lam_variant_inference_finding(inference, 1);
    cr_expect_str_eq(found->path, "\"a?b\"");
    cr_expect_eq(found->reason, LAM_VARIANT_REASON_NAME);
    free_variant(variant);
    lam_schema_destroy(made);
    lam_variant_inference_destroy(inference);
    lam_schema_destroy(schema);
}

/* The field "" had the path of the value itself, and "a.b" that of a field of a field. */
Test(variant_infer_report, odd_names_are_told_as_projections_take_them) {
    static const char *const expected[] = {"",          "\"\"", "\"a.b\"", "\"[]\"",
                                           "\"a\"\"\"", "a",    "a[]"};
    lam_schema *schema = schema_of(VARIANT_SCHEMA), *made;
    lam_variant_inference *inference;
    /* The names "", "[]", "a", "a\"", "a.b": {"":1,"[]":1,"a":[1],"a\"":1,"a.b":1} */
    lam_variant variant = hex_variant("11 05 00 00 02 03 05 08 5B5D 61 6122 612E62",
                                      "02 05 00 01 02 03 04 00 02 04 0A 0C 0E 0C01 0C01 "
                                      "03 01 00 02 0C01 0C01 0C01");
    cr_assert_eq(lam_variant_validate(variant, 0, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_variant_inference_create(schema, NULL, NULL, &inference, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_variant_inference_add(inference, field_of(schema, "v"), variant, NULL),
                 LAM_STATUS_OK);
    cr_assert_eq(lam_variant_inference_schema(inference, &made, NULL), LAM_STATUS_OK);
    size_t count = finding_count(inference);
    cr_assert_eq(count, sizeof expected / sizeof *expected);
    for (size_t i = 0; i < count; i++) {
        const char *path = lam_variant_inference_finding(inference, i)->path;
        size_t same = 0;
        for (size_t k = 0; k < count; k++)
            same += strcmp(path, expected[k]) == 0;
        cr_expect_eq(same, 1, "%s", path);
    }
    free_variant(variant);
    lam_schema_destroy(made);
    lam_variant_inference_destroy(inference);
    lam_schema_destroy(schema);
}
