/* SPDX-License-Identifier: Apache-2.0 */
/* VARIANTs become columns: the tables of VariantShredding.md, and what fits where. */
#include <lamella/dremel.h>

#include "shred_trip.h"
#include "support/failing_alloc.h"
#include "told_value.h"

#define OK(call) cr_assert_eq((call), LAM_STATUS_OK, "%s", #call)

/* --- The tables of VariantShredding.md -------------------------------------------------------- */

/* Builds rows and shreds them, one record each. */
typedef struct table {
    lam_schema *schema;
    lam_shredder *columns;
    lam_shredding_judge judge;
    lam_record_sink sink;
    lam_variant_shredder *shredder;
    lam_variant_builder *b;
} table;

static table begin_table(const char *schema, const char *group) {
    table t;
    t.schema = schema_of(schema);
    OK(lam_shredder_create(t.schema, NULL, &t.columns, NULL));
    OK(lam_variant_builder_create(NULL, NULL, &t.b, NULL));
    OK(lam_variant_shredder_create(field_of(t.schema, group), NULL, NULL, &t.shredder, NULL));
    return t;
}

/* Ends the value that was built, if any, as a record. */
static void end_row(table *t, bool present) {
    lam_error error = lam_error_none();
    lam_record_sink next = lam_shredder_sink(t->columns);
    lam_shredding_judge judge;
    lam_variant variant;
    lam_shredding_judge_init(&judge, &next);
    lam_record_sink sink = lam_shredding_judge_sink(&judge);
    OK(sink.begin(sink.state, NULL));
    if (present) {
        OK(lam_variant_builder_finish(t->b, &variant, NULL));
        cr_assert_eq(lam_variant_shredder_write(t->shredder, variant, &sink, &error), LAM_STATUS_OK,
                     "%s", error.message);
    }
    OK(sink.end(sink.state, NULL));
    cr_expect_null(judge.verdict, "%s", judge.verdict);
    lam_shredding_judge_finish(&judge);
}

/* A record of the value of a text (told_value.h). */
static void put_row(table *t, const char *value) {
    put_value(t->b, value);
    end_row(t, true);
}

static void end_table(table *t) {
    lam_variant_shredder_destroy(t->shredder);
    lam_variant_builder_destroy(t->b);
    lam_shredder_destroy(t->columns);
    lam_schema_destroy(t->schema);
}

/* Section "Value Shredding": 34, null, "n/a", 100. (Where it writes 13 6E 2F 61, the 13 is
 * decimal.) */
Test(variant_shred, measurements_are_those_of_the_specification) {
    table t = begin_table("message m { required group measurement (VARIANT(1)) {"
                          "required binary metadata; optional binary value;"
                          "optional int64 typed_value; } }",
                          "measurement");
    put_row(&t, "34");
    put_row(&t, "null");
    put_row(&t, "'n/a'");
    put_row(&t, "100");
    expect_column(t.schema, t.columns, "measurement.metadata", "010000 010000 010000 010000");
    expect_column(t.schema, t.columns, "measurement.value", "-0 00 0D6E2F61 -0");
    expect_column(t.schema, t.columns, "measurement.typed_value", "34 -0 -0 100");
    end_table(&t);
}

/* Section "Arrays". */
Test(variant_shred, tags_are_those_of_the_specification) {
    table t = begin_table("message m { optional group tags (VARIANT(1)) {"
                          "required binary metadata; optional binary value;"
                          "optional group typed_value (LIST) { repeated group list {"
                          "required group element { optional binary value;"
                          "optional binary typed_value (STRING); } } } } }",
                          "tags");
    put_row(&t, "['comedy', 'drama']");
    put_row(&t, "['horror', null]");
    put_row(&t, "['comedy', 'drama', 'romance']");
    put_row(&t, "null");
    expect_column(t.schema, t.columns, "tags.metadata", "010000 010000 010000 010000");
    expect_column(t.schema, t.columns, "tags.value", "-1 -1 -1 00");
    expect_column(t.schema, t.columns, "tags.typed_value.list.element.value",
                  "-3 -3 -3 00 -3 -3 -3 -1");
    expect_column(t.schema, t.columns, "tags.typed_value.list.element.typed_value",
                  "comedy drama horror -3 comedy drama romance -1");
    end_table(&t);
}

