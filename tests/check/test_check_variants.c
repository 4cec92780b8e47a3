/* SPDX-License-Identifier: Apache-2.0 */
/* VARIANTs whose columns are good each by itself, and what they are together. */
#include <lamella/record.h>
#include <lamella/writer.h>
#include <stdio.h>

#include "check/forge.h"
#include "support/failing_alloc.h"
#include "support/record_text.h"
#include "support/test_file.h"
#include "variant/variant_help.h"

#define OK(call) cr_assert_eq((call), LAM_STATUS_OK, "%s", #call)

static lam_buffer write_events(const char *schema_text, const char *events) {
    lam_error error = lam_error_none();
    lam_test_writer file = lam_test_write(schema_text, NULL);
    cr_assert_eq(lam_tell(lam_writer_schema(file.writer), &file.sink, events, &error),
                 LAM_STATUS_OK, "%s: %s", events, error.message);
    return lam_test_written(&file);
}

/* What is found in a file of these records: the rules, and the words and row of the first. */
static void expect(const char *schema, const char *events, const char *rules, const char *words,
                   int64_t row) {
    lam_buffer file = write_events(schema, events);
    lam_test_findings found = lam_test_check(file.data, file.size, NULL);
    cr_expect_str_eq(found.rules, rules, "%s: %s", events, found.first);
    cr_expect_not_null(strstr(found.first, words), "%s: %s", events, found.first);
    if (rules[0] != '\0')
        cr_expect_eq(found.first_row, row, "%s: %lld", events, (long long)found.first_row);
    lam_buffer_finish(&file);
}

static void expect_good(const char *schema, const char *events) {
    expect(schema, events, "", "", -1);
}

static const char PLAIN[] =
    "message m { optional group v (VARIANT(1)) { required binary metadata; required binary value; "
    "}}";
static const char NUMBER[] =
    "message m { optional group v (VARIANT(1)) { required binary metadata; optional binary value; "
    "optional int64 typed_value; } }";
static const char LIST[] =
    "message m { optional group v (VARIANT(1)) { required binary metadata; optional binary value;"
    "optional group typed_value (LIST) { repeated group list { required group element {"
    "optional binary value; optional int32 typed_value; } } } } }";
static const char OBJECT[] =
    "message m { optional group v (VARIANT(1)) { required binary metadata; optional binary value;"
    "optional group typed_value { required group b { optional binary value; optional int32 "
    "typed_value; }"
    "required group a { optional binary value; optional binary typed_value (STRING); } } } }";

/* --- Bytes ------------------------------------------------------------------------------------ */

Test(check_variants, a_value_is_looked_at_whole_and_with_its_own_metadata) {
    /* {"a":5} with the name, then without; each column is good alone. */
    expect_good(PLAIN, "{v: {metadata: x0101000161, value: x02010000020C05}} {}");
    expect(PLAIN,
           "{v: {metadata: x0101000161, value: x02010000020C05}} {} "
           "{v: {metadata: x010000, value: x02010000020C05}}",
           "variant-bytes", "variant: a field id that the metadata does not have", 2);
    /* ["a"] whose string claims another byte, inside an array that is whole. */
    expect_good(PLAIN, "{v: {metadata: x010000, value: x030100020561}}");
    expect(PLAIN, "{v: {metadata: x010000, value: x030100020961}}", "variant-bytes",
           "a value ends early", 0);
    /* Bytes behind the value, and a string that is not UTF-8. */
    expect(PLAIN, "{v: {metadata: x010000, value: x0000}}", "variant-bytes", "after", 0);
    expect(PLAIN, "{v: {metadata: x010000, value: x05FF}}", "variant-bytes", "UTF-8", 0);
}

Test(check_variants, what_is_wrong_with_metadata_is_told_with_its_column) {
    expect(PLAIN, "{v: {metadata: x0201, value: x00}}", "variant-metadata", "version", -1);
    expect(PLAIN, "{v: {metadata: x010100, value: x00}}", "variant-metadata", "ends early", -1);
    expect(PLAIN, "{v: {metadata: x1102000102, value: x00}}", "variant-metadata", "", -1);
}

