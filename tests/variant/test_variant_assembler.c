/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The columns of shredded VARIANTs become values again, bit for bit; conflicts, missing parts and
 * verbs out of place are told.
 */
#include <lamella/record.h>

#include "shred_trip.h"
#include "support/failing_alloc.h"
#include "support/record_text.h"
#include "variant/variant_help.h"

#define OK(call) cr_assert_eq((call), LAM_STATUS_OK, "%s", #call)

static lam_status assemble(const char *schema_text, const char *events, bool tolerate,
                           kept_values *kept, lam_error *error) {
    lam_schema *schema = schema_of(schema_text);
    lam_variant_assembler_options options = lam_variant_assembler_options_default();
    lam_variant_sink next = kept_sink(kept);
    lam_variant_assembler *assembler;
    options.tolerate_conflicts = tolerate;
    *error = lam_error_none();
    lam_status status =
        lam_variant_assembler_create(schema, NULL, &options, &next, NULL, &assembler, error);
    cr_assert_eq(status, LAM_STATUS_OK, "%s", error->message);
    lam_record_sink sink = lam_variant_assembler_sink(assembler);
    status = lam_tell(schema, &sink, events, error);
    lam_variant_assembler_destroy(assembler);
    lam_schema_destroy(schema);
    return status;
}

/* One record whose VARIANT `v` has these members is the value, bit for bit. */
static void expect_value_of(const char *schema, const char *members, bool tolerate,
                            const char *metadata, const char *value) {
    kept_values kept = {0};
    char events[512];
    snprintf(events, sizeof events, "{v: {%s}}", members);
    lam_error error;
    lam_variant expected = hex_variant(metadata, value);
    cr_assert_eq(assemble(schema, events, tolerate, &kept, &error), LAM_STATUS_OK, "%s: %s", events,
                 error.message);
    cr_assert_eq(kept.count, 1, "%s", events);
    cr_assert_eq(kept.values[0].metadata.size, expected.metadata.size, "%s", events);
    cr_expect_arr_eq(kept.values[0].metadata.data, expected.metadata.data, expected.metadata.size,
                     "%s", events);
    cr_assert_eq(kept.values[0].value.size, expected.value.size, "%s", events);
    cr_expect_arr_eq(kept.values[0].value.data, expected.value.data, expected.value.size, "%s",
                     events);
    free_variant(expected);
    free_kept(&kept);
}

static void expect_value(const char *schema, const char *members, const char *metadata,
                         const char *value) {
    expect_value_of(schema, members, false, metadata, value);
}

static void expect_failure(const char *schema, const char *members, lam_status status,
                           const char *message) {
    kept_values kept = {0};
    char events[512];
    snprintf(events, sizeof events, "{v: {%s}}", members);
    lam_error error;
    cr_expect_eq(assemble(schema, events, false, &kept, &error), status, "%s", events);
    cr_expect_str_eq(error.message, message, "%s: %s", events, error.message);
    cr_expect_eq(kept.count, 0);
    free_kept(&kept);
}

static const char NUMBER[] = "message m { optional group v (VARIANT) { required binary metadata;"
                             "optional binary value; optional int64 typed_value; } }";
static const char LIST[] =
    "message m { optional group v (VARIANT) { required binary metadata; optional binary value;"
    "optional group typed_value (LIST) { repeated group list { required group element {"
    "optional binary value; optional int32 typed_value; } } } } }";
static const char OBJECT[] =
    "message m { optional group v (VARIANT) { required binary metadata; optional binary value;"
    "optional group typed_value { required group b { optional binary value; optional int32 "
    "typed_value; }"
    "required group a { optional binary value; optional binary typed_value (STRING); } } } }";

/* A writer that shreds left the fields in value in the order in which they came, which was taken
 * for corrupt bytes. */
Test(variant_assembler, fields_out_of_order_are_put_in_order) {
    /* The names b, a: {"b":5,"a":6} in that order, alone and in an array. */
    expect_value(NUMBER, "metadata: x01020001026261, value: x020200010002040C050C06",
                 "01020001026261", "020201000002040C060C05");
    expect_value(NUMBER, "metadata: x01020001026261, value: x0301000B020200010002040C050C06",
                 "01020001026261", "0301000B020201000002040C060C05");
    /* Beside shredded fields: the names d, c. */
    expect_value(
        OBJECT,
        "metadata: x01020001026463, value: x020200010002040C050C06, typed_value: {b: {}, a: {}}",
        "01020001026463", "020201000002040C060C05");
    /* In a field that is shredded, whose name is added. */
    expect_value(
        OBJECT,
        "metadata: x01020001026463, typed_value: {b: {value: x020200010002040C050C06}, a: {}}",
        "0103000102036463 62", "020102000B020201000002040C060C05");
}