static const char EVENT[] =
    "message m { optional group event (VARIANT(1)) {"
    "required binary metadata; optional binary value; optional group typed_value {"
    "required group event_type { optional binary value; optional binary typed_value (STRING); }"
    "required group event_ts { optional binary value;"
    "optional int64 typed_value (TIMESTAMP(true, MICROS)); } } } }";

/* Section "Objects": the ten rows that are valid. */
Test(variant_shred, events_are_those_of_the_specification) {
    table t = begin_table(EVENT, "event");
    put_row(&t, "{event_type: 'noop', event_ts: '~timestamp 1729794114937'}");
    put_row(&t, "{event_type: 'login', event_ts: '~timestamp 1729794146402', "
                "email: 'user@example.com'}");
    put_row(&t, "{error_msg: 'malformed: ...'}");
    put_row(&t, "'malformed: not an object'");
    put_row(&t, "{event_ts: '~timestamp 1729794240241', click: '_button'}");
    put_row(&t, "{event_type: null, event_ts: '~timestamp 1729794954163'}");
    put_row(&t, "{event_type: 'noop', event_ts: '2024-10-24'}");
    put_row(&t, "{}");
    put_row(&t, "null");
    end_row(&t, false);
    /* {"email": ...} has id 0: the names of this value are email, event_ts, event_type. */
    expect_column(t.schema, t.columns, "event.value",
                  "-1 02010000114175736572406578616D706C652E636F6D "
                  "020100000F396D616C666F726D65643A202E2E2E "
                  "616D616C666F726D65643A206E6F7420616E206F626A656374 "
                  "02010000081D5F627574746F6E -1 -1 -1 00 -0");
    expect_column(t.schema, t.columns, "event.typed_value.event_type.value",
                  "-2 -2 -2 -1 -2 00 -2 -2 -1 -0");
    expect_column(t.schema, t.columns, "event.typed_value.event_type.typed_value",
                  "noop login -2 -1 -2 -2 noop -2 -1 -0");
    expect_column(t.schema, t.columns, "event.typed_value.event_ts.value",
                  "-2 -2 -2 -1 -2 -2 29323032342D31302D3234 -2 -1 -0");
    expect_column(t.schema, t.columns, "event.typed_value.event_ts.typed_value",
                  "1729794114937 1729794146402 -2 -1 1729794240241 1729794954163 -2 -2 -1 -0");
    /* Every name of a value is in its metadata, shredded or not. */
    expect_column(t.schema, t.columns, "event.metadata",
                  "11020008126576656E745F74736576656E745F74797065 "
                  "110300050D17656D61696C6576656E745F74736576656E745F74797065 "
                  "110100096572726F725F6D7367 010000 "
                  "110200050D636C69636B6576656E745F7473 "
                  "11020008126576656E745F74736576656E745F74797065 "
                  "11020008126576656E745F74736576656E745F74797065 010000 010000 -0");
    end_table(&t);
}