/* Where metadata may be null, what needs them is lost, and what does not is there. */
Test(check_variants, metadata_are_there_where_a_value_is) {
    static const char optional[] =
        "message m { optional group v (VARIANT(1)) { optional binary metadata; optional binary "
        "value; optional group typed_value { required group a { optional binary value; "
        "optional int32 typed_value; } } } }";
    expect(optional, "{v: {metadata: x0101000161, typed_value: {a: {value: x0500}}}}",
           "variant-repetition", "the metadata of a VARIANT must be required binary", -1);
    expect(optional, "{} {v: {value: x00}} {v: {value: x00}}",
           "variant-repetition variant-metadata", "", -1);
    expect(optional, "{v: {typed_value: {a: {value: x0500}}}}",
           "variant-repetition variant-metadata", "", -1);
    expect(optional, "{v: {typed_value: {a: {typed_value: 5}}}}",
           "variant-repetition variant-names", "", -1);
    expect(optional, "{v: {}}", "variant-repetition variant-missing", "", -1);
}

Test(check_variants, a_type_of_later_days_is_passed_over) {
    expect(PLAIN, "{v: {metadata: x010000, value: xFC}}", "unsupported", "type", 0);
}

/* --- What writers do -------------------------------------------------------------------------- */

Test(check_variants, empty_metadata_without_its_offset_is_a_slip) {
    expect(PLAIN, "{v: {metadata: x0100, value: x00}} {v: {metadata: x0100, value: x00}}",
           "variant-metadata-empty", "metadata of 2 bytes", -1);
    expect(PLAIN, "{v: {metadata: x410000, value: x00}}", "variant-metadata-empty", "3 bytes", -1);
    expect_good(PLAIN, "{v: {metadata: x010000, value: x00}}");
}

/* DuckDB 1.5.0 to 1.5.4 said of each metadata that its names are sorted, and was refused. */
Test(check_variants, names_that_are_not_in_the_order_they_claim_are_a_slip) {
    /* The names b, a. */
    expect(
        PLAIN,
        "{v: {metadata: x11020001026261, value: x00}} {v: {metadata: x11020001026261, value: x00}}",
        "variant-metadata-order", "names that are not sorted and unique", -1);
    expect(PLAIN, "{v: {metadata: x11020001026161, value: x00}}", "variant-metadata-order",
           "names that are not sorted and unique", -1);
    expect_good(PLAIN, "{v: {metadata: x01020001026261, value: x00}}");
    expect_good(PLAIN, "{v: {metadata: x11020001026162, value: x00}}");
    /* Fields are held against the names: {"a":6,"b":5} is in order, {"b":5,"a":6} is not. */
    expect(PLAIN, "{v: {metadata: x11020001026261, value: x020201000002040C060C05}}",
           "variant-metadata-order", "", -1);
    expect(PLAIN, "{v: {metadata: x11020001026261, value: x020200010002040C050C06}}",
           "variant-metadata-order variant-order", "", -1);
}

Test(check_variants, a_decimal_of_more_digits_than_its_type_is_a_slip) {
    /* decimal4 with 10 digits: 2^31 - 1. */
    expect(PLAIN, "{v: {metadata: x010000, value: x2000FFFFFF7F}}", "variant-decimal", "digits", 0);
    expect_good(PLAIN, "{v: {metadata: x010000, value: x2000FFC99A3B}}");
    /* More than 38 digits are none. */
    expect(PLAIN, "{v: {metadata: x010000, value: x2800FFFFFFFFFFFFFFFFFFFFFFFFFFFFFF7F}}",
           "variant-bytes", "digits", 0);
}

Test(check_variants, fields_out_of_order_are_a_slip_and_names_that_come_twice_are_not) {
    expect(PLAIN, "{v: {metadata: x01020001026261, value: x020200010002040C050C06}}",
           "variant-order", "not in the order of their names", 0);
    expect(PLAIN, "{v: {metadata: x01020001026261, value: x020200000002040C050C06}}",
           "variant-order variant-bytes", "", 0);
    /* The shredded field a is found in value behind c. */
    expect(OBJECT,
           "{v: {metadata: x01020001026361, value: x020200010002040C050C06, typed_value: {b: {}, "
           "a: {}}}}",
           "variant-order variant-shredding", "", 0);
}

Test(check_variants, the_metadata_has_the_names_of_shredded_fields) {
    expect(OBJECT,
           "{v: {metadata: x0101000161, typed_value: {b: {}, a: {typed_value: 'x'}}}} "
           "{v: {metadata: x0101000161, typed_value: {b: {typed_value: 5}, a: {}}}}",
           "variant-names", "lacks the name b ", 1);
    expect_good(OBJECT,
                "{v: {metadata: x01020001026162, typed_value: {b: {typed_value: 5}, a: {}}}}");
}