Test(variant_assembler, a_name_that_comes_twice_is_corrupt_wherever_it_comes) {
    expect_failure(NUMBER, "metadata: x01020001026261, value: x020200000002040C050C06",
                   LAM_STATUS_CORRUPT, "v: variant: a name appears twice in its object");
    /* Apart from each other, and by another id. */
    expect_failure(NUMBER, "metadata: x010300010203626162, value: x0203000102000204060C050C060C07",
                   LAM_STATUS_CORRUPT, "v: variant: a name appears twice in its object");
}

Test(variant_assembler, a_value_is_that_of_value_or_of_typed_value) {
    expect_value(NUMBER, "metadata: x010000, typed_value: 5", "010000", "180500000000000000");
    expect_value(NUMBER, "metadata: x010000, value: x0D6E2F61", "010000", "0D6E2F61");
    expect_value(NUMBER, "value: x00, metadata: x0100", "0100", "00");
}

/* VariantShredding.md: where a value is required, one that is missing is a null. */
Test(variant_assembler, what_is_missing_is_null_where_it_must_be_there) {
    expect_value(NUMBER, "metadata: x010000", "010000", "00");
    expect_value(LIST, "metadata: x010000, typed_value: {list: {element: {}}}", "010000",
                 "03 01 00 01 00");
    kept_values kept = {0};
    lam_error error;
    OK(assemble(NUMBER, "{} {}", false, &kept, &error));
    cr_expect_eq(kept.count, 0);
    cr_expect_eq(kept.records, 2);
}

Test(variant_assembler, arrays_are_put_together) {
    expect_value(LIST, "metadata: x010000, typed_value: {}", "010000", "03 00 00");
    expect_value(LIST,
                 "metadata: x010000, typed_value: {list: {element: {typed_value: 1}}, list: "
                 "{element: {value: x00}}}",
                 "010000", "03 02 00 05 06 1401000000 00");
}

Test(variant_assembler, objects_are_put_together_whatever_the_order_of_events) {
    /* {"a": "x", "b": 1, "c": null} */
    static const char value[] = "02 03 00 01 02 00 02 07 08 0578 1401000000 00";
    expect_value(OBJECT,
                 "metadata: x110300010203616263, value: x020102000100, typed_value: {b: "
                 "{typed_value: 1}, a: {typed_value: 'x'}}",
                 "110300010203616263", value);
    expect_value(OBJECT,
                 "typed_value: {a: {typed_value: 'x'}, b: {typed_value: 1}}, value: x020102000100, "
                 "metadata: x110300010203616263",
                 "110300010203616263", value);
    /* A dictionary that is not sorted: c, b, a */
    expect_value(OBJECT,
                 "metadata: x010300010203636261, value: x020100000100, typed_value: {b: "
                 "{typed_value: 1}, a: {typed_value: 'x'}}",
                 "010300010203636261", "02 03 02 01 00 00 02 07 08 0578 1401000000 00");
    expect_value(OBJECT, "metadata: x010000, typed_value: {b: {}, a: {}}", "010000", "02 00 00");
    expect_value(OBJECT, "metadata: x1101000161, typed_value: {b: {}, a: {value: x00}}",
                 "1101000161", "02 01 00 00 01 00");
}