/* Section "Nesting", with the record of seed text 000. */
Test(variant_shred, an_event_with_a_location_and_tags_is_shredded_all_the_way) {
    table t = begin_table(
        "message m { optional group event (VARIANT) {"
        "required binary metadata; optional binary value; optional group typed_value {"
        "required group event_type { optional binary value; optional binary typed_value (STRING); }"
        "required group event_ts { optional binary value;"
        "optional int64 typed_value (TIMESTAMP(true, MICROS)) }"
        "required group location { optional binary value; optional group typed_value {"
        "required group longitude { optional binary value; optional float64 typed_value; }"
        "required group latitude { optional binary value; optional float64 typed_value; } } }"
        "required group tags { optional binary value; optional group typed_value (LIST) {"
        "repeated group list { required group element { optional binary value;"
        "optional binary typed_value (STRING); } } } } } } }",
        "event");
    put_row(&t, "{event_type: 'login', event_ts: '~timestamp 1729794114937', "
                "location: {longitude: 1.5, latitude: 5.5}, tags: ['foo', 'bar', 'baz']}");
    static const char typed[] = "event.typed_value.";
    static const struct {
        const char *path;
        const char *content;
    } columns[] = {{"event_type.value", "-2"},
                   {"event_type.typed_value", "login"},
                   {"event_ts.value", "-2"},
                   {"event_ts.typed_value", "1729794114937"},
                   {"location.value", "-2"},
                   {"location.typed_value.longitude.value", "-3"},
                   {"location.typed_value.longitude.typed_value", "1.5"},
                   {"location.typed_value.latitude.value", "-3"},
                   {"location.typed_value.latitude.typed_value", "5.5"},
                   {"tags.value", "-2"},
                   {"tags.typed_value.list.element.value", "-4 -4 -4"},
                   {"tags.typed_value.list.element.typed_value", "foo bar baz"}};
    expect_column(t.schema, t.columns, "event.value", "-1");
    /* event_ts, event_type, latitude, location, longitude, tags */
    expect_column(t.schema, t.columns, "event.metadata",
                  "11060008121A222B2F"
                  "6576656E745F7473"
                  "6576656E745F74797065"
                  "6C61746974756465"
                  "6C6F636174696F6E"
                  "6C6F6E676974756465"
                  "74616773");
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
        char path[128];
        snprintf(path, sizeof path, "%s%s", typed, columns[i].path);
        expect_column(t.schema, t.columns, path, columns[i].content);
    }
    end_table(&t);
}

/* --- What fits where -------------------------------------------------------------------------- */

/* A value of one column: what of it comes out in `value` and what in `typed_value`. */
static void expect_fit(const char *type, const lam_variant_scalar *scalar, const char *value,
                       const char *typed) {
    char schema[256];
    snprintf(schema, sizeof schema,
             "message m { required group v (VARIANT) { required binary metadata;"
             "optional binary value; optional %s; } }",
             type);
    table t = begin_table(schema, "v");
    OK(lam_variant_builder_put(t.b, scalar, NULL));
    end_row(&t, true);
    expect_column(t.schema, t.columns, "v.value", value);
    expect_column(t.schema, t.columns, "v.typed_value", typed);
    end_table(&t);
}

