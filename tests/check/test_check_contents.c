/* SPDX-License-Identifier: Apache-2.0 */
/* Columns of values that have a format of their own. */
#include <lamella/record.h>
#include <lamella/writer.h>
#include <stdio.h>

#include "check/forge.h"
#include "support/failing_alloc.h"

/* Three values of a required column, in a dictionary and without. */
static void expect_values(const char *schema_text, size_t leaf, const lam_bytes *values,
                          const char *rules) {
    static const lam_bytes good[2][3] = {
        {{(const uint8_t *)"\x01\0\0", 3},
         {(const uint8_t *)"\x01\0\0", 3},
         {(const uint8_t *)"\x01\0\0", 3}},
        {{(const uint8_t *)"\0", 1}, {(const uint8_t *)"\0", 1}, {(const uint8_t *)"\0", 1}}};
    lam_schema *schema = lam_test_schema(schema_text);
    for (int dictionary = 0; dictionary < 2; dictionary++) {
        lam_writer_options options = forge_options(1, dictionary == 1, true);
        lam_triples columns[2] = {{3, 3, NULL, NULL, good[0]}, {3, 3, NULL, NULL, good[1]}};
        columns[leaf].values = values;
        lam_buffer file = forge_triples(schema, &options, columns, 3);
        lam_test_findings found = lam_test_check(file.data, file.size, NULL);
        cr_assert_str_eq(found.rules, rules, "%s: %s", schema_text, found.first);
        cr_assert_leq(found.count, 1, "told once");
        lam_buffer_finish(&file);
    }
    lam_schema_destroy(schema);
}

static void expect_texts(const char *schema_text, const char *a, const char *b, const char *rules) {
    lam_bytes values[3] = {forge_text(a), forge_text(b), forge_text(b)};
    expect_values(schema_text, 0, values, rules);
}

Test(check_contents, json_is_valid) {
    static const char schema[] = "message m { required binary a (JSON); }";
    expect_texts(schema, "{\"a\":[]}", "1", "");
    expect_texts(schema, "{\"a\":[]}", "{a:1}", "json");
    expect_texts(schema, "", "1", "json");
    expect_texts("message m { required binary a (STRING); }", "{", "", "");
}

Test(check_contents, bson_is_a_document) {
    static const char schema[] = "message m { required binary a (BSON); }";
    const lam_bytes empty = {(const uint8_t *)"\5\0\0\0\0", 5}, cut = {empty.data, 4};
    expect_values(schema, 0, (lam_bytes[]){empty, empty, empty}, "");
    expect_values(schema, 0, (lam_bytes[]){empty, cut, cut}, "bson");
}

Test(check_contents, geometries_are_well_known_binary) {
    const lam_bytes line = {(const uint8_t *)"\1\2\0\0\0\0\0\0\0", 9}, cut = {line.data, 8};
    const lam_bytes unknown = {(const uint8_t *)"\1\x63\0\0\0", 5};
    static const char *const schemas[] = {"message m { required binary a (GEOMETRY); }",
                                          "message m { required binary a (GEOGRAPHY); }"};
    for (size_t i = 0; i < 2; i++) {
        expect_values(schemas[i], 0, (lam_bytes[]){line, line, line}, "");
        expect_values(schemas[i], 0, (lam_bytes[]){line, cut, cut}, "wkb");
        expect_values(schemas[i], 0, (lam_bytes[]){unknown, line, unknown}, "unsupported");
    }
}

/* --- VARIANT --------------------------------------------------------------------------------- */

static const char variant[] = "message m { required group v (VARIANT) { required binary metadata;"
                              " required binary value; } }";

Test(check_contents, the_parts_of_a_variant_are_known_by_their_names) {
    const lam_bytes metadata = {(const uint8_t *)"\x01\0\0", 3};
    const lam_bytes old = {(const uint8_t *)"\x02\0\0", 3};
    const lam_bytes null = {(const uint8_t *)"\0", 1}, none = {(const uint8_t *)"", 0};
    expect_values(variant, 0, (lam_bytes[]){metadata, metadata, metadata}, "");
    expect_values(variant, 0, (lam_bytes[]){metadata, old, old}, "variant-metadata");
    expect_values(variant, 1, (lam_bytes[]){null, null, null}, "");
    expect_values(variant, 1, (lam_bytes[]){null, none, none}, "variant-bytes");
}

Test(check_contents, what_is_not_of_a_variant_is_any_bytes) {
    static const char schema[] =
        "message m { required group v { required binary metadata; required binary value; } }";
    const lam_bytes none = {(const uint8_t *)"", 0};
    expect_values(schema, 0, (lam_bytes[]){none, none, none}, "");
    expect_values(schema, 1, (lam_bytes[]){none, none, none}, "");
}

/* What is not shredded stands in a value at any depth; what is shredded is of its own type. */
Test(check_contents, a_shredded_variant_has_values_within) {
    static const char shredded[] =
        "message m { required group v (VARIANT) { required binary metadata; optional group"
        " typed_value { required group f { %s binary %s; } } } }";
    const lam_bytes none = {(const uint8_t *)"", 0};
    char schema[300];
    uint8_t there[3] = {2, 2, 2};
    const lam_bytes metadata[3] = {{(const uint8_t *)"\x01\0\0", 3},
                                   {(const uint8_t *)"\x01\0\0", 3},
                                   {(const uint8_t *)"\x01\0\0", 3}};
    static const char *const names[2] = {"value", "typed_value"};
    for (size_t i = 0; i < 2; i++) {
        snprintf(schema, sizeof schema, shredded, "optional", names[i]);
        lam_schema *parsed = lam_test_schema(schema);
        const lam_bytes values[3] = {none, none, none};
        lam_triples columns[2] = {{3, 3, NULL, NULL, metadata}, {3, 3, NULL, there, values}};
        lam_buffer file = forge_triples(parsed, NULL, columns, 3);
        lam_test_findings found = lam_test_check(file.data, file.size, NULL);
        cr_assert_str_eq(found.rules,
                         i == 0 ? "variant-value variant-names variant-bytes"
                                : "variant-value variant-names",
                         "%s", found.first);
        lam_buffer_finish(&file);
        lam_schema_destroy(parsed);
    }
}

/* --- Memory ---------------------------------------------------------------------------------- */

static lam_status ignore(void *state, const lam_finding *finding, lam_error *error) {
    (void)state, (void)finding, (void)error;
    return LAM_STATUS_OK;
}

Test(check_contents, memory_that_runs_out_is_no_finding) {
    const lam_bytes text = forge_text("[[[[{\"a\":[1]}]]]]");
    lam_triples column = {1, 1, NULL, NULL, &text};
    lam_schema *schema = lam_test_schema("message m { required binary a (JSON); }");
    lam_buffer file = forge_triples(schema, NULL, &column, 1);
    lam_status status = LAM_STATUS_NOMEM;
    for (size_t fail_at = 1; status != LAM_STATUS_OK; fail_at++) {
        lam_failing_alloc counter = {.fail_at = fail_at};
        lam_allocator allocator = lam_failing_allocator(&counter);
        lam_check_options own = lam_check_options_default();
        lam_input input = lam_input_memory(file.data, file.size);
        own.allocator = &allocator;
        lam_error error = lam_error_none();
        status = lam_check(&input, &own, ignore, NULL, NULL, &error);
        cr_assert(status == LAM_STATUS_OK || status == LAM_STATUS_NOMEM, "%zu: %s", fail_at,
                  error.message);
        cr_assert_eq(counter.live_bytes, 0, "%zu", fail_at);
    }
    lam_buffer_finish(&file);
    lam_schema_destroy(schema);
}