/* Early writers kept the names of fields that are not shredded only. */
Test(variant_assembler, names_that_the_metadata_lacks_are_added) {
    expect_value(OBJECT,
                 "metadata: x1101000163, value: x020100000100, typed_value: {b: {typed_value: 1}, "
                 "a: {typed_value: 'x'}}",
                 "01 03 00 01 02 03 63 62 61", "02 03 02 01 00 00 02 07 08 0578 1401000000 00");
    expect_value(OBJECT, "metadata: x0100, typed_value: {b: {typed_value: 1}, a: {}}",
                 "01 01 00 01 62", "02 01 00 00 05 1401000000");
    /* The same metadata again, with another name missing, and then both. */
    kept_values kept = {0};
    lam_error error;
    OK(assemble(OBJECT,
                "{v: {metadata: x0100, typed_value: {b: {typed_value: 1}, a: {}}}} "
                "{v: {metadata: x0100, typed_value: {b: {}, a: {value: x00}}}} "
                "{v: {metadata: x0100, typed_value: {b: {value: x00}, a: {value: x00}}}} "
                "{v: {metadata: x0100, value: x00}}",
                false, &kept, &error));
    cr_assert_eq(kept.count, 4);
    static const char *const expected[] = {"02 01 00 00 01 00", "02 02 01 00 00 01 02 00 00"};
    for (size_t i = 0; i < 4; i++)
        cr_expect_eq(lam_variant_validate(kept.values[i], 0, NULL), LAM_STATUS_OK);
    for (size_t i = 0; i < 2; i++) {
        lam_variant value = hex_variant(i == 0 ? "1101000161" : "0102000102 6261", expected[i]);
        cr_expect(lam_variant_equals(value, kept.values[i + 1]), "%zu", i);
        free_variant(value);
    }
    free_kept(&kept);
}

/* Far more shredded fields than names, so that each name is searched when it is needed. */
Test(variant_assembler, names_of_a_few_of_many_fields_are_found) {
    char schema[4096] = "message m { optional group v (VARIANT) { required binary metadata;"
                        "optional group typed_value { ";
    for (int i = 0; i < 30; i++)
        snprintf(schema + strlen(schema), sizeof schema - strlen(schema),
                 "required group f%02d { optional int32 typed_value; } ", i);
    strcat(schema, "}}}");
    expect_value(schema,
                 "metadata: x11010003663037, typed_value: {f07: {typed_value: 1}, f20: "
                 "{typed_value: 2}, f03: {}}",
                 "01 02 00 03 06 663037 663230", "02 02 00 01 00 05 0A 1401000000 1402000000");
}

Test(variant_assembler, elements_of_an_array_in_an_object_have_no_names) {
    expect_value("message m { optional group v (VARIANT) { required binary metadata;"
                 "optional group typed_value { required group a { optional group typed_value (LIST)"
                 " { repeated group list { required group element { optional int32 typed_value; } "
                 "}}}}}}",
                 "metadata: x1101000161, typed_value: {a: {typed_value: {list: {element: "
                 "{typed_value: 1}}, list: {element: {}}}}}",
                 "1101000161", "02 01 00 00 0B 03 02 00 05 06 1401000000 00");
}

Test(variant_assembler, an_optional_group_of_a_field_may_be_missing) {
    expect_value("message m { optional group v (VARIANT) { required binary metadata;"
                 "optional group typed_value { optional group a { optional int32 typed_value; }"
                 "optional group b { optional int32 typed_value; } } } }",
                 "metadata: x1101000161, typed_value: {a: {typed_value: 1}}", "1101000161",
                 "02 01 00 00 05 1401000000");
}

/* --- Conflicts -------------------------------------------------------------------------------- */

static void expect_conflict(const char *schema, const char *members, const char *message,
                            const char *metadata, const char *value) {
    expect_failure(schema, members, LAM_STATUS_CORRUPT, message);
    expect_value_of(schema, members, true, metadata, value);
}

Test(variant_assembler, of_a_conflict_typed_value_counts_where_it_is_tolerated) {
    static const char both[] = "v: value and typed_value conflict: both are present";
    expect_conflict(NUMBER, "metadata: x010000, value: x00, typed_value: 5", both, "010000",
                    "180500000000000000");
    expect_conflict(LIST, "metadata: x010000, value: x030000, typed_value: {}", both, "010000",
                    "03 00 00");
    expect_conflict(
        LIST, "metadata: x010000, typed_value: {list: {element: {value: x00, typed_value: 1}}}",
        "v.typed_value.list.element: value and typed_value conflict: both are present", "010000",
        "03 01 00 05 1401000000");
    expect_conflict(OBJECT, "metadata: x010000, value: x0C05, typed_value: {a: {}, b: {}}", both,
                    "010000", "02 00 00");
    /* A shredded field in value, that typed_value has, or has not. */
    expect_conflict(
        OBJECT,
        "metadata: x1101000162, value: x020100000100, typed_value: {a: {}, b: {typed_value: 1}}",
        "v.typed_value.b: value and typed_value conflict: value has the shredded field",
        "1101000162", "02 01 00 00 05 1401000000");
    expect_conflict(OBJECT,
                    "metadata: x1101000162, value: x020100000100, typed_value: {a: {}, b: {}}",
                    "v.typed_value.b: value and typed_value conflict: value has the shredded field",
                    "1101000162", "02 00 00");
}