#define SCALAR(kind_, member, ...)                                                                 \
    (&(lam_variant_scalar){LAM_VARIANT_##kind_, {.member = __VA_ARGS__}})

Test(variant_shred, an_integer_fits_a_column_that_is_wide_enough) {
    expect_fit("int32 typed_value (INTEGER(8,true))", SCALAR(INT8, integer, -5), "-0", "-5");
    expect_fit("int32 typed_value (INTEGER(8,true))", SCALAR(INT64, integer, -5), "-0", "-5");
    expect_fit("int32 typed_value (INTEGER(8,true))", SCALAR(INT16, integer, 128), "108000", "-0");
    expect_fit("int32 typed_value", SCALAR(INT8, integer, 7), "-0", "7");
    expect_fit("int32 typed_value", SCALAR(INT64, integer, INT64_C(1) << 31), "180000008000000000",
               "-0");
    expect_fit("int64 typed_value", SCALAR(INT64, integer, INT64_MIN), "-0",
               "-9223372036854775808");
    expect_fit("int64 typed_value (INTEGER(64,true))", SCALAR(INT8, integer, 1), "-0", "1");
    expect_fit("int64 typed_value", SCALAR(BOOLEAN, boolean, true), "04", "-0");
    expect_fit("int64 typed_value", SCALAR(DATE, integer, 1), "2C01000000", "-0");
}

Test(variant_shred, a_decimal_fits_a_column_of_its_scale_with_enough_digits) {
    expect_fit("int32 typed_value (DECIMAL(4,2))", SCALAR(DECIMAL4, decimal, {1234, 0, 2}), "-0",
               "1234");
    expect_fit("int32 typed_value (DECIMAL(4,2))", SCALAR(DECIMAL4, decimal, {12345, 0, 2}),
               "200239300000", "-0");
    expect_fit("int32 typed_value (DECIMAL(4,2))", SCALAR(DECIMAL4, decimal, {123, 0, 1}),
               "20017B000000", "-0");
    expect_fit("int32 typed_value (DECIMAL(4,2))", SCALAR(INT8, integer, 5), "0C05", "-0");
    expect_fit("int32 typed_value (DECIMAL(4,0))", SCALAR(INT16, integer, -5), "-0", "-5");
    expect_fit("int64 typed_value (DECIMAL(18,2))", SCALAR(DECIMAL16, decimal, {UINT64_MAX, -1, 2}),
               "-0", "-1");
    expect_fit("fixed_len_byte_array(9) typed_value (DECIMAL(20,1))",
               SCALAR(DECIMAL4, decimal, {UINT64_MAX, -1, 1}), "-0", "FFFFFFFFFFFFFFFFFF");
    expect_fit("fixed_len_byte_array(17) typed_value (DECIMAL(38,1))",
               SCALAR(DECIMAL4, decimal, {258, 0, 1}), "-0", "0000000000000000000000000000000102");
    expect_fit("binary typed_value (DECIMAL(38,1))", SCALAR(DECIMAL4, decimal, {258, 0, 1}), "-0",
               "0102");
    expect_fit("binary typed_value (DECIMAL(38,1))", SCALAR(DECIMAL4, decimal, {128, 0, 1}), "-0",
               "0080");
    expect_fit("binary typed_value (DECIMAL(38,1))",
               SCALAR(DECIMAL4, decimal, {UINT64_MAX - 127, -1, 1}), "-0", "80");
    expect_fit("binary typed_value (DECIMAL(38,1))", SCALAR(DECIMAL4, decimal, {0, 0, 1}), "-0",
               "00");
}

Test(variant_shred, other_scalars_fit_columns_of_their_kind_only) {
    lam_bytes word = {(const uint8_t *)"word", 4};
    expect_fit("binary typed_value (STRING)", SCALAR(STRING, bytes, word), "-0", "word");
    expect_fit("binary typed_value", SCALAR(STRING, bytes, word), "11776F7264", "-0");
    expect_fit("binary typed_value", SCALAR(BINARY, bytes, word), "-0", "776F7264");
    expect_fit("double typed_value", SCALAR(FLOAT, float32, 1.0f), "380000803F", "-0");
    expect_fit("double typed_value", SCALAR(DOUBLE, float64, 0.25), "-0", "0.25");
    expect_fit("double typed_value", SCALAR(INT8, integer, 1), "0C01", "-0");
    expect_fit("int64 typed_value (TIMESTAMP(NANOS,true))", SCALAR(TIMESTAMP, integer, 1),
               "300100000000000000", "-0");
    expect_fit("int64 typed_value (TIMESTAMP(NANOS,true))", SCALAR(TIMESTAMP_NANOS, integer, 1),
               "-0", "1");
    expect_fit("int64 typed_value (TIME(MICROS,false))", SCALAR(TIME, integer, 1), "-0", "1");
    expect_fit("int32 typed_value (DATE)", SCALAR(DATE, integer, -1), "-0", "-1");
}

/* --- What cannot be written ------------------------------------------------------------------- */

Test(variant_shred, without_a_value_column_only_what_fits_is_written) {
    table t = begin_table("message m { required group v (VARIANT) { required binary metadata;"
                          "optional group typed_value { required group a {"
                          "optional int32 typed_value; } } } }",
                          "v");
    static const char *const refused[][2] = {
        {"5", "v: int8 fits no column, and there is no column named value"},
        {"{a: null}", "v.typed_value.a: null fits no column, and there is no column named value"},
        {"{a: 1, b: 1}", "v: object fits no column, and there is no column named value"}};
    lam_record_sink sink = lam_shredder_sink(t.columns);
    lam_variant variant;
    put_row(&t, "{a: 5}");
    for (size_t i = 0; i < 3; i++) {
        lam_error error = lam_error_none();
        put_value(t.b, refused[i][0]);
        OK(lam_variant_builder_finish(t.b, &variant, NULL));
        OK(sink.begin(sink.state, NULL));
        cr_expect_eq(lam_variant_shredder_write(t.shredder, variant, &sink, &error),
                     LAM_STATUS_INVALID, "%s", refused[i][0]);
        cr_expect_str_eq(error.message, refused[i][1], "%s: %s", refused[i][0], error.message);
    }
    end_table(&t);
}

Test(variant_shred, a_value_that_is_not_well_formed_is_refused_before_any_event) {
    table t = begin_table(EVENT, "event");
    lam_record_sink sink = {0};
    static const char *const bad[][2] = {
        {"010000", "03 02 00 00 01 00"},
        {"01", "00"},                 /* metadata that end early */
        {"010000", "20 00 FFFFFF7F"}, /* 10 digits in a decimal of 9 */
    };
    for (size_t i = 0; i < 3; i++) {
        lam_variant variant = hex_variant(bad[i][0], bad[i][1]);
        cr_expect_eq(lam_variant_shredder_write(t.shredder, variant, &sink, NULL),
                     LAM_STATUS_CORRUPT, "%s", bad[i][1]);
        free_variant(variant);
    }
    end_table(&t);
}

static lam_status take_event(void *state, lam_error *error) {
    (void)error;
    ++*(size_t *)state;
    return LAM_STATUS_OK;
}

static lam_status take_group(void *state, const lam_field *group, lam_error *error) {
    (void)group;
    return take_event(state, error);
}

/* Looks at all bytes of a value, so that a sanitizer sees those that are not there. */
static lam_status take_put(void *state, const lam_field *leaf, lam_value value, lam_error *error) {
    if (lam_field_physical_type(leaf) == LAM_PHYSICAL_BYTE_ARRAY)
        for (size_t i = 0; i < value.bytes.size; i++)
            *(size_t *)state += value.bytes.data[i];
    return take_event(state, error);
}

/* Changes and cuts each byte of a value that is trusted. */
static void expect_no_harm(const char *schema_text, const char *group, const char *metadata,
                           const char *value) {
    lam_schema *schema = schema_of(schema_text);
    lam_variant_shredder_options options = lam_variant_shredder_options_default();
    lam_variant_shredder *shredder;
    size_t seen = 0, refused = 0;
    lam_record_sink sink = {&seen, take_event, take_group, take_put, take_group, take_event, NULL};
    options.trusted = true;
    OK(lam_variant_shredder_create(field_of(schema, group), &options, NULL, &shredder, NULL));
    lam_variant whole = hex_variant(metadata, value);
    OK(lam_variant_validate(whole, 0, NULL));
    OK(lam_variant_shredder_write(shredder, whole, &sink, NULL));
    size_t sizes[] = {whole.metadata.size, whole.value.size};
    for (size_t run = 0; run < 2; run++)
        for (size_t at = 0; at < sizes[run]; at++)
            for (unsigned change = 0; change < 257; change++) {
                lam_variant changed = {{exact_block(whole.metadata.data, sizes[0]), sizes[0]},
                                       {exact_block(whole.value.data, sizes[1]), sizes[1]}};
                lam_bytes *bytes = run == 0 ? &changed.metadata : &changed.value;
                if (change == 256) { /* a cut */
                    free((void *)(uintptr_t)bytes->data);
                    bytes->size = at;
                    bytes->data =
                        exact_block(run == 0 ? whole.metadata.data : whole.value.data, at);
                } else {
                    ((uint8_t *)(uintptr_t)bytes->data)[at] = (uint8_t)change;
                }
                lam_status status = lam_variant_shredder_write(shredder, changed, &sink, NULL);
                cr_assert(status == LAM_STATUS_OK || status == LAM_STATUS_CORRUPT, "%zu %zu %u: %d",
                          run, at, change, (int)status);
                refused += status != LAM_STATUS_OK;
                free_variant(changed);
            }
    cr_expect_gt(refused, 100);
    free_variant(whole);
    lam_variant_shredder_destroy(shredder);
    lam_schema_destroy(schema);
}

/* An object and an array inside of an object. */
static const char NESTED[] =
    "message m { optional group v (VARIANT) { required binary metadata; optional binary value;"
    "optional group typed_value {"
    "required group l { optional binary value; optional group typed_value (LIST) {"
    "repeated group list { required group element { optional binary value;"
    "optional int32 typed_value; } } } }"
    "required group o { optional binary value; optional group typed_value {"
    "required group x { optional binary value; optional int32 typed_value; } } } } } }";
/* {"l": [1, 2], "o": {"x": 3, "y": 4}, "z": 5} */
static const char NESTED_METADATA[] = "11 05 00 01 02 03 04 05 6C 6F 78 79 7A";
static const char NESTED_VALUE[] = "02 03 00 01 04 00 09 14 16 03 02 00 02 04 0C01 0C02 "
                                   "02 02 02 03 00 02 04 0C03 0C04 0C05";

/* What is trusted is not validated, but neither read beyond its end where it is no value at all. */
Test(variant_shred, a_trusted_value_that_does_not_hold_together_does_no_harm) {
    /* {"click": [1], "email": {"email": null}, "event_ts": 5, "event_type": "x"} */
    expect_no_harm(EVENT, "event",
                   "11 04 00 05 0A 12 1C 636C69636B 656D61696C 6576656E745F7473 "
                   "6576656E745F74797065",
                   "02 04 00 01 02 03 00 06 0C 0E 10 03 01 00 02 0C01 02 01 01 00 01 00 0C05 0578");
    expect_no_harm(NESTED, "v", NESTED_METADATA, NESTED_VALUE);
}

/* --- Sinks that fail -------------------------------------------------------------------------- */

/* A sink that refuses event `refused`, from 1, with words or without. */
typedef struct refusing {
    size_t events, refused, failures;
    bool is_silent;
} refusing;

static lam_status refuse_group(void *state, const lam_field *group, lam_error *error) {
    refusing *sink = state;
    (void)group;
    if (++sink->events != sink->refused)
        return LAM_STATUS_OK;
    if (!sink->is_silent && error != NULL) {
        *error = lam_error_none();
        error->status = LAM_STATUS_LIMIT;
        snprintf(error->message, sizeof error->message, "enough");
    }
    return LAM_STATUS_LIMIT;
}

static lam_status refuse_put(void *state, const lam_field *leaf, lam_value value,
                             lam_error *error) {
    (void)value;
    return refuse_group(state, leaf, error);
}

static lam_status hear_failure(void *state, const lam_error *failure, lam_error *error) {
    (void)error;
    ((refusing *)state)->failures++;
    return failure->status;
}

/* What a sink has said is handed back to it; one that said nothing had failed before. */
static void expect_refusal_at_each_event(bool is_silent) {
    lam_schema *schema = schema_of(NESTED);
    lam_variant variant = hex_variant(NESTED_METADATA, NESTED_VALUE);
    lam_variant_shredder *shredder;
    lam_status status = LAM_STATUS_LIMIT;
    OK(lam_variant_shredder_create(field_of(schema, "v"), NULL, NULL, &shredder, NULL));
    for (size_t refused = 1; status != LAM_STATUS_OK; refused++) {
        refusing state = {0, refused, 0, is_silent};
        lam_record_sink sink = {.state = &state,
                                .open = refuse_group,
                                .put = refuse_put,
                                .close = refuse_group,
                                .fail = hear_failure};
        lam_error error = lam_error_none();
        status = lam_variant_shredder_write(shredder, variant, &sink, &error);
        cr_assert_lt(refused, 100);
        if (status == LAM_STATUS_OK) {
            cr_expect_eq(state.events, refused - 1);
            cr_expect_gt(refused, 20);
            break;
        }
        cr_expect_eq(status, LAM_STATUS_LIMIT);
        cr_expect_eq(state.events, refused, "none behind it");
        cr_expect_eq(state.failures, is_silent ? 0 : 1);
        cr_expect_str_eq(error.message, is_silent ? "" : "enough");
    }
    lam_variant_shredder_destroy(shredder);
    free_variant(variant);
    lam_schema_destroy(schema);
}

Test(variant_shred, a_sink_that_refuses_any_event_ends_the_value) {
    expect_refusal_at_each_event(false);
    expect_refusal_at_each_event(true);
}

Test(variant_shred, metadata_that_lacks_its_offset_is_written_whole) {
    table t = begin_table(EVENT, "event");
    lam_record_sink sink = lam_shredder_sink(t.columns);
    lam_variant variant = hex_variant("0100", "00");
    OK(sink.begin(sink.state, NULL));
    OK(lam_variant_shredder_write(t.shredder, variant, &sink, NULL));
    OK(sink.end(sink.state, NULL));
    expect_column(t.schema, t.columns, "event.metadata", "010000");
    free_variant(variant);
    end_table(&t);
}

Test(variant_shred, options_of_another_size_are_refused) {
    lam_schema *schema = schema_of(EVENT);
    lam_variant_shredder_options options = {0};
    lam_variant_shredder *shredder;
    cr_expect_eq(
        lam_variant_shredder_create(field_of(schema, "event"), &options, NULL, &shredder, NULL),
        LAM_STATUS_INVALID);
    lam_variant_shredder_destroy(NULL);
    lam_schema_destroy(schema);
    lam_error error = lam_error_none();
    cr_expect_eq(lam_variant_shredder_create(NULL, NULL, NULL, &shredder, &error),
                 LAM_STATUS_INVALID);
    cr_expect_str_eq(error.message,
                     "no such field (NULL): lam_schema_resolve says why a path leads to none");
}

/* --- Memory ----------------------------------------------------------------------------------- */

static lam_status shred_something(const lam_schema *schema, lam_variant variant,
                                  const lam_allocator *allocator) {
    lam_variant_shredder *shredder = NULL;
    lam_shredder *columns = NULL;
    lam_status status = lam_shredder_create(schema, allocator, &columns, NULL);
    if (status == LAM_STATUS_OK)
        status = lam_variant_shredder_create(field_of(schema, "event"), NULL, allocator, &shredder,
                                             NULL);
    if (status == LAM_STATUS_OK) {
        lam_record_sink sink = lam_shredder_sink(columns);
        status = sink.begin(sink.state, NULL);
        if (status == LAM_STATUS_OK)
            status = lam_variant_shredder_write(shredder, variant, &sink, NULL);
        if (status == LAM_STATUS_OK)
            status = sink.end(sink.state, NULL);
    }
    lam_variant_shredder_destroy(shredder);
    lam_shredder_destroy(columns);
    return status;
}

Test(variant_shred, a_failing_allocation_leaves_nothing_behind) {
    /* {"email": 1, "event_ts": "x"} */
    lam_variant variant =
        hex_variant("11 02 00 05 0D 656D61696C 6576656E745F7473", "02 02 00 01 00 02 04 0C01 0578");
    lam_schema *schema = schema_of(EVENT);
    lam_status status = LAM_STATUS_NOMEM;
    for (size_t n = 1; status != LAM_STATUS_OK; n++) {
        lam_failing_alloc counter = {.fail_at = n};
        lam_allocator allocator = lam_failing_allocator(&counter);
        status = shred_something(schema, variant, &allocator);
        cr_assert(status == LAM_STATUS_OK || status == LAM_STATUS_NOMEM);
        cr_assert_eq(counter.live_bytes, 0, "request %zu", n);
        cr_assert_eq(counter.wrong_sizes, 0, "request %zu", n);
        cr_assert_lt(n, 1000);
    }
    free_variant(variant);
    lam_schema_destroy(schema);
}
