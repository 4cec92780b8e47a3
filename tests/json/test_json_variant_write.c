/* SPDX-License-Identifier: Apache-2.0 */
/*
 * VARIANT values print as JSON, the samples of the format among them. Bytes that hold no value
 * never print as what is no JSON.
 */
#include "json/value/json_variant.h"

#include "scarce_memory.h"
#include "support/shared.h"
#include "variant_json.h"

static uint8_t *bytes_of(const char *hex, lam_bytes *ret_bytes) {
    uint8_t *block = malloc(strlen(hex) / 2 + 1);
    unsigned byte;
    size_t size = 0;
    for (; hex[0] != '\0'; hex += 2 - (hex[0] == ' ')) {
        if (hex[0] == ' ')
            continue;
        cr_assert_eq(sscanf(hex, "%2x", &byte), 1);
        block[size++] = (uint8_t)byte;
    }
    *ret_bytes = (lam_bytes){block, size};
    return block;
}

static void expect_text(const char *metadata, const char *value, lam_json_variant form,
                        const char *expected) {
    lam_variant variant;
    lam_error error = lam_error_none();
    uint8_t *a = bytes_of(metadata, &variant.metadata), *b = bytes_of(value, &variant.value);
    char *text = print_variant(variant, form, LAM_JSON_BINARY_BASE64, &error);
    cr_assert_not_null(text, "%s: %s", value, error.message);
    cr_expect_str_eq(text, expected, "%s", text);
    free(text);
    free(a);
    free(b);
}