/* --- What is corrupt, or out of place --------------------------------------------------------- */

/* Metadata were told without their path, and with an offset among their own bytes that read as one
 * of the file. */
Test(variant_assembler, what_is_no_variant_is_corrupt_with_its_path) {
    expect_failure(NUMBER, "metadata: x02, value: x00", LAM_STATUS_UNSUPPORTED,
                   "v.metadata: variant: metadata of a version other than 1");
    expect_failure(NUMBER, "metadata: x01, value: x00", LAM_STATUS_CORRUPT,
                   "v.metadata: variant: metadata that ends early");
    expect_failure(NUMBER, "metadata: x010000, value: x0C", LAM_STATUS_CORRUPT,
                   "v.value: variant: a value ends early");
    expect_failure(NUMBER, "metadata: x010000, value: x", LAM_STATUS_CORRUPT,
                   "v.value: variant: a value ends early");
    expect_failure(OBJECT, "metadata: x010000, typed_value: {a: {value: x020100000100}, b: {}}",
                   LAM_STATUS_CORRUPT,
                   "v.typed_value.a.value: variant: a field id that the metadata does not have");
    expect_failure(OBJECT, "metadata: x010000, value: x020105000100, typed_value: {a: {}, b: {}}",
                   LAM_STATUS_CORRUPT,
                   "v.value: variant: a field id that the metadata does not have");
    expect_failure(OBJECT, "metadata: x010000, typed_value: {a: {typed_value: xFF}, b: {}}",
                   LAM_STATUS_CORRUPT, "v.typed_value.a.typed_value: byte 0 of 1 is not UTF-8");
    expect_failure(NUMBER, "value: x00", LAM_STATUS_CORRUPT, "v.metadata: required, but missing");
}

/*
 * Where metadata may be null, they say nothing about a value that was made with them; a VARIANT of
 * shredded columns needs none.
 */
Test(variant_assembler, null_metadata_cost_the_values_that_were_made_with_them) {
    static const char number[] =
        "message m { optional group v (VARIANT) { optional binary metadata;"
        "optional binary value; optional int64 typed_value; } }";
    static const char object[] =
        "message m { optional group v (VARIANT) { optional binary metadata; optional binary value;"
        "optional group typed_value { required group a { optional binary value; optional int32 "
        "typed_value; } } } }";
    expect_value(number, "metadata: x010000, value: x0C05", "010000", "0C05");
    expect_value(number, "typed_value: 5", "010000", "18 0500000000000000");
    expect_value(number, "", "010000", "00");
    expect_value(object, "typed_value: {a: {typed_value: 5}}", "0101000161",
                 "02010000051405000000");
    static const char words[] = "v.metadata: null, but there is a value that needs it";
    expect_failure(number, "value: x0C05", LAM_STATUS_CORRUPT, words);
    expect_failure(object, "typed_value: {a: {value: x0C05}}", LAM_STATUS_CORRUPT, words);
    expect_failure(object, "value: x0C05", LAM_STATUS_CORRUPT, words);
    /* The metadata of the record before do not serve the next one. */
    kept_values kept = {0};
    lam_error error;
    cr_expect_eq(assemble(number, "{v: {metadata: x010000, value: x0C05}} {v: {value: x0C05}}",
                          false, &kept, &error),
                 LAM_STATUS_CORRUPT);
    cr_expect_eq(kept.count, 1);
    free_kept(&kept);
}