Test(check_variants, only_a_field_is_missing) {
    expect(NUMBER, "{} {v: {metadata: x010000}}", "variant-missing", "a VARIANT has neither", 1);
    expect(LIST, "{v: {metadata: x010000, typed_value: {list: {element: {}}}}}", "variant-missing",
           "an element has neither", 0);
    expect_good(OBJECT, "{v: {metadata: x010000, typed_value: {b: {}, a: {}}}}");
}

Test(check_variants, groups_of_shredded_fields_are_required) {
    static const char optional[] =
        "message m { optional group v (VARIANT(1)) { required binary metadata; optional binary "
        "value; optional group typed_value { optional group a { optional int32 typed_value; } } } "
        "}";
    expect(optional, "{v: {metadata: x0101000161, typed_value: {a: {typed_value: 1}}}}",
           "variant-repetition",
           "v.typed_value.a: a field of a shredded object must be a required group", -1);
}

Test(check_variants, what_is_shredded_is_of_a_type_that_shredding_has) {
    static const char map[] = "optional group typed_value (MAP) { repeated group key_value { "
                              "required int32 key; } }";
    static const char *const typed[] = {"optional int32 typed_value (INTEGER(32,false));",
                                        "optional int96 typed_value;", map};
    for (size_t i = 0; i < 3; i++) {
        char schema[400];
        snprintf(schema, sizeof schema,
                 "message m { optional group v (VARIANT(1)) { required binary metadata; optional "
                 "binary value; %s } }",
                 typed[i]);
        expect(schema, "{v: {metadata: x010000, value: x00}}", "variant-structure",
               "v.typed_value: no value is shredded as", -1);
    }
}

/* --- The invalid cases of VariantShredding.md ------------------------------------------------- */

Test(check_variants, value_and_typed_value_are_both_there_for_objects_alone) {
    expect(NUMBER,
           "{v: {metadata: x010000, typed_value: 5}} {v: {metadata: x010000, value: x00}} "
           "{v: {metadata: x010000, value: x0C05, typed_value: 5}}",
           "variant-shredding", "both value and typed_value are present", 2);
    expect(LIST,
           "{v: {metadata: x010000, value: x00, typed_value: {list: {element: {typed_value: 1}}}}}",
           "variant-shredding", "both value and typed_value are present", 0);
    expect(
        LIST,
        "{v: {metadata: x010000, typed_value: {list: {element: {value: x0C01, typed_value: 1}}}}}",
        "variant-shredding", "both value and typed_value are present", 0);
    expect(OBJECT, "{v: {metadata: x01020001026162, value: x0561, typed_value: {b: {}, a: {}}}}",
           "variant-shredding", "value, which is also present, is not", 0);
}

Test(check_variants, value_has_no_field_that_is_shredded) {
    /* {"c":5} beside b and a, then {"a":5}. */
    static const char good[] =
        "{v: {metadata: x010300010203616263, value: x02010200020C05, typed_value: {b: {}, a: {}}}}";
    static const char bad[] =
        "{v: {metadata: x010300010203616263, value: x02010000020C05, typed_value: {b: {}, a: {}}}}";
    char both[400];
    expect_good(OBJECT, good);
    snprintf(both, sizeof both, "%s %s", good, bad);
    expect(OBJECT, both, "variant-shredding", "value has the field a, which is shredded", 1);
}

Test(check_variants, what_typed_value_is_for_is_not_in_value) {
    expect(OBJECT, "{v: {metadata: x010000, value: x020000}}", "variant-shredding",
           "value is an object where typed_value is null", 0);
    expect(OBJECT, "{v: {metadata: x0101000161, value: x02010000020C05}}", "variant-shredding",
           "value is an object where typed_value is null", 0);
    expect(LIST, "{v: {metadata: x010000, value: x030000}}", "variant-shredding",
           "value is an array where typed_value is null", 0);
    expect_good(LIST, "{v: {metadata: x010000, value: x020000}}");
    expect_good(OBJECT, "{v: {metadata: x010000, value: x030000}}");
    expect_good(NUMBER, "{v: {metadata: x010000, value: x030000}}");
}