Test(json_variant_write, scalars_print_as_columns_of_their_meaning_do) {
    static const char *const cases[][2] = {
        {"00", "null"},
        {"04", "true"},
        {"0CFF", "-1"},
        {"18 0000000000000080", "-9223372036854775808"},
        {"38 0000803F", "1.0"},
        {"38 0000C07F", "\"NaN\""},
        {"1C 0000000000000080", "-0.0"},
        {"1C 000000000000F0FF", "\"-Infinity\""},
        {"20 02 D2040000", "12.34"},
        {"20 09 FFFFFFFF", "-0.000000001"},
        {"28 00 FFFFFFFF3F228A097AC4865AA84C3B4B", "99999999999999999999999999999999999999"},
        {"28 26 01000000C0DD75F6853B79A557B3C4B4", "-0.99999999999999999999999999999999999999"},
        {"2C E24E0000", "\"2025-04-16\""},
        {"44 C0F229880A000000", "\"12:33:54.123456\""},
        {"44 FFFFFFFFFFFFFFFF", "-1"},
        {"30 E05297DDE7320600", "\"2025-04-16T16:34:56.780000Z\""},
        {"34 E0C24883E4320600", "\"2025-04-16T12:34:56.780000\""},
        {"48 15413A6CB7AF0518", "\"2024-11-07T12:33:54.123456789Z\""},
        {"4C 15413A6CB7AF0518", "\"2024-11-07T12:33:54.123456789\""},
        {"3C 02000000 0AFF", "\"Cv8=\""},
        {"0D 612262", "\"a\\\"b\""},
        {"50 F24F9B6481FA49D1B74E8C09A6E31C56", "\"f24f9b64-81fa-49d1-b74e-8c09a6e31c56\""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        expect_text("010000", cases[i][0], LAM_JSON_VARIANT_VALUE, cases[i][1]);
}

Test(json_variant_write, kinds_are_told_around_every_value) {
    expect_text("11 02 00 01 02 61 62", "02 02 00 01 00 05 07 03 01 00 01 00 0C07",
                LAM_JSON_VARIANT_TYPED,
                "{\"object\":{\"a\":{\"array\":[{\"null\":null}]},\"b\":{\"int8\":7}}}");
}

Test(json_variant_write, only_values_and_kinds_are_forms_of_one_value) {
    lam_output output;
    lam_variant variant = {{(const uint8_t *)"\x01\0\0", 3}, {(const uint8_t *)"\0", 1}};
    cr_assert_eq(lam_output_memory(NULL, &output, NULL), LAM_STATUS_OK);
    cr_expect_eq(lam_json_print_variant(variant, LAM_JSON_VARIANT_STORAGE, LAM_JSON_BINARY_BASE64,
                                        &output, NULL),
                 LAM_STATUS_INVALID);
    cr_expect_eq(
        lam_json_print_variant(variant, LAM_JSON_VARIANT_VALUE, (lam_json_binary)7, &output, NULL),
        LAM_STATUS_INVALID);
    variant.value.size = 0;
    cr_expect_eq(lam_json_print_variant(variant, LAM_JSON_VARIANT_VALUE, LAM_JSON_BINARY_BASE64,
                                        &output, NULL),
                 LAM_STATUS_CORRUPT);
    cr_expect_eq(lam_output_memory_bytes(&output).size, 0);
    lam_output_close(&output);
}

/* --- Bytes that nobody validated -------------------------------------------------------------- */

static void expect_refused(const char *metadata, const char *value, lam_status status,
                           const char *message) {
    lam_allocator allocator = lam_allocator_default();
    lam_error error = lam_error_none();
    lam_variant variant;
    lam_buffer text;
    uint8_t *a = bytes_of(metadata, &variant.metadata), *b = bytes_of(value, &variant.value);
    lam_buffer_init(&text, &allocator);
    cr_expect_eq(lam_json_variant_write(&text, variant, LAM_JSON_VARIANT_VALUE,
                                        LAM_JSON_BINARY_BASE64, &error),
                 status, "%s", value);
    cr_expect_str_eq(error.message, message, "%s: %s", value, error.message);
    lam_buffer_finish(&text);
    free(a);
    free(b);
}

Test(json_variant_write, bytes_that_do_not_hold_together_are_refused) {
    expect_refused("02 00 00", "00", LAM_STATUS_CORRUPT,
                   "variant: metadata of a version other than 1");
    expect_refused("010000", "20 27 01000000", LAM_STATUS_CORRUPT,
                   "variant: a decimal of more than 38 digits after the point");
    expect_refused("010000", "", LAM_STATUS_CORRUPT, "variant: a value ends early");
    expect_refused("010000", "0C", LAM_STATUS_CORRUPT, "variant: a value ends early");
    expect_refused("010000", "03 02 00", LAM_STATUS_CORRUPT, "variant: a value ends early");
    expect_refused("010000", "03 01 00 02 18 00", LAM_STATUS_CORRUPT,
                   "variant: a value ends early");
    expect_refused("010000", "03 01 05 01 00", LAM_STATUS_CORRUPT,
                   "variant: an offset outside of its object or array");
    expect_refused("01 01 00 01 61", "02 01 07 00 01 00", LAM_STATUS_CORRUPT,
                   "variant: a field id that the metadata does not have");
}

/* An array with one array in it, and so on. Offsets have four bytes. */
Test(json_variant_write, what_is_nested_deeper_than_a_variant_is_refused) {
    enum { DEEPEST = LAM_VARIANT_DEPTH_MAX + 1, HEADER = 1 + 1 + 2 * 4 };
    lam_allocator allocator = lam_allocator_default();
    lam_error error = lam_error_none();
    size_t size = DEEPEST * HEADER + 1;
    uint8_t *value = calloc(1, size);
    lam_buffer text;
    for (size_t i = 0; i < DEEPEST; i++) {
        uint32_t left = (uint32_t)(size - (i + 1) * HEADER);
        uint8_t *array = value + i * HEADER;
        array[0] = 3 | 3 << 2;
        array[1] = 1;
        for (int byte = 0; byte < 4; byte++)
            array[6 + byte] = (uint8_t)(left >> 8 * byte);
    }
    lam_variant variant = {{(const uint8_t *)"\x01\0\0", 3}, {value, size}};
    lam_buffer_init(&text, &allocator);
    cr_expect_eq(lam_json_variant_write(&text, variant, LAM_JSON_VARIANT_VALUE,
                                        LAM_JSON_BINARY_BASE64, &error),
                 LAM_STATUS_LIMIT);
    cr_expect_not_null(strstr(error.message, "nested deeper"), "%s", error.message);
    lam_buffer_finish(&text);
    free(value);
}

Test(json_variant_write, bytes_that_are_no_text_do_not_print_as_text) {
    lam_variant variant;
    lam_error error = lam_error_none();
    uint8_t *a = bytes_of("010000", &variant.metadata);
    uint8_t *b = bytes_of("3C 02000000 0AFF", &variant.value);
    cr_expect_null(print_variant(variant, LAM_JSON_VARIANT_VALUE, LAM_JSON_BINARY_UTF8, &error));
    cr_expect_eq(error.status, LAM_STATUS_INVALID);
    cr_expect_str_eq(error.message, "byte 1 of the text is not UTF-8");
    free(a);
    free(b);
}

/* --- A text without room ---------------------------------------------------------------------- */

typedef struct scarce_print {
    lam_variant variant;
    lam_json_variant form;
    size_t room; /* bytes before the next request */
} scarce_print;

/* Into a text that is full but for some bytes. */
static lam_status print_scarcely(void *state, const lam_allocator *allocator, lam_error *error) {
    enum { FULL = 1024 };
    const scarce_print *print = state;
    lam_buffer text;
    lam_buffer_init(&text, allocator);
    lam_status status = lam_buffer_reserve(&text, FULL, error);
    text.size = status == LAM_STATUS_OK ? FULL - print->room : 0;
    if (status == LAM_STATUS_OK)
        status = lam_json_variant_write(&text, print->variant, print->form, LAM_JSON_BINARY_BASE64,
                                        error);
    lam_buffer_finish(&text);
    return status;
}

/* Objects and arrays without a scalar, which would leave the room of one. */
Test(json_variant_write, a_text_that_ends_anywhere_fails_the_value) {
    static const char *const values[] = {"02 01 00 0009 02 01 00 0004 02 00 00 00",
                                         "03 02 000408 03 00 00 00 03 00 00 00"};
    scarce_print print;
    uint8_t *a = bytes_of("01 01 00 01 61", &print.variant.metadata);
    for (size_t i = 0; i < 2; i++) {
        uint8_t *b = bytes_of(values[i], &print.variant.value);
        for (int form = LAM_JSON_VARIANT_VALUE; form <= LAM_JSON_VARIANT_TYPED; form++)
            for (print.room = 0; print.room < 60; print.room++) {
                size_t requests;
                print.form = (lam_json_variant)form;
                cr_assert_eq(run_without(print_scarcely, &print, 0, &requests), LAM_STATUS_OK);
                cr_assert(requests == 1 ||
                          run_without(print_scarcely, &print, 2, &requests) == LAM_STATUS_NOMEM);
            }
        free(b);
    }
    free(a);
}

/* --- The sample pairs of the format ----------------------------------------------------------- */

/*
 * What data_dictionary.json says, as it is printed here: times with all digits and zones as UTC,
 * numbers with all theirs. (The file itself has a time with a colon before its fraction, and
 * decimals cut to the digits of a double.)
 */
static const char *const samples[][2] = {
    {"array_empty", "[]"},
    {"array_nested",
     "[{\"id\":1,\"thing\":{\"names\":[\"Contrarian\",\"Spider\"]}},null,{\"id\":2,\"names\":["
     "\"Apple\",\"Ray\",null],\"type\":\"if\"}]"},
    {"array_primitive", "[2,1,5,9]"},
    {"object_empty", "{}"},
    {"object_nested",
     "{\"id\":1,\"observation\":{\"location\":\"In the Volcano\",\"time\":\"12:34:56\",\"value\":{"
     "\"humidity\":456,\"temperature\":123}},\"species\":{\"name\":\"lava monster\","
     "\"population\":6789}}"},
    {"object_primitive",
     "{\"boolean_false_field\":false,\"boolean_true_field\":true,\"double_field\":1.23456789,"
     "\"int_field\":1,\"null_field\":null,\"string_field\":\"Apache Parquet\",\"timestamp_field\":"
     "\"2025-04-16T12:34:56.78\"}"},
    {"primitive_binary", "\"AxM33q2+78r+\""},
    {"primitive_boolean_false", "false"},
    {"primitive_boolean_true", "true"},
    {"primitive_date", "\"2025-04-16\""},
    {"primitive_decimal16", "12345678912345678.90"},
    {"primitive_decimal4", "12.34"},
    {"primitive_decimal8", "12345678.90"},
    {"primitive_double", "1234567890.1234"},
    {"primitive_float", "1.234568e+09"},
    {"primitive_int16", "1234"},
    {"primitive_int32", "123456"},
    {"primitive_int64", "1234567890123456789"},
    {"primitive_int8", "42"},
    {"primitive_null", "null"},
    {"primitive_string",
     "\"This string is longer than 64 bytes and therefore does not fit in a short_string and it "
     "also includes several non ascii characters such as \xF0\x9F\x90\xA2, \xF0\x9F\x92\x96, "
     "\xE2\x99\xA5\xEF\xB8\x8F, \xF0\x9F\x8E\xA3 and \xF0\x9F\xA4\xA6!!\""},
    {"primitive_time", "\"12:33:54.123456\""},
    {"primitive_timestamp", "\"2025-04-16T16:34:56.780000Z\""},
    {"primitive_timestampntz", "\"2025-04-16T12:34:56.780000\""},
    {"primitive_timestamp_nanos", "\"2024-11-07T12:33:54.123456789Z\""},
    {"primitive_timestampntz_nanos", "\"2024-11-07T12:33:54.123456789\""},
    {"primitive_uuid", "\"f24f9b64-81fa-49d1-b74e-8c09a6e31c56\""},
    {"short_string", "\"Less than 64 bytes (\xE2\x9D\xA4\xEF\xB8\x8F with utf8)\""},
};

static char *read_sample(const char *name, const char *suffix, lam_bytes *ret_bytes) {
    char path[256];
    snprintf(path, sizeof path, "parquet-testing/variant/%s.%s", name, suffix);
    char *text = lam_test_read_file(lam_test_shared(path), &ret_bytes->size);
    cr_assert_not_null(text, "%s", path);
    ret_bytes->data = (const uint8_t *)text;
    return text;
}

/* Typed text is read to the same value again. */
static void expect_back(lam_variant variant, const char *name) {
    lam_json_parser_options options = lam_json_parser_options_default();
    lam_json_parser *parser;
    lam_variant_builder *builder;
    lam_variant again;
    lam_error error = lam_error_none();
    char *typed = print_variant(variant, LAM_JSON_VARIANT_TYPED, LAM_JSON_BINARY_BASE64, &error);
    cr_assert_not_null(typed, "%s: %s", name, error.message);
    options.form = LAM_JSON_VARIANT_TYPED;
    cr_assert_eq(lam_json_parser_create(&options, NULL, &parser, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_variant_builder_create(NULL, NULL, &builder, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_json_parser_read(parser, typed, strlen(typed), builder, &error), LAM_STATUS_OK,
                 "%s: %s", typed, error.message);
    cr_assert_eq(lam_variant_builder_finish(builder, &again, &error), LAM_STATUS_OK);
    cr_expect(lam_variant_equals(variant, again), "%s: %s", name, typed);
    lam_variant_builder_destroy(builder);
    lam_json_parser_destroy(parser);
    free(typed);
}

Test(json_variant_write, the_samples_print_as_their_dictionary_says_and_come_back) {
    if (!lam_test_shared_exists("parquet-testing/variant"))
        cr_skip_test("no samples");
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        lam_variant variant;
        lam_error error = lam_error_none();
        char *metadata = read_sample(samples[i][0], "metadata", &variant.metadata);
        char *value = read_sample(samples[i][0], "value", &variant.value);
        char *text = print_variant(variant, LAM_JSON_VARIANT_VALUE, LAM_JSON_BINARY_BASE64, &error);
        cr_assert_not_null(text, "%s: %s", samples[i][0], error.message);
        cr_expect_str_eq(text, samples[i][1], "%s: %s", samples[i][0], text);
        expect_back(variant, samples[i][0]);
        free(text);
        free(metadata);
        free(value);
    }
}

/* Whatever the bytes, what is printed is one JSON value, or nothing. */
Test(json_variant_write, no_change_of_a_byte_prints_what_is_no_json) {
    if (!lam_test_shared_exists("parquet-testing/variant"))
        cr_skip_test("no samples");
    lam_json_parser *parser;
    lam_variant_builder *builder;
    size_t printed = 0;
    cr_assert_eq(lam_json_parser_create(NULL, NULL, &parser, NULL), LAM_STATUS_OK);
    cr_assert_eq(lam_variant_builder_create(NULL, NULL, &builder, NULL), LAM_STATUS_OK);
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        lam_variant variant;
        char *blocks[] = {read_sample(samples[i][0], "metadata", &variant.metadata),
                          read_sample(samples[i][0], "value", &variant.value)};
        for (size_t at = 0; at < variant.metadata.size + variant.value.size; at++) {
            bool in_value = at >= variant.metadata.size;
            char *byte = blocks[in_value] + (in_value ? at - variant.metadata.size : at);
            char before = *byte;
            for (unsigned change = 1; change < 256; change += 7) {
                lam_error error = lam_error_none();
                *byte = (char)(before ^ (char)change);
                char *text =
                    print_variant(variant, LAM_JSON_VARIANT_VALUE, LAM_JSON_BINARY_BASE64, &error);
                printed += text != NULL;
                lam_variant_builder_clear(builder);
                if (text != NULL)
                    cr_assert_eq(lam_json_parser_read(parser, text, strlen(text), builder, &error),
                                 LAM_STATUS_OK, "%s: %s", text, error.message);
                free(text);
            }
            *byte = before;
        }
        free(blocks[0]);
        free(blocks[1]);
    }
    cr_expect_gt(printed, 1000);
    lam_variant_builder_destroy(builder);
    lam_json_parser_destroy(parser);
}