/* DuckDB 1.5.0 to 1.5.4 said that names are sorted which are as they came, and was refused. */
Test(variant_assembler, names_that_are_not_in_the_order_they_claim_name_all_fields) {
    /* The names b, a. Shredded, in `value` in order, and both; what comes out claims no order. */
    expect_value(OBJECT,
                 "metadata: x11020001026261, typed_value: {b: {typed_value: 5}, a: {value: x0C06}}",
                 "01020001026261", "02020100000207 0C06 1405000000");
    expect_value(NUMBER, "metadata: x11020001026261, value: x020201000002040C060C05",
                 "01020001026261", "020201000002040C060C05");
    expect_value(NUMBER, "metadata: x11020001026261, value: x020200010002040C050C06",
                 "01020001026261", "020201000002040C060C05");
    expect_value(OBJECT,
                 "metadata: x1103000102037A6261, value: x02010000020C07, typed_value: {b: {}, a: "
                 "{value: x0C06}}",
                 "0103000102037A6261", "020202000002040C060C07");
}

/* Writers chose DECIMAL4 for numbers of four bytes; they are read, though a validation refuses
 * them.
 */
Test(variant_assembler, decimals_that_are_too_wide_for_their_type_are_read) {
    expect_value(NUMBER, "metadata: x010000, value: x200000CA9A3B", "010000", "200000CA9A3B");
}

static void begin_v(const lam_record_sink *sink, const lam_schema *schema) {
    OK(sink->begin(sink->state, NULL));
    OK(sink->open(sink->state, field_of(schema, "v"), NULL));
}

Test(variant_assembler, verbs_out_of_place_are_refused) {
    expect_failure(NUMBER, "metadata: x010000, metadata: x010000", LAM_STATUS_INVALID,
                   "v.metadata: appears twice, but is not a repeated field");
    expect_failure(NUMBER, "value: x00, value: x00", LAM_STATUS_INVALID,
                   "v.value: appears twice, but is not a repeated field");
    expect_failure(NUMBER, "typed_value: 1, typed_value: 1", LAM_STATUS_INVALID,
                   "v.typed_value: appears twice, but is not a repeated field");
    expect_failure(LIST, "typed_value: {}, typed_value: {}", LAM_STATUS_INVALID,
                   "v.typed_value: appears twice, but is not a repeated field");
    expect_failure(OBJECT, "metadata: x1101000161, typed_value: {a: {value: x00}, a: {value: x00}}",
                   LAM_STATUS_INVALID, "v: a field of a shredded object appears twice");
    lam_schema *schema = schema_of(LIST), *other = schema_of(LIST);
    kept_values kept = {0};
    lam_variant_sink next = kept_sink(&kept);
    lam_variant_assembler *assembler;
    OK(lam_variant_assembler_create(schema, NULL, NULL, &next, NULL, &assembler, NULL));
    lam_record_sink sink = lam_variant_assembler_sink(assembler);
    lam_error ended = lam_error_none();
    begin_v(&sink, schema);
    cr_expect_eq(sink.end(sink.state, &ended), LAM_STATUS_STATE);
    cr_expect_str_eq(ended.message, "a record ends inside a group");
    const lam_field *closed = field_of(schema, "v.typed_value");
    const lam_field *opened[] = {field_of(schema, "v.typed_value.list"),
                                 field_of(other, "v.typed_value"), field_of(schema, "v.value")};
    for (size_t i = 0; i < 3; i++) {
        begin_v(&sink, schema);
        cr_expect_eq(sink.open(sink.state, opened[i], NULL), LAM_STATUS_INVALID, "group %zu", i);
    }
    begin_v(&sink, schema);
    cr_expect_eq(sink.close(sink.state, closed, NULL), LAM_STATUS_STATE);
    begin_v(&sink, schema);
    OK(sink.open(sink.state, closed, NULL));
    OK(sink.open(sink.state, field_of(schema, "v.typed_value.list"), NULL));
    cr_expect_eq(sink.close(sink.state, closed, NULL), LAM_STATUS_STATE);
    const lam_field *strange[] = {NULL, field_of(schema, "v.typed_value.list.element.typed_value"),
                                  field_of(other, "v.value")};
    for (size_t i = 0; i < 3; i++) {
        lam_error error = lam_error_none();
        begin_v(&sink, schema);
        cr_expect_eq(sink.put(sink.state, strange[i], (lam_value){.int32 = 1}, &error),
                     LAM_STATUS_INVALID, "leaf %zu", i);
        cr_expect_str_eq(error.message, "a field that does not belong to v");
    }
    lam_variant_assembler_destroy(assembler);
    lam_schema_destroy(schema);
    lam_schema_destroy(other);
    free_kept(&kept);
}