Test(check_variants, each_pair_of_columns_is_told_of_once) {
    const char *event = "{v: {metadata: x010000, value: x020000}} ";
    char events[2000] = "";
    for (int i = 0; i < 20; i++)
        strcat(events, event);
    lam_buffer file = write_events(OBJECT, events);
    lam_test_findings found = lam_test_check(file.data, file.size, NULL);
    cr_expect_eq(found.count, 1, "%zu", found.count);
    lam_buffer_finish(&file);
}

/* Findings of one kind are told once for a pair of columns, each in the first row that has it. */
Test(check_variants, each_kind_of_slip_is_told_of_once) {
    static const struct {
        const char *schema;
        const char *event;
        const char *second;
        const char *rules;
        size_t count;
    } cases[] = {
        {PLAIN, "{v: {metadata: x010000, value: x2000FFFFFF7F}}",
         "{v: {metadata: x010000, value: x2000FFFFFF7E}}", "variant-decimal", 1},
        {PLAIN, "{v: {metadata: x0100, value: x00}}", "{v: {metadata: x410000, value: x00}}",
         "variant-metadata-empty", 1},
        {PLAIN, "{v: {metadata: x11020001026261, value: x00}}",
         "{v: {metadata: x11020001026161, value: x00}}", "variant-metadata-order", 1},
        {NUMBER, "{v: {metadata: x010000}}", "{v: {metadata: x010000}}", "variant-missing", 1},
        {OBJECT,
         "{v: {metadata: x010300010203616263, value: x02010000020C05, typed_value: {b: {}, a: "
         "{}}}}",
         "{v: {metadata: x010300010203616263, value: x02010000020C06, typed_value: {b: {}, a: "
         "{}}}}",
         "variant-shredding", 1},
        {PLAIN, "{v: {metadata: x010000, value: x0561FF}}",
         "{v: {metadata: x010000, value: x0562FF}}", "variant-bytes", 1},
        {PLAIN, "{v: {metadata: x010000, value: xFC}}", "{v: {metadata: x010000, value: xF8}}",
         "unsupported", 1},
        {OBJECT, "{v: {metadata: x0101000162, typed_value: {b: {}, a: {typed_value: 'x'}}}}",
         "{v: {metadata: x0101000162, typed_value: {b: {}, a: {typed_value: 'y'}}}}",
         "variant-names", 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char events[400];
        snprintf(events, sizeof events, "%s %s", cases[i].event, cases[i].second);
        lam_buffer file = write_events(cases[i].schema, events);
        lam_test_findings found = lam_test_check(file.data, file.size, NULL);
        cr_expect_str_eq(found.rules, cases[i].rules, "case %zu: %s", i, found.first);
        cr_expect_eq(found.count, cases[i].count, "case %zu: %zu, %s", i, found.count, found.last);
        lam_buffer_finish(&file);
    }
}

/* --- Depth ------------------------------------------------------------------------------------ */

/* Arrays of one element around a null: 07, count 1, offsets of 2 bytes. */
static lam_bytes deep_value(unsigned depth) {
    static uint8_t bytes[6 * LAM_VARIANT_DEPTH_MAX + 1];
    size_t at = 0;
    for (unsigned level = depth; level > 0; level--) {
        unsigned inside = 6 * (level - 1) + 1;
        const uint8_t head[] = {7, 1, 0, 0, (uint8_t)inside, (uint8_t)(inside >> 8)};
        memcpy(bytes + at, head, sizeof head);
        at += sizeof head;
    }
    bytes[at] = 0;
    return (lam_bytes){bytes, at + 1};
}

/* A row with a deep value, in v or in an element of its list, beside a typed value or not. */
static void put_deep(const lam_record_sink *sink, const lam_schema *schema, bool is_element,
                     unsigned depth, bool has_typed) {
    static const uint8_t metadata[] = {1, 0, 0};
    const lam_field *open[4] = {lam_field_child(lam_schema_root(schema), 0)};
    size_t levels = 1;
    lam_bytes value = deep_value(depth);
    if (is_element)
        for (; levels < 4; levels++)
            open[levels] = lam_field_child(open[levels - 1], levels == 1 ? 2 : 0);
    const lam_field *inner = open[levels - 1];
    OK(lam_begin(sink, NULL));
    OK(sink->open(sink->state, open[0], NULL));
    OK(lam_put_bytes(sink, lam_field_child(open[0], 0), metadata, sizeof metadata, NULL));
    for (size_t i = 1; i < levels; i++)
        OK(sink->open(sink->state, open[i], NULL));
    OK(lam_put_bytes(sink, lam_field_child(inner, is_element ? 0 : 1), value.data, value.size,
                     NULL));
    if (has_typed && is_element)
        OK(lam_put_int32(sink, lam_field_child(inner, 1), 5, NULL));
    else if (has_typed)
        OK(lam_put_int64(sink, lam_field_child(inner, 2), 5, NULL));
    for (size_t i = levels; i-- > 0;)
        OK(sink->close(sink->state, open[i], NULL));
    OK(lam_end(sink, NULL));
}

/* Each value is good by itself; what is around it makes one too many. */
Test(check_variants, values_that_are_too_deep_together_are_told_of_once) {
    static const struct {
        const char *schema;
        unsigned depth;
        bool has_typed;
        const char *rules;
    } cases[] = {
        {LIST, LAM_VARIANT_DEPTH_MAX - 1, false, ""},
        {LIST, LAM_VARIANT_DEPTH_MAX, false, "limit"},
        {LIST, LAM_VARIANT_DEPTH_MAX - 1, true, "variant-shredding"},
        {NUMBER, LAM_VARIANT_DEPTH_MAX, true, "variant-shredding"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        lam_schema *schema = lam_test_schema(cases[i].schema);
        lam_test_writer file = lam_test_write_as(schema, NULL);
        for (int row = 0; row < 2; row++)
            put_deep(&file.sink, lam_writer_schema(file.writer), cases[i].schema == LIST,
                     cases[i].depth, cases[i].has_typed);
        lam_buffer trial = lam_test_written(&file);
        lam_schema_destroy(schema);
        lam_test_findings found = lam_test_check(trial.data, trial.size, NULL);
        cr_expect_str_eq(found.rules, cases[i].rules, "case %zu: %s", i, found.first);
        cr_expect_eq(found.count, cases[i].rules[0] != '\0', "case %zu: %zu", i, found.count);
        lam_buffer_finish(&trial);
    }
}

/* A VARIANT in a list, and a value that its typed column cannot hold. */
Test(check_variants, variants_in_lists_are_found_by_their_row) {
    static const char nested[] =
        "message m { optional group l (LIST) { repeated group list { optional group element "
        "(VARIANT(1)) { required binary metadata; optional binary value; optional int32 "
        "typed_value "
        "(INTEGER(8,true)); } } } }";
    expect(nested,
           "{} {l: {list: {element: {metadata: x010000, typed_value: 5}}, list: {}, "
           "list: {element: {metadata: x010000, value: x0C05, typed_value: 5}}}} {l: {}}",
           "variant-shredding", "both value and typed_value are present", 1);
}

/* --- Memory ----------------------------------------------------------------------------------- */

static lam_status ignore(void *state, const lam_finding *finding, lam_error *error) {
    (void)error;
    *(size_t *)state += finding->severity == LAM_SEVERITY_ERROR;
    return LAM_STATUS_OK;
}

Test(check_variants, a_failing_allocation_leaves_nothing_behind) {
    lam_buffer file = write_events(
        OBJECT,
        "{v: {metadata: x010300010203616263, value: x02010000020C05, typed_value: {b: {}, a: { "
        "typed_value: 'x'}}}}");
    lam_status status = LAM_STATUS_NOMEM;
    size_t n = 1, errors = 0;
    for (; status != LAM_STATUS_OK; n++) {
        lam_failing_alloc counter = {.fail_at = n};
        lam_allocator allocator = lam_failing_allocator(&counter);
        lam_check_options options = lam_check_options_default();
        lam_input input = lam_input_memory(file.data, file.size);
        options.allocator = &allocator;
        errors = 0;
        status = lam_check(&input, &options, ignore, &errors, NULL, NULL);
        cr_assert(status == LAM_STATUS_OK || status == LAM_STATUS_NOMEM, "%d", (int)status);
        cr_assert_eq(counter.live_bytes, 0, "request %zu", n);
        cr_assert_eq(counter.wrong_sizes, 0, "request %zu", n);
        cr_assert_lt(n, 5000);
        lam_input_close(&input);
    }
    cr_expect_eq(errors, 1);
    lam_buffer_finish(&file);
}