/* A record that a driver gives up inside of a VARIANT leaves nothing for the next one. */
Test(variant_assembler, a_record_that_is_given_up_leaves_nothing_behind) {
    lam_schema *schema = schema_of(OBJECT);
    kept_values kept = {0};
    lam_variant_sink next = kept_sink(&kept);
    lam_variant_assembler *assembler;
    const uint8_t null = 0;
    OK(lam_variant_assembler_create(schema, NULL, NULL, &next, NULL, &assembler, NULL));
    const lam_record_sink sink = lam_variant_assembler_sink(assembler);
    OK(lam_begin(&sink, NULL));
    OK(lam_open(&sink, field_of(schema, "v"), NULL));
    OK(lam_put_bytes(&sink, field_of(schema, "v.value"), &null, 1, NULL));
    OK(lam_open(&sink, field_of(schema, "v.typed_value"), NULL));
    OK(lam_open(&sink, field_of(schema, "v.typed_value.a"), NULL));
    OK(lam_put_bytes(&sink, field_of(schema, "v.typed_value.a.value"), &null, 1, NULL));
    OK(lam_tell(schema, &sink, "{v: {metadata: x010000, typed_value: {a: {}, b: {}}}}", NULL));
    lam_variant expected = hex_variant("010000", "02 00 00");
    cr_assert_eq(kept.count, 1);
    cr_expect(lam_variant_equals(kept.values[0], expected));
    free_variant(expected);
    free_kept(&kept);
    lam_variant_assembler_destroy(assembler);
    lam_schema_destroy(schema);
}

/* --- Which groups ----------------------------------------------------------------------------- */

Test(variant_assembler, only_groups_of_which_every_column_is_read_become_values) {
    lam_schema *schema = schema_of(
        "message m { optional group v (VARIANT) { required binary metadata; required binary value; "
        "} repeated group w (VARIANT) { required binary metadata; required binary value; } "
        "optional group x { required binary metadata; required binary value; } }");
    kept_values kept = {0};
    lam_variant_sink next = kept_sink(&kept);
    lam_variant_assembler *assembler;
    bool leaves[] = {true, false, true, true, true, true};
    OK(lam_variant_assembler_create(schema, leaves, NULL, &next, NULL, &assembler, NULL));
    cr_expect_not(lam_variant_assembler_takes(assembler, field_of(schema, "v")));
    cr_expect(lam_variant_assembler_takes(assembler, field_of(schema, "w")));
    cr_expect_not(lam_variant_assembler_takes(assembler, field_of(schema, "w.value")));
    cr_expect_not(lam_variant_assembler_takes(assembler, field_of(schema, "x")));
    cr_expect_not(lam_variant_assembler_takes(assembler, NULL));
    lam_schema *other = schema_of(NUMBER);
    cr_expect_not(lam_variant_assembler_takes(assembler, field_of(other, "v")));
    lam_schema_destroy(other);
    lam_record_sink sink = lam_variant_assembler_sink(assembler);
    lam_error error = lam_error_none();
    OK(lam_tell(schema, &sink,
                "{v: {metadata: x01}, w: {metadata: x010000, value: x04}, w: {metadata: x010000, "
                "value: x08}, "
                "x: {metadata: x01, value: x01}}",
                &error));
    cr_expect_eq(kept.count, 2);
    cr_expect_eq(kept.events, 7);
    lam_variant_assembler_destroy(assembler);
    free_kept(&kept);
    lam_schema_destroy(schema);
}

Test(variant_assembler, a_group_that_is_no_variant_is_refused_unless_it_is_not_read) {
    lam_schema *schema = schema_of("message m { optional group v (VARIANT) { required binary "
                                   "metadata; optional int32 typed_value (INTEGER(32,false)); } "
                                   "optional int32 x; }");
    kept_values kept = {0};
    lam_variant_sink next = kept_sink(&kept);
    lam_variant_assembler *assembler;
    lam_error error = lam_error_none();
    bool leaves[] = {false, false, true};
    cr_expect_eq(lam_variant_assembler_create(schema, NULL, NULL, &next, NULL, &assembler, &error),
                 LAM_STATUS_UNSUPPORTED);
    cr_expect_str_eq(error.message,
                     "v.typed_value: no value is shredded as int32 (INTEGER(32,false))");
    OK(lam_variant_assembler_create(schema, leaves, NULL, &next, NULL, &assembler, NULL));
    lam_variant_assembler_destroy(assembler);
    lam_variant_assembler_options options = {0};
    cr_expect_eq(
        lam_variant_assembler_create(schema, NULL, &options, &next, NULL, &assembler, NULL),
        LAM_STATUS_INVALID);
    cr_expect_eq(lam_variant_assembler_create(NULL, NULL, NULL, &next, NULL, &assembler, &error),
                 LAM_STATUS_INVALID);
    cr_expect_str_eq(error.message, "no schema (NULL)");
    lam_schema_destroy(schema);
}

/* --- Memory ----------------------------------------------------------------------------------- */

static lam_status assemble_with(const lam_schema *schema, const lam_allocator *allocator) {
    kept_values kept = {0};
    lam_variant_sink next = kept_sink(&kept);
    lam_variant_assembler *assembler = NULL;
    lam_error error = lam_error_none();
    lam_status status =
        lam_variant_assembler_create(schema, NULL, NULL, &next, allocator, &assembler, &error);
    for (unsigned i = 0; i < 2 && status == LAM_STATUS_OK; i++) {
        lam_record_sink sink = lam_variant_assembler_sink(assembler);
        status =
            lam_tell(schema, &sink,
                     "{v: {metadata: x010300010203636261, value: x020100000100, typed_value: {b: { "
                     "typed_value: 1}, a: {typed_value: 'x'}}}} "
                     "{v: {metadata: x0100, typed_value: {b: {typed_value: 1}, a: {value: x00}}}}",
                     &error);
    }
    if (status == LAM_STATUS_OK)
        cr_expect_eq(kept.count, 4);
    for (size_t i = 0; i < kept.count; i++)
        cr_expect_eq(lam_variant_validate(kept.values[i], 0, NULL), LAM_STATUS_OK);
    lam_variant_assembler_destroy(assembler);
    free_kept(&kept);
    return status;
}

Test(variant_assembler, a_failing_allocation_leaves_nothing_behind) {
    lam_schema *schema = schema_of(OBJECT);
    lam_status status = LAM_STATUS_NOMEM;
    for (size_t n = 1; status != LAM_STATUS_OK; n++) {
        lam_failing_alloc counter = {.fail_at = n};
        lam_allocator allocator = lam_failing_allocator(&counter);
        status = assemble_with(schema, &allocator);
        cr_assert(status == LAM_STATUS_OK || status == LAM_STATUS_NOMEM, "%d", (int)status);
        cr_assert_eq(counter.live_bytes, 0, "request %zu", n);
        cr_assert_eq(counter.wrong_sizes, 0, "request %zu", n);
        cr_assert_lt(n, 1000);
    }
    lam_schema_destroy(schema);
}

/* What failed for want of memory does not spoil the records behind it. */
Test(variant_assembler, an_assembler_goes_on_when_there_is_memory_again) {
    lam_schema *schema = schema_of(OBJECT);
    static const char record[] =
        "{v: {metadata: x0101000163, value: x020100000100, typed_value: {b: {typed_value: 1}, a: { "
        "typed_value: 'x'}}}}";
    for (size_t n = 1; n < 40; n++) {
        lam_failing_alloc counter = {0};
        lam_allocator allocator = lam_failing_allocator(&counter);
        kept_values kept = {0};
        lam_variant_sink next = kept_sink(&kept);
        lam_variant_assembler *assembler;
        lam_error error = lam_error_none();
        OK(lam_variant_assembler_create(schema, NULL, NULL, &next, &allocator, &assembler, NULL));
        counter.fail_at = counter.requests + n;
        lam_record_sink sink = lam_variant_assembler_sink(assembler);
        lam_status status = lam_tell(schema, &sink, record, &error);
        cr_assert(status == LAM_STATUS_OK || status == LAM_STATUS_NOMEM);
        cr_assert_eq(lam_tell(schema, &sink, record, &error), LAM_STATUS_OK, "%s", error.message);
        lam_variant expected = hex_variant("01 03 00 01 02 03 63 61 62",
                                           "02 03 01 02 00 00 02 07 08 0578 1401000000 00");
        cr_expect(lam_variant_equals(kept.values[kept.count - 1], expected), "request %zu", n);
        free_variant(expected);
        lam_variant_assembler_destroy(assembler);
        free_kept(&kept);
    }
    lam_schema_destroy(schema);
}
